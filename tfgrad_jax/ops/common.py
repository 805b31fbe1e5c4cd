"""Helpers shared by families of operations: reading sizes, axes, indices and operands."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from tfgrad_jax.engine.declare.roles import Attribute, static
from tfgrad_jax.engine.graph.graph import SHAPE, SIZE
from tfgrad_jax.engine.graph.samples import UNSIZED
from tfgrad_jax.engine.messages.errors import InvalidArgumentError, invalid_argument
from tfgrad_jax.engine.run.execute import execute, misfit, mistyped
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.composite import Composite, NotOneTensor
from tfgrad_jax.engine.values.convert import convert, convert_to_tensor
from tfgrad_jax.engine.values.dtypes import DType
from tfgrad_jax.engine.values.shapes import UNRANKED, TensorShape
from tfgrad_jax.engine.values.symbolic import SymbolicTensor
from tfgrad_jax.engine.values.symbols import is_size
from tfgrad_jax.engine.values.tensor import EagerTensor, Spec, Tensor


def xp(*values: Any) -> Any:
    """NumPy for host values (strings, shapes), `jax.numpy` otherwise: kernels that only move elements serve both."""
    return np if all(type(v) is np.ndarray for v in values) else jnp


def wide(x: Any) -> Any:
    """An array for what is rounded once: float32 if it has 16-bit floats, as it is otherwise."""
    return x.astype(jnp.float32) if x.dtype in (jnp.float16, jnp.bfloat16) else x


def tensor_like(value: Any) -> Any:
    """A tensor or variable as it is, anything else converted: for looking at shapes without reading the variable."""
    return value if isinstance(value, (Tensor, Variable)) else convert(value)


def operand(value: Any, hint: DType | None = None) -> Tensor:
    """The value as an operand, of the dtype `hint` if it has none of its own: tapes keep knowing a variable as itself."""
    return value.as_operand() if hasattr(value, "as_operand") else convert_to_tensor(value, dtype_hint=hint)


def sizes_of(tensor: Any) -> tuple[Any, ...]:
    """The sizes of a tensor; those that a graph leaves open are symbolic integers."""
    if None not in tensor.spec.shape:
        return tensor.spec.shape
    vector = execute(SHAPE[dtypes.int32], (operand(tensor),))
    return tuple([vector[i] if n is None else n for i, n in enumerate(tensor.spec.shape)])


def rows_of(tensor: Any) -> Any:
    """The size of the first dimension, 0 for a scalar; a symbolic integer if a graph leaves it open."""
    if tensor.spec.shape is UNRANKED:
        return execute(SHAPE[dtypes.int32], (operand(tensor),))[0]
    return sizes_of(tensor)[0] if tensor.ndim else 0


def count_of(tensor: Any) -> Any:
    """The number of elements of a tensor; a symbolic integer if a graph leaves it open."""
    if tensor.spec.shape is UNRANKED:
        return execute(SIZE[dtypes.int32], (operand(tensor),))
    return math.prod(sizes_of(tensor))


def _is_floating_scalar(value: Any) -> bool:
    """Whether it is a scalar tensor of floats, or what became of one when the graph runs."""
    if isinstance(value, np.ndarray):
        return value.ndim == 0 and value.dtype.kind == "f"
    return isinstance(value, EagerTensor) and value.dtype.is_floating and value.shape.rank == 0


def shape_of_first(attributes: Any, shape: Any, *others: Any) -> Any:
    """Says that a result has the shape of the first operand, whatever the attributes are: a rule of `open_shape`."""
    return shape


def integers(value: Any, scalar: bool, argument: str = "", op: str | None = None) -> tuple[int, ...]:
    """A vector of integers given as a tensor, `TensorShape`, array or list.

    Args:
      value: what the user passed.
      scalar: whether one number stands for a vector of length 1.
      argument, op: what errors call the argument and the operation, where no role of an operation's does it.

    Raises:
      ValueError: if a size is None, or some are strings.
      InvalidArgumentError: if the values are no integers or no vector, as the kernels of TensorFlow report it.
    """
    if isinstance(value, (list, tuple)) and not any(isinstance(v, (float, np.floating)) for v in value):
        # TensorFlow makes integers of scalar tensors in lists without Python's floats, whatever the tensors' dtype is.
        value = [int(v) if _is_floating_scalar(v) else v for v in value]
    given, told = value, f"{argument}: " if argument else ""
    # What is no vector is not read: where all ranks are tried it has many elements.
    if isinstance(value, (np.ndarray, EagerTensor)) and len(value.shape) > 1:
        raise mistyped(
            f"{told}expected a 1-D list of integers (int32 or int64), got one of shape {list(value.shape)}", op
        )
    for n in value if isinstance(value, (list, tuple)) else ():
        if isinstance(n, (np.ndarray, EagerTensor)) and n.ndim:
            wrong = misfit if isinstance(n, Tensor) else mistyped
            raise wrong(f"{told}expected a 1-D list of integers (int32 or int64), got shape {list(n.shape)} in it", op)
    value = static(value)
    if scalar and is_size(value):
        return (value,)
    if not isinstance(value, tuple):
        if value is None:
            raise ValueError(
                "Attempt to convert a value (None) with an unsupported type (<class 'NoneType'>) to a Tensor."
            )
        if isinstance(value, Composite):  # a ragged shape, for which a function may have an answer
            raise NotOneTensor(f"expected a vector of integers, got {value!r}")
        raise _no_integer(
            value, f"{told}expected a vector of integers, got {value!r}; put it in a list, or cast it to tf.int32", op
        )
    if len({isinstance(n, (str, bytes)) for n in value}) > 1:
        raise ValueError("Can't convert Python sequence with mixed types to Tensor.")
    for n in value:
        if not is_size(n):
            if n is None:
                raise _open(given)
            raise _no_integer(n, f"{told}expected a 1-D list of integers (int32 or int64), got {value!r}", op)
    return value


def _open(shape: Any) -> ValueError:
    """The error for a shape that leaves sizes open, as `x.shape` does in a function."""
    if isinstance(shape, TensorShape):
        what = f"Cannot convert a partially known TensorShape {shape} to a Tensor."
    else:
        what = "Attempt to convert a value (None) with an unsupported type (<class 'NoneType'>) to a Tensor."
    return ValueError(f"{what} A size that x.shape leaves open is known when the function runs: tf.shape(x) has it.")


def _no_integer(value: Any, message: str, op: str | None) -> Exception:
    """The error for what stands where integers belong: a value that no tensor can be made of is another mistake eagerly."""
    known = isinstance(value, (str, bytes, int, float, complex, tuple, np.generic))
    return mistyped(message, op) if known or context.graph is not None else ValueError(message)


def integer_operand(value: Any, hint: DType) -> Any:
    """An argument as a tensor of integers, of any of their dtypes.

    Args:
      value: a tensor, or Python numbers, which become those of `hint`.
      hint: an integer dtype.

    Raises:
      TypeError: for fractions; tensors of them are an InvalidArgumentError eagerly.
    """
    wide = isinstance(value, int) and not hint.min <= value <= hint.max  # which `hint` would cut
    tensor = operand(value, None if wide else hint)
    if not tensor.dtype.is_integer:
        message = (
            f"Cannot convert {value!r} to EagerTensor of dtype {hint.name}: expected integers, got {tensor.dtype.name}"
        )
        raise mistyped(message) if isinstance(value, (Tensor, Variable)) else TypeError(message)
    return tensor


def number_of(value: Any, name: str, raw: str | None = None) -> int:
    """A size, a step or another single integer, given as a Python number or a tensor.

    Args:
      name: the argument's, for the error.
      raw: the raw operation that TensorFlow gives it to as a tensor, if it is that which finds several.

    Raises:
      TypeError: if it is no integer.
      ValueError: if it is None, or several.
      InvalidArgumentError: eagerly, if it is several and `raw` is given.
    """
    if value is None:
        raise ValueError(
            f"{name}: Attempt to convert a value (None) with an unsupported type (<class 'NoneType'>) to a Tensor."
        )
    number = static(value)
    if shape := np.shape(number):
        message = f"{name}: Shape {shape} must have rank 0"
        raise ValueError(message) if raw is None else misfit(message, raw)
    if isinstance(number, bool) or not is_size(number):
        raise TypeError(f"{name}: Cannot convert {number!r} to EagerTensor of dtype int32: it is an integer")
    return number


def sizes(value: Any) -> tuple[int, ...]:
    """The shape of a tensor to be made.

    Raises:
      TypeError: if a size is no integer.
      ValueError: if a size is None.
    """
    try:
        return integers(value, scalar=True)
    except (InvalidArgumentError, TypeError):
        shown = [n.spec if isinstance(n, Tensor) else n for n in value] if isinstance(value, (list, tuple)) else value
        raise TypeError(
            f"Cannot convert {shown!r} to EagerTensor of dtype int32: a shape is a list of integers"
        ) from None


def partly_known(value: Any) -> list[int | None] | None:
    """Sizes as a rule for open shapes takes them: None for an unknown one, and None if even their number is unknown."""
    if isinstance(value, TensorShape):
        value = value.as_list()
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [None if n is None or isinstance(n, Spec) else int(n) for n in value]
    if isinstance(value, Spec) or value is UNSIZED:
        return None
    return [None if value is None else int(value)]


def shape_of(value: Any) -> list[int | None]:
    """The shape of an argument as a rule for open shapes takes it: a spec, or a Python value."""
    return list(value.shape) if isinstance(value, Spec) else list(np.shape(value))


def _position(value: Any) -> int:
    value = static(value)
    while isinstance(value, tuple) and len(value) == 1:
        value = value[0]
    if value is None:
        raise ValueError("Attempt to convert a value (None) with an unsupported type (<class 'NoneType'>) to a Tensor.")
    if isinstance(value, tuple):
        raise misfit(f"'dim' must be a tensor with a single value, got {value}")
    if not is_size(value):
        raise TypeError(f"Cannot convert {value!r} to EagerTensor of dtype int32: an axis is an integer")
    return value


def _pairs(value: Any) -> tuple[Any, ...]:
    value = static(value)
    if not isinstance(value, tuple) or not all(isinstance(p, tuple) and len(p) == 2 for p in value):
        raise misfit(f"paddings must be a matrix with 2 columns, a row for each dimension: {value!r}")
    return tuple(integers(p, scalar=False) for p in value)


Sizes: Any = Attribute(lambda value: integers(value, scalar=True))
Vector: Any = Attribute(lambda value: integers(value, scalar=False))
Position: Any = Attribute(_position)
Pairs: Any = Attribute(_pairs)


def axis_in(axis: int, rank: int, op: str, when_run: bool = False) -> int:
    """The axis counted from the front.

    Args:
      axis: where it is, from either end.
      rank: how many there are.
      op: the raw operation, for messages.
      when_run: whether TensorFlow's graphs find a wrong one when they run.

    Raises:
      InvalidArgumentError: if there is no such axis; a ValueError in a graph that finds it before.
    """
    if not -rank <= axis < rank:
        message = f"axis {axis} is out of range: expected it in [{-rank}, {rank}) for a tensor of rank {rank}"
        raise invalid_argument(message, op, when_run) if when_run else misfit(message, op)
    return axis % rank


def differ(size: Any, wanted: Any) -> bool:
    """Whether two sizes are known to differ; symbols, by which an operation is followed, may stand for any."""
    return isinstance(size, int) and isinstance(wanted, int) and size != wanted


def listed(shape: Sequence[int | None]) -> str:
    """A shape as TensorFlow's kernels write it."""
    return str(list(shape)).replace(" ", "")


def one_of(dtype: DType, allowed: frozenset[DType], op: str) -> None:
    """Check a dtype given as an argument.

    Raises:
      InvalidArgumentError: if it is not among those allowed.
    """
    if dtype not in allowed:
        names = ", ".join(sorted(d.name for d in allowed))
        raise mistyped(f"Value for attr 'T' of {dtype.name} is not in the list of allowed values: {names}", op)


def in_sessions(tensor: Tensor, name: str | None) -> Tensor:
    """A known value as a constant of the graph, where that is one for sessions: it has a name there, and may be fed."""
    graph = context.graph
    if graph is None or not graph.on_demand or isinstance(tensor, SymbolicTensor):
        return tensor
    made: Tensor = graph.constant(tensor, name or "Const")
    return made


def rounded(product: Any) -> Any:
    """A product, which is rounded before something is added to it, as in TensorFlow: compiled, the two would be one operation."""
    if isinstance(product, (np.ndarray, np.generic)):
        return product
    return jnp.where(product == product, product, jnp.nan)  # nobody knows that this is the product whatever it is
