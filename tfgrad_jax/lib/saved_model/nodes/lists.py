"""Nodes of lists of tensors, which TensorFlow's arrays and recurrent layers consist of: they are `tf.TensorArray`s here."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from tfgrad_jax.composite.tensor_array import TensorArray
from tfgrad_jax.engine.messages.errors import OutOfRangeError, invalid_argument
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


def _array(dtype: DType, size: Any, shape: Any, grows: bool = False) -> TensorArray:
    """A new array: unlike those of programs it may be read as often as one likes."""
    return TensorArray(dtype, size, dynamic_size=grows, clear_after_read=False, element_shape=shape)


@contextlib.contextmanager
def _places(raw: str) -> Iterator[None]:
    """Places that a list does not have are invalid arguments of its operations."""
    try:
        yield
    except OutOfRangeError as error:
        raise invalid_argument(error.message, raw) from None


@node("TensorListReserve", context=True)
def _reserve(frame: Any, element_shape: Any, num_elements: Any, *, element_dtype: DType) -> TensorArray:
    grows = frame is not None and frame.has_lists_that_grow  # whoever calls the node alone has no functions around it
    return _array(element_dtype, num_elements, _element_shape(element_shape), grows)


@node("EmptyTensorList")
def _empty(element_shape: Any, max_num_elements: Any, *, element_dtype: DType) -> TensorArray:
    return _array(element_dtype, 0, _element_shape(element_shape), grows=True)


@node("TensorListSetItem")
def _set(array: TensorArray, index: Any, item: Any, *, resize_if_index_out_of_bounds: bool = False) -> TensorArray:
    with _places("TensorListSetItem"):
        return array.apart(resize_if_index_out_of_bounds).write(index, item)


@node("TensorListPushBack")
def _push(array: TensorArray, item: Any) -> TensorArray:
    return array.apart(True).write(array.size(), item)


@node("TensorListGetItem")
def _get(array: TensorArray, index: Any, element_shape: Any) -> Any:
    with _places("TensorListGetItem"):
        return array.read(index)


@node("TensorListLength")
def _length(array: TensorArray) -> Any:
    return array.size()


@node("TensorListResize")
def _resized(array: TensorArray, size: Any) -> TensorArray:
    wanted, count = get_static_value(size), get_static_value(array.size())
    if wanted is not None and (wanted.ndim or wanted < 0):
        what = (
            "size must be a scalar"
            if wanted.ndim
            else f"TensorListSlice expects size to be non-negative. Got: {wanted}"
        )
        raise invalid_argument(what, "TensorListResize")
    made = _array(array.dtype, size, array.element_shape)
    if wanted is not None and count is not None:  # elements that may be of different shapes
        for i in range(min(int(wanted), int(count))):
            made = made.write(i, array.read(i))
        return made
    kept = tf("range")(tf("minimum")(size, array.size()))
    return made.scatter(kept, array.gather(kept))


@node("TensorListElementShape")
def _shape(array: TensorArray, *, shape_type: DType) -> Any:
    return tf("constant")([-1 if n is None else n for n in array.element_shape.as_list()], shape_type)


@node("TensorListStack")
def _stack(array: TensorArray, element_shape: Any, *, num_elements: int = -1) -> Any:
    size = get_static_value(array.size())
    if num_elements >= 0 and size is not None and size != num_elements:
        raise invalid_argument(f"a list of {num_elements} elements was expected, got one of {size}", "TensorListStack")
    return array.stack()


@node("TensorListFromTensor")
def _unstack(tensor: Any, element_shape: Any) -> TensorArray:
    return _array(tensor.dtype, tf("shape")(tensor)[0], tensor.shape[1:]).unstack(tensor)


@node("TensorListGather")
def _gather(array: TensorArray, indices: Any, element_shape: Any) -> Any:
    with _places("TensorListGather"):
        return array.gather(indices)


@node("TensorListScatter", "TensorListScatterV2")
def _scatter(tensor: Any, indices: Any, element_shape: Any, *rest: Any) -> TensorArray:
    size = rest[0] if rest and get_static_value(rest[0]) != -1 else tf("reduce_max")(indices) + 1
    with _places("TensorListScatterV2"):
        return _array(tensor.dtype, size, tensor.shape[1:]).scatter(indices, tensor)


@node("TensorListConcatV2", "TensorListConcat", outputs="tensor lengths")
def _concat(array: TensorArray, *rest: Any) -> list[Any]:
    joined = array.concat()
    return [
        joined,
        tf("fill")(
            [array.size()], tf("cast")(tf("shape")(joined)[0], tf("int64")) // tf("cast")(array.size(), tf("int64"))
        ),
    ]
