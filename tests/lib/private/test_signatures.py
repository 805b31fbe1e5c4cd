"""Private functions take what TensorFlow's take, in the same order: `conformance/signatures.py` records that."""

from __future__ import annotations

import inspect
import json
from pathlib import Path

import pytest

import tfgrad_jax as tf
from conformance.signatures import written

RECORDED = json.loads(Path(__file__).with_name("signatures.json").read_text())

DIFFER = {
    "imag": "of the numbers, whose parameter is `x`",
    "real": "of the numbers, whose parameter is `x`",
    "fftnd": "TensorFlow cannot compute them on processors",
    "ifftnd": "TensorFlow cannot compute them on processors",
    "rfftnd": "TensorFlow cannot compute them on processors",
    "irfftnd": "TensorFlow cannot compute them on processors",
    "map_fn": "of ragged tensors: all go through `tf.map_fn`",
    "match_row_splits_dtypes": "its option is declared",
    "ragged_tensor_getitem": "the first is `self`",
    "tensor_equals": "the operands are `x` and `y`",
    "tensor_not_equals": "the operands are `x` and `y`",
    "sparse_matrix_sparse_mat_mul": "transposed matrices are refused",
    "string_split_v2": "`source` is `input` of the public one, too",
    "For": "of the raw operations, which take functions",
    "If": "of the raw operations, which take functions",
    "While": "of the raw operations, which take functions",
    "deserialize_sparse": "of the raw operation: the rank is the value's",
    "get_local_variable": "all but four go by name",
}
"""What is known to differ, none of it silently."""


def here(module, name):
    """The function that this package has for one of TensorFlow's, or None."""
    found = tf
    for part in [*module.split("."), name]:
        found = getattr(found, part, None)
    return found


@pytest.mark.parametrize("module", sorted(RECORDED))
def test_parameters(module):
    wrong = {}
    for name, expected in RECORDED[module].items():
        if (function := here(module, name)) is None:
            continue
        words, ours = expected.split(), written(inspect.signature(function)).split()
        more = ours[len(words) :]
        # Whatever comes after TensorFlow's must have a default; whether theirs have one is seen by who leaves them out.
        same = [w.rstrip("=") for w in words] == [w.rstrip("=") for w in ours[: len(words)]]
        needed = [w for w, theirs in zip(ours, words, strict=False) if not w.endswith("=") and theirs.endswith("=")]
        if name not in DIFFER and (not same or needed or not all(w.endswith("=") or w[0] == "*" for w in more)):
            wrong[name] = (expected, " ".join(ours))
    assert not wrong
