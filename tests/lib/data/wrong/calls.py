"""All of the calls; `python -m tests.lib.data.wrong.calls` writes `calls.json` anew, where TensorFlow is installed."""

from __future__ import annotations

import importlib
import json
import tempfile
from pathlib import Path
from typing import Any

from tests.lib.data.wrong import arguments, datasets, files, values
from tests.outcomes import Calls, outcome

PATH = Path(__file__).with_suffix(".json")

FAMILIES = (
    arguments.numbers_calls, arguments.functions_calls, arguments.generators_calls, datasets.sources_calls, files.files_calls,
    files.images_calls, values.examples_calls, values.text_calls, values.tables_calls, files.bytes_calls, datasets.more_calls,
)  # fmt: skip


def calls(tf: Any, folder: Path) -> Calls:
    """The calls, by name."""
    found: Calls = {}
    for family in FAMILIES:
        for name, call in family(tf, folder).items():
            assert name not in found, name
            found[name] = call
    return found


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as where:
        recorded = {k: outcome(call) for k, call in calls(importlib.import_module("tensorflow"), Path(where)).items()}
    PATH.write_text(json.dumps(recorded, indent=0) + "\n", encoding="utf-8")
