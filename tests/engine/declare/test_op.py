"""Declaring operations: binding, roles, attributes as keys, gradients, and what is refused."""

from __future__ import annotations

import inspect

import jax.numpy as jnp
import numpy as np
import pytest

import tfgrad_jax as tf
from tfgrad_jax.engine.declare.op import declared, op
from tfgrad_jax.engine.declare.roles import (
    Attr,
    Axis,
    Bool,
    DTypeArg,
    Flag,
    Floating,
    Indices,
    Int,
    Number,
    Own,
    Shape,
    T,
    Text,
    Ts,
    Unsupported,
)
from tfgrad_jax.engine.names.export import registry
from tfgrad_jax.engine.values.tensor import Spec

pytestmark = pytest.mark.usefixtures("declaring")


def scaled(**options):
    """A small operation with a required operand, attributes, and an argument that is not supported."""

    @op("TestScaled", "test_scaled", "testing.scaled", **options)
    def fn(x: Number, factor: Attr = 2.0, axis: Axis = None, how: Unsupported = "plain"):
        """Doc."""
        return x * factor if axis is None else jnp.sum(x, axis) * factor

    return fn


# -- declaring ---------------------------------------------------------------------------------------------------------


def test_one_declaration_gives_every_name():
    fn = scaled()
    assert registry["test_scaled"] is registry["testing.scaled"] is fn
    assert declared["TestScaled"] is fn.op and fn.op.public == "test_scaled"
    assert (fn.__name__, fn.__doc__) == ("test_scaled", "Doc.")
    assert str(inspect.signature(fn)) == "(x, factor=2.0, axis=None, how='plain', name=None)"


def test_name_may_stand_elsewhere():
    @op("TestNamed")
    def fn(x: T, name: None = None, axis: Axis = None):
        return x

    assert str(inspect.signature(fn)) == "(x, name=None, axis=None)"
    assert float(fn(1.0, "n", None)) == 1.0


def test_two_declarations_of_one_operation_are_refused():
    scaled()
    with pytest.raises(ValueError, match="TestScaled is declared twice"):
        scaled()


def test_two_objects_of_one_public_name_are_refused():
    scaled()
    with pytest.raises(ValueError, match=r"tf\.test_scaled is already"):
        op("TestOther", "test_scaled")(lambda: None)


def test_every_parameter_has_a_role():
    with pytest.raises(TypeError, match="op TestNoRole: parameter axis has no role"):

        @op("TestNoRole")
        def fn(x: T, axis=None):
            return x


# -- binding -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "kwargs", "says"),
    [
        ((), {}, r"test_scaled\(\) missing required arguments: x"),
        ((1.0,) * 6, {}, r"takes 5 arguments \(x, factor, axis, how, name\), got 6"),
        ((1.0,), {"x": 1.0}, "multiple values for argument 'x'"),
        ((1.0,), {"scale": 1.0}, "unexpected keyword argument 'scale'; it takes x, factor"),
    ],
)
def test_calls_that_do_not_fit(args, kwargs, says):
    fn = scaled()
    with pytest.raises(TypeError, match=says):
        fn(*args, **kwargs)


def test_arguments_by_place_and_by_name():
    fn = scaled()
    for y in (fn([1.0, 2.0], 3.0, 0), fn(axis=0, x=[1.0, 2.0], factor=3.0), fn([1.0, 2.0], 3.0, axis=0, name="n")):
        assert float(y) == 9.0


def test_arguments_that_are_not_supported_fail_by_name():
    fn = scaled()
    assert float(fn(1.0, how="plain")) == 2.0
    with pytest.raises(NotImplementedError, match=r"tf\.test_scaled: the argument how='fancy' is not supported"):
        fn(1.0, how="fancy")


# -- operands ----------------------------------------------------------------------------------------------------------


def test_python_values_follow_the_tensor():
    for dtype in ("float64", "int64", "complex64", "bfloat16"):
        x = tf.constant(3, dtype)
        assert tf.multiply(x, 1).dtype == tf.multiply(1, x).dtype == x.dtype
    assert tf.maximum(np.float64(1.0), tf.constant(1.0)).dtype == tf.float32


def test_where_operands_are_converted_in_turn_the_first_decides():
    x = tf.constant(3.0, tf.float64)
    assert tf.add(x, 1).dtype == tf.float64
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected to be a int32 tensor but is a double tensor"):
        tf.add(1, x)


def test_dtypes_do_not_mix():
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match=r"cannot compute AddV2 as input #1\(zero-based\) was expected to be a int32 tensor but is a float tensor",
    ):
        tf.add(tf.constant(1), tf.constant(1.0))


def test_a_dtype_that_the_operation_does_not_take():
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"int32 is not in the list of allowed values: .*half"):
        tf.tanh(tf.constant(1))


def test_none_is_no_tensor():
    fn = scaled()
    with pytest.raises(ValueError, match=r"tf\.test_scaled: argument #0 is None"):
        fn(None)


def test_operands_may_be_absent():
    @op("TestOptional")
    def fn(x: T, y: T = None):
        return x if y is None else x + y

    assert float(fn(1.0)) == 1.0 and float(fn(1.0, 2.0)) == float(fn(1.0, y=2.0)) == 3.0


def test_lists_of_operands():
    @op("TestList")
    def fn(xs: Ts, own: Own, where: Indices, flag: Bool):
        return xs[0] + xs[-1], own, where, flag

    total, own, where, flag = fn([1.0, tf.constant(2.0, tf.float64)], 3, 4, True)
    assert [t.dtype.name for t in (total, own, where, flag)] == ["float64", "int32", "int32", "bool"]
    assert float(fn(tf.constant([1.0, 2.0]), 1, 1, False)[0]) == 3.0
    with pytest.raises(TypeError, match="bool"):
        fn([1.0], 1, 1, 2.0)


# -- attributes --------------------------------------------------------------------------------------------------------


def test_each_attribute_has_a_kernel_of_its_own():
    @op("TestAttribute")
    def fn(x: Floating, a: Attr = None):
        assert type(a) in (int, float, bool, tuple, type(None))
        return x + {int: 1.0, float: 2.0, bool: 3.0}.get(type(a), 4.0)

    x = tf.constant(0.0)
    # Equal and of one hash in Python, but of three types.
    assert [float(fn(x, a)) for a in (1, 1.0, True, None, (1, 2))] == [1.0, 2.0, 3.0, 4.0, 4.0]
    kernels = len(fn.op.kernels)
    assert [float(fn(x, a)) for a in (True, 1.0, 1, [1, 2], np.array([1, 2]))] == [3.0, 2.0, 1.0, 4.0, 4.0]
    assert len(fn.op.kernels) == kernels == 5


def test_signed_zeros_are_two_attributes():
    @op("TestZero")
    def fn(x: Floating, a: Attr = 0.0):
        return jnp.copysign(x, a)

    assert [float(fn(1.0, a)) for a in (0.0, -0.0, 0.0)] == [1.0, -1.0, 1.0]


def test_what_attributes_take():
    @op("TestRoles", "test_roles")
    def fn(
        x: T, axis: Axis = None, shape: Shape = (), flag: Flag = False, n: Int = 0, text: Text = "", d: DTypeArg = None
    ):
        seen.append((axis, shape, flag, n, text, d))
        return x

    seen: list = []
    fn(1.0, [np.int64(1), 2], tf.TensorShape([2, 3]), True, tf.constant(5), "t", "float64")
    fn(1.0, tf.constant([1]), 4, None, np.array([6]), None, np.int32)
    assert seen[0] == ((1, 2), (2, 3), True, 5, "t", tf.float64)
    assert seen[-1] == ((1,), (4,), False, 6, "", tf.int32)
    for wrong, says in [({"axis": 1.5}, "axis: expected an integer"), ({"shape": "ab"}, "shape: expected a shape")]:
        with pytest.raises(TypeError, match=rf"tf\.test_roles: argument {says}"):
            fn(1.0, **wrong)
    with pytest.raises(TypeError, match=r"tf\.test_roles: argument d:"):
        fn(1.0, d="nothing")


# -- gradients ---------------------------------------------------------------------------------------------------------


def gradient(fn, x=3.0):
    x = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = fn(x)
    return tape.gradient(y, x)


def test_the_gradient_is_jaxs_where_nothing_else_is_declared():
    fn = scaled()
    assert gradient(lambda x: fn(x, 5.0, 0), [1.0, 2.0]).numpy().tolist() == [5.0, 5.0]


def test_a_rule_is_the_gradient():
    fn = scaled()

    @fn.rule
    def _(cts, inputs, outputs, factor):
        return [cts[0] * factor * 100.0 + inputs[0] + outputs[0]]

    assert float(gradient(fn)) == 200.0 + 3.0 + 6.0


def test_not_differentiable():
    assert gradient(scaled(differentiable=False)) is None


def test_operands_to_which_nothing_flows():
    @op("TestIndices")
    def fn(x: T, where: Indices):
        return x[where]

    assert gradient(lambda x: fn(x, 1), [1.0, 2.0]).numpy().tolist() == [0.0, 1.0]


# -- on the host -------------------------------------------------------------------------------------------------------


def test_operations_on_the_host_see_arrays():
    @op("TestHost", host=True)
    def fn(x: T):
        assert type(x) is np.ndarray
        return np.array([len(s) for s in x.tolist()])

    y = fn(["a", "bcd"])
    assert y.numpy().tolist() == [1, 3] and y.dtype == tf.int64
    assert gradient(lambda x: tf.cast(fn(tf.strings.as_string([x, x])), tf.float32)) is None


def test_types_of_what_cannot_be_tried_are_told_by_a_rule():
    @op("TestParsed", host=True)
    def fn(text: Text, x: Own, many: Flag):
        found = np.full((int(x[0]),), float(text), np.float32)
        return [found, found] if many else found

    @fn.types
    def _(text, x, many):
        spec = Spec.of(tf.float32, (None, *x.shape[1:]))
        return [spec, spec] if many else spec

    @tf.function
    def f(x):
        one, (two, _) = fn("2.5", x, False), fn("1.5", x, True)
        assert one.shape.as_list() == two.shape.as_list() == [None]
        return one + two

    assert f(tf.constant([3])).numpy().tolist() == [4.0, 4.0, 4.0]
