"""Rows of Bessel functions, Dawson's integral and Fresnel's."""

from __future__ import annotations

from tests.ops.table import Rows

rows = Rows("special")

INF, NAN = float("inf"), float("nan")
EVERYWHERE = [-30.0, -2.5, -0.4, 1e-3, 0.5, 1.0, 2.5, 4.5, 10.0, 40.0]
POSITIVE = [0.5, 1.0, 2.5, 4.5, 10.0, 40.0]
FIRST = "math.special.bessel_j0 math.special.bessel_j1"
INTEGRALS = "math.special.dawsn math.special.fresnel_cos math.special.fresnel_sin"
SECOND = " ".join(f"math.special.bessel_{name}" for name in ["y0", "y1", "k0", "k0e", "k1", "k1e"])

rows.each(" ".join((FIRST, INTEGRALS)), EVERYWHERE, rtol=2e-5)
rows.each(SECOND, POSITIVE, rtol=2e-5)
rows.each(SECOND, [1e-30, 1e-3, 0.1], tag="small", smooth=False, rtol=2e-5)
# Of Y at zero TensorFlow's float32 has no number where its float64 has an infinity.
rows.each(" ".join((FIRST, SECOND)), [-1.0, INF, -INF, NAN], tag="corners", smooth=False)
rows.each(f"{FIRST} math.special.bessel_k0 math.special.bessel_k1e", [0.0], tag="at zero", smooth=False)
rows.each(INTEGRALS, [0.0, INF, -INF, NAN], tag="corners", smooth=False)
