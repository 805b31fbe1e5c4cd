"""`tf.compat.v1`'s functions that are not those of today under other arguments."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from tfgrad_jax.composite.sparse.dense import to_dense
from tfgrad_jax.composite.sparse.shaping import reorder
from tfgrad_jax.composite.sparse_tensor import SparseTensor
from tfgrad_jax.engine.composite.indexed_slices import IndexedSlices
from tfgrad_jax.engine.names.export import export, export_value
from tfgrad_jax.engine.names.scopes import name_scope
from tfgrad_jax.engine.run.eager import executing_eagerly
from tfgrad_jax.engine.values import dtypes, nest
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import as_dtype
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.ops.array.array import concat
from tfgrad_jax.ops.array.creation import identity
from tfgrad_jax.ops.array.gather import gather, where
from tfgrad_jax.ops.array.shape import broadcast_to, expand_dims, reshape
from tfgrad_jax.ops.array.sizes import size
from tfgrad_jax.ops.common import sizes_of
from tfgrad_jax.ops.control.control_flow import control_dependencies
from tfgrad_jax.ops.host.host_calls import numpy_function
from tfgrad_jax.ops.host.printing import print_
from tfgrad_jax.ops.linalg.matmul import matmul
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.math.compare import equal, logical_not
from tfgrad_jax.ops.math.math import divide, floordiv
from tfgrad_jax.ops.math.power import sqrt, square
from tfgrad_jax.ops.math.reduce import reduce_any, reduce_sum
from tfgrad_jax.ops.math.rounding import minimum
from tfgrad_jax.ops.nn.nn import relu
from tfgrad_jax.ops.random.seeds import categorical


def _cast_to(name: str, dtype: Any) -> None:
    def to(x: Any, name: str | None = None) -> Any:
        return cast(x, dtype)

    to.__name__ = to.__qualname__ = name
    to.__doc__ = f"`tf.cast` to {dtype.name}. Mirrors `tf.compat.v1.{name}`."
    export_value(to, f"compat.v1.{name}")


_cast_to("to_float", dtypes.float32)
_cast_to("to_double", dtypes.float64)
_cast_to("to_bfloat16", dtypes.bfloat16)
_cast_to("to_int32", dtypes.int32)
_cast_to("to_int64", dtypes.int64)
_cast_to("to_complex64", dtypes.complex64)
_cast_to("to_complex128", dtypes.complex128)


@export("compat.v1.div")
def div(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Division as in Python 2: integers are divided towards minus infinity. Mirrors `tf.compat.v1.div`."""
    quotient = divide if convert(x).dtype.is_floating or convert(y).dtype.is_floating else floordiv
    return quotient(x, y)


@export("compat.v1.clip_by_average_norm")
def clip_by_average_norm(t: Any, clip_norm: Any, name: str | None = None) -> Tensor:
    """The tensor, scaled so that its norm by its number of elements is at most `clip_norm`. `tf.compat.v1.clip_by_average_norm`."""
    t = convert(t)
    count = cast(size(t), dtypes.float32)
    inverse = 1.0 / sqrt(reduce_sum(square(t)))
    return t * clip_norm * minimum(inverse * count, 1.0 / clip_norm * 1.0)


@export("compat.v1.nn.xw_plus_b")
def xw_plus_b(x: Any, weights: Any, biases: Any, name: str | None = None) -> Tensor:
    """`matmul(x, weights) + biases`. Mirrors `tf.compat.v1.nn.xw_plus_b`."""
    return matmul(x, weights) + biases


@export("compat.v1.nn.relu_layer")
def relu_layer(x: Any, weights: Any, biases: Any, name: str | None = None) -> Tensor:
    """`relu(matmul(x, weights) + biases)`. Mirrors `tf.compat.v1.nn.relu_layer`."""
    return relu(xw_plus_b(x, weights, biases))


@export("compat.v1.multinomial", "compat.v1.random.multinomial")
def multinomial(
    logits: Any, num_samples: Any, seed: Any = None, name: str | None = None, output_dtype: Any = None
) -> Tensor:
    """`tf.random.categorical`. Mirrors `tf.compat.v1.multinomial`."""
    return categorical(logits, num_samples, output_dtype, seed)


@export("compat.v1.py_func")
def py_func(func: Callable[..., Any], inp: Any, Tout: Any, stateful: bool = True, name: str | None = None) -> Any:
    """A Python function of arrays as an operation. Mirrors `tf.compat.v1.py_func`.

    Args:
      func: takes and returns NumPy arrays.
      inp: its arguments.
      Tout: the dtype of the result, or a list of those; eagerly results keep their own.
      stateful: whether it may give different results for the same arguments.
      name: accepted for compatibility.

    Returns:
      A tensor; several in a list.
    """
    if not executing_eagerly():
        return numpy_function(func, inp, Tout, stateful)
    result = nest.flatten(func(*[np.array(x) for x in inp]))
    found = [x if x is None else convert(x) for x in result]
    return found[0] if len(found) == 1 else found


@export("compat.v1.Print")
def print_tensor(
    input_: Any, data: Any, message: str | None = None, first_n: int | None = None, summarize: int | None = None,
    name: str | None = None,
) -> Any:  # fmt: skip
    """The tensor, and its neighbours in `data` on the standard error. Mirrors `tf.compat.v1.Print`.

    Args:
      input_: the tensor that is returned.
      data: what is printed, each in brackets.
      message: goes before.
      first_n: must be None: count calls in Python, or use `tf.print`.
      summarize: how many elements of each are shown; three where None.
    """
    if first_n is not None:
        raise NotImplementedError("tf.compat.v1.Print: first_n; use tf.print under a condition")
    shown: list[Any] = [message] if message else []
    for value in map(convert, data):
        shown += ["[", value, "]"] if value.shape.rank == 0 else [reshape(value, [-1])[: summarize or 3]]
    printed = print_(*shown, sep="", summarize=-1)
    with control_dependencies([] if printed is None else [printed]):
        return identity(input_)


@export("compat.v1.sparse_to_dense")
def sparse_to_dense(
    sparse_indices: Any, output_shape: Any, sparse_values: Any, default_value: Any = 0, validate_indices: bool = True,
    name: str | None = None,
) -> Tensor:  # fmt: skip
    """Values at places, and a default elsewhere. Mirrors `tf.compat.v1.sparse_to_dense`.

    Args:
      sparse_indices: a place, a vector of places along one axis, or a matrix with a place in each row.
      output_shape: the shape.
      sparse_values: a value for each place, or one for all.
      default_value: what is elsewhere.
      validate_indices: whether places that are out of order, out of range or there twice are refused.
    """
    values = convert(sparse_values)
    indices = cast(convert(sparse_indices), dtypes.int64)
    if indices.shape.rank in (0, 1):
        indices = reshape(indices, [-1, 1])
    if values.shape.rank == 0:
        values = broadcast_to(values, sizes_of(indices)[:1])
    default = (
        "" if values.dtype is dtypes.string and type(default_value) is int and default_value == 0 else default_value
    )
    return to_dense(SparseTensor(indices, values, cast(convert(output_shape), dtypes.int64)), default, validate_indices)


@export("compat.v1.convert_to_tensor_or_sparse_tensor")
def convert_to_tensor_or_sparse_tensor(value: Any, dtype: Any = None, name: str | None = None) -> Any:
    """A sparse tensor as it is, anything else as a tensor. Mirrors `tf.compat.v1.convert_to_tensor_or_sparse_tensor`.

    Raises:
      RuntimeError: if it is a sparse tensor of another dtype.
    """
    if isinstance(value, SparseTensor):
        if dtype is not None and as_dtype(dtype) != value.dtype:
            raise RuntimeError(f"Sparse dtype mismatch. Requested: {as_dtype(dtype).name},  Actual: {value.dtype.name}")
        return value
    return convert(value, None if dtype is None else as_dtype(dtype))


@export("compat.v1.convert_to_tensor_or_indexed_slices")
def convert_to_tensor_or_indexed_slices(value: Any, dtype: Any = None, name: str | None = None) -> Any:
    """`tf.IndexedSlices` as they are, anything else as a tensor. Mirrors TensorFlow's function of that name."""
    return value if isinstance(value, IndexedSlices) else convert(value, None if dtype is None else as_dtype(dtype))


@export("compat.v1.op_scope")
@contextlib.contextmanager
def op_scope(values: Any, name: Any, default_name: Any = None) -> Iterator[str]:
    """`tf.name_scope` with its arguments in another order. Mirrors `tf.compat.v1.op_scope`."""
    with name_scope(default_name if name is None else name) as scope:
        yield scope


@export("compat.v1.container")
@contextlib.contextmanager
def container(container_name: str) -> Iterator[str]:
    """A context without effect: resources belong to their Python objects. Mirrors `tf.compat.v1.container`."""
    yield container_name


class ListDiff(NamedTuple):
    """What `setdiff1d` returns: the values, and their places."""

    out: Tensor
    idx: Tensor


@export("compat.v1.setdiff1d")
def setdiff1d(x: Any, y: Any, index_dtype: Any = dtypes.int32, name: str | None = None) -> ListDiff:
    """The values of `x` that are not in `y`, and where they are. Mirrors `tf.compat.v1.setdiff1d`.

    Args:
      x, y: vectors of one dtype.
      index_dtype: of the places.
      name: accepted for compatibility.
    """
    x = convert(x)
    found = reduce_any(equal(expand_dims(x, 1), expand_dims(convert(y, x.dtype), 0)), axis=1)
    places = reshape(where(logical_not(found)), [-1])
    return ListDiff(gather(x, places), cast(places, index_dtype))


@export("compat.v1.sparse_merge", "compat.v1.sparse.merge")
def sparse_merge(
    sp_ids: Any, sp_values: Any, vocab_size: Any, name: str | None = None, already_sorted: bool = False
) -> SparseTensor:
    """Values at the places that ids name in the last dimension. Mirrors `tf.compat.v1.sparse_merge`.

    Args:
      sp_ids: a sparse tensor of ids, or a list of such, one for each new dimension.
      sp_values: a sparse tensor of the same places.
      vocab_size: the size of the new dimension, or a list of sizes.
      name: accepted for compatibility.
      already_sorted: whether the places are in order as they are.

    Raises:
      ValueError: if there are not as many sizes as ids.
    """
    several = isinstance(sp_ids, (list, tuple))
    ids, vocabularies = (list(sp_ids), list(vocab_size)) if several else ([sp_ids], [vocab_size])
    if len(ids) != len(vocabularies):
        raise ValueError(f"sp_ids and vocab_size have to have equal lengths, got {len(ids)} and {len(vocabularies)}")
    columns = [expand_dims(cast(one.values, dtypes.int64), 1) for one in ids]
    before: Any = ids[0].indices
    added = [cast(convert(size), dtypes.int64) for size in vocabularies]
    shape: Any = ids[0].dense_shape
    merged = SparseTensor(
        concat([before[:, :-1], *columns], 1), sp_values.values, concat([shape[:-1], convert(added)], 0)
    )
    return merged if already_sorted else reorder(merged)
