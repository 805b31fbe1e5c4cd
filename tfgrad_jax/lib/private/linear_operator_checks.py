"""What `linear_operator_test_util.add_tests` has tests do: compare each method of an operator with the dense matrix."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

from tfgrad_jax.engine.function.function import function
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.tape.tape import GradientTape
from tfgrad_jax.engine.values import nest
from tfgrad_jax.engine.values.composite import spec_of
from tfgrad_jax.engine.values.dtypes import complex64, complex128, float16, float32, float64
from tfgrad_jax.lib.module import Module
from tfgrad_jax.lib.private.linear_operators import broadcast_batch, solve_with_broadcast
from tfgrad_jax.lib.saved_model.loading import load
from tfgrad_jax.lib.saved_model.saving import save
from tfgrad_jax.ops.array.array import concat, split
from tfgrad_jax.ops.array.creation import ones_like
from tfgrad_jax.ops.array.sorting import sort
from tfgrad_jax.ops.control.control_flow import while_loop
from tfgrad_jax.ops.linalg.linalg import diag_part, trace
from tfgrad_jax.ops.linalg.matmul import adjoint as adjoint_of
from tfgrad_jax.ops.linalg.matmul import matmul
from tfgrad_jax.ops.linalg.matrices import cholesky, det, eigvalsh, inv, slogdet
from tfgrad_jax.ops.linalg.singular import svd
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.math.reduce import reduce_max, reduce_min

_PLACE = "python.ops.linalg.linear_operator_test_util."

_OF_CONDITIONS = {float16: 1e-2, float32: 1e-3, float64: 1e-6, complex64: 1e-3, complex128: 1e-6}


class _Made:
    """The operator and matrix that a check is about: what it has of the test case, and how they are made."""

    def __init__(self, case: Any, info: Any, dtype: Any, use_placeholder: bool) -> None:
        self.case, self.info, self.dtype, self._use_placeholder = case, info, dtype, use_placeholder

    def __call__(self, **definite: bool) -> tuple[Any, Any]:
        """The two."""
        return self.case.operator_and_matrix(self.info, self.dtype, use_placeholder=self._use_placeholder, **definite)

    def definite(self) -> tuple[Any, Any]:
        """The two, positive definite."""
        return self(ensure_self_adjoint_and_pd=True)


_CHECKS: dict[str, Callable[..., Iterator[tuple[Any, Any]]]] = {}
"""By name of the test: what gives pairs of the operator's answer and the matrix's."""


def _check(name: str) -> Callable[..., Any]:
    def enter(check: Any) -> Any:
        _CHECKS[name] = check
        return check

    return enter


def _of_method(name: str, method: Any, expected: Any, definite: bool = False) -> None:
    """The check that a method of the operator equals a function of the matrix."""

    def check(made: _Made) -> Any:
        operator, matrix = made.definite() if definite else made()
        answer, right = method(operator), expected(matrix)
        made.case.assertAllEqual(answer.shape, right.shape)
        yield answer, right

    _CHECKS[name] = check


_of_method("add_to_tensor", lambda o: o.add_to_tensor(2 * o.to_dense()), lambda m: 3 * m)
_of_method("adjoint", lambda o: o.adjoint().to_dense(), adjoint_of)
_of_method("cholesky", lambda o: o.cholesky().to_dense(), cholesky, definite=True)
_of_method("det", lambda o: o.determinant(), det)
_of_method("diag_part", lambda o: o.diag_part(), diag_part)
_of_method("inverse", lambda o: o.inverse().to_dense(), inv)
_of_method("log_abs_det", lambda o: o.log_abs_determinant(), lambda m: slogdet(m)[1])
_of_method("to_dense", lambda o: o.to_dense(), lambda m: m)
_of_method("trace", lambda o: o.trace(), trace)


@_check("cond")
def _cond(made: _Made) -> Any:
    if 0 in made.info.shape[-2:]:
        return
    operator, matrix = made.definite()
    values = svd(matrix, compute_uv=False)
    bound = _OF_CONDITIONS[made.dtype]
    right = reduce_max(values, axis=-1) / reduce_min(values, axis=-1)
    made.case.assertAllClose(operator.cond(), right, atol=bound, rtol=1e-4 if made.dtype == float64 else bound)
    yield from ()


@_check("eigvalsh")
def _eigvalsh(made: _Made) -> Any:
    operator, matrix = made.definite()
    wide = cast(matrix, complex128 if made.dtype.is_complex else float64)
    single = made.dtype in (float32, complex64)
    made.case.assertAllClose(
        sort(cast(operator.eigvals(), float64), axis=-1),
        sort(cast(eigvalsh(wide), float64), axis=-1),
        **({"atol": 2e-4, "rtol": 2e-4} if single else made.case.tolerances(made.dtype)),
    )
    yield from ()


@_check("slicing")
def _slicing(made: _Made) -> Any:
    operator, matrix = made()
    batch = made.info.shape[:-2]
    if not batch or batch[0] <= 1:
        return
    taken = [slice(1, -1)] + ([..., slice(0, 1)] if len(batch) > 1 else [])
    yield operator[taken].to_dense(), matrix[(*taken, slice(None), slice(None))]


def _applied(name: str, of_operator: Any, of_matrix: Any, argument: Any, with_batch: bool) -> None:
    """The check of what an operator does to an argument: to a tensor, and to a list of blocks where it takes these."""

    def check(made: _Made, adjoint: bool, adjoint_arg: bool) -> Any:
        if not with_batch and len(made.info.shape) <= 2:
            return
        operator, matrix = made()
        x = argument(made.case)(operator, adjoint=adjoint, with_batch=with_batch)
        right = of_matrix(matrix, x, adjoint)
        turned = adjoint_of if adjoint_arg else (lambda one: one)
        answer = of_operator(operator)(turned(x), adjoint=adjoint, adjoint_arg=adjoint_arg)
        made.case.assertAllEqual(answer.shape, right.shape)
        yield answer, right
        if made.case.use_blockwise_arg() and len(operator.operators) > 1:
            on_diagonal = [one[-1] if isinstance(one, (list, tuple)) else one for one in operator.operators]
            sizes = [
                one.range_dimension.value if adjoint == (name[:5] != "solve") else one.domain_dimension.value
                for one in on_diagonal
            ]
            blocks = split(x, sizes, axis=-2)
            parts = of_operator(operator)(list(map(turned, blocks)), adjoint=adjoint, adjoint_arg=adjoint_arg)
            made.case.assertEqual(len(parts), len(operator.operators))
            yield concat(broadcast_batch(parts), axis=-2), right

    _CHECKS[name] = check


for _name, _batch in (("", True), ("_with_broadcast", False)):
    _applied(
        f"matmul{_name}",
        lambda o: o.matmul,
        lambda m, x, adjoint: matmul(m, x, adjoint_a=adjoint),
        lambda case: case.make_x,
        _batch,
    )
    _applied(f"solve{_name}", lambda o: o.solve, solve_with_broadcast, lambda case: case.make_rhs, _batch)


@_check("operator_matmul_with_same_type")
def _products(made: _Made) -> Any:
    (one, its), (other, of_other) = made(), made()
    found = one.matmul(other)
    made.case.assertIsInstance(found, type(one))
    yield found.to_dense(), matmul(its, of_other)


@_check("operator_solve_with_same_type")
def _quotients(made: _Made) -> Any:
    (one, its), (other, of_other) = made(), made()
    found = one.solve(other)
    made.case.assertIsInstance(found, type(one))
    yield found.to_dense(), solve_with_broadcast(its, of_other)


@_check("composite_tensor")
def _composite(made: _Made) -> Any:
    operator, matrix = made()
    rebuilt = nest.pack_sequence_as(operator, nest.flatten(operator, expand_composites=True), expand_composites=True)
    made.case.assertIsInstance(rebuilt, type(operator))
    x = made.case.make_x(operator, adjoint=False)
    right = matmul(matrix, x)
    yield function(lambda one: one.matmul(x))(rebuilt), right
    (looped,) = while_loop(
        lambda _: True, lambda one: (type(one)(**one.parameters),), (operator,), maximum_iterations=3
    )
    yield looped.matmul(x), right


@_check("composite_tensor_gradient")
def _gradient(made: _Made) -> Any:
    operator, _ = made()
    x = made.case.make_x(operator, adjoint=False)
    flat = nest.flatten(operator, expand_composites=True)
    with GradientTape(persistent=True) as tape:
        tape.watch(flat)
        product = operator.matmul(x)
        apart = nest.pack_sequence_as(operator, flat, expand_composites=True).matmul(x)
    whole = tape.gradient(product, operator, output_gradients=ones_like(product))
    parts = tape.gradient(apart, flat, output_gradients=ones_like(apart))
    if all(part is None for part in parts):
        made.case.assertIsNone(whole)
        return
    made.case.assertIsInstance(whole, type(operator))
    for part, its in zip(parts, nest.flatten(whole, expand_composites=True), strict=True):
        made.case.assertAllClose(its, part)
    yield from ()


@_check("saved_model")
def _saved(made: _Made) -> Any:
    operator, matrix = made()
    x = made.case.make_x(operator, adjoint=False)

    class Model(Module):
        """A model that multiplies operators with its variable."""

        def __init__(self) -> None:
            super().__init__()
            self.x = Variable(x)

        @function(input_signature=(spec_of(operator),))
        def product(self, one: Any) -> Any:
            """The product of an operator and the variable."""
            return one.matmul(self.x)

    folder = made.case.get_temp_dir()
    model = Model()
    model.x.assign_add(ones_like(x))
    save(model, folder)
    yield load(folder).product(operator), matmul(matrix, x + ones_like(x))


_WITH_ADJOINTS = ("matmul", "matmul_with_broadcast", "solve", "solve_with_broadcast")
_OPTIONAL = ("operator_matmul_with_same_type", "operator_solve_with_same_type")


def _test(check: Any, info: Any, dtype: Any, use_placeholder: bool, **how: bool) -> Any:
    def test(self: Any) -> None:
        for answer, right in check(_Made(self, info, dtype, use_placeholder), **how):
            self.assertAC(answer, right, check_dtype=check is _CHECKS["inverse"])

    return test


@export(_PLACE + "add_tests")
def add_tests(test_cls: Any) -> None:
    """Give a test case its tests: one for each method of operators, dtype, shape, and way to make the operator.

    Raises:
      ValueError: if the class skips tests that it asks for.
      RuntimeError: if it has a test of that name.
    """
    skipped, asked = set(test_cls.skip_these_tests()), set(test_cls.optional_tests())
    if skipped & asked:
        raise ValueError(f"add_tests: {test_cls} both skips and asks for {sorted(skipped & asked)}")
    for name, check in _CHECKS.items():
        if name in skipped or (name in _OPTIONAL and name not in asked):
            continue
        for dtype, placeholder, info in itertools.product(
            test_cls.dtypes_to_test(), test_cls.use_placeholder_options(), test_cls.operator_shapes_infos()
        ):
            said = f"test_{name}_shape={info.shape},dtype={dtype},use_placeholder={placeholder}"
            ways: list[tuple[str, dict[str, bool]]] = [(said, {})]
            if name in _WITH_ADJOINTS:
                ways = [
                    (f"{said},adjoint={a},adjoint_arg={b}", {"adjoint": a, "adjoint_arg": b})
                    for a, b in itertools.product(test_cls.adjoint_options(), test_cls.adjoint_arg_options())
                ]
            for full, how in ways:
                if hasattr(test_cls, full):
                    raise RuntimeError(f"add_tests: {test_cls} has a test {full!r} already")
                setattr(test_cls, full, _test(check, info, dtype, placeholder, **how))
