"""`linear_operator_test_util`: bases of test cases that compare a linear operator with the dense matrix that it stands for.

A test case says of which shapes and dtypes its operators are, and makes an operator and its matrix (`operator_and_matrix`);
`add_tests` gives it a test for each method of operators, shape and dtype.
"""

from __future__ import annotations

import abc
from collections.abc import Callable
from typing import Any, ClassVar

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.tape.tape import GradientTape
from tfgrad_jax.engine.values.composite import Composite
from tfgrad_jax.engine.values.dtypes import as_dtype, complex64, complex128, float16, float32, float64
from tfgrad_jax.lib.private.random_matrices import random_normal
from tfgrad_jax.lib.private.util import convert_variables_to_tensors
from tfgrad_jax.lib.testing.case import TestCase
from tfgrad_jax.ops.array.array import concat
from tfgrad_jax.ops.array.creation import ones
from tfgrad_jax.ops.math.cast import cast

_PLACE = "python.ops.linalg.linear_operator_test_util."

_TOLERANCES = {float16: 1e-3, float32: 1e-6, float64: 1e-12, complex64: 1e-6, complex128: 1e-12}


@export(_PLACE + "OperatorShapesInfo")
class OperatorShapesInfo:
    """A shape of operators to test, and what else a test case wants to know of it, as attributes."""

    def __init__(self, shape: Any, **kwargs: Any) -> None:
        self.shape = shape
        self.__dict__.update(kwargs)


@export(_PLACE + "CheckTapeSafeSkipOptions")
class CheckTapeSafeSkipOptions:
    """Methods that `check_tape_safe` can leave out."""

    DETERMINANT = "determinant"
    DIAG_PART = "diag_part"
    LOG_ABS_DETERMINANT = "log_abs_determinant"
    TRACE = "trace"


@export(_PLACE + "LinearOperatorDerivedClassTest")
class LinearOperatorDerivedClassTest(TestCase, metaclass=abc.ABCMeta):
    """The base of test cases of a class of operators."""

    _atol: ClassVar[dict[Any, float]] = dict(_TOLERANCES)
    _rtol: ClassVar[dict[Any, float]] = dict(_TOLERANCES)

    def assertAC(self, x: Any, y: Any, check_dtype: bool = False) -> None:
        """Fails unless both are close, by the tolerances `_atol` and `_rtol` for the dtype of the first."""
        self.assertAllClose(x, y, **self.tolerances(as_dtype(x.dtype)))
        if check_dtype:
            self.assertDTypeEqual(x, y.dtype)

    def tolerances(self, dtype: Any) -> dict[str, Any]:
        """How far apart values of a dtype may be."""
        return {"atol": self._atol[dtype], "rtol": self._rtol[dtype]}

    @staticmethod
    def adjoint_options() -> list[bool]:
        """Whether products are taken of the operator, or of its adjoint."""
        return [False, True]

    @staticmethod
    def adjoint_arg_options() -> list[bool]:
        """Whether an argument is given as it is, or as its adjoint."""
        return [False, True]

    @staticmethod
    def dtypes_to_test() -> list[Any]:
        """Dtypes of the operators."""
        return [float32, float64, complex64, complex128]

    @staticmethod
    def use_placeholder_options() -> list[bool]:
        """Whether operators are made of tensors of unknown shape."""
        return [False, True]

    @staticmethod
    def use_blockwise_arg() -> bool:
        """Whether the operator takes a list of blocks for an argument."""
        return False

    @staticmethod
    def skip_these_tests() -> list[str]:
        """Names of tests that do not fit the class."""
        return []

    @staticmethod
    def optional_tests() -> list[str]:
        """Names of tests that are made only where they are listed here."""
        return []

    @staticmethod
    def operator_shapes_infos() -> list[OperatorShapesInfo]:
        """Shapes of the operators."""
        raise NotImplementedError("operator_shapes_infos: the test case lists no shapes")

    @abc.abstractmethod
    def operator_and_matrix(
        self, shapes_info: Any, dtype: Any, use_placeholder: bool, ensure_self_adjoint_and_pd: bool = False
    ) -> tuple[Any, Any]:
        """An operator and the matrix that it stands for; with the last argument one that is known to be positive definite."""

    @abc.abstractmethod
    def make_rhs(self, operator: Any, adjoint: bool, with_batch: bool = True) -> Any:
        """What the operator, or its adjoint, can solve for."""

    @abc.abstractmethod
    def make_x(self, operator: Any, adjoint: bool, with_batch: bool = True) -> Any:
        """What the operator, or its adjoint, can be multiplied with."""

    def assertRaisesError(self, msg: str) -> Any:
        """A context in which an error must be raised whose text matches."""
        return self.assertRaisesRegex(Exception, msg)

    def check_convert_variables_to_tensors(self, operator: Any) -> None:
        """Fails unless an operator of the values of the variables is of the same class, with the same arguments."""
        self.assertIsInstance(operator, Composite)
        of_tensors = convert_variables_to_tensors(operator)
        self.assertIs(type(operator), type(of_tensors))
        self.assertEmpty(of_tensors.variables)
        self._same_parameters(operator, of_tensors)

    def _same_parameters(self, one: Any, other: Any) -> None:
        if isinstance(one, Variable):
            self.assertAllClose(one, other)
        elif isinstance(one, Composite):
            self._same_parameters(getattr(one, "parameters", {}), getattr(other, "parameters", {}))
        elif isinstance(one, dict):
            self.assertEqual(list(one), list(other))
            self._same_parameters(list(one.values()), list(other.values()))
        elif isinstance(one, (list, tuple)):
            for part, its in zip(one, other, strict=True):
                self._same_parameters(part, its)

    def check_tape_safe(self, operator: Any, skip_options: Any = None) -> None:
        """Fails if a method of an operator has no gradient for one of the operator's variables."""
        if not operator.variables:
            raise AssertionError("check_tape_safe: the operator has no variables")
        vector = cast(ones(operator.H.shape_tensor()[:-1]), operator.dtype)
        methods: dict[str, Callable[[], Any]] = {
            "to_dense": operator.to_dense,
            "itself": lambda: operator,
            "adjoint": lambda: operator.adjoint().to_dense(),
            "matvec": lambda: operator.matvec(vector),
        }
        if operator.is_square:
            for name in ("determinant", "log_abs_determinant", "diag_part", "trace"):
                if name not in (skip_options or []):
                    methods[name] = getattr(operator, name)
            if operator.is_non_singular is not False:
                methods["inverse"] = lambda: operator.inverse().to_dense()
                methods["solvevec"] = lambda: operator.solvevec(vector)
                if operator.is_self_adjoint and operator.is_positive_definite:
                    methods["cholesky"] = lambda: operator.cholesky().to_dense()
        for name, method in methods.items():
            with GradientTape() as tape:
                found = tape.gradient(method(), operator.variables)
            self.assertNotIn(None, [None if g is None else 0 for g in found], f"of {name}")

    def _systems(self, operator: Any) -> int:
        """How many columns an argument has: 2 where the rank is even, 1 otherwise."""
        return 1 if operator.tensor_rank is None or operator.tensor_rank % 2 else 2

    def _argument(self, operator: Any, rows: Any, with_batch: bool) -> Any:
        """Normal numbers of so many rows."""
        batch = operator.batch_shape_tensor() if with_batch else []
        return random_normal(
            concat([cast(batch, "int32"), [int(rows), self._systems(operator)]], 0), dtype=operator.dtype
        )


@export(_PLACE + "SquareLinearOperatorDerivedClassTest")
class SquareLinearOperatorDerivedClassTest(LinearOperatorDerivedClassTest, metaclass=abc.ABCMeta):
    """The base of test cases of square operators."""

    @staticmethod
    def operator_shapes_infos() -> list[OperatorShapesInfo]:
        """Shapes without and with batches."""
        return [OperatorShapesInfo(shape) for shape in ((0, 0), (1, 1), (1, 3, 3), (3, 4, 4), (2, 1, 4, 4))]

    def make_x(self, operator: Any, adjoint: bool, with_batch: bool = True) -> Any:
        """Normal numbers."""
        return self._argument(operator, operator.domain_dimension_tensor(), with_batch)

    def make_rhs(self, operator: Any, adjoint: bool, with_batch: bool = True) -> Any:
        """Normal numbers: the operator is square, so all arguments are of the same shape."""
        return self.make_x(operator, adjoint=not adjoint, with_batch=with_batch)


@export(_PLACE + "NonSquareLinearOperatorDerivedClassTest")
class NonSquareLinearOperatorDerivedClassTest(LinearOperatorDerivedClassTest, metaclass=abc.ABCMeta):
    """The base of test cases of operators that are not square."""

    @staticmethod
    def skip_these_tests() -> list[str]:
        """What only square operators can do."""
        return ["cholesky", "eigvalsh", "inverse", "solve", "solve_with_broadcast", "det", "log_abs_det"]

    @staticmethod
    def operator_shapes_infos() -> list[OperatorShapesInfo]:
        """Shapes without and with batches."""
        return [OperatorShapesInfo(shape) for shape in ((2, 1), (1, 2), (1, 3, 2), (3, 3, 4), (2, 1, 2, 4))]

    def make_x(self, operator: Any, adjoint: bool, with_batch: bool = True) -> Any:
        """Normal numbers."""
        rows = operator.range_dimension_tensor() if adjoint else operator.domain_dimension_tensor()
        return self._argument(operator, rows, with_batch)

    def make_rhs(self, operator: Any, adjoint: bool, with_batch: bool = True) -> Any:
        """Nothing: such operators solve nothing."""
        raise NotImplementedError("make_rhs: operators that are not square solve nothing")
