"""Rows of comparisons, logic and questions about floating-point numbers."""

from __future__ import annotations

import numpy as np

from tests.ops.table import Rows

rows = Rows("compare")

INF, NAN = float("inf"), float("nan")
ORDER = "less less_equal greater greater_equal"
EQUALITY = "equal not_equal"

rows.each(f"{ORDER} {EQUALITY}", [[1.0, NAN, 3.0, INF]], [[1.0], [3.0]])
rows.each(f"{ORDER} {EQUALITY}", [1, 2, 3], [3, 2, 1], tag="integers")
rows.each(f"{ORDER} {EQUALITY}", np.array([1, 255], np.uint8), np.array([2, 254], np.uint8), tag="uint8")
rows.each(f"{ORDER} {EQUALITY}", [True, False], [True, True], tag="booleans")
rows.each(f"{ORDER} {EQUALITY}", [1 + 2j, 2j], [1 + 2j, 1j], tag="complex")
rows.each(f"{ORDER} {EQUALITY}", [1.0, 2.0], [1.0, 2.0, 3.0], tag="shapes that do not fit")
rows.each(f"{ORDER} {EQUALITY}", [1.0, 2.0], [1, 2], tag="two dtypes")
rows("equal, numbers", lambda tf, x: [tf.equal(x, 1), tf.equal(2.0, x), tf.not_equal(x, [1, 2])], [1.0, 2.0])
rows("equal, strings", lambda tf: [tf.equal(["a", "b"], "a"), tf.not_equal(tf.constant(["a"]), "b")])
rows("equal, a number that does not fit", lambda tf, x: tf.equal(x, 1.5), [1, 2])

rows.each("logical_and logical_or math.logical_xor", [[True, False]], [[True], [False]])
rows.each("logical_not", [True, False])
rows.each("logical_and", [1.0], [True], tag="of floats")
rows("logical_and, Python values", lambda tf: [tf.logical_and(True, [True, False]), tf.math.logical_or(False, True)])

rows.each("math.is_nan math.is_inf math.is_finite", [1.0, NAN, INF, -INF])
rows.each("math.is_nan math.is_inf math.is_finite", [1, 2], tag="of integers")
rows.each("math.is_non_decreasing math.is_strictly_increasing", [[1.0, 1.0], [2.0, 3.0]])
rows.each("math.is_non_decreasing math.is_strictly_increasing", [3, 1], tag="of integers")
rows.each("math.is_non_decreasing math.is_strictly_increasing", [], tag="of nothing")
