"""Nodes that make several elements one, or one several."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import cycle, islice
from typing import Any

import numpy as np

from tfgrad_jax.composite.ragged.tensor import RaggedTensorSpec
from tfgrad_jax.engine.messages.errors import DataLossError, invalid_argument, unimplemented
from tfgrad_jax.engine.values.specs import TensorSpec
from tfgrad_jax.lib.data.leaves import columns, ragged_components, rows, sparse_components, stacker
from tfgrad_jax.lib.data.nodes.node import UNKNOWN, Element, Node, Run, Step
from tfgrad_jax.lib.data.structure import Structure, leaves


class Batch(Node):
    """So many elements at a time."""

    def __init__(self, source: Node, structure: Structure, size: int, drop_remainder: bool) -> None:
        if size < 1:
            raise invalid_argument("Batch size must be greater than zero.", "BatchDatasetV2")
        self.inputs = (source,)
        self.structure = structure
        self.size = size
        self._drop = drop_remainder

    def iterate(self, run: Run) -> Iterator[Element]:
        return _Batching(
            self.inputs[0].iterate(run), self.size, self._drop, stacker(self.inputs[0].structure, self.size)
        )

    def at(self, place: int) -> Element:
        (source,) = self.inputs
        first = self.checked(place) * self.size
        places = range(first, min(first + self.size, source.cardinality()))
        batch: Element = stacker(source.structure)(map(source.at, places))
        return batch

    def cardinality(self) -> int:
        n = self.inputs[0].cardinality()
        if n < 0:
            return n
        return n // self.size if self._drop else -(-n // self.size)


class _Batching(Step):
    def __init__(self, source: Iterator[Element], size: int, drop: bool, stack: Callable[..., Element | None]) -> None:
        self._source = iter(source)
        self._size = size
        self._drop = drop
        self._stack = stack

    def __next__(self) -> Element:
        batch: Element | None = self._stack(islice(self._source, self._size), self._size if self._drop else 1)
        if batch is None:
            raise StopIteration
        return batch


class Unbatch(Node):
    """The rows of elements."""

    def __init__(self, source: Node, structure: Structure) -> None:
        self.inputs = (source,)
        self.structure = structure

    def iterate(self, run: Run) -> Iterator[Element]:
        return _Unbatching(self.inputs[0].iterate(run), self.inputs[0].structure)

    def cardinality(self) -> int:
        n = self.inputs[0].cardinality()
        lengths = [
            leaf.shape[0]
            for leaf, _ in self.inputs[0].structure.groups
            if isinstance(leaf, (TensorSpec, RaggedTensorSpec)) and leaf.shape.rank
        ]
        size = next((length for length in lengths if length is not None), None)
        return n if n < 0 else UNKNOWN if size is None else n * size


class _Unbatching(Step):
    def __init__(self, source: Iterator[Element], structure: Structure) -> None:
        self._source = source
        self._structure = structure
        self._rows: Iterator[Element] = iter(())

    def __next__(self) -> Element:
        while True:
            for element in self._rows:
                return element
            self._rows = rows(self._structure, next(self._source))


class Rebatch(Node):
    """Rows as batches of some sizes, which follow each other in turn.

    Args:
      source: gives the rows.
      structure: of the batches.
      sizes: those, of which some may be 0: these batches are empty.
      drop_remainder: whether a last batch that is smaller is left out.
    """

    def __init__(self, source: Node, structure: Structure, sizes: Sequence[int], drop_remainder: bool) -> None:
        if not sizes or min(sizes) < 0 or not any(sizes):
            raise invalid_argument(
                f"Batch sizes must not be negative, and one of them positive, got {list(sizes)}.", "RebatchDatasetV2"
            )
        if not all(sizes) and not source.structure.is_plain:
            raise unimplemented("batches of size 0 need elements that consist of dense tensors", "RebatchDatasetV2")
        self.inputs = (source,)
        self.structure = structure
        self._sizes = sizes
        self._drop = drop_remainder

    def following(self, source: Iterator[Element], run: Run) -> Iterator[Element]:
        stack = stacker(self.inputs[0].structure)
        empty = tuple(
            [np.zeros([0, *[n or 0 for n in spec.shape]], spec.dtype.np) for spec in self.inputs[0].structure.flat]
        )
        for size in cycle(self._sizes):
            if not size:
                yield empty
                continue
            batch: Element | None = stack(islice(source, size), size if self._drop else 1)
            if batch is None:
                return
            yield batch


class RaggedBatch(Batch, label="_BatchDataset"):
    """So many elements at a time; tensors whose sizes are open become ragged.

    Args:
      source, structure, size, drop_remainder: as of `Batch`.
      inner: the type of one element, in which these tensors are ragged.
    """

    def __init__(self, source: Node, structure: Structure, size: int, drop_remainder: bool, inner: Structure) -> None:
        super().__init__(source, structure, size, drop_remainder)
        self._inner = inner

    def iterate(self, run: Run) -> Iterator[Element]:
        source = self.inputs[0]
        kinds = {
            i: spec
            for (leaf, at), spec in zip(source.structure.groups, leaves(self._inner.spec), strict=True)
            if spec is not leaf
            for i in at
        }

        def ragged(element: Element) -> Element:
            return tuple(
                [
                    part
                    for i, array in enumerate(element)
                    for part in (
                        ragged_components(array, kinds[i].ragged_rank, kinds[i].row_splits_dtype.np)
                        if i in kinds
                        else (array,)
                    )
                ]
            )

        return _Batching(map(ragged, source.iterate(run)), self.size, self._drop, stacker(self._inner))


class SparseBatch(Node, label="_DenseToSparseBatchDataset"):
    """So many tensors at a time, as a sparse one."""

    def __init__(self, source: Node, structure: Structure, size: int, shape: Sequence[int | None]) -> None:
        self.inputs = (source,)
        self.structure = structure
        self._size = size
        self._shape = shape

    def iterate(self, run: Run) -> Iterator[Element]:
        return _Batching(self.inputs[0].iterate(run), self._size, False, self._stack)

    def _stack(self, elements: Iterable[Element], least: int) -> Element | None:
        (found,) = columns(elements, 1)
        return sparse_components(found, self._shape) if len(found) >= least else None

    def cardinality(self) -> int:
        n = self.inputs[0].cardinality()
        return n if n < 0 else -(-n // self._size)


class PaddedBatch(Node):
    """So many elements at a time, each component padded to the largest, or to a given shape.

    Args:
      source: the input.
      structure: of the batches.
      size: of a batch.
      shapes: by component, the sizes to pad to; None for the largest in the batch.
      values: by component, what to pad with.
      drop_remainder: whether a last batch that is smaller is left out.
    """

    def __init__(
        self,
        source: Node,
        structure: Structure,
        size: int,
        shapes: Sequence[tuple[int | None, ...]],
        values: Sequence[np.ndarray],
        drop_remainder: bool,
    ) -> None:
        if size < 1:
            raise invalid_argument("Batch size must be greater than zero.", "PaddedBatchDatasetV2")
        if not shapes:
            raise invalid_argument("Elements must have at least one component.", "PaddedBatchDatasetV2")
        self.inputs = (source,)
        self.structure = structure
        self.size = size
        self._shapes = shapes
        self._values = values
        self._drop = drop_remainder

    def iterate(self, run: Run) -> Iterator[Element]:
        return _Batching(self.inputs[0].iterate(run), self.size, self._drop, self._stack)

    def _stack(self, elements: Iterable[Element], least: int) -> Element | None:
        found = columns(elements, len(self._shapes))
        return tuple(map(_padded, found, self._shapes, self._values)) if len(found[0]) >= least else None

    def cardinality(self) -> int:
        n = self.inputs[0].cardinality()
        if n < 0:
            return n
        return n // self.size if self._drop else -(-n // self.size)


def _padded(parts: Sequence[Any], shape: Sequence[int | None], value: np.ndarray) -> np.ndarray:
    rank = len(shape)
    for part in parts:
        if part.ndim != rank:
            raise invalid_argument(
                f"All elements in a batch must have the same rank as the padded shape for component: expected rank {rank} but "
                f"got element with rank {part.ndim}",
                "PaddedBatchDatasetV2",
            )
    largest = [max(part.shape[d] for part in parts) for d in range(rank)]
    for have, wanted in zip(largest, shape, strict=True):
        if wanted is not None and have > wanted:
            raise DataLossError(
                None,
                None,
                f"Attempted to pad to a smaller size than the input element: {list(shape)} against {largest}",
            )
    full = [have if wanted is None else wanted for have, wanted in zip(largest, shape, strict=True)]
    out = np.full((len(parts), *full), value[()], parts[0].dtype)
    for i, part in enumerate(parts):
        out[i, ...][tuple([slice(n) for n in part.shape])] = part[()] if not rank else part
    return out
