"""The recording side of a tape: which operations it records, and what it watches."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Self

from tfgrad_jax.engine.fused.note import fused
from tfgrad_jax.engine.fused.plan import Noted
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.messages import logging
from tfgrad_jax.engine.messages.errors import again
from tfgrad_jax.engine.state.resource import ResourceTensor
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.tape.backward import Entry, dead_end, record
from tfgrad_jax.engine.threads.context import Recorder, context, set_recorders
from tfgrad_jax.engine.values import nest
from tfgrad_jax.engine.values.tensor import Tensor


class Recording(Recorder):
    """The half of a tape that records: entries, in order, of the operations on what is watched.

    While a trace of fused mode is pending, the trace is the record; its operations become entries when the tape settles.

    Args:
      persistent: whether it keeps what it recorded when it was asked.
      watch_accessed_variables: whether trainable variables are watched when they are read.
    """

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self._persistent = persistent
        self._watch_accessed_variables = watch_accessed_variables
        self._recording = False
        # Before it is entered, a tape has nothing to be asked about, like one that has answered.
        self._used = True
        self._noted: Noted | None = None
        self._clear()

    def _clear(self) -> None:
        self._failed: Exception | None = None
        self._entries: list[Entry] = []
        self.watched_ids: set[int] = set()
        self._variables: dict[int, Any] = {}
        if self._noted is not None:
            self._noted = None
            if self._recording:
                self.opened()

    def __enter__(self) -> Self:
        self._push()
        return self

    def __exit__(self, *exc: object) -> None:
        try:
            if self._recording:
                self._pop()
        finally:  # whatever an interrupt left half done
            self._recording = False
            if self in context.recorders:
                context.recorders = tuple(r for r in context.recorders if r is not self)

    def _push(self) -> None:
        if self._recording:
            raise ValueError("Tape is still recording, This can happen if you try to re-enter an already-active tape.")
        self._used = False
        recorders = context.recorders
        if not recorders and context.pending is not None:
            context.pending.flush("an outermost tape is entered")
        set_recorders((*recorders, self))
        self._recording = True

    def _pop(self) -> None:
        if not self._recording:
            raise ValueError("Tape is not recording.")
        set_recorders(tuple([r for r in context.recorders if r is not self]))
        self._recording = False

    def saw(self, kernel: Kernel, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> None:
        watched = self.watched_ids
        if not watched:
            return
        wrt = 0
        bit = 1
        for t in inputs:
            if t.identity in watched:
                wrt |= bit
            bit += bit
        if not wrt:
            return
        wrt &= kernel.differentiable
        if wrt:
            self._add(record(kernel, inputs, outputs, wrt), outputs)
        elif kernel.recorded and any([t.spec.dtype.trainable for t in outputs]):
            self._add(dead_end(outputs), outputs)

    def _add(self, entry: Entry, outputs: Sequence[Tensor]) -> None:
        self._entries.append(entry)
        for t in outputs:
            if t.known_spec.dtype.trainable:  # type: ignore[union-attr]  # known since it was recorded
                self.watched_ids.add(t.identity)

    def opened(self) -> None:
        # Without a pending trace there is nothing to see yet: the next one will say so when it begins.
        trace = context.pending
        if trace is not None and context.executor is fused and not trace.closed:
            if self._noted is not None and self._noted.trace is not trace:
                self.settle()  # which another thread runs just now
            self._noted = self._noted or Noted(trace, self)
            self._noted.open()

    def closed(self) -> None:
        if self._noted is not None:
            self._noted.close()

    def settle(self, trace: Any = None) -> None:
        """Turn what a pending trace holds for this tape into entries.

        Args:
          trace: do so for this trace only, which is about to run.

        Raises:
          Exception: what has no gradient that can be recorded; if the trace is to run, this tape alone raises it, when it is asked.
        """
        noted = self._noted
        if noted is not None and trace in (None, noted.trace):
            self._settle(noted, trace)
        if trace is None and self._failed is not None:
            raise again(self._failed)

    def _settle(self, noted: Noted, trace: Any) -> None:
        if trace is None and noted.trace is not context.pending:
            # It is another thread's, or another thread runs it: nobody but its own thread may do more than make it run.
            noted.trace.flush("a tape is asked by another thread")
        with noted.trace.lock:  # another thread may be running the trace
            if self._noted is noted:
                known = len(self._entries)
                try:
                    for operation in noted.operations(self.watched_ids):
                        self.saw(*operation)
                except BaseException as error:
                    del self._entries[known:]
                    # After an interrupt they will be asked for again.
                    if trace is None or not isinstance(error, Exception):
                        raise
                    self._failed = again(error)
                self._noted = None
                if self._recording and not noted.trace.closed:  # else the next one will say so when it begins
                    self.opened()

    def saw_python(self, inputs: Sequence[Any], outputs: Sequence[Tensor], function: Callable[..., Any]) -> None:
        """Record an operation whose gradient is a Python function of the cotangents of all its outputs."""
        self.settle()
        wanted = [i for i, t in enumerate(inputs) if t.identity in self.watched_ids]
        if wanted:

            def of_wanted(*cotangents: Any) -> list[Any]:
                results = function(*cotangents)
                return [results[i] for i in wanted]

            ids = tuple(inputs[i].identity for i in wanted)
            self._add(Entry(None, ids, tuple(t.identity for t in outputs if t.spec), python=of_wanted), outputs)

    def saw_variable(self, variable: Any) -> None:
        """A trainable variable is read while this tape records."""
        if self._watch_accessed_variables:
            self._watch_variable(variable)

    def _watch_variable(self, variable: Any) -> None:
        identity = variable.identity
        self._variables[identity] = variable
        if variable.box.dtype.trainable:
            self._watch_id(identity)

    def _watch_id(self, identity: int) -> None:
        if identity in self.watched_ids:
            return
        noted = self._noted
        if noted is None:
            self.watched_ids.add(identity)
            return
        trace = noted.trace
        if trace is context.pending:
            trace.noting = True
            try:
                if not trace.closed:
                    noted.watch(identity)
                    self.watched_ids.add(identity)
                    return
            finally:
                trace.noting = False
        with trace.lock:  # another thread may be settling it
            if identity not in self.watched_ids:
                noted.watch(identity)
                self.watched_ids.add(identity)

    def watch(self, tensor: Any) -> None:
        """Follow a tensor, a variable, or a nest of them, from here on.

        Raises:
          ValueError: if something else is passed.
        """
        for t in nest.flatten(tensor, expand_composites=True):
            t = t.variable if isinstance(t, ResourceTensor) else t
            is_variable = isinstance(t, Variable)
            if not isinstance(t, Tensor) and not is_variable:
                raise ValueError(
                    f"Passed in object {t!r} of type {type(t).__name__!r}, not tf.Tensor or tf.Variable or ExtensionType."
                )
            if not t.dtype.trainable:
                logging.warn("The dtype of the watched tensor must be floating (e.g. tf.float32), got %r", t.dtype)
            if is_variable:
                self._watch_variable(t)
            elif t.dtype.trainable:
                self._watch_id(t.identity)
            for follower in context.followers:
                follower.began_to_watch(self, t)

    @contextlib.contextmanager
    def stop_recording(self) -> Iterator[None]:
        """A context in which this tape records nothing.

        Raises:
          ValueError: if the tape is not recording.
        """
        if not self._recording:
            raise RuntimeError("Trying to stop recording a tape which is not recording.")
        self._pop()
        try:
            yield
        finally:
            self._push()

    def reset(self) -> None:
        """Forget everything recorded and watched, and go on recording.

        Raises:
          ValueError: if the tape is not recording.
        """
        if not self._recording:
            raise ValueError("Tape is not recording.")
        self._clear()
        self._used = False
        for follower in context.followers:
            follower.began_anew(self)

    @property
    def watches_variables(self) -> bool:
        """Whether it watches trainable variables when they are read."""
        return self._watch_accessed_variables

    def kept(self) -> tuple[list[Entry], set[int]]:
        """What it keeps so far: the entries, and the identities that it watches. A tape that was asked keeps neither."""
        self.settle()
        return self._entries, self.watched_ids

    def is_watching(self, value: Any) -> bool:
        """Whether a tensor or variable, or something that it is the result of, is watched."""
        return value.identity in self.watched_ids

    def watched_variables(self) -> tuple[Any, ...]:
        """The variables watched so far, in the order in which they were created."""
        return tuple(self._variables[i] for i in sorted(self._variables))
