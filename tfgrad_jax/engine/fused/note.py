"""Noting: fused mode's executors, which put operations into the pending trace of this thread."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray

from tfgrad_jax.engine.fused.pace import Pace
from tfgrad_jax.engine.fused.trace import Trace
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.run.execute import AT_ONCE, immediate
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values.tensor import Spec, Tensor

LENGTH_LIMIT = 4096
"""A trace of this many operations runs, whether or not somebody asks for a value."""

_HOST_SIZE = 64


# -- the executors --------------------------------------------------------------------------------------------------------


def fused(kernel: Kernel, inputs: tuple[Tensor, ...]) -> Any:
    """Fused mode: note the operation and return pending tensors.

    `Trace.follow` has noted it already, where it is what followed the first time too: nearly always, once a program repeats.
    """
    trace = context.pending
    if trace is None or trace.closed:
        trace = _begin()
        if trace is None:
            return resting(kernel, inputs)
        if 1 <= len(inputs) <= 2:
            out: Any = trace.follow(kernel, inputs[0], inputs[1] if len(inputs) == 2 else None)
            if out is not None:
                return out
    if inputs and type(inputs[0].held) is ndarray and _shape_arithmetic(inputs, trace.slots):
        return on_host(kernel, inputs)
    cursor = trace.cursor
    edge = _edge(trace, kernel, inputs)
    step = cursor.following(edge)
    if step is None:
        if cursor.depth >= LENGTH_LIMIT:
            trace.flush("length")
            return fused(kernel, inputs)
        step = trace.extend(edge, inputs)
        if step is None:
            return immediate(kernel, inputs)
    trace.noting = True  # from here on no other thread closes it
    try:
        if trace.closed:  # by another thread, in the meantime
            trace.noting = False
            return fused(kernel, inputs)
        if len(trace.refs) != cursor.end:
            trace.repair()
        for i in step.enters:
            trace.enter(step.ins[i], inputs[i])
        specs = step.specs
        out = [trace.pending(slot, spec) for slot, spec in zip(step.outs, step.out_specs, strict=True)]
        trace.refs.extend(out)
        trace.cursor = step
    finally:
        trace.noting = False
    if step.enters and step.held > trace.allowed:
        trace.limit()
    return out[0] if type(specs) is Spec else type(specs)(out)


def _edge(trace: Trace, kernel: Kernel, inputs: tuple[Tensor, ...]) -> tuple[Any, ...]:
    """The edge that leads to the next step, see `Step`; the operands that enter the trace there are computed."""
    slots = trace.slots
    end = trace.cursor.end
    parts: list[Any] = [kernel]
    entering: list[Tensor] = []
    for t in inputs:
        slot: Any = t.slot if t.held is None and t.pending_in is trace else slots.get(id(t))
        if slot is None:
            for i, other in enumerate(entering):
                if other is t:
                    slot = end + i
                    break
            else:
                if t.held is None:
                    t.array  # noqa: B018 -- pending in another thread's trace, or in a closed one: computed now
                entering.append(t)
                slot = t.known_spec or t.spec
        parts.append(slot)
    return tuple(parts)


def _begin() -> Trace | None:
    """A new trace for this thread; None if it rests."""
    pace = context.pace
    if pace is None:
        pace = context.pace = Pace()
    if pace.rest > 0:
        context.executor = context.eager = resting
        return None
    trace = context.pending = Trace(fused, pace)
    for recorder in context.recorders:
        recorder.opened()
    return trace


def resting(kernel: Kernel, inputs: tuple[Tensor, ...]) -> Any:
    """Fused mode while noting does not pay: run now."""
    pace = context.pace
    pace.rest -= 1
    if pace.rest <= 0 and not context.recorders:
        context.executor = context.eager = fused
    return immediate(kernel, inputs)


AT_ONCE.add(resting)


def _shape_arithmetic(inputs: tuple[Tensor, ...], slots: dict[int, int]) -> bool:
    """Whether these are small integers on the host, such as shapes and sizes, that the trace has not met: they stay there."""
    for t in inputs:
        value = t.held
        if type(value) is not np.ndarray or value.dtype.kind not in "iub" or value.size > _HOST_SIZE or id(t) in slots:
            return False
    return True


def on_host(kernel: Kernel, inputs: tuple[Tensor, ...]) -> Any:
    """Run now, and keep integer results on the host."""
    out = immediate(kernel, inputs)
    for t in out if isinstance(out, (tuple, list)) else (out,):
        if t.held.dtype.kind in "iub" and t.held.size <= _HOST_SIZE:
            t.held = np.asarray(t.held)
    return out
