"""`dtensor.DTensorDataset`: the batches of a dataset as tensors on a mesh."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import nest
from tfgrad_jax.lib.data.dataset import DatasetV2
from tfgrad_jax.lib.dtensor.layout import Layout
from tfgrad_jax.lib.dtensor.mesh import Mesh
from tfgrad_jax.lib.dtensor.tensors import copy_to_mesh
from tfgrad_jax.ops.array.shape import reshape


@export("dtensor.python.input_util.TFDataServiceConfig")
@dataclasses.dataclass
class TFDataServiceConfig:
    """Where a service of datasets runs, of which there is none here.

    Attributes:
      dispatcher_address: its address.
      job_name: the name of the job.
    """

    dispatcher_address: str
    job_name: str


class _DTensorIterator:
    """An iterator whose elements lie on a mesh.

    Args:
      iterator: of elements that do not.
      layouts: how they are to lie.
      element_spec: their type.
    """

    def __init__(self, iterator: Any, layouts: Any, element_spec: Any) -> None:
        self._iterator = iterator
        self._layouts = layouts
        self.element_spec = element_spec

    def __iter__(self) -> _DTensorIterator:
        return self

    def __next__(self) -> Any:
        return nest.map_structure(copy_to_mesh, next(self._iterator), self._layouts)

    def get_next(self) -> Any:
        """The next element."""
        return nest.map_structure(copy_to_mesh, self._iterator.get_next(), self._layouts)


@export("experimental.dtensor.DTensorDataset")
class DTensorDataset(DatasetV2):
    """The batches of a dataset, each spread over a mesh. Mirrors `tf.experimental.dtensor.DTensorDataset`.

    Args:
      dataset: a dataset of single elements, or of batches for one replica.
      mesh: the mesh.
      layouts: a nest as of the elements: how each tensor of a batch is to lie.
      global_batch_size: how many elements a batch of all replicas has.
      dataset_already_batched: whether it is a dataset of batches.
      batch_dim: the dimension of the mesh along which batches are cut; None if they are not.
      prefetch: how many batches are made ahead.
      tf_data_service_config: None, as there is no such service.

    Raises:
      ValueError: if layouts and elements do not fit.
      TypeError: if their structures differ in kind.
      NotImplementedError: for a service.
    """

    def __init__(
        self,
        dataset: DatasetV2,
        *,
        mesh: Mesh,
        layouts: Any,
        global_batch_size: int,
        dataset_already_batched: bool = False,
        batch_dim: str | None = None,
        prefetch: int | None = None,
        tf_data_service_config: TFDataServiceConfig | None = None,
    ) -> None:
        if tf_data_service_config is not None:
            raise NotImplementedError(
                "tf.experimental.dtensor.DTensorDataset: there is no service of datasets here, so tf_data_service_config must "
                "be None; each process reads its own dataset"
            )
        nest.assert_same_structure(dataset.element_spec, layouts)
        flat_layouts, specs = nest.flatten(layouts), nest.flatten(dataset.element_spec)
        replicas = mesh.dim_size(batch_dim) if batch_dim else 1
        for layout in flat_layouts if batch_dim else ():
            if layout.sharding_specs[0] != batch_dim:
                raise ValueError(
                    f"batch_dim {batch_dim} was specified but at least one layout did not contain it: {layout}"
                )
        _check(flat_layouts, specs, dataset_already_batched)
        if dataset_already_batched:
            own = specs[0].shape[0]
            if own != global_batch_size // replicas:
                raise ValueError(
                    f"per_replica_batch_size does not matched expected size based on the mesh, got {own} but expected "
                    f"{global_batch_size // replicas}."
                )
            batches: DatasetV2 = dataset.batch(replicas, drop_remainder=True).map(_joined)
        else:
            batches = dataset.batch(global_batch_size // replicas * replicas, drop_remainder=True)
        super().__init__((batches if prefetch is None else batches.prefetch(prefetch))._variant_tensor)
        self._layouts = layouts

    def __iter__(self) -> Any:
        return _DTensorIterator(super().__iter__(), self._layouts, self.element_spec)


def _joined(*element: Any) -> Any:
    """Batches of several replicas as one."""
    found = nest.map_structure(lambda x: reshape(x, [-1, *x.shape[2:]]), element)
    return found if len(found) > 1 else found[0]


def _check(layouts: Sequence[Layout], specs: Sequence[Any], batched: bool) -> None:
    """That batches of such elements can lie so.

    Raises:
      ValueError: if not.
    """
    if not specs:
        raise ValueError("Expected input element spec of at least one element, was empty.")
    for layout, spec in zip(layouts, specs, strict=True):
        if spec.shape.rank is None:
            raise ValueError(f"Dataset element shape must have a valid rank, got spec {spec}.")
        if layout.rank != spec.shape.rank + (not batched):
            raise ValueError(
                f"Expected layout with rank {spec.shape.rank + (not batched)} for element spec {spec}, got layout "
                f"{layout.sharding_specs}. Batches are made by DTensorDataset unless dataset_already_batched=True says that "
                "the dataset has them."
            )
        if batched and specs[0].shape[0] is None:
            raise ValueError(
                f"Size of batch dimension of element spec {spec} is None: make the batches with drop_remainder=True"
            )
        if batched and spec.shape[0] != specs[0].shape[0]:
            raise ValueError(
                f"Size of batch dimension of element spec {spec} does not match expected size {specs[0].shape[0]}."
            )
