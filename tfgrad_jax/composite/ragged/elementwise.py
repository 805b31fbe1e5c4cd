"""Functions that act element by element: on the values of ragged tensors, whose rows stay."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfgrad_jax.composite.answers import answers, elementwise_answers
from tfgrad_jax.composite.checks import require
from tfgrad_jax.composite.elementwise import ASSERTIONS, BINARY, UNARY
from tfgrad_jax.composite.ragged.broadcasting import fitted
from tfgrad_jax.composite.ragged.rows import ragged_or_tensor, rank_of, same_splits_dtype
from tfgrad_jax.composite.ragged.tensor import RaggedTensor
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import nest
from tfgrad_jax.engine.values.dtypes import bool_
from tfgrad_jax.ops.array.gather import boolean_mask, where
from tfgrad_jax.ops.common import operand
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.math.math import add_n
from tfgrad_jax.ops.strings import basic as strings


@elementwise_answers(RaggedTensor, (*UNARY, "bitcast"), BINARY)
def elementwise(function: Callable[..., Any], *operands: Any) -> Any:
    """A function of one or two operands, at least one of them ragged."""
    if len(operands) == 1:
        return operands[0].with_flat_values(function(operands[0].flat_values))
    x, y = operands
    if x is None or y is None:
        raise ValueError("Attempt to convert a value (None) with an unsupported type (<class 'NoneType'>) to a Tensor.")
    x = ragged_or_tensor(x, None if isinstance(x, RaggedTensor) else y.dtype)
    y = ragged_or_tensor(y, None if isinstance(y, RaggedTensor) else x.dtype)
    for ragged, other, swapped in ((x, y, False), (y, x, True)):
        if not isinstance(other, RaggedTensor) and rank_of(other) < rank_of(ragged.flat_values):
            # It broadcasts against the values alone.
            values = function(other, ragged.flat_values) if swapped else function(ragged.flat_values, other)
            return ragged.with_flat_values(values)
    one, another, divided = fitted(x, y)
    return divided(function(one, another))


@elementwise_answers(RaggedTensor, (), ASSERTIONS)
def _asserted(function: Callable[..., Any], x: Any, y: Any) -> Any:
    if isinstance(x, RaggedTensor) and isinstance(y, RaggedTensor):
        one, other, _ = fitted(x, y)
        return function(one, other)
    return function(*[v.flat_values if isinstance(v, RaggedTensor) else v for v in (x, y)])


@answers(RaggedTensor, "add_n")
def _add_n(inputs: Any, name: Any = None) -> Any:
    return map_flat_values(lambda *values: add_n(list(values)), *inputs)


@answers(RaggedTensor, "strings.join")
def _join(inputs: Any, separator: str = "", name: Any = None) -> Any:
    """Strings, one after the other; scalars go with every place."""

    def joined(x: Any, y: Any) -> Any:
        return strings.join([x, y], separator)

    result, *others = inputs
    for value in others:
        ragged = isinstance(result, RaggedTensor) or isinstance(value, RaggedTensor)
        result = elementwise(joined, result, value) if ragged else joined(result, value)
    return result


def _alike(x: Any, y: Any) -> tuple[Any, Any]:
    """Two operands with the same rows; one that broadcasts against values alone stays as it is."""
    if not isinstance(x, RaggedTensor) and not isinstance(y, RaggedTensor):
        return x, y
    if any(rank_of(v) < rank_of(_flat(other)) for v, other in ((x, y), (y, x)) if not isinstance(v, RaggedTensor)):
        return x, y
    one, other, divided = fitted(x, y)
    return divided(one), divided(other)


def _flat(value: Any) -> Any:
    return value.flat_values if isinstance(value, RaggedTensor) else value


@answers(RaggedTensor, "where")
def _where(condition: Any, x: Any = None, y: Any = None, name: Any = None) -> Any:
    """Elements of `x` where the condition holds, of `y` where not; without them, the places where it holds."""
    condition = ragged_or_tensor(condition)
    if x is None and y is None:
        return _places(condition)
    if x is None or y is None:
        raise ValueError("tf.where: x and y must be either both None or both non-None")
    x, y = ragged_or_tensor(x), ragged_or_tensor(y)
    condition, x = _alike(condition, x)
    x, y = _alike(x, y)
    condition, x = _alike(condition, x)
    condition, y = _alike(condition, y)
    rows = next(v for v in (condition, x, y) if isinstance(v, RaggedTensor))
    return rows.with_flat_values(where(_flat(condition), _flat(x), _flat(y)))


def _places(condition: RaggedTensor) -> Any:
    sparse = condition.to_sparse()
    return boolean_mask(sparse.indices, cast(sparse.values, bool_))


@export("ragged.map_flat_values")
def map_flat_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """A function of the flat values, in the rows they came from. Mirrors `tf.ragged.map_flat_values`.

    Args:
      op: takes the arguments with the flat values in place of every ragged tensor.
      *args: for it; lists in them are searched for ragged tensors too.
      **kwargs: for it.

    Returns:
      A ragged tensor with the rows of those given; what `op` returns if there are none.

    Raises:
      InvalidArgumentError: if the rows of the ragged tensors differ.
      ValueError: if `op` returns more or fewer values than it got.
    """
    found = [v for v in nest.flatten((args, kwargs)) if isinstance(v, RaggedTensor)]
    if not found:
        return op(*args, **kwargs)
    first = same_splits_dtype(found)[0]
    for other in same_splits_dtype(found)[1:]:
        if other.ragged_rank != first.ragged_rank:
            raise ValueError("All ragged inputs must have the same ragged_rank.")
        for x, y in zip(first.nested_row_splits, other.nested_row_splits, strict=True):
            if x is not y:
                says = "map_flat_values: partitions have incompatible row_splits"
                require(says, lambda x, y: x == y if x.shape == y.shape else False, x, y)
    plain = nest.map_structure(lambda v: v.flat_values if isinstance(v, RaggedTensor) else v, (args, kwargs))
    values = operand(op(*plain[0], **plain[1]))
    expected = first.flat_values.shape[:1]
    if values.shape.rank == 0 or not values.shape[:1].is_compatible_with(expected):
        raise ValueError(
            f"tf.ragged.map_flat_values requires that the output of `op` have the same outer-dimension size as flat_values of "
            f"any ragged inputs. (output shape: {values.shape}; expected outer dimension size: {expected[0]})"
        )
    return first.with_flat_values(values)
