"""Functions that change their Python arguments are refused, as there is nobody to see the change."""

from __future__ import annotations

import pytest

import tfgrad_jax as tf


def append(values):
    values.append(tf.constant(1.0))
    return values[0]


def set_key(values):
    values["b"] = 2
    return values["a"]


def replace_item(values):
    values[0] = tf.constant(2.0)
    return values[0]


def inner(values):
    values[0].append(1.0)
    return tf.constant(1.0)


CHANGES = [
    (append, lambda: [tf.constant(0.0)]),
    (append, list),
    (set_key, lambda: {"a": tf.constant(0.0)}),
    (set_key, lambda: {"a": 1}),
    (replace_item, lambda: [tf.constant(0.0)]),
    (inner, lambda: [[tf.constant(0.0)]]),
    (lambda values: values.pop("a"), lambda: {"a": tf.constant(0.0)}),
    (lambda values: values.reverse() or values[0], lambda: [1, 2]),
]


@pytest.mark.parametrize("function, made", CHANGES)
def test_a_change_is_refused(function, made):
    values = made()
    with pytest.raises(ValueError, match=r"should not modify its Python input arguments.* values"):
        tf.function(function, autograph=False)(values)
    with pytest.raises(ValueError, match="should not modify"):  # as often as it is called
        tf.function(function, autograph=False)(values)
    tf.nest.assert_same_structure(values, made())


def test_by_name_in_concrete_functions_and_inside_others():
    f = tf.function(append)
    for call in (
        lambda values: f(values=values),
        f.get_concrete_function,
        lambda values: tf.function(lambda: f(values))(),
        lambda values: tf.function(lambda *many: append(many[0]))(values),
    ):
        with pytest.raises(ValueError, match="should not modify"):
            call([tf.constant(0.0)])


def test_what_ends_as_it_began_is_no_change():
    def f(values):
        values.append(1.0)
        values.pop()
        copy = [*values, 1.0]
        copy.append(2.0)
        values[0] = values[0]
        return values[0]

    assert float(tf.function(f)([tf.constant(3.0)])) == 3.0


def test_an_object_may_change():
    class Counter:
        count = 0

    def f(counter):
        counter.count += 1
        return tf.constant(1.0)

    counter = Counter()
    tf.function(f)(counter)
    assert counter.count == 1


def test_a_composite_among_the_arguments_is_made_anew_and_counts_as_unchanged():
    class Pair(tf.experimental.ExtensionType):
        first: tf.Tensor
        second: tf.Tensor

    @tf.function
    def total(pair, more):
        return pair.first + pair.second + more["x"].values

    more = {"x": tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]))}
    assert float(total(Pair(1.0, 2.0), more)[0]) == 4.0
