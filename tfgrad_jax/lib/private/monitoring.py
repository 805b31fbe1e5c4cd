"""`tensorflow.python.eager.monitoring`: numbers by labels, which libraries keep of themselves. Nobody collects them here."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.engine.names.export import export_value

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
        self._cells: dict[tuple[Any, ...], Cell] = {}

    def get_cell(self, *labels: Any) -> Cell:
        """The value for these labels.

        Raises:
          ValueError: for another number of labels than there are.
        """
        if len(labels) != len(self._labels):
            raise ValueError(f"{self._name} takes {len(self._labels)} labels, got {labels}")
        return self._cells.setdefault(labels, Cell(self._first))


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


for _kind in (Counter, IntGauge, StringGauge, BoolGauge):
    export_value(_kind, _M + _kind.__name__)
