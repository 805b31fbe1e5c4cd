"""Open sizes in SavedModels of which the program says more."""

import pytest

import tfgrad_jax as tf
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.run.execute import execute
from tfgrad_jax.lib.saved_model.loading import read_saved_model

TABLE = tf.TensorSpec([None, None], tf.float32)


def saved(function, path, *signature):
    module = tf.Module()
    module.f = tf.function(function, input_signature=signature)
    tf.saved_model.save(module, path)
    return tf.saved_model.load(path).f


def test_the_best_along_an_open_dimension(tmp_path):
    again = saved(lambda x: tf.math.top_k(x, 3), tmp_path, TABLE)
    values, places = again([[1.0, 4.0, 3.0, 4.0], [0.0, -1.0, -2.0, -3.0]])
    assert values.numpy().tolist() == [[4.0, 4.0, 3.0], [0.0, -1.0, -2.0]]
    assert places.numpy().tolist() == [[1, 3, 2], [0, 1, 2]] and places.dtype == tf.int32
    assert again([[1.0, 2.0, 3.0]])[0].shape == (1, 3)  # as few as there may be


def test_what_set_shape_says_of_results_holds(tmp_path):
    def triples(x):
        doubled = x * 2.0
        doubled.set_shape([None, 3])
        return tf.reshape(doubled, [-1, 3, 1])

    again = saved(triples, tmp_path / "a", TABLE)
    assert again(tf.ones([2, 3])).shape == (2, 3, 1)
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        again(tf.ones([2, 4]))

    def crossed(words, numbers):
        found = tf.sparse.to_dense(tf.sparse.cross_hashed([words[:, None], numbers[:, None]], 16))
        found.set_shape([None, 1])  # as Keras' HashedCrossing does
        return tf.squeeze(found, 1)

    again = saved(crossed, tmp_path / "b", tf.TensorSpec([None], tf.string), tf.TensorSpec([None], tf.int64))
    assert again(tf.constant(["a", "b"]), tf.constant([1, 2], tf.int64)).numpy().tolist() == [13, 13]
    (graph,) = read_saved_model(str(tmp_path / "b")).meta_graphs
    nodes = [node for function in graph.graph_def.library.function for node in function.node_def]
    (cross,) = [node for node in nodes if node.op == "SparseCross"]
    assert cross.attr["internal_type"].type == tf.int64.as_datatype_enum  # TensorFlow refuses numbers otherwise


def test_windows_slide_over_images_of_open_sizes(tmp_path):
    kernel = tf.random.stateless_normal([3, 3, 2, 4], [1, 2])

    def convolved(x):
        inner = tf.nn.depthwise_conv2d(x, kernel[..., :2], [1, 1, 1, 1], "VALID")
        return tf.nn.conv2d(tf.nn.max_pool2d(inner[..., :2], 2, 1, "VALID"), kernel, 1, "VALID")

    again = saved(convolved, tmp_path, tf.TensorSpec([None, None, None, 2], tf.float32))
    for shape in ((2, 9, 7, 2), (1, 6, 12, 2)):
        x = tf.random.stateless_normal(shape, [3, 4])
        tf.debugging.assert_near(again(x), convolved(x), 1e-5, 1e-5)


def test_windows_with_strides_over_images_of_open_sizes(tmp_path):
    kernel = tf.random.stateless_normal([4, 3, 2, 4], [1, 2])

    def convolved(x):
        y = tf.nn.conv2d(x, kernel, 2, "SAME")  # what is added around it depends on sizes
        y = tf.nn.depthwise_conv2d(y, tf.reshape(kernel[:3, :, 0], [3, 3, 4, 1]), [1, 1, 1, 1], "VALID")
        y = tf.nn.conv2d(y, tf.transpose(kernel[1:2, 1:2], [0, 1, 3, 2]), 1, "VALID")  # a product of matrices
        return tf.nn.avg_pool2d(y, 3, 2, "SAME")

    def slopes(f, x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return y, tape.gradient(y, x)

    again = saved(convolved, tmp_path, tf.TensorSpec([None, None, None, 2], tf.float32))
    for shape in ((2, 19, 14, 2), (1, 16, 21, 2)):
        x = tf.random.stateless_normal(shape, [3, 4])
        for got, wanted in zip(slopes(again, x), slopes(convolved, x)):
            tf.debugging.assert_near(got, wanted, 1e-4, 1e-4)


def test_volumes_of_open_sizes(tmp_path):
    kernel = tf.random.stateless_normal([3, 2, 3, 2, 4], [1, 2])

    def convolved(x):
        return tf.nn.avg_pool3d(tf.nn.conv3d(x, kernel, [1, 1, 1, 1, 1], "VALID"), 2, 2, "SAME")

    again = saved(convolved, tmp_path, tf.TensorSpec([None, None, None, None, 2], tf.float32))
    for shape in ((2, 5, 7, 6, 2), (1, 6, 4, 9, 2)):
        x = tf.random.stateless_normal(shape, [3, 4])
        tf.debugging.assert_near(again(x), convolved(x), 1e-4, 1e-4)


def test_no_size_is_taken_for_one_that_is_known_without_need(tmp_path):
    # It takes all sizes, but looks at them in Python; beside a weight of 3 rows it would be saved for 3 of them.
    rows = Kernel("OfEachRow", lambda x, w: sum(x[i] for i in range(x.shape[0])) * w.sum())
    weight = tf.constant([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match=r"cannot be exported.*OfEachRow"):
        saved(lambda x: execute(rows, (x, weight)), tmp_path, TABLE)
    product = saved(lambda x: x @ weight[:, None], tmp_path, TABLE)  # this needs 3 columns
    assert product([[1.0, 1.0, 1.0]]).numpy().tolist() == [[6.0]]
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        product([[1.0, 1.0]])


def test_sizes_that_a_number_divides(tmp_path):
    def halved_and_doubled(x):
        half = tf.nn.max_pool2d(x, 2, 2, "VALID")
        quarter = tf.nn.avg_pool2d(half, 2, 2, "SAME")
        both = tf.concat([half, tf.repeat(tf.repeat(quarter, 2, 1), 2, 2)], -1)
        return tf.concat([x, tf.repeat(tf.repeat(both, 2, 1), 2, 2)], -1)

    again = saved(halved_and_doubled, tmp_path, tf.TensorSpec([None, None, None, 1], tf.float32))
    for shape in ((2, 8, 12, 1), (1, 20, 4, 1)):
        x = tf.random.stateless_normal(shape, [3, 4])
        tf.debugging.assert_near(again(x), halved_and_doubled(x))
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        again(tf.ones([1, 6, 8, 1]))


def test_parts_of_open_sizes(tmp_path):
    def parts(x):
        start = tf.shape(x)[1] // 2
        middle = x[:, start - 1 : start + 1]  # where that is, sizes say
        mirrored = tf.pad(x, [[0, 0], [2, 2]], "REFLECT")
        return middle, tf.signal.frame(mirrored, 4, 3)

    again = saved(parts, tmp_path / "a", TABLE)
    for shape in ((2, 5), (1, 8)):
        x = tf.random.stateless_normal(shape, [3, 4])
        for got, wanted in zip(again(x), parts(x)):
            assert got.numpy().tolist() == wanted.numpy().tolist()

    again = saved(lambda *x: tf.concat(x, 1), tmp_path / "b", *[TABLE] * 3)  # only rows must be as many
    parts_of_rows = [tf.ones([2, n]) * n for n in (1, 3, 2)]
    assert again(*parts_of_rows).numpy().tolist() == [[1, 3, 3, 3, 2, 2]] * 2


def test_numbers_that_are_drawn_by_trying(tmp_path):
    def draws(x):
        gamma = tf.random.stateless_gamma(tf.shape(x), [1, 2], x + 0.5)
        return gamma, tf.random.stateless_poisson((tf.shape(x)[0], 2), [1, 2], 0.5, tf.float32)

    again = saved(draws, tmp_path, TABLE)
    for shape in ((3, 4), (5, 2)):
        for got, wanted in zip(again(tf.ones(shape)), draws(tf.ones(shape))):
            tf.debugging.assert_near(got, wanted, 1e-6, 1e-6)
