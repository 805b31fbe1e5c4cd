"""`tensorflow.python.ops.list_ops`: lists of tensors, by functions whose arguments stand in another order than the raw ones'."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import int32
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.saved_model.nodes.registry import tf

_L = "python.ops.list_ops."


@export(_L + "_build_element_shape")
def element_shape_of(shape: Any) -> Any:
    """A shape as raw operations take it: -1 for one of unknown rank and for sizes that are not known."""
    if isinstance(shape, Tensor):
        return shape
    if isinstance(shape, TensorShape):
        shape = None if shape.rank is None else shape.as_list()
    if shape is None:
        return -1
    if not isinstance(shape, list | tuple) or not shape:
        return convert(shape, int32)
    # The size of a `Dimension` is its value; other sizes have none.
    sizes = [getattr(n, "value", n) for n in shape]
    return [-1 if n is None else n for n in sizes]


@export(_L + "empty_tensor_list")
def empty_tensor_list(element_shape: Any, element_dtype: Any, max_num_elements: Any = None, name: Any = None) -> Any:
    """A list that grows as tensors are pushed onto it."""
    if max_num_elements is not None:
        raise NotImplementedError("empty_tensor_list: max_num_elements is not supported; lists grow without a limit")
    return tf("raw_ops.EmptyTensorList")(
        element_shape=element_shape_of(element_shape), max_num_elements=-1, element_dtype=element_dtype
    )


@export(_L + "tensor_list_reserve")
def tensor_list_reserve(element_shape: Any, num_elements: Any, element_dtype: Any, name: Any = None) -> Any:
    """A list of so many tensors, which are written later."""
    return tf("raw_ops.TensorListReserve")(
        element_shape=element_shape_of(element_shape), num_elements=num_elements, element_dtype=element_dtype
    )


@export(_L + "tensor_list_from_tensor")
def tensor_list_from_tensor(tensor: Any, element_shape: Any, name: Any = None) -> Any:
    """The list of a tensor's rows."""
    return tf("raw_ops.TensorListFromTensor")(tensor=tensor, element_shape=element_shape_of(element_shape))


@export(_L + "tensor_list_get_item")
def tensor_list_get_item(
    input_handle: Any, index: Any, element_dtype: Any, element_shape: Any = None, name: Any = None
) -> Tensor:
    """The tensor at a place of a list."""
    return tf("raw_ops.TensorListGetItem")(
        input_handle=input_handle,
        index=index,
        element_shape=element_shape_of(element_shape),
        element_dtype=element_dtype,
    )


@export(_L + "tensor_list_set_item")
def tensor_list_set_item(
    input_handle: Any, index: Any, item: Any, resize_if_index_out_of_bounds: bool = False, name: Any = None
) -> Any:
    """The list with another tensor at a place."""
    if resize_if_index_out_of_bounds and not input_handle.dynamic_size:
        raise NotImplementedError(
            "tensor_list_set_item: resize_if_index_out_of_bounds needs a list that was made empty"
        )
    return tf("raw_ops.TensorListSetItem")(input_handle=input_handle, index=index, item=item)


@export(_L + "tensor_list_pop_back")
def tensor_list_pop_back(input_handle: Any, element_dtype: Any, name: Any = None) -> Any:
    """The list without its last tensor, and that tensor."""
    return tf("raw_ops.TensorListPopBack")(input_handle=input_handle, element_shape=-1, element_dtype=element_dtype)


@export(_L + "tensor_list_gather")
def tensor_list_gather(
    input_handle: Any, indices: Any, element_dtype: Any, element_shape: Any = None, name: Any = None
) -> Tensor:
    """The tensors at some places of a list, stacked."""
    return tf("raw_ops.TensorListGather")(
        input_handle=input_handle,
        indices=indices,
        element_shape=element_shape_of(element_shape),
        element_dtype=element_dtype,
    )


@export(_L + "tensor_list_scatter")
def tensor_list_scatter(
    tensor: Any, indices: Any, element_shape: Any = None, input_handle: Any = None, name: Any = None
) -> Any:
    """The list with a tensor's rows at some places; a new one where none is given."""
    if input_handle is not None:
        return tf("raw_ops.TensorListScatterIntoExistingList")(
            input_handle=input_handle, tensor=tensor, indices=indices
        )
    return tf("raw_ops.TensorListScatterV2")(
        tensor=tensor, indices=indices, element_shape=element_shape_of(element_shape), num_elements=-1
    )


@export(_L + "tensor_list_stack")
def tensor_list_stack(
    input_handle: Any, element_dtype: Any, num_elements: int = -1, element_shape: Any = None, name: Any = None
) -> Tensor:
    """All tensors of a list, stacked."""
    return tf("raw_ops.TensorListStack")(
        input_handle=input_handle,
        element_shape=element_shape_of(element_shape),
        element_dtype=element_dtype,
        num_elements=num_elements,
    )


@export(_L + "tensor_list_concat")
def tensor_list_concat(input_handle: Any, element_dtype: Any, element_shape: Any = None, name: Any = None) -> Tensor:
    """All tensors of a list, one after the other along their first axis."""
    return tf("raw_ops.TensorListConcat")(input_handle=input_handle, element_dtype=element_dtype).tensor


@export(_L + "tensor_list_split")
def tensor_list_split(tensor: Any, element_shape: Any, lengths: Any, name: Any = None) -> Any:
    """The list of a tensor's parts of some lengths along its first axis."""
    return tf("raw_ops.TensorListSplit")(tensor=tensor, element_shape=element_shape_of(element_shape), lengths=lengths)
