"""`tf.compat.v1.test.compute_gradient`: gradients of a graph, run by the open session, beside differences."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfgrad_jax.engine.composite.indexed_slices import IndexedSlices
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.tape.graph_gradients import gradients
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.lib.v1.session import get_default_session
from tfgrad_jax.ops.array.creation import constant


def _parts(array: Any) -> Any:
    """The elements, complex numbers as pairs of real ones; a view, so that they can be set."""
    flat = array.reshape(-1)
    return flat.view(flat.real.dtype) if flat.dtype.kind == "c" else flat


def _pair(
    x: Any, x_shape: Any, y: Any, y_shape: Any, value: Any, delta: float, feeds: dict[Any, Any]
) -> tuple[Any, Any]:
    """The Jacobian by gradients and the one by differences, a row for each element of `x`."""
    session: Any = get_default_session()
    if value is None:
        value = np.random.random_sample(x_shape)
    at = np.array(value, x.dtype.as_numpy_dtype).reshape(x_shape)
    seed = np.zeros(y_shape, y.dtype.as_numpy_dtype)
    cotangent = constant(seed)
    (found,) = gradients(y, x, cotangent)
    rows, columns = _parts(at).size, _parts(seed).size
    by_gradients = np.zeros((rows, columns), _parts(at).dtype)
    by_differences = np.zeros_like(by_gradients)
    if found is not None:
        dense = convert(found) if isinstance(found, IndexedSlices) else found
        for column in range(columns):
            _parts(seed)[column] = 1
            row = session.run(dense, {**feeds, x: at, cotangent: seed})
            by_gradients[:, column] = _parts(np.asarray(row))
            _parts(seed)[column] = 0
    for row in range(rows):
        ends = []
        for step in (delta, -delta):
            moved = at.copy()
            _parts(moved)[row] += step
            ends.append(_parts(np.asarray(session.run(y, {**feeds, x: moved}))))
        by_differences[row] = (ends[0] - ends[1]) / (2 * delta)
    return by_gradients, by_differences


@export("compat.v1.test.compute_gradient")
def compute_gradient(
    x: Any,
    x_shape: Any,
    y: Any,
    y_shape: Any,
    x_init_value: Any = None,
    delta: float = 1e-3,
    init_targets: Any = None,
    extra_feed_dict: Any = None,
) -> Any:
    """The Jacobian of a tensor of a graph by another one, by gradients and by differences. `tf.compat.v1.test.compute_gradient`.

    Args:
      x, x_shape: the tensor that is varied, and its shape; or lists of such.
      y, y_shape: the tensor that depends on it, and its shape.
      x_init_value: where the Jacobian is taken; a random place where None.
      delta: how far the differences step.
      init_targets: operations that run first.
      extra_feed_dict: what else is fed.

    Returns:
      Two arrays with a row for each element of `x`; for a list, a list of such pairs.
    """
    session: Any = get_default_session()
    if init_targets is not None:
        for target in init_targets if isinstance(init_targets, (list, tuple)) else [init_targets]:
            session.run(target)
    feeds = dict(extra_feed_dict or {})
    if not isinstance(x, list):
        return _pair(x, x_shape, y, y_shape, x_init_value, delta, feeds)
    values = [None] * len(x) if x_init_value is None else x_init_value
    places = [
        np.random.random_sample(shape).astype(one.dtype.as_numpy_dtype) if value is None else value
        for one, shape, value in zip(x, x_shape, values, strict=True)
    ]
    feeds |= dict(zip(x, places, strict=True))
    return [
        _pair(one, shape, y, y_shape, place, delta, feeds) for one, shape, place in zip(x, x_shape, places, strict=True)
    ]


@export("compat.v1.test.compute_gradient_error")
def compute_gradient_error(
    x: Any,
    x_shape: Any,
    y: Any,
    y_shape: Any,
    x_init_value: Any = None,
    delta: float = 1e-3,
    init_targets: Any = None,
    extra_feed_dict: Any = None,
) -> float:
    """By how much the two Jacobians of `compute_gradient` differ at most. Mirrors `tf.compat.v1.test.compute_gradient_error`."""
    found = compute_gradient(x, x_shape, y, y_shape, x_init_value, delta, init_targets, extra_feed_dict)
    pairs = found if isinstance(found, list) else [found]
    return max([float(np.abs(a - b).max(initial=0)) for a, b in pairs], default=0.0)
