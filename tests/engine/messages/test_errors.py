import copy
import pickle
import traceback

import pytest

from tfgrad_jax.engine.messages import errors
from tfgrad_jax.engine.names.export import registry

CODES = {
    "CancelledError": 1,
    "UnknownError": 2,
    "InvalidArgumentError": 3,
    "DeadlineExceededError": 4,
    "NotFoundError": 5,
    "AlreadyExistsError": 6,
    "PermissionDeniedError": 7,
    "ResourceExhaustedError": 8,
    "FailedPreconditionError": 9,
    "AbortedError": 10,
    "OutOfRangeError": 11,
    "UnimplementedError": 12,
    "InternalError": 13,
    "UnavailableError": 14,
    "DataLossError": 15,
    "UnauthenticatedError": 16,
}


@pytest.mark.parametrize(("name", "code"), CODES.items())
def test_class(name, code):
    cls = registry[f"errors.{name}"]
    error = cls(None, None, "what went wrong")
    assert cls.__name__ == name
    assert isinstance(error, errors.OpError)
    assert not isinstance(error, (TypeError, ValueError, RuntimeError))
    assert error.error_code == code
    assert error.message == str(error) == "what went wrong"
    assert error.op is None
    assert error.node_def is None
    assert error.args == ()
    assert repr(error) == f"{name}()"
    assert error.experimental_payloads == {}
    constant = "".join("_" + c if c.isupper() else c for c in name.removesuffix("Error"))[1:].upper()
    assert registry[f"errors.{constant}"] == code


def test_ok_is_zero_and_has_no_class():
    assert registry["errors.OK"] == 0
    assert sum(name.startswith("errors.") for name in registry) == 2 * len(CODES) + 3


def test_keywords_and_payloads():
    error = errors.InvalidArgumentError(node_def="node", op=None, message="m")
    assert error.node_def == "node"
    error = errors.NotFoundError(None, None, "m", {b"key": b"value"})
    assert error.experimental_payloads == {b"key": b"value"}
    assert error.error_code == 5
    with pytest.raises(TypeError):
        errors.InvalidArgumentError("m")


def test_the_operation_is_named():
    class Operation:
        name = "layer/add"

    operation = Operation()
    error = errors.InternalError(None, operation, "m")
    assert error.op is operation
    assert error.message == "m"
    assert str(error).startswith("m\n")
    assert "'layer/add'" in str(error)


def test_op_error_takes_its_code():
    error = errors.OpError(None, None, "m", 12)
    assert error.error_code == 12
    assert str(error) == "m"


@pytest.mark.parametrize("clone", [copy.copy, copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))])
def test_copies_and_pickles(clone):
    for error in (errors.OutOfRangeError(None, None, "end"), errors.OpError("node", None, "m", 3)):
        again = clone(error)
        assert type(again) is type(error)
        assert (again.message, again.node_def, again.error_code) == (error.message, error.node_def, error.error_code)


def test_operator_not_allowed_is_a_type_error():
    error = registry["errors.OperatorNotAllowedInGraphError"]("no")
    assert isinstance(error, TypeError)
    assert not isinstance(error, errors.OpError)
    assert error.args == ("no",)


@pytest.mark.parametrize(
    ("make", "cls"),
    [
        (errors.invalid_argument, errors.InvalidArgumentError),
        (errors.unimplemented, errors.UnimplementedError),
        (errors.failed_precondition, errors.FailedPreconditionError),
        (errors.not_found, errors.NotFoundError),
    ],
)
def test_makers_name_the_raw_operation(make, cls):
    assert type(make("m")) is cls
    assert str(make("m")) == "m"
    assert str(make("Incompatible shapes: [2] vs. [3]", "AddV2")) == (
        "Incompatible shapes: [2] vs. [3] [Op:AddV2] name: "
    )


@pytest.mark.parametrize("name", [*CODES, "OperatorNotAllowedInGraphError"])
def test_the_module_shown_is_tensorflows_and_op_error_the_direct_base(name):
    cls = registry[f"errors.{name}"]
    (line,) = traceback.format_exception_only(cls(None, None, "m") if name in CODES else cls("m"))
    assert line == f"tensorflow.python.framework.errors_impl.{name}: m\n"
    if name in CODES:
        assert cls.__mro__ == (cls, errors.OpError, *Exception.__mro__)


class UsersOwn(errors.InvalidArgumentError):
    """An exception class of a program, which is importable from where it is defined."""


@pytest.mark.parametrize("cls", [errors.OpError, errors.NotFoundError, errors.InaccessibleTensorError, UsersOwn])
def test_classes_are_pickled_and_copied_too(cls):
    assert pickle.loads(pickle.dumps(cls)) is cls
    assert copy.deepcopy(cls) is cls


def test_a_class_of_a_program_is_pickled_with_its_message():
    again = pickle.loads(pickle.dumps(UsersOwn(None, None, "m")))
    assert (type(again), again.message, again.error_code) == (UsersOwn, "m", 3)


def test_op_error_needs_a_code():
    assert errors.OpError(None, None, "m", error_code=3).error_code == 3
    with pytest.raises(TypeError, match="error_code"):
        errors.OpError(None, None, "m")
