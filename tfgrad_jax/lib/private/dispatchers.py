"""Dispatchers: objects that may answer instead of public functions. By them Keras 2 makes layers of functions."""

from __future__ import annotations

import functools
import sys
import types
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from tfgrad_jax.composite.targets import ask_first
from tfgrad_jax.engine.names.export import export, export_value
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.values.dtypes import DType
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.tensor import EagerTensor, Tensor

_ROOMS = (
    "audio", "bitwise", "debugging", "dtypes", "image", "io", "linalg", "linalg.experimental", "math", "math.special", "nn",
    "nn.experimental", "quantization", "ragged", "random", "random.experimental", "sets", "signal", "strings",
    "__operators__",
)  # fmt: skip
"""Rooms whose functions take tensors; those at the root do, too."""

_TENSORLESS = frozenset({
    "Assert", "Graph", "Module", "as_dtype", "autodiff", "constant", "control_dependencies", "create_rng_state",
    "custom_gradient", "device", "disable_check_numerics", "disable_traceback_filtering", "enable_check_numerics",
    "enable_traceback_filtering", "executing_eagerly", "function", "get_current_name_scope", "get_global_generator",
    "get_log_device_placement", "get_logger", "get_static_value", "grad_pass_through", "gradients", "group", "hessians",
    "init_scope", "initializers", "inside_function", "is_numeric_tensor", "is_symbolic_tensor", "is_tensor",
    "is_traceback_filtering_enabled", "keras", "layers", "losses", "make_ndarray", "make_tensor_proto", "map_fn", "metrics",
    "no_gradient", "optimizers", "recompute_grad", "register_tensor_conversion_function", "rnn_cell", "set_global_generator",
    "set_log_device_placement", "set_seed", "switch_case", "type_spec_from_value", "variable_creator_scope",
    "vectorized_map", "while_loop",
})  # fmt: skip
"""What stands in these rooms and asks nobody; Keras' rooms are not to be loaded while Keras is."""

_PLAIN = frozenset(
    (
        EagerTensor,
        int,
        float,
        bool,
        complex,
        str,
        bytes,
        type(None),
        np.ndarray,
        TensorShape,
        DType,
        slice,
        types.EllipsisType,
    )
)
"""Classes of values that every function takes."""


def _foreign(value: Any) -> bool:
    """Whether a value, or a part of it, is something that functions of tensors do not know."""
    if type(value) in _PLAIN:
        return False
    if isinstance(value, (list, tuple)):
        return any(map(_foreign, value))
    if isinstance(value, dict):
        return any(map(_foreign, value.values()))
    if isinstance(value, slice):
        return _foreign(value.start) or _foreign(value.stop) or _foreign(value.step)
    return not isinstance(value, (Tensor, Variable, np.generic, types.FunctionType))


_everywhere: list[Any] = export_value([], "python.util.dispatch._GLOBAL_DISPATCHERS")
"""Those that answer for all public functions."""


class _Dispatcher:
    NOT_SUPPORTED = NotImplemented
    """What `handle` gives where the arguments are none of its."""


@export("__internal__.dispatch.OpDispatcher")
class OpDispatcher(_Dispatcher):
    """Answers for one public function. Mirrors `tf.__internal__.dispatch.OpDispatcher`."""

    def handle(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What the function is for these arguments, or `NOT_SUPPORTED`."""
        return self.NOT_SUPPORTED

    def register(self, op: Callable[..., Any]) -> None:
        """Have the public function, or class method, ask this one."""
        function = getattr(op, "__func__", op)
        if isinstance(function, types.FunctionType):  # a name of version 1 that is no function calls one, which asks
            ask_first(function, self._answered)

    def _answered(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return self.handle(args, kwargs) if _foreign(args) or _foreign(kwargs) else NotImplemented


@export("__internal__.dispatch.GlobalOpDispatcher")
class GlobalOpDispatcher(_Dispatcher):
    """Answers for any public function that takes tensors. Mirrors `tf.__internal__.dispatch.GlobalOpDispatcher`."""

    def handle(self, op: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What a function is for these arguments, or `NOT_SUPPORTED`."""
        return self.NOT_SUPPORTED

    def register(self) -> None:
        """Have all public functions ask this one."""
        _everywhere.append(self)
        for function in _functions():
            ask_first(function, functools.partial(self._answered, function), general=True)

    def _answered(self, op: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return self.handle(op, args, kwargs) if _foreign(args) or _foreign(kwargs) else NotImplemented


def _functions() -> Iterable[Any]:
    """The public functions that take tensors."""
    root: Any = sys.modules[__name__.partition(".")[0]]
    found: dict[int, Any] = {}
    for name in ("", *_ROOMS, *[f"compat.v1.{room}" for room in ("", *_ROOMS)]):
        room = functools.reduce(lambda module, part: getattr(module, part, None), filter(None, name.split(".")), root)
        for leaf in dir(room):
            if leaf.startswith("_") or leaf in _TENSORLESS:
                continue
            function = getattr(room, leaf)
            if isinstance(function, types.FunctionType):
                found[id(function)] = function
    return found.values()


@export("python.util.dispatch.dispatch_for_types")
def dispatch_for_types(op: Callable[..., Any], *types: type) -> Callable[[Any], Any]:
    """Decorator: call the decorated function where an argument, or an item of a list, has one of these classes.

    Args:
      op: a public function, or one that `add_dispatch_support` decorates.
      *types: the classes.
    """

    def register(target: Any) -> Any:
        def answered(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            found = any(isinstance(part, types) for part in _parts((args, kwargs)))
            return target(*args, **kwargs) if found else NotImplemented

        ask_first(op, answered)
        return target

    return register


def _parts(value: Any) -> Iterable[Any]:
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _parts(item)
    elif isinstance(value, dict):
        yield from _parts([*value.values()])
    else:
        yield value
