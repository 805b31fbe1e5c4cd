"""Open sizes: what is claimed static is so for every size, and values are those of eager execution."""

from __future__ import annotations

import random

import numpy as np
import pytest

import tfgrad_jax as tf

SIZES = (0, 1, 2, 3, 7, 11, 20, 100)
BATCH = tf.TensorSpec([None])

ONLY_LOOKS_FIXED = {
    "from 20 on": lambda x: x[20:],
    "from 12 on": lambda x: x[12:],
    "all but 20": lambda x: x[:-20],
    "the middle": lambda x: x[10:-10],
    "every ninth": lambda x: x[30::9],
    "a 16th": lambda x: tf.zeros([tf.shape(x)[0] // 16]),
    "at least 20": lambda x: tf.fill([tf.maximum(tf.shape(x)[0], 20)], 1.0),
    "at most 9": lambda x: tf.ones([tf.minimum(tf.shape(x)[0], 9), 2]),
    "what is left of 50": lambda x: tf.range(tf.shape(x)[0], 50 + tf.shape(x)[0] // 60 * 100),
    "patches": lambda x: tf.reshape(x[: tf.shape(x)[0] // 16 * 16], [-1, 16]),
    "is it large": lambda x: tf.zeros([tf.cast(tf.shape(x)[0] > 50, tf.int32) + 1]),
    "remainder": lambda x: tf.zeros([tf.shape(x)[0] % 90]),
    "gathered": lambda x: tf.gather(tf.range(200), tf.range(tf.shape(x)[0] // 12)),
    "padded": lambda x: tf.pad(x[40:], [[1, tf.maximum(tf.shape(x)[0], 30)]]),
}


@pytest.mark.parametrize("name", ONLY_LOOKS_FIXED)
def test_a_size_that_is_the_same_for_small_ones(name):
    call = ONLY_LOOKS_FIXED[name]

    def everything(x):
        y = call(x)
        return y, tf.size(y), tf.shape(y)

    f = tf.function(everything, input_signature=[BATCH], autograph=False)
    for n in SIZES:
        x = tf.range(n, dtype=tf.float32)
        for seen, expected in zip(f(x), everything(x), strict=True):
            np.testing.assert_array_equal(seen, expected)


def test_the_mean_of_a_part():
    f = tf.function(lambda x: tf.reduce_sum(x[20:]) / tf.cast(tf.size(x[20:]), tf.float32), input_signature=[BATCH])
    assert f(tf.ones([100])) == 1.0


UNARY = [
    lambda x, k: x[k:],
    lambda x, k: x[:-k],
    lambda x, k: x[k:-k, ::2],
    lambda x, k: x[::-1, k:],
    lambda x, k: x[:, : 2 * k],
    lambda x, k: tf.concat([x, x[:k]], 0),
    lambda x, k: tf.concat([x, x * 2.0], 1),
    lambda x, k: tf.pad(x, [[k, 0], [1, k]]),
    lambda x, k: tf.tile(x, [k, 2]),
    lambda x, k: tf.reshape(x, [-1]),
    lambda x, k: (
        tf.reshape(x, [tf.shape(x)[1], -1]) if x.shape.is_fully_defined() and 0 in x.shape else tf.transpose(x)
    ),
    lambda x, k: tf.repeat(x, k, axis=1),
    lambda x, k: tf.reduce_sum(x, 0),
    lambda x, k: tf.reduce_mean(x + tf.ones([1, tf.shape(x)[1]]), 1, keepdims=True),
    lambda x, k: x + tf.reduce_max(x, 1, keepdims=True),
    lambda x, k: tf.zeros([tf.shape(x)[0] // k, tf.shape(x)[1] + k]),
    lambda x, k: tf.ones([tf.maximum(tf.shape(x)[0], 4 * k), k]),
    lambda x, k: tf.expand_dims(tf.range(tf.shape(x)[0] * k), 1),
    lambda x, k: tf.linspace(0.0, 1.0, tf.shape(x)[0] + k),
    lambda x, k: tf.one_hot(tf.range(tf.shape(x)[1]), tf.shape(x)[0] + k),
    lambda x, k: tf.stack([x, x], k % 3),
    lambda x, k: tf.transpose(x) @ x,
    lambda x, k: tf.split(tf.concat([x, x], 0), 2)[1],
    lambda x, k: tf.slice(x, [0, 0], [tf.shape(x)[0], tf.minimum(tf.shape(x)[1], k)]),
    lambda x, k: tf.nn.max_pool1d(tf.pad(x, [[0, 1], [0, 0]])[None], k, k, "SAME")[0],
    lambda x, k: tf.nn.conv1d(x[:, :, None], tf.ones([2, 1, 3]), k, "SAME"),
    lambda x, k: tf.boolean_mask(x, tf.range(tf.shape(x)[0]) % (k + 1) > 0),
    lambda x, k: tf.cumsum(x, 0, reverse=True),
    lambda x, k: tf.map_fn(lambda row: row[k:] * 2.0, tf.pad(x, [[1, 0], [0, 0]])),
    lambda x, k: tf.scan(lambda a, row: a + row, tf.pad(x, [[1, 0], [0, 0]])),
    lambda x, k: tf.while_loop(lambda i, a: i < k, lambda i, a: (i + 1, a * 2.0), (0, x))[1],
    lambda x, k: tf.cond(tf.size(x) > 10 * k, lambda: x[:k], lambda: x),
]


@pytest.mark.parametrize("seed", range(12))
def test_random_programs_with_open_sizes(seed):
    rng = random.Random(seed)
    call, k = [rng.choice(UNARY) for _ in range(4)], rng.choice([1, 2, 3, 20])

    def everything(x):
        results = [f(x, k) for f in call]
        return [(y, tf.shape(y), tf.size(y)) for y in results]

    spec = tf.TensorSpec([None, rng.choice([None, 4])])
    f = tf.function(everything, input_signature=[spec], autograph=False)
    claims = [claimed.shape for claimed, _, _ in f.get_concrete_function().structured_outputs]
    for n in rng.sample(SIZES, 4):
        x = tf.reshape(tf.range(n * 4, dtype=tf.float32), [n, 4])
        for seen, expected, claim in zip(f(x), everything(x), claims, strict=True):
            assert claim.is_compatible_with(expected[0].shape)
            for a, b in zip(seen, expected, strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-5)


def test_sizes_that_are_not_equal_where_they_need_not_be():
    specs = [tf.TensorSpec([None, None, 4]), tf.TensorSpec([3, None, None])]
    f = tf.function(lambda x, y: tf.concat([x, y], 0), input_signature=specs).get_concrete_function()
    assert f.output_shapes.as_list() == [None, None, 4]
    f = tf.function(
        lambda x, y: x @ y, input_signature=[tf.TensorSpec([None, None, 64]), tf.TensorSpec([None, 64, None])]
    )
    assert f.get_concrete_function().output_shapes.as_list() == [None, None, None]


def test_many_open_operands_ask_little_of_jax(monkeypatch):
    import jax

    asked = []
    eval_shape = jax.eval_shape
    monkeypatch.setattr(jax, "eval_shape", lambda *a, **k: asked.append(1) or eval_shape(*a, **k))
    f = tf.function(lambda *x: tf.concat(x, 1), input_signature=[tf.TensorSpec([None, None])] * 6, autograph=False)
    assert f.get_concrete_function().output_shapes.as_list() == [None, None]
    assert len(asked) < 40


def test_tracing_again_asks_nothing_of_jax(monkeypatch):
    import jax

    def trace():
        f = tf.function(lambda x: tf.nn.relu(x[3:] * 2.0 + 1.0), input_signature=[BATCH], autograph=False)
        f.get_concrete_function()

    trace()
    asked = []
    eval_shape = jax.eval_shape
    monkeypatch.setattr(jax, "eval_shape", lambda *a, **k: asked.append(1) or eval_shape(*a, **k))
    trace()
    assert len(asked) <= 2  # of the slice, which is recorded as Python code


ANY = tf.TensorSpec(None)
UNKNOWN = {
    "elementwise": (lambda x: x * 2.0 + 1.0, None),
    "rank, size and shape": (lambda x: tf.stack([tf.rank(x), tf.size(x), tf.reduce_sum(tf.shape(x))]), [3]),
    "a sum of all": (tf.reduce_sum, []),
    "a sum of the last": (lambda x: tf.reduce_sum(x, -1), None),
    "flattened": (lambda x: tf.reshape(x, [-1]), [None]),
    "reshaped to itself": (lambda x: tf.reshape(x, tf.shape(x)), None),
    "a first row": (lambda x: x[0], None),
    "an ellipsis": (lambda x: x[..., tf.newaxis], None),
    "like": (lambda x: tf.zeros_like(x) + tf.ones_like(x), None),
    "stacked": (lambda x: tf.stack([x, x]), None),
    "concatenated": (lambda x: tf.concat([x, x], 0), None),
    "gathered": (lambda x: tf.gather(x, [1, 0]), None),
    "transposed": (lambda x: tf.transpose(x), None),
    "ensured": (lambda x: tf.ensure_shape(tf.expand_dims(x, 0), [1, None, None]) + 1.0, [1, None, None]),
    "mapped": (lambda x: tf.map_fn(lambda r: r * 2.0, x), None),
    "padded": (lambda x: tf.pad(x, [[1, 1], [0, 0]]), [None, None]),
    "a product": (lambda x: x @ tf.ones([3, 2]), None),
    "a loop": (lambda x: tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * 2.0), (0, x))[1], None),
    "a choice": (lambda x: tf.cond(tf.rank(x) > 1, lambda: tf.reduce_sum(x), lambda: tf.reduce_max(x)), []),
    "branches of other ranks": (lambda x: tf.cond(tf.size(x) > 3, lambda: x, lambda: tf.reduce_sum(x)), None),
}


@pytest.mark.parametrize(
    "make", [tf.ones, tf.zeros, lambda s: tf.zeros(tf.concat([s, [2]], 0)), lambda s: tf.fill(s, 1.0)]
)
def test_sizes_of_unknown_number(make):
    @tf.function(input_signature=[tf.TensorSpec([None], tf.int32)])
    def made(sizes):
        out = make(sizes)
        assert out.shape.rank is None
        return out

    for sizes in ([2, 3], []):
        wanted = make(tf.constant(sizes, tf.int32)).numpy()
        assert made(tf.constant(sizes, tf.int32)).numpy().tolist() == wanted.tolist()


@pytest.mark.parametrize("name", UNKNOWN)
def test_unknown_ranks(name):
    call, claim = UNKNOWN[name]
    graph = tf.__internal__.FuncGraph("f")
    with graph.as_default():
        out = call(tf.compat.v1.placeholder(tf.float32))
    assert out.shape.as_list() == claim if claim is not None else out.shape.rank is None
    x = tf.reshape(tf.range(6.0), [2, 3])

    def through_python(x):
        y = tf.numpy_function(lambda a: a, [x], tf.float32)
        assert y.shape.rank is None
        return call(y)

    for f in (tf.function(call, input_signature=[ANY], autograph=False), tf.function(through_python, autograph=False)):
        np.testing.assert_allclose(f(x), call(x))


def test_unknown_ranks_have_gradients():
    @tf.function(input_signature=[ANY])
    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(x * x)
        return tape.gradient(y, x)

    assert slope.get_concrete_function().output_shapes.rank is None
    for x in (tf.constant(3.0), tf.ones([2, 3])):
        np.testing.assert_array_equal(slope(x), 2.0 * x)


def test_a_shape_is_told_of_what_python_made():
    @tf.function(autograph=False)
    def f(x):
        y = tf.py_function(lambda a: a[:2], [x], tf.float32)
        sizes = tf.size(y), tf.rank(y), tf.shape(y)
        y.set_shape([None])
        return (*sizes, y[0])

    seen = f(tf.constant([5.0, 6.0, 7.0]))
    assert [t.numpy().tolist() for t in seen] == [2, 1, [2], 5.0]


def viterbi(potentials):
    """The best path, by a loop that collects where each step came from, and a scan back."""
    steps = tf.TensorArray(tf.float32, size=4)
    best = tf.zeros([tf.shape(potentials)[0]])
    for t in tf.range(4):
        best = tf.maximum(best, potentials[:, t])
        steps = steps.write(t, best)
    path = tf.scan(lambda at, row: tf.cast(tf.argmax(row), tf.int32) + at, steps.stack(), initializer=0)
    return path, steps.stack(), tf.boolean_mask(potentials, potentials[:, 0] > 0.0)


def test_a_loop_over_columns_that_is_unrolled():
    x = tf.constant([[1.0, -2.0, 3.0, 0.5], [-1.0, 4.0, 0.0, 2.0]])
    f = tf.function(viterbi, input_signature=[tf.TensorSpec([None, 4])])
    for seen, expected in zip(f(x), viterbi(x), strict=True):
        np.testing.assert_array_equal(seen, expected)


def test_a_growing_array_in_a_loop_over_known_numbers():
    def grown(x):
        out = tf.TensorArray(tf.float32, size=0, dynamic_size=True, element_shape=[None])
        for t in tf.range(1, 5):
            out = out.write(t - 1, x[:, t])
        return out.stack()

    x = tf.reshape(tf.range(10.0), [2, 5])
    for f in (tf.function(grown), tf.function(grown, input_signature=[tf.TensorSpec([None, None])])):
        np.testing.assert_array_equal(f(x), grown(x))


def test_sizes_that_are_several_operands():
    @tf.function(input_signature=[tf.TensorSpec([None, None])])
    def drawn(x):
        numbers = tf.random.uniform(tf.shape(x))
        return numbers, tf.reduce_mean(numbers, [False, True])

    for sizes in ((2, 3), (5, 1)):
        numbers, means = drawn(tf.ones(sizes))
        assert numbers.shape == sizes and means.shape == ()


def test_paddings_that_only_large_sizes_allow():
    spec = tf.TensorSpec([None, None])
    f = tf.function(lambda x: tf.pad(x, [[0, 0], [1024, 1024]], "REFLECT"), input_signature=[spec])
    assert f.get_concrete_function().output_shapes.as_list() == [None, None]
    assert f(tf.ones([2, 3000])).shape == [2, 5048]
    with pytest.raises(tf.errors.InvalidArgumentError):
        f(tf.ones([2, 1000]))


def test_what_is_broadcast_keeps_its_sizes():
    @tf.function(input_signature=[tf.TensorSpec([2, 1, 3]), tf.TensorSpec([None])])
    def f(x, y):
        z = tf.broadcast_to(x, tf.concat([[5, 2], tf.shape(y), [3]], 0))
        assert z.shape.as_list() == [5, 2, None, 3]
        return tf.broadcast_to(x, [tf.size(y), 2, tf.size(y), tf.size(y)])

    assert f.get_concrete_function().structured_outputs.shape.as_list() == [None, 2, None, 3]
    assert f(tf.ones([2, 1, 3]), tf.ones([3])).shape == [3, 2, 3, 3]
    with pytest.raises(tf.errors.InvalidArgumentError):
        f(tf.ones([2, 1, 3]), tf.ones([4]))


def test_rows_of_several_operands_each_of_a_number_of_its_own():
    @tf.function(input_signature=[tf.TensorSpec([None, None])])
    def f(x):
        return tf.dynamic_stitch([[0, 2], [1]], [x[:2], x[:1]])

    np.testing.assert_array_equal(f(tf.eye(3)), [[1, 0, 0], [1, 0, 0], [0, 1, 0]])
    assert f.get_concrete_function().structured_outputs.shape.as_list() == [3, None]


def test_sizes_of_what_runs_on_the_host_are_not_taken_from_a_guess():
    @tf.function(input_signature=[tf.TensorSpec([2], tf.int32)])
    def f(times):
        return tf.tile([["a"]], times)

    assert f.get_concrete_function().structured_outputs.shape.as_list() == [None, None]
    assert f([1, 2]).numpy().tolist() == [[b"a", b"a"]]


def test_what_has_only_open_sizes_is_reshaped_to_known_ones():
    @tf.function
    def f(x, n):
        y = tf.reshape(x, [n, n, -1, n])
        assert y.shape.as_list() == [None] * 4
        return tf.reshape(y, [2, 4, 8])

    assert f(tf.ones([64]), tf.constant(2)).shape == [2, 4, 8]
    with pytest.raises(ValueError, match="reshape"):  # rows of three do not make 64
        tf.function(
            lambda x: tf.reshape(x, [2, 4, 8]), input_signature=[tf.TensorSpec([None, 3])]
        ).get_concrete_function()
