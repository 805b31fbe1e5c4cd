"""`tf.RaggedTensor` and its type.

A ragged tensor is a tensor of values, or another ragged tensor, and a division of those into rows. `methods.py` adds what is made
of operations on ragged tensors.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tfgrad_jax.composite.ragged.factories import Factories
from tfgrad_jax.composite.ragged.partition import INDEX_TYPES, known, rowids_of_splits, sizes_in
from tfgrad_jax.engine.names.export import export, recognised_as
from tfgrad_jax.engine.run.eager import executing_eagerly_outside_functions
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.composite import Composite, CompositeSpec, NotOneTensor
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import DType, as_dtype
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.spec_names import register
from tfgrad_jax.engine.values.specs import TensorSpec, row_of
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.ops.array.creation import ones
from tfgrad_jax.ops.common import operand
from tfgrad_jax.ops.math.cast import cast


@export("RaggedTensor")
@recognised_as("python.ops.ragged.ragged_tensor")
class RaggedTensor(Factories, Composite):
    """A tensor whose rows differ in length. Mirrors `tf.RaggedTensor`.

    Made by `tf.ragged.constant`, or one of the class methods such as `from_row_splits`.

    Raises:
      ValueError: if called without `internal`: the arguments are not looked at.
    """

    _is_tensor_type = True

    # Set by `methods.py`.
    bounding_shape: Any
    from_sparse: Any
    from_tensor: Any
    merge_dims: Any
    numpy: Any
    to_list: Any
    to_sparse: Any
    to_tensor: Any

    def __init__(self, values: Any, row_splits: Any = None, uniform: Any = None, internal: bool = False) -> None:
        if not internal:
            raise ValueError(
                "RaggedTensor constructor is private; please use a factory method, such as RaggedTensor.from_row_lengths()"
            )
        self._values = values
        self._row_splits = row_splits
        self._uniform = uniform

    # -- parts --------------------------------------------------------------------------------------------------------

    @property
    def values(self) -> Any:
        """The rows, one after the other: a tensor or a ragged tensor."""
        return self._values

    @property
    def flat_values(self) -> Any:
        """The values without any division into rows."""
        values = self._values
        while isinstance(values, RaggedTensor):
            values = values._values
        return values

    @property
    def row_splits(self) -> Any:
        """Row `i` is `values[row_splits[i] : row_splits[i + 1]]`."""
        return self._row_splits

    @property
    def nested_row_splits(self) -> tuple[Any, ...]:
        """The row splits of all ragged dimensions, the outermost first."""
        return tuple([level.row_splits for level in self._levels()])

    @property
    def uniform_row_length(self) -> Any:
        """The length of each row, if this dimension is known to be uniform."""
        return self._uniform

    @property
    def ragged_rank(self) -> int:
        """How many dimensions are divisions into rows."""
        return len(self._levels())

    @property
    def dtype(self) -> DType:
        """The dtype of the values."""
        return self._values.dtype

    @property
    def shape(self) -> TensorShape:
        """The static shape; None where rows differ in length, or nothing is known."""
        size = self._row_splits.shape[0]
        length = None if self._uniform is None else known(self._uniform)
        outer = [None if size is None else size - 1, None if length is None else int(length)]
        return TensorShape(outer).concatenate(self._values.shape[1:])

    def get_shape(self) -> TensorShape:
        """The static shape."""
        return self.shape

    def _levels(self) -> list[RaggedTensor]:
        levels = []
        value: Any = self
        while isinstance(value, RaggedTensor):
            levels.append(value)
            value = value._values
        return levels

    def consumers(self) -> list[Any]:
        """Nothing: operations do not know their consumers here."""
        return []

    # -- the division -------------------------------------------------------------------------------------------------

    def nrows(self, out_type: Any = None, name: str | None = None) -> Any:
        """The number of rows."""
        return sizes_in(self._row_splits, self._index_type(out_type))[0] - 1

    def row_starts(self, name: str | None = None) -> Any:
        """Where in `values` each row begins."""
        return self._row_splits[:-1]

    def row_limits(self, name: str | None = None) -> Any:
        """Where in `values` each row ends."""
        return self._row_splits[1:]

    def row_lengths(self, axis: int = 1, name: str | None = None) -> Any:
        """The lengths of the rows along an axis; for an inner one they are a ragged tensor.

        Raises:
          ValueError: if the axis is not in [0, rank).
        """
        rank = self.shape.rank
        if rank is not None and not -rank <= axis < rank:
            raise ValueError(f"axis={axis} out of bounds: expected {-rank}<=axis<{rank}")
        axis = axis if axis >= 0 or rank is None else axis + rank
        if axis == 0:
            return self.nrows()
        if axis == 1:
            return self._row_splits[1:] - self._row_splits[:-1]
        if isinstance(self._values, RaggedTensor):
            return self.with_values(self._values.row_lengths(axis - 1))
        sizes = sizes_in(self._values, self._row_splits.dtype)
        return self.with_values(ones(sizes[: axis - 1], sizes.dtype) * sizes[axis - 1])

    def value_rowids(self, name: str | None = None) -> Any:
        """The row of each of `values`."""
        return rowids_of_splits(self._row_splits, self._count(self._values, self._row_splits.dtype))

    def nested_row_lengths(self, name: str | None = None) -> tuple[Any, ...]:
        """The row lengths of all ragged dimensions, the outermost first."""
        return tuple([level.row_lengths() for level in self._levels()])

    def nested_value_rowids(self, name: str | None = None) -> tuple[Any, ...]:
        """The row ids of all ragged dimensions, the outermost first."""
        return tuple([level.value_rowids() for level in self._levels()])

    def _index_type(self, out_type: Any) -> DType:
        return self._row_splits.dtype if out_type is None else as_dtype(out_type)

    # -- other values -------------------------------------------------------------------------------------------------

    def with_values(self, new_values: Any) -> RaggedTensor:
        """This division into rows of other values.

        Raises:
          ValueError: if there are more or fewer of them.
        """
        values = new_values if isinstance(new_values, RaggedTensor) else operand(new_values)
        values.shape.with_rank_at_least(1)
        self._values.shape[:1].assert_is_compatible_with(values.shape[:1])
        if isinstance(values, RaggedTensor) and values.row_splits.dtype is not self._row_splits.dtype:
            values = values.with_row_splits_dtype(self._row_splits.dtype)
        return RaggedTensor(values, self._row_splits, self._uniform, internal=True)

    def with_flat_values(self, new_values: Any) -> RaggedTensor:
        """These divisions into rows of other flat values."""
        if isinstance(self._values, RaggedTensor):
            return self.with_values(self._values.with_flat_values(new_values))
        return self.with_values(new_values)

    def with_row_splits_dtype(self, dtype: Any) -> RaggedTensor:
        """The same with row splits of another dtype.

        Raises:
          ValueError: if that is neither int32 nor int64.
        """
        wanted = as_dtype(dtype)
        if wanted not in INDEX_TYPES:
            raise ValueError(f"Argument `row_splits` dtype must be int32 or int64. Received {wanted.name}.")
        if wanted is self._row_splits.dtype:
            return self
        values = self._values
        inner = values.with_row_splits_dtype(wanted) if isinstance(values, RaggedTensor) else values
        uniform = None if self._uniform is None else cast(self._uniform, wanted)
        return RaggedTensor(inner, cast(self._row_splits, wanted), uniform, internal=True)

    # -- protocols ----------------------------------------------------------------------------------------------------

    @property
    def _type_spec(self) -> RaggedTensorSpec:
        return RaggedTensorSpec(self.shape, self.dtype, self.ragged_rank, self._row_splits.dtype)

    @property
    def __composite_gradient__(self) -> Any:
        return _GradientOfValues

    def __tf_tensor__(self, dtype: DType | None = None, name: str | None = None) -> Any:
        raise NotOneTensor(
            f"A RaggedTensor (shape {self.shape}, dtype {self.dtype.name}) cannot be converted to a Tensor implicitly: rows may "
            f"differ in length; to_tensor() pads them"
        )

    def __hash__(self) -> int:
        if not executing_eagerly_outside_functions():  # where sessions take it as a key of what they are fed
            return id(self)
        raise TypeError("RaggedTensor is unhashable.")

    def __bool__(self) -> bool:
        raise TypeError("RaggedTensor may not be used as a boolean.")


class _GradientOfValues:
    """The gradient of a ragged tensor is that of its values, in the same rows."""

    @staticmethod
    def get_gradient_components(value: RaggedTensor) -> Any:
        return value.flat_values

    @staticmethod
    def replace_gradient_components(value: RaggedTensor, gradient: Any) -> RaggedTensor:
        return value.with_flat_values(gradient)


@export("RaggedTensorSpec")
@register("tf.RaggedTensorSpec")
class RaggedTensorSpec(CompositeSpec):
    """The type of a ragged tensor. Mirrors `tf.RaggedTensorSpec`.

    Args:
      shape: the static shape; None where rows differ in length.
      dtype: of the values.
      ragged_rank: how many dimensions are divisions into rows; all but one if not given. With 0 the values are plain tensors,
        of which a row has -1.
      row_splits_dtype: int32 or int64.
      flat_values_spec: not supported.

    Raises:
      ValueError: if `ragged_rank` is not known, or not smaller than the rank; or `row_splits_dtype` is another one.
    """

    def __init__(
        self,
        shape: Any = None,
        dtype: Any = dtypes.float32,
        ragged_rank: int | None = None,
        row_splits_dtype: Any = dtypes.int64,
        flat_values_spec: Any = None,
    ) -> None:
        self._shape = TensorShape(shape)
        self._dtype = as_dtype(dtype)
        self._row_splits_dtype = as_dtype(row_splits_dtype)
        if flat_values_spec is not None:
            raise NotImplementedError("tf.RaggedTensorSpec: flat_values_spec is not supported; give the dtype")
        rank = self._shape.rank
        if ragged_rank is None:
            if rank is None:
                raise ValueError("Must specify ragged_rank or a shape with a known rank.")
            ragged_rank = rank - 1
        if not isinstance(ragged_rank, int):
            raise TypeError(f"Argument `ragged_rank` must be an int. Received {ragged_rank}.")
        if rank is not None and ragged_rank >= rank:
            raise ValueError(f"Argument `ragged_rank` ({ragged_rank}) must be less than rank ({rank}).")
        if self._row_splits_dtype not in INDEX_TYPES:
            raise ValueError(f"row_splits_dtype must be int32 or int64, got {self._row_splits_dtype.name}")
        self._ragged_rank = ragged_rank

    @classmethod
    def from_value(cls, value: Any) -> RaggedTensorSpec:
        """The spec of a ragged tensor, or of a tensor as one without ragged dimensions."""
        if isinstance(value, Tensor):
            return cls(value.shape, value.dtype, 0)
        return value._type_spec

    @property
    def shape(self) -> TensorShape:
        """The static shape."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """The dtype of the values."""
        return self._dtype

    @property
    def ragged_rank(self) -> int:
        """How many dimensions are divisions into rows."""
        return self._ragged_rank

    @property
    def row_splits_dtype(self) -> DType:
        """The dtype of the row splits."""
        return self._row_splits_dtype

    @property
    def flat_values_spec(self) -> None:
        """None: the values are tensors."""
        return None

    @property
    def value_type(self) -> Any:
        """`tf.RaggedTensor`; `tf.Tensor` if nothing is ragged."""
        return RaggedTensor if self._ragged_rank > 0 else Tensor

    def _serialize(self) -> tuple[Any, ...]:
        return self._shape, self._dtype, self._ragged_rank, self._row_splits_dtype

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether a spec or value fits; a tensor does where nothing is ragged."""
        if self._ragged_rank <= 0 and isinstance(spec_or_value, (Tensor, TensorSpec)):
            return self._dtype is spec_or_value.dtype and self._shape.is_compatible_with(spec_or_value.shape)
        return super().is_compatible_with(spec_or_value)

    @property
    def _component_specs(self) -> list[TensorSpec]:
        if self._ragged_rank <= 0:
            return [TensorSpec(self._shape, self._dtype)]
        known = self._shape.rank is not None
        inner = TensorShape([None]).concatenate(self._shape[self._ragged_rank + 1 :]) if known else TensorShape(None)
        rows = self._shape[0] if known else None
        outer = [None if rows is None else rows + 1]
        return [
            TensorSpec(inner, self._dtype),
            *(TensorSpec([None] if level else outer, self._row_splits_dtype) for level in range(self._ragged_rank)),
        ]

    def _to_components(self, value: Any) -> list[Any]:
        return [value.flat_values, *value.nested_row_splits] if isinstance(value, RaggedTensor) else [value]

    def _from_components(self, components: Any) -> Any:
        result, *splits = components
        for level in reversed(range(len(splits))):
            length = self._shape[level + 1] if self._shape.rank is not None else None
            uniform = None if length is None else convert(np.array(length, self._row_splits_dtype.np))
            result = RaggedTensor(result, splits[level], uniform, internal=True)
        return result

    def _batch(self, batch_size: int | None) -> RaggedTensorSpec:
        shape = TensorShape([batch_size]).concatenate(self._shape)
        return RaggedTensorSpec(shape, self._dtype, self._ragged_rank + 1, self._row_splits_dtype)

    def _unbatch(self) -> RaggedTensorSpec:
        return RaggedTensorSpec(row_of(self._shape), self._dtype, self._ragged_rank - 1, self._row_splits_dtype)

    def _shape_invariant_to_type_spec(self, shape: Any) -> RaggedTensorSpec:
        return RaggedTensorSpec(shape, self._dtype, self._ragged_rank, self._row_splits_dtype)
