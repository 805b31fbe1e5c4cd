"""`tf.map_fn` where rows are ragged, or what the function returns differs in size."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfgrad_jax.composite.answers import answers
from tfgrad_jax.composite.ragged.partition import known, splits_of_lengths
from tfgrad_jax.composite.ragged.rows import count_rows, join_rows, ragged_or_tensor, same_splits_dtype
from tfgrad_jax.composite.ragged.tensor import RaggedTensor, RaggedTensorSpec
from tfgrad_jax.engine.hooks import converted_inside
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.values import nest
from tfgrad_jax.engine.values.dtypes import as_dtype
from tfgrad_jax.engine.values.specs import TensorSpec
from tfgrad_jax.ops.array import array
from tfgrad_jax.ops.array.creation import zeros
from tfgrad_jax.ops.control import functional


@answers(RaggedTensorSpec, "map_fn")
@answers(RaggedTensor, "map_fn")
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
      ValueError: if rows differ in number, or `fn` returns another structure.
      InvalidArgumentError: if `fn` returns something of another type.
      NotImplementedError: in a graph that leaves the number of rows open, if rows or results are ragged.
    """
    values = nest.map_structure(ragged_or_tensor, elems)
    function = converted_inside(fn) if converted_inside.filled else fn
    signature = fn_output_signature if fn_output_signature is not None else dtype
    if signature is None:
        signature = nest.map_structure(_row_type, values)
    counts: set[Any] = {v.shape[0] if v.shape[0] is not None else _count(v) for v in nest.flatten(values)}
    if None in counts:
        return _padded(function, values, signature)
    if len(counts) != 1:
        raise ValueError(f"tf.map_fn: elems differ in length: {sorted(counts)}")
    results = []
    for i in range(counts.pop()):
        result = function(nest.map_structure(lambda v, i=i: v[i], values))
        nest.assert_same_structure(signature, result)
        results.append(nest.flatten(result))
    kinds = nest.flatten(signature)
    stacked = [_stacked(kind, [row[at] for row in results]) for at, kind in enumerate(kinds)]
    return nest.pack_sequence_as(signature, stacked)


def _count(value: Any) -> int | None:
    count = known(count_rows(value))
    return None if count is None else int(count)


def _padded(function: Callable[..., Any], values: Any, signature: Any) -> Any:
    """The same in a graph that leaves the number of rows open: a loop over rows that are filled up, of which each is cut again."""
    flat = nest.flatten(values)
    deep = any(isinstance(v, RaggedTensor) and v.ragged_rank > 1 for v in flat)
    if deep or any(isinstance(kind, RaggedTensorSpec) for kind in nest.flatten(signature)):
        raise NotImplementedError(
            "tf.map_fn: in a function that leaves the number of rows open, rows and results must be tensors; give the number in "
            "input_signature, or map eagerly"
        )

    pairs = [(v.to_tensor(), v.row_lengths()) if isinstance(v, RaggedTensor) else (v, None) for v in flat]
    tensors = [t for pair in pairs for t in pair if t is not None]

    def taken(given: Any) -> Any:
        rest = iter(given)
        rows = [next(rest) if length is None else next(rest)[: next(rest)] for _, length in pairs]
        return function(nest.pack_sequence_as(values, rows))

    return functional.map_fn(taken, tensors, fn_output_signature=signature)


def _row_type(value: Any) -> Any:
    """The type of one row."""
    if not isinstance(value, RaggedTensor):
        return value.dtype
    return RaggedTensorSpec(value.shape[1:], value.dtype, value.ragged_rank - 1, value.row_splits.dtype)


def _stacked(kind: Any, rows: list[Any]) -> Any:
    if not isinstance(kind, RaggedTensorSpec):
        wanted = kind.dtype if isinstance(kind, TensorSpec) else as_dtype(kind)
        shape = kind.shape.as_list() if isinstance(kind, TensorSpec) and kind.shape.rank is not None else []
        tensors = [ragged_or_tensor(row) for row in rows]
        if any(t.dtype is not wanted for t in tensors):
            raise invalid_argument(f"tf.map_fn: fn returned {tensors[0].dtype.name}, expected {wanted.name}", "Map")
        return array.stack(tensors) if rows else zeros([0, *shape], wanted)
    values = [ragged_or_tensor(row) for row in rows]
    for value in values:
        if not kind.is_compatible_with(value):
            raise invalid_argument(f"tf.map_fn: fn returned {value}, where fn_output_signature has {kind}", "Map")
    if values:
        counts = array.stack([count_rows(v, kind.row_splits_dtype) for v in values])
        return RaggedTensor(join_rows(same_splits_dtype(values)), splits_of_lengths(counts), internal=True)
    inner = kind.shape[kind.ragged_rank :].as_list()
    none: Any = zeros([0, *[n or 0 for n in inner[1:]]], kind.dtype)
    for _ in range(kind.ragged_rank + 1):
        none = RaggedTensor(none, zeros([1], kind.row_splits_dtype), internal=True)
    return none
