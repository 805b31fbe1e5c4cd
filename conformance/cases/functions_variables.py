"""Variables and other state inside `tf.function`: made once, read, assigned, shared, and in order."""

from functools import partial

from conformance.helpers import raises
from conformance.registry import case

variables = partial(case, "functions/variables")


@variables("made on the first call, used on the next ones")
def _(tf):
    class Counter(tf.Module):
        def __init__(self):
            super().__init__()
            self.count = None

        @tf.function
        def __call__(self):
            if self.count is None:
                self.count = tf.Variable(0)
            return self.count.assign_add(1)

    c, d = Counter(), Counter()
    return [c(), c(), c(), d()], c.count, isinstance(c.count, tf.Variable), c.trainable_variables


@variables("a variable at each call is refused")
def _(tf):
    @tf.function
    def f(x):
        v = tf.Variable(1.0)
        return v * x

    return raises(lambda: f(tf.constant(2.0)))


@variables("a variable that only another trace makes is refused")
def _(tf):
    made = []

    @tf.function
    def f(x):
        if len(made) < 2:
            made.append(tf.Variable(x))
        return made[-1] + x

    return raises(lambda: f(tf.constant(1.0))), len(made)


@variables("its initial value may be computed from the arguments")
def _(tf):
    state = {}

    @tf.function
    def f(x):
        if "v" not in state:
            state["v"] = tf.Variable(x * 2.0)
        return state["v"] + x

    return f(tf.constant(1.0)), f(tf.constant(10.0)), state["v"]


@variables("assignments are seen by later reads of the same call")
def _(tf):
    v = tf.Variable(1.0)

    @tf.function
    def f():
        a = v + 0.0
        v.assign(5.0)
        b = v + 0.0
        v.assign_add(1.0)
        v.assign_sub(0.5)
        return a, b, v.read_value(), v

    return f(), v, f()


@variables("assignments happen even if nothing that depends on them is returned")
def _(tf):
    v, w = tf.Variable(1.0), tf.Variable(1.0)

    @tf.function
    def f(x):
        v.assign(x)
        w.assign(v * 2.0)
        v.assign(x + 1.0)
        return x

    return f(tf.constant(3.0)), v, w


@variables("in branches that run only")
def _(tf):
    v = tf.Variable(0)

    @tf.function
    def f(flag):
        if flag:
            v.assign_add(1)
        else:
            v.assign_sub(10)
        return v.read_value()

    return f(tf.constant(True)), f(tf.constant(False)), f(tf.constant(True)), v


@variables("in loops, as often as they run")
def _(tf):
    v, w = tf.Variable(1.0), tf.Variable([0.0, 0.0])

    @tf.function
    def f(n):
        for i in tf.range(n):
            v.assign(v * 2.0)
            w.assign_add([1.0, tf.cast(i, tf.float32)])
        return v + 0.0

    return f(tf.constant(3)), v, w, f(tf.constant(0)), f(tf.constant(2)), w


@variables("in called functions")
def _(tf):
    v = tf.Variable(1.0)

    @tf.function
    def bump(by):
        v.assign_add(by)
        return v * 1.0

    @tf.function
    def f():
        a = bump(1.0)
        v.assign(v * 10.0)
        b = bump(2.0)
        return a, b, v + 0.0

    return f(), v, f()


@variables("scatter updates")
def _(tf):
    v = tf.Variable([1.0, 2.0, 3.0])

    @tf.function
    def f(i, x):
        v.scatter_nd_update([[i]], [x])
        v.scatter_add(tf.IndexedSlices(tf.constant([10.0, 10.0]), tf.constant([0, 0])))
        v[1].assign(-1.0)
        return v.sparse_read([2, 0])

    return f(tf.constant(2), tf.constant(7.0)), v


@variables("of other dtypes and of no fixed shape")
def _(tf):
    text = tf.Variable(["a", "b"])
    flags = tf.Variable([True, False])
    loose = tf.Variable([1.0], shape=tf.TensorShape([None]))

    @tf.function
    def f(x):
        text.assign(["c", "d"])
        flags.assign(tf.logical_not(flags))
        loose.assign(x)
        return loose.shape.as_list() == [None], tf.size(loose), tf.reduce_sum(loose)

    return f(tf.constant([1.0, 2.0])), f(tf.constant([1.0, 2.0, 3.0])), text, flags, loose


@variables("a wrong shape is refused while tracing")
def _(tf):
    v = tf.Variable([1.0, 2.0])

    @tf.function
    def f():
        v.assign([1.0, 2.0, 3.0])

    @tf.function
    def g():
        v.assign_add([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])

    @tf.function
    def h():
        v.assign(tf.constant([1, 2]))

    return raises(f), raises(g), raises(h), v


@variables("a function that fails while it is traced leaves them alone")
def _(tf):
    v = tf.Variable(1.0)

    @tf.function
    def f(x, fail):
        v.assign(x)
        if fail:
            raise KeyError("planned")
        return v * 2.0

    return raises(lambda: f(tf.constant(5.0), True)), v.numpy(), f(tf.constant(6.0), False), v


@variables("a function that fails while it runs")
def _(tf):
    v = tf.Variable(1.0)

    @tf.function
    def f(x):
        tf.debugging.assert_positive(x)
        v.assign(x)
        return v * 2.0

    return f(tf.constant(2.0)), raises(lambda: f(tf.constant(-2.0))), f(tf.constant(3.0)), v


@variables("init_scope reads and makes outside")
def _(tf):
    made = []
    v = tf.Variable(3.0)

    @tf.function
    def f(x):
        with tf.init_scope():
            if not made:
                made.append(tf.Variable(v * 2.0))
        return made[0] + x

    return f(tf.constant(1.0)), f(tf.constant(2.0)), v, made[0]


@variables("a variable that is gone")
def _(tf):
    def make():
        v = tf.Variable(2.0)
        return tf.function(lambda x: x * v), tf.function(lambda: v.assign_add(1.0)).get_concrete_function(), v

    f, c, v = make()
    first = f(tf.constant(1.0)), c()
    del v
    return first, raises(lambda: f(tf.constant(1.0)))


@variables("control dependencies are automatic")
def _(tf):
    v = tf.Variable(0.0)

    @tf.function
    def f():
        a = v.assign_add(1.0)
        b = v * 10.0
        v.assign(100.0)
        c = tf.identity(v)
        with tf.control_dependencies([v.assign(7.0)]):
            d = v.read_value()
        return a, b, c, d

    return f(), v


@variables("optimizer steps in a function")
def _(tf):
    w, b = tf.Variable([[1.0], [2.0]]), tf.Variable(0.5)
    optimizer = tf.optimizers.SGD(0.1)

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((x @ w + b - y) ** 2)
        optimizer.apply_gradients(zip(tape.gradient(loss, [w, b]), [w, b], strict=True))
        return loss

    x, y = tf.constant([[1.0, 2.0], [3.0, -1.0]]), tf.constant([[1.0], [0.0]])
    return [step(x, y) for _ in range(3)], w, b


@variables("lifted ones are trainable for a tape outside")
def _(tf):
    state = []

    @tf.function
    def f(x):
        if not state:
            state.append(tf.Variable([2.0, 3.0], name="lifted"))
        return tf.reduce_sum(state[0] * x)

    with tf.GradientTape() as tape:
        y = f(tf.constant([1.0, 4.0]))
    return y, tape.gradient(y, state[0]), [v.name for v in tape.watched_variables()]


@variables("random generators advance")
def _(tf):
    g = tf.random.Generator.from_seed(3)

    @tf.function
    def f():
        return g.normal([2]), g.uniform([1])

    first, second = f(), f()
    g.reset_from_seed(3)
    return first, second, f()


@variables("a list of variables, indexed by a Python number")
def _(tf):
    layers = [tf.Variable(float(i)) for i in range(3)]

    @tf.function
    def f(i, x):
        layers[i].assign(x)
        return tf.add_n([v.read_value() for v in layers])

    return [f(i, tf.constant(10.0)) for i in range(3)], layers


@variables("python lists and dictionaries are changed while tracing only")
def _(tf):
    seen, where = [], {}

    @tf.function
    def f(x):
        seen.append(x)
        where["x"] = x.shape
        return x

    f(tf.constant(1))
    f(tf.constant(2))
    return len(seen), where, raises(lambda: seen[0] + 1), hasattr(seen[0], "numpy")


@variables("a counter as a default argument and as a global")
def _(tf):
    total = tf.Variable(0)

    @tf.function
    def f(x, total=total):
        total.assign_add(x)
        return total + 0

    return f(tf.constant(1)), f(tf.constant(2)), f(tf.constant(3), tf.Variable(100)), total


@variables("uninitialised by a condition: tf.cond around the making")
def _(tf):
    v = []

    @tf.function
    def f(flag):
        def make():
            v.append(tf.Variable(1.0))
            return v[-1] + 1.0

        return tf.cond(flag, make, lambda: tf.constant(0.0))

    return raises(lambda: f(tf.constant(True)))
