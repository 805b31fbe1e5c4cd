"""Operations that only move values, as strings need them, and those whose results are as large as values say."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.dtypes import DType
from tfgrad_jax.lib.saved_model.hosted.pen import Pen, Source, lines, written

lines(
    """
DrawBoundingBoxesV2 images boxes colors -> output | T:images
GatherNd params indices -> output | Tparams:params Tindices:indices
SelectV2 condition x y -> output | T:x
Unique x -> y idx | T:x out_idx
UniqueWithCounts x -> y idx count | T:x out_idx
Where condition -> index | T:condition
"""
)


@written("SparseDensePlaces")
def _dense_places(pen: Pen, indices: Source, dense_shape: Source, ordered: bool) -> str:
    count = pen.size(indices, dtypes.int64)
    given = indices, dense_shape, pen.count(count), count
    types: dict[str, Any] = {"T": dtypes.int64, "Tindices": dtypes.int64}
    return pen("SparseToDense", *given, outputs="dense", validate_indices=ordered, **types)


@written("Identity")
def _same(pen: Pen, x: Source) -> str:
    return x.text


@written("Cast")
def _cast(pen: Pen, x: Source, dtype: DType) -> str:
    return pen.cast(x, dtype).text


@written("Reshape")
def _reshape(pen: Pen, tensor: Source, shape: Any = ()) -> str:
    return pen("Reshape", tensor, pen.integers(shape), T=tensor.spec.dtype, Tshape=dtypes.int64)


@written("ExpandDims")
def _expand(pen: Pen, input: Source, axis: int) -> str:
    return pen.row(input.text, input.spec.dtype, axis)


@written("Squeeze")
def _squeeze(pen: Pen, input: Source, axis: Any) -> str:
    axes = [axis] if isinstance(axis, int) else list(axis or [])
    return pen("Squeeze", input, T=input.spec.dtype, squeeze_dims=axes or None)


@written("ConcatV2")
def _concat(pen: Pen, values: list[Source], axis: int) -> str:
    types: dict[str, Any] = {"N": len(values), "T": values[0].spec.dtype, "Tidx": dtypes.int32}
    return pen("ConcatV2", *values, np.int32(axis), **types)


@written("Pack")
def _pack(pen: Pen, values: list[Source], axis: int) -> str:
    return pen("Pack", *values, N=len(values), T=values[0].spec.dtype, axis=axis)


@written("Unpack", "unstack")
def _unpack(pen: Pen, value: Source, num: Any = None, axis: int = 0, name: Any = None) -> list[str]:
    count = len(pen.results)
    return pen("Unpack", value, outputs=f"output*{count}", num=count, T=value.spec.dtype, axis=axis)


@written("GatherV2")
def _gather(pen: Pen, params: Source, indices: Source, axis: int, batch_dims: int) -> str:
    types: dict[str, Any] = {"Tparams": params.spec.dtype, "Tindices": indices.spec.dtype, "Taxis": dtypes.int32}
    return pen("GatherV2", params, indices, np.int32(axis), batch_dims=batch_dims, **types)


@written("Repeat")
def _rows(pen: Pen, input: Source, indices: Source, axis: int) -> str:
    return _gather(pen, input, indices, axis, 0)


@written("ScatterNd", "scatter_nd")
def _scatter(
    pen: Pen, indices: Source, updates: Source, shape: Any, bad_indices_policy: str = "", name: Any = None
) -> str:
    given = pen.cast(indices, dtypes.int64), updates, pen.integers(shape)
    return pen("ScatterNd", *given, T=updates.spec.dtype, Tindices=dtypes.int64)


@written("tensor_scatter_nd_update")
def _replaced(pen: Pen, tensor: Source, indices: Source, updates: Source, name: Any = None) -> str:
    types: dict[str, Any] = {"T": tensor.spec.dtype, "Tindices": indices.spec.dtype}
    return pen("TensorScatterUpdate", tensor, indices, updates, **types)


@written("Transpose")
def _transpose(pen: Pen, a: Source, perm: Any, conjugate: bool) -> str:
    if perm is None:
        ranks = pen("Rank", a, T=a.spec.dtype)
        last = pen("Sub", ranks, np.int32(1), outputs="z", T=dtypes.int32)
        places: Any = pen("Range", last, np.int32(-1), np.int32(-1), Tidx=dtypes.int32)
    else:
        places = np.array(perm, np.int32)
    return pen("ConjugateTranspose" if conjugate else "Transpose", a, places, outputs="y", T=a.spec.dtype)


@written("Tile")
def _tile(pen: Pen, input: Source, multiples: Any) -> str:
    return pen("Tile", input, pen.integers(multiples), T=input.spec.dtype, Tmultiples=dtypes.int64)


@written("Fill")
def _fill(pen: Pen, dims: Any, value: Any, layout: Any = None) -> str:
    return pen("Fill", pen.integers(dims), value, T=value.spec.dtype, index_type=dtypes.int64)


@written("BroadcastTo")
def _broadcast(pen: Pen, input: Source, shape: Any) -> str:
    return pen("BroadcastTo", input, pen.integers(shape), T=input.spec.dtype, Tidx=dtypes.int64)


def filled(pen: Pen, shape: Any, dtype: DType, number: int) -> str:
    value = np.array(b"" if not number else b"1", object) if dtype is dtypes.string else np.array(number, dtype.np)
    return pen("Fill", pen.integers(shape), value, T=dtype, index_type=dtypes.int64)


@written("zeros")
def _zeros(pen: Pen, shape: Any, dtype: Any = None, name: Any = None, layout: Any = None) -> str:
    return filled(pen, shape, pen.results[0].dtype, 0)


@written("ones")
def _ones(pen: Pen, shape: Any, dtype: Any = None, name: Any = None, layout: Any = None) -> str:
    return filled(pen, shape, pen.results[0].dtype, 1)


@written("zeros_like")
def _zeros_like(pen: Pen, input: Source, dtype: Any = None, name: Any = None, layout: Any = None) -> str:
    shape = pen("Shape", input, T=input.spec.dtype, out_type=dtypes.int64)
    return filled(pen, Source(shape, pen.results[0]), pen.results[0].dtype, 0)


@written("boolean_mask")
def _masked(pen: Pen, tensor: Source, mask: Source, axis: Any = None, name: Any = None) -> str:
    places = pen("Where", mask, outputs="index", T=dtypes.bool_)
    if mask.spec.tensor_shape.rank == 1:
        rows = pen("Squeeze", places, T=dtypes.int64, squeeze_dims=[1])
        return pen.take(tensor, rows, tensor.spec.dtype, axis or 0)
    if axis:
        raise ValueError(
            "tf.boolean_mask along an axis with a mask of several dimensions cannot be saved; reshape both"
        )
    return pen("GatherNd", tensor, places, Tparams=tensor.spec.dtype, Tindices=dtypes.int64)


@written("repeat")
def _repeat(pen: Pen, input: Source, repeats: Any, axis: Any = None, name: Any = None) -> str:
    dtype, value = input.spec.dtype, input.text
    if axis is None:
        value, axis = pen("Reshape", input, np.array([-1]), T=dtype, Tshape=dtypes.int64), 0
    shape = pen("Shape", value, T=dtype, out_type=dtypes.int64)
    count = pen.take(shape, np.array([axis]), dtypes.int64)
    times = pen("BroadcastTo", pen.integers(repeats), count, T=dtypes.int64, Tidx=dtypes.int64)
    ends = pen("Cumsum", times, np.int32(0), outputs="out", T=dtypes.int64, Tidx=dtypes.int32)
    total = pen("Sum", times, np.int32(0), T=dtypes.int64, Tidx=dtypes.int32)
    return pen.take(value, pen.search("UpperBound", ends, pen.count(total)), dtype, axis)
