"""Expressions of composite values and what TensorFlow answers, checked eagerly in both modes and in functions."""

from __future__ import annotations

import builtins

import pytest

import tfgrad_jax as tf
from tfgrad_jax.extras import execution


def shown(value):
    """A value as the tables have it: its kind, dtype and shape, and its elements in lists."""
    if isinstance(value, tf.RaggedTensor):
        return "ragged", value.dtype.name, value.shape.as_list(), value.to_list()
    if isinstance(value, tf.SparseTensor):
        parts = value.indices.numpy().tolist(), value.values.numpy().tolist(), value.dense_shape.numpy().tolist()
        return "sparse", value.dtype.name, value.shape.as_list(), parts
    if isinstance(value, (list, tuple)):
        return "list", *map(shown, value)
    if isinstance(value, tf.Tensor):
        return "tensor", value.dtype.name, value.shape.as_list(), value.numpy().tolist()
    return "python", repr(value)


def same(found, expected):
    """Whether two of those are equal, floats nearly so, and no size differs that is known in both."""
    if found[0] != expected[0]:
        return False
    if expected[0] == "list":
        return len(found) == len(expected) and all(map(same, found[1:], expected[1:]))
    if expected[0] == "python":
        return found == expected
    _, dtype, shape, elements = expected
    sizes = len(found[2]) == len(shape) and all(a == b or None in (a, b) for a, b in zip(found[2], shape, strict=True))
    return found[1] == dtype and sizes and _near(found[3], elements)


def _near(found, expected):
    if isinstance(expected, (list, tuple)):
        return len(found) == len(expected) and all(map(_near, found, expected))
    if isinstance(expected, float):
        return found == pytest.approx(expected, rel=1e-5, abs=1e-6, nan_ok=True)
    return found == expected and type(found) is type(expected)


def ways(rows):
    """Each row with each way to run it; what is no tensor is no result of a function."""
    return [
        pytest.param(
            expression, expected, way, id=f"{expression}-{way}", marks=() if way == "function" else pytest.mark.modeless
        )
        for expression, expected in rows
        for way in ("immediate", "fused", "function")
        if way != "function" or not isinstance(expected, tuple) or expected[0] != "python"
    ]


def check(expression, expected, way, names):
    """Evaluate an expression and compare.

    Args:
      expression: Python, with `tf` and the names.
      expected: what `shown` gives, or the name of an exception.
      way: `"immediate"`, `"fused"` or `"function"`, where the names are arguments.
      names: the operands.
    """
    used = {name: value for name, value in names.items() if name in expression}

    def compute(values):
        return eval(expression, {"tf": tf, **values})

    if isinstance(expected, str):
        error = getattr(tf.errors, expected, None) or getattr(builtins, expected)
        with pytest.raises(error), execution("immediate" if way == "function" else way):
            shown(compute(used))
        return
    if way == "function":
        found = shown(tf.function(compute)(used))
    else:
        with execution(way):
            value = compute(used)
            found = shown(value)
        assert found[0] in ("python", "list") or found[2] == expected[2], (found, expected)
    assert same(found, expected), f"{expression}: {found} instead of {expected}"
