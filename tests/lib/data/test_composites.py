"""Ragged and sparse tensors as elements of datasets: rows, batches and types are TensorFlow's."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf

D = tf.data.Dataset
RAGGED = tf.ragged.constant([[1, 2], [], [3]])
DEEP = tf.ragged.constant([[[1], [2, 3]], [], [[4]]])
SPARSE = tf.sparse.from_dense([[1, 0], [0, 2], [0, 0]])


def lists(dataset):
    return [plain(element) for element in dataset]


def plain(element):
    if isinstance(element, tuple):
        return tuple(map(plain, element))
    if isinstance(element, tf.SparseTensor):
        return element.indices.numpy().tolist(), element.values.numpy().tolist(), element.dense_shape.numpy().tolist()
    return element.to_list() if isinstance(element, tf.RaggedTensor) else element.numpy().tolist()


CASES = {
    "rows": (lambda: D.from_tensor_slices(RAGGED), [[1, 2], [], [3]], 3),
    "deep rows": (lambda: D.from_tensor_slices(DEEP), [[[1], [2, 3]], [], [[4]]], 3),
    "sparse rows": (
        lambda: D.from_tensor_slices(SPARSE),
        [([[0]], [1], [2]), ([[1]], [2], [2]), ([], [], [2])],
        3,
    ),
    "batches": (lambda: D.from_tensor_slices(RAGGED).batch(2), [[[1, 2], []], [[3]]], 2),
    "deep batches": (lambda: D.from_tensor_slices(DEEP).batch(2), [[[[1], [2, 3]], []], [[[4]]]], 2),
    "sparse batches": (
        lambda: D.from_tensor_slices(SPARSE).batch(2),
        [([[0, 0], [1, 1]], [1, 2], [2, 2]), ([], [], [1, 2])],
        2,
    ),
    "batches of whole ones": (lambda: D.from_tensors(RAGGED).repeat(2).batch(2), [[[[1, 2], [], [3]]] * 2], 1),
    "batches of whole sparse ones": (
        lambda: D.from_tensors(SPARSE).repeat(2).batch(2),
        [([[0, 0, 0], [0, 1, 1], [1, 0, 0], [1, 1, 1]], [1, 2, 1, 2], [2, 3, 2])],
        1,
    ),
    "ragged_batch": (lambda: D.range(4).map(tf.range).ragged_batch(3), [[[], [0], [0, 1]], [[0, 1, 2]]], 2),
    "ragged_batch beside numbers": (
        lambda: D.range(4).map(lambda x: (x, tf.range(x))).ragged_batch(3),
        [([0, 1, 2], [[], [0], [0, 1]]), ([3], [[0, 1, 2]])],
        2,
    ),
    "sparse_batch": (
        lambda: D.range(3).map(tf.range).sparse_batch(2, [5]),
        [([[1, 0]], [0], [2, 5]), ([[0, 0], [0, 1]], [0, 1], [1, 5])],
        2,
    ),
    "map": (lambda: D.from_tensor_slices(RAGGED).batch(2).map(lambda r: r + 1), [[[2, 3], []], [[4]]], 2),
    "map of rows": (lambda: D.from_tensor_slices(RAGGED).map(tf.reduce_sum), [3, 0, 3], 3),
    "unbatch": (lambda: D.from_tensor_slices(RAGGED).batch(2).unbatch(), [[1, 2], [], [3]], -2),
    "unbatch of one": (lambda: D.from_tensors(RAGGED).unbatch(), [[1, 2], [], [3]], 3),
    "rebatch": (lambda: D.from_tensor_slices(RAGGED).batch(2).rebatch(3), [[[1, 2], [], [3]]], -2),
    "to_dense": (lambda: D.from_tensor_slices(SPARSE).map(tf.sparse.to_dense), [[1, 0], [0, 2], [0, 0]], 3),
}


@pytest.mark.parametrize("name", CASES)
def test_elements(name):
    make, expected, count = CASES[name]
    dataset = make()
    assert lists(dataset) == expected == lists(dataset)
    assert int(dataset.cardinality()) == count


def test_types():
    assert D.from_tensor_slices(RAGGED).element_spec == tf.RaggedTensorSpec([None], tf.int32, 0)
    assert D.from_tensor_slices(RAGGED).batch(2).element_spec == tf.RaggedTensorSpec([None, None], tf.int32, 1)
    pairs = D.range(4).map(lambda x: tf.ones([x, 2])).ragged_batch(2, drop_remainder=True)
    assert pairs.element_spec == tf.RaggedTensorSpec([2, None, 2], tf.float32, 1)
    assert D.from_tensor_slices(SPARSE).batch(2).element_spec == tf.SparseTensorSpec([None, 2], tf.int32)


def test_generators_and_functions():
    signature = tf.RaggedTensorSpec([None, None], tf.int32)
    assert lists(D.from_generator(lambda: iter([RAGGED]), output_signature=signature)) == [[[1, 2], [], [3]]]

    @tf.function
    def total(dataset):
        s = tf.constant(0)
        for rows in dataset:
            s += tf.reduce_sum(rows.flat_values)
        return s

    assert int(total(D.from_tensor_slices(RAGGED).batch(2))) == 6


def test_numbers_do_not_fit_the_row_shape():
    with pytest.raises(tf.errors.DataLossError):
        lists(D.from_tensors(np.arange(3)).sparse_batch(1, [2]))


class Pair(tf.experimental.BatchableExtensionType):
    """A ragged field, a dense one, and one that is no tensor."""

    a: tf.RaggedTensor
    b: tf.Tensor
    n: str = "x"


class Outer(tf.experimental.BatchableExtensionType):
    pair: Pair
    sizes: tf.TensorShape


class ByColumns(tf.experimental.ExtensionTypeBatchEncoder):
    """Encodes a matrix by its columns."""

    def batch(self, spec, batch_size):
        return Columns.Spec(tf.TensorSpec([spec.m.shape[0], batch_size], spec.m.dtype))

    def unbatch(self, spec):
        return Columns.Spec(tf.TensorSpec(spec.m.shape[:1], spec.m.dtype))

    def encode(self, spec, value, minimum_rank=0):
        return tf.transpose(value.m)

    def decode(self, spec, encoded_value):
        return Columns(tf.transpose(encoded_value))

    def encoding_specs(self, spec):
        return tf.TensorSpec(spec.m.shape[::-1], spec.m.dtype)


class Columns(tf.experimental.BatchableExtensionType):
    m: tf.Tensor
    __batch_encoder__ = ByColumns()


class Whole(tf.experimental.ExtensionType):
    a: tf.Tensor


def test_rows_and_batches_of_extension_types():
    rows = D.from_tensor_slices(Pair(tf.ragged.constant([[1, 2], [3]]), [4, 5]))
    assert [(r.a.numpy().tolist(), int(r.b), r.n) for r in rows] == [([1, 2], 4, "x"), ([3], 5, "x")]
    spec = rows.batch(2).element_spec
    assert (spec.a, spec.b) == (tf.RaggedTensorSpec([None, None], tf.int32, 1), tf.TensorSpec([None], tf.int32))
    (batch,) = rows.batch(2)
    assert (batch.a.to_list(), batch.b.numpy().tolist()) == ([[1, 2], [3]], [4, 5])
    outer = D.from_tensor_slices((Outer(batch, [2, 3]), tf.constant([6, 7])))
    assert outer.element_spec[0].sizes == [3]
    assert [(o.pair.a.numpy().tolist(), int(n)) for o, n in outer.batch(1).unbatch()] == [([1, 2], 6), ([3], 7)]
    assert [o.pair.a.to_list() for o, _ in outer.batch(1)] == [[[1, 2]], [[3]]]


def test_encoders_of_extension_types_say_what_rows_are():
    rows = D.from_tensor_slices(Columns([[1, 2, 3], [4, 5, 6]]))
    assert [r.m.numpy().tolist() for r in rows] == [[1, 4], [2, 5], [3, 6]]
    assert [b.m.numpy().tolist() for b in rows.batch(2)] == [[[1, 2], [4, 5]], [[3], [6]]]


def test_extension_types_that_are_not_batchable_are_refused():
    with pytest.raises(TypeError, match="Whole"):
        D.from_tensor_slices(Whole([1, 2]))
    with pytest.raises(TypeError, match="cannot be batched"):
        D.from_tensors(Whole([1])).batch(2)


BatchableTypeSpec = tf.python.framework.type_spec.BatchableTypeSpec


class Piece(tf.__internal__.CompositeTensor):
    """Values of any number beside some of one: as in TensorFlow GNN's graphs, batches have ragged ones."""

    def __init__(self, many, one, spec):
        self.many, self.one, self._spec = many, one, spec

    @property
    def _type_spec(self):
        return self._spec


class PieceSpec(BatchableTypeSpec):
    value_type = Piece

    def __init__(self, many, one):
        self.many, self.one = many, one

    def _serialize(self):
        return self.many, self.one

    @property
    def _component_specs(self):
        return {"many": self.many, "one": self.one}

    def _to_components(self, value):
        return {"many": value.many, "one": value.one}

    def _from_components(self, components):
        return Piece(components["many"], components["one"], self)

    def _batch(self, batch_size):
        many = self.many
        if isinstance(many, tf.TensorSpec):
            many = tf.RaggedTensorSpec(many.shape, many.dtype, ragged_rank=0)
        return PieceSpec(many._batch(batch_size), self.one._batch(batch_size))

    def _unbatch(self):
        many = self.many._unbatch()
        if many.ragged_rank == 0:
            many = tf.TensorSpec(many.shape, many.dtype)
        return PieceSpec(many, self.one._unbatch())


def test_rows_and_batches_of_batchable_types():
    spec = PieceSpec(tf.TensorSpec([None], tf.int64), tf.TensorSpec([2], tf.int64))
    pieces = tf.data.Dataset.range(4).map(lambda n: Piece(tf.range(n), tf.stack([n, n]), spec))
    batches = pieces.batch(2).batch(2)
    assert pieces.batch(2).element_spec == PieceSpec(
        tf.RaggedTensorSpec([None, None], tf.int64), tf.TensorSpec([None, 2], tf.int64)
    )
    (found,) = batches
    assert found.many.to_list() == [[[], [0]], [[0, 1], [0, 1, 2]]]
    assert found.one.numpy().tolist() == [[[0, 0], [1, 1]], [[2, 2], [3, 3]]]
    rows = batches.unbatch().unbatch()
    assert rows.element_spec == spec
    assert [(p.many.numpy().tolist(), p.one.numpy().tolist()) for p in rows] == [
        ([], [0, 0]),
        ([0], [1, 1]),
        ([0, 1], [2, 2]),
        ([0, 1, 2], [3, 3]),
    ]


def test_types_of_batches_and_rows():
    sparse, ragged = tf.SparseTensorSpec([2, None]), tf.RaggedTensorSpec([None, None])
    assert tf.TensorSpec([2], name="x")._batch(3) == tf.TensorSpec([3, 2])
    assert tf.TensorSpec(None)._unbatch() == tf.TensorSpec(None)
    assert (ragged._batch(None), ragged._unbatch()) == (
        tf.RaggedTensorSpec([None, None, None], ragged_rank=2),
        tf.RaggedTensorSpec([None], ragged_rank=0),
    )
    assert (sparse._batch(3), sparse._unbatch()) == (tf.SparseTensorSpec([3, 2, None]), tf.SparseTensorSpec([None]))
    with pytest.raises(ValueError, match="rank >= 1"):
        tf.TensorSpec([])._unbatch()


def test_elements_may_be_arrays():
    """A `tf.TensorArray` travels as one tensor, whose first size is open."""

    def upto(i):
        return tf.TensorArray(tf.int64, size=tf.cast(i, tf.int32), element_shape=()).unstack(tf.range(i))

    arrays = D.range(3).map(upto)
    assert isinstance(arrays.element_spec, tf.TensorArraySpec)
    assert [a.stack().numpy().tolist() for a in arrays] == [[], [0], [0, 1]]
    assert [int(x) for x in arrays.flat_map(lambda a: D.from_tensor_slices(a.stack()))] == [0, 0, 1]
    (one,) = D.from_tensors(tf.TensorArray(tf.float32, size=2).unstack([1.0, 2.0]))
    assert one.read(1).numpy() == 2.0


def test_datasets_side_by_side():
    for of in (D.range(2), D.range(2).map(lambda x: {"x": x})):
        several = D.from_tensor_slices([of, of])
        assert several.element_spec == tf.data.DatasetSpec(of.element_spec)
        assert len(list(several.flat_map(lambda d: d))) == 4
    with pytest.raises(TypeError, match="from_tensor_slices"):
        D.from_tensor_slices([D.range(2), D.range(2).map(lambda x: tf.cast(x, tf.float32))])


def test_scalars_of_rows_of_ragged_tensors():
    """What is taken out of a row remembers that it was ragged, as in TensorFlow."""
    rows = tf.data.Dataset.from_tensor_slices(tf.ragged.constant([[1], [2, 3]], dtype=tf.int64))
    scalars = rows.unbatch()
    assert scalars.element_spec == tf.RaggedTensorSpec([], tf.int64, -1)
    assert [int(x) for x in scalars] == [1, 2, 3]
    for batches in (rows.rebatch(2), scalars.batch(2)):
        assert batches.element_spec == tf.RaggedTensorSpec([None], tf.int64, 0)
        assert [x.numpy().tolist() for x in batches] == [[1, 2], [3]]


def test_the_number_of_none_of_unknown_ones_is_unknown():
    unknown = tf.data.Dataset.range(5).filter(lambda x: True).take(0)
    assert int(unknown.cardinality()) == tf.data.UNKNOWN_CARDINALITY
    assert int(unknown.repeat().cardinality()) == tf.data.INFINITE_CARDINALITY
    assert list(unknown) == []


def test_batches_of_datasets_are_values_as_others_are():
    D = tf.data.Dataset
    windows = D.range(6).window(2)

    @tf.function
    def count(batches):
        found = 0
        for _ in batches:
            found += 1
        return found

    for batches in (windows.batch(2), windows.ragged_batch(2)):
        assert int(count(batches)) == 2
        first = next(iter(batches))
        assert tf.type_spec_from_value(first).dataset_shape.as_list() == [2]
        assert repr(first).startswith("<_NestedVariant")
        with pytest.raises(AttributeError, match="these are datasets of shape"):
            first.cardinality()
        assert D.from_tensors(first).element_spec.dataset_shape.as_list() == [2]
        assert [list(d.as_numpy_iterator()) for d in D.from_tensor_slices(first)] == [[0, 1], [2, 3]]
        assert [list(d.as_numpy_iterator()) for d in batches.unbatch()] == [[0, 1], [2, 3], [4, 5]]
        assert len(list(batches.map(lambda d: (d, 1)))) == 2
