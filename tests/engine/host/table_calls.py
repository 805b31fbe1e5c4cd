"""What the rows of the operation table run: kernels and their operands, for values and for gradients of first and second order."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

import tfgrad_jax as tf
from tests.ops.table import Row, differentiate, trainable
from tfgrad_jax.engine.host.flat import Flat
from tfgrad_jax.engine.host.patterns import traced
from tfgrad_jax.engine.host.rules import NoRule
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.run.execute import immediate
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values.tensor import EagerTensor

COMPILED = {
    "igamma_grad_a": "neither NumPy nor SciPy has the derivative of the incomplete gamma function by its parameter",
}
"""What is compiled when it is first met, and why."""


@dataclass
class Met:
    """A call of a kernel.

    Attributes:
      kernel: the kernel.
      operands: what it was called with.
      flat: its program on the host, or None.
      kind: tuple or list, if it returns several results.
      why: why there is none.
      results: what it gave on the host.
    """

    kernel: Kernel
    operands: list[np.ndarray]
    flat: Flat | None = None
    kind: type | None = None
    why: str = ""
    results: list[Any] | None = None


def calls(row: Row) -> list[Met]:
    """What a row runs, each once for the same kernel and types, on the host as far as there are rules."""
    met: dict[Any, Met] = {}

    def run(kernel: Kernel, inputs: tuple[Any, ...]) -> Any:
        if kernel.host or kernel.stateful or any([t.spec.dtype is tf.string for t in inputs]):
            return immediate(kernel, inputs)
        operands = [np.asarray(t.array) for t in inputs]
        key = (kernel, *[(a.shape, a.dtype) for a in operands])
        structs = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in operands]
        if key not in met:
            try:
                template, kind = traced(kernel.fn, structs)
                met[key] = Met(kernel, operands, template.flat({}), kind)
            except NoRule as error:
                met[key] = Met(kernel, operands, why=str(error))
        flat, kind = met[key].flat, met[key].kind
        if flat is None:
            return immediate(kernel, inputs)
        with np.errstate(all="ignore"):
            results = flat(*operands)
        if met[key].results is None:
            met[key].results = results
        tensors = [EagerTensor(np.array(r)) for r in results]
        return tensors[0] if kind is None else kind(tensors)

    with _executing(run), contextlib.suppress(Exception):  # some rows are there for their exception
        _derived_twice(row)
    return list(met.values())


@contextlib.contextmanager
def _executing(run: Any) -> Iterator[None]:
    before, context.executor = context.executor, run
    try:
        yield
    finally:
        context.executor = before


def _derived_twice(row: Row) -> None:
    tensors = [tf.constant(a) for a in row.args]
    if not row.gradient:
        row.call(tf, *tensors)
        return
    sources = [t for t in tensors if trainable(np.dtype(t.dtype.as_numpy_dtype))]
    with tf.GradientTape() as outer:
        outer.watch(sources)
        _, gradients = differentiate(tf, row.call, tensors)
        known = [tf.convert_to_tensor(g) for g in gradients if g is not None]
    if known:
        outer.gradient(known, sources)
