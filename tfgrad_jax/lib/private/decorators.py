"""`tensorflow.python.util`: decorators that say what they stand around, and questions about functions."""

from __future__ import annotations

import contextlib
import functools
import importlib
import inspect
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ForwardRef, Union, get_origin

from tfgrad_jax.engine.messages.logging import warn
from tfgrad_jax.engine.names.export import export, export_value
from tfgrad_jax.engine.names.wrapping import wraps

_P = "python.util."
_ATTRIBUTE = "_tf_decorator"


@export(_P + "tf_decorator.TFDecorator")
class TFDecorator:
    """What a decorator says of the function that it has put around another one; called, it calls that other one.

    Args:
      decorator_name: the name of the decorator.
      target: what was decorated.
      decorator_doc: what the decorator says of itself.
      decorator_argspec: the parameters, where they are not those of the target.
    """

    def __init__(
        self, decorator_name: str, target: Any, decorator_doc: str = "", decorator_argspec: Any = None
    ) -> None:
        self._target, self._name, self._doc, self._argspec = target, decorator_name, decorator_doc, decorator_argspec
        if hasattr(target, "__name__"):
            self.__name__ = target.__name__
        if hasattr(target, "__qualname__"):
            self.__qualname__ = target.__qualname__
        if doc := getattr(target, "__doc__", None):
            self.__doc__ = doc
        if decorator_argspec is not None:
            self.__signature__ = _signature(decorator_argspec)
        elif callable(target):
            with contextlib.suppress(TypeError, ValueError):
                self.__signature__ = inspect.signature(target)

    def __get__(self, instance: Any, owner: Any) -> Any:
        return self._target.__get__(instance, owner)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._target(*args, **kwargs)

    @property
    def decorated_target(self) -> Any:
        """What was decorated."""
        return self._target

    @decorated_target.setter
    def decorated_target(self, decorated_target: Any) -> None:
        self._target = decorated_target

    @property
    def decorator_name(self) -> str:
        """The name of the decorator."""
        return self._name

    @property
    def decorator_doc(self) -> str:
        """What the decorator says of itself."""
        return self._doc

    @property
    def decorator_argspec(self) -> Any:
        """The parameters, where they are not those of the target."""
        return self._argspec


def _signature(spec: Any) -> inspect.Signature:
    """The signature with these parameters."""
    kinds = inspect.Parameter
    last = dict(zip(reversed(spec.args), reversed(spec.defaults or ()), strict=False))
    found = [kinds(n, kinds.POSITIONAL_OR_KEYWORD, default=last.get(n, kinds.empty)) for n in spec.args]
    if spec.varargs:
        found.append(kinds(spec.varargs, kinds.VAR_POSITIONAL))
    named = getattr(spec, "kwonlydefaults", None) or {}
    found += [
        kinds(n, kinds.KEYWORD_ONLY, default=named.get(n, kinds.empty)) for n in getattr(spec, "kwonlyargs", None) or ()
    ]
    more = spec.varkw if hasattr(spec, "varkw") else spec.keywords
    if more:
        found.append(kinds(more, kinds.VAR_KEYWORD))
    return inspect.Signature(found)


export_value(_signature, _P + "tf_decorator.fullargspec_to_signature")


@export("__internal__.decorator.make_decorator")
def make_decorator(
    target: Any,
    decorator_func: Any,
    decorator_name: str | None = None,
    decorator_doc: str = "",
    decorator_argspec: Any = None,
) -> Any:
    """A function that stands around another one, and says so.

    Args:
      target: what was decorated.
      decorator_func: the function around it.
      decorator_name: the name of the decorator; that of the calling function where there is none.
      decorator_doc: what the decorator says of itself.
      decorator_argspec: the parameters, where they are not those of the target.
    """
    if decorator_name is None:
        frame = inspect.currentframe()
        decorator_name = frame.f_back.f_code.co_name if frame is not None and frame.f_back is not None else ""
    decorator = TFDecorator(decorator_name, target, decorator_doc, decorator_argspec)
    own = dict(getattr(decorator_func, "__dict__", {}))
    if isinstance(target, TFDecorator) or not hasattr(decorator_func, "__dict__"):
        wraps(getattr(target, "decorated_target", target))(decorator_func)
    else:
        wraps(target)(decorator_func)
    for attribute, value in own.items():  # what the function around has of its own stays
        if not attribute.startswith("__"):
            setattr(decorator_func, attribute, value)
    if hasattr(decorator, "__signature__"):
        decorator_func.__signature__ = decorator.__signature__
    owner = _owner(target) if decorator_argspec is None else None
    if owner is not None and "self" in decorator_func.__signature__.parameters:
        # The target was given the parameters of a method that is bound already.
        decorator_func.__signature__ = inspect.Signature(list(decorator_func.__signature__.parameters.values())[1:])
        decorator_func.__self__ = owner
    if decorator.__doc__ and hasattr(target, "__doc__"):
        decorator_func.__doc__ = decorator.__doc__
    decorator_func.__wrapped__ = target
    decorator_func.__original_wrapped__ = target
    setattr(decorator_func, _ATTRIBUTE, decorator)
    return decorator_func


def _owner(target: Any) -> Any:
    """The object that a decorated method is bound to, if any."""
    methods = [said.decorated_target for said in unwrap(target)[0] if inspect.ismethod(said.decorated_target)]
    return methods[0].__self__ if methods else None


def _said(value: Any) -> TFDecorator | None:
    """What a decorator says of itself, if it is one."""
    if isinstance(value, TFDecorator):
        return value
    found = getattr(value, "__dict__", {}).get(_ATTRIBUTE)
    if found is None and inspect.ismethod(value):
        found = value.__func__.__dict__.get(_ATTRIBUTE)
    return found


export_value(lambda obj: _said(obj) is not None, _P + "tf_decorator._has_tf_decorator_attr")


@export("__internal__.decorator.unwrap")
def unwrap(maybe_tf_decorator: Any) -> tuple[list[TFDecorator], Any]:
    """What decorators say of themselves, the outermost first, and what they have decorated."""
    found: list[TFDecorator] = []
    current = maybe_tf_decorator
    while (said := _said(current)) is not None:
        found.append(said)
        current = said.decorated_target
    return found, current


@export(_P + "tf_decorator.rewrap")
def rewrap(decorator_func: Any, previous_target: Any, new_target: Any) -> Any:
    """Put a new function in the place of one that decorators stand around.

    Args:
      decorator_func: the outermost decorated function.
      previous_target: the function to replace.
      new_target: the one in its place; what is returned where nothing was decorated.
    """
    current, innermost = decorator_func, None
    while (said := _said(current)) is not None and current is not previous_target:
        innermost, current = (current, said), said.decorated_target
    if innermost is None:
        return new_target
    around, said = innermost
    said.decorated_target = new_target
    with contextlib.suppress(AttributeError):
        around.__wrapped__ = new_target
    return decorator_func


@export(_P + "tf_contextlib.contextmanager")
def contextmanager(target: Callable[..., Iterator[Any]]) -> Callable[..., contextlib.AbstractContextManager[Any]]:
    """As `contextlib.contextmanager`, by a decorator that says so."""
    made: Callable[..., Any] = make_decorator(target, contextlib.contextmanager(target), "contextmanager")
    return made


@export(_P + "keyword_args.keyword_args_only")
def keyword_args_only(func: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose arguments are given by name.

    Raises:
      ValueError: when it is called with others.
    """

    @functools.wraps(func)
    def named(*args: Any, **kwargs: Any) -> Any:
        if args:
            raise ValueError(
                f"The function {func.__name__} only accepts keyword arguments. Do not pass positional arguments. "
                f"Received the following positional arguments: {args}"
            )
        return func(**kwargs)

    return named


_F = _P + "function_utils."


@export(_F + "fn_args")
def fn_args(fn: Any) -> tuple[str, ...]:
    """The names of a function's parameters that it is given by place, without its object.

    Raises:
      TypeError: if it is no function.
    """
    if isinstance(fn, functools.partial):
        inner = fn_args(fn.func)[len(fn.args) :]
        return tuple(name for name in inner if name not in fn.keywords)
    if not callable(fn):
        raise TypeError("unsupported callable")
    bound = inspect.ismethod(fn)
    if not bound and not inspect.isfunction(fn) and not _said(fn):
        fn, bound = fn.__call__, True
    names = inspect.getfullargspec(unwrap(fn)[1]).args
    return tuple(names[1:] if bound and names else names)


@export(_F + "has_kwargs")
def has_kwargs(fn: Any) -> bool:
    """Whether a function takes arguments by any name.

    Raises:
      TypeError: if it is no function.
    """
    if isinstance(fn, functools.partial):
        return has_kwargs(fn.func)
    if not callable(fn):
        raise TypeError(f"Argument `fn` should be a callable. Received: fn={fn} (of type {type(fn)})")
    target = fn if inspect.isfunction(fn) or inspect.ismethod(fn) else fn.__call__
    return inspect.getfullargspec(unwrap(target)[1]).varkw is not None


def _callable(func: Any) -> None:
    if not callable(func):
        raise ValueError(f"Argument `func` must be a callable. Received func={func} (of type {type(func)})")


@export(_F + "get_func_name")
def get_func_name(func: Any) -> str:
    """What a function is called.

    Raises:
      ValueError: if it is none.
    """
    _callable(func)
    _, func = unwrap(func)
    if inspect.isfunction(func) or inspect.ismethod(func):
        return str(func.__qualname__).replace("<locals>.", "") if "<lambda>" not in func.__qualname__ else "<lambda>"
    return func.__name__ if hasattr(func, "__name__") else str(type(func))


@export(_F + "get_func_code")
def get_func_code(func: Any) -> Any:
    """The code of a function, or None where there is none to see.

    Raises:
      ValueError: if it is none.
    """
    _callable(func)
    _, func = unwrap(func)
    for one in (func, getattr(func, "__call__", None)):  # noqa: B004
        if (code := getattr(one, "__code__", None)) is not None:
            return code
    return None


@export(_P + "lazy_loader.LazyLoader")
class LazyLoader(types.ModuleType):
    """A module that is imported with the first of its names.

    Args:
      local_name: its name in the module that asks for it.
      parent_module_globals: the names of that module, in which the imported one takes this one's place.
      name: the module to import.
      warning: what to say then.
    """

    def __init__(
        self, local_name: str, parent_module_globals: dict[str, Any], name: str, warning: str | None = None
    ) -> None:
        self._tfll_local_name = local_name
        self._tfll_parent_module_globals = parent_module_globals
        self._tfll_warning = warning
        super().__init__(name)

    def _load(self) -> types.ModuleType:
        module = importlib.import_module(self.__name__)
        self._tfll_parent_module_globals[self._tfll_local_name] = module
        if self._tfll_warning:
            warn("%s", self._tfll_warning)
            self._tfll_warning = None
        self.__dict__.update(module.__dict__)
        return module

    def __getattr__(self, name: str) -> Any:
        return getattr(self._load(), name)

    def __setattr__(self, name: str, value: Any) -> None:
        if not name.startswith("_tfll_"):
            setattr(self._load(), name, value)
        super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return dir(self._load())

    def __repr__(self) -> str:
        return f"<LazyLoader {self.__name__} as {self._tfll_local_name}>"

    def __reduce__(self) -> Any:
        return importlib.import_module, (self.__name__,)


_T = _P + "type_annotations."


@export(_T + "is_generic_union")
def is_generic_union(tp: Any) -> bool:
    """Whether a type is `Union` of some."""
    return get_origin(tp) is Union


@export(_T + "is_generic_tuple")
def is_generic_tuple(tp: Any) -> bool:
    """Whether a type is a tuple of some."""
    return tp is not tuple and get_origin(tp) in {tuple}


@export(_T + "is_generic_list")
def is_generic_list(tp: Any) -> bool:
    """Whether a type is a list of one."""
    return tp is not list and get_origin(tp) in {list}


@export(_T + "is_generic_mapping")
def is_generic_mapping(tp: Any) -> bool:
    """Whether a type is a mapping of some."""
    return tp is not Mapping and get_origin(tp) in {Mapping}


@export(_T + "is_forward_ref")
def is_forward_ref(tp: Any) -> bool:
    """Whether a type is the name of one."""
    return isinstance(tp, ForwardRef)


_D = _P + "decorator_utils."


@export(_D + "get_qualified_name")
def get_qualified_name(function: Any) -> str:
    """The name of a function, with its class."""
    return str(getattr(function, "__qualname__", function.__name__))


@export(_D + "validate_callable")
def validate_callable(func: Any, decorator_name: str) -> None:
    """Check that what is decorated is a function.

    Raises:
      ValueError: if it is none.
    """
    if not hasattr(func, "__call__"):  # noqa: B004
        raise ValueError(f"{func} is not a function. If this is a property, apply @{decorator_name} after @property.")


@export(_D + "classproperty")
class classproperty:
    """A property of a class."""

    def __init__(self, func: Callable[[Any], Any]) -> None:
        self._func = func

    def __get__(self, owner_self: Any, owner_cls: Any) -> Any:
        return self._func(owner_cls)


@export(_D + "cached_classproperty")
class cached_classproperty:
    """A property of a class, computed once for each.

    Raises:
      AttributeError: when it is set or deleted.
    """

    def __init__(self, func: Callable[[Any], Any]) -> None:
        self._func = func
        self._found: dict[Any, Any] = {}

    def __get__(self, obj: Any, objtype: Any) -> Any:
        if objtype not in self._found:
            self._found[objtype] = self._func(objtype)
        return self._found[objtype]

    def __set__(self, obj: Any, value: Any) -> None:
        raise AttributeError(f"property {self._func.__name__} is read-only")

    def __delete__(self, obj: Any) -> None:
        raise AttributeError(f"property {self._func.__name__} is read-only")
