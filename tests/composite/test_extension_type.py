"""`tf.experimental.ExtensionType`: declared, converted, compared, and through functions, control flow, maps and tapes."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Mapping
from typing import Optional, Union

import numpy as np
import pytest

import tfgrad_jax as tf

# Annotations are strings here, as in every module that postpones them; those of local classes must be known by name.
Masks = tuple[tf.Tensor, ...]


class Masked(tf.experimental.BatchableExtensionType):
    values: tf.Tensor
    mask: tf.Tensor

    def __validate__(self):
        self.values.shape.assert_is_compatible_with(self.mask.shape)

    def with_default(self, default):
        return tf.where(self.mask, self.values, default)


class Node(tf.experimental.ExtensionType):
    v: tf.Tensor
    children: tuple[Node, ...] = ()
    named: Mapping[str, tf.Tensor] = {}
    note: Optional[str] = None  # noqa: UP045 -- as TensorFlow's programs say it
    size: Union[int, tf.Tensor] = 0  # noqa: UP007


def example():
    return Masked([1.0, 2.0, 3.0], [True, False, True])


def test_postponed_annotations_and_a_tree_of_its_own_type():
    tree = Node(1, [Node(2, named={"b": 1.0, "a": 2.0}), Node(3, note="n", size=[4])])
    assert [t.numpy().tolist() for t in tf.nest.flatten(tree, expand_composites=True)] == [1, 2, 2.0, 1.0, 3, [4]]
    doubled = tf.nest.map_structure(lambda t: t * 2, tree, expand_composites=True)
    assert (int(doubled.children[0].v), doubled.children[1].note, doubled.size) == (4, "n", 0)
    assert list(doubled.children[0].named) == ["b", "a"]


def test_annotations_of_a_local_class_that_name_nothing_are_refused_when_used():
    class Local(tf.experimental.ExtensionType):
        x: Unknown  # noqa: F821

    with pytest.raises(TypeError, match="x: Unsupported type annotation 'Unknown'"):
        Local(1)


def test_unions_of_the_new_form_are_refused_by_name():
    namespace = {"__annotations__": {"f": int | None}, "__module__": __name__}
    with pytest.raises(TypeError, match=r"In field 'f': Unsupported type annotation int \| None"):
        type(tf.experimental.ExtensionType)("New", (tf.experimental.ExtensionType,), namespace)


def test_values_and_specs_are_pickled_and_copied():
    value = example()
    for again in (pickle.loads(pickle.dumps(value)), copy.copy(value), copy.deepcopy(value)):
        assert bool(again == value) and repr(again) == repr(value)
    spec = tf.type_spec_from_value(value)
    assert pickle.loads(pickle.dumps(spec)) == spec == copy.copy(spec)


def test_nothing_can_be_changed_after_a_failed_construction_either():
    with pytest.raises(ValueError, match="incompatible"):
        Masked([1.0, 2.0], [True])
    value = example()
    with pytest.raises(AttributeError, match="Cannot mutate attribute `values`"):
        value.values = 3
    assert tf.experimental.extension_type.as_dict(value).keys() == {"values", "mask"}


def test_a_name_can_be_registered_once():
    class One(tf.experimental.ExtensionType):
        __name__ = "test.One"
        x: tf.Tensor

    assert One.__name__ == "One"
    with pytest.raises(ValueError, match=r"Name test\.One\.Spec has already been registered"):

        class Two(tf.experimental.ExtensionType):
            __name__ = "test.One"
            x: tf.Tensor


def test_a_function_traces_once_for_a_type_and_gradients_flow_through_it():
    traces = []

    @tf.function
    def squared(m):
        traces.append(m)
        return Masked(m.values * m.values, m.mask)

    for k in (1.0, 2.0):
        x = tf.constant([k, 3.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = squared(Masked(x, [True, False])).with_default(0.0)
        np.testing.assert_array_equal(tape.gradient(y, x), [2 * k, 0.0])
    assert len(traces) == 1
    assert repr(traces[0]).startswith(
        "Masked(values=<tf.Tensor 'm:0' shape=(2,) dtype=float32>, mask=<tf.Tensor 'm_1:0'"
    )


def test_loops_and_branches_carry_it():
    @tf.function
    def run(m, n):
        for _ in tf.range(n):
            m = Masked(tf.concat([m.values, [1.0]], 0), tf.concat([m.mask, [True]], 0)) if False else m
            m = Masked(m.values + 1.0, m.mask)
        return tf.cond(n > 2, lambda: m, lambda: Masked(-m.values, m.mask))

    np.testing.assert_array_equal(run(example(), tf.constant(3)).values, [4.0, 5.0, 6.0])
    np.testing.assert_array_equal(run(example(), tf.constant(1)).values, [-2.0, -3.0, -4.0])


@pytest.mark.parametrize("inside", [False, True])
def test_maps_cut_it_into_slices_and_stack_it(inside):
    def mapped():
        value = Masked([[1.0, 2.0], [3.0, 4.0]], [[True, False], [True, True]])
        return tf.map_fn(lambda m: Masked(m.values * 2.0, m.mask), value), tf.vectorized_map(lambda m: m, value)

    doubled, same = (tf.function(mapped) if inside else mapped)()
    np.testing.assert_array_equal(doubled.values, [[2.0, 4.0], [6.0, 8.0]])
    np.testing.assert_array_equal(same.mask, [[True, False], [True, True]])
    empty = tf.map_fn(lambda m: m, Masked(tf.zeros([0, 2]), tf.zeros([0, 2], tf.bool)))
    assert empty.values.shape == (0, 2)


def test_maps_change_static_shapes_with_the_batch():
    class Shaped(tf.experimental.BatchableExtensionType):
        x: tf.Tensor
        inner: Masked
        shape: tf.TensorShape

    value = Shaped(tf.ones([2, 3]), Masked(tf.ones([2, 1]), tf.ones([2, 1], tf.bool)), [2, 3])
    shapes = []
    again = tf.map_fn(lambda s: shapes.append((s.shape, s.inner.values.shape)) or s, value)
    assert shapes[0] == ([3], [1]) and again.shape == [2, 3] and again.inner.values.shape == [2, 1]
    assert tf.vectorized_map(lambda s: s, value).shape == [2, 3]


def test_what_cannot_be_batched_is_refused_by_name():
    slices = tf.IndexedSlices(tf.ones([1, 2]), tf.constant([0]), tf.constant([3, 2]))
    with pytest.raises(TypeError, match="map_fn can not consume IndexedSlicesSpec"):
        tf.map_fn(lambda s: s.values, slices)
    with pytest.raises(TypeError, match=r"map_fn can not generate Node\.Spec"):
        tf.map_fn(lambda x: Node(x), tf.ones([2]), fn_output_signature=Node.Spec(tf.TensorSpec([]), (), {}, None, 0))
