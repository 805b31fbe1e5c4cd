"""Rows of sparse and ragged tensors, random numbers, NumPy's names."""

from __future__ import annotations

import numpy as np

from tests.ops.wrong.table import INT_M, INTS, ROWS, SQUARE, THREE, M, Made, Rows

rows = Rows()

FLOAT = Made(lambda tf: tf.float32)
SPARSE = Made(lambda tf: tf.sparse.from_dense(M))
SPARSE_INTS = Made(lambda tf: tf.sparse.from_dense(INT_M))
RAGGED = Made(lambda tf: tf.ragged.constant([[1.0, 2.0], [3.0]]))
PLACES = np.array([[0, 1], [1, 2]], np.int64)

rows("SparseTensor", indices=PLACES, values=THREE[:2], dense_shape=[2, 3])
rows("sparse.from_dense", tensor=M)
rows("sparse.to_dense", sp_input=SPARSE, default_value=0.0)
rows("sparse.reorder", sp_input=SPARSE)
rows("sparse.add", a=SPARSE, b=SPARSE)
rows("sparse.maximum", sp_a=SPARSE, sp_b=SPARSE)
rows("sparse.concat", axis=1, sp_inputs=Made(lambda tf: [tf.sparse.from_dense(M)] * 2))
rows("sparse.split", sp_input=SPARSE, num_split=3, axis=1)
rows("sparse.slice", sp_input=SPARSE, start=[0, 1], size=[2, 2])
rows("sparse.reshape", sp_input=SPARSE, shape=[3, 2])
rows("sparse.transpose", sp_input=SPARSE, perm=[1, 0])
rows("sparse.expand_dims", sp_input=SPARSE, axis=1)
rows("sparse.reduce_sum", sp_input=SPARSE, axis=1)
rows("sparse.reduce_max", sp_input=SPARSE, axis=[0])
rows("sparse.sparse_dense_matmul", sp_a=SPARSE, b=M.T)
rows("sparse.softmax", sp_input=SPARSE)
rows("sparse.retain", sp_input=SPARSE, to_retain=np.ones(6, bool))
rows("sparse.reset_shape", sp_input=SPARSE, new_shape=[3, 4])
rows("sparse.fill_empty_rows", sp_input=SPARSE, default_value=0.0)
rows("sparse.mask", a=Made(lambda tf: tf.IndexedSlices(tf.constant(M), tf.constant([1, 0]))), mask_indices=[1])
rows("sparse.to_indicator", sp_input=SPARSE_INTS, vocab_size=6)
rows("sparse.bincount", values=SPARSE_INTS, minlength=6)
rows("sparse.map_values", lambda tf, op, x: tf.sparse.map_values(op, x), op=Made(lambda tf: tf.abs), x=SPARSE)
rows("sparse.segment_sum", data=M, indices=ROWS, segment_ids=np.array([0, 0], np.int32), num_segments=2)
rows("sparse.segment_mean", data=M, indices=ROWS, segment_ids=np.array([0, 0], np.int32))
rows("sparse.eye", num_rows=2, num_columns=3)
WORDS = Made(lambda tf: [tf.sparse.from_dense([["a"]]), tf.sparse.from_dense([["b"]])])
rows("sparse.cross", inputs=WORDS)
rows("sparse.cross_hashed", inputs=WORDS, num_buckets=7)

rows("ragged.constant", pylist=[[1, 2], [3]], dtype=Made(lambda tf: tf.int32), ragged_rank=1)
rows("ragged.range", starts=INTS, limits=INTS + 3, deltas=1)
rows("ragged.stack", values=[M, M], axis=0)
rows("ragged.boolean_mask", data=M, mask=M > 0)
rows("ragged.map_flat_values", lambda tf, op, x: tf.ragged.map_flat_values(op, x), op=Made(lambda tf: tf.abs), x=RAGGED)
rows("ragged.row_splits_to_segment_ids", splits=np.array([0, 2, 3], np.int64))
rows("ragged.segment_ids_to_row_splits", segment_ids=np.array([0, 0, 1], np.int64), num_segments=2)
rows("ragged.cross", inputs=Made(lambda tf: [tf.ragged.constant([["a"]]), tf.ragged.constant([["b"]])]))
rows("RaggedTensor.from_row_splits", values=THREE, row_splits=np.array([0, 2, 3], np.int64))
rows("RaggedTensor.from_row_lengths", values=THREE, row_lengths=np.array([2, 1], np.int64))
rows("RaggedTensor.from_row_starts", values=THREE, row_starts=np.array([0, 2], np.int64))
rows("RaggedTensor.from_row_limits", values=THREE, row_limits=np.array([2, 3], np.int64))
rows("RaggedTensor.from_value_rowids", values=THREE, value_rowids=np.array([0, 0, 1], np.int64), nrows=2)
rows("RaggedTensor.from_uniform_row_length", values=THREE, uniform_row_length=1)
rows("RaggedTensor.from_tensor", tensor=M, padding=0.5)
rows("RaggedTensor.from_tensor:lengths", tensor=M, lengths=[1, 2])
rows("RaggedTensor.from_nested_row_splits", flat_values=THREE, nested_row_splits=[np.array([0, 2, 3], np.int64)])
rows(
    "RaggedTensor.to_tensor",
    lambda tf, r, default, shape: r.to_tensor(default, shape=shape),
    r=RAGGED,
    default=0.0,
    shape=[2, 3],
)
rows("RaggedTensor.with_values", lambda tf, values: tf.ragged.constant([[1], [2, 3]]).with_values(values), values=THREE)
rows("ragged: concat", lambda tf, values, axis: tf.concat([values, values], axis), values=RAGGED, axis=1)
rows("ragged: reduce_sum", lambda tf, x, axis: tf.reduce_sum(x, axis), x=RAGGED, axis=1)
rows(
    "ragged: add",
    lambda tf, x, y: x + y,
    x=Made(lambda tf: tf.ragged.constant([[1.0, 2.0], [3.0]]), kept=True),
    y=M[:, :1],
)
rows("ragged: gather", lambda tf, x, i: tf.gather(x, i), x=RAGGED, i=[1, 0])
rows(
    "ragged: getitem", lambda tf, x, i: x[i], x=Made(lambda tf: tf.ragged.constant([[1.0, 2.0], [3.0]]), kept=True), i=1
)

rows("random.normal", shape=[2, 3], mean=0.0, stddev=1.0, dtype=FLOAT, seed=3)
rows("random.uniform", shape=[2, 3], minval=0.0, maxval=1.0, dtype=FLOAT)
rows("random.uniform:integers", shape=[2], minval=0, maxval=5, dtype=Made(lambda tf: tf.int32))
rows("random.truncated_normal", shape=[2, 3], dtype=FLOAT)
rows("random.gamma", shape=[2], alpha=abs(THREE), beta=1.0)
rows("random.poisson", shape=[2], lam=abs(THREE))
rows("random.categorical", logits=M, num_samples=3)
rows("random.shuffle", value=M, seed=3)
rows("random.set_seed", seed=3)
rows.each(
    "random.stateless_uniform random.stateless_normal random.stateless_truncated_normal",
    shape=[2, 3],
    seed=[1, 2],
    dtype=FLOAT,
)
rows("random.stateless_uniform:integers", shape=[2], seed=[1, 2], minval=0, maxval=5, dtype=Made(lambda tf: tf.int32))
rows("random.stateless_categorical", logits=M, num_samples=3, seed=[1, 2])
rows("random.stateless_gamma", shape=[2, 3], seed=[1, 2], alpha=abs(THREE))
rows("random.stateless_poisson", shape=[2, 3], seed=[1, 2], lam=abs(THREE))
rows("random.stateless_binomial", shape=[2, 3], seed=[1, 2], counts=5.0, probs=abs(THREE))
rows(
    "random.stateless_parameterized_truncated_normal",
    shape=[2, 3],
    seed=[1, 2],
    means=0.0,
    stddevs=1.0,
    minvals=-2.0,
    maxvals=2.0,
)
rows("random.fold_in", seed=[1, 2], data=3)
rows("random.split", seed=[1, 2], num=2)
rows("random.create_rng_state", seed=3, alg="philox")
rows("random.experimental.index_shuffle", index=3, seed=[1, 2], max_index=9)
GENERATOR = Made(lambda tf: tf.random.Generator.from_seed(3), kept=True)
rows("Generator.from_seed", lambda tf, **k: tf.random.Generator.from_seed(**k), seed=3, alg="philox")
rows("Generator.from_state", lambda tf, **k: tf.random.Generator.from_state(**k), state=[1, 2, 3], alg="philox")
rows(
    "Generator.normal",
    lambda tf, self, **k: self.normal(**k),
    self=GENERATOR,
    shape=[2],
    mean=0.0,
    stddev=1.0,
    dtype=FLOAT,
)
rows(
    "Generator.uniform",
    lambda tf, self, **k: self.uniform(**k),
    self=GENERATOR,
    shape=[2],
    minval=0,
    maxval=5,
    dtype=Made(lambda tf: tf.int32),
)
rows("Generator.binomial", lambda tf, self, **k: self.binomial(**k), self=GENERATOR, shape=[2], counts=3.0, probs=0.5)
rows("Generator.make_seeds", lambda tf, self, count: self.make_seeds(count), self=GENERATOR, count=2)
rows("Generator.skip", lambda tf, self, delta: self.skip(delta), self=GENERATOR, delta=2)

NP = "experimental.numpy."
for _name in ["add", "multiply", "divide", "power", "maximum", "floor_divide", "arctan2", "less", "equal", "hypot"]:
    rows(NP + _name, x1=M, x2=M)
for _name in ["exp", "sin", "sqrt", "isnan", "sign", "floor"]:
    rows(NP + _name, x=M)
for _name in ["sum", "mean", "max", "prod", "std", "var"]:
    rows(NP + _name, a=M, axis=1)
rows(NP + "cumsum", a=M, axis=1)
rows(NP + "argmax", a=M, axis=1)
rows(NP + "reshape", a=M, newshape=[3, 2])
rows(NP + "transpose", a=M, axes=[1, 0])
rows(NP + "expand_dims", a=M, axis=1)
rows(NP + "squeeze", a=M[None], axis=0)
rows(NP + "concatenate", arys=[M, M], axis=1)
rows(NP + "stack", arrays=[M, M], axis=1)
rows(NP + "split", ary=M, indices_or_sections=3, axis=1)
rows(NP + "take", a=M, indices=ROWS, axis=0)
rows(NP + "take_along_axis", arr=M, indices=np.array([[0], [1]]), axis=1)
rows(NP + "where", condition=M > 0, x=M, y=M)
rows(NP + "matmul", x1=M, x2=M.T)
rows(NP + "dot", a=M, b=M.T)
rows(NP + "tensordot", a=M, b=M.T, axes=1)
rows(NP + "outer", a=THREE, b=THREE)
rows(NP + "cross", a=SQUARE, b=SQUARE)
rows(NP + "einsum", lambda tf, e, a: tf.experimental.numpy.einsum(e, a), e="ij->i", a=M)
rows(NP + "zeros", shape=[2, 3])
rows(NP + "full", shape=[2, 3], fill_value=1.5)
rows(NP + "arange", start=0, stop=5, step=2)
rows(NP + "linspace", start=0.0, stop=1.0, num=4)
rows(NP + "eye", N=3, M=2, k=0)
rows(NP + "tri", N=3, M=2, k=0)
rows(NP + "tril", m=M, k=0)
rows(NP + "diag", v=M, k=0)
rows(NP + "array", val=M, ndmin=3)
rows(NP + "tile", a=M, reps=[2, 1])
rows(NP + "repeat", a=M, repeats=2, axis=0)
rows(NP + "pad", array=M, pad_width=[[0, 1], [1, 2]], mode="constant", constant_values=0.0)
rows(NP + "roll", a=M, shift=1, axis=0)
rows(NP + "flip", m=M, axis=0)
rows(NP + "moveaxis", a=M, source=0, destination=1)
rows(NP + "swapaxes", a=M, axis1=0, axis2=1)
rows(NP + "sort", a=M, axis=-1)
rows(NP + "clip", a=M, a_min=-0.5, a_max=0.5)
rows(NP + "broadcast_to", array=M, shape=[2, 2, 3])
rows(NP + "average", a=M, axis=1, weights=abs(M))
rows(NP + "vander", x=THREE, N=3)
rows(NP + "kron", a=M, b=M)
rows(NP + "random.randint", low=0, high=5, size=[2])
rows(NP + "nonzero", a=M)
rows(NP + "count_nonzero", a=M, axis=1)
