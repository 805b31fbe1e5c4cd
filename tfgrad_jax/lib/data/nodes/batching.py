"""Nodes that make several elements one, or one several."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np

from tfgrad_jax.engine.messages.errors import DataLossError, invalid_argument
from tfgrad_jax.engine.values.specs import TensorSpec
from tfgrad_jax.lib.data.nodes.node import INFINITE, Element, Node, Run, Step
from tfgrad_jax.lib.data.nodes.sources import rows
from tfgrad_jax.lib.data.structure import Structure


def stacked(parts: Sequence[Any]) -> np.ndarray:
    """Arrays of one shape as one.

    Raises:
      InvalidArgumentError: if their shapes differ.
    """
    first = parts[0]
    shape = first.shape
    for part in parts:
        if part.shape != shape:
            raise invalid_argument(
                f"Cannot batch tensors with different shapes in component. First element had shape "
                f"{list(shape)} and a later element had shape {list(part.shape)}.",
                "BatchDatasetV2",
            )
    if first.dtype.kind == "O" or not shape:
        out = np.empty((len(parts), *shape), first.dtype)
        for i, part in enumerate(parts):
            out[i] = part[()] if not shape else part
        return out
    return np.concatenate(parts).reshape((len(parts), *shape))


class Batch(Node):
    """So many elements at a time."""

    def __init__(self, source: Node, structure: Structure, size: int, drop_remainder: bool) -> None:
        if size < 1:
            raise invalid_argument("Batch size must be greater than zero.", "BatchDatasetV2")
        self.inputs = (source,)
        self.structure = structure
        self._size = size
        self._drop = drop_remainder

    def iterate(self, run: Run) -> Iterator[Element]:
        return _Batching(self.inputs[0].iterate(run), self._size, self._drop, stacker(self.inputs[0].structure))

    def cardinality(self) -> int:
        n = self.inputs[0].cardinality()
        if n < 0:
            return n
        return n // self._size if self._drop else -(-n // self._size)


class _Batching(Step):
    def __init__(self, source: Iterator[Element], size: int, drop: bool, stack: Callable[..., Element]) -> None:
        self._source = iter(source)
        self._size = size
        self._drop = drop
        self._stack = stack

    def __next__(self) -> Element:
        elements = list(islice(self._source, self._size))
        if not elements or (self._drop and len(elements) < self._size):
            raise StopIteration
        return self._stack(elements)


def stacker(structure: Structure) -> Callable[[Sequence[Element]], Element]:
    """A function that makes a batch of elements."""
    if all(isinstance(leaf, TensorSpec) for leaf, _ in structure.groups):
        return lambda elements: tuple([stacked(parts) for parts in zip(*elements)])
    return lambda elements: tuple(
        [
            array
            for leaf, places in structure.groups
            for array in batch_leaf(leaf, [element[places.start : places.stop] for element in elements])
        ]
    )


def batch_leaf(leaf: Any, parts: Sequence[Element]) -> Element:
    """The components of a batch of one leaf."""
    if isinstance(leaf, TensorSpec):
        return (stacked([p[0] for p in parts]),)
    if not parts[0]:
        return ()
    batch = getattr(leaf, "_batch_components", None)
    if batch is None:
        raise TypeError(f"tf.data: elements of type {leaf!r} cannot be batched")
    found: Element = batch(parts)
    return found


class Unbatch(Node):
    """The rows of elements."""

    def __init__(self, source: Node, structure: Structure) -> None:
        self.inputs = (source,)
        self.structure = structure

    def iterate(self, run: Run) -> Iterator[Element]:
        return _Unbatching(self.inputs[0].iterate(run))

    def cardinality(self) -> int:
        n = self.inputs[0].cardinality()
        lengths = [s.shape[0] for s in self.inputs[0].structure.flat if s.shape.rank]
        size = next((length for length in lengths if length is not None), None)
        return n if n in (INFINITE, 0) else -2 if n < 0 or size is None else n * size


class _Unbatching(Step):
    def __init__(self, source: Iterator[Element]) -> None:
        self._source = source
        self._rows: Iterator[Element] = iter(())

    def __next__(self) -> Element:
        while True:
            for element in self._rows:
                return element
            batch = next(self._source)
            lengths = {len(a) for a in batch}
            if len(lengths) > 1:
                raise invalid_argument(
                    f"Input element must have the same batch size in each component, got {[len(a) for a in batch]}",
                    "UnbatchDataset",
                )
            self._rows = zip(*[rows(a) for a in batch])


class Rebatch(Node):
    """Batches as batches of other sizes, which follow each other in turn."""

    def __init__(self, source: Node, structure: Structure, sizes: Sequence[int], drop_remainder: bool) -> None:
        self.inputs = (source,)
        self.structure = structure
        self._sizes = list(sizes)
        self._drop = drop_remainder

    def iterate(self, run: Run) -> Iterator[Element]:
        source = self.inputs[0].iterate(run)
        held: list[Element] = []
        have = turn = 0
        for batch in source:
            held.append(batch)
            have += len(batch[0])
            while have >= self._sizes[turn % len(self._sizes)]:
                size = self._sizes[turn % len(self._sizes)]
                whole = held[0] if len(held) == 1 else tuple([np.concatenate(parts) for parts in zip(*held)])
                yield tuple([a[:size] for a in whole])
                held, have, turn = [tuple([a[size:] for a in whole])], have - size, turn + 1
        if have and not self._drop:
            yield held[0] if len(held) == 1 else tuple([np.concatenate(parts) for parts in zip(*held)])


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
        self.inputs = (source,)
        self.structure = structure
        self._size = size
        self._shapes = shapes
        self._values = values
        self._drop = drop_remainder

    def iterate(self, run: Run) -> Iterator[Element]:
        return _Batching(self.inputs[0].iterate(run), self._size, self._drop, self._stack)

    def _stack(self, elements: Sequence[Element]) -> Element:
        return tuple(map(_padded, zip(*elements), self._shapes, self._values))

    def cardinality(self) -> int:
        n = self.inputs[0].cardinality()
        if n < 0:
            return n
        return n // self._size if self._drop else -(-n // self._size)


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
