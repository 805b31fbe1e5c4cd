"""`tf.TensorArray` in and outside of functions and loops."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "function"])
def test_written_in_a_loop_with_its_gradient(wrap):
    @wrap
    def f(x):
        array = tf.TensorArray(tf.float32, size=3)
        for i in tf.range(3):
            array = array.write(i, x * tf.cast(i, tf.float32))
        return tf.reduce_sum(array.stack() ** 2)

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert (float(y), float(tape.gradient(y, x))) == (20.0, 20.0)


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "function"])
def test_grows_in_a_loop_of_unknown_length(wrap):
    @wrap
    def f(n):
        array = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
        for i in tf.range(n):
            array = array.write(i, i * i)
        return array.stack()

    assert f(tf.constant(4)).numpy().tolist() == [0, 1, 4, 9]
    assert f(tf.constant(2)).numpy().tolist() == [0, 1]


def test_errors():
    with pytest.raises(tf.errors.OutOfRangeError):
        tf.TensorArray(tf.float32, size=1).write(1, 1.0)
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.TensorArray(tf.int32, size=1).write(0, 1.5)
    with pytest.raises(ValueError):
        tf.TensorArray(tf.float32, size=2).write(0, 1.0).write(1, [1.0, 2.0])


@pytest.mark.parametrize("n", [0, 3, 70])
def test_growing_by_its_own_size_in_a_loop(n):
    @tf.function
    def f(n):
        array = tf.TensorArray(tf.int32, size=0, dynamic_size=True, element_shape=[2])
        for i in tf.range(n):
            array = array.write(array.size(), [i, array.size()])
        return array.stack(), array.size()

    rows, size = f(tf.constant(n))
    assert int(size) == n
    assert rows.numpy().tolist() == [[i, i] for i in range(n)]


def test_strings_written_in_a_loop():
    @tf.function
    def f(n):
        array = tf.TensorArray(tf.string, size=n)
        for i in tf.range(n):
            array = array.write(i, tf.strings.join(["s", tf.as_string(i)]))
        return array.stack()

    assert f(tf.constant(2)).numpy().tolist() == [b"s0", b"s1"]


@pytest.mark.parametrize("known", [True, False], ids=["size", "open size"])
def test_elements_of_unknown_rank(known):
    """What Python gives in a function has no rank (`tf.numpy_function`); the elements do all the same."""

    @tf.function
    def f(n):
        rows = tf.TensorArray(tf.int32, size=n)
        grown = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        for t in tf.range(n):
            rows = rows.write(t, tf.numpy_function(lambda t: np.array([t, 1], np.int32), [t], tf.int32))
            number, done = tf.numpy_function(lambda t: (np.float32(t), t >= 2), [t], [tf.float32, tf.bool])
            grown = grown.write(t, number)
            if done:
                break
        return rows.stack(), rows.read(1), rows.gather([0, 1]), rows.concat(), rows.size(), grown.stack() * 2.0

    found = f(4 if known else tf.constant(4))
    assert [x.numpy().tolist() for x in found] == [
        [[0, 1], [1, 1], [2, 1], [0, 0]],
        [1, 1],
        [[0, 1], [1, 1]],
        [0, 1, 1, 1, 2, 1, 0, 0],
        4,
        [0.0, 2.0, 4.0],
    ]


@pytest.mark.parametrize("count", [0, 3])
def test_an_array_grows_beside_scalars_in_a_loop_within_a_loop(count):
    """The array outside has got room before the loop; the one made inside of a branch grows there."""

    @tf.function
    def f(a, n):
        total, turns = tf.constant(0.0), tf.constant(2)
        outer = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        for i in tf.range(n):
            outer = outer.write(i, total)
            if turns == 2:
                total += 1.0
            elif turns != 9:
                inner = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
                for k in tf.range(3):
                    inner = inner.write(k, 0.5)
                    if total > 8.0:
                        continue
                total = a * tf.reduce_sum(inner.stack()) if inner.size() > 0 else total
            turns += 1
        return total + tf.reduce_sum(outer.stack())

    for n in (count, tf.constant(count)):
        a = tf.constant(2.0)
        with tf.GradientTape() as tape:
            tape.watch(a)
            total = f(a, n)
        assert (float(total), float(tape.gradient(total, a))) == ((0.0, 0.0) if not count else (7.0, 3.0))


def test_an_array_that_grows_by_the_turn_of_the_loop_outside():
    @tf.function
    def f(a, size):
        total = tf.constant(0.0)
        outer = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        for i in tf.range(4):
            outer = outer.write(i, total)
            inner = tf.TensorArray(tf.float32, size=size, dynamic_size=True)
            for k in tf.range(i + 1):
                inner = inner.write(k, a * 2.0)
            total += inner.read(i)
        return total + tf.reduce_sum(outer.stack())

    for size in (0, 1):
        a = tf.constant(0.5)
        with tf.GradientTape() as tape:
            tape.watch(a)
            total = f(a, size)
        assert (float(total), float(tape.gradient(total, a))) == (10.0, 20.0)


def test_pieces_of_several_lengths():
    for read in (lambda a: a.read(1), lambda a: a.concat()[1:], lambda a: a.write(0, tf.constant([2.0, 3.0])).read(0)):
        array = tf.TensorArray(tf.float32, size=2).split(tf.constant([1.0, 2.0, 3.0]), [1, 2])
        assert read(array).numpy().tolist() == [2.0, 3.0]
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.TensorArray(tf.float32, size=2).split(tf.constant([1.0, 2.0, 3.0]), [1, 2]).stack()


def test_elements_whose_shape_the_first_write_tells_need_no_host():
    """As in Keras' recurrent layers with a mask: one element, of an open batch size, is written over and over."""

    @tf.function(input_signature=[tf.TensorSpec([None, 4])])
    def last(x):
        n = tf.shape(x)[1]
        rows = tf.TensorArray(tf.float32, n).unstack(tf.transpose(x))
        array = tf.TensorArray(tf.float32, 1, element_shape=[None])
        loop = tf.while_loop(
            lambda i, a, s: i < n,
            lambda i, a, s: (i + 1, a.write(0, s + rows.read(i)), s + rows.read(i)),
            [0, array, tf.zeros_like(x[:, 0])],
            maximum_iterations=n,
        )
        return loop[1].stack()[0] * 2.0

    x = tf.reshape(tf.range(8.0), [2, 4])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = last(x)
    assert y.numpy().tolist() == [12.0, 44.0] and tape.gradient(y, x).numpy().tolist() == [[2.0] * 4] * 2
    compiled = tf.function(last.python_function, input_signature=last.input_signature, jit_compile=True)
    assert "while" in compiled.experimental_get_compiler_ir(x)(stage="hlo")  # one program


@pytest.mark.parametrize("shape", [[None, None, 2], [None, 2], [None]])
@pytest.mark.parametrize("size, indices", [(3, [2, 0]), (2, [1, 0])])
def test_scatter_at_places_that_are_not_known(shape, size, indices):
    @tf.function(input_signature=[tf.TensorSpec(shape), tf.TensorSpec([None], tf.int32), tf.TensorSpec([], tf.int32)])
    def scattered(rows, at, size):
        array = tf.TensorArray(tf.float32, size, clear_after_read=False).scatter(at, rows)
        return array.stack(), array.read(at[0])

    rows = np.arange(1.0, 9.0, dtype=np.float32)[: [2, 4, 8][len(shape) - 1]].reshape([2] * len(shape))
    stacked, first = scattered.get_concrete_function().structured_outputs
    assert (stacked.shape.as_list(), first.shape.as_list()) == (shape, shape[1:])
    wanted = np.zeros([size, *rows.shape[1:]], np.float32)
    wanted[indices] = rows
    found, read = scattered(rows, indices, size)
    assert found.numpy().tolist() == wanted.tolist() and read.numpy().tolist() == rows[0].tolist()


def test_an_array_is_no_tensor_to_identity():
    with pytest.raises(ValueError, match="TensorArray"):
        tf.identity(tf.TensorArray(tf.float32, 2))


@pytest.mark.parametrize("tiers", ["mixed", "compiled"])
@pytest.mark.parametrize("n", [3, tf.constant(3)], ids=["known", "given"])
def test_a_turn_in_between_writes_furthest(tiers, n):
    @tf.function
    def f(a):
        array = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        for i in tf.range(n):
            array = array.write(i * (2 - i), a + tf.cast(i, tf.float32))
        return array.stack()

    with tf.extras.execution("fused", tiers=tiers):
        assert [f(tf.constant(0.5)).numpy().tolist() for _ in range(3)] == [[2.5, 1.5]] * 3


@pytest.mark.parametrize("tiers", ["mixed", "compiled"])
def test_elements_of_a_function_that_assigns_are_written_past_the_room(tiers):
    count = tf.Variable(0)

    @tf.function
    def f(a):
        count.assign_add(1)
        array = tf.TensorArray(tf.float32, size=1, dynamic_size=True)
        for i in tf.range(3):
            array = array.write(i * (2 - i) * 2, a)
        return array.stack()

    with tf.extras.execution("fused", tiers=tiers):
        for turn in range(3):
            assert f(tf.constant(0.5)).numpy().tolist() == [0.5, 0.0, 0.5] and int(count) == turn + 1


@pytest.mark.parametrize("tiers", ["mixed", "compiled"])
@pytest.mark.parametrize("options", [{}, {"jit_compile": True}], ids=["", "by XLA"])
def test_no_element_is_lost_where_nothing_is_checked(tiers, options):
    @tf.function(**options)
    def f(a, places):
        array = tf.TensorArray(tf.float32, size=1, dynamic_size=True, element_shape=())
        for i in tf.range(3):
            array = array.write(places[i], a * tf.cast(i + 1, tf.float32))
        return array.stack()

    tf.extras.runtime_checks(False)
    try:
        with tf.extras.execution("fused", tiers=tiers):
            for places, expected in (([0, 1, 2], [1, 2, 3]), ([0, 4, 2], [1, 0, 3, 0, 2]), ([1, 2, 0], [3, 1, 2])):
                a = tf.constant(1.0)
                with tf.GradientTape() as tape:
                    tape.watch(a)
                    out = f(a, tf.constant(places))
                assert out.numpy().tolist() == expected
                assert float(tape.gradient(out, a)) == 6.0
    finally:
        tf.extras.runtime_checks(None)


@pytest.mark.parametrize("tiers", ["mixed", "compiled"])
def test_growing_arrays_have_no_negative_places(tiers):
    """TensorFlow ends the process there."""

    @tf.function
    def f(a, n):
        array = tf.TensorArray(tf.float32, size=1, dynamic_size=True)
        for i in tf.range(n):
            array = array.write(i - 1, a)
        return array.stack()

    with tf.extras.execution("fused", tiers=tiers):
        for n in (2, tf.constant(2)):
            with pytest.raises(tf.errors.InvalidArgumentError, match="index -1"):
                f(tf.constant(0.5), n)
