"""Several threads on variables, functions and tapes: whatever the order in which they run, the answer is the same."""

import threading
from functools import partial
from multiprocessing.pool import ThreadPool

from conformance.helpers import raises
from conformance.registry import case

threads = partial(case, "threads")


def at_once(*functions):
    """The results of functions that run on threads of their own, or the classes of what they raise."""
    with ThreadPool(len(functions)) as pool:
        return [r.get() for r in [pool.apply_async(raises, (f,)) for f in functions]]


def times(count, work):
    """`work`, so many times in a row."""

    def run():
        for _ in range(count):
            work()

    return run


@threads("adding to a variable loses nothing")
def _(tf):
    v = tf.Variable([0.0, 10.0])
    at_once(*[times(50, lambda: v.assign_add([1.0, 2.0]))] * 4)
    return v


@threads("subtracting from an integer variable loses nothing")
def _(tf):
    v = tf.Variable(1000)
    at_once(*[times(50, lambda: v.assign_sub(2))] * 4)
    return v


@threads("rows that are added to one variable")
def _(tf):
    v = tf.Variable(tf.zeros([3, 2]))

    def work(i):
        return times(25, lambda: v.scatter_add(tf.IndexedSlices(tf.ones([1, 2]), tf.constant([i]))))

    at_once(*[work(i) for i in (0, 1, 1, 2)])
    return v


@threads("each thread assigns a slice of its own")
def _(tf):
    v = tf.Variable(tf.zeros([4]))

    def work(i):
        def run():
            for k in range(20):
                v[i].assign(10.0 * i + k)

        return run

    at_once(*[work(i) for i in range(4)])
    return v


@threads("a function of state adds in each thread")
def _(tf):
    v = tf.Variable([0.0, 0.0])

    @tf.function
    def add(x):
        v.assign_add(x)
        return tf.shape(x)

    add(tf.zeros([2]))
    at_once(*[times(25, lambda: add(tf.constant([1.0, 3.0])))] * 4)
    return v, add.experimental_get_tracing_count()


@threads("a pool maps a function over tensors")
def _(tf):
    @tf.function
    def f(x):
        return tf.reduce_sum(x * x)

    with ThreadPool(4) as pool:
        return pool.map(f, [tf.constant([float(i), 1.0]) for i in range(8)]), f.experimental_get_tracing_count()


@threads("a pool maps a function over several kinds of arguments")
def _(tf):
    @tf.function
    def f(x):
        return tf.reduce_sum(x) * 2

    inputs = [tf.constant([1.0]), tf.constant([1, 2]), tf.constant([1.0, 2.0])] * 4
    with ThreadPool(3) as pool:
        return pool.map(f, inputs), f.experimental_get_tracing_count()


@threads("the variable of the first call serves all threads")
def _(tf):
    made = []

    class Layer(tf.Module):
        w = None

        @tf.function
        def __call__(self, x):
            if self.w is None:
                self.w = tf.Variable(3.0)
                made.append(1)
            return self.w * x

    layer = Layer()
    layer(tf.constant(1.0))
    with ThreadPool(4) as pool:
        return pool.map(lambda i: layer(tf.constant(float(i))), range(4)), len(made)


@threads("a tape does not see another thread")
def _(tf):
    w = tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        y = w * w
        with ThreadPool(1) as pool:
            z = pool.apply(lambda: w * 5.0)
        total = y + z
    return tape.gradient(total, w), tape.gradient(z, w)


@threads("a tape goes on where another thread reads its values")
def _(tf):
    w, v = tf.Variable(2.0), tf.Variable(0.0)
    with tf.GradientTape(persistent=True) as tape:
        v.assign_add(1.0)
        y = w * 3.0
        with ThreadPool(1) as pool:
            seen = pool.apply(lambda: (float(v), float(y)))
        y = y * w
    return seen, tape.gradient(y, w)


@threads("a tape is asked by another thread after its context")
def _(tf):
    w = tf.Variable([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        y = w * w
        z = tf.reduce_sum(y * w)
    with ThreadPool(2) as pool:
        return pool.map(lambda t: tape.gradient(t, w), [y, z])


@threads("each thread has tapes of its own")
def _(tf):
    w = tf.Variable(2.0)

    def work(k):
        def run():
            with tf.GradientTape() as tape:
                y = w * w * float(k)
            return tape.gradient(y, w)

        return run

    return at_once(*[work(k) for k in range(4)])


@threads("an assertion fails in its thread only")
def _(tf):
    @tf.function
    def f(x):
        tf.debugging.assert_positive(x)
        return x * 2.0

    def work(x):
        return lambda: f(tf.constant(x))

    return at_once(work(1.0), work(-1.0), work(2.0), work(-2.0))


@threads("an error of tracing is raised in its thread only")
def _(tf):
    @tf.function
    def f(x):
        if x.shape.rank == 1:
            raise KeyError("a vector")
        return x + 1.0

    return at_once(lambda: f(tf.constant(1.0)), lambda: f(tf.constant([1.0])), lambda: f(tf.constant([[1.0]])))


@threads("functions that run eagerly do so in every thread")
def _(tf):
    ran = []

    @tf.function
    def f(x):
        ran.append(tf.executing_eagerly())
        return x + 1.0

    tf.config.run_functions_eagerly(True)
    try:
        with ThreadPool(2) as pool:
            found = pool.map(lambda i: f(tf.constant(float(i))), range(4))
    finally:
        tf.config.run_functions_eagerly(False)
    return found, ran


@threads("a thread that starts while a function is traced is eager")
def _(tf):
    seen = []

    @tf.function
    def f(x):
        thread = threading.Thread(
            target=lambda: seen.append((tf.executing_eagerly(), (tf.constant(2.0) * 3.0).numpy()))
        )
        thread.start()
        thread.join()
        return x + 1.0

    return f(tf.constant(1.0)), seen


@threads("init_scope inside a function reads and assigns")
def _(tf):
    v = tf.Variable(1.0)
    seen = []

    @tf.function
    def f(x):
        with tf.init_scope():
            seen.append((tf.executing_eagerly(), v.numpy()))
            v.assign(5.0)
        return v * x

    return f(tf.constant(2.0)), f(tf.constant(3.0)), seen


@threads("name scopes belong to their thread")
def _(tf):
    with tf.name_scope("outer"), ThreadPool(1) as pool:
        return pool.apply(lambda: tf.Variable(1.0, name="v").name), tf.Variable(1.0, name="v").name


@threads("counting up gives each number once")
def _(tf):
    v = tf.Variable(0)
    found = at_once(*[lambda: [int(v.count_up_to(40)) for _ in range(10)]] * 4)
    return sorted(n for r in found for n in r["returned"]), raises(lambda: v.count_up_to(40))
