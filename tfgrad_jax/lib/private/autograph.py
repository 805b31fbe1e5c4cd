"""`tensorflow.python.autograph`: what tests of conversions ask of it besides what the package for them has (`drop_in.py`)."""

from __future__ import annotations

import contextlib
import functools
import inspect
import io
import types
from collections.abc import Callable, Iterator
from typing import Any

from malt.core import ag_ctx, converter

from tfgrad_jax.composite.tensor_array import TensorArray
from tfgrad_jax.engine.function import autograph
from tfgrad_jax.engine.names.export import export, export_value
from tfgrad_jax.engine.values.convert import convert as as_tensor
from tfgrad_jax.engine.values.dtypes import as_dtype, int32
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.testing.case import TestCase
from tfgrad_jax.ops.array.array import stack
from tfgrad_jax.ops.array.creation import identity
from tfgrad_jax.ops.control import autograph_operators as operators
from tfgrad_jax.ops.control.control_flow import control_dependencies
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.math.math import divide
from tfgrad_jax.ops.math.rounding import ceil, maximum

_A = "python.autograph."
_TEST, _API, _UTILS, _OPS = _A + "core.converter_testing.", _A + "impl.api.", _A + "utils.", _A + "operators."

for _name in ("FunctionScope", "with_function_scope"):
    export_value(getattr(autograph, _name), f"{_A}core.function_wrappers.{_name}")

for _module, _names in {
    "control_flow": ("for_stmt", "if_stmt", "while_stmt"),
    "conditional_expressions": ("if_exp",),
    "exceptions": ("assert_stmt",),
    "logical": ("and_", "or_", "not_", "eq"),
    "py_builtins": ("len_", "int_", "float_", "range_", "abs_", "sorted_"),
}.items():
    for _name in _names:
        export_value(getattr(operators, _name), f"{_OPS}{_module}.{_name}")

for _name in ("converted_call", "to_graph", "to_code", "do_not_convert", "tf_convert"):
    export_value(getattr(autograph, _name), _API + _name)
export_value(autograph.Transpiler, _API + "PyToTF")


@export(_API + "convert")
def convert(
    recursive: bool = False, optional_features: Any = None, user_requested: bool = True, conversion_ctx: Any = None
) -> Callable[[Any], Any]:
    """Decorator: a function whose control flow on tensors is converted when it is called.

    Args:
      recursive: whether what it calls is converted, too.
      optional_features: of conversions, as `tf.autograph.experimental.Feature`.
      user_requested: whether it is a mistake if it cannot be converted.
      conversion_ctx: a context in which it is converted.
    """

    def decorate(f: Any) -> Any:
        options = converter.ConversionOptions(
            recursive=recursive, user_requested=user_requested, optional_features=optional_features
        )

        def converted(*args: Any, **kwargs: Any) -> Any:
            with conversion_ctx or ag_ctx.NullCtx():
                return autograph.converted_call(f, args, kwargs, options=options)

        if inspect.isfunction(f) or inspect.ismethod(f):
            functools.update_wrapper(converted, f)
        return autograph.operators.autograph_artifact(converted)

    return decorate


# -- tests of single conversions ----------------------------------------------------------------------------------------


@export(_TEST + "allowlist")
def allowlist(f: Any) -> None:
    """Let a function be called as it is by what is converted."""
    autograph.operators.autograph_artifact(f)


@export(_TEST + "is_inside_generated_code")
def is_inside_generated_code() -> bool:
    """Whether the caller is code that was converted."""
    here = inspect.currentframe()
    code = here.f_back.f_code if here is not None and here.f_back is not None else None
    return code is not None and "ag__" in (*code.co_names, *code.co_freevars)


@export(_TEST + "TestingTranspiler")
class TestingTranspiler(autograph.Transpiler):
    """Applies some conversions and no others.

    Args:
      converters: the module of one, or a list of them.
      ag_overrides: operators that take the places of others, by their names.
    """

    __test__ = False

    def __init__(self, converters: Any, ag_overrides: Any) -> None:
        super().__init__()
        self._converters = converters if isinstance(converters, (list, tuple)) else (converters,)
        self._overrides = ag_overrides
        self.transformed_ast: Any = None
        self.transform_ctx: Any = None

    def get_extra_locals(self) -> dict[str, Any]:
        found: dict[str, Any] = super().get_extra_locals()
        if not self._overrides:
            return found
        changed = types.ModuleType("ag__")
        changed.__dict__.update(found["ag__"].__dict__ | self._overrides)
        return {**found, "ag__": changed}

    def transform_ast(self, node: Any, ctx: Any) -> Any:
        node = self.initial_analysis(node, ctx)
        for one in self._converters:
            node = one.transform(node, ctx)
        self.transformed_ast, self.transform_ctx = node, ctx
        return node


@export(_TEST + "TestCase")
class ConverterTestCase(TestCase):
    """A test case of conversions."""

    __test__ = False

    @contextlib.contextmanager
    def assertPrints(self, expected_result: str) -> Iterator[None]:
        """The block prints this."""
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            yield
        self.assertEqual(printed.getvalue(), expected_result)

    def transform(self, f: Any, converter_module: Any, include_ast: bool = False, ag_overrides: Any = None) -> Any:
        """A function after some conversions; with its syntax tree and the context, if that is asked for."""
        options = converter.ConversionOptions(recursive=True)
        transpiler = TestingTranspiler(converter_module, ag_overrides)
        transformed, _, _ = transpiler.transform_function(f, converter.ProgramContext(options=options))
        return (transformed, transpiler.transformed_ast, transpiler.transform_ctx) if include_ast else transformed


@export(_UTILS + "testing.AutoGraphTestCase")
class AutoGraphTestCase(TestCase):
    """A test case whose tests run as they are."""

    __test__ = False


# -- small functions ----------------------------------------------------------------------------------------------------


@export(_UTILS + "context_managers.control_dependency_on_returns")
def control_dependency_on_returns(return_value: Any) -> Any:
    """A context whose operations run after those that made a value, or a list of them; None for none."""
    if return_value is None:
        return contextlib.nullcontext()
    values = return_value if isinstance(return_value, (list, tuple)) else [return_value]
    return control_dependencies(values)


@export(_UTILS + "misc.alias_tensors")
def alias_tensors(*args: Any) -> Any:
    """Tensors as results of operations of their own; one alone without a list, what is no tensor as it is."""
    made = tuple(identity(arg) if isinstance(arg, Tensor) else arg for arg in args)
    if not made:
        raise ValueError("at least one argument required")
    return made[0] if len(made) == 1 else made


@export(_UTILS + "misc.get_range_len")
def get_range_len(start: Any, limit: Any, delta: Any) -> Tensor:
    """How many numbers a range has."""
    count = cast(ceil(divide(cast(limit, "float64") - cast(start, "float64"), cast(delta, "float64"))), int32)
    return maximum(count, 0)


@export(_UTILS + "tensors.is_dense_tensor")
def is_dense_tensor(t: Any) -> bool:
    """Whether something is a tensor of rows of one length."""
    return isinstance(t, Tensor)


@export(_UTILS + "tensors.is_tensor_array")
def is_tensor_array(t: Any) -> bool:
    """Whether something is a `tf.TensorArray`."""
    return isinstance(t, TensorArray)


@export(_UTILS + "tensors.is_range_tensor")
def is_range_tensor(t: Any) -> bool:
    """Whether a tensor of a graph is a range."""
    return isinstance(t, Tensor) and hasattr(t, "op") and t.op.type == "Range"


@export(_UTILS + "tensor_list.dynamic_list_append")
def dynamic_list_append(target: Any, element: Any) -> Any:
    """A list, array of tensors, or list of tensors with one more element."""
    if isinstance(target, TensorArray):
        return target.write(target.size(), element)
    if isinstance(target, TensorList):
        target.append(element)
        return target
    return [*target, element]


@export(_UTILS + "tensor_list.TensorList")
class TensorList:
    """A list of tensors of one shape and dtype, which grows.

    Args:
      shape: of each.
      dtype: of each.
    """

    def __init__(self, shape: Any, dtype: Any) -> None:
        self.dtype, self.shape = as_dtype(dtype), shape
        self.clear()

    def append(self, value: Any) -> None:
        """Add an element."""
        self.list_.append(as_tensor(value, self.dtype))

    def pop(self) -> Tensor:
        """Take the last element away."""
        return self.list_.pop()

    def clear(self) -> None:
        """Take all elements away."""
        self.list_: list[Tensor] = []

    def count(self) -> Tensor:
        """How many elements there are."""
        return as_tensor(len(self.list_))

    def stack(self) -> Tensor:
        """The elements as one tensor."""
        return stack(self.list_)

    def __getitem__(self, key: int) -> Tensor:
        return self.list_[key]

    def __setitem__(self, key: int, value: Any) -> None:
        self.list_[key] = as_tensor(value, self.dtype)
