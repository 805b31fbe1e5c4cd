"""`tf.errors`: the exceptions that operations raise, and their canonical codes."""

from __future__ import annotations

import copyreg
from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

from tfgrad_jax.engine.names.export import export_value

SHOWN_MODULE = "tensorflow.python.framework.errors_impl"
"""The module that tracebacks show in front of the classes: what users' logs and TensorFlow's guides know them by."""

_CODES = {
    "OK": 0,
    "CANCELLED": 1,
    "UNKNOWN": 2,
    "INVALID_ARGUMENT": 3,
    "DEADLINE_EXCEEDED": 4,
    "NOT_FOUND": 5,
    "ALREADY_EXISTS": 6,
    "PERMISSION_DENIED": 7,
    "RESOURCE_EXHAUSTED": 8,
    "FAILED_PRECONDITION": 9,
    "ABORTED": 10,
    "OUT_OF_RANGE": 11,
    "UNIMPLEMENTED": 12,
    "INTERNAL": 13,
    "UNAVAILABLE": 14,
    "DATA_LOSS": 15,
    "UNAUTHENTICATED": 16,
}

for _name, _code in _CODES.items():
    export_value(_code, f"errors.{_name}", f"python.framework.errors.{_name}", f"python.framework.errors_impl.{_name}")


class _Family(type):
    """The type of the exception classes, which are pickled by name: nothing can be imported from the module that they show."""


_by_name: dict[str, type] = {}
_Class = TypeVar("_Class", bound=type)


def _shown(cls: _Class) -> _Class:
    cls.__module__ = SHOWN_MODULE
    _by_name[cls.__name__] = cls
    return cls


def _public(cls: _Class) -> _Class:
    return export_value(_shown(cls), f"errors.{cls.__name__}")


def _named(name: str) -> type:
    return _by_name[name]


def _reduced(cls: type) -> Any:
    return (_named, (cls.__name__,)) if cls in _by_name.values() else cls.__qualname__


copyreg.pickle(_Family, _reduced)


@_public
class OpError(Exception, metaclass=_Family):
    """An operation failed; the base of every `tf.errors` exception that carries a code (`tf.errors.OpError`).

    Args:
      node_def: Description of the failing node; None for an eager operation.
      op: The failing graph operation; None for an eager operation.
      message: What went wrong.
      *args: One of the `tf.errors` codes, unless the class fixes it; then, optionally, a dict of payloads.
      error_code: The code by name.
    """

    code: ClassVar[int | None] = None

    def __init__(self, node_def: Any, op: Any, message: str, *args: Any, error_code: int | None = None) -> None:
        super().__init__()  # TensorFlow leaves `args` empty, which shows in `repr`
        self._node_def = node_def
        self._op = op
        self._message = message
        code = error_code if type(self).code is None else type(self).code
        if code is None:
            if not args:
                raise TypeError(
                    f"{type(self).__name__}: the argument error_code is missing, one of the codes of tf.errors"
                )
            code, *args = args  # type: ignore[assignment]
        self._error_code: int = code
        self._payloads = dict(args[0]) if args and isinstance(args[0], dict) else {}

    @property
    def message(self) -> str:
        """The text of the error."""
        return self._message

    @property
    def op(self) -> Any:
        """The graph operation that failed, or None."""
        return self._op

    @property
    def node_def(self) -> Any:
        """Description of the node that failed, or None."""
        return self._node_def

    @property
    def error_code(self) -> int:
        """The canonical code, for example `tf.errors.INVALID_ARGUMENT`."""
        return self._error_code

    @property
    def experimental_payloads(self) -> dict[bytes, bytes]:
        """Further details that the runtime attached."""
        return self._payloads

    def __reduce__(self) -> tuple[Any, ...]:
        args: tuple[Any, ...] = (self._node_def, self._op, self._message)
        return type(self), args if type(self).code is not None else (*args, self._error_code)

    def __str__(self) -> str:
        if self._op is None:
            return str(self._message)
        return f"{self._message}\n\nThe operation is {getattr(self._op, 'name', self._op)!r}."


@_public
class CancelledError(OpError):
    """The operation was cancelled before it finished (`tf.errors.CancelledError`)."""

    code = _CODES["CANCELLED"]


@_public
class UnknownError(OpError):
    """An error without a better class (`tf.errors.UnknownError`)."""

    code = _CODES["UNKNOWN"]


@_public
class InvalidArgumentError(OpError):
    """An operation got values or shapes that do not fit it (`tf.errors.InvalidArgumentError`)."""

    code = _CODES["INVALID_ARGUMENT"]
    when_run = False  # whether TensorFlow's graphs, too, find it when they run: what they find before is a ValueError


@_public
class DeadlineExceededError(OpError):
    """The time allowed ran out (`tf.errors.DeadlineExceededError`)."""

    code = _CODES["DEADLINE_EXCEEDED"]


@_public
class NotFoundError(OpError):
    """Something asked for, such as a file, does not exist (`tf.errors.NotFoundError`)."""

    code = _CODES["NOT_FOUND"]


@_public
class AlreadyExistsError(OpError):
    """Something to be created exists already (`tf.errors.AlreadyExistsError`)."""

    code = _CODES["ALREADY_EXISTS"]


@_public
class PermissionDeniedError(OpError):
    """The caller may not do this (`tf.errors.PermissionDeniedError`)."""

    code = _CODES["PERMISSION_DENIED"]


@_public
class UnauthenticatedError(OpError):
    """The caller did not say who it is (`tf.errors.UnauthenticatedError`)."""

    code = _CODES["UNAUTHENTICATED"]


@_public
class ResourceExhaustedError(OpError):
    """Memory, disk or a quota ran out (`tf.errors.ResourceExhaustedError`)."""

    code = _CODES["RESOURCE_EXHAUSTED"]


@_public
class FailedPreconditionError(OpError):
    """State is not ready, such as a variable that has no value yet (`tf.errors.FailedPreconditionError`)."""

    code = _CODES["FAILED_PRECONDITION"]


@_public
class AbortedError(OpError):
    """The operation was given up, often for a concurrent one (`tf.errors.AbortedError`)."""

    code = _CODES["ABORTED"]


@_public
class OutOfRangeError(OpError):
    """Iteration went past the end of its input (`tf.errors.OutOfRangeError`).

    Attributes:
      so_far: None; on its way out of a graph that graph, and its results as far as there are any: see `control/ended.py`.
    """

    so_far: tuple[Any, list[Any]] | None = None
    code = _CODES["OUT_OF_RANGE"]


@_public
class UnimplementedError(OpError):
    """The operation has no implementation for what it was given (`tf.errors.UnimplementedError`)."""

    code = _CODES["UNIMPLEMENTED"]


@_public
class InternalError(OpError):
    """The runtime broke one of its own rules (`tf.errors.InternalError`)."""

    code = _CODES["INTERNAL"]


@_public
class UnavailableError(OpError):
    """The runtime cannot be reached now (`tf.errors.UnavailableError`)."""

    code = _CODES["UNAVAILABLE"]


@_public
class DataLossError(OpError):
    """Data was lost or is corrupt beyond repair (`tf.errors.DataLossError`)."""

    code = _CODES["DATA_LOSS"]


@_shown
class InaccessibleTensorError(ValueError, metaclass=_Family):
    """A symbolic tensor is used where the graph that it belongs to is not open."""


@_public
class OperatorNotAllowedInGraphError(TypeError, metaclass=_Family):
    """A Python operator needs the value of a symbolic tensor (`tf.errors.OperatorNotAllowedInGraphError`)."""


def _located(message: str, op: str | None) -> str:
    return message if op is None else f"{message} [Op:{op}] name: "


def invalid_argument(message: str, op: str | None = None, when_run: bool = False) -> InvalidArgumentError:
    """An `InvalidArgumentError`, ending with the raw name of the operation as TensorFlow's eager errors do.

    Args:
      message: what went wrong.
      op: the raw name of the operation.
      when_run: whether TensorFlow finds it when the operation runs, in graphs as well; what its graphs find before is a ValueError.
    """
    error = InvalidArgumentError(None, None, _located(message, op))
    error.when_run = when_run
    return error


def unimplemented(message: str, op: str | None = None) -> UnimplementedError:
    """An `UnimplementedError`, ending with the raw name of the operation as TensorFlow's eager errors do."""
    return UnimplementedError(None, None, _located(message, op))


def failed_precondition(message: str, op: str | None = None) -> FailedPreconditionError:
    """A `FailedPreconditionError`, ending with the raw name of the operation as TensorFlow's eager errors do."""
    return FailedPreconditionError(None, None, _located(message, op))


def out_of_range(message: str, op: str | None = None) -> OutOfRangeError:
    """An `OutOfRangeError`, ending with the raw name of the operation as TensorFlow's eager errors do."""
    return OutOfRangeError(None, None, _located(message, op))


def not_found(message: str, op: str | None = None) -> NotFoundError:
    """A `NotFoundError`, ending with the raw name of the operation as TensorFlow's eager errors do."""
    return NotFoundError(None, None, _located(message, op))


def left_to_subclass(value: Any, method: str) -> NotImplementedError:
    """The error of a method, or property, that each subclass defines, where the class of `value` does not."""
    return NotImplementedError(f"{type(value).__name__} does not define {method}, which every subclass has to")


def no_value_yet(name: str) -> NotImplementedError:
    """The error for `numpy()` of a variable in a function."""
    return NotImplementedError(
        f"numpy() is only available when eager execution is enabled: {name!r} has a value only while the function runs. Use the "
        "variable itself, tf.print or tf.py_function, or read it outside of the function."
    )


def not_in_place(operator: str, method: str) -> Callable[[Any, Any], Any]:
    """The method for `variable += value` and its kin: an error that names what does it."""
    binary = operator.rstrip("=")

    def refuse(self: Any, other: Any) -> Any:
        raise RuntimeError(
            f"`variable {operator} value` with `tf.Variable`s is not supported. Use `variable.{method}` to modify the "
            f"variable, or `out = variable {binary} value` if you need to get a new output Tensor."
        )

    return refuse


def again(error: Exception) -> Exception:
    """The same exception as an object of its own, to be raised once more: without the frames that the other came through."""
    new = type(error).__new__(type(error), *error.args)
    new.args = error.args
    new.__dict__.update(error.__dict__)
    if hasattr(error, "__notes__"):
        new.__notes__ = list(error.__notes__)
    if isinstance(error.__cause__, Exception) and error.__cause__ is not error:
        new.__cause__ = again(error.__cause__)
    new.__suppress_context__ = True
    return new
