"""Functions of `tensorflow.python.framework` and `.ops` that are parts of public ones; programs that test such ones call them."""

from __future__ import annotations

import collections.abc
import contextlib
from typing import Any

import numpy as np

from tfgrad_jax.composite.extension_fields import ImmutableDict
from tfgrad_jax.composite.sparse_tensor import SparseTensor, SparseTensorValue
from tfgrad_jax.engine.composite.indexed_slices import IndexedSlices
from tfgrad_jax.engine.messages.errors import OpError, UnknownError
from tfgrad_jax.engine.names.export import export, export_value
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values import nest
from tfgrad_jax.engine.values.composite import Composite, components
from tfgrad_jax.engine.values.convert import convert, get_static_value
from tfgrad_jax.engine.values.dimension import Dimension
from tfgrad_jax.engine.values.dtypes import as_dtype, int32
from tfgrad_jax.engine.values.shapes import TensorShape, as_shape, broadcast
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.compatibility import exception_type_from_error_code
from tfgrad_jax.lib.private.framework import case_helper
from tfgrad_jax.lib.v1.functions import convert_to_tensor_or_indexed_slices
from tfgrad_jax.ops.array.array import concat
from tfgrad_jax.ops.array.creation import constant, ones_like, zeros_like
from tfgrad_jax.ops.array.gather import gather_nd
from tfgrad_jax.ops.array.rearrange import repeat, tile
from tfgrad_jax.ops.array.scatter import tensor_scatter_nd_update
from tfgrad_jax.ops.array.sequences import range as range_of
from tfgrad_jax.ops.array.shape import expand_dims, squeeze
from tfgrad_jax.ops.array.sizes import rank, shape, size
from tfgrad_jax.ops.control.control_flow import cond
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.math.math import floormod

_F, _O, _A, _M = "python.framework.", "python.ops.", "python.ops.array_ops.", "python.ops.math_ops."

export_value(constant, _A + "constant")
export_value(ImmutableDict, _F + "immutable_dict.ImmutableDict")
export_value(None, _A + "newaxis", _O + "standard_ops.newaxis")
export_value(contextlib.nullcontext, _F + "ops.NullContextmanager")


@export(_F + "tensor_shape.unknown_shape")
def unknown_shape(rank: int | None = None, *, ndims: int | None = None) -> TensorShape:
    """A shape of which at most the rank is known."""
    rank = rank if ndims is None else ndims
    return TensorShape(None if rank is None else [None] * rank)


@export(_F + "tensor_shape.as_dimension")
def as_dimension(value: Any) -> Dimension:
    """A size, or None, as a `Dimension`; such a one as it is."""
    return value if isinstance(value, Dimension) else Dimension(value)


@export(_F + "composite_tensor.replace_composites_with_components")
def replace_composites_with_components(structure: Any) -> Any:
    """A nest with lists of parts in place of composites."""
    if isinstance(structure, Composite):
        return replace_composites_with_components([*components(structure)])
    if not nest.is_nested(structure):
        return structure
    return nest.like(structure, [replace_composites_with_components(part) for part in nest.children_of(structure)])


@export(_F + "common_shapes.broadcast_shape")
def broadcast_shape(shape_x: TensorShape, shape_y: TensorShape) -> TensorShape:
    """The shape of what two shapes make together, as far as it is known.

    Raises:
      ValueError: if they do not fit.
    """
    try:
        return broadcast([shape_x, shape_y])
    except ValueError:
        raise ValueError(f"Incompatible shapes for broadcasting. Received: shapes {shape_x} and {shape_y}.") from None


@export(_F + "common_shapes.is_broadcast_compatible")
def is_broadcast_compatible(shape_x: TensorShape, shape_y: TensorShape) -> bool:
    """Whether two shapes may fit, which shapes of unknown rank do not tell."""
    try:
        return broadcast([shape_x, shape_y]).rank is not None
    except ValueError:
        return False


@export(_F + "constant_op.is_constant")
def is_constant(tensor_or_op: Any) -> bool:
    """Whether a tensor of a graph, or the operation that makes it, is a constant."""
    operation = getattr(tensor_or_op, "op", tensor_or_op)
    return operation.type == "Const"


@export(_F + "tensor_util.ShapeEquals")
def shape_equals(tensor_proto: Any, shape: Any) -> bool:
    """Whether the shape of a TensorProto, or of what it is made of, is `shape`."""
    wanted = as_shape(shape).as_list()
    found = getattr(tensor_proto, "tensor_shape", None)
    return [d.size for d in found.dim] == wanted if found is not None else list(tensor_proto.shape) == wanted


@export(_F + "sparse_tensor.is_sparse")
def is_sparse(x: Any) -> bool:
    """Whether something is a sparse tensor, or the value of one."""
    return isinstance(x, SparseTensor | SparseTensorValue)


@export(_F + "ops.has_default_graph")
def has_default_graph() -> bool:
    """Whether operations are recorded in a graph here."""
    return context.graph is not None


@export(_F + "ops.dismantle_graph")
def dismantle_graph(graph: Any) -> None:
    """Nothing: Python's collector frees graphs."""


@export(_F + "ops.prepend_name_scope")
def prepend_name_scope(name: str, import_scope: str | None) -> str:
    """A name of a node within a scope; `^name` and `loc:@name` keep what comes before."""
    if not import_scope:
        return name
    scope = import_scope.rstrip("/")
    for mark in ("^", "loc:@"):
        if name.startswith(mark):
            return f"{mark}{scope}/{name.removeprefix(mark)}"
    return f"{scope}/{name}"


@export(_F + "ops.name_from_scope_name")
def name_from_scope_name(name: str) -> str:
    """A scope without the slash at its end."""
    return name[:-1] if name.endswith("/") else name


@export(_F + "ops.tensor_id")
def tensor_id(tensor: Any) -> int:
    """A number that no other tensor has."""
    return int(tensor.identity)


export_value(
    convert_to_tensor_or_indexed_slices,
    _F + "indexed_slices.internal_convert_to_tensor_or_indexed_slices",
)


@export(_F + "ops.convert_n_to_tensor_or_composite", _F + "indexed_slices.convert_n_to_tensor_or_indexed_slices")
def convert_n_to_tensor_or_composite(values: Any, dtype: Any = None, name: str | None = None) -> list[Any]:
    """Each value as a tensor; composites as they are, None for None.

    Raises:
      TypeError: if `values` is no sequence.
    """
    if not isinstance(values, collections.abc.Sequence):
        raise TypeError(f"values must be a sequence, got {values!r}")
    wanted = None if dtype is None else as_dtype(dtype)
    return [v if v is None or isinstance(v, Composite) else convert(v, wanted) for v in values]


@export(_F + "smart_cond.smart_constant_value")
def smart_constant_value(pred: Any) -> bool | None:
    """The value of a predicate as far as it is known now.

    Raises:
      TypeError: if it is no predicate.
    """
    if isinstance(pred, Tensor):
        known = get_static_value(pred)
        return None if known is None else bool(known)
    if pred in {0, 1}:
        return bool(pred)
    raise TypeError(
        f"Argument `pred` must be a Tensor, or a Python bool, or 1 or 0. Received: pred={pred} of type {type(pred)}"
    )


@export(_F + "smart_cond.smart_case")
def smart_case(pred_fn_pairs: Any, default: Any = None, exclusive: bool = False, name: str = "smart_case") -> Any:
    """`tf.case` whose predicates may be Python's; what is known now is chosen now."""

    def choose(pred: Any, true_fn: Any, false_fn: Any) -> Any:
        known = smart_constant_value(pred)
        return cond(pred, true_fn, false_fn) if known is None else (true_fn if known else false_fn)()

    return case_helper(choose, pred_fn_pairs, default, exclusive, name)


@export(_M + "reduced_shape")
def reduced_shape(input_shape: Any, axes: Any) -> Tensor:
    """The shape of a sum along some axes that are kept with one element."""
    known, along = (get_static_value(convert(value, int32)) for value in (input_shape, axes))
    if known is not None and along is not None:
        made = np.array(known)
        made[np.asarray(along)] = 1
        return convert(made, int32)
    sizes = cast(convert(input_shape), int32)
    places = floormod(cast(convert(axes), int32) + size(sizes), size(sizes))
    if places.shape.rank == 0:
        places = expand_dims(places, 0)
    return tensor_scatter_nd_update(sizes, expand_dims(places, 1), ones_like(places))


@export(_M + "_as_indexed_slices")
def as_indexed_slices(x: Any, optimize: bool = True) -> IndexedSlices:
    """A tensor as slices, all of them there; slices as they are.

    Raises:
      TypeError: if it is neither.
    """
    if not isinstance(x, Tensor | IndexedSlices):
        raise TypeError(f"Not a Tensor or IndexedSlices: {type(x)}.")
    if isinstance(x, IndexedSlices):
        return x
    sizes: Any = shape(x)
    return IndexedSlices(x, range_of(0, sizes[0]), sizes)


@export(_M + "_as_indexed_slices_list")
def as_indexed_slices_list(inputs: Any, optimize: bool = True) -> list[IndexedSlices]:
    """Each tensor as slices.

    Raises:
      TypeError: if `inputs` is no list or tuple.
    """
    if not isinstance(inputs, list | tuple):
        raise TypeError(f"Expected a list or tuple, not {type(inputs)}.")
    return [as_indexed_slices(x) for x in inputs]


@export(_M + "tensor_equals")
def tensor_equals(self: Any, other: Any) -> Any:
    """`self == other`."""
    return self == other


@export(_M + "tensor_not_equals")
def tensor_not_equals(self: Any, other: Any) -> Any:
    """`self != other`."""
    return self != other


@export(_A + "shape_internal")
def shape_internal(input: Any, name: str | None = None, optimize: bool = True, out_type: Any = None) -> Tensor:
    """`tf.shape`."""
    return shape(input, out_type=out_type or int32)


@export(_A + "size_internal")
def size_internal(input: Any, name: str | None = None, optimize: bool = True, out_type: Any = int32) -> Tensor:
    """`tf.size`."""
    return size(input, out_type=out_type)


@export(_A + "rank_internal")
def rank_internal(input: Any, name: str | None = None, optimize: bool = True) -> Tensor:
    """`tf.rank`."""
    return rank(input)


@export(_A + "zeros_like_impl")
def zeros_like_impl(tensor: Any, dtype: Any, name: Any, optimize: bool = True, layout: Any = None) -> Tensor:
    """`tf.zeros_like`."""
    return zeros_like(tensor, dtype)


@export(_A + "ones_like_impl")
def ones_like_impl(tensor: Any, dtype: Any, name: Any, optimize: bool = True, layout: Any = None) -> Tensor:
    """`tf.ones_like`."""
    return ones_like(tensor, dtype)


@export(_A + "repeat_with_axis")
def repeat_with_axis(data: Any, repeats: Any, axis: int | None, name: str | None = None) -> Tensor:
    """`tf.repeat`."""
    return repeat(data, repeats, axis)


@export(_A + "tile_one_dimension")
def tile_one_dimension(data: Any, axis: int, multiple: Any) -> Tensor:
    """A tensor repeated as a whole along one axis."""
    dims = convert(data).shape.rank
    if dims is not None:
        return tile(data, [multiple if k == axis else 1 for k in range(dims)])
    ones = ones_like(shape(data))
    return tile(data, concat([ones[:axis], [multiple], ones[axis + 1 :]], 0))


@export(_A + "get_positive_axis")
def get_positive_axis(axis: Any, ndims: int | None, axis_name: str = "axis", ndims_name: str = "ndims") -> int:
    """An axis counted from the front.

    Raises:
      TypeError: if it is no integer.
      ValueError: if there is no such axis, or it is negative and the rank is not known.
    """
    if not isinstance(axis, int):
        raise TypeError(f"{axis_name} must be an int; got {type(axis).__name__}")
    if ndims is not None:
        if -ndims <= axis < ndims:
            return axis + ndims if axis < 0 else axis
        raise ValueError(f"{axis_name}={axis} out of bounds: expected {-ndims}<={axis_name}<{ndims}")
    if axis < 0:
        raise ValueError(f"{axis_name}={axis} may only be negative if {ndims_name} is statically known.")
    return axis


@export(_A + "convert_to_int_tensor")
def convert_to_int_tensor(tensor: Any, name: str, dtype: Any = int32) -> Tensor:
    """An integer tensor as one of another dtype.

    Raises:
      TypeError: if it has no integers.
    """
    given = convert(tensor)
    if not given.dtype.is_integer:
        raise TypeError(f"Argument `tensor` (name: {name}) must be of type integer. Received `tensor` = {given}.")
    return cast(given, dtype)


@export(_O + "shape_util.shape_tensor", _O + "linalg.linear_operator_util.shape_tensor")
def shape_tensor(shape: Any, name: str | None = None) -> Tensor:
    """Sizes as a vector of integers; int32 where nothing says otherwise."""
    if isinstance(shape, tuple | list) and all(isinstance(n, int | np.integer) for n in shape):
        return convert(list(shape), int32)
    return convert(shape, int32 if isinstance(shape, tuple | list) and not shape else None)


@export(_F + "errors_impl._make_specific_exception")
def make_specific_exception(node_def: Any, op: Any, message: Any, error_code: int) -> OpError:
    """An error of the class that has a code; `tf.errors.UnknownError` for a code that no class has."""
    try:
        return exception_type_from_error_code(error_code)(node_def, op, message)
    except KeyError:
        return UnknownError(node_def, op, message)


@export(_A + "batch_gather_nd")
def batch_gather_nd(
    params: Any, indices: Any, batch_dims: int, name: str | None = None, bad_indices_policy: str = ""
) -> Tensor:
    """`tf.gather_nd` with batch dimensions."""
    return gather_nd(params, indices, batch_dims, bad_indices_policy=bad_indices_policy)


@export(_O + "confusion_matrix.remove_squeezable_dimensions")
def remove_squeezable_dimensions(
    labels: Any, predictions: Any, expected_rank_diff: int = 0, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Labels and predictions, the one of which that has a dimension too many without its last one, if that is 1."""
    labels, predictions = convert(labels), convert(predictions)
    if labels.shape.rank is None or predictions.shape.rank is None:
        return labels, predictions
    more = predictions.shape.rank - labels.shape.rank - expected_rank_diff
    if more == 1 and predictions.shape.dims[-1].is_compatible_with(1):
        predictions = squeeze(predictions, [-1])
    elif more == -1 and labels.shape.dims[-1].is_compatible_with(1):
        labels = squeeze(labels, [-1])
    return labels, predictions
