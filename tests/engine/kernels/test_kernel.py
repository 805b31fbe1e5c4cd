"""Kernels: types without values, and what the gradient of one needs, passes on, and computes."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from tfgrad_jax.engine.kernels.constants import ADD, IDENTITY, ONES, ZEROS
from tfgrad_jax.engine.kernels.derivatives import backward_of, used_inputs
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.values.dtypes import as_dtype
from tfgrad_jax.engine.values.tensor import Spec


def spec(*shape, dtype="float32"):
    return Spec.of(as_dtype(dtype), shape)


def backward(fn, inputs, wrt=None, seeds=None, **options):
    kernel = fn if isinstance(fn, Kernel) else Kernel("Test", fn, **options)
    found = kernel.infer(inputs)
    outputs = tuple(found) if isinstance(found, (tuple, list)) else (found,)
    every = (1 << len(inputs)) - 1
    return backward_of(
        kernel, inputs, outputs, every if wrt is None else wrt, (1 << len(outputs)) - 1 if seeds is None else seeds
    )


# -- inference ---------------------------------------------------------------------------------------------------------


def test_types_without_values():
    kernel = Kernel("Test", lambda a, b: a @ b)
    assert kernel.infer((spec(2, 3), spec(3, 4))) is spec(2, 4)
    assert kernel.infer((spec(2, 3, dtype="float64"), spec(3, dtype="float64"))) is spec(2, dtype="float64")
    with pytest.raises(TypeError):
        kernel.infer((spec(2, 3), spec(4, 3)))


@pytest.mark.parametrize("kind", [tuple, list])
def test_types_of_several_results(kind):
    kernel = Kernel("Test", lambda x: kind([x, jnp.argmax(x), x > 0]))
    found = kernel.infer((spec(3),))
    assert type(found) is kind and list(found) == [spec(3), spec(dtype="int64"), spec(3, dtype="bool")]


def test_types_that_depend_on_values():
    kernel = Kernel("Test", lambda x, shape: jnp.broadcast_to(x, tuple(shape.tolist())), reads_values=(1,))
    assert kernel.infer_with([spec(), spec(2, dtype="int64")], [None, np.array([2, 3])]) is spec(2, 3)


# -- what the gradient needs -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fn", "inputs", "needs"),
    [
        (lambda a, b: a + b, (spec(3), spec(3)), ()),
        (lambda a, b: a + b, (spec(3), spec()), ()),
        (lambda a, b: a * b, (spec(3), spec(3)), (0, 1)),
        (lambda a, b: a @ b, (spec(2, 3), spec(3, 4)), (0, 1)),
        (lambda a: a.reshape(6), (spec(2, 3),), ()),
        (lambda a: jnp.sum(a), (spec(3),), ()),
        (lambda a: jnp.sin(a), (spec(3),), (0,)),
        (lambda a, b: (a + 1, b * b), (spec(3), spec(3)), (1,)),
    ],
)
def test_needs(fn, inputs, needs):
    assert backward(fn, inputs).needs == needs


def test_an_operand_that_gets_no_cotangent_decides_what_is_needed():
    product = (spec(3), spec(3))
    assert backward(lambda a, b: a * b, product, wrt=0b01).needs == (1,)
    assert backward(lambda a, b: a * b, product, wrt=0b10).needs == (0,)


def test_a_rule_may_need_the_output_instead():
    found = backward(jnp.tanh, (spec(3),), rule=lambda cts, inputs, outputs: [cts[0] * (1 - outputs[0] ** 2)])
    assert found.needs == (1,)
    (x, y), ct = (np.float32([0.5] * 3), np.tanh(np.float32([0.5] * 3))), np.ones(3, np.float32)
    np.testing.assert_allclose(found.kernel.compiled(ct, y), jax.grad(lambda x: jnp.tanh(x).sum())(x), rtol=1e-6)


# -- what it passes on -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kernel", "inputs", "passes"),
    [
        (IDENTITY, (spec(3),), (0,)),
        (ADD, (spec(3), spec(3)), (0, 0)),
        (Kernel("Add", lambda a, b: a + b), (spec(3), spec(3)), (0, 0)),
        (Kernel("Add", lambda a, b: a + b), (spec(3), spec()), None),
        (Kernel("Sub", lambda a, b: a - b), (spec(3), spec(3)), None),
        (Kernel("Swap", lambda a, b: (b, a)), (spec(3), spec(3)), (1, 0)),
    ],
)
def test_cotangents_that_pass_unchanged(kernel, inputs, passes):
    assert backward(kernel, inputs).passes == passes


# -- what it computes --------------------------------------------------------------------------------------------------


def test_cotangents_are_those_of_jax():
    found = backward(lambda a, b: jnp.sin(a) * b, (spec(2), spec(2)))
    a, b, ct = np.float32([1.0, 2.0]), np.float32([3.0, 4.0]), np.float32([5.0, 6.0])
    for one, other in zip(found.kernel.compiled(ct, a, b), (ct * np.cos(a) * b, ct * np.sin(a)), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5)


def test_broadcasts_are_summed_down_where_a_rule_does_not():
    rule = lambda cts, inputs, outputs: [cts[0], cts[0] * 2]  # noqa: E731
    found = backward(lambda a, b: a + b, (spec(2, 3), spec(1, 3)), rule=rule)
    one, other = found.kernel.compiled(np.ones((2, 3), np.float32))
    assert one.shape == (2, 3) and other.tolist() == [[4, 4, 4]]
    to_scalar = backward(lambda a, b: a + b, (spec(2, 3), spec()), wrt=0b10, rule=rule)
    scalar = to_scalar.kernel.compiled(np.ones((2, 3), np.float32))
    assert scalar.shape == () and float(scalar) == 12.0


def test_a_rule_may_leave_operands_out_and_answer_in_another_dtype():
    rule = lambda cts, inputs, outputs: [None, cts[0].astype(jnp.float32)]  # noqa: E731
    found = backward(lambda a, b: a + b, (spec(2, dtype="float16"),) * 2, rule=rule)
    one, other = found.kernel.compiled(np.ones(2, np.float16))
    assert one.tolist() == [0, 0] and other.tolist() == [1, 1] and one.dtype == other.dtype == np.float16


def test_some_of_several_outputs():
    fn = lambda x: (x * 2, jnp.argmax(x), x * x)  # noqa: E731
    for seeds, cotangents, expected in [(0b001, 1, 2.0), (0b100, 1, 6.0), (0b101, 2, 8.0)]:
        found = backward(fn, (spec(1),), seeds=seeds)
        x, one = np.float32([3.0]), np.ones(1, np.float32)
        given = [one] * cotangents + [x for _ in found.needs]
        assert found.kernel.compiled(*given).tolist() == [expected]


def test_complex_cotangents_follow_tensorflows_convention():
    """Which is the conjugate of JAX's: for z*z it is conj(2z) times the cotangent."""
    found = backward(lambda z: z * z, (spec(dtype="complex64"),))
    assert complex(found.kernel.compiled(np.complex64(1), np.complex64(1 + 2j))) == 2 - 4j
    to_real = backward(lambda z: jnp.real(z) * 3 + jnp.imag(z) * 5, (spec(dtype="complex64"),))
    assert to_real.needs == () and complex(to_real.kernel.compiled(np.float32(1))) == 3 + 5j


def test_gradients_are_made_once_a_type():
    kernel = Kernel("Test", lambda x: x * x)
    assert backward(kernel, (spec(2),)) is backward(kernel, (spec(2),)) is not backward(kernel, (spec(3),))


def test_gradients_of_gradients():
    cube = Kernel("Test", lambda x: x**3)
    first = backward(cube, (spec(),))
    second = backward(first.kernel, (spec(), spec()), wrt=0b10)
    values = [np.float32(1), np.float32(1), np.float32(2)]  # the cotangents of both, and x
    assert float(second.kernel.compiled(values[0], *[values[1 + i] for i in second.needs])) == 12.0


def test_filled():
    assert ONES[spec(2)].compiled().tolist() == [1, 1] and ONES[spec(2)] is ONES[spec(2)]
    zeros = ZEROS[spec(2, dtype="int32")].compiled()
    assert zeros.tolist() == [0, 0] and zeros.dtype == np.int32


def test_on_the_host():
    kernel = Kernel("Test", lambda x: [x, x.tolist()], host=True)
    values = kernel.compiled(jnp.ones(2))
    assert type(values) is list and all(type(v) is np.ndarray for v in values)


# -- which inputs matter -----------------------------------------------------------------------------------------------


def loop(a, b):
    return lax.fori_loop(0, 3, lambda i, x: x * a, jnp.ones(()))


@pytest.mark.parametrize(
    ("fn", "used"),
    [
        (lambda a, b: a * 2, [True, False]),
        (lambda a, b: b, [False, True]),
        (lambda a, b: jnp.zeros(3), [False, False]),
        (lambda a, b: jnp.zeros_like(a) + b, [False, True]),
        (jax.jit(lambda a, b: a + 0 * jnp.shape(b)[0] if b.ndim else a), [True, False]),
        (lambda a, b: jax.jit(lambda x, y: (x, y))(a, b)[1], [False, True]),
        (loop, [True, False]),
    ],
)
def test_used_inputs(fn, used):
    traced = jax.make_jaxpr(fn)(1.0, 2.0)
    assert used_inputs(traced.jaxpr) == used


def test_used_inputs_of_some_outputs():
    traced = jax.make_jaxpr(lambda a, b: (a * 2, b * 2))(1.0, 2.0)
    assert used_inputs(traced.jaxpr, [False, True]) == [False, True]
