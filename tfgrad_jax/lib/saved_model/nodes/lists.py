"""Nodes of lists of tensors, which TensorFlow's arrays and recurrent layers consist of: they are `tf.TensorArray`s here."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.composite.tensor_array import TensorArray
from tfgrad_jax.engine.values.convert import get_static_value
from tfgrad_jax.engine.values.dtypes import DType
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.lib.saved_model.nodes.registry import node, tf


def _element_shape(value: Any) -> TensorShape:
    """The shape of elements, which a node has as a tensor: -1 is unknown."""
    known = get_static_value(value)
    if known is None or not known.shape:
        return TensorShape(None)
    return TensorShape([None if n < 0 else int(n) for n in known])


@node("TensorListReserve")
def _reserve(element_shape: Any, num_elements: Any, *, element_dtype: DType) -> TensorArray:
    return TensorArray(element_dtype, num_elements, element_shape=_element_shape(element_shape))


@node("EmptyTensorList")
def _empty(element_shape: Any, max_num_elements: Any, *, element_dtype: DType) -> TensorArray:
    return TensorArray(element_dtype, 0, dynamic_size=True, element_shape=_element_shape(element_shape))


@node("TensorListSetItem")
def _set(array: TensorArray, index: Any, item: Any) -> TensorArray:
    return array.write(index, item)


@node("TensorListPushBack")
def _push(array: TensorArray, item: Any) -> TensorArray:
    return array.write(array.size(), item)


@node("TensorListGetItem")
def _get(array: TensorArray, index: Any, element_shape: Any) -> Any:
    return array.read(index)


@node("TensorListLength")
def _length(array: TensorArray) -> Any:
    return array.size()


@node("TensorListElementShape")
def _shape(array: TensorArray, *, shape_type: DType) -> Any:
    return tf("constant")([-1 if n is None else n for n in array.element_shape.as_list()], shape_type)


@node("TensorListStack")
def _stack(array: TensorArray, element_shape: Any) -> Any:
    return array.stack()


@node("TensorListFromTensor")
def _unstack(tensor: Any, element_shape: Any) -> TensorArray:
    return TensorArray(tensor.dtype, tf("shape")(tensor)[0], element_shape=tensor.shape[1:]).unstack(tensor)


@node("TensorListGather")
def _gather(array: TensorArray, indices: Any, element_shape: Any) -> Any:
    return array.gather(indices)


@node("TensorListScatter", "TensorListScatterV2")
def _scatter(tensor: Any, indices: Any, element_shape: Any, *rest: Any) -> TensorArray:
    size = rest[0] if rest else tf("reduce_max")(indices) + 1
    return TensorArray(tensor.dtype, size, element_shape=tensor.shape[1:]).scatter(indices, tensor)


@node("TensorListConcatV2", "TensorListConcat", outputs="tensor lengths")
def _concat(array: TensorArray, *rest: Any) -> list[Any]:
    joined = array.concat()
    return [
        joined,
        tf("fill")(
            [array.size()], tf("cast")(tf("shape")(joined)[0], tf("int64")) // tf("cast")(array.size(), tf("int64"))
        ),
    ]
