"""Critical sections, XLA's scopes, types for annotations."""

from __future__ import annotations

import threading

import pytest

import tfgrad_jax as tf

types = tf.types.experimental


def test_a_critical_section_runs_one_at_a_time():
    section, inside, most = tf.CriticalSection(name="x"), [], []

    def work():
        inside.append(1)
        most.append(len(inside))
        inside.pop()
        return tf.constant(3)

    threads = [threading.Thread(target=lambda: [section.execute(work) for _ in range(50)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert max(most) == 1 and len(most) == 200 and section.name == "x"
    with pytest.raises(ValueError, match="already running"):
        section.execute(lambda: section.execute(work))
    assert section.execute(work) == 3


def test_a_critical_section_in_a_function():
    section, v = tf.CriticalSection(), tf.Variable(1.0)

    @tf.function
    def add():
        return section.execute(lambda: v.assign_add(1.0))

    assert [float(add()), float(add())] == [2.0, 3.0]


def test_shared_sections():
    a, b = tf.CriticalSection(shared_name="one"), tf.CriticalSection(shared_name="one")
    done = []
    thread = threading.Thread(target=lambda: b.execute(lambda: done.append(1)))

    def hold():
        thread.start()
        thread.join(0.05)
        return list(done)

    assert a.execute(hold) == []
    thread.join()
    assert done == [1]


def test_xla_scopes():
    compile = tf.xla.experimental.compile
    one = tf.constant(1.0)
    assert compile(lambda a: a + 1, [one]) == [2.0]
    assert compile(lambda a, b: (a, b), [one, 2.0]) == [1.0, 2.0]
    assert compile(lambda: {"a": 1.0}) == {"a": 1.0}
    assert compile(lambda: None) is None
    with pytest.raises(TypeError, match="inputs must be a list"):
        compile(lambda a: a, one)

    @tf.function
    def scoped(x):
        with tf.xla.experimental.jit_scope():
            return x + 1

    assert scoped(one) == 2.0
    with pytest.raises(RuntimeError, match="not supported when eager execution"), tf.xla.experimental.jit_scope():
        pass


def test_types():
    @tf.function
    def f(x):
        return x

    trace = f.get_concrete_function(1.0)
    assert isinstance(f, types.Callable) and isinstance(trace, types.Callable)
    assert isinstance(tf.TensorSpec([]), types.TraceType) and not isinstance(1, types.TraceType)
    assert [isinstance(v, types.TensorLike) for v in (tf.constant(1), tf.Variable(1), 1, "a", object())] == [
        *[True] * 4,
        False,
    ]
    assert isinstance(trace.graph, tf.Graph) and tf.__internal__.tf2.enabled()


def test_time():
    times = tf.function(lambda: tf.timestamp())
    before = tf.timestamp()
    assert before.dtype == tf.float64
    assert before <= times() <= times()


def test_a_decorated_object_shows_its_attributes():
    class Part(tf.Module):
        def __init__(self):
            super().__init__()
            self.weight = tf.constant(2.0)

        def __call__(self, x):
            return x * self.weight

    f = tf.function(Part())
    assert f.weight == 2.0 and f(3.0) == 6.0


def test_names():
    assert tf.get_current_name_scope() == ""
    with tf.name_scope("a"), tf.name_scope("b"):
        assert tf.get_current_name_scope() == "a/b"
