"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
ABORTED: int
ALREADY_EXISTS: int
AbortedError: _Any
AlreadyExistsError: _Any
CANCELLED: int
CancelledError: _Any
DATA_LOSS: int
DEADLINE_EXCEEDED: int
DataLossError: _Any
DeadlineExceededError: _Any
FAILED_PRECONDITION: int
FailedPreconditionError: _Any
INTERNAL: int
INVALID_ARGUMENT: int
InternalError: _Any
InvalidArgumentError: _Any
NOT_FOUND: int
NotFoundError: _Any
OK: int
OUT_OF_RANGE: int
OpError: _Any
OperatorNotAllowedInGraphError: _Any
OutOfRangeError: _Any
PERMISSION_DENIED: int
PermissionDeniedError: _Any
RESOURCE_EXHAUSTED: int
ResourceExhaustedError: _Any
UNAUTHENTICATED: int
UNAVAILABLE: int
UNIMPLEMENTED: int
UNKNOWN: int
UnauthenticatedError: _Any
UnavailableError: _Any
UnimplementedError: _Any
UnknownError: _Any
