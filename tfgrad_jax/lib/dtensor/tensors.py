"""Tensors on meshes: how they get there, and how they lie. They are tensors as all others, whose arrays JAX has spread."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import jax
import numpy as np

from tfgrad_jax.engine.cache import Cache
from tfgrad_jax.engine.hooks import check_meshes, check_whole, text_on_mesh
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.kernels.spread import note, put
from tfgrad_jax.engine.messages.errors import (
    InternalError,
    UnimplementedError,
    UnknownError,
    invalid_argument,
    unimplemented,
)
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.execute import execute
from tfgrad_jax.engine.state.variable import ResourceVariable, Variable
from tfgrad_jax.engine.values import nest
from tfgrad_jax.engine.values.convert import convert, is_tensor
from tfgrad_jax.engine.values.dtypes import string
from tfgrad_jax.engine.values.symbolic import SymbolicTensor
from tfgrad_jax.engine.values.tensor import EagerTensor, Tensor
from tfgrad_jax.lib.dtensor.layout import Layout
from tfgrad_jax.lib.dtensor.mesh import Mesh
from tfgrad_jax.lib.dtensor.text import laid_text

_kernels: Cache[Any, Kernel] = Cache(256)


class _Default(threading.local):
    """The meshes whose scopes are open in this thread."""

    meshes: tuple[Mesh, ...] = ()


_default = _Default()


@export("experimental.dtensor.default_mesh", "experimental.dtensor.run_on")
@contextmanager
def default_mesh(mesh: Mesh) -> Iterator[None]:
    """A context in which tensors that lie on no mesh count as whole on every device of this one.

    Mirrors `tf.experimental.dtensor.default_mesh`.

    Raises:
      ValueError: if it is no mesh.
    """
    if not isinstance(mesh, Mesh):
        raise ValueError(f"Expect `mesh` to be `Mesh`, got {type(mesh)}")
    before, _default.meshes = _default.meshes, (*_default.meshes, mesh)
    try:
        yield
    finally:
        _default.meshes = before


@export("experimental.dtensor.get_default_mesh")
def get_default_mesh() -> Mesh | None:
    """The mesh whose scope is open, or None."""
    return _default.meshes[-1] if _default.meshes else None


@export("experimental.dtensor.relayout")
def relayout(tensor: Any, layout: Layout, name: str | None = None) -> Tensor:
    """A tensor that lies on a mesh in another way; its gradient lies as it lay. Mirrors `tf.experimental.dtensor.relayout`.

    Raises:
      AttributeError: if `layout` is none.
      UnknownError: if ranks differ, or a dimension cannot be cut in so many parts of one size.
      UnimplementedError: for strings.
    """
    if not isinstance(layout, Layout):
        raise AttributeError(f"dtensor: expected a Layout, got {layout!r}, which has no attribute 'sharding_specs'")
    operand = tensor.as_operand() if isinstance(tensor, Variable) else convert(tensor)
    _check(operand, layout)
    kernel = _kernels[layout]
    if kernel is None:
        sharding = layout.sharding

        def lay(value: Any) -> Any:
            return jax.lax.with_sharding_constraint(value, sharding)

        kernel = _kernels.keep(layout, Kernel("Relayout", lay))
    if isinstance(operand, SymbolicTensor):
        return execute(kernel, (operand,))
    laid = EagerTensor(put(operand.array, layout.sharding), operand.spec)
    laid.identity = operand.identity  # to tapes it is the operand, and the kernel's result is the new one
    return execute(kernel, (laid,))


def _check(tensor: Tensor, layout: Layout) -> None:
    if tensor.dtype is string:
        raise UnimplementedError(
            None, None, "dtensor: strings stay on the host and cannot be put onto a mesh [Op:Relayout]"
        )
    sizes = tensor.shape.as_list() if tensor.shape.rank is not None else None
    if sizes is None:
        return
    if len(sizes) != layout.rank:
        raise _unfit(f"the layout has rank {layout.rank}, and the tensor shape {tensor.shape}")
    for i, size in enumerate(sizes):
        if size is not None and size % layout.num_shards(i):
            raise _unfit(
                f"dimension {i} must be divisible by the shards of the layout: its size {size} is not divisible by "
                f"{layout.num_shards(i)}"
            )


def _unfit(message: str) -> UnknownError:
    return UnknownError(None, None, f"{message} [Op:Relayout]")


@export("experimental.dtensor.copy_to_mesh")
def copy_to_mesh(tensor: Any, layout: Layout, source_layout: Layout | None = None) -> Tensor:
    """A tensor put onto a mesh. Mirrors `tf.experimental.dtensor.copy_to_mesh`; raises as `relayout`."""
    return relayout(tensor, layout)


@export("experimental.dtensor.relayout_like")
def relayout_like(tensor: Any, layout_tensor: Any, name: str | None = None) -> Tensor:
    """A tensor that lies on a mesh as another one does."""
    return relayout(tensor, fetch_layout(layout_tensor))


@export("experimental.dtensor.call_with_layout")
def call_with_layout(fn: Callable[..., Any], layout: Layout | None, *args: Any, **kwargs: Any) -> Any:
    """What a function gives, laid out. Mirrors `tf.experimental.dtensor.call_with_layout`.

    Args:
      fn: the function.
      layout: of each of its results; None leaves them as they are.
      *args, **kwargs: its arguments.
    """
    result = fn(*args, **kwargs)
    return result if layout is None else nest.map_structure(lambda x: relayout(x, layout), result)


def _layout_of(tensor: Any) -> Layout | None:
    if not is_tensor(tensor):
        return None
    value = tensor.box.current if isinstance(tensor, Variable) else tensor
    if not isinstance(value, Tensor) or isinstance(value, SymbolicTensor):
        return None
    return _layout_of_array(value.array)


def _layout_of_array(array: Any) -> Layout | None:
    rank = np.ndim(array)
    found = Layout.of_sharding(getattr(array, "sharding", None), rank)
    mesh = get_default_mesh()
    return Layout.replicated(mesh, rank) if found is None and mesh is not None else found


@text_on_mesh.fill
def _text_on_mesh(array: Any) -> str | None:
    layout = _layout_of_array(array)
    return None if layout is None or Mesh.of_sharding_mesh(layout.sharding.mesh) is None else laid_text(array, layout)


@check_whole.fill
def _check_whole(array: Any) -> None:
    """That devices do not have parts of an array, as it is to be NumPy's.

    Raises:
      UnimplementedError: if they have.
    """
    sharding = getattr(array, "sharding", None)
    if not isinstance(sharding, jax.sharding.NamedSharding) or sharding.is_fully_replicated:
        return
    if Mesh.of_sharding_mesh(sharding.mesh) is not None:
        raise UnimplementedError(
            None,
            None,
            "Trying to copy a non-single-device and non-replicated DTensor is not supported. dtensor.relayout to a layout "
            f"that is UNSHARDED in each dimension makes it whole, dtensor.unpack gives its parts. Input tensor is: "
            f"{_text_on_mesh(array)}",
        )


@export("experimental.dtensor.fetch_layout")
def fetch_layout(tensor: Any) -> Layout:
    """How a tensor lies. Mirrors `tf.experimental.dtensor.fetch_layout`.

    Raises:
      InvalidArgumentError: if it lies on no mesh.
    """
    found = _layout_of(tensor)
    if found is None:
        raise invalid_argument(
            f"FetchLayout expects a tensor placed on the layout device, got {tensor!r}; dtensor.copy_to_mesh puts it there"
        )
    return found


@export("experimental.dtensor.is_dtensor")
def is_dtensor(tensor: Any) -> bool:
    """Whether a tensor lies on a mesh."""
    return _layout_of(tensor) is not None


@export("experimental.dtensor.check_layout")
def check_layout(tensor: Any, layout: Layout) -> None:
    """That a tensor lies so.

    Raises:
      ValueError: if it lies otherwise.
    """
    found = fetch_layout(tensor)
    if found != layout:
        raise ValueError(f"Layout of tensor: {found}, did not match expected layout: {layout}")


@export("experimental.dtensor.pack")
def pack(tensors: Sequence[Any], layout: Layout) -> Tensor:
    """A tensor of the parts that each device is to have. Mirrors `tf.experimental.dtensor.pack`.

    Raises:
      InvalidArgumentError: if there are more or fewer parts than devices, or their rank is not the layout's.
      UnimplementedError: if their shapes differ.
      InternalError: if their dtypes differ.
    """
    devices = list(layout.mesh.sharding_mesh.devices.ravel())
    parts = [convert(tensor).array for tensor in tensors]
    if len(parts) != len(devices):
        raise invalid_argument(f"expected {len(devices)} inputs to DTensorPack, but got {len(parts)}", "DTensorPack")
    shapes = [part.shape for part in parts]
    if any(part.ndim != layout.rank for part in parts):
        raise invalid_argument(
            f"Packed layout should have the same rank as the rank for each component; got shapes {shapes} for a layout of rank "
            f"{layout.rank}",
            "DTensorPack",
        )
    if len(set(shapes)) > 1:
        raise unimplemented(
            f"Components of a PackedTensor must currently all have the same shape; got {shapes}", "DTensorPack"
        )
    if len({part.dtype for part in parts}) > 1:
        raise InternalError(
            None,
            None,
            f"Components of a PackedTensor must all have the same dtype; got {[part.dtype.name for part in parts]}",
        )
    shape = tuple([size * layout.num_shards(i) for i, size in enumerate(parts[0].shape)])
    note(layout.sharding)
    placed = [jax.device_put(part, device) for part, device in zip(parts, devices, strict=True)]
    return EagerTensor(jax.make_array_from_single_device_arrays(shape, layout.sharding, placed))


@export("experimental.dtensor.unpack")
def unpack(tensor: Any) -> list[Tensor]:
    """The part of a tensor that each device has. Mirrors `tf.experimental.dtensor.unpack`.

    Raises:
      InvalidArgumentError: if it lies on no mesh.
    """
    if _layout_of(tensor) is None:
        raise invalid_argument(f"DTensorUnpack expects a tensor on a mesh, got {tensor!r}", "DTensorUnpack")
    array = tensor.box.current.array if isinstance(tensor, Variable) else tensor.array
    place = {device: i for i, device in enumerate(array.sharding.mesh.devices.ravel())}
    return [EagerTensor(s.data) for s in sorted(array.addressable_shards, key=lambda shard: place[shard.device])]


@export("experimental.dtensor.DVariable")
class DVariable(ResourceVariable):
    """A variable on a mesh. Mirrors `tf.experimental.dtensor.DVariable`.

    Args:
      initial_value: a tensor on a mesh, or anything else if there is a layout; or a callable that returns one.
      layout: how it lies; as the value does where None.
      dtype: its dtype.
      **kwargs: as of `tf.Variable`.

    Raises:
      InvalidArgumentError: if it lies on no mesh.
    """

    __slots__ = ()

    def __init__(self, initial_value: Any, layout: Layout | None = None, dtype: Any = None, **kwargs: Any) -> None:
        value = convert(initial_value() if callable(initial_value) else initial_value, dtype)
        if layout is not None:
            value = relayout(value, layout)
        elif _layout_of(value) is None:
            raise invalid_argument("Neither layout nor DTensor initial value are provided.")
        super().__init__(value, dtype=dtype, **kwargs)

    def assign(self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True) -> Any:
        """Replace the value, which lies as the old one does.

        Raises:
          UnknownError: if the new one lies on another mesh.
        """
        own, given = _layout_of(self), _layout_of(value)
        if own is not None and given is not None:
            check_meshes("AssignVariableOp", [own.sharding, given.sharding])
        return super().assign(value, use_locking, name, read_value)

    @property
    def layout(self) -> Layout:
        """How it lies."""
        return fetch_layout(self)
