"""`tf.TensorArray` in functions, with elements that differ in shape; the figures are TensorFlow's."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf

X = np.arange(1.0, 7.0, dtype=np.float32)


def grown(n, x):
    array = tf.TensorArray(tf.float32, size=0, dynamic_size=True, infer_shape=False)
    for i in tf.range(n):
        array = array.write(i, x[:i])
    return array.concat()


def filled(n, x):
    array = tf.TensorArray(tf.float32, size=n, infer_shape=False, element_shape=[None])
    for i in tf.range(n):
        array = array.write(i, x[: i + 1])
    return tf.concat([array.concat(), array.read(2), array.gather([1, 1])[1]], 0)


def masked(n, x):
    array = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    for i in tf.range(n):
        array = array.write(array.size(), tf.boolean_mask(x, x > tf.cast(n - i, tf.float32)))
    return array.concat()


def left_early(n, x):
    array = tf.TensorArray(tf.float32, size=0, dynamic_size=True, infer_shape=False, element_shape=[None])
    for i in tf.range(n):
        if i == 2:
            break
        array = array.write(i, x[i:])
    return array.concat()


def by_branches(n, x):
    array = tf.TensorArray(tf.float32, size=0, dynamic_size=True, infer_shape=False)
    for i in tf.range(n):
        array = array.write(i, x[:2]) if i % 2 == 0 else array.write(i, x[2:3])
    return array.concat()


def of_a_branch(n, x):
    array = tf.TensorArray(tf.float32, size=2, infer_shape=False)
    array = array.write(0, x[:n]) if n > 3 else array.write(0, x)
    return array.write(1, x[:1]).concat()


def within_a_loop(n, x):
    array = tf.TensorArray(tf.float32, size=0, dynamic_size=True, infer_shape=False)
    for i in tf.range(n):
        for j in tf.range(i):
            array = array.write(array.size(), x[j:i])
    return array.concat()


def split(n, x):
    array = tf.TensorArray(tf.float32, size=3, infer_shape=False).split(x, [n - 3, 2, 7 - n])
    return tf.concat([array.read(2), array.concat()], 0)


def rewritten(n, x):
    array = tf.TensorArray(tf.float32, size=n, infer_shape=False)
    for i in tf.range(n):
        array = array.write(i, x[: i + 1])
    for i in tf.range(n):
        array = array.write(i, array.read(i)[-1:])
    return tf.reshape(array.stack(), [-1])


CASES = {
    grown: ([1, 1, 2, 1, 2, 3], [14, 32, 36, 0, 0, 0]),
    filled: ([1, 1, 2, 1, 2, 3, 1, 2, 3, 4, 1, 2, 3, 1, 2], [78, 172, 168, 80, 0, 0]),
    masked: ([5, 6, 4, 5, 6, 3, 4, 5, 6, 2, 3, 4, 5, 6], [0, 40, 102, 176, 260, 360]),
    left_early: ([1, 2, 3, 4, 5, 6, 2, 3, 4, 5, 6], [2, 36, 66, 104, 150, 204]),
    by_branches: ([1, 2, 3, 1, 2, 3], [10, 28, 54, 0, 0, 0]),
    of_a_branch: ([1, 2, 3, 4, 1], [12, 8, 18, 32, 0, 0]),
    within_a_loop: ([1, 1, 2, 2, 1, 2, 3, 2, 3, 3], [16, 84, 156, 0, 0, 0]),
    split: ([4, 5, 6, 1, 2, 3, 4, 5, 6], [8, 20, 36, 64, 100, 144]),
}


@pytest.mark.parametrize("function", list(CASES), ids=lambda f: f.__name__)
@pytest.mark.parametrize("open_sizes", [False, True], ids=["known sizes", "open sizes"])
def test_elements_that_differ_in_length(function, open_sizes):
    signature = [tf.TensorSpec([], tf.int32), tf.TensorSpec([None])] if open_sizes else None
    recorded = tf.function(function, input_signature=signature)
    x, n = tf.constant(X), tf.constant(4)
    for _ in range(2):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = recorded(n, x)
            loss = tf.reduce_sum(y**2 * tf.range(1.0, tf.cast(tf.size(y), tf.float32) + 1.0))
        assert y.numpy().tolist() == CASES[function][0]
        assert tape.gradient(loss, x).numpy().tolist() == CASES[function][1]


def test_elements_that_become_alike():
    assert tf.function(rewritten)(tf.constant(4), tf.constant(X)).numpy().tolist() == [1, 2, 3, 4]


def test_the_gradient_within_the_function():
    @tf.function
    def f(n, x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            array = tf.TensorArray(tf.float32, size=0, dynamic_size=True, infer_shape=False)
            for i in tf.range(n):
                array = array.write(i, x[:i] * tf.cast(i, tf.float32))
            y = array.concat() ** 2
            loss = tf.reduce_sum(y) + tf.reduce_sum(array.read(1) ** 3) + tf.reduce_sum(array.read(3))
        return y, tape.gradient(loss, x)

    y, gradient = f(tf.constant(4), tf.range(6.0))
    assert y.numpy().tolist() == [0, 0, 4, 0, 9, 36] and gradient.numpy().tolist() == [3, 29, 39, 0, 0, 0]


def test_strings_datasets_and_sessions():
    words = tf.constant(["a", "b", "c"])

    def joined(n):
        array = tf.TensorArray(tf.string, size=n, infer_shape=False)
        for i in tf.range(n):
            array = array.write(i, words[:i])
        return array.concat()

    def stacked(n):
        array = tf.TensorArray(tf.string, size=n)
        for i in tf.range(n):
            array = array.write(i, words[i : i + 2])
        return array.stack()

    assert tf.function(joined)(tf.constant(3)).numpy().tolist() == [b"a", b"a", b"b"]
    assert tf.function(stacked)(tf.constant(2)).numpy().tolist() == [[b"a", b"b"], [b"b", b"c"]]
    numbers = tf.data.Dataset.range(2, 4).map(lambda n: grown(tf.cast(n, tf.int32), tf.constant(X)))
    assert [list(x) for x in numbers.as_numpy_iterator()] == [[1], [1, 1, 2]]
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x, array = tf.constant(X), tf.TensorArray(tf.float32, 0, dynamic_size=True, infer_shape=False)
        y = tf.while_loop(lambda i, a: i < 4, lambda i, a: (i + 1, a.write(i, x[:i])), (0, array))[1].concat()
        values = session.run([y, tf.gradients(tf.reduce_sum(y**2), x)[0]])
    assert [v.tolist() for v in values] == [[1, 1, 2, 1, 2, 3], [6, 8, 6, 0, 0, 0]]


@pytest.mark.parametrize("how", ["stack", "concat"])
def test_elements_that_do_not_go_together(how):
    @tf.function
    def f(n):
        array = tf.TensorArray(tf.float32, size=0, dynamic_size=True, infer_shape=False)
        for i in tf.range(n):
            array = array.write(i, tf.ones([i + 1, i + 2]))
        return getattr(array, how)()

    with pytest.raises(tf.errors.InvalidArgumentError, match="at index 1"):
        f(tf.constant(3))


def test_lengths_of_split():
    x = tf.constant(X)
    split = tf.function(lambda lengths: tf.TensorArray(tf.float32, 3, infer_shape=False).split(x, lengths).concat())
    assert split(tf.constant([0, 4, 2])).numpy().tolist() == X.tolist()
    with pytest.raises(tf.errors.InvalidArgumentError, match="sum of lengths is 5"):
        split(tf.constant([2, 1, 2]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="size of lengths"):
        tf.TensorArray(tf.float32, 3, infer_shape=False).split(x, [2, 4])


def of_writes(size, shape, places, lengths, use):
    def f(places, lengths):
        array = tf.TensorArray(tf.float32, size or 0, size is None, infer_shape=False, element_shape=shape)
        for i in tf.range(tf.size(places)):
            array = array.write(places[i], tf.range(1.0, tf.cast(lengths[i], tf.float32) + 1))
        return use(array)

    recorded = tf.function(f, input_signature=[tf.TensorSpec([None], tf.int32)] * 2)
    return recorded(tf.constant(places, tf.int32), tf.constant(lengths, tf.int32)).numpy().tolist()


@pytest.mark.parametrize("size", [None, 3], ids=["growing", "of a size"])
@pytest.mark.parametrize("shape", [None, [None]], ids=str)
def test_elements_that_were_not_written(size, shape):
    read, stack, concat = (lambda a: a.read(1)), (lambda a: a.stack()), (lambda a: a.concat())
    alike, differ, late = (([0, 2], [2, 2]), ([0, 2], [2, 3]), ([0, 2, 0], [2, 2, 3]))
    assert of_writes(size, shape, *alike, read) == [0, 0]
    assert of_writes(size, shape, *alike, stack) == [[1, 2], [0, 0], [1, 2]]
    assert of_writes(size, shape, *alike, concat) == [1, 2, 0, 0, 1, 2]
    assert of_writes(size, shape, *differ, lambda a: a.read(2)) == [1, 2, 3]
    for writes, uses in ((differ, (read, concat)), (late, (read, concat)), (([], []), (read, stack))):
        for use in uses:
            with pytest.raises(tf.errors.InvalidArgumentError):
                of_writes(size, shape, *writes, use)


@pytest.mark.parametrize("count", [0, 2], ids=["no elements", "elements"])
def test_elements_without_a_size(count):
    @tf.function(input_signature=[tf.TensorSpec([None, None, 2])])
    def f(steps):
        given = tf.TensorArray(tf.float32, tf.shape(steps)[0]).unstack(steps)
        put = tf.TensorArray(tf.float32, 2).scatter([1, 0], steps[:2] * 3)
        made = tf.TensorArray(tf.float32, tf.shape(steps)[0])
        for i in tf.range(tf.shape(steps)[0]):
            made = made.write(i, given.read(i) * 2)
        return made.stack(), given.concat(), put.read(1)

    steps = tf.ones([3, count, 2])
    with tf.GradientTape() as tape:
        tape.watch(steps)
        doubled, joined, thrice = f(steps)
    assert [t.shape.as_list() for t in (doubled, joined, thrice)] == [[3, count, 2], [3 * count, 2], [count, 2]]
    assert np.all(doubled == 2) and np.all(thrice == 3)
    assert tape.gradient([doubled, joined], steps).numpy().tolist() == np.full([3, count, 2], 3.0).tolist()


def test_elements_whose_shape_is_known_need_not_be_written():
    for size, wanted in ((None, []), (2, [[0, 0], [0, 0]])):
        assert of_writes(size, [2], [], [], lambda a: a.stack()) == wanted
    x = tf.constant(X)

    @tf.function
    def f(n):
        array = tf.TensorArray(tf.float32, 3, infer_shape=False)
        for i in tf.range(n):
            if i != 1:
                array = array.write(i, x[:2] * tf.cast(i, tf.float32))
        return array.stack()

    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(tf.constant(3))
    assert tape.gradient(y, x).numpy().tolist() == [2, 2, 0, 0, 0, 0]


def written_before(lengths, use):
    """An array of 4 with elements 0 and 2, of lengths that are known, and a third from a loop if that has a length."""
    array = tf.TensorArray(tf.float32, 4, infer_shape=False, clear_after_read=False)
    for place, n in zip((0, 2), lengths, strict=False):
        array = array.write(place, tf.range(1.0, n + 1.0))
    if len(lengths) == 3:
        for i in tf.range(3, 4):
            array = array.write(i, tf.range(1.0, tf.cast(i - 3 + lengths[2], tf.float32) + 1.0))
    return use(array)


@pytest.mark.parametrize(
    ("lengths", "use", "found"),
    [
        ((2, 2), lambda a: a.read(1), [0, 0]),
        ((2, 2), lambda a: a.stack(), [[1, 2], [0, 0], [1, 2], [0, 0]]),
        ((2, 1), lambda a: a.gather([0, 1]), [[1, 2], [0, 0]]),
        ((2, 1), lambda a: a.read(1), None),
        ((2, 1), lambda a: a.stack(), None),
        ((2, 1), lambda a: a.concat(), None),
        ((2, 2, 2), lambda a: a.read(1), [0, 0]),
        ((2, 2, 2), lambda a: a.stack(), [[1, 2], [0, 0], [1, 2], [1, 2]]),
        ((2, 2, 1), lambda a: a.read(2), [1, 2]),
        ((2, 2, 1), lambda a: a.read(1), None),
        ((2, 2, 1), lambda a: a.concat(), None),
    ],
)
def test_elements_written_before_a_loop(lengths, use, found):
    recorded = tf.function(lambda: written_before(lengths, use))
    for _ in range(2):
        if found is None:
            with pytest.raises(tf.errors.InvalidArgumentError):
                recorded()
        else:
            assert recorded().numpy().tolist() == found


def test_the_gradient_beside_elements_that_were_not_written():
    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            array = tf.TensorArray(tf.float32, 4, infer_shape=False).write(0, x)
            for i in tf.range(1, 3):
                array = array.write(i, x[:i] * x[:i])
            y = tf.reduce_sum(array.read(0)) + tf.reduce_sum(array.read(2))
        return y, tape.gradient(y, x)

    assert [v.numpy().tolist() for v in f(tf.constant([1.0, 2.0, 3.0]))] == [11, [3, 5, 1]]


@pytest.mark.parametrize("grows", [False, True], ids=["of a size", "growing"])
def test_compiled_stretches_tell_what_was_not_written(compiled_at_once, grows):
    """What is before an operation of the host is compiled without it, and may not hand zeros on for places that are empty."""

    @tf.function
    def f(x, place):
        array = tf.TensorArray(tf.float32, 0 if grows else 4, grows, infer_shape=False, element_shape=[None])
        for i in tf.range(2):
            array = array.write(i * 2, x[:2] * 2.0)
        array = array.write(3, tf.boolean_mask(x, x > 4.0))
        return array.read(place)

    x = tf.constant([1.0, 2.0, 3.0, 4.0, 5.0])
    for _ in range(3):
        assert [f(x, tf.constant(i)).numpy().tolist() for i in (2, 3)] == [[2, 4], [5]]
        with pytest.raises(tf.errors.InvalidArgumentError, match="not written"):
            f(x, tf.constant(1))


@pytest.mark.parametrize("tiers", ["mixed", "compiled"])
def test_loops_that_never_run_are_not_traced(tiers):
    with tf.extras.execution("immediate", tiers=tiers):
        assert of_writes(None, [2], [], [], lambda a: a.stack()) == []
