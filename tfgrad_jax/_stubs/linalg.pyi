"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
from tfgrad_jax._stubs import linalg_experimental
from tfgrad_jax.lib.linear_operators.operator import LinearOperator as LinearOperator
from tfgrad_jax.lib.linear_operators.full import LinearOperatorAdjoint as LinearOperatorAdjoint
from tfgrad_jax.lib.linear_operators.blocks import LinearOperatorBlockDiag as LinearOperatorBlockDiag
from tfgrad_jax.lib.linear_operators.blocks import LinearOperatorBlockLowerTriangular as LinearOperatorBlockLowerTriangular
from tfgrad_jax.lib.linear_operators.circulant import LinearOperatorCirculant as LinearOperatorCirculant
from tfgrad_jax.lib.linear_operators.circulant import LinearOperatorCirculant2D as LinearOperatorCirculant2D
from tfgrad_jax.lib.linear_operators.circulant import LinearOperatorCirculant3D as LinearOperatorCirculant3D
from tfgrad_jax.lib.linear_operators.products import LinearOperatorComposition as LinearOperatorComposition
from tfgrad_jax.lib.linear_operators.diagonal import LinearOperatorDiag as LinearOperatorDiag
from tfgrad_jax.lib.linear_operators.full import LinearOperatorFullMatrix as LinearOperatorFullMatrix
from tfgrad_jax.lib.linear_operators.structured import LinearOperatorHouseholder as LinearOperatorHouseholder
from tfgrad_jax.lib.linear_operators.diagonal import LinearOperatorIdentity as LinearOperatorIdentity
from tfgrad_jax.lib.linear_operators.full import LinearOperatorInversion as LinearOperatorInversion
from tfgrad_jax.lib.linear_operators.products import LinearOperatorKronecker as LinearOperatorKronecker
from tfgrad_jax.lib.linear_operators.low_rank import LinearOperatorLowRankUpdate as LinearOperatorLowRankUpdate
from tfgrad_jax.lib.linear_operators.full import LinearOperatorLowerTriangular as LinearOperatorLowerTriangular
from tfgrad_jax.lib.linear_operators.structured import LinearOperatorPermutation as LinearOperatorPermutation
from tfgrad_jax.lib.linear_operators.diagonal import LinearOperatorScaledIdentity as LinearOperatorScaledIdentity
from tfgrad_jax.lib.linear_operators.structured import LinearOperatorToeplitz as LinearOperatorToeplitz
from tfgrad_jax.lib.linear_operators.structured import LinearOperatorTridiag as LinearOperatorTridiag
from tfgrad_jax.lib.linear_operators.diagonal import LinearOperatorZeros as LinearOperatorZeros
experimental = linalg_experimental
def adjoint(matrix: _Any, name: _Any = None) -> _Any:
    """The last two dimensions exchanged, and conjugated. Mirrors `tf.linalg.adjoint`."""
def band_part(input: _Any, num_lower: _Any, num_upper: _Any, name: _Any = None) -> _Any:
    """A central band of matrices; a negative number keeps the whole triangle. Mirrors `tf.linalg.band_part`."""
def banded_triangular_solve(bands: _Any, rhs: _Any, lower: _Any = True, adjoint: _Any = False, name: _Any = None) -> _Any:
    """X with a triangle of few diagonals times X = `rhs`; `bands` has the main one first if `lower`, else last."""
def cholesky(input: _Any, name: _Any = None) -> _Any:
    """The lower factor L with L L^H each matrix, of which the lower triangle is read; NaN if not positive definite."""
def cholesky_solve(chol: _Any, rhs: _Any, name: _Any = None) -> _Any:
    """X with A X = `rhs`, given the Cholesky factor of A."""
def cross(a: _Any, b: _Any, name: _Any = None) -> _Any:
    """The cross product of vectors of three elements, in the last dimension."""
def det(input: _Any, name: _Any = None) -> _Any:
    """The determinant of each matrix."""
def diag(diagonal: _Any, name: _Any = 'diag', k: _Any = 0, num_rows: _Any = -1, num_cols: _Any = -1, padding_value: _Any = 0, align: _Any = 'RIGHT_LEFT') -> _Any:
    """Matrices with the given diagonals. Mirrors `tf.linalg.diag`."""
def diag_part(input: _Any, name: _Any = 'diag_part', k: _Any = 0, padding_value: _Any = 0, align: _Any = 'RIGHT_LEFT') -> _Any:
    """Diagonals of matrices, packed as `diag` takes them. Mirrors `tf.linalg.diag_part`."""
def eig(tensor: _Any, name: _Any = None) -> _Any:
    """Eigenvalues and eigenvectors of square matrices, complex; on a CPU only. Mirrors `tf.linalg.eig`."""
def eigh(tensor: _Any, name: _Any = None) -> _Any:
    """Eigenvalues in rising order and eigenvectors of self-adjoint matrices. Mirrors `tf.linalg.eigh`."""
def eigh_tridiagonal(alpha: _Any, beta: _Any, eigvals_only: _Any = True, select: _Any = 'a', select_range: _Any = None, tol: _Any = None, name: _Any = None) -> _Any:
    """Eigenvalues of a self-adjoint tridiagonal matrix, in rising order. Mirrors `tf.linalg.eigh_tridiagonal`."""
def eigvals(tensor: _Any, name: _Any = None) -> _Any:
    """Eigenvalues of square matrices, complex; on a CPU only. Mirrors `tf.linalg.eigvals`."""
def eigvalsh(tensor: _Any, name: _Any = None) -> _Any:
    """Eigenvalues of self-adjoint matrices, in rising order."""
def einsum(equation: _Any, *inputs: _Any, **kwargs: _Any) -> _Any:
    """A sum of products in Einstein's notation, such as `"ij,jk->ik"`. Mirrors `tf.einsum`."""
def expm(input: _Any, name: _Any = None) -> _Any:
    """The exponential of each square matrix."""
def eye(num_rows: _Any, num_columns: _Any = None, batch_shape: _Any = None, dtype: _Any = ..., name: _Any = None) -> _Any:
    """Identity matrices of shape `batch_shape + [num_rows, num_columns]`."""
def global_norm(t_list: _Any, name: _Any = None) -> _Any:
    """The Euclidean norm of several tensors together. Mirrors `tf.linalg.global_norm`."""
def inv(input: _Any, adjoint: _Any = False, name: _Any = None) -> _Any:
    """The inverse of each matrix, or of its adjoint. Mirrors `tf.linalg.inv`."""
def l2_normalize(x: _Any, axis: _Any = None, epsilon: _Any = ..., name: _Any = None, dim: _Any = None) -> _Any:
    """`x`, scaled to a Euclidean norm of 1 along the axes. Mirrors `tf.math.l2_normalize`."""
def logdet(matrix: _Any, name: _Any = None) -> _Any:
    """The logarithm of the determinant of each positive definite matrix."""
def logm(input: _Any, name: _Any = None) -> _Any:
    """The principal logarithm of each square complex matrix; NaN for singular ones."""
def lstsq(matrix: _Any, rhs: _Any, l2_regularizer: _Any = ..., fast: _Any = True, name: _Any = None) -> _Any:
    """X with the smallest `matrix` X - `rhs`, or the smallest such X. Mirrors `tf.linalg.lstsq`."""
def lu(input: _Any, output_idx_type: _Any = ..., name: _Any = None) -> _Any:
    """Both triangular factors in one matrix, and the order of the rows. Mirrors `tf.linalg.lu`."""
def lu_matrix_inverse(lower_upper: _Any, perm: _Any, validate_args: _Any = False, name: _Any = None) -> _Any:
    """The inverse of A, given `tf.linalg.lu(A)`. Mirrors `tf.linalg.lu_matrix_inverse`; see `lu_solve`."""
def lu_reconstruct(lower_upper: _Any, perm: _Any, validate_args: _Any = False, name: _Any = None) -> _Any:
    """The matrices that were decomposed by `tf.linalg.lu`. Mirrors `tf.linalg.lu_reconstruct`."""
def lu_solve(lower_upper: _Any, perm: _Any, rhs: _Any, validate_args: _Any = False, name: _Any = None) -> _Any:
    """X with A X = `rhs`, given `tf.linalg.lu(A)`. Mirrors `tf.linalg.lu_solve`."""
def matmul(a: _Any, b: _Any, transpose_a: _Any = False, transpose_b: _Any = False, adjoint_a: _Any = False, adjoint_b: _Any = False, a_is_sparse: _Any = False, b_is_sparse: _Any = False, output_type: _Any = None, grad_a: _Any = False, grad_b: _Any = False, name: _Any = None) -> _Any:
    """The product of matrices, the last two dimensions of each. Mirrors `tf.matmul`, and is what `@` does."""
def matrix_rank(a: _Any, tol: _Any = None, validate_args: _Any = False, name: _Any = None) -> _Any:
    """How many singular values exceed `tol`. Mirrors `tf.linalg.matrix_rank`."""
def matrix_transpose(a: _Any, name: _Any = 'matrix_transpose', conjugate: _Any = False) -> _Any:
    """The last two dimensions exchanged. Mirrors `tf.linalg.matrix_transpose`."""
def matvec(a: _Any, b: _Any, transpose_a: _Any = False, adjoint_a: _Any = False, a_is_sparse: _Any = False, b_is_sparse: _Any = False, name: _Any = None) -> _Any:
    """The product of a matrix and a vector, in the last dimensions. Mirrors `tf.linalg.matvec`."""
def norm(tensor: _Any, ord: _Any = 'euclidean', axis: _Any = None, keepdims: _Any = None, name: _Any = None) -> _Any:
    """A norm of vectors, or of matrices if `axis` names two dimensions. Mirrors `tf.norm`."""
def normalize(tensor: _Any, ord: _Any = 'euclidean', axis: _Any = None, name: _Any = None) -> _Any:
    """The tensor divided by its norm, and the norm. Mirrors `tf.linalg.normalize`."""
def pinv(a: _Any, rcond: _Any = None, validate_args: _Any = False, name: _Any = None) -> _Any:
    """The pseudo-inverse of matrices. Mirrors `tf.linalg.pinv`."""
def qr(input: _Any, full_matrices: _Any = False, name: _Any = None) -> _Any:
    """Q and R of each matrix: orthonormal columns times an upper triangle. Mirrors `tf.linalg.qr`."""
def set_diag(input: _Any, diagonal: _Any, name: _Any = 'set_diag', k: _Any = 0, align: _Any = 'RIGHT_LEFT') -> _Any:
    """Matrices with some diagonals replaced. Mirrors `tf.linalg.set_diag`."""
def slogdet(input: _Any, name: _Any = None) -> _Any:
    """The sign of the determinant of each matrix, and the logarithm of its size. Mirrors `tf.linalg.slogdet`."""
def solve(matrix: _Any, rhs: _Any, adjoint: _Any = False, name: _Any = None) -> _Any:
    """X with `matrix` X = `rhs`, or with its adjoint. Mirrors `tf.linalg.solve`."""
def sqrtm(input: _Any, name: _Any = None) -> _Any:
    """The principal square root of each square matrix; NaN where a real one has none."""
def svd(tensor: _Any, full_matrices: _Any = False, compute_uv: _Any = True, name: _Any = None) -> _Any:
    """Singular values, left and right singular vectors (as columns). Mirrors `tf.linalg.svd`."""
def tensor_diag(diagonal: _Any, name: _Any = None) -> _Any:
    """A tensor of twice the rank, with the argument where the first half of the indices equals the second."""
def tensor_diag_part(input: _Any, name: _Any = None) -> _Any:
    """The elements where the first half of the indices equals the second."""
def tensordot(a: _Any, b: _Any, axes: _Any, name: _Any = None) -> _Any:
    """Contract dimensions of two tensors. Mirrors `tf.tensordot`."""
def trace(x: _Any, name: _Any = None) -> _Any:
    """The sum of the main diagonal of each matrix."""
def triangular_solve(matrix: _Any, rhs: _Any, lower: _Any = True, adjoint: _Any = False, name: _Any = None) -> _Any:
    """X with `matrix` X = `rhs`, of which one triangle is read."""
def tridiagonal_matmul(diagonals: _Any, rhs: _Any, diagonals_format: _Any = 'compact', name: _Any = None) -> _Any:
    """A tridiagonal matrix times `rhs`. Mirrors `tf.linalg.tridiagonal_matmul`."""
def tridiagonal_solve(diagonals: _Any, rhs: _Any, diagonals_format: _Any = 'compact', transpose_rhs: _Any = False, conjugate_rhs: _Any = False, name: _Any = None, partial_pivoting: _Any = True, perturb_singular: _Any = False) -> _Any:
    """X with a tridiagonal matrix times X = `rhs`. Mirrors `tf.linalg.tridiagonal_solve`."""
