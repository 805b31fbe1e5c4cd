"""`tensorflow.python.util`: signatures, deprecations, identities. TensorFlow Probability and GPflow import them."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

from tfgrad_jax.engine.function.function import Function
from tfgrad_jax.engine.names.export import export, export_value
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.values import nest
from tfgrad_jax.engine.values.composite import components, is_composite, rebuild, spec_of
from tfgrad_jax.engine.values.tensor import Reference
from tfgrad_jax.lib.private.decorators import unwrap

_INSPECT = "python.util.tf_inspect."

for _name in (
    "currentframe",
    "getframeinfo",
    "getmembers",
    "getmodule",
    "stack",
    "Parameter",
    "Signature",
    "FullArgSpec",
    "getmro",
):
    export_value(getattr(inspect, _name), _INSPECT + _name)
export_value(inspect, _INSPECT + "_inspect")


def _of_target(ask: Callable[..., Any]) -> Callable[..., Any]:
    """A question about what decorators stand around."""

    @functools.wraps(ask)
    def asked(object: Any, *args: Any, **kwargs: Any) -> Any:
        return ask(unwrap(object)[1], *args, **kwargs)

    return asked


for _name in (
    "getdoc", "getfile", "getsource", "getsourcefile", "getsourcelines", "isbuiltin", "isclass",
    "isframe", "isfunction", "isgenerator", "isgeneratorfunction", "ismethod", "ismodule", "isroutine",
):  # fmt: skip
    export_value(_of_target(getattr(inspect, _name)), _INSPECT + _name)


@export(_INSPECT + "signature")
def signature(obj: Any, *, follow_wrapped: bool = True) -> inspect.Signature:
    """The signature of a function, as its decorators tell it."""
    return inspect.signature(obj, follow_wrapped=follow_wrapped)


@export(_INSPECT + "isanytargetmethod")
def isanytargetmethod(object: Any) -> bool:
    """Whether a function, or one that decorators stand around, is a method of an object."""
    decorators, target = unwrap(object)
    return any(inspect.ismethod(one) for one in (*(d.decorated_target for d in decorators), object, target))


class ArgSpec(NamedTuple):
    """The parameters of a function, those that are given by keyword alone among the others."""

    args: list[str]
    varargs: str | None
    keywords: str | None
    defaults: tuple[Any, ...] | None


export_value(ArgSpec, _INSPECT + "ArgSpec")


@export(_INSPECT + "getargspec")
def getargspec(obj: Any) -> ArgSpec:
    """The parameters of a function as earlier Pythons told them. TF-Agents asks for it."""
    found = getfullargspec(obj)
    defaults = (*(found.defaults or ()), *(found.kwonlydefaults or {}).values())
    return ArgSpec([*found.args, *found.kwonlyargs], found.varargs, found.varkw, defaults or None)


@export(_INSPECT + "getcallargs")
def getcallargs(func: Any, /, *positional: Any, **named: Any) -> dict[str, Any]:
    """The values of a function's parameters in a call, those by keywords that it has no names for among them."""
    found = getfullargspec(func)
    if inspect.ismethod(func):
        positional = (func.__self__, *positional)
    given = dict(named)
    given.update(zip([name for name in found.args if name not in named], positional))
    defaults = dict(zip(found.args[::-1], (found.defaults or ())[::-1]))
    return {**defaults, **(found.kwonlydefaults or {}), **given}


@export(_INSPECT + "getfullargspec")
def getfullargspec(obj: Any) -> Any:
    """The parameters of a function, without annotations, which TensorFlow's have none of: libraries compare the two."""
    told = next((d.decorator_argspec for d in unwrap(obj)[0] if d.decorator_argspec is not None), None)
    if told is not None:
        return (
            told
            if isinstance(told, inspect.FullArgSpec)
            else inspect.FullArgSpec(told.args, told.varargs, told.keywords, told.defaults, [], None, {})
        )
    obj = unwrap(obj)[1]
    found = inspect.getfullargspec(obj.python_function if isinstance(obj, Function) else obj)
    if not found.args and found.varargs and hasattr(obj, "__wrapped__"):  # what stands around says nothing of them
        found = inspect.getfullargspec(inspect.unwrap(obj))
    return found._replace(annotations={})


export_value(Function, "__internal__.function.Function")


export_value(Reference, "python.util.object_identity.Reference", "python.util.object_identity._ObjectIdentityWrapper")


@export(
    "python.framework.composite_tensor.convert_variables_to_tensors",
    "python.util.variable_utils.convert_variables_to_tensors",
)
def convert_variables_to_tensors(values: Any) -> Any:
    """A nest with the values of variables in their place, also within composites. TensorFlow Probability calls it."""

    def converted(value: Any) -> Any:
        if isinstance(value, Variable):
            return value.read_value()
        if is_composite(value):
            convert = getattr(value, "_convert_variables_to_tensors", None)
            return convert() if convert is not None else rebuild(spec_of(value), components(value))
        return value

    return nest.map_structure(converted, values)


@export("__internal__.dispatch.add_dispatch_support")
def add_dispatch_support(target: Any = None, iterable_parameters: Any = None) -> Any:
    """The function itself: what others register for is asked for public names here."""
    return (lambda decorated: decorated) if target is None else target
