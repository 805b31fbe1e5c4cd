"""The state of one thread: the recorders that see operations, the executor that runs them, the open name scope."""

from __future__ import annotations

import contextlib
import itertools
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

new_id = itertools.count(1).__next__
"""Identities of tensors and variables, by which tapes know them; never reused, so they need keep nothing alive."""


class Recorder:
    """Something that sees the operations of its thread: a tape. This base sees nothing.

    Attributes:
      follows: whether it computes something along with each operation, also where that is only noted in a pending trace.
      everywhere: whether it sees the operations of graphs too that are recorded while it is open.
      watched_ids: the identities of what it watches; that such a variable is read again it need not see.
    """

    follows = False
    everywhere = False
    watched_ids: Collection[int] = frozenset()

    def saw(self, kernel: Any, inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
        """An operation ran now (not: was noted in a pending trace, which is a record of its own)."""

    def saw_python(self, inputs: Sequence[Any], outputs: Sequence[Any], function: Callable[..., Any]) -> None:
        """Python code ran that has a gradient function of its own."""

    def follow(self, kernel: Any, inputs: Sequence[Any], outputs: Sequence[Any], where: Any = None) -> None:
        """An operation ran or was noted; called only where `follows`, after every tape has recorded it.

        Args:
          kernel, inputs, outputs: of the operation.
          where: the user's file and line, if it was recorded in another than that which runs.
        """

    def renamed(self, before: Any, after: Any) -> None:
        """A tensor goes on under another identity; called only where `follows`."""

    def called(self, kernel: Any, inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
        """A function ran operation by operation; called only where `follows`, which saw these operations."""

    def began_anew(self, tape: Any) -> None:
        """A tape forgets all and records on; called only where `follows`."""

    def answered(self, tape: Any, targets: Sequence[Any], sources: Sequence[Any], answers: Sequence[Any]) -> None:
        """A tape was asked for gradients; called only where `follows`."""

    def saw_variable(self, variable: Any) -> None:
        """A trainable variable was read."""

    def began_to_watch(self, tape: Any, value: Any) -> None:
        """A tape is told to watch a value; called only where `follows`."""

    def opened(self) -> None:
        """This recorder sees operations from here on."""

    def closed(self) -> None:
        """It does not any more."""


class Context(threading.local):
    """The state of the current thread; each thread starts with a fresh one.

    Attributes:
      recorders: what sees every operation, outermost first.
      followers: those among them that follow.
      executor: runs a kernel on tensors; see `execute`.
      eager: the executor of what runs eagerly, as the mode of this thread says: `executor` itself, but where something is traced.
      pending: the trace of fused mode, while there is one.
      pace: whether fused mode pays here, see `pace`.
      graph: the function being traced, which stands between variables and their values; None otherwise.
      name_scope: the open name scope with its trailing slash, or "".
      by_rules: whether JAX is to differentiate what runs, by the kernels' own rules.
      silent: whether it runs once more for that, without its side effects.
      exporting: of a program being traced for others, who may not know JAX's newest operations, what it needs to assume of open
        sizes, see `dimensions.Wanted`; None where no such program is traced.
      replica: the number of the replica that runs, of several devices; its random states are its own.
      place: the device that what is recorded is to run on, where replicas have a device each; None where that is left open.
      copy: which copies of variables a replica uses, of several: functions have traces for each; None outside of replicas.
      on_host: whether what runs stays on the host, though there is an accelerator, see `policy`.
      checks: the record of checks of the program being traced, see `checks`; None if nobody asks for it.
      whole: None, or a weak reference to the call of a program that is interpreted and may still be compiled as a whole, see
        `whole.Whole`. An interrupt may leave the reference, but not the call.
    """

    default_executor: Any = None
    """The mode of threads that start later."""
    default_graph: Any = None
    """What these record in, where programs have turned eager execution off."""

    def __init__(self) -> None:
        self.recorders: tuple[Recorder, ...] = ()
        self.followers: tuple[Recorder, ...] = ()
        graph = self.graph = Context.default_graph
        self.executor: Any = Context.default_executor if graph is None else graph.recorder
        self.eager: Any = Context.default_executor
        self.pending: Any = None
        self.pace: Any = None
        self.name_scope: str = ""
        self.by_rules: bool = False
        self.silent: bool = False
        self.exporting: Any = None
        self.replica: int = 0
        self.place: Any = None
        self.copy: int | None = None
        self.on_host = False
        self.checks: Any = None
        self.whole: Callable[[], Any] | None = None


context = Context()

followed: set[type] = set()
"""The classes of all recorders that ever followed, in any thread. As long as there are none, nobody asks for any."""


def set_recorders(recorders: tuple[Recorder, ...]) -> None:
    """Let just these see the operations that follow."""
    here = context.__dict__  # each look at the state of a thread takes as long as a call
    before = here["recorders"]
    for r in before:
        if r not in recorders:
            r.closed()
    here["recorders"] = recorders
    here["followers"] = followers = tuple([r for r in recorders if r.follows])
    if followers:
        followed.update(map(type, followers))
    for r in recorders:
        if r not in before:
            r.opened()


@contextlib.contextmanager
def placed(device: Any) -> Iterator[None]:
    """A context in which what is recorded is to run on a device; None leaves it open."""
    before, context.place = context.place, device
    try:
        yield
    finally:
        context.place = before


@contextlib.contextmanager
def switched(graph: Any, executor: Any, recorders: tuple[Recorder, ...] = ()) -> Iterator[None]:
    """A context in which operations go to another graph and executor, and just these recorders see them.

    A graph has name scopes of its own, which go on where operations run outside of all graphs. After it all is as before, except
    that a mode chosen inside holds on where operations ran eagerly before.
    """
    before = context.graph, context.executor, context.recorders
    scope = context.name_scope
    was_eager = context.executor is context.eager
    set_recorders(recorders)
    if graph is not None and graph is not context.graph:
        context.name_scope = graph.scope
    context.graph, context.executor = graph, executor
    try:
        yield
    finally:
        context.graph, context.executor = before[0], context.eager if was_eager else before[1]
        context.name_scope = scope
        set_recorders(before[2])
        if context.executor is not executor:
            # A tape that settled meanwhile sees again what is noted from here on.
            for recorder in recorders:
                if recorder in before[2]:
                    recorder.opened()


going_on_too: list[Callable[[int], Callable[[], None]]] = []
"""For what else has a state for each thread: functions that take a replica's number, and give what its thread calls to go on."""

_GO_ON = ("executor", "eager", "pace", "graph", "by_rules", "silent", "exporting", "checks")


def going_on(replica: int) -> Callable[[], None]:
    """What has another thread go on where this one is: in its graph and mode, without its tapes and what is pending.

    Args:
      replica: the number of the replica that the other thread runs.

    Returns:
      A function for the other thread to call. The two must not run at the same time.
    """
    state = {name: getattr(context, name) for name in _GO_ON} | {"replica": replica}
    others = [make(replica) for make in going_on_too]

    def go_on() -> None:
        context.__dict__.update(state)
        for other in others:
            other()

    return go_on
