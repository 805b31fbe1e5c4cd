"""Composite values through functions, branches, loops and tapes."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf


def slices(rows=((1.0, 2.0),), indices=(1,), shape=(3, 2)):
    return tf.IndexedSlices(tf.constant(rows), tf.constant(indices), None if shape is None else tf.constant(shape))


def parts(value):
    assert isinstance(value, tf.IndexedSlices)
    dense = None if value.dense_shape is None else value.dense_shape.numpy().tolist()
    return value.values.numpy().tolist(), value.indices.numpy().tolist(), dense


@pytest.mark.parametrize("shape", [(3, 2), None])
def test_a_branch_may_return_slices(shape):
    @tf.function
    def chosen(condition):
        return tf.cond(condition, lambda: slices(shape=shape), lambda: slices(((5.0, 6.0),), (2,), shape))

    expected = None if shape is None else [3, 2]
    assert parts(chosen(tf.constant(True))) == ([[1.0, 2.0]], [1], expected)
    assert parts(chosen(tf.constant(False))) == ([[5.0, 6.0]], [2], expected)


def test_branches_must_return_one_type_of_composite():
    @tf.function
    def mixed(condition):
        return tf.cond(condition, slices, lambda: tf.ones([3, 2]))

    with pytest.raises(TypeError):
        mixed(tf.constant(True))


@pytest.mark.parametrize(
    "invariant", [tf.IndexedSlicesSpec([3, 2], tf.float32, tf.int32, tf.int32), tf.TensorShape([3, 2])]
)
def test_slices_go_round_a_loop_and_grow_where_a_spec_allows_it(invariant):
    def doubled(i, s):
        return i + 1, tf.IndexedSlices(tf.concat([s.values] * 2, 0), tf.concat([s.indices] * 2, 0), s.dense_shape)

    @tf.function
    def grown():
        return tf.while_loop(lambda i, s: i < 2, doubled, (tf.constant(0), slices()), (tf.TensorShape([]), invariant))[
            1
        ]

    assert parts(grown()) == ([[1.0, 2.0]] * 4, [1] * 4, [3, 2])


def test_the_spec_of_slices_is_public_and_serves_as_a_signature():
    assert repr(tf.type_spec_from_value(slices())) == (
        "IndexedSlicesSpec(TensorShape([3, 2]), tf.float32, tf.int32, tf.int32, TensorShape([1]))"
    )

    @tf.function(input_signature=[tf.IndexedSlicesSpec([3, 2], tf.float32, tf.int32, tf.int32)])
    def passed(s):
        return s

    assert parts(passed(slices())) == ([[1.0, 2.0]], [1], [3, 2])


def test_the_spec_of_a_tensor_array_is_public():
    array = tf.TensorArray(tf.float32, 2, element_shape=[3])
    assert repr(tf.type_spec_from_value(array)) == "TensorArraySpec(TensorShape([3]), tf.float32, False, True)"
    assert tf.nest.flatten(array, expand_composites=True) == [array]


def test_slices_are_a_source_of_a_tape():
    source = slices()
    with tf.GradientTape() as tape:
        tape.watch(source)
        y = tf.reduce_sum(tf.convert_to_tensor(source) ** 2)
    assert parts(tape.gradient(y, source)) == ([[2.0, 4.0]], [1], [3, 2])


class Pair:
    """A composite of a user, by TensorFlow's names."""

    def __init__(self, left, right):
        self.left, self.right = left, right

    @property
    def _type_spec(self):
        return PairSpec()

    class Gradient:
        @staticmethod
        def get_gradient_components(value):
            return {"left": value.left}

        @staticmethod
        def replace_gradient_components(value, gradients):
            return Pair(gradients["left"], value.right)

    __composite_gradient__ = Gradient


class PairSpec(tf.TypeSpec):
    value_type = Pair
    _component_specs = (tf.TensorSpec([2]), tf.TensorSpec([], tf.int32))

    def _serialize(self):
        return ()

    def _to_components(self, value):
        return value.left, value.right

    def _from_components(self, components):
        return Pair(*components)


def test_a_tape_gives_a_composite_of_gradients():
    pair, other = Pair(tf.constant([1.0, 2.0]), tf.constant(7)), tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([pair, other])
        y = tf.reduce_sum(pair.left**2) * other
    found = tape.gradient(y, {"pair": pair, "other": [other]})
    np.testing.assert_array_equal(found["pair"].left, [6.0, 12.0])
    assert found["pair"].right is pair.right
    np.testing.assert_array_equal(found["other"][0], 5.0)


def test_a_composite_without_differentiable_components_is_no_source():
    class Plain(Pair):
        __composite_gradient__ = None

    plain = Plain(tf.constant([1.0, 2.0]), tf.constant(7))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(plain)
        y = tf.reduce_sum(plain.left)
    for target, source in ((y, plain), (plain, plain.left)):
        with pytest.raises(ValueError, match="Plain is not supported as a gradient source or gradient target"):
            tape.gradient(target, source)


def test_a_known_backward_pass_gives_slices_again():
    table = tf.Variable(tf.reshape(tf.range(8.0), [4, 2]))
    for indices in ([1, 3], [0, 2], [2, 1]):
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.gather(table, tf.constant(indices)) ** 2)
        rows, places, shape = parts(tape.gradient(y, table))
        assert (places, shape) == (indices, [4, 2])
        np.testing.assert_array_equal(rows, 2 * table.numpy()[indices])


def test_a_function_that_leaves_a_composite_argument_alone_did_not_change_it():
    @tf.function
    def rows(pairs):
        return pairs[0].left, slices().values

    np.testing.assert_array_equal(rows([Pair(tf.constant([1.0, 2.0]), tf.constant(7))])[0], [1.0, 2.0])


def test_components_may_be_a_mapping():
    class Named:
        def __init__(self, b, a):
            self.a, self.b = a, b

        @property
        def _type_spec(self):
            return NamedSpec()

    class NamedSpec(tf.TypeSpec):
        value_type = Named

        @property
        def _component_specs(self):
            return {"b": tf.TensorSpec([2]), "a": tf.TensorSpec([])}

        def _serialize(self):
            return ()

        def _to_components(self, value):
            return {"b": value.b, "a": value.a}

        def _from_components(self, components):
            return Named(**components)

    value = Named(tf.constant([1.0, 2.0]), tf.constant(3.0))
    assert [t.numpy().tolist() for t in tf.nest.flatten(value, expand_composites=True)] == [3.0, [1.0, 2.0]]
    doubled = tf.nest.map_structure(lambda t: 2 * t, value, expand_composites=True)
    assert (doubled.a.numpy(), doubled.b.numpy().tolist()) == (6.0, [2.0, 4.0])
