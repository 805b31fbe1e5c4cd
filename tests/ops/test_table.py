"""Every row of the table, against TensorFlow's recorded answers and against finite differences."""

from __future__ import annotations

import contextlib
import importlib

import numpy as np
import pytest

import tfgrad_jax as tf
from conformance.compare import differences
from tests.ops.table import Row, differentiate, families, goldens, load, observe, seed_for, trainable
from tfgrad_jax.api.late import LATE
from tfgrad_jax.engine.declare.op import declared
from tfgrad_jax.engine.graph.graph import Graph
from tfgrad_jax.engine.run.execute import immediate
from tfgrad_jax.engine.threads.context import context

ROWS = {row.id: row for family in families() for row in load(family).values()}
GOLDENS = {f"{family}/{name}": seen for family in families() for name, seen in goldens(family).items()}


def test_goldens_and_rows_belong_together():
    assert not ROWS.keys() ^ GOLDENS.keys(), "run `python -m tests.ops.record FAMILY` where TensorFlow is installed"


@pytest.mark.parametrize("name", ROWS)
def test_value_and_gradient_are_tensorflows(name):
    row, expected = ROWS[name], GOLDENS.get(name, {})
    seen = observe(tf, row)
    if "raises" in expected:
        lines = [] if seen.get("raises") == expected["raises"] else [f"{expected['raises']} expected, seen {seen}"]
    elif "raises" in seen:
        lines = [f"raised {seen['raises']}: {seen['says']}"]
    else:
        lines = [line for key in expected for line in differences(expected[key], seen[key], row.rtol, key)]
    if row.differs:
        assert lines, f"the row agrees with TensorFlow now; drop differs={row.differs!r}"
    else:
        assert not lines, "\n".join(lines)


def smooth(row: Row) -> bool:
    kinds = {a.dtype.kind for a in row.args}
    return row.smooth and row.gradient and "f" in kinds and "c" not in kinds and "raises" not in GOLDENS.get(row.id, {})


class Line:
    """A row along a straight line through its arguments, in float64: a function of one number."""

    def __init__(self, row: Row) -> None:
        random = np.random.default_rng(0)
        self.row = row
        self.start = [a.astype(np.float64) if a.dtype.kind == "f" else a for a in row.args]
        self.along = [random.uniform(0.5, 1.0, a.shape) if a.dtype.kind == "f" else None for a in self.start]
        self.weights = [random.uniform(0.5, 1.0, a.shape) for a in self.start if a.dtype.kind == "f"]

    def at(self, t: float) -> list:
        return [tf.constant(a if d is None else a + t * d) for a, d in zip(self.start, self.along, strict=True)]

    def value(self, t: float) -> float:
        outputs = [o for o in tf.nest.flatten(self.row.call(tf, *self.at(t))) if tf.is_tensor(o)]
        arrays = [np.asarray(o) for o in outputs if trainable(np.dtype(o.dtype.as_numpy_dtype))]
        return sum(float(np.sum(np.real(a * np.conj(seed_for(a.shape, a.dtype))))) for a in arrays)

    def slopes(self, t: float, order: int) -> tuple[float, float]:
        """The derivative along the line; and the weighted sum of the gradient, or (order 2) its derivative."""
        tensors = self.at(t)
        sources = [x for x in tensors if x.dtype.is_floating]
        with tf.GradientTape() as outer:
            outer.watch(sources)
            _, gradients = differentiate(tf, self.row.call, tensors)
            pairs = list(zip(gradients, self.weights, self.directions, strict=True))
            slope = sum(float(np.sum(np.asarray(tf.convert_to_tensor(g)) * d)) for g, _, d in pairs if g is not None)
            weighted = [(tf.convert_to_tensor(g), tf.constant(w)) for g, w, _ in pairs if g is not None]
        if order == 1:
            return slope, sum(float(np.sum(np.asarray(g) * np.asarray(w))) for g, w in weighted)
        if not weighted:
            return slope, 0.0
        second = outer.gradient([g for g, _ in weighted], sources, output_gradients=[w for _, w in weighted])
        found = zip(second, self.directions, strict=True)
        return slope, sum(float(np.sum(np.asarray(tf.convert_to_tensor(g)) * d)) for g, d in found if g is not None)

    @property
    def directions(self) -> list:
        return [d for d in self.along if d is not None]


@pytest.mark.parametrize("name", [name for name, row in ROWS.items() if smooth(row)])
def test_derivatives_are_those_of_finite_differences(name):
    line, h = Line(ROWS[name]), 1e-5
    slope, second = line.slopes(0.0, 2)
    np.testing.assert_allclose(slope, (line.value(h) - line.value(-h)) / (2 * h), rtol=1e-5, atol=1e-7)
    before, after = line.slopes(-h, 1)[1], line.slopes(h, 1)[1]
    np.testing.assert_allclose(second, (after - before) / (2 * h), rtol=1e-4, atol=1e-6, err_msg="second order")


def test_every_differentiable_operation_has_a_row(monkeypatch):
    seen, add = set(), Graph.add
    for module in LATE:  # whatever ran before
        importlib.import_module(module)

    def run(kernel, inputs):
        seen.add(kernel.name)
        return immediate(kernel, inputs)

    def record(graph, kernel, *rest):
        seen.add(kernel.name)
        return add(graph, kernel, *rest)

    with monkeypatch.context() as patch:
        patch.setattr(context, "executor", run)
        patch.setattr(Graph, "add", record)  # some are for functions alone
        for row in ROWS.values():
            with contextlib.suppress(Exception):  # some rows are there for their exception
                row.call(tf, *[tf.constant(a) for a in row.args])
    missing = {name for name, op in declared.items() if op.differentiable} - seen
    assert not missing, f"no row in tests/ops/rows_*.py runs {sorted(missing)}"
