"""Every row of the table inside `tf.function`: the same values, and the same exceptions; `test_table_shapes.py` has static shapes.

Once with known shapes, and once with a first dimension that is unknown while the function is traced. What differs from
TensorFlow stands in `DIFFERS`, with the reason.
"""

from __future__ import annotations

import json

import pytest

import tfgrad_jax as tf
from conformance.compare import differences
from conformance.observe import encode
from tests.ops.table import HERE, Row, families, goldens, load, observe_traced, static_shapes, traced, traced_path

ROWS = {row.id: row for family in families() for row in load(family).values()}
VALUES = {f"{family}/{name}": seen for family in families() for name, seen in goldens(family).items()}
TRACES = {
    f"{family}/{name}": seen for family in families() for name, seen in goldens(family, traced_path(family)).items()
}
DIFFERS = {
    name: reason
    for reason, names in json.loads((HERE / "traced_differs.json").read_text(encoding="utf-8")).items()
    for name in names
}
"""By row and kind of trace: why it is another than TensorFlow's."""

ROUNDED = {f"image/convert_image_dtype float float64 {saturate}" for saturate in (True, False)}
"""Rows of float32 with a float64 result: XLA rounds `x * 1.2 - 0.1` once, and the tolerance is that of float64."""

TOGETHER = 16
"""How many rows run as one program: compiling is what takes time."""


def test_goldens_and_rows_belong_together():
    assert not ROWS.keys() ^ TRACES.keys(), "run `python -m tests.ops.record FAMILY` where TensorFlow is installed"
    kinds = {f"{name} ({kind})" for name in ROWS for kind in ("closed", "open")}
    assert not DIFFERS.keys() - kinds


def differs(row: Row, kind: str) -> str | None:
    """Why the row is another than TensorFlow's; None if it must not be."""
    return DIFFERS.get(f"{row.id} ({kind})")


def seen(row: Row, kind: str) -> object:
    """Static shapes, or the exception class; a row whose results have shapes runs with others, see below."""
    if refused(row, kind):
        found = observe_traced(tf, row, kind == "open")
        return {"raises": found["raises"]} if isinstance(found, dict) else found
    try:
        return static_shapes(tf, traced(tf, row, kind == "open").get_concrete_function().structured_outputs)
    except Exception as error:
        return {"raises": type(error).__name__}


def refused(row: Row, kind: str) -> bool:
    """Whether TensorFlow raises, when the row is traced or when it runs."""
    return isinstance(TRACES[row.id][kind], dict)


def unlike(rows: list[Row], kind: str) -> list[str]:
    """What is traced in another way than in TensorFlow, or in the same way though it stands in `DIFFERS`."""
    wrong = []
    for row in rows:
        expected, found = TRACES[row.id][kind], seen(row, kind)
        if (found == expected) == (differs(row, kind) is not None):
            wrong.append(
                f"{row.id} ({kind}): expected {expected}, seen {found}; {differs(row, kind) or 'must not differ'}"
            )
    return wrong


@pytest.mark.parametrize("kind", ["closed", "open"])
def test_what_is_refused(kind):
    wrong = unlike([row for row in ROWS.values() if refused(row, kind)], kind)
    assert not wrong, "\n".join(wrong)


def runs(row: Row, kind: str) -> bool:
    """Whether the row has a value that a function must give too."""
    drawn = row.family == "random" or "random" in row.name or "dropout" in row.name  # functions have other seeds
    left_out = refused(row, kind) or (differs(row, kind) or "").startswith(("refused", "floating"))
    return not (drawn or row.differs or left_out or row.id in ROUNDED) and of_tensors(VALUES[row.id].get("value"))


def of_tensors(encoded: object) -> bool:
    """Whether an encoded value consists of tensors: a function makes those of Python values."""
    if not isinstance(encoded, dict):
        return False
    if "items" not in encoded:
        return encoded["kind"] == "Tensor"
    return all(of_tensors(item[1] if isinstance(item, list) else item) for item in encoded["items"])


@pytest.mark.parametrize("kind", ["closed", "open"])
@pytest.mark.parametrize("family", families())
def test_values_are_the_same(family, kind):
    rows = [row for row in load(family).values() if runs(row, kind)]
    lines = []
    for start in range(0, len(rows), TOGETHER):
        lines += [
            line for row, found in run_together(rows[start : start + TOGETHER], kind) for line in wrong_in(row, found)
        ]
    assert not lines, "\n".join(lines)


def run_together(rows: list[Row], kind: str) -> list[tuple[Row, object]]:
    """The values of several rows, from one program."""
    functions = [traced(tf, row, kind == "open").get_concrete_function() for row in rows]
    given = [[tf.constant(a) for a in row.args] for row in rows]
    program = tf.function(lambda: [f(*args) for f, args in zip(functions, given, strict=True)], autograph=False)
    found = program()
    for row, function, value in zip(rows, functions, found, strict=True):
        if (differs(row, kind) or "").startswith("the rank"):
            continue
        for t, result in zip(tf.nest.flatten(function.structured_outputs), tf.nest.flatten(value), strict=True):
            assert t.shape.is_compatible_with(result.shape), f"{row.id}: {t.shape} is told, {result.shape} came"
    return list(zip(rows, found, strict=True))


def wrong_in(row: Row, found: object) -> list[str]:
    """What is another than TensorFlow's eager answer."""
    return [f"{row.id}: {line}" for line in differences(VALUES[row.id]["value"], encode(tf, found), row.rtol, "value")]
