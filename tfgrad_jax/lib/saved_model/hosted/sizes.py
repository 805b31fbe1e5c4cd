"""Shapes and numbers of which graphs compute sizes, and parts whose bounds are values."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.dtypes import DType
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.tensor import Spec
from tfgrad_jax.lib.saved_model.hosted.pen import Pen, Source, written


@written("Shape")
def _shape(pen: Pen, input: Source) -> str:
    return pen("Shape", input, T=input.spec.dtype, out_type=pen.results[0].dtype)


@written("Size")
def _size(pen: Pen, input: Source) -> str:
    return pen("Size", input, T=input.spec.dtype, out_type=pen.results[0].dtype)


@written("Rank")
def _rank(pen: Pen, input: Source) -> str:
    return pen("Rank", input, T=input.spec.dtype)


@written("Range")
def _range(pen: Pen, start: Source, limit: Source, delta: Source) -> str:
    dtype = pen.results[0].dtype
    return pen("Range", *[pen.cast(v, dtype) for v in (start, limit, delta)], Tidx=dtype)


@written("_to_longest")
def _mask(pen: Pen, lengths: Source, dtype: Any = None) -> str:
    flat = pen("Reshape", pen.cast(lengths, dtypes.int64), np.array([-1]), T=dtypes.int64, Tshape=dtypes.int64)
    with_none = pen("ConcatV2", np.array([0]), flat, np.int32(0), N=2, T=dtypes.int64, Tidx=dtypes.int32)
    longest = pen("Max", with_none, np.int32(0), T=dtypes.int64, Tidx=dtypes.int32)
    return _mask_to(pen, lengths, Source(longest, Spec.of(dtypes.int64, ())))


@written("_to_size")
def _mask_to(pen: Pen, lengths: Source, maxlen: Any, dtype: Any = None) -> str:
    rows = pen.row(pen.cast(lengths, dtypes.int64).text, dtypes.int64, -1)
    before: str = pen("Less", pen.count(pen.integers(maxlen)), rows, outputs="z", T=dtypes.int64)
    return pen.cast(Source(before, Spec.open(dtypes.bool_, TensorShape(None))), pen.results[0].dtype).text


def _bins(pen: Pen, values: Source, least: Any, most: Any) -> str:
    """How many bins there are for numbers in a vector or matrix of int64."""
    flat = pen("Reshape", values, np.array([-1]), T=dtypes.int64, Tshape=dtypes.int64)
    with_none = pen("ConcatV2", np.array([-1]), flat, np.int32(0), N=2, T=dtypes.int64, Tidx=dtypes.int32)
    largest = pen("Max", with_none, np.int32(0), T=dtypes.int64, Tidx=dtypes.int32)
    size: str = pen("AddV2", largest, np.int64(1), outputs="z", T=dtypes.int64)
    for op, bound in (("Maximum", least), ("Minimum", most)):
        if bound is not None:
            size = pen(op, size, pen.integers(bound), outputs="z", T=dtypes.int64)
    return size


@written("_counted")
def _counts_of_rows(
    pen: Pen, numbers: Source, rows: Source, count: Any, weights: Any, minlength: Any, maxlength: Any, dtype: DType,
    binary: bool,
) -> str:  # fmt: skip
    values, kind = pen.cast(numbers, dtypes.int64), pen.results[0].dtype
    size = _bins(pen, values, minlength, maxlength)
    splits = pen.splits(pen.cast(rows, dtypes.int64).text, pen.integers(count))
    given = np.zeros(0, kind.np) if weights is None else weights
    return pen("RaggedBincount", splits, values, size, given, Tidx=dtypes.int64, T=kind, binary_output=binary)


@written("bincount")
def _counts(
    pen: Pen, arr: Source, weights: Any = None, minlength: Any = None, maxlength: Any = None, dtype: Any = None,
    name: Any = None, axis: Any = None, binary_output: bool = False,
) -> str:  # fmt: skip
    values, kind = pen.cast(arr, dtypes.int64), pen.results[0].dtype
    size = _bins(pen, values, minlength, maxlength)
    given: Any = np.zeros(0, kind.np) if weights is None else weights
    if axis != -1:
        flat = np.array([-1])
        values = pen("Reshape", values, flat, T=dtypes.int64, Tshape=dtypes.int64)
        given = given if weights is None else pen("Reshape", given, flat, T=kind, Tshape=dtypes.int64)
    return pen("DenseBincount", values, size, given, Tidx=dtypes.int64, T=kind, binary_output=binary_output)


@written("Slice", "slice")
def _slice(
    pen: Pen, begin: Any, size: Any, input: Source | None = None, input_: Source | None = None, name: Any = None
) -> str:
    value = input or input_
    assert value is not None
    given = value, pen.integers(begin), pen.integers(size)
    return pen("Slice", *given, T=value.spec.dtype, Index=dtypes.int64)


@written("StridedSlice")
def _strided(pen: Pen, input: Source, starts: Any, at: Any, plan: Any, shape: Any) -> str:
    value, dtype = input.text, input.spec.dtype
    known, unknown = iter(range(len(plan))), iter(at)
    for axis, entry in enumerate(plan):
        if entry is None:
            continue
        length, step, source = entry
        places: Any = np.arange(0, length, abs(step))[:: 1 if step > 0 else -1]
        if source is not None:
            if source == "starts":
                begin = Source(
                    pen.take(starts, np.int64(next(known)), starts.spec.dtype), Spec.of(starts.spec.dtype, ())
                )
                start = pen.cast(begin, dtypes.int64)
            else:  # it may count from the end
                begin = pen.cast(next(unknown), dtypes.int64)
                flat = pen("Reshape", begin, np.array([], np.int64), T=dtypes.int64, Tshape=dtypes.int64)
                start = pen("FloorMod", flat, np.int64(input.spec.shape[axis]), outputs="z", T=dtypes.int64)
            places = pen("AddV2", start, places, outputs="z", T=dtypes.int64)
        value = pen.take(value, places, dtype, axis)
    return pen("Reshape", value, pen.integers(shape), T=dtype, Tshape=dtypes.int64)


@written("_selected")
def _selected(pen: Pen, tensor: Source, places: list[Any], slices: list[slice | None]) -> str:
    rest = iter(places)
    bounds: list[list[Any]] = []
    masks: dict[str, Any] = dict.fromkeys(
        ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"), 0
    )

    def mark(name: str) -> None:
        masks[name] |= 1 << len(bounds)

    for item in slices:
        if isinstance(item, slice):
            for name, bound in (("begin_mask", item.start), ("end_mask", item.stop)):
                if bound is None:
                    mark(name)
            bounds.append(
                [0 if v is None else v for v in (item.start, item.stop)] + [1 if item.step is None else item.step]
            )
            continue
        place = next(rest)
        if place is None or place is Ellipsis:
            mark("new_axis_mask" if place is None else "ellipsis_mask")
            bounds.append([0, 0, 1])
        else:
            mark("shrink_axis_mask")
            bounds.append([place, 0, 1])  # the end of what vanishes is not looked at
    columns = [pen.integers(list(column)) for column in zip(*bounds, strict=True)]
    return pen("StridedSlice", tensor, *columns, T=tensor.spec.dtype, Index=dtypes.int64, **masks)


@written("one_hot")
def _one_hot(
    pen: Pen, indices: Source, depth: Any, on_value: Any = None, off_value: Any = None, axis: Any = None, dtype: Any = None,
    name: Any = None,
) -> str:  # fmt: skip
    kind, wide = pen.results[0].dtype, pen.cast(indices, dtypes.int64)
    count = pen.cast(depth, dtypes.int32)
    on, off = [np.array(i, kind.np) if v is None else v for i, v in ((1, on_value), (0, off_value))]
    return pen("OneHot", wide, count, on, off, axis=-1 if axis is None else axis, T=kind, TI=dtypes.int64)


@written("linspace")
def _linspace(pen: Pen, start: Any, stop: Any, num: Any, name: Any = None, axis: Any = 0) -> str:
    first, last = [v.spec if isinstance(v, Source) else None for v in (start, stop)]
    if axis not in (0, -1) or any(spec is not None and spec.shape != () for spec in (first, last)):
        raise ValueError(
            "tf.saved_model.save: tf.linspace of a number of values that is a tensor is saved for scalars alone"
        )
    kind = pen.results[0].dtype
    bounds = [v if isinstance(v, Source) else np.array(v, kind.np) for v in (start, stop)]
    return pen("LinSpace", *bounds, pen.integers(num), T=kind, Tidx=dtypes.int64)


@written("Eye")
def _eye(pen: Pen, num_rows: Any, num_columns: Any = None, batch_shape: Any = None, dtype: Any = None) -> str:
    # Row and column of each place are compared, as where the matrix is computed.
    rows, columns = [pen.count(pen.integers(n)) for n in (num_rows, num_rows if num_columns is None else num_columns)]
    same: str = pen("Equal", pen.row(rows, dtypes.int64, 1), columns, outputs="z", T=dtypes.int64)
    kind = pen.results[0].dtype
    one = pen.cast(Source(same, Spec.open(dtypes.bool_, TensorShape(None))), kind).text
    if not batch_shape:
        return one
    last = pen("Shape", one, T=kind, out_type=dtypes.int64)
    shape = pen("ConcatV2", pen.integers(batch_shape), last, np.int32(0), N=2, T=dtypes.int64, Tidx=dtypes.int32)
    return pen("BroadcastTo", one, shape, T=kind, Tidx=dtypes.int64)
