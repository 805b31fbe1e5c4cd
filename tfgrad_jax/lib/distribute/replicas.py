"""Replicas: a function called once for each, on threads of which one runs at a time, as far as the next place where all meet.

So nothing runs at once that the program did not write so, the order is the same every time, and what one replica raises ends all.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from typing import Any

from tfgrad_jax.engine.hooks import converted_inside
from tfgrad_jax.engine.threads.context import context, going_on
from tfgrad_jax.lib.distribute.contexts import ReplicaContext, entered
from tfgrad_jax.lib.distribute.values import regrouped, selected


class _Ended(BaseException):
    """Ends a replica that waits for others that will not come; no program catches it by accident."""


class _Meeting:
    """A replica came to a place where all meet.

    Args:
      function: what is called there.
      args, kwargs: this replica's arguments.
    """

    def __init__(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.function = function
        self.args = args
        self.kwargs = kwargs


class Replica:
    """A call on a thread of its own.

    Attributes:
      waits: the meeting that it waits for, or None.
      result: a list of what the call gave, when it is over.
      error: what it raised.
    """

    def __init__(self, strategy: Any, number: int, made: list[Any], call: Callable[[], Any]) -> None:
        self.waits: _Meeting | None = None
        self.result: list[Any] = []
        self.error: BaseException | None = None
        self.number = number
        self._strategy = strategy
        self._made = made
        self._taken = 0
        self._call = call
        self._graph = context.graph
        self._begin = going_on(number)
        self._inbox: SimpleQueue[Any] = SimpleQueue()
        self._outbox: SimpleQueue[None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name=f"replica_{number}", daemon=True)
        self._started = False

    def go_on(self, answer: Any = None) -> None:
        """Let it run, with what the meeting gave, until it meets the others or is over."""
        self.waits = None
        if self._started:
            self._inbox.put(answer)
        else:
            self._started = True
            self._thread.start()
        self._outbox.get()

    def end(self) -> None:
        """End it where it waits."""
        if self.waits is not None:
            self.go_on(_Ended())

    def _run(self) -> None:
        try:
            self._begin()
            context.copy = self.number
            replica = ReplicaContext(self._strategy, self.number, self._meet, self._variable)
            with self._strategy.extended.on_device(self.number), entered(self._strategy, replica):
                self.result.append(self._call())
        except BaseException as error:
            self.error = error
        finally:
            self._outbox.put(None)

    def _meet(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if context.graph is not self._graph or threading.current_thread() is not self._thread:
            raise RuntimeError(
                "`merge_call` called while defining a new graph or a tf.function. The function given to `strategy.run()` calls "
                "a tf.function, or has a branch or loop of tensors, in which replicas meet (as where gradients are summed). Put "
                "the tf.function around `strategy.run()`, and the meeting outside of branches and loops."
            )
        self.waits = _Meeting(function, args, kwargs)
        self._outbox.put(None)
        answer = self._inbox.get()
        if isinstance(answer, _Ended):
            raise answer
        return answer

    def _variable(self, make: Callable[[], Any]) -> Any:
        """The variable that all replicas make in this place: the first one makes it."""
        if self._taken == len(self._made):
            if self.number:
                raise RuntimeError("a replica makes more variables than the first one did")
            self._made.append(make())
        self._taken += 1
        return self._made[self._taken - 1]


def run_replicas(strategy: Any, function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """Call a function on every replica of this process.

    Args:
      strategy: whose replicas.
      function: the function.
      args, kwargs: nests, of whose distributed values each replica gets its own.

    Returns:
      One nest of what the replicas return.

    Raises:
      BaseException: what the first replica to fail raised.
      RuntimeError: if some replicas wait for others that are over.
    """
    if context.graph is not None:
        function = converted_inside(function)
    made: list[Any] = []
    replicas = [
        Replica(strategy, i, made, _call(function, selected(i, tuple(args)), selected(i, kwargs)))
        for i in range(len(strategy.extended.worker_devices))
    ]
    answers: Sequence[Any] = [None] * len(replicas)
    try:
        while True:
            for replica, answer in zip(replicas, answers, strict=True):
                replica.go_on(answer)
                if replica.error is not None:
                    raise replica.error
            meetings = [replica.waits for replica in replicas if replica.waits is not None]
            if not meetings:
                return regrouped([replica.result[0] for replica in replicas])
            if len(meetings) < len(replicas):
                raise RuntimeError("Some replicas made a different number of replica_context().merge_call() calls.")
            with entered(strategy, None):
                answers = _met(strategy, meetings)
    finally:
        for replica in replicas:
            replica.end()


def _call(function: Callable[..., Any], args: Any, kwargs: Any) -> Callable[[], Any]:
    return lambda: function(*args, **kwargs)


def _met(strategy: Any, meetings: list[_Meeting]) -> list[Any]:
    """What each replica gets of a meeting."""
    args = regrouped([meeting.args for meeting in meetings])
    kwargs = regrouped([meeting.kwargs for meeting in meetings])
    result = meetings[0].function(strategy, *args, **kwargs)
    return [selected(i, result) for i in range(len(meetings))]
