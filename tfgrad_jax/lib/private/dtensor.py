"""`tensorflow.dtensor.python.*`: what TensorFlow's own tests of tensors on meshes import besides the public names."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine.function.function import function
from tfgrad_jax.engine.names.export import export, export_value
from tfgrad_jax.lib.devices.devices import list_physical_devices
from tfgrad_jax.lib.dtensor.clients import device_name, jobs
from tfgrad_jax.lib.dtensor.layout import Layout
from tfgrad_jax.lib.dtensor.mesh import Mesh
from tfgrad_jax.lib.dtensor.tensors import default_mesh, fetch_layout, is_dtensor, pack, relayout, unpack
from tfgrad_jax.ops.array.array import split, stack
from tfgrad_jax.ops.random.stateless import stateless_uniform

_A, _C, _L, _N = (f"dtensor.python.{module}." for module in ("api", "config", "layout", "numpy_util"))


@export(_L + "_compute_mesh_strides")
def compute_mesh_strides(shape: Sequence[int]) -> list[int]:
    """How far apart neighbours along each dimension of a mesh are."""
    return [int(np.prod(shape[i + 1 :])) for i in range(len(shape))]


# -- the device of operations on meshes -----------------------------------------------------------------------------


@export("dtensor.python.dtensor_device.DTensorDevice")
class DTensorDevice:
    """What stands for all meshes: questions about tensors on them.

    Args:
      meshes: known ones; any other is known, too.
      is_async: accepted for compatibility.
      in_flight_nodes_limit: accepted for compatibility.
    """

    def __init__(self, meshes: Sequence[Mesh] = (), is_async: bool = True, in_flight_nodes_limit: int = 8) -> None:
        if any(not isinstance(mesh, Mesh) for mesh in meshes):
            raise TypeError(f"Expected a flat list of Mesh objects, got {meshes}")
        self.name = device_name()

    pack = staticmethod(pack)
    unpack = staticmethod(unpack)
    fetch_layout = staticmethod(fetch_layout)
    is_dtensor = staticmethod(is_dtensor)
    _experimental_default_mesh = staticmethod(default_mesh)


_device: list[DTensorDevice] = []


@export(_A + "_dtensor_device")
def dtensor_device() -> DTensorDevice:
    """The one device of operations on meshes."""
    if not _device:
        _device.append(DTensorDevice())
    return _device[0]


@export(_A + "_reset")
def reset() -> None:
    """Forget that device."""
    _device.clear()


@export(_A + "reset_dtensor_device")
def reset_dtensor_device(is_async: bool) -> None:
    """Make that device anew."""
    reset()
    dtensor_device()


# -- which processes and devices there are --------------------------------------------------------------------------


@export(_C + "is_local_mode")
def is_local_mode() -> bool:
    """Whether there is one process."""
    return not jobs()


@export(_C + "is_gpu_present")
def is_gpu_present() -> bool:
    """Whether this machine has GPUs."""
    return bool(list_physical_devices("GPU"))


@export(_C + "is_tpu_present")
def is_tpu_present() -> bool:
    """Whether this machine has TPUs."""
    return bool(list_physical_devices("TPU"))


def _switch(name: str, variable: str) -> None:
    def asked() -> bool:
        return os.environ.get(variable, "0") != "0"

    asked.__name__ = asked.__qualname__ = name
    asked.__doc__ = f"Whether {variable} is set in the environment. It has no effect here."
    export_value(asked, _C + name)


_switch("use_multi_device_mode", "DTENSOR_ENABLE_MULTI_DEVICE_EXPANSION")
_switch("gpu_use_nccl_communication", "DTENSOR_GPU_USE_NCCL_COMMUNICATION")

# -- tensors on meshes as arrays ------------------------------------------------------------------------------------


@export(_N + "unpacked_to_numpy")
def unpacked_to_numpy(unpacked: Sequence[Any], layout: Layout) -> np.ndarray:
    """The array of which devices have these parts.

    Raises:
      ValueError: if there are more or fewer than devices.
    """
    places = layout.offset_to_shard()
    if len(unpacked) != len(places):
        raise ValueError("Wrong number of component Tensors.")
    parts = [np.asarray(part) for part in unpacked]
    shape = parts[0].shape
    whole = np.empty([size * layout.num_shards(i) for i, size in enumerate(shape)], parts[0].dtype)
    for place, part in zip(places, parts, strict=True):
        whole[tuple([slice(k * size, (k + 1) * size) for k, size in zip(place, shape, strict=True)])] = part
    return whole


@export(_N + "to_numpy")
def to_numpy(tensor: Any) -> np.ndarray:
    """A tensor on a mesh as an array."""
    return unpacked_to_numpy(unpack(tensor), fetch_layout(tensor))


@export(_N + "unpack")
def unpacked(
    t: Any, layout: Layout, split_fn: Callable[..., Any] = np.split, stack_fn: Callable[..., Any] = np.stack
) -> list[Any]:
    """The part of a value that each device is to have.

    Args:
      t: the value.
      layout: how it is to lie.
      split_fn, stack_fn: how such a value is cut, and how parts are put together.
    """
    if not layout.rank:
        return [t] * layout.mesh.size

    def cut(value: Any, axis: int) -> Any:
        parts = split_fn(value, layout.num_shards(axis), axis=axis)
        return stack_fn([cut(part, axis + 1) for part in parts] if axis + 1 < layout.rank else parts)

    parts = cut(t, 0)
    return [parts[tuple(place)] for place in layout.offset_to_shard()]


@export(_N + "pack_numpy")
def pack_numpy(value: np.ndarray, layout: Layout, make_sparse: bool = False) -> Any:
    """An array on a mesh.

    Raises:
      NotImplementedError: for sparse tensors, which lie on no mesh here.
    """
    if make_sparse:
        raise NotImplementedError("dtensor: sparse tensors lie on no mesh here; pack dense ones")
    return pack(unpacked(value, layout), layout)


@export(_N + "pack_tf_tensor")
def pack_tf_tensor(value: Any, layout: Layout) -> Any:
    """A tensor on a mesh.

    Raises:
      ValueError: if there is none.
    """
    if value is None:
        raise ValueError("pack requires values to be passed in")
    return pack(unpacked(value, layout, split, stack), layout)


@export(_N + "stateless_random_uniform")
@function
def random_uniform(shape: Any, seed: Any, layout: Layout) -> Any:
    """Random numbers that lie so."""
    return relayout(stateless_uniform(shape=shape, seed=seed), layout)
