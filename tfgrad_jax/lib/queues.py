"""`tf.queue`: elements handed from one thread, or one part of a program, to another."""

from __future__ import annotations

import bisect
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine.graph.waiting import recorded_last
from tfgrad_jax.engine.messages import errors
from tfgrad_jax.engine.messages.errors import invalid_argument, out_of_range
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.effects import effect
from tfgrad_jax.engine.run.execute import execute
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values import dtypes as kinds
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import DType, as_dtype
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.tensor import Spec, Tensor
from tfgrad_jax.lib.data.random_numbers import SeedSource, seeds_for, uint32s

_Element = tuple[np.ndarray, ...]


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _shapes(value: Any) -> list[Any]:
    """A list of shapes; one alone may be given as it is."""
    return list(value) if isinstance(value, (list, tuple)) and not all(isinstance(n, int) for n in value) else [value]


@export("queue.QueueBase")
class QueueBase:
    """What all queues have. Mirrors `tf.queue.QueueBase`.

    Every method may also be called in a `tf.function`, where it does what it does each time the function runs.

    Attributes:
      dtypes, shapes: of the components of an element.
      names: of the components, or None.
      name: of the queue.
      queue_ref: what stands for its state: the queue itself.
    """

    _kind = "Queue"
    _kept = 0
    """How many elements stay until the queue is closed."""

    def __init__(
        self, capacity: int, dtypes: Any, shapes: Any, names: Any, name: str, partly_known: bool = False
    ) -> None:
        self.dtypes: list[DType] = [as_dtype(d) for d in _listed(dtypes)]
        count = len(self.dtypes)
        if not count:
            raise invalid_argument(
                "Length for attr 'component_types' of 0 must be at least minimum 1", f"{self._kind}V2"
            )
        given = None if shapes is None else _shapes(shapes)
        if given is not None and len(given) != count:
            if context.graph is not None:
                raise ValueError(
                    f"Queue shapes must have the same length as dtypes, received len(shapes)={len(given)}, len(dtypes)={count}"
                )
            raise invalid_argument(
                f"Different number of component types.  Types: {self.dtypes}, Shapes: {given}", f"{self._kind}V2"
            )
        self.shapes = [TensorShape(None)] * count if given is None else [TensorShape(s) for s in given]
        self._stacks = given is not None
        if given is not None and not partly_known and not all(s.is_fully_defined() for s in self.shapes):
            raise ValueError(f"All shapes must be fully defined: {self.shapes}")
        self.names = None if names is None else _listed(names)
        if self.names is not None and len(self.names) != count:
            raise ValueError(
                f"List of names must have the same length as the list of dtypes, received len(names)={len(self.names)},"
                f"len(dtypes)={count}"
            )
        self.name = name
        self._capacity = capacity if capacity >= 0 else np.inf
        self._elements: list[_Element] = []
        self._closed = False
        self._changed = threading.Condition()
        one = [Spec.open(d, s) for d, s in zip(self.dtypes, self.shapes, strict=True)]
        many = [Spec.open(d, TensorShape([None]).concatenate(s)) for d, s in zip(self.dtypes, self.shapes, strict=True)]
        self._kernels = {
            "QueueEnqueueV2": effect("QueueEnqueueV2", self._put_one, []),
            "QueueEnqueueManyV2": effect("QueueEnqueueManyV2", self._put_many, []),
            "QueueDequeueV2": effect("QueueDequeueV2", lambda: list(self._take(1, False)[0]), one),
            "QueueDequeueManyV2": effect("QueueDequeueManyV2", lambda n: self._stacked(int(n), False), many),
            "QueueDequeueUpToV2": effect("QueueDequeueUpToV2", lambda n: self._stacked(int(n), True), many),
            "QueueSizeV2": effect("QueueSizeV2", self._size, Spec.of(kinds.int32, ())),
            "QueueIsClosedV2": effect("QueueIsClosedV2", lambda: np.array(self._closed), Spec.of(kinds.bool_, ())),
            "QueueCloseV2": effect("QueueCloseV2", self._close, []),
        }

    @property
    def queue_ref(self) -> QueueBase:
        """What stands for the queue's state."""
        return self

    @staticmethod
    def from_list(index: Any, queues: Sequence[QueueBase]) -> QueueBase:
        """One of several queues, by its number.

        Raises:
          TypeError: if there is none, one of them is no queue, or their components have different dtypes.
        """
        if not queues or not all(isinstance(q, QueueBase) for q in queues):
            raise TypeError("A list of queues expected")
        if any(q.dtypes != queues[0].dtypes for q in queues):
            raise TypeError(f"Queues of one list need components of the same dtypes, got {[q.dtypes for q in queues]}")
        return queues[int(np.asarray(convert(index).array))]

    # -- what is inside -----------------------------------------------------------------------------------------------

    def _add(self, element: _Element) -> None:
        self._elements.append(element)

    def _pick(self) -> _Element:
        return self._elements.pop(0)

    def _put(self, elements: list[_Element]) -> list[Any]:
        for element in elements:
            with self._changed:
                self._changed.wait_for(lambda: self._closed or len(self._elements) < self._capacity)
                if self._closed:
                    raise errors.CancelledError(None, None, f"{self._kind} '{self.name}' is closed.")
                self._add(element)
                self._changed.notify_all()
        return []

    def _put_one(self, *components: np.ndarray) -> list[Any]:
        return self._put([components])

    def _put_many(self, *components: np.ndarray) -> list[Any]:
        sizes = {c.shape[0] for c in components}
        if len(sizes) > 1:
            raise invalid_argument(
                f"All components must have the same size in dimension 0, got {sizes}", "QueueEnqueueManyV2"
            )
        return self._put([tuple(np.asarray(c[i], c.dtype) for c in components) for i in range(min(sizes))])

    def _take(self, count: int, fewer: bool) -> list[_Element]:
        with self._changed:
            self._changed.wait_for(lambda: self._closed or len(self._elements) >= count + self._kept)
            left = len(self._elements)
            if left < count and (not fewer or not left):
                raise out_of_range(
                    f"{self._kind} '{self.name}' is closed and has insufficient elements (requested {count}, current size {left})"
                )
            found = [self._pick() for _ in range(min(count, left))]
            self._changed.notify_all()
            return found

    def _stacked(self, count: int, fewer: bool) -> list[np.ndarray]:
        if not self._stacks:
            raise invalid_argument(
                f"{self._kind}'s DequeueMany and DequeueUpTo require the components to have specified shapes."
            )
        if count < 0:
            raise invalid_argument(f"{self._kind}: {count} elements are requested, which is less than 0")
        found = self._take(count, fewer)
        return [self._stack([e[i] for e in found], i) for i in range(len(self.dtypes))]

    def _stack(self, parts: list[np.ndarray], component: int) -> np.ndarray:
        shape = tuple(n or 0 for n in self.shapes[component].as_list())
        return np.stack(parts) if parts else np.zeros((0, *shape), self.dtypes[component].np)

    def _size(self) -> np.ndarray:
        return np.array(len(self._elements), np.int32)

    def _close(self) -> list[Any]:
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        return []

    # -- what programs call -------------------------------------------------------------------------------------------

    def _components(self, vals: Any, many: bool) -> tuple[Tensor, ...]:
        """The components of an element, or of several, as tensors."""
        if isinstance(vals, dict):
            if self.names is None:
                raise ValueError("Queue must have names to enqueue a dictionary")
            if sorted(self.names) != sorted(vals):
                raise ValueError(
                    f"Keys in dictionary to enqueue do not match names of Queue.  Dictionary: {sorted(vals)},Queue: "
                    f"{sorted(self.names)}"
                )
            vals = [vals[name] for name in self.names]
        elif self.names is not None:
            raise ValueError("You must enqueue a dictionary in a Queue with names")
        given = _listed(vals)
        if many:  # a number has no slices, also where there are too many numbers
            given = [convert(v, d) for v, d in zip(given, self.dtypes)] + given[len(self.dtypes) :]
            for tensor in given[: len(self.dtypes)]:
                tensor.shape.with_rank_at_least(1)
        if len(given) != len(self.dtypes):
            raise invalid_argument(
                f"Signature mismatch: a queue of {len(self.dtypes)} components was given {len(given)}",
                "QueueEnqueueManyV2" if many else "QueueEnqueueV2",
            )
        tensors = tuple(convert(v, d) for v, d in zip(given, self.dtypes, strict=True))
        for tensor, shape in zip(tensors, self.shapes, strict=True):
            (tensor.shape.with_rank_at_least(1)[1:] if many else tensor.shape).assert_is_compatible_with(shape)
            if many:
                tensor.shape[:1].assert_is_compatible_with(tensors[0].shape[:1])
        return tensors

    def _shown(self, components: Sequence[Tensor]) -> Any:
        if self.names is not None:
            return dict(zip(self.names, components, strict=True))
        return components[0] if len(components) == 1 else list(components)

    def _run(self, name: str, *inputs: Tensor) -> Any:
        return execute(self._kernels[name], inputs)

    def enqueue(self, vals: Any, name: Any = None) -> Any:
        """Put an element in, as soon as there is room.

        Args:
          vals: its components: a tensor, a list, or a dictionary if they have names.
          name: accepted for compatibility.

        Raises:
          CancelledError: if the queue is closed.
          ValueError: if a shape or a name does not fit.
        """
        self._run("QueueEnqueueV2", *self._components(vals, False))
        return recorded_last()

    def enqueue_many(self, vals: Any, name: Any = None) -> Any:
        """Put several elements in: slices of the components along their first dimension. See `enqueue`."""
        self._run("QueueEnqueueManyV2", *self._components(vals, True))
        return recorded_last()

    def dequeue(self, name: Any = None) -> Any:
        """Take an element out, as soon as there is one.

        Returns:
          A tensor, or a list of tensors, or a dictionary where components have names.

        Raises:
          OutOfRangeError: if the queue is closed and empty.
        """
        return self._shown(self._run("QueueDequeueV2"))

    def dequeue_many(self, n: Any, name: Any = None) -> Any:
        """Take `n` elements out, as soon as there are so many, stacked along a new first dimension.

        Raises:
          OutOfRangeError: if the queue is closed and has fewer.
          InvalidArgumentError: if the queue does not know the shapes of components.
        """
        found = self._run("QueueDequeueManyV2", convert(n, kinds.int32))
        for tensor in found if isinstance(n, int) else ():
            tensor.set_shape([n, *tensor.shape[1:]])
        return self._shown(found)

    def dequeue_up_to(self, n: Any, name: Any = None) -> Any:
        """Like `dequeue_many`, but of a closed queue whatever is left, if that is not nothing."""
        return self._shown(self._run("QueueDequeueUpToV2", convert(n, kinds.int32)))

    def close(self, cancel_pending_enqueues: bool = False, name: Any = None) -> Any:
        """Let nothing more in. Who waits to put something in is refused."""
        self._run("QueueCloseV2")
        return recorded_last()

    def is_closed(self, name: Any = None) -> Tensor:
        """Whether the queue is closed."""
        return self._run("QueueIsClosedV2")

    def size(self, name: Any = None) -> Tensor:
        """How many elements are inside."""
        return self._run("QueueSizeV2")


@export("queue.FIFOQueue")
class FIFOQueue(QueueBase):
    """First in, first out. Mirrors `tf.queue.FIFOQueue`.

    Args:
      capacity: how many elements there is room for; any number if negative.
      dtypes, shapes: of the components of an element; shapes may be left open.
      names: of the components; elements are dictionaries then.
      shared_name: accepted for compatibility.
      name: of the queue.
    """

    _kind = "FIFOQueue"

    def __init__(
        self,
        capacity: int,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: Any = None,
        name: str = "fifo_queue",
    ) -> None:
        super().__init__(capacity, dtypes, shapes, names, name)


@export("queue.RandomShuffleQueue")
class RandomShuffleQueue(QueueBase):
    """Elements come out in random order, TensorFlow's for the same seeds. Mirrors `tf.queue.RandomShuffleQueue`.

    Args:
      capacity, dtypes, shapes, names, shared_name, name: as for `FIFOQueue`.
      min_after_dequeue: so many elements stay inside until the queue is closed.
      seed: of the order.
    """

    _kind = "RandomShuffleQueue"

    def __init__(
        self,
        capacity: int,
        min_after_dequeue: int,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        seed: int | None = None,
        shared_name: Any = None,
        name: str = "random_shuffle_queue",
    ) -> None:
        super().__init__(capacity, dtypes, shapes, names, name)
        self._kept = min_after_dequeue
        self._numbers = uint32s(SeedSource(seeds_for(seed)).pair)

    def _pick(self) -> _Element:
        held = self._elements
        place = next(self._numbers) % len(held)
        held[place], held[-1] = held[-1], held[place]
        return held.pop()


@export("queue.PaddingFIFOQueue")
class PaddingFIFOQueue(QueueBase):
    """First in, first out; elements that are taken together are padded with zeros. Mirrors `tf.queue.PaddingFIFOQueue`.

    Args:
      capacity, dtypes, names, shared_name, name: as for `FIFOQueue`.
      shapes: of the components, where sizes may be None.

    Raises:
      ValueError: if the rank of a component is not known.
    """

    _kind = "PaddingFIFOQueue"

    def __init__(
        self,
        capacity: int,
        dtypes: Any,
        shapes: Any,
        names: Any = None,
        shared_name: Any = None,
        name: str = "padding_fifo_queue",
    ) -> None:
        if len(_shapes(shapes)) != len(_listed(dtypes)):
            raise ValueError("When providing partial shapes, a list of shapes must be provided.")
        if any(TensorShape(s).rank is None for s in _shapes(shapes)):
            raise ValueError(f"All shapes must have a defined rank: {shapes}")
        super().__init__(capacity, dtypes, shapes, names, name, partly_known=True)

    def _stack(self, parts: list[np.ndarray], component: int) -> np.ndarray:
        if not parts:
            return super()._stack(parts, component)
        shape = np.max([p.shape for p in parts], 0, initial=0).astype(int)
        dtype = self.dtypes[component].np
        out = np.full((len(parts), *shape), b"" if dtype.kind == "O" else 0, dtype)
        for k in range(len(parts)):
            out[k][tuple([slice(n) for n in parts[k].shape])] = parts[k]
        return out


@export("queue.PriorityQueue")
class PriorityQueue(QueueBase):
    """The element with the smallest number comes first; that is an int64 component before all others.

    Mirrors `tf.queue.PriorityQueue`.

    Args:
      capacity, shapes, names, shared_name, name: as for `FIFOQueue`.
      types: of the components besides the number.
    """

    _kind = "PriorityQueue"

    def __init__(
        self,
        capacity: int,
        types: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: Any = None,
        name: str = "priority_queue",
    ) -> None:
        given = [[]] * len(_listed(types)) if shapes is None else _shapes(shapes)
        super().__init__(capacity, [kinds.int64, *_listed(types)], [[], *given], names, name)

    def _add(self, element: _Element) -> None:
        bisect.insort(self._elements, element, key=lambda e: int(e[0]))
