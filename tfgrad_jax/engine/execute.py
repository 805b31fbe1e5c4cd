"""Execute and record: the one path that every operation takes, whatever the mode."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import jax
import numpy as np

from tfgrad_jax.engine import errors
from tfgrad_jax.engine.context import context
from tfgrad_jax.engine.kernel import IDENTITY, Kernel
from tfgrad_jax.engine.tensor import EagerTensor, Tensor


def execute(kernel: Kernel, inputs: tuple[Tensor, ...]) -> Any:
    """Run a kernel on tensors and let every open tape see it.

    Args:
      kernel: what to run.
      inputs: its tensor operands, in order.

    Returns:
      A tensor, or the tuple or list of tensors that the kernel makes.
    """
    local = context
    out = (local.executor or immediate)(kernel, inputs)
    if local.tapes:
        outputs = out if isinstance(out, (tuple, list)) else (out,)
        for tape in local.tapes:
            tape._record(kernel, inputs, outputs)
    return out


def untaped(kernel: Kernel, inputs: tuple[Tensor, ...]) -> Any:
    """`execute`, but no tape sees it: how state changes."""
    return (context.executor or immediate)(kernel, inputs)


def immediate(kernel: Kernel, inputs: tuple[Tensor, ...]) -> Any:
    """Immediate mode: the compiled kernel of this one operation runs now."""
    try:
        out = kernel.compiled(*[t._value if t._value is not None else t.array for t in inputs])
    except Exception as error:
        raise explain(error, kernel, inputs) from error
    if isinstance(out, (tuple, list)):
        return type(out)([EagerTensor(o) for o in out])
    return EagerTensor(out)


def staged(kernel: Kernel, inputs: tuple[Tensor, ...]) -> Any:
    """Traced mode: the kernel becomes part of the JAX computation that is being traced."""
    out = kernel.fn(*[t.array for t in inputs])
    if isinstance(out, (tuple, list)):
        return type(out)([EagerTensor(o) for o in out])
    return EagerTensor(out)


@contextlib.contextmanager
def staging(*tapes: Any) -> Iterator[None]:
    """A context in which operations are staged into the JAX computation being traced, seen only by `tapes`."""
    saved = context.executor, context.tapes
    context.executor, context.tapes = staged, tapes
    try:
        yield
    finally:
        context.executor, context.tapes = saved


def alias(tensor: Tensor, identity: int) -> Tensor:
    """The same value as another tensor, with the given identity for the tapes; no tape sees it."""
    if tensor._value is None:
        out = untaped(IDENTITY, (tensor,))
    else:
        out = type(tensor)(tensor._value, tensor._spec)
    out._id = identity
    return out


def explain(error: Exception, kernel: Kernel, inputs: tuple[Tensor, ...]) -> Exception:
    """TensorFlow's exception for a failed kernel, naming the operation and what it was given."""
    if isinstance(error, (errors.OpError, MemoryError, jax.errors.JAXTypeError)):
        return error
    given = ", ".join(f"#{i} {t.dtype.name}{list(t.spec.shape)}" for i, t in enumerate(inputs))
    reason = str(error).split("\n", 1)[0]
    if "RESOURCE_EXHAUSTED" in reason:
        return errors.ResourceExhaustedError(None, None, f"{kernel.name}: {reason} [inputs: {given}]")
    shapes = " vs. ".join(str(list(t.spec.shape)).replace(" ", "") for t in inputs)
    return errors.InvalidArgumentError(
        None,
        None,
        f"{kernel.name}: incompatible arguments, shapes {shapes} (given {given}): {reason}. Check the shapes and types "
        f"of the operands; tf.reshape, tf.expand_dims or tf.cast can bring them into line. [Op:{kernel.name}]",
    )


def host_value(tensor: Tensor) -> np.ndarray:
    """The value as a NumPy array without a copy where possible; computes what is pending."""
    return np.asarray(tensor.array)


Executor = Callable[[Kernel, tuple[Tensor, ...]], Any]
