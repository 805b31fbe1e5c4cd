"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
from tfgrad_jax.engine.messages.errors import AbortedError as AbortedError
from tfgrad_jax.engine.messages.errors import AlreadyExistsError as AlreadyExistsError
from tfgrad_jax.engine.messages.errors import CancelledError as CancelledError
from tfgrad_jax.engine.messages.errors import DataLossError as DataLossError
from tfgrad_jax.engine.messages.errors import DeadlineExceededError as DeadlineExceededError
from tfgrad_jax.engine.messages.errors import FailedPreconditionError as FailedPreconditionError
from tfgrad_jax.engine.messages.errors import InternalError as InternalError
from tfgrad_jax.engine.messages.errors import InvalidArgumentError as InvalidArgumentError
from tfgrad_jax.engine.messages.errors import NotFoundError as NotFoundError
from tfgrad_jax.engine.messages.errors import OpError as OpError
from tfgrad_jax.engine.messages.errors import OperatorNotAllowedInGraphError as OperatorNotAllowedInGraphError
from tfgrad_jax.engine.messages.errors import OutOfRangeError as OutOfRangeError
from tfgrad_jax.engine.messages.errors import PermissionDeniedError as PermissionDeniedError
from tfgrad_jax.engine.messages.errors import ResourceExhaustedError as ResourceExhaustedError
from tfgrad_jax.engine.messages.errors import UnauthenticatedError as UnauthenticatedError
from tfgrad_jax.engine.messages.errors import UnavailableError as UnavailableError
from tfgrad_jax.engine.messages.errors import UnimplementedError as UnimplementedError
from tfgrad_jax.engine.messages.errors import UnknownError as UnknownError
ABORTED: int
ALREADY_EXISTS: int
CANCELLED: int
DATA_LOSS: int
DEADLINE_EXCEEDED: int
FAILED_PRECONDITION: int
INTERNAL: int
INVALID_ARGUMENT: int
NOT_FOUND: int
OK: int
OUT_OF_RANGE: int
PERMISSION_DENIED: int
RESOURCE_EXHAUSTED: int
UNAUTHENTICATED: int
UNAVAILABLE: int
UNIMPLEMENTED: int
UNKNOWN: int
