"""`dtensor.Layout`: how a tensor lies on a mesh."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from tfgrad_jax.engine.names.export import export, export_value
from tfgrad_jax.lib.dtensor.mesh import Mesh

UNSHARDED = export_value("unsharded", "experimental.dtensor.UNSHARDED")
export_value("match", "experimental.dtensor.MATCH")


@export("experimental.dtensor.Layout")
class Layout:
    """Along which dimension of a mesh each dimension of a tensor is cut. Mirrors `tf.experimental.dtensor.Layout`.

    Args:
      sharding_specs: for each dimension the name of one of the mesh, or `UNSHARDED`.
      mesh: the mesh.

    Raises:
      ValueError: if a name is none, or there twice, or `mesh` is no mesh.
      TypeError: if `sharding_specs` is no list.
    """

    def __init__(self, sharding_specs: Sequence[str], mesh: Mesh) -> None:
        if not isinstance(mesh, Mesh):
            raise ValueError("mesh is not a valid Mesh object.")
        if isinstance(sharding_specs, str) or not isinstance(sharding_specs, Sequence):
            raise TypeError(f"dtensor.Layout: sharding_specs is a list of names, got {sharding_specs!r}")
        self.sharding_specs = list(sharding_specs)
        self.mesh = mesh
        named = [spec for spec in self.sharding_specs if spec != UNSHARDED]
        for spec in named:
            if not mesh.contains_dim(spec):
                raise ValueError(f"{spec}: A dimension sharding must either be a valid mesh dimension or UNSHARDED.")
            if named.count(spec) > 1:
                raise ValueError(
                    f"Mesh dimension {spec} was repeated in sharding specification {self.sharding_specs}. Mesh dimensions must "
                    "be unique in a layout."
                )

    @staticmethod
    def replicated(mesh: Mesh, rank: int) -> Layout:
        """Every device has the whole tensor."""
        return Layout([UNSHARDED] * rank, mesh)

    @staticmethod
    def batch_sharded(mesh: Mesh, batch_dim: str, rank: int, axis: int = 0) -> Layout:
        """One dimension of the tensor is cut."""
        specs = [UNSHARDED] * rank
        specs[axis] = batch_dim
        return Layout(specs, mesh)

    @staticmethod
    def inner_sharded(mesh: Mesh, inner_dim: str, rank: int) -> Layout:
        """The last dimension of the tensor is cut."""
        return Layout.batch_sharded(mesh, inner_dim, rank, rank - 1)

    @staticmethod
    def of_sharding(sharding: Any, rank: int) -> Layout | None:
        """The layout that a sharding of JAX's is; None if it is none."""
        if not isinstance(sharding, jax.sharding.NamedSharding):
            return None
        return _of(sharding.mesh, tuple(sharding.spec), rank)

    @functools.cached_property
    def sharding(self) -> jax.sharding.NamedSharding:
        """The same in JAX's words."""
        names = [None if spec == UNSHARDED else self.mesh.axis(spec) for spec in self.sharding_specs]
        return jax.sharding.NamedSharding(self.mesh.sharding_mesh, jax.sharding.PartitionSpec(*names))

    @property
    def rank(self) -> int:
        """How many dimensions there are."""
        return len(self.sharding_specs)

    @property
    def shape(self) -> list[int]:
        """The sizes of the mesh's dimensions, cut by them or not."""
        return self.mesh.shape()

    def num_shards(self, idx: int) -> int:
        """In how many parts a dimension is cut."""
        spec = self.sharding_specs[idx]
        return 1 if spec == UNSHARDED else self.mesh.dim_size(spec)

    def is_fully_replicated(self) -> bool:
        """Whether no dimension is cut."""
        return all(self.num_shards(i) == 1 for i in range(self.rank))

    def is_batch_parallel(self) -> bool:
        """Whether the first dimension alone is cut."""
        return self.rank > 0 and all(spec == UNSHARDED for spec in self.sharding_specs[1:])

    def delete(self, dims: Sequence[int]) -> Layout:
        """The layout without some dimensions."""
        return Layout([spec for i, spec in enumerate(self.sharding_specs) if i not in dims], self.mesh)

    def global_shape_from_local_shape(self, local_shape: Sequence[int]) -> tuple[int, ...]:
        """The shape of a tensor of which each device has a part of a shape.

        Raises:
          ValueError: if it has another rank than the layout.
          TypeError: if a size is not known.
        """
        return tuple([size * self.num_shards(i) for i, size in enumerate(self._sizes(local_shape))])

    def local_shape_from_global_shape(self, global_shape: Sequence[int]) -> tuple[int, ...]:
        """The shape of the part that each device has of a tensor of a shape; what is left over counts for none of them.

        Raises:
          ValueError: if it has another rank than the layout.
          TypeError: if a size is not known.
        """
        return tuple([size // self.num_shards(i) for i, size in enumerate(self._sizes(global_shape))])

    def _sizes(self, shape: Sequence[int]) -> list[int]:
        sizes = list(shape)
        if len(sizes) != self.rank:
            raise ValueError(f"dtensor.Layout: the shape {sizes} has {len(sizes)} dimensions, the layout {self.rank}")
        if None in sizes:
            raise TypeError(f"dtensor.Layout: every size must be known, got the shape {sizes}")
        return sizes

    def offset_to_shard(self) -> list[tuple[int, ...]]:
        """Which part each device has, by dimension."""
        return [
            tuple([0 if spec == UNSHARDED else place[spec] for spec in self.sharding_specs])
            for place in self.mesh.local_device_locations()
        ]

    def to_string(self) -> str:
        """A text that tells all of it."""
        specs = ",".join(self.sharding_specs)
        return f"sharding_specs:{specs}{',' if specs else ''} mesh:{self.mesh.to_string()}"

    @classmethod
    def from_string(cls, layout_str: str) -> Layout:
        """The layout that `to_string` tells of.

        Raises:
          ValueError: if it does not tell of one.
        """
        specs, found, mesh = layout_str.removeprefix("sharding_specs:").partition(" mesh:")
        if not found:
            raise ValueError(f"Invalid layout string: {layout_str!r}")
        return cls([spec for spec in specs.split(",") if spec], Mesh.from_string(mesh))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Layout) and self.to_string() == other.to_string()

    def __hash__(self) -> int:
        return hash(self.to_string())

    def __repr__(self) -> str:
        return f"Layout.from_string({self.to_string()})"


def _of(mesh: Any, spec: tuple[Any, ...], rank: int) -> Layout:
    parts = [part[0] if isinstance(part, tuple) and part else part or UNSHARDED for part in spec]
    parts += [UNSHARDED] * (rank - len(parts))
    found = Mesh.of_sharding_mesh(mesh)
    if found is not None:
        dims = {found.axis(name): name for name in found.dim_names}
        return Layout([dims.get(part, part) for part in parts], found)
    names = [f"{device.platform.upper()}:{device.id}" for device in mesh.devices.ravel()]
    ids = list(range(len(names)))
    shape = mesh.devices.shape
    return Layout(parts, Mesh(mesh.axis_names, _grid(ids, shape), ids, names))


def _grid(ids: list[int], shape: tuple[int, ...]) -> Any:
    return np.array(ids).reshape(shape)
