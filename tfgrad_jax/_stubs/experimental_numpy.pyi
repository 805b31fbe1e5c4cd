"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
from tfgrad_jax._stubs import experimental_numpy_random
from tfgrad_jax.engine.values.tensor import Tensor as _ndarray
random = experimental_numpy_random
def abs(x: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.abs`."""
def absolute(x: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.absolute`."""
def add(x1: _Any, x2: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.add`."""
def all(a: _Any, axis: _Any = None, keepdims: _Any = None) -> _Any:
    """Whether all are true. Mirrors `tf.experimental.numpy.all`."""
def allclose(a: _Any, b: _Any, rtol: _Any = ..., atol: _Any = ..., equal_nan: _Any = False) -> _Any:
    """Whether all elements are nearly equal. Mirrors `tf.experimental.numpy.allclose`."""
def amax(a: _Any, axis: _Any = None, out: _Any = None, keepdims: _Any = None) -> _Any:
    """The largest element. Mirrors `tf.experimental.numpy.amax`."""
def amin(a: _Any, axis: _Any = None, out: _Any = None, keepdims: _Any = None) -> _Any:
    """The smallest element. Mirrors `tf.experimental.numpy.amin`."""
def angle(z: _Any, deg: _Any = False) -> _Any:
    """The angle of complex numbers. Mirrors `tf.experimental.numpy.angle`."""
def any(a: _Any, axis: _Any = None, keepdims: _Any = None) -> _Any:
    """Whether one is true. Mirrors `tf.experimental.numpy.any`."""
def append(arr: _Any, values: _Any, axis: _Any = None) -> _Any:
    """One after the other; as vectors without an axis. Mirrors `tf.experimental.numpy.append`."""
def arange(start: _Any, stop: _Any = None, step: _Any = 1, dtype: _Any = None) -> _Any:
    """Numbers from `start` to before `stop`. Mirrors `tf.experimental.numpy.arange`."""
def arccos(x: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.arccos`."""
def arccosh(x: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.arccosh`."""
def arcsin(x: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.arcsin`."""
def arcsinh(x: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.arcsinh`."""
def arctan(x: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.arctan`."""
def arctan2(x1: _Any, x2: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.arctan2`."""
def arctanh(x: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.arctanh`."""
def argmax(a: _Any, axis: _Any = None) -> _Any:
    """The place of the largest element. Mirrors `tf.experimental.numpy.argmax`."""
def argmin(a: _Any, axis: _Any = None) -> _Any:
    """The place of the smallest element. Mirrors `tf.experimental.numpy.argmin`."""
def argsort(a: _Any, axis: _Any = -1, kind: _Any = 'quicksort', order: _Any = None) -> _Any:
    """The places of the elements in ascending order. Mirrors `tf.experimental.numpy.argsort`."""
def around(a: _Any, decimals: _Any = 0) -> _Any:
    """Rounded to so many decimals, halves to even. Mirrors `tf.experimental.numpy.around`."""
def array(val: _Any, dtype: _Any = None, copy: _Any = True, ndmin: _Any = 0) -> _Any:
    """A tensor of a nest of numbers. Mirrors `tf.experimental.numpy.array`."""
def array_equal(a1: _Any, a2: _Any) -> _Any:
    """Whether shapes and elements are equal. Mirrors `tf.experimental.numpy.array_equal`."""
def asanyarray(a: _Any, dtype: _Any = None) -> _Any:
    """As `asarray`. Mirrors `tf.experimental.numpy.asanyarray`."""
def asarray(a: _Any, dtype: _Any = None) -> _Any:
    """A tensor of a nest of numbers. Mirrors `tf.experimental.numpy.asarray`; see `array`."""
def ascontiguousarray(a: _Any, dtype: _Any = None) -> _Any:
    """As `array`, with one dimension at least. Mirrors `tf.experimental.numpy.ascontiguousarray`."""
def atleast_1d(*arys: _Any) -> _Any:
    """With one dimension at least. Mirrors `tf.experimental.numpy.atleast_1d`."""
def atleast_2d(*arys: _Any) -> _Any:
    """With two dimensions at least. Mirrors `tf.experimental.numpy.atleast_2d`."""
def atleast_3d(*arys: _Any) -> _Any:
    """With three dimensions at least. Mirrors `tf.experimental.numpy.atleast_3d`."""
def average(a: _Any, axis: _Any = None, weights: _Any = None, returned: _Any = False) -> _Any:
    """The mean by weights. Mirrors `tf.experimental.numpy.average`."""
def bitwise_and(x1: _Any, x2: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.bitwise_and`."""
def bitwise_not(x: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.bitwise_not`."""
def bitwise_or(x1: _Any, x2: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.bitwise_or`."""
def bitwise_xor(x1: _Any, x2: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.bitwise_xor`."""
class bool_(_Any): ...
def broadcast_arrays(*args: _Any, **kwargs: _Any) -> _Any:
    """Repeated up to one shape. Mirrors `tf.experimental.numpy.broadcast_arrays`."""
def broadcast_to(array: _Any, shape: _Any) -> _Any:
    """Repeated up to a shape. Mirrors `tf.experimental.numpy.broadcast_to`."""
def cbrt(x: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.cbrt`."""
def ceil(x: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.ceil`."""
def clip(a: _Any, a_min: _Any, a_max: _Any) -> _Any:
    """Elements moved into a range; `a_min` prevails, unlike in NumPy. Mirrors `tf.experimental.numpy.clip`."""
class complex128(_Any): ...
class complex64(_Any): ...
class complex_(_Any): ...
def compress(condition: _Any, a: _Any, axis: _Any = None) -> _Any:
    """Elements where the condition holds. Mirrors `tf.experimental.numpy.compress`."""
def concatenate(arys: _Any, axis: _Any = 0) -> _Any:
    """One after the other along a dimension. Mirrors `tf.experimental.numpy.concatenate`."""
def conj(x: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.conj`."""
def conjugate(x: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.conjugate`."""
def copy(a: _Any) -> _Any:
    """A tensor of its own. Mirrors `tf.experimental.numpy.copy`."""
def cos(x: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.cos`."""
def cosh(x: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.cosh`."""
def count_nonzero(a: _Any, axis: _Any = None) -> _Any:
    """How many are not zero. Mirrors `tf.experimental.numpy.count_nonzero`."""
def cross(a: _Any, b: _Any, axisa: _Any = -1, axisb: _Any = -1, axisc: _Any = -1, axis: _Any = None) -> _Any:
    """The vector product, of vectors of two or three numbers. Mirrors `tf.experimental.numpy.cross`."""
def cumprod(a: _Any, axis: _Any = None, dtype: _Any = None) -> _Any:
    """Products up to each element. Mirrors `tf.experimental.numpy.cumprod`."""
def cumsum(a: _Any, axis: _Any = None, dtype: _Any = None) -> _Any:
    """Sums up to each element. Mirrors `tf.experimental.numpy.cumsum`."""
def deg2rad(x: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.deg2rad`."""
def diag(v: _Any, k: _Any = 0) -> _Any:
    """A diagonal of a matrix, or a matrix with this one. Mirrors `tf.experimental.numpy.diag`."""
def diag_indices(n: _Any, ndim: _Any = 2) -> _Any:
    """The places of the diagonal. Mirrors `tf.experimental.numpy.diag_indices`."""
def diagflat(v: _Any, k: _Any = 0) -> _Any:
    """A matrix with this diagonal. Mirrors `tf.experimental.numpy.diagflat`."""
def diagonal(a: _Any, offset: _Any = 0, axis1: _Any = 0, axis2: _Any = 1) -> _Any:
    """A diagonal of the matrices along two dimensions. Mirrors `tf.experimental.numpy.diagonal`."""
def diff(a: _Any, n: _Any = 1, axis: _Any = -1) -> _Any:
    """Differences of neighbours. Mirrors `tf.experimental.numpy.diff`."""
def divide(x1: _Any, x2: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.divide`."""
def divmod(x1: _Any, x2: _Any) -> _Any:
    """Quotient and remainder. Mirrors `tf.experimental.numpy.divmod`."""
def dot(a: _Any, b: _Any) -> _Any:
    """Sums of products along the last dimension and the last but one. Mirrors `tf.experimental.numpy.dot`."""
def dsplit(ary: _Any, indices_or_sections: _Any) -> _Any:
    """Parts behind each other. Mirrors `tf.experimental.numpy.dsplit`."""
def dstack(tup: _Any) -> _Any:
    """Behind each other. Mirrors `tf.experimental.numpy.dstack`."""
e: float
def einsum(subscripts: _Any, *operands: _Any, **kwargs: _Any) -> _Any:
    """Sums of products, as letters say. Mirrors `tf.experimental.numpy.einsum`."""
def empty(shape: _Any, dtype: _Any = ...) -> _Any:
    """Zeros. Mirrors `tf.experimental.numpy.zeros`."""
def empty_like(a: _Any, dtype: _Any = None) -> _Any:
    """Zeros in the shape of another array. Mirrors `tf.experimental.numpy.zeros_like`."""
def equal(x1: _Any, x2: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.equal`."""
def exp(x: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.exp`."""
def exp2(x: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.exp2`."""
def expand_dims(a: _Any, axis: _Any) -> _Any:
    """With one more dimension, of size 1. Mirrors `tf.experimental.numpy.expand_dims`."""
def experimental_enable_numpy_behavior(prefer_float32: _Any = False, dtype_conversion_mode: _Any = 'legacy') -> _Any:
    """Let tensors behave as NumPy's arrays, in the whole program."""
def expm1(x: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.expm1`."""
def eye(N: _Any, M: _Any = None, k: _Any = 0, dtype: _Any = ...) -> _Any:
    """Ones on a diagonal. Mirrors `tf.experimental.numpy.eye`."""
def fabs(x: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.fabs`."""
def finfo(dtype: _Any) -> _Any:
    """The limits of a floating dtype, TensorFlow's or NumPy's. Mirrors `tf.experimental.numpy.finfo`."""
def fix(x: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.fix`."""
def flatten(a: _Any, order: _Any = 'C') -> _Any:
    """The elements as a vector. Mirrors `tf.experimental.numpy.flatten`."""
def flip(m: _Any, axis: _Any = None) -> _Any:
    """In reverse order along a dimension; along all if None. Mirrors `tf.experimental.numpy.flip`."""
def fliplr(m: _Any) -> _Any:
    """In reverse order along the second dimension. Mirrors `tf.experimental.numpy.fliplr`."""
def flipud(m: _Any) -> _Any:
    """In reverse order along the first dimension. Mirrors `tf.experimental.numpy.flipud`."""
class float16(_Any): ...
class float32(_Any): ...
class float64(_Any): ...
class float_(_Any): ...
def float_power(x1: _Any, x2: _Any) -> _Any:
    """Powers, as `power`, which TensorFlow gives here. Mirrors `tf.experimental.numpy.float_power`."""
def floor(x: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.floor`."""
def floor_divide(x1: _Any, x2: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.floor_divide`."""
def full(shape: _Any, fill_value: _Any, dtype: _Any = None) -> _Any:
    """One value at each place. Mirrors `tf.experimental.numpy.full`."""
def full_like(a: _Any, fill_value: _Any, dtype: _Any = None, order: _Any = 'K', subok: _Any = True, shape: _Any = None) -> _Any:
    """One value in the shape and the dtype of another array. Mirrors `tf.experimental.numpy.full_like`."""
def gcd(x1: _Any, x2: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.gcd`."""
def geomspace(start: _Any, stop: _Any, num: _Any = 50, endpoint: _Any = True, dtype: _Any = None, axis: _Any = 0) -> _Any:
    """Numbers at equal ratios. Mirrors `tf.experimental.numpy.geomspace`."""
def greater(x1: _Any, x2: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.greater`."""
def greater_equal(x1: _Any, x2: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.greater_equal`."""
def heaviside(x1: _Any, x2: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.heaviside`."""
def hsplit(ary: _Any, indices_or_sections: _Any) -> _Any:
    """Parts side by side. Mirrors `tf.experimental.numpy.hsplit`."""
def hstack(tup: _Any) -> _Any:
    """Side by side. Mirrors `tf.experimental.numpy.hstack`."""
def hypot(x1: _Any, x2: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.hypot`."""
def identity(n: _Any, dtype: _Any = ...) -> _Any:
    """The identity matrix. Mirrors `tf.experimental.numpy.identity`."""
class iinfo(_Any): ...
def imag(x: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.imag`."""
class inexact(_Any): ...
inf: float
def inner(a: _Any, b: _Any) -> _Any:
    """Sums of products along the last dimensions. Mirrors `tf.experimental.numpy.inner`."""
class int16(_Any): ...
class int32(_Any): ...
class int64(_Any): ...
class int8(_Any): ...
class int_(_Any): ...
def isclose(a: _Any, b: _Any, rtol: _Any = ..., atol: _Any = ..., equal_nan: _Any = False) -> _Any:
    """Whether elements are nearly equal. Mirrors `tf.experimental.numpy.isclose`."""
def iscomplex(x: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.iscomplex`."""
def iscomplexobj(x: _Any) -> _Any:
    """Whether the dtype is complex. Mirrors `tf.experimental.numpy.iscomplexobj`."""
def isfinite(x: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.isfinite`."""
def isinf(x: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.isinf`."""
def isnan(x: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.isnan`."""
def isneginf(x: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.isneginf`."""
def isposinf(x: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.isposinf`."""
def isreal(x: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.isreal`."""
def isrealobj(x: _Any) -> _Any:
    """Whether the dtype is not complex. Mirrors `tf.experimental.numpy.isrealobj`."""
def isscalar(num: _Any) -> _Any:
    """Whether it is a number or has no dimensions. Mirrors `tf.experimental.numpy.isscalar`."""
def issubdtype(arg1: _Any, arg2: _Any) -> _Any:
    """Returns True if first argument is a typecode lower/equal in type hierarchy."""
def ix_(*args: _Any) -> _Any:
    """Indices of a grid of rows and columns. Mirrors `tf.experimental.numpy.ix_`."""
def kron(a: _Any, b: _Any) -> _Any:
    """Kronecker's product. Mirrors `tf.experimental.numpy.kron`."""
def lcm(x1: _Any, x2: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.lcm`."""
def less(x1: _Any, x2: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.less`."""
def less_equal(x1: _Any, x2: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.less_equal`."""
def linspace(start: _Any, stop: _Any, num: _Any = 50, endpoint: _Any = True, retstep: _Any = False, dtype: _Any = ..., axis: _Any = 0) -> _Any:
    """Numbers at equal distances, whatever `dtype` is. Mirrors `tf.experimental.numpy.linspace`."""
def log(x: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.log`."""
def log10(x: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.log10`."""
def log1p(x: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.log1p`."""
def log2(x: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.log2`."""
def logaddexp(x1: _Any, x2: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.logaddexp`."""
def logaddexp2(x1: _Any, x2: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.logaddexp2`."""
def logical_and(x1: _Any, x2: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.logical_and`."""
def logical_not(x: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.logical_not`."""
def logical_or(x1: _Any, x2: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.logical_or`."""
def logical_xor(x1: _Any, x2: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.logical_xor`."""
def logspace(start: _Any, stop: _Any, num: _Any = 50, endpoint: _Any = True, base: _Any = ..., dtype: _Any = None, axis: _Any = 0) -> _Any:
    """Powers of `base` with exponents at equal distances, whatever `dtype` is. Mirrors `tf.experimental.numpy.logspace`."""
def matmul(x1: _Any, x2: _Any) -> _Any:
    """The product of matrices. Mirrors `tf.experimental.numpy.matmul`."""
def max(a: _Any, axis: _Any = None, keepdims: _Any = None) -> _Any:
    """The largest element. Mirrors `tf.experimental.numpy.max`."""
def maximum(x1: _Any, x2: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.maximum`."""
def mean(a: _Any, axis: _Any = None, dtype: _Any = None, out: _Any = None, keepdims: _Any = None) -> _Any:
    """The mean. Mirrors `tf.experimental.numpy.mean`."""
def meshgrid(*xi: _Any, **kwargs: _Any) -> _Any:
    """Coordinates of a grid. Mirrors `tf.experimental.numpy.meshgrid`."""
def min(a: _Any, axis: _Any = None, keepdims: _Any = None) -> _Any:
    """The smallest element. Mirrors `tf.experimental.numpy.min`."""
def minimum(x1: _Any, x2: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.minimum`."""
def mod(x1: _Any, x2: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.mod`."""
def moveaxis(a: _Any, source: _Any, destination: _Any) -> _Any:
    """Dimensions moved elsewhere. Mirrors `tf.experimental.numpy.moveaxis`."""
def multiply(x1: _Any, x2: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.multiply`."""
def nanmean(a: _Any, axis: _Any = None, dtype: _Any = None, keepdims: _Any = None) -> _Any:
    """The mean of what is no NaN. Mirrors `tf.experimental.numpy.nanmean`."""
def nanprod(a: _Any, axis: _Any = None, dtype: _Any = None, keepdims: _Any = False) -> _Any:
    """The product of what is no NaN. Mirrors `tf.experimental.numpy.nanprod`."""
def nansum(a: _Any, axis: _Any = None, dtype: _Any = None, keepdims: _Any = False) -> _Any:
    """The sum of what is no NaN. Mirrors `tf.experimental.numpy.nansum`."""
ndarray = _ndarray
def ndim(a: _Any) -> _Any:
    """The number of dimensions. Mirrors `tf.experimental.numpy.ndim`."""
def negative(x: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.negative`."""
newaxis: _Any
def nextafter(x1: _Any, x2: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.nextafter`."""
def nonzero(a: _Any) -> _Any:
    """The places of elements that are not zero, a tensor for each dimension. Mirrors `tf.experimental.numpy.nonzero`."""
def not_equal(x1: _Any, x2: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.not_equal`."""
class object_(_Any): ...
def ones(shape: _Any, dtype: _Any = ...) -> _Any:
    """Ones. Mirrors `tf.experimental.numpy.ones`."""
def ones_like(a: _Any, dtype: _Any = None) -> _Any:
    """Ones in the shape of another array. Mirrors `tf.experimental.numpy.ones_like`."""
def outer(a: _Any, b: _Any) -> _Any:
    """Products of all pairs. Mirrors `tf.experimental.numpy.outer`."""
def pad(array: _Any, pad_width: _Any, mode: _Any, **kwargs: _Any) -> _Any:
    """With elements around it. Mirrors `tf.experimental.numpy.pad`."""
pi: float
def polyval(p: _Any, x: _Any) -> _Any:
    """The value of a polynomial, whose first coefficient belongs to the highest power. Mirrors `tf.experimental.numpy.polyval`."""
def positive(x: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.positive`."""
def power(x1: _Any, x2: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.power`."""
def prod(a: _Any, axis: _Any = None, dtype: _Any = None, keepdims: _Any = None) -> _Any:
    """The product. Mirrors `tf.experimental.numpy.prod`."""
def promote_types(type1: _Any, type2: _Any) -> _Any:
    """The smallest dtype that both fit in, as NumPy's. Mirrors `tf.experimental.numpy.promote_types`."""
def ptp(a: _Any, axis: _Any = None, keepdims: _Any = None) -> _Any:
    """The largest element less the smallest. Mirrors `tf.experimental.numpy.ptp`."""
def rad2deg(x: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.rad2deg`."""
def ravel(a: _Any) -> _Any:
    """The elements as a vector. Mirrors `tf.experimental.numpy.ravel`."""
def real(x: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.real`."""
def reciprocal(x: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.reciprocal`."""
def remainder(x1: _Any, x2: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.remainder`."""
def repeat(a: _Any, repeats: _Any, axis: _Any = None) -> _Any:
    """Each element repeated. Mirrors `tf.experimental.numpy.repeat`."""
def reshape(a: _Any, newshape: _Any, order: _Any = 'C') -> _Any:
    """The elements in another shape. Mirrors `tf.experimental.numpy.reshape`."""
def result_type(*arrays_and_dtypes: _Any) -> _Any:
    """The dtype that operations on these have. Mirrors `tf.experimental.numpy.result_type`."""
def roll(a: _Any, shift: _Any, axis: _Any = None) -> _Any:
    """Elements moved along a dimension, round its end. Mirrors `tf.experimental.numpy.roll`."""
def rot90(m: _Any, k: _Any = 1, axes: _Any = ...) -> _Any:
    """Turned by quarters. Mirrors `tf.experimental.numpy.rot90`."""
def round(a: _Any, decimals: _Any = 0) -> _Any:
    """Rounded to so many decimals, halves to even. Mirrors `tf.experimental.numpy.around`."""
def select(condlist: _Any, choicelist: _Any, default: _Any = 0) -> _Any:
    """For each place, the first choice whose condition holds. Mirrors `tf.experimental.numpy.select`."""
def shape(a: _Any) -> _Any:
    """The sizes. Mirrors `tf.experimental.numpy.shape`."""
def sign(x: _Any, out: _Any = None, where: _Any = None, **kwargs: _Any) -> _Any:
    """-1, 0 or 1 for each element. Mirrors `tf.experimental.numpy.sign`."""
def signbit(x: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.signbit`."""
def sin(x: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.sin`."""
def sinc(x: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.sinc`."""
def sinh(x: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.sinh`."""
def size(x: _Any, axis: _Any = None) -> _Any:
    """The number of elements. Mirrors `tf.experimental.numpy.size`."""
def sort(a: _Any, axis: _Any = -1, kind: _Any = 'quicksort', order: _Any = None) -> _Any:
    """In ascending order. Mirrors `tf.experimental.numpy.sort`."""
def split(ary: _Any, indices_or_sections: _Any, axis: _Any = 0) -> _Any:
    """Parts along a dimension. Mirrors `tf.experimental.numpy.split`."""
def sqrt(x: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.sqrt`."""
def square(x: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.square`."""
def squeeze(a: _Any, axis: _Any = None) -> _Any:
    """Without dimensions of size 1. Mirrors `tf.experimental.numpy.squeeze`."""
def stack(arrays: _Any, axis: _Any = 0) -> _Any:
    """Together along a new dimension. Mirrors `tf.experimental.numpy.stack`."""
def std(a: _Any, axis: _Any = None, keepdims: _Any = None) -> _Any:
    """The standard deviation. Mirrors `tf.experimental.numpy.std`."""
class string_(_Any): ...
def subtract(x1: _Any, x2: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.subtract`."""
def sum(a: _Any, axis: _Any = None, dtype: _Any = None, keepdims: _Any = None) -> _Any:
    """The sum. Mirrors `tf.experimental.numpy.sum`."""
def swapaxes(a: _Any, axis1: _Any, axis2: _Any) -> _Any:
    """Two dimensions exchanged. Mirrors `tf.experimental.numpy.swapaxes`."""
def take(a: _Any, indices: _Any, axis: _Any = None, out: _Any = None, mode: _Any = 'clip') -> _Any:
    """Elements by their places. Mirrors `tf.experimental.numpy.take`."""
def take_along_axis(arr: _Any, indices: _Any, axis: _Any) -> _Any:
    """Elements by their places along a dimension, for each row of its own. Mirrors `tf.experimental.numpy.take_along_axis`."""
def tan(x: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.tan`."""
def tanh(x: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.tanh`."""
def tensordot(a: _Any, b: _Any, axes: _Any = 2) -> _Any:
    """Sums of products along some dimensions. Mirrors `tf.experimental.numpy.tensordot`."""
def tile(a: _Any, reps: _Any) -> _Any:
    """Repeated as a whole. Mirrors `tf.experimental.numpy.tile`."""
def trace(a: _Any, offset: _Any = 0, axis1: _Any = 0, axis2: _Any = 1, dtype: _Any = None) -> _Any:
    """The sum of a diagonal. Mirrors `tf.experimental.numpy.trace`."""
def transpose(a: _Any, axes: _Any = None) -> _Any:
    """The dimensions in another order. Mirrors `tf.experimental.numpy.transpose`."""
def tri(N: _Any, M: _Any = None, k: _Any = 0, dtype: _Any = None) -> _Any:
    """Ones on and below a diagonal. Mirrors `tf.experimental.numpy.tri`."""
def tril(m: _Any, k: _Any = 0) -> _Any:
    """What is on and below a diagonal. Mirrors `tf.experimental.numpy.tril`."""
def triu(m: _Any, k: _Any = 0) -> _Any:
    """What is on and above a diagonal. Mirrors `tf.experimental.numpy.triu`."""
def true_divide(x1: _Any, x2: _Any) -> _Any:
    """As NumPy's function of this name, on tensors. Mirrors `tf.experimental.numpy.true_divide`."""
class uint16(_Any): ...
class uint32(_Any): ...
class uint64(_Any): ...
class uint8(_Any): ...
class unicode_(_Any): ...
def vander(x: _Any, N: _Any = None, increasing: _Any = False) -> _Any:
    """Powers of the elements, in columns. Mirrors `tf.experimental.numpy.vander`."""
def var(a: _Any, axis: _Any = None, dtype: _Any = None, out: _Any = None, ddof: _Any = 0, keepdims: _Any = None) -> _Any:
    """The variance. Mirrors `tf.experimental.numpy.var`."""
def vdot(a: _Any, b: _Any) -> _Any:
    """The sum of products of vectors, the first of which is conjugated. Mirrors `tf.experimental.numpy.vdot`."""
def vsplit(ary: _Any, indices_or_sections: _Any) -> _Any:
    """Parts below each other. Mirrors `tf.experimental.numpy.vsplit`."""
def vstack(tup: _Any) -> _Any:
    """Below each other. Mirrors `tf.experimental.numpy.vstack`."""
def where(condition: _Any, x: _Any = None, y: _Any = None) -> _Any:
    """Elements of `x` or of `y`; or where the condition holds. Mirrors `tf.experimental.numpy.where`."""
def zeros(shape: _Any, dtype: _Any = ...) -> _Any:
    """Zeros. Mirrors `tf.experimental.numpy.zeros`."""
def zeros_like(a: _Any, dtype: _Any = None) -> _Any:
    """Zeros in the shape of another array. Mirrors `tf.experimental.numpy.zeros_like`."""
