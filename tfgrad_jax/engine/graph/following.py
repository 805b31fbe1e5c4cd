"""Kernels followed with symbols for unknown sizes, under assumptions that are kept with the outcome."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import jax

from tfgrad_jax.engine.kernels.kernel import Kernel, spec_of_result
from tfgrad_jax.engine.messages import errors
from tfgrad_jax.engine.messages.attempts import attempt
from tfgrad_jax.engine.values.shapes import UNRANKED, TensorShape
from tfgrad_jax.engine.values.symbolic import TRIALS, NeedsValue, SymbolicTensor, trials_of
from tfgrad_jax.engine.values.symbols import evaluated, symbol
from tfgrad_jax.engine.values.tensor import Spec, Tensor

REFUSED = (errors.OpError, TypeError, ValueError, IndexError, ArithmeticError)
"""How operations refuse a shape."""


class RanksRefused(errors.InvalidArgumentError):
    """Raised by an operation that takes no operands of these ranks, whatever their sizes: none need be tried."""


_PROBES = (0, 1), (0, 1, 2, 7, 1000)
"""Sizes that are tried besides the symbols: where those stood for themselves, and where they were assumed to be equal."""

_MANY = "840*"
"""The factor of a symbol where a size must be divisible by something."""


class Inferred(NamedTuple):
    """The types of an operation's results.

    Attributes:
      kind: tuple or list, if there are several results in one.
      specs: their types; unknown sizes are None.
      trials: for each its types, for each of the trial sizes.
    """

    kind: type | None
    specs: list[Spec]
    trials: list[tuple[Spec, ...]]


# -- following with symbols ---------------------------------------------------------------------------------------------


class _Followed:
    """The outcome for symbolic sizes.

    Attributes:
      kind: tuple or list, if there are several results in one.
      sizes: the sizes of each result: integers and expressions.
      specs: the types of the results; unknown sizes are None.
      places: where each symbol stands: operands and axes.
      scales: how many times as large the sizes there are, where that is not once.
    """

    def __init__(
        self, kind: Any, results: list[Any], places: Mapping[str, Sequence[tuple[int, int]]], scales: Mapping[str, int]
    ) -> None:
        self.kind = kind
        self.sizes = [r.shape for r in results]
        types = [spec_of_result(r.dtype, tuple([n if type(n) is int else None for n in r.shape])) for r in results]
        self.specs = types
        self.places = places
        self.scales = scales

    def inferred(self, inputs: Sequence[Tensor]) -> Inferred:
        trials = [trials_of(t) for t in inputs]
        worlds = [
            {
                name: max([_size(inputs, trials, i, a, k) for i, a in places]) / self.scales.get(name, 1)
                for name, places in self.places.items()
            }
            for k in range(len(TRIALS))
        ]
        made = [
            (s,) * len(TRIALS)
            if s.shape is UNRANKED or None not in s.shape
            else tuple([Spec.of(s.dtype, tuple([evaluated(n, world) for n in sizes])) for world in worlds])
            for s, sizes in zip(self.specs, self.sizes, strict=True)
        ]
        return Inferred(self.kind, self.specs, made)

    def opened(self, others: Iterator[list[Any]]) -> None:
        """Open the sizes that are others in one of these results."""
        for results in others:
            for i, (spec, result) in enumerate(zip(self.specs, results, strict=True)):
                if spec.shape != result.shape:
                    shape = spec.tensor_shape.most_specific_compatible_shape(TensorShape.of(result.shape))
                    self.specs[i] = Spec.open(spec.dtype, shape)


def _size(inputs: Sequence[Tensor], trials: Sequence[Any], i: int, axis: int, k: int) -> int:
    """The size, for a trial, that a symbol stands for: a dimension of an operand, or one of its values."""
    if axis >= 0:
        return trials[i][k].shape[axis]
    t = inputs[i]
    sampled = t.samples[k] if isinstance(t, SymbolicTensor) and t.samples is not None else None
    return TRIALS[k] if sampled is None else int(sampled.reshape(-1)[-1 - axis])


def follow_kernel(kernel: Kernel, specs: tuple[Spec, ...], values: dict[int, Any]) -> _Followed | None:
    """The results for symbolic sizes; None if the operation cannot be followed with any."""
    key = specs, tuple([_frozen(v) for v in values.values()])
    found = kernel.followed[key]
    if found is None:
        found = kernel.followed[key] = _follow(kernel, specs, values) or False
    return found or None


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


@attempt()
def _follow(kernel: Kernel, specs: tuple[Spec, ...], values: dict[int, Any]) -> _Followed | None:
    seen: list[Any] = []
    for named in _assumptions([s if i not in values else None for i, s in enumerate(specs)]):
        if named in seen:
            continue
        seen.append(named)
        found = _followed_with(kernel, specs, values, named)
        if found is None:
            continue
        if len(seen) > 1:  # what need not be assumed is not
            for part in _parts_of(named):
                fewer = named | _fresh(part)
                better = _followed_with(kernel, specs, values, fewer)
                if better is not None:
                    named, found = fewer, better
            for p, q in _pairs_of(named):  # they may only have to be equal
                if type(named[p]) is int and type(named[q]) is int:
                    fewer = named | dict.fromkeys((p, q), f"e{p[0]}_{p[1]}")
                    better = _followed_with(kernel, specs, values, fewer)
                    if better is not None:
                        named, found = fewer, better
        found.opened(_probed(kernel, specs, values, _PROBES[len(seen) > 1], named))
        return found
    return None


def _parts_of(named: Mapping[tuple[int, int], Any]) -> list[list[tuple[int, int]]]:
    """The assumptions, apart: dimensions that are equal, and each that has a known size."""
    equal: dict[str, list[tuple[int, int]]] = {}
    for place, name in named.items():
        if type(name) is str:
            equal.setdefault(name, []).append(place)
    alone = [[p] for p, name in named.items() if type(name) is int or name.startswith(_MANY)]
    return alone + [places for places in equal.values() if places[1:]]


def _pairs_of(named: Mapping[tuple[int, int], Any]) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Pairs of dimensions of which the same size was assumed."""
    assumed = [p for p, n in named.items() if type(n) is int]
    return [(p, q) for p, q in itertools.combinations(assumed, 2) if named[p] == named[q]]


def _followed_with(
    kernel: Kernel, specs: tuple[Spec, ...], values: dict[int, Any], named: Mapping[tuple[int, int], Any]
) -> _Followed | None:
    """The results under one assumption; None if they cannot be told."""
    places: dict[str, list[tuple[int, int]]] = {}
    for place, name in named.items():
        if type(name) is str:
            places.setdefault(name.removeprefix(_MANY), []).append(place)
    sizes = {p: symbol(n) if type(n) is str else n for p, n in named.items()}
    known = {i: _symbols(v, i, itertools.count(1), places) for i, v in values.items()}
    try:
        kind, results = _results(kernel, specs, sizes, known)
        scales = {n.removeprefix(_MANY): 840 for n in named.values() if type(n) is str and n.startswith(_MANY)}
        return _Followed(kind, results, places, scales)
    except (NeedsValue, RanksRefused):
        raise
    except Exception:  # whatever an operation says of symbols: trials will tell what is wrong
        return None


def _symbols(value: Any, i: int, counter: Any, places: dict[str, Any]) -> Any:
    """A value with symbols for what is unknown of it."""
    if isinstance(value, list):
        return [_symbols(v, i, counter, places) for v in value]
    at = -next(counter)
    if value is not None:
        return value
    name = f"v{i}_{-at}"
    places[name] = [(i, at)]
    return symbol(name)


def _results(kernel: Kernel, specs: Sequence[Spec], sizes: Mapping[Any, Any], known: dict[int, Any]) -> Any:
    structs = [
        jax.ShapeDtypeStruct(
            tuple([sizes[i, a] if n is None else n for a, n in enumerate(s.shape)]) if None in s.shape else s.shape,
            s.dtype.np,
        )
        if i not in known
        else None
        for i, s in enumerate(specs)
    ]
    out = kernel.followed_on(structs, known)
    if isinstance(out, (tuple, list)):
        return type(out), list(out)
    return None, [out]


def _probed(
    kernel: Kernel, specs: tuple[Spec, ...], values: dict[int, Any], probes: Sequence[int], named: Mapping[Any, Any]
) -> Iterator[list[Any]]:
    """The results for some sizes, of those that the operation takes."""
    assumed = {p: n for p, n in named.items() if type(n) is int}
    for n, places in [*((n, None) for n in probes), *((7, (p,)) for p in assumed), *((7, p) for p in _pairs_of(named))]:
        # All sizes are the same, or only the one or two of which something was assumed are others.
        sizes = (
            dict.fromkeys(named, n) if places is None else dict.fromkeys(named, 7) | assumed | dict.fromkeys(places, n)
        )
        known = {i: filled(v, n) for i, v in values.items()}
        with contextlib.suppress(*REFUSED):
            yield _results(kernel, specs, sizes, known)[1]


def filled(value: Any, n: int) -> Any:
    return [filled(v, n) for v in value] if isinstance(value, list) else n if value is None else value


def _fresh(places: Iterable[tuple[int, int]]) -> dict[tuple[int, int], Any]:
    return {(i, a): f"d{i}_{a}" for i, a in places}


def _assumptions(specs: Sequence[Spec | None]) -> Iterator[dict[tuple[int, int], Any]]:
    """A name, or a known size, for each unknown dimension: the fewest assumptions first.

    Each dimension is one of its own; those in one place, counted from the back or from the front, are equal; all are equal; and
    then those beside a known size have that size.
    """
    open_ = [(i, a) for i, s in enumerate(specs) if s is not None for a, n in enumerate(s.shape) if n is None]
    ranks = [0 if s is None else len(s.shape) for s in specs]
    fresh = _fresh(open_)
    back = {(i, a): f"b{ranks[i] - a}" for i, a in open_}
    front = {(i, a): f"f{a}" for i, a in open_}
    yield fresh
    yield back
    yield front
    yield dict.fromkeys(open_, "n")
    for aligned, place in ((back, lambda i, a: f"b{ranks[i] - a}"), (front, lambda i, a: f"f{a}")):
        given: dict[str, set[int]] = {}
        for i, s in enumerate(specs):
            for a, n in enumerate(() if s is None else s.shape):
                if n is not None and n != 1:
                    given.setdefault(place(i, a), set()).add(n)
        fixed = {name: next(iter(found)) for name, found in given.items() if len(found) == 1}
        yield {p: fixed.get(name, name) for p, name in aligned.items()}
    numbers = list(dict.fromkeys(n for s in specs if s is not None for n in s.shape if n is not None and n != 1))
    for n in numbers:
        yield dict.fromkeys(open_, n)
    yield {p: _MANY + name for p, name in fresh.items()}
    for p, n in itertools.islice(itertools.product(open_, numbers), 12):
        yield fresh | {p: n}
    for p, n in itertools.islice(itertools.product(open_, numbers), 12):
        yield back | {p: n}
