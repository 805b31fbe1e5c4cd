"""`tf.linalg.LinearOperator`s do what their dense matrices do."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf

L = tf.linalg
random = np.random.RandomState(0)


def normal(*shape):
    return random.randn(*shape)


def positive(n, *batch):
    a = normal(*batch, n, n)
    return a @ np.swapaxes(a, -1, -2) + n * np.eye(n)


FULL = L.LinearOperatorFullMatrix
SQUARE = {
    "full": lambda: FULL(normal(2, 3, 3)),
    "positive": lambda: FULL(positive(3, 2), is_self_adjoint=True, is_positive_definite=True),
    "triangular": lambda: L.LinearOperatorLowerTriangular(normal(2, 3, 3)),
    "diagonal": lambda: L.LinearOperatorDiag(np.abs(normal(2, 3)), is_positive_definite=True),
    "complex": lambda: L.LinearOperatorDiag(normal(3) + 1j * normal(3)),
    "identity": lambda: L.LinearOperatorIdentity(3, batch_shape=[2], dtype=tf.float64),
    "scaled": lambda: L.LinearOperatorScaledIdentity(3, tf.constant([2.0, 3.0], tf.float64)),
    "composition": lambda: L.LinearOperatorComposition([FULL(normal(3, 3)), L.LinearOperatorDiag(normal(2, 3))]),
    "adjoint": lambda: FULL(normal(3, 3)).adjoint(),
    "inverse": lambda: FULL(normal(3, 3), is_non_singular=True).inverse(),
    "blocks": lambda: L.LinearOperatorBlockDiag([FULL(normal(2, 2)), L.LinearOperatorDiag(normal(5, 1))]),
    "block triangular": lambda: L.LinearOperatorBlockLowerTriangular(
        [[FULL(normal(2, 2))], [FULL(normal(1, 2)), FULL(normal(1, 1))]]
    ),
    "kronecker": lambda: L.LinearOperatorKronecker([FULL(normal(2, 2)), FULL(normal(4, 3, 3))]),
    "low rank": lambda: L.LinearOperatorLowRankUpdate(
        L.LinearOperatorDiag(np.abs(normal(3)) + 1, is_positive_definite=True),
        normal(3, 2),
        np.abs(normal(2)),
        is_diag_update_positive=True,
    ),
    "low rank, two sides": lambda: L.LinearOperatorLowRankUpdate(
        FULL(normal(3, 3)), normal(2, 3, 2), None, normal(3, 2)
    ),
    "reflection": lambda: L.LinearOperatorHouseholder(normal(2, 3)),
    "permutation": lambda: L.LinearOperatorPermutation([2, 0, 1], dtype=tf.float64),
    "toeplitz": lambda: L.LinearOperatorToeplitz([1.0, 2.0, 3.0], [1.0, 5.0, 6.0]),
    "tridiagonal": lambda: L.LinearOperatorTridiag(normal(3, 3).astype(np.float32)),
}


@pytest.fixture(params=SQUARE)
def operator(request):
    random.seed(1)
    return SQUARE[request.param]()


def close(a, b):
    np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-4)


def test_products_and_solutions(operator):
    dense = operator.to_dense().numpy()
    assert operator.shape == dense.shape and operator.shape_tensor().numpy().tolist() == list(dense.shape)
    assert operator.is_square and operator.dtype == dense.dtype
    x = normal(dense.shape[-1], 2).astype(dense.dtype)
    adjoint = np.conj(np.swapaxes(dense, -1, -2))
    close(operator.matmul(x), dense @ x)
    close(operator.matmul(x, adjoint=True), adjoint @ x)
    close(operator.matmul(x.T.copy(), adjoint_arg=True), dense @ np.conj(x))
    close(operator.matvec(x[:, 0]), dense @ x[:, 0])
    close(operator.solve(x), np.linalg.inv(dense) @ x)
    close(operator.solve(x, adjoint=True), np.linalg.inv(adjoint) @ x)
    close(operator.solvevec(x[:, 0]), np.linalg.inv(dense) @ x[:, 0])
    close(operator.adjoint().to_dense(), adjoint)
    close(operator.inverse().to_dense(), np.linalg.inv(dense))
    close(operator.matmul(operator).to_dense(), dense @ dense)
    close(operator.add_to_tensor(np.ones(dense.shape, dense.dtype)), dense + 1)
    close(tf.function(lambda o: o.matmul(x))(operator), dense @ x)


def test_numbers(operator):
    dense = operator.to_dense().numpy()
    close(operator.determinant(), np.linalg.det(dense))
    close(np.real(operator.log_abs_determinant()), np.linalg.slogdet(dense)[1])
    close(operator.trace(), np.trace(dense, axis1=-2, axis2=-1))
    close(operator.diag_part(), np.diagonal(dense, axis1=-2, axis2=-1))
    if operator.is_self_adjoint:
        close(np.sort(operator.eigvals()), np.linalg.eigvalsh(dense))
    if operator.is_self_adjoint and operator.is_positive_definite:
        close(operator.cholesky().to_dense(), np.linalg.cholesky(dense))
    if len(operator.batch_shape):
        close(operator[0].to_dense(), dense[0])
        close(operator[..., :1].to_dense(), dense[..., :1, :, :])


def test_a_matrix_that_is_not_square():
    operator = FULL(normal(3, 4))
    assert operator.is_square is False and operator.range_dimension == 3 and operator.domain_dimension == 4
    for ask in (operator.determinant, lambda: operator.solve(normal(3, 1))):
        with pytest.raises(NotImplementedError, match="not be square"):
            ask()
    with pytest.raises(ValueError, match="non square matrix"):
        operator.inverse()
    with pytest.raises(ValueError, match="Expected `x` to have dimension 4 but got 3"):
        operator.matmul(normal(3, 1))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: FULL(np.eye(2), is_positive_definite=True, is_non_singular=False), "always non-singular"),
        (lambda: FULL(np.eye(2), is_non_singular=True, is_square=False), "always square"),
        (lambda: FULL([1.0]), "at least 2 dimensions"),
        (lambda: L.LinearOperatorDiag([1.0], is_self_adjoint=False), "always self adjoint"),
        (lambda: L.LinearOperatorIdentity(2, is_square=False), "identity operator is always"),
        (lambda: L.LinearOperatorZeros(2, is_non_singular=True), "always singular"),
        (lambda: L.LinearOperatorTridiag(np.eye(3), "other"), "diagonals_format"),
        (lambda: L.LinearOperatorComposition([]), "at least one operator"),
        (lambda: L.LinearOperatorIdentity([2]), "non-negative scalar"),
        (lambda: L.LinearOperatorToeplitz(1.0, [1.0]), "`col` must have at least 1 dimension"),
        (lambda: L.LinearOperatorToeplitz([1.0, 2.0], [1.0]), "of one length"),
        (lambda: L.LinearOperatorHouseholder(1.0), "at least 1 dimension"),
        (lambda: L.LinearOperatorLowRankUpdate(FULL(np.eye(3)), normal(4, 2)), "3 and 4 are not compatible"),
        (lambda: L.LinearOperatorLowRankUpdate(FULL(np.eye(3)), normal(3, 2), normal(3)), "2 and 3 are not compatible"),
        (lambda: L.LinearOperatorBlockLowerTriangular([[FULL(normal(2, 3))]]), "square matrices on the diagonal"),
        (lambda: L.LinearOperatorBlockDiag([FULL(np.eye(2)), FULL(np.eye(3))]).matmul([normal(2, 2)]), "2 blocks"),
        (lambda: L.LinearOperatorZeros(2, 3, is_square=False) @ FULL(np.eye(3)), "need square operators"),
        (lambda: L.LinearOperatorDiag([1.0, 2.0]).matvec(tf.ones([7])), "dimension 2 but got 7"),
        (lambda: L.LinearOperatorIdentity(2).matvec(tf.ones([7])), "dimension 2 but got 7"),
        (lambda: L.LinearOperatorLowerTriangular(np.eye(2)).cholesky(), "Not a positive definite"),
    ],
)
def test_what_cannot_be(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize(
    "make",
    [
        lambda: FULL([[1, 2], [3, 4]]),
        lambda: L.LinearOperatorIdentity(2.0),
        lambda: FULL(np.eye(2)).matmul(tf.ones([2, 2], tf.float32)),
        lambda: FULL(np.eye(2)).solvevec(tf.ones([2], tf.float32)),
        lambda: FULL(np.eye(2)).add_to_tensor(tf.constant(1.0)),
    ],
)
def test_dtypes_that_do_not_fit(make):
    with pytest.raises(TypeError):
        make()


def test_open_sizes():
    @tf.function(input_signature=[tf.TensorSpec([None, None], tf.float64)])
    def inverse(matrix):
        operator = FULL(matrix)
        assert operator.domain_dimension.value is None
        return operator.inverse().to_dense(), L.LinearOperatorZeros(3, dtype=tf.float64).matmul(matrix)

    matrix = positive(3)
    found, zeros = inverse(matrix)
    close(found, np.linalg.inv(matrix))
    assert zeros.shape == [3, 3] and not zeros.numpy().any()


def test_sizes_are_dimensions():
    operator = FULL(normal(3, 4))
    assert str(operator.domain_dimension) == "4" and operator.range_dimension.value == 3


def test_what_a_circulant_operator_keeps_of_its_dtype():
    operator = L.LinearOperatorCirculant([4.0, 1.0, 1.0], input_output_dtype=tf.float32)
    assert operator.inverse().dtype is tf.float32 and operator.cond().dtype is tf.float32
    assert operator.matmul(operator).dtype is tf.complex64  # as in TensorFlow


def test_a_tridiagonal_operator_of_a_matrix_is_that_matrix():
    dense = normal(3, 3)
    close(L.LinearOperatorTridiag(dense, "matrix").to_dense(), dense)


def test_zeros_hand_on_no_gradient():
    x = tf.Variable(np.ones([2, 1], np.float32))
    with tf.GradientTape() as tape:
        y = L.LinearOperatorZeros(2).matmul(x)
    assert tape.gradient(y, x) is None


def test_gradients_reach_variables():
    diagonal = tf.Variable([1.0, 2.0])
    operator = L.LinearOperatorDiag(diagonal)
    with tf.GradientTape() as tape:
        loss = operator.log_abs_determinant()
    assert tape.gradient(loss, diagonal).numpy().tolist() == [1.0, 0.5]
    assert operator.trainable_variables == (diagonal,)


def test_kinds_of_products():
    diagonal, triangular = L.LinearOperatorDiag([1.0, 2.0]), L.LinearOperatorLowerTriangular([[1.0, 0.0], [2.0, 3.0]])
    assert type(diagonal @ diagonal) is L.LinearOperatorDiag
    assert type(diagonal @ triangular) is L.LinearOperatorLowerTriangular
    assert type(triangular @ triangular) is L.LinearOperatorComposition
    assert L.LinearOperatorIdentity(2) @ triangular is triangular
    assert triangular.inverse().inverse() is triangular


def test_lists_of_blocks():
    operator = L.LinearOperatorBlockDiag([FULL(np.eye(2) * 2), FULL(np.eye(1) * 3)])
    first, second = operator.matvec([np.ones(2), np.ones(1)])
    assert first.numpy().tolist() == [2.0, 2.0] and second.numpy().tolist() == [3.0]


def test_zeros():
    operator = L.LinearOperatorZeros(2, 3, is_square=False)
    assert operator.matmul(tf.ones([3, 1])).numpy().tolist() == [[0.0], [0.0]]
    assert operator.diag_part().numpy().tolist() == [0.0, 0.0]


def test_a_complex_scaled_identity_has_a_real_log_determinant_and_an_adjoint_of_its_kind():
    operator = L.LinearOperatorScaledIdentity(3, tf.constant(1 + 2j, tf.complex128))
    found = operator.log_abs_determinant()
    assert found.dtype is tf.float64
    close(found, 1.5 * np.log(5.0))
    assert type(operator.adjoint()) is L.LinearOperatorScaledIdentity
    close(operator.adjoint().multiplier, 1 - 2j)
    assert operator.inverse().is_non_singular is None


def test_tridiagonal_products_and_solutions_leave_out_what_stands_beside_the_diagonals():
    full = np.arange(16.0).reshape(4, 4) + 9 * np.eye(4)
    band, x = np.triu(np.tril(full, 1), -1), normal(4, 2)
    operator = L.LinearOperatorTridiag(full, diagonals_format="matrix")
    close(operator.to_dense(), full)
    close(operator.matmul(x), band @ x)
    close(operator.matvec(x[:, 0], adjoint=True), band.T @ x[:, 0])
    close(operator.solve(x), np.linalg.solve(band, x))
    close(operator.solve(x.T, adjoint=True, adjoint_arg=True), np.linalg.solve(band.T, x))


def test_what_is_known_of_products_with_adjoints():
    def known(operator):
        return operator.is_self_adjoint, operator.is_positive_definite, operator.is_non_singular, operator.is_square

    matrix = tf.linalg.LinearOperatorFullMatrix([[4.0, 1.0], [0.0, 3.0]])
    whole = tf.linalg.LinearOperatorFullMatrix([[4.0, 1.0], [0.0, 3.0]], is_non_singular=True)
    wide = tf.linalg.LinearOperatorFullMatrix(tf.ones([2, 3]))
    diagonal = tf.linalg.LinearOperatorDiag(tf.ones([3]))
    assert known(matrix @ matrix.adjoint()) == (True, None, None, True)
    assert known(whole @ whole.adjoint()) == (True, True, True, True)
    assert known(whole @ whole) == (None, None, True, True)
    assert known(wide.adjoint() @ wide) == (True, None, None, True)
    assert known(wide @ diagonal) == (False, False, False, False)
    same = whole.solve(whole)
    assert isinstance(same, tf.linalg.LinearOperatorComposition) and known(same) == (None, None, True, True)


def test_blocks_tell_their_sizes():
    wide, high = (
        tf.linalg.LinearOperatorFullMatrix(tf.ones([2, 3])),
        tf.linalg.LinearOperatorFullMatrix(tf.ones([3, 2])),
    )
    blocks = tf.linalg.LinearOperatorBlockDiag([wide, high])
    assert blocks._block_range_dimensions() == [2, 3] and blocks._block_domain_dimensions() == [3, 2]
    for call in (blocks.trace, blocks.diag_part):
        with pytest.raises(NotImplementedError, match="whose blocks are not square"):
            call()
