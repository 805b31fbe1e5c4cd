"""`tf.map_fn` where rows are ragged, or what the function returns differs in size."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfgrad_jax.composite.answers import answers
from tfgrad_jax.composite.ragged.partition import known, sizes_in, splits_of_lengths
from tfgrad_jax.composite.ragged.rows import count_rows, join_rows, ragged_or_tensor, same_splits_dtype
from tfgrad_jax.composite.ragged.tensor import RaggedTensor, RaggedTensorSpec
from tfgrad_jax.engine.hooks import converted_inside
from tfgrad_jax.engine.run.execute import misfit
from tfgrad_jax.engine.values import dtypes, nest
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import DType, as_dtype
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.specs import TensorSpec
from tfgrad_jax.ops.array import array
from tfgrad_jax.ops.array.creation import zeros
from tfgrad_jax.ops.array.sequences import range as range_of
from tfgrad_jax.ops.array.shape import reshape
from tfgrad_jax.ops.control import functional
from tfgrad_jax.ops.control.control_flow import while_loop
from tfgrad_jax.ops.host.debugging import assert_equal
from tfgrad_jax.ops.math.cast import cast


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
      ValueError: if rows differ in number, or `fn` returns another structure, or something ragged of another type.
      InvalidArgumentError: if `fn` returns tensors of another dtype.
    """
    values = nest.map_structure(ragged_or_tensor, elems)
    function = converted_inside(fn) if converted_inside.filled else fn
    signature = fn_output_signature if fn_output_signature is not None else dtype
    types = nest.map_structure(_row_type, values) if signature is None else signature
    counts: set[Any] = {v.shape[0] if v.shape[0] is not None else _count(v) for v in nest.flatten(values)}
    if None in counts:
        return _open(function, values, types)
    if len(counts) != 1:
        raise ValueError(f"tf.map_fn: elems differ in length: {sorted(counts)}")
    results = []
    for i in range(counts.pop()):
        result = function(nest.map_structure(lambda v, i=i: v[i], values))
        nest.assert_same_structure(types, result)
        results.append(nest.flatten(result))
    kinds = nest.flatten(types)
    if signature is None:  # what is left open may have another rank, too
        kinds = [_of_any_rank(kind) for kind in kinds]
    stacked = [_stacked(kind, [row[at] for row in results]) for at, kind in enumerate(kinds)]
    return nest.pack_sequence_as(types, stacked)


def _count(value: Any) -> int | None:
    count = known(count_rows(value))
    return None if count is None else int(count)


def _open(function: Callable[..., Any], values: Any, signature: Any) -> Any:
    """The same in a graph that leaves the number of rows open."""
    flat, kinds = nest.flatten(values), nest.flatten(signature)
    if any(isinstance(kind, RaggedTensorSpec) for kind in kinds):
        return _collected(function, values, signature)
    if any(isinstance(v, RaggedTensor) and v.ragged_rank > 1 for v in flat):
        places = range_of(count_rows(flat[0]))
        return functional.map_fn(lambda i: function(_row(values, i)), places, fn_output_signature=signature)
    return _padded(function, values, signature)


def _row(values: Any, place: Any) -> Any:
    return nest.map_structure(lambda value: value[place], values)


def _padded(function: Callable[..., Any], values: Any, signature: Any) -> Any:
    """Results that are tensors: a loop over rows that are filled up, of which each is cut again, is one compiled program."""
    flat = nest.flatten(values)
    pairs = [(v.to_tensor(), v.row_lengths()) if isinstance(v, RaggedTensor) else (v, None) for v in flat]
    tensors = [t for pair in pairs for t in pair if t is not None]

    def taken(given: Any) -> Any:
        rest = iter(given)
        rows = [next(rest) if length is None else next(rest)[: next(rest)] for _, length in pairs]
        return function(nest.pack_sequence_as(values, rows))

    return functional.map_fn(taken, tensors, fn_output_signature=signature)


def _collected(function: Callable[..., Any], values: Any, signature: Any) -> Any:
    """Results of which some are ragged: a loop that puts each row behind those before it."""
    kinds = nest.flatten(signature)
    count = count_rows(nest.flatten(values)[0])
    parts = [_Ragged(kind) if isinstance(kind, RaggedTensorSpec) else _Dense(kind) for kind in kinds]

    def body(place: Any, collected: Any) -> Any:
        result = function(_row(values, place))
        nest.assert_same_structure(signature, result)
        rows = nest.flatten(result)
        return place + 1, [part.with_row(c, row) for part, c, row in zip(parts, collected, rows, strict=True)]

    _, collected = while_loop(
        lambda place, _: place < count,
        body,
        (zeros([], count.dtype), [part.none for part in parts]),
        shape_invariants=(TensorShape([]), [part.kind for part in parts]),
    )
    stacked = [part.stacked(c, count) for part, c in zip(parts, collected, strict=True)]
    return nest.pack_sequence_as(signature, stacked)


class _Ragged:
    """One result that is ragged, or differs in size from row to row."""

    def __init__(self, row: RaggedTensorSpec) -> None:
        self._row = row
        self.none = _stacked(row, [])
        self.kind = RaggedTensorSpec([None, *row.shape], row.dtype, row.ragged_rank + 1, row.row_splits_dtype)

    def with_row(self, collected: Any, row: Any) -> Any:
        return join_rows([collected, _stacked(self._row, [row])])

    def stacked(self, collected: Any, count: Any) -> Any:
        return collected


class _Dense:
    """One result that is a tensor: the elements of all rows, and the sizes of all rows, which must be equal in the end."""

    def __init__(self, row: Any) -> None:
        self._row = row
        self._dtype = row.dtype if isinstance(row, TensorSpec) else as_dtype(row)
        self.none = (zeros([0], self._dtype), zeros([0], dtypes.int32))
        self.kind = (TensorShape([None]), TensorShape([None]))

    def with_row(self, collected: Any, row: Any) -> Any:
        row = _of_dtype(row, self._dtype)
        self._shape = row.shape  # what is known of it, as the loop is recorded
        elements, sizes = collected
        return array.concat([elements, reshape(row, [-1])], 0), array.concat([sizes, sizes_in(row)], 0)

    def stacked(self, collected: Any, count: Any) -> Any:
        elements, sizes = collected
        if self._shape.rank is None:
            raise ValueError("tf.map_fn: what fn returns must have a known rank; tf.ensure_shape says which")
        rows = reshape(sizes, [cast(count, dtypes.int32), self._shape.rank])
        no_row = convert([n or 0 for n in self._shape], dtypes.int32)
        size = array.concat([rows, no_row[None]], 0)[0]
        assert_equal(
            rows, size, "tf.map_fn: what fn returns differs in size; fn_output_signature=tf.RaggedTensorSpec takes that"
        )
        found = reshape(elements, array.concat([[cast(count, dtypes.int32)], size], 0))
        found.set_shape([None, *self._shape])
        return found


def _row_type(value: Any) -> Any:
    """The type of one row."""
    if not isinstance(value, RaggedTensor):
        return value.dtype
    return RaggedTensorSpec(value.shape[1:], value.dtype, value.ragged_rank - 1, value.row_splits.dtype)


def _of_any_rank(kind: Any) -> Any:
    if not isinstance(kind, RaggedTensorSpec):
        return kind
    return RaggedTensorSpec(None, kind.dtype, kind.ragged_rank, kind.row_splits_dtype)


def _of_dtype(row: Any, wanted: DType) -> Any:
    row = ragged_or_tensor(row)
    if row.dtype is not wanted:
        raise misfit(f"tf.map_fn: fn returned {row.dtype.name}, expected {wanted.name}", "Map")
    return row


def _stacked(kind: Any, rows: list[Any]) -> Any:
    if not isinstance(kind, RaggedTensorSpec):
        wanted = kind.dtype if isinstance(kind, TensorSpec) else as_dtype(kind)
        shape = kind.shape.as_list() if isinstance(kind, TensorSpec) and kind.shape.rank is not None else []
        return array.stack([_of_dtype(row, wanted) for row in rows]) if rows else zeros([0, *shape], wanted)
    values = [ragged_or_tensor(row) for row in rows]
    for value in values:
        if not kind.is_compatible_with(value):
            raise ValueError(f"tf.map_fn: fn returned {value}, where fn_output_signature has {kind}")
    if values:
        counts = array.stack([count_rows(v, kind.row_splits_dtype) for v in values])
        return RaggedTensor(join_rows(same_splits_dtype(values)), splits_of_lengths(counts), internal=True)
    inner = [] if kind.shape.rank is None else kind.shape[kind.ragged_rank :].as_list()
    none: Any = zeros([0, *[n or 0 for n in inner[1:]]], kind.dtype)
    for _ in range(kind.ragged_rank + 1):
        none = RaggedTensor(none, zeros([1], kind.row_splits_dtype), internal=True)
    return none
