"""Dispatch: public functions that do something else for users' types (`tf.experimental.dispatch_for_api` and its kin)."""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Callable, Sequence
from typing import Any

from tfgrad_jax.composite.elementwise import ASSERTIONS, BINARY, UNARY
from tfgrad_jax.composite.targets import PublicFunction, Target, known_functions, public_function
from tfgrad_jax.engine.names.export import export, registry

# -- signatures -------------------------------------------------------------------------------------------------------


def _check_annotation(annotation: Any) -> None:
    origin = typing.get_origin(annotation)
    if origin in (list, typing.Union):
        for part in typing.get_args(annotation):
            _check_annotation(part)
    elif not isinstance(annotation, type) or origin is not None or annotation is typing.Any:
        shown = annotation if isinstance(annotation, str) else repr(annotation)
        raise ValueError(
            f"Type annotation {shown} is not currently supported by dispatch. Supported annotations: type objects, List[...], "
            f"and Union[...]"
        )


def _checked_signature(signature: Any, api: PublicFunction) -> dict[str, Any]:
    if not isinstance(signature, dict):
        raise TypeError("signatures must be dictionaries mapping parameter names to type annotations.")
    parameters = list(api.signature.parameters)
    found = {}
    for key, annotation in signature.items():
        name = parameters[key] if isinstance(key, int) and -len(parameters) <= key < len(parameters) else key
        if name not in parameters:
            raise ValueError(f"signature includes annotation for unknown parameter {name!r}.")
        _check_annotation(annotation)
        found[name] = annotation
    return found


def _annotations(function: Any) -> dict[str, Any]:
    """The annotations of a function's parameters."""
    try:
        hints = typing.get_type_hints(function)
    except (NameError, TypeError):
        hints = getattr(function, "__annotations__", {})
    return {name: annotation for name, annotation in hints.items() if name != "return"}


def _takes_name(target: Any, api: PublicFunction) -> bool:
    """Whether a target takes the parameter `name`.

    Raises:
      ValueError: if its other parameters are not the public function's.
    """
    signature = inspect.signature(target)
    kinds = {p.kind for p in signature.parameters.values()}
    if kinds == {inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD}:
        return True
    mine, theirs = list(signature.parameters), list(api.signature.parameters)
    takes_name = "name" in mine
    if [p for p in mine if p != "name"] != [p for p in theirs if p != "name"]:
        raise ValueError(
            f"Dispatch function's signature {_plain(signature)} does not match API's signature {_plain(api.signature)}; its "
            f"parameters must have the same names, and may leave out `name`"
        )
    return takes_name


def _plain(signature: inspect.Signature) -> str:
    """Parameters without annotations."""
    empty = inspect.Parameter.empty
    parameters = [p.replace(annotation=empty) for p in signature.parameters.values()]
    return str(signature.replace(parameters=parameters, return_annotation=empty))


# -- registering ------------------------------------------------------------------------------------------------------


@export("experimental.dispatch_for_api")
def dispatch_for_api(api: Any, *signatures: Any) -> Callable[[Any], Any]:
    """Decorator: call the decorated function instead of a public one where the arguments have certain types.

    Mirrors `tf.experimental.dispatch_for_api`.

    Args:
      api: a public function, such as `tf.concat`.
      *signatures: dicts with an annotation (a class, or `List[...]` or `Union[...]` of such) for some parameters, by name or
        position. The arguments must fit one of them, and one annotated argument must be no tensor. Without any, the annotations
        of the decorated function are taken.

    Raises:
      ValueError: if `api` is no public function, an annotation is of another kind, there is none, or parameters do not fit.
      TypeError: if a signature is no dict, or what is decorated is not callable.
    """
    asked = public_function(api)
    checked = [_checked_signature(s, asked) for s in signatures]

    def register(target: Any) -> Any:
        if not callable(target):
            raise TypeError(f"Expected dispatch_target to be callable; got {target!r}")
        takes_name = _takes_name(target, asked)
        found = checked or [_checked_signature(_annotations(target), asked)]
        if not checked and not found[0]:
            raise ValueError(
                "The dispatch_for_api decorator must be called with at least one signature, or applied to a function that has "
                "type annotations on its parameters."
            )
        asked.add(Target(target, target, tuple(found), takes_name))
        return target

    return register


@export("experimental.unregister_dispatch_for")
def unregister_dispatch_for(dispatch_target: Any) -> None:
    """Forget a function that was registered with one of the `dispatch_for_*` decorators.

    Mirrors `tf.experimental.unregister_dispatch_for`.

    Raises:
      ValueError: if it was not.
    """
    found = [api.remove(dispatch_target) for api in known_functions()]
    for key in [key for key, handler in _handlers.items() if handler is dispatch_target]:
        del _handlers[key]
        found.append(True)
    if not any(found):
        raise ValueError(f"Function {dispatch_target} was not registered using a `@dispatch_for_*` decorator.")


_handlers: dict[Any, Any] = {}
"""The handlers of elementwise functions for some types, by the kind of functions and the types."""


def _register_handler(kind: str, names: Sequence[str], annotations: tuple[Any, ...]) -> Callable[[Any], Any]:
    for annotation in annotations:
        _check_annotation(annotation)

    def register(handler: Any) -> Any:
        known = _handlers.get((kind, annotations))
        if known is not None:
            shown = ", ".join(map(str, annotations))
            raise ValueError(f"A {kind} dispatch handler ({known}) has already been registered for {shown}.")
        _handlers[kind, annotations] = handler
        functions = {id(registry[name]): registry[name] for name in names if name in registry}
        for function in functions.values():
            api = public_function(function)
            signature = dict(zip(api.signature.parameters, annotations, strict=False))
            call = functools.partial(_elementwise, handler, function, len(annotations))
            api.add(Target(call, handler, (signature,), True))
        return handler

    return register


def _elementwise(handler: Any, function: Any, count: int, *args: Any, **kwargs: Any) -> Any:
    """Call a handler with a function of the operands alone, and the operands."""
    operands, rest = args[:count], args[count:]
    plain = function if not rest and not kwargs else lambda *values: function(*values, *rest, **kwargs)
    return handler(plain, *operands)


@export("experimental.dispatch_for_unary_elementwise_apis")
def dispatch_for_unary_elementwise_apis(x_type: Any) -> Callable[[Any], Any]:
    """Decorator: handle every elementwise function of one operand (`tf.abs`, `tf.nn.relu`, `tf.cast`, ...) for a type.

    Mirrors `tf.experimental.dispatch_for_unary_elementwise_apis`. The decorated function is called with a function of the operand
    alone (further arguments are bound) and the operand.

    Args:
      x_type: an annotation as for `dispatch_for_api`.

    Raises:
      ValueError: if the annotation is of another kind, or its handler is registered already.
    """
    return _register_handler("unary elementwise", UNARY, (x_type,))


@export("experimental.dispatch_for_binary_elementwise_apis")
def dispatch_for_binary_elementwise_apis(x_type: Any, y_type: Any) -> Callable[[Any], Any]:
    """Decorator: handle every elementwise function of two operands (`tf.add`, `tf.maximum`, ...) for two types.

    Mirrors `tf.experimental.dispatch_for_binary_elementwise_apis`; as `dispatch_for_unary_elementwise_apis`, with two operands.
    """
    return _register_handler("binary elementwise", BINARY, (x_type, y_type))


@export("experimental.dispatch_for_binary_elementwise_assert_apis")
def dispatch_for_binary_elementwise_assert_apis(x_type: Any, y_type: Any) -> Callable[[Any], Any]:
    """Decorator: handle every assertion about two operands (`tf.debugging.assert_equal`, ...) for two types.

    Mirrors `tf.experimental.dispatch_for_binary_elementwise_assert_apis`; as `dispatch_for_binary_elementwise_apis`.
    """
    return _register_handler("binary elementwise assert", ASSERTIONS, (x_type, y_type))
