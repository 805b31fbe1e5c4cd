"""`tf.nest`: structures of lists, tuples, mappings and the like, with anything else as a leaf.

A structure is a `collections.abc.Sequence` (but no string), a mapping, a view of a mapping, an attrs object, or an
object with `__tf_flatten__` and `__tf_unflatten__`; None is a leaf. The leaves of a mapping come in the order of its
sorted keys, so that two dicts filled in different orders agree. What to do with an object depends on its type alone and
is looked up in one dict: the tape flattens and packs on every gradient.
"""

from __future__ import annotations

from collections import abc, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values.composite import (
    CompositeSpec,
    component_specs,
    components,
    is_composite_type,
    rebuild,
    spec_of,
)


class _Kind(NamedTuple):
    """How to take apart and rebuild the structures of one type."""

    children: Callable[[Any], Sequence[Any]]
    rebuild: Callable[[Any, list[Any]], Any]
    keys: Callable[[Any], Iterable[Any]]


def _positions(structure: Any) -> Iterable[int]:
    return range(len(structure))


def _is_namedtuple(cls: type) -> bool:
    return issubclass(cls, tuple) and isinstance(getattr(cls, "_fields", None), tuple)


def _attribute_names(structure: Any) -> list[str]:
    return [attribute.name for attribute in structure.__attrs_attrs__]


def _mapping_like(mapping: Any, values: list[Any]) -> Any:
    items = dict(zip(sorted(mapping), values, strict=True))
    pairs = [(key, items[key]) for key in mapping]  # the new mapping keeps the order of the old one
    cls = type(mapping)
    if isinstance(mapping, defaultdict):
        return cls(mapping.default_factory, pairs)
    try:
        return cls(pairs)
    except TypeError as error:
        raise TypeError(
            f"A new {cls} cannot be made with the keys of {mapping!r}: its constructor must take an iterable of pairs. "
            f"It said: {error}"
        ) from error


_SEQUENCE = _Kind(list, lambda structure, children: type(structure)(children), _positions)
_VIEW = _Kind(list, lambda view, children: children, _positions)
_NAMEDTUPLE = _Kind(list, lambda structure, children: type(structure)(*children), lambda structure: structure._fields)
_MAPPING = _Kind(lambda mapping: [mapping[key] for key in sorted(mapping)], _mapping_like, sorted)
_ATTRS = _Kind(
    lambda structure: [getattr(structure, name) for name in _attribute_names(structure)],
    lambda structure, children: type(structure)(*children),
    _attribute_names,
)
_CUSTOM = _Kind(
    lambda structure: structure.__tf_flatten__()[1],
    lambda structure, children: type(structure).__tf_unflatten__(structure.__tf_flatten__()[0], tuple(children)),
    lambda structure: range(len(structure.__tf_flatten__()[1])),
)


def _parts(composite: Any) -> Any:
    """The components of a composite; users' types may have them in another nest, which is one part then."""
    found = components(composite)
    return found if isinstance(found, (tuple, list)) else (found,)


def _of_parts(composite: Any, parts: list[Any]) -> Any:
    one = not isinstance(components(composite), (tuple, list))
    return rebuild(spec_of(composite), parts[0] if one else tuple(parts))


_COMPOSITE = _Kind(_parts, _of_parts, lambda composite: range(len(_parts(composite))))


def _spec_parts(spec: Any) -> Any:
    found = component_specs(spec)
    return found if isinstance(found, (tuple, list)) else (found,)


def _of_spec_parts(spec: Any, parts: list[Any]) -> Any:
    return rebuild(spec, tuple(parts) if isinstance(component_specs(spec), (tuple, list)) else parts[0])


_SPEC = _Kind(_spec_parts, _of_spec_parts, lambda spec: range(len(_spec_parts(spec))))
"""The type of a composite: a nest of its components' types, from which a nest like it is the composite."""

_BUILTIN: dict[type, _Kind | None] = {
    list: _Kind(lambda structure: structure, lambda _, children: children, _positions),
    tuple: _Kind(lambda structure: structure, lambda _, children: tuple(children), _positions),
    range: _VIEW,
    str: None,
    bytes: None,
}


class _Kinds(dict[type, "_Kind | None"]):
    """The kind of every type met so far, None for leaves."""

    def __init__(self, expand_composites: bool | str) -> None:
        super().__init__(_BUILTIN)
        self._expand = expand_composites

    def __missing__(self, cls: type) -> _Kind | None:
        if len(self) > 4096:  # a program that keeps making types must not make this table grow for ever
            self.clear()
            self.update(_BUILTIN)
        kind = self[cls] = self._find(cls)
        return kind

    def _find(self, cls: type) -> _Kind | None:
        if self._expand and is_composite_type(cls):
            return _COMPOSITE
        if self._expand is True and issubclass(cls, CompositeSpec) and not cls.travels:
            return _SPEC
        if issubclass(cls, abc.Mapping):
            return _MAPPING
        if _is_namedtuple(cls):
            return _NAMEDTUPLE
        if issubclass(cls, abc.MappingView):
            return _VIEW
        if hasattr(cls, "__attrs_attrs__"):
            return _ATTRS
        if hasattr(cls, "__tf_flatten__") and hasattr(cls, "__tf_unflatten__"):
            return _CUSTOM
        return _SEQUENCE if issubclass(cls, abc.Sequence) and not issubclass(cls, (str, bytes)) else None


VALUES = "values"
"""As `expand_composites`: composites are taken apart, and their types, which may stand for arguments of a function, are leaves."""

_plain, _expanding, _of_values = _Kinds(False), _Kinds(True), _Kinds(VALUES)


def _kinds(expand_composites: bool | str) -> _Kinds:
    return _of_values if expand_composites is VALUES else _expanding if expand_composites else _plain


def _like_proxied(proxy: Any, children: list[Any]) -> Any:
    made = like(proxy.__wrapped__, children)
    return made if _is_namedtuple(type(made)) else type(proxy)(made)


_PROXY = _Kind(
    lambda proxy: children_of(proxy.__wrapped__),
    _like_proxied,
    lambda proxy: _plain[type(proxy.__wrapped__)].keys(proxy.__wrapped__),  # type: ignore[union-attr]
)


def proxy(cls: type) -> None:
    """Have objects of a class count as the structures that they have in `__wrapped__`; nests like them are of that class."""
    for kinds in (_BUILTIN, _plain, _expanding, _of_values):
        kinds[cls] = _PROXY


@export("nest.is_nested")
def is_nested(seq: Any) -> bool:
    """Whether `seq` is a structure rather than a leaf (`tf.nest.is_nested`)."""
    return _plain[type(seq)] is not None


def children_of(structure: Any) -> Sequence[Any]:
    """What stands in the topmost level of a structure, in order."""
    kind = _plain[type(structure)]
    assert kind is not None
    return kind.children(structure)


def like(structure: Any, children: list[Any]) -> Any:
    """A structure of this kind with other children."""
    kind = _plain[type(structure)]
    assert kind is not None
    return kind.rebuild(structure, children)


@export("nest.flatten")
def flatten(structure: Any, expand_composites: bool | str = False) -> list[Any]:
    """The leaves of `structure`, depth first (`tf.nest.flatten`).

    Args:
      structure: A nest, or a leaf, which gives a list of one.
      expand_composites: Whether composite tensors such as `tf.RaggedTensor` count as structures of their parts.

    Returns:
      A new list.

    Raises:
      TypeError: if the keys of a mapping cannot be sorted.
    """
    leaves: list[Any] = []
    _collect(structure, _kinds(expand_composites), leaves)
    return leaves


def _collect(structure: Any, kinds: _Kinds, leaves: list[Any]) -> None:
    kind = kinds[type(structure)]
    if kind is None:
        leaves.append(structure)
        return
    for child in kind.children(structure):
        if kinds[type(child)] is None:
            leaves.append(child)
        else:
            _collect(child, kinds, leaves)


@export("nest.pack_sequence_as")
def pack_sequence_as(structure: Any, flat_sequence: Any, expand_composites: bool | str = False) -> Any:
    """A nest like `structure` with the leaves `flat_sequence` (`tf.nest.pack_sequence_as`).

    Args:
      structure: The nest to imitate; if it is a leaf, the only leaf is returned.
      flat_sequence: The new leaves, in the order in which `flatten` gives them.
      expand_composites: Whether composite tensors count as structures of their parts.

    Raises:
      TypeError: if `flat_sequence` is not a sequence.
      ValueError: if it does not have as many elements as `structure` has leaves.
    """
    kinds = _kinds(expand_composites)
    if not is_nested(flat_sequence):
        raise TypeError(
            f"Attempted to pack value:\n  {flat_sequence}\n"
            f"into a structure, but found incompatible type `{type(flat_sequence)}` instead."
        )
    kind = kinds[type(structure)]
    if kind is None and len(flat_sequence) != 1:
        raise ValueError(
            f"The structure {structure!r} is one leaf, of type {type(structure)}, but `flat_sequence` has "
            f"{len(flat_sequence)} elements: {flat_sequence!r}. "
            "nest cannot guarantee that it is safe to map one to the other."
        )
    ordered = isinstance(flat_sequence, (list, tuple))
    leaves = iter(flat_sequence if ordered else [flat_sequence[i] for i in range(len(flat_sequence))])
    try:
        packed = _rebuild(structure, kinds, leaves)
        fits = next(leaves, leaves) is leaves
    except StopIteration:
        fits = False
    if not fits:
        raise ValueError(
            f"Structure had {len(flatten(structure, expand_composites))} atoms, but "
            f"flat_sequence had {len(flat_sequence)} items. Structure: {structure!r}, flat_sequence: {flat_sequence!r}."
        )
    return packed


def _rebuild(structure: Any, kinds: _Kinds, leaves: Iterator[Any]) -> Any:
    """A nest like `structure` with the next `leaves`; the StopIteration when they run out reaches the caller."""
    kind = kinds[type(structure)]
    if kind is None:
        return next(leaves)
    children = kind.children(structure)
    rebuilt = [next(leaves) if kinds[type(child)] is None else _rebuild(child, kinds, leaves) for child in children]
    return kind.rebuild(structure, rebuilt)


@export("nest.map_structure")
def map_structure(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """`func` applied to the leaves that stand at the same place of every structure (`tf.nest.map_structure`).

    Args:
      func: Takes as many arguments as there are structures.
      *structure: Nests of the same structure.
      **kwargs: `check_types=True` and `expand_composites=False`, as for `assert_same_structure`.

    Returns:
      A nest like the first structure.

    Raises:
      TypeError: if `func` is not callable, or the structures differ in type.
      ValueError: if there is no structure, the structures differ otherwise, or another keyword is given.
    """
    if not callable(func):
        raise TypeError(f"func must be callable, got: {func!r}")
    if not structure:
        raise ValueError("Must provide at least one structure")
    check_types = kwargs.pop("check_types", True)
    expand_composites = kwargs.pop("expand_composites", False)
    if kwargs:
        raise ValueError(
            f"Only valid keyword arguments are `check_types` and `expand_composites`, not: {', '.join(kwargs)}"
        )
    kinds = _kinds(expand_composites)
    first, *others = structure
    for other in others:
        assert_same_structure(first, other, check_types, expand_composites)
    columns = [flatten(nest, expand_composites) for nest in structure]
    results = [func(*leaves) for leaves in zip(*columns, strict=True)]
    return _rebuild(first, kinds, iter(results))


@export("nest.assert_same_structure")
def assert_same_structure(
    nest1: Any, nest2: Any, check_types: bool = True, expand_composites: bool | str = False
) -> None:
    """Raises unless the two nests have the same structure (`tf.nest.assert_same_structure`).

    Args:
      nest1: A nest.
      nest2: Another.
      check_types: Whether the types of sequences and the keys of mappings must agree too. Two mappings of any types
        agree, as do a list and an instance of a subclass of list, and two named tuples of equal name and fields.
      expand_composites: Whether composite tensors count as structures of their parts.

    Raises:
      TypeError: if only the types of the sequences differ.
      ValueError: if the structures differ.
    """
    kinds = _kinds(expand_composites)
    difference = _difference(nest1, nest2, bool(check_types), kinds)
    if difference is None:
        return
    error, detail = difference
    dots = (_rebuild_with_dots(nest, kinds) for nest in (nest1, nest2))
    raise error(
        "The two structures don't have the same nested structure.\n\n"
        f"First structure: {_describe(nest1)}\n\nSecond structure: {_describe(nest2)}\n\n"
        f"More specifically: {detail}\nEntire first structure:\n{next(dots)}\nEntire second structure:\n{next(dots)}"
    )


def _type_of(structure: Any, kinds: _Kinds) -> Any:
    """The spec of a composite, or the spec itself; None of other structures."""
    kind = kinds[type(structure)]
    return structure if kind is _SPEC else spec_of(structure) if kind is _COMPOSITE else None


def _difference(a: Any, b: Any, check_types: bool, kinds: _Kinds) -> tuple[type[Exception], str] | None:
    """The first difference of two structures, as the class and the text of the error that reports it."""
    kind = kinds[type(a)]
    if (kind is None) != (kinds[type(b)] is None):
        nested, leaf = (b, a) if kind is None else (a, b)
        return ValueError, (
            f'Substructure "{_describe(nested)}" is a sequence, while substructure "{_describe(leaf)}" is not'
        )
    if kind is None:
        return None
    if {kind, kinds[type(b)]} & {_COMPOSITE, _SPEC}:
        spec, other = (_type_of(nest, kinds) for nest in (a, b))
        if check_types and (spec is None or other is None):
            return TypeError, f"One is a composite, the other is not: {_describe(a)} and {_describe(b)}"
        if spec is None or other is None or spec.most_specific_common_supertype([other]) is None:
            return ValueError, f"No type covers both composite tensors: {_describe(spec)} and {_describe(other)}"
    elif check_types:
        if not _same_type(a, b):
            return TypeError, (
                f"The two substructures don't have the same sequence type. First structure {_describe(a)} has type "
                f"{type(a).__name__}, while second structure {_describe(b)} has type {type(b).__name__}"
            )
        if isinstance(a, abc.Mapping) and set(a) != set(b):
            return ValueError, (
                "The two dictionaries don't have the same set of keys. "
                f"First structure has keys {list(a)}, while second structure has keys {list(b)}"
            )
    ours, theirs = kind.children(a), kinds[type(b)].children(b)  # type: ignore[union-attr]
    for x, y in zip(ours, theirs, strict=False):
        if kinds[type(x)] is not None or kinds[type(y)] is not None:
            difference = _difference(x, y, check_types, kinds)
            if difference is not None:
                return difference
    if len(ours) != len(theirs):
        return ValueError, (
            "The two structures don't have the same number of elements. "
            f"First structure: {_describe(a)}. Second structure: {_describe(b)}"
        )
    return None


def _same_type(a: Any, b: Any) -> bool:
    first, second = a.__class__, b.__class__  # which a proxy answers for what it stands for
    if first is second:
        return True
    if _is_namedtuple(first) and _is_namedtuple(second):
        return first.__name__ == second.__name__ and a._fields == b._fields
    return any(isinstance(a, base) and isinstance(b, base) for base in (list, abc.Mapping))


def _describe(structure: Any) -> str:
    return f"type={type(structure).__name__} str={structure}"


class _Dot:
    """Stands for a leaf where only the structure matters."""

    def __repr__(self) -> str:
        return "."


def _rebuild_with_dots(structure: Any, kinds: _Kinds) -> Any:
    kind = kinds[type(structure)]
    if kind is None or kind is _COMPOSITE or kind is _SPEC:
        return _Dot()
    return kind.rebuild(structure, [_rebuild_with_dots(child, kinds) for child in kind.children(structure)])


def flatten_with_paths(structure: Any, expand_composites: bool | str = False) -> list[tuple[tuple[Any, ...], Any]]:
    """Each leaf of `structure` with the keys, field names and positions that lead to it, in the order of `flatten`."""
    kinds = _kinds(expand_composites)

    def walk(nest: Any, path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], Any]]:
        kind = kinds[type(nest)]
        if kind is None:
            yield path, nest
            return
        for key, child in zip(kind.keys(nest), kind.children(nest), strict=True):
            yield from walk(child, (*path, key))

    return list(walk(structure, ()))
