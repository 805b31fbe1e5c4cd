"""`tensorflow.python.ops.inplace_ops`: rows of a tensor changed, the changed tensor as a new one."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import int32
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.ops.array.creation import zeros_like
from tfgrad_jax.ops.array.scatter import tensor_scatter_nd_add, tensor_scatter_nd_sub, tensor_scatter_nd_update
from tfgrad_jax.ops.array.shape import expand_dims

_P = "python.ops.inplace_ops."


def _changed(change: Any, operation: str, x: Any, i: Any, v: Any) -> Tensor:
    x = convert(x)
    v = convert(v, x.dtype)
    if i is None:
        if v.shape.as_list() != x.shape.as_list():
            raise invalid_argument(f"x and v must have one shape, got {x.shape} and {v.shape}", operation)
        return change(expand_dims(x, 0), [[0]], expand_dims(v, 0))[0]
    i = convert(i, int32)
    if i.shape.rank == 0:
        i, v = expand_dims(i, 0), expand_dims(v, 0)
    if i.shape.rank != 1:
        raise invalid_argument(f"i must be a scalar or a vector, got the shape {i.shape}", operation)
    if v.shape.rank != x.shape.rank or v.shape.as_list() != [*i.shape, *x.shape[1:]]:
        raise invalid_argument(f"v must have a row of {x.shape} for each of {i.shape}, got {v.shape}", operation)
    return change(x, expand_dims(i, 1), v)


@export(_P + "inplace_add")
def inplace_add(x: Any, i: Any, v: Any) -> Tensor:
    """A copy of `x` with `v` added to its rows `i`, or to all of it where `i` is None; `x` itself stays as it is.

    Raises:
      InvalidArgumentError: if the shapes do not fit.
    """
    return _changed(tensor_scatter_nd_add, "InplaceAdd", x, i, v)


@export(_P + "inplace_sub")
def inplace_sub(x: Any, i: Any, v: Any) -> Tensor:
    """`inplace_add` with `v` subtracted."""
    return _changed(tensor_scatter_nd_sub, "InplaceSub", x, i, v)


@export(_P + "inplace_update")
def inplace_update(x: Any, i: Any, v: Any) -> Tensor:
    """`inplace_add` with `v` in the place of the rows."""
    return _changed(tensor_scatter_nd_update, "InplaceUpdate", x, i, v)


@export(_P + "empty_like")
def empty_like(x: Any, init: bool | None = None) -> Tensor:
    """A tensor of the dtype and shape of `x`, of zeros whether or not `init` asks for that."""
    return zeros_like(x)
