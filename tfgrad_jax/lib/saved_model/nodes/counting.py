"""Nodes that find equal slices, and those that put sizes into the order of another format of images."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.values.dtypes import DType, int32, int64
from tfgrad_jax.lib.saved_model.nodes.registry import node, tf
from tfgrad_jax.ops.host.host_calls import numpy_function


def _unique_slices(x: Any, axis: Any, dtype: DType, raw: str) -> list[Any]:
    def compute(values: Any, axes: Any) -> Any:
        if axes.size > 1:
            raise invalid_argument(f"axis expects no more than one number, got {axes.tolist()}", raw)
        if not axes.size and values.ndim != 1:
            raise invalid_argument(f"unique expects a 1D vector, got the shape {list(values.shape)}", raw)
        along = int(axes[0]) if axes.size else 0
        if not -values.ndim <= along < values.ndim:
            raise invalid_argument(f"axis has to be between 0 and {values.ndim}, got {along}", raw)
        _, first, inverse, counts = np.unique(
            values, return_index=True, return_inverse=True, return_counts=True, axis=along, equal_nan=False
        )
        order = np.argsort(first)  # in the order in which they come
        place = np.argsort(order)[inverse.reshape(-1)]
        kind = dtype.as_numpy_dtype
        return np.take(values, first[order], along), place.astype(kind), counts[order].astype(kind)

    return numpy_function(compute, [x, axis], [x.dtype, dtype, dtype], False)


@node("UniqueV2", outputs="y idx")
def _unique(x: Any, axis: Any, *, out_idx: DType = int32) -> list[Any]:
    return list(_unique_slices(x, axis, out_idx, "UniqueV2")[:2])


@node("UniqueWithCountsV2", outputs="y idx count")
def _unique_with_counts(x: Any, axis: Any, *, out_idx: DType = int32) -> list[Any]:
    return list(_unique_slices(x, axis, out_idx, "UniqueWithCountsV2"))


@node("DataFormatVecPermute")
def _permuted(x: Any, *, src_format: bytes = b"NHWC", dst_format: bytes = b"NCHW") -> Any:
    source, target = src_format.decode(), dst_format.decode()
    if sorted(source) != sorted(target):
        raise invalid_argument(f"{source!r} and {target!r} must have the same letters", "DataFormatVecPermute")
    if x.shape[0] == len(source) - 2:  # of the sizes of images alone
        source, target = (text.replace("N", "").replace("C", "") for text in (source, target))
    if x.shape[0] != len(source):
        raise invalid_argument(f"x must have {len(source)} rows, got {x.shape[0]}", "DataFormatVecPermute")
    return tf("gather")(x, [source.index(letter) for letter in target])


@node("DataFormatDimMap")
def _mapped(x: Any, *, src_format: bytes = b"NHWC", dst_format: bytes = b"NCHW") -> Any:
    source, target = src_format.decode(), dst_format.decode()
    if sorted(source) != sorted(target):
        raise invalid_argument(f"{source!r} and {target!r} must have the same letters", "DataFormatDimMap")
    return tf("gather")(tf("constant")([target.index(letter) for letter in source], x.dtype), x % len(source))


@node("MaxPoolWithArgmax", outputs="output argmax")
def _max_pool_with_argmax(
    x: Any,
    *,
    ksize: list[int],
    strides: list[int],
    padding: bytes,
    Targmax: DType = int64,
    include_batch_in_index: bool = False,
) -> list[Any]:
    return list(
        tf("nn.max_pool_with_argmax")(
            x,
            ksize,
            strides,
            padding.decode(),
            output_dtype=Targmax,
            include_batch_in_index=include_batch_in_index,
        )
    )
