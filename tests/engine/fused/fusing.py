"""What the tests of fused mode share: eager compiling, looking at the pending trace, and comparing the modes step by step."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import tfgrad_jax as tf
from tfgrad_jax.engine.fused import program
from tfgrad_jax.engine.threads import background
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.extras import execution, flush


@contextlib.contextmanager
def hot() -> Iterator[None]:
    """Fused mode, where every program is compiled as soon as it has run twice."""
    flush()  # what earlier tests left pending, where this mode is on anyway
    before = program.HOT_SECONDS, program.HOT_WALKS
    program.HOT_SECONDS, program.HOT_WALKS = 0.0, 1
    try:
        with execution("fused"):
            context.pace = None  # a fresh one, whatever ran before
            yield
    finally:
        program.HOT_SECONDS, program.HOT_WALKS = before


def pending() -> int:
    """How many operations this thread has pending."""
    return 0 if context.pending is None else context.pending.cursor.depth


def is_pending(tensor: Any) -> bool:
    """Whether a tensor, or the value of a variable, is not computed yet."""
    if isinstance(tensor, tf.Variable):
        tensor = tensor.box.tensor
    return tensor.held is None


def values(result: Any) -> Any:
    """A nest of results as NumPy arrays, with what tells them apart from others."""
    if result is None or isinstance(result, (str, int, float, bool)):
        return result
    if isinstance(result, dict):
        return {key: values(result[key]) for key in result}
    if isinstance(result, (list, tuple)):
        return [values(r) for r in result]
    if isinstance(result, tf.IndexedSlices):
        return ["slices", values(result.values), values(result.indices)]
    return [str(result.dtype), np.asarray(result)]


def same(found: Any, expected: Any, where: str = "") -> None:
    """Assert that two nests of `values` agree, but for the rounding that another order of operations brings."""
    if isinstance(expected, np.ndarray):
        assert found.shape == expected.shape, where
        np.testing.assert_allclose(found, expected, rtol=2e-5, atol=1e-6, err_msg=where)
    elif isinstance(expected, dict):
        assert found.keys() == expected.keys(), where
        for key in expected:
            same(found[key], expected[key], f"{where}[{key!r}]")
    elif isinstance(expected, list):
        assert len(found) == len(expected), where
        for i, (f, e) in enumerate(zip(found, expected, strict=True)):
            same(f, e, f"{where}[{i}]")
    elif isinstance(expected, float):
        np.testing.assert_allclose(found, expected, rtol=2e-5, atol=1e-6, err_msg=where)
    else:
        assert found == expected, where


def in_both_modes(build: Callable[[], Callable[[int], Any]], steps: int = 6) -> list[Any]:
    """Run a loop in immediate mode and in fused mode, and assert that each step has the same results in both.

    Args:
      build: makes the variables and returns the step, which takes its number and returns a nest of results. What it returns
        is read only after the step has ended, and kept until the end.
      steps: how many. The fused loop waits for the compiler after the third, so that it runs step by step, along plans and
        compiled.

    Returns:
      The results of the immediate loop.
    """
    with execution("immediate"):
        tf.random.set_seed(7)
        step = build()
        expected = [values(step(i)) for i in range(steps)]
    for wait in (3, 2, steps):
        with hot():
            tf.random.set_seed(7)
            step = build()
            for i in range(steps):
                same(values(step(i)), expected[i], f"step {i}")
                if i >= wait:
                    background.wait()
    return expected
