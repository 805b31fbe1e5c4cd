"""Arguments of `padded_batch`: to which sizes, and with what."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine.declare.attributes import is_symbolic
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import as_dtype
from tfgrad_jax.engine.values.shapes import TensorShape, as_shape
from tfgrad_jax.engine.values.specs import TensorSpec
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.data.structure import is_structure, leaves
from tfgrad_jax.ops.array.array import stack
from tfgrad_jax.ops.math.cast import cast


def only_tensors(spec: Any) -> list[TensorSpec]:
    """The leaves of a structure of types.

    Raises:
      TypeError: if one is no tensor.
    """
    found = leaves(spec)
    for leaf in found:
        if isinstance(leaf, TensorSpec):
            continue
        if hasattr(leaf, "element_spec"):
            raise TypeError("`padded_batch` is not supported for datasets of datasets; use `flat_map` before.")
        raise TypeError(
            f"`padded_batch` is only supported for datasets that produce tensor elements but the input dataset produces elements "
            f"of unsupported type {leaf.value_type.__name__}; `batch` takes them."
        )
    return found


def shape_to_pad(leaf: Any) -> Any:
    """The shape of a leaf, whose open sizes are padded.

    Raises:
      TypeError: if it has none: it is a dataset.
    """
    if not hasattr(leaf, "shape"):
        raise TypeError(f"tf.data: elements of type {leaf} have no shape, and cannot be padded; use `flat_map` before.")
    return leaf.shape


def leaves_like(spec: Any, shapes: Any, parts_may_be_none: bool = False) -> list[Any]:
    """What is given for each leaf of a structure of types.

    Args:
      spec: the structure.
      shapes: what is given.
      parts_may_be_none: whether None may stand for a part of the structure, and is given for each of its leaves then.

    Raises:
      ValueError: if it has another structure.
    """
    if is_structure(spec) and shapes is None and parts_may_be_none:
        return [None] * len(leaves(spec))
    if is_structure(spec):
        parts = [spec[k] for k in sorted(spec)] if isinstance(spec, dict) else list(spec)
        same_keys = not isinstance(spec, dict) or (isinstance(shapes, dict) and shapes.keys() == spec.keys())
        inner = [shapes[k] for k in sorted(spec)] if same_keys and isinstance(spec, dict) else list(shapes)
        if not same_keys or len(parts) != len(inner):
            raise ValueError(f"padded_batch: padded_shapes {shapes} do not have the structure of elements {spec}")
        return [
            leaf
            for part, shape in zip(parts, inner, strict=True)
            for leaf in leaves_like(part, shape, parts_may_be_none)
        ]
    return [shapes]


def late_shape(shape: Any) -> Any:
    """The int64 tensor of a shape in which tensors of a graph stand, which tell the sizes when it runs; None of another one.

    Raises:
      TypeError: if it is a tensor of another dtype.
    """
    if not is_symbolic(shape):
        return None
    if isinstance(shape, (list, tuple)):
        return stack([cast(-1 if n is None else n, dtypes.int64) for n in shape])
    if shape.dtype is not dtypes.int64:
        raise TypeError(f"padded_batch: a padded shape must be a vector of int64, got {shape.spec}")
    return shape


def padded_shape(shape: Any, spec: TensorSpec) -> tuple[int | None, ...]:
    """The sizes to which a leaf is padded; None for the largest in the batch, and for what a graph's tensor will tell.

    Raises:
      TypeError: if a size is no integer.
      ValueError: if the leaf does not fit.
    """
    if isinstance(shape, Tensor):
        if shape.dtype is not dtypes.int64:
            raise TypeError(f"{_vector(shape)} but its element type was {shape.dtype.name}.")
        if shape.shape.rank != 1:
            raise ValueError(f"{_vector(shape)} but its shape was {shape.shape}.")
        if is_symbolic(shape):
            shape = [None] * (shape.shape[0] or 0)
    elif not isinstance(shape, TensorShape) and any(isinstance(d, (list, tuple)) or np.ndim(d) for d in _known(shape)):
        raise ValueError(f"{_vector(shape)} but its shape was {np.shape(shape)}.")
    given = [
        None if d is None or is_symbolic(d) or d == -1 else operator.index(d)
        for d in (
            as_shape(shape).as_list()
            if isinstance(shape, TensorShape)
            else shape
            if is_symbolic(shape)
            else np.asarray(shape, object).reshape(-1).tolist()
        )
    ]
    if spec.shape.rank is not None and len(given) != spec.shape.rank:
        raise ValueError(_misfit(given, spec))
    for have, wanted in zip(spec.shape.as_list() if spec.shape.rank is not None else [], given):
        if have is not None and wanted is not None and wanted < have:
            raise ValueError(_misfit(given, spec))
    return tuple(given)


def _misfit(given: Sequence[int | None], spec: TensorSpec) -> str:
    shape = tuple(given)
    return (
        f"The padded shape {shape} is not compatible with the shape {spec.shape} of the corresponding input component."
    )


def _known(shape: Any) -> list[Any]:
    """The sizes in a shape that are no tensors."""
    return [d for d in shape if not isinstance(d, Tensor)] if isinstance(shape, (list, tuple, np.ndarray)) else []


def _vector(shape: Any) -> str:
    return f"Padded shape {shape} must be a `tf.int64` vector tensor,"


def padding(structure: Any, values: Any, specs: list[Any]) -> list[np.ndarray]:
    """What each leaf is padded with: zeros and empty strings where nothing is given.

    Raises:
      TypeError, ValueError: if it has another dtype, or is no scalar.
    """
    given = (
        [values] * len(specs)
        if not is_structure(values) and (values is None or not is_structure(structure) or len(specs) > 1)
        else leaves_like(structure, values, parts_may_be_none=True)
    )
    found = []
    for value, spec in zip(given, specs, strict=True):
        if value is None:
            value = b"" if spec.dtype is dtypes.string else np.zeros((), as_dtype(spec.dtype).np)
        tensor = convert(value, None if hasattr(value, "dtype") else spec.dtype)
        if tensor.dtype is not spec.dtype:
            raise TypeError(
                f"Mismatched type between padding value of type {tensor.dtype.name} and expected component of type "
                f"{spec.dtype.name}."
            )
        if tensor.shape.rank != 0:
            raise ValueError(
                f"Invalid `padding_values`. `padding_values` values must be scalars, but got {tensor.shape}."
            )
        found.append(np.asarray(tensor.array))
    return found
