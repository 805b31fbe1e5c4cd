"""Checks of values inside compiled programs: what an operation finds wrong is one small result more, raised after the run.

Eagerly an operation looks at its operands and raises. An exception cannot leave a running XLA program, so there each check adds to
a *record*, a vector of integers that goes out with the results: the number of the check that failed first, and what its
error shows. Loops carry it round, branches hand it out; whoever ran the program reads it and raises.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tfgrad_jax.engine.host.rules import NAMED, always
from tfgrad_jax.engine.kernels.products import evaluated
from tfgrad_jax.engine.threads.accelerator import on_accelerator
from tfgrad_jax.engine.threads.context import context

WIDTH = 12
"""The integers in a record: the number of the check, or 0, and what its error shows."""

_lock = threading.Lock()


class Finding:
    """The verdict of a check on some arrays.

    Attributes:
      failed: whether something is wrong, a boolean scalar.
      error: makes the exception; takes `numbers`, as Python integers.
      numbers: integer scalars, fewer than `WIDTH`.
    """

    def __init__(self, failed: Any, error: Callable[..., Exception], *numbers: Any) -> None:
        self.failed = failed
        self.error = error
        self.numbers: Sequence[Any] = numbers

    @property
    def is_clear(self) -> bool:
        """Whether nothing is wrong, whatever the values are that are not known yet."""
        return isinstance(self.failed, (bool, np.bool_)) and not self.failed

    def exception(self) -> Exception | None:
        """The exception to raise, where the arrays were NumPy's; None if nothing is wrong."""
        return self.error(*map(int, self.numbers)) if self.failed else None

    def record(self, code: Any) -> tuple[Any, int]:
        """The record of it in a program that is traced, where its number is `code`, and how many numbers the error shows."""
        numbers = [jnp.asarray(n, jnp.int64) for n in self.numbers]
        if not numbers:
            return record_of_failure(self.failed, code), 0
        parts = [code, *numbers, *[jnp.zeros((), jnp.int64)] * (WIDTH - 1 - len(numbers))]
        return jnp.where(self.failed, jnp.stack(parts), 0), len(numbers)


class FirstWrong(Finding):
    """The verdict on many places, of which the first that is wrong is told: its number, and integers that it has.

    Args:
      wrong: which places are, a vector of booleans.
      values: a row of integers for each place.
      error: takes the place and the integers.
    """

    def __init__(self, wrong: Any, values: Any, error: Callable[..., Exception]) -> None:
        self.error = error
        self._wrong = wrong
        self._values = values

    @property
    def failed(self) -> Any:
        """Whether one is wrong."""
        return self._wrong.any()

    @property
    def numbers(self) -> Sequence[Any]:  # type: ignore[override]
        """The first one that is wrong, where the arrays are NumPy's."""
        place = self._wrong.argmax()
        return [place, *self._values[place]]

    @property
    def is_clear(self) -> bool:
        return False

    def record(self, code: Any) -> tuple[Any, int]:
        return record_of_first(self._wrong, self._values, code), 1 + int(self._values.shape[1])


class Program:
    """The checks of one program: the errors, by the number of the check, with the user's lines."""

    def __init__(self) -> None:
        self._errors: list[tuple[Callable[..., Exception], str, Any]] = []

    def __bool__(self) -> bool:
        """Whether anything is checked, as far as it has been traced."""
        return bool(self._errors)

    def number(self, error: Callable[..., Exception], name: str, where: Any) -> int:
        """The number of a check, which differs from trace to trace: messages know the shapes."""
        with _lock:
            self._errors.append((error, name, where))
            return len(self._errors)

    def raise_from(self, record: Any) -> None:
        """Raise what a record tells, if it tells something."""
        number, *numbers = np.asarray(record).tolist()
        if not number:
            return
        make, name, where = self._errors[number - 1]
        raise located(make(*numbers), name, where)


def located(error: Exception, name: str, where: Any) -> Exception:
    """An error with the user's line in which its operation was recorded, unless it has one: that of an operation inside."""
    if where is not None and not is_located(error):
        error.add_note(f"{name} was recorded at {where[0]}:{where[1]}")
    return error


def is_located(error: Exception) -> bool:
    """Whether an error says where the operation that raised it was recorded."""
    return any(["was recorded at" in note for note in getattr(error, "__notes__", ())])


def found(kernel: Any, inputs: Sequence[Any], out: Any) -> Finding | None:
    """What an operation's check finds; None where nothing is wrong whatever the values are that are not known yet."""
    outputs = out if isinstance(out, (tuple, list)) else (out,)
    finding: Finding | None = kernel.check([evaluated(x) for x in inputs], [evaluated(x) for x in outputs])
    return None if finding is None or finding.is_clear else finding


class Collected:
    """The record of a part of a program, while JAX traces it."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.record: Any = np.zeros(WIDTH, np.int64)

    def note(self, finding: Finding, name: str, where: Any) -> None:
        """Add what a check found."""
        error = finding.error
        count = 0
        code = self.program.number(lambda *given: error(*given[:count]), name, where)
        record, count = finding.record(np.int64(code))
        self.merge(record)

    def ask(self, kernel: Any, inputs: Sequence[Any], out: Any, where: Any) -> None:
        """Add what an operation's check finds."""
        finding = found(kernel, inputs, out)
        if finding is not None:
            self.note(finding, kernel.name, where)

    def merge(self, record: Any) -> None:
        """Add the record of an inner part, which ran after what is here already."""
        self.record = first(self.record, record)


def first(before: Any, after: Any) -> Any:
    """The record that tells what failed first."""
    if type(before) is np.ndarray and not before[0]:
        return after
    return record_of_two(before, after)


# What makes records is functions of their own under `jax.jit`, because the host, where mostly nothing has failed, has quick forms.


@jax.jit
def record_of_failure(failed: Any, code: Any) -> Any:
    """The record of a check that shows no numbers."""
    return jnp.where(failed, jnp.concatenate([code[None], jnp.zeros(WIDTH - 1, jnp.int64)]), 0)


@jax.jit
def record_of_first(wrong: Any, values: Any, code: Any) -> Any:
    """The record of the first place that is wrong."""
    count, width = wrong.shape[0], values.shape[1]
    at = jnp.min(jnp.where(wrong, jnp.arange(count), count))
    shown = values[jnp.minimum(at, count - 1)].astype(jnp.int64)
    parts = [jnp.stack([code, at.astype(jnp.int64)]), shown, jnp.zeros(WIDTH - 2 - width, jnp.int64)]
    return jnp.where(at < count, jnp.concatenate(parts), 0)


@jax.jit
def record_of_two(before: Any, after: Any) -> Any:
    """The record that tells what failed first."""
    return jnp.where(before[0] != 0, before, after)


_NOTHING = np.zeros(WIDTH, np.int64)
_NOTHING.setflags(write=False)


def _record_on_host(*numbers: int) -> np.ndarray:
    return np.array([*numbers, *[0] * (WIDTH - len(numbers))], np.int64)


def _first_on_host(wrong: Any, values: Any, code: Any) -> list[np.ndarray]:
    at = int(wrong.argmax())
    return [_record_on_host(int(code), at, *values[at].tolist()) if wrong[at] else _NOTHING]


always(NAMED + "record_of_failure", lambda failed, code: [_record_on_host(int(code)) if failed else _NOTHING], (0, 0))
always(NAMED + "record_of_first", _first_on_host, (1, 2, 0))
always(NAMED + "record_of_two", lambda before, after: [before if before[0] else after], (1, 1))


@contextlib.contextmanager
def collecting(program: Program | None) -> Iterator[Collected]:
    """A context in which checks are noted for a program; None leaves them out."""
    before, context.checks = context.checks, None if program is None else Collected(program)
    try:
        yield context.checks
    finally:
        context.checks = before


def recording(function: Callable[..., tuple[Any, ...]], program: Program) -> Callable[..., tuple[Any, ...]]:
    """A function of arrays that returns, after its results, the record of the checks inside.

    Traced once more to be differentiated, it makes a record too, which nobody reads: its gradient's residuals are the same then.
    """

    def run(*arrays: Any) -> tuple[Any, ...]:
        with collecting(Program() if context.silent else program) as found:
            out = function(*arrays)
        return (*out, jnp.asarray(found.record))

    return run


def program_of_checks() -> Program:
    """The program whose checks are being noted; one that nobody asks, where a part only runs again to be differentiated."""
    found = noting()
    return Program() if found is None else found.program


def unchecked(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of arrays whose checks are left out."""

    def run(*arrays: Any) -> Any:
        if context.checks is None:
            return function(*arrays)
        with collecting(None):
            return function(*arrays)

    return run


def noting() -> Collected | None:
    """Where checks of what is being traced go; None if nobody asks for them, or it only runs again to be differentiated."""
    return context.checks


def now(kernel: Any, inputs: Sequence[Any], out: Any) -> None:
    """Check tensors whose values are here, for an operation of a function.

    Raises:
      Exception: the operation's own.
    """
    if not enabled():
        return
    outputs = out if isinstance(out, (tuple, list)) else (out,)
    finding = kernel.check(*[[np.asarray(t.array) for t in tensors] for tensors in (inputs, outputs)])
    require(finding)


def require(finding: Finding | None) -> None:
    """Raise what a check of NumPy arrays found."""
    error = None if finding is None else finding.exception()
    if error is not None:
        raise error


# -- the switch -------------------------------------------------------------------------------------------------------

_chosen: list[bool | None] = [None]


def runtime_checks(enabled: bool | None) -> None:
    """Choose whether functions check indices, divisors and matrices while they run, as eager operations do.

    A failed check raises TensorFlow's error after the program has run. Without checks, XLA decides what comes out: zeros for an
    index out of range, -1 for an integer divided by zero, NaN for the inverse of a singular matrix. Functions with
    `jit_compile=True` are never checked, as in TensorFlow.

    Args:
      enabled: True or False; None for what holds at the beginning: True on a CPU, False on accelerators, where TensorFlow does not
        check indices either. `TFGRAD_JAX_RUNTIME_CHECKS=0` (or `1`) in the environment chooses too.
    """
    _chosen[0] = None if enabled is None else bool(enabled)


def enabled() -> bool:
    """Whether functions that are called now check values."""
    chosen = _chosen[0]
    return not on_accelerator() if chosen is None else chosen


if os.environ.get("TFGRAD_JAX_RUNTIME_CHECKS") in ("0", "1"):
    _chosen[0] = os.environ["TFGRAD_JAX_RUNTIME_CHECKS"] == "1"
