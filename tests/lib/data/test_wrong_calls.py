"""Wrong calls raise what they raise in TensorFlow; what differs stands here, with the reason."""

from __future__ import annotations

import json

import pytest

import tfgrad_jax as tf
from tests.lib.data.wrong.calls import PATH, calls
from tests.outcomes import outcome

RECORDED = json.loads(PATH.read_text(encoding="utf-8"))

OTHERWISE = {
    "TensorFlow goes on with something else than was asked for": {
        "generator: another dtype": "InvalidArgumentError",
        "hash: a fraction": "TypeError",
        "queue: too many parts": "InvalidArgumentError",
        "rebatch: zero": "InvalidArgumentError",
        "TFRecordDataset: an unknown compression": "ValueError",
        "FixedLengthRecordDataset: no gzip": "DataLossError",
        "FixedLengthRecordDataset: no zlib": "DataLossError",
    },
    "an accident in TensorFlow's Python: an attribute, a key or a length that its own code did not expect": {
        **{
            f"function of {method} gives {what}": "TypeError"
            for method in ("flat_map", "interleave")
            for what in ("a text", "a fraction", "a vector")
        },
        "from_list: other types": "TypeError",
        "parse_single_example: no dictionary": "TypeError",
        "parse_example: no dictionary": "TypeError",
        "format: no text": "TypeError",
        "ngrams: pad of one": "ValueError",
        "table: a list of an object": "ValueError",
        "mutable: remove of another dtype": "TypeError",
        "dense: remove of the empty key": "InvalidArgumentError",
        "queue: another shape": "InvalidArgumentError",
    },
    "TensorFlow calls an argument's mistake an internal error": {
        "generator: a number for text": "InvalidArgumentError",
        "bucket: too long": "InvalidArgumentError",
        "fixed: a header that is too long": "InvalidArgumentError",
        "encode_png: empty": "InvalidArgumentError",
    },
    "what is converted is refused where it is converted, whichever operation asked for it": {
        "window_size: an object": "ValueError",
        "window_size: a dict": "ValueError",
        "function of key of group_by_window gives an object": "ValueError",
        "function of window_size_func gives an object": "ValueError",
        "function of bucket_by_sequence_length gives an object": "ValueError",
        "parse_single_example of a number": "TypeError",
        "parse_example of a number": "TypeError",
        "parse_sequence_example of a number": "TypeError",
        "reduce_join: numbers": "TypeError",
        "decode: numbers": "TypeError",
        "bytes_split: numbers": "TypeError",
    },
    "the operation itself finds it, in TensorFlow a function of Python around it": {
        "parse_single_example: indices that are missing": "InvalidArgumentError",
        "parse_example: indices that are missing": "InvalidArgumentError",
        "parse_single_example: indices of another size": "InvalidArgumentError",
        "parse_example: indices of another size": "InvalidArgumentError",
        "map: python gives too much": "ValueError",
        "parse_tensor: no dtype": "InvalidArgumentError",
    },
    "elements of nothing can be iterated over": {
        "function of map gives None": "nothing",
        "function of rejection_resample gives None": "TypeError",
    },
    "tensors of unknown rank do not become ragged": {"ragged_batch: unknown rank": "ValueError"},
    "objects of the class or dtype say nothing of themselves": {
        "iterator of a spec": "nothing",
        "numpy of a variant": "nothing",
    },
}


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    made = calls(tf, tmp_path_factory.mktemp("wrong"))
    return {name: outcome(call) for name, call in made.items()}


def test_the_classes_are_those_of_tensorflow(found):
    expected = RECORDED | {name: kind for group in OTHERWISE.values() for name, kind in group.items()}
    assert {n: (found.get(n), kind) for n, kind in expected.items() if found.get(n) != kind} == {}
    assert found.keys() == RECORDED.keys() and len(found) > 700


def test_what_stands_here_differs():
    names = [name for group in OTHERWISE.values() for name in group]
    assert len(names) == len({*names}) and len(names) < 60
    assert [name for group in OTHERWISE.values() for name, kind in group.items() if RECORDED[name] == kind] == []
