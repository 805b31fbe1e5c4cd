"""Noting: fused mode's executors, which put operations into the pending trace of this thread."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfgrad_jax.engine.fused.pace import Pace
from tfgrad_jax.engine.fused.trace import Trace, new_object
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.run.execute import AT_ONCE, immediate
from tfgrad_jax.engine.threads.context import context, new_id
from tfgrad_jax.engine.values.tensor import EagerTensor, Spec, Tensor

LENGTH_LIMIT = 4096
"""A trace of this many operations runs, whether or not somebody asks for a value."""

_HOST_SIZE = 64


# -- the executors --------------------------------------------------------------------------------------------------------


def fused(kernel: Kernel, inputs: tuple[Tensor, ...]) -> Any:
    """Fused mode: note the operation and return pending tensors."""
    trace = context.pending
    if trace is None or trace.closed:
        trace = _begin()
        if trace is None:
            return resting(kernel, inputs)
    slots = trace.slots
    if inputs and type(inputs[0].held) is np.ndarray and _shape_arithmetic(inputs, slots):
        return on_host(kernel, inputs)
    cursor = trace.cursor
    parts: list[Any] = [kernel]
    entering: list[Tensor] | None = None
    for t in inputs:
        if t.held is None and t.pending_in is trace:
            parts.append(t.slot)
            continue
        slot = slots.get(id(t))
        if slot is not None:
            parts.append(slot)
            continue
        if entering is None:
            entering = []
        for i, other in enumerate(entering):
            if other is t:
                parts.append(cursor.end + i)
                break
        else:
            if t.held is None:
                t.array  # noqa: B018 -- pending in another thread's trace, or in a closed one: computed now
            entering.append(t)
            parts.append(t.known_spec or t.spec)
    edge = tuple(parts)
    first = cursor.first
    step = first[1] if edge == first[0] else cursor.following(edge)
    if step is None:
        if cursor.depth >= LENGTH_LIMIT:
            trace.flush("length")
            return fused(kernel, inputs)
        step = trace.extend(edge, inputs)
        if step is None:
            return immediate(kernel, inputs)
    with trace.lock:
        if trace.closed:  # by another thread, in the meantime
            return fused(kernel, inputs)
        refs = trace.refs
        if len(refs) != cursor.end:
            trace.repair()
        if entering is not None:
            for t in entering:
                trace.enter(len(refs), t)
        specs = step.specs
        if type(specs) is Spec:
            out: Any = new_object(EagerTensor)  # as `pending` does, without the call
            out.held = None
            out.known_spec = specs
            out.identity = new_id()
            out.pending_in = trace
            out.slot = len(refs)
            refs.append(out)
        else:
            out = type(specs)([trace.pending(slot, spec) for slot, spec in zip(step.outs, specs, strict=True)])
            refs.extend(out)
        trace.cursor = step
    if entering is not None and step.held > trace.allowed:
        trace.limit()
    return out


def _begin() -> Trace | None:
    """A new trace for this thread; None if it rests."""
    pace = context.pace
    if pace is None:
        pace = context.pace = Pace()
    if pace.rest > 0:
        context.executor = context.eager = resting
        return None
    trace = context.pending = Trace(pace)
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
