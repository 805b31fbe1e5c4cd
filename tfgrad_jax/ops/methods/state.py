"""The methods of variables that read or change some of their elements.

Assignments are seen by no tape. Everything is checked before the variable changes, so that it keeps its value on error.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

from tfgrad_jax.engine.composite.indexed_slices import IndexedSlices
from tfgrad_jax.engine.declare.check import Typed
from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Key, T, static
from tfgrad_jax.engine.messages.errors import OutOfRangeError, invalid_argument
from tfgrad_jax.engine.run.execute import misfit
from tfgrad_jax.engine.state.variable import Variable, chain
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.tensor import EagerTensor, Tensor
from tfgrad_jax.ops.array.gather import convert_indices, gather, gather_nd
from tfgrad_jax.ops.array.scatter import check_shapes, put, put_nd
from tfgrad_jax.ops.checks import indices_below, places_inside
from tfgrad_jax.ops.common import listed, one_of, operand

_INDEX_TYPES = frozenset({dtypes.int32, dtypes.int64})


def _updates(variable: Variable, values: Any) -> Tensor:
    return operand(values) if isinstance(values, Variable) else convert(values, variable.dtype)


def _rows_method(how: str) -> Callable[..., Any]:
    raw = f"ResourceScatter{how.capitalize()}"

    @op(raw, differentiable=False, recorded=False)
    def kernel_of_rows(value: T, indices: Key, updates: T):
        return put(value, indices, updates, how)

    @kernel_of_rows.check
    def check(value: Typed, indices):
        return indices_below(indices, value.shape[0], raw)

    kernel = kernel_of_rows.op.kernel((True, True, True))
    kernel.overwrites = True

    def scatter(self: Variable, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Any:
        if not isinstance(sparse_delta, IndexedSlices):
            raise TypeError(f"Argument `sparse_delta` must be a `tf.IndexedSlices`. Received arg: {sparse_delta}")
        where, new = convert_indices(sparse_delta.indices), _updates(self, sparse_delta.values)
        one_of(where.dtype, _INDEX_TYPES, raw)
        shape, count = self.spec.shape, len(where.spec.shape)
        if shape == ():
            raise invalid_argument(f"{self.name!r} is a scalar, which has no rows; use assign", raw)
        if new.spec.shape and not new.spec.tensor_shape.is_compatible_with(where.spec.shape + shape[1:]):
            raise misfit(
                f"The shape of indices ({listed(where.spec.shape)}) must be a prefix of the shape of updates "
                f"({listed(new.spec.shape)}), and the rest {listed(new.spec.shape[count:])} that of a row "
                f"{listed(shape[1:])}",
                raw,
            )
        kernel_of_rows.op.check.look(kernel, (self.box.tensor, where, new))
        self.box.update(kernel, where, new)
        return self._written(True)

    scatter.__doc__ = f"""{_SAYS[how]} the rows `sparse_delta.values` at `sparse_delta.indices`; returns the variable.

        Raises:
          TypeError: if `sparse_delta` is no `tf.IndexedSlices`.
          InvalidArgumentError: if an index is out of range or the shapes do not fit; the variable keeps its value.
        """
    scatter.__name__ = f"scatter_{how}"
    return scatter


def _nd_method(how: str) -> Callable[..., Any]:
    raw = f"ResourceScatterNd{how.capitalize()}"

    @op(raw, differentiable=False, recorded=False)
    def kernel_of_places(value: T, indices: Key, updates: T):
        return put_nd(value, indices, updates, how)

    @kernel_of_places.check
    def check(value: Typed, indices):
        return places_inside(indices, value.shape[: indices.shape[-1]], value.shape, raw)

    kernel = kernel_of_places.op.kernel((True, True, True))
    kernel.overwrites = True

    def scatter(self: Variable, indices: Any, updates: Any, name: str | None = None) -> Any:
        where, new, shape = convert_indices(indices), _updates(self, updates), self.spec.shape
        one_of(where.dtype, _INDEX_TYPES, raw)
        check_shapes(raw, shape, where.spec.shape, new.spec.shape)
        kernel_of_places.op.check.look(kernel, (self.box.tensor, where, new))
        self.box.update(kernel, where, new)
        return self._written(True)

    scatter.__doc__ = f"""{_SAYS[how]} `updates` at the places that the last dimension of `indices` names.

        Raises:
          InvalidArgumentError: if a place is out of range or the shapes do not fit; the variable keeps its value.
        """
    scatter.__name__ = f"scatter_nd_{how}"
    return scatter


_SAYS = {
    "add": "Add",
    "sub": "Subtract",
    "mul": "Multiply by",
    "div": "Divide by",
    "max": "Take the maximum with",
    "min": "Take the minimum with",
    "update": "Set",
}

for _how in _SAYS:
    setattr(Variable, f"scatter_{_how}", _rows_method(_how))
for _how in ("add", "sub", "max", "min", "update"):
    setattr(Variable, f"scatter_nd_{_how}", _nd_method(_how))


@op("batch_scatter_places", differentiable=False)
def _batch_places(indices: Key):
    return jnp.stack([*jnp.indices(indices.shape)[:-1], indices], -1)


def _batch_scatter_update(self: Variable, sparse_delta: Any, use_locking: bool = False, name: str | None = None) -> Any:
    """Set rows within each batch: `self[b, indices[b, i]] = values[b, i]`; returns the variable.

    Raises:
      InvalidArgumentError: if an index is out of range or the shapes do not fit; the variable keeps its value.
    """
    return self.scatter_nd_update(_batch_places(sparse_delta.indices), sparse_delta.values)  # type: ignore[attr-defined]


def _sparse_read(self: Variable, indices: Any, name: str | None = None) -> Tensor:
    """The rows that the indices name; the gradient is a `tf.IndexedSlices`."""
    return gather(self, indices)


def _gather_nd(self: Variable, indices: Any, name: str | None = None) -> Tensor:
    """The elements or slices at the places that the last dimension of `indices` names."""
    return gather_nd(self, indices)


def _count_up_to(self: Variable, limit: Any) -> Tensor:
    """Add one, unless that goes beyond `limit`; returns the value before.

    Raises:
      OutOfRangeError: if the limit is reached already.
      InvalidArgumentError: if the variable is no integer scalar.
    """
    raw = "ResourceCountUpTo"
    one_of(self.dtype, _INDEX_TYPES, raw)
    if self.spec.shape:
        raise invalid_argument(f"input is not a scalar: {listed(self.spec.shape)}", raw)
    most = static(limit)
    with self.box.lock:
        value = np.asarray(self.box.tensor.array)
        if value >= most:
            raise OutOfRangeError(None, None, f"Reached limit of {limit} [Op:{raw}]")
        self.assign_add(1)
    return EagerTensor(value)


def _dense_var_to_tensor(self: Variable, dtype: Any = None, name: str | None = None, as_ref: bool = False) -> Tensor:
    """The value. What wraps a variable (Larq's quantized ones) asks it for that."""
    return self.__tf_tensor__(None if dtype is None else dtypes.as_dtype(dtype), name)


for _name, _method in {
    "_dense_var_to_tensor": _dense_var_to_tensor,
    "_as_graph_element": lambda self: self,  # what a session is to run
    "_in_graph_mode": False,  # no variable belongs to a graph; optimizers ask
    "_OverloadAllOperators": classmethod(lambda cls: None),  # subclasses have the operators already
    "batch_scatter_update": _batch_scatter_update,
    "sparse_read": _sparse_read,
    "gather_nd": _gather_nd,
    "count_up_to": _count_up_to,
}.items():
    setattr(Variable, _name, _method)

chain(*(name for name in vars(Variable) if name.startswith(("scatter_", "batch_scatter_"))))
