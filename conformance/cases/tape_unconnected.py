"""Sources that the target does not depend on: None, or zeros when asked."""

import numpy as np

from conformance.helpers import raises
from conformance.registry import case

AREA = "tape/unconnected"


@case(AREA, "an unconnected variable gets None")
def _(tf):
    v, w = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = w * w
    return tape.gradient(y, [v, w])


@case(AREA, "zeros on request, spelled in every way")
def _(tf):
    v, w = tf.Variable([2.0, 2.0]), tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        y = w * w
    zero = tf.UnconnectedGradients.ZERO
    return [tape.gradient(y, [v, w], unconnected_gradients=u) for u in (zero, "zero", tf.UnconnectedGradients("zero"))]


@case(AREA, "None on request, spelled in every way")
def _(tf):
    v, w = tf.Variable([2.0, 2.0]), tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        y = w * w
    none = tf.UnconnectedGradients.NONE
    return [tape.gradient(y, [v, w], unconnected_gradients=u) for u in (none, "none")]


@case(AREA, "another spelling is refused")
def _(tf):
    v = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        y = v * v
    return [raises(lambda u=u: tape.gradient(y, v, unconnected_gradients=u)) for u in ("nope", "ZERO", None, 0, True)]


@case(AREA, "a refused spelling does not use the tape up")
def _(tf):
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = v * v
    return raises(lambda: tape.gradient(y, v, unconnected_gradients="nope")), raises(lambda: tape.gradient(y, v))


@case(AREA, "the enumeration")
def _(tf):
    u = tf.UnconnectedGradients
    return [m.name for m in u], [m.value for m in u], u.ZERO, str(u.NONE), raises(lambda: u("other"))


@case(AREA, "zeros have the dtype and shape of the source")
def _(tf):
    sources = [
        tf.constant(np.ones((2, 3)), d) for d in ("float16", "float32", "float64", "bfloat16", "complex64", "int32")
    ]
    with tf.GradientTape() as tape:
        tape.watch(sources[:5])
        y = tf.constant(1.0) * 2.0
    return tape.gradient(y, sources, unconnected_gradients="zero")


@case(AREA, "zeros keep the structure of the sources")
def _(tf):
    v, w = tf.Variable([1.0, 2.0]), tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = w * 2.0
    return tape.gradient(y, {"v": [v], "w": (w,)}, unconnected_gradients="zero")


@case(AREA, "zeros for a stopped, an integer and a NumPy path")
def _(tf):
    v = tf.Variable([1.5, 2.5])
    with tf.GradientTape(persistent=True) as tape:
        stopped = tf.stop_gradient(v) * 2.0
        integer = tf.cast(tf.cast(v, tf.int32), tf.float32)
        host = tf.constant(v.numpy()) * 2.0
    return [tape.gradient(y, v, unconnected_gradients="zero") for y in (stopped, integer, host)]


@case(AREA, "integer, boolean and string paths are not connected")
def _(tf):
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        through = {
            "int": tf.cast(tf.cast(v, tf.int64), tf.float32),
            "bool": tf.cast(v > 1.5, tf.float32),
            "string": tf.strings.to_number(tf.strings.as_string(v)),
            "shape": tf.cast(tf.shape(v), tf.float32),
            "size": tf.cast(tf.size(v), tf.float32),
            "argmax": tf.cast(tf.argmax(v), tf.float32),
        }
    return {name: tape.gradient(y, v) for name, y in through.items()}


@case(AREA, "ops that are not differentiable give None")
def _(tf):
    v = tf.Variable([1.25, -2.5])
    ops = {
        "floor": tf.floor,
        "ceil": tf.math.ceil,
        "round": tf.round,
        "rint": tf.math.rint,
        "floordiv": lambda x: x // 0.5,
        "argmax": lambda x: tf.cast(tf.argmax(x), tf.float32),
        "argsort": lambda x: tf.cast(tf.argsort(x), tf.float32),
        "equal": lambda x: tf.cast(x == x, tf.float32),
        "less": lambda x: tf.cast(x < 0.0, tf.float32),
        "is_nan": lambda x: tf.cast(tf.math.is_nan(x), tf.float32),
        "zeros_like": tf.zeros_like,
        "ones_like": tf.ones_like,
        "one_hot": lambda x: tf.one_hot(tf.cast(x, tf.int32), 3),
    }
    answers = {}
    for name, op in ops.items():
        with tf.GradientTape() as tape:
            y = op(v)
        answers[name] = tape.gradient(y, v)
    return answers


@case(AREA, "sign gives zeros, not None")
def _(tf):
    v = tf.Variable([1.25, -2.5, 0.0])
    with tf.GradientTape() as tape:
        y = tf.sign(v)
    return tape.gradient(y, v)


@case(AREA, "floormod gives one, and minus the quotient")
def _(tf):
    x, y = tf.constant([7.5, -7.5]), tf.constant([2.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        z = x % y
    return z, tape.gradient(z, [x, y])


@case(AREA, "random numbers do not depend on their shape or parameters' history")
def _(tf):
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = tf.random.normal([3]) * 0.0 + v
    return tape.gradient(y, v)


@case(AREA, "a target outside the tape is not connected")
def _(tf):
    v = tf.Variable(2.0)
    y = v * v
    with tf.GradientTape() as tape:
        _ = v + v
    return tape.gradient(y, v)


@case(AREA, "a number or array as target")
def _(tf):
    v = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        _ = v + v
    return [raises(lambda t=t: tape.gradient(t, v)) for t in (1.0, np.ones(2, np.float32), [1.0, v * v])]


@case(AREA, "a source that is an unwatched copy")
def _(tf):
    v = tf.Variable(2.0)
    copy = tf.identity(v)
    with tf.GradientTape() as tape:
        y = v * copy
    return tape.gradient(y, [v, copy])


@case(AREA, "unique refuses to be differentiated")
def _(tf):
    v = tf.Variable([1.0, 2.0, 1.0])
    with tf.GradientTape() as tape:
        y, _ = tf.unique(v)
    return raises(lambda: tape.gradient(y, v))
