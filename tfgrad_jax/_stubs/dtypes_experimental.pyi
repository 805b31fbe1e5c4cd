"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
from tfgrad_jax.engine.values.dtypes import DType as _DType
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
