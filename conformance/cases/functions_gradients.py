"""Gradients and functions: tapes outside, inside, both; jacobians, `tf.gradients`, `tf.hessians`, gradients of one's own."""

from functools import partial

from conformance.helpers import raises
from conformance.registry import case

through = partial(case, "functions/gradients")
graphs = partial(case, "functions/tf.gradients")


@through("a tape outside a function")
def _(tf):
    w, b = tf.Variable([[1.0, -1.0], [0.5, 2.0]]), tf.Variable([0.1, 0.2])

    @tf.function
    def layer(x):
        return tf.nn.relu(x @ w + b)

    x = tf.constant([[1.0, 2.0]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = layer(layer(x))
        loss = tf.reduce_sum(y**2)
    return loss, tape.gradient(loss, [x, w, b]), tape.gradient(y, {"x": x, "w": w})


@through("a tape inside a function")
def _(tf):
    w = tf.Variable(3.0)

    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = w * x * x
        return y, tape.gradient(y, {"x": x, "w": w}), [v is w for v in tape.watched_variables()]

    return f(tf.constant(2.0))[:2]


@through("a tape inside and one outside")
def _(tf):
    @tf.function
    def derivative(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.sin(x) * x
        return tape.gradient(y, x)

    x = tf.constant(1.5)
    with tf.GradientTape() as second:
        second.watch(x)
        with tf.GradientTape() as first:
            first.watch(x)
            g = derivative(x)
        h = first.gradient(g, x)
    return g, h, second.gradient(h, x)


@through("three orders inside a function")
def _(tf):
    @tf.function
    def f(x):
        with tf.GradientTape() as t3:
            t3.watch(x)
            with tf.GradientTape() as t2:
                t2.watch(x)
                with tf.GradientTape() as t1:
                    t1.watch(x)
                    y = x**4
                g1 = t1.gradient(y, x)
            g2 = t2.gradient(g1, x)
        return y, g1, g2, t3.gradient(g2, x)

    return f(tf.constant(2.0))


@through("None inside, None outside")
def _(tf):
    v, w = tf.Variable(1.0), tf.Variable(2.0)

    @tf.function
    def f(x):
        return x * v, tf.stop_gradient(x), w * 2.0

    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        a, b, d = f(x)
    return (
        tape.gradient(a, [x, v, w]),
        tape.gradient(b, [x, v]),
        tape.gradient(d, [x, w]),
        tape.gradient(d, x, unconnected_gradients="zero"),
    )


@through("an integer result, beside another one")
def _(tf):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        _, y = tf.function(lambda x: (x * 2.0, tf.cast(x, tf.int32)))(x)
    return tape.gradient(y, x)


@through("only some results are differentiated")
def _(tf):
    @tf.function
    def f(x):
        return {"a": x * 2.0, "b": [tf.exp(x), tf.cast(x, tf.int32)], "c": x**3}

    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        out = f(x)
    return (
        tape.gradient(out["a"], x),
        tape.gradient([out["a"], out["c"]], x),
        tape.gradient(out["b"][0], x, output_gradients=tf.constant([1.0, 10.0])),
    )


@through("two calls of one function in one tape")
def _(tf):
    @tf.function
    def f(x, y):
        return x * y + tf.square(y)

    x, y = tf.constant(2.0), tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        z = f(f(x, y), f(y, x))
    return z, tape.gradient(z, [x, y])


@through("functions inside functions, and the gradient of both")
def _(tf):
    v = tf.Variable(2.0)

    @tf.function
    def inner(x):
        return v * x**2

    @tf.function
    def outer(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = inner(x) + inner(2.0 * x)
        return y, tape.gradient(y, [x, v])

    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y, (gx, gv) = outer(x)
    return y, gx, gv, tape.gradient([y, gx, gv], [x, v])


@through("an assignment in the function is not differentiated through")
def _(tf):
    v = tf.Variable(2.0)

    @tf.function
    def f(x):
        v.assign(x * 3.0)
        return v * x

    x = tf.constant(5.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return y, tape.gradient(y, [x, v])


@through("gather in a function gives IndexedSlices inside")
def _(tf):
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])

    @tf.function
    def f(ids):
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.gather(table, ids) ** 2)
        g = tape.gradient(y, table)
        return isinstance(g, tf.IndexedSlices), tf.convert_to_tensor(g)

    return f(tf.constant([0, 2, 0]))


@through("stop_recording, reset, persistent and jvp in a function")
def _(tf):
    @tf.function
    def f(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = x * x
            with tape.stop_recording():
                z = y * x
            w = y * 3.0
        a = tape.gradient(y, x), tape.gradient(z, x), tape.gradient(w, x)
        with tape:
            tape.reset()
            tape.watch(x)
            u = x * 7.0
        return a, tape.gradient(u, x), tape.gradient(w, x)

    return f(tf.constant(2.0))


@through("a tape that answered once")
def _(tf):
    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        tape.gradient(y, x)
        return tape.gradient(y, x)

    return raises(lambda: f(tf.constant(1.0)))


@through("jacobian and batch_jacobian in a function, with and without pfor")
def _(tf):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])

    def make(pfor):
        @tf.function
        def f(x):
            with tf.GradientTape(persistent=True) as tape:
                tape.watch(x)
                y = tf.sin(x) * x[:, :1]
            return (
                tape.jacobian(y, x, experimental_use_pfor=pfor),
                tape.batch_jacobian(y, x, experimental_use_pfor=pfor),
                tape.jacobian(y, {"x": x}, parallel_iterations=2, experimental_use_pfor=pfor),
            )

        return f

    return make(True)(x), make(False)(x)


@through("the jacobian of a function, with variables")
def _(tf):
    w = tf.Variable([[1.0, 2.0], [3.0, 4.0]])

    @tf.function
    def f(x):
        return tf.tanh(x @ w)

    x = tf.constant([[0.1, 0.2], [0.3, -0.1]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = f(x)
    return tape.jacobian(y, w), tape.batch_jacobian(y, x)


@through("a hessian by two tapes in a function")
def _(tf):
    @tf.function
    def hessian(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.reduce_sum(x**3) + x[0] * x[1]
            g = tape.gradient(y, x)
        return outer.jacobian(g, x)

    return hessian(tf.constant([1.0, 2.0, 3.0]))


@through("custom_gradient inside a function")
def _(tf):
    @tf.custom_gradient
    def clip(x):
        def grad(dy):
            return tf.clip_by_value(dy, -0.5, 0.5)

        return x * 2.0, grad

    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = clip(x * 3.0)
        return y, tape.gradient(y, x)

    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.function(lambda x: clip(x) ** 2)(x)
    return f(x), y, tape.gradient(y, x)


@through("custom_gradient around a function, and with variables")
def _(tf):
    v = tf.Variable(2.0)

    @tf.function
    def body(x):
        return v * x * x

    @tf.custom_gradient
    def f(x):
        def grad(dy, variables=None):
            return dy * 100.0, [dy * 1000.0 for _ in variables]

        return body(x), grad

    x = tf.constant(3.0)
    answers = []
    for g in (f, tf.function(f)):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = g(x)
        answers.append((y, tape.gradient(y, [x, v])))
    return answers


@through("log1pexp of second order, inside and outside")
def _(tf):
    @tf.custom_gradient
    def log1pexp(x):
        e = tf.exp(x)

        def grad(upstream):
            return upstream * (1 - 1 / (1 + e))

        return tf.math.log(1 + e), grad

    @tf.function
    def second(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = log1pexp(x)
            g = tape.gradient(y, x)
        return g, outer.gradient(g, x)

    return second(tf.constant(0.0)), second(tf.constant(100.0))


@through("recompute_grad in a function")
def _(tf):
    w = tf.Variable([[1.0, 2.0], [3.0, -4.0]])
    layer = tf.recompute_grad(lambda x: tf.tanh(x @ w))

    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(layer(layer(x)))
        return y, tape.gradient(y, w)

    return f(tf.constant([[0.1, 0.2]]))


@through("gradient clipping, and steps by hand")
def _(tf):
    w, b = tf.Variable([1.0, -2.0, 3.0]), tf.Variable(0.0)

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            error = tf.reduce_sum(x * w, axis=1) + b - y
            loss = tf.reduce_mean(tf.square(error))
        grads = tape.gradient(loss, [w, b])
        clipped, norm = tf.clip_by_global_norm(grads, 1.0)
        for g, v in zip(clipped, [w, b], strict=True):
            v.assign_sub(0.1 * g)
        return loss, norm

    x = tf.constant([[1.0, 0.5, -1.0], [0.0, 1.0, 2.0]])
    y = tf.constant([1.0, 0.0])
    return [step(x, y) for _ in range(3)], w, b


@through("a gradient penalty: a gradient in the loss")
def _(tf):
    w = tf.Variable([[0.5, -0.3], [0.2, 0.8]])

    @tf.function
    def penalty(x):
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = tf.reduce_sum(tf.sigmoid(x @ w))
            g = inner.gradient(y, x)
            norm = tf.reduce_sum(tf.square(tf.norm(g, axis=1) - 1.0))
        return norm, outer.gradient(norm, w)

    return penalty(tf.constant([[1.0, 2.0], [-0.5, 0.3]]))


@through("per-example gradients by map_fn")
def _(tf):
    w = tf.Variable([1.0, 2.0])

    @tf.function
    def each(x):
        def one(row):
            with tf.GradientTape() as tape:
                y = tf.reduce_sum(row * w) ** 2
            return tape.gradient(y, w)

        return tf.map_fn(one, x)

    return each(tf.constant([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]))


@through("a gradient with open sizes")
def _(tf):
    w = tf.Variable([[1.0], [2.0]])

    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])
    def f(x):
        with tf.GradientTape() as tape:
            y = tf.reduce_mean(tf.square(x @ w))
        return y, tape.gradient(y, w)

    return f(tf.ones([3, 2])), f(tf.constant([[1.0, -1.0]]))


@through("a tape outside a function with open sizes")
def _(tf):
    @tf.function(input_signature=[tf.TensorSpec([None, None], tf.float32)])
    def f(x):
        return tf.nn.softmax(x) * tf.cast(tf.shape(x)[0], tf.float32)

    answers = []
    for x in (tf.ones([2, 3]), tf.constant([[1.0, 2.0]])):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)[:, 0]
        answers.append((y, tape.gradient(y, x)))
    return answers


@through("a concrete function is differentiated")
def _(tf):
    v = tf.Variable(2.0)
    c = tf.function(lambda x: v * x**3).get_concrete_function(tf.TensorSpec([], tf.float32))
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = c(x)
    return y, tape.gradient(y, [x, v])


@through("integers, strings and booleans among arguments and results")
def _(tf):
    @tf.function
    def f(x, i, s, flag):
        return x * tf.cast(i, tf.float32), i + 1, s, tf.logical_not(flag), tf.where(flag, x, -x)

    x = tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        out = f(x, tf.constant(3), tf.constant("s"), tf.constant(True))
    return out, tape.gradient(out[0], x), tape.gradient(out[4], x)


@through("complex numbers")
def _(tf):
    @tf.function
    def f(z):
        with tf.GradientTape() as tape:
            tape.watch(z)
            y = tf.math.real(z * tf.math.conj(z)) + tf.math.imag(z * z)
        return y, tape.gradient(y, z)

    return f(tf.constant(1.0 + 2.0j))


# -- tf.gradients -----------------------------------------------------------------------------------------------------


@graphs("gradients in a function, and outside")
def _(tf):
    @tf.function
    def f(x, y):
        z = x * y + y**2
        return tf.gradients(z, [x, y]), tf.gradients([z, x], x)

    x, y = tf.constant(2.0), tf.constant(3.0)
    return f(x, y), raises(lambda: tf.gradients(x * y, x))


@graphs("grad_ys")
def _(tf):
    @tf.function
    def f(x):
        y, z = x * 2.0, x**2
        return (
            tf.gradients(y, x, grad_ys=tf.constant([1.0, 10.0])),
            tf.gradients([y, z], x, grad_ys=[tf.constant([1.0, 1.0]), None]),
            tf.gradients([y, z], [x], [tf.zeros([2]), tf.ones([2])]),
        )

    return f(tf.constant([1.0, 2.0]))


@graphs("stop_gradients")
def _(tf):
    @tf.function
    def f():
        a = tf.constant(0.0)
        b = 2 * a
        return tf.gradients(a + b, [a, b], stop_gradients=[a, b]), tf.gradients(a + b, [a, b])

    return f()


@graphs("unconnected_gradients")
def _(tf):
    @tf.function
    def f(x):
        y = tf.ones([1, 2])
        none = tf.gradients([x], [y])
        zero = tf.gradients([x], [y], unconnected_gradients=tf.UnconnectedGradients.ZERO)
        zero_text = tf.gradients([x], [y], unconnected_gradients="zero")
        return none, zero, zero_text

    return f(tf.ones([2, 2]))


@graphs("gradients of gradients")
def _(tf):
    @tf.function
    def f(x):
        y = tf.sin(x) * x
        first = tf.gradients(y, x)[0]
        second = tf.gradients(first, x)[0]
        return y, first, second, tf.gradients(second, x)[0]

    return f(tf.constant(1.2))


@graphs("with respect to a variable")
def _(tf):
    v = tf.Variable([1.0, 2.0])

    @tf.function
    def f(x):
        y = tf.reduce_sum(v * v * x)
        return tf.gradients(y, [x, v])

    return f(tf.constant(3.0))


@graphs("with respect to something in between")
def _(tf):
    @tf.function
    def f(x):
        a = x * x
        b = tf.exp(a)
        return tf.gradients(b * a, [a, x, b])

    return f(tf.constant(0.5))


@graphs("through control flow")
def _(tf):
    @tf.function
    def f(x, n):
        y = x
        for _ in tf.range(n):
            y = y * x
        if x > 2.0:
            y = y + x
        return tf.gradients(y, x)

    return f(tf.constant(2.0), tf.constant(2)), f(tf.constant(3.0), tf.constant(1))


@graphs("gate_gradients, colocation and aggregation are accepted")
def _(tf):
    @tf.function
    def f(x):
        return tf.gradients(x * x, x, gate_gradients=True, aggregation_method=tf.AggregationMethod.ADD_N, name="g")

    return f(tf.constant(3.0))


@graphs("hessians")
def _(tf):
    @tf.function
    def f(x, y):
        z = tf.reduce_sum(x**3) + y * y
        return tf.hessians(z, [x, y])

    @tf.function
    def matrix(x):
        return tf.hessians(tf.reduce_sum(x * x * x[0]), x)

    return f(tf.constant([1.0, 2.0]), tf.constant(3.0)), matrix(tf.constant([[1.0, 2.0], [3.0, 4.0]]))


@graphs("hessians outside a function")
def _(tf):
    x = tf.constant([1.0])
    return raises(lambda: tf.hessians(tf.reduce_sum(x), x))
