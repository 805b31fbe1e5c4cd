"""AutoGraph: `if`, conditions, conditional expressions, early return; calls, methods, lambdas; what is not converted."""

# What a linter would write otherwise is the point here.
# ruff: noqa: RET503, RET504, RET505, SIM222, SIM223, PIE804, C417

import functools
from functools import partial

from conformance.helpers import derivatives, each, logged, raises
from conformance.registry import case

choosing = partial(case, "autograph/if")
calling = partial(case, "autograph/calls")


@choosing("if, elif and else")
def _(tf):
    def f(x):
        if x > 10:
            y = x * 2
        elif x > 5:
            y = x + 100
        elif x == 3:
            y = -x
        else:
            y = tf.zeros_like(x)
        return y

    return each(tf, f, 20, 7, 3, 1)


@choosing("without else, a value that was there before")
def _(tf):
    def f(x):
        y = x
        z = 1
        if x > 0:
            y = y * 10
            z = 2
        return y, z

    return each(tf, f, 3, -3)


@choosing("a name that only one branch defines")
def _(tf):
    def used(x):
        if x > 0:
            y = x
        return y

    def unused(x):
        if x > 0:
            y = x * 2
            x = y
        return x

    def both(x):
        if x > 0:
            y = x
        else:
            y = -x
        return y

    return (
        raises(lambda: tf.function(used)(tf.constant(1))),
        each(tf, unused, 1, -1),
        each(tf, both, 1, -1),
    )


@choosing("a Python number in one branch, a tensor in the other")
def _(tf):
    def f(x):
        if x > 0:
            y = 1
        else:
            y = x * 2
        return y

    def g(x):
        y = 0.0 if x > 0 else 2.0
        return y

    return each(tf, f, 3, -3), each(tf, g, 3, -3)


@choosing("branches that differ in dtype, in shape, in structure")
def _(tf):
    def dtypes(x):
        if x > 0:
            y = tf.constant(1.0)
        else:
            y = tf.constant(1)
        return y

    def shapes(x):
        if x > 0:
            y = tf.zeros([2])
        else:
            y = tf.zeros([3])
        return y

    def structures(x):
        if x > 0:
            y = (x, x)
        else:
            y = x
        return y

    def nones(x):
        y = None
        if x > 0:
            y = x
        return y

    x = tf.constant(1)
    return (
        raises(lambda: tf.function(dtypes)(x)),
        each(tf, shapes, 1, -1),
        raises(lambda: tf.function(structures)(x)),
        raises(lambda: tf.function(nones)(x)),
    )


@choosing("nests and objects in branches")
def _(tf):
    class Box:
        pass

    def f(x):
        box, d = Box(), {"a": x}
        box.v = x
        t = (x, [x, x])
        if x > 0:
            box.v = box.v * 10
            d["a"] = d["a"] + 1
            t = (t[0] - 1, [t[0], x])
        return box.v, d, t

    return each(tf, f, 2, -2)


@choosing("early return")
def _(tf):
    def f(x):
        if x > 10:
            return x
        y = x * 2
        if y > 10:
            return y
        return tf.constant(-1)

    def implicit(x):
        if x > 0:
            return x

    def both(x):
        if x > 0:
            return x, x + 1
        else:
            return -x, x

    return each(tf, f, 20, 7, 1), raises(lambda: tf.function(implicit)(tf.constant(1))), each(tf, both, 1, -1)


@choosing("and, or, not")
def _(tf):
    notes = []

    def note(name, value):
        notes.append(name)
        return value

    def f(x):
        return (
            note("a", x > 0) and note("b", x < 10),
            note("c", x < 0) or note("d", x > 10),
            not x > 0,
            not (x > 0 and x < 10),
            x > 0 and x > 1 and x > 2,
        )

    return each(tf, f, 5, -5), notes


@choosing("and, or with Python values on one side")
def _(tf):
    def f(x):
        return (
            True and x > 0,
            False and x > 0,
            True or x > 0,
            False or x > 0,
            None or x,
            [] or x,
            x > 0 and True,
        )

    return each(tf, f, 5, -5)


@choosing("and protects its right side when running")
def _(tf):
    @tf.function
    def f(i, x):
        if i < 2 and x[i] > 0.0:
            return 1
        return 0

    x = tf.constant([1.0, -1.0])
    return f(tf.constant(0), x), f(tf.constant(1), x)


@choosing("chained comparisons")
def _(tf):
    def f(x):
        return 0 < x < 10, 0 < x <= 5 != 6, x == x == x

    return each(tf, f, 5, 7, -5)


@choosing("== and != of tensors, is, in")
def _(tf):
    def f(x):
        return x == 5, x != 5, x is None, x is not None, 1 in [1, 2]

    return each(tf, f, 5, 6)


@choosing("in over a list of tensors")
def _(tf):
    return raises(lambda: tf.function(lambda x: x in [tf.constant(1), tf.constant(2)])(tf.constant(1)))


@choosing("conditional expressions; the inner one of two is not converted")
def _(tf):
    def f(x):
        y = 1 if x > 0 else -1
        return y * (x if x > 5 else tf.constant(100))

    def nested(x):
        return 1 if x > 0 else -1 if x < 0 else 0

    return each(tf, f, 7, 2, 0, -3), raises(lambda: tf.function(nested)(tf.constant(1)))


@choosing("conditions that are no scalars of booleans")
def _(tf):
    def f(x):
        if x:
            return tf.constant("yes")
        return tf.constant("no")

    return (
        each(tf, f, True, False),
        raises(lambda: tf.function(f)(tf.constant(1))),
        raises(lambda: tf.function(f)(tf.constant(0.0))),
        raises(lambda: tf.function(f)(tf.constant([True, False]))),
        raises(lambda: tf.function(f)(tf.constant([True]))),
        raises(lambda: tf.function(f)(tf.constant("text"))),
    )


@choosing("a variable as the condition")
def _(tf):
    flag = tf.Variable(True)

    @tf.function
    def f(x):
        if flag:
            x = x + 1
            flag.assign(False)
        return x

    return f(tf.constant(1)), f(tf.constant(1)), flag


@choosing("Python conditions are decided while tracing")
def _(tf):
    notes = []

    @tf.function
    def f(x, training):
        if training:
            notes.append("training")
            x = x * 2
        else:
            notes.append("inference")
        if x.shape.rank == 0:
            notes.append("scalar")
        if x is not None and training in (True, "yes"):
            notes.append("sure")
        return x

    x = tf.constant(1)
    return f(x, True), f(x, False), f(x, True), notes


@choosing("both branches are traced")
def _(tf):
    notes = []

    @tf.function
    def f(x):
        if x > 0:
            notes.append("positive")
            return x
        else:
            notes.append("other")
            return -x

    return f(tf.constant(1)), f(tf.constant(-1)), notes


@choosing("fizzbuzz")
def _(tf):
    @tf.function
    def fizzbuzz(n):
        said = tf.TensorArray(tf.string, 0, dynamic_size=True)
        for i in tf.range(1, n + 1):
            if i % 15 == 0:
                said = said.write(i - 1, "FizzBuzz")
            elif i % 5 == 0:
                said = said.write(i - 1, "Buzz")
            elif i % 3 == 0:
                said = said.write(i - 1, "Fizz")
            else:
                said = said.write(i - 1, tf.as_string(i))
        return said.stack()

    return fizzbuzz(tf.constant(15))


@choosing("the gradient goes through the branch that ran")
def _(tf):
    @tf.function
    def f(x):
        if x > 0:
            return x * x
        return 3.0 * x

    return [derivatives(tf, f, value) for value in (2.0, -2.0)]


@choosing("assert is converted where the feature is asked for")
def _(tf):
    def f(x):
        assert x > 0, "must be positive"
        return x

    def python(x):
        assert x.shape.rank == 1, "a vector"
        return x

    asserting = tf.function(f, experimental_autograph_options=tf.autograph.experimental.Feature.ASSERT_STATEMENTS)
    return (
        raises(lambda: tf.function(f)(tf.constant(1))),
        asserting(tf.constant(1)),
        raises(lambda: asserting(tf.constant(-1)), "must be positive"),
        raises(lambda: tf.function(python)(tf.constant(1))),
    )


@choosing("raise in a branch on a tensor happens while tracing")
def _(tf):
    @tf.function
    def f(x):
        if x < 0:
            raise ValueError("negative")
        return x

    return raises(lambda: f(tf.constant(1)), "negative")


@choosing("try, with and del")
def _(tf):
    @tf.function
    def f(x):
        try:
            with tf.name_scope("inner"):
                if x > 0:
                    y = x * 2
                else:
                    y = x * 3
        finally:
            z = y + 1
        del y
        return z

    @tf.function
    def g(x):
        try:
            return tf.reshape(x, [7])
        except ValueError:
            return tf.constant(-1)

    return f(tf.constant(1)), f(tf.constant(-1)), g(tf.constant(1))


@choosing("except ... as, nested, and in a loop")
def _(tf):
    def f(x):
        try:
            y = tf.reshape(x, [7])
        except (KeyError, ValueError) as error:
            y = x * len(error.args)
        if y > 0:
            y = y + 1
        return y

    def nested(x):
        try:
            try:
                raise ValueError("inner")
            except ValueError as error:
                raise KeyError("outer") from error
        except KeyError as error:
            return x + len(str(error.__cause__))

    def loop(n):
        total = 0
        for i in tf.range(n):
            try:
                if i > 2:
                    total += i
                raise KeyError("k")
            except KeyError as error:
                total += len(error.args)
            finally:
                total += 1
        return total

    return each(tf, f, 1, -1), each(tf, nested, 1), each(tf, loop, 5)


@choosing("an assignment expression is not converted")
def _(tf):
    def f(x):
        if (y := x * 2) > 0:
            return y
        return -y

    def python(x):
        return sum(y for a in (1, 2) if (y := a * 3) > 3) + x

    with logged() as lines:
        return raises(lambda: tf.function(f)(tf.constant(1))), each(tf, python, 1), len(lines)


# -- calls ------------------------------------------------------------------------------------------------------------


@calling("functions that are called are converted too")
def _(tf):
    def sign(x):
        if x > 0:
            return 1
        return -1

    def twice(f, x):
        return f(x) * 2

    return each(tf, lambda x: twice(sign, x), 5, -5)


@calling("nested functions, closures and nonlocal")
def _(tf):
    def f(x):
        total = x * 0

        def add(y):
            nonlocal total
            if y > 0:
                total = total + y
            return total

        add(x)
        add(x * 2)
        return total

    return each(tf, f, 3, -3)


@calling("methods, class methods, static methods, callable objects, partials")
def _(tf):
    class Model:
        limit = 10

        def __init__(self, by):
            self.by = by

        def clip(self, x):
            if x > self.limit:
                return tf.constant(self.limit)
            return x

        @classmethod
        def floor(cls, x):
            if x < -cls.limit:
                return tf.constant(-cls.limit)
            return x

        @staticmethod
        def odd(x):
            if x % 2 == 1:
                return x * 0 + 1
            return x * 0

        def __call__(self, x):
            return self.clip(x * self.by) + self.floor(x) + self.odd(x)

    m = Model(3)
    scaled = functools.partial(Model.__call__, m)
    return each(tf, m, 2, 5, -20), each(tf, m.clip, 20, 3), each(tf, lambda x: scaled(x), 2, 5)


@calling("inheritance and super")
def _(tf):
    class Base:
        def call(self, x):
            if x > 0:
                return x
            return x * 0

    class Derived(Base):
        def call(self, x):
            return super().call(x) + 1

    return each(tf, Derived().call, 5, -5)


@calling("lambdas with conditions")
def _(tf):
    relu = lambda x: x if x > 0 else x * 0  # noqa: E731
    return each(tf, lambda x: relu(x) + 1, 5, -5)


@calling("star arguments, keywords and defaults")
def _(tf):
    def pick(x, *rest, flip=False, **names):
        if x > 0:
            y = x + len(rest)
        else:
            y = x - len(names)
        return -y if flip else y

    return (
        each(tf, lambda x: pick(x), 5, -5),
        each(tf, lambda x: pick(x, 1, 2, flip=True), 5, -5),
        each(tf, lambda x: pick(x, **{"a": 1}), 5, -5),
    )


@calling("decorated functions")
def _(tf):
    def doubling(f):
        @functools.wraps(f)
        def run(*args):
            return f(*args) * 2

        return run

    @doubling
    def sign(x):
        if x > 0:
            return 1
        return -1

    return each(tf, lambda x: sign(x), 5, -5)


@calling("recursion")
def _(tf):
    def halve(x, n):
        if n == 0:
            return x
        if x % 2 == 0:
            return halve(x // 2, n - 1)
        return halve(x * 3 + 1, n - 1)

    return each(tf, lambda x: halve(x, 3), 8, 7)


@calling("len, range, print, int, float, abs, max, min, sum, sorted, any, all, map, filter")
def _(tf):
    def f(x):
        total = 0.0
        for i in range(3):
            total += float(i)
        return (
            len(x),
            len([1, 2]),
            abs(x),
            tf.cast(x[0], tf.int32) + int(2.7),
            max(1, 2),
            sum([1, 2, 3]),
            sorted([3, 1, 2]),
            any([False, True]),
            all([False, True]),
            list(map(lambda a: a * 2, [1, 2])),
            list(filter(lambda a: a > 1, [1, 2])),
            [i * y for i, y in enumerate([5, 6])],
            [a + b for a, b in zip([1, 2], [3, 4], strict=True)],
            total,
        )

    return each(tf, f, [-1.0, 2.0])


@calling("int, float, bool, len, max of tensors")
def _(tf):
    x = tf.constant([1.5, 2.5])
    one = tf.constant(2.7)
    return (
        raises(lambda: tf.function(lambda x: int(x))(one)),
        raises(lambda: tf.function(lambda x: float(x))(tf.constant(2))),
        raises(lambda: tf.function(lambda x: len(x))(x)),
        raises(lambda: tf.function(lambda x: len(x))(one)),
        raises(lambda: tf.function(lambda x: max(x, x))(one)),
        raises(lambda: tf.function(lambda x: max(x))(x)),
        raises(lambda: tf.function(lambda x: min(x, 1.0))(one)),
        raises(lambda: tf.function(lambda x: sum([x, x]))(one)),
        raises(lambda: tf.function(lambda x: any([x > 0]))(one)),
        raises(lambda: tf.function(lambda x: all([x > 0, x > 1]))(one)),
        raises(lambda: tf.function(lambda x: sorted(x))(x)),
        raises(lambda: tf.function(lambda x: bool(x > 0))(one)),
    )


@calling("print prints tensors when the function runs")
def _(tf):
    @tf.function
    def f(x):
        print("a number", 1.5)
        return x

    return f(tf.constant(1)), f(tf.constant(2))


@calling("do_not_convert leaves a function alone")
def _(tf):
    @tf.autograph.experimental.do_not_convert
    def plain(x):
        if x > 0:
            return x
        return -x

    def converted(x):
        if x > 0:
            return x
        return -x

    @tf.autograph.experimental.do_not_convert()
    def outer(x):
        return converted(x)

    x = tf.constant(-1)
    return (
        raises(lambda: tf.function(lambda x: plain(x))(x)),
        raises(lambda: tf.function(plain)(x)),
        raises(lambda: tf.function(outer)(x)),
        tf.function(converted)(x),
        plain(x),
    )


@calling("autograph=False does not convert what is called, but inner functions decide themselves")
def _(tf):
    @tf.function
    def inner(x):
        if x > 0:
            return x
        return -x

    def plain(x):
        if x > 0:
            return x
        return -x

    x = tf.constant(-3)
    return (
        tf.function(lambda x: inner(x), autograph=False)(x),
        raises(lambda: tf.function(lambda x: plain(x), autograph=False)(x)),
    )


@calling("to_graph and to_code")
def _(tf):
    def f(x):
        if x > 0:
            y = x * x
        else:
            y = x
        return y

    code = tf.autograph.to_code(f)
    graph = tf.autograph.to_graph(f)

    @tf.function(autograph=False)
    def run(x):
        return graph(x)

    return (
        "def tf__f(x):" in code,
        "ag__.if_stmt" in code,
        "def if_body" in code,
        graph(3),
        run(tf.constant(3)),
        run(tf.constant(-3)),
        raises(lambda: tf.autograph.to_code(len)),
    )


@calling("set_verbosity, trace and Feature exist")
def _(tf):
    tf.autograph.set_verbosity(0)
    return [
        f.name for f in (tf.autograph.experimental.Feature.EQUALITY_OPERATORS, tf.autograph.experimental.Feature.ALL)
    ]


@calling("an experimental feature is accepted")
def _(tf):
    def f(x):
        if x == 1:
            return x
        return x + 1

    features = tf.autograph.experimental.Feature.EQUALITY_OPERATORS
    return each(tf, f, 1, 2, experimental_autograph_options=features)


@calling("source that cannot be had is run as it is")
def _(tf):
    scope = {}
    exec("def f(x):\n    return x + 1\ndef g(x):\n    return x if x > 0 else -x\n", scope)
    x = tf.constant(1)
    return tf.function(scope["f"])(x), raises(lambda: tf.function(scope["g"])(x))


@calling("comprehensions over Python lists, with conditions on tensors in them")
def _(tf):
    def f(x):
        return [a * x for a in [1, 2, 3] if a != 2], {k: x + v for k, v in {"a": 1}.items()}

    def refused(x):
        return [a for a in [x, x] if a > 0]

    return each(tf, f, 2), raises(lambda: tf.function(refused)(tf.constant(1)))


@calling("a generator expression, a with statement, a global name")
def _(tf):
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.add_n([x * a for a in (1.0, 2.0)])
            if y > 0:
                y = y * x
        return tape.gradient(y, x), partial is not None

    return each(tf, f, 2.0, -2.0)
