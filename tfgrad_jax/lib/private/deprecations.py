"""`tensorflow.python.util.deprecation`: what is deprecated says so in its documentation, and when it is called."""

from __future__ import annotations

import contextlib
import functools
import inspect
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any

from tfgrad_jax.engine.names.export import export, export_value
from tfgrad_jax.lib.private.decorators import make_decorator, unwrap

_D, _U = "python.util.deprecation.", "python.util.decorator_utils."
_state = {"silent": False}
_said: set[Any] = set()
"""What has been said once and is not said again."""

export_value(True, _D + "_PRINT_DEPRECATION_WARNINGS")


def _warn(message: str, *parts: Any) -> None:
    """Say it by the public logger as it is now, which programs exchange to see what was said."""
    root: Any = sys.modules[__name__.partition(".")[0]]
    if not _state["silent"] and root.python.util.deprecation._PRINT_DEPRECATION_WARNINGS:
        root.python.platform.tf_logging.warning(message, *parts)


def _where(up: int) -> str:
    """File and line of a caller."""
    frame = inspect.currentframe()
    for _ in range(up + 1):
        frame = frame.f_back if frame is not None and frame.f_back is not None else frame
    return "UNKNOWN" if frame is None else f"{frame.f_code.co_filename}:{frame.f_lineno}"


def _when(date: str | None) -> str:
    return "in a future version" if date is None else f"after {date}"


def _check(date: str | None, instructions: str) -> None:
    if date is not None and not re.fullmatch(r"20\d\d-[01]\d-[0123]\d", date):
        raise ValueError(f"Date must be in format YYYY-MM-DD. Received: {date}")
    if not instructions:
        raise ValueError("Don't deprecate things without conversion instructions! Specify the `instructions` argument.")


_KINDS = ("Deprecated", "Warning", "Caution", "Important", "Note")


@export(_U + "add_notice_to_docstring")
def add_notice_to_docstring(
    doc: str | None,
    instructions: str,
    no_doc_str: str,
    suffix_str: str,
    notice: list[str],
    notice_type: str = "Warning",
) -> str:
    """A documentation with a notice after its first line.

    Args:
      doc: the documentation, if there is one.
      instructions: what the notice ends with.
      no_doc_str: the first line where there is none.
      suffix_str: what is added to the first line where there is one.
      notice: its lines.
      notice_type: what it begins with.

    Raises:
      ValueError: for another kind of notice, or an empty one.
    """
    if notice_type not in _KINDS:
        raise ValueError(f"Unrecognized notice type. Should be one of: {list(_KINDS)}")
    if not notice:
        raise ValueError("The `notice` arg must not be empty.")
    said = ["", f"{notice_type}: {notice[0]}", *notice[1:], *([instructions] if instructions else [])]
    if not doc:
        return "\n".join([no_doc_str, *said])
    first, *rest = inspect.cleandoc(doc).splitlines()
    return "\n".join([f"{first} {suffix_str}", *said, *([""] if rest and rest[0].strip() else []), *rest])


def _noticed(doc: str | None, nothing: str, suffix: str, notice: str, instructions: str) -> str:
    return add_notice_to_docstring(
        doc, instructions, nothing, suffix, [notice, "Instructions for updating:"], "Deprecated"
    )


@export(_D + "deprecated")
def deprecated(date: str | None, instructions: str, warn_once: bool = True) -> Callable[[Any], Any]:
    """Decorator: a function or class that is deprecated.

    Args:
      date: when it goes, `YYYY-MM-DD`, or None.
      instructions: what to use instead.
      warn_once: whether only the first call says so.

    Raises:
      ValueError: for another kind of date, for no instructions, or from the decorator for a property.
    """
    _check(date, instructions)

    def decorate(decorated: Any) -> Any:
        if isinstance(decorated, property):
            raise ValueError(
                "Property cannot be deprecated: make sure @property appears before @deprecated in your source code."
            )
        kind = "CLASS" if isinstance(decorated, type) else "FUNCTION"
        notice = f"THIS {kind} IS DEPRECATED. It will be removed {_when(date)}."
        doc = _noticed(decorated.__doc__, f"DEPRECATED {kind}", "(deprecated)", notice, instructions)
        target = decorated.__new__ if isinstance(decorated, type) else decorated

        def say() -> None:
            if not (warn_once and decorated in _said):
                if warn_once:
                    _said.add(decorated)
                _warn(
                    "From %s: %s (from %s) is deprecated and will be removed %s.\nInstructions for updating:\n%s",
                    _where(2),
                    getattr(decorated, "__qualname__", getattr(decorated, "__name__", decorated)),
                    decorated.__module__,
                    _when(date),
                    instructions,
                )

        @functools.wraps(target)
        def told(*args: Any, **kwargs: Any) -> Any:
            say()
            if target is object.__new__:
                return target(args[0])
            return target(*args, **kwargs)

        if isinstance(decorated, type):
            decorated.__new__ = told  # type: ignore[method-assign]
            decorated.__doc__ = doc
            return decorated
        made = make_decorator(decorated, told, "deprecated", doc)
        made.__doc__ = doc
        return made

    return decorate


def _parameters(function: Any) -> inspect.FullArgSpec:
    return inspect.getfullargspec(unwrap(function)[1])


@export(_D + "deprecated_args")
def deprecated_args(
    date: str | None, instructions: str, *deprecated_arg_names_or_tuples: Any, **kwargs: Any
) -> Callable[[Any], Any]:
    """Decorator: a function with arguments that are deprecated.

    Args:
      date: when they go, `YYYY-MM-DD`, or None.
      instructions: what to use instead.
      *deprecated_arg_names_or_tuples: their names, or pairs of a name and a value that nothing is said of.
      **kwargs: `warn_once`, whether only the first call says so.

    Raises:
      ValueError: for another kind of date, for no instructions or names, or from the decorator for names that the function lacks.
      TypeError: for other keywords.
    """
    _check(date, instructions)
    if not deprecated_arg_names_or_tuples:
        raise ValueError("Specify which argument is deprecated.")
    warn_once = kwargs.pop("warn_once", True)
    if kwargs:
        raise TypeError(f"deprecated_args() got unexpected keyword arguments {sorted(kwargs)}")
    pairs = [name if isinstance(name, tuple) else (name,) for name in deprecated_arg_names_or_tuples]

    def decorate(func: Any) -> Any:
        spec = _parameters(func)
        known = {*spec.args, *spec.kwonlyargs, spec.varargs, spec.varkw}
        if missing := [pair[0] for pair in pairs if pair[0] not in known]:
            raise ValueError(
                f"The following deprecated arguments are not present in the function signature: {missing}. Expected "
                f"arguments from the following list: {spec.args}."
            )
        names = ", ".join(sorted(pair[0] for pair in pairs))
        notice = f"SOME ARGUMENTS ARE DEPRECATED: `({names})`. They will be removed {_when(date)}."

        @functools.wraps(func)
        def told(*args: Any, **given: Any) -> Any:
            at = dict(zip(spec.args, args))
            at.update(given)
            if spec.varargs and args[len(spec.args) :]:
                at[spec.varargs] = args[len(spec.args) :]
            if spec.varkw and set(given) - {*spec.args, *spec.kwonlyargs}:
                at[spec.varkw] = given
            for name, *fine in pairs:
                if name in at and not (fine and _same(at[name], fine[0])) and (func, name) not in _said:
                    if warn_once:
                        _said.add((func, name))
                    _warn(
                        "From %s: calling %s (from %s) with %s is deprecated and will be removed %s.\n"
                        "Instructions for updating:\n%s",
                        _where(1),
                        func.__qualname__,
                        func.__module__,
                        name,
                        _when(date),
                        instructions,
                    )
            return func(*args, **given)

        doc = _noticed(func.__doc__, "DEPRECATED FUNCTION ARGUMENTS", "(deprecated arguments)", notice, instructions)
        made = make_decorator(func, told, "deprecated", doc)
        made.__doc__ = doc
        return made

    return decorate


def _same(one: Any, other: Any) -> bool:
    if one is None or other is None:
        return one is None and other is None
    return bool(one == other)


@export(_D + "deprecated_arg_values")
def deprecated_arg_values(
    date: str | None, instructions: str, warn_once: bool = True, **deprecated_kwargs: Any
) -> Callable[[Any], Any]:
    """Decorator: a function with values of arguments that are deprecated, also where they are the defaults.

    Args:
      date: when they go, `YYYY-MM-DD`, or None.
      instructions: what to use instead.
      warn_once: whether only the first call says so.
      **deprecated_kwargs: the values by the names of their arguments.

    Raises:
      ValueError: for another kind of date, for no instructions or no values.
    """
    _check(date, instructions)
    if not deprecated_kwargs:
        raise ValueError("Specify which argument values are deprecated.")

    def decorate(func: Any) -> Any:
        shown = ", ".join(f"{name}={value!r}" for name, value in sorted(deprecated_kwargs.items()))
        notice = f"SOME ARGUMENT VALUES ARE DEPRECATED: `({shown})`. They will be removed {_when(date)}."
        signature = inspect.signature(unwrap(func)[1])

        @functools.wraps(func)
        def told(*args: Any, **given: Any) -> Any:
            bound = signature.bind(*args, **given)
            bound.apply_defaults()
            for name, value in deprecated_kwargs.items():
                if name in bound.arguments and _same(bound.arguments[name], value) and (func, name) not in _said:
                    if warn_once:
                        _said.add((func, name))
                    _warn(
                        "From %s: calling %s (from %s) with %s=%s is deprecated and will be removed %s.\n"
                        "Instructions for updating:\n%s",
                        _where(1),
                        func.__qualname__,
                        func.__module__,
                        name,
                        value,
                        _when(date),
                        instructions,
                    )
            return func(*args, **given)

        doc = _noticed(
            func.__doc__, "DEPRECATED FUNCTION ARGUMENTS", "(deprecated argument values)", notice, instructions
        )
        made = make_decorator(func, told, "deprecated", doc)
        made.__doc__ = doc
        return made

    return decorate


@export(_D + "DeprecatedNamesAlreadySetError")
class DeprecatedNamesAlreadySetError(Exception):
    """A function was given deprecated names twice."""


@export(_D + "deprecated_endpoints")
def deprecated_endpoints(*args: str) -> Callable[[Any], Any]:
    """Decorator: a function of whose names these are deprecated.

    Raises:
      DeprecatedNamesAlreadySetError: from the decorator, where there are such names already.
    """

    def decorate(func: Any) -> Any:
        if "_tf_deprecated_api_names" in vars(func):
            raise DeprecatedNamesAlreadySetError(
                f"Cannot set deprecated names for {func.__name__} to {args}. Deprecated names are already set to "
                f"{func._tf_deprecated_api_names}."
            )
        func._tf_deprecated_api_names = args
        return func

    return decorate


@export(_D + "deprecated_alias")
def deprecated_alias(deprecated_name: str, name: str, func_or_class: Any, warn_once: bool = True) -> Any:
    """A function or class that is another one and says, when called, that it has another name now.

    Args:
      deprecated_name: the old name.
      name: the new one.
      func_or_class: what has it.
      warn_once: whether only the first call says so.
    """
    told: list[bool] = []

    def say() -> None:
        if not (warn_once and told):
            told.append(True)
            message = "From %s: The name %s is deprecated. Please use %s instead.\n"
            _warn(message, _where(2), deprecated_name, name)

    if isinstance(func_or_class, type):

        class Alias(func_or_class):
            __doc__ = func_or_class.__doc__
            __name__ = func_or_class.__name__
            __module__ = _where(1)

            def __init__(self, *args: Any, **kwargs: Any) -> None:
                say()
                super().__init__(*args, **kwargs)

        Alias.__name__, Alias.__qualname__ = func_or_class.__name__, func_or_class.__qualname__
        return Alias

    def call(*args: Any, **kwargs: Any) -> Any:
        say()
        return func_or_class(*args, **kwargs)

    return make_decorator(func_or_class, functools.wraps(func_or_class)(call), "deprecated_alias")


@export(_D + "deprecated_argument_lookup")
def deprecated_argument_lookup(new_name: str, new_value: Any, old_name: str, old_value: Any) -> Any:
    """Of two arguments the one that was given.

    Raises:
      ValueError: if both were.
    """
    if old_value is not None and new_value is not None:
        raise ValueError(f"Cannot specify both '{old_name}' and '{new_name}'.")
    return new_value if old_value is None else old_value


@export(_D + "rewrite_argument_docstring")
def rewrite_argument_docstring(old_doc: str, old_argument: str, new_argument: str) -> str:
    """A documentation in which an argument has another name."""
    return old_doc.replace(f"`{old_argument}`", f"`{new_argument}`").replace(f"{old_argument}:", f"{new_argument}:")


@export(_D + "silence")
@contextlib.contextmanager
def silence() -> Iterator[None]:
    """A context in which nothing is said of what is deprecated."""
    before, _state["silent"] = _state["silent"], True
    try:
        yield
    finally:
        _state["silent"] = before


@export(_D + "HiddenTfApiAttribute")
class HiddenTfApiAttribute(property):
    """An attribute that is there for the library alone; users are told so."""

    def __init__(self, deprecation_message: str) -> None:
        def raising(_: Any) -> Any:
            raise AttributeError(deprecation_message)

        super().__init__(raising)


export_value(HiddenTfApiAttribute("This attribute has been deprecated."), _D + "HIDDEN_ATTRIBUTE")
