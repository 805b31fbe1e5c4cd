"""Where the values of tensors lie, in TensorFlow's words, and copies of them elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from jax.core import Tracer

from tfgrad_jax.engine.threads.accelerator import has_accelerator
from tfgrad_jax.engine.values.dtypes import stays_on_host

_DEVICE = "/job:localhost/replica:0/task:0/device:{}:{}"


def device_of(value: Any) -> str:
    """The name of the device of a value, for its user: a small one that waits on the host for an accelerator belongs to that."""
    if not isinstance(value, np.ndarray):
        device = next(iter(value.devices()))
    elif has_accelerator() and not stays_on_host(value.dtype) and value.dtype != np.int32:
        device = jax.devices()[0]
    else:  # TensorFlow leaves strings, quantized numbers and sizes in the host's memory
        return _DEVICE.format("CPU", 0)
    return _DEVICE.format(device.platform.upper(), device.id)


def copied(value: Any, device: Any) -> Any:
    """A copy of a value on a device, to which it is not bound: operations take it together with values that lie elsewhere."""
    if isinstance(value, np.ndarray) and device.platform == "cpu" and not has_accelerator():
        return value
    with jax.default_device(device):
        return jax.device_put(np.asarray(value))


def placed(arrays: Sequence[Any]) -> bool:
    """Whether one of them is being traced, and so has no value, or lies on a given device, where it stays."""
    return any([type(a) is not np.ndarray and (isinstance(a, Tracer) or a.committed) for a in arrays])


def is_there(array: Any) -> bool:
    """Whether nobody need wait for an array that JAX made, which may go anywhere."""
    return not isinstance(array, Tracer) and not array.committed and array.is_ready()
