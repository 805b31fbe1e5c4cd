"""Decompositions and solvers: SciPy's LAPACK, which XLA calls on the host, too; so signs, phases and orders are the same.

SciPy is loaded when it is first needed.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from jax.lax.linalg import SvdAlgorithm

from tfgrad_jax.engine.host.blas import linear_algebra
from tfgrad_jax.engine.host.rules import Call, Function, NoRule, Type, rule

_LETTERS = {"float32": "s", "float64": "d", "complex64": "c", "complex128": "z"}


def _scipy(part: str = "") -> Any:
    # The package before its parts: threads that import both, each in another order, would wait for each other.
    package = linear_algebra()
    return importlib.import_module(f"scipy.linalg.{part}") if part else package


def _lapack(name: str, dtype: np.dtype, of_complex: str | None = None) -> Any:
    """SciPy's LAPACK function for a dtype; some have another name for complex numbers."""
    letter = _LETTERS[dtype.name]
    return getattr(_scipy("lapack"), letter + (of_complex if dtype.kind == "c" and of_complex else name))


def _failed(outs: Sequence[Type]) -> list[Any]:
    return [np.full(t.shape, np.nan if t.dtype.kind in "fc" else -1, t.dtype) for t in outs]


def _single(call: Call, rank: int) -> tuple[int, list[Type]]:
    """How many problems a call has whose first operand has this rank without batch, and the types of one's results."""
    batch = call.ins[0].shape[:-rank]
    return math.prod(batch), [Type(t.shape[len(batch) :], t.dtype) for t in call.outs]


def _one_by_one(call: Call, solve: Callable[..., Sequence[Any]], rank: int = 2) -> Function:
    """A function of batches made of one for a single problem, whose results are NaN if it raises `LinAlgError`."""
    outs, (count, single) = call.outs, _single(call, rank)
    batched = len(call.ins[0].shape) - rank
    if not any([math.prod(t.shape) for t in outs]):
        return lambda *operands: [np.zeros(*t) for t in outs]

    def attempt(*operands: Any) -> Sequence[Any]:
        try:
            return [
                made if made.dtype == dtype else made.astype(dtype)
                for made, (_, dtype) in zip(solve(*operands), single, strict=True)
            ]
        except np.linalg.LinAlgError:
            return _failed(single)

    def each(*operands: Any) -> list[Any]:
        problems = [x.reshape(count, *x.shape[batched:]) for x in operands]
        made = [np.empty((count, *t.shape), t.dtype) for t in single]
        for i in range(count):
            for results, one in zip(made, attempt(*[x[i] for x in problems]), strict=True):
                results[i] = one
        return [results.reshape(t.shape) for results, t in zip(made, outs, strict=True)]

    return each if batched else attempt


def _first(function: Function) -> Function:
    """The only result of a function that returns a list."""
    return lambda *operands: function(*operands)[0]


# -- decompositions ----------------------------------------------------------------------------------------------------


@rule("cholesky")
def _(call: Call) -> Function:
    potrf = _lapack("potrf", call.ins[0].dtype)

    def solve(x: Any) -> Sequence[Any]:
        factor, failed = potrf(x, lower=1, clean=0)
        if failed:
            raise np.linalg.LinAlgError
        return [factor]

    return _first(_one_by_one(call, solve))


@rule("eigh")
def _(call: Call) -> Function:
    shape, dtype = call.ins[0]
    if call.params.get("subset_by_index") not in (None, (0, shape[-1])):
        raise NoRule("eigh of a subset")
    syevd, lower = _lapack("syevd", dtype, "heevd"), int(call.params["lower"])

    def solve(x: Any) -> Sequence[Any]:
        values, vectors, failed = syevd(x, lower=lower)
        if failed:
            raise np.linalg.LinAlgError
        return vectors, values

    return _one_by_one(call, solve)


@rule("eig")
def _(call: Call) -> Function:
    left, right = call.params["compute_left_eigenvectors"], call.params["compute_right_eigenvectors"]
    eig = _scipy().eig

    def solve(x: Any) -> Sequence[Any]:
        if not np.isfinite(x).all():
            raise np.linalg.LinAlgError
        found = eig(x, left=left, right=right, check_finite=False)
        return found if left or right else [found]

    return _one_by_one(call, solve)


@rule("svd")
def _(call: Call) -> Function:
    shape, dtype = call.ins[0]
    usual = (None, SvdAlgorithm.DEFAULT, SvdAlgorithm.DIVIDE_AND_CONQUER)
    whole = (None, (0, min(shape[-2:])))
    if call.params.get("algorithm") not in usual or call.params.get("subset_by_index") not in whole:
        raise NoRule("svd by another algorithm, or of a subset")
    vectors, full = call.params["compute_uv"], call.params["full_matrices"]
    if not min(shape[-2:]):
        return _one_by_one(call, lambda x: [np.zeros(0), *[np.eye(t.shape[-2], t.shape[-1]) for t in call.outs[1:]]])
    gesdd = _lapack("gesdd", dtype)

    def solve(x: Any) -> Sequence[Any]:
        u, values, v, failed = gesdd(x, compute_uv=vectors, full_matrices=full)
        if failed:
            raise np.linalg.LinAlgError
        return (values, u, v) if vectors else [values]

    return _one_by_one(call, solve)


@rule("qr")
def _(call: Call) -> Function:
    if call.params["pivoting"]:
        raise NoRule("qr with pivots")
    (*_, rows, columns), dtype = call.ins[0]
    width = call.outs[0].shape[-1]  # of q: `rows` if it is to be square
    height, rank = call.outs[1].shape[-2], min(rows, columns)
    if not rank:
        return _one_by_one(call, lambda x: [np.eye(rows, width), np.zeros((height, columns))])
    geqrf, orgqr = _lapack("geqrf", dtype), _lapack("orgqr", dtype, "ungqr")
    upper, zero = np.arange(height)[:, None] <= np.arange(columns), np.zeros((), dtype)
    work = {"lwork": 32 * max(rows, columns)}

    def solve(x: Any) -> Sequence[Any]:
        reflections, factors, *_ = geqrf(x, **work)
        if width > columns:
            square = np.zeros((rows, width), dtype, "F")
            square[:, :columns] = reflections
        else:
            square = reflections[:, :width]
        return orgqr(square, factors, **work)[0], np.where(upper, reflections[:height], zero)

    return _one_by_one(call, solve)


@rule("schur")
def _(call: Call) -> Function:
    if call.params["sort_eig_vals"]:
        raise NoRule("schur with an order")
    vectors = call.params["compute_schur_vectors"]
    gees = _lapack("gees", call.ins[0].dtype)

    def solve(x: Any) -> Sequence[Any]:
        found = gees(lambda *value: None, x, compute_v=vectors)
        if found[-1]:
            raise np.linalg.LinAlgError
        return (found[0], found[-3]) if vectors else found[:1]

    return _one_by_one(call, solve)


@rule("hessenberg")
def _(call: Call) -> Function:
    gehrd = _lapack("gehrd", call.ins[0].dtype)
    return _one_by_one(call, lambda x: gehrd(x)[:2])


@rule("tridiagonal")
def _(call: Call) -> Function:
    sytrd = _lapack("sytrd", call.ins[0].dtype, "hetrd")
    lower = int(call.params["lower"])
    return _one_by_one(call, lambda x: sytrd(x, lower=lower)[:4])


@rule("householder_product")
def _(call: Call) -> Function:
    orgqr = _lapack("orgqr", call.ins[0].dtype, "ungqr")
    return _first(_one_by_one(call, lambda x, factors: orgqr(x, factors)[:1]))


# -- linear systems ----------------------------------------------------------------------------------------------------


@rule("lu")
def _(call: Call) -> Function:
    rows, columns = call.ins[0].shape[-2:]
    if not rows or not columns:
        permutation = np.broadcast_to(np.arange(rows, dtype=np.int32), call.outs[2].shape)
        return lambda x: [np.zeros(*call.outs[0]), np.zeros(*call.outs[1]), permutation]
    getrf = _lapack("getrf", call.ins[0].dtype)

    def solve(x: Any) -> Sequence[Any]:
        factors, pivots, _ = getrf(x)
        return factors, pivots, np.array(_permuted(pivots.tolist(), rows))

    return _one_by_one(call, solve)


def _permuted(pivots: Sequence[int], rows: int) -> list[int]:
    order = list(range(rows))
    for i, pivot in enumerate(pivots):
        order[i], order[pivot] = order[pivot], order[i]
    return order


@rule("lu_pivots_to_permutation")
def _(call: Call) -> Function:
    rows = call.params["permutation_size"]
    return _first(_one_by_one(call, lambda pivots: [np.array(_permuted(pivots.tolist(), rows))], 1))


@rule("triangular_solve")
def _(call: Call) -> Function:
    on_left, lower, transposed, conjugated, of_units = (
        bool(call.params[k]) for k in ("left_side", "lower", "transpose_a", "conjugate_a", "unit_diagonal")
    )
    trsm = getattr(_scipy("blas"), _LETTERS[call.ins[0].dtype.name] + "trsm")
    how = {"side": int(on_left), "lower": int(not lower), "trans_a": 0, "diag": int(of_units)}
    how["trans_a"] = (2 if conjugated else 1) if transposed else 0

    def solve(a: Any, b: Any) -> Sequence[Any]:
        # BLAS has columns one after the other, so it is given the transposed system.
        if conjugated and not transposed:
            a = a.conj()
        return [trsm(1.0, a.T, b.T, **how).T]

    return _first(_one_by_one(call, solve))


@rule("tridiagonal_solve")
def _(call: Call) -> Function:
    if call.params.get("perturb_singular"):
        raise NoRule("tridiagonal_solve of what is perturbed")
    gtsv = _lapack("gtsv", call.ins[0].dtype)

    def solve(below: Any, diagonal: Any, above: Any, b: Any) -> Sequence[Any]:
        *_, x, info = gtsv(below[1:], diagonal, above[:-1], b)
        if info:
            raise np.linalg.LinAlgError
        return [x]

    return _first(_one_by_one(call, solve, 1))
