"""Types of an operation's results in a graph, where dimensions of its operands may be unknown.

A size is claimed only if it is proved. The operation is followed with symbolic sizes, once: what comes out as an integer is static,
any expression is unknown. Where operands must agree (two unknown sizes that are added, or an unknown one beside a known one), it
is followed under the assumption that they do. What cannot be followed with symbols, such as Python code that compares sizes, is
tried with some sizes, which tells dtypes and ranks; its sizes are unknown, unless a rule beside its declaration (`open_shape`)
tells them.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import jax
import numpy as np

from tfgrad_jax.engine.graph.samples import UNSIZED, sure_value
from tfgrad_jax.engine.kernels.kernel import Kernel, spec_of_result
from tfgrad_jax.engine.messages import errors
from tfgrad_jax.engine.values.shapes import UNRANKED, RankUnknown, TensorShape
from tfgrad_jax.engine.values.symbolic import TRIALS, NeedsValue, SymbolicTensor, open_trials, trials_of
from tfgrad_jax.engine.values.symbols import evaluated, symbol
from tfgrad_jax.engine.values.tensor import Spec, Tensor

_REFUSED = (errors.OpError, TypeError, ValueError, IndexError, ArithmeticError)
"""How operations refuse a shape."""

_PROBES = (0, 1), (0, 1, 2, 7, 1000)
"""Sizes that are tried besides the symbols: where those stood for themselves, and where they were assumed to be equal."""

_GUESSES = (7, 1, 0, -1, 2)
"""Values tried for integers that come from data, when they decide a shape or name an axis."""

_LIKELY = (1, 2, 840, 3, 4, 5, 6, 8, 0)
"""Sizes tried where operands must be small, or divisible by something."""

_MANY = "840*"
"""What a symbol is multiplied with where a size must be divisible by something."""

_ATTEMPTS = 160
"""An operation that refuses so many combinations of sizes refuses all, for what we know."""


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


@np.errstate(all="ignore")  # there may be no element in some trial
def infer(kernel: Kernel, inputs: Sequence[Tensor]) -> Inferred:
    """The types of the results of a kernel.

    Raises:
      Exception: as the operation does that takes no such operands.
    """
    if kernel.like is not None:
        found = [inputs[i] for i in kernel.like]
        return Inferred(tuple if len(found) != 1 else None, [t.spec for t in found], [trials_of(t) for t in found])
    if kernel.typed is not None:
        return _plain(kernel.typed)
    specs = tuple([t.spec for t in inputs])
    if any(s.shape is UNRANKED for s in specs):
        return _of_any_rank(kernel, inputs)
    on_host = kernel.runs_on_host(specs) and kernel.interpret is None and bool(inputs)
    if not on_host and not kernel.reads_values and not any(None in s.shape for s in specs):
        return _plain(kernel.infer(specs))
    values = {i: sure_value(inputs[i]) for i in kernel.reads_values}
    if not on_host and kernel.open_shapes is None and all(v is not UNSIZED for v in values.values()):
        followed = _followed(kernel, specs, values)
        if followed is not None:
            return followed.inferred(inputs)
    return _tried(kernel, inputs, values)


_RANKS = range(7)
"""Ranks that are tried for operands of unknown rank, all with unknown sizes."""


def _of_any_rank(kernel: Kernel, inputs: Sequence[Tensor]) -> Inferred:
    """The types of the results for operands of unknown rank: what all ranks that the operation takes have in common.

    All ranks that programs use are tried, so what they agree on is known.
    """
    unranked = [i for i, t in enumerate(inputs) if t.spec.shape is UNRANKED]
    each = [(r,) * len(unranked) for r in _RANKS]
    others = itertools.product(_RANKS, repeat=2) if len(unranked) == 2 else ()
    found: Inferred | None = None
    refusal: Exception | None = None
    for ranks in dict.fromkeys((*each, *others)):
        placed = list(inputs)
        for i, r in zip(unranked, ranks, strict=True):
            placed[i] = _ranked(inputs[i], r)
        try:
            inferred = infer(kernel, placed)
        except NeedsValue:
            raise
        except (*_REFUSED, RankUnknown) as error:
            refusal = refusal or error
            continue
        if found is None:
            found = inferred
        elif len(found.specs) != len(inferred.specs):
            raise RankUnknown
        else:
            pairs = zip(found.specs, inferred.specs, strict=True)
            shapes = [a.tensor_shape.most_specific_compatible_shape(b.tensor_shape) for a, b in pairs]
            found = _plain_as(found.kind, [Spec.open(s.dtype, n) for s, n in zip(found.specs, shapes, strict=True)])
        if all(s.shape is UNRANKED for s in found.specs):
            break
    if found is None:
        assert refusal is not None
        raise refusal
    return found


def _ranked(t: Tensor, rank: int) -> Tensor:
    assert isinstance(t, SymbolicTensor)
    return SymbolicTensor(t.graph, t.slot, Spec.of(t.dtype, (None,) * rank), "ranked")  # type: ignore[arg-type]


def _plain(specs: Any) -> Inferred:
    kind = type(specs) if isinstance(specs, (tuple, list)) else None
    flat = list(specs) if kind else [specs]
    return Inferred(kind, flat, [open_trials(s) for s in flat])


# -- following with symbols ---------------------------------------------------------------------------------------------


class _Followed:
    """What came out for symbolic sizes.

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


def _followed(kernel: Kernel, specs: tuple[Spec, ...], values: dict[int, Any]) -> _Followed | None:
    """The results for symbolic sizes; None if the operation cannot be followed with any."""
    key = specs, tuple([_frozen(v) for v in values.values()])
    found = kernel.followed[key]
    if found is None:
        found = kernel.followed[key] = _follow(kernel, specs, values) or False
    return found or None


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


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
        found.opened(_probed(kernel, specs, values, _PROBES[len(seen) > 1], named))
        return found
    return None


def _parts_of(named: Mapping[tuple[int, int], Any]) -> list[list[tuple[int, int]]]:
    """What is assumed, apart: dimensions that are equal, and each that has a known size."""
    equal: dict[str, list[tuple[int, int]]] = {}
    for place, name in named.items():
        if type(name) is str:
            equal.setdefault(name, []).append(place)
    alone = [[p] for p, name in named.items() if type(name) is int or name.startswith(_MANY)]
    return alone + [places for places in equal.values() if places[1:]]


def _followed_with(
    kernel: Kernel, specs: tuple[Spec, ...], values: dict[int, Any], named: Mapping[tuple[int, int], Any]
) -> _Followed | None:
    """The results under one assumption; None if they cannot be told."""
    places: dict[str, list[tuple[int, int]]] = {}
    for place, name in named.items():
        if type(name) is str:
            places.setdefault(name.removeprefix(_MANY), []).append(place)
    sizes = {p: symbol(n) if type(n) is str else n for p, n in named.items()}
    counter = itertools.count(1)
    known = {i: _symbols(v, i, counter, places) for i, v in values.items()}
    try:
        kind, results = _results(kernel, specs, sizes, known)
        scales = {n.removeprefix(_MANY): 840 for n in named.values() if type(n) is str and n.startswith(_MANY)}
        return _Followed(kind, results, places, scales)
    except NeedsValue:
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
    for n, place in [*((n, None) for n in probes), *((7, p) for p in assumed)]:
        # All sizes are the same, or only the one of which something was assumed is another.
        sizes = dict.fromkeys(named, n) if place is None else dict.fromkeys(named, 7) | assumed | {place: n}
        known = {i: _filled(v, n) for i, v in values.items()}
        with contextlib.suppress(*_REFUSED):
            yield _results(kernel, specs, sizes, known)[1]


def _filled(value: Any, n: int) -> Any:
    return [_filled(v, n) for v in value] if isinstance(value, list) else n if value is None else value


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


# -- trying sizes -------------------------------------------------------------------------------------------------------


def _tried(kernel: Kernel, inputs: Sequence[Tensor], values: dict[int, Any]) -> Inferred:
    """The types of the results of what cannot be followed: dtypes and ranks by trial, sizes by rule, or unknown."""
    refusal: Exception | None = None
    rule = _rule(kernel, inputs, values)
    for specs, given in itertools.islice(_attempts(kernel, inputs, values), _ATTEMPTS):
        try:
            kind, found = _types(kernel, specs, given)
        except NeedsValue:
            raise
        except _REFUSED as error:
            refusal = refusal or error
            continue
        shapes: Any = [(None,) * len(s.shape) for s in found]
        if rule is not None:
            shapes = rule()
        elif kernel.runs_on_host(specs):
            shapes = _on_host(kernel, inputs, given, found)
        return _plain_as(kind, [Spec.of(s.dtype, _sizes(shape)) for s, shape in zip(found, shapes, strict=True)])
    if rule is not None and kernel.open_shapes is None and kernel.reads_values:
        return _plain_as(None, [Spec.of(inputs[0].dtype, _sizes(shape)) for shape in rule()])
    assert refusal is not None
    raise refusal


def _plain_as(kind: Any, specs: list[Spec]) -> Inferred:
    return Inferred(kind, specs, [open_trials(s) for s in specs])


def _sizes(shape: Any) -> Any:
    return shape if shape is UNRANKED else tuple(shape)


def _rule(kernel: Kernel, inputs: Sequence[Tensor], values: dict[int, Any]) -> Callable[[], list[Any]] | None:
    """The shapes of the results as the operation's declaration tells them."""
    if kernel.open_shapes is not None:
        of_function = kernel.open_shapes
        return lambda: of_function([t.spec.shape for t in inputs], values)
    origin = kernel.origin
    rule = None if origin is None else origin.op.open_shape
    if origin is None or rule is None:
        return None
    known = {i: _parts(v, inputs[i]) for i, v in values.items()}
    attributes = origin.sized([known.get(i) for i in range(len(inputs))])

    def shapes() -> list[Any]:
        found = rule(attributes, *[t.spec.shape for t in inputs])
        return found if isinstance(found, list) else [found]

    return shapes


def _parts(value: Any, t: Tensor) -> Any:
    """A known value as rules of operations take it: None where nothing is known, of a vector a list of those."""
    if value is UNSIZED:
        return [None] * t.spec.shape[0] if len(t.spec.shape) == 1 and t.spec.shape[0] is not None else None
    return value


def _attempts(
    kernel: Kernel, inputs: Sequence[Tensor], values: dict[int, Any]
) -> Iterator[tuple[list[Spec], dict[int, Any]]]:
    """Types and values to try, the likeliest first."""
    trials = [trials_of(t) for t in inputs]
    open_ = [(i, a) for i, t in enumerate(inputs) for a, n in enumerate(t.spec.shape) if n is None]
    for k in (0, 2):
        given = {i: _sampled(inputs[i], k) for i in values}
        if all(v is not None for v in given.values()):
            yield [t[k] for t in trials], given
    numbers = list(dict.fromkeys(n for t in inputs for n in t.spec.shape if n is not None and n != 1))
    places: list[dict[tuple[int, int], int]] = [{}]
    places += [dict.fromkeys(open_, n) for n in (*_LIKELY[:3], *numbers, *_LIKELY[3:]) if open_]
    places += [{p: n} for p in open_ for n in (*numbers, *_LIKELY) if len(open_) > 1]
    pairs = itertools.product((*numbers, *_LIKELY[:2], *_LIKELY[3:6]), repeat=2) if len(open_) == 2 else ()
    places += [dict(zip(open_, sizes, strict=True)) for sizes in pairs]
    for guess in _GUESSES if values else _GUESSES[:1]:
        for chosen in places if guess == _GUESSES[0] else places[:6]:
            specs = [_placed(t[0], i, chosen) for i, t in enumerate(trials)]
            yield specs, {i: _guessed(inputs[i], specs[i], guess + (guess == _GUESSES[1]) * i) for i in values}


def _placed(spec: Spec, i: int, chosen: Mapping[tuple[int, int], int]) -> Spec:
    return Spec.of(spec.dtype, tuple([chosen.get((i, a), n) for a, n in enumerate(spec.shape)])) if chosen else spec


def _sampled(t: Tensor, k: int) -> Any:
    if isinstance(t, SymbolicTensor) and t.samples is not None:
        return t.samples[k]
    return t.held if type(t.held) is np.ndarray else None


def _guessed(t: Tensor, spec: Spec, guess: int) -> Any:
    # A size that comes from data may be anything.
    known = sure_value(t)
    if known is UNSIZED or t.dtype.is_bool:
        return np.full(spec.shape, guess, spec.dtype.np)
    return np.asarray(_filled(known, guess), spec.dtype.np)


def _types(kernel: Kernel, specs: list[Spec], given: dict[int, Any]) -> tuple[Any, list[Spec]]:
    values = [given.get(i) for i in range(len(specs))]
    if kernel.runs_on_host(specs):
        out = kernel.infer_on_host(specs, values, False)
    else:
        out = kernel.infer_with(specs, values) if kernel.reads_values else kernel.infer(tuple(specs))
    return (type(out), list(out)) if isinstance(out, (tuple, list)) else (None, [out])


def _on_host(kernel: Kernel, inputs: Sequence[Tensor], given: dict[int, Any], first: list[Spec]) -> list[Any]:
    """The shapes of what runs on the host: JAX cannot follow it, so sizes that never differ count as static."""
    shapes: list[Any] = [s.shape for s in first]
    values = [given.get(i) for i in range(len(inputs))]
    for n, distinct in ((11, True), (0, False), (1, False), (3, True), (100, False)):
        specs = [Spec.of(t.dtype, tuple([n if m is None else m for m in t.spec.shape])) for t in inputs]
        with contextlib.suppress(*_REFUSED):
            out = kernel.infer_on_host(specs, values, distinct)
            for i, s in enumerate(out if isinstance(out, (tuple, list)) else (out,)):
                if len(s.shape) == len(shapes[i]):
                    shapes[i] = tuple([a if a == b else None for a, b in zip(shapes[i], s.shape, strict=True)])
    return shapes
