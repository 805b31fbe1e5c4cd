"""Nodes of matrix products and linear algebra."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.engine.values.dtypes import DType
from tfgrad_jax.lib.saved_model.nodes.registry import node, same, tf

same({"Cross": "linalg.cross", "Diag": "linalg.tensor_diag", "DiagPart": "linalg.tensor_diag_part"})
same({"Cholesky": "linalg.cholesky", "MatrixDeterminant": "linalg.det", "MatrixBandPart": "linalg.band_part"})


@node("MatMul")
def _matmul(a: Any, b: Any, *, transpose_a: bool = False, transpose_b: bool = False) -> Any:
    return tf("matmul")(a, b, transpose_a=transpose_a, transpose_b=transpose_b)


@node("BatchMatMul", "BatchMatMulV2", "BatchMatMulV3")
def _batch_matmul(a: Any, b: Any, *, adj_x: bool = False, adj_y: bool = False, Tout: DType | None = None) -> Any:
    wanted = None if Tout is a.dtype else Tout
    return tf("matmul")(a, b, adjoint_a=adj_x, adjoint_b=adj_y, output_type=wanted)


@node("Einsum")
def _einsum(*inputs: Any, equation: bytes) -> Any:
    return tf("einsum")(equation.decode(), *inputs)


@node("MatrixInverse")
def _inverse(x: Any, *, adjoint: bool = False) -> Any:
    return tf("linalg.inv")(x, adjoint=adjoint)


@node("MatrixSolve")
def _solve(matrix: Any, rhs: Any, *, adjoint: bool = False) -> Any:
    return tf("linalg.solve")(matrix, rhs, adjoint=adjoint)


@node("MatrixTriangularSolve")
def _triangular(matrix: Any, rhs: Any, *, lower: bool = True, adjoint: bool = False) -> Any:
    return tf("linalg.triangular_solve")(matrix, rhs, lower=lower, adjoint=adjoint)


@node("Qr", outputs="q r")
def _qr(x: Any, *, full_matrices: bool = False) -> Any:
    return list(tf("linalg.qr")(x, full_matrices=full_matrices))


@node("Svd", outputs="s u v")
def _svd(x: Any, *, compute_uv: bool = True, full_matrices: bool = False) -> Any:
    if not compute_uv:
        s = tf("linalg.svd")(x, compute_uv=False)
        return [s, tf("zeros")([], x.dtype), tf("zeros")([], x.dtype)]
    return list(tf("linalg.svd")(x, full_matrices=full_matrices))


@node("SelfAdjointEigV2", outputs="e v")
def _eigh(x: Any, *, compute_v: bool = True) -> Any:
    if not compute_v:
        return [tf("linalg.eigvalsh")(x), tf("zeros")([], x.dtype)]
    return list(tf("linalg.eigh")(x))


@node("LogMatrixDeterminant", outputs="sign log_abs_determinant")
def _slogdet(x: Any) -> Any:
    return list(tf("linalg.slogdet")(x))


@node("MatrixDiagV3")
def _diag(diagonal: Any, k: Any, rows: Any, columns: Any, padding: Any, *, align: bytes = b"RIGHT_LEFT") -> Any:
    return tf("linalg.diag")(
        diagonal, k=k, num_rows=rows, num_cols=columns, padding_value=tf("stop_gradient")(padding), align=align.decode()
    )


@node("MatrixDiagPartV3")
def _diag_part(x: Any, k: Any, padding: Any, *, align: bytes = b"RIGHT_LEFT") -> Any:
    return tf("linalg.diag_part")(x, k=k, padding_value=tf("stop_gradient")(padding), align=align.decode())


@node("MatrixSetDiagV3")
def _set_diag(x: Any, diagonal: Any, k: Any, *, align: bytes = b"RIGHT_LEFT") -> Any:
    return tf("linalg.set_diag")(x, diagonal, k=k, align=align.decode())
