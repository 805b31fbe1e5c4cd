"""The bases of test cases of linear operators, and what is around them."""

from __future__ import annotations

import importlib
import unittest

import numpy as np
import pytest

import tfgrad_jax as tf

L = tf.linalg


def private(name):
    return importlib.import_module(f"tfgrad_jax.python.ops.linalg.{name}")


def results(wrong: bool):
    """What the tests of a diagonal operator say whose matrix is right, or wrong."""
    tests = private("linear_operator_test_util")

    class Case(tests.SquareLinearOperatorDerivedClassTest):
        @staticmethod
        def dtypes_to_test():
            return [tf.float32]

        @staticmethod
        def use_placeholder_options():
            return [False]

        @staticmethod
        def operator_shapes_infos():
            return [tests.OperatorShapesInfo((3, 2, 2))]

        @staticmethod
        def optional_tests():
            return ["operator_matmul_with_same_type"]

        @staticmethod
        def skip_these_tests():
            return ["saved_model"]

        def operator_and_matrix(self, shapes_info, dtype, use_placeholder, ensure_self_adjoint_and_pd=False):
            diag = tests.random_sign_uniform(shapes_info.shape[:-1], 1.0, 2.0, dtype)
            diag = tf.abs(diag) if ensure_self_adjoint_and_pd else diag
            hints = {"is_self_adjoint": True, "is_positive_definite": True} if ensure_self_adjoint_and_pd else {}
            return L.LinearOperatorDiag(diag, **hints), L.diag(diag * 1.25 if wrong else diag)

    tests.add_tests(Case)
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(Case).run(result)
    return result


def test_right_and_wrong_operators():
    right = results(wrong=False)
    assert not right.failures and not right.errors, [*right.failures, *right.errors][0][1]
    assert right.testsRun - len(right.skipped) == 15 + 4 * 4
    wrong = results(wrong=True)
    named = {case.id().split("test_")[-1].split("_shape")[0] for case, _ in wrong.failures}
    assert named >= {
        "to_dense",
        "det",
        "solve",
        "matmul",
        "composite_tensor",
        "diag_part",
        "trace",
        "inverse",
        "cholesky",
    }
    assert named.isdisjoint({"cond", "composite_tensor_gradient"})


def test_gradients_are_operators():
    diag = tf.Variable([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        operator = L.LinearOperatorDiag(diag, is_self_adjoint=True)
        y = operator.matvec([3.0, 4.0])
        z = tf.constant(1.0)
    found = tape.gradient(y, operator)
    assert isinstance(found, L.LinearOperatorDiag) and found.is_self_adjoint
    np.testing.assert_array_equal(found.diag, [3.0, 4.0])
    np.testing.assert_array_equal(tape.gradient(operator, diag), [1.0, 1.0])
    assert tape.gradient(z, operator) is None


def test_low_rank_updates():
    """The diagonal of a complex update, with a batch, and what follows from what is known."""
    rng = np.random.default_rng(0)
    u = rng.normal(size=(2, 3, 2)) + 1j * rng.normal(size=(2, 3, 2))
    base = L.LinearOperatorDiag(
        tf.constant([1.0, 2.0, 3.0], tf.complex128), is_self_adjoint=True, is_positive_definite=True
    )
    operator = L.LinearOperatorLowRankUpdate(base, u, [1.0, 2.0], is_diag_update_positive=True)
    np.testing.assert_allclose(operator.diag_part(), L.diag_part(operator.to_dense()))
    assert operator.is_self_adjoint and operator.is_positive_definite
    with pytest.raises(ValueError, match="is_positive_definite is False"):
        L.LinearOperatorLowRankUpdate(base, u, is_positive_definite=False)


def test_blocks_times_blocks():
    diag, full = L.LinearOperatorDiag([1.0, 2.0]), L.LinearOperatorFullMatrix([[2.0, 1.0], [0.0, 3.0]])
    one, other = L.LinearOperatorBlockDiag([diag, full]), L.LinearOperatorBlockDiag([full, diag])
    for found, right in (
        (one.matmul(other), one.to_dense() @ other.to_dense()),
        (one.solve(other), L.inv(one.to_dense()) @ other.to_dense()),
    ):
        assert isinstance(found, L.LinearOperatorBlockDiag)
        np.testing.assert_allclose(found.to_dense(), right)
    assert one[[...]].shape == one.shape


@pytest.mark.parametrize(
    ("check", "message"),
    [
        (lambda: L.LinearOperatorDiag([1.0, 0.0]).assert_positive_definite(), "non-positive.*not positive definite"),
        (lambda: L.LinearOperatorDiag([1.0, 0.0]).assert_non_singular(), "Singular operator"),
        (lambda: L.LinearOperatorDiag([1j, 0]).assert_self_adjoint(), "imaginary.*not self-adjoint"),
        (lambda: L.LinearOperatorScaledIdentity(2, 0.0).assert_non_singular(), "was singular"),
        (lambda: L.LinearOperatorFullMatrix([[1.0, 1.0], [1.0, 1.0]]).assert_non_singular(), "Singular matrix"),
        (
            lambda: L.LinearOperatorFullMatrix([[1.0, 1.0], [2.0, 1.0]]).assert_self_adjoint(),
            "not equal to its adjoint",
        ),
        (lambda: L.LinearOperatorLowerTriangular([[1.0, 0.0], [2.0, 0.0]]).assert_non_singular(), "Singular operator"),
        (lambda: L.LinearOperatorCirculant([-1.0 + 0j, 1.0]).assert_positive_definite(), "Not positive definite"),
        (lambda: L.LinearOperatorCirculant([-1j, 1.0]).assert_self_adjoint(), "Not self-adjoint"),
        (lambda: L.LinearOperatorZeros(2).assert_non_singular(), "non-invertible"),
        (lambda: L.LinearOperatorHouseholder([1.0, 0.0]).assert_positive_definite(), "non-positive definite"),
    ],
)
def test_assertions(check, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        check()
    with pytest.raises(NotImplementedError, match="assert_positive_definite"):
        L.LinearOperatorFullMatrix([[1.0, 1.0], [2.0, 1.0]]).assert_positive_definite()


def test_types_have_names():
    registry = importlib.import_module("tfgrad_jax.python.framework.type_spec_registry")
    assert (
        registry.get_name(type(tf.type_spec_from_value(L.LinearOperatorDiag([1.0]))))
        == "tf.linalg.LinearOperatorDiagSpec"
    )


def test_arguments_and_batches():
    util = private("linear_operator_util")
    variable = tf.Variable(1.0)
    assert util.convert_nonref_to_tensor(variable) is variable and util.convert_nonref_to_tensor(None) is None
    with pytest.raises(TypeError, match="must be of dtype `float64` Received: `float32`"):
        util.convert_nonref_to_tensor(variable, tf.float64)
    with pytest.raises(TypeError, match="cannot be reference type"):
        util.assert_not_ref_type(variable, "x")
    x, y = util.broadcast_matrix_batch_dims([tf.ones([2, 3, 1, 4, 4]), tf.ones([1, 3, 2, 5, 5])])
    assert x.shape == [2, 3, 2, 4, 4] and y.shape == [2, 3, 2, 5, 5]
    with pytest.raises(ValueError, match="at least two dimensions"):
        util.broadcast_matrix_batch_dims([tf.ones([2]), tf.ones([2, 2])])
    with pytest.raises(TypeError, match="iterable"):
        util.broadcast_matrix_batch_dims(tf.ones([2, 2]))
    solved = util.matrix_solve_with_broadcast(2 * tf.eye(2), tf.ones([3, 2, 1]))
    np.testing.assert_array_equal(solved, np.full((3, 2, 1), 0.5))
    blocks = util.split_arg_into_blocks([1, None], lambda: [1, 3], tf.range(4))
    assert [b.shape[0] for b in blocks] == [1, 3]
    assert util.arg_is_blockwise([2, 3], [tf.ones([2, 1]), tf.ones([3, 1])], -2)
    assert not util.arg_is_blockwise([2, 3], [[1.0, 2.0, 3.0, 4.0, 5.0]] * 2, -1)
    with pytest.raises(ValueError, match="ambiguous"):
        util.arg_is_blockwise([None, None], [[1.0, 2.0], [3.0, 4.0]], -1)


def test_hints():
    util, hints = private("linear_operator_util"), private("property_hint_util")
    matrix = [[1.0, 2.0], [2.0, 5.0]]
    unknown, adjoint = L.LinearOperatorFullMatrix(matrix), L.LinearOperatorFullMatrix(matrix, is_self_adjoint=True)
    no = L.LinearOperatorFullMatrix(matrix, is_self_adjoint=False, is_non_singular=False)
    assert util.is_aat_form([unknown, unknown.H]) and not util.is_aat_form([unknown, unknown])
    assert util.is_aat_form([adjoint, adjoint]) and not util.is_aat_form([adjoint])
    with pytest.raises(ValueError, match="empty"):
        util.is_aat_form([])
    ask = util.use_operator_or_provided_hint_unless_contradicting
    assert ask(adjoint, "is_self_adjoint", None, "m") is True and ask(unknown, "is_self_adjoint", None, "m") is None
    with pytest.raises(ValueError, match="they differ"):
        ask(adjoint, "is_self_adjoint", False, "they differ")
    combined = hints.combined_commuting_self_adjoint_hint
    assert (combined(adjoint, adjoint), combined(adjoint, no), combined(no, no)) == (True, False, None)
    assert hints.combined_non_singular_hint(unknown, no) is False and hints.is_square(unknown, no) is True
    tall, wide = L.LinearOperatorFullMatrix(np.ones((3, 2))), L.LinearOperatorFullMatrix(np.ones((2, 3)))
    assert hints.is_square(tall, wide) is True and hints.is_square(tall, unknown) is False


def test_random_matrices():
    util = private("linear_operator_test_util")
    low = util.random_tril_matrix([2, 3, 3], tf.complex64, force_well_conditioned=True)
    assert low.dtype == tf.complex64 and not np.triu(low, 1).any() and (np.abs(L.diag_part(low)) >= 1).all()
    definite = util.random_positive_definite_matrix([3, 3], tf.float64, force_well_conditioned=True)
    assert (np.linalg.eigvalsh(definite) > 0.4).all()
    with pytest.raises(ValueError, match="square"):
        util.random_positive_definite_matrix([3, 2], tf.float64)
    flat = util.random_normal_correlated_columns([3, 4], dtype=tf.float64)
    assert np.linalg.svd(flat)[1].shape == (3,)
