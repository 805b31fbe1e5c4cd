"""Gradients that the program supplies or withholds: stop_gradient, custom_gradient, recompute_grad."""

from conformance.helpers import grad, raises
from conformance.registry import case

STOP, CUSTOM, REGISTER = "tape/stop_gradient", "tape/custom_gradient", "tape/registered gradients"


@case(STOP, "a stopped path gives None")
def _(tf):
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = tf.stop_gradient(x) * 2.0
    return y, tape.gradient(y, x)


@case(STOP, "only the stopped factor is a constant")
def _(tf):
    return grad(tf, lambda x, y: x * tf.stop_gradient(x) + y, 3.0, 2.0)


@case(STOP, "of a list, an array and an integer")
def _(tf):
    return tf.stop_gradient([1.0, 2.0]), tf.stop_gradient(3), tf.stop_gradient(tf.constant(["a"]))


@case(STOP, "nothing downstream runs its backward function")
def _(tf):
    calls = []

    @tf.custom_gradient
    def noisy(x):
        def backward(dy):
            calls.append(1)
            return dy

        return x * 1.0, backward

    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = noisy(tf.stop_gradient(v)) + v
    return tape.gradient(y, v), len(calls)


@case(STOP, "the straight-through estimator")
def _(tf):
    return grad(tf, lambda x: (x + tf.stop_gradient(tf.round(x) - x)) * 2.0, [0.3, 1.7])


@case(STOP, "grad_pass_through hides a function from the gradient")
def _(tf):
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = tf.grad_pass_through(tf.round)(x * 1.4) * 5.0
    return y, tape.gradient(y, x)


@case(STOP, "grad_pass_through into a variable")
def _(tf):
    x, z = tf.Variable(1.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = tf.grad_pass_through(z.assign)(x**2.0)
        w = y * 4.0
    return z, w, tape.gradient(w, x)


@case(CUSTOM, "replaces the gradient")
def _(tf):
    @tf.custom_gradient
    def log1pexp(x):
        e = tf.exp(x)
        return tf.math.log(1 + e), lambda dy: dy * (1 - 1 / (1 + e))

    return grad(tf, log1pexp, [1.0, 100.0])


@case(CUSTOM, "several arguments and results")
def _(tf):
    @tf.custom_gradient
    def swap(a, b):
        return (b * 1.0, a * 1.0), lambda db, da: (10.0 * da, 100.0 * db)

    return grad(tf, lambda a, b: [t * t for t in swap(a, b)], 2.0, 3.0)


@case(CUSTOM, "a list of results keeps its type")
def _(tf):
    @tf.custom_gradient
    def both(x):
        return [x + 1.0, x * 2.0], lambda a, b: a + b

    results = both(tf.constant(1.0))
    return results, grad(tf, both, 1.0)


@case(CUSTOM, "a gradient of None is not connected")
def _(tf):
    @tf.custom_gradient
    def first(a, b):
        return a * b, lambda dy: (dy, None)

    return grad(tf, first, 2.0, 3.0)


@case(CUSTOM, "a wrong number of gradients is refused when asked")
def _(tf):
    @tf.custom_gradient
    def wrong(a, b):
        return a * b, lambda dy: dy

    a, b = tf.Variable(1.0), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = wrong(a, b)
    return y, raises(lambda: tape.gradient(y, [a, b]))


@case(CUSTOM, "too many gradients are refused when asked")
def _(tf):
    @tf.custom_gradient
    def wrong(a):
        return a * a, lambda dy: (dy, dy)

    a = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = wrong(a)
    return raises(lambda: tape.gradient(y, a))


@case(CUSTOM, "a function that returns no backward function")
def _(tf):
    @tf.custom_gradient
    def wrong(a):
        return a * a

    return raises(lambda: wrong(tf.constant(1.0)))


@case(CUSTOM, "an exception in the backward function propagates and leaves no tape")
def _(tf):
    @tf.custom_gradient
    def failing(x):
        def backward(dy):
            raise KeyError("backward")

        return x * x, backward

    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = failing(v)
    failed = raises(lambda: tape.gradient(y, v))
    with tf.GradientTape() as tape:
        z = v * v
    return failed, tape.gradient(z, v)


@case(CUSTOM, "an exception in the body propagates and recording goes on")
def _(tf):
    @tf.custom_gradient
    def failing(x):
        raise KeyError("body")

    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        failed = raises(lambda: failing(v))
        z = v * v
    return failed, tape.gradient(z, v)


@case(CUSTOM, "ops in the body are not recorded")
def _(tf):
    seen = {}

    @tf.custom_gradient
    def hidden(x):
        seen["inner"] = x * x
        return seen["inner"] * x, lambda dy: dy

    v = tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        y = hidden(v)
        z = seen["inner"] + y
    return tape.gradient(y, v), tape.gradient(seen["inner"], v), tape.gradient(z, v)


@case(CUSTOM, "the second derivative comes from the backward function")
def _(tf):
    @tf.custom_gradient
    def cube(x):
        return x**3, lambda dy: dy * 5.0 * x * x

    x = tf.Variable(2.0)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = cube(x)
        first = inner.gradient(y, x)
    return first, outer.gradient(first, x)


@case(CUSTOM, "custom gradients of custom gradients")
def _(tf):
    @tf.custom_gradient
    def f(x):
        @tf.custom_gradient
        def first(dy, x):
            return dy * 3.0 * x, lambda ddy: (ddy * 3.0 * x, ddy * 100.0 * dy)

        return x * x, lambda dy: first(dy, x)

    x = tf.Variable(2.0)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = f(x)
        g = inner.gradient(y, x)
    return g, outer.gradient(g, x)


@case(CUSTOM, "nested in a function with its own")
def _(tf):
    @tf.custom_gradient
    def inner(x):
        return x * 2.0, lambda dy: dy * 7.0

    @tf.custom_gradient
    def outer(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = inner(x)
        g = tape.gradient(y, x)
        return y, lambda dy: dy * g * 10.0

    return grad(tf, outer, 1.0)


@case(CUSTOM, "on a bound method")
def _(tf):
    class Scale:
        factor = 4.0

        @tf.custom_gradient
        def __call__(self, x):
            return x * self.factor, lambda dy: dy * 100.0

        def call(self, x):
            return x * self.factor, lambda dy: dy * self.factor * 2.0

    return grad(tf, tf.custom_gradient(Scale().call), 3.0)


@case(CUSTOM, "keyword arguments are constants")
def _(tf):
    @tf.custom_gradient
    def scale(x, factor=1.0):
        return x * factor, lambda dy: dy * factor

    x, k = tf.Variable(2.0), tf.Variable(5.0)
    with tf.GradientTape() as tape:
        y = scale(x, factor=k.read_value())
    return y, tape.gradient(y, [x, k])


@case(CUSTOM, "with variables")
def _(tf):
    w = tf.Variable(5.0)

    @tf.custom_gradient
    def linear(x):
        def backward(dy, variables=None):
            return dy * w, [dy * x * 100.0 for _ in variables]

        return x * w, backward

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = linear(x)
    return y, tape.gradient(y, [x, w])


@case(CUSTOM, "a variable without variables= is refused")
def _(tf):
    w = tf.Variable(5.0)

    @tf.custom_gradient
    def linear(x):
        return x * w, lambda dy: dy * 5.0

    def ask():
        with tf.GradientTape() as tape:
            x = tf.constant(2.0)
            tape.watch(x)
            y = linear(x)
        return tape.gradient(y, x)

    return raises(ask)


@case(CUSTOM, "a variable passed as an argument")
def _(tf):
    @tf.custom_gradient
    def triple(x):
        return x * 1.0, lambda dy: dy * 3.0

    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = triple(v)
    return y, tape.gradient(y, v)


@case(CUSTOM, "a nest as argument")
def _(tf):
    @tf.custom_gradient
    def add(pair):
        return pair[0] + pair[1], lambda dy: (dy * 2.0, dy * 3.0)

    a, b = tf.Variable(1.0), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = add([tf.identity(a), tf.identity(b)])
    return raises(lambda: tape.gradient(y, [a, b]))


@case(CUSTOM, "called with a list and with a number")
def _(tf):
    @tf.custom_gradient
    def double(x):
        return tf.multiply(x, 2.0), lambda dy: dy

    return double([1.0, 2.0]), double(3.0)


@case(CUSTOM, "returning the argument itself")
def _(tf):
    @tf.custom_gradient
    def reverse(x):
        return x, lambda dy: -dy

    return grad(tf, lambda x: reverse(x) * 2.0, 3.0)


@case(CUSTOM, "clipping the gradient on its way back")
def _(tf):
    @tf.custom_gradient
    def clip(x):
        return tf.identity(x), lambda dy: tf.clip_by_norm(dy, 0.5)

    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = clip(v * v)
    return tape.gradient(y, v)


@case(CUSTOM, "the upstream gradient of an unused result is zeros")
def _(tf):
    @tf.custom_gradient
    def both(x):
        return (x + 1.0, x + 2.0), lambda a, b: a * 10.0 + b * 100.0

    return grad(tf, lambda x: both(x)[1], [1.0, 2.0])


@case(CUSTOM, "recompute_grad runs the function again and gives the same gradient")
def _(tf):
    calls = []

    @tf.recompute_grad
    def f(x):
        calls.append(1)
        return tf.sin(x) * x

    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = f(x)
    before = len(calls)
    g = tape.gradient(y, x)
    return y, g, before, len(calls)


@case(CUSTOM, "recompute_grad with variables")
def _(tf):
    w = tf.Variable([2.0, 3.0])
    x = tf.constant([1.0, -1.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.recompute_grad(lambda x: tf.tanh(x * w))(x)
    return y, tape.gradient(y, [x, w])


@case(CUSTOM, "the decorated function keeps its name and docstring")
def _(tf):
    @tf.custom_gradient
    def named(x):
        """Doc."""
        return x * 1.0, lambda dy: dy

    return named.__name__, named.__doc__
