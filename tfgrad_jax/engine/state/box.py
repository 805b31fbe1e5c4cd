"""Boxes: state that operations read and replace, and the locks that make both one step to other threads.

Locks are taken in one order, so that no two threads wait for each other: a function's (while it is traced), then boxes' by
identity, then a trace's, then the trie's.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import compress
from sys import getrefcount
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tfgrad_jax.engine.kernels.kernel import Kernel, overwritable
from tfgrad_jax.engine.kernels.spread import put
from tfgrad_jax.engine.messages.explain import raise_explained
from tfgrad_jax.engine.run.execute import AT_ONCE, alias, untaped
from tfgrad_jax.engine.run.interrupts import call_uninterrupted
from tfgrad_jax.engine.threads.context import context, followed, new_id
from tfgrad_jax.engine.values.dtypes import float32
from tfgrad_jax.engine.values.tensor import EagerTensor, Spec, Tensor, Waiting

new_object = object.__new__


class Box:
    """State whose value is a tensor.

    Attributes:
      id: the identity under which tapes and graphs know it.
      spec: the type of the value outside of graphs.
      declared: the type that every value has; its shape may be open. Graphs know no more of the value that they find.
      current: the value outside of graphs; a new tensor object, always with the box's identity, after each replacement.
      lock: held by whoever reads the value to replace it.
      sharding: None, or how the value is spread over several devices.
    """

    __slots__ = ("__weakref__", "current", "declared", "id", "lock", "sharding", "spec")

    current: Tensor

    def __init__(self, spec: Spec, declared: Spec | None = None) -> None:
        self.id = new_id()
        self.spec = spec
        self.declared = spec if declared is None else declared
        self.lock = threading.RLock()
        self.sharding: Any = None

    @property
    def tensor(self) -> Tensor:
        """The value, as what runs or is traced now sees it."""
        graph = context.graph
        return self.current if graph is None else graph.read(self)

    def replace(self, tensor: Tensor) -> None:
        """Make `tensor`, which nobody else holds, the value; for those who hold the lock.

        Raises:
          Exception: what made `tensor` fail meanwhile, in another thread; the value stays.
        """
        if self.sharding is not None:
            tensor = untaped(_spread(self.sharding), (tensor,))
        tensor.identity = self.id
        graph = context.graph
        if graph is not None:
            graph.write(self, tensor)
            return
        if tensor.held is None:
            tensor.pending_in.renamed(tensor)
        self.spec = tensor.known_spec or tensor.spec
        self.current = tensor

    def spread(self, sharding: Any) -> None:
        """Let the value, and all that follow, lie over several devices."""
        with self.lock:
            self.sharding = sharding
            self.current = alias(EagerTensor(put(self.current.array, sharding), self.current.spec), self.id)

    def update(self, kernel: Kernel, *operands: Tensor) -> None:
        """Make what a kernel gives for the value and some operands the value, in one step to other threads."""
        with self.lock:
            here = context.__dict__
            trace, executor, graph = here["pending"], here["executor"], here["graph"]
            if (
                trace is not None
                and executor is trace.executor
                and graph is None
                and self.sharding is None
                and len(operands) == 1
            ):
                new = None if followed else trace.follow(kernel, self.current, operands[0], self.id)
                if new is not None:  # all that `replace` does is done with it
                    self.spec, self.current = new.known_spec, new
                    return
            if not (kernel.overwrites and executor in AT_ONCE and self._overwrite(kernel, operands)):
                now = self.current if graph is None else graph.read(self, to_replace=True)
                self.replace(untaped(kernel, (now, *operands)))

    def _overwrite(self, kernel: Kernel, operands: tuple[Tensor, ...]) -> bool:
        """Run a kernel at once whose result takes the memory of the value, if there is a compiled form that does so.

        Returns:
          Whether it ran.
        """
        if type(self.current.held) is np.ndarray:
            self.current.held = overwritable(self.current.held)
        arrays = [self.current.held, *[t.array for t in operands]]
        call = kernel.overwriter(arrays) if isinstance(arrays[0], jax.Array) else None
        if call is None:
            return False
        replacing = Replacing([self], 0, {})
        old = replacing.take()
        results: list[Any] = []
        try:
            if _references(old) != _ALONE:
                arrays[0] = jnp.copy(arrays[0])  # somebody else holds the value
            call_uninterrupted(call, arrays, results)
        except Exception as error:
            raise_explained(error, kernel, (old[0], *operands))
        finally:
            if results:
                replacing.made.append(results)
            replacing.flush("an update")
        return True


_spreading: dict[Any, Kernel] = {}


def _spread(sharding: Any) -> Kernel:
    """The kernel that spreads a value over devices."""
    kernel = _spreading.get(sharding)
    if kernel is None:

        def spread(value: Any) -> Any:
            return jax.lax.with_sharding_constraint(value, sharding)

        kernel = _spreading[sharding] = Kernel("Sharding", spread, differentiable=0)
    return kernel


def locks_of(boxes: Sequence[Box]) -> list[Any]:
    """The locks of boxes in the order in which all threads take them."""
    return [box.lock for box in sorted(set(boxes), key=_identity)]


def while_locked(locks: Sequence[Any], work: Callable[..., Any], *arguments: Any) -> Any:
    """What `work` gives, called with `arguments` while this thread holds the locks of boxes, as `locks_of` gives them.

    An interrupt leaves no lock held: Python looks for one after each call that it makes, and to take all locks is one such call,
    as is to give back those taken. A context manager written in Python could be interrupted before it gives them back.
    """
    taken: list[bool] = []
    give_back: Callable[[], Any] = partial(deque, map(_release, compress(locks, taken)), 0)
    try:
        taken.extend(map(_acquire, locks))
        return work(*arguments)
    finally:
        give_back()


_acquire, _release = type(threading.RLock()).acquire, type(threading.RLock()).release


class _Settled(Waiting):
    """Stands for the replacement that a tensor waited for, when it has its value."""

    def flush(self, reason: str) -> None:
        """Nothing is pending."""

    def renamed(self, tensor: Tensor) -> None:
        """Nothing is to be noted: see `Trace.renamed`."""


_SETTLED = _Settled()


class Replacing(Waiting):
    """The replacement of boxes' values by what a program gives; for those who hold the locks.

    The boxes do not hold their values meanwhile, so that the program may overwrite them; in their place are tensors that wait
    for the program, as pending ones do for their trace. An interrupt comes before all of it or after it.

    Args:
      boxes: the boxes.
      first: the position of their new values among the program's results; they stand in a row.
      kept: the positions of those results that are the old values if the program says that it failed.

    Attributes:
      made: what the program gave, in a list; empty as long as it has not.
      failed: whether it says that it failed: the boxes keep their values.
    """

    __slots__ = ("_boxes", "_first", "_kept", "_taken", "failed", "made")

    def __init__(self, boxes: Sequence[Box], first: int, kept: Mapping[int, int]) -> None:
        self.failed = False
        self.made: list[Sequence[Any]] = []
        self._boxes = boxes
        self._first = first
        self._kept = kept
        self._taken: list[tuple[Box, Tensor, Tensor]] = []

    def take(self) -> list[Tensor]:
        """The values, which the boxes do not hold any more."""
        found = []
        for box in self._boxes:
            before = box.current
            after: EagerTensor = new_object(EagerTensor)  # as its constructor does, without the call
            after.held = None
            after.known_spec = before.known_spec or before.spec
            after.identity = box.id
            after.pending_in = self
            self._taken.append((box, before, after))
            box.current = after
            found.append(before)
        return found

    def flush(self, reason: str) -> None:
        """Wait for the program: another thread asks for a new value, or this one after an interrupt."""
        while_locked(locks_of(self._boxes), self.settle)

    def settle(self) -> None:
        """Let the boxes hold the new values, or the old ones if there are none."""
        made = self.made[0] if self.made else None
        k = self._first - 1
        for box, before, after in self._taken:
            k += 1
            if after.held is not None:
                continue
            if made is not None and (not self.failed or (k in self._kept.values() and is_deleted(before))):
                value = made[k] if box.sharding is None else put(made[k], box.sharding)
                # Only where the declared shape is open may the value's be another one than before.
                if after.known_spec is not box.declared and value.shape != before.spec.shape:
                    after.known_spec = None
                after.held = value
                box.spec = after.known_spec or after.spec
            else:
                if box.current is after:
                    box.current = before
                after.held = before.array
            after.pending_in = _SETTLED  # what the program gave shall not live as long as the tensor
        self._taken = []

    def renamed(self, tensor: Tensor) -> None:
        """Nothing is to be noted: see `Trace.renamed`."""


def _references(tensors: list[Tensor]) -> tuple[int, int]:
    """How many references there are to a tensor, and to its array."""
    value = tensors[0].held
    return getrefcount(tensors[0]), getrefcount(value)


def _baseline() -> tuple[int, int]:
    """The references of a tensor that only an update under way holds, counted the same way, whatever the interpreter counts."""
    box = Box(Spec.of(float32, ()))
    box.current = Tensor(object(), box.spec)
    replacing = Replacing([box], 0, {})
    tensors = replacing.take()
    arrays = [tensors[0].held]
    found = _references(tensors)
    del arrays
    return found


def is_deleted(tensor: Tensor) -> bool:
    """Whether a program has overwritten a value."""
    return isinstance(tensor.held, jax.Array) and tensor.held.is_deleted()


def _identity(box: Box) -> int:
    return box.id


_ALONE = _baseline()
