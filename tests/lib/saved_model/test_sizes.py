"""Open sizes in SavedModels of which the program says more."""

import pytest

import tfgrad_jax as tf
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
