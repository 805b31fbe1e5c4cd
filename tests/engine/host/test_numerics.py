"""The numeric rules give what XLA gives, for every dtype and for the values where answers tend to differ.

Denormals are taken for zeros on both sides: XLA's programs on the CPU do so with operands and results, NumPy keeps them.
"""

from __future__ import annotations

import jax
import ml_dtypes
import numpy as np
import pytest
from jax import lax

from tfgrad_jax.engine.host import primitives  # noqa: F401
from tfgrad_jax.engine.host.flat import Template

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
SINGLE, DOUBLE = np.dtype("float32"), np.dtype("float64")
NARROW = [np.dtype("float16"), BFLOAT16]
FLOATS = [*NARROW, SINGLE, DOUBLE]
SIGNED = [np.dtype(f"int{n}") for n in (8, 16, 32, 64)]
UNSIGNED = [np.dtype(f"uint{n}") for n in (8, 16, 32, 64)]
INTEGERS = SIGNED + UNSIGNED
BOOL = [np.dtype(bool)]
COMPLEX = [np.dtype("complex64"), np.dtype("complex128")]

SPECIAL = [0, 1, 0.5, 1.5, 2.5, 2, 3, 10, 20, 88, 100, 1e3, 1e4, 0.99, 0.1, 0.01, 1e-3, np.inf]


def values(dtype: np.dtype, count: int = 60, seed: int = 0) -> np.ndarray:
    """Special values, then random ones."""
    draw = np.random.default_rng(seed)
    if dtype.kind == "b":
        return draw.integers(0, 2, count).astype(bool)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        special = [0, 1, 2, 3, 7, info.max, info.max - 1, info.min, info.min + 1] + [-1, -2, -7] * (dtype.kind == "i")
        return np.concatenate([np.array(special, dtype), draw.integers(info.min, info.max, count, dtype)])
    if dtype.kind == "c":
        return (draw.normal(size=count) + 1j * draw.normal(size=count)).astype(dtype)
    info = ml_dtypes.finfo(dtype)
    special = np.array([*SPECIAL, float(info.max), float(info.tiny) * 4], dtype)
    drawn = np.concatenate([3 * draw.normal(size=count), np.exp(3 * draw.normal(size=count))]).astype(dtype)
    return np.concatenate([special, -special, [dtype.type(np.nan)], drawn]).astype(dtype)


def pairs(dtype: np.dtype) -> tuple[np.ndarray, np.ndarray]:
    """Every value with every other one."""
    of = values(dtype, 12)
    return np.repeat(of, len(of)), np.tile(of, len(of))


def without_denormals(a: np.ndarray) -> np.ndarray:
    if a.dtype == np.float16:
        return a  # computed in float32, where its denormals are none
    zero = np.copysign(np.zeros_like(a), a)
    return np.where(np.abs(a) < ml_dtypes.finfo(a.dtype).tiny, zero, a)


def assert_close(got, want, ulps: float, what: str, scale=None, zeros=True) -> None:
    """Equal dtypes, shapes, NaNs, infinities and signs of zeros; the rest by units in the last place (of `scale`)."""
    got, want = np.asarray(got), np.asarray(want)
    assert (got.dtype, got.shape) == (want.dtype, want.shape), what
    if got.dtype.kind == "c":
        scale = np.abs(want) if scale is None else scale
        assert_close(got.real, want.real, ulps, what, scale)
        assert_close(got.imag, want.imag, ulps, what, scale)
        return
    if got.dtype.kind in "biu":
        np.testing.assert_array_equal(got, want, err_msg=what)
        return
    got, want = without_denormals(got), without_denormals(want)
    finite = np.isfinite(want)
    np.testing.assert_array_equal(np.isfinite(got), finite, err_msg=what)
    np.testing.assert_array_equal(np.where(finite, 0, got).astype(float), np.where(finite, 0, want).astype(float), what)
    if scale is None and zeros:
        both = (got == 0) & (want == 0)
        np.testing.assert_array_equal(np.signbit(got[both]), np.signbit(want[both]), err_msg=f"{what}: signs of zeros")
    scale = np.abs(want if scale is None else scale)
    scale = np.where(finite & np.isfinite(scale), scale, 1)
    unit = np.spacing(np.maximum(scale, ml_dtypes.finfo(got.dtype).tiny).astype(got.dtype)).astype(float)
    off = np.where(finite, np.abs(got.astype(float) - want.astype(float)), 0) / unit
    assert off.max(initial=0) <= ulps, f"{what}: {off.max()} ulps, at {np.unravel_index(off.argmax(), off.shape)}"


def assert_agree(functions: dict, *operands, ulps=2, scale=None, zeros=True) -> None:
    """Each function of the operands gives interpreted what it gives compiled."""

    def every(*operands):
        return [function(*operands) for function in functions.values()]

    program = Template(jax.make_jaxpr(every)(*operands)).flat({})
    for name, got, want in zip(functions, program(*operands), jax.jit(every)(*operands), strict=True):
        bound = ulps.get(name, 2) if isinstance(ulps, dict) else ulps
        assert_close(got, want, bound, f"{name} of {operands[0].dtype}", scale, zeros)


def named(*names: str) -> dict:
    return {name: getattr(lax, name) for name in names}


@pytest.fixture(autouse=True)
def _quiet_sixty_four_bits():
    with jax.enable_x64(True), np.errstate(all="ignore"):
        yield


ARITHMETIC = named("add", "sub", "mul", "div", "rem", "max", "min", "eq", "ne", "lt", "le", "gt", "ge")


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS, ids=str)
def test_arithmetic_of_every_pair(dtype):
    assert_agree(ARITHMETIC, *pairs(dtype), ulps=0)


ORDERS = {name: getattr(jax.extend.core.primitives, f"{name}_p").bind for name in ("eq_to", "le_to", "lt_to")}


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_pairs_of_floats(dtype):
    assert_agree(named("pow", "atan2", "nextafter") | ORDERS, *pairs(dtype))


BITWISE = named("bitwise_and", "bitwise_or", "bitwise_xor")
SHIFTS = named("shift_left", "shift_right_arithmetic", "shift_right_logical")


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
def test_bits(dtype):
    assert_agree(BITWISE | SHIFTS, *pairs(dtype))
    near = np.resize(np.arange(-1 if dtype.kind == "i" else 0, 8 * dtype.itemsize + 2), 100).astype(dtype)
    assert_agree(SHIFTS, values(dtype, 100)[:100], near)
    assert_agree(named("bitwise_not", "population_count", "clz", "neg", "sign", "square"), values(dtype))


def test_bools():
    assert_agree(BITWISE | named("max", "min", "eq", "ne", "lt", "ge"), *pairs(BOOL[0]))
    assert_agree(named("bitwise_not"), values(BOOL[0]))


EXACT = named("neg", "sign", "floor", "ceil", "is_finite", "abs", "square")
EXACT |= {f"round {m.name}": lambda a, m=m: lax.round(a, m) for m in lax.RoundingMethod}
EXACT |= {f"power {y}": lambda a, y=y: lax.integer_pow(a, y) for y in (0, 1, 2, 3, 4, 5, 7, -1, -2, -3)}
FORMATS = [(5, 10), (8, 7), (8, 23), (4, 3), (5, 2), (11, 52), (8, 0)]
EXACT |= {f"reduce_precision {f}": lambda a, f=f: lax.reduce_precision(a, *f) for f in FORMATS}


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_exact_functions(dtype):
    assert_agree(EXACT, values(dtype), ulps={"power -3": 1, "power 7": 1})


FUNCTIONS = named(
    "exp", "log", "log1p", "expm1", "sqrt", "rsqrt", "cbrt", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh",
    "tanh", "asinh", "acosh", "atanh", "logistic", "exp2",
)  # fmt: skip

WORSE_IN_XLA = {
    "float16": {"exp2": 16},
    "bfloat16": {"exp2": 128},
    "float32": {"exp2": 128, "exp": 5, "expm1": 6, "sinh": 32, "cosh": 32, "tanh": 5, "acosh": 4, "atanh": 4},
    "float64": {"exp2": 1024, "expm1": 5, "sinh": 32, "cosh": 32, "tanh": 8, "acosh": 4, "atanh": 256, "log1p": 256},
}
"""Units in the last place between the two. In each case NumPy is the nearer one to the truth: it is off by 2.3 at most
(`exp` in float32), while XLA is off by 3.8 for `exp`, 5 for `expm1` and `tanh`, 25 for `sinh` and `cosh`, 130 for `atanh`,
and for `exp2` by what rounding the product with the logarithm of 2 costs."""


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_functions(dtype):
    assert_agree(FUNCTIONS, values(dtype), ulps=WORSE_IN_XLA[str(dtype)])


@pytest.mark.parametrize("old", FLOATS + INTEGERS + BOOL + COMPLEX, ids=str)
def test_conversions(old):
    to = {
        f"to {new}": lambda a, new=new: lax.convert_element_type(a, new) for new in FLOATS + INTEGERS + BOOL + COMPLEX
    }
    if old.kind == "c":
        to = {name: lambda a, new=name[3:]: lax.convert_element_type(a.real, new) for name in to} | {
            f"to {new}": lambda a, new=new: lax.convert_element_type(a, new) for new in COMPLEX
        }
    assert_agree(to, 30 * values(old) if old in FLOATS else values(old), ulps=0)


def test_choices():
    which, a, b = np.array([True, False, True]), np.float32([1, 2, 3]), np.float32([4, 5, 6])
    assert_agree({"select": lax.select_n}, which, a, b)
    assert_agree({"select": lax.select_n}, np.bool_(True), a, b)
    assert_agree({"select": lax.select_n}, np.int32([-1, 2, 9]), a, b, a * 2)
    low, a, high = np.meshgrid(*[values(SINGLE, 0)] * 3)
    assert_agree({"clamp": lax.clamp}, low, a, high, ulps=0)


# -- reductions --------------------------------------------------------------------------------------------------------


def reducing(name: str, axes: tuple[int, ...]):
    primitive = getattr(jax.extend.core.primitives, f"reduce_{name}_p")
    more = {"out_sharding": None} if name in ("sum", "prod", "max", "min") else {}
    return lambda a: primitive.bind(a, axes=axes, **more)


AXES = [(0,), (2,), (1, 2), (0, 1, 2)]


def reductions(*names: str) -> dict:
    return {f"{name} {axes}": reducing(name, axes) for name in names for axes in AXES}


def positions() -> dict:
    return {
        f"{f.__name__} {axis}": lambda a, f=f, axis=axis: f(a, axis, np.int32)
        for f in (lax.argmax, lax.argmin)
        for axis in range(3)
    }


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS + BOOL, ids=str)
def test_extrema(dtype):
    assert_agree(reductions("max", "min") | positions(), values(dtype, 60)[-60:].reshape(3, 4, 5))
    # Which of two zeros is the larger one, XLA's programs answer one way or the other.
    assert_agree(reductions("max", "min") | positions(), values(dtype)[:60].reshape(3, 4, 5), zeros=False)
    assert_agree(reductions("max", "min"), np.zeros((0, 4, 0), dtype))
    if dtype in FLOATS:
        zeros = np.zeros((2, 3, 4), dtype)
        zeros[0], zeros[1, 1] = -zeros[0], -zeros[1, 1]
        assert_agree(reductions("sum") | positions(), zeros)


@pytest.mark.parametrize("dtype", INTEGERS + BOOL, ids=str)
def test_reductions_of_integers(dtype):
    sums = reductions("sum", "prod") if dtype.kind != "b" else {}
    for a in (values(dtype)[:60].reshape(3, 4, 5), np.zeros((0, 4, 0), dtype), np.ones((1, 1, 1), dtype)):
        assert_agree(reductions("and", "or", "xor") | sums, a)


@pytest.mark.parametrize("dtype", FLOATS + COMPLEX, ids=str)
def test_sums(dtype):
    """Roundings differ with the order, so in units of the sum of what is added; XLA rounds narrow floats at every step."""
    a = (1 + np.abs(values(DOUBLE, 600)[-600:] % 1)).astype(dtype).reshape(10, 15, 4)
    assert_agree(reductions("sum"), a, ulps=128 if dtype in NARROW else 32)
    assert_agree(reductions("prod"), a[:1, :4, :2], ulps=16)
    assert_agree(reductions("sum"), -a[:1, :1, :1] * 0, ulps=0)
    assert_agree(reductions("sum", "prod"), np.zeros((0, 4, 0), dtype), ulps=0)


CUMULATIVE = {
    f"{name} {axis} {reverse}": lambda a, name=name, axis=axis, reverse=reverse: getattr(lax, name)(a, axis, reverse)
    for name in ("cumsum", "cumprod", "cummax", "cummin")
    for axis in range(3)
    for reverse in (False, True)
}


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS, ids=str)
def test_cumulative(dtype):
    a = values(dtype, 60)[-60:].reshape(3, 4, 5)
    if dtype in FLOATS:
        a = np.abs(a)
        assert_agree(
            {k: f for k, f in CUMULATIVE.items() if "cumm" in k}, values(dtype)[:60].reshape(3, 4, 5), zeros=False
        )
    assert_agree(CUMULATIVE, a, ulps=8)


# -- products ----------------------------------------------------------------------------------------------------------

PRODUCTS = [  # shapes, dimensions that are summed, dimensions of batches
    ((3, 4), (4, 5), ([1], [0]), ([], [])),
    ((4, 3), (5, 4), ([0], [1]), ([], [])),
    ((2, 3, 4), (2, 4, 5), ([2], [1]), ([0], [0])),
    ((3, 2, 4), (4, 5, 2), ([2], [0]), ([1], [2])),
    ((2, 3, 4, 5), (3, 5, 2, 6), ([1, 3], [0, 1]), ([0], [2])),
    ((3, 4), (4,), ([1], [0]), ([], [])),
    ((4,), (4,), ([0], [0]), ([], [])),
    ((3,), (4,), ([], []), ([], [])),
    ((3,), (3,), ([], []), ([0], [0])),
    ((3, 0), (0, 5), ([1], [0]), ([], [])),
    ((40, 40), (40, 40), ([1], [0]), ([], [])),
]


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS + BOOL + COMPLEX, ids=str)
def test_products(dtype):
    draw = np.random.default_rng(0)

    def operand(shape):
        if dtype.kind in "biu":
            return values(dtype, 1600)[-1600:][: int(np.prod(shape))].reshape(shape)
        return (1 + draw.random(shape) * (1 + 1j if dtype.kind == "c" else 1)).astype(dtype)

    for left, right, summed, batch in PRODUCTS:
        wanted = {"own": None}
        if dtype in NARROW:
            wanted["float32"] = SINGLE
        if dtype.kind in "iu" and dtype.itemsize < 4:
            wanted["int32"] = np.dtype("int32")
        functions = {
            f"{left} {right} {name}": lambda a, b, s=summed, n=batch, w=w: lax.dot_general(
                a, b, (s, n), preferred_element_type=w
            )
            for name, w in wanted.items()
        }
        assert_agree(functions, operand(left), operand(right), ulps=8)
