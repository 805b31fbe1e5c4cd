"""Gradient tapes: their answers. Their recording stands in `recording`."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from enum import Enum
from typing import Any

import jax.numpy as jnp

from tfgrad_jax.engine.cache import Cache
from tfgrad_jax.engine.hooks import drawn, explained, unanswered
from tfgrad_jax.engine.kernels.constants import ONES, ONES_LIKE
from tfgrad_jax.engine.kernels.executables import FEW
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.messages import logging
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.execute import execute
from tfgrad_jax.engine.state.unanswered import waiting
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.tape.backward import Entry, accumulate, backward_pass, filled, zeros_like
from tfgrad_jax.engine.tape.recording import Recording
from tfgrad_jax.engine.tape.sources import asked, differentiable, in_place_of, of_library, seeds
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.tensor import Tensor


@export("UnconnectedGradients")
class UnconnectedGradients(Enum):
    """The answer where the target does not depend on a source. Mirrors `tf.UnconnectedGradients`."""

    NONE = "none"
    ZERO = "zero"


@export("GradientTape", "autodiff.GradientTape")
class GradientTape(Recording):
    """Records operations for automatic differentiation. Mirrors `tf.GradientTape`.

    Args:
      persistent: whether `gradient` may be called more than once.
      watch_accessed_variables: whether trainable variables are watched when they are read.
    """

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
        flat_targets = _floating(differentiable(target), "target")
        operands = _floating(differentiable(sources), "source")
        given: list[Tensor | None] = [None] * len(flat_targets)
        if output_gradients is not None:
            flat = seeds(output_gradients)[: len(flat_targets)]  # TensorFlow ignores what is too many, too
            given[: len(flat)] = [None if g is None else _seed(g, t) for g, t in zip(flat, flat_targets, strict=False)]
        if not self._persistent:
            self._used = True
        answers = self.backward(flat_targets, operands, given, unconnected)
        for follower in context.followers:
            follower.answered(self, flat_targets, operands, answers)
        if waiting:
            for source, answer in zip(operands, answers, strict=True):
                if answer is not None:
                    waiting.pop(source.identity, None)
        if any([answer is None for answer in answers]) and not context.followers:
            unanswered(self, flat_targets, differentiable(sources), answers, of_library(sources))
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

    def explain(self, target: Any, sources: Any) -> Any:
        """Why `gradient(target, sources)` has, had or will have which gradients; TensorFlow has nothing like it.

        It may be asked at any time, and counts as no question. Within `with tf.extras.explaining():` it knows lines, and more.

        Args:
          target: a tensor, or a nest of them.
          sources: a tensor or variable, or a nest of them.

        Returns:
          A list with an `extras.gradients.reason.Reason` for each source, which prints as a report.
        """
        return explained(self, target, sources)

    def draw(self, target: Any = None, path: Any = None) -> Any:
        """A picture of what is recorded, before it is asked for gradients; TensorFlow has nothing like it.

        Args:
          target: None, or a tensor (or a nest): what carries gradient to it is marked.
          path: None, or where to write the picture, as an .svg file.

        Returns:
          An `extras.gradients.draw.Drawing`: it prints as a table of operations, shapes and bytes kept for the backward pass, and
          notebooks show it as a picture.
        """
        return drawn(self, target, path)

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
    def is_used(self) -> bool:
        """Whether it may not be asked (any more)."""
        return self._used and not self._persistent

    @property
    def persistent(self) -> bool:
        """Whether it may be asked more than once."""
        return self._persistent

    def _check_unused(self) -> None:
        if self._used and not self._persistent:
            raise RuntimeError(
                "A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians): name all sources "
                "in one call, or make it with persistent=True"
            )

    def backward(self, targets: list[Any], sources: list[Any], given: list[Any], unconnected: Any) -> list[Any]:
        """The answers for flat targets and sources, along a known plan if there is one."""
        noted = self._noted
        if noted is None or noted.trace is not context.pending or self._entries or context.followers:
            return self._walk_back(targets, sources, given, unconnected)
        plan = noted.plan(self.watched_ids, targets, sources, given, unconnected is UnconnectedGradients.ZERO)
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
            if (t.identity not in self.watched_ids and t.identity not in wanted) or not t.dtype.trainable:
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
        entries, watched = self._entries, self.watched_ids
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


def _floating(values: list[Any], role: str) -> list[Any]:
    """Targets or sources of a gradient; one that is not floating has none, which is warned of."""
    values = asked(values, role)
    for value in values:
        if not value.dtype.trainable:
            logging.warn_once(
                f"The dtype of the {role} tensor must be floating (e.g. tf.float32) when calling GradientTape.gradient, got %r",
                value.dtype,
            )
    return values


def _unconnected(value: Any) -> UnconnectedGradients:
    if type(value) is UnconnectedGradients:
        return value
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
