"""Branches: one operation that runs one of several recorded bodies."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tfgrad_jax.engine.control.body import Body, outside_of, pack, run_typed, strong, written_by
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.messages.errors import InvalidArgumentError
from tfgrad_jax.engine.run.checks import noting
from tfgrad_jax.engine.run.execute import execute
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values.composite import Traveller
from tfgrad_jax.engine.values.shapes import UNRANKED, TensorShape
from tfgrad_jax.engine.values.symbolic import NeedsValue
from tfgrad_jax.engine.values.tensor import Spec, Tensor

# -- choosing ---------------------------------------------------------------------------------------------------------


def switch(index: Tensor, bodies: Sequence[Body], name: str) -> Any:
    """Run one of several bodies.

    Args:
      index: which; or a boolean, then there are two bodies, the second of which is for True.
      bodies: recorded, with results of one structure.
      name: the raw name of the operation.

    Returns:
      The result, in the structure of the last body's.

    Raises:
      TypeError: if results differ in dtype.
    """
    if index.spec.shape is UNRANKED or index.spec.shape:
        index = _scalar(index)
    columns: list[list[Any]] = [list(c) for c in zip(*(b.flat for b in bodies), strict=True)]
    outputs: list[list[Tensor]] = []
    written: dict[int, Any] = {}
    for i, column in enumerate(columns):
        if isinstance(column[0], Traveller):
            values = _travelling(column, bodies)
            if any([v is not None for v in values]):
                written[i] = next(t for t, v in zip(column, values, strict=True) if v is not None)
                outputs.append(_of_one_type(column, values, bodies))
        elif column[0] is not None:
            outputs.append(column)
    boxes = written_by(bodies)
    for k, body in enumerate(bodies):
        body.finish([column[k] for column in outputs], boxes)
    specs = [_common([b.outputs[i] for b in bodies], name) for i in range(len(outputs) + len(boxes))]
    keys, found = outside_of(bodies)
    boolean = index.dtype.is_bool
    checked = any(b.has_checks for b in bodies)

    def run(which: Any, *arrays: Any) -> list[Any]:
        outside = dict(zip(keys, arrays, strict=True))
        checks = noting() if checked else None

        def run_one(body: Body) -> list[Any]:
            kinds = [s.dtype for s in specs]
            try:
                if checks is None:
                    return strong(body([], outside), kinds)
                out, record = body.checked([], outside)
            except (InvalidArgumentError, ValueError, TypeError) as error:
                # It is none where another branch is taken.
                if isinstance(error, NeedsValue) or context.exporting is not None:
                    raise
                raise NeedsValue(f"{name}: a branch does not fit the sizes that are known: {error}") from error
            return [*strong(out, kinds), record]

        if isinstance(which, np.ndarray):
            k = int(which)
            body = bodies[k if 0 <= k < len(bodies) else -1]
            if checks is None:
                return body([], outside)
            out, record = body.checked([], outside)
            checks.merge(record)
            return out
        runs = [functools.partial(run_one, body) for body in bodies]
        shapes = (
            {tuple(o.shape for o in jax.eval_shape(r)) for r in runs} if any(None in s.shape for s in specs) else ()
        )
        if len(shapes) > 1:
            raise NeedsValue(f"{name}: the branches give tensors of different shapes")
        last = len(runs) - 1
        if boolean:
            chosen = lax.cond(which, runs[1], runs[0])
        else:
            chosen = lax.switch(jnp.where((which < 0) | (which > last), last, which), runs)
        if checks is not None:
            checks.merge(chosen.pop())
        return chosen

    def interpreted(tensors: Sequence[Tensor]) -> list[Tensor]:
        k = int(np.asarray(tensors[0].array))
        return bodies[k if 0 <= k < len(bodies) else -1].interpret([], dict(zip(keys, tensors[1:], strict=True)))

    connected = {key for b in bodies for key, yes in zip(b.keys, b.lifted.connected(), strict=True) if yes}
    mask = sum(1 << i for i, key in enumerate(keys, 1) if key in connected)
    kernel = Kernel(name, run, differentiable=mask, stateful=any(b.stateful for b in bodies), interpret=interpreted)
    kernel.checked, kernel.whole = checked, all(b.whole for b in bodies)
    kernel.parts = tuple([b.lifted for b in bodies])
    results = iter(run_typed(kernel, (index, *found.values()), specs, boxes))
    flat: list[Any] = []
    for i, column in enumerate(columns):
        if isinstance(column[0], Traveller):
            flat.append(written[i].leaving(next(results)) if i in written else column[0])
        else:
            flat.append(None if column[0] is None else next(results))
    return pack(bodies[-1].result, flat)


def _scalar(t: Tensor) -> Tensor:
    return execute(_RESHAPE, (t,))


_RESHAPE = Kernel("Reshape", lambda x: x.reshape(()))


def _travelling(column: list[Any], bodies: Sequence[Body]) -> list[Tensor | None]:
    """The tensors of a traveller at the end of each body; None where its type is not known."""
    values = []
    for t, body in zip(column, bodies, strict=True):
        with body.graph.as_default():
            values.append(t.value())
    return values


def _of_one_type(column: list[Any], values: list[Any], bodies: Sequence[Body]) -> list[Tensor]:
    spec = next(v.spec for v in values if v is not None)
    for k, body in enumerate(bodies):
        if values[k] is None:
            with body.graph.as_default():
                values[k] = column[k].value(spec)
    return values


def _common(tensors: Sequence[Tensor], name: str) -> Spec:
    """The type that a result has, whichever body made it."""
    if len({t.dtype for t in tensors}) > 1:
        raise TypeError(
            f"{name}: the branches must return values of the same number, type and overall structure; here one returns dtype "
            + " and another ".join(t.dtype.name for t in tensors)
        )
    shapes = [t.shape for t in tensors]
    return Spec.open(tensors[0].dtype, functools.reduce(TensorShape.most_specific_compatible_shape, shapes))
