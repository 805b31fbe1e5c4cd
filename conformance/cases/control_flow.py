"""`tf.cond`, `case`, `switch_case`, `while_loop`, `map_fn`, `scan`, folds, `vectorized_map`; checks, groups, dependencies."""

from functools import partial

import numpy as np

from conformance.helpers import derivatives, in_fresh_process, raises
from conformance.registry import case

choose = partial(case, "control flow/choosing")
repeat = partial(case, "control flow/while_loop")
along = partial(case, "control flow/maps and folds")
check = partial(case, "control flow/checks")


def here_and_inside(tf, body, *args):
    """What `body` gives eagerly, and in a function; each may be an exception."""
    return raises(lambda: body(*args)), raises(lambda: tf.function(body)(*args))


def both(tf, body, x):
    """Value, first and second derivative eagerly and in a function."""
    return [derivatives(tf, f, x) for f in (body, tf.function(body))]


def forward(tf, body, x):
    """The derivative along ones in forward mode, eagerly and in a function; eagerly also that of it backward."""
    x = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as acc:
            y = body(x)
        d = acc.jvp(y)
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as inside:
        y = tf.function(body)(x)
    return d, tape.gradient(d, x), inside.jvp(y)


# -- choosing ---------------------------------------------------------------------------------------------------------


@choose("cond")
def _(tf):
    def f(x):
        return tf.cond(x > 0, lambda: x * 2, lambda: x - 1)

    return here_and_inside(tf, f, tf.constant(3)), here_and_inside(tf, f, tf.constant(-3))


@choose("cond: nests, None, Python values, no result")
def _(tf):
    def nest(x):
        return tf.cond(x > 0, lambda: {"a": x, "b": [x, (x,)]}, lambda: {"a": -x, "b": [x, (x,)]})

    def nothing(x):
        return tf.cond(x > 0, lambda: None, lambda: None)

    def numbers(x):
        return tf.cond(x > 0, lambda: 1, lambda: 2), tf.cond(x > 0, lambda: (1.0, [2]), lambda: (3.0, [4]))

    def one(x):
        return tf.cond(x > 0, lambda: [x], lambda: [-x])

    return [here_and_inside(tf, f, tf.constant(-3)) for f in (nest, nothing, numbers, one)]


@choose("cond: results that do not match")
def _(tf):
    def number(x):
        return tf.cond(x > 0, lambda: (x, x), lambda: x)

    def more(x):
        return tf.cond(x > 0, lambda: (x, x), lambda: (x,))

    def kinds(x):
        return tf.cond(x > 0, lambda: (x, x), lambda: [x, x])

    def dtypes(x):
        return tf.cond(x > 0, lambda: x, lambda: tf.cast(x, tf.float32))

    def none(x):
        return tf.cond(x > 0, lambda: x, lambda: None)

    def keys(x):
        return tf.cond(x > 0, lambda: {"a": x}, lambda: {"b": x})

    return [raises(lambda f=f: tf.function(f)(tf.constant(1))) for f in (number, more, kinds, dtypes, none, keys)]


@choose("cond: results of different shapes")
def _(tf):
    shapes = []

    @tf.function
    def sizes(x):
        y = tf.cond(x > 0, lambda: tf.zeros([2, 3]), lambda: tf.ones([4, 3]))
        shapes.append(y.shape)
        return y, tf.shape(y)

    return sizes(tf.constant(1)), sizes(tf.constant(-1)), shapes


@choose("cond: results of different rank")
def _(tf):
    shapes = []

    @tf.function
    def ranks(x):
        y = tf.cond(x > 0, lambda: tf.zeros([2]), lambda: tf.ones([2, 1]))
        shapes.append(y.shape)
        return y

    return ranks(tf.constant(1)), ranks(tf.constant(-1)), shapes


@choose("cond: predicates")
def _(tf):
    def run(pred):
        return tf.cond(pred, lambda: tf.constant("yes"), lambda: tf.constant("no"))

    return (
        here_and_inside(tf, run, tf.constant(False)),
        here_and_inside(tf, run, tf.Variable(True)),
        raises(lambda: run(True)),
        raises(lambda: tf.function(lambda: run(True))()),
        raises(lambda: run(np.bool_(False))),
        raises(lambda: tf.function(run)(tf.constant([True]))),
        raises(lambda: tf.function(run)(tf.constant([True, False]))),
        raises(lambda: tf.cond(tf.constant(True), tf.constant(1), tf.constant(2))),
        raises(lambda: tf.cond(tf.constant(True), lambda: 1)),
    )


@choose("cond: only the chosen branch has effects")
def _(tf):
    v = tf.Variable(0)

    @tf.function
    def f(flag):
        tf.cond(flag, lambda: v.assign_add(1), lambda: v.assign_add(100))
        return v.read_value()

    return f(tf.constant(True)), f(tf.constant(False)), v


@choose("cond: derivatives")
def _(tf):
    def f(x):
        return tf.cond(tf.reduce_sum(x) > 0.0, lambda: x**3, lambda: tf.sin(x))

    return both(tf, f, [1.0, 2.0]), both(tf, f, [-1.0, -2.0]), forward(tf, f, [1.0, 2.0])


@choose("cond: derivatives of what is captured, None for what is not used")
def _(tf):
    v, w = tf.Variable(2.0), tf.Variable(3.0)

    @tf.function
    def f(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = tf.cond(x > 0.0, lambda: x * v, lambda: x * 5.0)
        return tape.gradient(y, [x, v]), tape.gradient(y, w)

    return f(tf.constant(2.0)), f(tf.constant(-2.0))


@choose("cond in cond")
def _(tf):
    def f(x):
        return tf.cond(
            x > 0.0,
            lambda: tf.cond(x > 10.0, lambda: x * x, lambda: x * 2.0),
            lambda: tf.cond(x < -10.0, lambda: -x, lambda: tf.constant(0.0)),
        )

    return [both(tf, f, v) for v in (20.0, 2.0, -20.0, -2.0)]


@choose("switch_case")
def _(tf):
    def f(i):
        return tf.switch_case(i, [lambda: i, lambda: i * 10, lambda: i * 100])

    def with_default(i):
        return tf.switch_case(i, {0: lambda: 1, 1: lambda: 2}, default=lambda: -1)

    return (
        [here_and_inside(tf, f, tf.constant(i)) for i in (0, 2, 7, -1)],
        [here_and_inside(tf, with_default, tf.constant(i)) for i in (0, 1, 2, -1)],
        here_and_inside(tf, f, tf.constant(1, tf.int64)),
    )


@choose("switch_case: what is refused")
def _(tf):
    i = tf.constant(0)
    return (
        raises(lambda: tf.switch_case(i, [])),
        raises(lambda: tf.switch_case(i, {0: lambda: 1, 2: lambda: 2})),
        raises(lambda: tf.switch_case(0, [lambda: 1])),
        raises(lambda: tf.switch_case(tf.constant(0.0), [lambda: 1])),
        raises(lambda: tf.switch_case(i, [1])),
    )


@choose("switch_case: derivatives")
def _(tf):
    def at(i):
        return lambda x: tf.switch_case(tf.constant(i), [lambda: x * x, lambda: tf.exp(x), lambda: tf.constant(1.0)])

    return [both(tf, at(i), 2.0) for i in (0, 1)], forward(tf, at(1), 2.0)


@choose("case")
def _(tf):
    def f(x):
        pairs = [(x > 10, lambda: x * 2), (x > 5, lambda: x + 1)]
        return tf.case(pairs, default=lambda: -x)

    def none(x):
        return tf.case([(x > 10, lambda: x)])

    def exclusive(x):
        return tf.case([(x > 10, lambda: x), (x > 5, lambda: -x)], default=lambda: x * 0, exclusive=True)

    return (
        [here_and_inside(tf, f, tf.constant(v)) for v in (20, 7, 1)],
        [here_and_inside(tf, none, tf.constant(v)) for v in (20, 1)],
        [here_and_inside(tf, exclusive, tf.constant(v)) for v in (20, 7, 1)],
    )


# -- while_loop -------------------------------------------------------------------------------------------------------


@repeat("one variable, several, nests, and what comes back")
def _(tf):
    def one(n):
        return tf.while_loop(lambda i: i < n, lambda i: i + 1, [tf.constant(0)])

    def alone(n):
        return tf.while_loop(lambda i: i < n, lambda i: i + 1, (tf.constant(0),))

    def several(n):
        return tf.while_loop(lambda i, x: i < n, lambda i, x: (i + 1, x * 2.0), (0, 1.0))

    def nest(n):
        return tf.while_loop(
            lambda i, d: i < n, lambda i, d: [i + 1, {"a": d["a"] + i, "b": (d["b"][0] * 2,)}], [0, {"a": 0, "b": (1,)}]
        )

    return [here_and_inside(tf, f, tf.constant(3)) for f in (one, alone, several, nest)]


@repeat("maximum_iterations")
def _(tf):
    def f(n):
        return tf.while_loop(lambda i: i < 100, lambda i: i + 1, [0], maximum_iterations=n)

    return (
        here_and_inside(tf, lambda: tf.while_loop(lambda i: i < 100, lambda i: i + 1, [0], maximum_iterations=4)),
        here_and_inside(tf, f, tf.constant(5)),
        here_and_inside(tf, lambda: tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0], maximum_iterations=9)),
    )


@repeat("shape_invariants")
def _(tf):
    def f(n):
        return tf.while_loop(
            lambda i, x: i < n,
            lambda i, x: (i + 1, tf.concat([x, [i]], 0)),
            [0, tf.zeros([0], tf.int32)],
            shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])],
        )[1]

    def without(n):
        return tf.while_loop(
            lambda i, x: i < n, lambda i, x: (i + 1, tf.concat([x, [i]], 0)), [0, tf.zeros([0], tf.int32)]
        )[1]

    return here_and_inside(tf, f, tf.constant(4)), here_and_inside(tf, without, tf.constant(4))


@repeat("what is refused")
def _(tf):
    start = [tf.constant(0)]
    bodies = (
        lambda: tf.while_loop(1, lambda i: i, start),
        lambda: tf.while_loop(lambda i: i < 3, 1, start),
        lambda: tf.while_loop(lambda i: i < 3, lambda i: i + 1, []),
        lambda: tf.while_loop(lambda i: i < 3, lambda i: (i + 1, i), start),
        lambda: tf.while_loop(lambda i: i < 3, lambda i: tf.cast(i + 1, tf.float32), start),
        lambda: tf.while_loop(lambda i: i, lambda i: i + 1, start),
        lambda: tf.while_loop(lambda i: i < 3, lambda i, j: i + 1, start),
    )
    return [raises(lambda b=b: tf.function(b)()) for b in bodies], [raises(b) for b in bodies[:3]]


@repeat("a condition that depends on captured tensors and variables")
def _(tf):
    v = tf.Variable(10.0)

    @tf.function
    def f(x):
        def body(y):
            v.assign_sub(1.0)
            return y * x

        return tf.while_loop(lambda y: y < v, body, [x])

    return f(tf.constant(2.0)), v


@repeat("derivatives, where nobody knows how often it runs")
def _(tf):
    def f(x):
        return tf.while_loop(lambda y: tf.reduce_sum(y) < 100.0, lambda y: [y * x], [x])[0]

    return both(tf, f, [2.0, 3.0]), forward(tf, f, [2.0, 3.0])


@repeat("derivatives with maximum_iterations, and of a loop that does not run")
def _(tf):
    def bounded(x):
        return tf.while_loop(lambda y: y < 1000.0, lambda y: [y * x], [x], maximum_iterations=3)[0]

    def never(x):
        return tf.while_loop(lambda y: y < 0.0, lambda y: [y * x], [x])[0]

    return both(tf, bounded, 2.0), both(tf, never, 2.0)


@repeat("derivatives of what is captured")
def _(tf):
    w = tf.Variable([[0.5, 0.1], [-0.2, 0.4]])

    @tf.function
    def f(x, n):
        return tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, tf.tanh(y @ w)), (0, x))[1]

    x = tf.constant([[1.0, 2.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x, tf.constant(3))
    return y, tape.gradient(y, [x, w])


@repeat("a loop in a loop, differentiated")
def _(tf):
    def f(x):
        def outer(i, y):
            inner = tf.while_loop(lambda j, z: j < i, lambda j, z: (j + 1, z * x), (0, tf.ones_like(x)))[1]
            return i + 1, y + inner

        return tf.while_loop(lambda i, y: i < 4, outer, (0, x))[1]

    return both(tf, f, 2.0)


@repeat("a cond in a loop, differentiated")
def _(tf):
    def f(x):
        def body(i, y):
            return i + 1, tf.cond(i % 2 == 0, lambda: y * x, lambda: y + tf.sin(x))

        return tf.while_loop(lambda i, y: i < 5, body, (0, x))[1]

    return both(tf, f, 1.5), forward(tf, f, 1.5)


@repeat("the jacobian of a loop")
def _(tf):
    x = tf.constant([1.0, 2.0])

    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, y * x * x[0]), (0, x))[1]
        return y, tape.jacobian(y, x)

    return f(x)


@repeat("an integer path, and a loop variable that gets no gradient")
def _(tf):
    x = tf.constant(2.0)

    @tf.function
    def f(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            i, y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * 2.0), (0, x))
            z = tf.while_loop(lambda z: z < 3.0, lambda z: [z + 1.0], [0.0])[0]
        return tape.gradient(y, x), tape.gradient(tf.cast(i, tf.float32), x), tape.gradient(z, x)

    return f(x)


# -- maps and folds ---------------------------------------------------------------------------------------------------


@along("map_fn")
def _(tf):
    def f(x):
        return tf.map_fn(lambda row: tf.reduce_sum(row) * row, x)

    return here_and_inside(tf, f, tf.constant([[1.0, 2.0], [3.0, 4.0]]))


@along("map_fn: nests and signatures")
def _(tf):
    def pair(x):
        return tf.map_fn(lambda t: t[0] * t[1], (x, x + 1))

    def split(x):
        return tf.map_fn(
            lambda a: (a, {"f": tf.cast(a, tf.float32)}), x, fn_output_signature=(tf.int32, {"f": tf.float32})
        )

    def spec(x):
        return tf.map_fn(lambda a: tf.fill([2], a), x, fn_output_signature=tf.TensorSpec([2], tf.int32))

    def wrong(x):
        return tf.map_fn(lambda a: tf.cast(a, tf.float32), x)

    x = tf.constant([1, 2, 3])
    return [here_and_inside(tf, f, x) for f in (pair, split, spec, wrong)]


@along("map_fn: refused, and over nothing")
def _(tf):
    return (
        raises(lambda: tf.map_fn(lambda x: x, tf.constant(1))),
        raises(lambda: tf.map_fn(lambda t: t[0], (tf.ones([2]), tf.ones([3])))),
        here_and_inside(tf, lambda: tf.map_fn(lambda x: x * 2.0, tf.zeros([0, 2]))),
    )


@along("map_fn: derivatives")
def _(tf):
    def f(x):
        return tf.map_fn(lambda row: row**3 * tf.reduce_sum(x), x)

    return both(tf, f, [1.0, 2.0]), forward(tf, f, [1.0, 2.0])


@along("map_fn: conditions inside")
def _(tf):
    def f(x):
        def one(a):
            if a > 0:
                return a * 2
            return tf.zeros_like(a)

        return tf.map_fn(one, x)

    return here_and_inside(tf, f, tf.constant([1, -2, 3]))


@along("scan: cumulative results, initializer, reverse")
def _(tf):
    def plain(x):
        return tf.scan(lambda a, b: a + b, x)

    def started(x):
        return tf.scan(lambda a, b: a * b, x, initializer=tf.constant(10))

    def backwards(x):
        return tf.scan(lambda a, b: a + b, x, reverse=True)

    def nest(x):
        return tf.scan(lambda a, b: (a[1], a[0] + b), x, initializer=(tf.constant(0), tf.constant(1)))

    x = tf.constant([1, 2, 3, 4])
    return [here_and_inside(tf, f, x) for f in (plain, started, backwards, nest)]


@along("scan: fibonacci, an unknown length")
def _(tf):
    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32)])
    def f(x):
        return tf.scan(lambda a, _: (a[1], a[0] + a[1]), x, initializer=(0, 1))

    return f(tf.range(6)), f(tf.range(2))


@along("scan: derivatives")
def _(tf):
    def f(x):
        return tf.scan(lambda a, b: tf.tanh(a * b + x[0]), x)

    return both(tf, f, [0.5, -1.0, 2.0]), forward(tf, f, [0.5, -1.0, 2.0])


@along("foldl and foldr")
def _(tf):
    def left(x):
        return tf.foldl(lambda a, b: a * 10 + b, x), tf.foldl(lambda a, b: a - b, x, initializer=100)

    def right(x):
        return tf.foldr(lambda a, b: a * 10 + b, x), tf.foldr(lambda a, b: a - b, x, initializer=100)

    x = tf.constant([1, 2, 3])
    return here_and_inside(tf, left, x), here_and_inside(tf, right, x)


@along("foldl and foldr: derivatives")
def _(tf):
    def f(x):
        return tf.foldl(lambda a, b: tf.sin(a) * b, x) + tf.foldr(lambda a, b: a * b * b, x)

    return both(tf, f, [0.5, -1.0, 2.0]), forward(tf, f, [0.5, -1.0, 2.0])


@along("vectorized_map")
def _(tf):
    def rows(x):
        return tf.vectorized_map(lambda r: tf.linalg.matvec(tf.reshape(r, [1, 2]), r), x)

    def pair(x):
        return tf.vectorized_map(lambda t: {"sum": t[0] + t[1], "first": t[0]}, (x, x * 2.0))

    return [here_and_inside(tf, f, tf.constant([[1.0, 2.0], [3.0, 4.0]])) for f in (rows, pair)]


@along("vectorized_map: derivatives")
def _(tf):
    def f(x):
        return tf.vectorized_map(lambda a: tf.exp(a) * x[0], x)

    x = tf.constant([0.5, -1.0])
    answers = []
    for g in (f, tf.function(f)):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = g(x)
        answers.append((y, tape.gradient(y, x)))
    return answers


@along("vectorized_map: gradients of each example")
def _(tf):
    w = tf.Variable([[1.0], [2.0]])

    def one(x):
        with tf.GradientTape() as tape:
            y = tf.reduce_sum((x[tf.newaxis] @ w) ** 2)
        return tape.gradient(y, w)

    x = tf.constant([[1.0, 0.0], [0.5, -1.0], [2.0, 2.0]])
    return tf.vectorized_map(one, x), tf.function(lambda x: tf.vectorized_map(one, x))(x)


# -- checks and dependencies ------------------------------------------------------------------------------------------


@check("Assert")
def _(tf):
    def f(x):
        tf.debugging.Assert(x > 0, ["x is", x])
        return x

    return here_and_inside(tf, f, tf.constant(1)), here_and_inside(tf, f, tf.constant(-1))


@check("assert_* of values")
def _(tf):
    d = tf.debugging
    x, y = tf.constant([1.0, 2.0]), tf.constant([1.0, 3.0])
    checks = (
        lambda: d.assert_equal(x, y),
        lambda: d.assert_none_equal(x, y),
        lambda: d.assert_less(x, y),
        lambda: d.assert_less_equal(x, y),
        lambda: d.assert_greater(y, x),
        lambda: d.assert_greater_equal(y, x),
        lambda: d.assert_positive(x),
        lambda: d.assert_negative(x),
        lambda: d.assert_non_negative(x),
        lambda: d.assert_non_positive(-x),
        lambda: d.assert_near(x, x + 1e-9),
        lambda: d.assert_near(x, y),
        lambda: d.assert_near(x, y, atol=2.0),
        lambda: d.assert_equal(x, 1.0),
        lambda: d.assert_all_finite(x / 0.0, "infinite"),
    )

    def run(f):
        f()
        return tf.constant(0)

    return [here_and_inside(tf, lambda c=c: run(c)) for c in checks]


@check("assert_* of values known only when running")
def _(tf):
    @tf.function
    def f(x, y):
        tf.debugging.assert_equal(x, y, message="equal")
        tf.debugging.assert_less(x, 10.0, message="small")
        tf.debugging.assert_near(x, y, message="near")
        return x + y

    one, two, ten = tf.constant(1.0), tf.constant(2.0), tf.constant(10.0)
    return f(one, one), raises(lambda: f(one, two), "equal"), raises(lambda: f(ten, ten), "small"), f(two, two)


@check("assert_* of shapes, ranks and types")
def _(tf):
    d = tf.debugging
    x = tf.ones([2, 3])
    checks = (
        lambda: d.assert_rank(x, 2),
        lambda: d.assert_rank(x, 3, message="three"),
        lambda: d.assert_rank_at_least(x, 2),
        lambda: d.assert_rank_at_least(x, 3),
        lambda: d.assert_rank_in(x, [1, 2]),
        lambda: d.assert_rank_in(x, [1, 3]),
        lambda: d.assert_scalar(x),
        lambda: d.assert_scalar(tf.constant(1)),
        lambda: d.assert_shapes([(x, ("N", 3)), (tf.ones([2]), ("N",))]),
        lambda: d.assert_shapes([(x, ("N", 3)), (tf.ones([3]), ("N",))]),
        lambda: d.assert_type(x, tf.float32),
        lambda: d.assert_type(x, tf.int32),
        lambda: d.assert_integer(x),
        lambda: d.assert_same_float_dtype([x, x]),
        lambda: d.assert_proper_iterable([x]),
        lambda: d.assert_proper_iterable(x),
        lambda: d.is_numeric_tensor(x),
    )

    def run(f):
        f()
        return tf.constant(0)

    return [here_and_inside(tf, lambda c=c: run(c)) for c in checks]


@check("check_numerics")
def _(tf):
    def f(x):
        return tf.debugging.check_numerics(tf.math.log(x), "the logarithm")

    return (
        here_and_inside(tf, f, tf.constant(1.0)),
        here_and_inside(tf, f, tf.constant(0.0)),
        here_and_inside(tf, f, tf.constant(-1.0)),
        raises(lambda: f(tf.constant(-1.0)), "the logarithm"),
        raises(lambda: tf.function(f)(tf.constant(0.0)), "the logarithm"),
        both(tf, f, 2.0),
    )


@check("enable_check_numerics finds the operation")
def _(tf):
    return in_fresh_process(
        tf,
        """
        from conformance.helpers import raises

        tf.debugging.enable_check_numerics()
        print(raises(lambda: tf.math.log(tf.constant([-1.0]))))
        print(raises(lambda: tf.constant([1.0]) / tf.constant([0.0])))
        print(raises(lambda: tf.function(lambda x: tf.sqrt(x) + 1.0)(tf.constant(-1.0))))
        print(raises(lambda: tf.sqrt(tf.constant(4.0)).numpy().item()))
        print(raises(lambda: tf.constant([float("inf")]).numpy().tolist()))
        tf.debugging.disable_check_numerics()
        print(raises(lambda: str(tf.math.log(tf.constant(-1.0)).numpy())))
        """,
    )


@check("group, no_op, tuple and control_dependencies")
def _(tf):
    v, w = tf.Variable(0), tf.Variable(0)

    @tf.function
    def f():
        done = tf.group(v.assign_add(1), w.assign_add(2))
        with tf.control_dependencies([done, tf.no_op()]):
            a = v + w
        return a, tf.group([v.assign_add(1)]) is None

    return f(), v, w, tf.group(v.assign_add(1)), tf.no_op()


@check("control_dependencies takes callables eagerly")
def _(tf):
    v = tf.Variable(0)
    with tf.control_dependencies([lambda: v.assign_add(1), v]):
        y = v + 0
    with tf.control_dependencies(None):
        z = v + 1
    return y, z


@check("identity, stop_gradient, ensure_shape, grad_pass_through in functions")
def _(tf):
    @tf.function
    def f(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            a = tf.identity(x) * 2.0
            b = tf.stop_gradient(x) * x
            c = tf.ensure_shape(x, []) ** 2
            d = tf.grad_pass_through(tf.round)(x) * 3.0
        return [tape.gradient(y, x) for y in (a, b, c, d)]

    return f(tf.constant(2.4))
