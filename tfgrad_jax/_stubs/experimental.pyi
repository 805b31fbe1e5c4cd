"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
from tfgrad_jax._stubs import experimental_dlpack
from tfgrad_jax._stubs import experimental_dtensor
from tfgrad_jax._stubs import experimental_extension_type
from tfgrad_jax._stubs import experimental_numpy
from tfgrad_jax.composite.extension_batching import BatchableExtensionType as BatchableExtensionType
from tfgrad_jax.composite.ragged.dynamic_shape import DynamicRaggedShape as DynamicRaggedShape
from tfgrad_jax.composite.extension_type import ExtensionType as ExtensionType
from tfgrad_jax.composite.extension_batching import ExtensionTypeBatchEncoder as ExtensionTypeBatchEncoder
from tfgrad_jax.composite.extension_type import ExtensionTypeSpec as ExtensionTypeSpec
from tfgrad_jax.lib.data.iterators import Optional as Optional
from tfgrad_jax.composite.ragged.dynamic_shape import RowPartition as RowPartition
from tfgrad_jax.engine.values.dtypes import DType as _DType
dlpack = experimental_dlpack
dtensor = experimental_dtensor
extension_type = experimental_extension_type
numpy = experimental_numpy
def async_clear_error() -> _Any:
    """Nothing: an error is raised where a value is read, and not kept."""
def async_scope() -> _Any:
    """A context in which operations may return before they have run, as they may anyway."""
def dispatch_for_api(api: _Any, *signatures: _Any) -> _Any:
    """Decorator: call the decorated function instead of a public one where the arguments have certain types."""
def dispatch_for_binary_elementwise_apis(x_type: _Any, y_type: _Any) -> _Any:
    """Decorator: handle every elementwise function of two operands (`tf.add`, `tf.maximum`, ...) for two types."""
def dispatch_for_binary_elementwise_assert_apis(x_type: _Any, y_type: _Any) -> _Any:
    """Decorator: handle every assertion about two operands (`tf.debugging.assert_equal`, ...) for two types."""
def dispatch_for_unary_elementwise_apis(x_type: _Any) -> _Any:
    """Decorator: handle every elementwise function of one operand (`tf.abs`, `tf.nn.relu`, `tf.cast`, ...) for a type."""
float4_e2m1fn: _DType
float8_e4m3b11fnuz: _DType
float8_e4m3fn: _DType
float8_e4m3fnuz: _DType
float8_e5m2: _DType
float8_e5m2fnuz: _DType
int2: _DType
int4: _DType
uint2: _DType
uint4: _DType
def unregister_dispatch_for(dispatch_target: _Any) -> _Any:
    """Forget a function that was registered with one of the `dispatch_for_*` decorators."""
