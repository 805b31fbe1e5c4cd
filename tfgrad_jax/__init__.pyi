"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
import keras as keras
from keras import initializers as initializers
from keras import losses as losses
from keras import metrics as metrics
from keras import optimizers as optimizers
from tfgrad_jax import extras as extras
from tfgrad_jax.drop_in import install as install
from tfgrad_jax._stubs import __operators__ as __operators__
from tfgrad_jax._stubs import audio as audio
from tfgrad_jax._stubs import autodiff as autodiff
from tfgrad_jax._stubs import autograph as autograph
from tfgrad_jax._stubs import bitwise as bitwise
from tfgrad_jax._stubs import compat as compat
from tfgrad_jax._stubs import config as config
from tfgrad_jax._stubs import data as data
from tfgrad_jax._stubs import debugging as debugging
from tfgrad_jax._stubs import distribute as distribute
from tfgrad_jax._stubs import dtypes as dtypes
from tfgrad_jax._stubs import errors as errors
from tfgrad_jax._stubs import experimental as experimental
from tfgrad_jax._stubs import feature_column as feature_column
from tfgrad_jax._stubs import graph_util as graph_util
from tfgrad_jax._stubs import image as image
from tfgrad_jax._stubs import io as io
from tfgrad_jax._stubs import linalg as linalg
from tfgrad_jax._stubs import lookup as lookup
from tfgrad_jax._stubs import math as math
from tfgrad_jax._stubs import nest as nest
from tfgrad_jax._stubs import nn as nn
from tfgrad_jax._stubs import profiler as profiler
from tfgrad_jax._stubs import quantization as quantization
from tfgrad_jax._stubs import queue as queue
from tfgrad_jax._stubs import ragged as ragged
from tfgrad_jax._stubs import random as random
from tfgrad_jax._stubs import raw_ops as raw_ops
from tfgrad_jax._stubs import saved_model as saved_model
from tfgrad_jax._stubs import sets as sets
from tfgrad_jax._stubs import signal as signal
from tfgrad_jax._stubs import sparse as sparse
from tfgrad_jax._stubs import strings as strings
from tfgrad_jax._stubs import summary as summary
from tfgrad_jax._stubs import sysconfig as sysconfig
from tfgrad_jax._stubs import test as test
from tfgrad_jax._stubs import tpu as tpu
from tfgrad_jax._stubs import train as train
from tfgrad_jax._stubs import types as types
from tfgrad_jax._stubs import version as version
from tfgrad_jax._stubs import xla as xla
from tfgrad_jax.engine.tape.graph_gradients import AggregationMethod as AggregationMethod
from tfgrad_jax.lib.critical_section import CriticalSection as CriticalSection
from tfgrad_jax.engine.values.dtypes import DType as DType
from tfgrad_jax.lib.devices.device_spec import DeviceSpec as DeviceSpec
from tfgrad_jax.engine.tape.tape import GradientTape as GradientTape
from tfgrad_jax.engine.graph.session_graph import SessionGraph as _Graph
from tfgrad_jax.engine.composite.indexed_slices import IndexedSlices as IndexedSlices
from tfgrad_jax.engine.composite.indexed_slices import IndexedSlicesSpec as IndexedSlicesSpec
from tfgrad_jax.lib.module import Module as Module
from tfgrad_jax.engine.graph.operation import Operation as Operation
from tfgrad_jax.lib.data.iterators import OptionalSpec as OptionalSpec
from tfgrad_jax.composite.ragged.tensor import RaggedTensor as RaggedTensor
from tfgrad_jax.composite.ragged.tensor import RaggedTensorSpec as RaggedTensorSpec
from tfgrad_jax.engine.tape.backward import RegisterGradient as RegisterGradient
from tfgrad_jax.composite.sparse_tensor import SparseTensor as SparseTensor
from tfgrad_jax.composite.sparse_tensor import SparseTensorSpec as SparseTensorSpec
from tfgrad_jax.engine.values.tensor import Tensor as Tensor
from tfgrad_jax.composite.tensor_array import TensorArray as TensorArray
from tfgrad_jax.composite.tensor_array import TensorArraySpec as TensorArraySpec
from tfgrad_jax.engine.values.shapes import TensorShape as TensorShape
from tfgrad_jax.engine.values.specs import TensorSpec as TensorSpec
from tfgrad_jax.engine.values.specs import TypeSpec as TypeSpec
from tfgrad_jax.engine.tape.tape import UnconnectedGradients as UnconnectedGradients
from tfgrad_jax.engine.state.variable import Variable as Variable
from tfgrad_jax.engine.state.synchronization import VariableAggregation as VariableAggregation
from tfgrad_jax.engine.state.synchronization import VariableSynchronization as VariableSynchronization
from tfgrad_jax.engine.values.dtypes import DType as _DType
from tfgrad_jax.lib.initializers import Constant as _constant_initializer
from tfgrad_jax.lib.devices.devices import device as device
from tfgrad_jax.engine.names.scopes import name_scope as name_scope
from tfgrad_jax.lib.initializers import Ones as _ones_initializer
from tfgrad_jax.lib.initializers import RandomNormal as _random_normal_initializer
from tfgrad_jax.lib.initializers import RandomUniform as _random_uniform_initializer
from tfgrad_jax.lib.initializers import Zeros as _zeros_initializer
def Assert(condition: _Any, data: _Any, summarize: _Any = None, name: _Any = None) -> _Any:
    """Raise unless `condition` is true. Mirrors `tf.debugging.Assert`."""
Graph = _Graph
def abs(x: _Any, name: _Any = None) -> _Any:
    """Absolute value."""
def acos(x: _Any, name: _Any = None) -> _Any:
    """The angle whose cosine is `x`."""
def acosh(x: _Any, name: _Any = None) -> _Any:
    """The number whose hyperbolic cosine is `x`."""
def add(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Sum, elementwise with broadcasting; strings are joined. Mirrors `tf.add`."""
def add_n(inputs: _Any, name: _Any = None) -> _Any:
    """The sum of a list of tensors of one shape and dtype. Mirrors `tf.add_n`."""
def argmax(input: _Any, axis: _Any = None, output_type: _Any = ..., name: _Any = None) -> _Any:
    """Where along an axis (the first, unless given) the largest element is. Mirrors `tf.argmax`."""
def argmin(input: _Any, axis: _Any = None, output_type: _Any = ..., name: _Any = None) -> _Any:
    """Where along an axis (the first, unless given) the smallest element is. Mirrors `tf.argmin`; see `argmax`."""
def argsort(values: _Any, axis: _Any = -1, direction: _Any = 'ASCENDING', stable: _Any = False, name: _Any = None) -> _Any:
    """The indices that put the elements in order along an axis; always stable. Mirrors `tf.argsort`."""
def as_dtype(type_value: _Any) -> _Any:
    """The DType that `type_value` stands for (`tf.as_dtype`)."""
def as_string(input: _Any, precision: _Any = -1, scientific: _Any = False, shortest: _Any = False, width: _Any = -1, fill: _Any = '', name: _Any = None) -> _Any:
    """Numbers written out, as C's `printf` does."""
def asin(x: _Any, name: _Any = None) -> _Any:
    """The angle whose sine is `x`."""
def asinh(x: _Any, name: _Any = None) -> _Any:
    """The number whose hyperbolic sine is `x`."""
def assert_equal(x: _Any, y: _Any, message: _Any = None, summarize: _Any = None, name: _Any = None) -> _Any:
    """Raise `InvalidArgumentError` unless `x == y` for all elements. Mirrors `tf.debugging.assert_equal`."""
def assert_greater(x: _Any, y: _Any, message: _Any = None, summarize: _Any = None, name: _Any = None) -> _Any:
    """Raise `InvalidArgumentError` unless `x > y` for all elements. Mirrors `tf.debugging.assert_greater`."""
def assert_less(x: _Any, y: _Any, message: _Any = None, summarize: _Any = None, name: _Any = None) -> _Any:
    """Raise `InvalidArgumentError` unless `x < y` for all elements. Mirrors `tf.debugging.assert_less`."""
def assert_rank(x: _Any, rank: _Any, message: _Any = None, name: _Any = None) -> _Any:
    """Raise unless `x` has this rank. Mirrors `tf.debugging.assert_rank`."""
def atan(x: _Any, name: _Any = None) -> _Any:
    """The angle whose tangent is `x`."""
def atan2(y: _Any, x: _Any, name: _Any = None) -> _Any:
    """The angle of the point (x, y)."""
def atanh(x: _Any, name: _Any = None) -> _Any:
    """The number whose hyperbolic tangent is `x`."""
def batch_to_space(input: _Any, block_shape: _Any, crops: _Any, name: _Any = None) -> _Any:
    """The batch dimension moved back into blocks of the spatial dimensions, which are then cropped."""
bfloat16: _DType
def bitcast(input: _Any, type: _Any, name: _Any = None) -> _Any:
    """The same bytes as elements of another dtype; the last dimension takes up a difference in size. Mirrors `tf.bitcast`."""
bool: _DType
def boolean_mask(tensor: _Any, mask: _Any, axis: _Any = None, name: _Any = 'boolean_mask') -> _Any:
    """The elements (or slices) of a tensor for which the mask is true. Mirrors `tf.boolean_mask`."""
def broadcast_dynamic_shape(shape_x: _Any, shape_y: _Any) -> _Any:
    """The shape, as a tensor, of what comes of two tensors of these shapes. Mirrors `tf.broadcast_dynamic_shape`."""
def broadcast_static_shape(shape_x: _Any, shape_y: _Any) -> _Any:
    """The shape of what comes of two tensors of these shapes. Mirrors `tf.broadcast_static_shape`."""
def broadcast_to(input: _Any, shape: _Any, name: _Any = None) -> _Any:
    """The tensor repeated along dimensions of size 1, and new ones before, up to `shape`."""
def case(pred_fn_pairs: _Any, default: _Any = None, exclusive: _Any = False, strict: _Any = False, name: _Any = 'case') -> _Any:
    """The result of the callable beside the first true predicate. Mirrors `tf.case`."""
def cast(x: _Any, dtype: _Any, name: _Any = None) -> _Any:
    """`x` as another dtype. Mirrors `tf.cast`."""
def clip_by_global_norm(t_list: _Any, clip_norm: _Any, use_norm: _Any = None, name: _Any = None) -> _Any:
    """Tensors, scaled down together where their common norm exceeds `clip_norm`. Mirrors `tf.clip_by_global_norm`."""
def clip_by_norm(t: _Any, clip_norm: _Any, axes: _Any = None, name: _Any = None) -> _Any:
    """`t`, scaled down where its Euclidean norm exceeds `clip_norm`. Mirrors `tf.clip_by_norm`."""
def clip_by_value(t: _Any, clip_value_min: _Any, clip_value_max: _Any, name: _Any = None) -> _Any:
    """`t` with smaller and larger elements replaced by the limits. Mirrors `tf.clip_by_value`."""
def complex(real: _Any, imag: _Any, name: _Any = None) -> _Any:
    """A complex number from its parts. Mirrors `tf.complex`."""
complex128: _DType
complex64: _DType
def concat(values: _Any, axis: _Any, name: _Any = 'concat') -> _Any:
    """The tensors one after the other along an axis that they have. Mirrors `tf.concat`."""
def cond(pred: _Any, true_fn: _Any = None, false_fn: _Any = None, name: _Any = None) -> _Any:
    """`true_fn()` if `pred`, else `false_fn()`. Mirrors `tf.cond`."""
def constant(value: _Any, dtype: _Any = None, shape: _Any = None, name: _Any = 'Const') -> _Any:
    """A tensor from a Python value or an array. Mirrors `tf.constant`."""
constant_initializer = _constant_initializer
def control_dependencies(control_inputs: _Any) -> _Any:
    """A context whose operations run after `control_inputs`; in functions those with effects run in the program's order anyway."""
def conv(input: _Any, filter: _Any, strides: _Any, padding: _Any, explicit_paddings: _Any = ..., data_format: _Any = 'CHANNELS_LAST', dilations: _Any = ..., batch_dims: _Any = 1, groups: _Any = 1, name: _Any = None) -> _Any:
    """A convolution of images or volumes. Mirrors `tf.conv`."""
def convert_to_tensor(value: _Any, dtype: _Any = None, dtype_hint: _Any = None, name: _Any = None) -> _Any:
    """A tensor with the given value. Mirrors `tf.convert_to_tensor`."""
def cos(x: _Any, name: _Any = None) -> _Any:
    """Cosine of an angle in radians."""
def cosh(x: _Any, name: _Any = None) -> _Any:
    """Hyperbolic cosine."""
def cumsum(x: _Any, axis: _Any = 0, exclusive: _Any = False, reverse: _Any = False, name: _Any = None) -> _Any:
    """Running sum along an axis; `exclusive` sums what is before each element, `reverse` begins at the end."""
def custom_gradient(f: _Any = None) -> _Any:
    """Give a function a gradient of its own. Mirrors `tf.custom_gradient`."""
def dequantize(input: _Any, min_range: _Any, max_range: _Any, mode: _Any = 'MIN_COMBINED', name: _Any = None, axis: _Any = None, narrow_range: _Any = False, dtype: _Any = ...) -> _Any:
    """The numbers that quantized ones stand for. Mirrors `tf.quantization.dequantize`."""
def divide(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """`x / y` as in Python. Mirrors `tf.divide`."""
double: _DType
def dynamic_partition(data: _Any, partitions: _Any, num_partitions: _Any, name: _Any = None) -> _Any:
    """The elements (or slices) of `data`, in lists by the number that `partitions` gives each."""
def dynamic_stitch(indices: _Any, data: _Any, name: _Any = None) -> _Any:
    """Slices of several tensors put together by index; where one comes twice, the later stays."""
def edit_distance(hypothesis: _Any, truth: _Any, normalize: _Any = True, name: _Any = 'edit_distance') -> _Any:
    """How many changes make `truth` of `hypothesis`, for the sequences along the last dimension. Mirrors `tf.edit_distance`."""
def eig(tensor: _Any, name: _Any = None) -> _Any:
    """Eigenvalues and eigenvectors of square matrices, complex; on a CPU only. Mirrors `tf.linalg.eig`."""
def eigvals(tensor: _Any, name: _Any = None) -> _Any:
    """Eigenvalues of square matrices, complex; on a CPU only. Mirrors `tf.linalg.eigvals`."""
def einsum(equation: _Any, *inputs: _Any, **kwargs: _Any) -> _Any:
    """A sum of products in Einstein's notation, such as `"ij,jk->ik"`. Mirrors `tf.einsum`."""
def ensure_shape(x: _Any, shape: _Any, name: _Any = None) -> _Any:
    """`x`, after a check that its shape is compatible with `shape`. Mirrors `tf.ensure_shape`."""
def equal(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Whether `x == y`, elementwise with broadcasting. Mirrors `tf.equal`."""
def executing_eagerly() -> _Any:
    """Whether operations run (rather than being recorded in a graph). Mirrors `tf.executing_eagerly`."""
def exp(x: _Any, name: _Any = None) -> _Any:
    """e to the power `x`."""
def expand_dims(input: _Any, axis: _Any, name: _Any = None) -> _Any:
    """The tensor with a new dimension of size 1 before `axis`."""
def extract_volume_patches(input: _Any, ksizes: _Any, strides: _Any, padding: _Any, name: _Any = None) -> _Any:
    """Every window of volumes `[batch, depth, height, width, channels]`. Mirrors `tf.extract_volume_patches`."""
def eye(num_rows: _Any, num_columns: _Any = None, batch_shape: _Any = None, dtype: _Any = ..., name: _Any = None) -> _Any:
    """Identity matrices of shape `batch_shape + [num_rows, num_columns]`."""
def fftnd(input: _Any, fft_length: _Any, axes: _Any, name: _Any = None) -> _Any:
    """The Fourier transform of complex numbers along some axes. Mirrors `tf.signal.fftnd`."""
def fill(dims: _Any, value: _Any, name: _Any = None, layout: _Any = None) -> _Any:
    """A tensor of shape `dims` with `value` everywhere."""
def fingerprint(data: _Any, method: _Any = 'farmhash64', name: _Any = None) -> _Any:
    """Eight bytes for each row of a tensor, by which rows can be told apart."""
float16: _DType
float32: _DType
float64: _DType
def floor(x: _Any, name: _Any = None) -> _Any:
    """The next whole number below."""
def foldl(fn: _Any, elems: _Any, initializer: _Any = None, parallel_iterations: _Any = 10, back_prop: _Any = True, swap_memory: _Any = False, name: _Any = None) -> _Any:
    """`fn(...fn(fn(initializer, elems[0]), elems[1])..., elems[-1])`. Mirrors `tf.foldl`; the arguments are those of `tf.scan`."""
def foldr(fn: _Any, elems: _Any, initializer: _Any = None, parallel_iterations: _Any = 10, back_prop: _Any = True, swap_memory: _Any = False, name: _Any = None) -> _Any:
    """`tf.foldl` from the last element to the first. Mirrors `tf.foldr`."""
def function(func: _Any = None, input_signature: _Any = None, autograph: _Any = True, jit_compile: _Any = None, reduce_retracing: _Any = False, experimental_implements: _Any = None, experimental_autograph_options: _Any = None, experimental_attributes: _Any = None, experimental_relax_shapes: _Any = None, experimental_compile: _Any = None, experimental_follow_type_hints: _Any = None) -> _Any:
    """Compile a Python function into graphs. Mirrors `tf.function`."""
def gather(params: _Any, indices: _Any, validate_indices: _Any = None, axis: _Any = None, batch_dims: _Any = 0, name: _Any = None) -> _Any:
    """The slices of `params` along `axis` that the indices name. Mirrors `tf.gather`."""
def gather_nd(params: _Any, indices: _Any, batch_dims: _Any = 0, name: _Any = None, bad_indices_policy: _Any = '') -> _Any:
    """The elements or slices of `params` at the places that the last dimension of `indices` names."""
def get_current_name_scope() -> _Any:
    """The open name scope without its last "/"; "" outside of all. Mirrors `tf.get_current_name_scope`."""
def get_logger() -> _Any:
    """The logger that every warning of this package goes to (`tf.get_logger`)."""
def get_static_value(tensor: _Any, partial: _Any = False) -> _Any:
    """The value if it is known now, else None; what is no tensor, as it is. Mirrors `tf.get_static_value`."""
def grad_pass_through(f: _Any) -> _Any:
    """`f` forward, the identity backward: a straight-through estimator. Mirrors `tf.grad_pass_through`."""
def gradients(ys: _Any, xs: _Any, grad_ys: _Any = None, name: _Any = 'gradients', gate_gradients: _Any = False, aggregation_method: _Any = None, stop_gradients: _Any = None, unconnected_gradients: _Any = ...) -> _Any:
    """The gradient of the sum of `ys` with respect to each of `xs`, in a graph. Mirrors `tf.gradients`."""
def greater(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Whether `x > y`, elementwise with broadcasting."""
def greater_equal(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Whether `x >= y`, elementwise with broadcasting."""
def group(*inputs: _Any, **kwargs: _Any) -> _Any:
    """One operation that stands for several; all of them run anyway. Mirrors `tf.group`."""
def guarantee_const(input: _Any, name: _Any = None) -> _Any:
    """A tensor (or composite) of the same value that tapes tell from `input`. Mirrors `tf.identity`."""
half: _DType
def hessians(ys: _Any, xs: _Any, gate_gradients: _Any = False, aggregation_method: _Any = None, name: _Any = 'hessians') -> _Any:
    """The second derivatives of the sum of `ys` by each of `xs`, in a graph. Mirrors `tf.hessians`."""
def histogram_fixed_width(values: _Any, value_range: _Any, nbins: _Any = 100, dtype: _Any = ..., name: _Any = None) -> _Any:
    """How many values fall into each bin; see `histogram_fixed_width_bins`."""
def histogram_fixed_width_bins(values: _Any, value_range: _Any, nbins: _Any = 100, dtype: _Any = ..., name: _Any = None) -> _Any:
    """The bin of each value, of `nbins` of equal width in `value_range`; the outer ones take what lies beyond."""
def identity(input: _Any, name: _Any = None) -> _Any:
    """A tensor (or composite) of the same value that tapes tell from `input`. Mirrors `tf.identity`."""
def identity_n(input: _Any, name: _Any = None) -> _Any:
    """Tensors of the same values, as one operation. Mirrors `tf.identity_n`."""
def ifftnd(input: _Any, fft_length: _Any, axes: _Any, name: _Any = None) -> _Any:
    """The inverse Fourier transform of complex numbers along some axes; see `fftnd`. Mirrors `tf.signal.ifftnd`."""
def import_graph_def(graph_def: _Any, input_map: _Any = None, return_elements: _Any = None, name: _Any = None, op_dict: _Any = None, producer_op_list: _Any = None) -> _Any:
    """Record the operations of a `GraphDef` in the open graph. Mirrors `tf.import_graph_def`."""
def init_scope() -> _Any:
    """A context outside of every function being traced: what runs in it, runs now. Mirrors `tf.init_scope`."""
def inside_function() -> _Any:
    """Whether a `tf.function` is being traced."""
int16: _DType
int32: _DType
int64: _DType
int8: _DType
def irfftnd(input: _Any, fft_length: _Any, axes: _Any, Treal: _Any = ..., name: _Any = None) -> _Any:
    """The inverse of the Fourier transform of real numbers along some axes; see `fftnd`. Mirrors `tf.signal.irfftnd`."""
def is_symbolic_tensor(tensor: _Any) -> _Any:
    """Whether `tensor` belongs to a graph, and has a value only when that runs. Mirrors `tf.is_symbolic_tensor`."""
def is_tensor(x: _Any) -> _Any:
    """Whether `x` is one of TensorFlow's own types (a tensor, a variable, ...). Mirrors `tf.is_tensor`."""
def less(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Whether `x < y`, elementwise with broadcasting."""
def less_equal(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Whether `x <= y`, elementwise with broadcasting."""
def linspace(start: _Any, stop: _Any, num: _Any, name: _Any = None, axis: _Any = 0) -> _Any:
    """`num` evenly spaced values from `start` to `stop`, both included, along a new axis. Mirrors `tf.linspace`."""
def logical_and(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Whether both are true, elementwise with broadcasting."""
def logical_not(x: _Any, name: _Any = None) -> _Any:
    """Whether it is false, elementwise."""
def logical_or(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Whether any of the two is true, elementwise with broadcasting."""
def make_ndarray(tensor: _Any) -> _Any:
    """The array that a `TensorProto` stands for. Mirrors `tf.make_ndarray`."""
def make_tensor_proto(values: _Any, dtype: _Any = None, shape: _Any = None, verify_shape: _Any = False, allow_broadcast: _Any = False) -> _Any:
    """A `TensorProto` of values. Mirrors `tf.make_tensor_proto`."""
def map_fn(fn: _Any, elems: _Any, dtype: _Any = None, parallel_iterations: _Any = None, back_prop: _Any = True, swap_memory: _Any = False, infer_shape: _Any = True, name: _Any = None, fn_output_signature: _Any = None) -> _Any:
    """`fn` of each element along the first dimension, stacked. Mirrors `tf.map_fn`."""
def matmul(a: _Any, b: _Any, transpose_a: _Any = False, transpose_b: _Any = False, adjoint_a: _Any = False, adjoint_b: _Any = False, a_is_sparse: _Any = False, b_is_sparse: _Any = False, output_type: _Any = None, grad_a: _Any = False, grad_b: _Any = False, name: _Any = None) -> _Any:
    """The product of matrices, the last two dimensions of each. Mirrors `tf.matmul`, and is what `@` does."""
def matrix_square_root(input: _Any, name: _Any = None) -> _Any:
    """The principal square root of each square matrix; NaN where a real one has none."""
def maximum(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """The larger of two, elementwise with broadcasting."""
def meshgrid(*args: _Any, **kwargs: _Any) -> _Any:
    """Grids of coordinates over the given axes. Mirrors `tf.meshgrid`."""
def minimum(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """The smaller of two, elementwise with broadcasting."""
def multiply(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Product, elementwise with broadcasting."""
def negative(x: _Any, name: _Any = None) -> _Any:
    """The number of opposite sign."""
newaxis: _Any
def no_gradient(op_type: _Any) -> _Any:
    """Declare that an operation has no gradient: asking gives None. Mirrors `tf.no_gradient`."""
def no_op(name: _Any = None) -> _Any:
    """Nothing; in a graph, an operation that does nothing. Mirrors `tf.no_op`."""
def norm(tensor: _Any, ord: _Any = 'euclidean', axis: _Any = None, keepdims: _Any = None, name: _Any = None) -> _Any:
    """A norm of vectors, or of matrices if `axis` names two dimensions. Mirrors `tf.norm`."""
def not_equal(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Whether `x != y`, elementwise with broadcasting. Mirrors `tf.not_equal`; see `equal`."""
def numpy_function(func: _Any = None, inp: _Any = None, Tout: _Any = None, stateful: _Any = True, name: _Any = None) -> _Any:
    """Call a Python function with NumPy arrays, also from a graph; no gradient flows. Mirrors `tf.numpy_function`."""
def one_hot(indices: _Any, depth: _Any, on_value: _Any = None, off_value: _Any = None, axis: _Any = None, dtype: _Any = None, name: _Any = None) -> _Any:
    """`on_value` (1) at the place each index names along a new axis of length `depth`, `off_value` (0) elsewhere."""
def ones(shape: _Any, dtype: _Any = ..., name: _Any = None, layout: _Any = None) -> _Any:
    """Ones (or `True`). Mirrors `tf.ones`."""
ones_initializer = _ones_initializer
def ones_like(input: _Any, dtype: _Any = None, name: _Any = None, layout: _Any = None) -> _Any:
    """Ones of the shape, and unless told otherwise the dtype, of `input`. Mirrors `tf.ones_like`."""
def pad(tensor: _Any, paddings: _Any, mode: _Any = 'CONSTANT', constant_values: _Any = 0, name: _Any = None) -> _Any:
    """More elements before and after, along each dimension. Mirrors `tf.pad`."""
def parallel_stack(values: _Any, name: _Any = 'parallel_stack') -> _Any:
    """The tensors of one shape along a new first axis, in functions alone. Mirrors `tf.parallel_stack`."""
def pow(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """`x` to the power `y`. Mirrors `tf.pow`."""
def print(*inputs: _Any, **kwargs: _Any) -> _Any:
    """Print tensors, structures of them, and anything else; in a graph, each time it runs. Mirrors `tf.print`."""
def py_function(func: _Any = None, inp: _Any = None, Tout: _Any = None, name: _Any = None) -> _Any:
    """Call a Python function with eager tensors, also from a graph; gradients flow through it. Mirrors `tf.py_function`."""
qint16: _DType
qint32: _DType
qint8: _DType
def quantize(input: _Any, min_range: _Any, max_range: _Any, T: _Any, mode: _Any = 'MIN_COMBINED', round_mode: _Any = 'HALF_AWAY_FROM_ZERO', name: _Any = None, narrow_range: _Any = False, axis: _Any = None, ensure_minimum_range: _Any = ...) -> _Any:
    """Numbers as quantized ones, and the range that these cover. Mirrors `tf.quantization.quantize`."""
def quantized_concat(concat_dim: _Any, values: _Any, input_mins: _Any, input_maxes: _Any, name: _Any = None) -> _Any:
    """Quantized tensors one after the other, in a range that has all of theirs in it. Mirrors `tf.quantization.quantized_concat`."""
quint16: _DType
quint8: _DType
def random_index_shuffle(index: _Any, seed: _Any, max_index: _Any, rounds: _Any = 4, name: _Any = None) -> _Any:
    """`tf.random.experimental.index_shuffle` by a seed of three integers. Mirrors `tf.random_index_shuffle`."""
random_normal_initializer = _random_normal_initializer
random_uniform_initializer = _random_uniform_initializer
def range(start: _Any, limit: _Any = None, delta: _Any = 1, dtype: _Any = None, name: _Any = 'range') -> _Any:
    """The numbers from `start` (0 if only one is given) up to `limit`, by steps of `delta`. Mirrors `tf.range`."""
def rank(input: _Any, name: _Any = None) -> _Any:
    """The number of dimensions. Mirrors `tf.rank`."""
def realdiv(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Quotient; that of integers is floating."""
def recompute_grad(f: _Any) -> _Any:
    """Run `f` again in the backward pass, instead of keeping its intermediate results. Mirrors `tf.recompute_grad`."""
def reduce_all(input_tensor: _Any, axis: _Any = None, keepdims: _Any = False, name: _Any = None) -> _Any:
    """Whether all elements are true."""
def reduce_any(input_tensor: _Any, axis: _Any = None, keepdims: _Any = False, name: _Any = None) -> _Any:
    """Whether any element is true."""
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
def reduce_sum(input_tensor: _Any, axis: _Any = None, keepdims: _Any = False, name: _Any = None) -> _Any:
    """Sum of the elements."""
def register_tensor_conversion_function(base_type: _Any, conversion_func: _Any, priority: _Any = 100) -> _Any:
    """Teach `tf.convert_to_tensor` a type. Mirrors `tf.register_tensor_conversion_function`."""
def repeat(input: _Any, repeats: _Any, axis: _Any = None, name: _Any = None) -> _Any:
    """Each element (or slice along `axis`) as many times as `repeats` says. Mirrors `tf.repeat`."""
def required_space_to_batch_paddings(input_shape: _Any, block_shape: _Any, base_paddings: _Any = None, name: _Any = None) -> _Any:
    """Paddings that make the shape divisible into blocks, and the crops that undo what they added."""
def reshape(tensor: _Any, shape: _Any, name: _Any = None) -> _Any:
    """The same elements in another shape; one size may be -1, for what is left."""
resource: _DType
def reverse(tensor: _Any, axis: _Any, name: _Any = None) -> _Any:
    """The elements in the opposite order along some axes."""
def reverse_sequence(input: _Any, seq_lengths: _Any, seq_axis: _Any = None, batch_axis: _Any = None, name: _Any = None) -> _Any:
    """The first `seq_lengths[b]` slices along `seq_axis` reversed, for each `b` along `batch_axis`."""
def rfftnd(input: _Any, fft_length: _Any, axes: _Any, Tcomplex: _Any = ..., name: _Any = None) -> _Any:
    """The Fourier transform of real numbers along some axes, of which the last is halved; see `fftnd`. `tf.signal.rfftnd`."""
def roll(input: _Any, shift: _Any, axis: _Any, name: _Any = None) -> _Any:
    """The elements moved along axes; what leaves at one end comes in at the other."""
def round(x: _Any, name: _Any = None) -> _Any:
    """The nearest whole number, halves to even. Mirrors `tf.round`; integers are returned as they are."""
def saturate_cast(value: _Any, dtype: _Any, name: _Any = None) -> _Any:
    """`cast` that keeps to the limits of the dtype instead of wrapping. Mirrors `tf.saturate_cast`."""
def scalar_mul(scalar: _Any, x: _Any, name: _Any = None) -> _Any:
    """A tensor or `IndexedSlices` times a number. Mirrors `tf.math.scalar_mul`."""
def scan(fn: _Any, elems: _Any, initializer: _Any = None, parallel_iterations: _Any = 10, back_prop: _Any = True, swap_memory: _Any = False, infer_shape: _Any = True, reverse: _Any = False, name: _Any = None) -> _Any:
    """All intermediate results of a fold. Mirrors `tf.scan`."""
def scatter_nd(indices: _Any, updates: _Any, shape: _Any, bad_indices_policy: _Any = '', name: _Any = None) -> _Any:
    """Zeros of the given shape, with updates added at the places that the last dimension of `indices` names."""
def searchsorted(sorted_sequence: _Any, values: _Any, side: _Any = 'left', out_type: _Any = ..., name: _Any = None) -> _Any:
    """Where each value would go in the sorted rows. Mirrors `tf.searchsorted`."""
def sequence_mask(lengths: _Any, maxlen: _Any = None, dtype: _Any = ..., name: _Any = None) -> _Any:
    """True in the first `lengths[...]` places along a new last axis of size `maxlen`. Mirrors `tf.sequence_mask`."""
def shape(input: _Any, out_type: _Any = None, name: _Any = None) -> _Any:
    """The shape as a vector of `out_type` (int32). Mirrors `tf.shape`."""
def shape_n(input: _Any, out_type: _Any = ..., name: _Any = None) -> _Any:
    """The shapes of several tensors. Mirrors `tf.shape_n`."""
def sigmoid(x: _Any, name: _Any = None) -> _Any:
    """`1 / (1 + exp(-x))`."""
def sign(x: _Any, name: _Any = None) -> _Any:
    """-1, 0 or 1; for a complex number, the number of that direction with absolute value 1."""
def sin(x: _Any, name: _Any = None) -> _Any:
    """Sine of an angle in radians."""
def sinh(x: _Any, name: _Any = None) -> _Any:
    """Hyperbolic sine."""
def size(input: _Any, out_type: _Any = None, name: _Any = None) -> _Any:
    """The number of elements. Mirrors `tf.size`."""
def slice(input_: _Any, begin: _Any, size: _Any, name: _Any = None) -> _Any:
    """`size[i]` elements from `begin[i]` on in each dimension, or all the rest where -1. Mirrors `tf.slice`."""
def sort(values: _Any, axis: _Any = -1, direction: _Any = 'ASCENDING', name: _Any = None) -> _Any:
    """The elements in order along an axis. Mirrors `tf.sort`."""
def space_to_batch(input: _Any, block_shape: _Any, paddings: _Any, name: _Any = None) -> _Any:
    """Blocks of the (padded) spatial dimensions moved into the batch dimension."""
def space_to_batch_nd(input: _Any, block_shape: _Any, paddings: _Any, name: _Any = None) -> _Any:
    """Blocks of the (padded) spatial dimensions moved into the batch dimension."""
def split(value: _Any, num_or_size_splits: _Any, axis: _Any = 0, num: _Any = None, name: _Any = 'split') -> _Any:
    """The tensor in parts along an axis: a number of equal ones, or ones of given sizes. Mirrors `tf.split`."""
def sqrt(x: _Any, name: _Any = None) -> _Any:
    """Square root."""
def square(x: _Any, name: _Any = None) -> _Any:
    """`x` times `x`."""
def squeeze(input: _Any, axis: _Any = None, name: _Any = None) -> _Any:
    """The tensor without its dimensions of size 1, or without those in `axis`."""
def stack(values: _Any, axis: _Any = 0, name: _Any = 'stack') -> _Any:
    """The tensors, all of one shape, along a new axis. Mirrors `tf.stack`."""
def stop_gradient(input: _Any, name: _Any = None) -> _Any:
    """The same value, as a constant to every tape. Mirrors `tf.stop_gradient`."""
def strided_slice(input_: _Any, begin: _Any, end: _Any, strides: _Any = None, begin_mask: _Any = 0, end_mask: _Any = 0, ellipsis_mask: _Any = 0, new_axis_mask: _Any = 0, shrink_axis_mask: _Any = 0, var: _Any = None, name: _Any = None) -> _Any:
    """`input_[begin:end:strides]` in each dimension, with bits that say what a place stands for."""
string: _DType
def subtract(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Difference, elementwise with broadcasting."""
def switch_case(branch_index: _Any, branch_fns: _Any, default: _Any = None, name: _Any = 'switch_case') -> _Any:
    """`branch_fns[branch_index]()`, or `default()` where there is no such branch. Mirrors `tf.switch_case`."""
def tan(x: _Any, name: _Any = None) -> _Any:
    """Tangent of an angle in radians."""
def tanh(x: _Any, name: _Any = None) -> _Any:
    """Hyperbolic tangent."""
def tensor_scatter_nd_add(tensor: _Any, indices: _Any, updates: _Any, bad_indices_policy: _Any = '', name: _Any = None) -> _Any:
    """The tensor with `updates` added at places. Mirrors `tf.tensor_scatter_nd_add`; see `tensor_scatter_nd_update`."""
def tensor_scatter_nd_max(tensor: _Any, indices: _Any, updates: _Any, bad_indices_policy: _Any = '', name: _Any = None) -> _Any:
    """The larger of the tensor and `updates` at places. Mirrors `tf.tensor_scatter_nd_max`."""
def tensor_scatter_nd_min(tensor: _Any, indices: _Any, updates: _Any, bad_indices_policy: _Any = '', name: _Any = None) -> _Any:
    """The smaller of the tensor and `updates` at places. Mirrors `tf.tensor_scatter_nd_min`."""
def tensor_scatter_nd_sub(tensor: _Any, indices: _Any, updates: _Any, bad_indices_policy: _Any = '', name: _Any = None) -> _Any:
    """The tensor with `updates` subtracted at places. Mirrors `tf.tensor_scatter_nd_sub`."""
def tensor_scatter_nd_update(tensor: _Any, indices: _Any, updates: _Any, name: _Any = None) -> _Any:
    """The tensor with `updates` at the places that the last dimension of `indices` names."""
def tensordot(a: _Any, b: _Any, axes: _Any, name: _Any = None) -> _Any:
    """Contract dimensions of two tensors. Mirrors `tf.tensordot`."""
def tile(input: _Any, multiples: _Any, name: _Any = None) -> _Any:
    """The tensor repeated `multiples[i]` times along dimension `i`."""
def timestamp(name: _Any = None) -> _Any:
    """The seconds since 1970, as float64; in a function, when it runs. Mirrors `tf.timestamp`."""
def transpose(a: _Any, perm: _Any = None, conjugate: _Any = False, name: _Any = None) -> _Any:
    """The tensor with its dimensions in the order `perm`, reversed where None; complex conjugated if asked."""
def truediv(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Quotient in the sense of Python 3: integers give a floating result. Mirrors `tf.truediv`."""
def truncatediv(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Quotient rounded towards zero; it has no gradient."""
def truncatemod(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Remainder with the dividend's sign."""
def tuple(tensors: _Any, control_inputs: _Any = None, name: _Any = None) -> _Any:
    """The same tensors, all of which are computed before any is used. Mirrors `tf.tuple`."""
def type_spec_from_value(value: _Any) -> _Any:
    """The `tf.TypeSpec` of a value. Mirrors `tf.type_spec_from_value`."""
uint16: _DType
uint32: _DType
uint64: _DType
uint8: _DType
def unique(x: _Any, out_idx: _Any = ..., name: _Any = None) -> _Any:
    """The values in a vector, in the order in which they first come, and where each element's is. Mirrors `tf.unique`."""
def unique_with_counts(x: _Any, out_idx: _Any = ..., name: _Any = None) -> _Any:
    """As `unique`, and how often each value comes. Mirrors `tf.unique_with_counts`."""
def unravel_index(indices: _Any, dims: _Any, name: _Any = None) -> _Any:
    """Flat indices as places in an array of shape `dims`, a column for each. Mirrors `tf.unravel_index`."""
def unstack(value: _Any, num: _Any = None, axis: _Any = 0, name: _Any = 'unstack') -> _Any:
    """The slices along an axis, which they lack, as a list. Mirrors `tf.unstack`."""
def variable_creator_scope(variable_creator: _Any) -> _Any:
    """A context in which `variable_creator` makes the variables. Mirrors `tf.variable_creator_scope`."""
variant: _DType
def vectorized_map(fn: _Any, elems: _Any, fallback_to_while_loop: _Any = True, warn: _Any = True) -> _Any:
    """`fn` of all elements along the first dimension at once, by `jax.vmap`. Mirrors `tf.vectorized_map`."""
def where(condition: _Any, x: _Any = None, y: _Any = None, name: _Any = None) -> _Any:
    """Elements of `x` where the condition is true, of `y` elsewhere; without these, the true places."""
def while_loop(cond: _Any, body: _Any, loop_vars: _Any, shape_invariants: _Any = None, parallel_iterations: _Any = 10, back_prop: _Any = True, swap_memory: _Any = False, maximum_iterations: _Any = None, name: _Any = None) -> _Any:
    """Repeat `body` as long as `cond` is true. Mirrors `tf.while_loop`."""
def zeros(shape: _Any, dtype: _Any = ..., name: _Any = None, layout: _Any = None) -> _Any:
    """Zeros (or `False`, or empty strings). Mirrors `tf.zeros`."""
zeros_initializer = _zeros_initializer
def zeros_like(input: _Any, dtype: _Any = None, name: _Any = None, layout: _Any = None) -> _Any:
    """Zeros of the shape, and unless told otherwise the dtype, of `input`. Mirrors `tf.zeros_like`."""
__version__: str
