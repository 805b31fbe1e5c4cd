"""Solving with operators that only know their products."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from tfgrad_jax.engine.names.export import export, registry
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.ops.array.creation import zeros_like
from tfgrad_jax.ops.array.shape import squeeze
from tfgrad_jax.ops.linalg.linalg import norm
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.math.complex import conj
from tfgrad_jax.ops.math.reduce import reduce_any, reduce_sum

CGState = namedtuple("CGState", ["i", "x", "r", "p", "gamma"])


def _dot(x: Any, y: Any) -> Any:
    return reduce_sum(conj(x) * y, axis=-1, keepdims=True)


@export("linalg.experimental.conjugate_gradient")
def conjugate_gradient(
    operator: Any,
    rhs: Any,
    preconditioner: Any = None,
    x: Any = None,
    tol: float = 1e-5,
    max_iter: int = 20,
    name: str = "conjugate_gradient",
) -> Any:
    """Solve `A x = rhs` by conjugate gradients. Mirrors `tf.linalg.experimental.conjugate_gradient`.

    Args:
      operator: a `tf.linalg.LinearOperator` that is known to be self-adjoint and positive definite.
      rhs: vectors, `[..., n]`.
      preconditioner: another operator, near the inverse.
      x: where to begin; zeros by default.
      tol: the norm of the residual to stop at, as a share of that of `rhs`.
      max_iter: the most steps.
      name: accepted for compatibility.

    Returns:
      A named tuple: how many steps (`i`), the solution (`x`), the residual (`r`), the last direction (`p`), and the product of
      the residual with what the preconditioner makes of it (`gamma`).

    Raises:
      ValueError: if the operator, or the preconditioner, is not known to be self-adjoint and positive definite.
    """
    for given, what in ((operator, "operator"), (preconditioner, "preconditioner")):
        if given is not None and not (given.is_self_adjoint and given.is_positive_definite):
            raise ValueError(f"Expected a self-adjoint, positive definite {what}.")
    rhs = convert(rhs)
    limit = cast(tol, rhs.dtype) * norm(rhs, axis=-1, keepdims=True)
    start = zeros_like(rhs) if x is None else convert(x)
    residual = rhs if x is None else rhs - operator.matvec(start)
    direction = residual if preconditioner is None else preconditioner.matvec(residual)

    def unfinished(i: Any, x: Any, r: Any, p: Any, gamma: Any) -> Any:
        size = norm(r, axis=-1, keepdims=True)
        real = registry["math.real"]
        return (i < max_iter) & reduce_any(real(size) > real(limit))

    def step(i: Any, x: Any, r: Any, p: Any, gamma: Any) -> Any:
        z = operator.matvec(p)
        alpha = gamma / _dot(p, z)
        x, r = x + alpha * p, r - alpha * z
        q = r if preconditioner is None else preconditioner.matvec(r)
        new = _dot(r, q)
        return i + 1, x, r, q + new / gamma * p, new

    gamma = _dot(residual, direction)
    found = registry["while_loop"](
        unfinished, step, [convert(0, dtypes.int32), start, residual, direction, gamma], name=name
    )
    i, x, r, p, gamma = found
    return CGState(i, x, r, p, squeeze(gamma, axis=-1))
