"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
def conjugate_gradient(operator: _Any, rhs: _Any, preconditioner: _Any = None, x: _Any = None, tol: _Any = ..., max_iter: _Any = 20, name: _Any = 'conjugate_gradient') -> _Any:
    """Solve `A x = rhs` by conjugate gradients. Mirrors `tf.linalg.experimental.conjugate_gradient`."""
