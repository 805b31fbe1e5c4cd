"""`tensorflow.python.util.nest`: nests flattened to a depth, and with paths. TensorFlow Probability calls them all over."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol, runtime_checkable

from tfgrad_jax.engine.names.export import export, export_value
from tfgrad_jax.engine.values import nest
from tfgrad_jax.engine.values.composite import is_composite

_PRIVATE, _INTERNAL = "python.util.nest.", "__internal__.nest."

_MESSAGES = {
    "STRUCTURES_HAVE_MISMATCHING_TYPES": "The two structures don't have the same sequence type. Input structure has type "
    "{input_type}, while shallow structure has type {shallow_type}.",
    "STRUCTURES_HAVE_MISMATCHING_LENGTHS": "The two structures don't have the same sequence length. Input structure has "
    "length {input_length}, while shallow structure has length {shallow_length}.",
    "INPUT_TREE_SMALLER_THAN_SHALLOW_TREE": "The input_tree has fewer items than the shallow_tree. Input structure has length "
    "{input_size}, while shallow structure has length {shallow_size}.",
    "SHALLOW_TREE_HAS_INVALID_KEYS": "The shallow_tree's keys are not a subset of the input_tree's keys. The shallow_tree has "
    "the following keys that are not in the input_tree: {}.",
    "IF_SHALLOW_IS_SEQ_INPUT_MUST_BE_SEQ": "If shallow structure is a sequence, input must also be a sequence. Input has type: {}.",
}
for _name, _text in _MESSAGES.items():
    export_value(_text, _PRIVATE + _name, f"python.util.nest_util.{_name}")


@export("python.util.custom_nest_protocol.CustomNestProtocol", "python.util.nest_util.CustomNestProtocol")
@runtime_checkable
class CustomNestProtocol(Protocol):
    """A class whose objects nests take apart and make again."""

    def __tf_flatten__(self) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """What makes such an object besides its parts, and its parts."""

    @classmethod
    def __tf_unflatten__(cls, metadata: tuple[Any, ...], components: tuple[Any, ...]) -> Any:
        """The object of both."""


@export(_INTERNAL + "is_mapping", _PRIVATE + "_is_mapping")
def is_mapping(obj: Any) -> bool:
    """Whether it is a mapping."""
    return isinstance(obj, Mapping)


@export(_INTERNAL + "is_attrs", _PRIVATE + "_is_attrs")
def is_attrs(obj: Any) -> bool:
    """Whether it is an object of an attrs class."""
    return hasattr(type(obj), "__attrs_attrs__")


@export(
    _PRIVATE + "is_nested_or_composite", _PRIVATE + "_is_nested_or_composite", _PRIVATE + "is_sequence_or_composite"
)
def is_nested_or_composite(seq: Any) -> bool:
    """Whether it is a nest, or a value made of tensors."""
    return nest.is_nested(seq) or is_composite(seq)


@export(_PRIVATE + "_is_namedtuple", _PRIVATE + "is_namedtuple")
def is_namedtuple(instance: Any, strict: bool = False) -> bool:
    """Whether it is a named tuple."""
    return isinstance(instance, tuple) and isinstance(getattr(instance, "_fields", None), tuple)


@export(_PRIVATE + "same_namedtuples")
def same_namedtuples(nest1: Any, nest2: Any) -> bool:
    """Whether two named tuples have the same name and fields."""
    return type(nest1).__name__ == type(nest2).__name__ and nest1._fields == nest2._fields


def _items(structure: Any) -> list[tuple[Any, Any]]:
    """The parts of one level with what they are called in paths, in the order of flattening."""
    if isinstance(structure, Mapping):
        return [(key, structure[key]) for key in sorted(structure)]
    if is_namedtuple(structure):
        return list(zip(structure._fields, structure))
    if is_attrs(structure):
        return [(field.name, getattr(structure, field.name)) for field in type(structure).__attrs_attrs__]
    return list(enumerate(nest.children_of(structure)))


@export(_PRIVATE + "_yield_value")
def yield_value(structure: Any) -> Iterator[Any]:
    """The parts of one level."""
    return (part for _, part in _items(structure))


@export(_PRIVATE + "_yield_sorted_items")
def yield_sorted_items(structure: Any) -> Iterator[tuple[Any, Any]]:
    """The parts of one level with their names."""
    return iter(_items(structure))


@export(_INTERNAL + "sequence_like")
def sequence_like(instance: Any, args: Any) -> Any:
    """A level like another one, of other parts."""
    return nest.like(instance, list(args))


@export(_PRIVATE + "assert_shallow_structure")
def assert_shallow_structure(
    shallow_tree: Any, input_tree: Any, check_types: bool = True, expand_composites: bool = False
) -> None:
    """Check that a nest has the levels of a shallower one.

    Raises:
      TypeError: if a level is of another kind.
      ValueError: if a level has other parts.
    """
    if not nest.is_nested(shallow_tree):
        return
    if not nest.is_nested(input_tree):
        raise TypeError(_MESSAGES["IF_SHALLOW_IS_SEQ_INPUT_MUST_BE_SEQ"].format(type(input_tree)))
    mappings = is_mapping(shallow_tree) and is_mapping(input_tree)
    if check_types and not mappings and type(shallow_tree) is not type(input_tree):
        same = is_namedtuple(shallow_tree) and is_namedtuple(input_tree) and shallow_tree._fields == input_tree._fields
        kin = isinstance(input_tree, type(shallow_tree)) or isinstance(shallow_tree, type(input_tree))
        if not same and not kin:
            text = _MESSAGES["STRUCTURES_HAVE_MISMATCHING_TYPES"]
            raise TypeError(text.format(input_type=type(input_tree), shallow_type=type(shallow_tree)))
    mine, theirs = _items(shallow_tree), _items(input_tree)
    if len(mine) != len(theirs):
        text = _MESSAGES["STRUCTURES_HAVE_MISMATCHING_LENGTHS"]
        raise ValueError(text.format(input_length=len(theirs), shallow_length=len(mine)))
    if mappings and set(shallow_tree) - set(input_tree):
        text = _MESSAGES["SHALLOW_TREE_HAS_INVALID_KEYS"]
        raise ValueError(text.format(sorted(set(shallow_tree) - set(input_tree))))
    for (_, a), (_, b) in zip(mine, theirs):
        assert_shallow_structure(a, b, check_types)


def _up_to(shallow: Any, structure: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    if not nest.is_nested(shallow):
        yield path, structure
        return
    for (name, part), (_, below) in zip(_items(shallow), _items(structure)):
        yield from _up_to(part, below, (*path, name))


@export(_PRIVATE + "flatten_with_tuple_paths_up_to")
def flatten_with_tuple_paths_up_to(
    shallow_tree: Any, input_tree: Any, check_types: bool = True, expand_composites: bool = False
) -> list[Any]:
    """The parts of a nest where a shallower one has leaves, with their paths."""
    assert_shallow_structure(shallow_tree, input_tree, check_types)
    return list(_up_to(shallow_tree, input_tree))


@export(_INTERNAL + "flatten_up_to")
def flatten_up_to(
    shallow_tree: Any, input_tree: Any, check_types: bool = True, expand_composites: bool = False
) -> list[Any]:
    """The parts of a nest where a shallower one has leaves."""
    return [part for _, part in flatten_with_tuple_paths_up_to(shallow_tree, input_tree, check_types)]


@export(_PRIVATE + "map_structure_with_tuple_paths_up_to")
def map_structure_with_tuple_paths_up_to(
    shallow_tree: Any, func: Callable[..., Any], *inputs: Any, **kwargs: Any
) -> Any:
    """`func(path, parts...)` where a shallow nest has leaves, in its structure."""
    kwargs.pop("expand_composites", None)
    check_types = kwargs.pop("check_types", True)
    flat = [flatten_with_tuple_paths_up_to(shallow_tree, structure, check_types) for structure in inputs]
    made = [func(parts[0][0], *(part for _, part in parts), **kwargs) for parts in zip(*flat)]
    return nest.pack_sequence_as(shallow_tree, made)


@export(_INTERNAL + "map_structure_up_to")
def map_structure_up_to(shallow_tree: Any, func: Callable[..., Any], *inputs: Any, **kwargs: Any) -> Any:
    """`func(parts...)` where a shallow nest has leaves, in its structure."""
    return map_structure_with_tuple_paths_up_to(
        shallow_tree, lambda _, *parts, **k: func(*parts, **k), *inputs, **kwargs
    )


@export(_PRIVATE + "flatten_with_tuple_paths")
def flatten_with_tuple_paths(structure: Any, expand_composites: bool = False) -> list[Any]:
    """The leaves with their paths."""
    return list(_up_to(structure, structure))


@export(_INTERNAL + "yield_flat_paths")
def yield_flat_paths(structure: Any, expand_composites: bool = False) -> Iterator[Any]:
    """The paths of the leaves."""
    return (path for path, _ in _up_to(structure, structure))


@export(_PRIVATE + "flatten_with_joined_string_paths")
def flatten_with_joined_string_paths(
    structure: Any, separator: str = "/", expand_composites: bool = False
) -> list[tuple[str, Any]]:
    """The leaves with their paths as texts."""
    return [(separator.join(map(str, path)), leaf) for path, leaf in _up_to(structure, structure)]


@export(_PRIVATE + "map_structure_with_tuple_paths")
def map_structure_with_tuple_paths(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """`func(path, leaves...)` in the same structure."""
    return map_structure_with_tuple_paths_up_to(structure[0], func, *structure, **kwargs)


@export(_PRIVATE + "map_structure_with_paths")
def map_structure_with_paths(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """`func(path as text, leaves...)` in the same structure."""
    return map_structure_with_tuple_paths(
        lambda path, *leaves, **k: func("/".join(map(str, path)), *leaves, **k), *structure, **kwargs
    )


@export(_INTERNAL + "get_traverse_shallow_structure")
def get_traverse_shallow_structure(
    traverse_fn: Callable[[Any], Any], structure: Any, expand_composites: bool = False
) -> Any:
    """The levels that a function says to go into: False where it stops, True at leaves.

    Raises:
      TypeError: if the function gives neither a bool nor a nest of them.
    """
    into = traverse_fn(structure)
    if not nest.is_nested(structure):
        if not isinstance(into, bool):
            raise TypeError(f"traverse_fn returned structure: {into} for non-structure: {structure}")
        return into
    if not isinstance(into, bool) and not nest.is_nested(into):
        raise TypeError(f"traverse_fn returned a non-bool scalar: {into} for input: {structure}")
    if not all(isinstance(part, bool) for part in nest.flatten(into)):
        raise TypeError(f"traverse_fn didn't return a depth=1 structure of bools. Received: {into} for {structure}")
    if isinstance(into, bool):
        if not into:
            return False
        parts = [get_traverse_shallow_structure(traverse_fn, part) for _, part in _items(structure)]
        return nest.like(structure, parts)
    levels = [
        get_traverse_shallow_structure(traverse_fn, part) if further else False
        for (_, part), (_, further) in zip(_items(structure), _items(into))
    ]
    return nest.like(structure, levels)


@export(_INTERNAL + "list_to_tuple")
def list_to_tuple(structure: Any) -> Any:
    """The same nest with tuples for lists."""
    if not nest.is_nested(structure):
        return structure
    parts = [list_to_tuple(part) for _, part in _items(structure)]
    return tuple(parts) if isinstance(structure, list) else nest.like(structure, parts)


@export(_PRIVATE + "flatten_dict_items")
def flatten_dict_items(dictionary: Mapping[Any, Any]) -> dict[Any, Any]:
    """A mapping whose keys are nests as one of their leaves.

    Raises:
      TypeError: if it is no mapping.
      ValueError: if a key comes twice, or has other parts than its value.
    """
    if not is_mapping(dictionary):
        raise TypeError(f"Argument `dictionary` must be a dictionary. Received: {dictionary!r}")
    flat: dict[Any, Any] = {}
    for keys, values in dictionary.items():
        names, parts = nest.flatten(keys), nest.flatten(values) if nest.is_nested(keys) else [values]
        if len(names) != len(parts):
            raise ValueError(
                f"Could not flatten dictionary. Key had {len(names)} elements, but value had {len(parts)} elements. "
                f"Key: {names}, value: {parts}."
            )
        for key, value in zip(names, parts, strict=True):
            if key in flat:
                raise ValueError(f"Cannot flatten dict because this key is not unique: {key}")
            flat[key] = value
    return flat


@export("python.data.util.nest.flatten")
def parts_of_element(structure: Any) -> list[Any]:
    """The parts of a nest of tuples and dictionaries: a list is one of them, as it becomes a tensor. TF-Agents calls it."""
    if isinstance(structure, dict):
        return [part for key in sorted(structure) for part in parts_of_element(structure[key])]
    if isinstance(structure, tuple):
        return [part for value in structure for part in parts_of_element(value)]
    return [structure]
