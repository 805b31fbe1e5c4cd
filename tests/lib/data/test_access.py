"""`tf.data.experimental.at`: elements by their place."""

import numpy as np
import pytest

import tfgrad_jax as tf

at = tf.data.experimental.at
D = tf.data.Dataset


def places(dataset, count):
    return [tf.nest.map_structure(lambda x: x.numpy().tolist(), at(dataset, i)) for i in range(count)]


def test_each_transformation_finds_its_places():
    ten = D.range(10)
    for dataset, expected in (
        (D.range(2, 20, 7), [2, 9, 16]),
        (D.from_tensors([1, 2]), [[1, 2]]),
        (D.from_tensor_slices(([1, 2], [3.0, 4.0])), [(1, 3.0), (2, 4.0)]),
        (tf.data.experimental.from_list([1, 2]), [1, 2]),
        (ten.map(lambda x: x * 2).take(2), [0, 2]),
        (ten.batch(4), [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]),
        (ten.batch(4, drop_remainder=True), [[0, 1, 2, 3], [4, 5, 6, 7]]),
        (ten.skip(8), [8, 9]),
        (ten.shard(3, 1), [1, 4, 7]),
        (D.range(2).repeat(2), [0, 1, 0, 1]),
        (D.range(2).concatenate(D.range(5, 7)), [0, 1, 5, 6]),
        (D.zip((ten, D.range(5, 7))), [(0, 5), (1, 6)]),
        (D.range(2).enumerate(3), [(3, 0), (4, 1)]),
        (D.range(2).prefetch(1).with_options(tf.data.Options()), [0, 1]),
        (D.range(2).apply(tf.data.experimental.assert_cardinality(2)), [0, 1]),
        (D.range(2).cache(), [0, 1]),
    ):
        assert places(dataset, len(expected)) == expected
        for place in (-1, len(expected)):
            with pytest.raises(tf.errors.OutOfRangeError, match=f"Index out of range .*:{place}|Dataset"):
                at(dataset, place)


def test_a_shuffled_dataset_has_one_order_for_this():
    """TensorFlow's numbers, which depend neither on the buffer nor on iterations."""
    tf.random.set_seed(1)
    shuffled, order = D.range(10).shuffle(3, seed=7), [1, 6, 4, 2, 8, 0, 7, 5, 3, 9]
    assert places(shuffled, 10) == order
    assert [int(x) for x in shuffled] == [int(x) for x in D.range(10).shuffle(3, seed=7)]
    assert places(shuffled, 10) == order
    kept = D.range(10).shuffle(3, seed=7, reshuffle_each_iteration=False)
    assert places(kept, 10) == [0, 2, 5, 3, 1, 7, 8, 6, 9, 4]
    twice = D.range(10).shuffle(4, seed=1).shuffle(4, seed=2).batch(4)
    assert places(twice, 3) == [[4, 0, 9, 8], [2, 3, 6, 5], [1, 7]]
    cached = D.range(10).shuffle(4, seed=1).cache()  # an iteration of its own
    assert places(cached, 10) == [2, 4, 1, 3, 5, 7, 8, 6, 0, 9]
    assert [int(x) for x in cached] == [3, 0, 5, 4, 2, 6, 1, 7, 9, 8]


def test_random_functions_go_on_from_call_to_call():
    drawn = D.range(3).map(lambda x: tf.random.uniform([], seed=1))
    expected = [float(x) for x in drawn]
    assert [float(at(drawn, 0)), float(at(drawn, 1)), float(at(drawn, 0))] == expected


def test_what_has_no_places():
    ten = D.range(10)
    for dataset in (ten.filter(lambda x: x > 2), ten.padded_batch(2), ten.window(2), D.random(seed=1)):
        with pytest.raises(
            tf.errors.UnimplementedError, match=r"Random access is not implemented for dataset _\w+Dataset"
        ):
            at(dataset, 0)
    for dataset in (ten.repeat(), ten.filter(lambda x: x > 2).take(2), ten.repeat().shuffle(2)):
        with pytest.raises(
            tf.errors.FailedPreconditionError, match="cardinality, which does not support random access"
        ):
            at(dataset, 0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be a scalar"):
        at(ten, [1, 2])


def test_places_in_a_function():
    dataset = D.range(10).map(lambda x: (x * 3, {"y": x}))

    @tf.function
    def third(place):
        x, rest = at(dataset, place)
        return x + rest["y"]

    assert third(np.int64(2)).numpy() == 8
