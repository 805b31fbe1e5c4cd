"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
def from_dlpack(dlcapsule: _Any) -> _Any:
    """A tensor of the memory behind a DLPack capsule, or anything with `__dlpack__`."""
def to_dlpack(tf_tensor: _Any) -> _Any:
    """A DLPack capsule of the tensor's memory. Mirrors `tf.experimental.dlpack.to_dlpack`."""
