"""`tf.data.Dataset`."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator as PythonIterator
from typing import Any

import numpy as np

from tfgrad_jax.composite.sparse.dense import to_dense
from tfgrad_jax.composite.sparse_tensor import SparseTensor
from tfgrad_jax.engine.graph.graph import SymbolicTensor
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export, export_value, recognised_as
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values import dtypes, nest
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.tensor import EagerTensor, Spec, Tensor
from tfgrad_jax.lib.data.arguments import whole
from tfgrad_jax.lib.data.base import BaseDataset, DatasetSpec, host_operation
from tfgrad_jax.lib.data.combining import Combining
from tfgrad_jax.lib.data.creation import Creation
from tfgrad_jax.lib.data.iterators import OwnedIterator, Position, iterator_of, open_specs
from tfgrad_jax.lib.data.nodes.elementwise import AssertCardinality, WithOptions
from tfgrad_jax.lib.data.nodes.node import INFINITE, UNKNOWN, Run, unboxed
from tfgrad_jax.lib.data.options import Options
from tfgrad_jax.lib.data.resampling import Resampling
from tfgrad_jax.lib.data.saving import Saving
from tfgrad_jax.lib.data.structure import arrays_of, leaves, mapped
from tfgrad_jax.lib.data.transforming import Transforming
from tfgrad_jax.lib.data.version1 import Version1
from tfgrad_jax.ops.control.iterables import Asking, found_by

export_value(DatasetSpec, "data.DatasetSpec", "data.experimental.DatasetStructure")


@export("data.Dataset")
class DatasetV2(Creation, Transforming, Combining, Resampling, Saving, Version1):
    """Elements, one after the other, made when they are asked for. Mirrors `tf.data.Dataset`.

    A dataset is iterated over with `for`, any number of times, also inside a `tf.function`. Its methods return new datasets.
    """

    def __init__(self, variant_tensor: Any = None) -> None:
        if variant_tensor is None:
            raise TypeError("tf.data.Dataset: make one by `from_tensor_slices`, `range`, ... or derive it from another")
        node = unboxed(variant_tensor)
        self._adopt(node.structure, variant_tensor)

    # -- iteration ----------------------------------------------------------------------------------------------------

    def __iter__(self) -> OwnedIterator:
        return iterator_of(self)

    def as_numpy_iterator(self) -> Any:
        """An iterator over the elements with NumPy arrays in place of tensors. Mirrors `tf.data.Dataset.as_numpy_iterator`.

        Raises:
          TypeError: if elements hold something that has no form as arrays.
        """
        return NumpyIterator(self)

    def reduce(self, initial_state: Any, reduce_func: Callable[..., Any], name: str | None = None) -> Any:
        """What a function of a state and each element makes of all of them. Mirrors `tf.data.Dataset.reduce`.

        Args:
          initial_state: a nest of tensors.
          reduce_func: takes state and element, gives the next state.
          name: accepted for compatibility.

        Returns:
          The last state.

        Raises:
          TypeError: if the function gives a state of another type.
        """
        state, parts, function = self.stateful(initial_state, reduce_func, "reduce", False)

        def run(given: Any) -> list[Tensor]:
            node = unboxed(given[0])
            count = len(parts)
            turn = Run(node.options)
            call = function.bound(given[1 + count :]).evaluator()
            arrays = arrays_of(given[1 : 1 + count])
            try:
                for element in node.iterate(turn):
                    arrays = call((*arrays, *element))
            finally:
                turn.close()
            return state.tensors(arrays)

        operands = [self._variant_tensor, *parts, *function.captured]
        if context.graph is None and not any(isinstance(t, SymbolicTensor) for t in operands):
            return state.pack(run(operands))
        return state.pack(host_operation("ReduceDataset", run, open_specs(state), operands))

    def get_single_element(self, name: str | None = None) -> Any:
        """The only element. Mirrors `tf.data.Dataset.get_single_element`.

        Raises:
          InvalidArgumentError: if there is none, or more than one.
        """
        structure = self.structure

        def get(given: Any) -> list[Tensor]:
            position = Position(unboxed(given[0]))
            try:
                element = position.next()
            except StopIteration:
                raise invalid_argument("Dataset was empty.", "DatasetToSingleElement") from None
            if position.has_next():
                raise invalid_argument("Dataset had more than one element.", "DatasetToSingleElement")
            return structure.tensors(element)

        variant = self._variant_tensor
        if context.graph is None:
            return structure.pack(get([variant]))
        return structure.pack(host_operation("DatasetToSingleElement", get, open_specs(structure), [variant]))

    # -- what is known of it ------------------------------------------------------------------------------------------

    def cardinality(self, name: str | None = None) -> Tensor:
        """How many elements there are, or `tf.data.INFINITE_CARDINALITY` or `tf.data.UNKNOWN_CARDINALITY`, an int64."""
        variant = self._variant_tensor
        if not isinstance(variant, SymbolicTensor):
            return convert(self.node.cardinality(), dtypes.int64)

        def count(tensors: Any) -> list[Tensor]:
            return [convert(unboxed(tensors[0]).cardinality(), dtypes.int64)]

        return host_operation("DatasetCardinality", count, [Spec.of(dtypes.int64, ())], [variant])[0]

    def __len__(self) -> int:
        if context.graph is not None:
            raise TypeError(
                "`tf.data.Dataset` only supports `len` in eager mode. Use `tf.data.Dataset.cardinality()` instead."
            )
        length = self.node.cardinality()
        if length == INFINITE:
            raise TypeError("The dataset is infinite.")
        if length == UNKNOWN:
            raise TypeError("The dataset length is unknown.")
        return length

    def __bool__(self) -> bool:
        return True

    __nonzero__ = __bool__

    def options(self) -> Any:
        """The `tf.data.Options` of this dataset. Mirrors `tf.data.Dataset.options`."""
        found = self.node.options
        return Options() if found is None else found

    def with_options(self, options: Any, name: str | None = None) -> Any:
        """The same elements, with `tf.data.Options`. Mirrors `tf.data.Dataset.with_options`."""
        if not isinstance(options, Options):
            raise AttributeError(f"tf.data.Dataset.with_options: expected tf.data.Options, got {options!r}")
        return self.made(
            self.structure,
            lambda node: WithOptions(node, options if node.options is None else node.options.merge(options)),
            self,
        )

    def __repr__(self) -> str:
        symbolic = isinstance(self._variant_tensor, SymbolicTensor)
        # Those of files have classes of their own, which users know.
        of_class = type(self).__name__ if type(self) is not DatasetV2 else None
        several = "_NestedVariant" if self._variant_tensor.spec.shape else None
        label = of_class or several or ("_VariantDataset" if symbolic else self.node.label)
        return f"<{label} element_spec={self.element_spec!r}>"

    def __tf_tracing_type__(self, context: Any) -> Any:
        return self._type_spec


recognised_as("python.data.ops.dataset_ops")(DatasetV2)
BaseDataset.public = DatasetV2


@export("data.NumpyIterator")
class NumpyIterator:
    """What `as_numpy_iterator` gives. Mirrors `tf.data.NumpyIterator`.

    Args:
      dataset: whose elements they are.
    """

    def __init__(self, dataset: Any) -> None:
        for leaf in leaves(dataset.element_spec):
            if isinstance(leaf, DatasetSpec):
                raise TypeError(
                    f"`tf.data.Dataset.as_numpy_iterator()` is not supported for datasets that produce values of type "
                    f"{leaf.value_type}"
                )
        self._iterator = iter(dataset)

    def __iter__(self) -> PythonIterator[Any]:
        return self

    def __next__(self) -> Any:
        return mapped(_as_numpy, next(self._iterator))

    def next(self) -> Any:
        """The next element."""
        return next(self)


def _as_numpy(leaf: Any) -> Any:
    if isinstance(leaf, EagerTensor):
        return leaf.numpy()
    if isinstance(leaf, SparseTensor):
        return to_dense(leaf).numpy()
    if leaf is None:
        return None
    return leaf.numpy() if hasattr(leaf, "numpy") else nest.map_structure(_as_numpy, leaf, expand_composites=True)


@export("data.experimental.assert_cardinality")
def assert_cardinality(expected_cardinality: Any) -> Callable[[Any], Any]:
    """For `apply`: the same elements, of which there must be so many. Mirrors `tf.data.experimental.assert_cardinality`."""
    count = int(np.asarray(whole(expected_cardinality, "assert_cardinality").array))
    return lambda dataset: dataset.made(dataset.structure, lambda node: AssertCardinality(node, count), dataset)


@export("data.experimental.cardinality")
def cardinality(dataset: Any) -> Tensor:
    """`dataset.cardinality()`. Mirrors `tf.data.experimental.cardinality`."""
    found: Tensor = dataset.cardinality()
    return found


def _asking(value: Any) -> Any:
    """A `for` over a dataset or iterator in a function asks for elements as long as there are some."""
    iterator = iterator_of(value) if isinstance(value, BaseDataset) else value
    if not isinstance(iterator, OwnedIterator):
        return None
    return Asking(iterator.has_next, iterator.get_next, relaxes=iterator is not value)


found_by.append(_asking)
