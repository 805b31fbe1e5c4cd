"""The table of TensorFlow's public names: its form, and where its reasons come from."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace

import pytest

import tfgrad_jax as tf
from conformance import coverage
from conformance.coverage import Row
from tfgrad_jax.api.absent import ABSENT, absent

NAMES = coverage.read()


def test_the_recorded_names():
    assert {"", "math", "compat.v1", "compat.v1.train", "raw_ops", "experimental"} <= NAMES.keys()
    assert all(names == sorted(set(names)) and names for names in NAMES.values())
    assert not any(module.startswith(("keras", "compat.v2", "python")) for module in NAMES)


def test_states_of_names():
    version_1 = SimpleNamespace(colocate_with=tf.compat.v1.colocate_with)
    here = SimpleNamespace(Variable=1, math=SimpleNamespace(add=2), compat=SimpleNamespace(v1=version_1))
    found = {row.symbol: row for row in coverage.rows(here, absent)}
    assert found["math.add"] == Row("math", "add", "works", "")
    assert found["Variable"].state == "differs" and "tf.Variable refuses" in found["Variable"].why
    assert found["math.sub" if "math.sub" in found else "math.subtract"].state == "missing"
    assert found["lite.Interpreter"].why == ABSENT["lite"]
    refused = found["compat.v1.colocate_with"]  # it is there, and says what to use instead
    assert refused.state == "missing" and "tf.device" in refused.why


ROWS = [
    Row("", "abs", "works", ""),
    Row("", "Variable", "differs", "it refuses what it does not know"),
    Row("lite", "Interpreter", "missing", "use another"),
    Row("lite", "OpsSet", "missing", "use another"),
]


def test_counts_and_table():
    assert coverage.counts(ROWS) == {
        "tf": Counter(works=1, differs=1), "tf.lite": Counter(missing=2), "total": Counter(works=1, differs=1, missing=2)
    }  # fmt: skip
    assert [line.split() for line in coverage.table(ROWS).splitlines()] == [
        ["module", "works", "differs", "missing", "total", "%"],
        ["tf", "1", "1", "0", "2", "100.0"],
        ["tf.lite", "0", "0", "2", "2", "0.0"],
        ["total", "1", "1", "2", "4", "50.0"],
    ]


def test_page():
    page = coverage.page(ROWS, "2.21.0")
    assert "| tf.lite | 0 | 0 | 2 | 2 |" in page and "- `Interpreter`, `OpsSet`: use another" in page
    assert page.index("What differs") < page.index("`Variable`: it refuses") < page.index("What is missing")


@pytest.mark.parametrize(
    ("symbol", "reason"),
    [
        ("lite", "lite"),
        ("lite.Optimize", "lite"),
        ("compat.v1.lite.constants.FLOAT", "lite"),
        ("feature_column.sequence_categorical_column_with_identity", "feature_column.sequence_categorical_"),
        ("tpu.experimental.embedding.Adam", "tpu.experimental.embedding"),
    ],
)
def test_reasons_of_absent_names(symbol, reason):
    assert absent(symbol) == ABSENT[reason]


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("ParallelMapDatasetV2", "use tf.data"),
        ("SparseApplyAdagrad", "refuses it eagerly"),
        ("ConfigureTPUEmbedding", "TPUs alone"),
        ("QuantizedReluX", "rewritten for oneDNN"),
        ("BatchCholesky", "refuses it, too"),
        ("PyFunc", "use tf.py_function"),
    ],
)
def test_reasons_of_absent_raw_operations(name, says):
    assert says in absent(f"raw_ops.{name}")
    with pytest.raises(AttributeError, match=f"no tf.raw_ops.{name} here"):
        getattr(tf.raw_ops, name)


def test_absent_names_say_why():
    assert absent("literal") is None and absent("math.add") is None
    with pytest.raises(AttributeError, match=r"no tf\.lite here: models for phones"):
        tf.lite
    with pytest.raises(AttributeError, match=r"no tf\.mlir here: programs are StableHLO"):
        tf.mlir
    with pytest.raises(AttributeError, match=r"tf\.compat\.v1\.train\.basic_train_loop here: it belongs to sessions"):
        tf.compat.v1.train.basic_train_loop
