"""`tensorflow.python` and `tensorflow.core`: private modules, from which libraries import public functions all the same.

In TensorFlow `tensorflow.python.ops.math_ops.reduce_sum` is `tf.reduce_sum`. `private_names.json` lists for each of its
private modules which public names it has: by the room of their public names, and as `name=public` where the two are called
differently. `python -m conformance coverage --record` writes it, where TensorFlow is installed. What is private only is not
here, but for functions that a public one does the work of (`private_alike.py`), raw operations under the names of the modules
that are generated for them (`gen_math_ops.mat_mul`), and what libraries and tests need all the same (`lib/private/`).
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import inspect
import json
import operator
import re
import sys
from pathlib import Path
from typing import Any

from tfgrad_jax.api.missing import MissingAttribute
from tfgrad_jax.api.module import ApiModule
from tfgrad_jax.api.private_alike import ALIKE, CONSTANTS, LISTS, STARRED

ROOMS = ("core", "dtensor", "python", "tools")
"""Where such modules stand."""

_GENERATED = "python.ops.gen_"
"""How the names of the modules of raw operations begin."""

_TABLE = Path(__file__).with_name("private_names.json")


@functools.cache
def _names() -> dict[str, dict[str, str]]:
    """For each private module, the public names of its attributes."""
    found: dict[str, dict[str, str]] = {}
    for module, rooms in (*ALIKE.items(), *json.loads(_TABLE.read_text()).items()):
        names = found.setdefault(module, {})
        for room, listed in rooms.items():
            for pair in listed.split():
                name, _, public = pair.partition("=")
                names[name] = f"{room}.{public or name}".lstrip(".")
    return found


@functools.cache
def _raw_names(package: str) -> dict[str, str]:
    """The raw operations by the names that the generated modules have for them: `MatMul` is `mat_mul` there."""
    raw = sys.modules[f"{package}.raw_ops"]
    return {re.sub(r"(?<=[a-z])(?=[A-Z])|(?<!^)(?=[A-Z][a-z])", "_", n).lower(): n for n in dir(raw) if n[0].isupper()}


def _generated(module: str, name: str) -> Any:
    """A raw operation as `tensorflow.python.ops.gen_*` has it: it takes its arguments without their names, too."""
    package = module.partition(".")[0]
    found = _raw_names(package).get(name.removeprefix("_"))
    if found is None:
        raise MissingAttribute(module, name)
    raw = getattr(sys.modules[f"{package}.raw_ops"], found)
    signature = inspect.signature(raw)
    keywords = tuple(signature.parameters)

    def call(*args: Any, **given: Any) -> Any:
        if len(args) > len(keywords):
            raise TypeError(
                f"{name}() takes at most {len(keywords)} arguments ({', '.join(keywords)}), got {len(args)}"
            )
        return raw(**dict(zip(keywords, args, strict=False)), **given)

    call.__name__ = call.__qualname__ = name
    call.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[one.replace(kind=one.POSITIONAL_OR_KEYWORD) for one in signature.parameters.values()]
    )
    call.__doc__ = (
        f"`tf.raw_ops.{found}`, with arguments by place. Mirrors `{module.replace(package, 'tensorflow', 1)}.{name}`."
    )
    return call


class PrivateModule(ApiModule):
    """Such a module."""

    @property
    def _place(self) -> str:
        """Its name without the package's."""
        return self.__name__.partition(".")[2]

    @property
    def _generated_place(self) -> str:
        """The generated module that is written for this one."""
        above, _, leaf = self._place.rpartition(".")
        return f"{above}.gen_{leaf}"

    @property
    def _starred(self) -> bool:
        """Whether TensorFlow imports all of a generated module into this one: `math_ops` has what `gen_math_ops` has."""
        return self._generated_place in _names()

    def _elsewhere(self, name: str) -> Any:
        if name.startswith("__"):
            raise MissingAttribute(self.__name__, name)
        if (self._place, name) == ("python", "keras"):
            return importlib.import_module("tfgrad_jax.lib.keras.copied").copied("")
        public = _names().get(self._place, {}).get(name)
        package = sys.modules[self.__name__.partition(".")[0]]
        if public is not None:
            return operator.attrgetter(public)(package)
        if name in LISTS.get(self._place, {}):
            return [operator.attrgetter(one)(package) for one in LISTS[self._place][name].split()]
        if name in CONSTANTS.get(self._place, {}):
            return CONSTANTS[self._place][name]
        if self._place.startswith(_GENERATED):
            return _generated(self.__name__, name)
        if self._starred and name in (generated := _names().get(self._generated_place, {})):
            return operator.attrgetter(generated[name])(package)
        if self._starred and name.removeprefix("_") in _raw_names(self.__name__.partition(".")[0]):
            return _generated(self.__name__, name)
        for other in STARRED.get(self._place, ()):
            with contextlib.suppress(AttributeError):
                return operator.attrgetter(f"{other}.{name}")(package)
        below = f"{self._place}.{name}"
        if any(module == below or module.startswith(f"{below}.") for module in _names()):
            full = f"{self.__name__}.{name}"
            module = sys.modules[full] = PrivateModule(full, f"Mirrors `tensorflow.{below}`.")
            return module
        raise MissingAttribute(self.__name__, name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *_names().get(self._place, {})})
