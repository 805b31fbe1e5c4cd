"""What becomes of a use of TensorFlow here, by the public tree itself."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any

import tfgrad_jax
from tfgrad_jax.api import ApiModule
from tfgrad_jax.api.absent import absent
from tfgrad_jax.api.differs import differs
from tfgrad_jax.api.missing import likely
from tfgrad_jax.commands.uses import Dotted, Use
from tfgrad_jax.engine.values.dtypes import DType

WORKS, DIFFERS, GUARDED, MISSING, GONE = "works", "differs", "guarded", "missing", "gone"
"""The states, from the best to the worst: `guarded` is missing where the program has another way, `gone` from TensorFlow too."""

STATES = (WORKS, DIFFERS, GUARDED, MISSING, GONE)

_OWN = f"{tfgrad_jax.__name__}."


@dataclass(frozen=True)
class Verdict:
    """What becomes of a use.

    Attributes:
      symbol: the name after `tf.`; with an argument that is missing, that too: `nn.relu(slope)`.
      why: a sentence, with what to write instead; nothing where it works.
      counts: whether it is a symbol to count; modules on the way to one are none.
    """

    symbol: str
    state: str
    why: str = ""
    counts: bool = True


def written(symbol: str) -> str:
    """A symbol as programs write it: private modules have no `tf.` before them."""
    return f"tensorflow.{symbol}" if symbol.split(".")[0] in ("core", "dtensor", "python") else f"tf.{symbol}"


def verdict(use: Use) -> Verdict | None:
    """What becomes of a use, in the best of its meanings; None where it is no use of TensorFlow at all."""
    found = min((_of(path, use.keywords) for path in use.paths), key=lambda v: STATES.index(v.state))
    if found.state not in (MISSING, GONE):
        return found
    if use.perhaps:
        return None
    if use.guarded or any(_resolve(path)[0] is _NOTHING for path in use.needs):
        return Verdict(found.symbol, GUARDED, "missing; the program has another way")
    return found


_NOTHING = object()
_UNKNOWN = object()


@cache
def _resolve(path: Dotted) -> tuple[Any, str]:
    """The object at a path, `_NOTHING` where there is none, `_UNKNOWN` where it cannot be told without running; and why."""
    value: Any = tfgrad_jax
    for i, name in enumerate(path):
        if i and not isinstance(value, (ModuleType, type, DType)):
            return _UNKNOWN, ""
        try:
            value = getattr(value, name)
        except AttributeError:
            if name.startswith("__") and name != "__internal__":
                return _UNKNOWN, ""
            if path[: i + 1] == ("python", "autograph"):
                value = importlib.import_module("malt")
                continue
            return _NOTHING, ""
        except ImportError as error:  # a package is not installed: nothing below can be told
            return _UNKNOWN, str(error)
        if _is_inner(value):
            return _NOTHING, ""
    return value, ""


def _is_inner(value: Any) -> bool:
    """Whether it is a folder of this package's code, which TensorFlow has not."""
    name = value.__name__ if isinstance(value, ModuleType) else ""
    return name.startswith(_OWN) and not isinstance(value, ApiModule) and not name.startswith(f"{_OWN}extras")


@cache
def _of(path: Dotted, keywords: tuple[str, ...]) -> Verdict:
    while path[:2] == ("compat", "v2"):  # the same tree
        path = path[2:]
    symbol = ".".join(path)
    value, why = _resolve(path)
    if value is _UNKNOWN:
        return Verdict(symbol, WORKS, why)
    if value is _NOTHING:
        return _missing(path)
    if isinstance(instead := getattr(value, "instead", None), str):
        return Verdict(symbol, MISSING, instead)
    if isinstance(value, ModuleType):
        return Verdict(symbol, WORKS, counts=False)
    for keyword in keywords:
        if callable(value) and not _takes(value, keyword):
            state, either = (GONE, ", in TensorFlow 2.21 neither") if "keras" in path else (MISSING, "")
            return Verdict(
                f"{symbol}({keyword})", state, f"there is no argument {keyword!r}{either}; {_arguments(value)}"
            )
    different = differs(symbol, keywords)
    return Verdict(symbol, DIFFERS if different else WORKS, different)


def _missing(path: Dotted) -> Verdict:
    symbol = ".".join(path)
    why = absent(symbol)
    if "keras" in path[:3] and path[0] != "python":
        return Verdict(symbol, GONE, "not in TensorFlow 2.21 either: tf.keras is Keras 3, which has no such name")
    old = path[:2] != ("compat", "v1") and path[0] != "python"
    if symbol.removeprefix("compat.v1.").split(".")[0] in ("contrib", "estimator"):
        return Verdict(symbol, GONE, f"not in TensorFlow 2.21 either: {why}")
    if old and why is None and _exists_in_v1(path):
        return Verdict(symbol, GONE, f"not in TensorFlow 2.21 either: it is tf.compat.v1.{symbol}{_instead(path)}")
    if why is not None:
        return Verdict(symbol, MISSING, why)
    names = likely(symbol)
    why = f"did you mean {' or '.join(map(written, names))}?" if names else ""
    private = path[0] in ("compiler", "core", "dtensor", "python")
    if not private and not isinstance(_resolve(path[:-1])[0], type):  # public names are here or have a reason
        return Verdict(symbol, GONE, "not in TensorFlow 2.21 either" + (f": {why}" if why else ""))
    return Verdict(symbol, MISSING, why or "a private part of TensorFlow: use public names")


def _exists_in_v1(path: Dotted) -> bool:
    return _resolve(("compat", "v1", *path))[0] is not _NOTHING or absent(f"compat.v1.{'.'.join(path)}") is not None


def _instead(path: Dotted) -> str:
    value = _resolve(("compat", "v1", *path))[0]
    why = getattr(value, "instead", None) or absent(f"compat.v1.{'.'.join(path)}")
    return f", where {why}" if isinstance(why, str) else ""


@cache
def _parameters(value: Callable[..., Any]) -> tuple[tuple[str, ...], bool] | None:
    """The parameters of a callable that may be given by name, and whether it takes all others; None where nobody tells."""
    try:
        made = _maker(value) if isinstance(value, type) else None
        signature = inspect.signature(made or value)
        if isinstance(value, type) and all(
            p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in signature.parameters.values()
        ):
            signature = inspect.signature(value.__init__)  # type: ignore[misc]
    except (TypeError, ValueError):
        return None
    parameters = signature.parameters.values()
    named = tuple(
        p.name
        for p in parameters
        if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY) and p.name not in ("self", "cls")
    )
    return named, any(p.kind == p.VAR_KEYWORD for p in parameters)


def _maker(kind: type) -> Callable[..., Any] | None:
    """The `__new__` that makes other objects than those of a class, and so decides which arguments the class takes."""
    of = next(base for base in kind.__mro__ if "__new__" in vars(base) or "__init__" in vars(base))
    return None if "__init__" in vars(of) or issubclass(kind, tuple) or of is object else vars(of)["__new__"].__func__


def _takes(value: Callable[..., Any], keyword: str) -> bool:
    parameters = _parameters(value)
    return parameters is None or parameters[1] or keyword in parameters[0]


def _arguments(value: Callable[..., Any]) -> str:
    parameters = _parameters(value)
    return f"there are {', '.join(parameters[0])}" if parameters and parameters[0] else "it takes none by name"
