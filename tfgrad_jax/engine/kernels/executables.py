"""The budget of executables: what XLA has compiled stays while there is room; what was not used for longest goes first.

A kernel is called through one `jax.jit` as long as it meets few types: nothing is faster. But JAX keeps with each of those what
the executable was made from, which takes several times its memory, and lets go of one only together with all. So a kernel that
meets many types, and kernels of which there are many that differ only in what they were made for, keep the bare executables,
one for each set of types, and find them themselves.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import jax

from tfgrad_jax.engine import hooks
from tfgrad_jax.engine.kernels.lowering import lowered

FEW = 8
"""So many types a kernel meets, and so many kernels of a kind there are, before executables are kept bare."""

WITH_SOURCE = 5
"""How many small executables, kept bare, take the memory of one that `jax.jit` keeps."""

_FIRST, _OPERATIONS = 40, 16
"""So many operations of a large program take as much as a small executable, and as long to compile, however it is kept; the first
ones eight times that."""

LIMIT = int(os.environ.get("TFGRAD_JAX_EXECUTABLES", "2400"))
"""So many small executables are kept, of about a quarter of a megabyte each."""


class Holder(Protocol):
    """Something that holds executables.

    Attributes:
      used: the budget's time when they ran last.
      weight: how much memory they take, in small executables.
    """

    used: int
    weight: int

    def drop(self) -> None:
        """Let go of them; they are compiled again when they are needed again."""


class Budget:
    """How much is compiled, and by whom.

    Args:
      limit: how much may be, in small executables.

    Attributes:
      now: how much was compiled ever: the time, as far as this budget knows one.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.now = 0
        self._holders: weakref.WeakSet[Any] = weakref.WeakSet()
        self._lock = threading.RLock()

    def made(self, holder: Holder) -> None:
        """`holder` has compiled something, or is about to; others let go of what is too much with it."""
        with self._lock:
            self.now += 1
            holder.used = self.now
            self._holders.add(holder)
            self.keep_within(self.limit)

    def keep_within(self, limit: int) -> None:
        """Drop what was not used for longest, until no more than `limit` is held."""
        with self._lock:
            held = self.held
            if held <= limit:
                return
            for holder in sorted(self._holders, key=lambda h: h.used)[:-1]:
                held -= holder.weight
                self._holders.discard(holder)
                holder.drop()
                # Some more than need be: who is over the limit will soon be so again.
                if held <= limit - limit // 16:
                    break

    @property
    def held(self) -> int:
        """How much is held now."""
        return sum([h.weight for h in self._holders])


budget = Budget(LIMIT)
"""The one of this process."""


def executables_limit(limit: int | None = None) -> int:
    """How many compiled executables are kept; those not used for longest are dropped, and compiled again when needed.

    Args:
      limit: None, or the number from now on, counted in small executables of about a quarter of a megabyte. The
        environment variable `TFGRAD_JAX_EXECUTABLES` gives the first one.

    Returns:
      The number that holds now.
    """
    if limit is not None:
        budget.limit = limit
        budget.keep_within(limit)
    return budget.limit


class _Executables:
    """Some executables of one kernel, in the table in which its calls find them."""

    __slots__ = ("__weakref__", "call", "table", "used", "weight")

    def __init__(self, call: Callable[..., Any], table: dict[Any, _Executables], weight: int) -> None:
        self.call = call
        self.table = table
        self.used = 0
        self.weight = weight

    def drop(self) -> None:
        for key in [k for k, found in list(self.table.items()) if found is self]:
            self.table.pop(key, None)


class ByTypes:
    """The call of a kernel that keeps its executables bare.

    Args:
      fn: the kernel's function.
      donate: positions of the inputs that may be overwritten.
      size: how large it is, in operations.
    """

    __slots__ = ("_donate", "_fn", "_size", "_table")

    def __init__(self, fn: Callable[..., Any], donate: tuple[int, ...], size: int) -> None:
        self._fn = fn
        self._donate = donate
        self._size = size
        self._table: dict[Any, _Executables] = {}

    def know(self, types: list[Any], call: Callable[..., Any]) -> None:
        """These types are served by `call`, a `jax.jit`."""
        shared = _Executables(call, self._table, weight(self._size, bare=False) * len(types))
        self._table.update(dict.fromkeys(types, shared))
        budget.made(shared)

    def __call__(self, *arrays: Any) -> Any:
        types = tuple([(a.shape, a.dtype) for a in arrays])
        found = self._table.get(types)
        if found is None:
            found = self._compile(types, arrays)
        found.used = budget.now
        try:
            return found.call(*arrays)
        except (TypeError, ValueError):
            # Types do not tell a value that JAX is tracing, or one on other devices.
            if not isinstance(found.call, jax.stages.Compiled):
                raise
            call = self._jit()
            if not _traced(arrays):
                self.know([types], call)
            return call(*arrays)

    def _compile(self, types: Any, arrays: tuple[Any, ...]) -> _Executables:
        if _traced(arrays):
            return _Executables(self._jit(), {}, 0)
        call = lowered(self._own(), arrays, self._donate, self._size)[1].compile()
        found = self._table[types] = _Executables(call, self._table, weight(self._size))
        budget.made(found)
        return found

    def _jit(self) -> Any:
        return jax.jit(self._own(), donate_argnums=self._donate)

    def _own(self) -> Callable[..., Any]:
        """A function of its own: JAX keeps what it was compiled from as long as that lives."""
        fn = self._fn

        def own(*arrays: Any) -> Any:
            check_meshes_of(fn.__name__, arrays)
            return fn(*arrays)

        return own


def check_meshes_of(operation: str, traced: Sequence[Any]) -> None:
    """Look at how operands lie, while JAX traces what takes them.

    Raises:
      UnknownError: if they lie on several meshes.
    """
    if hooks.check_meshes.filled:
        hooks.check_meshes(operation, [getattr(jax.typeof(array), "sharding", None) for array in traced])


def _traced(arrays: tuple[Any, ...]) -> bool:
    return any([isinstance(a, jax.core.Tracer) for a in arrays])


def weight(size: int, bare: bool = True) -> int:
    """How much an executable of so many operations takes, kept bare or by `jax.jit`."""
    return (1 if bare else WITH_SOURCE) + (7 * min(size, _FIRST) + size) // _OPERATIONS
