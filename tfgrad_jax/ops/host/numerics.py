"""Looking for NaN and infinities: one tensor, or every result."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from tfgrad_jax.engine.fused.modes import chosen, use
from tfgrad_jax.engine.graph.graph import SymbolicTensor
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.eager import executing_eagerly
from tfgrad_jax.engine.run.effects import caller
from tfgrad_jax.engine.run.execute import execute, immediate
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.threads.context import Recorder, context, set_recorders
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.ops.host.assertion import check_kernel, failure
from tfgrad_jax.ops.host.stripping import stripped

# -- numerics ---------------------------------------------------------------------------------------------------------

_FLOATS = frozenset({dtypes.bfloat16, dtypes.float16, dtypes.float32, dtypes.float64})


def _not_finite(array: Any) -> str:
    found = [
        name for name, test in (("Inf", np.isinf), ("NaN", np.isnan)) if np.any(test(np.asarray(array, np.float64)))
    ]
    return " and ".join(found)


@export("debugging.check_numerics")
def check_numerics(tensor: Any, message: str, name: Any = None) -> Tensor:
    """The tensor; raises `InvalidArgumentError` if it has a NaN or an infinity. Mirrors `tf.debugging.check_numerics`.

    Args:
      tensor: a floating tensor.
      message: begins the error.
      name: accepted for compatibility.
    """
    value = tensor.as_operand() if isinstance(tensor, Variable) else convert(tensor)
    if not isinstance(message, (str, bytes)):
        raise TypeError(f"tf.debugging.check_numerics: message must be a string, got {message!r}")
    if value.dtype not in _FLOATS:
        if not executing_eagerly():
            raise TypeError(
                f"tf.debugging.check_numerics: {value.dtype.name} is not among bfloat16, half, float, double"
            )
        raise invalid_argument(
            f"Value for attr 'T' of {value.dtype.name} is not among bfloat16, half, float, double",
            "CheckNumerics",
        )
    if executing_eagerly():
        found = _not_finite(value.array)
        if found:
            raise invalid_argument(f"{message} : Tensor had {found} values", "CheckNumerics")
    else:
        _watch(value, lambda array: f"{message} : Tensor had {_not_finite(array)} values [Op:CheckNumerics]")
    return execute(_CHECKED, (value,))


_CHECKED = Kernel("CheckNumerics", lambda x: x, rule=lambda cts, inputs, outputs: cts)


def _watch(value: Tensor, message: Callable[[Any], str]) -> None:
    if stripped():
        return

    def fail(array: Any) -> None:
        raise failure(message(array))

    kernel = check_kernel("CheckNumerics", lambda holds, array: holds, fail)
    finite = context.graph.add(_FINITE, (value,))
    context.graph.add(kernel, (caller.tensor, finite, value))


_FINITE = Kernel("IsFinite", lambda x: jnp.all(jnp.isfinite(x)), differentiable=0)


@export("debugging.assert_all_finite")
def assert_all_finite(x: Any, message: str, name: Any = None) -> Tensor:
    """`tf.debugging.check_numerics`, by its other name."""
    return check_numerics(x, message)


_SAFE = frozenset({
    "ConcatV2", "ExpandDims", "Fill", "Identity", "Maximum", "Minimum", "Reshape", "Slice", "Squeeze", "StridedSlice",
    "StridedSliceGrad", "Transpose", "Unpack",
})  # fmt: skip
"""Operations that hand on what they are given, whose results nobody looks at."""


class _Checker(Recorder):
    """Sees every operation, and raises if a result is not finite."""

    everywhere = True

    def __init__(self, mode: Any) -> None:
        self.mode = mode  # before it was enabled

    def saw(self, kernel: Kernel, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> None:
        for i, t in enumerate(outputs):
            if t.spec.dtype not in _FLOATS or kernel.name in _SAFE:
                continue
            if isinstance(t, SymbolicTensor):
                _watch(t, functools.partial(self._message, kernel.name, i, outputs, inputs, t.graph))
            elif _not_finite(t.array):
                raise invalid_argument(self._message(kernel.name, i, outputs, inputs, None, t.array), "CheckNumericsV2")

    def _message(self, name: str, i: int, outputs: Any, inputs: Any, graph: Any, array: Any) -> str:
        """Says what came out, how many elements are not finite, and what went in."""
        values = np.asarray(array, np.float64)
        found = {
            "-Inf": np.sum(np.isneginf(values)),
            "+Inf": np.sum(np.isposinf(values)),
            "NaN": np.sum(np.isnan(values)),
        }
        kinds = [kind for kind, count in found.items() if count]
        where = "graph" if graph else "eagerly-executing"
        lines = [
            f'\n\n!!! Detected Infinity or NaN in output {i} of {where} op "{name}" (# of outputs: {len(outputs)}) !!!',
            f"  dtype: {outputs[i].dtype!s}",
            f"  shape: {outputs[i].shape}",
        ]
        lines += [f"  # of {'+NaN' if kind == 'NaN' else kind} elements: {found[kind]}" for kind in kinds]
        if len(inputs) == 1:
            lines += ["", f"  Input tensor: {inputs[0]!s}"]
        elif inputs:
            lines += ["", f"  Input tensors ({len(inputs)}):", *[f"         {k}: {t!s}" for k, t in enumerate(inputs)]]
        lines += [f'  Graph name: "{graph.name}"'] if graph else []
        last = ", and " if len(kinds) == 3 else " and "
        return "\n".join(
            [*lines, "", f" : Tensor had {last.join([', '.join(kinds[:-1]), kinds[-1]][len(kinds) < 2 :])} values"]
        )


@export("debugging.enable_check_numerics")
def enable_check_numerics(stack_height_limit: int = 30, path_length_limit: int = 50) -> None:
    """From here on, let every operation of this thread raise if a result has a NaN or an infinity.

    Mirrors `tf.debugging.enable_check_numerics`. Each operation then runs by itself.
    """
    if not any(isinstance(r, _Checker) for r in context.recorders):
        checker = _Checker(chosen())
        use(immediate)
        set_recorders((*context.recorders, checker))


@export("debugging.disable_check_numerics")
def disable_check_numerics() -> None:
    """Undo `tf.debugging.enable_check_numerics`."""
    for checker in [r for r in context.recorders if isinstance(r, _Checker)]:
        set_recorders(tuple(r for r in context.recorders if r is not checker))
        use(checker.mode)
