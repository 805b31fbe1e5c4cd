"""`tensorflow.python.eager.monitoring`: numbers by labels, which libraries keep of themselves. Nobody collects them here."""

from __future__ import annotations

import bisect
import functools
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from tfgrad_jax.engine.names.export import export, export_value

_M = "python.eager.monitoring."


class Cell:
    """One number, text or flag."""

    def __init__(self, first: Any) -> None:
        self._value = first

    def set(self, value: Any) -> None:
        """Replace the value."""
        self._value = value

    def increase_by(self, value: Any) -> None:
        """Add to the value."""
        self._value += value

    def value(self) -> Any:
        """The value."""
        return self._value


class _Metric:
    _first: Any = 0

    def __init__(self, name: str, description: str, *labels: str) -> None:
        self._name = name
        self._labels = labels
        self._cells: dict[tuple[Any, ...], Any] = {}

    def get_cell(self, *labels: Any) -> Any:
        """The value for these labels.

        Raises:
          ValueError: for another number of labels than there are.
        """
        if len(labels) != len(self._labels):
            raise ValueError(f"{self._name} takes {len(self._labels)} labels, got {labels}")
        return self._cells.setdefault(labels, self._made())

    def _made(self) -> Any:
        return Cell(self._first)


class Counter(_Metric):
    """Counts."""


class IntGauge(_Metric):
    """Integers."""


class StringGauge(_Metric):
    """Texts."""

    _first = ""


class BoolGauge(_Metric):
    """Flags."""

    _first = False


class Histogram(NamedTuple):
    """What a sampler has seen."""

    min: float
    max: float
    num: float
    sum: float
    sum_squares: float
    bucket_limit: tuple[float, ...]
    bucket: tuple[float, ...]


class SamplerCell:
    """A histogram that grows."""

    def __init__(self, limits: tuple[float, ...]) -> None:
        self._limits = limits
        self._seen: list[float] = []

    def add(self, value: float) -> None:
        """Count a value."""
        self._seen.append(float(value))

    def value(self) -> Histogram:
        """What was counted."""
        counts = [0.0] * len(self._limits)
        for value in self._seen:
            counts[bisect.bisect_right(self._limits[:-1], value)] += 1
        seen = self._seen
        return Histogram(
            min(seen, default=0.0),
            max(seen, default=0.0),
            float(len(seen)),
            sum(seen),
            sum(v * v for v in seen),
            self._limits,
            tuple(counts),
        )


@export(_M + "ExponentialBuckets")
class ExponentialBuckets:
    """Limits that grow by a factor.

    Args:
      scale: the first.
      growth_factor: the factor.
      bucket_count: how many there are.
    """

    def __init__(self, scale: float, growth_factor: float, bucket_count: int) -> None:
        self.limits = (*(scale * growth_factor**k for k in range(bucket_count)), sys.float_info.max)


@export(_M + "Sampler")
class Sampler(_Metric):
    """Histograms."""

    def __init__(self, name: str, buckets: ExponentialBuckets, description: str, *labels: str) -> None:
        super().__init__(name, description, *labels)
        self._limits = buckets.limits

    def _made(self) -> Any:
        return SamplerCell(self._limits)


@export(_M + "MonitoredTimer")
class MonitoredTimer:
    """A context that adds how long it lasted to a cell, in microseconds.

    Args:
      cell: the cell of a counter.
    """

    def __init__(self, cell: Any, *_: Any, **__: Any) -> None:
        self._cell = cell

    def __enter__(self) -> MonitoredTimer:
        self._begun = time.perf_counter()
        return self

    def __exit__(self, *_: object) -> None:
        self._cell.increase_by(int((time.perf_counter() - self._begun) * 1e6))


@export(_M + "monitored_timer")
def monitored_timer(cell: Any) -> Callable[[Any], Any]:
    """Decorator: each call adds how long it lasted to a cell, in microseconds."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def timed(*args: Any, **kwargs: Any) -> Any:
            with MonitoredTimer(cell):
                return function(*args, **kwargs)

        return timed

    return decorate


for _kind in (Counter, IntGauge, StringGauge, BoolGauge):
    export_value(_kind, _M + _kind.__name__)
