"""Rows of elementwise mathematics."""

from __future__ import annotations

from tests.ops.table import Rows

rows = Rows("math")

rows.each("tanh", [-1.5, 0.0, 0.3, 2.0])
rows.each("add multiply", [[1.0, -2.0, 3.0]], [[0.5], [2.0]])
