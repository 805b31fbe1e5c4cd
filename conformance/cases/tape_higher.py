"""Derivatives of derivatives: nested tapes, jacobian, batch_jacobian, Hessians."""

from conformance.helpers import raises
from conformance.registry import case

NESTED, JACOBIAN = "tape/higher order", "tape/jacobian"
FOUR = [[1.0, 2.0], [3.0, 4.0]]


@case(NESTED, "second derivative with nested tapes")
def _(tf):
    x = tf.Variable(2.0)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = x * x * x
        first = inner.gradient(y, x)
    return first, outer.gradient(first, x)


@case(NESTED, "five orders")
def _(tf):
    def derivative(f, order):
        if not order:
            return f

        def g(x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = derivative(f, order - 1)(x)
            return tape.gradient(y, x)

        return g

    return [derivative(lambda x: x**5 + tf.sin(x), n)(tf.constant(1.5)) for n in range(6)]


@case(NESTED, "a mixed derivative")
def _(tf):
    x, y = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            z = x * x * y + tf.exp(x * y)
        first = inner.gradient(z, x)
    return outer.gradient(first, [x, y])


@case(NESTED, "the penalty of a gradient's size")
def _(tf):
    w = tf.Variable([1.0, -2.0])
    x = tf.constant([[0.5, 1.0], [2.0, -1.0]])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.reduce_sum(tf.tanh(tf.linalg.matvec(x, w)))
        g = inner.gradient(y, x)
        penalty = tf.reduce_sum(tf.square(g))
    return penalty, outer.gradient(penalty, [w, x])


@case(NESTED, "the inner tape asked outside the outer one")
def _(tf):
    x = tf.Variable(2.0)
    with tf.GradientTape() as outer, tf.GradientTape() as inner:
        y = x * x * x
    first = inner.gradient(y, x)
    return first, outer.gradient(first, x)


@case(NESTED, "a tape entered after the forward pass sees the backward pass")
def _(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as inner:
        inner.watch(x)
        y = x * x * x
    with tf.GradientTape() as outer:
        outer.watch(x)
        first = inner.gradient(y, x)
    return first, outer.gradient(first, x)


@case(NESTED, "a tape entered after the forward pass knows nothing of a variable read before")
def _(tf):
    x = tf.Variable(2.0)
    with tf.GradientTape() as inner:
        y = x * x * x
    with tf.GradientTape() as outer:
        outer.watch(x)
        first = inner.gradient(y, x)
    return first, outer.gradient(first, x)


@case(NESTED, "the second derivative of a piecewise linear function")
def _(tf):
    x = tf.constant([-1.0, 0.0, 2.0])
    answers = {}
    for name, f in {"relu": tf.nn.relu, "abs": tf.abs, "maximum": lambda x: tf.maximum(x, 0.5)}.items():
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = f(x) * x
            first = inner.gradient(y, x)
        answers[name] = first, outer.gradient(first, x)
    return answers


@case(NESTED, "the second derivative of a linear function is None")
def _(tf):
    x = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as outer:
        with tf.GradientTape() as inner:
            y = 3.0 * x
        first = inner.gradient(y, x)
    return first, outer.gradient(first, x), outer.gradient(first, x, unconnected_gradients="zero")


@case(NESTED, "a persistent inner tape asked twice")
def _(tf):
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as outer:
        with tf.GradientTape(persistent=True) as inner:
            y = tf.reduce_sum(x**3)
            z = tf.reduce_prod(x)
        total = tf.reduce_sum(inner.gradient(y, x)) + tf.reduce_sum(inner.gradient(z, x))
    return total, outer.gradient(total, x)


@case(NESTED, "a Hessian-vector product")
def _(tf):
    x, v = tf.Variable([1.0, 2.0, 3.0]), tf.constant([1.0, 0.0, -1.0])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.reduce_sum(x**3) * x[0]
        product = tf.reduce_sum(inner.gradient(y, x) * v)
    return outer.gradient(product, x)


@case(NESTED, "a gradient step can be differentiated")
def _(tf):
    w, rate = tf.constant(1.0), tf.Variable(0.1)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            inner.watch(w)
            loss = (w - 3.0) ** 2
        w2 = w - rate * inner.gradient(loss, w)
        after = (w2 - 3.0) ** 2
    return after, outer.gradient(after, rate)


@case(NESTED, "output_gradients can be differentiated")
def _(tf):
    x, seed = tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])
    with tf.GradientTape() as outer:
        outer.watch([x, seed])
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x * x
        g = inner.gradient(y, x, output_gradients=seed)
    return outer.gradient(g, [x, seed])


@case(NESTED, "the Hessian of a scalar function")
def _(tf):
    x = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.reduce_prod(x) + tf.reduce_sum(x**4)
        g = inner.gradient(y, x)
    return outer.jacobian(g, x)


@case(NESTED, "tf.gradients and tf.hessians need a graph")
def _(tf):
    x = tf.constant(1.0)
    return raises(lambda: tf.gradients(x * x, x)), raises(lambda: tf.hessians(x * x, x))


@case(JACOBIAN, "a vector by a scalar")
def _(tf):
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = tf.stack([x, x * x, tf.exp(x)])
    return tape.jacobian(y, x)


@case(JACOBIAN, "a scalar by a vector")
def _(tf):
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(x * x)
    return tape.jacobian(y, x)


@case(JACOBIAN, "the shape is the target's and then the source's")
def _(tf):
    x = tf.Variable(FOUR)
    with tf.GradientTape() as tape:
        y = tf.stack([x @ x, x * x, x], axis=0)
    return tape.jacobian(y, x)


@case(JACOBIAN, "the structure is that of the sources, with None where unconnected")
def _(tf):
    x, w, u = tf.Variable([1.0, 2.0]), tf.Variable(FOUR), tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = tf.linalg.matvec(w, x)
    return tape.jacobian(y, {"x": x, "more": [w, (u,)]})


@case(JACOBIAN, "unconnected sources as zeros")
def _(tf):
    x, u = tf.Variable([1.0, 2.0]), tf.Variable([1.0, 1.0, 1.0])
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
    return tape.jacobian(y, [x, u], unconnected_gradients="zero"), raises(
        lambda: tape.jacobian(y, [x, u], unconnected_gradients="zero", experimental_use_pfor=False)
    )


@case(JACOBIAN, "one row at a time gives the same")
def _(tf):
    x = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape(persistent=True) as tape:
        y = tf.cumsum(x) * x
    return [tape.jacobian(y, x, experimental_use_pfor=pfor, parallel_iterations=2) for pfor in (True, False)]


@case(JACOBIAN, "one row at a time needs a persistent tape")
def _(tf):
    x = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        y = x * x
    return raises(lambda: tape.jacobian(y, x, experimental_use_pfor=False))


@case(JACOBIAN, "jacobian uses the tape up")
def _(tf):
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = x * x
    return tape.jacobian(y, x), raises(lambda: tape.jacobian(y, x))


@case(JACOBIAN, "a wrong unconnected_gradients")
def _(tf):
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
    return raises(lambda: tape.jacobian(y, x, unconnected_gradients="nope"))


@case(JACOBIAN, "through a matrix product, a softmax and a gather")
def _(tf):
    x = tf.Variable([[0.5, -1.0, 2.0], [1.0, 0.0, -0.5]])
    with tf.GradientTape(persistent=True) as tape:
        y = tf.nn.softmax(x)
        z = tf.gather(x @ tf.transpose(x), [1, 0, 1])
    return tape.jacobian(y, x), tape.jacobian(z, x)


@case(JACOBIAN, "of a jacobian")
def _(tf):
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = x**3 * x[0]
        j = inner.jacobian(y, x)
    return j, outer.jacobian(j, x)


@case(JACOBIAN, "of a complex function")
def _(tf):
    x = tf.constant([1 + 1j, 2 - 1j], tf.complex64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tape.jacobian(y, x)


@case(JACOBIAN, "float64 keeps its dtype")
def _(tf):
    x = tf.constant([1.0, 2.0], tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.sin(x)
    return tape.jacobian(y, x)


@case(JACOBIAN, "batch_jacobian keeps examples apart")
def _(tf):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.stack([x[:, 0] * x[:, 1], x[:, 0] ** 2, x[:, 1]], axis=1)
    return tape.batch_jacobian(y, x)


@case(JACOBIAN, "batch_jacobian of higher rank, either way")
def _(tf):
    x = tf.constant([[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.matmul(x, x)
    return [tape.batch_jacobian(y, x, experimental_use_pfor=pfor) for pfor in (True, False)]


@case(JACOBIAN, "batch_jacobian of an unconnected source is zeros")
def _(tf):
    x, y = tf.constant(FOUR), tf.constant([[1.0, 2.0, 3.0]] * 2)
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        z = y * y
    return tape.batch_jacobian(z, x)


@case(JACOBIAN, "batch_jacobian needs rank two and equal batches")
def _(tf):
    x = tf.constant([1.0, 2.0])
    m = tf.constant(FOUR)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, m])
        y, z = x * x, m[:1] * 2.0
    return raises(lambda: tape.batch_jacobian(y, x)), raises(lambda: tape.batch_jacobian(z, m))


@case(JACOBIAN, "batch_jacobian inside the context of another tape")
def _(tf):
    x = tf.constant(FOUR)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x**3
        diagonal = tf.linalg.diag_part(inner.batch_jacobian(y, x))
    return diagonal, outer.gradient(diagonal, x)
