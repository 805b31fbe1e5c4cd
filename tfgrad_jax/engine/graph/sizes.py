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

from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.messages import errors
from tfgrad_jax.engine.values.symbolic import TRIALS, NeedsValue, SymbolicTensor, open_trials, trials_of, tried
from tfgrad_jax.engine.values.tensor import Spec, Tensor

HOST_SIZE = 1024
"""Integers of no more elements than this are computed while a graph is recorded, where they are known."""

_REFUSED = (errors.OpError, TypeError, ValueError, IndexError, ArithmeticError)
"""How operations refuse a shape."""

_GUESSES = (TRIALS, (1, 2), (0, 1), (0, -1), (2, 2), (1, 1), (0, 0))
"""Values tried for integers that come from data, when they decide a shape or name an axis."""

_SMALL, _LARGE = (1, 2), (840, 1680)
"""Sizes tried where operands must be small, or divisible by something."""

_LIKELY = (2, 3, 4, 5, 6, 8, 0)
"""Sizes tried where nothing says which one a dimension must have."""


@np.errstate(all="ignore")  # there may be no element in some trial
def infer(kernel: Kernel, inputs: Sequence[Tensor]) -> tuple[Any, Any, Any]:
    """The output specs of a kernel for each of the trial sizes, and for zero (None if it takes no such operands)."""
    if kernel.like is not None:
        found = [inputs[i] for i in kernel.like]
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
    guesses = list(_guesses(kernel, inputs, samples))
    for places in _assignments(inputs):
        for guess, given in guesses:
            try:
                first, second = (
                    _types(kernel, _assigned(inputs, places, k), given, k, (guess[k], 0)) for k in range(2)
                )
            except NeedsValue:
                raise
            except _REFUSED as error:
                refusal = refusal or error
                continue
            if guess[0] == guess[1]:  # nothing tells which sizes depend on it
                return _opened(first, TRIALS[0]), _opened(second, TRIALS[1]), None
            return first, second, _varied(first, _others(kernel, inputs, places, given))
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


def _types(kernel: Kernel, specs: list[Spec], samples: Sequence[Any], k: int, guess: tuple[int, int]) -> Any:
    """The output specs for operands of some types, with a guess for integers that decide shapes: the first, and a step."""
    values = [
        None if i not in kernel.reads_values else _guessed(s, k, guess[0] + guess[1] * i) if known is None else known[k]
        for i, (s, known) in enumerate(zip(specs, samples, strict=True))
    ]
    if not kernel.runs_on_host(specs):
        return kernel.infer_with(specs, values) if kernel.reads_values else kernel.infer(tuple(specs))
    # What comes out may depend on the elements: other ones the second time, if they are not refused.
    if k == 1:
        with contextlib.suppress(*_REFUSED):
            return kernel.infer_on_host(specs, values, True)
    return kernel.infer_on_host(specs, values, False)


def _guessed(spec: Spec, k: int, guess: int) -> Any:
    # A size that comes from data may be anything, and so may how many of its truth values are true.
    return np.full(spec.shape, k == 0 if spec.dtype.is_bool else guess, spec.dtype.np)


_Places = dict[tuple[int, int], tuple[int, int]]
"""Sizes for unknown dimensions, by operand and axis: for the first trial, and for the second."""


def _assignments(inputs: Sequence[Tensor]) -> Iterator[_Places]:
    """Sizes other than the trial sizes for some unknown dimensions, the most general first.

    Operands may have to be smaller than the trial sizes, or divisible; or a dimension must equal a known one.
    """
    yield {}
    places = [(i, a) for i, t in enumerate(inputs) for a, n in enumerate(t.spec.shape) if n is None]
    if not places:
        return
    for pair in (_SMALL, _LARGE):
        yield dict.fromkeys(places, pair)
    for pair in (_SMALL, _LARGE):
        yield from ({p: pair} for p in places if len(places) > 1)
    known = list(dict.fromkeys(n for t in inputs for n in t.spec.shape if n is not None and n != 1))
    for count in sorted({1, 2, len(places) - 1, len(places)} & set(range(1, len(places) + 1))):
        for chosen in itertools.combinations(places, count):
            sizes = (*known, 1, *_LIKELY) if count <= 2 else (*known, 1)
            for given in itertools.product(sizes, repeat=count) if count == 2 else ((n,) * count for n in sizes):
                yield {p: (n, n) for p, n in zip(chosen, given, strict=True)}


def _assigned(inputs: Sequence[Tensor], places: _Places, k: int) -> list[Spec]:
    specs = [trials_of(t)[k] if k >= 0 else _empty_of(t) for t in inputs]
    for (i, axis), sizes in places.items():
        if k >= 0 or sizes[0] == sizes[1]:
            specs[i] = _replaced(specs[i], [axis], sizes[k])
    return specs


def _equalities(places: _Places) -> _Places:
    return {p: sizes for p, sizes in places.items() if sizes[0] == sizes[1]}


def _replaced(spec: Spec, axes: Sequence[int], size: int) -> Spec:
    return Spec.of(spec.dtype, tuple([size if a in axes else n for a, n in enumerate(spec.shape)])) if axes else spec


def _others(kernel: Kernel, inputs: Sequence[Tensor], places: _Places, samples: Sequence[Any]) -> Iterator[Any]:
    """Output specs for further sizes, to tell those that only look fixed: none at all or few, other integers from data."""
    if kernel.interpret is not None or any(s is not None and s[-1] is None for s in samples):
        return
    unknown = [(i, a) for i, t in enumerate(inputs) for a, n in enumerate(t.spec.shape) if n is None]
    for given in (places, *[dict.fromkeys(unknown, (n, n)) | _equalities(places) for n in _SMALL]):
        with contextlib.suppress(*_REFUSED):
            yield _types(kernel, _assigned(inputs, given, -1), samples, -1, (0, 0))
            break
    if any(samples[i] is None for i in kernel.reads_values):
        for guess in ((0, 1), (len(inputs), -1), (1, 2), (1, 0)):
            with contextlib.suppress(*_REFUSED):
                yield _types(kernel, _assigned(inputs, places, 0), samples, 0, guess)


def _varied(first: Any, others: Iterator[Any]) -> Any:
    """Specs with each dimension that is another somewhere than in `first`; None if nothing is known."""
    found = list(others)
    if not found:
        return None
    if isinstance(first, (tuple, list)):
        return [_varied(f, iter(column)) for f, *column in zip(first, *found, strict=False)]
    sizes = list(first.shape)
    for spec in found:
        if len(spec.shape) == len(sizes):
            sizes = [n if m == f else m for f, m, n in zip(first.shape, sizes, spec.shape, strict=True)]
    return Spec.of(first.dtype, tuple(sizes))


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
    with jax.ensure_compile_time_eval(), np.errstate(all="ignore"):
        out = kernel.fn(*args)
        if isinstance(out, (tuple, list)):
            return type(out)([np.asarray(o) for o in out])
        return np.asarray(out)


def _samples(t: Tensor) -> tuple[Any, ...] | None:
    if isinstance(t, SymbolicTensor) and t.samples is not None:
        return t.samples
    value = t.held
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
