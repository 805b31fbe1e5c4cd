"""What all datasets share: a node, or the tensor that stands for one in a graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, ClassVar

import numpy as np

from tfgrad_jax.engine.graph.graph import NeedsValue, SymbolicTensor
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.run.execute import execute
from tfgrad_jax.engine.state.trackable import Trackable
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.composite import Composite, CompositeSpec
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.specs import TensorSpec
from tfgrad_jax.engine.values.tensor import EagerTensor, Spec, Tensor
from tfgrad_jax.lib.data.functions import Mapped
from tfgrad_jax.lib.data.leaves import batch_spec, row_spec
from tfgrad_jax.lib.data.nodes.node import Node, handle, unboxed
from tfgrad_jax.lib.data.structure import Structure, check_compatible


def host_operation(
    name: str,
    run: Callable[[Sequence[Tensor]], list[Tensor]],
    specs: Sequence[Spec],
    operands: Sequence[Any],
    joins: bool = False,
) -> list[Tensor]:
    """Record Python code in the graph that is being made: it runs each time the graph does; with `joins` as of `Kernel`."""

    def fn(*arrays: Any) -> Any:
        raise NeedsValue(f"{name}: Python runs in the middle of the function")

    kernel = Kernel(name, fn, differentiable=0, stateful=True, interpret=run)
    kernel.whole, kernel.joins = False, joins
    kernel.typed = list(specs)
    return list(execute(kernel, tuple(operands)))


_VARIANT = Spec.of(dtypes.variant, ())


class BaseDataset(Trackable, Composite):
    """A dataset: the type of its elements, and a tensor whose value is its node."""

    public: ClassVar[type]
    """The class of the datasets that transformations make."""

    _structure: Structure
    _variant: Tensor
    _inputs: tuple[BaseDataset, ...] = ()
    """The datasets it was made of. Programs watch when theirs is gone, which is not before whatever reads it."""

    @classmethod
    def of(cls, node: Node) -> Any:
        """The dataset with this node."""
        dataset: Any = object.__new__(cls.public)
        dataset._adopt(node.structure, handle(node))
        return dataset

    def _adopt(self, structure: Structure, variant: Tensor) -> None:
        self._structure = structure
        self._variant = variant

    @classmethod
    def made(
        cls, structure: Structure, build: Callable[..., Node], *operands: Any, anew: bool = False, name: str = "Dataset"
    ) -> Any:
        """A dataset whose node is made of what other datasets, functions and tensors are when it is needed.

        Args:
          structure: of its elements.
          build: makes the node of nodes, `Mapped`s and arrays.
          operands: datasets, `Mapped`s, and what converts to tensors.
          anew: whether a graph makes it each time it runs, whatever it is made of: its random order begins anew then.
          name: of the operation in a graph that makes it.
        """
        tensors: list[Tensor] = []
        takers: list[Callable[[Any], Any]] = []
        for operand in operands:
            if isinstance(operand, BaseDataset):
                tensors.append(operand._variant)
                takers.append(lambda rest: unboxed(next(rest)))
            elif isinstance(operand, Mapped):
                tensors += operand.captured
                takers.append(partial(_bound, operand))
            else:
                tensors.append(convert(operand))
                takers.append(lambda rest: np.asarray(next(rest).array))

        def node(given: Sequence[Tensor]) -> Node:
            rest = iter(given)
            return build(*[take(rest) for take in takers])

        dataset: Any = object.__new__(cls.public)
        if any(isinstance(t, SymbolicTensor) for t in tensors) or (anew and context.graph is not None):
            (variant,) = host_operation(name, lambda given: [handle(node(given))], [_VARIANT], tensors)
        else:
            variant = handle(node(tensors))
        dataset._adopt(structure, variant)
        dataset._inputs = tuple(operand for operand in operands if isinstance(operand, BaseDataset))
        return dataset

    def adopted(self, node: Node) -> None:
        """Be the dataset with this node: for constructors of subclasses."""
        self._adopt(node.structure, handle(node))

    @property
    def node(self) -> Node:
        """The node.

        Raises:
          NotImplementedError: in a graph, where it is not known.
          AttributeError: if these are several datasets, as in a batch of them.
        """
        if isinstance(self._variant, SymbolicTensor):
            raise NotImplementedError("a dataset made of a graph's tensors has no value while the graph is being made")
        if self._variant.spec.shape:
            raise AttributeError(
                f"these are datasets of shape {self._variant.shape}, as in a batch of them, and not one dataset: `unbatch` and "
                f"tf.data.Dataset.from_tensor_slices take them apart"
            )
        found: Node = unboxed(self._variant)
        return found

    @property
    def structure(self) -> Structure:
        """The type of the elements."""
        return self._structure

    @property
    def element_spec(self) -> Any:
        """The type of the elements: a nest of `tf.TypeSpec`s."""
        return self._structure.spec

    @property
    def _type_spec(self) -> DatasetSpec:
        return DatasetSpec(self.element_spec, self._variant.shape)

    @property
    def _variant_tensor(self) -> Tensor:
        return self._variant

    @classmethod
    def side_by_side(cls, datasets: Sequence[Any]) -> Any:
        """Several datasets as one value, whose rows they are."""
        nodes = np.empty(len(datasets), object)
        for place, dataset in enumerate(datasets):
            check_compatible(datasets[0].element_spec, dataset.element_spec, "tf.data.Dataset.from_tensor_slices")
            nodes[place] = dataset.node
        return cls.from_variant(datasets[0].structure, EagerTensor(nodes, Spec.of(dtypes.variant, nodes.shape)))

    @classmethod
    def from_variant(cls, structure: Structure, variant: Any) -> Any:
        """The dataset that a tensor stands for."""
        dataset: Any = object.__new__(cls.public)
        dataset._adopt(structure, variant)
        return dataset


def _bound(function: Mapped, rest: Iterator[Tensor]) -> Mapped:
    return function.bound([next(rest) for _ in function.captured])


class DatasetSpec(CompositeSpec):
    """The type of a dataset (`tf.data.DatasetSpec`).

    Args:
      element_spec: a nest of `tf.TypeSpec`s.
      dataset_shape: the shape of a tensor of datasets.
    """

    describes_others = True

    def __init__(self, element_spec: Any, dataset_shape: Any = ()) -> None:
        self._element_spec = element_spec
        self._dataset_shape = TensorShape(dataset_shape)

    @property
    def value_type(self) -> Any:
        return BaseDataset.public

    @property
    def element_spec(self) -> Any:
        """The type of the elements."""
        return self._element_spec

    def _serialize(self) -> tuple[Any, ...]:
        return self._element_spec, self._dataset_shape

    @property
    def _component_specs(self) -> Any:
        return (TensorSpec(self._dataset_shape, dtypes.variant),)

    def _to_components(self, value: Any) -> Any:
        return (value._variant_tensor,)

    def _from_components(self, components: Any) -> Any:
        return BaseDataset.from_variant(Structure(self._element_spec), components[0])

    @property
    def dataset_shape(self) -> TensorShape:
        """The shape of a tensor of datasets."""
        return self._dataset_shape

    @classmethod
    def from_value(cls, value: Any) -> DatasetSpec:
        """The type of a dataset."""
        return cls(value.element_spec)

    def __repr__(self) -> str:
        return f"DatasetSpec({self._element_spec!r}, {self._dataset_shape!r})"


@batch_spec.register
def _(leaf: DatasetSpec, count: int | None) -> DatasetSpec:
    return DatasetSpec(leaf.element_spec, TensorShape([count]).concatenate(leaf.dataset_shape))


@row_spec.register
def _(leaf: DatasetSpec) -> DatasetSpec:
    return DatasetSpec(leaf.element_spec, leaf.dataset_shape[1:])
