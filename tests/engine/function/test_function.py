"""`tf.function`: what was seen in TensorFlow, rule by rule."""

from __future__ import annotations

import contextlib
import copy
import functools
import gc
import logging
import re
import weakref

import numpy as np
import pytest

import tfgrad_jax as tf
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.extras import execution

c = tf.constant


def traced(body=lambda x: c(0), **options):
    """A function, and the list of what it was traced with."""
    seen = []

    @tf.function(**options)
    def f(x):
        seen.append(x)
        return body(x)

    return f, seen


@pytest.fixture(autouse=True)
def _nothing_left_behind():
    yield
    assert context.graph is None and not context.recorders


def test_tensors_by_dtype_and_shape():
    f, seen = traced(lambda x: x * 2)
    for x in (c(1), c(2), c(1.0), c([1.0]), c([2.0]), c([1.0, 2.0]), np.float32(3), np.zeros(2), np.ones(2)):
        f(x)
    assert [(t.dtype.name, t.shape.as_list()) for t in seen] == [
        ("int32", []),
        ("float32", []),
        ("float32", [1]),
        ("float32", [2]),
        ("float64", [2]),
    ]
    assert f.experimental_get_tracing_count() == 5


def test_python_values_by_equality():
    f, seen = traced()
    for x in (1, 1.0, True, 0, False, "1", b"1", (1,), [1], None, float("nan"), float("nan"), tf.TensorShape([1])):
        f(x)
    f(tf.TensorShape([1]))
    assert len(seen) == 9
    with pytest.raises(TypeError):
        f({1, 2})


def test_objects_by_identity_weakly_held():
    class Thing:
        pass

    f, seen = traced(lambda x: c(0))
    a, b = Thing(), Thing()
    for x in (a, a, b):
        f(x)
    assert len(seen) == 2
    seen.clear()
    gone = weakref.ref(b)
    del b, x
    gc.collect()
    assert gone() is None


def test_arguments_in_one_form():
    seen = []

    @tf.function
    def f(a, b=2, *args, k=1, **rest):
        seen.append(1)
        return c(0)

    f(1), f(1, 2), f(a=1), f(b=2, a=1), f(1, k=1)
    assert len(seen) == 1
    f(1, z=1, y=2), f(1, y=2, z=1)
    assert len(seen) == 2


@pytest.mark.parametrize("call", [lambda f: f(), lambda f: f(c(1), c(2)), lambda f: f(c(1), y=c(2))])
def test_arguments_that_do_not_fit(call):
    with pytest.raises(TypeError, match=r"Binding inputs to tf\.function failed"):
        call(tf.function(lambda x: x))


def test_variables_as_arguments_share_a_trace():
    seen = []

    @tf.function
    def f(a, b):
        seen.append(1)
        a.assign_add(1.0)
        return b * 2

    a, b = tf.Variable(1.0), tf.Variable(2.0)
    assert [float(f(*v)) for v in ((a, b), (a, a), (b, a), (b, b))] == [4.0, 6.0, 6.0, 8.0]
    assert len(seen) == 2 and (a.numpy(), b.numpy()) == (3.0, 4.0)


def test_a_variable_that_is_known_by_another_way_too():
    a, b = tf.Variable(1.0), tf.Variable(2.0)

    @tf.function
    def f(v):
        v.assign_add(1.0)
        return a * 2

    assert [float(f(v)) for v in (b, a, b)] == [2.0, 4.0, 4.0]


def test_input_signature():
    seen = []

    @tf.function(input_signature=[tf.TensorSpec([None, 2]), tf.TensorSpec([], tf.int32)])
    def f(x, k):
        seen.append(x.shape.as_list())
        return tf.reduce_sum(x) * tf.cast(k, tf.float32)

    found = [f(tf.ones([3, 2]), c(2)), f(np.ones([1, 2]), 3), f([[1.0, 2.0]], 1), f(k=2, x=tf.ones([2, 2]))]
    assert [float(x) for x in found] == [12.0, 6.0, 3.0, 8.0] and seen == [[None, 2]]
    for bad in (tf.ones([3]), c([[1, 2]])):
        with pytest.raises(TypeError, match="Can not cast"):
            f(bad, 1)
    assert f.get_concrete_function() is f.get_concrete_function(tf.TensorSpec([3, 2]), tf.TensorSpec([], tf.int32))


def test_input_signatures_that_are_none():
    for signature in ([3], tf.TensorSpec([])):
        with pytest.raises(TypeError, match="input_signature must be"):
            tf.function(lambda x: x, input_signature=signature)
    with pytest.raises(TypeError, match="missing type constraint for y"):
        tf.function(lambda x, y: x, input_signature=[tf.TensorSpec([])])
    g = tf.function(lambda x, y=2.0: x * y, input_signature=[tf.TensorSpec([])])
    assert float(g(c(3.0))) == 6.0
    with pytest.raises(TypeError, match="Can not cast"):
        g(c(3.0), 3.0)


def test_reduce_retracing():
    f, seen = traced(lambda x: x * 2, reduce_retracing=True)
    for n in (1, 2, 3, 4):
        assert f(tf.ones([n])).shape == [n]
    assert [x.shape.as_list() for x in seen] == [[1], [None]]
    g, seen = traced(lambda x: x)
    g.get_concrete_function(tf.TensorSpec([None]))
    g(c([1.0])), g(c([1.0, 2.0]))
    assert len(seen) == 1


def test_concrete_functions():
    v, k = tf.Variable(1.0, name="vv"), tf.ones([1])

    @tf.function
    def f(x, y=2, *, z):
        return {"a": x * v + k, "b": [z, None]}

    found = f.get_concrete_function(tf.TensorSpec([None]), z=tf.TensorSpec([], name="zed"))
    assert found.structured_input_signature == (
        (tf.TensorSpec([None], name="x"), 2),
        {"z": tf.TensorSpec([], name="zed")},
    )
    assert found.output_shapes == {"a": tf.TensorShape([None]), "b": [tf.TensorShape([]), None]}
    assert [t.name for t in found.inputs[:2]] == ["x:0", "zed:0"] and len(found.captured_inputs) == 2
    assert [q.name for q in found.trainable_variables] == ["vv:0"]


def test_calling_a_concrete_function():
    found = tf.function(lambda x, y=2: x * y).get_concrete_function(tf.TensorSpec([None]), 3)
    assert found(c([1.0])).numpy() == 3.0 and found(x=c([1.0])).numpy() == 3.0 and found(c([1.0]), 3).numpy() == 3.0
    for bad in (lambda: found(), lambda: found(c([1.0]), 4), lambda: found(1.0), lambda: found(c([1.0]), q=1)):
        with pytest.raises(TypeError):
            bad()
    with pytest.raises(tf.errors.InvalidArgumentError):
        found(c([1]))
    assert "x (POSITIONAL_OR_KEYWORD): TensorSpec(shape=(None,)" in found.pretty_printed_signature()
    more = tf.function(lambda x, *args, **kw: x).get_concrete_function(tf.TensorSpec([2]), 3, k=tf.TensorSpec([]))
    shown = [line.split(":")[0].strip() for line in more.pretty_printed_signature().splitlines()[1:4]]
    assert shown == ["x (POSITIONAL_ONLY)", "args_0 (POSITIONAL_ONLY)", "k (KEYWORD_ONLY)"]


def test_signatures_are_printed():
    v, k = tf.Variable([1.0, 2.0]), tf.constant(3.0)

    @tf.function
    def f(x, y=2, *more, n=None):
        return {"a": x * v, "b": (x, k + 1.0)}

    spec = "TensorSpec(shape={}, dtype=tf.{}, name=None)".format
    out = f"Dict[['a', {spec('(2,)', 'float32')}], ['b', Tuple[{spec('(2,)', 'float32')}, {spec('()', 'float32')}]]]"
    found = f.get_concrete_function(c([1.0, 2.0]), 3.5, c([1]))
    line = f"(x: {spec('(2,)', 'float32')}, y: Literal[3.5], more_0: {spec('(1,)', 'int32')}, /, *, n: Literal[None]) -> {out}"
    assert found.pretty_printed_signature(verbose=False) == line
    assert repr(found) == f"<ConcreteFunction {line} at 0x{id(found):X}>"
    shown = re.sub(r"\d{6,}", "ID", found.pretty_printed_signature()).splitlines()
    assert shown == [
        "Input Parameters:",
        f"  x (POSITIONAL_ONLY): {spec('(2,)', 'float32')}",
        "  y (POSITIONAL_ONLY): Literal[3.5]",
        f"  more_0 (POSITIONAL_ONLY): {spec('(1,)', 'int32')}",
        "  n (KEYWORD_ONLY): Literal[None]",
        "Output Type:",
        f"  {out}",
        "Captures:",
        f"  ID: {spec('()', 'resource')}",
        f"  ID: {spec('()', 'float32')}",
    ]
    given = f.get_concrete_function(v).pretty_printed_signature()
    assert "VariableSpec(shape=(2,), dtype=tf.float32, trainable=True, alias_id=0)" in given
    assert "resource" not in given
    none = tf.function(lambda: None).get_concrete_function().pretty_printed_signature()
    assert none.splitlines() == ["Input Parameters:", "Output Type:", "  Literal[None]", "Captures:", "  None"]


def test_variables_are_made_on_the_first_call_alone():
    class Layer:
        v = None

        @tf.function
        def __call__(self, x):
            if self.v is None:
                self.v = tf.Variable(x * 2)
            return self.v.assign_add(x)

    layer = Layer()
    assert [float(layer(c(x))) for x in (1.0, 1.0, 2.0)] == [3.0, 4.0, 6.0]
    with pytest.raises(ValueError, match="singleton"):
        tf.function(lambda: tf.Variable(1.0) * 2)()
    made = []
    g = tf.function(lambda x: made.append(tf.Variable(1.0)) or x if x.shape.rank else x)
    g(c(1.0))
    with pytest.raises(ValueError, match="non-first call"):
        g(c([1.0]))


def test_variables_belong_to_the_innermost_function():
    """It is traced again once they exist, and the functions around it are not."""
    made, traces = [], []

    @tf.function
    def inner(x):
        traces.append("inner")
        factor = made[0] if made else 100.0  # of the first trace alone
        if not made:
            made.append(tf.Variable(3.0))
        return x * factor

    @tf.function
    def outer(x):
        traces.append("outer")
        return tf.cond(x > 0.0, lambda: inner(x), lambda: x) + 1.0

    assert [float(outer(tf.constant(2.0))) for _ in range(2)] == [7.0, 7.0]
    assert traces == ["outer", "inner", "inner"]

    @tf.function
    def always(x):
        made.append(tf.Variable(1.0))
        return x + made[-1]

    with pytest.raises(ValueError, match="singleton"):
        tf.function(lambda x: always(x))(tf.constant(1.0))


def test_methods_belong_to_their_instance():
    seen = []

    class Model:
        def __init__(self, k):
            self.k = k

        @tf.function
        def f(self, x):
            seen.append(self.k)
            return x * self.k

    a, b = Model(2.0), Model(3.0)
    assert [float(f(c(x))) for f, x in ((a.f, 1.0), (b.f, 1.0), (a.f, 5.0))] == [2.0, 3.0, 10.0]
    assert seen == [2.0, 3.0] and b.f is b.f and Model.f is Model.f
    gone = weakref.ref(a)
    del a
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("mode", ["immediate", "fused"])
@pytest.mark.parametrize("taped", [False, True])
def test_a_function_that_is_dropped_frees_what_it_held(mode, taped):
    def made():
        v, k = tf.Variable(tf.ones([10])), tf.ones([100])
        f = tf.function(lambda x: x * k + tf.reduce_sum(v))
        for _ in range(3):
            with tf.GradientTape() if taped else contextlib.nullcontext() as tape:
                y = f(c(1.0))
            if taped:
                tape.gradient(y, v).numpy()
            y.numpy()  # nothing is pending any more
        return [weakref.ref(x) for x in (f, v, k, v.box.tensor)]

    with execution(mode):
        held = made()
        tf.extras.wait_compiled()  # what is being compiled is held as long
        gc.collect()
        assert [r() for r in held] == [None] * 4


def test_what_can_be_decorated():
    class Triple:
        def __call__(self, x):
            return x * 3

    assert tf.function(functools.partial(lambda a, b: a + b, c(1)))(c(2)).numpy() == 3
    assert tf.function(Triple())(c(1)).numpy() == 3
    f = tf.function(lambda x: x + 1)
    assert tf.function(f)(c(1)).numpy() == 2 and copy.deepcopy(f)(c(1)).numpy() == 2


def test_an_exception_inside_leaves_nothing_behind():
    v = tf.Variable(1.0)

    @tf.function
    def f(x):
        v.assign_add(1.0)
        raise KeyError("boo")

    with pytest.raises(KeyError):
        f(c(1.0))
    assert v.numpy() == 1.0 and tf.executing_eagerly() and f.experimental_get_tracing_count() == 0
    with pytest.raises(ValueError):
        tf.function(lambda x: x + tf.ones([3]))(tf.ones([2]))


def test_leaked_tensors():
    out = []
    tf.function(lambda x: out.append(x * 2) or x)(c(1.0))
    for use in (lambda: out[0] + 1, lambda: tf.function(lambda: out[0] + 1)()):
        with pytest.raises(TypeError, match=r"out of scope and cannot be used here.*test_function\.py"):
            use()
    with pytest.raises(AttributeError):
        out[0].numpy()


@pytest.mark.parametrize("use", [lambda x: 1 if x > 0 else 2, lambda x: list(x)])
def test_python_operators_without_autograph(use):
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError):
        tf.function(use, autograph=False)(c([1.0]))


def test_run_functions_eagerly():
    f, seen = traced(lambda x: x if x > 0 else -x)
    tf.config.run_functions_eagerly(True)
    try:
        assert float(f(c(-1.0))) == 1.0 and float(f(c(-2.0))) == 2.0 and tf.config.functions_run_eagerly()
    finally:
        tf.config.run_functions_eagerly(False)
    assert [type(x).__name__ for x in seen] == ["EagerTensor", "EagerTensor"]


def test_recursion_and_side_effects():
    @tf.function
    def power(n, x):
        return x if n == 0 else x * power(n - 1, x)

    assert float(power(4, c(2.0))) == 32.0
    f, seen = traced(lambda x: x)
    for i in range(3):
        f(c(i))
    assert len(seen) == 1


def test_two_warnings_of_retracing():
    lines = []
    handler = logging.Handler()
    handler.emit = lambda record: lines.append(record.getMessage())
    logger = logging.getLogger("tensorflow")
    logger.addHandler(handler)
    try:
        f = tf.function(lambda x: c(0))  # of its own: the warnings are counted by the code
        for i in range(9):
            f(i)
    finally:
        logger.removeHandler(handler)
    assert len(lines) == 2 and lines[0].startswith("5 out of the last 5 calls to")


def test_traces_count_with_the_calls_that_follow_them(caplog):
    f = tf.function(lambda x: c(2))
    with caplog.at_level(logging.WARNING, logger="tensorflow"):
        for i in range(5):
            for _ in range(2):
                f(i)
    assert [record.getMessage()[:29] for record in caplog.records] == ["5 out of the last 9 calls to "]


def test_traces_that_are_asked_for_are_no_retracing(caplog):
    f = tf.function(lambda x: c(3))
    with caplog.at_level(logging.WARNING, logger="tensorflow"):
        for i in range(9):
            f.get_concrete_function(i)
        for i in range(9, 14):
            assert not caplog.records
            f(i)
    assert [record.getMessage()[:29] for record in caplog.records] == ["5 out of the last 5 calls to "]


def test_calls_within_a_trace_are_no_retracing(caplog):
    inner = tf.function(lambda x: c(1))

    @tf.function
    def outer():
        return [inner(i) for i in range(9)]

    with caplog.at_level(logging.WARNING, logger="tensorflow"):
        outer()
    assert not caplog.records


def test_gradients_through_inside_and_both():
    f = tf.function(lambda x: tf.sin(x) * x * x)

    @tf.function
    def g(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.gradient(y, x)

    x = c(2.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = g(x)
        second = inner.gradient(y, x)
    np.testing.assert_allclose([y, second, outer.gradient(second, x)], [1.9726, -5.14777, -11.74386], rtol=1e-5)


def test_captured_tensors_and_unconnected_arguments():
    x, k = c([1.0, 2.0]), c(2.0)
    f = tf.function(lambda y: tf.reduce_sum(x * x))
    with tf.GradientTape() as tape:
        tape.watch([x, k])
        value = f(k)
    by_x, by_k = tape.gradient(value, [x, k])
    np.testing.assert_allclose(by_x, [2.0, 4.0])
    assert by_k is None


def test_custom_gradients_inside_reach_tapes_outside():
    v = tf.Variable(2.0)

    @tf.custom_gradient
    def with_variable(x):
        return x * v, lambda dy, variables=None: (10 * dy * x, [dy * 7.0 for _ in variables])

    f, x = tf.function(lambda x: with_variable(x) * 2), c(3.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        by_x, by_v = tape.gradient(y, [x, v])
    assert (by_x.numpy(), by_v.numpy(), outer.gradient(by_x, x).numpy()) == (60.0, 14.0, 20.0)
    for wrapped, expected in ((tf.recompute_grad(lambda z: z * z), 6.0), (tf.grad_pass_through(tf.round), 1.0)):
        h = tf.function(lambda x, wrapped=wrapped: wrapped(x))
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = h(x)
        assert tape.gradient(y, x).numpy() == expected


def test_a_wrong_custom_gradient_is_wrong_when_asked():
    @tf.custom_gradient
    def bad(x):
        return x * x, lambda dy: (dy, dy)

    f, x = tf.function(lambda x: bad(x)), c(3.0)
    assert f(x).numpy() == 9.0
    with pytest.raises(ValueError, match="expected to return 1"), tf.GradientTape() as tape:
        tape.watch(x)
        tape.gradient(f(x), x)


def test_state_and_gradients():
    v, x = tf.Variable(2.0), c(3.0)

    @tf.function
    def f(x):
        y = v * x
        v.assign_add(1.0)
        return y + v * x

    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert [float(t) for t in (y, *tape.gradient(y, [x, v]), v)] == [15.0, 5.0, 6.0, 3.0]


def test_random_numbers_advance_and_each_operation_has_its_own():
    tf.random.set_seed(3)
    f = tf.function(lambda: (tf.random.uniform([]), tf.random.uniform([])))
    found = [float(x) for _ in range(2) for x in f()]
    np.testing.assert_allclose(found, [0.12736, 0.77807, 0.85802, 0.25705], atol=1e-5)


def test_init_scope():
    seen = []

    @tf.function
    def f(x):
        with tf.init_scope():
            seen.append((tf.executing_eagerly(), type(c(1.0) + 1).__name__))
        return x

    f(c(1.0))
    assert seen == [(True, "EagerTensor")]


def test_the_python_function_can_be_wrapped_until_it_is_traced():
    f = tf.function(lambda x: x * 2)
    f._decorate(lambda inner: lambda *args: inner(*args) + 1)
    assert int(f(c(3))) == 7
    with pytest.raises(ValueError, match="traced"):
        f._decorate(lambda inner: inner)


def test_ensure_shape_checks_open_sizes_once_they_are_known():
    f = tf.function(lambda x: tf.ensure_shape(x, [None, 3]), input_signature=[tf.TensorSpec([None, None])])
    assert f.get_concrete_function().outputs[0].shape.as_list() == [None, 3]
    assert f(tf.ones([1, 3])).shape == (1, 3)
    with pytest.raises(tf.errors.InvalidArgumentError, match="not compatible"):
        f(tf.ones([1, 4]))
