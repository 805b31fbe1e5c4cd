"""Derivatives of kernels: compiled gradients, tangents, and kernels inside functions that JAX differentiates."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.extend.core import Literal, Var
from jax.extend.core.primitives import jit_p

from tfgrad_jax.engine.cache import Cache
from tfgrad_jax.engine.host.patterns import SMALL, Pattern, Program
from tfgrad_jax.engine.host.template import Template
from tfgrad_jax.engine.kernels.derivative_rules import by_rules, with_own_rule
from tfgrad_jax.engine.kernels.executables import FEW
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.messages.attempts import attempt
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values.tensor import Spec


def backward_of(kernel: Kernel, inputs: tuple[Spec, ...], outputs: tuple[Spec, ...], wrt: int, seeds: int) -> Backward:
    """The gradient of a kernel for these types: cotangents of the inputs in `wrt`, given those of the outputs in `seeds`."""
    key = (inputs, wrt, seeds)
    found = kernel.backwards[key]
    if found is None:
        found = kernel.backwards.keep(key, _backward(kernel, inputs, outputs, wrt, seeds))
    return found


class _Tracing(threading.local):
    symbols: Mapping[int, Any] | None = None


_tracing = _Tracing()
"""The symbols of the sizes, where a thread traces for all types of a pattern."""


class Backward:
    """The compiled gradient of a kernel for given types.

    Attributes:
      kernel: takes the cotangents in `seeds`, then the values in `needs`; returns the cotangents in `wrt`.
      needs: which inputs (and, counted on after them, outputs) the gradient reads; nothing else has to be kept.
      wrt: indices of the inputs that get a cotangent.
      passes: where every result is one of the given cotangents, unchanged, which ones: then nothing needs to run.
    """

    __slots__ = ("kernel", "needs", "passes", "seeds", "wrt")

    passes: tuple[int, ...] | None

    def __init__(
        self, forward: Kernel, kernel: Kernel, needs: tuple[int, ...], passes: Any, wrt: Any, seeds: Any
    ) -> None:
        self.kernel, self.needs, self.passes, self.wrt, self.seeds = kernel, needs, passes, wrt, seeds
        kernel.owner = forward.owner
        self._tell_factors(forward)

    def _tell_factors(self, forward: Kernel) -> None:
        """Let the gradient's kernel know which of its results are matrix products."""
        factors = forward.origin.op.factors if forward.origin is not None else None
        if factors is None:
            return
        attributes = forward.origin.attributes

        def of_gradient(cotangent: Any, *values: Any) -> dict[int, tuple[Any, Any]]:
            found = factors(cotangent, dict(zip(self.needs, values, strict=True)), **attributes)
            return {self.wrt.index(i): pair for i, pair in found.items() if i in self.wrt}

        self.kernel.factors = of_gradient


def _backward(forward: Kernel, inputs: tuple[Spec, ...], outputs: tuple[Spec, ...], wrt: int, seeds: int) -> Backward:
    wanted = tuple([i for i in range(len(inputs)) if wrt >> i & 1])
    seeded = tuple([o for o in range(len(outputs)) if seeds >> o & 1])
    values = inputs + outputs
    # In a graph shapes may be open.
    is_open = forward.reads_values or forward.interpret is not None or any([None in s.shape for s in values])
    specs = (*[outputs[o] for o in seeded], *values)
    pattern = None if is_open else Pattern([(s.shape, s.dtype.np) for s in specs], forward.constants())
    known: Any = None
    if pattern is not None:
        known = forward.gradient_patterns[(wrt, seeds), pattern.key]
        if known and known.shared is not None:
            return known.shared
    many = forward.many or forward.gradients >= FEW
    ruled = seeds & ~forward.rule_outputs == 0
    count, dtypes, shapes_here = len(inputs), [s.dtype.np for s in values], [s.shape for s in values]

    def gradient(*args: Any, needs: Sequence[int], shapes: Sequence[Any] = shapes_here) -> Any:
        given = dict(zip(needs, args[len(seeded) :], strict=True))
        known = [given[i] if i in given else jnp.zeros(_here(shapes[i]), dtype) for i, dtype in enumerate(dtypes)]
        seeds_by_place = dict(zip(seeded, args, strict=False))
        made = known[count:]
        cotangents = [seeds_by_place[o] if o in seeds_by_place else jnp.zeros_like(r) for o, r in enumerate(made)]
        results = _pull(forward, known[:count], made, cotangents, wanted, ruled)
        return results if len(results) != 1 else results[0]

    everything = tuple(range(len(values)))

    def of_everything(*args: Any) -> Any:
        return gradient(*args, needs=everything)

    if pattern is None:  # XLA drops what turns out to be unused
        reads = tuple(len(seeded) + i for i in forward.reads_values)
        kernel = Kernel(forward.name + "Grad", of_everything, reads_values=reads, many=many, size=forward.size)
        kernel.like = tuple(len(seeded) + i for i in wanted)
        if forward.interpret is not None or forward.in_pieces is not None:
            kernel.gradient_of = forward, wanted, seeded, count
        return Backward(forward, kernel, everything, None, wanted, seeded)
    if known is None:
        known = _known_of(pattern, of_everything, len(seeded))
        forward.gradient_patterns[(wrt, seeds), pattern.key] = known
    if not known:
        known, pattern = _Known(of_everything, [s.struct for s in specs], len(seeded)), None
    needs, places = known.needs, None if pattern is None else known.places(pattern)

    def of_needed(*args: Any) -> Any:
        if places is None or pattern is None:
            return gradient(*args, needs=needs)
        return gradient(
            *args, needs=needs, shapes=pattern.shapes([args[i].shape[axis] for i, axis in places])[len(seeded) :]
        )

    def interpreter(types: Sequence[Any]) -> Program:
        if places is None:
            return known.program({} if pattern is None else pattern.sizes)
        return known.program({f"s{k}": types[i][0][axis] for k, (i, axis) in enumerate(places)})

    kernel = Kernel(forward.name + "Grad", of_needed, many=many, size=forward.size)
    kernel.interpreter = interpreter
    kernel.derived_from = forward
    if pattern is not None:  # gradients for other types of the pattern have the same gradients
        kernel.gradient_patterns = known.gradient_patterns
    made = Backward(forward, kernel, needs, known.passes, wanted, seeded)
    if places is not None:
        known.shared = made
    return made


class _Known:
    """What the jaxpr of a gradient tells.

    Args:
      gradient: takes the seeds, then all inputs and outputs of what it is the gradient of.
      structs: their types.
      seeds: how many seeds there are.
      symbols: those that stand for sizes in `structs`; None if the sizes themselves stand there.

    Attributes:
      gradient_patterns: those of the kernels that are made of it.
      shared: None, or the gradient for all types of the pattern, whose sizes are those of its operands.
      needs: which inputs and outputs it reads.
      passes: see `Backward`.
    """

    def __init__(
        self, gradient: Any, structs: Sequence[Any], seeds: int, symbols: Mapping[int, Any] | None = None
    ) -> None:
        before, _tracing.symbols = _tracing.symbols, symbols
        try:
            closed = jax.make_jaxpr(gradient)(*structs)
        finally:
            _tracing.symbols = before
        jaxpr = closed.jaxpr
        used = used_inputs(jaxpr)[seeds:]
        self.needs = tuple([i for i, is_used in enumerate(used) if is_used])
        places = {v: i for i, v in enumerate(jaxpr.invars[:seeds])}
        from_seeds = [None if isinstance(v, Literal) else places.get(v) for v in jaxpr.outvars]
        passed = tuple([i for i in from_seeds if i is not None])
        self.passes = passed if len(passed) == len(from_seeds) else None
        self._kind = tuple if len(jaxpr.outvars) != 1 else None
        self._operands = [*range(seeds), *[seeds + i for i in self.needs]]
        self.shared: Backward | None = None
        self._closed = closed
        self._template: Template | None = None
        self.gradient_patterns: Cache[Any, Any] = Cache(64)

    def places(self, pattern: Pattern) -> list[tuple[int, int]] | None:
        """Where each symbol of the pattern stands among its operands: which of them, and the dimension; None if not all do."""
        found: dict[int, tuple[int, int]] = {}
        for i, operand in enumerate(self._operands):
            for axis, n in enumerate(pattern.key[operand][1:]):
                if n < 0:
                    found.setdefault(-1 - n, (i, axis))
        return [found[k] for k in range(len(found))] if len(found) == len(pattern.sizes) else None

    def program(self, sizes: Mapping[str, int]) -> Program:
        """What interprets it, for these sizes of the symbols."""
        if self._template is None:
            self._template = Template(self._closed, self._operands)
        return Program(self._template.flat(sizes), self._kind)


def _known_of(pattern: Pattern, gradient: Any, seeds: int) -> _Known | bool:
    """What is known of a gradient for all types of a pattern; False if that depends on the sizes."""
    structs = pattern.structs
    if structs is None:
        return False
    try:
        with attempt():
            return _Known(gradient, structs, seeds, pattern.symbols)
    except Exception:
        return False


def _here(shape: Sequence[int]) -> Sequence[Any]:
    """A shape in the trace under way. A size that has no symbol there is an error: whether it varies nobody knows."""
    symbols = _tracing.symbols
    return shape if symbols is None else [n if type(n) is not int or n < SMALL else symbols[n] for n in shape]


def _pull(
    forward: Kernel,
    inputs: Sequence[Any],
    outputs: Sequence[Any],
    cotangents: Sequence[Any],
    wrt: tuple[int, ...],
    ruled: bool,
) -> tuple[Any, ...]:
    """Cotangents of the inputs `wrt`, by the kernel's own rule where it serves, or by `jax.vjp` of its function."""
    if forward.rule is not None and ruled:
        results = forward.rule(cotangents, inputs, outputs)
        return tuple(jnp.zeros_like(inputs[i]) if results[i] is None else _match(results[i], inputs[i]) for i in wrt)

    def of_wrt(*changing: Any) -> Any:
        full = list(inputs)
        for i, value in zip(wrt, changing, strict=True):
            full[i] = value
        out = forward.fn(*full)
        return list(out) if isinstance(out, (tuple, list)) else [out]

    with by_rules(silent=True):
        try:
            out, pullback = jax.vjp(of_wrt, *[inputs[i] for i in wrt])
        except NotImplementedError as error:
            if not str(error).startswith("Differentiation rule"):
                raise
            # Of a primitive of JAX.
            raise LookupError(f"gradient registry has no entry for: {forward.name} ({error})") from error
        # Integer outputs take no cotangent: JAX wants its empty type float0 there.
        seeds = [
            conjugate(c) if _is_inexact(o) else np.zeros(o.shape, jax.dtypes.float0)
            for c, o in zip(cotangents, out, strict=True)
        ]
        return tuple(map(conjugate, pullback(seeds)))


def push(
    forward: Kernel,
    inputs: Sequence[Any],
    outputs: Sequence[Any],
    tangents: Sequence[Any],
    wrt: tuple[int, ...],
    outs: tuple[int, ...],
) -> list[Any]:
    """Tangents of the outputs `outs` for those of the inputs `wrt`.

    By the transpose of the kernel's own rule where it has one that serves, as in TensorFlow, so that both modes agree at
    corners; by `jax.jvp` of its function otherwise.
    """
    if forward.rule is not None and all(forward.rule_outputs >> o & 1 for o in outs):
        rule = forward.rule

        def of_cotangents(*given: Any) -> list[Any]:
            cotangents = [jnp.zeros(o.shape, o.dtype) for o in outputs]
            for o, c in zip(outs, given, strict=True):
                cotangents[o] = c
            found = rule(cotangents, inputs, outputs)
            return [jnp.zeros_like(inputs[i]) if found[i] is None else _match(found[i], inputs[i]) for i in wrt]

        # At ones, not at zeros: some rules let a cotangent of zero win over an infinite derivative.
        _, transposed = jax.vjp(of_cotangents, *[jnp.ones_like(outputs[o]) for o in outs])
        return list(map(conjugate, transposed(list(map(conjugate, tangents)))))

    def of_wrt(*changing: Any) -> list[Any]:
        full = list(inputs)
        for i, value in zip(wrt, changing, strict=True):
            full[i] = value
        out = forward.fn(*full)
        return [o for i, o in enumerate(out if isinstance(out, (tuple, list)) else (out,)) if i in outs]

    with by_rules(silent=True):
        return jax.jvp(of_wrt, tuple(inputs[i] for i in wrt), tuple(tangents))[1]


def call(kernel: Kernel, args: Sequence[Any]) -> Any:
    """A kernel on arrays, as a part of a larger function that JAX may be differentiating: then by the kernel's own rule."""
    if not context.by_rules:
        return kernel.fn(*args)
    mask = kernel.differentiable
    if mask != -1:
        moving = [type(a) is not np.ndarray and _is_inexact(a) for a in args]
        args = [lax.stop_gradient(a) if moving[i] and not mask >> i & 1 else a for i, a in enumerate(args)]
    rule = kernel.rule
    if rule is None or not mask:
        return kernel.fn(*args)
    # Known integers stay what they are: shapes may depend on them. So do other numbers, of which it is known that shapes do.
    places = [
        i for i, a in enumerate(args) if type(a) is not np.ndarray or (_is_inexact(a) and i not in kernel.reads_values)
    ]
    kind: list[Any] = []

    def full(arrays: Sequence[Any]) -> list[Any]:
        given = dict(zip(places, arrays, strict=True))
        return [given.get(i, a) for i, a in enumerate(args)]

    def function(*arrays: Any) -> list[Any]:
        before, context.checks = context.checks, None  # JAX traces this apart: a record could not leave it
        try:
            out = kernel.fn(*full(arrays))
        finally:
            context.checks = before
        kind.append(type(out) if isinstance(out, (tuple, list)) else None)
        return list(out) if kind[-1] else [out]

    def pull(inputs: Sequence[Any], outputs: Sequence[Any], moving: list[int], cotangents: Sequence[Any]) -> list[Any]:
        given = iter(cotangents)
        seeds = [conjugate(next(given)) if _is_inexact(o) else jnp.zeros(o.shape, o.dtype) for o in outputs]
        inputs = full(inputs)
        results = rule(seeds, inputs, outputs)
        found = [(results[places[i]], inputs[places[i]]) for i in moving]
        return [jnp.zeros_like(x) if r is None else conjugate(_match(r, x)) for r, x in found]

    def along(inputs: Sequence[Any], outputs: Sequence[Any], moving: list[int], tangents: Sequence[Any]) -> list[Any]:
        outs = tuple(o for o, x in enumerate(outputs) if _is_inexact(x))
        return push(kernel, full(inputs), outputs, tangents, tuple(places[i] for i in moving), outs)

    out = with_own_rule(function, along, pull)(*[jnp.asarray(args[i]) for i in places])
    return kind[-1](out) if kind[-1] else out[0]


def _is_inexact(x: Any) -> bool:
    return bool(jnp.issubdtype(x.dtype, jnp.inexact))


def conjugate(x: Any) -> Any:
    """From JAX's convention for complex gradients to TensorFlow's, or back."""
    return jnp.conj(x) if jnp.iscomplexobj(x) else x


def _match(cotangent: Any, value: Any) -> Any:
    """A rule's answer, summed down to the shape of the input where that was broadcast."""
    shape = value.shape
    if cotangent.shape != shape:
        extra = cotangent.ndim - len(shape)
        axes = tuple(range(extra)) + tuple(
            i + extra for i, n in enumerate(shape) if n == 1 != cotangent.shape[i + extra]
        )
        cotangent = jnp.broadcast_to(jnp.sum(cotangent, axes, keepdims=True).reshape(shape), shape)
    return cotangent.astype(value.dtype)


def used_inputs(jaxpr: Any, live_outputs: Sequence[bool] | None = None) -> list[bool]:
    """Which inputs of a jaxpr can reach its (live) outputs, looking into nested `jit` calls."""
    live: set[Any] = set()
    for i, var in enumerate(jaxpr.outvars):
        if isinstance(var, Var) and (live_outputs is None or live_outputs[i]):
            live.add(var)
    for eqn in reversed(jaxpr.eqns):
        outs = [var in live for var in eqn.outvars]
        if not any(outs) and not eqn.effects:
            continue
        reads = [True] * len(eqn.invars)
        inner = eqn.params.get("jaxpr")
        if eqn.primitive is jit_p:
            reads = used_inputs(inner.jaxpr, outs)
        live.update(v for v, read in zip(eqn.invars, reads, strict=True) if read and not isinstance(v, Literal))
    return [var in live for var in jaxpr.invars]
