"""`tf.experimental.dispatch_for_api` and its kin: public functions that do something else for users' types."""
# ruff: noqa: UP006, UP007, UP035 -- the annotations that TensorFlow knows

from functools import partial
from typing import Dict, List, Union

from conformance.cases.extension_types import masked
from conformance.helpers import raises
from conformance.registry import case

dispatched = partial(case, "composites/dispatch")


def undone(tf, *targets):
    """Forget the targets: a case leaves nothing behind."""
    for target in targets:
        tf.experimental.unregister_dispatch_for(target)


def either(tf):
    cls = masked(tf)
    return cls, Union[cls, tf.Tensor], cls([1.0, 2.0], [True, False])


@dispatched("a function for a type")
def _(tf):
    cls, _both, value = either(tf)

    @tf.experimental.dispatch_for_api(tf.add)
    def add(x: cls, y: cls, name=None):
        return cls(x.values + y.values, x.mask & y.mask)

    found = [
        repr(tf.add(value, value)),
        repr(tf.math.add(x=value, y=value, name="sum")),
        raises(lambda: tf.add(value, 1.0)),
        raises(lambda: value + value),
        tf.add(1.0, 2.0),
        tf.add(tf.constant(1.0), y=2.0),
    ]
    undone(tf, add)
    return [*found, raises(lambda: tf.add(value, value))]


@dispatched("a union with tensors, and operators of tensors")
def _(tf):
    cls, both, value = either(tf)

    @tf.experimental.dispatch_for_api(tf.math.subtract)
    def subtract(x: both, y: both):
        x, y = (v.values if isinstance(v, cls) else v for v in (x, y))
        return cls(x - y, value.mask)

    found = [
        repr(tf.subtract(value, tf.constant(1.0))),
        repr(tf.subtract(x=tf.constant(1.0), y=value, name="q")),
        repr(tf.constant(5.0) - value),
        repr(tf.Variable(5.0) - value),
        tf.subtract(tf.constant(1.0), tf.constant(3.0)),
        raises(lambda: tf.subtract(value, 1.0)),
        raises(lambda: value - tf.constant(1.0)),
        raises(lambda: value - value),
    ]
    undone(tf, subtract)
    return found


@dispatched("lists of a type")
def _(tf):
    cls, both, value = either(tf)

    @tf.experimental.dispatch_for_api(tf.concat, {"values": List[cls]})
    def concat(values, axis, name="concat"):
        return cls(tf.concat([v.values for v in values], axis), tf.concat([v.mask for v in values], axis))

    @tf.experimental.dispatch_for_api(tf.stack)
    def stack(values: List[both], axis=0, name="stack"):
        return f"stacked {len(values)}"

    found = [
        repr(tf.concat([value, value], 0)),
        repr(tf.concat((value, value), axis=0)),
        raises(lambda: tf.concat([value, tf.constant([1.0])], 0)),
        tf.concat([tf.constant([1.0])], 0),
        tf.stack([value, tf.constant([1.0, 2.0])]),
        tf.stack([tf.constant([1.0]), tf.constant([2.0])]),
        raises(lambda: tf.stack([value, [1.0, 2.0]])),
    ]
    undone(tf, concat, stack)
    return found


@dispatched("a target that declines")
def _(tf):
    cls, _both, value = either(tf)

    @tf.experimental.dispatch_for_api(tf.divide)
    def divide(x: cls, y: cls):
        return NotImplemented

    found = raises(lambda: tf.divide(value, value))
    undone(tf, divide)
    return found


@dispatched("two targets that both fit")
def _(tf):
    cls, both, value = either(tf)

    @tf.experimental.dispatch_for_api(tf.multiply)
    def one(x: cls, y: both):
        return "one"

    @tf.experimental.dispatch_for_api(tf.multiply)
    def other(x: both, y: cls):
        return "other"

    found = raises(lambda: tf.multiply(value, value), "Multiple dispatch targets"), tf.multiply(value, tf.constant(1.0))
    undone(tf, one, other)
    return found


@dispatched("what cannot be registered")
def _(tf):
    cls = masked(tf)

    def refused(api, target, *signatures):
        return raises(lambda: tf.experimental.dispatch_for_api(api, *signatures)(target))

    return [
        refused(tf.add, lambda x, y: 1),
        refused(tf.add, lambda x: 1, {"x": cls}),
        refused(tf.add, lambda a, b: 1, {"x": cls}),
        refused(tf.add, lambda x, y, z=2: 1, {"x": cls}),
        refused(tf.add, lambda x, y: 1, {"z": cls}),
        refused(tf.add, lambda x, y: 1, {"x": "cls"}),
        refused(tf.add, lambda x, y: 1, {"x": Dict[str, cls]}),
        refused(tf.add, lambda x, y: 1, [cls, cls]),
        refused(tf.add, 3, {"x": cls}),
        refused(len, lambda x: 1, {"x": cls}),
        refused(tf.Module, lambda name=None: 1, {"name": cls}),
        refused(tf.Tensor.__add__, lambda x, y: 1, {"x": cls}),
    ]


@dispatched("functions that are no operations")
def _(tf):
    cls, _both, value = either(tf)

    @tf.experimental.dispatch_for_api(tf.convert_to_tensor, {"value": cls})
    def convert(value, dtype=None, dtype_hint=None, name=None):
        return value.values

    @tf.experimental.dispatch_for_api(tf.cond, {"pred": cls})
    def cond(pred, true_fn=None, false_fn=None, name=None):
        return "cond"

    @tf.experimental.dispatch_for_api(tf.shape, {0: cls})
    def shape(input, out_type=tf.int32, name=None):
        return tf.shape(input.values, out_type)

    found = tf.convert_to_tensor(value), tf.cond(value, None, None), tf.shape(value), tf.shape(value, out_type=tf.int64)
    undone(tf, convert, cond, shape)
    return found


@dispatched("every unary elementwise function")
def _(tf):
    cls, _both, value = either(tf)

    @tf.experimental.dispatch_for_unary_elementwise_apis(cls)
    def unary(function, x):
        return cls(function(x.values), x.mask)

    calls = [
        tf.abs,
        tf.math.negative,
        tf.nn.relu,
        tf.nn.elu,
        tf.round,
        tf.zeros_like,
        tf.math.is_nan,
        tf.square,
        lambda x: tf.cast(x, tf.int32),
        lambda x: tf.cast(x=x, dtype=tf.float64),
        lambda x: tf.clip_by_value(x, 0.0, 1.5),
        lambda x: tf.ones_like(x, dtype=tf.int32),
        lambda x: tf.nn.leaky_relu(x, alpha=0.1, name="q"),
        lambda x: tf.debugging.check_numerics(x, "x"),
    ]
    found = [call(value).values for call in calls]
    refused = [raises(lambda: tf.reduce_sum(value)), raises(lambda: -value), raises(lambda: tf.nn.softmax(value))]
    twice = raises(lambda: tf.experimental.dispatch_for_unary_elementwise_apis(cls)(unary))
    undone(tf, unary)
    return found, refused, twice, tf.abs(tf.constant(-1.0)), raises(lambda: tf.abs(value))


@dispatched("every binary elementwise function")
def _(tf):
    cls, both, value = either(tf)

    @tf.experimental.dispatch_for_binary_elementwise_apis(both, both)
    def binary(function, x, y):
        mask = x.mask if isinstance(x, cls) else y.mask
        x, y = (v.values if isinstance(v, cls) else v for v in (x, y))
        return cls(function(x, y), mask)

    three = tf.constant(3.0)
    found = [
        tf.maximum(value, value),
        tf.maximum(value, three),
        tf.maximum(y=value, x=three),
        value > three,
        tf.math.atan2(value, value),
        tf.math.squared_difference(value, three),
        tf.equal(value, value),
        tf.add(value, value, name="q"),
        tf.nn.sigmoid_cross_entropy_with_logits(value, value),
    ]
    refused = [
        raises(lambda: tf.maximum(value, 3.0)),
        raises(lambda: value + 1.0),
        [raises(lambda: repr(three * value)), raises(lambda: repr(three / value))],
        raises(lambda: value**2.0),
        raises(lambda: tf.matmul(value, value)),
    ]
    undone(tf, binary)
    return [v.values for v in found], refused, raises(lambda: tf.maximum(value, value))


@dispatched("every assertion about two operands")
def _(tf):
    cls, _both, value = either(tf)

    class Other(cls):
        pass

    @tf.experimental.dispatch_for_binary_elementwise_assert_apis(Other, Other)
    def asserted(function, x, y):
        return "asserted"

    x = Other(value.values, value.mask)
    return [
        tf.debugging.assert_less(x, x),
        tf.debugging.assert_near(x, x),
        tf.debugging.assert_greater(x, x, message="q"),
        raises(lambda: tf.debugging.assert_less(value, value)),
    ]


@dispatched("in a function and under a tape")
def _(tf):
    cls, both, _value = either(tf)

    @tf.experimental.dispatch_for_api(tf.linalg.matmul, {"a": both, "b": cls})
    def matmul(
        a, b, transpose_a=False, transpose_b=False, adjoint_a=False, adjoint_b=False, a_is_sparse=False, b_is_sparse=False,
        output_type=None, grad_a=False, grad_b=False, name=None,
    ):  # fmt: skip
        return tf.linalg.matmul(a, b.with_default(0.0), transpose_b=transpose_b)

    x = tf.constant([[1.0, 2.0]])
    call = tf.function(
        lambda x: tf.matmul(x, cls([[1.0, 2.0], [3.0, 4.0]], [[True, False], [True, True]]), transpose_b=True)
    )
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = call(x)
    undone(tf, matmul)
    return y, tape.gradient(y, x)
