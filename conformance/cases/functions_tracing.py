"""When `tf.function` runs the Python function again: dtypes, shapes, Python values, objects, signatures."""

import functools
from functools import partial

import numpy as np

from conformance.helpers import in_fresh_process, raises
from conformance.registry import case

tracing = partial(case, "functions/tracing")
signatures = partial(case, "functions/signatures")


def noting(tf, **options):
    """A function that notes what it was traced with, and the list of its notes."""
    notes = []

    @tf.function(**options)
    def f(x):
        notes.append([str(x.dtype.name), x.shape.as_list() if x.shape.rank is not None else None])
        return x + x

    return f, notes


@tracing("python side effects happen once for each kind of argument")
def _(tf):
    f, notes = noting(tf)
    for value in (1.0, 2.0, 3, [1.0], [2.0], [1.0, 2.0], 4.0):
        f(tf.constant(value))
    return notes, f.experimental_get_tracing_count()


@tracing("printing while tracing and while running")
def _(tf):
    @tf.function
    def f(x):
        print("tracing with", x.shape, x.dtype.name)
        return x * 2

    return [f(tf.constant(1)), f(tf.constant(2)), f(tf.constant([3])), f(tf.constant([4]))]


@tracing("each new python number is a new trace")
def _(tf):
    notes = []

    @tf.function
    def power(x, n):
        notes.append(n)
        return x**n

    x = tf.constant(2.0)
    return [power(x, 2), power(x, 3), power(x, 2), power(x, n=3), power(x, tf.constant(2.0))], len(notes), notes[:2]


@tracing("True, 1 and 1.0 are told apart or not")
def _(tf):
    notes = []

    @tf.function
    def f(flag):
        notes.append(repr(flag))
        return tf.constant(1)

    for value in (1, True, 1.0, 0, False, None, "1", b"1", (1,), [1], 1):
        f(value)
    return notes


@tracing("NumPy arrays and scalars are tensors, lists of numbers are structures")
def _(tf):
    notes = []

    @tf.function
    def f(x):
        notes.append(type(x).__name__ if isinstance(x, list) else "tensor")
        return tf.reduce_sum(x)

    answers = [f(np.ones(3)), f(np.zeros(3)), f(np.float32(2)), f(np.float32(3)), f([1, 2]), f([1, 3]), f([1, 2])]
    return answers, notes


@tracing("nan is equal to itself here")
def _(tf):
    notes = []

    @tf.function
    def f(x):
        notes.append(x)
        return tf.constant(x)

    f(float("nan"))
    f(float("nan"))
    return len(notes)


@tracing("objects by identity, and by what they call equal")
def _(tf):
    class Plain:
        pass

    class Equal:
        def __init__(self, n):
            self.n = n

        def __eq__(self, other):
            return isinstance(other, Equal) and self.n == other.n

        def __hash__(self):
            return hash(self.n)

    notes = []

    @tf.function
    def f(thing):
        notes.append(type(thing).__name__)
        return tf.constant(0)

    one, two = Plain(), Plain()
    kept = [Equal(1), Equal(1), Equal(2)]
    for thing in (one, two, one, *kept):
        f(thing)
    return notes


@tracing("an attribute that changes is not seen")
def _(tf):
    class Box:
        value = 1.0

    @tf.function
    def f(box):
        return tf.constant(box.value) * 2.0

    box = Box()
    first = f(box)
    box.value = 5.0
    return first, f(box)


@tracing("a closure over a Python number keeps the old one, over a variable the new one")
def _(tf):
    scale, v = 2.0, tf.Variable(2.0)

    @tf.function
    def f(x):
        return x * scale, x * v

    before = f(tf.constant(1.0))
    scale = 3.0
    v.assign(3.0)
    return before, f(tf.constant(1.0)), scale


@tracing("dict order does not matter, keys do")
def _(tf):
    notes = []

    @tf.function
    def f(d):
        notes.append(sorted(d))
        return tf.add_n(list(d.values()))

    one = tf.constant(1.0)
    return [f({"a": one, "b": one}), f({"b": one, "a": one}), f({"a": one, "c": one}), f({"a": one})], notes


@tracing("keywords, positions and defaults are one trace")
def _(tf):
    notes = []

    @tf.function
    def f(x, y=2, *, z=3):
        notes.append((y, z))
        return x + y + z

    x = tf.constant(1)
    return [f(x), f(x, 2), f(x, y=2), f(x=x, z=3), f(x, 2, z=4)], notes


@tracing("star arguments")
def _(tf):
    notes = []

    @tf.function
    def f(*args, **kwargs):
        notes.append((len(args), sorted(kwargs)))
        return tf.add_n([*args, *kwargs.values()])

    one = tf.constant(1)
    return [f(one), f(one, one), f(one, k=one), f(k=one, j=one), f(one, one)], notes


@tracing("nested structures come in and go out as they are")
def _(tf):
    from collections import namedtuple

    Pair = namedtuple("Pair", ["left", "right"])

    @tf.function
    def f(nest):
        return {
            "pair": Pair(nest["pair"].right, nest["pair"].left),
            "list": [x + 1 for x in nest["list"]],
            "none": None,
            "empty": (),
        }

    one, two = tf.constant(1), tf.constant([2.0])
    return f({"pair": Pair(one, two), "list": [one, one]})


@tracing("Python values that are returned become tensors")
def _(tf):
    @tf.function
    def f():
        return 1, 2.5, True, [3, np.float64(4.0)], {"a": np.arange(2)}

    return f()


@tracing("what cannot be returned")
def _(tf):
    @tf.function
    def f():
        return object()

    @tf.function
    def g():
        return "text", None

    return raises(f), g()


@tracing("reduce_retracing opens the sizes that differ")
def _(tf):
    f, notes = noting(tf, reduce_retracing=True)
    for n in (1, 2, 3, 4):
        f(tf.ones([n]))
    f(tf.ones([2, 2]))
    f(tf.ones([3, 2]))
    f(tf.ones([3, 3]))
    return notes, f.experimental_get_tracing_count()


@tracing("experimental_relax_shapes is the old name")
def _(tf):
    f, notes = noting(tf, experimental_relax_shapes=True)
    return [f(tf.ones([n])) for n in (1, 2, 3)], notes


@tracing("a warning after five retracings of the last calls")
def _(tf):
    # Such warnings are counted for the whole process.
    return in_fresh_process(
        tf,
        """
        from conformance.helpers import logged

        f = tf.function(lambda x: x)
        with logged() as lines:
            for i in range(8):
                f(i)
        print(len(lines), lines[0].split(" ")[:7], "reduce_retracing=True" in lines[0])
        """,
    )


@tracing("two decorations do not share traces")
def _(tf):
    notes = []

    def double(x):
        notes.append("traced")
        return x * 2

    first, second = tf.function(double), tf.function(double)
    return [first(tf.constant(1)), second(tf.constant(1)), first(tf.constant(2))], notes


@tracing("methods, one trace for each instance")
def _(tf):
    notes = []

    class Scale:
        def __init__(self, by):
            self.by = by

        @tf.function
        def __call__(self, x):
            notes.append(self.by)
            return x * self.by

        @tf.function
        def twice(self, x):
            return self(self(x))

    a, b = Scale(2.0), Scale(3.0)
    x = tf.constant(1.0)
    return [a(x), b(x), a(x), a.twice(x), b.twice(x)], notes


@tracing("static and class methods, and properties of a class")
def _(tf):
    class Holder:
        offset = 10

        @staticmethod
        @tf.function
        def double(x):
            return x * 2

        @classmethod
        def shifted(cls, x):
            return tf.function(lambda x: x + cls.offset)(x)

        @property
        @tf.function
        def answer(self):
            return tf.constant(42)

    h = Holder()
    return Holder.double(tf.constant(1)), h.double(tf.constant(2)), h.shifted(tf.constant(3)), h.answer


@tracing("lambdas and partials")
def _(tf):
    square = tf.function(lambda x: x * x)
    add = tf.function(functools.partial(lambda a, b: a + b, 10))
    named = tf.function(functools.partial(pow, exp=3))
    return square(tf.constant(3)), add(tf.constant(5)), named(tf.constant(2))


@tracing("a callable object")
def _(tf):
    class Adder:
        def __init__(self, n):
            self.n = n

        def __call__(self, x):
            return x + self.n

    return tf.function(Adder(2))(tf.constant(1))


@tracing("a function that calls functions is traced with them")
def _(tf):
    notes = []

    @tf.function
    def inner(x):
        notes.append("inner")
        return x + 1

    @tf.function
    def outer(x):
        notes.append("outer")
        return inner(x) * inner(x)

    return [outer(tf.constant(2)), outer(tf.constant(3)), inner(tf.constant(4))], notes


@tracing("recursion over a Python number")
def _(tf):
    notes = []

    @tf.function
    def factorial(n):
        notes.append(n)
        return tf.constant(1) if n <= 1 else n * factorial(n - 1)

    return factorial(5), notes, factorial(3), len(notes)


@tracing("functions made in a function, and closures over tensors of it")
def _(tf):
    @tf.function
    def outer(x):
        y = x * 2

        @tf.function
        def inner(z):
            return z + y

        return inner(x), inner(y)

    return outer(tf.constant(1.0)), outer(tf.constant(2.0))


@tracing("run_functions_eagerly runs the Python every time")
def _(tf):
    notes = []

    @tf.function
    def f(x):
        notes.append(tf.executing_eagerly())
        return x + 1

    f(tf.constant(1))
    tf.config.run_functions_eagerly(True)
    try:
        answers = [f(tf.constant(2)), f(tf.constant(3)), tf.config.functions_run_eagerly()]
    finally:
        tf.config.run_functions_eagerly(False)
    return answers, f(tf.constant(4)), notes, tf.config.functions_run_eagerly()


@tracing("executing_eagerly, inside_function and init_scope")
def _(tf):
    notes = []

    @tf.function
    def f():
        notes.append((tf.executing_eagerly(), tf.inside_function()))
        with tf.init_scope():
            notes.append((tf.executing_eagerly(), (tf.constant(1) + 1).numpy().item()))
        return tf.constant(0)

    f()
    return notes, tf.executing_eagerly(), tf.inside_function()


@tracing("python_function, name, doc and wrapped attributes")
def _(tf):
    def double(x):
        """Twice."""
        return x + x

    f = tf.function(double)
    return f.python_function is double, f.__name__, f.__doc__, f.__wrapped__ is double, f.python_function(2)


@tracing("a random number is a new one at each call, a Python one is not")
def _(tf):
    import random

    @tf.function
    def f():
        return tf.random.uniform([]), random.random()

    (a, b), (c, d) = f(), f()
    return bool(a == c), bool(b == d)


@tracing("jit_compile and autograph=False are accepted")
def _(tf):
    compiled = tf.function(lambda x: x * 2 + 1, jit_compile=True)
    plain = tf.function(lambda x: x * 2 + 1, autograph=False)
    return compiled(tf.constant(3)), plain(tf.constant(3))


@tracing("a variable as argument: one trace for two of a kind, another when they are the same")
def _(tf):
    notes = []

    @tf.function
    def f(a, b):
        notes.append(a is b)
        a.assign_add(1.0)
        return a + b

    v, w, u = tf.Variable(1.0), tf.Variable(10.0), tf.Variable(100.0)
    return [f(v, w), f(w, u), f(u, u), f(v, v)], notes, v, w, u


@tracing("IndexedSlices in and out")
def _(tf):
    @tf.function
    def f(s):
        return tf.IndexedSlices(s.values * 2.0, s.indices, s.dense_shape)

    return f(tf.IndexedSlices(tf.constant([[1.0], [2.0]]), tf.constant([0, 3]), tf.constant([4, 1])))


@tracing("the same tensor out twice, and an argument out as it came")
def _(tf):
    @tf.function
    def f(x):
        y = x + 1
        return y, y, x

    x = tf.constant(1)
    a, b, c = f(x)
    return a, b, c, c is x


@tracing("an operation without result runs, and returns None")
def _(tf):
    v = tf.Variable(0)

    @tf.function
    def f():
        v.assign_add(1)

    @tf.function
    def g():
        return v.assign_add(10)

    return f(), v.numpy(), g(), v


# -- signatures -------------------------------------------------------------------------------------------------------


@signatures("one trace for all sizes, and what does not fit")
def _(tf):
    f, notes = noting(tf, input_signature=[tf.TensorSpec([None], tf.float32)])
    answers = [f(tf.constant([1.0])), f(tf.constant([1.0, 2.0])), f([3.0, 4.0]), f(np.array([5.0], np.float32))]
    refused = [raises(lambda: f(tf.constant(1.0))), raises(lambda: f(tf.constant([1]))), raises(lambda: f())]
    return answers, refused, raises(lambda: f(tf.constant([1.0]), tf.constant([1.0]))), notes


@signatures("an unknown rank")
def _(tf):
    @tf.function(input_signature=[tf.TensorSpec(None, tf.float32)])
    def f(x):
        return tf.rank(x), tf.size(x), x * 2.0

    return f(tf.constant(1.0)), f(tf.ones([2, 3]))


@signatures("nests of specs, keywords and defaults")
def _(tf):
    scalar = tf.TensorSpec([], tf.int32)

    @tf.function(input_signature=[{"a": scalar, "b": [scalar, scalar]}, scalar])
    def f(nest, last, flag=False):
        return nest["a"] + nest["b"][0] * nest["b"][1] + last + (100 if flag else 0)

    nest = {"a": tf.constant(1), "b": [tf.constant(2), tf.constant(3)]}
    return f(nest, tf.constant(4)), f(nest, last=5), raises(lambda: f(nest, 1, True)), raises(lambda: f([1], 1))


@signatures("wrong ones are refused where they are written")
def _(tf):
    spec = tf.TensorSpec([], tf.float32)
    return (
        raises(lambda: tf.function(lambda x: x, input_signature=spec)),
        raises(lambda: tf.function(lambda x: x, input_signature=[1])(1.0)),
        raises(lambda: tf.function(lambda x, y: x, input_signature=[spec])(1.0, 2.0)),
        raises(lambda: tf.function(lambda x: x, input_signature=[])(1.0)),
    )


@signatures("an empty one makes one trace")
def _(tf):
    notes = []

    @tf.function(input_signature=[])
    def f():
        notes.append("traced")
        return tf.constant(1)

    return f(), f(), notes


@signatures("on a method")
def _(tf):
    class Model(tf.Module):
        def __init__(self):
            super().__init__()
            self.v = tf.Variable(2.0)

        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        def __call__(self, x):
            return x * self.v

    m = Model()
    return m(tf.constant([1.0])), m(tf.constant([1.0, 2.0])), m.__call__.input_signature


@signatures("input_signature as an attribute, and function_spec")
def _(tf):
    spec = tf.TensorSpec([None, 2], tf.float32)
    f = tf.function(lambda x: x, input_signature=(spec,))
    return f.input_signature, tf.function(lambda x: x).input_signature


@signatures("a concrete function: flat and structured calls")
def _(tf):
    @tf.function
    def f(a, b):
        return {"sum": a + b, "list": [a, b * 2]}

    c = f.get_concrete_function(tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.int32))
    one, two = tf.constant(1), tf.constant(2)
    return (
        c(one, two),
        c(a=one, b=two),
        c.structured_outputs["sum"].shape,
        c.structured_outputs["sum"].dtype,
        len(c.inputs),
        len(c.outputs),
        [t.dtype for t in c.outputs],
        raises(lambda: c(tf.constant(1.0), two)),
        raises(lambda: c(one)),
    )


@signatures("a concrete function keeps Python arguments")
def _(tf):
    @tf.function
    def power(x, n):
        return x**n

    cube = power.get_concrete_function(tf.TensorSpec([], tf.float32), n=3)
    x = tf.constant(2.0)
    return cube(x), cube(x, n=3), raises(lambda: cube(x, n=4)), power.experimental_get_tracing_count()


@signatures("a concrete function of an open size")
def _(tf):
    @tf.function
    def f(x):
        return tf.reduce_sum(x, 0)

    c = f.get_concrete_function(tf.TensorSpec([None, 2], tf.float32))
    return c(tf.ones([3, 2])), c(tf.ones([5, 2])), c.output_shapes, c.output_dtypes


@signatures("get_concrete_function is traced once, and shared with calls")
def _(tf):
    f, notes = noting(tf)
    a = f.get_concrete_function(tf.TensorSpec([2], tf.float32))
    b = f.get_concrete_function(tf.constant([1.0, 2.0]))
    f(tf.constant([3.0, 4.0]))
    return a is b, notes, f.experimental_get_tracing_count()


@signatures("structured_input_signature")
def _(tf):
    @tf.function
    def f(x, y=None, *, z):
        return x + z

    c = f.get_concrete_function(tf.TensorSpec([None], tf.float32), z=tf.TensorSpec([], tf.float32, name="zed"))
    return c.structured_input_signature


@signatures("pretty_printed_signature")
def _(tf):
    @tf.function
    def f(x, n, nest, y=None):
        return {"out": x * n + nest["k"][0]}, x

    spec = tf.TensorSpec([None, 3], tf.float32)
    c = f.get_concrete_function(spec, 2.0, {"k": [tf.TensorSpec([], tf.float32)]})
    return c.pretty_printed_signature(), str(c).splitlines()[0][:20]


@signatures("pretty_printed_concrete_signatures")
def _(tf):
    @tf.function
    def double(x):
        return x + x

    double(tf.constant(1))
    double(tf.constant([1.0]))
    return sorted(double.pretty_printed_concrete_signatures().split("\n\n"))


@signatures("captured inputs and variables of a concrete function")
def _(tf):
    v, w, t = tf.Variable(1.0, name="v"), tf.Variable(2.0, trainable=False, name="w"), tf.constant(3.0)

    @tf.function
    def f(x):
        return x * v + w + t

    c = f.get_concrete_function(tf.constant(1.0))
    return [x.name for x in c.variables], [x.name for x in c.trainable_variables], len(c.captured_inputs), len(c.inputs)


@signatures("the graph of a concrete function")
def _(tf):
    @tf.function
    def f(x):
        return tf.nn.relu(x + 1.0)

    graph = f.get_concrete_function(tf.TensorSpec([2], tf.float32)).graph
    types = [op.type for op in graph.get_operations()]
    return [t for t in types if t in ("Placeholder", "AddV2", "Relu")], len(graph.inputs)


@signatures("specs in place of tensors keep their names")
def _(tf):
    f = tf.function(lambda x: x)
    c = f.get_concrete_function(tf.TensorSpec([1], tf.float32, name="first"))
    return c.inputs[0].name, c.structured_input_signature[0][0].name


@signatures("spec_of the arguments that a function was made for")
def _(tf):
    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32, name="data"), tf.TensorSpec([], tf.int32)])
    def f(data, count):
        return data * tf.cast(count, tf.float32)

    return f.get_concrete_function().structured_input_signature
