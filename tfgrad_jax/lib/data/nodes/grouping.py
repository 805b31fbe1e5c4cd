"""Nodes that put elements into windows and groups."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any

import numpy as np

from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.lib.data.functions import Mapped, evaluator
from tfgrad_jax.lib.data.nodes.node import INFINITE, UNKNOWN, Element, Node, Run, boxed, unboxed
from tfgrad_jax.lib.data.nodes.sources import Elements
from tfgrad_jax.lib.data.structure import Structure


class Window(Node):
    """Datasets of neighbouring elements: one for each component.

    Args:
      source: the input.
      structure: a dataset for each leaf.
      size, shift, stride: how many elements in a window, how far apart windows begin, and elements in one.
      drop_remainder: whether last windows that are smaller are left out.
    """

    def __init__(
        self, source: Node, structure: Structure, size: int, shift: int, stride: int, drop_remainder: bool
    ) -> None:
        for name, value in (("Window size", size), ("Window shift", shift), ("Window stride", stride)):
            if value <= 0:
                raise invalid_argument(f"{name} must be greater than zero.", "WindowDataset")
        self.inputs = (source,)
        self.structure = structure
        self._size, self._shift, self._stride = size, shift, stride
        self._drop = drop_remainder
        self._parts = [(Structure(leaf), places) for leaf, places in source.structure.groups]

    def following(self, source: Iterator[Element], run: Run) -> Iterator[Element]:
        span = (self._size - 1) * self._stride + 1
        held: deque[Element] = deque()
        ended = False
        while True:
            while not ended and len(held) < span:
                try:
                    held.append(next(source))
                except StopIteration:
                    ended = True
            if not held or (self._drop and len(held) < span):
                return
            yield self._window(list(held)[: span : self._stride])
            for _ in range(self._shift):
                if held:
                    held.popleft()
                elif not ended:
                    try:
                        next(source)
                    except StopIteration:
                        ended = True

    def _window(self, elements: list[Element]) -> Element:
        return tuple(
            [
                boxed(Elements(structure, [e[places.start : places.stop] for e in elements]))
                for structure, places in self._parts
            ]
        )

    def cardinality(self) -> int:
        n = self.inputs[0].cardinality()
        if n <= 0:
            return n
        if not self._drop:
            return -(-n // self._shift)
        return max(0, (n - (self._size - 1) * self._stride - 1) // self._shift + 1)


class GroupByWindow(Node):
    """Elements by key, reduced as soon as there are enough with one.

    Args:
      source: the input.
      key: gives an integer for each element.
      size: gives for each key how many make a window.
      reduce: gives a dataset for a key and a dataset with the elements.
      structure: of that dataset's elements.
    """

    def __init__(self, source: Node, key: Mapped, size: Mapped, reduce: Mapped, structure: Structure) -> None:
        self.inputs = (source,)
        self.structure = structure
        self._functions = key, size, reduce

    def following(self, source: Iterator[Element], run: Run) -> Iterator[Element]:
        key_of, size_of, reduce = (evaluator(run, f) for f in self._functions)
        kind = self.inputs[0].structure
        groups: dict[int, list[Element]] = {}
        sizes: dict[int, int] = {}

        def reduced(key: Any, elements: list[Element]) -> Iterator[Element]:
            found: Iterator[Element] = unboxed(reduce((key, boxed(Elements(kind, elements))))[0]).iterate(run)
            return found

        for element in source:
            (key,) = key_of(element)
            k = int(key)
            group = groups.get(k)
            if group is None:
                group = groups[k] = []
                size = int(size_of((key,))[0])
                if size <= 0:
                    raise invalid_argument(f"Window size must be greater than zero, but got {size}.", "GroupByWindow")
                sizes[k] = size
            group.append(element)
            if len(group) == sizes[k]:
                del groups[k]
                yield from reduced(key, group)
        for k in sorted(groups):
            key_type = self._functions[0].structure.flat[0].dtype.np
            yield from reduced(np.array(k, key_type), groups[k])

    def cardinality(self) -> int:
        return INFINITE if self.inputs[0].cardinality() == INFINITE else UNKNOWN


class GroupByReducer(Node):
    """What a function of a state and each element makes of all elements with one key, by key.

    Args:
      source: the input.
      key: gives an integer for each element.
      first: gives the first state for a key.
      reduce: gives the next state for a state and an element.
      finalize: gives an element for a state.
    """

    def __init__(self, source: Node, key: Mapped, first: Mapped, reduce: Mapped, finalize: Mapped) -> None:
        self.inputs = (source,)
        self.structure = finalize.structure
        self._functions = key, first, reduce, finalize

    def following(self, source: Iterator[Element], run: Run) -> Iterator[Element]:
        key_of, first, reduce, finalize = (evaluator(run, f) for f in self._functions)
        states: dict[int, Element] = {}
        for element in source:
            key = key_of(element)
            k = int(key[0])
            state = states.get(k)
            states[k] = reduce((*(first(key) if state is None else state), *element))
        for k in sorted(states):
            yield finalize(states[k])


class Unique(Node):
    """Elements that were not there before."""

    def __init__(self, source: Node) -> None:
        self.inputs = (source,)
        self.structure = source.structure

    def following(self, source: Iterator[Element], run: Run) -> Iterator[Element]:
        seen: set[Any] = set()
        for element in source:
            key = element[0].item() if element[0].ndim == 0 else (element[0].shape, *element[0].reshape(-1).tolist())
            if key not in seen:
                seen.add(key)
                yield element
