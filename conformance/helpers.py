"""What cases share: asking for a gradient in one line, and turning an exception into an answer."""

from __future__ import annotations

import contextlib
import logging
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from typing import Any


def raises(run: Callable[[], Any], says: str | None = None) -> Any:
    """The exception class that `run` ends with, as a value to compare, or what it returned.

    Args:
      run: called without arguments.
      says: a piece of the message; whether the message holds it becomes part of the answer.
    """
    try:
        return {"returned": run()}
    except Exception as error:
        answer: dict[str, Any] = {"raises": type(error).__name__}
        if says is not None:
            answer["says"] = says if says in str(error) else str(error)
        return answer


def value_and_grad(tf: Any, function: Callable[..., Any], *inputs: Any, dtype: Any = None, seed: Any = None) -> Any:
    """The value of `function` at watched constants, and its gradient with respect to each of them."""
    sources = [tf.constant(x, dtype) for x in inputs]
    with tf.GradientTape() as tape:
        tape.watch([x for x in sources if x.dtype.is_floating or x.dtype.is_complex])
        value = function(*sources)
    return {"value": value, "gradient": tape.gradient(value, sources, output_gradients=seed)}


def grad(tf: Any, function: Callable[..., Any], *inputs: Any, dtype: Any = None, seed: Any = None) -> Any:
    """The gradient alone; one input gives one gradient, several give a list."""
    answer = value_and_grad(tf, function, *inputs, dtype=dtype, seed=seed)["gradient"]
    return answer[0] if len(inputs) == 1 else answer


def derivatives(tf: Any, function: Callable[..., Any], x: Any) -> Any:
    """Value, first and second derivative (of the sum) at a constant."""
    x = tf.constant(x)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        g = tape.gradient(y, x)
    return y, g, None if g is None else outer.gradient(g, x)


def each(tf: Any, body: Callable[..., Any], *values: Any, **options: Any) -> Any:
    """A `tf.function` of `body` at several values, and how often it was traced."""
    f = tf.function(body, **options)
    return [f(tf.constant(v)) for v in values], f.experimental_get_tracing_count()


def _forget_earlier_warnings() -> None:
    # TensorFlow logs some warnings only the first few times in a process; here every case is the first.
    counters = getattr(sys.modules.get("tensorflow.python.platform.tf_logging"), "_log_counter_per_token", None)
    if counters:
        counters.clear()


@contextlib.contextmanager
def logged() -> Iterator[list[str]]:
    """Collect what goes to the logger called `tensorflow` meanwhile, as `LEVEL: message` lines."""
    lines: list[str] = []
    _forget_earlier_warnings()

    class Collect(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(f"{record.levelname}: {record.getMessage()}")

    logger, handler = logging.getLogger("tensorflow"), Collect()
    before = logger.handlers, logger.propagate
    logger.handlers, logger.propagate = [handler], False
    try:
        yield lines
    finally:
        logger.handlers, logger.propagate = before


def in_fresh_process(tf: Any, program: str) -> list[str]:
    """The lines that `program` prints when it runs by itself, with `tf` imported; for what changes global state."""
    source = f"import {tf.__name__} as tf\n{textwrap.dedent(program)}"
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=False)
    return done.stdout.splitlines() if done.returncode == 0 else done.stderr.splitlines()[-1:]
