"""Jacobians: the backward pass of a tape, batched over the rows by `jax.vmap`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from tfgrad_jax.engine.cache import Cache
from tfgrad_jax.engine.kernels.constants import ZEROS
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.run.execute import execute, tracing
from tfgrad_jax.engine.tape.backward import Entry, backward_pass, dense
from tfgrad_jax.engine.tape.sources import asked
from tfgrad_jax.engine.tape.tape import GradientTape, UnconnectedGradients
from tfgrad_jax.engine.values import nest
from tfgrad_jax.engine.values.tensor import EagerTensor, Spec, Tensor

_programs: Cache[Any, Kernel] = Cache(128)


def jacobian(tape: GradientTape, target: Any, sources: Any, unconnected: UnconnectedGradients, at_once: bool) -> Any:
    """See `GradientTape.jacobian`."""
    _check_at_once(tape, at_once, "jacobian")
    (target,) = asked([target], "target")
    flat = asked(nest.flatten(sources), "source")
    dtype = target.dtype.np

    def rows(backward: Callable[[Any], list[Any]], shape: tuple[int, ...]) -> list[Any]:
        n = math.prod(shape)
        seeds = jnp.eye(n, dtype=dtype).reshape((n, *shape))
        return [None if g is None else g.reshape(shape + g.shape[1:]) for g in jax.vmap(backward)(seeds)]

    with tape.answering() as entries:
        if not tape.is_watching(target):  # also of itself: TensorFlow differentiates its elements
            answers: list[Any] = [None] * len(flat)
        elif at_once or None in target.spec.shape or not target.spec.size:
            answers = _at_once(tape, entries, target, flat, rows, "jacobian")
        else:
            answers = _row_by_row(tape, target, flat)
    if unconnected is UnconnectedGradients.ZERO:
        answers = [
            _zeros(target, s, target.spec.shape + s.spec.shape, 0) if a is None else a
            for a, s in zip(answers, flat, strict=True)
        ]
    return nest.pack_sequence_as(sources, answers)


def batch_jacobian(
    tape: GradientTape, target: Any, source: Any, unconnected: UnconnectedGradients, at_once: bool
) -> Any:
    """See `GradientTape.batch_jacobian`."""
    _check_at_once(tape, at_once, "batch_jacobian")
    (target,) = asked([target], "target")
    (source,) = asked([source], "source")
    shape, given = target.spec.shape, source.spec.shape
    if not shape or not given:
        raise IndexError(
            f"batch_jacobian: target and source need a first (batch) dimension, got shapes {shape} and {given}"
        )
    if len(shape) < 2 or len(given) < 2:
        raise ValueError(
            f"batch_jacobian: target and source must have rank at least 2, a batch dimension and others, got shapes "
            f"{shape} and {given}; for single numbers the gradient of the sum gives the same"
        )
    if shape[0] != given[0] and None not in (shape[0], given[0]):
        raise ValueError(f"Need first dimension of target shape ({shape}) and source shape ({given}) to match.")

    dtype = target.dtype.np

    def rows(backward: Callable[[Any], list[Any]], shape: tuple[int, ...]) -> list[Any]:
        n = math.prod(shape[1:])
        seeds = jnp.broadcast_to(jnp.eye(n, dtype=dtype)[:, None], (n, shape[0], n)).reshape((n, *shape))
        # The rows come first; the batch belongs there.
        return [
            None if g is None else jnp.moveaxis(g, 0, 1).reshape(shape + g.shape[2:]) for g in jax.vmap(backward)(seeds)
        ]

    with tape.answering() as entries:
        if not tape.is_watching(target):
            answer = None
        elif at_once or None in shape or not target.spec.size:
            (answer,) = _at_once(tape, entries, target, [source], rows, "batch_jacobian")
        else:
            full = _row_by_row(tape, target, [source])[0]
            answer = None if full is None else execute(_diagonal(len(shape)), (full,))
    return _zeros(target, source, shape + given[1:], 1) if answer is None else answer


def _zeros(target: Any, source: Any, shape: tuple[int, ...], shared: int) -> Tensor:
    """Zeros of a Jacobian's shape: the target's, and the source's without as many dimensions as they share."""
    if None not in shape:
        return execute(ZEROS[Spec.of(target.dtype if shared else source.dtype, shape)], ())
    dtype = (target if shared else source).dtype.np
    like = Kernel("ZerosLike", lambda t, s: jnp.zeros(t.shape + s.shape[shared:], dtype), differentiable=0)
    return execute(like, tuple(x if isinstance(x, Tensor) else x.as_operand() for x in (target, source)))


def _check_at_once(tape: GradientTape, at_once: bool, what: str) -> None:
    if not at_once and not tape.persistent:
        raise RuntimeError(
            f"GradientTape must be created with persistent=True to compute the {what} with eager execution enabled and with "
            f"experimental_use_pfor set to False."
        )


def _row_by_row(tape: GradientTape, target: Any, sources: list[Any]) -> list[Any]:
    n, shape = target.spec.size, target.spec.shape
    seeds = jnp.eye(n, dtype=target.dtype.np).reshape((n, *shape))
    rows = [tape.backward([target], sources, [EagerTensor(seed)], UnconnectedGradients.NONE) for seed in seeds]
    return [
        None if column[0] is None else execute(_stack(n, shape), tuple(dense(row) for row in column))
        for column in zip(*rows, strict=True)
    ]


def _stack(n: int, shape: tuple[int, ...]) -> Kernel:
    key = ("stack", n, shape)
    return _programs[key] or _programs.keep(
        key, Kernel("Pack", lambda *rows: jnp.stack(rows).reshape(shape + rows[0].shape))
    )


def _diagonal(rank: int) -> Kernel:
    """From `[b, ..., b, ...]` to `[b, ..., ...]`: the examples do not depend on each other."""
    key = ("diagonal", rank)
    return _programs[key] or _programs.keep(
        key, Kernel("BatchDiag", lambda x: jnp.moveaxis(jnp.diagonal(x, axis1=0, axis2=rank), -1, 0))
    )


def _at_once(
    tape: GradientTape, entries: list[Entry], target: Any, sources: list[Any], rows: Any, kind: str
) -> list[Any]:
    entries = _reached(entries, target.identity)
    ids = [s.identity for s in sources]
    known = {target.identity} | {i for e in entries for i in e.inputs}
    connected = [s.identity for s in sources if s.identity in known and tape.is_watching(s)]
    if not connected:
        return [None] * len(sources)
    saved = [t for e in entries for t in e.saved]
    shape = target.spec.shape if None not in target.spec.shape else None
    if shape is None:  # the target comes along, to tell it
        saved.append(target if isinstance(target, Tensor) else target.as_operand())
    if any(e.python is not None for e in entries):
        # The user's own gradient functions may do anything, so they run anew each time.
        arrays = _program(entries, target.identity, connected, rows, shape)(*[t.array for t in saved])
        results = [EagerTensor(a) for a in arrays]
    else:
        key = (kind, target.spec, *_signature(entries, target.identity, connected))
        kernel = _programs[key]
        if kernel is None:
            kernel = _programs[key] = Kernel(
                "Jacobian", _program([_light(e) for e in entries], target.identity, connected, rows, shape)
            )
        out = execute(kernel, tuple(saved))
        results = list(out)
    by_id = dict(zip(connected, results, strict=True))
    return [by_id.get(i) for i in ids]


def _light(entry: Entry) -> Entry:
    """An entry without its tensors, for a program that is kept."""
    return Entry(entry.recipe, entry.inputs, entry.outputs, (None,) * len(entry.saved))  # type: ignore[arg-type]


def _reached(entries: list[Entry], target: int) -> list[Entry]:
    """The entries on which the target depends, in order."""
    reached = {target}
    found = []
    for entry in reversed(entries):
        if any(o in reached for o in entry.outputs):
            found.append(entry)
            reached.update(entry.inputs)
    return found[::-1]


def _signature(entries: list[Entry], target: int, sources: list[int]) -> tuple[Any, ...]:
    """A key of the backward pass of these entries, all but the saved values: equal keys, equal programs."""
    numbers: dict[int, int] = {}
    number = lambda i: numbers.setdefault(i, len(numbers))  # noqa: E731
    steps = tuple((e.recipe, tuple(map(number, e.inputs)), tuple(map(number, e.outputs))) for e in entries)
    return steps, number(target), tuple(map(number, sources))


def _program(
    entries: list[Entry], target: int, sources: list[int], rows: Any, shape: tuple[int, ...] | None
) -> Callable[..., Any]:
    """The batched backward pass as a function of the saved arrays; the target is the last of them where its shape is open."""

    def program(*arrays: Any) -> list[Any]:
        values = iter(arrays)
        filled = []
        for e in entries:
            saved: tuple[Tensor, ...] = tuple(EagerTensor(next(values)) for _ in e.saved)
            filled.append(Entry(e.recipe, e.inputs, e.outputs, saved, e.python))

        def backward(seed: Any) -> list[Any]:
            with tracing():
                cotangents = backward_pass(filled, {target: EagerTensor(seed)}, set(sources), consume=False)
                return [dense(cotangents[i]).array if i in cotangents else None for i in sources]

        return rows(backward, arrays[-1].shape if shape is None else shape)

    return program
