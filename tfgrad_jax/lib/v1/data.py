"""`tf.compat.v1.data`'s functions of datasets, and iterators of graphs: a session says when one begins, and takes elements."""

from __future__ import annotations

import itertools
import weakref
from typing import Any

import numpy as np

from tfgrad_jax.engine.hooks import dataset_of_version1, evaluated
from tfgrad_jax.engine.messages.errors import FailedPreconditionError, OutOfRangeError
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.eager import recording_for_sessions
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values import dtypes, nest
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.specs import TensorSpec
from tfgrad_jax.engine.values.symbolic import SymbolicTensor
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.data.iterators import Iterator as AnyIterator
from tfgrad_jax.lib.data.iterators import Position, open_specs
from tfgrad_jax.lib.data.nodes.node import unboxed
from tfgrad_jax.lib.data.structure import Structure

_numbers = itertools.count()
_by_handle: weakref.WeakValueDictionary[bytes, Iterator] = weakref.WeakValueDictionary()


@export("compat.v1.data.Iterator")
class Iterator(AnyIterator):
    """An iterator in a graph. Mirrors `tf.compat.v1.data.Iterator`; made by functions, not by its constructor.

    Args:
      structure: of the elements.
      handle: a tensor of strings that says which iterator is meant; this one where None.
    """

    def __init__(self, structure: Structure, handle: Any = None) -> None:
        self._structure = structure
        self._given = handle
        self._handle = f"tfgrad_jax iterator {next(_numbers)}".encode()
        self._now: Position | None = None
        self._begin: Any = None
        self._initializer: Any = None
        _by_handle[self._handle] = self

    @classmethod
    def of(cls, dataset: Any, at_once: bool) -> Iterator:
        """The iterator of a dataset: which begins with the first element, or whenever its initializer runs."""
        found = cls(dataset.structure)
        if at_once:
            graph, variant = context.graph, _variant(dataset)
            found._begin = lambda: evaluated(graph, variant, {}) if isinstance(variant, SymbolicTensor) else variant
        else:
            found._initializer = found.make_initializer(dataset)
        return found

    @classmethod
    def from_structure(
        cls, output_types: Any, output_shapes: Any = None, shared_name: Any = None, output_classes: Any = None
    ) -> Iterator:
        """An iterator without dataset: `make_initializer` gives it one.

        Args:
          output_types, output_shapes: nests of dtypes and of shapes; all shapes where None.
          shared_name, output_classes: accepted for compatibility; elements consist of tensors.
        """
        return cls(Structure(_spec_of(output_types, output_shapes)))

    @classmethod
    def from_string_handle(
        cls, string_handle: Any, output_types: Any, output_shapes: Any = None, output_classes: Any = None
    ) -> Iterator:
        """Whichever iterator a string names when elements are taken; see `from_structure`."""
        return cls(Structure(_spec_of(output_types, output_shapes)), convert(string_handle, dtypes.string))

    @property
    def initializer(self) -> Any:
        """The operation that lets it begin anew.

        Raises:
          ValueError: if it needs none, or has no dataset.
        """
        if self._initializer is None:
            raise ValueError("Iterator does not have an initializer.")
        return self._initializer

    def make_initializer(self, dataset: Any, name: str | None = None) -> Any:
        """The operation that lets it begin with a dataset.

        Raises:
          TypeError: if that has other elements.
        """
        mine, theirs = self._structure.spec, dataset.element_spec
        nest.assert_same_structure(mine, theirs)
        for one, other in zip(nest.flatten(mine), nest.flatten(theirs)):
            if not one.is_compatible_with(other):
                raise TypeError(f"Expected output types {mine!r} but got dataset with output types {theirs!r}.")

        def start(variant: Tensor) -> None:
            self._now = Position(unboxed(variant))

        graph: Any = context.graph
        return graph.act("MakeIterator", start, [_variant(dataset)], (), name)[0]

    def _next(self) -> list[Tensor]:
        if self._now is None and self._begin is not None:
            self._now = Position(unboxed(self._begin()))
        if self._now is None:
            raise FailedPreconditionError(
                None, None, "GetNext() failed because the iterator has not been initialized. Ensure that you have run "
                "the initializer operation for this iterator before getting the next element.",
            )  # fmt: skip
        try:
            return self._structure.tensors(self._now.next())
        except StopIteration:
            raise OutOfRangeError(None, None, "End of sequence") from None

    def get_next(self, name: str | None = None) -> Any:
        """The next element, whenever a session asks for it.

        Raises:
          OutOfRangeError: in a session, if there is none.
          FailedPreconditionError: in a session, if it did not begin.
        """

        def take(*handle: Tensor) -> list[Tensor]:
            return _named(np.asarray(handle[0]).item() if handle else self._handle)._next()

        graph: Any = context.graph
        operands = [] if self._given is None else [self._given]
        return self._structure.pack(graph.act("IteratorGetNext", take, operands, open_specs(self._structure), name)[1])

    def string_handle(self, name: str | None = None) -> Tensor:
        """A string that names it."""
        return convert(self._handle, dtypes.string) if self._given is None else self._given

    @property
    def element_spec(self) -> Any:
        """The type of the elements."""
        return self._structure.spec

    @property
    def output_types(self) -> Any:
        """The dtypes of elements."""
        return get_output_types(self)

    @property
    def output_shapes(self) -> Any:
        """The shapes of elements."""
        return get_output_shapes(self)

    @property
    def output_classes(self) -> Any:
        """The classes of elements."""
        return get_output_classes(self)


def _variant(dataset: Any) -> Any:
    """The tensor that stands for a dataset."""
    return nest.flatten(dataset, expand_composites=True)[0]


def _named(handle: bytes) -> Iterator:
    found = _by_handle.get(handle)
    if found is None:
        raise FailedPreconditionError(None, None, f"There is no iterator with the handle {handle!r}.")
    return found


def _spec_of(types: Any, shapes: Any) -> Any:
    """The specs of elements: of nests of dtypes and of shapes that are alike, or None for all shapes."""
    if isinstance(types, dict):
        return {key: _spec_of(dtype, shapes and shapes[key]) for key, dtype in types.items()}
    if isinstance(types, (tuple, list)):
        parts = [_spec_of(dtype, shapes and shapes[i]) for i, dtype in enumerate(types)]
        return (
            nest.pack_sequence_as(types, parts) if nest.is_nested(types) and hasattr(types, "_fields") else tuple(parts)
        )
    return TensorSpec(shapes, types)


@export("compat.v1.data.make_one_shot_iterator")
def make_one_shot_iterator(dataset: Any) -> Any:
    """An iterator of a dataset, with `get_next`. Mirrors `tf.compat.v1.data.make_one_shot_iterator`."""
    return Iterator.of(dataset, at_once=True) if recording_for_sessions() else iter(dataset)


@export("compat.v1.data.make_initializable_iterator")
def make_initializable_iterator(dataset: Any, shared_name: str | None = None) -> Any:
    """An iterator that begins whenever its initializer runs. Mirrors `tf.compat.v1.data.make_initializable_iterator`.

    Raises:
      RuntimeError: where operations run at once.
    """
    if recording_for_sessions():
        return Iterator.of(dataset, at_once=False)
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


@dataset_of_version1.fill
def _call(name: str, dataset: Any, *rest: Any) -> Any:
    return globals()[name](dataset, *rest)
