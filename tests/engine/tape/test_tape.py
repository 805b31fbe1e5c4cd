"""Gradient tapes: what they record. See `test_tape_asking` for what they answer, `test_backward` for how."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import tfgrad_jax as tf
from conformance.helpers import logged


def plain(answer):
    """Gradients as nested Python values."""
    return tf.nest.map_structure(lambda g: None if g is None else np.asarray(g).tolist(), answer)


READS = {
    "an operator": lambda v: v * 2.0,
    "a reflected operator": lambda v: 2.0 * v,
    "an operation": lambda v: tf.add(v, v),
    "a conversion": lambda v: tf.convert_to_tensor(v) * 2.0,
    "read_value": lambda v: v.read_value() * 2.0,
    "value": lambda v: v.value() * 2.0,
    "identity": lambda v: tf.identity(v) * 2.0,
    "a list": lambda v: tf.stack([v, v]),
    "iteration": lambda v: tf.add_n([x * 2.0 for x in v]),
    "an index": lambda v: v[0] * 2.0 + v[1] * 2.0,
    "a constant from a list of it": lambda v: tf.convert_to_tensor([v, v]),
}


@pytest.mark.parametrize("read", READS)
def test_reading_a_trainable_variable_watches_it(read):
    v = tf.Variable([3.0, 4.0])
    with tf.GradientTape() as tape:
        y = READS[read](v)
    assert plain(tape.gradient(y, v)) == [2.0, 2.0]
    assert [w is v for w in tape.watched_variables()] == [True]


def test_what_is_not_watched_has_no_gradient():
    v, x = tf.Variable(3.0, trainable=False), tf.constant(4.0)
    with tf.GradientTape() as tape:
        y = v * x
    assert tape.gradient(y, [v, x]) == [None, None] and tape.watched_variables() == ()


def test_watch_serves_tensors_and_variables_that_are_not_trainable():
    v, x = tf.Variable(3.0, trainable=False), tf.constant(4.0)
    with tf.GradientTape() as tape:
        tape.watch({"v": v, "more": [(x,)]})
        y = v * x
    assert plain(tape.gradient(y, {"v": v, "more": [(x,)]})) == {"v": 4.0, "more": [(3.0,)]}
    assert len(tape.watched_variables()) == 1


def test_watch_accessed_variables_can_be_turned_off():
    v, w = tf.Variable(3.0), tf.Variable(4.0)
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(w)
        y = v * w
    assert plain(tape.gradient(y, [v, w])) == [None, 3.0]


@pytest.mark.parametrize("value", [1.0, np.ones(2), "x", [1.0], {"a": 1}])
def test_watch_refuses_what_is_no_tensor(value):
    with tf.GradientTape() as tape, pytest.raises(ValueError, match=r"not tf\.Tensor"):
        tape.watch(value)


def test_watching_an_integer_warns():
    x = tf.constant(3)
    with logged() as lines, tf.GradientTape() as tape:
        tape.watch([tf.constant(1.0), tf.constant(1j), tf.constant(1.0, tf.bfloat16)])
        assert not lines
        tape.watch(x)
        y = tf.cast(x, tf.float32) * 2.0
    assert len(lines) == 1 and lines[0].startswith("WARNING: The dtype of the watched tensor must be floating")
    assert tape.gradient(y, x) is None


def test_watching_starts_where_it_is_asked():
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        before = x * x
        tape.watch(x)
        after = x * x
    assert tape.gradient(before, x) is None and float(tape.gradient(after, x)) == 6.0


def test_watching_is_local_to_one_tape():
    x = tf.constant(3.0)
    with tf.GradientTape() as outer, tf.GradientTape() as inner:
        inner.watch(x)
        y = x * x
    assert outer.gradient(y, x) is None and float(inner.gradient(y, x)) == 6.0


def test_watched_variables_are_in_order_of_creation_and_may_be_integers():
    a, b, c = tf.Variable(1.0), tf.Variable(2), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        _ = c * a
        _ = b + b
    found = tape.watched_variables()
    assert type(found) is tuple and [v is w for v, w in zip(found, (a, b, c), strict=True)] == [True] * 3


def test_stop_recording():
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        with tape.stop_recording():
            z = x * y
        w = x + y
    assert plain([tape.gradient(t, x) for t in (y, z, w)]) == [6.0, None, 7.0]


def test_stop_recording_ends_with_an_exception_inside():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        with pytest.raises(KeyError), tape.stop_recording():
            raise KeyError
        y = x * x
    assert float(tape.gradient(y, x)) == 6.0


def test_stop_recording_belongs_into_the_context():
    with pytest.raises(RuntimeError, match="not recording"), tf.GradientTape().stop_recording():
        pass


def test_reset_forgets_what_was_recorded_and_watched():
    x, v = tf.constant(3.0), tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        before = x * v
        tape.reset()
        assert tape.watched_variables() == ()
        after = x * v * v
    assert plain(tape.gradient(before, [x, v])) == [None, None]
    assert plain(tape.gradient(after, [x, v])) == [None, 12.0]
    with pytest.raises(ValueError, match="not recording"):
        tape.reset()


def test_a_recording_tape_is_not_entered_again():
    with tf.GradientTape() as tape, pytest.raises(ValueError, match="still recording"), tape:
        pass


def test_a_tape_goes_on_when_entered_again():
    v = tf.Variable(2.0)
    tape = tf.GradientTape()
    with tape:
        y = v * v
    between = y * 5.0
    with tape:
        z = y * y * between
    assert float(tape.gradient(z, v)) == 2 * (2.0**2) * 2 * 2.0 * 20.0  # `between` is a constant to it


def test_an_exception_leaves_no_tape_behind():
    v = tf.Variable(2.0)
    tape = tf.GradientTape(persistent=True)
    with pytest.raises(KeyError), tape:
        y = v * v
        raise KeyError
    after = v * v
    assert tape.gradient(after, v) is None and float(tape.gradient(y, v)) == 4.0


def test_an_operation_that_fails_does_not_disturb():
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = v * v
        with pytest.raises(tf.errors.InvalidArgumentError):
            v + tf.ones([3])
        z = y * 2.0
    assert plain(tape.gradient(z, v)) == [4.0, 8.0]


def test_python_decides_what_is_recorded():
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.constant(1.0)
        while y < 20.0:
            y = y * x if y < 5.0 else y + x
    assert (float(y), float(tape.gradient(y, x))) == (20.0, 18.0)


def test_numpy_leaves_the_tape():
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        y = tf.reduce_sum(np.square(x))
        z = tf.reduce_sum(tf.constant(x.numpy()) * x)
    assert tape.gradient(y, x) is None and plain(tape.gradient(z, x)) == [1.0, 2.0]


def test_threads_have_tapes_of_their_own():
    v = tf.Variable(3.0)
    seen = {}

    def there():
        seen["recorded elsewhere"] = v * v
        for _ in range(10):
            with tf.GradientTape() as own:
                y = v * v * v
            seen["own"] = float(own.gradient(y, v))

    with tf.GradientTape(persistent=True) as tape:
        thread = threading.Thread(target=there)
        thread.start()
        here = [v * 2.0 for _ in range(10)][-1]
        thread.join()
    assert seen["own"] == 27.0
    assert tape.gradient(seen["recorded elsewhere"], v) is None and float(tape.gradient(here, v)) == 2.0


def test_two_tapes_record_the_same():
    v = tf.Variable(3.0)
    with tf.GradientTape() as one, tf.GradientTape() as two:
        y = v * v
    assert float(one.gradient(y, v)) == float(two.gradient(y, v)) == 6.0


# -- state -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["assign", "assign_add", "assign_sub"])
def test_assignments_cut_the_path(how):
    v, w = tf.Variable(1.0), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        getattr(v, how)(w * w)
        y = v * v
    expected = {"assign": 8.0, "assign_add": 10.0, "assign_sub": -6.0}[how]
    assert plain(tape.gradient(y, [v, w])) == [expected, None]


def test_values_read_before_an_assignment_stay():
    v = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = v * v
        v.assign(100.0)
        z = y + v * v
    assert float(tape.gradient(z, v)) == 2 * 3.0 + 2 * 100.0


def test_what_an_assignment_returns_is_the_variable():
    v = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = v.assign_add(1.0) * v
    assert float(tape.gradient(y, v)) == 8.0


def test_replacing_a_variable_by_a_tensor_loses_the_watch():
    x = tf.Variable(2.0)
    answers = []
    for _ in range(2):
        with tf.GradientTape() as tape:
            y = x + 1.0
        answers.append(tape.gradient(y, x))
        x = x + 1.0
    assert plain(answers) == [1.0, None]
