"""What a failed kernel is said to be: each kind of failure by its own words."""

import jax.numpy as jnp
import pytest

import tfgrad_jax as tf
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.messages import errors
from tfgrad_jax.engine.messages.explain import explain


def said(error, *operands):
    return explain(error, Kernel("Tried", jnp.add), [tf.convert_to_tensor(x) for x in operands])


def test_two_shapes_that_do_not_fit():
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Incompatible shapes: \[2\] vs. \[3\].*\[Op:AddV2\]"):
        tf.constant([1.0, 2.0]) + tf.constant([1.0, 2.0, 3.0])


def test_an_axis_out_of_range_is_no_matter_of_shapes():
    with pytest.raises(tf.errors.InvalidArgumentError) as raised:
        tf.reduce_sum([1.0], axis=3)
    assert "Incompatible" not in str(raised.value)
    assert "3" in str(raised.value)
    error = said(ValueError("axis 3 is out of bounds for array of dimension 1"), [1.0])
    assert type(error) is errors.InvalidArgumentError
    assert "axis 3 is out of bounds" in error.message
    assert "Incompatible" not in error.message
    assert "counts from 0" in error.message


def test_a_dtype_without_an_implementation():
    error = said(TypeError("Unsupported dtype float16"), tf.ones([2, 2], tf.float16))
    assert "no implementation for operands of float16" in error.message
    assert "tf.cast" in error.message


def test_one_operand_cannot_be_incompatible_with_another():
    error = said(TypeError("cannot reshape array of shape (2,) into shape (3,)"), [1.0, 2.0])
    assert "Incompatible" not in error.message
    assert "#0 float32[2]" in error.message


def test_anything_else_is_told_as_it_was_said():
    error = said(RuntimeError("the moon is full"), [1.0], [2])
    assert error.message == "Tried was given #0 float32[1], #1 int32[1]: the moon is full [Op:Tried] name: "


@pytest.mark.parametrize(
    "error", [MemoryError("no more"), ValueError("RESOURCE_EXHAUSTED: Out of memory allocating 9 bytes")]
)
def test_memory_that_ran_out(error):
    found = said(error, [1.0])
    assert type(found) is errors.ResourceExhaustedError
    assert "[Op:Tried]" in found.message


def test_what_is_tensorflows_already_stays():
    error = errors.NotFoundError(None, None, "m")
    assert said(error) is error
