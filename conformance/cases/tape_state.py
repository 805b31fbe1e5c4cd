"""State stops gradients; memory and depth; what a program sees printed."""

import gc
import weakref

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
    for name in (
        "scatter_add",
        "scatter_sub",
        "scatter_mul",
        "scatter_div",
        "scatter_max",
        "scatter_min",
        "scatter_update",
    ):
        w, v = tf.Variable([2.0]), tf.Variable([5.0, 6.0])
        with tf.GradientTape() as tape:
            getattr(v, name)(tf.IndexedSlices(w * 2.0, tf.constant([1])))
            y = v * v
        answers[name] = v, tape.gradient(y, [w, v])
    return answers


@case(STATE, "between two assignments the variable is the variable")
def _(tf):
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        v.assign_add([1.0, 1.0])
        y = v * v
        v.assign(v * 3.0)
        z = v * v
        w = v.assign_add([1.0, 1.0]) * 2.0
        u = v * 5.0
    return [tape.gradient(t, v) for t in (y, z, w, u)], v


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
