"""Products that contract dimensions: matrices, tensors, Einstein's notation."""

from __future__ import annotations

import functools
import math
import re
from typing import Any

import jax.numpy as jnp
from jax import lax

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Attr, DTypeArg, Flag, Number, Operand, T, static
from tfgrad_jax.engine.graph.deferred import deferred
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.names.scopes import name_next
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.dtypes import as_dtype
from tfgrad_jax.engine.values.shapes import UNRANKED, TensorShape, broadcast
from tfgrad_jax.engine.values.tensor import EagerTensor
from tfgrad_jax.ops.common import listed, operand
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.math.complex import conj

_Numbers: Any = Operand(Number.allowed, many=True)

# -- matrices ---------------------------------------------------------------------------------------------------------


def _check_matrices(a: Any, b: Any, transpose_a: bool, transpose_b: bool, name: str) -> None:
    for i, x in enumerate((a, b)):
        if x.ndim < 2:
            raise invalid_argument(
                f"In[{i}] ndims must be >= 2, got shape {listed(x.shape)}; tf.linalg.matvec takes vectors", name
            )
    if a.shape[-2 if transpose_a else -1] != b.shape[-1 if transpose_b else -2]:
        flags = f", transpose_a={transpose_a}, transpose_b={transpose_b}" if transpose_a or transpose_b else ""
        raise invalid_argument(
            f"Matrix size-incompatible: In[0]: {listed(a.shape)}, In[1]: {listed(b.shape)}{flags}; the inner sizes "
            "must be equal",
            name,
        )


@op("MatMul", hinted=True)
def _matmul(a: Number, b: Number, transpose_a: Flag = False, transpose_b: Flag = False, output_type: DTypeArg = None):
    _check_matrices(a, b, transpose_a, transpose_b, "MatMul")
    contracted = ((0 if transpose_a else 1,), (1 if transpose_b else 0,))
    return lax.dot_general(a, b, (contracted, ((), ())), preferred_element_type=output_type and output_type.np)


@_matmul.factors
def _(cotangent, inputs, transpose_a, transpose_b, output_type):
    # Of the second factor, where weights stand.
    if 0 not in inputs or output_type or jnp.iscomplexobj(cotangent):
        return {}
    a = inputs[0].T if transpose_a else inputs[0]
    return {1: (cotangent, a) if transpose_b else (a, cotangent)}


MATMUL = _matmul.op.kernel_for(2, (), {})
"""The kernel of the product of two matrices as they are."""


def _contracted(a: Any, b: Any, a_axes: tuple[int, ...], b_axes: tuple[int, ...], dtype: Any = None) -> Any:
    """The product summed over axes of both: that of two matrices.

    XLA makes matrices of what has more dimensions, too, but copies what it has to transpose for that, as the gradients do; a
    transposed matrix is read as it is.
    """
    first, second = ([i % x.ndim for i in axes] for x, axes in ((a, a_axes), (b, b_axes)))
    rows, columns = ([i for i in range(x.ndim) if i not in axes] for x, axes in ((a, first), (b, second)))
    sizes = [[x.shape[i] for i in axes] for x, axes in ((a, rows), (a, first), (b, columns))]
    left, inner, right = map(math.prod, sizes)
    a = a.transpose(*rows, *first).reshape(left, inner)
    b = b.transpose(*second, *columns).reshape(inner, right)
    product = lax.dot_general(a, b, (((1,), (0,)), ((), ())), preferred_element_type=dtype)
    return product.reshape(*sizes[0], *sizes[2])


@op("BatchMatMulV2", hinted=True)
def _batch_matmul(
    a: Number, b: Number, transpose_a: Flag = False, transpose_b: Flag = False, output_type: DTypeArg = None
):
    _check_matrices(a, b, transpose_a, transpose_b, "BatchMatMulV2")
    try:
        batch = jnp.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    except ValueError:
        raise invalid_argument(
            f"In[0] and In[1] must have compatible batch dimensions: {listed(a.shape)} vs. {listed(b.shape)}",
            "BatchMatMulV2",
        ) from None
    if not batch or a.shape[:-2] != b.shape[:-2]:
        a, b = (jnp.swapaxes(x, -1, -2) if t else x for x, t in ((a, transpose_a), (b, transpose_b)))
        if b.ndim == 2:
            return _contracted(a, b, (a.ndim - 1,), (0,), output_type and output_type.np)
        return jnp.matmul(a, b, preferred_element_type=output_type and output_type.np)
    rank = len(batch)
    contracted = ((rank if transpose_a else rank + 1,), (rank + 1 if transpose_b else rank,))
    same = tuple(range(rank))
    return lax.dot_general(a, b, (contracted, (same, same)), preferred_element_type=output_type and output_type.np)


_BYTES = {dtypes.int8, dtypes.uint8}
"""May be factors of one product, where that is of int32."""


@export("matmul", "linalg.matmul")
@deferred(ranks=True)
def matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: Any = None,
    grad_a: bool = False,
    grad_b: bool = False,
    name: str | None = None,
) -> Any:
    """The product of matrices, the last two dimensions of each. Mirrors `tf.matmul`, and is what `@` does.

    Args:
      a, b: tensors of rank 2 or more; the other dimensions broadcast.
      transpose_a, transpose_b: whether to transpose a matrix first.
      adjoint_a, adjoint_b: whether to transpose and conjugate it.
      a_is_sparse, b_is_sparse, grad_a, grad_b: hints that TensorFlow takes; they change nothing.
      output_type: the dtype of the result, such as int32 for int8 factors; that of the factors if None.
      name: of the operation, in a graph.

    Raises:
      InvalidArgumentError: if the shapes do not fit or the dtypes differ.
      ValueError: if a matrix is to be both transposed and adjoint.
    """
    if type(a) is not EagerTensor:
        a = operand(a)
    spec = a.known_spec or a.spec
    if type(b) is not EagerTensor:
        b = operand(b, spec.dtype)
    if name is not None:
        name_next(name)
    batched = len(spec.shape) > 2 or len((b.known_spec or b.spec).shape) > 2
    if not (transpose_a or transpose_b or adjoint_a or adjoint_b or output_type):
        return _batch_matmul(a, b) if batched else _matmul(a, b)
    for letter, transpose, adjoint in (("a", transpose_a, adjoint_a), ("b", transpose_b, adjoint_b)):
        if transpose and adjoint:
            raise ValueError(
                f"Only one of `transpose_{letter}` and `adjoint_{letter}` can be True. Received "
                f"`transpose_{letter}`={transpose}, `adjoint_{letter}`={adjoint}."
            )
    if output_type is not None and {a.dtype, b.dtype} == _BYTES and as_dtype(output_type) is dtypes.int32:
        a, b = cast(a, dtypes.int32), cast(b, dtypes.int32)
    a, b = (_conjugated(x) if adjoint else x for x, adjoint in ((a, adjoint_a), (b, adjoint_b)))
    product = _batch_matmul if batched else _matmul
    return product(a, b, transpose_a or bool(adjoint_a), transpose_b or bool(adjoint_b), output_type)


def _conjugated(x: Any) -> Any:
    if not x.dtype.is_complex:
        return x
    return conj(x)


@op("linalg.matvec", hinted=True)
def _matvec(a: Number, b: Number, transpose_a: Flag = False, conjugate: Flag = False):
    column = b[..., None] if b.ndim else b
    _check_matrices(a, column, transpose_a, False, "MatMul")
    a = jnp.conj(a) if conjugate else a
    return jnp.matmul(jnp.swapaxes(a, -1, -2) if transpose_a else a, column)[..., 0]


@export("linalg.matvec")
def matvec(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """The product of a matrix and a vector, in the last dimensions. Mirrors `tf.linalg.matvec`.

    Raises:
      InvalidArgumentError: if the shapes do not fit.
      ValueError: if `a` is to be both transposed and adjoint.
    """
    if transpose_a and adjoint_a:
        raise ValueError("Only one of `transpose_a` and `adjoint_a` can be True.")
    return _matvec(a, b, transpose_a or adjoint_a, adjoint_a)


# -- tensors ----------------------------------------------------------------------------------------------------------


@op("tensordot", hinted=True)
def _tensordot(a: Number, b: Number, a_axes: Attr, b_axes: Attr):
    for x, axes, which in ((a, a_axes, "a"), (b, b_axes, "b")):
        for axis in axes:
            if not -x.ndim <= axis < x.ndim:
                raise invalid_argument(
                    f"tensordot: axis {axis} is out of range for `{which}` of rank {x.ndim}", "MatMul"
                )
    sizes = [[x.shape[i] for i in axes] for x, axes in ((a, a_axes), (b, b_axes))]
    if sizes[0] != sizes[1]:
        raise invalid_argument(
            f"Matrix size-incompatible: tensordot contracts axes {list(a_axes)} of {listed(a.shape)} with axes "
            f"{list(b_axes)} "
            f"of {listed(b.shape)}, of sizes {sizes[0]} and {sizes[1]}",
            "MatMul",
        )
    return _contracted(a, b, tuple(a_axes), tuple(b_axes))


@export("tensordot", "linalg.tensordot")
@deferred(ranks=True)
def tensordot(a: Any, b: Any, axes: Any, name: str | None = None) -> Any:
    """Contract dimensions of two tensors. Mirrors `tf.tensordot`.

    Args:
      a, b: tensors of one dtype.
      axes: how many of the last dimensions of `a` to contract with the first of `b`; or two lists of dimensions.
      name: accepted for compatibility.

    Raises:
      ValueError: if `axes` is malformed.
      InvalidArgumentError: if the contracted sizes differ.
    """
    a = operand(a)
    b = operand(b, a.dtype)
    axes = static(axes)
    if isinstance(axes, int):
        if axes < 0:
            raise ValueError(f"`axes` must be at least 0. Received: {axes}.")
        if axes > a.ndim:
            raise ValueError(
                f"`axes` must not be larger than the number of dimensions of tensor {a}.  Received {axes}, vs tensor "
                f"dimensions {a.ndim}."
            )
        return _tensordot(a, b, tuple(range(a.ndim - axes, a.ndim)), tuple(range(axes)))
    if not isinstance(axes, tuple) or len(axes) != 2:
        raise ValueError(f"`axes` must be an integer or have length 2. Received {axes}.")
    a_axes, b_axes = ((x,) if isinstance(x, int) else x for x in axes)
    if len(a_axes) != len(b_axes):
        raise ValueError(f"Different number of contraction axes `a` and `b`, {len(a_axes)} != {len(b_axes)}.")
    return _tensordot(a, b, a_axes, b_axes)


# -- Einstein's notation ----------------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=1024)
def _parsed(equation: str, count: int) -> tuple[tuple[str, ...], str]:
    """The subscripts of the inputs and of the output.

    Raises:
      ValueError: if the equation is malformed or made for another number of inputs.
    """
    equation = equation.replace(" ", "")
    match = re.match(r"^([a-zA-Z,.]*)(->([a-zA-Z.]*))?$", equation)
    if match is None:
        raise ValueError(f"Subscripts have incorrect format: {equation}; expected something like ij,jk->ik")
    inputs = tuple(match[1].split(","))
    if len(inputs) != count:
        raise ValueError(f'Got {count} inputs for equation "{equation}", expecting {len(inputs)}')
    for part in (*inputs, match[3] or ""):
        if part.count(".") not in (0, 3) or ("." in part and "..." not in part):
            raise ValueError(f'Period "." found outside of ellipsis in einsum subscripts {part!r} of {equation!r}')
    seen = "".join(inputs).replace(".", "")
    if match[3] is None:
        dots = "..." if sum("..." in labels for labels in inputs) == 1 else ""  # it counts as a label does
        return inputs, dots + "".join(sorted(c for c in set(seen) if seen.count(c) == 1))
    output = match[3]
    letters = output.replace(".", "")
    for letter in letters:
        if letters.count(letter) > 1:
            raise ValueError(f"Output subscripts contain a label appearing more than once: {equation}")
        if letter not in seen:
            raise ValueError(f"Output subscripts contain the label {letter} not present in the input subscripts.")
    return inputs, output


@op("Einsum")
def _einsum(inputs: _Numbers, subscripts: Attr, output: Attr):
    sizes: dict[str, int] = {}
    broadcast = 0
    for i, (x, labels) in enumerate(zip(inputs, subscripts, strict=True)):
        letters = labels.replace("...", "")
        extra = x.ndim - len(letters)
        if extra < 0 or (extra and "..." not in labels):
            least = "at least " if "..." in labels else ""
            raise invalid_argument(f"Expected input {i} to have rank {least}{len(letters)} but got: {x.ndim}", "Einsum")
        broadcast = max(broadcast, extra)
        before = labels.partition("...")[0]
        named = [*enumerate(before)]
        if "..." in labels:
            after = labels.partition("...")[2]
            named += [(x.ndim - len(after) + j, letter) for j, letter in enumerate(after)]
        for axis, letter in named:
            if sizes.setdefault(letter, x.shape[axis]) != x.shape[axis]:
                raise invalid_argument(
                    f"Expected dimension {sizes[letter]} at axis {axis} of the input shaped {listed(x.shape)} but got "
                    f"dimension {x.shape[axis]}",
                    "Einsum",
                )
    if broadcast and "..." not in output:
        raise invalid_argument(
            f"Output contains {broadcast} broadcasting dimension(s) but no ellipsis (...) was found in the output "
            "subscripts.",
            "Einsum",
        )
    if not broadcast:
        subscripts, output = [s.replace("...", "") for s in subscripts], output.replace("...", "")
    if len(inputs) == 2 and not broadcast and (shared := _shared(subscripts[0], subscripts[1], output)):
        y = _contracted(*inputs, *[tuple(map(labels.index, shared)) for labels in subscripts])
        kept = [letter for labels in subscripts for letter in labels if letter not in shared]
        return y.transpose(*map(kept.index, output))
    return jnp.einsum(f"{','.join(subscripts)}->{output}", *inputs, optimize="optimal" if len(inputs) < 5 else "auto")


def _shared(a: str, b: str, output: str) -> list[str]:
    """The letters over which two inputs are summed if these are all that they share, and nothing else is to be done."""
    shared = [letter for letter in a if letter in b]
    return shared if sorted(a + b) == sorted([*output, *shared, *shared]) else []


@_einsum.open_shape
def _(attributes: dict[str, Any], *shapes: Any) -> Any:
    known: dict[str, int | None] = {}
    between = TensorShape([])
    for shape, labels in zip(shapes, attributes["subscripts"], strict=True):
        before, dots, after = labels.partition("...")
        if shape is UNRANKED:
            between = broadcast([between, TensorShape(None if dots else [])])
            continue
        end = len(shape) - len(after)
        between = broadcast([between, TensorShape(shape[len(before) : end])])
        for letter, size in (*zip(before, shape), *zip(after, shape[end:])):
            if known.get(letter) is None:
                known[letter] = size
    before, _, after = attributes["output"].partition("...")
    if between.rank is None:
        return UNRANKED
    return (*map(known.get, before), *between, *map(known.get, after))


@export("einsum", "linalg.einsum")
def einsum(equation: str, *inputs: Any, **kwargs: Any) -> Any:
    """A sum of products in Einstein's notation, such as `"ij,jk->ik"`. Mirrors `tf.einsum`.

    Args:
      equation: labels of each input's dimensions, then of the output's; `...` stands for dimensions that broadcast.
      *inputs: as many tensors as the equation has inputs.
      **kwargs: `name`; `optimize`, accepted for compatibility.

    Raises:
      ValueError: if the equation is malformed or made for another number of inputs.
      InvalidArgumentError: if the shapes do not fit the equation.
      TypeError: for other keyword arguments.
    """
    unknown = kwargs.keys() - {"name", "optimize", "greedy"}
    if unknown:
        raise TypeError(
            f"Invalid keyword arguments for einsum: {', '.join(sorted(unknown))}. Valid arguments: name, optimize, "
            "greedy."
        )
    if not isinstance(equation, str):
        raise TypeError(f"tf.einsum: equation must be a string, got {equation!r}")
    subscripts, output = _parsed(equation, len(inputs))
    name_next(kwargs.get("name"))
    return _einsum(inputs, subscripts, output)


# -- views of matrices ------------------------------------------------------------------------------------------------


@op("linalg.matrix_transpose")
def _matrix_transpose(a: T, conjugate: Flag = False):
    if a.ndim < 2:
        raise invalid_argument(
            f"matrix_transpose: the argument must have rank 2 or more, got shape {listed(a.shape)}", "Transpose"
        )
    return jnp.swapaxes(jnp.conj(a) if conjugate else a, -1, -2)


@export("linalg.matrix_transpose")
@deferred(ranks=True)
def matrix_transpose(a: Any, name: str | None = "matrix_transpose", conjugate: bool = False) -> Any:
    """The last two dimensions exchanged. Mirrors `tf.linalg.matrix_transpose`.

    Raises:
      ValueError: if the rank is below 2.
    """
    a = operand(a)
    if a.ndim < 2:
        raise ValueError(
            f"Argument `a` should be a (batch) matrix with rank >= 2.  Received `a` = {a} with shape: {a.shape}"
        )
    return _matrix_transpose(a, conjugate)


@export("linalg.adjoint")
def adjoint(matrix: Any, name: str | None = None) -> Any:
    """The last two dimensions exchanged, and conjugated. Mirrors `tf.linalg.adjoint`."""
    return matrix_transpose(matrix, conjugate=True)
