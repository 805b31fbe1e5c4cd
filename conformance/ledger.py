"""Known gaps: cases that may fail, each with its reason, in `gaps.toml`."""

from __future__ import annotations

import tomllib
from pathlib import Path

PATH = Path(__file__).parent / "gaps.toml"


def read(path: Path = PATH) -> dict[str, str]:
    """The reason for each known gap, by the name of its case.

    Raises:
      ValueError: if an entry has no reason.
    """
    gaps: dict[str, str] = tomllib.loads(path.read_text(encoding="utf-8"))
    for name, reason in gaps.items():
        if not (isinstance(reason, str) and reason.strip()):
            raise ValueError(f"{path.name}: {name!r} needs a reason")
    return gaps
