"""Public functions whose code is exchanged while somebody else may answer for them.

Programs hold function objects (`from tensorflow import add`), so it is the object that must ask. An object asks only while there
is something to ask: then its code is exchanged for one that does, and every other function stays as it is. Targets of users
(`dispatch.py`) are asked first; composites (`answers.py`) where the function finds that it cannot go on, which costs nothing where
it can. Declared operations notice that by themselves, and their code stays.
"""

from __future__ import annotations

import functools
import inspect
import types
import typing
from collections.abc import Callable
from typing import Any, NamedTuple

from tfgrad_jax.engine.names.export import registry
from tfgrad_jax.engine.values.tensor import EagerTensor, Tensor

_NO, _FITS, _CALLS = range(3)  # a value does not fit an annotation; fits, as any tensor would; fits and is none


class Target(NamedTuple):
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


class PublicFunction:
    """A public function, and what is to be called instead of it.

    Attributes:
      targets: in the order of registration.
      answers: what is called where the function fails: takes its arguments and the error.
      around: what is called first of all: takes the function as it would be otherwise, and its arguments.
      dispatchers: asked before anything else: take the arguments, and give `NotImplemented` where they do not know them.
    """

    def __init__(self, function: types.FunctionType) -> None:
        self._function = function
        self.signature = inspect.signature(function)
        self._declared_signature = vars(function).get("__signature__")
        self._original = types.FunctionType(
            function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
        )
        self._original.__kwdefaults__ = function.__kwdefaults__
        self.targets: list[Target] = []
        self.answers: Callable[..., Any] | None = None
        self.around: Callable[..., Any] | None = None
        self.dispatchers: list[Callable[..., Any]] = []
        self._specific = 0  # how many of these, from the first on, are for this function alone

    def ask_first(self, dispatcher: Callable[..., Any], general: bool) -> None:
        self.dispatchers.insert(len(self.dispatchers) if general else self._specific, dispatcher)
        self._specific += not general
        self._exchange()

    def surround(self, around: Callable[..., Any]) -> None:
        self.around = around
        self._exchange()

    def add(self, target: Target) -> None:
        self.targets.append(target)
        self._exchange()

    def fall_back(self, answers: Callable[..., Any]) -> None:
        self.answers = answers
        self._exchange()

    def _exchange(self) -> None:
        """Have the function object run the code that fits what is registered."""
        function: Any = self._function
        asked = (
            self
            if self.targets or self.around or self.dispatchers
            else self.original
            if self.answers is not None
            else None
        )
        if asked is not None:
            function.__signature__ = self.signature
            function.__defaults__, function.__kwdefaults__ = None, {"asked": asked}
            function.__code__ = _asking(self._original.__code__.co_freevars)
            return
        original = self._original
        function.__code__ = original.__code__
        function.__defaults__, function.__kwdefaults__ = original.__defaults__, original.__kwdefaults__
        vars(function).pop("__signature__", None)
        if self._declared_signature is not None:
            function.__signature__ = self._declared_signature

    def original(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The function as it is declared, and what it falls back to where it fails."""
        if self.answers is None:
            return self._original(*args, **kwargs)
        try:
            return self._original(*args, **kwargs)
        except (TypeError, ValueError, AttributeError) as error:
            return self.answers(args, kwargs, error)

    def remove(self, shown: Any) -> bool:
        """Forget what was registered with a function; whether there was something."""
        known = len(self.targets)
        self.targets = [t for t in self.targets if t.shown is not shown]
        if known and not self.targets:
            self._exchange()
        return len(self.targets) < known

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        for dispatcher in self.dispatchers:
            result = dispatcher(args, kwargs)
            if result is not NotImplemented:
                return result
        return self._dispatched(args, kwargs) if self.around is None else self.around(self._dispatched, args, kwargs)

    def _dispatched(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if not self.targets:
            return self.original(args, kwargs)
        for value in (*args, *kwargs.values()):
            if type(value) is not EagerTensor:
                break
        else:
            return self._original(*args, **kwargs)
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError:
            return self._original(*args, **kwargs)  # which raises
        found = [t for t in self.targets if any(fits(s, bound.arguments) for s in t.signatures)]
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
        return self.original(args, kwargs)


@functools.cache
def _asking(free: tuple[str, ...]) -> types.CodeType:
    """Code that asks, for a function that has these free variables: a closure's code must have as many, used or not."""
    found: dict[str, Any] = {}
    names = ", ".join(free)
    source = (
        f"def make({names}):\n"
        f"    def asking(*args, asked, **kwargs):\n"
        f"        return asked(args, kwargs)\n"
        f"        {names or 'pass'}\n"
        f"    return asking\n"
    )
    exec(compile(source, __file__, "exec"), found)  # tracebacks of users' functions leave out lines of this package
    code: types.CodeType = found["make"](*free).__code__
    return code


_apis: dict[int, tuple[Any, PublicFunction]] = {}


def public_function(function: Any) -> PublicFunction:
    """Where targets and answers of a function are registered.

    Raises:
      ValueError: if it is no public one.
    """
    known = _apis.get(id(function))
    if known is None:
        if not isinstance(function, types.FunctionType) or not any(function is value for value in registry.values()):
            raise ValueError(f"{function!r} does not support dispatch: it is no public function of TensorFlow")
        known = _apis[id(function)] = function, PublicFunction(function)
    return known[1]


def known_functions() -> list[PublicFunction]:
    """Those that something was registered for."""
    return [known for _, known in _apis.values()]


def _exchangeable(function: Any) -> PublicFunction:
    return _apis.setdefault(id(function), (function, PublicFunction(function)))[1]


def fall_back(function: Any, answers: Callable[..., Any]) -> None:
    """Have a public function call something else where it fails; see `PublicFunction`."""
    _exchangeable(function).fall_back(answers)


def ask_first(function: Any, dispatcher: Callable[..., Any], general: bool = False) -> None:
    """Have a function, which may be a method of a public class, ask a dispatcher before anything else; see `PublicFunction`.

    Args:
      function: the function.
      dispatcher: what it asks.
      general: whether that answers for many functions; it is asked after those for this one alone.
    """
    _exchangeable(function).ask_first(dispatcher, general)


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


def fits(signature: dict[str, Any], arguments: dict[str, Any]) -> bool:
    """Whether all annotated arguments fit, and one of them is no mere tensor."""
    found = [_match(annotation, arguments.get(name)) for name, annotation in signature.items()]
    return bool(found) and min(found) > _NO and max(found) is _CALLS
