"""Loops that run turn by turn, each turn a compiled program that serves loops of every length.

A function is compiled for one length of its sequences; where each batch has another, its loops are interpreted, which takes a
hundred calls a turn where one would do. What a turn takes elements of, and puts elements into, has another size each time, but
what it makes of an element has not. So the host takes and puts, and the rest is compiled once; its gradient, too, which finds
what it needs of each turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tfgrad_jax.engine.cache import Cache
from tfgrad_jax.engine.control.interpret import taped
from tfgrad_jax.engine.control.turn import Turn, turn_of
from tfgrad_jax.engine.control.turn_run import KINDS, Kernels, Run, Unfit
from tfgrad_jax.engine.kernels.clock import Watch
from tfgrad_jax.engine.kernels.policy import policy
from tfgrad_jax.engine.run.execute import AT_ONCE, alias
from tfgrad_jax.engine.tape.tape import UnconnectedGradients
from tfgrad_jax.engine.threads.context import context, new_id, switched
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.pieces import in_pieces
from tfgrad_jax.engine.values.tensor import Tensor

if TYPE_CHECKING:
    from tfgrad_jax.engine.control.loop_program import LoopProgram

WORTH_SECONDS = 0.15
"""A turn is compiled when its loop has taken so long by interpretation, about as long as that takes,"""

_LENGTHS = 2
"""and has met so many lengths: for one, the whole function is compiled."""

_MISFITS = 3
"""Values are tried so often that turn out not to be for compiled turns."""


class Turns:
    """How a loop runs on tensors: operation by operation; by compiled turns where that has come to pay.

    Args:
      loop: the loop.
    """

    def __init__(self, loop: LoopProgram) -> None:
        self._loop = loop
        self._turn: Turn | None = None
        self._misfits = 0
        self._possible: bool | None = None  # None: nobody knows yet
        self._seconds = 0.0
        self._lengths: set[Any] = set()
        self._kernels: Cache[Any, Kernels] = Cache(KINDS)

    def run(self, tensors: Sequence[Tensor]) -> list[Tensor]:
        """The results of the loop."""
        if self._possible is not False and not in_pieces(tensors) and self._pays(tensors):
            try:
                return self._run_compiled(tensors)
            except Exception as error:  # operation by operation it is raised again, and names what failed
                self._misfits += 1
                self._possible = isinstance(error, Unfit) and self._misfits < _MISFITS
        watch = Watch()
        results = self._loop.one_by_one(tensors)
        self._seconds += watch.seconds
        return results

    def _pays(self, tensors: Sequence[Tensor]) -> bool:
        """Whether turns are to be compiled, for these operands too."""
        if (
            context.executor not in AT_ONCE
            or context.followers
            or policy.everything_compiled
            or policy.choice != "mixed"
        ):
            return False
        if len(self._lengths) < _LENGTHS:
            self._lengths.add(tuple([t.spec for t in tensors]))
        if len(self._lengths) < _LENGTHS or self._seconds < WORTH_SECONDS:
            return False
        if self._possible is None:
            self._turn = turn_of(self._loop)
            self._possible = self._turn is not None
        return bool(self._possible)

    def _run_compiled(self, tensors: Sequence[Tensor]) -> list[Tensor]:
        assert self._turn is not None
        running = Run(self._loop, self._turn, tensors)
        running.go(self._kernels)
        results = [alias(t, new_id()) for t in running.results]
        inputs = [tensors[i] for i in running.watched]
        if inputs:

            def gradient(*cotangents: Any) -> list[Tensor]:
                if not context.recorders:  # else it is differentiated itself
                    try:
                        with switched(None, context.executor):
                            return running.gradient(cotangents)
                    except Exception:  # raised again, and named, by the operation that has no such gradient
                        self._possible = False
                return self._seen_again(tensors, running.watched, cotangents)

            for recorder in context.recorders:
                recorder.saw_python(inputs, results, gradient)
        return results

    def _seen_again(self, tensors: Sequence[Tensor], watched: Sequence[int], cotangents: Sequence[Any]) -> list[Tensor]:
        """The gradient as open tapes are to see it: of the loop as it runs operation by operation."""
        tape, inputs, results = taped(self._loop.one_by_one, tensors)
        seeded = [(t, c) for t, c in zip(results, cotangents, strict=True) if c is not None and t.dtype.trainable]
        answers = tape.gradient(
            [t for t, _ in seeded],
            [inputs[i] for i in watched],
            [convert(c) for _, c in seeded],
            UnconnectedGradients.ZERO,
        )
        return [convert(a) for a in answers]
