"""Execute and record: the one path that every operation takes, whatever the mode."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine import hooks
from tfgrad_jax.engine.kernels.constants import ALIAS, IDENTITY
from tfgrad_jax.engine.kernels.executables import budget
from tfgrad_jax.engine.kernels.kernel import Kernel, types_of_results
from tfgrad_jax.engine.messages import errors
from tfgrad_jax.engine.messages.explain import raise_explained
from tfgrad_jax.engine.threads.context import Context, Recorder, context, followed, new_id, switched
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.tensor import EagerTensor, Spec, Tensor

new_object = object.__new__


def execute(kernel: Kernel, inputs: tuple[Tensor, ...]) -> Any:
    """Run a kernel on tensors and let every open tape see it.

    Args:
      kernel: what to run.
      inputs: its tensor operands, in order.

    Returns:
      A tensor, or the tuple or list of tensors that the kernel makes.
    """
    here = context.__dict__  # each look at the state of a thread takes as long as a call
    out = here["executor"](kernel, inputs)
    if here["recorders"]:
        _seen(kernel, inputs, out)
    return out


def operate(kernel: Kernel, x: Tensor, y: Tensor | None = None) -> Any:
    """`execute` for one operand or two, which nearly every operation has: what is noted the same way again takes no more calls."""
    here = context.__dict__
    executor = here["executor"]
    trace = here["pending"]
    if trace is not None and executor is trace.executor and not followed:
        out = trace.follow(kernel, x, y)
        if out is not None:
            return out  # pending: the trace is the record
    inputs = (x,) if y is None else (x, y)
    out = executor(kernel, inputs)
    if here["recorders"]:
        _seen(kernel, inputs, out)
    return out


def _seen(kernel: Kernel, inputs: tuple[Tensor, ...], out: Any) -> None:
    """Let the recorders of this thread see an operation; tapes only where it ran: what is pending the trace has recorded."""
    outputs = out if isinstance(out, (tuple, list)) else (out,)
    if not outputs or outputs[0].held is not None or type(outputs[0]) is not EagerTensor:
        for recorder in context.recorders:
            recorder.saw(kernel, inputs, outputs)
    for follower in context.followers:
        follower.follow(kernel, inputs, outputs)


def untaped(kernel: Kernel, inputs: tuple[Tensor, ...]) -> Any:
    """`execute` for kernels without a gradient, which no tape sees: how state changes."""
    return context.executor(kernel, inputs)


def immediate(kernel: Kernel, inputs: tuple[Tensor, ...]) -> Any:
    """Immediate mode: the kernel of this one operation runs now."""
    kernel.used = budget.now
    arrays = [
        t.held if t.held is not None else t.array for t in inputs
    ]  # a symbolic tensor says itself that it has no value
    if kernel.meets_strings and any([t.spec.dtype.on_host for t in inputs]):
        return _tensors(on_strings(kernel, arrays))
    try:
        if kernel.run is not kernel.tiers:
            return _tensors(kernel.run(*arrays))
        # The types of the operands are known or will be asked for, and those of the results follow from them.
        way = kernel.tiers.way_for(tuple([t.known_spec or t.spec for t in inputs]))
        out = way.run(arrays)
    except Exception as error:
        if kernel.host or not any([t.spec.dtype.on_host for t in inputs]):
            raise_explained(error, kernel, inputs)
        kernel.meets_strings = True  # the next time nobody tries to compile it
        return _tensors(on_strings(kernel, arrays))
    made = way.made
    if made is None and kernel.interpret is None:
        made = way.made = types_of_results(out)
    if type(made) is Spec:
        tensor: EagerTensor = new_object(EagerTensor)  # as its constructor does, without the call
        tensor.held = out
        tensor.known_spec = made
        tensor.identity = new_id()
        return tensor
    if made is not None:
        return type(out)([EagerTensor(o, spec) for o, spec in zip(out, made, strict=True)])
    return _tensors(out)


def _tensors(out: Any) -> Any:
    """What a kernel gave, as tensors."""
    if isinstance(out, (tuple, list)):
        return type(out)([EagerTensor(o) for o in out])
    return EagerTensor(out)


@hooks.interpreted_graph.fill
def _interpreted_graph(interpret: Callable[..., Any]) -> Callable[..., Any]:
    """A function of arrays that runs a graph operation by operation."""

    def run(*arrays: Any) -> list[Any]:
        with switched(None, immediate):
            return [t.array for t in interpret(tuple([EagerTensor(a) for a in arrays]))]

    return run


def on_strings(kernel: Kernel, arrays: Sequence[Any]) -> Any:
    """Run a kernel that only moves elements on NumPy arrays: XLA has no strings."""
    try:
        out = kernel.fn(*map(np.asarray, arrays))
    except errors.OpError:
        raise
    except IndexError as error:  # an index that was not known before
        raise errors.invalid_argument(f"{kernel.name}: {error}", kernel.name) from error
    except Exception as error:
        found = next((dtypes.BY_NUMPY[a.dtype].name for a in arrays if dtypes.stays_on_host(a.dtype)), "string")
        message = f"{kernel.name}: Value for attr 'T' of {found} is not in the list of allowed values"
        raise errors.invalid_argument(message, kernel.name) from error
    return type(out)(map(_on_host, out)) if isinstance(out, (tuple, list)) else _on_host(out)


def _on_host(value: Any) -> np.ndarray:
    """A result as an array: a string, or what there is of numbers, such as a shape."""
    return np.asarray(value, object) if isinstance(value, bytes) else np.asarray(value)


def traced(kernel: Kernel, inputs: tuple[Tensor, ...]) -> Any:
    """Traced mode: the kernel becomes part of the JAX computation that is being traced."""
    return _tensors(kernel.fn(*[t.array for t in inputs]))


@contextlib.contextmanager
def tracing(*recorders: Recorder) -> Iterator[None]:
    """A context in which operations are traced into the JAX computation being traced, seen only by `recorders`."""
    saved = context.executor, context.recorders, context.followers
    context.executor, context.recorders, context.followers = traced, recorders, ()
    try:
        yield
    finally:
        context.executor, context.recorders, context.followers = saved


def alias(tensor: Tensor, identity: int) -> Tensor:
    """The same value as another tensor, with the given identity for the tapes; no tape sees it."""
    if tensor.held is None:
        out = untaped(ALIAS, (tensor,))
    else:
        out = type(tensor)(tensor.held, tensor.known_spec)
    out.identity = identity
    return out


def identity(tensor: Tensor, kernel: Kernel = IDENTITY) -> Tensor:
    """The same value as a tensor of its own, recorded as the result of `kernel`, which computes nothing."""
    local = context
    if local.executor is not immediate:
        return operate(kernel, tensor)
    out = alias(tensor, new_id()) if tensor.held is None else type(tensor)(tensor.held, tensor.known_spec)
    if local.recorders:
        show(kernel, (tensor,), (out,))
    return out


def show(kernel: Kernel, inputs: tuple[Tensor, ...], outputs: tuple[Tensor, ...]) -> None:
    """Let every open tape see an operation that ran by another way than `execute`."""
    for recorder in context.recorders:
        recorder.saw(kernel, inputs, outputs)
    for follower in context.followers:
        follower.follow(kernel, inputs, outputs)


AT_ONCE: set[Any] = {immediate}
"""The executors that run an operation when they are called."""

Context.default_executor = context.executor = context.eager = immediate


def misfit(message: str, op: str | None = None) -> Exception:
    """The error for operands that do not fit each other or the attributes: TensorFlow's graphs call it a ValueError."""
    return errors.invalid_argument(message, op) if context.graph is None else ValueError(message)


def mistyped(message: str, op: str | None = None) -> Exception:
    """The error for an argument of a dtype that an operation does not take: TensorFlow's graphs call it a TypeError."""
    return errors.invalid_argument(message, op) if context.graph is None else TypeError(message)


def host_value(tensor: Tensor) -> np.ndarray:
    """The value as a NumPy array without a copy where possible; computes what is pending."""
    return np.asarray(tensor.array)


Executor = Callable[[Kernel, tuple[Tensor, ...]], Any]
