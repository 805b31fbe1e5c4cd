"""Values of several replicas: `PerReplica` and `Mirrored`, and how nests of them are taken apart and put together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from tfgrad_jax.engine.graph.operation import Operation
from tfgrad_jax.engine.graph.waiting import waiting_for
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.values import nest
from tfgrad_jax.engine.values.composite import Composite, CompositeSpec, is_composite, spec_of
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.specs import TensorSpec, TypeSpec
from tfgrad_jax.lib.distribute.contexts import here
from tfgrad_jax.ops.array.creation import identity
from tfgrad_jax.ops.control.control_flow import control_dependencies


@export("distribute.DistributedValues")
class DistributedValues:
    """Base class of what has a value for each replica. Mirrors `tf.distribute.DistributedValues`."""

    values: tuple[Any, ...]
    """The value of each replica of this process."""

    @property
    def _values(self) -> tuple[Any, ...]:
        """`values`, under the name by which libraries take them."""
        return self.values

    def __repr__(self) -> str:
        return self._shown(repr)

    def __str__(self) -> str:
        return self._shown(str)

    def _shown(self, show: Callable[[Any], str]) -> str:
        shown = ",\n".join(f"  {i}: {show(value)}" for i, value in enumerate(self.values))
        return f"{type(self).__name__}:{{\n{shown}\n}}"


@export("types.experimental.distributed.PerReplica")
class PerReplica(DistributedValues, Composite):
    """A value for each replica, such as what `tf.distribute.Strategy.run` returns.

    Args:
      values: the values.
    """

    def __init__(self, values: Sequence[Any]) -> None:
        self.values = tuple(values)

    @property
    def _type_spec(self) -> PerReplicaSpec:
        return PerReplicaSpec(*[_spec(value) for value in self.values])

    def __tf_tensor__(self, dtype: Any, name: Any) -> Any:
        if not here.open or here.open[-1][1] is None:
            raise ValueError(
                "It looks like you are using a PerReplica object while not inside a replica context, which is not supported. "
                "Try running your op or function inside a replica context by using `strategy.run`"
            )
        return convert(self.values[here.open[-1][1].number], dtype)


class PerReplicaSpec(CompositeSpec):
    """The type of a `PerReplica`.

    Args:
      *value_specs: the type of each value.
    """

    def __init__(self, *value_specs: TypeSpec) -> None:
        self._value_specs = tuple(value_specs)

    @property
    def value_type(self) -> Any:
        return PerReplica

    def _serialize(self) -> tuple[Any, ...]:
        return self._value_specs

    @property
    def _component_specs(self) -> Any:
        return self._value_specs

    def _to_components(self, value: Any) -> Any:
        return value.values

    def _from_components(self, components: Any) -> Any:
        return PerReplica(components)

    def __repr__(self) -> str:
        return f"PerReplicaSpec({', '.join(map(repr, self._value_specs))})"


def _spec(value: Any) -> Any:
    if is_composite(value):
        return spec_of(value)
    tensor = convert(value)
    return TensorSpec(tensor.shape, tensor.dtype)


@export("types.experimental.distributed.Mirrored")
class Mirrored(DistributedValues):
    """A value that all replicas have a copy of; it acts as the copy of where it is used.

    Args:
      values: the copies.
    """

    _is_tensor_type = True

    def __init__(self, values: Sequence[Any]) -> None:
        self.values = tuple(values)

    @property
    def here(self) -> Any:
        """The copy of the replica that runs; the first where none does."""
        number = here.updating
        if number is None:
            number = here.open[-1][1].number if here.open and here.open[-1][1] is not None else 0
        return self.values[number]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.here, name)

    def __tf_tensor__(self, dtype: Any, name: Any) -> Any:
        return convert(self.here, dtype)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self.here.__array__(dtype, copy)

    def _as_graph_element(self) -> Any:
        """What a session is to run: all copies, of which it shows one."""
        if isinstance(self.here, Operation):
            return waiting_for(self.values, "group_deps")
        with control_dependencies(self.values):
            return identity(convert(self.here))


def selected(number: int, structure: Any) -> Any:
    """A nest with one replica's part of each value in it; variables stay whole, as they know where they are used."""

    def part(leaf: Any) -> Any:
        return leaf if isinstance(leaf, Variable) or not isinstance(leaf, DistributedValues) else leaf.values[number]

    return nest.map_structure(part, structure)


def local_results(structure: Any, count: int) -> tuple[Any, ...]:
    """A nest for each replica, or a tuple of what is no nest and not distributed."""
    if not nest.is_nested(structure) and not isinstance(structure, DistributedValues):
        return (structure,)
    return tuple([nest.map_structure(partial(_part, i), structure) for i in range(count)])


def _part(number: int, leaf: Any) -> Any:
    return leaf.values[number] if isinstance(leaf, DistributedValues) else leaf


def regrouped(values: Sequence[Any], wrap: Callable[[Sequence[Any]], Any] = PerReplica, always: bool = False) -> Any:
    """One nest of the replicas' nests.

    Args:
      values: the nests.
      wrap: makes a value of those that replicas have in one place.
      always: whether it does so where all have the same object, or there is one replica, too.

    Raises:
      AssertionError: if the nests have different structures.
    """
    first = values[0]
    if len(values) == 1 and not always:
        return first
    if nest.is_nested(first):
        if not all(_alike(value, first) for value in values):
            raise AssertionError(f"the replicas' values have different structures: {', '.join(map(repr, values))}")
        parts = zip(*map(nest.children_of, values), strict=True)
        return nest.like(first, [regrouped(part, wrap, always) for part in parts])
    container = getattr(first, "_distributed_container", None)
    if container is not None and all(value is copy for value, copy in zip(values, container().values, strict=False)):
        return container()
    return first if not always and all(value is first for value in values) else wrap(values)


def _alike(value: Any, first: Any) -> bool:
    """Whether two nests have the same children."""
    if not nest.is_nested(value) or len(nest.children_of(value)) != len(nest.children_of(first)):
        return False
    return not isinstance(first, Mapping) or (isinstance(value, Mapping) and value.keys() == first.keys())
