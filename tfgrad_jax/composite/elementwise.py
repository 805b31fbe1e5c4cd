"""Which public functions act element by element, so that one handler can serve all of them for a user's type."""

from __future__ import annotations


def _names(module: str, names: str) -> list[str]:
    return [f"{module}.{name}" if module else name for name in names.split()]


UNARY = (
    *_names("", "zeros_like ones_like cast saturate_cast clip_by_value"),
    *_names("debugging", "check_numerics"),
    *_names("bitwise", "invert"),
    *_names("math", "abs softplus sign real imag angle round sigmoid log_sigmoid conj reciprocal_no_nan erfinv ndtri"),
    *_names(
        "math", "erfcinv ceil sqrt exp rsqrt acos floor acosh asin asinh atan atanh cos cosh digamma erf erfc expm1"
    ),
    *_names("math", "is_finite is_inf is_nan lgamma log log1p logical_not negative nextafter reciprocal rint sin sinh"),
    *_names("math", "square tan tanh"),
    *_names("math.special", "dawsn expint fresnel_cos fresnel_sin spence bessel_i0 bessel_i0e bessel_i1 bessel_i1e"),
    *_names("math.special", "bessel_k0 bessel_k0e bessel_k1 bessel_k1e bessel_j0 bessel_j1 bessel_y0 bessel_y1"),
    *_names("nn", "relu6 leaky_relu gelu log_softmax elu relu selu softsign silu"),
    *_names("strings", "regex_full_match regex_replace length substr to_number to_hash_bucket as_string lower upper"),
    *_names("strings", "unicode_transcode strip to_hash_bucket_fast to_hash_bucket_strong unicode_script"),
    *_names("io", "decode_base64 encode_base64 decode_compressed"),
    *_names(
        "image", "random_brightness stateless_random_brightness adjust_brightness adjust_gamma convert_image_dtype"
    ),
)

BINARY = (
    *_names(
        "math", "divide multiply subtract scalar_mul pow truediv divide_no_nan multiply_no_nan floordiv logical_xor"
    ),
    *_names("math", "equal not_equal add xdivy xlog1py atan2 floormod greater greater_equal less less_equal"),
    *_names("math", "logical_and logical_or maximum minimum squared_difference xlogy zeta"),
    *_names("bitwise", "bitwise_and bitwise_or bitwise_xor left_shift right_shift"),
    *_names("", "complex realdiv truncatediv truncatemod"),
    *_names("nn", "sigmoid_cross_entropy_with_logits"),
)

ASSERTIONS = tuple(
    _names("debugging", "assert_equal assert_none_equal assert_near assert_less assert_less_equal")
    + _names("debugging", "assert_greater assert_greater_equal")
)
