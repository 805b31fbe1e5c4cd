"""`tensorflow.python.data.util`: nests and types of elements, options, seeds. A list is no level of an element, it is a tensor."""

from __future__ import annotations

import collections
import itertools
from collections.abc import Callable, Mapping
from typing import Any

from tfgrad_jax.composite.ragged.tensor import RaggedTensorSpec
from tfgrad_jax.composite.sparse_tensor import SparseTensor, SparseTensorSpec
from tfgrad_jax.composite.tensor_array import TensorArraySpec
from tfgrad_jax.engine.messages.logging import warn
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes, nest
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.shapes import TensorShape, as_shape
from tfgrad_jax.engine.values.specs import TensorSpec, TypeSpec
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.data.random_numbers import seeds_for
from tfgrad_jax.lib.data.structure import Structure, is_structure, leaves, mapped, packed, taken_apart
from tfgrad_jax.lib.private import nests

_N, _S, _O, _C, _P = (f"python.data.util.{module}." for module in ("nest", "structure", "options", "convert", "sparse"))


class _Leaf:
    """A leaf of an element, whatever it is to other nests."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __repr__(self) -> str:
        return repr(self.value)


def _closed(structure: Any) -> Any:
    return mapped(_Leaf, structure)


@export(_N + "is_nested")
def is_nested(structure: Any) -> bool:
    """Whether it has levels: whether it is a tuple, a mapping or an attrs object."""
    return is_structure(structure)


@export(_N + "assert_same_structure")
def assert_same_structure(nest1: Any, nest2: Any, check_types: bool = True) -> None:
    """Check that two nests have the same levels.

    Raises:
      TypeError: if a level is of another type.
      ValueError: if a level has other parts.
    """
    nest.assert_same_structure(_closed(nest1), _closed(nest2), check_types)


@export(_N + "pack_sequence_as")
def pack_sequence_as(structure: Any, flat_sequence: Any) -> Any:
    """A nest of the same levels with these leaves.

    Raises:
      TypeError: if the leaves are no list or tuple.
      ValueError: if there are more or fewer of them than leaves.
    """
    if not isinstance(flat_sequence, (list, tuple)):
        raise TypeError(f"Argument `flat_sequence` must be a sequence. Got {type(flat_sequence).__name__!r}.")
    count = len(leaves(structure))
    if not is_structure(structure) and len(flat_sequence) != 1:
        raise ValueError(f"Argument `structure` is a scalar but `len(flat_sequence)`={len(flat_sequence)} > 1")
    if count != len(flat_sequence):
        raise ValueError(
            f"Could not pack sequence. Argument `structure` had {count} elements, but argument `flat_sequence` had "
            f"{len(flat_sequence)} elements. Received structure: {structure}, flat_sequence: {flat_sequence}."
        )
    return packed(structure, iter(flat_sequence))


@export(_N + "map_structure")
def map_structure(func: Callable[..., Any], *structure: Any, **check_types_dict: Any) -> Any:
    """`func(leaves...)` in the same structure.

    Raises:
      TypeError: if `func` is none, or a level is of another type.
      ValueError: if there is no structure, or a level has other parts.
    """
    if not callable(func):
        raise TypeError(f"Argument `func` must be callable, got: {func}")
    if not structure:
        raise ValueError("Must provide at least one structure")
    if unknown := check_types_dict.keys() - {"check_types"}:
        raise ValueError(f"Only valid keyword argument for `check_types_dict` is 'check_types'. Got {sorted(unknown)}.")
    for other in structure[1:]:
        assert_same_structure(structure[0], other, **check_types_dict)
    return packed(structure[0], iter([func(*parts) for parts in zip(*map(leaves, structure))]))


@export(_N + "assert_shallow_structure")
def assert_shallow_structure(shallow_tree: Any, input_tree: Any, check_types: bool = True) -> None:
    """Check that a nest has the levels of a shallower one.

    Raises:
      TypeError: if a level is of another kind.
      ValueError: if a level has other parts.
    """
    mappings = isinstance(shallow_tree, Mapping) and isinstance(input_tree, Mapping)
    if mappings and len(shallow_tree) == len(input_tree) and {*shallow_tree} != {*input_tree}:
        raise ValueError(
            "The two structures don't have the same keys. Input structure has keys "
            f"{[*input_tree]}, while shallow structure has keys {[*shallow_tree]}."
        )
    if is_structure(shallow_tree) and not is_structure(input_tree):
        raise TypeError(
            "If shallow structure is a sequence, input must also be a sequence. "
            f"Input has type: {type(input_tree).__name__!r}."
        )
    nests.assert_shallow_structure(_closed(shallow_tree), _closed(input_tree), check_types)


@export(_N + "flatten_up_to")
def flatten_up_to(shallow_tree: Any, input_tree: Any) -> list[Any]:
    """The parts of a nest where a shallower one has leaves."""
    assert_shallow_structure(shallow_tree, input_tree)
    found = nests.flatten_up_to(_closed(shallow_tree), _closed(input_tree))
    return [part.value if isinstance(part, _Leaf) else mapped(lambda leaf: leaf.value, part) for part in found]


@export(_N + "map_structure_up_to")
def map_structure_up_to(shallow_tree: Any, func: Callable[..., Any], *inputs: Any) -> Any:
    """`func(parts...)` where a shallow nest has leaves, in its structure.

    Raises:
      ValueError: if there are no nests.
    """
    if not inputs:
        raise ValueError("Argument `inputs` is empty. Cannot map over no sequences.")
    flat = [flatten_up_to(shallow_tree, one) for one in inputs]
    return pack_sequence_as(shallow_tree, [func(*parts) for parts in zip(*flat)])


@export(_S + "_TensorStructure")
def tensor_structure(dtype: Any, shape: Any) -> TensorSpec:
    """The type of a tensor."""
    return TensorSpec(shape, dtype)


@export(_S + "_SparseTensorStructure")
def sparse_tensor_structure(dtype: Any, shape: Any) -> SparseTensorSpec:
    """The type of a sparse tensor."""
    return SparseTensorSpec(shape, dtype)


@export(_S + "_RaggedTensorStructure")
def ragged_tensor_structure(dtype: Any, shape: Any, ragged_rank: int) -> RaggedTensorSpec:
    """The type of a ragged tensor."""
    return RaggedTensorSpec(shape, dtype, ragged_rank)


@export(_S + "_TensorArrayStructure")
def tensor_array_structure(dtype: Any, element_shape: Any, dynamic_size: bool, infer_shape: bool) -> TensorArraySpec:
    """The type of an array of tensors."""
    return TensorArraySpec(element_shape, dtype, dynamic_size, infer_shape)


@export(_S + "type_spec_from_value")
def type_spec_from_value(element: Any, use_fallback: bool = True) -> Any:
    """The type of an element.

    Raises:
      TypeError: if a leaf has none.
    """
    if isinstance(element, TypeSpec):
        return element
    try:
        return taken_apart(element)[0]
    except (TypeError, ValueError):
        raise TypeError(f"Could not build a `TypeSpec` for {element} with type {type(element).__name__}") from None


@export(_S + "normalize_element")
def normalize_element(element: Any, element_signature: Any = None) -> Any:
    """An element with tensors in place of other values, of the types of a signature where there is one."""
    if element_signature is None:
        spec, tensors = taken_apart(element)
        return Structure(spec).pack(tensors)
    values = flatten_up_to(element_signature, element)
    made = [
        convert(value, spec.dtype) if isinstance(spec, TensorSpec) else value
        for value, spec in zip(values, leaves(element_signature))
    ]
    return packed(element_signature, iter(made))


@export(_S + "convert_legacy_structure")
def convert_legacy_structure(output_types: Any, output_shapes: Any, output_classes: Any) -> Any:
    """The type of elements of these dtypes, shapes and classes.

    Raises:
      TypeError: if a class is none of tensors.
    """

    def leaf(dtype: Any, shape: Any, cls: Any) -> Any:
        if isinstance(cls, TypeSpec):
            return cls
        if cls is Tensor:
            return TensorSpec(as_shape(shape), dtype)
        if cls is SparseTensor:
            return SparseTensorSpec(as_shape(shape), dtype)
        raise TypeError(
            f"Could not build a structure for output class {cls}. Make sure any component class in `output_classes` is one of "
            "`tf.Tensor` and `tf.SparseTensor`, or is a `tf.TypeSpec`."
        )

    shapes = flatten_up_to(output_types, output_shapes)
    classes = flatten_up_to(output_types, output_classes)
    return packed(output_types, iter([leaf(*one) for one in zip(leaves(output_types), shapes, classes)]))


@export(_S + "are_compatible")
def are_compatible(spec1: Any, spec2: Any) -> bool:
    """Whether elements of one type are of the other one."""
    try:
        assert_same_structure(spec1, spec2)
    except (TypeError, ValueError):
        return False
    return all(b.is_compatible_with(a) for a, b in zip(leaves(spec1), leaves(spec2)))


@export(_S + "get_flat_tensor_specs")
def get_flat_tensor_specs(element_spec: Any) -> list[TensorSpec]:
    """The types of the tensors that an element consists of; composites consist of their parts."""
    return Structure(element_spec).flat


@export(_S + "get_flat_tensor_shapes")
def get_flat_tensor_shapes(element_spec: Any) -> list[TensorShape]:
    """The shapes of the tensors that an element consists of."""
    return [spec.shape for spec in Structure(element_spec).flat]


@export(_S + "get_flat_tensor_types")
def get_flat_tensor_types(element_spec: Any) -> list[Any]:
    """The dtypes of the tensors that an element consists of."""
    return [spec.dtype for spec in Structure(element_spec).flat]


@export(_S + "to_tensor_list")
def to_tensor_list(element_spec: Any, element: Any) -> list[Tensor]:
    """The tensors that an element consists of.

    Raises:
      ValueError: if it is not of the type.
    """
    spec, tensors = taken_apart(element)
    if not are_compatible(spec, element_spec):
        raise ValueError(f"The element {element} is not compatible with the structure {element_spec}.")
    return tensors


@export(_S + "from_tensor_list", _S + "from_compatible_tensor_list")
def from_tensor_list(element_spec: Any, tensor_list: Any) -> Any:
    """The element that consists of these tensors.

    Raises:
      ValueError: if there are more or fewer, or one is of another type.
    """
    structure = Structure(element_spec)
    if len(tensor_list) != len(structure.flat):
        raise ValueError(f"Expected {len(structure.flat)} tensors but got {len(tensor_list)}.")
    for spec, tensor in zip(structure.flat, tensor_list):
        if not spec.is_compatible_with(tensor):
            raise ValueError(f"Incompatible input: a tensor {tensor} where the structure has {spec}")
    return structure.pack(tensor_list)


@export(_P + "any_sparse")
def any_sparse(classes: Any) -> bool:
    """Whether a nest of classes has that of sparse tensors."""
    return any(cls is SparseTensor for cls in leaves(classes))


@export(_P + "get_classes")
def get_classes(tensors: Any) -> Any:
    """The class of each tensor of a nest: that of sparse ones, or that of tensors."""
    return mapped(lambda x: SparseTensor if isinstance(x, SparseTensor) else Tensor, tensors)


@export(_P + "as_dense_shapes")
def as_dense_shapes(shapes: Any, classes: Any) -> Any:
    """A nest of shapes, unknown ones for sparse tensors."""
    pairs = zip(flatten_up_to(classes, shapes), leaves(classes))
    return packed(classes, iter([TensorShape(None) if cls is SparseTensor else shape for shape, cls in pairs]))


@export(_P + "as_dense_types")
def as_dense_types(types: Any, classes: Any) -> Any:
    """A nest of dtypes, `variant` for sparse tensors."""
    pairs = zip(leaves(types), leaves(classes))
    return packed(classes, iter([dtypes.variant if cls is SparseTensor else dtype for dtype, cls in pairs]))


@export("python.data.util.random_seed.get_seed")
def get_seed(seed: Any) -> tuple[Tensor, Tensor]:
    """The two seeds of a dataset, as tensors."""
    first, second = (convert(one, dtypes.int64) for one in seeds_for(seed))
    return first, second


@export(_C + "optional_param_to_tensor")
def optional_param_to_tensor(
    argument_name: str, argument_value: Any, argument_default: Any = 0, argument_dtype: Any = dtypes.int64
) -> Tensor:
    """An argument as a tensor, or its default where it is None."""
    return convert(argument_default if argument_value is None else argument_value, argument_dtype)


@export(_C + "partial_shape_to_tensor")
def partial_shape_to_tensor(shape_like: Any) -> Tensor:
    """A shape as a vector of int64 with -1 for sizes that are not known.

    Raises:
      TypeError: if a tensor is given that is not of int64.
      ValueError: if it is no vector.
    """
    if not isinstance(shape_like, Tensor):
        return convert([-1 if size is None else size for size in as_shape(shape_like).as_list()], dtypes.int64)
    if shape_like.shape.rank not in (None, 1):
        raise ValueError(
            f"The given shape {shape_like} must be a 1-D tensor of `tf.int64` values, but the shape was {shape_like.shape}."
        )
    if shape_like.dtype != dtypes.int64:
        raise TypeError(
            f"The given shape {shape_like} must be a 1-D tensor of `tf.int64` values, but the element type was "
            f"{shape_like.dtype.name}."
        )
    return shape_like


@export(_O + "OptionsBase")
class OptionsBase:
    """Settings that `create_option` declares, each None or its default until it is set."""

    def __init__(self) -> None:
        object.__setattr__(self, "_options", {})
        object.__setattr__(self, "_mutable", True)

    def __eq__(self, other: Any) -> Any:
        if not isinstance(other, type(self)):
            return NotImplemented
        return all(getattr(self, n) == getattr(other, n) for n in {*self._options, *other._options})

    __hash__ = None  # type: ignore[assignment]

    def __setattr__(self, name: str, value: Any) -> None:
        if not self._mutable:
            raise ValueError(
                f"The option {name} of a dataset cannot be set: use `tf.data.Dataset.with_options(options)`."
            )
        if not hasattr(self, name):
            raise AttributeError(f"Cannot set the property {name} on {type(self).__name__}.")
        object.__setattr__(self, name, value)

    def _set_mutable(self, mutable: bool) -> None:
        object.__setattr__(self, "_mutable", mutable)

    _options: dict[str, Any]
    _mutable: bool


@export(_O + "create_option")
def create_option(name: str, ty: Any, docstring: str, default_factory: Callable[[], Any] = lambda: None) -> Any:
    """A setting of a type, as a property."""

    def get(options: Any) -> Any:
        return options._options.setdefault(name, default_factory())

    def put(options: Any, value: Any) -> None:
        if not isinstance(value, ty):
            raise TypeError(f'Property "{name}" must be of type {ty}, got: {value} (type: {type(value)})')
        options._options[name] = value

    return property(get, put, None, docstring)


@export(_O + "graph_rewrites")
def graph_rewrites() -> Any:
    """The type of three lists of names."""
    return collections.namedtuple("GraphRewrites", ["enabled", "disabled", "default"])


@export(_O + "merge_options")
def merge_options(*options_list: Any) -> Any:
    """The settings of all, of the last one that has each.

    Raises:
      TypeError: if they are of different types, or none of options.
      ValueError: if there are none.
    """
    if not options_list:
        raise ValueError("At least one options should be provided")
    kind = type(options_list[0])
    if wrong := [type(options) for options in options_list if not isinstance(options, kind)]:
        raise TypeError(f"Could not merge incompatible options of type {wrong[0]} and {kind}.")
    if hasattr(kind, "over"):
        return list(itertools.accumulate(options_list, lambda merged, one: merged.merge(one)))[-1]
    if not issubclass(kind, OptionsBase):
        raise TypeError(f"All options to be merged should inherit from `OptionsBase` but found option of type {kind}.")
    default, merged = kind(), kind()
    for options in options_list:
        for name in options._options:
            mine, value = getattr(merged, name), getattr(options, name)
            if value == getattr(default, name):
                continue
            if isinstance(mine, OptionsBase):
                value = merge_options(mine, value)
            elif mine not in (getattr(default, name), value):
                warn("Changing the value of option %s from %r to %r.", name, mine, value)
            setattr(merged, name, value)
    return merged
