"""Constants and small functions of `tensorflow.python.ops` that tests compare with, and weak tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfgrad_jax.engine.names.export import export, export_value
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.numpy.weak import WeakTensor
from tfgrad_jax.ops.array.creation import identity
from tfgrad_jax.ops.control.control_flow import while_loop
from tfgrad_jax.ops.math.math import floormod

_S, _W = "python.ops.stateful_random_ops.", "python.framework.weak_tensor."

for _name, _value in {
    "MAX_INT64": 2**63 - 1, "MIN_INT64": -(2**63), "SEED_MAX": 2**63 - 1, "SEED_MIN": -(2**63),
    "SEED_BIT_MASK": 2**64 - 1, "SEED_UINT_SPAN": 2**64, "UINT64_SPAN": 2**64, "UINT64_HALF_SPAN": 2**63,
    "SEED_SIZE": 16, "SEED_TYPE_BITS": 64, "SEED_TYPE": "int64", "STATE_TYPE": "int64", "ALGORITHM_TYPE": "int64",
    "RNG_ALG_PHILOX": 1, "RNG_ALG_THREEFRY": 2, "DEFAULT_ALGORITHM": 1, "PHILOX_STATE_SIZE": 3, "PHILOX_COUNTER_SIZE": 2,
    "PHILOX_KEY_SIZE": 1, "THREEFRY_STATE_SIZE": 2, "THREEFRY_COUNTER_SIZE": 1, "THREEFRY_KEY_SIZE": 1,
}.items():  # fmt: skip
    export_value(_value, _S + _name)

export_value(WeakTensor, _W + "WeakTensor")


@export(_W + "convert_to_weak_tensor_or_tensor")
def convert_to_weak_tensor_or_tensor(t: Any, to_weak: bool) -> Any:
    """A tensor as a weak one, if so wanted; a weak one as it is."""
    return WeakTensor(convert(t)) if to_weak and not isinstance(t, WeakTensor) else t


@export("python.ops.control_flow_ops.with_dependencies")
def with_dependencies(dependencies: Sequence[Any], output_tensor: Any, name: str | None = None) -> Tensor:
    """The tensor again. What it depends on was recorded before it, and side effects keep their order."""
    return identity(output_tensor)


@export("python.ops.signal.util_ops.gcd")
def gcd(a: Any, b: Any, name: str | None = None) -> Tensor:
    """The greatest common divisor of two integers.

    Raises:
      ValueError: if one is no single integer.
    """
    one, other = convert(a), convert(b)
    for value, which in ((one, "a"), (other, "b")):
        if value.shape.rank != 0:
            raise ValueError(f"Argument `{which}` must be a scalar. Received: {value}")
        if not value.dtype.is_integer:
            raise ValueError(f"Argument `{which}` must be an integer tensor. Received: {value}")
    return while_loop(lambda x, y: y != 0, lambda x, y: (y, floormod(x, y)), (one, other))[0]
