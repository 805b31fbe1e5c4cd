"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
from tfgrad_jax._stubs import math_special
special = math_special
def abs(x: _Any, name: _Any = None) -> _Any:
    """Absolute value."""
def accumulate_n(inputs: _Any, shape: _Any = None, tensor_dtype: _Any = None, name: _Any = None) -> _Any:
    """The sum of a list of tensors. Mirrors `tf.math.accumulate_n`; see `add_n`."""
def acos(x: _Any, name: _Any = None) -> _Any:
    """The angle whose cosine is `x`."""
def acosh(x: _Any, name: _Any = None) -> _Any:
    """The number whose hyperbolic cosine is `x`."""
def add(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Sum, elementwise with broadcasting; strings are joined. Mirrors `tf.add`."""
def add_n(inputs: _Any, name: _Any = None) -> _Any:
    """The sum of a list of tensors of one shape and dtype. Mirrors `tf.add_n`."""
def angle(input: _Any, name: _Any = None) -> _Any:
    """The argument; pi for negative real numbers. Mirrors `tf.math.angle`."""
def approx_max_k(operand: _Any, k: _Any, reduction_dimension: _Any = -1, recall_target: _Any = ..., reduction_input_size_override: _Any = -1, aggregate_to_topk: _Any = True, name: _Any = None) -> _Any:
    """The `k` largest numbers along an axis, most of them where that is quicker. Mirrors `tf.math.approx_max_k`."""
def approx_min_k(operand: _Any, k: _Any, reduction_dimension: _Any = -1, recall_target: _Any = ..., reduction_input_size_override: _Any = -1, aggregate_to_topk: _Any = True, name: _Any = None) -> _Any:
    """The `k` smallest numbers along an axis; see `approx_max_k`."""
def argmax(input: _Any, axis: _Any = None, output_type: _Any = ..., name: _Any = None) -> _Any:
    """Where along an axis (the first, unless given) the largest element is. Mirrors `tf.argmax`."""
def argmin(input: _Any, axis: _Any = None, output_type: _Any = ..., name: _Any = None) -> _Any:
    """Where along an axis (the first, unless given) the smallest element is. Mirrors `tf.argmin`; see `argmax`."""
def asin(x: _Any, name: _Any = None) -> _Any:
    """The angle whose sine is `x`."""
def asinh(x: _Any, name: _Any = None) -> _Any:
    """The number whose hyperbolic sine is `x`."""
def atan(x: _Any, name: _Any = None) -> _Any:
    """The angle whose tangent is `x`."""
def atan2(y: _Any, x: _Any, name: _Any = None) -> _Any:
    """The angle of the point (x, y)."""
def atanh(x: _Any, name: _Any = None) -> _Any:
    """The number whose hyperbolic tangent is `x`."""
def bessel_i0(x: _Any, name: _Any = None) -> _Any:
    """The modified Bessel function of the first kind, of order 0."""
def bessel_i0e(x: _Any, name: _Any = None) -> _Any:
    """`bessel_i0`, scaled by `exp(-|x|)`."""
def bessel_i1(x: _Any, name: _Any = None) -> _Any:
    """The modified Bessel function of the first kind, of order 1."""
def bessel_i1e(x: _Any, name: _Any = None) -> _Any:
    """`bessel_i1`, scaled by `exp(-|x|)`."""
def betainc(a: _Any, b: _Any, x: _Any, name: _Any = None) -> _Any:
    """The regularized incomplete beta function."""
def bincount(arr: _Any, weights: _Any = None, minlength: _Any = None, maxlength: _Any = None, dtype: _Any = ..., name: _Any = None, axis: _Any = None, binary_output: _Any = False) -> _Any:
    """How often each integer occurs. Mirrors `tf.math.bincount`."""
def ceil(x: _Any, name: _Any = None) -> _Any:
    """The next whole number above."""
def confusion_matrix(labels: _Any, predictions: _Any, num_classes: _Any = None, weights: _Any = None, dtype: _Any = ..., name: _Any = None) -> _Any:
    """How often each class (a row) was predicted as each class (a column). Mirrors `tf.math.confusion_matrix`."""
def conj(x: _Any, name: _Any = None) -> _Any:
    """The complex conjugate; real numbers are returned as they are. Mirrors `tf.math.conj`."""
def cos(x: _Any, name: _Any = None) -> _Any:
    """Cosine of an angle in radians."""
def cosh(x: _Any, name: _Any = None) -> _Any:
    """Hyperbolic cosine."""
def count_nonzero(input: _Any, axis: _Any = None, keepdims: _Any = None, dtype: _Any = ..., name: _Any = None) -> _Any:
    """The number of elements that are not zero, or not the empty string. Mirrors `tf.math.count_nonzero`."""
def cumprod(x: _Any, axis: _Any = 0, exclusive: _Any = False, reverse: _Any = False, name: _Any = None) -> _Any:
    """Running product along an axis; see `cumsum`."""
def cumsum(x: _Any, axis: _Any = 0, exclusive: _Any = False, reverse: _Any = False, name: _Any = None) -> _Any:
    """Running sum along an axis; `exclusive` sums what is before each element, `reverse` begins at the end."""
def cumulative_logsumexp(x: _Any, axis: _Any = 0, exclusive: _Any = False, reverse: _Any = False, name: _Any = None) -> _Any:
    """Running `log(sum(exp(x)))` along an axis; see `cumsum`."""
def digamma(x: _Any, name: _Any = None) -> _Any:
    """The derivative of `lgamma`."""
def divide(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """`x / y` as in Python. Mirrors `tf.divide`."""
def divide_no_nan(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Quotient that is 0 wherever `y` is 0; that of integers is floating. Mirrors `tf.math.divide_no_nan`."""
def equal(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Whether `x == y`, elementwise with broadcasting. Mirrors `tf.equal`."""
def erf(x: _Any, name: _Any = None) -> _Any:
    """The Gaussian error function."""
def erfc(x: _Any, name: _Any = None) -> _Any:
    """`1 - erf(x)`, precise for large `x`."""
def erfcinv(x: _Any, name: _Any = None) -> _Any:
    """The number whose complementary error function is `x`."""
def erfinv(x: _Any, name: _Any = None) -> _Any:
    """The number whose error function is `x`."""
def exp(x: _Any, name: _Any = None) -> _Any:
    """e to the power `x`."""
def expm1(x: _Any, name: _Any = None) -> _Any:
    """e to the power `x`, less 1; precise near 0."""
def floor(x: _Any, name: _Any = None) -> _Any:
    """The next whole number below."""
def floordiv(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Quotient rounded down; it has no gradient."""
def floormod(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Remainder with the divisor's sign."""
def greater(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Whether `x > y`, elementwise with broadcasting."""
def greater_equal(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Whether `x >= y`, elementwise with broadcasting."""
def igamma(a: _Any, x: _Any, name: _Any = None) -> _Any:
    """The regularized lower incomplete gamma function."""
def igammac(a: _Any, x: _Any, name: _Any = None) -> _Any:
    """The regularized upper incomplete gamma function."""
def imag(input: _Any, name: _Any = None) -> _Any:
    """The imaginary part: zeros for real numbers. Mirrors `tf.math.imag`."""
def in_top_k(targets: _Any, predictions: _Any, k: _Any, name: _Any = None) -> _Any:
    """Whether fewer than `k` classes have a higher prediction than the target; False for a target that is no class."""
def invert_permutation(x: _Any, name: _Any = None) -> _Any:
    """The permutation that undoes `x`. Mirrors `tf.math.invert_permutation`."""
def is_finite(x: _Any, name: _Any = None) -> _Any:
    """Whether it is neither infinite nor NaN, elementwise."""
def is_inf(x: _Any, name: _Any = None) -> _Any:
    """Whether it is an infinity of either sign, elementwise."""
def is_nan(x: _Any, name: _Any = None) -> _Any:
    """Whether it is not a number, elementwise."""
def is_non_decreasing(x: _Any, name: _Any = None) -> _Any:
    """Whether each element, in row-major order, is at least as large as the one before."""
def is_strictly_increasing(x: _Any, name: _Any = None) -> _Any:
    """Whether each element, in row-major order, is larger than the one before."""
def l2_normalize(x: _Any, axis: _Any = None, epsilon: _Any = ..., name: _Any = None, dim: _Any = None) -> _Any:
    """`x`, scaled to a Euclidean norm of 1 along the axes. Mirrors `tf.math.l2_normalize`."""
def lbeta(x: _Any, name: _Any = None) -> _Any:
    """The logarithm of the beta function of the numbers along the last axis."""
def less(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Whether `x < y`, elementwise with broadcasting."""
def less_equal(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Whether `x <= y`, elementwise with broadcasting."""
def lgamma(x: _Any, name: _Any = None) -> _Any:
    """The logarithm of the gamma function's absolute value."""
def log(x: _Any, name: _Any = None) -> _Any:
    """Natural logarithm."""
def log1p(x: _Any, name: _Any = None) -> _Any:
    """Natural logarithm of `1 + x`; precise near 0."""
def log_sigmoid(x: _Any, name: _Any = None) -> _Any:
    """The logarithm of the sigmoid, -softplus(-x)."""
def log_softmax(logits: _Any, axis: _Any = None, name: _Any = None) -> _Any:
    """logits - log(sum(exp(logits))) along `axis`, the last one by default."""
def logical_and(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Whether both are true, elementwise with broadcasting."""
def logical_not(x: _Any, name: _Any = None) -> _Any:
    """Whether it is false, elementwise."""
def logical_or(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Whether any of the two is true, elementwise with broadcasting."""
def logical_xor(x: _Any, y: _Any, name: _Any = 'LogicalXor') -> _Any:
    """Whether exactly one of the two is true, elementwise with broadcasting."""
def maximum(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """The larger of two, elementwise with broadcasting."""
def minimum(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """The smaller of two, elementwise with broadcasting."""
def mod(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Remainder with the divisor's sign."""
def multiply(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Product, elementwise with broadcasting."""
def multiply_no_nan(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Product that is 0 wherever `y` is 0, also against infinity and NaN. Mirrors `tf.math.multiply_no_nan`."""
def ndtri(x: _Any, name: _Any = None) -> _Any:
    """The quantile of the standard normal distribution."""
def negative(x: _Any, name: _Any = None) -> _Any:
    """The number of opposite sign."""
def nextafter(x1: _Any, x2: _Any, name: _Any = None) -> _Any:
    """The next number after `x1` in the direction of `x2`."""
def not_equal(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Whether `x != y`, elementwise with broadcasting. Mirrors `tf.not_equal`; see `equal`."""
def polygamma(a: _Any, x: _Any, name: _Any = None) -> _Any:
    """The derivative of `digamma` of order `a`."""
def polyval(coeffs: _Any, x: _Any, name: _Any = None) -> _Any:
    """The value at `x` of a polynomial given by its coefficients, highest power first. Mirrors `tf.math.polyval`."""
def pow(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """`x` to the power `y`. Mirrors `tf.pow`."""
def real(input: _Any, name: _Any = None) -> _Any:
    """The real part; real numbers are returned as they are. Mirrors `tf.math.real`."""
def reciprocal(x: _Any, name: _Any = None) -> _Any:
    """One divided by `x`."""
def reciprocal_no_nan(x: _Any, name: _Any = None) -> _Any:
    """One divided by `x`, and 0 where `x` is 0."""
def reduce_all(input_tensor: _Any, axis: _Any = None, keepdims: _Any = False, name: _Any = None) -> _Any:
    """Whether all elements are true."""
def reduce_any(input_tensor: _Any, axis: _Any = None, keepdims: _Any = False, name: _Any = None) -> _Any:
    """Whether any element is true."""
def reduce_euclidean_norm(input_tensor: _Any, axis: _Any = None, keepdims: _Any = False, name: _Any = None) -> _Any:
    """Square root of the sum of the squares; those of integers wrap."""
def reduce_logsumexp(input_tensor: _Any, axis: _Any = None, keepdims: _Any = False, name: _Any = None) -> _Any:
    """`log(sum(exp(x)))` without overflow."""
def reduce_max(input_tensor: _Any, axis: _Any = None, keepdims: _Any = False, name: _Any = None) -> _Any:
    """The largest element; of equal ones each takes its share of the gradient."""
def reduce_mean(input_tensor: _Any, axis: _Any = None, keepdims: _Any = False, name: _Any = None) -> _Any:
    """Mean of the elements; that of integers is rounded towards zero, and 0 where there are none."""
def reduce_min(input_tensor: _Any, axis: _Any = None, keepdims: _Any = False, name: _Any = None) -> _Any:
    """The smallest element; of equal ones each takes its share of the gradient."""
def reduce_prod(input_tensor: _Any, axis: _Any = None, keepdims: _Any = False, name: _Any = None) -> _Any:
    """Product of the elements; its gradient is exact where some are 0."""
def reduce_std(input_tensor: _Any, axis: _Any = None, keepdims: _Any = False, name: _Any = None) -> _Any:
    """Standard deviation (of the population) of the elements. Mirrors `tf.math.reduce_std`."""
def reduce_sum(input_tensor: _Any, axis: _Any = None, keepdims: _Any = False, name: _Any = None) -> _Any:
    """Sum of the elements."""
def reduce_variance(input_tensor: _Any, axis: _Any = None, keepdims: _Any = False, name: _Any = None) -> _Any:
    """Variance (of the population) of the elements. Mirrors `tf.math.reduce_variance`."""
def rint(x: _Any, name: _Any = None) -> _Any:
    """The nearest whole number, halves to even."""
def round(x: _Any, name: _Any = None) -> _Any:
    """The nearest whole number, halves to even. Mirrors `tf.round`; integers are returned as they are."""
def rsqrt(x: _Any, name: _Any = None) -> _Any:
    """One divided by the square root."""
def scalar_mul(scalar: _Any, x: _Any, name: _Any = None) -> _Any:
    """A tensor or `IndexedSlices` times a number. Mirrors `tf.math.scalar_mul`."""
def segment_max(data: _Any, segment_ids: _Any, name: _Any = None) -> _Any:
    """The largest of each segment; 0 for an empty one. See `segment_sum`."""
def segment_mean(data: _Any, segment_ids: _Any, name: _Any = None) -> _Any:
    """The mean of each segment; 0 for an empty one. See `segment_sum`."""
def segment_min(data: _Any, segment_ids: _Any, name: _Any = None) -> _Any:
    """The smallest of each segment; 0 for an empty one. See `segment_sum`."""
def segment_prod(data: _Any, segment_ids: _Any, name: _Any = None) -> _Any:
    """The product of each segment; 1 for an empty one. See `segment_sum`."""
def segment_sum(data: _Any, segment_ids: _Any, name: _Any = None) -> _Any:
    """The sum of each segment; 0 for an empty one. Mirrors `tf.math.segment_sum`."""
def sigmoid(x: _Any, name: _Any = None) -> _Any:
    """`1 / (1 + exp(-x))`."""
def sign(x: _Any, name: _Any = None) -> _Any:
    """-1, 0 or 1; for a complex number, the number of that direction with absolute value 1."""
def sin(x: _Any, name: _Any = None) -> _Any:
    """Sine of an angle in radians."""
def sinh(x: _Any, name: _Any = None) -> _Any:
    """Hyperbolic sine."""
def sobol_sample(dim: _Any, num_results: _Any, skip: _Any = 0, dtype: _Any = ..., name: _Any = None) -> _Any:
    """Points of Sobol's sequence, without its first, which is zero. Mirrors `tf.math.sobol_sample`."""
def softmax(logits: _Any, axis: _Any = None, name: _Any = None) -> _Any:
    """exp(logits) / sum(exp(logits)) along `axis`, the last one by default."""
def softplus(features: _Any, name: _Any = None) -> _Any:
    """log(exp(x) + 1), without overflow."""
def softsign(features: _Any, name: _Any = None) -> _Any:
    """x / (1 + |x|)."""
def sqrt(x: _Any, name: _Any = None) -> _Any:
    """Square root."""
def square(x: _Any, name: _Any = None) -> _Any:
    """`x` times `x`."""
def squared_difference(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """The square of the difference; for complex numbers that of its absolute value."""
def subtract(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Difference, elementwise with broadcasting."""
def tan(x: _Any, name: _Any = None) -> _Any:
    """Tangent of an angle in radians."""
def tanh(x: _Any, name: _Any = None) -> _Any:
    """Hyperbolic tangent."""
def top_k(input: _Any, k: _Any = 1, sorted: _Any = True, index_type: _Any = ..., name: _Any = None) -> _Any:
    """The `k` largest numbers along the last axis, and where they are. Mirrors `tf.math.top_k`."""
def truediv(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Quotient in the sense of Python 3: integers give a floating result. Mirrors `tf.truediv`."""
def unsorted_segment_max(data: _Any, segment_ids: _Any, num_segments: _Any, name: _Any = None) -> _Any:
    """The largest of each segment; the lowest number for an empty one. See `unsorted_segment_sum`."""
def unsorted_segment_mean(data: _Any, segment_ids: _Any, num_segments: _Any, name: _Any = None) -> _Any:
    """The mean of each segment; 0 for an empty one. See `unsorted_segment_sum`."""
def unsorted_segment_min(data: _Any, segment_ids: _Any, num_segments: _Any, name: _Any = None) -> _Any:
    """The smallest of each segment; the highest number for an empty one. See `unsorted_segment_sum`."""
def unsorted_segment_prod(data: _Any, segment_ids: _Any, num_segments: _Any, name: _Any = None) -> _Any:
    """The product of each segment; 1 for an empty one. See `unsorted_segment_sum`."""
def unsorted_segment_sqrt_n(data: _Any, segment_ids: _Any, num_segments: _Any, name: _Any = None) -> _Any:
    """The sum of each segment, divided by the square root of its size. See `unsorted_segment_sum`."""
def unsorted_segment_sum(data: _Any, segment_ids: _Any, num_segments: _Any, name: _Any = None) -> _Any:
    """The sum of each segment; 0 for an empty one. Mirrors `tf.math.unsorted_segment_sum`."""
def xdivy(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """`x / y`, and 0 where `x` is 0."""
def xlog1py(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """`x * log1p(y)`, and 0 where `x` is 0."""
def xlogy(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """`x * log(y)`, and 0 where `x` is 0."""
def zero_fraction(value: _Any, name: _Any = None) -> _Any:
    """The fraction of the elements that are zero, as a float32."""
def zeta(x: _Any, q: _Any, name: _Any = None) -> _Any:
    """The Hurwitz zeta function."""
