"""Types of an operation's results in a graph, where dimensions of its operands may be unknown.

A size is claimed only if it is proved. The operation is followed with symbolic sizes, once: what comes out as an integer is static,
any expression is unknown. Where operands must agree (two unknown sizes that are added, or an unknown one beside a known one), it
is followed under the assumption that they do. Code that cannot be followed with symbols, such as Python that compares sizes, is
tried with some sizes, which tells dtypes and ranks; its sizes are unknown, unless a rule beside its declaration (`open_shape`)
tells them.
"""

from __future__ import annotations

import contextlib
import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine.graph.following import REFUSED, Inferred, RanksRefused, filled, follow_kernel
from tfgrad_jax.engine.graph.samples import UNSIZED, sure_value
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.messages.attempts import attempt
from tfgrad_jax.engine.values.shapes import UNRANKED, RankUnknown
from tfgrad_jax.engine.values.symbolic import NeedsValue, SymbolicTensor, open_trials, trials_of
from tfgrad_jax.engine.values.tensor import Spec, Tensor

_GUESSES = (7, 1, 0, -1, 2)
"""Values tried for integers that come from data, when they decide a shape or name an axis."""

_LIKELY = (1, 2, 840, 3, 4, 5, 6, 8, 0, 45360)
"""Sizes tried where operands must be small, large, or divisible by something."""

_LARGEST = 1 << 20
"""Elements of operands that are made to try an operation on the host."""

_ATTEMPTS = 160
"""An operation that refuses so many combinations of sizes refuses all, for what we know."""


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
    if kernel.types is not None:
        return _plain(kernel.types(specs))
    if any(s.shape is UNRANKED for s in specs):
        return _of_any_rank(kernel, inputs)
    on_host = kernel.runs_on_host(specs) and kernel.interpret is None and bool(inputs)
    if not on_host and not kernel.reads_values and not any(None in s.shape for s in specs):
        return _plain(kernel.infer(specs))
    values = {i: sure_value(inputs[i]) for i in kernel.reads_values}
    if not on_host and kernel.open_shapes is None and all(v is not UNSIZED for v in values.values()):
        followed = follow_kernel(kernel, specs, values)
        if followed is not None:
            return followed.inferred(inputs)
    return _tried(kernel, inputs, values)


_RANKS = range(7)
"""Ranks that are tried for operands of unknown rank, all with unknown sizes."""


@attempt()
def _of_any_rank(kernel: Kernel, inputs: Sequence[Tensor]) -> Inferred:
    """The types of the results for operands of unknown rank: what all ranks that the operation takes have in common.

    All ranks that programs use are tried, so what they agree on is known.
    """
    unranked = [i for i, t in enumerate(inputs) if t.spec.shape is UNRANKED]
    each = [(r,) * len(unranked) for r in _RANKS]
    others = list(itertools.product(_RANKS, repeat=2)) if len(unranked) == 2 else []
    if len(unranked) > 2:  # one of them beside others of low rank, such as bounds
        for few, i, r in itertools.product(_RANKS[:3], range(len(unranked)), _RANKS):
            others.append((*(few,) * i, r, *(few,) * (len(unranked) - i - 1)))
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
        except (*REFUSED, RankUnknown) as error:
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


# -- trying sizes -------------------------------------------------------------------------------------------------------


@attempt()
def _tried(kernel: Kernel, inputs: Sequence[Tensor], values: dict[int, Any]) -> Inferred:
    """The types of the results of what cannot be followed: dtypes and ranks by trial, sizes by rule, or unknown."""
    refusal: Exception | None = None
    rule = _rule(kernel, inputs, values)
    if rule is not None and kernel.open_shapes is not None:
        told = rule()
        if all(isinstance(t, Spec) for t in told):
            return _plain_as(list, told)
    for specs, given in itertools.islice(_attempts(kernel, inputs, values), _ATTEMPTS):
        if kernel.runs_on_host(specs) and any(math.prod(s.shape) > _LARGEST for s in specs):
            continue
        try:
            kind, found = _types(kernel, specs, given)
        except (NeedsValue, RanksRefused):
            raise
        except REFUSED as error:
            refusal = refusal or error
            continue
        shapes: Any = _of_each_length(kernel, inputs, values, found)
        if rule is not None:
            shapes = rule()
        elif kernel.runs_on_host(specs):
            shapes = _on_host(kernel, inputs, values, given, found)
        return _plain_as(kind, [Spec.of(s.dtype, _sizes(shape)) for s, shape in zip(found, shapes, strict=True)])
    if rule is not None and kernel.open_shapes is None and kernel.reads_values:
        return _plain_as(None, [Spec.of(inputs[0].dtype, _sizes(shape)) for shape in rule()])
    assert refusal is not None
    raise refusal


def _of_each_length(
    kernel: Kernel, inputs: Sequence[Tensor], values: dict[int, Any], found: list[Spec]
) -> list[tuple[None, ...] | None]:
    """The results' ranks with unknown sizes; None where the rank depends on how long a vector is whose length is unknown."""
    shapes: list[tuple[None, ...] | None] = [(None,) * len(s.shape) for s in found]
    vectors = [i for i in values if inputs[i].spec.shape == (None,)]
    if vectors and kernel.open_shapes is None:
        attempts = itertools.islice(_attempts(kernel, inputs, values), _LENGTHS)
        for specs, given in itertools.chain(attempts, _different_axes(inputs, values, vectors)):
            with contextlib.suppress(*REFUSED):
                for i, spec in enumerate(_types(kernel, specs, given)[1]):
                    if shapes[i] != (None,) * len(spec.shape):
                        shapes[i] = None
    return shapes


def _different_axes(
    inputs: Sequence[Tensor], values: dict[int, Any], vectors: Sequence[int]
) -> Iterator[tuple[list[Spec], dict[int, Any]]]:
    """What to try for vectors of unknown length that may be axes, of which none comes twice."""
    first = [trials_of(t)[0] for t in inputs]
    for length in range(3):
        specs = [Spec.of(s.dtype, (length,)) if i in vectors else s for i, s in enumerate(first)]
        yield (
            specs,
            {
                i: np.arange(length, dtype=specs[i].dtype.np)
                if i in vectors
                else _guessed(inputs[i], specs[i], _GUESSES[0])
                for i in values
            },
        )


_LENGTHS = 8
"""So many attempts have vectors of several lengths."""


def _plain_as(kind: Any, specs: list[Spec]) -> Inferred:
    return Inferred(kind, specs, [open_trials(s) for s in specs])


def _sizes(shape: Any) -> Any:
    """The sizes that a rule tells; None stands for those of which even the number is unknown."""
    return UNRANKED if shape is None or shape is UNRANKED else tuple(shape)


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
    places: list[dict[tuple[int, int], int]] = [{}, *_filling(kernel, inputs, open_), *_alike(inputs, open_)]
    places += [dict.fromkeys(open_, n) for n in (*_LIKELY[:3], *numbers, *_LIKELY[3:]) if open_]
    places += [{p: n} for p in open_ for n in (*numbers, *_LIKELY) if len(open_) > 1]
    pairs = itertools.product((*numbers, *_LIKELY[:2], *_LIKELY[3:6]), repeat=2) if len(open_) == 2 else ()
    places += [dict(zip(open_, sizes, strict=True)) for sizes in pairs]
    # Operands that go together row by row, as parts and their places do, each with a number of rows of its own.
    rows = [p for p in open_ if p[1] == 0]
    if 2 <= len(rows) < len(open_):
        counts = itertools.product(dict.fromkeys((*numbers, *_LIKELY[:2])), repeat=len(rows))
        others = dict.fromkeys(open_, _LIKELY[2])
        places += [{**others, **dict(zip(rows, sizes, strict=True))} for sizes in itertools.islice(counts, _ATTEMPTS)]
    for guess in _GUESSES if values else _GUESSES[:1]:
        for chosen in places if guess == _GUESSES[0] else places[:6]:
            specs = [_placed(t[0], i, chosen) for i, t in enumerate(trials)]
            if any(math.prod(specs[i].shape) > _LARGEST for i in values):
                continue
            yield specs, {i: _guessed(inputs[i], specs[i], guess + (guess == _GUESSES[1]) * i) for i in values}
    if values:  # shapes that end as those of other operands do
        specs = [t[0] for t in trials]
        for shape in dict.fromkeys(s.shape for i, s in enumerate(specs) if i not in values and s.shape):
            yield specs, {i: _ending_with(shape, inputs[i], specs[i]) for i in values}
        for size in numbers or _LIKELY[:1]:  # sizes of parts, which add up to one of another operand
            specs = [_placed(t[0], i, dict.fromkeys(open_, size)) for i, t in enumerate(trials)]
            yield specs, {i: _adding_up_to(size, inputs[i], specs[i]) for i in values}
        yield from _one_by_one(inputs, values, numbers)


def _one_by_one(
    inputs: Sequence[Tensor], values: dict[int, Any], numbers: Sequence[int]
) -> Iterator[tuple[list[Spec], dict[int, Any]]]:
    """Numbers that must go together, each given by itself: parts that fill a size, places in an image and the sizes of both."""
    specs = [trials_of(t)[0] for t in inputs]
    alone = [i for i, value in values.items() if value is None and not specs[i].shape]
    likely = dict.fromkeys((0, *numbers, *[2 * n for n in numbers]))
    for chosen in itertools.product(likely, repeat=len(alone)) if alone else ():
        given = {i: _guessed(inputs[i], specs[i], _GUESSES[0]) for i in values}
        yield specs, given | {i: np.asarray(n, specs[i].dtype.np) for i, n in zip(alone, chosen, strict=True)}


def _alike(inputs: Sequence[Tensor], open_: list[tuple[int, int]]) -> Iterator[dict[Any, int]]:
    """Sizes with which operands have the shape of another one, as far as that is known: labels and what is compared with them."""
    for j, other in enumerate(inputs):
        shape = other.spec.shape
        found = {(i, a): shape[a] for i, a in open_ if i != j and a < len(shape) and shape[a] is not None}
        if found:
            yield found


def _filling(kernel: Kernel, inputs: Sequence[Tensor], open_: list[tuple[int, int]]) -> Iterator[dict[Any, int]]:
    """Sizes with which an operand has as many elements as a shape among the attributes, that of `tf.reshape`."""
    attributes = {} if kernel.origin is None else kernel.origin.attributes
    for shape in attributes.values():
        if isinstance(shape, tuple) and shape and all(isinstance(n, int) for n in shape):
            whole = math.prod(n for n in shape if n != -1)
            for i, axis in dict(open_).items():  # all but the last open dimension of each operand are 1
                missing, rest = divmod(whole, math.prod(n for n in inputs[i].spec.shape if n is not None) or 1)
                if not rest and missing:
                    yield {**{p: 1 for p in open_ if p[0] == i}, (i, axis): missing}


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
    return np.asarray(filled(known, guess), spec.dtype.np)


def _ending_with(shape: tuple[int, ...], t: Tensor, spec: Spec) -> np.ndarray:
    """A value to try, where it is not known that of a shape with this end."""
    guess, other = _guessed(t, spec, _GUESSES[0]), _guessed(t, spec, _GUESSES[0] + 1)
    if guess.ndim == 1 and guess.size >= len(shape):
        wanted = np.concatenate([guess[: guess.size - len(shape)], shape])
        guess = np.where(guess != other, wanted, guess).astype(guess.dtype)
    return guess


def _adding_up_to(size: int, t: Tensor, spec: Spec) -> np.ndarray:
    """A value to try, whose elements have this sum: the first that is not known is what the others leave."""
    guess, other = _guessed(t, spec, 0), _guessed(t, spec, 1)
    unknown = np.flatnonzero(guess != other)
    if guess.ndim == 1 and unknown.size:
        guess[unknown[0]] = size - guess.sum()
    return guess


def _types(kernel: Kernel, specs: list[Spec], given: dict[int, Any]) -> tuple[Any, list[Spec]]:
    values = [given.get(i) for i in range(len(specs))]
    if kernel.runs_on_host(specs):
        out = kernel.infer_on_host(specs, values, False)
    else:
        out = kernel.infer_with(specs, values) if kernel.reads_values else kernel.infer(tuple(specs))
    return (type(out), list(out)) if isinstance(out, (tuple, list)) else (None, [out])


def _on_host(
    kernel: Kernel, inputs: Sequence[Tensor], known: dict[int, Any], given: dict[int, Any], first: list[Spec]
) -> list[Any]:
    """The shapes of what runs on the host: JAX cannot follow it, so sizes that never differ count as static.

    Args:
      known: what is known of the values of operands; what is not must be different ones, too.
      given: the values of the first attempt, which had the results `first`.
    """
    shapes: list[Any] = [s.shape for s in first]
    others: list[dict[int, Any]] = [
        {i: changed for i, v in known.items() if (changed := _changed(v, given[i], k)) is not None} for k in (1, 2)
    ]
    tries = itertools.product(
        others if others[0] else others[:1], ((11, True), (0, False), (1, False), (3, True), (100, False))
    )
    for other, (n, distinct) in tries:
        values = [other.get(i, given.get(i)) for i in range(len(inputs))]
        specs = [Spec.of(t.dtype, tuple([n if m is None else m for m in t.spec.shape])) for t in inputs]
        if any(math.prod(s.shape) > _LARGEST for s in specs):
            continue  # many unknown dimensions: the smaller sizes must do
        with contextlib.suppress(*REFUSED):
            out = kernel.infer_on_host(specs, values, distinct)
            for i, s in enumerate(out if isinstance(out, (tuple, list)) else (out,)):
                if len(s.shape) == len(shapes[i]):
                    shapes[i] = tuple([a if a == b else None for a, b in zip(shapes[i], s.shape, strict=True)])
    return shapes


def _changed(known: Any, given: Any, number: int) -> Any:
    """A value of which nothing else is known, with another number in the place of each that was guessed; None if all is known."""
    if known is UNSIZED:
        return np.full_like(given, number)
    parts = np.array(known, object)
    unknown = parts == None  # noqa: E711
    return np.where(unknown, number, given).astype(given.dtype) if np.any(unknown) else None
