"""`tf.errors`: the exceptions that operations raise, and their canonical codes."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.engine.names.export import export, export_value

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
    export_value(_code, f"errors.{_name}")


@export("errors.OpError")
class OpError(Exception):
    """An operation failed; the base of every `tf.errors` exception that carries a code (`tf.errors.OpError`).

    Args:
      node_def: Description of the failing node; None for an eager operation.
      op: The failing graph operation; None for an eager operation.
      message: What went wrong.
      error_code: One of the `tf.errors` codes.
      *args: Optionally, a dict of payloads.
    """

    def __init__(self, node_def: Any, op: Any, message: str, error_code: int, *args: Any) -> None:
        super().__init__()  # TensorFlow leaves `args` empty, which shows in `repr`
        self._node_def = node_def
        self._op = op
        self._message = message
        self._error_code = error_code
        self._payloads = dict(args[0]) if args and isinstance(args[0], dict) else {}

    @property
    def message(self) -> str:
        """What went wrong."""
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
        return type(self), args if isinstance(self, _CodedError) else (*args, self._error_code)

    def __str__(self) -> str:
        if self._op is None:
            return str(self._message)
        return f"{self._message}\n\nThe operation is {getattr(self._op, 'name', self._op)!r}."


class _CodedError(OpError):
    """An `OpError` whose class fixes the code."""

    code: int

    def __init__(self, node_def: Any, op: Any, message: str, *args: Any) -> None:
        super().__init__(node_def, op, message, type(self).code, *args)


@export("errors.CancelledError")
class CancelledError(_CodedError):
    """The operation was cancelled before it finished (`tf.errors.CancelledError`)."""

    code = _CODES["CANCELLED"]


@export("errors.UnknownError")
class UnknownError(_CodedError):
    """An error without a better class (`tf.errors.UnknownError`)."""

    code = _CODES["UNKNOWN"]


@export("errors.InvalidArgumentError")
class InvalidArgumentError(_CodedError):
    """An operation got values or shapes that do not fit it (`tf.errors.InvalidArgumentError`)."""

    code = _CODES["INVALID_ARGUMENT"]


@export("errors.DeadlineExceededError")
class DeadlineExceededError(_CodedError):
    """The time allowed ran out (`tf.errors.DeadlineExceededError`)."""

    code = _CODES["DEADLINE_EXCEEDED"]


@export("errors.NotFoundError")
class NotFoundError(_CodedError):
    """Something asked for, such as a file, does not exist (`tf.errors.NotFoundError`)."""

    code = _CODES["NOT_FOUND"]


@export("errors.AlreadyExistsError")
class AlreadyExistsError(_CodedError):
    """Something to be created exists already (`tf.errors.AlreadyExistsError`)."""

    code = _CODES["ALREADY_EXISTS"]


@export("errors.PermissionDeniedError")
class PermissionDeniedError(_CodedError):
    """The caller may not do this (`tf.errors.PermissionDeniedError`)."""

    code = _CODES["PERMISSION_DENIED"]


@export("errors.UnauthenticatedError")
class UnauthenticatedError(_CodedError):
    """The caller did not say who it is (`tf.errors.UnauthenticatedError`)."""

    code = _CODES["UNAUTHENTICATED"]


@export("errors.ResourceExhaustedError")
class ResourceExhaustedError(_CodedError):
    """Memory, disk or a quota ran out (`tf.errors.ResourceExhaustedError`)."""

    code = _CODES["RESOURCE_EXHAUSTED"]


@export("errors.FailedPreconditionError")
class FailedPreconditionError(_CodedError):
    """State is not ready, such as a variable that has no value yet (`tf.errors.FailedPreconditionError`)."""

    code = _CODES["FAILED_PRECONDITION"]


@export("errors.AbortedError")
class AbortedError(_CodedError):
    """The operation was given up, often for a concurrent one (`tf.errors.AbortedError`)."""

    code = _CODES["ABORTED"]


@export("errors.OutOfRangeError")
class OutOfRangeError(_CodedError):
    """Iteration went past the end of its input (`tf.errors.OutOfRangeError`)."""

    code = _CODES["OUT_OF_RANGE"]


@export("errors.UnimplementedError")
class UnimplementedError(_CodedError):
    """The operation has no implementation for what it was given (`tf.errors.UnimplementedError`)."""

    code = _CODES["UNIMPLEMENTED"]


@export("errors.InternalError")
class InternalError(_CodedError):
    """The runtime broke one of its own rules (`tf.errors.InternalError`)."""

    code = _CODES["INTERNAL"]


@export("errors.UnavailableError")
class UnavailableError(_CodedError):
    """The runtime cannot be reached now (`tf.errors.UnavailableError`)."""

    code = _CODES["UNAVAILABLE"]


@export("errors.DataLossError")
class DataLossError(_CodedError):
    """Data was lost or is corrupt beyond repair (`tf.errors.DataLossError`)."""

    code = _CODES["DATA_LOSS"]


class InaccessibleTensorError(ValueError):
    """A symbolic tensor is used where the graph that it belongs to is not open."""


@export("errors.OperatorNotAllowedInGraphError")
class OperatorNotAllowedInGraphError(TypeError):
    """A Python operator needs the value of a symbolic tensor (`tf.errors.OperatorNotAllowedInGraphError`)."""


def _located(message: str, op: str | None) -> str:
    return message if op is None else f"{message} [Op:{op}] name: "


def invalid_argument(message: str, op: str | None = None) -> InvalidArgumentError:
    """An `InvalidArgumentError`, ending with the raw name of the operation as TensorFlow's eager errors do."""
    return InvalidArgumentError(None, None, _located(message, op))


def unimplemented(message: str, op: str | None = None) -> UnimplementedError:
    """An `UnimplementedError`, ending with the raw name of the operation as TensorFlow's eager errors do."""
    return UnimplementedError(None, None, _located(message, op))


def failed_precondition(message: str, op: str | None = None) -> FailedPreconditionError:
    """A `FailedPreconditionError`, ending with the raw name of the operation as TensorFlow's eager errors do."""
    return FailedPreconditionError(None, None, _located(message, op))


def not_found(message: str, op: str | None = None) -> NotFoundError:
    """A `NotFoundError`, ending with the raw name of the operation as TensorFlow's eager errors do."""
    return NotFoundError(None, None, _located(message, op))


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
