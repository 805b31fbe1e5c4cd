"""Functions whose sizes are not known while they are traced: static shapes and values as in TensorFlow."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf

c = tf.constant
INT = tf.TensorSpec([], tf.int32)
ROWS = tf.TensorSpec([None, 2])
GENERATOR = tf.random.Generator.from_seed(1)


def checked(call, specs, args, shape):
    """The value of a traced call, whose static shape must be `shape`."""
    f = tf.function(call, input_signature=specs)
    found = f.get_concrete_function().structured_outputs
    assert tf.nest.map_structure(lambda t: str(t.shape), found) == shape
    return f(*args)


def test_sizes_that_must_be_equal_stay_open_beside_a_known_one():
    specs = [tf.TensorSpec([None, None, None]), tf.TensorSpec([None, 2])]
    found = checked(tf.linalg.set_diag, specs, [tf.ones([3, 2, 2]), tf.zeros([3, 2])], "(None, None, None)")
    np.testing.assert_array_equal(found, [[[0, 1], [1, 0]]] * 3)


def test_a_shape_may_have_to_end_as_another_operand_does():
    @tf.function(input_signature=[tf.TensorSpec([2], tf.int32), tf.TensorSpec([3])])
    def draw(shape, alpha):
        drawn = tf.random.stateless_gamma(shape, [1, 2], alpha)
        assert drawn.shape.as_list() == [None, None]
        return drawn

    assert draw([4, 3], [1.0, 2.0, 3.0]).shape == (4, 3)


@pytest.mark.parametrize(
    ("x", "y", "expected"), [([2, 1], [3], [2, 3]), ([], [3], [3]), ([], [], []), ([4, 1, 0], [1], [4, 1, 0])]
)
def test_broadcast_dynamic_shape_of_unknown_shapes(x, y, expected):
    f = tf.function(tf.broadcast_dynamic_shape, input_signature=[tf.TensorSpec([None], tf.int32)] * 2)
    found = f(c(x, tf.int32), c(y, tf.int32))
    assert (found.dtype, found.numpy().tolist()) == (tf.int32, expected)


def test_broadcast_dynamic_shape_refuses_unknown_shapes_that_do_not_fit():
    f = tf.function(tf.broadcast_dynamic_shape, input_signature=[tf.TensorSpec([None], tf.int32)] * 2)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Incompatible shapes: 2 vs"):
        f(c([5, 2]), c([3]))


def test_operations_on_the_host_are_tried_on_small_arrays():
    f = tf.function(
        tf.compat.v1.setdiff1d, input_signature=[tf.TensorSpec(None, tf.int32), tf.TensorSpec([None], tf.int32)]
    )
    assert f(c([1, 2, 3]), c([2])).out.numpy().tolist() == [1, 3]


@pytest.mark.parametrize("shape", [[None, 2], [None, None], None])
def test_rows_of_variables_take_updates_of_unknown_sizes(shape):
    v = tf.Variable(tf.zeros([3, 2]))

    @tf.function(input_signature=[tf.TensorSpec(shape)])
    def update(rows):
        v.scatter_update(tf.IndexedSlices(rows, c([0, 2])))

    update(tf.ones([2, 2]))
    assert v.numpy().tolist() == [[1, 1], [0, 0], [1, 1]]
    if shape is not None:
        with pytest.raises(ValueError, match="shape of indices"):
            tf.function(lambda rows: v.scatter_update(tf.IndexedSlices(rows, c([0, 2]))))(tf.ones([2, 3]))


SIZES = {
    "zeros": (lambda n: tf.zeros([n, 2]), "(None, 2)"),
    "zeros of a vector": (lambda n: tf.zeros(n[None]), "(None,)"),
    "empty strings": (lambda n: tf.zeros([n, 2], tf.string), "(None, 2)"),
    "ones": (lambda n: tf.ones((2, n), tf.float64), "(2, None)"),
    "zeros_like": (lambda n: tf.zeros_like(tf.range(n)), "(None,)"),
    "fill": (lambda n: tf.fill([n, 2], 7.0), "(None, 2)"),
    "range": (lambda n: tf.range(1, n, 2), "(None,)"),
    "tile": (lambda n: tf.tile([[1.0, 2.0]], [n, 1]), "(None, 2)"),
    "broadcast_to": (lambda n: tf.broadcast_to([1.0, 2.0], [n, 2]), "(None, 2)"),
    "reshape": (lambda n: tf.reshape(tf.range(6.0), [n, -1]), "(None, None)"),
    "eye": (lambda n: tf.eye(n, 2), "(None, 2)"),
    "one_hot": (lambda n: tf.one_hot([0, 1], n), "(2, None)"),
    "linspace": (lambda n: tf.linspace(0.0, 1.0, n), "(None,)"),
    "sequence_mask": (lambda n: tf.sequence_mask([1, 2], n), "(2, None)"),
    "slice": (lambda n: tf.slice(tf.range(6.0), [0], [n]), "(None,)"),
    "slice to the end": (lambda n: tf.slice(tf.range(6.0), n[None], [-1]), "(None,)"),
    "index expression": (lambda n: tf.range(6.0)[:n], "(None,)"),
    "pad": (lambda n: tf.pad([1.0, 2.0], [[n, 1]]), "(None,)"),
    "top_k": (lambda n: tf.math.top_k([3.0, 1.0, 2.0, 4.0], n).values, "(None,)"),
    "repeat": (lambda n: tf.repeat([1.0, 2.0], n), "(None,)"),
    "split": (lambda n: tf.split(tf.range(4.0), [n, 4 - n])[0], "(None,)"),
    "split in parts that fill a size": (lambda n: tf.split(tf.range(7.0), [n, 7 - n])[1], "(None,)"),
    "pad_to_bounding_box": (
        lambda n: tf.image.pad_to_bounding_box(tf.ones([2, 4, 1]), n - 3, n - 2, n + 2, n + 4),
        "(None, None, 1)",
    ),
    "conv2d_transpose": (
        lambda n: tf.nn.conv2d_transpose(tf.ones([1, 2, 3, 1]), tf.ones([2, 2, 1, 1]), [1, n + 1, 6, 1], 2),
        "(1, None, 6, 1)",
    ),
    "random_crop": (
        lambda n: tf.image.stateless_random_crop(tf.reshape(tf.range(60.0), [4, 5, 3]), [n, 2, 3], [1, 2]),
        "(None, 2, 3)",
    ),
    "resize": (lambda n: tf.image.resize(tf.ones([1, 2, 2, 1]), [n, n]), "(1, None, None, 1)"),
    "transpose": (lambda n: tf.transpose([[1.0, 2.0]], [n - 2, n - 3]), "(None, None)"),
    "unsorted_segment_sum": (lambda n: tf.math.unsorted_segment_sum([1.0, 2.0], [0, 1], n), "(None,)"),
    "bincount": (lambda n: tf.math.bincount([0, 1], minlength=n), "(None,)"),
    "scatter_nd": (lambda n: tf.scatter_nd([[0]], [1.0], [n]), "(None,)"),
    "concat": (lambda n: tf.concat([tf.range(n), [1]], 0), "(None,)"),
    "meshgrid": (lambda n: tf.meshgrid(tf.range(n), tf.range(2)), ["(2, None)", "(2, None)"]),
    "band_part": (lambda n: tf.linalg.band_part(tf.ones([3, 3]), n - 3, 0), "(3, 3)"),
    "diag": (lambda n: tf.linalg.diag(tf.ones([n])), "(None, None)"),
    "shape": (lambda n: tf.shape(tf.zeros([n, 2])), "(2,)"),
    "ensure_shape": (lambda n: tf.ensure_shape(tf.zeros([n, 2]), [3, None]), "(3, 2)"),
    "stateless_uniform": (lambda n: tf.random.stateless_uniform([n, 2], [1, 2]), "(None, 2)"),
}


@pytest.mark.parametrize("name", SIZES)
def test_a_size_that_is_an_argument(name):
    call, shape = SIZES[name]
    expected = call(c(3))
    for seen in (checked(call, [INT], [c(3)], shape), tf.function(lambda x: call(tf.shape(x)[0]))(tf.ones([3]))):
        tf.nest.map_structure(np.testing.assert_array_equal, seen, expected)


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        (lambda n, v: tf.stack([n, 2]), [None, 2]),
        (lambda n, v: tf.concat([v, [2]], 0), [None, None, 2]),
        (lambda n, v: tf.cast(tf.concat([[4], v], 0), tf.int64)[:2], [4, None]),
        (lambda n, v: tf.stack([v[0], 3, v[1]])[::-1], [None, 3, None]),
        (lambda n, v: v, [None, None]),
    ],
)
def test_sizes_that_are_known_in_part(sizes, expected):
    @tf.function(input_signature=[INT, tf.TensorSpec([2], tf.int32)])
    def made(n, v):
        found = tf.zeros(sizes(n, v))
        assert found.shape.as_list() == expected
        return found

    assert made(c(3), c([5, 6])).shape == sizes(c(3), c([5, 6])).numpy().tolist()


def test_a_crop_of_a_size_that_comes_later_fits_or_is_refused():
    crop = tf.function(tf.image.random_crop, input_signature=[tf.TensorSpec(None), tf.TensorSpec([2], tf.int32)])
    assert crop(tf.ones([3, 4]), c([2, 3])).shape == (2, 3)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Need value.shape >= size, got \[3, 4\] \[2, 5\]"):
        crop(tf.ones([3, 4]), c([2, 5]))


SPLIT = tf.reshape(tf.range(12.0), [3, 4])


@pytest.mark.parametrize("jit_compile", [None, True])
@pytest.mark.parametrize("spec", [[3, 4], [None, 4], [None, None]])
def test_parts_of_any_size(spec, jit_compile):
    @tf.function(input_signature=[tf.TensorSpec(spec), tf.TensorSpec([3], tf.int32)], jit_compile=jit_compile)
    def parts(x, sizes):
        found = tf.split(x, sizes, axis=1)
        assert [p.shape.as_list() for p in found] == [[spec[0], None]] * 3
        return found

    for sizes in ([1, 2, 1], [0, 4, 0]):
        for part, expected in zip(parts(SPLIT, c(sizes)), np.split(SPLIT, np.cumsum(sizes)[:-1], 1), strict=True):
            np.testing.assert_array_equal(part, expected)
    with pytest.raises(tf.errors.InvalidArgumentError, match="add up to the size 4"):
        parts(SPLIT, c([1, 2, 3]))


def test_how_many_parts_there_are_must_be_known():
    specs = [tf.TensorSpec([None, None]), tf.TensorSpec([None], tf.int32)]
    with pytest.raises(ValueError, match=r"split: how many parts there are.*pass num"):
        tf.function(lambda x, n: tf.split(x, n), input_signature=specs).get_concrete_function()
    parts = tf.function(lambda x, n: tf.split(x, n, axis=1, num=3), input_signature=specs)
    assert [p.shape[1] for p in parts(SPLIT, c([1, 0, 3]))] == [1, 0, 3]
    with pytest.raises(tf.errors.InvalidArgumentError):
        parts(SPLIT, c([1, 3]))


@pytest.mark.parametrize("table", [[None], [None, 5], [4, None]])
@pytest.mark.parametrize("indices", [[None], [None, 4], [None, 2, 3], [2, 3]])
def test_gathering_from_open_sizes(table, indices):
    specs = [tf.TensorSpec(table), tf.TensorSpec(indices, tf.int32)]
    found = tf.function(tf.gather, input_signature=specs).get_concrete_function()
    assert found.structured_outputs.shape.as_list() == indices + table[1:]


@pytest.mark.parametrize(
    "name", ["zeros", "tile", "reshape", "one_hot", "slice", "index expression", "stateless_uniform"]
)
def test_a_size_that_is_a_dimension(name):
    call, shape = SIZES[name]
    seen = checked(lambda x: call(tf.shape(x)[0]), [ROWS], [tf.ones([3, 2])], shape)
    np.testing.assert_array_equal(seen, call(c(3)))


@pytest.mark.parametrize(
    "draw",
    [
        lambda n: tf.random.uniform([n, 2]),
        lambda n: tf.random.uniform([n, 2], 0, 9, tf.int32, seed=1),
        lambda n: tf.random.normal([n, 2], seed=1),
        lambda n: tf.random.gamma([n, 2], 1.0),
        lambda n: tf.random.poisson([n, 2], 1.0),
        lambda n: tf.random.stateless_truncated_normal([n, 2], [1, 2]),
        lambda n: tf.nn.dropout(tf.ones([n, 2]), 0.5, seed=1),
        lambda n: tf.random.shuffle(tf.ones([n, 2])),
        lambda n: GENERATOR.normal([n, 2]),
    ],
)
def test_random_draws_of_any_size(draw):
    seen = checked(draw, [INT], [c(3)], "(None, 2)")
    assert seen.shape == [3, 2]


def test_random_draws_of_any_size_are_those_of_the_fixed_size_and_advance():
    tf.random.set_seed(5)
    f = tf.function(lambda n: tf.random.uniform([n, 2], seed=1))
    seen = [f(c(3)), f(c(3))]
    tf.random.set_seed(5)
    g = tf.function(lambda: tf.random.uniform([3, 2], seed=1))
    np.testing.assert_array_equal(seen, [g(), g()])


def test_index_expressions_of_open_shapes():
    x = tf.reshape(tf.range(8.0), [4, 2])
    cases = {
        "(2,)": lambda x: x[0],
        "(None,)": lambda x: x[:, 0],
        "(None, 2)": lambda x: x[:3],
        "(None, 1)": lambda x: x[-2:, 1:],
        "(1, None, 2)": lambda x: x[tf.newaxis, ::-1],
    }
    for shape, call in cases.items():
        np.testing.assert_array_equal(checked(call, [ROWS], [x], shape), call(x))


def test_a_size_that_only_looks_fixed():
    f = tf.function(lambda x: tf.shape(x[:5]) + 0 * tf.shape(x[:, :1]), input_signature=[ROWS])
    assert f(tf.ones([3, 2])).numpy().tolist() == [3, 2] and f(tf.ones([9, 2])).numpy().tolist() == [5, 2]
    f = tf.function(lambda x: tf.zeros([tf.minimum(tf.shape(x)[0], 5)]), input_signature=[ROWS])
    assert f.get_concrete_function().output_shapes == tf.TensorShape([None])
    assert f(tf.ones([3, 2])).shape == [3]


def test_an_unknown_dimension_that_must_equal_a_known_one():
    two = tf.TensorSpec([None, None])
    assert checked(lambda x: x @ tf.ones([3, 4]), [two], [tf.ones([2, 3])], "(None, 4)").shape == [2, 4]
    assert checked(lambda x: x + tf.ones([5, 1]), [two], [tf.ones([5, 3])], "(5, None)").shape == [5, 3]
    assert checked(lambda x: tf.concat([x, tf.ones([1, 3])], 0), [two], [tf.ones([2, 3])], "(None, 3)").shape == [3, 3]


def test_an_error_of_a_kernel_is_not_hidden():
    def broken(x):
        raise AttributeError("a mistake in a kernel")

    from tfgrad_jax.engine.kernels.kernel import Kernel
    from tfgrad_jax.engine.run.execute import execute

    kernel = Kernel("Broken", broken)
    with pytest.raises(Exception, match="a mistake in a kernel"):
        tf.function(lambda x: execute(kernel, (x,)), autograph=False, input_signature=[ROWS])(tf.ones([1, 2]))


def test_lookups_have_sparse_gradients_inside():
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])

    def gradient(i):
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.nn.embedding_lookup(v, i) ** 2)
        return tape.gradient(y, v)

    for spec, i in (([3], [0, 0, 2]), ([None], [0, 0, 2]), ([None, None], [[0, 0, 2]])):
        f = tf.function(gradient, input_signature=[tf.TensorSpec(spec, tf.int32)])
        found = f(c(i))
        assert isinstance(found, tf.IndexedSlices) and found.shape == [3, 2]
        assert found.values.numpy().tolist() == [[2.0, 4.0], [2.0, 4.0], [10.0, 12.0]]
        assert found.indices.numpy().tolist() == [0, 0, 2]
        np.testing.assert_array_equal(tf.convert_to_tensor(found), tf.convert_to_tensor(gradient(c(i))))


def test_sparse_gradients_of_an_open_table():
    def gradient(i, table):
        with tf.GradientTape() as tape:
            tape.watch(table)
            y = tf.reduce_sum(tf.gather(table, i) ** 2) + tf.reduce_sum(tf.gather(table, i[:1]))
        found = tape.gradient(y, table)
        assert isinstance(found, tf.IndexedSlices) and found.shape.as_list() == [None, 2]
        return tf.convert_to_tensor(found)

    f = tf.function(gradient, input_signature=[tf.TensorSpec([None], tf.int32), ROWS])
    assert f(c([0, 0, 2]), tf.ones([3, 2])).numpy().tolist() == [[5.0, 5.0], [0.0, 0.0], [2.0, 2.0]]


@pytest.mark.parametrize("pfor", [True, False])
def test_jacobians_of_an_open_batch(pfor):
    x = tf.reshape(tf.range(6.0), [3, 2])

    def jacobians(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = x * x
            z = tf.reduce_sum(y, 0)
        return (
            tape.batch_jacobian(y, x, experimental_use_pfor=pfor),
            tape.jacobian(y, x, experimental_use_pfor=pfor),
            tape.jacobian(z, x, experimental_use_pfor=pfor),
        )

    shapes = ("(None, 2, 2)", "(None, 2, None, 2)", "(2, None, 2)")
    for seen, expected in zip(checked(jacobians, [ROWS], [x], shapes), jacobians(x), strict=True):
        np.testing.assert_array_equal(seen, expected)


def test_strings():
    spec = tf.TensorSpec([None], tf.string)
    seen = checked(lambda a: tf.strings.join([a, "x", a], "-"), [spec], [c(["p", "q"])], "(None,)")
    assert seen.numpy().tolist() == [b"p-x-p", b"q-x-q"]
    assert checked(tf.strings.length, [spec], [c(["p", "qq"])], "(None,)").numpy().tolist() == [1, 2]


def test_dropout_of_any_rank_draws_as_for_the_known_one():
    def drawn(spec):
        tf.random.set_seed(3)

        def body(x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.nn.dropout(x, 0.5, seed=7)
            return y, tape.gradient(y, x), tf.nn.dropout(x, 0.25, seed=8)

        f = tf.function(body, autograph=False).get_concrete_function(spec)
        x = tf.reshape(tf.range(1.0, 25.0), [4, 6])
        return [t.numpy().tolist() for t in (*f(x), *f(x))]

    assert drawn(tf.TensorSpec(None)) == drawn(tf.TensorSpec([4, 6]))


ALONG = {
    "split": (lambda x, axis: tf.split(x, [1, 2], axis=axis)[1], [[1, 2], [4, 5]], "(None, 2)"),
    "repeat": (lambda x, axis: tf.repeat(x, 2, axis=axis), [[0, 0, 1, 1, 2, 2], [3, 3, 4, 4, 5, 5]], "(None, None)"),
    "norm": (lambda x, axis: tf.linalg.norm(x, 1, axis=axis), [3, 12], "(None,)"),
}


@pytest.mark.parametrize("name", ALONG)
def test_an_axis_may_be_a_constant_tensor(name):
    call, expected, shape = ALONG[name]
    axis = c(1)
    found = checked(lambda x: call(x, axis), [tf.TensorSpec([None, None])], [tf.reshape(tf.range(6.0), [2, 3])], shape)
    assert found.numpy().tolist() == expected


def test_the_axis_of_split_may_be_unknown():
    x = tf.reshape(tf.range(6.0), [2, 3])
    found = checked(ALONG["split"][0], [tf.TensorSpec([None, None]), INT], [x, c(1)], "(None, None)")
    assert found.numpy().tolist() == [[1, 2], [4, 5]]
    with pytest.raises(ValueError, match="`axis` must be a number"):
        tf.function(ALONG["repeat"][0], input_signature=[tf.TensorSpec([None, None]), INT])(x, c(1))


def test_axes_of_unknown_number():
    known = []

    @tf.function(input_signature=[tf.TensorSpec([None, None]), tf.TensorSpec([None], tf.int32)])
    def total(x, axes):
        found = tf.reduce_sum(x, axes)
        known.append(found.shape.rank)
        return found

    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    answers = [total(x, tf.constant(axes, tf.int32)).numpy().tolist() for axes in ([], [1], [1, 0])]
    assert answers == [x.numpy().tolist(), [3.0, 7.0], 10.0] and known == [None]


# Calls that ask for sizes of which none is the other: what is given, with sizes that are unknown, and the shapes of the results.
PARTICULAR = {
    "ensure_shape": (lambda x: tf.ensure_shape(x, [2, 4]), "(2, 4)"),
    "split": (lambda x: tf.split(x, [3, 1], axis=1), ["(None, 3)", "(None, 1)"]),
    "sigmoid": (lambda x: tf.nn.sigmoid_cross_entropy_with_logits(tf.ones([2, 4]), x), "(2, 4)"),
    "sparse softmax": (lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits([3, 0], x), "(2,)"),
    "poisson": (lambda x: tf.nn.log_poisson_loss(tf.ones([2, 4]), x), "(2, 4)"),
}


@pytest.mark.parametrize("name", PARTICULAR)
def test_unknown_sizes_may_be_those_that_a_call_asks_for(name):
    call, shape = PARTICULAR[name]
    x = tf.reshape(tf.range(8.0), [2, 4])
    found = checked(call, [tf.TensorSpec([None, None])], [x], shape)
    tf.nest.map_structure(np.testing.assert_allclose, found, call(x))
    if name in ("ensure_shape", "split"):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.function(call, input_signature=[tf.TensorSpec([None, None])])(tf.ones([2, 5]))


def test_a_shape_is_ensured_whose_rank_was_unknown():
    x = tf.reshape(tf.range(24.0), [2, 3, 4])
    found = checked(lambda x: tf.ensure_shape(x, [2, 3, 4]), [tf.TensorSpec(None)], [x], "(2, 3, 4)")
    np.testing.assert_array_equal(found, x)


# Slices of a matrix of open sizes, by a number that is known later, with the shapes of the results.
SLICES = {
    "a rest from a known place": (lambda x, n: tf.slice(x, [n, 1], [2, -1]), "(2, None)"),
    "a rest from an unknown one": (lambda x, n: tf.slice(x, [n, 1], [-1, 2]), "(None, 2)"),
    "both": (lambda x, n: tf.slice(x, tf.stack([n, n]), [2, -1]), "(2, None)"),
    "an unknown length": (lambda x, n: tf.slice(x, [1, 0], [n, -1]), "(None, None)"),
}


@pytest.mark.parametrize("name", SLICES)
def test_slices_to_the_end(name):
    call, shape = SLICES[name]
    x, n = tf.reshape(tf.range(12.0), [4, 3]), c(1)
    found = checked(call, [tf.TensorSpec([None, None]), INT], [x, n], shape)
    np.testing.assert_array_equal(found, call(x, n))
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.function(call)(x, c(5))
