"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
from tfgrad_jax._stubs import dtypes_experimental
from tfgrad_jax.engine.values.dtypes import DType as DType
from tfgrad_jax.engine.values.dtypes import DType as _DType
experimental = dtypes_experimental
QUANTIZED_DTYPES: _Any
def as_dtype(type_value: _Any) -> _Any:
    """The DType that `type_value` stands for (`tf.as_dtype`)."""
bfloat16: _DType
bool: _DType
def cast(x: _Any, dtype: _Any, name: _Any = None) -> _Any:
    """`x` as another dtype. Mirrors `tf.cast`."""
def complex(real: _Any, imag: _Any, name: _Any = None) -> _Any:
    """A complex number from its parts. Mirrors `tf.complex`."""
complex128: _DType
complex64: _DType
double: _DType
float16: _DType
float32: _DType
float64: _DType
half: _DType
int16: _DType
int32: _DType
int64: _DType
int8: _DType
qint16: _DType
qint32: _DType
qint8: _DType
quint16: _DType
quint8: _DType
resource: _DType
def saturate_cast(value: _Any, dtype: _Any, name: _Any = None) -> _Any:
    """`cast` that keeps to the limits of the dtype instead of wrapping. Mirrors `tf.saturate_cast`."""
string: _DType
uint16: _DType
uint32: _DType
uint64: _DType
uint8: _DType
variant: _DType
