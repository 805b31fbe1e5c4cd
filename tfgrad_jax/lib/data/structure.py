"""Elements of datasets: nests of tensors and composites, and the flat tuples of arrays that nodes hand on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from tfgrad_jax.composite.ragged.tensor import RaggedTensor
from tfgrad_jax.composite.ragged.values import RaggedTensorValue
from tfgrad_jax.composite.sparse_tensor import SparseTensor, SparseTensorValue
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes, nest
from tfgrad_jax.engine.values.composite import Traveller, component_specs, components, is_composite, rebuild, spec_of
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import as_dtype
from tfgrad_jax.engine.values.shapes import as_shape
from tfgrad_jax.engine.values.specs import TensorSpec, TypeSpec
from tfgrad_jax.engine.values.tensor import EagerTensor, Spec, Tensor


def convert_to_composite(value: SparseTensorValue | RaggedTensorValue) -> Any:
    """The tensor of a value of version 1."""
    if isinstance(value, SparseTensorValue):
        return SparseTensor.from_value(value)
    return RaggedTensor.from_nested_row_splits(value.flat_values, value.nested_row_splits)


class NoneTensorSpec(TypeSpec):
    """The type of a None in an element."""

    @property
    def value_type(self) -> Any:
        return type(None)

    def _serialize(self) -> tuple[Any, ...]:
        return ()

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        return spec_or_value is None or isinstance(spec_or_value, NoneTensorSpec)


def is_structure(value: Any) -> bool:
    """Whether a value is a nest to datasets: a tuple, mapping or attrs object. A list stands for a tensor."""
    if isinstance(value, SparseTensorValue):
        return False
    return isinstance(value, (tuple, Mapping)) or hasattr(type(value), "__attrs_attrs__")


def children(structure: Any) -> list[Any]:
    """What stands in one level of a structure, in order: mappings by sorted keys."""
    return list(nest.children_of(structure))


def mapped(function: Callable[[Any], Any], structure: Any) -> Any:
    """A structure of the same shape with the function of each leaf."""
    if is_structure(structure):
        return nest.like(structure, [mapped(function, child) for child in children(structure)])
    return function(structure)


def leaves(structure: Any) -> list[Any]:
    """The leaves in order."""
    if is_structure(structure):
        return [leaf for child in children(structure) for leaf in leaves(child)]
    return [structure]


def packed(structure: Any, values: Iterator[Any]) -> Any:
    """A structure of the same shape with these leaves."""
    return mapped(lambda _: next(values), structure)


def taken_apart(value: Any) -> tuple[Any, list[Tensor]]:
    """The spec of an element, and its components: Python values become tensors.

    Raises:
      TypeError, ValueError: if a leaf cannot become a tensor.
    """
    tensors: list[Tensor] = []

    def take(leaf: Any) -> Any:
        if leaf is None:
            return NoneTensorSpec()
        if isinstance(leaf, (SparseTensorValue, RaggedTensorValue)):
            leaf = convert_to_composite(leaf)
        if isinstance(leaf, Traveller):
            held = leaf.value()
            if held is None:
                raise ValueError(
                    f"{leaf!r} has no elements yet, and nobody knows their shape: give it an element_shape"
                )
            tensors.append(held)
            return spec_of(leaf)
        if is_composite(leaf):
            tensors.extend(nest.flatten(components(leaf), expand_composites=True))
            return spec_of(leaf)
        tensor = convert(_stacked(leaf) if isinstance(leaf, list) else leaf)
        tensors.append(tensor)
        return TensorSpec(tensor.shape, tensor.dtype)

    return mapped(take, value), tensors


def _stacked(value: Any) -> Any:
    """A list that holds nothing but arrays as one array: it keeps their dtype, where elsewhere their numbers count as Python's."""
    if not value or not all([isinstance(v, (list, np.ndarray)) for v in value]):
        return value
    rows = [_stacked(v) if isinstance(v, list) else v for v in value]
    known = all([isinstance(r, np.ndarray) and r.dtype != object for r in rows]) and len({r.shape for r in rows}) == 1
    return np.stack(rows) if known else value


def arrays_of(tensors: Sequence[Tensor]) -> tuple[Any, ...]:
    """Values on the host."""
    return tuple([t.held if type(t.held) is np.ndarray else np.asarray(t.array) for t in tensors])


class Structure:
    """The type of elements.

    Args:
      spec: a nest of type specs; None if it is not known yet.

    Attributes:
      flat: the specs of the components, in order: those of composites are taken apart.
      groups: for each leaf, its spec, and the positions of its components.
      is_plain: whether all leaves are tensors.
    """

    def __init__(self, spec: Any) -> None:
        self.spec = spec
        self.flat: list[TensorSpec] = []
        self.groups: list[tuple[Any, range]] = []
        for leaf in leaves(spec):
            start = len(self.flat)
            self.flat += _component_specs(leaf)
            self.groups.append((leaf, range(start, len(self.flat))))
        self.is_plain = all(isinstance(leaf, TensorSpec) for leaf, _ in self.groups)
        self._types = [
            Spec.of(s.dtype, ()) if s.dtype in (dtypes.variant, dtypes.resource) else None for s in self.flat
        ]
        self._tuple = self.is_plain and type(spec) is tuple and not any(map(is_structure, spec))
        self._named = self.is_plain and type(spec) is dict and not any(map(is_structure, spec.values()))
        self._keys = sorted(spec) if self._named else []
        self._bare = isinstance(spec, TensorSpec)

    def tensors(self, arrays: Sequence[Any]) -> list[Tensor]:
        """The components as tensors."""
        return [_tensor(a, t) for a, t in zip(arrays, self._types, strict=True)]

    def element(self, arrays: Sequence[Any]) -> Any:
        """The element of these components, as the user sees it."""
        if self._bare:
            return _tensor(arrays[0], self._types[0])
        if self._tuple:
            return tuple([_tensor(a, t) for a, t in zip(arrays, self._types, strict=True)])
        return self.pack(self.tensors(arrays))

    def pack(self, tensors: Sequence[Any]) -> Any:
        """The element that has these tensors as components."""
        if self._named:
            found = dict(zip(self._keys, tensors, strict=True))
            return {key: found[key] for key in self.spec}
        rest = iter(tensors)
        return packed(self.spec, iter([_leaf(leaf, rest) for leaf, _ in self.groups]))


def _tensor(array: Any, handles: Spec | None) -> EagerTensor:
    """A component as a tensor; of an array of handles, only the dtype is known before."""
    return EagerTensor(array, handles if handles is None or not array.shape else Spec.of(handles.dtype, array.shape))


def _leaf(spec: Any, rest: Iterator[Any]) -> Any:
    if isinstance(spec, TensorSpec):
        return next(rest)
    if isinstance(spec, NoneTensorSpec):
        return None
    return rebuild(spec, nest.map_structure(lambda part: _leaf(part, rest), component_specs(spec)))


def _component_specs(leaf: Any) -> list[TensorSpec]:
    if isinstance(leaf, TensorSpec):
        return [leaf]
    if leaf is None or isinstance(leaf, NoneTensorSpec):
        return []
    return [spec for part in nest.flatten(component_specs(leaf)) for spec in _component_specs(part)]


def check_compatible(expected: Any, given: Any, what: str) -> None:
    """That elements of one type may stand where those of another are expected.

    Raises:
      TypeError: if they may not.
    """
    a, b = leaves(expected), leaves(given)
    if len(a) != len(b) or not all(x.is_compatible_with(y) for x, y in zip(a, b, strict=True)):
        raise TypeError(f"{what}: expected elements of type {expected}, got {given}")


def same_nest(a: Any, b: Any) -> bool:
    """Whether two structures have the same shape."""
    if is_structure(a) != is_structure(b):
        return False
    if not is_structure(a):
        return True
    if isinstance(a, Mapping) and isinstance(b, Mapping) and sorted(a) != sorted(b):
        return False
    x, y = children(a), children(b)
    return len(x) == len(y) and all(map(same_nest, x, y))


def relaxed(a: Any, b: Any) -> Any:
    """The narrowest structure that covers both; None if there is none."""
    if not same_nest(a, b):
        return None
    found = [x.most_specific_common_supertype([y]) for x, y in zip(leaves(a), leaves(b), strict=True)]
    return None if any(f is None for f in found) else packed(a, iter(found))


def structure_of(types: Any, shapes: Any) -> Any:
    """The structure that `output_types` and `output_shapes` describe."""
    if is_structure(types):
        if shapes is None:
            return mapped(lambda t: TensorSpec(None, as_dtype(t)), types)
        inner = children(shapes) if is_structure(shapes) else list(shapes)
        return nest.like(types, [structure_of(t, s) for t, s in zip(children(types), inner, strict=True)])
    return TensorSpec(as_shape(shapes), as_dtype(types))


@export("data.experimental.get_structure")
def get_structure(dataset_or_iterator: Any) -> Any:
    """The `element_spec` of a dataset or iterator. Mirrors `tf.data.experimental.get_structure`.

    Raises:
      TypeError: if it has none.
    """
    try:
        return dataset_or_iterator.element_spec
    except AttributeError:
        raise TypeError(
            f"Invalid `dataset_or_iterator`. `dataset_or_iterator` must be a `tf.data.Dataset` or tf.data.Iterator object, but "
            f"got {type(dataset_or_iterator)}."
        ) from None
