"""Private functions whose names are those of raw operations. The answers are TensorFlow 2.21's."""

from __future__ import annotations

import pytest

import tfgrad_jax as tf

lists = tf.python.ops.list_ops
sparse_ops = tf.python.ops.sparse_ops
SPARSE = tf.SparseTensor([[0, 1], [1, 0]], [1.0, 2.0], [2, 2])


@pytest.fixture(params=["eager", "function"])
def run(request):
    return (lambda f: f()) if request.param == "eager" else lambda f: tf.function(f)()


def plain(results):
    return [r.numpy().tolist() for r in results]


def test_a_list_that_grows(run):
    def grown():
        made = lists.empty_tensor_list(element_shape=[], element_dtype=tf.float32)
        made = lists.tensor_list_push_back(made, tf.constant(1.0))
        made = lists.tensor_list_push_back(made, tf.constant(2.0))
        made, last = lists.tensor_list_pop_back(made, element_dtype=tf.float32)
        return last, lists.tensor_list_length(made), lists.tensor_list_stack(made, tf.float32, num_elements=1)

    assert plain(run(grown)) == [2.0, 1, [1.0]]


def test_places_are_read_as_often_as_one_likes(run):
    def read():
        made = lists.tensor_list_from_tensor(tf.constant([1.0, 2.0]), element_shape=[])
        one = lists.tensor_list_get_item(made, 1, element_dtype=tf.float32)
        return one, lists.tensor_list_gather(made, [0, 1, 0], element_dtype=tf.float32)

    assert plain(run(read)) == [2.0, [1.0, 2.0, 1.0]]


def test_a_list_stays_as_it_is_when_another_is_made_of_it(run):
    def written():
        first = lists.tensor_list_scatter(tf.constant([5.0, 6.0]), [1, 0], element_shape=[])
        other = lists.tensor_list_scatter(tf.constant([7.0]), [0], element_shape=[], input_handle=first)
        third = lists.tensor_list_set_item(other, 1, tf.constant(8.0))
        return [lists.tensor_list_stack(made, tf.float32) for made in (first, other, third)]

    assert plain(run(written)) == [[6.0, 5.0], [7.0, 5.0], [7.0, 8.0]]


def test_shapes_in_part(run):
    def read():
        made = lists.tensor_list_set_item(lists.tensor_list_reserve(None, 2, tf.float32), 0, tf.constant([3.0, 4.0]))
        split = lists.tensor_list_split(tf.constant([1.0, 2.0, 3.0]), [None], [1, 2])
        return (
            lists.tensor_list_stack(made, tf.float32, element_shape=[2]),
            lists.tensor_list_concat(split, tf.float32, [None]),
        )

    assert plain(run(read)) == [[[3.0, 4.0], [0.0, 0.0]], [1.0, 2.0, 3.0]]


@pytest.mark.parametrize(
    "wrong",
    [
        lambda made: lists.tensor_list_get_item(made, 5, element_dtype=tf.float32),
        lambda made: lists.tensor_list_stack(lists.tensor_list_set_item(made, 5, tf.constant(1.0)), tf.float32),
        lambda made: lists.tensor_list_stack(made, tf.float32, num_elements=3),
    ],
)
def test_places_that_are_not_there(run, wrong):
    with pytest.raises(tf.errors.InvalidArgumentError):
        run(lambda: wrong(lists.tensor_list_from_tensor(tf.constant([1.0, 2.0]), element_shape=[])))


def test_what_lists_cannot_do_is_refused():
    with pytest.raises(NotImplementedError, match="max_num_elements"):
        lists.empty_tensor_list([], tf.float32, 1)
    made = lists.tensor_list_from_tensor(tf.constant([1.0]), [])
    with pytest.raises(NotImplementedError, match="resize_if_index_out_of_bounds"):
        lists.tensor_list_set_item(made, 3, tf.constant(9.0), resize_if_index_out_of_bounds=True)


def test_sparse_tensors(run):
    def found():
        added = sparse_ops.sparse_dense_cwise_add(SPARSE, tf.constant([[1.0, 2.0], [3.0, 4.0]]))
        counted = tf.SparseTensor([[0, 1], [1, 0]], [1, 2], [2, 2])
        return (
            added.values,
            sparse_ops.bincount(counted, minlength=5),
            sparse_ops.bincount(counted, axis=-1),
        )

    assert plain(run(found)) == [[3.0, 5.0], [0, 1, 1, 0, 0], [[0, 1, 0], [0, 0, 1]]]


def test_arguments_by_place():
    private, rows = tf.python.ops, tf.ragged.constant([[0], [1, 0]])
    variable = tf.Variable([[1.0, 2.0]])
    assert private.resource_variable_ops.variable_shape(variable.handle, tf.int64).dtype == tf.int64
    table = tf.constant([[1.0], [2.0]])
    lookup = private.ragged.ragged_embedding_ops
    assert lookup.embedding_lookup(table, rows, "mod", None).to_list() == [[[1.0]], [[2.0], [1.0]]]
    assert plain(
        [
            lookup.embedding_lookup_sparse(table, rows, None, "div", None, "sum"),
            private.ragged.ragged_conversion_ops.ragged_to_dense(rows, None, [2, 3]),
        ]
    ) == [[[1.0], [3.0]], [[0, 0, 0], [1, 0, 0]]]
    left, places = private.array_ops.listdiff([1, 2, 3], [2], tf.int64)
    assert plain([left, places]) == [[1, 3], [0, 2]] and places.dtype == tf.int64
    assert private.lookup_ops._as_string(tf.constant(["a"])).numpy().tolist() == [b"a"]


@pytest.mark.parametrize("search", [tf.raw_ops.LowerBound, tf.raw_ops.UpperBound])
@pytest.mark.parametrize(("rows", "values"), [([1, 2], [1]), ([[1, 2]], [[[1]]]), ([[1, 2]], 1)])
def test_bounds_take_matrices(search, rows, values):
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be a matrix"):
        search(sorted_inputs=tf.constant(rows), values=tf.constant(values))
    with pytest.raises(ValueError, match="must be a matrix"):
        tf.function(search)(sorted_inputs=tf.constant(rows), values=tf.constant(values))


def test_placeholders_with_defaults_are_of_the_shape_that_is_asked_for():
    shapes = []

    @tf.function
    def doubled(x):
        for shape in ([None], None, [2]):
            shapes.append(tf.compat.v1.placeholder_with_default(x, shape).shape)
        return tf.compat.v1.placeholder_with_default(x, [None]) * 2

    assert doubled(tf.constant([1, 2])).numpy().tolist() == [2, 4]
    assert shapes[0].as_list() == [None] and shapes[1].rank is None and shapes[2] == [2]
    assert tf.compat.v1.placeholder_with_default([1, 2], [None]).shape == [2]


def test_axes_that_strings_do_not_have():
    def joined():
        return tf.strings.reduce_join(tf.constant(["a"]), 5)

    with pytest.raises(tf.errors.OutOfRangeError, match="Invalid reduction dimension 5"):
        joined()
    with pytest.raises(ValueError, match="Invalid reduction dimension 5"):
        tf.function(joined)()
