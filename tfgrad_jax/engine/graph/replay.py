"""Replaying a graph on arrays or tracers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from tfgrad_jax.engine.graph import dimensions
from tfgrad_jax.engine.graph.samples import known, stays_known
from tfgrad_jax.engine.kernels import products
from tfgrad_jax.engine.kernels.cells import Loop
from tfgrad_jax.engine.kernels.repeated import Repeated
from tfgrad_jax.engine.messages import errors
from tfgrad_jax.engine.messages.explain import explain, raise_from
from tfgrad_jax.engine.run.checks import found, is_located, located, noting
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values.shapes import UNRANKED
from tfgrad_jax.engine.values.tensor import EagerTensor, Spec

if TYPE_CHECKING:
    from tfgrad_jax.engine.graph.graph import Node
    from tfgrad_jax.engine.kernels.kernel import Kernel


def replay(parts: Sequence[Node | Loop], values: dict[int, Any], specs: Sequence[Spec]) -> None:
    """Run nodes on arrays (or tracers); integers that are known stay NumPy arrays, so that shapes can depend on them.

    Args:
      parts: the nodes, some of them in loops perhaps, see `with_loops`.
      values: by slot; results are added.
      specs: what is claimed of the type of each slot.

    Raises:
      InternalError: if an array has another shape than its type among `specs` claims. A wrong claim would be a wrong value
        wherever `tf.shape` was answered from it.
    """
    with np.errstate(all="ignore"):  # constants are NumPy arrays; what NumPy would warn of, XLA does not
        _replay(parts, values, specs)


def check_claims(node: Node, specs: Sequence[Spec], results: Sequence[Any]) -> None:
    """Compare the static shapes of an operation's results with those of the values (anything with a shape) that it made."""
    for slot, value in zip(node.outs, results, strict=True):
        claimed = specs[slot].shape
        shape = value.shape
        if (
            shape != claimed
            and claimed is not UNRANKED
            and not (
                len(shape) == len(claimed) and all(n is None or n == m for m, n in zip(shape, claimed, strict=True))
            )
        ):
            if context.exporting is not None:
                context.exporting.conditions += dimensions.equalities(shape, claimed)
            raise _refuted(node, specs[slot], shape)


def _refuted(node: Node, spec: Spec, shape: tuple[int, ...]) -> Exception:
    where = "" if node.where is None else f", recorded at {node.where[0]}:{node.where[1]},"
    return errors.InternalError(
        None,
        None,
        f"{node.kernel.name}: the result {node.name!r}{where} has the static shape {spec.tensor_shape} in its function, but came "
        f"out with shape {tuple(shape)}. If that static shape was given by set_shape, give "
        f"another one; otherwise it is a mistake in this package, and running eagerly avoids it.",
    )


def _replay(parts: Sequence[Node | Loop], values: dict[int, Any], specs: Sequence[Spec]) -> None:
    checks = noting()
    kernels = [node.kernel for part in parts for node in (part.operations if isinstance(part, Loop) else (part,))]
    run = partial(products.run, repeated=Repeated(kernels))

    def one(node: Any) -> None:
        args = [values[s] for s in node.ins]
        kernel = node.kernel
        try:
            if stays_known(kernel, args, [specs[s] for s in node.outs]):
                out = known(kernel, args)
            elif any(map(dimensions.is_symbolic, args)):
                given, made = ([specs[s].dtype.np for s in slots] for slots in (node.ins, node.outs))
                out = dimensions.run(kernel, args, given, made, run)
            else:
                out = run(kernel, args)
        except Exception as error:
            if context.exporting is not None and not is_located(error):  # an operation inside has been tried by itself
                context.exporting.conditions += dimensions.not_negative(args, error)
                context.exporting.add(dimensions.fitting(kernel, args, [specs[s].dtype.np for s in node.ins]))
            found = _wrong_value(kernel, args) or explain(
                error, kernel, tuple(EagerTensor(products.evaluated(a)) for a in args)
            )
            raise_from(located(found, kernel.name, node.where), error)
        if checks is not None and kernel.check is not None:
            checks.ask(kernel, args, out, node.where)
        results = out if isinstance(out, (tuple, list)) else (out,)
        check_claims(node, specs, results)
        values.update(zip(node.outs, results, strict=True))

    def seen(node: Node, args: Sequence[Any], out: Any) -> None:
        results = out if isinstance(out, (tuple, list)) else (out,)
        check_claims(node, specs, results)
        if checks is not None and node.kernel.check is not None and found(node.kernel, args, out) is not None:
            raise TypeError(f"what {node.kernel.name} says of its values cannot leave a loop")

    loops = _loop(values)
    for part in parts:
        if not isinstance(part, Loop):
            one(part)
        elif loops:
            part.run(values, run, one, seen)
        else:
            for node in part.operations:
                one(node)


def _loop(values: dict[int, Any]) -> bool:
    """Whether loops run as such: where a program is made of them, and neither derivatives nor a file."""
    traced = any(isinstance(value, jax.core.Tracer) for value in values.values())
    return traced and not context.by_rules and context.exporting is None


def _wrong_value(kernel: Kernel, args: Sequence[Any]) -> Exception | None:
    """The verdict of an operation's check on known integers that it could not take."""
    if kernel.check is None or not all(type(a) is np.ndarray for a in args):
        return None
    try:
        finding = kernel.check(args, ())
    except Exception:
        return None  # not the values are wrong: sizes do not fit
    return None if finding is None else finding.exception()
