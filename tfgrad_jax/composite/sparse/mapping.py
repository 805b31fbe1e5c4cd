"""`tf.map_fn` where elements or results are sparse: as dense tensors, and beside each which places are taken."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tfgrad_jax.composite.answers import answers
from tfgrad_jax.composite.sparse.dense import to_dense
from tfgrad_jax.composite.sparse_tensor import SparseTensor, SparseTensorSpec
from tfgrad_jax.engine.hooks import converted_inside
from tfgrad_jax.engine.values import dtypes, nest
from tfgrad_jax.engine.values.specs import TensorSpec
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.ops.array.creation import ones
from tfgrad_jax.ops.array.gather import gather_nd, where
from tfgrad_jax.ops.array.sizes import shape
from tfgrad_jax.ops.common import operand
from tfgrad_jax.ops.control import functional


def _tensors(value: Any) -> list[Tensor]:
    """The tensors for a value."""
    if not isinstance(value, SparseTensor):
        return [operand(value)]
    taken = SparseTensor(value.indices, ones(shape(value.values), dtypes.bool_), value.dense_shape)
    return [to_dense(part, validate_indices=False) for part in (value, taken)]


def _value(is_sparse: bool, tensors: Iterator[Tensor]) -> Any:
    """The value that the next tensors stand for."""
    dense = next(tensors)
    if not is_sparse:
        return dense
    places = where(next(tensors))
    return SparseTensor(places, gather_nd(dense, places), shape(dense, out_type=dtypes.int64))


@answers(SparseTensorSpec, "map_fn")
@answers(SparseTensor, "map_fn")
def map_fn(
    fn: Callable[..., Any],
    elems: Any,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: Any = None,
    fn_output_signature: Any = None,
) -> Any:
    """`fn` of each row, stacked.

    Raises:
      ValueError: if rows differ in number, or `fn` returns another structure or type.
    """
    function = converted_inside(fn) if converted_inside.filled else fn
    values = nest.map_structure(lambda v: v if isinstance(v, SparseTensor) else operand(v), elems)
    given = [isinstance(v, SparseTensor) for v in nest.flatten(values)]
    signature = fn_output_signature if fn_output_signature is not None else dtype
    if signature is None:
        signature = nest.map_structure(_row_type, values)
    kinds = nest.flatten(signature)
    wanted = [isinstance(kind, SparseTensorSpec) for kind in kinds]

    def row(tensors: Any) -> list[Tensor]:
        rest = iter(tensors)
        result = function(nest.pack_sequence_as(values, [_value(is_sparse, rest) for is_sparse in given]))
        nest.assert_same_structure(signature, result)
        for kind, one in zip(kinds, nest.flatten(result), strict=True):
            if isinstance(kind, SparseTensorSpec) and not kind.is_compatible_with(one):
                raise ValueError(f"tf.map_fn: fn returned {one}, where fn_output_signature has {kind}")
        return [tensor for one in nest.flatten(result) for tensor in _tensors(one)]

    types = [
        part
        for kind, is_sparse in zip(kinds, wanted, strict=True)
        for part in ([TensorSpec(kind.shape, d) for d in (kind.dtype, dtypes.bool_)] if is_sparse else [kind])
    ]
    flat = [tensor for value in nest.flatten(values) for tensor in _tensors(value)]
    rows = iter(functional.map_fn(row, flat, fn_output_signature=types))
    return nest.pack_sequence_as(signature, [_value(is_sparse, rows) for is_sparse in wanted])


def _row_type(value: Any) -> Any:
    return SparseTensorSpec(value.shape[1:], value.dtype) if isinstance(value, SparseTensor) else value.dtype
