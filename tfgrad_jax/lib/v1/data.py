"""`tf.compat.v1.data`'s functions of datasets and iterators."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.effects import with_eager_context
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values import nest
from tfgrad_jax.engine.values.symbolic import SymbolicTensor


@export("compat.v1.data.make_one_shot_iterator")
def make_one_shot_iterator(dataset: Any) -> Any:
    """An iterator of a dataset, with `get_next`. Mirrors `tf.compat.v1.data.make_one_shot_iterator`."""
    graph = context.graph
    if graph is None or not graph.on_demand:
        return iter(dataset)
    if isinstance(nest.flatten(dataset, expand_composites=True)[0], SymbolicTensor):
        raise NotImplementedError(
            "tf.compat.v1.data.make_one_shot_iterator: the dataset is made of tensors of a graph, which have no values before a "
            "session runs; make it of arrays"
        )
    return with_eager_context(lambda: iter(dataset))  # one for all runs


@export("compat.v1.data.make_initializable_iterator")
def make_initializable_iterator(dataset: Any, shared_name: str | None = None) -> Any:
    """Mirrors `tf.compat.v1.data.make_initializable_iterator`, which is for sessions.

    Raises:
      NotImplementedError: in a graph that sessions run.
      RuntimeError: elsewhere.
    """
    if context.graph is not None and context.graph.on_demand:
        raise NotImplementedError(
            "tf.compat.v1.data.make_initializable_iterator: iterators do not begin anew here; use make_one_shot_iterator"
        )
    raise RuntimeError(
        "tf.compat.v1.data.make_initializable_iterator is not supported in eager mode: use iter(dataset), or a for loop"
    )


def _of_specs(dataset_or_iterator: Any, attribute: str) -> Any:
    return nest.map_structure(lambda spec: getattr(spec, attribute), dataset_or_iterator.element_spec)


@export("compat.v1.data.get_output_shapes")
def get_output_shapes(dataset_or_iterator: Any) -> Any:
    """The shapes of elements. Mirrors `tf.compat.v1.data.get_output_shapes`."""
    return _of_specs(dataset_or_iterator, "shape")


@export("compat.v1.data.get_output_types")
def get_output_types(dataset_or_iterator: Any) -> Any:
    """The dtypes of elements. Mirrors `tf.compat.v1.data.get_output_types`."""
    return _of_specs(dataset_or_iterator, "dtype")


@export("compat.v1.data.get_output_classes")
def get_output_classes(dataset_or_iterator: Any) -> Any:
    """The classes of elements. Mirrors `tf.compat.v1.data.get_output_classes`."""
    return _of_specs(dataset_or_iterator, "value_type")
