"""Gradient tapes: what to record, and what to answer."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from typing import Any

import jax.numpy as jnp

from tfgrad_jax.engine.cache import Cache
from tfgrad_jax.engine.fused.note import fused
from tfgrad_jax.engine.fused.plan import Noted
from tfgrad_jax.engine.kernels.executables import FEW
from tfgrad_jax.engine.kernels.kernel import ONES, ONES_LIKE, Kernel
from tfgrad_jax.engine.messages import logging
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.execute import execute
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.tape.backward import (
    Entry,
    accumulate,
    backward_pass,
    dead_end,
    filled,
    record,
    zeros_like,
)
from tfgrad_jax.engine.tape.sources import asked, differentiable, in_place_of, seeds
from tfgrad_jax.engine.threads.context import Recorder, context, set_recorders
from tfgrad_jax.engine.values import nest
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.tensor import Tensor


@export("UnconnectedGradients")
class UnconnectedGradients(Enum):
    """What to answer where the target does not depend on a source. Mirrors `tf.UnconnectedGradients`."""

    NONE = "none"
    ZERO = "zero"


@export("GradientTape", "autodiff.GradientTape")
class GradientTape(Recorder):
    """Records operations for automatic differentiation. Mirrors `tf.GradientTape`.

    Args:
      persistent: whether `gradient` may be called more than once.
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
        self._entries: list[Entry] = []
        self._watched: set[int] = set()
        self._variables: dict[int, Any] = {}
        if self._noted is not None:
            self._noted = None
            if self._recording:
                self.opened()

    # -- recording ----------------------------------------------------------------------------------------------------

    def __enter__(self) -> GradientTape:
        self._push()
        return self

    def __exit__(self, *exc: object) -> None:
        try:
            if self._recording:
                self._pop()
        finally:  # whatever an interrupt left half done
            self._recording = False
            context.recorders = tuple(r for r in context.recorders if r is not self)

    def _push(self) -> None:
        if self._recording:
            raise ValueError("Tape is still recording, This can happen if you try to re-enter an already-active tape.")
        self._used = False
        if not context.recorders and context.pending is not None:
            context.pending.flush("an outermost tape is entered")
        set_recorders((*context.recorders, self))
        self._recording = True

    def _pop(self) -> None:
        if not self._recording:
            raise ValueError("Tape is not recording.")
        set_recorders(tuple(r for r in context.recorders if r is not self))
        self._recording = False

    def saw(self, kernel: Kernel, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> None:
        watched = self._watched
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
                self._watched.add(t.identity)

    def opened(self) -> None:
        # Without a pending trace there is nothing to see yet: the next one will say so when it begins.
        trace = context.pending
        if context.executor is fused and trace is not None and not trace.closed:
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
        """
        noted = self._noted
        if noted is None or (trace is not None and noted.trace is not trace):
            return
        if trace is None and noted.trace is not context.pending:
            # It is another thread's, or another thread runs it: nobody but its own thread may do more than make it run.
            noted.trace.flush("a tape is asked by another thread")
        with noted.trace.lock:  # another thread may be running the trace
            if self._noted is noted:
                known = len(self._entries)
                try:
                    for operation in noted.operations(self._watched):
                        self.saw(*operation)
                except BaseException:  # an interrupt: they will be asked for again
                    del self._entries[known:]
                    raise
                self._noted = None
                if self._recording and not noted.trace.closed:  # else the next one will say so when it begins
                    self.opened()

    def saw_python(self, inputs: Sequence[Any], outputs: Sequence[Tensor], function: Callable[..., Any]) -> None:
        """Record an operation whose gradient is a Python function of the cotangents of all its outputs."""
        self.settle()
        wanted = [i for i, t in enumerate(inputs) if t.identity in self._watched]
        if wanted:

            def of_wanted(*cotangents: Any) -> list[Any]:
                results = function(*cotangents)
                return [results[i] for i in wanted]

            ids = tuple(inputs[i].identity for i in wanted)
            self._add(Entry(None, ids, tuple(t.identity for t in outputs if t.spec), python=of_wanted), outputs)

    def saw_variable(self, variable: Any) -> None:
        """A variable is read while this tape records."""
        if variable.identity not in self._watched and self._watch_accessed_variables and variable.trainable:
            self._watch_variable(variable)

    def _watch_variable(self, variable: Any) -> None:
        self._variables[variable.identity] = variable
        if variable.dtype.trainable:
            self._watch_id(variable.identity)

    def _watch_id(self, identity: int) -> None:
        noted = self._noted
        if noted is None:
            self._watched.add(identity)
            return
        with noted.trace.lock:  # another thread may be settling it
            if identity not in self._watched:
                noted.watch(identity)
                self._watched.add(identity)

    def watch(self, tensor: Any) -> None:
        """Follow a tensor, a variable, or a nest of them, from here on.

        Raises:
          ValueError: if something else is passed.
        """
        for t in nest.flatten(tensor, expand_composites=True):
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

    def is_watching(self, value: Any) -> bool:
        """Whether a tensor or variable, or something that it is the result of, is watched."""
        return value.identity in self._watched

    def watched_variables(self) -> tuple[Any, ...]:
        """The variables watched so far, in the order in which they were created."""
        return tuple(self._variables[i] for i in sorted(self._variables))

    # -- asking -------------------------------------------------------------------------------------------------------

    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
    ) -> Any:
        """The gradient of the (summed) target with respect to each source. Mirrors `tf.GradientTape.gradient`.

        Args:
          target: a tensor, or a nest of them.
          sources: a tensor or variable, or a nest of them.
          output_gradients: cotangents of the targets, in the targets' structure; ones where None.
          unconnected_gradients: `UnconnectedGradients.NONE` or `ZERO` (or `"none"`, `"zero"`).

        Returns:
          A gradient of the shape and dtype of each source, in the sources' structure; None (or zeros) where the target
          does not depend on it.

        Raises:
          RuntimeError: if a tape that is not persistent is asked twice, or inside its context after that.
          TypeError: if a target is None or no tensor.
          ValueError: if `unconnected_gradients` is something else.
        """
        self._check_unused()
        unconnected = _unconnected(unconnected_gradients)
        if self._recording:
            if not self._persistent:
                self._pop()
            else:
                logging.warn(
                    "Calling GradientTape.gradient on a persistent tape inside its context is significantly less efficient "
                    "than calling it outside the context (it causes the gradient ops to be recorded on the tape, leading to "
                    "increased CPU and memory usage). Only call GradientTape.gradient inside the context if you actually "
                    "want to trace the gradient in order to compute higher order derivatives."
                )
        if target is None:
            raise TypeError(
                "Argument `target` should be a list or nested structure of Tensors, Variables or CompositeTensors to be "
                "differentiated, but received None."
            )
        flat_targets = []
        for t in differentiable(target):
            operand = asked(t, "target")
            if not operand.dtype.trainable:
                logging.warn_once(
                    "The dtype of the target tensor must be floating (e.g. tf.float32) when calling GradientTape.gradient, got %r",
                    operand.dtype,
                )
            flat_targets.append(operand)
        flat_sources = differentiable(sources)
        operands = [asked(s, "source") for s in flat_sources]
        for s in operands:
            if not s.dtype.trainable:
                logging.warn_once(
                    "The dtype of the source tensor must be floating (e.g. tf.float32) when calling GradientTape.gradient, got %r",
                    s.dtype,
                )
        given: list[Tensor | None] = [None] * len(flat_targets)
        if output_gradients is not None:
            flat = seeds(output_gradients)[: len(flat_targets)]  # TensorFlow ignores what is too many, too
            given[: len(flat)] = [None if g is None else _seed(g, t) for g, t in zip(flat, flat_targets, strict=False)]
        if not self._persistent:
            self._used = True
        answers = self.backward(flat_targets, operands, given, unconnected)
        return in_place_of(sources, answers)

    def jacobian(
        self,
        target: Any,
        sources: Any,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """The derivative of every element of the target by every element of each source.

        Mirrors `tf.GradientTape.jacobian`.

        Args:
          target: a tensor.
          sources: a tensor or variable, or a nest of them.
          unconnected_gradients: as in `gradient`.
          parallel_iterations: accepted for compatibility.
          experimental_use_pfor: whether all rows are computed at once; False goes row by row, which needs a persistent tape.

        Returns:
          For each source a tensor of shape `target.shape + source.shape`, or None.

        Raises:
          RuntimeError: if a tape that is not persistent is asked twice, or without `experimental_use_pfor`.
        """
        from tfgrad_jax.engine.tape.jacobian import jacobian

        return jacobian(self, target, sources, _unconnected(unconnected_gradients), experimental_use_pfor)

    def batch_jacobian(
        self,
        target: Any,
        source: Any,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """The Jacobian of each example of a batch. Mirrors `tf.GradientTape.batch_jacobian`.

        Args:
          target: a tensor of shape `[batch, ...]`, of which example `i` depends on `source[i]` alone.
          source: a tensor of shape `[batch, ...]`.
          unconnected_gradients, parallel_iterations, experimental_use_pfor: as in `jacobian`.

        Returns:
          A tensor of shape `target.shape + source.shape[1:]`; zeros where the target does not depend on the source.

        Raises:
          RuntimeError: as `jacobian`.
          ValueError: if target and source have different first dimensions.
        """
        from tfgrad_jax.engine.tape.jacobian import batch_jacobian

        return batch_jacobian(self, target, source, _unconnected(unconnected_gradients), experimental_use_pfor)

    @contextlib.contextmanager
    def answering(self) -> Iterator[list[Entry]]:
        """A context in which a question about all that is recorded is answered.

        Yields:
          The entries, in order; afterwards a tape that is not persistent has forgotten them.

        Raises:
          RuntimeError: if a tape that is not persistent is asked twice.
        """
        self._check_unused()
        if self._recording and not self._persistent:
            self._pop()
        self.settle()
        yield self._entries
        self._used = True
        if not self._persistent:
            self._forget()

    @property
    def persistent(self) -> bool:
        """Whether it may be asked more than once."""
        return self._persistent

    def _check_unused(self) -> None:
        if self._used and not self._persistent:
            raise RuntimeError(
                "A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians)"
            )

    def backward(self, targets: list[Any], sources: list[Any], given: list[Any], unconnected: Any) -> list[Any]:
        """The answers for flat targets and sources, along a known plan if there is one."""
        noted = self._noted
        if noted is None or noted.trace is not context.pending or self._entries or context.followers:
            return self._walk_back(targets, sources, given, unconnected)
        plan = noted.plan(self._watched, targets, sources, given, unconnected)
        answers = plan.replay()
        if answers is None:
            answers = self._walk_back(targets, sources, given, unconnected)
            plan.keep(answers)
        elif not self._persistent:
            self._forget()
        return answers

    def _walk_back(self, targets: list[Any], sources: list[Any], given: list[Any], unconnected: Any) -> list[Any]:
        self.settle()
        wanted = {s.identity for s in sources}
        cotangents: dict[int, Any] = {}
        for t, seed in zip(targets, given, strict=True):
            if (t.identity not in self._watched and t.identity not in wanted) or not t.dtype.trainable:
                continue
            if seed is None:
                seed = filled(ONES, ONES_LIKE, t)
            elif seed.spec.shape != t.spec.shape:
                if None in t.spec.shape:
                    seed = execute(_BROADCAST_LIKE, (seed, t.as_operand() if isinstance(t, Variable) else t))
                else:
                    seed = execute(_broadcast(t.spec.shape), (seed,))
            known = cotangents.get(t.identity)
            cotangents[t.identity] = seed if known is None else accumulate(known, seed)
        entries, watched = self._entries, self._watched
        if not self._persistent:
            self._entries = []
        try:
            backward_pass(entries, cotangents, wanted, consume=not self._persistent)
        finally:
            if not self._persistent:
                self._forget()
        answers: list[Any] = []
        for s in sources:
            answer = (
                cotangents.get(s.identity)
                if s.identity in watched or s.identity in {t.identity for t in targets}
                else None
            )
            if answer is None and unconnected is UnconnectedGradients.ZERO:
                answer = zeros_like(s)
            answers.append(answer)
        return answers

    def _forget(self) -> None:
        """Free what was recorded; the watched variables remain known."""
        variables = self._variables
        self._clear()
        self._variables = variables


def _unconnected(value: Any) -> UnconnectedGradients:
    try:
        return UnconnectedGradients(value)
    except ValueError:
        raise ValueError(f"Unknown value for unconnected_gradients: {value!r}; use 'none' or 'zero'") from None


def _seed(value: Any, target: Any) -> Tensor:
    seed = convert(value)
    if seed.dtype is not target.dtype:
        raise invalid_argument(
            f"GradientTape.gradient: an output_gradient has dtype {seed.dtype.name}, its target {target.dtype.name}; tf.cast it"
        )
    return seed


_BROADCAST_LIKE = Kernel("BroadcastTo", lambda x, like: jnp.broadcast_to(x, like.shape), differentiable=1)
_BROADCAST_LIKE.like = (1,)
_broadcasts: Cache[Any, Kernel] = Cache()


def _broadcast(shape: tuple[int, ...]) -> Kernel:
    kernel = _broadcasts[shape]
    if kernel is None:
        many = len(_broadcasts) >= FEW
        kernel = _broadcasts.keep(shape, Kernel("BroadcastTo", lambda x: jnp.broadcast_to(x, shape), many=many))
    return kernel
