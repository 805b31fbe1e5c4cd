"""Loops over sequences of many lengths run by turns that are compiled once."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf
from tfgrad_jax.engine.control import interpret, turn_run, turns

_SEQUENCES = [tf.TensorSpec([None, None, 3])]
_U = np.linspace(-0.5, 0.6, 15, dtype=np.float32).reshape(3, 5)
_W = np.linspace(0.4, -0.5, 25, dtype=np.float32).reshape(5, 5)


@pytest.fixture(autouse=True)
def by_turns(monkeypatch):
    """Turns are compiled as soon as a loop meets its second length. What is given is the names of the loops that ran so."""
    ran = []
    run = turns.Turns._run_compiled

    def noted(self, tensors):
        results = run(self, tensors)
        ran.append(self._loop.name)
        return results

    monkeypatch.setattr(turns.Turns, "_run_compiled", noted)
    monkeypatch.setattr(turns, "WORTH_SECONDS", 0.0)
    with tf.extras.execution("immediate", tiers="mixed"):
        yield ran


def _begin(x):
    return tf.zeros([tf.shape(x)[0], 5], x.dtype), tf.shape(x)[1]


def _array_of(x):
    return tf.TensorArray(x.dtype, tf.shape(x)[1], clear_after_read=False).unstack(tf.transpose(x, [1, 0, 2]))


def _while(x, u, w):
    h, n = _begin(x)
    xs, out = _array_of(x), tf.TensorArray(x.dtype, n)

    def step(t, h, out):
        h = tf.tanh(xs.read(t) @ u + h @ w)
        return t + 1, h, out.write(t, h)

    _, h, out = tf.while_loop(lambda t, *_: t < n, step, (0, h, out), maximum_iterations=n)
    return tf.reduce_sum(out.stack() ** 2) + tf.reduce_sum(h)


def _sliced(x, u, w):
    h, n = _begin(x)
    out = tf.TensorArray(x.dtype, n)
    for t in tf.range(n):
        h = tf.tanh(x[:, t] @ u + h @ w) * (1 + x[:, -1 - t][:, :1])
        out = out.write(t, h)
    return tf.reduce_sum(out.stack() ** 2)


def _gathered(x, u, w):
    h, n = _begin(x)
    t = 0
    while t < n:
        h = tf.tanh(tf.gather(x, t, axis=1) @ u + h @ w)
        t += 1
    return tf.reduce_sum(h**2)


def _rows(x, u, w):
    h, _ = _begin(x)
    for row in tf.transpose(x, [1, 0, 2]):
        h = tf.tanh(row @ u + h @ w)
    return tf.reduce_sum(h**2)


def _scanned(x, u, w, reverse=False):
    h, _ = _begin(x)
    all_h = tf.scan(lambda h, row: tf.tanh(row @ u + h @ w), tf.transpose(x, [1, 0, 2]), h, reverse=reverse)
    return tf.reduce_sum(all_h[::2] ** 2)


def _scanned_back(x, u, w):
    return _scanned(x, u, w, reverse=True)


def _growing(x, u, w):
    h, n = _begin(x)
    out = tf.TensorArray(x.dtype, 0, dynamic_size=True)
    for t in tf.range(n):
        h = tf.tanh(x[:, t] @ u + h @ w)
        out = out.write(t, h)
    return tf.reduce_sum(out.stack() ** 2)


def _read_and_written(x, u, w):
    rows, n = _array_of(x), tf.shape(x)[1]
    for t in tf.range(1, n):
        rows = rows.write(t, rows.read(t) * tf.sigmoid(rows.read(t - 1)))
    return tf.reduce_sum(tf.tensordot(rows.stack() ** 2, u, 1))


def _swapped(x, u, w):
    a, n = _begin(x)
    b = a + 1
    for t in tf.range(n):
        a, b = b, tf.tanh(x[:, t] @ u + a @ w)
    return tf.reduce_sum(a * b)


def _read_twice_and_overwritten(x, u, w):
    h, n = _begin(x)
    out = tf.TensorArray(x.dtype, 2, element_shape=[None, 5], clear_after_read=False)
    for t in tf.range(n):
        h = tf.tanh(x[:, t] @ u + x[:, t // 2] @ u + h @ w)
        out = out.write(t % 2, h)
    return tf.reduce_sum(out.stack() ** 3)


_LOOPS = [
    _while, _sliced, _gathered, _rows, _scanned, _scanned_back, _growing, _read_and_written, _swapped,
    _read_twice_and_overwritten,
]  # fmt: skip


def _interpreted(function, x):
    """The result of a function whose operations run one by one."""
    lifted = function.get_concrete_function().lifted
    lifted.tell_reads()
    return interpret.run(lifted, [x, *lifted.outside()])[0]


def _input(length, dtype=np.float32):
    return tf.constant(np.random.RandomState(length).randn(2, length, 3).astype(dtype))


@pytest.mark.parametrize("loop", _LOOPS, ids=[f.__name__[1:] for f in _LOOPS])
def test_values_and_gradients_are_those_of_the_program(by_turns, loop):
    u, w = tf.Variable(_U), tf.Variable(_W)
    function = tf.function(lambda x: loop(x, u, w), input_signature=_SEQUENCES)
    for length in (4, 6, 7):
        x = _input(length)
        found = []
        for run in (lambda x: _interpreted(function, x), lambda x: loop(x, u, w)):
            with tf.GradientTape() as tape:
                tape.watch(x)
                value = run(x)
            gradients = tape.gradient(value, [x, u, w], unconnected_gradients="zero")
            found.append([value, *map(tf.convert_to_tensor, gradients)])
        for one, other in zip(*found, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-6)
    assert len(by_turns) == 2  # not for the first length


@pytest.mark.parametrize("loop", [_while, _sliced, _rows, _scanned, _growing], ids=lambda f: f.__name__[1:])
def test_a_turn_is_compiled_once(by_turns, monkeypatch, loop):
    made = []
    kernels = turn_run.Kernels
    monkeypatch.setattr(turn_run, "Kernels", lambda *args: made.append(kernels(*args)) or made[-1])
    function = tf.function(lambda x: loop(x, _U, _W), input_signature=_SEQUENCES)
    for length in range(3, 9):
        _interpreted(function, _input(length))
    assert len(by_turns) == 5
    assert len(made) == 1


def test_turns_that_differ_each_time_are_not_compiled(by_turns):
    """What looks at the whole sequence in each turn is another program for each length."""

    def attends(x):
        h = tf.zeros([2, 3])
        for row in tf.transpose(x, [1, 0, 2]):
            scores = tf.nn.softmax(tf.einsum("bd,btd->bt", h + row, x))
            h = tf.einsum("bt,btd->bd", scores, x)
        return h

    function = tf.function(attends, input_signature=_SEQUENCES)
    for length in range(3, 12):
        x = _input(length)
        np.testing.assert_allclose(_interpreted(function, x), attends(x), rtol=1e-4, atol=1e-6)
    assert len(by_turns) <= 4


def test_a_gradient_of_the_gradient_sees_each_operation(by_turns):
    u, w = tf.Variable(_U), tf.Variable(_W)
    function = tf.function(lambda x: _while(x, u, w), input_signature=_SEQUENCES)
    for length in (3, 4):
        x = _input(length)
        found = []
        for run in (lambda x: _interpreted(function, x), lambda x: _while(x, u, w)):
            with tf.GradientTape() as outer:
                with tf.GradientTape() as inner:
                    value = run(x)
                penalty = tf.reduce_sum(inner.gradient(value, u) ** 2)
            found += [penalty, *outer.gradient(penalty, [u, w])]
        for one, other in zip(found[:3], found[3:], strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-5)
    assert by_turns


def test_what_no_gradient_flows_from_has_none(by_turns):
    """Nor does a variable that only the condition asks for."""
    u, limit = tf.Variable(_U), tf.Variable(1e6)

    @tf.function(input_signature=_SEQUENCES)
    def loop(x):
        h, t = tf.zeros([2, 5]), 0
        while t < tf.shape(x)[1] and tf.reduce_sum(h) < limit:
            h = h + x[:, t] @ tf.stop_gradient(u)
            t += 1
        return tf.reduce_sum(h)

    for length in (3, 4):
        x = _input(length)
        with tf.GradientTape() as tape:
            tape.watch(x)
            value = _interpreted(loop, x)
        gradients = tape.gradient(value, [x, u, limit])
        np.testing.assert_allclose(gradients[0], np.broadcast_to(_U.sum(1), x.shape), rtol=1e-5)
        assert gradients[1:] == [None, None]
    assert by_turns == ["While"]


def test_what_is_wrong_is_raised_as_by_the_operations(by_turns):
    @tf.function(input_signature=[tf.TensorSpec([None, 2]), tf.TensorSpec([], tf.int32)])
    def rows(x, n):
        array, total = tf.TensorArray(tf.float32, tf.shape(x)[0], clear_after_read=False).unstack(x), tf.zeros([2])
        for t in tf.range(n):
            total += array.read(t)
        return total

    lifted = rows.get_concrete_function().lifted
    for length in (3, 4):
        x = tf.ones([length, 2])
        assert interpret.run(lifted, [x, tf.constant(length)])[0].numpy().tolist() == [length] * 2
    with pytest.raises(tf.errors.InvalidArgumentError, match="element 5 in a list with 5 elements"):
        interpret.run(lifted, [tf.ones([5, 2]), tf.constant(6)])
    assert interpret.run(lifted, [tf.ones([6, 2]), tf.constant(6)])[0].numpy().tolist() == [6, 6]
    assert by_turns == ["For", "For"]


def test_results_belong_to_the_caller(by_turns):
    """Nothing that a loop gives can be written to, nor changes what it was given."""
    function = tf.function(lambda x: _array_of(x).write(0, x[:, 1]).stack(), input_signature=_SEQUENCES)

    def loop(x):
        rows = _array_of(x)
        for t in tf.range(tf.shape(x)[1]):
            rows = rows.write(t, rows.read(t) * 2)
        return rows.stack()

    function = tf.function(loop, input_signature=_SEQUENCES)
    for length in (3, 4):
        x = _input(length)
        before = x.numpy().copy()
        result = _interpreted(function, x)
        np.testing.assert_array_equal(x, before)
        np.testing.assert_array_equal(tf.transpose(result, [1, 0, 2]), before * 2)
    assert by_turns == ["For"]
