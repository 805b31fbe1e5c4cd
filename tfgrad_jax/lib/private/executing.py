"""`tensorflow.python.eager`: operations that are run by their raw names, and what programs know of how that goes wrong."""

from __future__ import annotations

import contextlib
import inspect
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine.messages import errors
from tfgrad_jax.engine.names.export import export, export_value, registry
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import as_dtype
from tfgrad_jax.engine.values.shapes import as_shape
from tfgrad_jax.engine.values.tensor import EagerTensor
from tfgrad_jax.lib.compatibility import exception_type_from_error_code

_E, _C, _W = "python.eager.execute.", "python.eager.core.", "python.pywrap_tfe."

for _number, _name in enumerate(("STRING", "INT", "FLOAT", "BOOL", "TYPE", "SHAPE", "TENSOR", "PLACEHOLDER", "FUNC")):
    export_value(_number, f"{_W}TF_ATTR_{_name}")


@export(_C + "_NotOkStatusException")
class NotOkStatusError(Exception):
    """What went wrong, with the number of its kind.

    Args:
      message: what is said of it.
      code: the number.
      payloads: what is known besides.
    """

    def __init__(self, message: str, code: int, payloads: Any = None) -> None:
        super().__init__()
        self.message, self.code, self.payloads = message, code, payloads

    def __str__(self) -> str:
        return f"{type(self).__name__}: {self.message}"


@export(_C + "_FallbackException")
class FallbackError(Exception):
    """Raised where an operation has to be run in a slower way, which there is none of here."""


@export(_C + "_SymbolicException")
class SymbolicError(Exception):
    """Raised where an operation that runs at once is given tensors of a graph."""


@export(_C + "_status_to_exception")
def status_to_exception(status: Any) -> Exception:
    """The error of the class that has a number; `tf.errors.UnknownError` for a number that no class has."""
    try:
        return exception_type_from_error_code(status.code)(None, None, status.message)
    except KeyError:
        return errors.UnknownError(None, None, status.message, status.code)


@export(_W + "TFE_Py_RegisterExceptionClass")
def register_exception_class(cls: Any) -> None:
    """Check that a class is one of exceptions; which is raised is not chosen here.

    Raises:
      TypeError: if it is none.
    """
    if not (isinstance(cls, type) and issubclass(cls, Exception)):
        raise TypeError("Exception class should be a subclass of Exception")


@export(_W + "TFE_Py_TensorShapeSlice")
def tensor_shape_slice(tensors: Any, slice_dim: int) -> EagerTensor:
    """The size of each of some tensors along one axis.

    Raises:
      TypeError: for what is no list of eager tensors.
      ValueError: for an axis counted from the end.
      IndexError: for an axis that a tensor lacks.
    """
    if not isinstance(tensors, (list, tuple)):
        raise TypeError(f"tensors argument must be a list or a tuple. Got {type(tensors).__name__!r}")
    if slice_dim < 0:
        raise ValueError(f"Slice dimension must be non-negative. Got {slice_dim}")
    sizes = []
    for at, tensor in enumerate(tensors):
        if not isinstance(tensor, EagerTensor):
            raise TypeError(f'Expected a list of EagerTensors but element {at} has type "{type(tensor).__name__}"')
        if slice_dim >= tensor.ndim:
            raise IndexError(
                f"Slice dimension ({slice_dim}) must be smaller than rank of all tensors, but tensor at index {at} has rank "
                f"{tensor.ndim}"
            )
        sizes.append(tensor.shape[slice_dim])
    return EagerTensor(np.array(sizes, np.int32))


# -- operations by their raw names ------------------------------------------------------------------------------------


def _dtypes(value: Any) -> Any:
    return [as_dtype(one) for one in value] if isinstance(value, (list, tuple)) else as_dtype(value)


@export(_E + "execute", _E + "quick_execute")
def execute(
    op_name: str | bytes, num_outputs: int, inputs: Sequence[Any], attrs: Any, ctx: Any, name: str | None = None
) -> Any:
    """The outputs of a raw operation.

    Args:
      op_name: what it is called.
      num_outputs: how many outputs there are.
      inputs: its operands; a list of tensors for each list.
      attrs: names and values of attributes by turns; dtypes may be numbers.
      ctx: the context, which is the only one.
      name: accepted for compatibility.

    Raises:
      NotFoundError: for an operation that does not exist.
      InvalidArgumentError: for operands or attributes that it does not take.
    """
    called = op_name.decode() if isinstance(op_name, bytes) else op_name
    raw = registry.get(f"raw_ops.{called}") or getattr(_raw_operations(), called, None)
    if raw is None:
        raise errors.NotFoundError(None, None, f"Op type not registered '{called}' in binary running on this machine.")
    given = list(inputs)
    takes = [p for p in inspect.signature(raw).parameters if p != "name"]
    pairs = dict(zip(attrs[::2], attrs[1::2], strict=True)) if attrs else {}
    keywords = dict(zip(takes, given, strict=False))
    for key, value in pairs.items():
        if key in takes and key not in keywords:
            keywords[key] = value
    try:
        made = raw(**keywords)
    except (TypeError, ValueError) as error:
        raise errors.InvalidArgumentError(None, None, f"{called}: {error}") from None
    if num_outputs == 0:
        return []
    return [made] if num_outputs == 1 and not isinstance(made, (list, tuple)) else list(made)


def _raw_operations() -> Any:
    return sys.modules[f"{__name__.partition('.')[0]}.raw_ops"]


def _wrong(kind: str, arg_name: str, v: Any) -> TypeError:
    return TypeError(f"Expected {kind} for argument '{arg_name}' not {v!r}.")


@export(_E + "make_float")
def make_float(v: Any, arg_name: str) -> float:
    """An attribute that is a number.

    Raises:
      TypeError: if it is none.
    """
    if not isinstance(v, (int, float, np.number)):
        raise _wrong("float", arg_name, v)
    return float(v)


@export(_E + "make_int")
def make_int(v: Any, arg_name: str) -> int:
    """An attribute that is an integer.

    Raises:
      TypeError: if it is none.
    """
    if isinstance(v, str):
        raise _wrong("int", arg_name, v)
    try:
        return int(v)
    except (ValueError, TypeError):
        raise _wrong("int", arg_name, v) from None


@export(_E + "make_str")
def make_str(v: Any, arg_name: str) -> str | bytes:
    """An attribute that is a text.

    Raises:
      TypeError: if it is none.
    """
    if not isinstance(v, (str, bytes)):
        raise _wrong("string", arg_name, v)
    return v


@export(_E + "make_bool")
def make_bool(v: Any, arg_name: str) -> bool:
    """An attribute that is a truth value.

    Raises:
      TypeError: if it is none.
    """
    if not isinstance(v, bool):
        raise _wrong("bool", arg_name, v)
    return v


@export(_E + "make_type")
def make_type(v: Any, arg_name: str) -> int:
    """An attribute that is a dtype, as its number.

    Raises:
      TypeError: if it is none.
    """
    try:
        return as_dtype(v).base_dtype.as_datatype_enum
    except TypeError:
        raise _wrong("DataType", arg_name, v) from None


@export(_E + "make_shape")
def make_shape(v: Any, arg_name: str) -> list[int | None] | None:
    """An attribute that is a shape, as its sizes; None where the rank is not known.

    Raises:
      TypeError: if it is none.
      ValueError: for sizes that are none.
    """
    try:
        shape = as_shape(v)
    except TypeError as error:
        raise TypeError(f"Error converting {arg_name} to a TensorShape: {error}.") from None
    except ValueError as error:
        raise ValueError(f"Error converting {arg_name} to a TensorShape: {error}.") from None
    return None if shape.rank is None else shape.as_list()


@export(_E + "args_to_matching_eager")
def args_to_matching_eager(
    l: Sequence[Any],  # noqa: E741
    ctx: Any,
    allowed_dtypes: Sequence[Any],
    default_dtype: Any = None,
) -> tuple[int | None, list[Any]]:
    """Values as tensors of one dtype, and the number of that: the one that the first tensor has, else what the first value is.

    Raises:
      TypeError: if a value is none of the dtypes that may be.
    """
    if not l:
        return (None if default_dtype is None else as_dtype(default_dtype).as_datatype_enum), []
    first = next((x.dtype for x in l if isinstance(x, EagerTensor)), None)
    dtype = first or convert(l[0]).dtype
    if first is None and allowed_dtypes and dtype not in [as_dtype(d) for d in allowed_dtypes]:
        dtype = as_dtype(default_dtype if default_dtype is not None else allowed_dtypes[0])
    return dtype.as_datatype_enum, [convert(x, dtype) for x in l]


@export(_E + "convert_to_mixed_eager_tensors")
def convert_to_mixed_eager_tensors(values: Sequence[Any], ctx: Any) -> tuple[list[int], list[Any]]:
    """Values as tensors, each of its own dtype, and the numbers of these."""
    tensors = [convert(value) for value in values]
    return [t.dtype.as_datatype_enum for t in tensors], tensors


# -- executors --------------------------------------------------------------------------------------------------------


@export("python.eager.executor.Executor")
class Executor:
    """What runs operations. There is one way to do that, so this knows only what it was asked to be.

    Args:
      enable_async: whether operations may return before they have run.
    """

    def __init__(self, enable_async: bool = False) -> None:
        self._async = bool(enable_async)

    def is_async(self) -> bool:
        """Whether operations may return before they have run."""
        return self._async

    def wait(self) -> None:
        """Nothing: what operations computed is waited for where it is read."""

    def clear_error(self) -> None:
        """Nothing: an error is raised where a value is read."""


@export("python.eager.executor.new_executor")
def new_executor(enable_async: bool, enable_streaming_enqueue: bool = True, in_flight_nodes_limit: int = 0) -> Executor:
    """An executor; how many operations may be under way is not chosen here."""
    return Executor(enable_async)


@export("experimental.async_clear_error", "python.eager.context.async_clear_error")
def async_clear_error() -> None:
    """Nothing: an error is raised where a value is read, and not kept."""


@export("experimental.async_scope", "python.eager.context.async_scope")
@contextlib.contextmanager
def async_scope() -> Iterator[None]:
    """A context in which operations may return before they have run, as they may anyway."""
    yield
