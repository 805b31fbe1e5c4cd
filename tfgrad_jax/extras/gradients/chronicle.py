"""What tapes do not keep, because it would cost time: each operation's line, who saw it, which values left through NumPy.

It is kept within `explaining()` only. Recorders that follow see every operation. Assignments and departures to NumPy are no
operations: the methods by which they happen are exchanged while somebody writes a chronicle, so nobody else pays for it.
"""

from __future__ import annotations

import contextlib
import itertools
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from tfgrad_jax.engine.hooks import unanswered
from tfgrad_jax.engine.messages.where import OURS, caller, user_line
from tfgrad_jax.engine.state.box import Box
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.tape.recording import Recording
from tfgrad_jax.engine.threads.context import Recorder, context, new_id, set_recorders
from tfgrad_jax.engine.values.tensor import EagerTensor, Tensor
from tfgrad_jax.extras.gradients.history import Happened, Place, expanded

LIMIT = 50_000
"""So many operations are kept, the last ones."""

_LIBRARIES = (*OURS, "numpy.", "jax.", "keras.")
"""Whose lines tell nobody where in his program something happened."""

_THROUGH = {kind.__module__ for kind in (*EagerTensor.__mro__, *Variable.__mro__)}
"""The modules whose methods take values out for whoever calls them."""

_LEAVING = ("numpy", "__array__", "__float__", "__int__", "__complex__", "__index__", "__buffer__", "__dlpack__")

_HAND_OVER = ("numpy_function", "py_func")
"""The functions that hand arrays to the user's function."""


@dataclass(slots=True)
class Departure:
    """A value that left the tensors' world: what made an array, or a number of Python's, of it.

    Attributes:
      identity: the value's.
      since: an identity that is younger than all values that were there when it left.
      where: the user's file and line.
    """

    identity: int
    since: int
    where: Place


class Chronicle(Recorder):
    """Sees all operations of its thread.

    Attributes:
      departures: the values that left.
      decisions: the values that Python asked whether they are true.
      variables: the names of the variables that were read, by identity.
      watched: for each tape's number, when it began to watch what: how many operations had happened.
      resets: for each tape's number, when it last forgot all.
    """

    follows = True

    def __init__(self) -> None:
        self._calls: deque[Any] = deque(maxlen=LIMIT)
        self._count = 0
        self._told: set[Any] = set()
        self._numbers: WeakKeyDictionary[Any, int] = WeakKeyDictionary()
        self._next = itertools.count()
        self.departures: deque[Departure] = deque(maxlen=LIMIT)
        self.decisions: deque[Departure] = deque(maxlen=LIMIT)
        self.variables: dict[int, str] = {}
        self.watched: dict[int, dict[int, int]] = {}
        self.resets: dict[int, int] = {}

    def number(self, tape: Any) -> int:
        """The number by which the chronicle knows a tape."""
        found = self._numbers.get(tape)
        if found is None:
            found = self._numbers[tape] = next(self._next)  # never that of a tape which is gone: what it saw stays here
            _chronicles[tape] = self
        return found

    def _tapes(self) -> tuple[int, ...]:
        return tuple([self.number(r) for r in context.recorders if isinstance(r, Recording)])

    def _note(self, make: Callable[[], Iterator[Happened]]) -> None:
        self._calls.append((self._count, make))
        self._count += 1

    def follow(self, kernel: Any, inputs: Sequence[Any], outputs: Sequence[Any], where: Any = None) -> None:
        where, tapes = where or line(), self._tapes()
        ins = {i: t.identity for i, t in enumerate(inputs)}
        outs, types = [t.identity for t in outputs], [t.spec for t in outputs]
        self._note(lambda: expanded(kernel, ins, outs, types, where, tapes))

    def called(self, kernel: Any, inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
        self.follow(kernel, inputs, outputs)  # whose graph knows the lines, which the operations one by one do not

    def saw_python(self, inputs: Sequence[Any], outputs: Sequence[Any], function: Callable[..., Any]) -> None:
        made = Happened(
            "custom gradient",
            tuple([t.identity for t in inputs]),
            tuple([t.identity for t in outputs]),
            tuple([t.spec for t in outputs]),
            where=line(),
            by_hand=True,
            tapes=self._tapes(),
        )
        self._note(lambda: iter((made,)))

    def saw_variable(self, variable: Any) -> None:
        self.variables[variable.identity] = variable.name

    def began_to_watch(self, tape: Any, value: Any) -> None:
        self.watched.setdefault(self.number(tape), {}).setdefault(value.identity, self._count)

    def began_anew(self, tape: Any) -> None:
        number = self.number(tape)
        self.watched.pop(number, None)
        self.resets[number] = self._count

    def answered(self, tape: Any, targets: Sequence[Any], sources: Sequence[Any], answers: Sequence[Any]) -> None:
        unanswered(tape, targets, sources, answers, True, self._told)  # once a variable is enough

    def assigned(self, box: Box, name: str, values: Sequence[Any], forgets: bool) -> None:
        """A variable gets a value that was computed from some tensors."""
        ins = tuple([v.identity for v in values])
        made = Happened(name, ins, (box.id,), (box.spec,), 0, line(), state=True, forgets=forgets)
        self._note(lambda: iter((made,)))

    def left(self, tensor: Tensor) -> None:
        """A value leaves."""
        if not _for_the_package():
            self._tapes()  # also those under which no operation ran find the chronicle by their numbers
            self.departures.append(Departure(tensor.identity, new_id(), line()))

    def decided(self, tensor: Tensor) -> None:
        """A value is asked whether it is true."""
        self.decisions.append(Departure(tensor.identity, new_id(), line()))

    @property
    def is_cut_off(self) -> bool:
        """Whether more happened than is kept."""
        return self._count > len(self._calls)

    def happened(self) -> Iterator[tuple[int, Happened]]:
        """All that happened, in order, with when: how many operations were before."""
        for when, make in list(self._calls):
            for each in make():
                yield when, each


_chronicles: WeakKeyDictionary[Any, Chronicle] = WeakKeyDictionary()


def chronicle_of(tape: Any) -> Chronicle | None:
    """The chronicle of the time when a tape recorded; None if there is none."""
    return _chronicles.get(tape) or open_chronicle()


def open_chronicle() -> Chronicle | None:
    """The chronicle that is being written on this thread."""
    return next((r for r in context.recorders if isinstance(r, Chronicle)), None)


@contextlib.contextmanager
def explaining() -> Iterator[None]:
    """A context in which more is kept of what happens, so that `tape.explain` can say more.

    That is the line of each operation, operations that no tape saw, what variables were assigned, and which values became NumPy
    arrays. A variable whose gradient is None is warned of, with the reason, the first time that a tape answers so. It slows
    operations down, and belongs around the tape's context; around a whole program it keeps the last operations.
    """
    if open_chronicle() is not None:
        yield
        return
    chronicle = Chronicle()
    if not context.recorders and context.pending is not None:
        context.pending.flush("a chronicle begins")
    set_recorders((chronicle, *context.recorders))
    _notice(1)
    try:
        yield
    finally:
        _notice(-1)
        set_recorders(tuple([r for r in context.recorders if r is not chronicle]))


def line() -> Place:
    """Where in the user's program something happens now."""
    return user_line(_LIBRARIES)


def _for_the_package() -> bool:
    """Whether this package itself, for its own ends, makes an array of a tensor: to print it, or as a size."""
    frame: Any = caller(3)
    while frame is not None:
        module = frame.f_globals.get("__name__", "")
        if not module.startswith("tfgrad_jax."):
            return False
        if module.endswith((".host.host_calls", ".v1.functions")) and frame.f_code.co_qualname.startswith(_HAND_OVER):
            return False  # as he asked for
        if module not in _THROUGH or frame.f_code.co_name in ("__repr__", "__str__"):
            return True
        frame = frame.f_back
    return False


_originals: list[tuple[Any, str, Any]] = []
_writers = 0
_lock = threading.Lock()


def _notice(more: int) -> None:
    """Exchange the methods by which values leave and change as long as somebody writes a chronicle."""
    global _writers
    with _lock:
        _writers += more
        if _writers and not _originals:
            for kind, name, around in (
                *((EagerTensor, name, _leaving) for name in _LEAVING),
                (EagerTensor, "__bool__", _deciding),
                (Tensor, "__jax_array__", _leaving),
                (Variable, "__init__", _making),
                (Variable, "assign", _assigning),
                (Box, "update", _updating),
            ):
                original = kind.__dict__[name]
                _originals.append((kind, name, original))
                setattr(kind, name, around(original))
        elif not _writers:
            while _originals:
                setattr(*_originals.pop())


def _leaving(original: Any) -> Any:
    def leave(self: Any, *args: Any, **kwargs: Any) -> Any:
        chronicle = open_chronicle()
        if chronicle is not None:
            chronicle.left(self)
        return original(self, *args, **kwargs)

    return leave


def _deciding(original: Any) -> Any:
    def decide(self: Any) -> bool:
        chronicle = open_chronicle()
        if chronicle is not None:
            chronicle.decided(self)
        return original(self)

    return decide


def _making(original: Any) -> Any:
    def make(self: Any, initial_value: Any = None, *args: Any, **kwargs: Any) -> None:
        original(self, initial_value, *args, **kwargs)
        chronicle = open_chronicle()
        if chronicle is not None and context.graph is None and isinstance(initial_value, (Tensor, Variable)):
            chronicle.assigned(self.box, "VarHandleOp", [initial_value], forgets=False)

    return make


def _assigning(original: Any) -> Any:
    def assign(self: Any, value: Any, *args: Any, **kwargs: Any) -> Any:
        chronicle = open_chronicle()
        if chronicle is not None and context.graph is None:
            given = [value] if isinstance(value, (Tensor, Variable)) else []
            chronicle.assigned(self.box, "AssignVariableOp", given, forgets=True)
        return original(self, value, *args, **kwargs)

    return assign


def _updating(original: Any) -> Any:
    def update(self: Any, kernel: Any, *operands: Any) -> Any:
        chronicle = open_chronicle()
        if chronicle is not None and context.graph is None:
            chronicle.assigned(self, kernel.name, operands, forgets=False)
        return original(self, kernel, *operands)

    return update
