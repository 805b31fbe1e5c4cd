"""`tf.compat.v1`: the public functions under the names and arguments that TensorFlow 1 gave them.

Most are the very functions of today. Where the arguments differ, a row of `OTHER_ARGUMENTS` has the signature of version 1, as
a function of it that tells which of today's arguments are not simply those of the same name. What is more than that is in
`lib/v1/`; what is neither is not here, and asking for it raises an error with its name.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from tfgrad_jax.api.late import Late
from tfgrad_jax.api.v1_arguments import OTHER_ARGUMENTS, REQUIRED
from tfgrad_jax.api.v1_names import DIFFERENT_IN_V1, EARLIER_NAMES, MISSING_IN_V1, SAME_ARGUMENTS

_MISSING_ROOMS = (
    "__internal__.", "autodiff.", "compat.", "experimental.dlpack.", "experimental.numpy.", "image.stateless_", "optimizers.",
    "python.",
    "types.experimental.",
)  # fmt: skip


class OfVersion1:
    """Today's function under the signature of version 1.

    Args:
      name: the name in version 1.
      row: its signature, from `OTHER_ARGUMENTS`.
      function: what the name stands for today.
    """

    def __init__(self, name: str, row: Callable[..., Any], function: Callable[..., Any] | Late) -> None:
        self._name = name
        self._row = row
        self._today = function
        self.__name__ = self.__qualname__ = name.rpartition(".")[2]

    @functools.cached_property
    def _function(self) -> Callable[..., Any]:
        return self._today.load() if isinstance(self._today, Late) else self._today

    @property
    def __doc__(self) -> str | None:  # type: ignore[override]
        return self._function.__doc__

    @functools.cached_property
    def __signature__(self) -> inspect.Signature:
        return inspect.signature(self._row)

    @functools.cached_property
    def _taken(self) -> Mapping[str, inspect.Parameter]:
        return inspect.signature(self._function).parameters

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        signature, taken = self.__signature__, self._taken
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError as error:
            takes = ", ".join(signature.parameters)
            raise TypeError(f"tf.compat.v1.{self._name}: {error}; it takes {takes}") from None
        bound.apply_defaults()
        given = bound.arguments
        passed = {n: v for n, v in given.items() if n in taken} | (self._row(**given) or {})
        # An argument that is None has the default of today.
        return self._function(**{n: v for n, v in passed.items() if v is not None or taken[n].default is REQUIRED})


def names_of_v1(today: Mapping[str, Any]) -> dict[str, Any]:
    """Every name below `tf.compat.v1` that a name of today gives.

    Args:
      today: the public names and what they stand for.
    """
    found: dict[str, Any] = {}
    for name, now in {**{name: name for name in today}, **EARLIER_NAMES}.items():
        kept_out = now in MISSING_IN_V1 or now in DIFFERENT_IN_V1 or name.startswith(_MISSING_ROOMS)
        if kept_out or f"compat.v1.{name}" in today:
            continue
        row = OTHER_ARGUMENTS.get(name) or OTHER_ARGUMENTS.get("" if name in SAME_ARGUMENTS else now)
        found[f"compat.v1.{name}"] = today[now] if row is None else OfVersion1(name, row, today[now])
    return found
