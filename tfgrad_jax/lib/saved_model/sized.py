"""Operations of whose shapes integers decide, as programs: these have the integers from the shapes of operands without elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine.graph.dimensions import sizes_array
from tfgrad_jax.engine.graph.graph import Graph, ShapeKernel
from tfgrad_jax.engine.graph.lifted import Part
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.run.execute import execute
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.dtypes import DType
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.symbolic import SymbolicTensor, trials_of
from tfgrad_jax.engine.values.tensor import Spec, Tensor
from tfgrad_jax.lib.saved_model.hosted import Pen, Source


class _Vector(ShapeKernel):
    """The sizes of an operand whose last dimension, which has none, says that it has no elements."""

    __slots__ = ()

    def __init__(self, dtype: DType) -> None:
        super().__init__("Shape", lambda shape: sizes_array(shape[:-1], dtype.np))
        self.open_shapes = lambda shapes, values: [(len(shapes[0]) - 1,)]

    def sample(self, x: Tensor, out: SymbolicTensor) -> None:
        out.samples = tuple([self.of_shape(trial.shape) for trial in trials_of(x)])
        out.sure = np.zeros(len(x.spec.shape) - 1, bool)


def _scalar(dtype: DType) -> ShapeKernel:
    """The one size of such an operand."""
    return ShapeKernel("Size", lambda shape: sizes_array(shape[0], dtype.np))


_SIZES = {d: (_scalar(d), _Vector(d)) for d in (dtypes.int32, dtypes.int64)}


def sized(kernel: Kernel, given: Sequence[Source], pen: Pen, label: str) -> tuple[Part, list[str]]:
    """The operation as a graph that takes what programs can have.

    Args:
      kernel: the operation.
      given: its operands.
      pen: writes what makes of sizes operands.
      label: what errors call the function.

    Returns:
      The graph, and the sources of what it takes.

    Raises:
      ValueError: if what decides is not a size, or a vector of a known number of them.
    """
    graph = Graph(kernel.name)
    sources: list[str] = []
    operands: list[Any] = []
    with graph.as_default():
        for place, source in enumerate(given):
            spec, text = source.spec, source.text
            if place in kernel.reads_values:
                spec, text = _shaped(kernel.name, source, pen, label)
            operands.append(graph.placeholder(spec))
            sources.append(text)
        entering = tuple([t.slot for t in operands])
        for place in kernel.reads_values:
            spec = given[place].spec
            operands[place] = execute(_SIZES[spec.dtype][len(spec.shape)], (operands[place],))
        made = execute(kernel, tuple(operands))
    results = list(made) if isinstance(made, (tuple, list)) else [made]
    return Part(graph, graph.nodes, entering, results), sources


def _shaped(name: str, sizes: Source, pen: Pen, label: str) -> tuple[Spec, str]:
    """A tensor without elements whose shape begins with these sizes: its type and its source."""
    shape = sizes.spec.tensor_shape
    if sizes.spec.dtype not in _SIZES or shape.rank is None or shape.rank > 1 or not shape.is_fully_defined():
        raise ValueError(
            f"tf.saved_model.save: the function {label!r} cannot be exported, because its operation {name} has results whose "
            f"shapes depend on the values of a tensor of shape {shape}; leave it out of what is saved."
        )
    row = pen("Reshape", pen.integers(sizes), np.array([-1]), T=dtypes.int64, Tshape=dtypes.int64)
    whole = pen("ConcatV2", row, np.array([0]), np.int32(0), N=2, T=dtypes.int64, Tidx=dtypes.int32)
    made = pen("Fill", whole, np.array(False), T=dtypes.bool_, index_type=dtypes.int64)
    return Spec.open(dtypes.bool_, TensorShape([None] * (shape.num_elements() or 0) + [0])), made
