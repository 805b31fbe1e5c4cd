"""What a `tf.TensorArray` does whose size only values tell: it is one tensor with the elements along its first dimension."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.tensor import Spec
from tfgrad_jax.lib.saved_model.hosted.arrays import filled
from tfgrad_jax.lib.saved_model.hosted.pen import Pen, Source, written

_WIDE: dict[str, Any] = {"T": dtypes.int64}


@written("TensorArrayWriteV3")
def _write(pen: Pen, flow: Source, index: Source, value: Source, grows: bool) -> str:
    dtype = value.spec.dtype
    shape = pen("Shape", value, T=dtype, out_type=dtypes.int64)
    at = pen.cast(index, dtypes.int64).text
    count = size = pen.size(flow, dtype)
    if grows:
        end = pen("AddV2", at, np.int64(1), outputs="z", **_WIDE)
        size = pen("Maximum", size, end, outputs="z", **_WIDE)
    # Before the first write the elements may have had no shape, and the array no values at all. Elements that differ in shape
    # are no tensor, and do not go into the shape of the one that is written.
    values = pen("Size", flow, T=dtype, out_type=dtypes.int64)
    have = pen("Mul", count, pen("Minimum", values, np.int64(1), outputs="z", **_WIDE), outputs="z", **_WIDE)
    missing = pen("Sub", size, have, outputs="z", **_WIDE)

    def of_rows(count: Any) -> str:
        return pen(
            "ConcatV2", pen.row(pen.text(count), dtypes.int64), shape, np.int32(0), N=2, Tidx=dtypes.int32, **_WIDE
        )

    kept = pen("Reshape", flow, of_rows(have), T=dtype, Tshape=dtypes.int64)
    room = filled(pen, Source(of_rows(missing), Spec.open(dtypes.int64, TensorShape([None]))), dtype, 0)
    rows = pen("ConcatV2", kept, room, np.int32(0), N=2, T=dtype, Tidx=dtypes.int32)
    place = pen("Reshape", at, np.array([1, 1]), T=dtypes.int64, Tshape=dtypes.int64)
    return pen("TensorScatterUpdate", rows, place, pen.row(value.text, dtype), T=dtype, Tindices=dtypes.int64)


@written("TensorArrayScatterV3")
def _scatter(pen: Pen, flow: Source, index: Source, value: Source) -> str:
    places = pen.row(pen.cast(index, dtypes.int64).text, dtypes.int64, -1)
    return pen("TensorScatterUpdate", flow, places, value, T=value.spec.dtype, Tindices=dtypes.int64)


@written("TensorArrayReadV3")
def _read(pen: Pen, flow: Source, index: Source) -> str:
    return pen.take(flow, pen.cast(index, dtypes.int64), flow.spec.dtype)


@written("TensorArraySizeV3")
def _size(pen: Pen, flow: Source) -> str:
    return pen.cast(Source(pen.size(flow, flow.spec.dtype), Spec.of(dtypes.int64, ())), dtypes.int32).text


@written("TensorListFromTensor", "TensorListStack")
def _stack(pen: Pen, flow: Source) -> str:
    return pen("Identity", flow, outputs="output", T=flow.spec.dtype)


@written("TensorListConcatV2")
def _concat(pen: Pen, flow: Source) -> str:
    shape = pen("Shape", flow, T=flow.spec.dtype, out_type=dtypes.int64)
    places = pen(
        "Range", np.int64(2), pen("Size", shape, T=dtypes.int64, out_type=dtypes.int64), np.int64(1), Tidx=dtypes.int64
    )
    rest = pen.take(shape, places, dtypes.int64)
    sizes = pen("ConcatV2", np.array([-1]), rest, np.int32(0), N=2, Tidx=dtypes.int32, **_WIDE)
    return pen("Reshape", flow, sizes, T=flow.spec.dtype, Tshape=dtypes.int64)
