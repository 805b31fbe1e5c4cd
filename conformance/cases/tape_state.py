"""State stops gradients; memory and depth; what a program sees printed."""

import gc
import weakref

import numpy as np

from conformance.registry import case

STATE, MEMORY = "tape/state", "tape/memory and depth"


@case(STATE, "assign_add does not differentiate to what was added")
def _(tf):
    x, s = tf.Variable(3.0), tf.Variable(1.0)
    with tf.GradientTape() as tape:
        s.assign_add(x)
        y = s * s
    return y, tape.gradient(y, [x, s])


@case(STATE, "assign, assign_add and assign_sub cut the path")
def _(tf):
    answers = {}
    for name in ("assign", "assign_add", "assign_sub"):
        w, v = tf.Variable(2.0), tf.Variable(5.0)
        with tf.GradientTape() as tape:
            getattr(v, name)(w * w)
            y = v * w
        answers[name] = y, tape.gradient(y, [w, v])
    return answers


@case(STATE, "scatter updates cut the path")
def _(tf):
    answers = {}
    for name in ("scatter_add", "scatter_sub", "scatter_mul", "scatter_div", "scatter_max", "scatter_min", "scatter_update"):
        w, v = tf.Variable([2.0]), tf.Variable([5.0, 6.0])
        with tf.GradientTape() as tape:
            getattr(v, name)(tf.IndexedSlices(w * 2.0, tf.constant([1])))
            y = v * v
        answers[name] = v, tape.gradient(y, [w, v])
    return answers


@case(STATE, "the result of assign_add differentiates to the variable")
def _(tf):
    v = tf.Variable(5.0)
    with tf.GradientTape(persistent=True) as tape:
        r = v.assign_add(1.0)
        y = r * r
    return y, tape.gradient(y, v), tape.gradient(r, v)


@case(STATE, "a value read before an assignment keeps its path")
def _(tf):
    v = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        before = v * v
        v.assign(10.0)
        after = v * v
        y = before + after
    return y, tape.gradient(y, v)


@case(STATE, "an assignment after the forward pass does not change the gradient")
def _(tf):
    v = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = v * v
    v.assign(100.0)
    return tape.gradient(y, v)


@case(STATE, "an assignment between two questions")
def _(tf):
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        y = v**3
    first = tape.gradient(y, v)
    v.assign([50.0, 60.0])
    return first, tape.gradient(y, v)


@case(STATE, "a variable replaced by a tensor loses the watch")
def _(tf):
    x = tf.Variable(2.0)
    seen = []
    for _ in range(2):
        with tf.GradientTape() as tape:
            y = x + 1
        seen.append((type(x).__name__, tape.gradient(y, x)))
        x = x + 1
    return seen


@case(STATE, "a loop of gradient steps")
def _(tf):
    v = tf.Variable([5.0, -3.0])
    losses = []
    for _ in range(5):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((v - [1.0, 2.0]) ** 2)
        v.assign_sub(0.25 * tape.gradient(loss, v))
        losses.append(loss)
    return v, losses


@case(STATE, "a variable made inside the context")
def _(tf):
    with tf.GradientTape() as tape:
        x = tf.Variable(2.0)
        v = tf.Variable(x * 3.0)
        y = v * x
    return tape.gradient(y, [x, v])


@case(STATE, "dependencies through a constraint")
def _(tf):
    v = tf.Variable([-1.0, 2.0], constraint=lambda x: tf.maximum(x, 0.0))
    with tf.GradientTape() as tape:
        y = v * v
    return tape.gradient(y, v), v.constraint(v)


@case(MEMORY, "a tape that has answered lets go of what backward needed")
def _(tf):
    class Held:
        pass

    def make():
        held = Held()

        @tf.custom_gradient
        def keep(x):
            token = held
            return x * 1.0, lambda dy: dy if token else None

        return keep, weakref.ref(held)

    keep, held = make()
    v = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = keep(v)
    del keep
    gc.collect()
    before = held() is not None
    g = tape.gradient(y, v)
    gc.collect()
    return before, g, held() is None


@case(MEMORY, "a thousand ops in a row")
def _(tf):
    v = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = v
        for _ in range(1000):
            y = y + 0.5
    return y, tape.gradient(y, v)


@case(MEMORY, "deeper than the python stack")
def _(tf):
    v = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = v
        for _ in range(20_000):
            y = -y
    return y, tape.gradient(y, v)


@case(MEMORY, "many uses of one variable")
def _(tf):
    v = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = tf.add_n([v * float(i) for i in range(500)])
    return y, tape.gradient(y, v)


@case(MEMORY, "a fibonacci of additions")
def _(tf):
    v = tf.Variable(1.0, dtype=tf.float64)
    with tf.GradientTape() as tape:
        a, b = v * 1.0, v * 1.0
        for _ in range(50):
            a, b = b, a + b
    return b, tape.gradient(b, v)


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


@case("tape/guides", "sigmoid over a range, and the gradients of sin and softplus")
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

