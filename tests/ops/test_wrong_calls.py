"""Wrong calls raise what they raise in TensorFlow; what differs stands in a file beside the record, by the reasons here."""

from __future__ import annotations

import json

import pytest

import tfgrad_jax as tf
from tests.ops.wrong.calls import PATH, outcomes, wrong

RECORDED = json.loads(PATH.read_text(encoding="utf-8"))
OTHERWISE = json.loads(PATH.with_name("otherwise.json").read_text(encoding="utf-8"))

REFUSALS = {
    "TypeError", "ValueError", "InvalidArgumentError", "UnimplementedError", "OutOfRangeError", "NotImplementedError",
    "FailedPreconditionError",
}  # fmt: skip
"""What an argument's mistake is called: which of them, depends on who finds it first, Python, the conversion or the kernel."""

ACCIDENTS = {
    "AttributeError", "AssertionError", "IndexError", "UnboundLocalError", "UFuncTypeError", "AbortedError", "NotFoundError",
    "OperatorNotAllowedInGraphError", "InternalError",
}  # fmt: skip
"""What TensorFlow raises where its own code did not expect such an argument, or has no kernel for it."""

ANSWERED = {
    "what is not finite goes through": {"linalg.eig, tensor: nan"},
    "None means what it means for other arguments: the default, or no dimension": {
        "nn.crelu, axis: None", "nn.atrous_conv2d, rate: None", "broadcast_static_shape, shape_y: None",
    },
    "of nothing comes nothing": {
        "nn.fractional_max_pool, value: empty", "image.ssim_multiscale, img2: empty", "signal.rfft2d, input_tensor: empty",
        "signal.idct, input: empty",
    },
    "more dtypes are taken, and promoted where NumPy does": {
        "nn.ctc_loss, logits: wide", "sparse.segment_mean, data: other dtype", "random.categorical, logits: other dtype",
        "random.stateless_categorical, logits: other dtype", "experimental.numpy.hypot, x1: wide",
        "experimental.numpy.sin, x: other dtype", "experimental.numpy.floor, x: other dtype",
    },
    "a fraction is cut off": {
        "nn.with_space_to_batch, dilation_rate: fractions", "RaggedTensor.to_tensor, shape: fractions",
        "Generator.binomial, shape: fractions", "experimental.numpy.tril, k: fraction",
        "experimental.numpy.random.randint, high: fraction",
    },
    "it broadcasts, or means the nearest that there is": {
        "image.adjust_saturation, saturation_factor: list", "image.sample_distorted_bounding_box, min_object_covered: negative",
    },
}  # fmt: skip
"""Calls that TensorFlow refuses and that are answered: why."""


@pytest.fixture(scope="module")
def found():
    return outcomes(tf)


def test_the_classes_are_those_of_tensorflow(found):
    expected = RECORDED | OTHERWISE
    assert {n: (found.get(n), kind) for n, kind in expected.items() if found.get(n) != kind} == {}
    assert found.keys() == RECORDED.keys() and len(found) > 3000


def test_what_differs_has_a_reason():
    answered = {name for names in ANSWERED.values() for name in names}
    for name, kind in OTHERWISE.items():
        theirs = RECORDED[name]
        assert theirs != kind, f"{name} does not differ any more"
        if kind == "nothing":
            assert name.removesuffix(" (in a function)") in answered, name
        else:  # also where TensorFlow goes on with something else than was asked for
            assert kind in REFUSALS, f"{name}: {kind} says nothing of the argument"
            assert theirs in REFUSALS | ACCIDENTS | {"nothing"}, f"{name}: {theirs}"
    assert answered <= {name.removesuffix(" (in a function)") for name, kind in OTHERWISE.items() if kind == "nothing"}
    assert len(OTHERWISE) < 520


def test_there_are_thousands_of_calls():
    assert len({name for name, _, _ in wrong()}) > 10_000
