"""Dispatch: public functions that do something else for users' types (`tf.experimental.dispatch_for_api` and its kin).

Programs hold function objects (`from tensorflow import add`), so it is the object that must ask. An object asks only while
somebody has registered a target for it: then its code is exchanged for one that does, and every other function stays as it is.
"""

from __future__ import annotations

import functools
import inspect
import types
import typing
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from tfgrad_jax.composite.elementwise import ASSERTIONS, BINARY, UNARY
from tfgrad_jax.engine.names.export import export, registry
from tfgrad_jax.engine.values.tensor import EagerTensor, Tensor

_NO, _FITS, _CALLS = range(3)  # a value does not fit an annotation; fits, as any tensor would; fits and is none


class _Target(NamedTuple):
    """Something to be called instead of a public function.

    Attributes:
      call: what is called.
      shown: the function that the user registered.
      signatures: annotations by parameter; one of these must fit.
      takes_name: whether `call` has the parameter `name` that public functions have.
    """

    call: Callable[..., Any]
    shown: Callable[..., Any]
    signatures: tuple[dict[str, Any], ...]
    takes_name: bool


class _Api:
    """A public function, and what is to be called instead of it.

    Attributes:
      targets: in the order of registration.
    """

    def __init__(self, function: types.FunctionType) -> None:
        self._function = function
        self.signature = inspect.signature(function)
        self._declared_signature = vars(function).get("__signature__")
        self._original = types.FunctionType(
            function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
        )
        self._original.__kwdefaults__ = function.__kwdefaults__
        self.targets: list[_Target] = []

    def add(self, target: _Target) -> None:
        if not self.targets:
            function: Any = self._function
            function.__signature__ = self.signature
            function.__defaults__, function.__kwdefaults__ = None, {"asked": self}
            # A closure's code must name as many free variables as the function has, used or not.
            function.__code__ = _asking.__code__.replace(co_freevars=function.__code__.co_freevars)
        self.targets.append(target)

    def remove(self, shown: Any) -> bool:
        """Forget what was registered with a function; whether there was something."""
        known = len(self.targets)
        self.targets = [t for t in self.targets if t.shown is not shown]
        if known and not self.targets:
            function: Any = self._function
            original = self._original
            function.__code__ = original.__code__
            function.__defaults__, function.__kwdefaults__ = original.__defaults__, original.__kwdefaults__
            del function.__signature__
            if self._declared_signature is not None:
                function.__signature__ = self._declared_signature
        return len(self.targets) < known

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        for value in (*args, *kwargs.values()):
            if type(value) is not EagerTensor:
                break
        else:
            return self._original(*args, **kwargs)
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError:
            return self._original(*args, **kwargs)  # which raises
        found = [t for t in self.targets if any(_fits(s, bound.arguments) for s in t.signatures)]
        if len(found) > 1:
            shown = " and ".join(repr(t.shown) for t in found)
            raise ValueError(
                f"Multiple dispatch targets that were registered with tf.dispatch_for ({shown}) match the arguments to "
                f"{self._function.__name__}; make their signatures exclude each other"
            )
        if found:
            if not found[0].takes_name:
                bound.arguments.pop("name", None)
            result = found[0].call(*bound.args, **bound.kwargs)
            if result is not NotImplemented:
                return result
        return self._original(*args, **kwargs)


def _asking(*args: Any, asked: _Api, **kwargs: Any) -> Any:
    return asked(args, kwargs)


_apis: dict[int, tuple[Any, _Api]] = {}


def _api(function: Any) -> _Api:
    known = _apis.get(id(function))
    if known is None:
        if not isinstance(function, types.FunctionType) or not any(function is value for value in registry.values()):
            raise ValueError(f"{function!r} does not support dispatch: it is no public function of TensorFlow")
        known = _apis[id(function)] = function, _Api(function)
    return known[1]


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


def _match(annotation: Any, value: Any) -> int:
    origin = typing.get_origin(annotation)
    if origin is typing.Union:
        return max(_match(part, value) for part in typing.get_args(annotation))
    if origin is list:
        if not isinstance(value, (list, tuple)) or not value:
            return _NO
        found = [_match(typing.get_args(annotation)[0], item) for item in value]
        return max(found) if min(found) else _NO
    if not isinstance(value, annotation):
        return _NO
    return _FITS if isinstance(value, Tensor) else _CALLS


def _fits(signature: dict[str, Any], arguments: dict[str, Any]) -> bool:
    """Whether all annotated arguments fit, and one of them is no mere tensor."""
    found = [_match(annotation, arguments.get(name)) for name, annotation in signature.items()]
    return bool(found) and min(found) > _NO and max(found) is _CALLS


def _checked_signature(signature: Any, api: _Api) -> dict[str, Any]:
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


def _takes_name(target: Any, api: _Api) -> bool:
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
            f"Dispatch function's signature {signature} does not match API's signature {api.signature}; its parameters must have "
            f"the same names, and may leave out `name`"
        )
    return takes_name


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
    asked = _api(api)
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
        asked.add(_Target(target, target, tuple(found), takes_name))
        return target

    return register


@export("experimental.unregister_dispatch_for")
def unregister_dispatch_for(dispatch_target: Any) -> None:
    """Forget a function that was registered with one of the `dispatch_for_*` decorators.

    Mirrors `tf.experimental.unregister_dispatch_for`.

    Raises:
      ValueError: if it was not.
    """
    found = [api.remove(dispatch_target) for _, api in _apis.values()]
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
            api = _api(function)
            signature = dict(zip(api.signature.parameters, annotations, strict=False))
            call = functools.partial(_elementwise, handler, function, len(annotations))
            api.add(_Target(call, handler, (signature,), True))
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
