"""`linear_operator_util` and `property_hint_util`: arguments, hints and checks of linear operators, whose tests call them."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.engine.names.export import export, export_value
from tfgrad_jax.engine.values.convert import convert, convert_to_tensor
from tfgrad_jax.engine.values.dtypes import as_dtype
from tfgrad_jax.engine.values.nest import is_nested
from tfgrad_jax.lib.linear_operators.parts import is_reference, shape_of, with_one_batch
from tfgrad_jax.ops.array.array import concat, split
from tfgrad_jax.ops.array.shape import broadcast_dynamic_shape, broadcast_to
from tfgrad_jax.ops.host.debugging import assert_equal, assert_less
from tfgrad_jax.ops.linalg.matrices import solve
from tfgrad_jax.ops.math.complex import imag
from tfgrad_jax.ops.math.rounding import abs as absolute

_U, _P = "python.ops.linalg.linear_operator_util.", "python.ops.linalg.property_hint_util."

export_value(is_reference, _U + "is_ref")


# -- arguments --------------------------------------------------------------------------------------------------------


@export(_U + "convert_nonref_to_tensor")
def convert_nonref_to_tensor(value: Any, dtype: Any = None, dtype_hint: Any = None, name: str | None = None) -> Any:
    """A tensor of a value; a variable, or a module that stands for a tensor, stays what it is.

    Raises:
      TypeError: if that has another dtype than is asked for.
    """
    if value is None or not is_reference(value):
        return None if value is None else convert_to_tensor(value, dtype, dtype_hint)
    if dtype is not None and as_dtype(value.dtype) != as_dtype(dtype):
        raise TypeError(
            f"Argument `value` must be of dtype `{dtype_name(dtype)}` Received: `{dtype_name(value.dtype)}`."
        )
    return value


@export(_U + "base_dtype")
def base_dtype(dtype: Any) -> Any:
    """The dtype: there are none of references."""
    return as_dtype(dtype)


@export(_U + "dtype_name")
def dtype_name(dtype: Any) -> str:
    """How a dtype is called."""
    return as_dtype(dtype).name


@export(_U + "check_dtype")
def check_dtype(arg: Any, dtype: Any) -> None:
    """Refuse a tensor of another dtype."""
    if arg.dtype != as_dtype(dtype):
        raise TypeError(f"Expected argument to have dtype {dtype}. Found: {arg.dtype} in tensor {arg}.")


@export(_U + "assert_not_ref_type")
def assert_not_ref_type(x: Any, arg_name: str) -> None:
    """Refuse a variable, or a module that stands for a tensor."""
    if is_reference(x):
        raise TypeError(f"Argument {arg_name} cannot be reference type. Found: {type(x)}.")


@export(_U + "assert_is_batch_matrix")
def assert_is_batch_matrix(tensor: Any) -> None:
    """Refuse a tensor that is known to have less than two dimensions."""
    if tensor.shape.rank is not None and tensor.shape.rank < 2:
        raise ValueError(f"Expected [batch] matrix to have at least two dimensions. Found: {tensor}.")


@export(_U + "arg_is_blockwise")
def arg_is_blockwise(block_dimensions: Any, arg: Any, arg_split_dim: int) -> bool:
    """Whether an argument is a list of one tensor for each block, by how it is nested and by the sizes of its parts.

    Raises:
      ValueError: if it could be either, or is neither.
    """
    if not isinstance(arg, (list, tuple)) or len(arg) != len(block_dimensions):
        return False
    if not any(map(is_nested, arg)):
        return True
    found = [convert(part).shape[arg_split_dim] for part in arg]
    expected = [getattr(size, "value", size) for size in block_dimensions]
    known = [size for size in expected if size is not None]
    if not known:
        if len(found) > 1 and len(set(found)) == 1:
            raise ValueError(
                "Parsing of the input structure is ambiguous. Please input a blockwise iterable of `Tensor`s or a "
                "single `Tensor`."
            )
        return len(found) > 1
    if all(size in (None, its) for size, its in zip(expected, found, strict=True)):
        return True
    if len(set(found)) == 1 and found[0] >= sum(known):
        return False
    raise ValueError("Input dimension does not match operator dimension.")


@export(_U + "split_arg_into_blocks")
def split_arg_into_blocks(block_dims: Any, block_dims_fn: Any, arg: Any, axis: int = -1) -> Any:
    """A tensor in pieces of the sizes of blocks: of the known ones, or of what a function returns."""
    sizes = [getattr(size, "value", size) for size in block_dims]
    return split(arg, block_dims_fn() if None in sizes else sizes, axis=axis)


# -- batches ----------------------------------------------------------------------------------------------------------


@export(_U + "broadcast_matrix_batch_dims")
def broadcast_batch(batch_matrices: Any, name: str | None = None) -> list[Any]:
    """Matrices, all with the batch dimensions that they have together.

    Raises:
      TypeError: if they are no list of tensors.
      ValueError: if one is no matrix.
    """
    if not isinstance(batch_matrices, (list, tuple)):
        raise TypeError(f"Expected argument to be iterable of `Tensor`s, got a {type(batch_matrices).__name__}")
    matrices = [convert(one) for one in batch_matrices]
    for one in matrices:
        assert_is_batch_matrix(one)
    if len({tuple(one.shape[:-2]) for one in matrices if one.shape.is_fully_defined()}) < 2 and all(
        one.shape.is_fully_defined() for one in matrices
    ):
        return matrices
    batch: Any = shape_of(matrices[0])[:-2]
    for one in matrices[1:]:
        batch = broadcast_dynamic_shape(batch, shape_of(one)[:-2])
    return [broadcast_to(one, concat([batch, shape_of(one)[-2:]], 0)) for one in matrices]


@export(_U + "matrix_solve_with_broadcast")
def solve_with_broadcast(matrix: Any, rhs: Any, adjoint: bool = False, name: str | None = None) -> Any:
    """The solution of systems of equations whose batch dimensions broadcast."""
    matrix = convert(matrix)
    return solve(*with_one_batch(matrix, convert(rhs, matrix.dtype)), adjoint=adjoint)


# -- checks of values -------------------------------------------------------------------------------------------------


@export(_U + "assert_no_entries_with_modulus_zero")
def assert_no_entries_with_modulus_zero(
    x: Any, message: str | None = None, name: str = "assert_no_entries_with_modulus_zero"
) -> Any:
    """Refuse zeros, real or complex."""
    size = absolute(convert(x))
    return assert_less(convert(0, size.dtype), size, message=message)


@export(_U + "assert_zero_imag_part")
def assert_zero_imag_part(x: Any, message: str | None = None, name: str = "assert_zero_imag_part") -> Any:
    """Refuse complex numbers that are not real."""
    x = convert(x)
    return None if x.dtype.is_floating else assert_equal(convert(0, x.dtype.real_dtype), imag(x), message=message)


@export(_U + "assert_compatible_matrix_dimensions")
def assert_compatible_matrix_dimensions(operator: Any, x: Any) -> Any:
    """Refuse an argument that has another number of rows than the operator has columns."""
    return assert_equal(
        shape_of(x)[-2],
        operator.domain_dimension_tensor(),
        message="Dimensions are not compatible.  shape[-2] of argument to be the same as this operator",
    )


# -- what is known of operators ---------------------------------------------------------------------------------------


@export(_U + "is_adjoint_pair")
def is_adjoint_pair(x: Any, y: Any) -> bool:
    """Whether two operators are each other's adjoints, which is told by what they are made of, not by values."""
    if x is y and x.is_self_adjoint is not None:
        return bool(x.is_self_adjoint)
    return x.H is y or y.H is x


@export(_U + "is_aat_form")
def is_aat_form(operators: Any) -> bool:
    """Whether operators are some and, in the other order, the adjoints of the same.

    Raises:
      ValueError: if there are none.
    """
    operators = list(operators)
    if not operators:
        raise ValueError("AAT form is undefined for empty operators")
    pairs = zip(operators, reversed(operators), strict=True)
    return len(operators) % 2 == 0 and all(is_adjoint_pair(one, other) for one, other in pairs)


@export(_U + "use_operator_or_provided_hint_unless_contradicting")
def use_operator_or_provided_hint_unless_contradicting(
    operator: Any, hint_attr_name: str, provided_hint_value: bool | None, message: str
) -> bool | None:
    """What an operator or a caller knows of it.

    Raises:
      ValueError: with the message, if they know different things.
    """
    known = {bool(said) for said in (getattr(operator, hint_attr_name), provided_hint_value) if said is not None}
    if len(known) > 1:
        raise ValueError(message)
    return known.pop() if known else None


@export(_P + "combined_commuting_self_adjoint_hint")
def combined_commuting_self_adjoint_hint(operator_a: Any, operator_b: Any) -> bool | None:
    """Whether the product of two operators that commute is self-adjoint."""
    said = operator_a.is_self_adjoint, operator_b.is_self_adjoint
    return True if all(said) else False if set(said) == {True, False} else None


@export(_P + "is_square")
def is_square(operator_a: Any, operator_b: Any) -> bool | None:
    """Whether the product of two operators is square."""
    said = operator_a.is_square, operator_b.is_square
    if None in said:
        return None
    if said == (False, False):
        sizes = operator_a.range_dimension.value, operator_b.domain_dimension.value
        return None if None in sizes else sizes[0] == sizes[1]
    return said == (True, True)


@export(_P + "combined_commuting_positive_definite_hint")
def combined_commuting_positive_definite_hint(operator_a: Any, operator_b: Any) -> bool | None:
    """Whether the product of two operators that commute is known to be positive definite."""
    return all(o.is_positive_definite and o.is_self_adjoint for o in (operator_a, operator_b)) or None


@export(_P + "combined_non_singular_hint")
def combined_non_singular_hint(operator_a: Any, operator_b: Any) -> bool | None:
    """Whether the product of two operators has an inverse."""
    said = operator_a.is_non_singular, operator_b.is_non_singular
    return False if False in said else None if None in said else True
