"""What Python's functions give of datasets in converted code: `enumerate`, `zip`, `map`, `filter`, `any`, `all`, `len`, `abs`."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.lib.data.base import BaseDataset
from tfgrad_jax.lib.data.nodes.node import INFINITE, UNKNOWN
from tfgrad_jax.ops.control.iterables import answered_by
from tfgrad_jax.ops.host.assertion import Assert
from tfgrad_jax.ops.math import rounding


def _enumerate(iterable: Any, start: Any = 0) -> Any:
    return iterable.enumerate(start)


def _map(function: Callable[..., Any], *datasets: Any) -> Any:
    return (datasets[0] if len(datasets) == 1 else datasets[0].zip(datasets)).map(function)


def _filter(function: Any, dataset: Any) -> Any:
    return dataset.filter(function)


def _first_is(value: bool, name: str, dataset: Any) -> Any:
    """Whether an element is `value`: those after it are not asked for."""
    spec = dataset.element_spec
    if getattr(spec, "dtype", None) is not dtypes.bool_ or spec.shape.rank:
        raise ValueError(
            f'in graph mode, the "{name}" builtin only supports datasets that return bool scalars; got: {spec}'
        )
    found = dataset.filter(lambda element: element == value).take(1)
    return found.reduce(not value, lambda before, element: element)


def _len(dataset: Any) -> Any:
    count = dataset.cardinality()
    Assert(count != INFINITE, ["dataset length is infinite"])
    Assert(count != UNKNOWN, ["dataset length is unknown"])
    return count


_ANSWERS: dict[Any, Callable[..., Any]] = {
    builtins.enumerate: _enumerate,
    builtins.zip: lambda *datasets: datasets[0].zip(datasets),
    builtins.map: _map,
    builtins.filter: _filter,
    builtins.any: lambda dataset: _first_is(True, "any", dataset),
    builtins.all: lambda dataset: _first_is(False, "all", dataset),
    builtins.len: _len,
    builtins.abs: lambda dataset: dataset.map(rounding.abs),
}


@answered_by.append
def _(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    iterables = args[1:] if function in (builtins.map, builtins.filter) else args
    if function is builtins.enumerate:
        iterables = iterables[:1] or (kwargs.get("iterable"),)
    if not iterables or not all(isinstance(value, BaseDataset) for value in iterables):
        return NotImplemented
    return _ANSWERS[function](*args, **kwargs)
