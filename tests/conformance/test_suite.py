"""The suite's own machinery: what it notices, what it lets pass, and how it judges. No TensorFlow is needed."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import ml_dtypes
import numpy as np
import pytest

from conformance import goldens, ledger
from conformance.compare import compare, decode_array
from conformance.helpers import logged, raises
from conformance.observe import encode, encode_array, observe, plain_text
from conformance.registry import Case, case, load_cases
from conformance.report import Report

TF = SimpleNamespace()
"""A module under test without any type of its own: arrays and Python values are compared all the same."""


def seen(body):
    return json.loads(json.dumps(observe(TF, Case("area", "title", body))))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "uint64", "bool", "complex64"])
@pytest.mark.parametrize("size", [0, 3, 100])
def test_arrays_survive_the_round_trip(dtype, size):
    array = (np.arange(size) / 3).astype(dtype)
    encoded = json.loads(json.dumps(encode_array(array)))
    assert np.array_equal(decode_array(encoded).astype(dtype), array)


def test_small_floats_and_text_survive_the_round_trip():
    small = np.array([0.5, -2.0], ml_dtypes.bfloat16)
    assert encode_array(small) == {"dtype": "bfloat16", "shape": [2], "data": [0.5, -2.0]}
    assert encode_array(np.array([b"a", "\xe9"], object))["data"] == ["a", "\xe9"]


@pytest.mark.parametrize(
    ("one", "other", "says"),
    [
        (1, 1.0, "result"),
        (None, 0, "result"),
        ([1], (1,), "result"),
        ([1, 2], [1], "holds ['1']"),
        ({"a": 1}, {"b": 1}, "holds ['b']"),
        (np.float32(1), np.float64(1), "dtype float64"),
        (np.ones(2), np.ones(3), "shape [3]"),
        (np.ones(1), 1.0, "float"),
        (np.array([1.0, 2.0]), np.array([1.0, 2.1]), "at flat index 1 (1 of 2 differ)"),
        (np.array([np.nan]), np.array([1.0]), "expected nan"),
        ("a", b"a", "result"),
    ],
)
def test_differences_are_noticed(one, other, says):
    lines = compare(seen(lambda tf: one), seen(lambda tf: other))
    assert len(lines) == 1
    assert says in lines[0]


def test_roundings_and_the_order_of_keys_are_let_pass():
    one = {"a": np.float32(1), "b": np.array([np.nan, 1.0])}
    other = {"b": np.array([np.nan, 1.0 + 1e-12]), "a": np.float32(1.000001)}
    assert not compare(seen(lambda tf: one), seen(lambda tf: other))


def test_a_tolerance_of_the_case_replaces_the_dtypes():
    one, other = seen(lambda tf: np.float32(1)), seen(lambda tf: np.float32(1.001))
    assert compare(one, other)
    assert not compare(one, other, rtol=1e-2)


def test_printed_text_and_warnings_are_compared():
    def printing(tf):
        print("x")

    def warning(tf):
        import warnings

        warnings.warn("x", UserWarning, stacklevel=1)

    silent = seen(lambda tf: None)
    assert compare(silent, seen(printing)) == ["printed: 'x\\n', expected ''"]
    assert compare(silent, seen(warning)) == ["warned: ['UserWarning'], expected []"]


def test_a_case_that_raises_is_a_failure_with_its_message():
    def failing(tf):
        raise ValueError("why")

    assert compare(seen(lambda tf: None), seen(failing)) == ["raised ValueError: why"]


def test_raises_answers_with_class_and_message():
    def failing():
        raise KeyError("why")

    assert raises(failing) == {"raises": "KeyError"}
    assert raises(failing, "why") == {"raises": "KeyError", "says": "why"}
    assert raises(failing, "else") == {"raises": "KeyError", "says": "'why'"}
    assert raises(lambda: 3) == {"returned": 3}


def test_logged_collects_and_keeps_quiet(capfd):
    import logging

    with logged() as lines:
        logging.getLogger("tensorflow").warning("got %s", 3)
    assert lines == ["WARNING: got 3"]
    assert capfd.readouterr().err == ""


def test_printed_arrays_do_not_depend_on_the_numpy_version():
    assert plain_text("np.float32(1.5) np.True_") == "1.5 np.True_"
    assert plain_text("array([0, 9],\n      shape=(2000,), dtype=int32)>") == "array([0, 9], dtype=int32)>"


def test_the_ledger_excuses_and_complains():
    one = Case("area", "one", lambda tf: None)
    report = Report()
    report.judge(one, ["differs"], {one.name: "reason"})
    assert report.ok
    assert report.verdicts == {one.name: "gap"}
    report.judge(one, [], {one.name: "reason"})
    assert not report.ok
    assert "remove the entry" in report.broken[0]


def test_a_gap_without_a_reason_is_refused(tmp_path: Path):
    path = tmp_path / "gaps.toml"
    path.write_text('"area: one" = " "\n')
    with pytest.raises(ValueError, match="needs a reason"):
        ledger.read(path)


def test_two_cases_of_one_name_are_refused():
    name = next(iter(load_cases()))
    area, title = name.split(": ", 1)
    with pytest.raises(ValueError, match="two cases"):
        case(area, title)(lambda tf: None)


def test_every_case_has_a_golden_and_every_golden_a_case():
    assert load_cases().keys() == goldens.read().keys()


def test_every_gap_names_a_case():
    assert ledger.read().keys() <= load_cases().keys()


def test_snippets_are_programs():
    for one in load_cases().values():
        compile(one.snippet("tfgrad_jax"), one.name, "exec")


def test_unknown_objects_are_named():
    assert encode(TF, object()) == {"kind": "object", "value": "object"}
