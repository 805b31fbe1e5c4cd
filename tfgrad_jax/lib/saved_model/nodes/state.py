"""Nodes that read and write variables: their handles are the variables themselves here."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.engine.composite.indexed_slices import IndexedSlices
from tfgrad_jax.engine.messages.errors import failed_precondition
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.values.dtypes import DType, int32
from tfgrad_jax.lib.saved_model.nodes.handles import NamedHandle
from tfgrad_jax.lib.saved_model.nodes.registry import node, tf


def _variable(handle: Any, raw: str) -> Variable:
    if not isinstance(handle, Variable):
        raise failed_precondition(
            f"{raw}: the resource is {handle!r}, and no variable: it was not restored with this SavedModel", raw
        )
    return handle


@node("ReadVariableOp", "_ReadVariablesOp")
def _read(handle: Any, *, dtype: DType | None = None) -> Any:
    if isinstance(handle, NamedHandle):
        return handle.read(dtype or handle.variable.dtype)
    return _variable(handle, "ReadVariableOp").read_value()


@node("AssignVariableOp", stateful=True)
def _assign(handle: Any, value: Any, *, validate_shape: bool = False) -> None:
    if isinstance(handle, NamedHandle):
        handle.assign(value, validate_shape)
        return
    _variable(handle, "AssignVariableOp").assign(value)


@node("AssignAddVariableOp", stateful=True)
def _assign_add(handle: Any, value: Any) -> None:
    _variable(handle, "AssignAddVariableOp").assign_add(value)


@node("AssignSubVariableOp", stateful=True)
def _assign_sub(handle: Any, value: Any) -> None:
    _variable(handle, "AssignSubVariableOp").assign_sub(value)


@node("VarIsInitializedOp")
def _is_initialized(handle: Any) -> Any:
    return tf("constant")(not isinstance(handle, NamedHandle) or handle.found is not None)


@node("VariableShape")
def _shape(handle: Any, *, out_type: DType = int32) -> Any:
    return tf("shape")(handle, out_type)


@node("DisableCopyOnRead")
def _nothing(handle: Any) -> None:
    return None


@node("DestroyResourceOp", stateful=True)
def _destroy(handle: Any, *, ignore_lookup_error: bool = True) -> None:
    if isinstance(handle, NamedHandle):
        handle.destroy(ignore_lookup_error)


@node("ResourceGather")
def _gather(handle: Any, indices: Any, *, batch_dims: int = 0) -> Any:
    return tf("gather")(_variable(handle, "ResourceGather"), indices, batch_dims=batch_dims)


@node("ResourceGatherNd")
def _gather_nd(handle: Any, indices: Any) -> Any:
    return tf("gather_nd")(_variable(handle, "ResourceGatherNd"), indices)


def _scattering(raw: str, method: str) -> None:
    def scattered(handle: Any, indices: Any, updates: Any) -> None:
        getattr(_variable(handle, raw), method)(IndexedSlices(updates, indices))

    node(raw, stateful=True)(scattered)


def _scattering_nd(raw: str, method: str) -> None:
    def scattered(handle: Any, indices: Any, updates: Any) -> None:
        getattr(_variable(handle, raw), method)(indices, updates)

    node(raw, stateful=True)(scattered)


for _how in ("Add", "Div", "Max", "Min", "Mul", "Sub", "Update"):
    _scattering(f"ResourceScatter{_how}", f"scatter_{_how.lower()}")
for _how in ("Add", "Sub", "Update"):
    _scattering_nd(f"ResourceScatterNd{_how}", f"scatter_nd_{_how.lower()}")
