"""Noting: fused mode's executors, which put operations into the pending trace of this thread."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray

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
    """Fused mode: note the operation and return pending tensors.

    This runs for every operation, so what nearly all have is written out: one or two operands that the trace knows, the operation
    that followed here the first time, one result. `_edge` has the rest.
    """
    trace = context.pending
    if trace is None or trace.closed:
        trace = _begin()
        if trace is None:
            return resting(kernel, inputs)
    slots = trace.slots
    cursor = trace.cursor
    if len(inputs) == 2:
        x, y = inputs
        one = x.slot if x.held is None and x.pending_in is trace else slots.get(id(x))
        edge: Any = kernel, one, y.slot if y.held is None and y.pending_in is trace else slots.get(id(y))
    elif len(inputs) == 1:
        (x,) = inputs
        edge = kernel, x.slot if x.held is None and x.pending_in is trace else slots.get(id(x))
    else:
        edge = ()
    entering: list[Tensor] = _NOTHING
    first, step = cursor.first
    if edge != first:
        if inputs and type(inputs[0].held) is ndarray and _shape_arithmetic(inputs, slots):
            return on_host(kernel, inputs)
        edge, entering = _edge(trace, kernel, inputs)
        step = step if edge == first else cursor.following(edge)
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
        refs = trace.refs
        if len(refs) != cursor.end:
            trace.repair()
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
    finally:
        trace.noting = False
    if entering and step.held > trace.allowed:
        trace.limit()
    return out


_NOTHING: list[Tensor] = []


def _edge(trace: Trace, kernel: Kernel, inputs: tuple[Tensor, ...]) -> tuple[tuple[Any, ...], list[Tensor]]:
    """The edge that leads to the next step, and the operands that enter the trace there.

    An edge is the kernel and, for each operand, its slot, or its type if it enters here.
    """
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
    return tuple(parts), entering


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
