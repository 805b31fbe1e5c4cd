"""Arrays to and from other libraries, without a copy where the memory allows."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values.tensor import EagerTensor, Tensor


@export("experimental.dlpack.to_dlpack")
def to_dlpack(tf_tensor: Tensor) -> Any:
    """A DLPack capsule of the tensor's memory. Mirrors `tf.experimental.dlpack.to_dlpack`."""
    return tf_tensor.__dlpack__()  # type: ignore[attr-defined]


@export("experimental.dlpack.from_dlpack")
def from_dlpack(dlcapsule: Any) -> EagerTensor:
    """A tensor of the memory behind a DLPack capsule, or anything with `__dlpack__`.

    Mirrors `tf.experimental.dlpack.from_dlpack`.
    """
    if hasattr(dlcapsule, "__dlpack__"):
        return EagerTensor(jax.dlpack.from_dlpack(dlcapsule))
    return EagerTensor(jax.numpy.asarray(np.from_dlpack(_Capsule(dlcapsule))))


class _Capsule:
    """A bare capsule with the methods that the protocol of today asks for; its memory is the host's."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __dlpack__(self, **kwargs: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)
