"""Nodes of elementwise functions, reductions and comparisons."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.engine.values.dtypes import DType, int32, int64
from tfgrad_jax.lib.saved_model.nodes.registry import node, same, tf

same(
    {
        "Abs": "abs", "Acos": "acos", "Acosh": "acosh", "Add": "add", "AddV2": "add", "Asin": "asin", "Asinh": "asinh",
        "Atan": "atan", "Atan2": "atan2", "Atanh": "atanh", "BesselI0": "math.special.bessel_i0",
        "BesselI0e": "math.bessel_i0e", "BesselI1": "math.special.bessel_i1", "BesselI1e": "math.bessel_i1e",
        "Betainc": "math.betainc", "BitwiseAnd": "bitwise.bitwise_and", "BitwiseOr": "bitwise.bitwise_or",
        "BitwiseXor": "bitwise.bitwise_xor", "Ceil": "math.ceil", "ClipByValue": "clip_by_value", "Complex": "complex",
        "Conj": "math.conj", "Cos": "cos", "Cosh": "cosh", "Digamma": "math.digamma",
        "DivNoNan": "math.divide_no_nan", "Erf": "math.erf", "Erfc": "math.erfc", "Erfinv": "math.erfinv", "Exp": "exp",
        "Expint": "math.special.expint", "Expm1": "math.expm1", "Floor": "floor", "FloorDiv": "math.floordiv",
        "FloorMod": "math.floormod", "Greater": "greater", "GreaterEqual": "greater_equal", "Igamma": "math.igamma",
        "Igammac": "math.igammac", "Imag": "math.imag", "Inv": "math.reciprocal", "Invert": "bitwise.invert",
        "IsFinite": "math.is_finite", "IsInf": "math.is_inf", "IsNan": "math.is_nan", "LeftShift": "bitwise.left_shift",
        "Less": "less", "LessEqual": "less_equal", "Lgamma": "math.lgamma", "Log": "math.log", "Log1p": "math.log1p",
        "LogicalAnd": "logical_and", "LogicalNot": "logical_not", "LogicalOr": "logical_or", "Maximum": "maximum",
        "Minimum": "minimum", "Mod": "truncatemod", "Mul": "multiply", "MulNoNan": "math.multiply_no_nan",
        "Ndtri": "math.ndtri", "Neg": "negative", "NextAfter": "math.nextafter", "Polygamma": "math.polygamma",
        "Pow": "pow", "Real": "math.real", "RealDiv": "realdiv", "Reciprocal": "math.reciprocal",
        "RightShift": "bitwise.right_shift", "Rint": "math.rint", "Round": "round", "Rsqrt": "math.rsqrt",
        "Sigmoid": "sigmoid", "Sign": "sign", "Sin": "sin", "Sinh": "sinh", "Spence": "math.special.spence",
        "Sqrt": "sqrt", "Square": "square", "SquaredDifference": "math.squared_difference", "Sub": "subtract",
        "Tan": "tan", "Tanh": "tanh", "TruncateDiv": "truncatediv", "TruncateMod": "truncatemod",
        "Xdivy": "math.xdivy", "Xlog1py": "math.xlog1py", "Xlogy": "math.xlogy", "Zeta": "math.zeta",
    }
)  # fmt: skip


@node("Div")
def _div(x: Any, y: Any) -> Any:
    return tf("truncatediv" if x.dtype.is_integer else "realdiv")(x, y)


def _together(x: Any, y: Any) -> bool:
    """Whether two shapes can be broadcast, as far as they are known."""
    if x.shape.rank is None or y.shape.rank is None:
        return True
    pairs = zip(reversed(x.shape.as_list()), reversed(y.shape.as_list()), strict=False)
    return all(a == b or a in (1, None) or b in (1, None) for a, b in pairs)


@node("Equal")
def _equal(x: Any, y: Any, *, incompatible_shape_error: bool = True) -> Any:
    return tf("equal")(x, y) if incompatible_shape_error or _together(x, y) else tf("constant")(False)


@node("NotEqual")
def _not_equal(x: Any, y: Any, *, incompatible_shape_error: bool = True) -> Any:
    return tf("not_equal")(x, y) if incompatible_shape_error or _together(x, y) else tf("constant")(True)


@node("AddN", "AccumulateNV2")
def _add_n(*inputs: Any) -> Any:
    return tf("add_n")(list(inputs))


@node("Angle")
def _angle(x: Any) -> Any:
    return tf("math.angle")(x)


def _reduction(raw: str, name: str) -> None:
    def reduced(x: Any, axes: Any, *, keep_dims: bool = False) -> Any:
        return tf(name)(x, axes, keep_dims)

    node(raw)(reduced)


for _raw, _name in {
    "All": "reduce_all",
    "Any": "reduce_any",
    "EuclideanNorm": "math.reduce_euclidean_norm",
    "Max": "reduce_max",
    "Mean": "reduce_mean",
    "Min": "reduce_min",
    "Prod": "reduce_prod",
    "Sum": "reduce_sum",
}.items():
    _reduction(_raw, _name)


@node("ArgMax")
def _argmax(x: Any, axis: Any, *, output_type: DType = int64) -> Any:
    return tf("argmax")(x, axis, output_type)


@node("ArgMin")
def _argmin(x: Any, axis: Any, *, output_type: DType = int64) -> Any:
    return tf("argmin")(x, axis, output_type)


def _cumulative(raw: str, name: str) -> None:
    def cumulated(x: Any, axis: Any, *, exclusive: bool = False, reverse: bool = False) -> Any:
        return tf(name)(x, axis, exclusive, reverse)

    node(raw)(cumulated)


for _raw, _name in {
    "Cumprod": "math.cumprod",
    "Cumsum": "cumsum",
    "CumulativeLogsumexp": "math.cumulative_logsumexp",
}.items():
    _cumulative(_raw, _name)


@node("Cast")
def _cast(x: Any, *, DstT: DType) -> Any:
    return tf("cast")(x, DstT)


@node("Bitcast")
def _bitcast(x: Any, *, type: DType) -> Any:
    return tf("bitcast")(x, type)


same(
    {
        "SegmentMax": "math.segment_max", "SegmentMean": "math.segment_mean", "SegmentMin": "math.segment_min",
        "SegmentProd": "math.segment_prod", "SegmentSum": "math.segment_sum",
        "UnsortedSegmentMax": "math.unsorted_segment_max", "UnsortedSegmentMin": "math.unsorted_segment_min",
        "UnsortedSegmentProd": "math.unsorted_segment_prod", "UnsortedSegmentSum": "math.unsorted_segment_sum",
    }
)  # fmt: skip


@node("DenseBincount")
def _bincount(x: Any, size: Any, weights: Any, *, binary_output: bool = False) -> Any:
    given = None if weights.shape.num_elements() == 0 else weights
    axis = None if x.shape.rank == 1 and not binary_output else -1
    return tf("math.bincount")(
        x, given, minlength=size, maxlength=size, dtype=weights.dtype, axis=axis, binary_output=binary_output
    )


@node("Bucketize")
def _bucketize(x: Any, *, boundaries: list[float]) -> Any:
    return tf("raw_ops.Bucketize")(input=x, boundaries=list(boundaries))


@node("HistogramFixedWidth")
def _histogram(x: Any, value_range: Any, nbins: Any, *, dtype: DType = int32) -> Any:
    return tf("histogram_fixed_width")(x, value_range, nbins, dtype)
