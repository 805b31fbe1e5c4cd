"""Rows of arrays: making, joining, cutting, gathering, scattering, ordering; sets; variables; arrays of tensors; control flow."""

from __future__ import annotations

import numpy as np

from tests.ops.wrong.table import BOOLS, INT_M, INTS, ROWS, SQUARE, THREE, M, Made, Rows

rows = Rows()

FLOAT = Made(lambda tf: tf.float32)
PAIRS = np.array([[0, 1], [1, 2]], np.int32)

rows("constant", value=M, dtype=FLOAT, shape=[2, 3])
rows("convert_to_tensor", value=M, dtype=FLOAT)
rows("zeros", shape=[2, 3], dtype=FLOAT)
rows("ones", shape=[2, 3], dtype=FLOAT)
rows("fill", dims=[2, 3], value=1.5)
rows("range", start=0, limit=6, delta=2)
rows("linspace", start=0.0, stop=1.0, num=4)
rows("one_hot", indices=INTS, depth=3, on_value=2.0, off_value=-1.0, axis=-1)
rows("zeros_like", input=M, dtype=FLOAT)
rows("reshape", tensor=M, shape=[3, 2])
rows("expand_dims", input=M, axis=1)
rows("squeeze", input=M[None], axis=[0])
rows("transpose", a=M, perm=[1, 0])
rows("concat", values=[M, M], axis=1)
rows("stack", values=[M, M], axis=1)
rows("unstack", value=M, num=2, axis=0)
rows("split", value=M, num_or_size_splits=3, axis=1)
rows("split:sizes", value=M, num_or_size_splits=[1, 2], axis=1)
rows("tile", input=M, multiples=[2, 1])
rows("repeat", input=M, repeats=[1, 2], axis=0)
rows("pad", tensor=M, paddings=PAIRS, mode="CONSTANT", constant_values=0.0)
rows("pad:reflect", tensor=M, paddings=np.array([[0, 1], [1, 2]], np.int32), mode="REFLECT")
rows("slice", input_=M, begin=[0, 1], size=[2, 1])
rows("strided_slice", input_=M, begin=[0, 0], end=[2, 3], strides=[1, 2])
rows("gather", params=M, indices=ROWS, axis=0)
rows("gather:batched", params=M, indices=np.array([[0, 1], [2, 0]], np.int32), axis=1, batch_dims=1)
rows("gather_nd", params=M, indices=PAIRS)
rows("boolean_mask", tensor=THREE, mask=BOOLS, axis=0)
rows("where", condition=BOOLS, x=THREE, y=THREE)
rows("where:one", condition=BOOLS)
rows("scatter_nd", indices=PAIRS, updates=THREE[:2], shape=[2, 3])
rows.each(
    "tensor_scatter_nd_update tensor_scatter_nd_add tensor_scatter_nd_max", tensor=M, indices=PAIRS, updates=THREE[:2]
)
rows("dynamic_partition", data=THREE, partitions=np.array([0, 1, 0], np.int32), num_partitions=2)
rows("dynamic_stitch", indices=[ROWS, ROWS + 2], data=[M, M])
rows("reverse", tensor=M, axis=[0])
rows("reverse_sequence", input=M, seq_lengths=ROWS + 1, seq_axis=1, batch_axis=0)
rows("roll", input=M, shift=1, axis=0)
rows("roll:two", input=M, shift=[1, 1], axis=[0, 1])
rows("sort", values=M, axis=-1, direction="ASCENDING")
rows("argsort", values=M, axis=-1, direction="DESCENDING")
rows("searchsorted", sorted_sequence=np.sort(THREE), values=THREE, side="left")
rows("unique", x=INTS, out_idx=Made(lambda tf: tf.int32))
rows("unique_with_counts", x=INTS)
rows("meshgrid", lambda tf, x, y, indexing: tf.meshgrid(x, y, indexing=indexing), x=THREE, y=THREE, indexing="xy")
rows("sequence_mask", lengths=INTS, maxlen=4, dtype=FLOAT)
rows("shape", input=M, out_type=Made(lambda tf: tf.int64))
rows("size", input=M)
rows("rank", input=M)
rows("broadcast_to", input=M, shape=[2, 2, 3])
rows(
    "broadcast_static_shape",
    shape_x=Made(lambda tf: tf.TensorShape([1, 3])),
    shape_y=Made(lambda tf: tf.TensorShape([2, 1])),
)
rows("broadcast_dynamic_shape", shape_x=[1, 3], shape_y=[2, 1])
rows("space_to_depth", lambda tf, **k: tf.nn.space_to_depth(**k), input=np.ones([1, 4, 4, 1], np.float32), block_size=2)
rows("depth_to_space", lambda tf, **k: tf.nn.depth_to_space(**k), input=np.ones([1, 2, 2, 4], np.float32), block_size=2)
rows("space_to_batch", input=np.ones([1, 4, 4, 1], np.float32), block_shape=[2, 2], paddings=PAIRS * 0)
rows("batch_to_space", input=np.ones([4, 2, 2, 1], np.float32), block_shape=[2, 2], crops=PAIRS * 0)
rows("ensure_shape", x=M, shape=[2, 3])
rows("identity_n", input=[M, M])
rows("guarantee", lambda tf, x: tf.identity(x), x=M)
rows("tensor_getitem", lambda tf, x, i: tf.constant(x)[i], x=M, i=1)
rows("unravel_index", indices=INTS, dims=[2, 3])
rows(
    "edit_distance",
    hypothesis=Made(lambda tf: tf.sparse.from_dense(INT_M)),
    truth=Made(lambda tf: tf.sparse.from_dense(INT_M)),
)
rows(
    "quantize_and_dequantize",
    lambda tf, **k: tf.quantization.quantize_and_dequantize_v2(**k),
    input=M,
    input_min=-1.0,
    input_max=1.0,
    num_bits=8,
)
rows("quantization.fake_quant_with_min_max_args", inputs=M, min=-1.0, max=1.0, num_bits=8)
rows("quantization.fake_quant_with_min_max_vars", inputs=M, min=-1.0, max=1.0, num_bits=8)
rows("quantization.fake_quant_with_min_max_vars_per_channel", inputs=M, min=-abs(THREE), max=abs(THREE), num_bits=8)
rows("quantization.fake_quant_with_min_max_args_gradient", gradients=M, inputs=M, min=-1.0, max=1.0)

rows.each("sets.intersection sets.union sets.difference", a=INT_M, b=INT_M)
rows("sets.size", a=Made(lambda tf: tf.sparse.from_dense(INT_M)))

VARIABLE = Made(lambda tf: tf.Variable(M), kept=True)


def method(name: str):
    return lambda tf, self, **how: getattr(self, name)(**how)


rows("Variable", lambda tf, **k: tf.Variable(**k), initial_value=M, dtype=FLOAT, shape=[2, 3])
for _name in ("assign", "assign_add", "assign_sub"):
    _args = {"value": M} if _name == "assign" else {"delta": M}
    rows(f"Variable.{_name}", method(_name), self=VARIABLE, **_args)
SLICES = Made(lambda tf: tf.IndexedSlices(tf.constant(M), tf.constant([1, 0])))
for _name in ("scatter_update", "scatter_add", "scatter_max", "scatter_mul", "batch_scatter_update"):
    rows(f"Variable.{_name}", method(_name), self=VARIABLE, sparse_delta=SLICES)
rows("Variable.scatter_nd_add", method("scatter_nd_add"), self=VARIABLE, indices=PAIRS, updates=THREE[:2])
rows("Variable.scatter_nd_update", method("scatter_nd_update"), self=VARIABLE, indices=PAIRS, updates=THREE[:2])
rows("Variable.sparse_read", method("sparse_read"), self=VARIABLE, indices=ROWS)
rows("Variable.gather_nd", method("gather_nd"), self=VARIABLE, indices=PAIRS)
rows("Variable.set_shape", lambda tf, shape: tf.Variable(M, shape=tf.TensorShape(None)).set_shape(shape), shape=[2, 3])
rows(
    "Variable.scatter_update:rows",
    lambda tf, self, values, indices: self.scatter_update(tf.IndexedSlices(tf.constant(values), tf.constant(indices))),
    self=VARIABLE,
    values=M,
    indices=ROWS,
)


def array(tf, **how):
    return tf.TensorArray(**{"dtype": tf.float32, "size": 3, "element_shape": [3]} | how)


rows(
    "TensorArray",
    lambda tf, dtype, size, shape: array(tf, dtype=dtype, size=size, element_shape=shape).stack(),
    dtype=FLOAT,
    size=3,
    shape=[3],
)
rows("TensorArray.write", lambda tf, index, value: array(tf).write(index, value).stack(), index=1, value=THREE)
rows("TensorArray.read", lambda tf, index: array(tf).unstack(SQUARE).read(index), index=1)
rows("TensorArray.gather", lambda tf, indices: array(tf).unstack(SQUARE).gather(indices), indices=[0, 2])
rows(
    "TensorArray.scatter", lambda tf, indices, value: array(tf).scatter(indices, value).stack(), indices=[0, 2], value=M
)
rows(
    "TensorArray.split",
    lambda tf, value, lengths: array(tf, size=2, element_shape=None, infer_shape=False).split(value, lengths).read(0),
    value=THREE,
    lengths=[1, 2],
)
rows("TensorArray.unstack", lambda tf, value: array(tf).unstack(value).stack(), value=SQUARE)

YES = Made(lambda tf: tf.constant(True))
rows("cond", lambda tf, pred, a, b: tf.cond(pred, lambda: tf.constant(a), lambda: tf.constant(b)), pred=YES, a=M, b=M)
rows(
    "cond:functions",
    lambda tf, p, f, g: tf.cond(p, f, g),
    p=YES,
    f=Made(lambda tf: lambda: M),
    g=Made(lambda tf: lambda: M),
)
rows(
    "while_loop",
    lambda tf, c, b, v: tf.while_loop(c, b, v),
    c=Made(lambda tf: lambda i: i < 3),
    b=Made(lambda tf: lambda i: [i + 1]),
    v=[0],
)
rows(
    "while_loop:more",
    lambda tf, v, n: tf.while_loop(lambda i: i < 3, lambda i: [i + 1], v, maximum_iterations=n),
    v=[0],
    n=2,
)
rows(
    "while_loop:body",
    lambda tf, x, y: tf.while_loop(lambda i, _: i < 3, lambda i, _: (i + 1, tf.constant(y)), (0, x)),
    x=M,
    y=M,
)
rows("case", lambda tf, p, f: tf.case([(p, f)], default=f), p=YES, f=Made(lambda tf: lambda: tf.constant(1)))
rows(
    "switch_case", lambda tf, i, fs: tf.switch_case(i, fs), i=Made(lambda tf: tf.constant(1)), fs=[lambda: 1, lambda: 2]
)
rows("map_fn", fn=Made(lambda tf: lambda x: x), elems=M)
rows("map_fn:signature", lambda tf, dtype: tf.map_fn(lambda x: x, M, fn_output_signature=dtype), dtype=FLOAT)
rows("vectorized_map", fn=Made(lambda tf: lambda x: x), elems=M)
rows("scan", fn=Made(lambda tf: lambda a, x: a + x), elems=M, initializer=THREE)
rows("foldl", fn=Made(lambda tf: lambda a, x: a + x), elems=M, initializer=THREE)
rows("foldr", fn=Made(lambda tf: lambda a, x: a + x), elems=M, initializer=THREE)
rows("py_function", func=Made(lambda tf: lambda x: x), inp=[M], Tout=FLOAT)
rows("numpy_function", func=Made(lambda tf: lambda x: x), inp=[M], Tout=FLOAT)
rows("gradients", lambda tf, x: tf.custom_gradient(lambda x: (x, lambda g: g))(x), x=M)
rows("stop_gradient", input=M)
rows("debugging.assert_equal", x=M, y=M)
rows("debugging.assert_shapes", shapes=[(M, ("a", "b"))])
rows("debugging.assert_rank", x=M, rank=2)
rows("debugging.assert_type", tensor=Made(lambda tf: tf.constant(M)), tf_type=FLOAT)
rows("debugging.check_numerics", tensor=M, message="here")
rows("debugging.assert_less", x=M, y=M + 1)
rows("debugging.assert_positive", x=abs(M))
rows("debugging.Assert", condition=True, data=[M])
rows("TensorShape", dims=[2, 3])
rows("TensorSpec", shape=[2, 3], dtype=FLOAT)
rows("dtypes.as_dtype", type_value="float32")
rows("IndexedSlices", values=M, indices=ROWS)
rows("nest.map_structure", lambda tf, f, s: tf.nest.map_structure(f, s, s), f=Made(lambda tf: lambda a, b: a), s=[1, 2])
rows("nest.pack_sequence_as", structure=[1, [2]], flat_sequence=[3, 4])
rows("nest.assert_same_structure", nest1=[1, [2]], nest2=[3, [4]])
