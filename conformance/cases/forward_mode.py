"""`tf.autodiff.ForwardAccumulator`: nests, nesting, together with tapes, in and around functions."""

from functools import partial

from conformance.helpers import logged, raises
from conformance.registry import case

forward = partial(case, "forward mode")


@forward("a scalar and a matrix")
def _(tf):
    x, m = tf.constant(2.0), tf.constant([[2.0, 3.0], [1.0, 4.0]])
    with tf.autodiff.ForwardAccumulator([x, m], [tf.constant(1.0), tf.ones([2, 2])]) as acc:
        y = x**3
        z = tf.reduce_sum(m @ m, axis=1) * x
    return acc.jvp(y), acc.jvp(z), acc.jvp([y, {"z": z}])


@forward("a variable, named arguments")
def _(tf):
    v = tf.Variable([1.0, 2.0])
    with tf.autodiff.ForwardAccumulator(primals=v, tangents=tf.constant([1.0, 0.0])) as acc:
        y = v * v
        z = tf.reduce_sum(tf.exp(v))
    return acc.jvp(y), acc.jvp(z), acc.jvp(v)


@forward("nests of primals")
def _(tf):
    a, b = tf.constant(1.0), tf.Variable([2.0, 3.0])
    with tf.autodiff.ForwardAccumulator(
        {"a": a, "b": [b]}, {"a": tf.constant(1.0), "b": [tf.constant([1.0, 2.0])]}
    ) as acc:
        y = a * b
    return acc.jvp(y)


@forward("None for what is not connected, and zeros")
def _(tf):
    x, c = tf.constant(2.0), tf.constant(5.0)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as acc:
        y = x * c
        z = c * 2.0
        i = tf.cast(x, tf.int32)
        s = tf.stop_gradient(x) * 3.0
    zero = tf.UnconnectedGradients.ZERO
    return (
        acc.jvp(y),
        acc.jvp(z),
        acc.jvp(i),
        acc.jvp(s),
        acc.jvp(c),
        acc.jvp(x),
        acc.jvp([y, z], unconnected_gradients=zero),
        acc.jvp(z, unconnected_gradients="zero"),
    )


@forward("what comes after the context is not followed")
def _(tf):
    x = tf.constant(2.0)
    before = x * x
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as acc:
        y = x * 3.0
    after = y * x
    with acc:
        again = y * x
    return acc.jvp(before), acc.jvp(y), acc.jvp(after), acc.jvp(again)


@forward("what is refused")
def _(tf):
    x = tf.constant([1.0, 2.0])
    make = tf.autodiff.ForwardAccumulator
    entered = make(x, tf.ones([2]))

    def twice():
        with entered, entered:
            pass

    return (
        raises(lambda: make([x, x], [x, x])),
        raises(lambda: make([x], x)),
        raises(lambda: make(x, [x])),
        raises(twice),
        raises(lambda: make(x, tf.constant([1, 2]))),
    )


@forward("an integer primal is logged")
def _(tf):
    x = tf.constant(2)
    with logged() as lines, tf.autodiff.ForwardAccumulator(x, tf.constant(1)) as acc:
        y = x * 3
    return len(lines), acc.jvp(y)


@forward("nested accumulators: second derivatives, either order asked")
def _(tf):
    x = tf.constant(1.1)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as outer:
        with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as inner:
            y = tf.sin(x) * x
        d = inner.jvp(y)
    return d, outer.jvp(y), outer.jvp(d), inner.jvp(outer.jvp(y))


@forward("three levels, and different directions")
def _(tf):
    x = tf.constant([1.0, 2.0])
    e0, e1 = tf.constant([1.0, 0.0]), tf.constant([0.0, 1.0])
    with tf.autodiff.ForwardAccumulator(x, e0) as a:
        with tf.autodiff.ForwardAccumulator(x, e1) as b:
            with tf.autodiff.ForwardAccumulator(x, e0) as c:
                y = x[0] ** 3 * x[1] ** 2
            cy = c.jvp(y)
        by = b.jvp(cy)
    return cy, by, a.jvp(by)


@forward("hessian-vector product: forward over reverse")
def _(tf):
    v = tf.Variable([1.0, 2.0, 3.0])
    with tf.autodiff.ForwardAccumulator(v, tf.constant([1.0, 0.0, 2.0])) as acc:
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(v**3) * v[0]
        backward = tape.gradient(y, v)
    return backward, acc.jvp(backward), acc.jvp(y)


@forward("hessian-vector product: reverse over forward")
def _(tf):
    v = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        with tf.autodiff.ForwardAccumulator(v, tf.constant([1.0, 0.0, 2.0])) as acc:
            y = tf.reduce_sum(v**3) * v[0]
        d = acc.jvp(y)
    return d, tape.gradient(d, v)


@forward("hessian-vector products in functions, both ways")
def _(tf):
    @tf.function
    def over_reverse(x, direction):
        with tf.autodiff.ForwardAccumulator(x, direction) as acc:
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.reduce_sum(tf.tanh(x) ** 2)
            g = tape.gradient(y, x)
        return acc.jvp(g)

    @tf.function
    def over_forward(x, direction):
        with tf.GradientTape() as tape:
            tape.watch(x)
            with tf.autodiff.ForwardAccumulator(x, direction) as acc:
                y = tf.reduce_sum(tf.tanh(x) ** 2)
            d = acc.jvp(y)
        return tape.gradient(d, x)

    x, v = tf.constant([0.5, -1.0]), tf.constant([1.0, 2.0])
    return over_reverse(x, v), over_forward(x, v)


@forward("a function inside an accumulator")
def _(tf):
    w = tf.Variable([[1.0, 2.0], [3.0, 4.0]])

    @tf.function
    def f(x):
        return tf.tanh(x @ w), tf.reduce_sum(x), tf.constant(1.0)

    x = tf.constant([[0.1, 0.2]])
    with tf.autodiff.ForwardAccumulator([x, w], [tf.ones([1, 2]), tf.ones([2, 2])]) as acc:
        y, z, c = f(x)
    return acc.jvp(y), acc.jvp(z), acc.jvp(c)


@forward("a function that calls functions, twice differentiated forward")
def _(tf):
    @tf.function
    def inner(x):
        return x**3

    @tf.function
    def f(x):
        return inner(x) * tf.sin(x)

    x = tf.constant(1.3)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as outer:
        with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as acc:
            y = f(x)
        d = acc.jvp(y)
    return y, d, outer.jvp(d)


@forward("an accumulator inside a function that is inside one")
def _(tf):
    @tf.function
    def derivative(x):
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as acc:
            y = tf.exp(x) * x
        return acc.jvp(y)

    x = tf.constant(0.7)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as acc:
        d = derivative(x)
    return d, acc.jvp(d)


@forward("a jacobian column by column")
def _(tf):
    x = tf.constant([1.0, 2.0, 3.0])
    columns = []
    for i in range(3):
        with tf.autodiff.ForwardAccumulator(x, tf.one_hot(i, 3)) as acc:
            y = tf.math.cumsum(x**2)
        columns.append(acc.jvp(y))
    return tf.stack(columns, axis=1)


@forward("the whole jacobian by vectorized_map")
def _(tf):
    x = tf.constant([1.0, 2.0, 3.0])

    def along(direction):
        with tf.autodiff.ForwardAccumulator(x, direction) as acc:
            y = tf.math.cumsum(x**2)
        return acc.jvp(y)

    return tf.vectorized_map(along, tf.eye(3))


@forward("custom_gradient in forward mode")
def _(tf):
    @tf.custom_gradient
    def f(x):
        def grad(dy):
            return dy * 100.0

        return x * x, grad

    x = tf.constant(3.0)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as acc:
        y = f(x) + 1.0
    return acc.jvp(y)


@forward("assignments are not followed, variables are")
def _(tf):
    v, w = tf.Variable(2.0), tf.Variable(0.0)
    with tf.autodiff.ForwardAccumulator(v, tf.constant(1.0)) as acc:
        w.assign(v * 3.0)
        y = w * 1.0
        z = v * 2.0
    return acc.jvp(y), acc.jvp(z)


@forward("many operations")
def _(tf):
    x = tf.constant([[0.5, -1.0], [2.0, 0.25]])
    direction = tf.constant([[1.0, 2.0], [-1.0, 0.5]])
    with tf.autodiff.ForwardAccumulator(x, direction) as acc:
        results = [
            tf.nn.softmax(x),
            tf.nn.relu(x),
            tf.reduce_max(x, axis=1),
            tf.linalg.inv(x),
            tf.gather(x, [1, 0, 1]),
            tf.concat([x, x * x], 0),
            tf.transpose(x)[0],
            tf.where(x > 0.0, x * x, -x),
            tf.reduce_logsumexp(x),
            tf.nn.l2_loss(x),
            tf.norm(x),
            tf.clip_by_value(x, -0.5, 1.0),
            tf.einsum("ij,kj->ik", x, x),
            tf.math.top_k(x, 1).values,
            tf.sort(x),
            tf.pad(x, [[1, 0], [0, 1]]),
            tf.stack(tf.unstack(x, axis=1)),
            tf.split(x, 2)[1],
        ]
    return acc.jvp(results)


@forward("a Newton step with products instead of a hessian")
def _(tf):
    w = tf.Variable([1.0, -1.0])

    @tf.function
    def product(direction):
        with tf.autodiff.ForwardAccumulator(w, direction) as acc:
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(w**4) + w[0] * w[1]
            g = tape.gradient(loss, w)
        return g, acc.jvp(g)

    g, first = product(tf.constant([1.0, 0.0]))
    _, second = product(tf.constant([0.0, 1.0]))
    step = tf.linalg.solve(tf.stack([first, second]), g[:, tf.newaxis])[:, 0]
    w.assign_sub(step)
    return g, step, w


@forward("the accumulator sees through a gradient that a tape computes, for what it watches only")
def _(tf):
    x, c = tf.constant(2.0), tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, c])
        with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as acc:
            y = x * x * c
        d = acc.jvp(y)
    return tape.gradient(d, [x, c]), tape.gradient(y, [x, c])


@forward("in a loop of a function")
def _(tf):
    @tf.function
    def f(x, n):
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as acc:
            y = x
            for _ in tf.range(n):
                y = tf.sin(y) * x
        return y, acc.jvp(y)

    return raises(lambda: f(tf.constant(0.5), tf.constant(3)))
