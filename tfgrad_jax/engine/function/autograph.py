"""AutoGraph: Python functions rewritten so that their control flow can become part of a graph.

The package `diastatic-malt` rewrites the source; what `if`, `while`, `for` and the rest then mean is ours to say, see
`ops.autograph_operators`. This module decides what is converted, and lets errors point to the user's own lines.
"""

from __future__ import annotations

import ast
import functools
import inspect
import sys
import textwrap
import traceback
import types
from collections.abc import Callable
from typing import Any

from malt import operators as _malt_operators
from malt.core import ag_ctx, converter
from malt.impl import api as malt_api
from malt.impl import conversion
from malt.lang import directives
from malt.operators import function_wrappers, py_builtins
from malt.pyct import error_utils, inspect_utils
from malt.pyct import errors as malt_errors
from malt.utils import ag_logging

from tfgrad_jax.engine.function import function
from tfgrad_jax.engine.messages import errors, logging, where
from tfgrad_jax.engine.names.export import export, export_value, registry
from tfgrad_jax.engine.names.scopes import name_scope

operators: Any = types.ModuleType("ag__")
"""The module that converted code calls `ag__`: the operators, which `ops/control/autograph_operators.py` adds."""

_UNCONVERTED = (
    "tfgrad_jax",
    "jax",
    "jaxlib",
    "numpy",
    "keras",
    "tf_keras",
    "malt",
    "optree",
    "functools",
    "tensorflow",
    "scipy",
    "sklearn",
)

export_value(converter.Feature, "autograph.experimental.Feature")
export_value(directives.set_loop_options, "autograph.experimental.set_loop_options")
export_value(ag_ctx.control_status_ctx, "__internal__.autograph.control_status_ctx")


class AutoGraphError(malt_errors.PyCTError):
    """A function could not be converted."""


class ConversionError(AutoGraphError):
    """The source of a function could not be had, or not be rewritten."""


class StagingError(AutoGraphError):
    """User code raised an exception of a class that cannot be made with a message alone."""


# -- errors -----------------------------------------------------------------------------------------------------------


_OF_A_MESSAGE = (errors.OperatorNotAllowedInGraphError, errors.InaccessibleTensorError)


class _Metadata(error_utils.ErrorMetadataBase):
    """Where an exception comes from, in the user's own lines."""

    def create_exception(self, source_error: Exception) -> Exception:
        kind: Any = type(source_error)
        message = self.get_message()
        if isinstance(source_error, errors.OpError):
            kind = next(k for k in kind.__mro__ if k.__module__ == errors.SHOWN_MODULE)
            new: Exception = kind(source_error.node_def, source_error.op, message)
        elif kind.__init__ is Exception.__init__ or kind in _OF_A_MESSAGE:
            new = kind(message)
        else:
            known = super().create_exception(source_error)
            new = known if known is not None else StagingError(message)
        return new.with_traceback(source_error.__traceback__)


def _attach(error: Any, converted: Any) -> None:
    known = getattr(error, "ag_error_metadata", None)
    message = f"{type(error).__name__}: {error}" if known is None else None
    # Those of this file stay: they tell which frames are of code that was not converted.
    frames = [f for f in traceback.extract_tb(sys.exc_info()[2])[1:] if f.filename == __file__ or not where.hidden(f)]
    error.ag_error_metadata = _Metadata(frames, known, message, converted.ag_source_map, __file__)


def _with_user_lines(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except Exception as error:
        metadata = getattr(error, "ag_error_metadata", None)
        if metadata is None:
            raise
        raise metadata.to_exception(error) from error.__cause__


# -- conversion -------------------------------------------------------------------------------------------------------


class Transpiler(malt_api.PyToPy):
    """The transpiler of the package, with our operators."""

    def get_transformed_name(self, node: Any) -> str:
        return super().get_transformed_name(node).replace("ag__", "tf__", 1)

    def get_extra_locals(self) -> dict[str, Any]:
        return {"ag__": operators}

    def transform_ast(self, node: Any, ctx: Any) -> Any:
        if any(isinstance(part, ast.NamedExpr) for part in ast.walk(node)):
            # Conditions become functions of their own, where the name would stay.
            raise malt_errors.UnsupportedLanguageElementError(
                "assignment expressions (:=) are not supported; assign in a statement of its own"
            )
        return super().transform_ast(_NamedHandlers().visit(node), ctx)


class _NamedHandlers(ast.NodeTransformer):
    """`except E as e:` becomes `except E: e = ag__.caught()`: the package cannot follow the name, which is no node."""

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.ExceptHandler:
        self.generic_visit(node)
        if node.name is not None:
            assign = ast.parse(f"{node.name} = ag__.caught()").body[0]
            node.body.insert(0, ast.copy_location(assign, node))
            node.name = None
        return node


def _caught() -> BaseException | None:
    return sys.exc_info()[1]


_transpiler = Transpiler()


def _convert(function_: Any, options: Any) -> Any:
    if not hasattr(function_, "__code__"):
        raise ValueError(
            "Cannot apply autograph to a function that doesn't expose a __code__ object. If this is a @tf.function, try passing "
            "f.python_function instead."
        )
    converted, module, source_map = _transpiler.transform(function_, converter.ProgramContext(options=options))
    converted.ag_module = module
    converted.ag_source_map = source_map
    where.origins[module.__file__] = {k.lineno: (v.loc.filename, v.loc.lineno) for k, v in source_map.items()}
    return converted


def _leave_alone(f: Any) -> bool:
    """Whether something callable belongs to a library, whose code is not the user's to convert."""
    owner = f if inspect.isfunction(f) or inspect.ismethod(f) or inspect.isbuiltin(f) or inspect.isclass(f) else type(f)
    names = {getattr(owner, "__module__", None) or ""}
    if inspect.isfunction(f) or inspect.ismethod(f):
        names.add(f.__globals__.get("__name__", "") if inspect.isfunction(f) else f.__func__.__module__ or "")
    return any(n.split(".", 1)[0] in _UNCONVERTED for n in names) or conversion.is_allowlisted(f)


def _is_public(f: Any) -> bool:
    return any(f is value for value in registry.values())


def converted_call(f: Any, args: tuple[Any, ...], kwargs: Any, caller_fn_scope: Any = None, options: Any = None) -> Any:
    """Call `f`, converted if it is the user's code: what every call in converted code becomes."""
    options = options if options is not None else caller_fn_scope.callopts
    kwargs = kwargs or {}
    if conversion.is_in_allowlist_cache(f, options):
        return f(*args, **kwargs)
    if ag_ctx.control_status_ctx().status == ag_ctx.Status.DISABLED or malt_api.is_autograph_artifact(f):
        return f(*args, **kwargs)
    if isinstance(f, functools.partial):
        return converted_call(f.func, f.args + args, f.keywords | kwargs, caller_fn_scope, options)
    target = getattr(f, "__malt_target__", None)
    if target is not None:
        method, instance = target
        return converted_call(method, (instance(), *args), kwargs, caller_fn_scope, options)
    if inspect_utils.isbuiltin(f):
        return _builtin(f, args, kwargs, caller_fn_scope)
    # What the program itself gives to `tf.function` is converted wherever it comes from, as in TensorFlow; what that calls is not,
    # nor is a public function, `tf.add` for one.
    alone = conversion.is_unsupported(f) or (_leave_alone(f) and (not options.user_requested or _is_public(f)))
    if isinstance(f, function.Function) or alone:
        conversion.cache_allowlisted(f, options)
        return f(*args, **kwargs)
    if not options.internal_convert_user_code:
        return f(*args, **kwargs)
    if inspect.ismethod(f) or inspect.isfunction(f):
        entity: Any = f
        instance = f.__self__ if inspect.ismethod(f) else None  # a decorated function may have `__self__`, too
    else:
        entity = type(f).__call__
        instance = f
    code = getattr(entity, "__code__", None)
    if code is None or code.co_filename == "<string>":
        return _as_is(f, args, kwargs, options)
    try:
        converted = _convert(_with_source(entity), options)
    except Exception as error:
        _warn(f, error, options)
        return _as_is(f, args, kwargs, options)
    try:
        return converted(*args, **kwargs) if instance is None else converted(instance, *args, **kwargs)
    except Exception as error:
        _attach(error, converted)
        raise


def _with_source(function: Any) -> Any:
    """The function, or one like it where it stands around something that has no source, which would be asked for it."""
    if inspect.isfunction(inspect.unwrap(function)):
        return function
    bare = types.FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    bare.__kwdefaults__ = function.__kwdefaults__
    return bare


def _as_is(f: Any, args: tuple[Any, ...], kwargs: Any, options: Any) -> Any:
    conversion.cache_allowlisted(f, options)
    if not options.user_requested:
        return f(*args, **kwargs)
    # Functions that it hands on may be converted all the same.
    with ag_ctx.ControlStatusCtx(ag_ctx.Status.ENABLED, options):
        return f(*args, **kwargs)


def _builtin(f: Any, args: tuple[Any, ...], kwargs: Any, scope: Any) -> Any:
    if f is eval:
        return py_builtins.eval_in_original_context(f, args, scope)
    if f is super:
        return py_builtins.super_in_original_context(f, args, scope)
    if f is globals:
        return py_builtins.globals_in_original_context(scope)
    if f is locals:
        return py_builtins.locals_in_original_context(scope)
    return operators.builtins.get(f, f)(*args, **kwargs)


def _warn(f: Any, error: Exception, options: Any) -> None:
    if isinstance(error, malt_errors.UnsupportedLanguageElementError) and conversion.is_in_allowlist_cache(f, options):
        return
    logging.warn(
        "AutoGraph could not transform %s and will run it as-is.\nCause: %s\n"
        "To silence this warning, decorate the function with @tf.autograph.experimental.do_not_convert",
        f,
        error,
    )


class FunctionScope(function_wrappers.FunctionScope):
    """A converted function while it runs. With the feature `NAME_SCOPES` its operations are in a scope of names; those with effects
    wait for each other anyway.

    Args:
      function_name: what the scope of names is called.
      scope_name: the name by which converted code knows this object.
      options: of the conversion.
    """

    def __init__(self, function_name: str, scope_name: str, options: Any) -> None:
        features = converter.Feature
        left = () if options.uses(features.ALL) else options.optional_features
        kept = [f for f in left if f not in (features.NAME_SCOPES, features.AUTO_CONTROL_DEPS)]
        super().__init__(function_name, scope_name, _options(kept, options.user_requested, options.recursive))
        self.options, self.callopts = options, options.call_options()
        self.use_name_scope = options.uses(features.NAME_SCOPES)
        if self.use_name_scope:
            self.name_scope = name_scope(self._sanitize(function_name))
        if options.user_requested:
            self.autograph_ctx = ag_ctx.ControlStatusCtx(ag_ctx.Status.ENABLED, options)


def with_function_scope(thunk: Callable[[Any], Any], scope_name: str, options: Any) -> Any:
    """What a function of a `FunctionScope` gives."""
    with FunctionScope("lambda_", scope_name, options) as scope:
        return thunk(scope)


def _options(features: Any = None, user_requested: bool = True, recursive: bool = True) -> Any:
    return converter.ConversionOptions(recursive=recursive, user_requested=user_requested, optional_features=features)


def traceable(f: Callable[..., Any], features: Any = None) -> Callable[..., Any]:
    """`f`, converted each time it is called; what `tf.function` traces."""
    options = _options(features)

    @functools.wraps(f, assigned=[a for a in functools.WRAPPER_ASSIGNMENTS if hasattr(f, a)], updated=())
    def run(*args: Any, **kwargs: Any) -> Any:
        return _with_user_lines(lambda: converted_call(f, args, kwargs, options=options))

    return run


def converted_inside(f: Callable[..., Any]) -> Callable[..., Any]:
    """A function that an operation takes (such as `tf.map_fn`'s), converted if the code around is."""
    return tf_convert(f, ag_ctx.control_status_ctx(), convert_by_default=False)


@export("__internal__.autograph.tf_convert")
def tf_convert(
    f: Callable[..., Any], ctx: Any, convert_by_default: bool = True, user_requested: bool = False
) -> Callable[..., Any]:
    """`f`, converted when called if `ctx` (of `control_status_ctx`) says so. Keras uses it for its layers' `call`."""
    if malt_api.is_autograph_artifact(f):
        return f
    if ctx.status == ag_ctx.Status.DISABLED:
        return do_not_convert(f)
    if ctx.status != ag_ctx.Status.ENABLED and not convert_by_default:
        return f
    options = _options(user_requested=user_requested)

    def run(*args: Any, **kwargs: Any) -> Any:
        with ctx:
            return _with_user_lines(lambda: converted_call(f, args, kwargs, options=options))

    if inspect.isfunction(f) or inspect.ismethod(f):
        run = functools.update_wrapper(run, f)
    return malt_api.autograph_artifact(run)


# -- what users call --------------------------------------------------------------------------------------------------


@export("autograph.experimental.do_not_convert")
def do_not_convert(func: Callable[..., Any] | None = None) -> Any:
    """A decorator: the function, and what it calls, are not converted. Mirrors `tf.autograph.experimental.do_not_convert`."""
    if func is None:
        return do_not_convert

    def run(*args: Any, **kwargs: Any) -> Any:
        with ag_ctx.ControlStatusCtx(status=ag_ctx.Status.DISABLED):
            return func(*args, **kwargs)

    if inspect.isfunction(func) or inspect.ismethod(func):
        run = functools.update_wrapper(run, func)
    return malt_api.autograph_artifact(run)


@export("autograph.to_graph")
def to_graph(entity: Any, recursive: bool = True, experimental_optional_features: Any = None) -> Any:
    """A Python function converted, to be called in a graph or eagerly. Mirrors `tf.autograph.to_graph`.

    Raises:
      ConversionError: if its source cannot be had or not be converted.
    """
    try:
        return malt_api.autograph_artifact(
            _convert(entity, _options(experimental_optional_features, recursive=recursive))
        )
    except (ValueError, AttributeError, KeyError, NameError, AssertionError, malt_errors.PyCTError) as error:
        raise ConversionError(f"converting {entity}: {type(error).__name__}: {error}") from error


@export("autograph.to_code")
def to_code(entity: Any, recursive: bool = True, experimental_optional_features: Any = None) -> str:
    """The source that a Python function is converted to. Mirrors `tf.autograph.to_code`."""
    return textwrap.dedent(inspect.getsource(to_graph(entity, recursive, experimental_optional_features)))


@export("autograph.set_verbosity")
def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """How much is logged of conversions, from 0 to 10. Mirrors `tf.autograph.set_verbosity`."""
    ag_logging.set_verbosity(level, alsologtostdout)


@export("autograph.trace")
def trace(*args: Any) -> None:
    """Print the arguments while the function is traced. Mirrors `tf.autograph.trace`."""
    print(*args)


operators.FunctionScope, operators.with_function_scope = FunctionScope, with_function_scope
for _name in ("Undefined", "UndefinedReturnValue", "ld", "ldu", "not_eq"):
    setattr(operators, _name, getattr(_malt_operators, _name))
for _name in (
    "new_list",
    "list_append",
    "list_pop",
    "list_stack",
    "ListPopOpts",
    "ListStackOpts",
    "get_item",
    "set_item",
    "GetItemOpts",
):
    setattr(operators, _name, getattr(_malt_operators, _name))
operators.ConversionOptions = converter.ConversionOptions
operators.Feature = converter.Feature
operators.STD = converter.STANDARD_OPTIONS
operators.converted_call = converted_call
operators.autograph_artifact = malt_api.autograph_artifact
operators.builtins = {}
operators.caught = _caught
