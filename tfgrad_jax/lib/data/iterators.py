"""Iterators of datasets: Python's, and as values inside functions; `tf.experimental.Optional`."""

from __future__ import annotations

from collections.abc import Iterator as PythonIterator
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from tfgrad_jax.engine.graph.graph import SymbolicTensor
from tfgrad_jax.engine.messages.errors import DataLossError, NotFoundError, OutOfRangeError, invalid_argument
from tfgrad_jax.engine.names.export import export, export_value
from tfgrad_jax.engine.state.trackable import Saveable, SaveSpec, Trackable
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.composite import Composite, CompositeSpec
from tfgrad_jax.engine.values.specs import TensorSpec
from tfgrad_jax.engine.values.tensor import EagerTensor, Spec, Tensor
from tfgrad_jax.lib.data.base import BaseDataset, host_operation
from tfgrad_jax.lib.data.nodes.buffering import Prefetch
from tfgrad_jax.lib.data.nodes.elementwise import WithOptions
from tfgrad_jax.lib.data.nodes.node import Element, Node, Run, boxed, closing, handle, unboxed
from tfgrad_jax.lib.data.structure import Structure, arrays_of, check_compatible, taken_apart
from tfgrad_jax.lib.data.version1 import Advancing
from tfgrad_jax.ops.io.wire import varint, varints


class Position:
    """Where an iteration stands: what iterators share that are passed into functions and out of them."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self._begin(Run(node.options))

    def _begin(self, run: Run) -> None:
        self._run = run
        self._taken = 0
        self._elements: PythonIterator[Element] = self.node.iterate(run)
        self._ahead: list[Element] = []
        closing(self, run)

    def next(self) -> Element:
        """The next element."""
        element = self._ahead.pop() if self._ahead else next(self._elements)
        self._taken += 1
        return element

    @property
    def state(self) -> bytes:
        """How another iteration over a like dataset gets here: how many elements were taken, all seeds, where they come from."""
        seeds = self._run.seeds
        sources = [n for source in self.node.sources() for n in source.state]
        numbers = [self._taken, len(seeds), *[n for pair, source in seeds for n in (*pair, *source)], *sources]
        return _STATE + _kinds(self.node) + b"\0" + b"".join(map(varint, numbers))

    def restore(self, state: bytes) -> None:
        """Go where another iteration was.

        Raises:
          DataLossError: if the state makes no sense.
          NotFoundError: if it belongs to another dataset.
        """
        kinds, _, rest = state.removeprefix(_STATE).partition(b"\0")
        if state.startswith(_STATE) and kinds != _kinds(self.node):
            raise NotFoundError(
                None, None,
                f"The position of an iterator belongs to another dataset: it was saved of {kinds.decode(errors='replace')}, and is "
                f"restored into {_kinds(self.node).decode()}",
            )  # fmt: skip
        numbers = varints(rest).view(np.uint64).tolist() if state.startswith(_STATE) else _without_kinds(state)
        sources, end = self.node.sources(), 2 + 5 * (numbers[1] if len(numbers) > 1 else 0)
        if not numbers or len(numbers) != end + 3 * len(sources):
            raise DataLossError(None, None, "The state of an iterator makes no sense, or belongs to another dataset")
        seeds = [((a, b), (c, d, n)) for a, b, c, d, n in zip(*[iter(numbers[2:end])] * 5)]
        self._run.close()
        for source, a, b, n in zip(sources, numbers[end::3], numbers[end + 1 :: 3], numbers[end + 2 :: 3], strict=True):
            source.continue_from((a, b, n))
        self._begin(Run(self.node.options, seeds))
        for _ in zip(range(numbers[0]), self._elements):
            self._taken += 1

    def has_next(self) -> bool:
        """Whether there is one."""
        if not self._ahead:
            try:
                self._ahead.append(next(self._elements))
            except StopIteration:
                return False
        return True


_STATE = b"tfgrad_jax iterator 3\0"
"""What the states of iterators begin with."""

_WITHOUT_KINDS = b"tfgrad_jax iterator 2\0"
"""What they began with when they did not tell of what dataset they were."""


def _kinds(node: Node) -> bytes:
    """What sources and transformations a dataset consists of, but for those that change neither elements nor their order."""
    own = () if isinstance(node, (Prefetch, WithOptions)) else (type(node).label.encode(),)
    return b" ".join([*own, *map(_kinds, node.inputs)])


def _without_kinds(state: bytes) -> list[int]:
    rest = state.removeprefix(_WITHOUT_KINDS)
    return varints(rest).view(np.uint64).tolist() if rest != state else []


_RESOURCE = Spec.of(dtypes.resource, ())
_VARIANT = Spec.of(dtypes.variant, ())
_BOOL = Spec.of(dtypes.bool_, ())


_MANY = 2_000
"""So many elements may one trace ask for one by one."""


@export("data.Iterator")
class Iterator:
    """For `isinstance` checks: the iterators of datasets. Mirrors `tf.data.Iterator`."""


@export("python.data.ops.iterator_ops.OwnedIterator")
class OwnedIterator(Advancing, Iterator, Trackable, Composite):
    """An iterator of a dataset.

    Args:
      dataset: the dataset; or else a list of the tensor that stands for where it is, as `components`, and the type of the elements
        or their structure, as `element_spec`.

    Raises:
      ValueError: if neither a dataset nor the other two are given, or all of them.
    """

    def __init__(
        self, dataset: BaseDataset | None = None, components: Sequence[Tensor] | None = None, element_spec: Any = None
    ) -> None:
        if dataset is not None:
            if components or element_spec:
                raise ValueError("When `dataset` is provided, `element_spec` and `components` must not be specified.")
            components, element_spec = [_beginning(dataset)], dataset.structure
        elif components is None or element_spec is None:
            raise ValueError("When `dataset` is not provided, both `components` and `element_spec` must be specified.")
        self._structure = element_spec if isinstance(element_spec, Structure) else Structure(element_spec)
        self._position, self._dataset = components[0], dataset
        self._asked = 0

    @property
    def element_spec(self) -> Any:
        """The type of the elements."""
        return self._structure.spec

    @property
    def _type_spec(self) -> IteratorSpec:
        return IteratorSpec(self.element_spec)

    @property
    def position(self) -> Tensor:
        """The tensor that stands for where it is."""
        return self._position

    def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
        def specs(name: str) -> list[SaveSpec]:
            return [SaveSpec(lambda: unboxed(self._position).state, name + "_STATE", dtypes.string)]

        return {"ITERATOR": partial(Saveable, specs, lambda found: unboxed(self._position).restore(found[0].numpy()))}

    def __iter__(self) -> OwnedIterator:
        return self

    def __next__(self) -> Any:
        if context.graph is not None:
            self._asked += 1
            # A function that is not converted would ask for ever: no end is known while it is traced.
            if self._asked > _MANY:
                raise ValueError(
                    f"An unusually high number of elements, {self._asked}, was asked for in one trace: `for x in dataset` works "
                    f"in a tf.function only where AutoGraph converts it. Leave out autograph=False or do_not_convert, or use "
                    f"tf.while_loop and get_next_as_optional."
                )
            return self.get_next()
        return self._structure.element(unboxed(self._position).next())

    def get_next(self) -> Any:
        """The next element.

        Raises:
          OutOfRangeError: if there is none.
        """
        if context.graph is None:
            try:
                return self.__next__()
            except StopIteration:
                raise OutOfRangeError(None, None, "End of sequence [Op:IteratorGetNext] name: ") from None
        return self._structure.pack(
            host_operation("IteratorGetNext", self._advance, open_specs(self._structure), [self._position])
        )

    def _advance(self, given: Sequence[Tensor]) -> list[Tensor]:
        try:
            return self._structure.tensors(unboxed(given[0]).next())
        except StopIteration:
            raise OutOfRangeError(None, None, "End of sequence [Op:IteratorGetNext] name: ") from None

    def get_next_as_optional(self) -> Optional:
        """The next element as a `tf.experimental.Optional`, which is empty at the end."""

        def advance(given: Sequence[Tensor]) -> list[Tensor]:
            try:
                return [handle(unboxed(given[0]).next())]
            except StopIteration:
                return [handle(None)]

        if context.graph is None:
            (value,) = advance([self._position])
        else:
            (value,) = host_operation("IteratorGetNextAsOptional", advance, [_VARIANT], [self._position])
        return Optional.of(self._structure, value)

    def has_next(self) -> Tensor:
        """Whether there is another element, which may be made to find out."""

        def ask(given: Sequence[Tensor]) -> list[Tensor]:
            return [EagerTensor(np.array(unboxed(given[0]).has_next()))]

        if context.graph is None:
            return ask([self._position])[0]
        return host_operation("IteratorHasNext", ask, [_BOOL], [self._position])[0]


def open_specs(structure: Structure) -> list[Spec]:
    """The types of the components, as graphs know them."""
    return [Spec.open(s.dtype, s.shape) for s in structure.flat]


@export("data.IteratorSpec")
class IteratorSpec(CompositeSpec):
    """The type of an iterator. Mirrors `tf.data.IteratorSpec`.

    Args:
      element_spec: a nest of `tf.TypeSpec`s.
    """

    describes_others = True

    def __init__(self, element_spec: Any) -> None:
        self._element_spec = element_spec

    @property
    def value_type(self) -> Any:
        return OwnedIterator

    def _serialize(self) -> tuple[Any, ...]:
        return (self._element_spec,)

    @property
    def _component_specs(self) -> Any:
        return (TensorSpec([], dtypes.resource),)

    def _to_components(self, value: Any) -> Any:
        return (value.position,)

    def _from_components(self, components: Any) -> Any:
        return OwnedIterator(components=components, element_spec=self._element_spec)

    @classmethod
    def from_value(cls, value: Any) -> IteratorSpec:
        """The type of an iterator."""
        return cls(value.element_spec)


def iterator_of(dataset: BaseDataset) -> OwnedIterator:
    """A new iterator; in a graph, one that is made whenever that runs."""
    if context.graph is not None and context.graph.on_demand:
        raise RuntimeError(
            "`tf.data.Dataset.__iter__` works eagerly and in a tf.function: a graph that sessions run has "
            "tf.compat.v1.data.make_one_shot_iterator"
        )
    return OwnedIterator(dataset)


def _beginning(dataset: BaseDataset) -> Tensor:
    """The tensor that stands for the place before the first element."""
    variant = dataset._variant_tensor
    if context.graph is None and not isinstance(variant, SymbolicTensor):
        return EagerTensor(boxed(Position(dataset.node)), _RESOURCE)

    def start(given: Sequence[Tensor]) -> list[Tensor]:
        return [EagerTensor(boxed(Position(unboxed(given[0]))), _RESOURCE)]

    (position,) = host_operation("MakeIterator", start, [_RESOURCE], [variant])
    return position


@export("experimental.Optional")
class Optional(Composite):
    """A value that may be missing. Mirrors `tf.experimental.Optional`; made by `from_value` and `empty`."""

    _structure: Structure
    _value: Tensor

    @staticmethod
    def of(structure: Structure, value: Tensor) -> Optional:
        """The optional that a tensor stands for."""
        found = Optional.__new__(Optional)
        found._structure = structure
        found._value = value
        return found

    @staticmethod
    def from_value(value: Any) -> Optional:
        """An optional with this value, a nest.

        Raises:
          TypeError: if something in it is no tensor, and becomes none.
        """
        try:
            spec, tensors = taken_apart(value)
        except ValueError as error:
            raise TypeError(f"tf.experimental.Optional.from_value: {error}") from error

        def make(given: Sequence[Tensor]) -> list[Tensor]:
            return [handle(arrays_of(given))]

        if context.graph is None:
            return Optional.of(Structure(spec), make(tensors)[0])
        return Optional.of(Structure(spec), host_operation("OptionalFromValue", make, [_VARIANT], tensors)[0])

    @staticmethod
    def empty(element_spec: Any) -> Optional:
        """An optional without value, whose type may be None: `_element_spec` tells it later then, as programs do in a loop."""
        return Optional.of(Structure(element_spec), handle(None))

    def has_value(self, name: str | None = None) -> Tensor:
        """Whether there is a value, a boolean scalar."""

        def ask(given: Sequence[Tensor]) -> list[Tensor]:
            return [EagerTensor(np.array(unboxed(given[0]) is not None))]

        if context.graph is None:
            return ask([self._value])[0]
        return host_operation("OptionalHasValue", ask, [_BOOL], [self._value])[0]

    def get_value(self, name: str | None = None) -> Any:
        """The value.

        Raises:
          InvalidArgumentError: if there is none.
        """

        def get(given: Sequence[Tensor]) -> list[Tensor]:
            arrays = unboxed(given[0])
            if arrays is None:
                raise invalid_argument("The given optional does not have a value.", "OptionalGetValue")
            return self._structure.tensors(arrays)

        if context.graph is None:
            return self._structure.pack(get([self._value]))
        return self._structure.pack(host_operation("OptionalGetValue", get, open_specs(self._structure), [self._value]))

    @property
    def element_spec(self) -> Any:
        """The type of the value."""
        return self._structure.spec

    @property
    def _element_spec(self) -> Any:
        return self._structure.spec

    @_element_spec.setter
    def _element_spec(self, spec: Any) -> None:
        if self._structure.spec is not None:
            check_compatible(spec, self._structure.spec, "Optional")
        self._structure = Structure(spec)

    @property
    def value_tensor(self) -> Tensor:
        """The tensor that stands for it."""
        return self._value

    @property
    def _type_spec(self) -> OptionalSpec:
        return OptionalSpec(self._structure.spec)


@export("OptionalSpec", "data.experimental.OptionalStructure")
class OptionalSpec(CompositeSpec):
    """The type of an optional. Mirrors `tf.OptionalSpec`.

    Args:
      element_spec: the type of the value.
    """

    describes_others = True

    def __init__(self, element_spec: Any) -> None:
        self._element_spec = element_spec

    @property
    def value_type(self) -> Any:
        return Optional

    def _serialize(self) -> tuple[Any, ...]:
        return (self._element_spec,)

    @property
    def _component_specs(self) -> Any:
        return (TensorSpec([], dtypes.variant),)

    def _to_components(self, value: Any) -> Any:
        return (value.value_tensor,)

    def _from_components(self, components: Any) -> Any:
        return Optional.of(Structure(self._element_spec), components[0])

    @classmethod
    def from_value(cls, value: Any) -> OptionalSpec:
        """The type of an optional."""
        return cls(value.element_spec)


export_value(Optional, "data.experimental.Optional")
