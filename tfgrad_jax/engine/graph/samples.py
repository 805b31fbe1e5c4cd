"""Integers that a graph computes from shapes: what is known of them while it is recorded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.values.symbolic import TRIALS, SymbolicTensor
from tfgrad_jax.engine.values.tensor import EagerTensor, Spec, Tensor

HOST_SIZE = 1024
"""Integers of no more elements than this are computed while a graph is recorded, where they are known."""

_MOVING = frozenset(
    {
        "StridedSlice", "Slice", "Reshape", "ExpandDims", "Squeeze", "Identity", "Cast", "GatherV2", "Unpack", "Split", "SplitV",
        "Transpose", "ReverseV2", "_selected",
    }
)  # fmt: skip
"""Operations that move elements of their first operand: each element of a result is one of those, wherever it comes from."""

_JOINING = frozenset({"Pack", "ConcatV2"})
"""Operations that move elements of all their operands."""

_ELEMENTWISE = frozenset({"AddV2", "Sub", "Mul", "FloorDiv", "FloorMod", "Maximum", "Minimum", "Neg", "Abs", "Equal"})
"""Operations whose elements depend on those in the same place, after broadcasting."""


UNSIZED: Any = object()
"""The samples of integers whose number is unknown."""


def runs_late(kernel: Kernel) -> bool:
    """Whether a kernel is never computed ahead of the graph: it has effects, contains graphs (whose loops might not end), or
    another value may be fed for its result."""
    return kernel.stateful or kernel.interpret is not None or kernel.name == "PlaceholderWithDefault"


def known(kernel: Kernel, args: list[np.ndarray]) -> Any:
    """A kernel on known integers, computed now even inside `jax.jit`."""
    with jax.ensure_compile_time_eval(), np.errstate(all="ignore"):
        out = kernel.fn(*args)
        if isinstance(out, (tuple, list)):
            return type(out)([np.asarray(o) for o in out])
        return np.asarray(out)


_STEPS = 32
"""So many values are computed ahead, one from the other, and no more."""


def folded(t: SymbolicTensor) -> Any:
    """The value of a small tensor that constants of its graph alone decide, whatever its dtype; None of any other.

    TensorFlow finds shapes by such values. In a graph for sessions there are none, since another value may be fed for each.
    """
    values: dict[int, Any] = {}
    if t.graph.on_demand or not _by_constants(t, values):
        return None
    try:
        for slot, value in values.items():
            if value is None:
                node: Any = t.graph.operation(slot).node
                made = _flat(known(node.kernel, [values[s] for s in node.ins]))[node.outs.index(slot)]
                if made.shape != t.graph.tensors[slot].spec.shape:
                    return None
                values[slot] = made
    except Exception:  # it says so when it runs
        return None
    return values[t.slot]


def _by_constants(t: SymbolicTensor, values: dict[int, Any], depth: int = 0) -> bool:
    """Whether constants alone decide a tensor: their values are added, by slot, and None for what is computed of those before."""
    if t.slot in values:
        return True
    if max(len(values), depth) == _STEPS or not _small(t.spec):
        return False
    sure = t.samples is not None and np.all(t.sure)
    value = t.samples[0] if sure else t.graph.constants.get(t.slot)  # type: ignore[index]
    if value is None:
        node = t.graph.operation(t.slot).node
        if node is None or not node.ins or runs_late(node.kernel):
            return False
        if not all(_by_constants(t.graph.tensors[slot], values, depth + 1) for slot in node.ins):
            return False
    values[t.slot] = value
    return True


def settled(t: Tensor, graph: Any) -> Tensor:
    """An operand that decides sizes in a graph: real numbers that constants decide become one, which every program knows.

    Integers are known without this wherever a graph runs.
    """
    if not t.spec.dtype.is_floating:
        return t
    if isinstance(t, SymbolicTensor):
        value = folded(t)
    else:
        value = np.asarray(t.array) if graph.is_constant(t) else None
    return t if value is None else EagerTensor(value)


def stays_known(kernel: Kernel, args: Sequence[Any], made: Sequence[Spec]) -> bool:
    """Whether a kernel is computed while a program is made: on known integers, and where it makes integers of known numbers."""
    kinds = "iubf" if kernel.name == "Cast" and made[0].dtype.is_integer else "iub"
    return bool(args) and not runs_late(kernel) and all(type(a) is np.ndarray and a.dtype.kind in kinds for a in args)


def sure_value(t: Tensor) -> Any:
    """The value of integers as nested lists, with None for each that may be another when the graph runs.

    `UNSIZED` if not even the number of elements is known.
    """
    if type(t.held) is np.ndarray:
        return t.held.tolist()
    shape = t.spec.shape
    if None in shape:
        return UNSIZED
    if isinstance(t, SymbolicTensor) and t.samples is not None:
        return _blanked(t.samples[0], t.sure)
    return np.full(shape, None, object).tolist() if t.spec.size <= HOST_SIZE else UNSIZED


def _blanked(value: np.ndarray, sure: np.ndarray) -> Any:
    out = value.astype(object)
    if not out.ndim:
        return out.item() if sure else None
    out[~sure] = None
    return out.tolist()


def sample_outputs(kernel: Kernel, inputs: Sequence[Tensor], outs: list[SymbolicTensor]) -> None:
    """Compute integers that come from shapes for each of the trial sizes, and tell which do not depend on those."""
    if not inputs or runs_late(kernel) or not all(_small_integers(t.spec) for t in outs):
        return
    samples = [_samples(t, "iubf" if kernel.name == "Cast" else "iub") for t in inputs]
    partly = any(s is None for s in samples)
    if partly:  # of data: what is joined with it may be known
        if kernel.name not in _JOINING and (kernel.name not in _MOVING or None in samples[1:]):
            return
        if not all(_small_integers(t.spec) for t in inputs) or not any(_mask(t).any() for t in inputs):
            return
        samples = [_stand_ins(t.spec) if s is None else s for s, t in zip(samples, inputs, strict=True)]
    try:
        found: list[Any] = [_flat(known(kernel, [s[k] for s in samples])) for k in range(len(TRIALS))]  # type: ignore[index]
        if any(f.shape != t.spec.shape for results in found for f, t in zip(results, outs, strict=True)):
            return
        sure = _sure(kernel, [_mask(t) for t in inputs], [s[0] for s in samples], found[0])  # type: ignore[index]
        if partly and not any(mask.any() for mask in sure):
            return
    except Exception:  # refused for one of the sizes: then nothing is known
        return
    for i, t in enumerate(outs):
        t.samples = tuple([f[i] for f in found])
        t.sure = sure[i]


def _flat(out: Any) -> list[Any]:
    return list(out) if isinstance(out, (tuple, list)) else [out]


def _sure(kernel: Kernel, masks: list[np.ndarray], values: list[Any], found: list[np.ndarray]) -> list[np.ndarray]:
    """Which elements of results are the same for all sizes: those that depend on such elements alone."""
    if all(m.all() for m in masks):
        return [np.ones(f.shape, bool) for f in found]
    if kernel.name in _JOINING or (kernel.name in _MOVING and all(m.all() for m in masks[1:])):
        count = len(masks) if kernel.name in _JOINING else 1
        moved = _flat(known(kernel, [*(m.astype(np.int32) for m in masks[:count]), *values[count:]]))
        return [m.astype(bool) for m in moved]
    if kernel.name in _ELEMENTWISE:
        return [np.broadcast_to(np.logical_and.reduce(np.broadcast_arrays(*masks)), f.shape) for f in found]
    return [np.zeros(f.shape, bool) for f in found]


def _mask(t: Tensor) -> np.ndarray:
    if isinstance(t, SymbolicTensor) and t.samples is not None:
        return t.sure
    return np.full(t.spec.shape, t.held is not None)


def _stand_ins(spec: Spec) -> tuple[Any, ...]:
    """Values in the place of integers that are data, of which none is sure."""
    return tuple([np.full(spec.shape, n, spec.dtype.np) for n in TRIALS])


def _samples(t: Tensor, kinds: str) -> tuple[Any, ...] | None:
    if isinstance(t, SymbolicTensor) and t.samples is not None:
        return t.samples
    value = t.held
    return (value,) * len(TRIALS) if type(value) is np.ndarray and value.dtype.kind in kinds else None


def _small_integers(spec: Spec) -> bool:
    return (spec.dtype.is_integer or spec.dtype.is_bool) and _small(spec)


def _small(spec: Spec) -> bool:
    return None not in spec.shape and spec.size <= HOST_SIZE
