"""Wrong values, as operations find them: indices out of range, divisors that are zero, matrices that are singular.

Each function takes arrays and returns a `Finding`, or None where nothing can be wrong: on host values right away, on those of a
running program as a part of it (see `engine/run/checks.py`). So a check is written once for both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.run.checks import Finding, FirstWrong
from tfgrad_jax.ops.common import listed, xp


def first_wrong(wrong: Any, values: Any, error: Callable[[tuple[int, ...], list[int]], Exception]) -> Finding | None:
    """Something is wrong with some places of an array.

    Args:
      wrong: which places, a boolean array.
      values: an integer array that starts with the dimensions of `wrong`; the error shows what it has at the first such place.
      error: takes the place and the values there.
    """
    wrong = np.asarray(wrong) if isinstance(wrong, np.generic) else wrong
    shape, count = wrong.shape, wrong.size
    if not count:
        return None
    if xp(wrong) is np and not wrong.any():
        return None

    def make(place: int, *numbers: int) -> Exception:
        return error(tuple(int(i) for i in np.unravel_index(place, shape)), list(numbers))

    return FirstWrong(wrong.reshape(-1), values.reshape(count, -1), make)


_UNSIGNED = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


def _outside(values: Any, size: Any) -> Any:
    values = values.astype(np.int64)
    return (values < 0) | (values >= size)


def all_below(values: Any, size: Any) -> bool:
    """Whether integers in host memory are all in `[0, size)`; False also where that takes a closer look."""
    if type(values) is not np.ndarray or values.dtype.kind not in "iu":
        return False
    if not values.size:
        return True
    # As unsigned integers, negative ones are too large as well: one pass over them. (`argmax` takes a fraction of what `max` does.)
    values = values.view(_UNSIGNED[values.itemsize])
    return values.item(values.argmax()) < size


def _called(place: tuple[int, ...]) -> str:
    return f"indices[{','.join(map(str, place))}]" if place else "indices"


def indices_below(indices: Any, size: int, raw: str) -> Finding | None:
    """Indices into one dimension must be in `[0, size)`."""
    if all_below(indices, size):
        return None

    def error(place: tuple[int, ...], value: list[int]) -> Exception:
        return invalid_argument(f"{_called(place)} = {value[0]} is not in [0, {size})", raw)

    return first_wrong(_outside(indices, size), indices, error)


def places_inside(
    indices: Any, sizes: tuple[int, ...], shape: tuple[int, ...], raw: str, what: str = "shape "
) -> Finding | None:
    """Vectors of indices (along the last dimension) must be below `sizes`; the error shows `shape`."""
    if not indices.shape[-1]:
        return None

    def error(place: tuple[int, ...], value: list[int]) -> Exception:
        return invalid_argument(f"{_called(place)} = {value} does not index into {what}{listed(shape)}", raw)

    return first_wrong(_outside(indices, np.array(sizes)).any(-1), indices, error)


def no_zero(divisor: Any, raw: str) -> Finding | None:
    """Integers cannot be divided by zero; floats have infinities for that."""
    if not np.issubdtype(divisor.dtype, np.integer):
        return None
    return _if((divisor == 0).any(), "Integer division by zero: the divisor holds a 0", raw)


def no_negative(exponent: Any, raw: str) -> Finding | None:
    """Integers cannot be raised to negative powers."""
    if not np.issubdtype(exponent.dtype, np.integer):
        return None
    return _if((exponent < 0).any(), "Integers to negative integer powers are not allowed; tf.cast them to floats", raw)


def invertible(result: Any, raw: str, matrix: Any, rhs: Any = None) -> Finding | None:
    """A singular matrix makes the result infinite, though it is finite, also in columns where the right-hand side is."""
    message = f"Input {'matrix ' if raw == 'MatrixSolve' else ''}is not invertible."
    wrong = ~xp(result).isfinite(result)
    if rhs is not None:
        wrong = wrong.any(-2, keepdims=True) & xp(rhs).isfinite(rhs).all(-2, keepdims=True)
    return _if((wrong & xp(matrix).isfinite(matrix).all((-2, -1), keepdims=True)).any(), message, raw)


def _if(failed: Any, message: str, raw: str) -> Finding | None:
    if isinstance(failed, np.bool_) and not failed:
        return None
    return Finding(failed, lambda: invalid_argument(message, raw))


def rising(pair: Any, name: str, raw: str) -> Finding | None:
    """The first of two numbers must be below the second."""
    return _if(~(pair[0] < pair[1]), f"{name} should satisfy {name}[0] < {name}[1]", raw)


def pivots(diagonal: Any, raw: str) -> Finding | None:
    """A pivot that is zero, or no number, makes a matrix singular."""
    return _if(~(abs(diagonal) > 0).all(), "Input is not invertible.", raw)


def nonzero_diagonal(diagonal: Any, raw: str) -> Finding | None:
    """A zero on the diagonal of a triangle makes it singular."""
    return _if((diagonal == 0).any(), "Input matrix is not invertible.", raw)
