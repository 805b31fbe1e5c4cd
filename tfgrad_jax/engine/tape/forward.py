"""Forward mode: accumulators, which compute Jacobian-vector products along with the operations."""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax.extend.core import Literal
from jax.extend.core.primitives import jit_p

from tfgrad_jax.engine.composite.indexed_slices import IndexedSlices
from tfgrad_jax.engine.declare.op import MISSING
from tfgrad_jax.engine.kernels.constants import ONES, ONES_LIKE
from tfgrad_jax.engine.kernels.derivatives import push, used_inputs
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.messages import logging
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.execute import execute
from tfgrad_jax.engine.tape.backward import OperationView, dense, filled, registered_for, zeros_like
from tfgrad_jax.engine.tape.tape import GradientTape, UnconnectedGradients
from tfgrad_jax.engine.threads.context import Recorder, context, set_recorders
from tfgrad_jax.engine.values import nest
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.tensor import Spec, Tensor

_TRIED = 7


class Push:
    """The compiled forward derivative of a kernel for given types.

    Attributes:
      kernel: takes the tangents of the inputs in `wrt`, then the values in `needs`; returns the tangents in `outs`.
      wrt: indices of the inputs that have a tangent.
      needs: which inputs (and, counted on after them, outputs) it reads.
      outs: indices of the outputs that get a tangent: floating ones that depend on those of the inputs.
    """

    __slots__ = ("kernel", "needs", "outs", "wrt")

    def __init__(self, forward: Kernel, inputs: tuple[Spec, ...], outputs: tuple[Spec, ...], wrt: int) -> None:
        self.wrt = tuple(i for i in range(len(inputs)) if wrt >> i & 1)
        values = inputs + outputs
        n = len(self.wrt)

        def tangents(*args: Any, needs: tuple[int, ...], outs: tuple[int, ...]) -> list[Any]:
            given = dict(zip(needs, args[n:], strict=True))
            known = [given[i] if i in given else jnp.zeros(s.shape, s.dtype.np) for i, s in enumerate(values)]
            return push(forward, known[: len(inputs)], known[len(inputs) :], args[:n], self.wrt, outs)

        needs = tuple(range(len(values)))
        outs = tuple(o for o, s in enumerate(outputs) if s.dtype.trainable)
        is_open = any(None in s.shape for s in values)
        if not forward.reads_values:
            sized = [Spec.of(s.dtype, tuple(_TRIED if m is None else m for m in s.shape)) for s in values]
            given = [s.struct for s in (*[sized[i] for i in self.wrt], *sized)]
            with contextlib.suppress(*((Exception,) if is_open else ())):  # the size that was tried may not fit
                traced = jax.make_jaxpr(lambda *args: tangents(*args, needs=needs, outs=outs))(*given).jaxpr
                reached = reached_outputs(traced, [i < n for i in range(len(given))])
                outs = tuple(o for o, r in zip(outs, reached, strict=True) if r)
                used = used_inputs(traced, reached)[n:]
                # With open sizes XLA drops what is unused, and what is kept here tells them.
                needs = needs if is_open else tuple(i for i in needs if used[i])
        self.needs, self.outs = needs, outs
        self.kernel = Kernel(
            forward.name + "Tangent",
            lambda *args: tangents(*args, needs=needs, outs=outs),
            reads_values=tuple(n + i for i in forward.reads_values),
        )


def reached_outputs(jaxpr: Any, given: Sequence[bool]) -> list[bool]:
    """Which outputs of a jaxpr depend on the given inputs, looking into nested `jit` calls."""
    reached = {v for v, is_given in zip(jaxpr.invars, given, strict=True) if is_given}
    for eqn in jaxpr.eqns:
        hits = [not isinstance(v, Literal) and v in reached for v in eqn.invars]
        if not any(hits):
            continue
        outs = [True] * len(eqn.outvars)
        inner = eqn.params.get("jaxpr")
        if eqn.primitive is jit_p:
            outs = reached_outputs(inner.jaxpr, hits)
        reached.update(v for v, r in zip(eqn.outvars, outs, strict=True) if r)
    return [not isinstance(v, Literal) and v in reached for v in jaxpr.outvars]


class _Watched(weakref.ref[Any]):
    """A reference to a tensor that has a tangent, which is forgotten together with the tensor."""

    __slots__ = ("identity",)

    identity: int

    def __new__(cls, tensor: Tensor, forget: Callable[[Any], None]) -> _Watched:
        self = super().__new__(cls, tensor, forget)
        self.identity = tensor.identity
        return self

    def __init__(self, tensor: Tensor, forget: Callable[[Any], None]) -> None:
        super().__init__(tensor, forget)  # type: ignore[call-arg]


@export("autodiff.ForwardAccumulator")
class ForwardAccumulator(Recorder):
    """Computes Jacobian-vector products while operations run. Mirrors `tf.autodiff.ForwardAccumulator`.

    Args:
      primals: a tensor or variable, or a nest of them.
      tangents: the direction: a tensor of the same shape and dtype for each of `primals`, in the same nest.

    Raises:
      ValueError: if the structures or shapes do not match, or a tensor is among `primals` twice.
    """

    follows = True

    def __init__(self, primals: Any, tangents: Any) -> None:
        self._recording = False
        self._tangents: dict[int, Tensor] = {}
        self._references: dict[int, _Watched] = {}
        nest.assert_same_structure(primals, tangents)
        flat = nest.flatten(primals)
        for i, primal in enumerate(flat):
            if any(primal is other for other in flat[:i]):
                raise ValueError(
                    f"ForwardAccumulator: {primal!r} was specified as a primal multiple times. If that is meant, give "
                    f"it once, with the sum of its tangents."
                )
        self._watch(primals, tangents)

        def forget(reference: Any) -> None:
            accumulator = weak()
            if accumulator is not None:
                accumulator._tangents.pop(reference.identity, None)
                accumulator._references.pop(reference.identity, None)

        weak = weakref.ref(self)
        self._forget = forget

    def _watch(self, primals: Any, tangents: Any) -> None:
        """Give each of `primals` its tangent."""
        for primal, value in zip(nest.flatten(primals), nest.flatten(tangents), strict=True):
            if not primal.dtype.is_floating:
                logging.warn("The dtype of the watched primal must be floating (e.g. tf.float32), got %r", primal.dtype)
            tangent = convert(value, primal.dtype)
            if not tangent.shape.is_compatible_with(primal.shape):
                raise ValueError(
                    f"ForwardAccumulator: a tangent of shape {tangent.shape} was given for a primal of shape "
                    f"{primal.shape}; they must be the same"
                )
            self._tangents[primal.identity] = tangent

    # -- following ----------------------------------------------------------------------------------------------------

    def __enter__(self) -> ForwardAccumulator:
        if self._recording:
            raise ValueError("Accumulator is already recording.")
        if not context.recorders and context.pending is not None:
            context.pending.flush("an outermost accumulator is entered")
        set_recorders((*context.recorders, self))
        self._recording = True
        return self

    def __exit__(self, *exc: object) -> None:
        set_recorders(tuple(r for r in context.recorders if r is not self))
        self._recording = False

    @contextlib.contextmanager
    def _unseen(self) -> Iterator[None]:
        """A context whose operations only those see that were there before this accumulator."""
        before = context.recorders
        set_recorders(before[: before.index(self)])
        try:
            yield
        finally:
            set_recorders(before)

    def follow(self, kernel: Kernel, inputs: Sequence[Tensor], outputs: Sequence[Tensor], where: Any = None) -> None:
        tangents = self._tangents
        wrt = 0
        bit = 1
        for t in inputs:
            if t.identity in tangents and t.spec.dtype.trainable:
                wrt |= bit
            bit += bit
        wrt &= kernel.differentiable
        if not wrt:
            return
        origin = kernel.origin
        if origin is not None and origin.op.gradient is MISSING:
            self.saw_python(inputs, outputs, _registered_gradient(kernel, inputs, outputs))
            return
        specs = tuple([t.spec for t in inputs])
        key = (Push, specs, wrt)
        push = kernel.recipes[key]
        if push is None:
            push = kernel.recipes[key] = Push(kernel, specs, tuple([t.spec for t in outputs]), wrt)
        if not push.outs:
            return
        values = (*inputs, *outputs)
        with self._unseen():
            along = [tangents[inputs[i].identity] for i in push.wrt]
            results = execute(push.kernel, (*along, *[values[i] for i in push.needs]))
        for o, tangent in zip(push.outs, results, strict=True):
            self._set(outputs[o], tangent)

    def _set(self, tensor: Tensor, tangent: Tensor) -> None:
        self._tangents[tensor.identity] = tangent
        self._references[tensor.identity] = _Watched(tensor, self._forget)

    def renamed(self, before: Tensor, after: Tensor) -> None:
        tangent = self._tangents.get(before.identity)
        if tangent is not None:
            self._set(after, tangent)

    def saw_python(self, inputs: Sequence[Any], outputs: Sequence[Tensor], function: Callable[..., Any]) -> None:
        """The transpose of a Python gradient, had from a tape over it."""
        tangents = self._tangents
        moving = [i for i, t in enumerate(inputs) if t is not None and t.identity in tangents]
        if not moving or any(o.identity in tangents for o in outputs):
            return
        wanted = [o for o in outputs if o.dtype.trainable]
        with self._unseen():
            with GradientTape() as tape:
                seeds = {o.identity: filled(ONES, ONES_LIKE, o) for o in wanted}
                tape.watch(list(seeds.values()))
                found = function(*[seeds.get(o.identity) for o in outputs])
            pairs = [(dense(found[i]), tangents[inputs[i].identity]) for i in moving if found[i] is not None]
            if not pairs:
                return
            results = tape.gradient([p[0] for p in pairs], list(seeds.values()), [p[1] for p in pairs])
        for o, tangent in zip(wanted, results, strict=True):
            if tangent is not None:
                self._set(o, dense(tangent))

    # -- asking -------------------------------------------------------------------------------------------------------

    def jvp(self, primals: Any, unconnected_gradients: Any = UnconnectedGradients.NONE) -> Any:
        """The derivative of `primals` along the direction. Mirrors `tf.autodiff.ForwardAccumulator.jvp`.

        Args:
          primals: a tensor or variable computed within the context, or a nest of them.
          unconnected_gradients: what to answer for one that does not depend on what is watched.

        Returns:
          A tensor of the shape and dtype of each of `primals`, or None (or zeros), in the same structure.

        Raises:
          ValueError: if `unconnected_gradients` is something else.
        """
        unconnected = UnconnectedGradients(unconnected_gradients)

        def of(primal: Any) -> Any:
            if isinstance(primal, IndexedSlices):
                values = of(primal.values)
                return None if values is None else IndexedSlices(values, primal.indices, primal.dense_shape)
            tangent = self._tangents.get(primal.identity)
            if tangent is None and unconnected is UnconnectedGradients.ZERO:
                return zeros_like(primal)
            return tangent

        return nest.map_structure(of, primals)


def _registered_gradient(kernel: Kernel, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Callable[..., Any]:
    """The gradient that the user registered for an operation without one.

    Raises:
      LookupError: if there is none.
    """
    gradient = registered_for(kernel.name)

    def function(*cotangents: Any) -> list[Any]:
        filled = [zeros_like(o) if c is None else c for c, o in zip(cotangents, outputs, strict=True)]
        found = gradient(OperationView(kernel, inputs, outputs), *filled)
        return list(found) if isinstance(found, (list, tuple)) else [found]

    return function
