"""`tf.slice`: a block of a tensor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine.graph.deferred import deferred
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.execute import execute, misfit
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.tensor import Spec, Tensor, concrete
from tfgrad_jax.ops.array.strided_slice import no_such_slice, sliced
from tfgrad_jax.ops.common import integers, listed, operand, partly_known, shape_of


@export("slice")
def slice_(input_: Any, begin: Any, size: Any, name: str | None = None) -> Tensor:
    """`size[i]` elements from `begin[i]` on in each dimension, or all the rest where -1. Mirrors `tf.slice`.

    Raises:
      InvalidArgumentError: if that reaches beyond the tensor, or the vectors have another length than its rank.
    """
    return (_block if _starts_of_rests(begin, size) is not None else _to_the_end)(input_, begin, size)


def _starts_of_rests(begin: Any, size: Any) -> list[int | None] | None:
    """Where the parts of size -1 begin, None for others; None if that, or whether there are any, is not known as a number."""
    sizes = partly_known(size) if isinstance(size, (list, tuple, np.ndarray)) and not _tensors(size) else None
    if sizes is None:
        return None
    if -1 not in sizes:
        return [None] * len(sizes)
    given = begin.tolist() if isinstance(begin, np.ndarray) else begin
    if not isinstance(given, (list, tuple)) or len(given) != len(sizes):
        return None
    starts = [
        int(b) if s == -1 and isinstance(b, (int, np.integer)) else None for b, s in zip(given, sizes, strict=True)
    ]
    return None if any(s == -1 and b is None for b, s in zip(starts, sizes, strict=True)) else starts


def _tensors(size: Any) -> bool:
    return any(isinstance(n, (Tensor, list, tuple, np.ndarray)) for n in size)


def _sliced(input_: Any, begin: Any, size: Any) -> Tensor:
    tensor = operand(input_)
    shape = tensor.spec.shape
    first, lengths = convert(begin), integers(size, scalar=True)
    if first.spec.shape != (len(shape),) or len(lengths) != len(shape):
        raise misfit(
            f"Expected begin and size arguments to be 1-D tensors of size {len(shape)}, but got shapes "
            f"{listed(first.spec.shape)} and [{len(lengths)}] instead.",
            "Slice",
        )
    if -1 in lengths:
        starts: Sequence[Any] | None = _starts_of_rests(begin, size)
        if starts is None:
            starts = np.asarray(first.array).tolist()
        lengths = tuple(n - b if s == -1 else s for n, b, s in zip(shape, starts, lengths, strict=True))
    known = concrete(first)
    if known is not None:
        for i, (n, b, s) in enumerate(zip(shape, known.tolist(), lengths, strict=True)):
            if not 0 <= b <= n or not 0 <= s <= n - b:
                raise no_such_slice(i, n, b, s)
    return execute(sliced.op.kernel((True, True, lengths)), (tensor, first))


@deferred("size", name="slice")
def _block(input_: Any, begin: Any, size: Any) -> Tensor:
    """Where the sizes alone decide the shape of the result."""
    return _sliced(input_, begin, size)


@deferred("begin", "size", name="slice")
def _to_the_end(input_: Any, begin: Any, size: Any) -> Tensor:
    """Where sizes of -1 let the values of `begin` decide it, too."""
    return _sliced(input_, begin, size)


@_block.open_shape
@_to_the_end.open_shape
def _(input_: Any, begin: Any, size: Any, **_: Any) -> list[Any]:
    shape = shape_of(input_)
    sizes = partly_known(size) or [None] * len(shape)
    starts = [None] * len(shape) if isinstance(begin, Spec) else partly_known(begin) or [None] * len(shape)
    return [
        tuple(
            [
                (None if n is None or b is None else n - b) if s == -1 else s
                for n, b, s in zip(shape, starts, sizes, strict=True)
            ]
        )
    ]
