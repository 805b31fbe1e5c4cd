"""Nodes of Fourier transforms, matrices and special functions, most of them by names that have newer ones."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.engine.values.convert import get_static_value
from tfgrad_jax.lib.saved_model.nodes.registry import lines, same, tf

same(
    {
        "BesselJ0": "math.special.bessel_j0", "BesselJ1": "math.special.bessel_j1", "BesselK0": "math.special.bessel_k0",
        "BesselK0e": "math.special.bessel_k0e", "BesselK1": "math.special.bessel_k1", "BesselK1e": "math.special.bessel_k1e",
        "BesselY0": "math.special.bessel_y0", "BesselY1": "math.special.bessel_y1", "Dawsn": "math.special.dawsn",
        "FFT": "signal.fft", "FFT2D": "signal.fft2d", "FFT3D": "signal.fft3d", "FresnelCos": "math.special.fresnel_cos",
        "FresnelSin": "math.special.fresnel_sin", "IFFT": "signal.ifft", "IFFT2D": "signal.ifft2d", "IFFT3D": "signal.ifft3d",
        "MatrixDiag": "linalg.diag", "MatrixDiagPart": "linalg.diag_part",
        "MatrixLogarithm": "linalg.logm", "MatrixSetDiag": "linalg.set_diag", "MatrixSquareRoot": "linalg.sqrtm",
    }
)  # fmt: skip


def _transform(name: str) -> Any:
    return lambda x, fft_length: tf(name)(x, get_static_value(fft_length))


def _eig(x: Any, *, compute_v: bool = True) -> list[Any]:
    values, vectors = tf("linalg.eig")(x)
    return [values, vectors if compute_v else tf("zeros")([0], vectors.dtype)]


def _least_squares(matrix: Any, rhs: Any, l2: Any, *, fast: bool = True) -> Any:
    return tf("linalg.lstsq")(matrix, rhs, float(get_static_value(l2)), fast)


lines(
    {
        **{
            name: _transform(f"signal.{name.lower()}")
            for name in ["RFFT", "RFFT2D", "RFFT3D", "IRFFT", "IRFFT2D", "IRFFT3D"]
        },
        "MatrixSolveLs": _least_squares,
        "BandedTriangularSolve": lambda x, rhs, *, lower=True, adjoint=False: tf("linalg.banded_triangular_solve")(
            x, rhs, lower, adjoint
        ),
        "ComplexAbs": lambda x: tf("abs")(x),
        "ConjugateTranspose": lambda x, perm: tf("transpose")(x, get_static_value(perm), conjugate=True),
        "Eig: e v": _eig,
        "Lu: lu p": lambda x, *, output_idx_type=None: list(
            tf("linalg.lu")(x, *[output_idx_type] * (output_idx_type is not None))
        ),
        "MatrixDiagV2": lambda x, k, rows, columns, value: tf("linalg.diag")(
            x, k=k, num_rows=int(rows), num_cols=int(columns), padding_value=value
        ),
        "MatrixSetDiagV2": lambda x, diagonal, k: tf("linalg.set_diag")(x, diagonal, k=k, align="LEFT_LEFT"),
        "SparseMatMul": lambda a, b, *, transpose_a=False, transpose_b=False: tf("matmul")(
            tf("cast")(a, "float32"), tf("cast")(b, "float32"), transpose_a, transpose_b
        ),
        "TridiagonalMatMul": lambda above, main, below, rhs: tf("linalg.tridiagonal_matmul")(
            (tf("squeeze")(above, [-2]), tf("squeeze")(main, [-2]), tf("squeeze")(below, [-2])), rhs, "sequence"
        ),
        "TridiagonalSolve": lambda diagonals, rhs, *, partial_pivoting=True: tf("linalg.tridiagonal_solve")(
            diagonals, rhs, "compact", partial_pivoting=partial_pivoting
        ),
    }
)
