"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
from tfgrad_jax._stubs import compat_v1_app
from tfgrad_jax._stubs import compat_v1_data
from tfgrad_jax._stubs import compat_v1_distribute
from tfgrad_jax._stubs import compat_v1_distributions
from tfgrad_jax._stubs import compat_v1_errors
from tfgrad_jax._stubs import compat_v1_feature_column
from tfgrad_jax._stubs import compat_v1_graph_util
from tfgrad_jax._stubs import compat_v1_image
from tfgrad_jax._stubs import compat_v1_initializers
from tfgrad_jax._stubs import compat_v1_io
from tfgrad_jax._stubs import compat_v1_logging
from tfgrad_jax._stubs import compat_v1_losses
from tfgrad_jax._stubs import compat_v1_metrics
from tfgrad_jax._stubs import compat_v1_nn
from tfgrad_jax._stubs import compat_v1_python_io
from tfgrad_jax._stubs import compat_v1_ragged
from tfgrad_jax._stubs import compat_v1_random
from tfgrad_jax._stubs import compat_v1_resource_loader
from tfgrad_jax._stubs import compat_v1_saved_model
from tfgrad_jax._stubs import compat_v1_sparse
from tfgrad_jax._stubs import compat_v1_strings
from tfgrad_jax._stubs import compat_v1_summary
from tfgrad_jax._stubs import compat_v1_test
from tfgrad_jax._stubs import compat_v1_train
from tfgrad_jax.lib.v1.variable_store import ReuseMode as _ReuseMode
from tfgrad_jax.lib.v1.config_proto import ConfigProto as ConfigProto
from tfgrad_jax.lib.critical_section import CriticalSection as CriticalSection
from tfgrad_jax.engine.values.dimension import Dimension as Dimension
from tfgrad_jax.lib.v1.readers import FixedLengthRecordReader as FixedLengthRecordReader
from tfgrad_jax.lib.v1.config_proto import GPUOptions as GPUOptions
from tfgrad_jax.lib.v1.collections import GraphKeys as GraphKeys
from tfgrad_jax.lib.v1.config_proto import GraphOptions as GraphOptions
from tfgrad_jax.lib.v1.readers import IdentityReader as IdentityReader
from tfgrad_jax.engine.composite.indexed_slices import IndexedSlicesValue as IndexedSlicesValue
from tfgrad_jax.lib.v1.session import InteractiveSession as InteractiveSession
from tfgrad_jax.lib.v1.config_proto import OptimizerOptions as OptimizerOptions
from tfgrad_jax.lib.v1.readers import ReaderBase as ReaderBase
from tfgrad_jax.lib.v1.config_proto import RunOptions as RunOptions
from tfgrad_jax.lib.v1.session import Session as Session
from tfgrad_jax.composite.sparse_tensor import SparseTensorValue as SparseTensorValue
from tfgrad_jax.lib.v1.readers import TFRecordReader as TFRecordReader
from tfgrad_jax.lib.v1.readers import TextLineReader as TextLineReader
from tfgrad_jax.lib.v1.variables import VariableV1 as _Variable
from tfgrad_jax.lib.v1.variable_scope import VariableScope as VariableScope
from tfgrad_jax.lib.v1.readers import WholeFileReader as WholeFileReader
from tfgrad_jax.lib.v1.initializers import Constant as _constant_initializer
from tfgrad_jax.lib.v1.initializers import GlorotNormal as _glorot_normal_initializer
from tfgrad_jax.lib.v1.initializers import GlorotUniform as _glorot_uniform_initializer
from tfgrad_jax.lib.v1.initializers import Ones as _ones_initializer
from tfgrad_jax.lib.v1.initializers import Orthogonal as _orthogonal_initializer
from tfgrad_jax.lib.v1.initializers import RandomNormal as _random_normal_initializer
from tfgrad_jax.lib.v1.initializers import RandomUniform as _random_uniform_initializer
from tfgrad_jax.lib.v1.initializers import TruncatedNormal as _truncated_normal_initializer
from tfgrad_jax.lib.v1.initializers import UniformUnitScaling as _uniform_unit_scaling_initializer
from tfgrad_jax.lib.v1.variable_scope import variable_scope as variable_scope
from tfgrad_jax.lib.v1.initializers import VarianceScaling as _variance_scaling_initializer
from tfgrad_jax.lib.v1.initializers import Zeros as _zeros_initializer
app = compat_v1_app
data = compat_v1_data
distribute = compat_v1_distribute
distributions = compat_v1_distributions
errors = compat_v1_errors
feature_column = compat_v1_feature_column
graph_util = compat_v1_graph_util
image = compat_v1_image
initializers = compat_v1_initializers
io = compat_v1_io
logging = compat_v1_logging
losses = compat_v1_losses
metrics = compat_v1_metrics
nn = compat_v1_nn
python_io = compat_v1_python_io
ragged = compat_v1_ragged
random = compat_v1_random
resource_loader = compat_v1_resource_loader
saved_model = compat_v1_saved_model
sparse = compat_v1_sparse
strings = compat_v1_strings
summary = compat_v1_summary
test = compat_v1_test
train = compat_v1_train
AUTO_REUSE: _ReuseMode
class AttrValue(_Any): ...
COMPILER_VERSION: str
CXX11_ABI_FLAG: int
CXX_VERSION: int
class Event(_Any): ...
GIT_VERSION: str
GRAPH_DEF_VERSION: int
GRAPH_DEF_VERSION_MIN_CONSUMER: int
GRAPH_DEF_VERSION_MIN_PRODUCER: int
class GraphDef(_Any): ...
class HistogramProto(_Any): ...
MONOLITHIC_BUILD: int
class MetaGraphDef(_Any): ...
class NameAttrList(_Any): ...
class NodeDef(_Any): ...
def Print(input_: _Any, data: _Any, message: _Any = None, first_n: _Any = None, summarize: _Any = None, name: _Any = None) -> _Any:
    """The tensor, and its neighbours in `data` on the standard error. Mirrors `tf.compat.v1.Print`."""
class RunMetadata(_Any): ...
class SessionLog(_Any): ...
class SignatureDef(_Any): ...
class Summary(_Any): ...
class SummaryMetadata(_Any): ...
class TensorInfo(_Any): ...
Variable = _Variable
def add_to_collection(name: _Any, value: _Any) -> _Any:
    """Append a value to a collection of the open graph. Mirrors `tf.compat.v1.add_to_collection`."""
def add_to_collections(names: _Any, value: _Any) -> _Any:
    """Append a value to several collections, to each of them once. Mirrors `tf.compat.v1.add_to_collections`."""
def all_variables() -> _Any:
    """The older name of `tf.compat.v1.global_variables`."""
def assert_variables_initialized(var_list: _Any = None) -> _Any:
    """Refuse variables without a value, where a session runs it. Mirrors `tf.compat.v1.assert_variables_initialized`."""
def assign(ref: _Any, value: _Any, validate_shape: _Any = None, use_locking: _Any = None, name: _Any = None) -> _Any:
    """Replace a variable's value. Mirrors `tf.compat.v1.assign`."""
def assign_add(ref: _Any, value: _Any, use_locking: _Any = None, name: _Any = None) -> _Any:
    """Add to a variable. Mirrors `tf.compat.v1.assign_add`; see `assign`."""
def assign_sub(ref: _Any, value: _Any, use_locking: _Any = None, name: _Any = None) -> _Any:
    """Subtract from a variable. Mirrors `tf.compat.v1.assign_sub`; see `assign`."""
def batch_scatter_update(ref: _Any, indices: _Any, updates: _Any, use_locking: _Any = True, name: _Any = None) -> _Any:
    """Set rows within each batch. Mirrors `tf.compat.v1.batch_scatter_update`; returns the variable."""
def case(pred_fn_pairs: _Any, default: _Any = None, exclusive: _Any = False, strict: _Any = False, name: _Any = 'case') -> _Any:
    """The result of the first callable whose predicate is true. Mirrors `tf.compat.v1.case`."""
def clip_by_average_norm(t: _Any, clip_norm: _Any, name: _Any = None) -> _Any:
    """The tensor, scaled so that its norm by its number of elements is at most `clip_norm`. `tf.compat.v1.clip_by_average_norm`."""
def colocate_with(*args: _Any, **kwargs: _Any) -> _Any:
    """Not here. Instead: use tf.device."""
def cond(pred: _Any, true_fn: _Any = None, false_fn: _Any = None, strict: _Any = False, name: _Any = None, fn1: _Any = None, fn2: _Any = None) -> _Any:
    """`true_fn()` if `pred`, else `false_fn()`. Mirrors `tf.compat.v1.cond`."""
constant_initializer = _constant_initializer
def container(container_name: _Any) -> _Any:
    """A context without effect: resources belong to their Python objects. Mirrors `tf.compat.v1.container`."""
def control_flow_v2_enabled() -> _Any:
    """Whether version 2's behaviour is on, which it always is."""
def convert_to_tensor_or_indexed_slices(value: _Any, dtype: _Any = None, name: _Any = None) -> _Any:
    """`tf.IndexedSlices` as they are, anything else as a tensor. Mirrors TensorFlow's function of that name."""
def convert_to_tensor_or_sparse_tensor(value: _Any, dtype: _Any = None, name: _Any = None) -> _Any:
    """A sparse tensor as it is, anything else as a tensor. Mirrors `tf.compat.v1.convert_to_tensor_or_sparse_tensor`."""
def count_up_to(ref: _Any, limit: _Any, name: _Any = None) -> _Any:
    """The value of an integer variable, which is one greater afterwards. Mirrors `tf.compat.v1.count_up_to`."""
def create_partitioned_variables(shape: _Any, slicing: _Any, initializer: _Any, dtype: _Any = ..., trainable: _Any = True, collections: _Any = None, name: _Any = None, reuse: _Any = None) -> _Any:
    """The pieces of a variable. Mirrors `tf.compat.v1.create_partitioned_variables`."""
def decode_csv(records: _Any, record_defaults: _Any, field_delim: _Any = ',', use_quote_delim: _Any = True, name: _Any = None, na_value: _Any = '', select_cols: _Any = None) -> _Any:
    """`tf.io.decode_csv` with its arguments in another order. Mirrors `tf.compat.v1.decode_csv`."""
def decode_raw(input_bytes: _Any = None, out_type: _Any = None, little_endian: _Any = True, name: _Any = None, bytes: _Any = None) -> _Any:
    """`tf.io.decode_raw`, whose first argument may be called `bytes`. Mirrors `tf.compat.v1.decode_raw`."""
def dequantize(input: _Any, min_range: _Any, max_range: _Any, mode: _Any = 'MIN_COMBINED', name: _Any = None, axis: _Any = None, narrow_range: _Any = False, dtype: _Any = ...) -> _Any:
    """The numbers that quantized ones stand for. Mirrors `tf.quantization.dequantize`."""
def disable_control_flow_v2(*args: _Any, **kwargs: _Any) -> _Any:
    """Nothing: programs call this before they make a session, and version 2's control flow serves both versions."""
def disable_eager_execution() -> _Any:
    """Record operations from here on, for sessions to run. Mirrors `tf.compat.v1.disable_eager_execution`."""
def disable_resource_variables() -> _Any:
    """Let sessions fetch what variables of version 1 hold in the end. Mirrors `tf.compat.v1.disable_resource_variables`."""
def disable_tensor_equality(*args: _Any, **kwargs: _Any) -> _Any:
    """Not here. Instead: compare identities by `is`, and use t.ref() as a key."""
def disable_v2_behavior() -> _Any:
    """Record operations from here on, with variables and shapes as in version 1. Mirrors `tf.compat.v1.disable_v2_behavior`."""
def disable_v2_tensorshape() -> _Any:
    """Let shapes give sizes as `tf.compat.v1.Dimension`s. Mirrors `tf.compat.v1.disable_v2_tensorshape`."""
def div(x: _Any, y: _Any, name: _Any = None) -> _Any:
    """Division as in Python 2: integers are divided towards minus infinity. Mirrors `tf.compat.v1.div`."""
def enable_control_flow_v2(*args: _Any, **kwargs: _Any) -> _Any:
    """Version 2's behaviour is always on."""
def enable_eager_execution(config: _Any = None, device_policy: _Any = None, execution_mode: _Any = None) -> _Any:
    """Run operations at once from here on, as they do from the start. Mirrors `tf.compat.v1.enable_eager_execution`."""
def enable_resource_variables() -> _Any:
    """Let sessions fetch what variables held before anything ran. Mirrors `tf.compat.v1.enable_resource_variables`."""
def enable_tensor_equality(*args: _Any, **kwargs: _Any) -> _Any:
    """Version 2's behaviour is always on."""
def enable_v2_behavior() -> _Any:
    """Run operations at once from here on, as they do from the start. Mirrors `tf.compat.v1.enable_v2_behavior`."""
def enable_v2_tensorshape() -> _Any:
    """Let shapes give sizes as integers, as they do from the start. Mirrors `tf.compat.v1.enable_v2_tensorshape`."""
def executing_eagerly_outside_functions() -> _Any:
    """Whether operations run around all functions that are being traced. Mirrors the function of that name."""
def fixed_size_partitioner(num_shards: _Any, axis: _Any = 0) -> _Any:
    """So many pieces along an axis. Mirrors `tf.compat.v1.fixed_size_partitioner`."""
def get_collection(key: _Any, scope: _Any = None) -> _Any:
    """What is in a collection of the open graph. Mirrors `tf.compat.v1.get_collection`."""
def get_collection_ref(key: _Any) -> _Any:
    """The list of a collection itself. Mirrors `tf.compat.v1.get_collection_ref`."""
def get_default_graph() -> _Any:
    """The graph in which operations are recorded now; outside of all, the one that sessions use."""
def get_default_session() -> _Any:
    """The innermost open session, or None. Mirrors `tf.compat.v1.get_default_session`."""
def get_local_variable(name: _Any, shape: _Any = None, dtype: _Any = None, initializer: _Any = None, **kwargs: _Any) -> _Any:
    """`get_variable` that is not trainable. Mirrors `tf.compat.v1.get_local_variable`."""
def get_seed(op_seed: _Any) -> _Any:
    """The two seeds that an operation whose own seed is `op_seed` uses now; two None where nothing is seeded."""
def get_variable(name: _Any, shape: _Any = None, dtype: _Any = None, initializer: _Any = None, regularizer: _Any = None, trainable: _Any = None, collections: _Any = None, caching_device: _Any = None, partitioner: _Any = None, validate_shape: _Any = True, use_resource: _Any = None, custom_getter: _Any = None, constraint: _Any = None, synchronization: _Any = ..., aggregation: _Any = ...) -> _Any:
    """A variable below the open scope: an existing one, or a new one. Mirrors `tf.compat.v1.get_variable`."""
def get_variable_scope() -> _Any:
    """The open scope. Mirrors `tf.compat.v1.get_variable_scope`."""
def global_variables(scope: _Any = None) -> _Any:
    """The variables in the collection 'variables', which stays empty unless a program adds to it."""
def global_variables_initializer() -> _Any:
    """`variables_initializer` of the variables in the collection 'variables'."""
glorot_normal_initializer = _glorot_normal_initializer
glorot_uniform_initializer = _glorot_uniform_initializer
def import_graph_def(graph_def: _Any, input_map: _Any = None, return_elements: _Any = None, name: _Any = None, op_dict: _Any = None, producer_op_list: _Any = None) -> _Any:
    """Record the operations of a `GraphDef` in the open graph. Mirrors `tf.import_graph_def`."""
def initialize_all_tables(name: _Any = 'init_all_tables') -> _Any:
    """Nothing: tables are filled when they are made. Mirrors `tf.compat.v1.initialize_all_tables`."""
def initialize_all_variables() -> _Any:
    """`variables_initializer` of the variables in the collection 'variables'."""
def initialize_local_variables() -> _Any:
    """`variables_initializer` of the variables in the collection 'local_variables'."""
def initialize_variables(var_list: _Any, name: _Any = 'init') -> _Any:
    """Gives variables of a session's graph their initial values; eagerly they have them. `tf.compat.v1.variables_initializer`."""
def is_variable_initialized(variable: _Any) -> _Any:
    """Whether a variable has its value, which its initializer gives it. Mirrors `tf.compat.v1.is_variable_initialized`."""
def local_variables(scope: _Any = None) -> _Any:
    """The variables in the collection 'local_variables', which stays empty unless a program adds to it."""
def local_variables_initializer() -> _Any:
    """`variables_initializer` of the variables in the collection 'local_variables'."""
def make_ndarray(tensor: _Any) -> _Any:
    """The array that a `TensorProto` stands for. Mirrors `tf.make_ndarray`."""
def make_template(name_: _Any, func_: _Any, create_scope_now_: _Any = False, unique_name_: _Any = None, custom_getter_: _Any = None, **kwargs: _Any) -> _Any:
    """A function whose `get_variable`s give the same variables in every call. Mirrors `tf.compat.v1.make_template`."""
def make_tensor_proto(values: _Any, dtype: _Any = None, shape: _Any = None, verify_shape: _Any = False, allow_broadcast: _Any = False) -> _Any:
    """A `TensorProto` of values. Mirrors `tf.make_tensor_proto`."""
def min_max_variable_partitioner(max_partitions: _Any = 1, axis: _Any = 0, min_slice_size: _Any = 262144, bytes_per_string_element: _Any = 16) -> _Any:
    """As many pieces along an axis as have so many bytes each. Mirrors its namesake in `tf.compat.v1`."""
def model_variables(scope: _Any = None) -> _Any:
    """The variables in the collection 'model_variables', which stays empty unless a program adds to it."""
def moving_average_variables(scope: _Any = None) -> _Any:
    """The variables in the collection 'moving_average_variables', which stays empty unless a program adds to it."""
def multinomial(logits: _Any, num_samples: _Any, seed: _Any = None, name: _Any = None, output_dtype: _Any = None) -> _Any:
    """`tf.random.categorical`. Mirrors `tf.compat.v1.multinomial`."""
def no_regularizer(_: _Any) -> _Any:
    """As a regularizer: none, also where the scope has one. Mirrors `tf.compat.v1.no_regularizer`."""
ones_initializer = _ones_initializer
def op_scope(values: _Any, name: _Any, default_name: _Any = None) -> _Any:
    """`tf.name_scope` with its arguments in another order. Mirrors `tf.compat.v1.op_scope`."""
orthogonal_initializer = _orthogonal_initializer
def parse_example(serialized: _Any, features: _Any, name: _Any = None, example_names: _Any = None) -> _Any:
    """`tf.io.parse_example` with its arguments in another order. Mirrors `tf.compat.v1.parse_example`."""
def parse_single_example(serialized: _Any, features: _Any, name: _Any = None, example_names: _Any = None) -> _Any:
    """`tf.io.parse_single_example` with its arguments in another order. Mirrors `tf.compat.v1.parse_single_example`."""
def placeholder(dtype: _Any, shape: _Any = None, name: _Any = None) -> _Any:
    """A symbolic tensor of the open graph, without a value; sizes may be None. Mirrors `tf.compat.v1.placeholder`."""
def placeholder_with_default(input: _Any, shape: _Any, name: _Any = None) -> _Any:
    """The default, since nothing is fed; in graphs of no more shape than is given. `tf.compat.v1.placeholder_with_default`."""
def py_func(func: _Any, inp: _Any, Tout: _Any, stateful: _Any = True, name: _Any = None) -> _Any:
    """A Python function of arrays as an operation. Mirrors `tf.compat.v1.py_func`."""
random_normal_initializer = _random_normal_initializer
random_uniform_initializer = _random_uniform_initializer
def report_uninitialized_variables(var_list: _Any = None, name: _Any = 'report_uninitialized_variables') -> _Any:
    """The names of variables without a value, of which only sessions have any. `tf.compat.v1.report_uninitialized_variables`."""
def reset_default_graph() -> _Any:
    """Forget the names and collections of the graph outside of all. Mirrors `tf.compat.v1.reset_default_graph`."""
def resource_variables_enabled() -> _Any:
    """Whether variables of version 1 are resources. Mirrors `tf.compat.v1.resource_variables_enabled`."""
def scatter_add(ref: _Any, indices: _Any, updates: _Any, use_locking: _Any = False, name: _Any = None) -> _Any:
    """`tf.Variable.scatter_add` of indices and updates; returns the variable. Mirrors `tf.compat.v1.scatter_add`."""
def scatter_div(ref: _Any, indices: _Any, updates: _Any, use_locking: _Any = False, name: _Any = None) -> _Any:
    """`tf.Variable.scatter_div` of indices and updates; returns the variable. Mirrors `tf.compat.v1.scatter_div`."""
def scatter_max(ref: _Any, indices: _Any, updates: _Any, use_locking: _Any = False, name: _Any = None) -> _Any:
    """`tf.Variable.scatter_max` of indices and updates; returns the variable. Mirrors `tf.compat.v1.scatter_max`."""
def scatter_min(ref: _Any, indices: _Any, updates: _Any, use_locking: _Any = False, name: _Any = None) -> _Any:
    """`tf.Variable.scatter_min` of indices and updates; returns the variable. Mirrors `tf.compat.v1.scatter_min`."""
def scatter_mul(ref: _Any, indices: _Any, updates: _Any, use_locking: _Any = False, name: _Any = None) -> _Any:
    """`tf.Variable.scatter_mul` of indices and updates; returns the variable. Mirrors `tf.compat.v1.scatter_mul`."""
def scatter_nd_add(ref: _Any, indices: _Any, updates: _Any, use_locking: _Any = False, name: _Any = None) -> _Any:
    """`tf.Variable.scatter_nd_add`; returns the variable. Mirrors `tf.compat.v1.scatter_nd_add`."""
def scatter_nd_sub(ref: _Any, indices: _Any, updates: _Any, use_locking: _Any = False, name: _Any = None) -> _Any:
    """`tf.Variable.scatter_nd_sub`; returns the variable. Mirrors `tf.compat.v1.scatter_nd_sub`."""
def scatter_nd_update(ref: _Any, indices: _Any, updates: _Any, use_locking: _Any = False, name: _Any = None) -> _Any:
    """`tf.Variable.scatter_nd_update`; returns the variable. Mirrors `tf.compat.v1.scatter_nd_update`."""
def scatter_sub(ref: _Any, indices: _Any, updates: _Any, use_locking: _Any = False, name: _Any = None) -> _Any:
    """`tf.Variable.scatter_sub` of indices and updates; returns the variable. Mirrors `tf.compat.v1.scatter_sub`."""
def scatter_update(ref: _Any, indices: _Any, updates: _Any, use_locking: _Any = False, name: _Any = None) -> _Any:
    """`tf.Variable.scatter_update` of indices and updates; returns the variable. Mirrors `tf.compat.v1.scatter_update`."""
def set_random_seed(seed: _Any) -> _Any:
    """Set the global seed of the graph in which operations are recorded, outside of graphs that of all."""
def setdiff1d(x: _Any, y: _Any, index_dtype: _Any = ..., name: _Any = None) -> _Any:
    """The values of `x` that are not in `y`, and where they are. Mirrors `tf.compat.v1.setdiff1d`."""
def sparse_merge(sp_ids: _Any, sp_values: _Any, vocab_size: _Any, name: _Any = None, already_sorted: _Any = False) -> _Any:
    """Values at the places that ids name in the last dimension. Mirrors `tf.compat.v1.sparse_merge`."""
def sparse_placeholder(dtype: _Any, shape: _Any = None, name: _Any = None) -> _Any:
    """A sparse tensor of the open graph, without a value. Mirrors `tf.compat.v1.sparse_placeholder`."""
def sparse_to_dense(sparse_indices: _Any, output_shape: _Any, sparse_values: _Any, default_value: _Any = 0, validate_indices: _Any = True, name: _Any = None) -> _Any:
    """Values at places, and a default elsewhere. Mirrors `tf.compat.v1.sparse_to_dense`."""
def string_split(source: _Any, sep: _Any = None, skip_empty: _Any = True, delimiter: _Any = None, result_type: _Any = 'SparseTensor', name: _Any = None) -> _Any:
    """The parts of strings between single bytes. Mirrors `tf.compat.v1.string_split`."""
def tables_initializer(name: _Any = 'init_all_tables') -> _Any:
    """Nothing is left to do: tables are filled when they are made. Mirrors `tf.compat.v1.tables_initializer`."""
def to_bfloat16(x: _Any, name: _Any = None) -> _Any:
    """`tf.cast` to bfloat16. Mirrors `tf.compat.v1.to_bfloat16`."""
def to_complex128(x: _Any, name: _Any = None) -> _Any:
    """`tf.cast` to complex128. Mirrors `tf.compat.v1.to_complex128`."""
def to_complex64(x: _Any, name: _Any = None) -> _Any:
    """`tf.cast` to complex64. Mirrors `tf.compat.v1.to_complex64`."""
def to_double(x: _Any, name: _Any = None) -> _Any:
    """`tf.cast` to float64. Mirrors `tf.compat.v1.to_double`."""
def to_float(x: _Any, name: _Any = None) -> _Any:
    """`tf.cast` to float32. Mirrors `tf.compat.v1.to_float`."""
def to_int32(x: _Any, name: _Any = None) -> _Any:
    """`tf.cast` to int32. Mirrors `tf.compat.v1.to_int32`."""
def to_int64(x: _Any, name: _Any = None) -> _Any:
    """`tf.cast` to int64. Mirrors `tf.compat.v1.to_int64`."""
def trainable_variables(scope: _Any = None) -> _Any:
    """The variables in the collection 'trainable_variables', which stays empty unless a program adds to it."""
truncated_normal_initializer = _truncated_normal_initializer
uniform_unit_scaling_initializer = _uniform_unit_scaling_initializer
def variable_axis_size_partitioner(max_shard_bytes: _Any, axis: _Any = 0, bytes_per_string_element: _Any = 16, max_shards: _Any = None) -> _Any:
    """As many pieces along an axis as keep each below so many bytes. Mirrors its namesake in `tf.compat.v1`."""
def variable_op_scope(values: _Any, name_or_scope: _Any, default_name: _Any = None, initializer: _Any = None, regularizer: _Any = None, caching_device: _Any = None, partitioner: _Any = None, custom_getter: _Any = None, reuse: _Any = None, dtype: _Any = None, use_resource: _Any = None, constraint: _Any = None) -> _Any:
    """`variable_scope` with its arguments in another order. Mirrors `tf.compat.v1.variable_op_scope`."""
def variables_initializer(var_list: _Any, name: _Any = 'init') -> _Any:
    """Gives variables of a session's graph their initial values; eagerly they have them. `tf.compat.v1.variables_initializer`."""
variance_scaling_initializer = _variance_scaling_initializer
def where(condition: _Any, x: _Any = None, y: _Any = None, name: _Any = None) -> _Any:
    """`tf.where`, but a vector chooses whole rows. Mirrors `tf.compat.v1.where`."""
def while_loop(cond: _Any, body: _Any, loop_vars: _Any, shape_invariants: _Any = None, parallel_iterations: _Any = 10, back_prop: _Any = True, swap_memory: _Any = False, name: _Any = None, maximum_iterations: _Any = None, return_same_structure: _Any = False) -> _Any:
    """Repeat `body` as long as `cond` is true. Mirrors `tf.compat.v1.while_loop`."""
def wrap_function(fn: _Any, signature: _Any, name: _Any = None) -> _Any:
    """Record a function of TensorFlow 1 as a graph. Mirrors `tf.compat.v1.wrap_function`."""
zeros_initializer = _zeros_initializer
