"""`python -m tests.ops.record [FAMILY ...]`: write down what TensorFlow answers to the rows, one file a family."""

from __future__ import annotations

import json
import sys
from typing import Any

import tensorflow as tf

from tests.ops.table import Row, families, golden_path, load, observe, observe_traced, traced_path


def main(chosen: list[str]) -> None:
    """Record the chosen families; each golden file is replaced."""
    for family in chosen:
        rows = load(family)
        lines, traces = [], []
        for name, row in rows.items():
            traces.append(f"{json.dumps(name)}: {json.dumps(_traced(row), separators=(',', ':'))}")
            seen = observe(tf, row)
            if "raises" in seen:
                # Shown, because an exception that was not meant is a mistake in the row; the message is not kept.
                print(f"{row.id}: {seen['raises']}: {seen.pop('says')[:150]}")
            lines.append(f"{json.dumps(name)}: {json.dumps(seen, ensure_ascii=False, separators=(',', ':'))}")
        golden_path(family).write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
        traced_path(family).write_text("{\n" + ",\n".join(traces) + "\n}\n", encoding="utf-8")
        print(f"{family}: {len(lines)} rows")


def _traced(row: Row) -> dict[str, Any]:
    """Static shapes in a function whose arguments have known shapes, and in one where the first dimension is unknown."""
    seen = {key: observe_traced(tf, row, key == "open") for key in ("closed", "open")}
    for value in seen.values():
        if isinstance(value, dict):
            value.pop("says")
    return seen


if __name__ == "__main__":
    main(sys.argv[1:] or families())
