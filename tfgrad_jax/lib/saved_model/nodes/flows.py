"""Nodes of TensorFlow 1's arrays of tensors. Such an array is a handle and a flow, a number that only orders what is done; here the
flow is the array as it is at that point, a `tf.TensorArray`, and the handle is the array as it was made.
"""

from __future__ import annotations

from typing import Any

from tfgrad_jax.composite.tensor_array import TensorArray
from tfgrad_jax.engine.values.dtypes import DType
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.lib.saved_model.nodes.registry import node, tf


@node("TensorArrayV3", outputs="handle flow")
def _array(size: Any, *, dtype: DType, element_shape: Any = None, dynamic_size: bool = False) -> list[Any]:
    shape = TensorShape(element_shape)
    made = TensorArray(dtype, size, dynamic_size, clear_after_read=False, element_shape=shape, infer_shape=False)
    return [made, made]


@node("TensorArrayReadV3")
def _read(handle: Any, index: Any, array: TensorArray) -> Any:
    return array.read(index)


@node("TensorArrayWriteV3")
def _write(handle: Any, index: Any, value: Any, array: TensorArray) -> TensorArray:
    return array.apart().write(index, value)


@node("TensorArrayGatherV3")
def _gather(handle: Any, indices: Any, array: TensorArray) -> Any:
    return array.gather(indices)


@node("TensorArrayScatterV3")
def _scatter(handle: Any, indices: Any, value: Any, array: TensorArray) -> TensorArray:
    return array.apart().scatter(indices, value)


@node("TensorArraySplitV3")
def _split(handle: Any, value: Any, lengths: Any, array: TensorArray) -> TensorArray:
    return array.apart().split(value, lengths)


@node("TensorArrayConcatV3", outputs="value lengths")
def _concat(handle: Any, array: TensorArray) -> list[Any]:
    joined, size = array.concat(), array.size()
    each = tf("cast")(tf("shape")(joined)[0] // size, tf("int64"))
    return [joined, tf("fill")([size], each)]


@node("TensorArraySizeV3")
def _size(handle: Any, array: TensorArray) -> Any:
    return array.size()


@node("TensorArrayCloseV3")
def _close(handle: Any) -> None:
    return None
