"""Programs as guides to automatic differentiation show them, in our own words, with what they print."""

import numpy as np

from conformance.registry import case


@case("tape/guides", "a picture can be drawn from tensors")
def _(tf):
    x = tf.linspace(-1.0, 1.0, 5)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.sigmoid(x)
    pairs = np.column_stack([x, y, tape.gradient(y, x)])
    return pairs, [float(v) for v in y]


@case("tape/guides", "sums over ones")
def _(tf):
    x = tf.ones((2, 2))
    with tf.GradientTape(persistent=True) as t:
        t.watch(x)
        y = tf.reduce_sum(x)
        z = tf.multiply(y, y)
    dz_dx = t.gradient(z, x)
    return t.gradient(z, y), [[dz_dx[i][j].numpy() for i in (0, 1)] for j in (0, 1)]


@case("tape/guides", "a python loop with a condition")
def _(tf):
    def f(x, y):
        output = 1.0
        for i in range(y):
            if 1 < i < 5:
                output = tf.multiply(output, x)
        return output

    answers = []
    x = tf.convert_to_tensor(2.0)
    for y in (4, 5, 6):
        with tf.GradientTape() as t:
            t.watch(x)
            out = f(x, y)
        answers.append(t.gradient(out, x))
    return answers


# The points next to zero are small differences of large numbers.
@case("tape/guides", "sigmoid over a range, and the gradients of sin and softplus", rtol=2e-5)
def _(tf):
    x = tf.linspace(-10.0, 10.0, 201)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.sigmoid(x)
    dy = tape.gradient(y, x)
    x0, x1 = tf.Variable(0.0), tf.Variable(10.0)
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(x1)
        ys = tf.reduce_sum(tf.math.sin(x0) + tf.nn.softplus(x1))
    return x, dy, tape.gradient(ys, {"x0": x0, "x1": x1})


@case("tape/guides", "the branch that ran is the one that counts")
def _(tf):
    x, v0, v1 = tf.constant(1.0), tf.Variable(2.0), tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        result = v0 if x > 0.0 else v1**2
    print(*tape.gradient(result, [v0, v1]))
    print(tape.gradient(result, x))
    return tape.gradient(result, v0)


@case("tape/guides", "four kinds of sources, printed")
def _(tf):
    x0 = tf.Variable(3.0, name="x0")
    x1 = tf.Variable(3.0, name="x1", trainable=False)
    x2 = tf.Variable(2.0, name="x2") + 1.0
    x3 = tf.constant(3.0, name="x3")
    with tf.GradientTape() as tape:
        y = (x0**2) + (x1**2) + (x2**2)
    for g in tape.gradient(y, [x0, x1, x2, x3]):
        print(g)
    return [v.name for v in tape.watched_variables()]


@case("tape/guides", "an error is caught by class and printed")
def _(tf):
    image, delta = tf.Variable([[[0.5, 0.0, 0.0]]]), tf.Variable(0.1)
    with tf.GradientTape() as tape:
        new_image = tf.image.adjust_contrast(image, delta)
    try:
        tape.gradient(new_image, [image, delta])
    except LookupError as e:
        print(f"{type(e).__name__}: {e}")


@case("tape/guides", "the shapes of weights and their gradients, printed")
def _(tf):
    w, b = tf.Variable(tf.ones((3, 2)), name="w"), tf.Variable(tf.zeros(2, dtype=tf.float32), name="b")
    x = [[1.0, 2.0, 3.0]]
    with tf.GradientTape(persistent=True) as tape:
        y = x @ w + b
        loss = tf.reduce_mean(y**2)
    [dl_dw, dl_db] = tape.gradient(loss, [w, b])
    print(w.shape, dl_dw.shape)
    print(tape.gradient(loss, {"w": w, "b": b})["b"], repr(dl_db))


@case("tape/guides", "zeros instead of None, printed")
def _(tf):
    x, y = tf.Variable([2.0, 2.0]), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        z = y**2
    print(tape.gradient(z, x, unconnected_gradients=tf.UnconnectedGradients.ZERO))


@case("tape/guides", "a module's trainable variables as sources")
def _(tf):
    class Dense(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = tf.Variable(tf.ones([3, 2]), name="kernel")
            self.b = tf.Variable(tf.zeros([2]), name="bias")

        def __call__(self, x):
            return tf.nn.relu(x @ self.w + self.b)

    layer = Dense()
    x = tf.constant([[1.0, 2.0, 3.0]])
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(layer(x) ** 2)
    grads = tape.gradient(loss, layer.trainable_variables)
    for v, g in zip(layer.trainable_variables, grads, strict=True):
        print(f"{v.name}, shape: {g.shape}")
    return grads


@case("tape/guides", "the first cells: values as numpy prints them")
def _(tf):
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x**2
    print(tape.gradient(y, x).numpy())
    c = tf.constant([1, 3.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(c)
        y = c * c
        z = y * y
    print(tape.gradient(z, c).numpy(), tape.gradient(y, c).numpy())
    del tape
