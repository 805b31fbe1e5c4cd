"""`dtensor.Mesh`: devices in a grid with named dimensions."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import jax
import numpy as np

from tfgrad_jax.engine.hooks import check_meshes
from tfgrad_jax.engine.messages.errors import UnknownError
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.lib.devices.device_spec import DeviceSpec
from tfgrad_jax.lib.devices.devices import list_logical_devices


class MeshDimension(NamedTuple):
    """A dimension of a mesh."""

    name: str
    size: int


@export("experimental.dtensor.Mesh")
class Mesh:
    """Devices in a grid. Mirrors `tf.experimental.dtensor.Mesh`; it is a `jax.sharding.Mesh` underneath.

    Args:
      dim_names: the names of the dimensions.
      global_device_ids: numbers of devices, in an array of the mesh's shape.
      local_device_ids: those of this process, flat.
      local_devices: their names.
      mesh_name: the mesh's name.

    Raises:
      ValueError: if shape, names and devices do not fit, or JAX has no such device.
    """

    def __init__(
        self,
        dim_names: Sequence[str],
        global_device_ids: Any,
        local_device_ids: Sequence[int],
        local_devices: Sequence[Any],
        mesh_name: str = "",
    ) -> None:
        self.dim_names = list(dim_names)
        self._ids = np.asarray(global_device_ids)
        self._local_ids = list(local_device_ids)
        self._devices = [_full(device) for device in local_devices]
        self.name = mesh_name
        if self._ids.ndim != len(self.dim_names):
            raise ValueError(f"a mesh of shape {list(self._ids.shape)} needs as many names, got {self.dim_names}")
        if self._ids.size != len(self._devices):
            raise ValueError(
                f"length of devices ({len(self._devices)}) must be equal to total size of the mesh of shape {self.shape()}"
            )

    @functools.cached_property
    def sharding_mesh(self) -> jax.sharding.Mesh:
        """The same in JAX's words. Its axes have the mesh's name before theirs, so that nobody takes it for another mesh."""
        devices = np.array([_device(name) for name in self._devices]).reshape(self._ids.shape)
        automatic = (jax.sharding.AxisType.Auto,) * devices.ndim
        found = jax.sharding.Mesh(devices, tuple(map(self.axis, self.dim_names)), axis_types=automatic)
        _by_sharding_mesh[found] = self
        return found

    def axis(self, dim_name: str) -> str:
        """What JAX calls a dimension."""
        return f"{self.name}{_BETWEEN}{dim_name}"

    @staticmethod
    def of_sharding_mesh(mesh: Any) -> Mesh | None:
        """The mesh that a mesh of JAX's was made for; None if there is none."""
        return _by_sharding_mesh.get(mesh)

    def shape(self) -> list[int]:
        """The size of each dimension."""
        return list(self._ids.shape)

    @property
    def size(self) -> int:
        """How many devices there are."""
        return int(self._ids.size)

    @property
    def strides(self) -> list[int]:
        """How far apart neighbours along each dimension are."""
        return [math.prod(self._ids.shape[i + 1 :]) for i in range(self._ids.ndim)]

    def dim_size(self, dim_name: str) -> int:
        """The size of a dimension.

        Raises:
          ValueError: if there is no such dimension.
        """
        if dim_name not in self.dim_names:
            raise ValueError(f'"{dim_name}" not a dimension name in current mesh. Dimension names: {self.dim_names}.')
        return int(self._ids.shape[self.dim_names.index(dim_name)])

    def __getitem__(self, dim_name: str) -> MeshDimension:
        return MeshDimension(dim_name, self.dim_size(dim_name))

    def __contains__(self, dim_name: str) -> bool:
        return self.contains_dim(dim_name)

    def contains_dim(self, dim_name: str) -> bool:
        """Whether there is such a dimension."""
        return dim_name in self.dim_names

    def device_type(self) -> str:
        """The kind of the devices."""
        return str(DeviceSpec.from_string(self._devices[0]).device_type)

    def num_local_devices(self) -> int:
        """How many devices of this process there are."""
        return len(self._local_ids)

    def local_device_ids(self) -> list[int]:
        """The numbers of this process' devices."""
        return list(self._local_ids)

    def local_devices(self) -> list[str]:
        """Their names."""
        return list(self._devices)

    def global_devices(self) -> list[str]:
        """The names of other processes' devices, too: none, as there is one process."""
        return []

    def use_xla_spmd(self) -> bool:
        """Whether TensorFlow would leave it to XLA to spread programs."""
        return False

    def global_device_ids(self) -> np.ndarray:
        """The numbers of all devices, in the shape of the mesh."""
        return self._ids

    def local_device_locations(self) -> list[dict[str, int]]:
        """Where each device of this process stands, by dimension."""
        places = (np.unravel_index(i, self._ids.shape) for i in range(self._ids.size))
        return [dict(zip(self.dim_names, map(int, place), strict=True)) for place in places]

    def device_location(self, device_id: int) -> dict[str, int]:
        """Where the device of a number stands, by dimension."""
        return self.local_device_locations()[self.global_device_ids().ravel().tolist().index(device_id)]

    def min_global_device_id(self) -> int:
        """The smallest number of a device."""
        return int(self._ids.min())

    def is_single_device(self) -> bool:
        """Whether it stands for one device without a dimension: never."""
        return False

    def unravel_index(self) -> dict[int, dict[str, int]]:
        """Where the device of each place in the mesh stands, by dimension."""
        return dict(enumerate(self.local_device_locations()))

    def coords(self, device_idx: int) -> Any:
        """Where a device stands, as a tensor."""
        return convert(np.array(np.unravel_index(device_idx, self._ids.shape), np.int32))

    def host_mesh(self) -> Mesh:
        """A mesh of the same shape of CPUs."""
        names = [name.replace(f":{self.device_type()}:", ":CPU:") for name in self._devices]
        return Mesh(self.dim_names, self._ids, self._local_ids, names, self.name)

    def is_remote(self) -> bool:
        """Whether the devices are other processes': never."""
        return False

    def to_string(self) -> str:
        """A text that tells all of it."""
        sizes = ",".join(f"{name}={size}" for name, size in zip(self.dim_names, self._ids.shape, strict=True))
        numbers = ",".join(map(str, self._ids.ravel().tolist()))
        return f"{self.name}|{sizes}|{numbers}|{','.join(map(str, self._local_ids))}|{','.join(self._devices)}"

    @classmethod
    def from_string(cls, mesh_str: str) -> Mesh:
        """The mesh that `to_string` tells of.

        Raises:
          ValueError: if it does not tell of one.
        """
        parts = mesh_str.split("|")
        if len(parts) != 5:
            raise ValueError(f"Invalid mesh string: {mesh_str!r}")
        name, sizes, numbers, local, devices = parts
        pairs = [size.split("=") for size in sizes.split(",") if size]
        ids = np.array([int(n) for n in numbers.split(",")]).reshape([int(size) for _, size in pairs])
        return cls([n for n, _ in pairs], ids, [int(n) for n in local.split(",")], devices.split(","), name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mesh) and self.to_string() == other.to_string()

    def __hash__(self) -> int:
        return hash(self.to_string())

    def __repr__(self) -> str:
        return f"Mesh.from_string({self.to_string()})"


_BETWEEN = "|"
"""Stands in JAX's names of axes, which are those of dimensions in meshes that are JAX's alone."""

_by_sharding_mesh: dict[Any, Mesh] = {}


@check_meshes.fill
def _check_meshes(operation: str, shardings: Iterable[Any]) -> None:
    """Operands of an operation lie on one mesh, if on any.

    Raises:
      UnknownError: if they do not.
    """
    meshes = [getattr(sharding, "mesh", None) for sharding in shardings]
    found = list(dict.fromkeys([m for m in meshes if m is not None and any(_BETWEEN in str(n) for n in m.axis_names)]))
    if len(found) > 1:
        shown = " and ".join(str(dict(mesh.shape)) for mesh in found)
        raise UnknownError(
            None,
            None,
            f"{operation}: all operands must lie on the same mesh, and these lie on {shown} (devices may differ as well); "
            f"dtensor.copy_to_mesh brings one to the other's mesh [Op:{operation}]",
        )


def _full(name: Any) -> str:
    spec = name if isinstance(name, DeviceSpec) else DeviceSpec.from_string(str(name))
    return DeviceSpec("localhost", 0, 0, "CPU", 0).make_merged_spec(spec).to_string()


def _device(name: str) -> Any:
    spec = DeviceSpec.from_string(name)
    devices = jax.devices(str(spec.device_type).lower())
    number = spec.device_index or 0
    if number >= len(devices):
        raise ValueError(
            f"dtensor: JAX has {len(devices)} {spec.device_type} devices, and the mesh names {name}. Set their number before "
            "anything runs: tf.config.set_logical_device_configuration"
        )
    return devices[number]


def device_names(device_type: str | None) -> list[str]:
    """The names of the devices of a kind, or of GPUs or TPUs, or of CPUs where there are none.

    Raises:
      ValueError: if there are none of the kind.
    """
    kinds = [device_type.upper()] if device_type else ["TPU", "GPU", "CPU"]
    found = next((devices for kind in kinds if (devices := list_logical_devices(kind))), None)
    if found is None:
        raise ValueError(f"Device type {device_type} not found: this machine has {list_logical_devices()}")
    return [_full(device.name) for device in found]


@export("experimental.dtensor.create_mesh")
def create_mesh(
    mesh_dims: Any = None,
    mesh_name: str = "",
    devices: Sequence[str] | None = None,
    device_type: str | None = None,
    use_xla_spmd: bool = False,
) -> Mesh:
    """A mesh of this process' devices. Mirrors `tf.experimental.dtensor.create_mesh`.

    Args:
      mesh_dims: pairs of name and size, or a dictionary of them; one dimension `x` of all devices where None. A
        single one may have size -1, which is that of all devices too.
      mesh_name: its name.
      devices: names of devices; all of the kind where None.
      device_type: the kind; the machine's accelerators where None.
      use_xla_spmd: accepted: programs are always spread by XLA.

    Raises:
      ValueError: if there are more or fewer devices than places.
    """
    names = device_names(device_type) if devices is None else [_full(name) for name in devices]
    pairs = [("x", len(names))] if mesh_dims is None else _pairs(mesh_dims)
    shape = [int(size) for _, size in pairs]
    shape = [len(names)] if shape == [-1] else shape
    if math.prod(shape) != len(names):
        raise ValueError(f"length of devices ({len(names)}) must be equal to total size of the mesh of shape {shape}")
    ids = np.arange(len(names)).reshape(shape)
    return Mesh([str(name) for name, _ in pairs], ids, ids.ravel().tolist(), names, mesh_name)


@export("experimental.dtensor.create_distributed_mesh")
def create_distributed_mesh(
    mesh_dims: Any,
    mesh_name: str = "",
    local_devices: Sequence[str] | None = None,
    device_type: str | None = None,
    use_xla_spmd: bool = False,
) -> Mesh:
    """A mesh of all processes' devices: here, of this one's. Arguments as of `create_mesh`."""
    return create_mesh(mesh_dims, mesh_name, local_devices, device_type, use_xla_spmd)


def _pairs(mesh_dims: Any) -> list[tuple[str, int]]:
    return list(mesh_dims.items()) if isinstance(mesh_dims, Mapping) else [(name, size) for name, size in mesh_dims]
