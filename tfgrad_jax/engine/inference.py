"""Types of an operation's results in a graph, where dimensions of its operands may be unknown.

JAX tells shapes for known sizes only. So an operation is tried with two sizes for what is unknown: a dimension that comes out
differently is unknown too. So is one that comes out differently for no elements at all, as that of `x[:5]` does.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import jax
import numpy as np

from tfgrad_jax.engine import errors
from tfgrad_jax.engine.kernel import Kernel
from tfgrad_jax.engine.symbolic import TRIALS, SymbolicTensor, open_trials, trials_of, tried
from tfgrad_jax.engine.tensor import Spec, Tensor

HOST_SIZE = 1024
"""Integers of no more elements than this are computed while a graph is recorded, where they are known."""

_REFUSED = (errors.OpError, TypeError, ValueError, IndexError, ArithmeticError)
"""How operations refuse a shape."""

_GUESSES = (TRIALS, (1, 2), (0, 1), (0, -1), (2, 2), (1, 1), (0, 0))
"""Values tried for integers that come from data, when they decide a shape or name an axis."""


def infer(kernel: Kernel, inputs: Sequence[Tensor]) -> tuple[Any, Any, Any]:
    """The output specs of a kernel for each of the trial sizes, and for zero (None if it takes no such operands)."""
    if kernel.gradient_of is not None:
        # The gradient of a graph's operation is of the types of its operands.
        _, wrt, seeds, _ = kernel.gradient_of
        found = [inputs[len(seeds) + i] for i in wrt]
        columns = zip(*[(*trials_of(t), _empty_of(t)) for t in found], strict=True)
        first, second, empty = (tuple(c) if len(c) != 1 else c[0] for c in columns)
        return first, second, empty
    if kernel.typed is not None:
        return *kernel.typed, None
    on_host = kernel.runs_on_host([t.spec for t in inputs]) and kernel.interpret is None and bool(inputs)
    if not on_host and not kernel.reads_values and not any(None in t.spec.shape for t in inputs):
        specs = kernel.infer(tuple([t.spec for t in inputs]))
        return specs, specs, specs
    samples = [_samples(t) if i in kernel.reads_values else None for i, t in enumerate(inputs)]
    refusal: Exception | None = None
    for guess, given in _guesses(kernel, inputs, samples):
        try:
            first, second = (_tried_infer(kernel, inputs, given, k, guess[k]) for k in range(2))
        except _REFUSED as error:
            refusal = refusal or error
            continue
        if guess[0] == guess[1]:  # nothing tells which sizes depend on it
            return _opened(first, TRIALS[0]), _opened(second, TRIALS[1]), None
        return first, second, _empty(kernel, inputs, given, 0)
    rule = kernel.origin and kernel.origin.op.open_shape
    if rule is not None:
        attributes = kernel.origin.sized([_known_value(t, s) for t, s in zip(inputs, samples, strict=True)])
        spec = Spec.of(inputs[0].dtype, rule(attributes, *[t.spec.shape for t in inputs]))
        return *open_trials(spec), None  # type: ignore[return-value]
    assert refusal is not None
    raise refusal


def _guesses(
    kernel: Kernel, inputs: Sequence[Tensor], samples: list[Any]
) -> Iterator[tuple[tuple[int, int], list[Any]]]:
    """What to take for integers that decide a shape and have no sample, with the samples of the others."""
    yield TRIALS, samples
    if kernel.reads_values:
        # Sizes computed from shapes may be refused too: then anything that is not.
        fixed = [
            s if s is None or _known_value(t, s) is not None else None for t, s in zip(inputs, samples, strict=True)
        ]
        for guess in _GUESSES:
            yield guess, fixed


def _opened(specs: Any, size: int) -> Any:
    if isinstance(specs, (tuple, list)):
        return type(specs)([_opened(s, size) for s in specs])
    return Spec.of(specs.dtype, (size,) * len(specs.shape))


def _known_value(t: Tensor, samples: Any) -> Any:
    """An integer that is the same whatever the unknown dimensions are, else None; of a vector, a list of those."""
    if samples is None:
        return [None] * t.spec.shape[0] if len(t.spec.shape) == 1 else None
    return samples[0] if all(s is not None and np.array_equal(samples[0], s) for s in samples[1:]) else None


def _values(kernel: Kernel, inputs: Sequence[Tensor], samples: Sequence[Any], k: int, guess: int) -> list[Any]:
    return [
        None if i not in kernel.reads_values else _guessed(t, k, guess) if s is None else s[k]
        for i, (t, s) in enumerate(zip(inputs, samples, strict=True))
    ]


def _guessed(t: Tensor, k: int, guess: int) -> Any:
    # A size that comes from data may be anything, and so may how many of its truth values are true.
    return np.full(
        trials_of(t)[k].shape if k >= 0 else _empty_of(t).shape, k == 0 if t.dtype.is_bool else guess, t.dtype.np
    )


def _tried_infer(kernel: Kernel, inputs: Sequence[Tensor], samples: Sequence[Any], k: int, guess: int) -> Any:
    values = _values(kernel, inputs, samples, k, guess)
    refusal: Exception | None = None
    for specs in _attempts(inputs, k):
        try:
            if kernel.runs_on_host(specs):
                return _infer_on_host(kernel, specs, values, k == 1)
            return kernel.infer_with(specs, values) if kernel.reads_values else kernel.infer(tuple(specs))
        except _REFUSED as error:
            refusal = refusal or error
    assert refusal is not None
    raise refusal


def _infer_on_host(kernel: Kernel, specs: list[Spec], values: list[Any], second: bool) -> Any:
    # What comes out may depend on the elements: other ones the second time, if they are not refused.
    if second:
        with contextlib.suppress(*_REFUSED):
            return kernel.infer_on_host(specs, values, True)
    return kernel.infer_on_host(specs, values, False)


def _attempts(inputs: Sequence[Tensor], k: int) -> Iterator[list[Spec]]:
    """The operands' types for a trial size; then, as an unknown dimension may have to equal a known one or be 1, with those."""
    trial = [trials_of(t)[k] for t in inputs]
    yield trial
    places = [(i, a) for i, t in enumerate(inputs) for a, n in enumerate(t.spec.shape) if n is None]
    known = list(dict.fromkeys(n for t in inputs for n in t.spec.shape if n is not None and n != 1))
    for count in (1, 2, len(places)):
        for chosen in itertools.combinations(places, count) if count <= len(places) else ():
            for size in (*known, 1):
                yield [_replaced(s, [a for j, a in chosen if j == i], size) for i, s in enumerate(trial)]


def _replaced(spec: Spec, axes: Sequence[int], size: int) -> Spec:
    return Spec.of(spec.dtype, tuple([size if a in axes else n for a, n in enumerate(spec.shape)])) if axes else spec


def _empty(kernel: Kernel, inputs: Sequence[Tensor], samples: Sequence[Any], guess: int) -> Any:
    if kernel.interpret is not None or any(s is not None and s[-1] is None for s in samples):
        return None
    specs = [_empty_of(t) for t in inputs]
    try:
        if kernel.reads_values:
            return kernel.infer_with(specs, _values(kernel, inputs, samples, -1, guess))
        return kernel.infer(tuple(specs))
    except _REFUSED:
        return None


def _empty_of(t: Tensor) -> Spec:
    return t.empty if isinstance(t, SymbolicTensor) else t.spec


def merged(first: Spec, second: Spec, empty: Spec | None) -> tuple[Spec, tuple[Spec, ...], Spec]:
    """The type of a result, from what came out of the trials; its types for the trial sizes, and for zero."""
    if len(first.shape) != len(second.shape):
        raise errors.unimplemented(f"a shape of unknown rank ({first} or {second}) is not supported in a function")
    if first is second is empty:
        return first, (first, second), first
    if empty is None or len(empty.shape) != len(first.shape):
        empty = None
    fixed = [m == n for m, n in zip(first.shape, second.shape, strict=True)]
    looks = [f and (empty is None or empty.shape[a] != first.shape[a]) for a, f in enumerate(fixed)]
    if empty is None:
        looks = [False] * len(fixed)
    spec = Spec.of(
        first.dtype,
        tuple([n if f and not look else None for n, f, look in zip(first.shape, fixed, looks, strict=True)]),  # type: ignore[misc]
    )
    if any(looks):
        opened = [i for i, look in enumerate(looks) if look]
        first, second = _replaced(first, opened, TRIALS[0]), _replaced(second, opened, TRIALS[1])
    return spec, (first, second), empty or tried(spec, 0)


# -- integers known, or known for each trial size -----------------------------------------------------------------------


def runs_late(kernel: Kernel) -> bool:
    """Whether a kernel is never computed ahead of the graph: it has effects, or contains graphs (whose loops might not end)."""
    return kernel.stateful or kernel.interpret is not None


def known(kernel: Kernel, args: list[np.ndarray]) -> Any:
    """A kernel on known integers, computed now even inside `jax.jit`."""
    with jax.ensure_compile_time_eval():
        out = kernel.fn(*args)
        if isinstance(out, (tuple, list)):
            return type(out)([np.asarray(o) for o in out])
        return np.asarray(out)


def _samples(t: Tensor) -> tuple[Any, ...] | None:
    if isinstance(t, SymbolicTensor) and t.samples is not None:
        return t.samples
    value = t._value
    return (value,) * 3 if type(value) is np.ndarray and value.dtype.kind in "iub" else None


def sample_outputs(kernel: Kernel, inputs: Sequence[Tensor], outs: list[SymbolicTensor]) -> None:
    """Compute integers that come from shapes for each of the trial sizes."""
    if not inputs or runs_late(kernel) or not all(_small_integers(t.spec) for t in outs):
        return
    samples = [_samples(t) for t in inputs]
    if any(s is None for s in samples):
        return
    found: list[Any] = [known(kernel, [s[k] for s in samples]) for k in range(2)]  # type: ignore[index]
    try:
        found.append(known(kernel, [s[2] for s in samples]) if all(s[2] is not None for s in samples) else None)  # type: ignore[index]
    except _REFUSED:
        found.append(None)
    flat = [f if isinstance(f, (tuple, list)) else (f,) * len(outs) for f in found]
    for i, t in enumerate(outs):
        t.samples = tuple(f[i] for f in flat)


def _small_integers(spec: Spec) -> bool:
    return (spec.dtype.is_integer or spec.dtype.is_bool) and None not in spec.shape and spec.size <= HOST_SIZE
