import collections
import types
from typing import NamedTuple

import numpy as np
import pytest

import tfgrad_jax as tf
from tests.naming import shown
from tfgrad_jax.engine.values import nest
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.specs import TensorSpec, TypeSpec

Point = collections.namedtuple("Point", "a b")
Twin = collections.namedtuple("Point", "a b")
Other = collections.namedtuple("Other", "a b")


class Masked(tf.experimental.ExtensionType):
    values: tf.Tensor
    rows: tf.RaggedTensor


class Field(NamedTuple):
    x: int = 1


class SubPoint(Point):
    pass


class MyList(list):
    pass


class MyTuple(tuple):
    pass


class MyDict(dict):
    pass


class MyMapping(collections.abc.Mapping):
    def __init__(self, items):
        self.items_ = dict(items)

    def __getitem__(self, key):
        return self.items_[key]

    def __iter__(self):
        return iter(self.items_)

    def __len__(self):
        return len(self.items_)


class MySequence(collections.abc.Sequence):
    def __init__(self, items):
        self.items_ = list(items)

    def __getitem__(self, i):
        return self.items_[i]

    def __len__(self):
        return len(self.items_)


class Attribute:
    def __init__(self, name):
        self.name = name


class Attrs:
    """What the attrs package makes, without needing it."""

    __attrs_attrs__ = (Attribute("b"), Attribute("a"))

    def __init__(self, b, a):
        self.b, self.a = b, a


class Custom:
    def __init__(self, a, b, name):
        self.a, self.b, self.name = a, b, name

    def __tf_flatten__(self):
        return (self.name,), (self.a, self.b)

    @classmethod
    def __tf_unflatten__(cls, metadata, components):
        return cls(*components, *metadata)


class CompositeSpec(TypeSpec):
    value_type = object

    def __init__(self, size):
        self.size = size

    def _serialize(self):
        return (TensorShape([self.size]),)

    def most_specific_common_supertype(self, others):
        return self if all(getattr(other, "size", None) == self.size for other in others) else None

    def _to_components(self, value):
        return value.parts

    def _from_components(self, components):
        return Composite(*components)


class Composite:
    def __init__(self, *parts):
        self.parts = parts

    @property
    def _type_spec(self):
        return CompositeSpec(len(self.parts))


def ordered(*pairs):
    return collections.OrderedDict(pairs)


NESTED = [
    [],
    (),
    {},
    Point(1, 2),
    range(3),
    MyMapping({}),
    MySequence([]),
    MyList(),
    MyDict(),
    ordered(),
    collections.defaultdict(int),
    collections.deque(),
    types.MappingProxyType({}),
    {}.keys(),
    {}.items(),
    {}.values(),
    bytearray(b"a"),
    Attrs(1, 2),
    Custom(1, 2, "n"),
]
LEAVES = ["a", b"a", 1, None, np.zeros(2), {1}, frozenset(), iter([]), TensorShape([1]), Composite(1), TensorSpec([1])]


@pytest.mark.parametrize("value", NESTED, ids=lambda value: type(value).__name__)
def test_nested(value):
    assert nest.is_nested(value)


@pytest.mark.parametrize("value", LEAVES, ids=lambda value: type(value).__name__)
def test_leaves(value):
    assert not nest.is_nested(value)
    (leaf,) = nest.flatten(value)
    assert leaf is value


@pytest.mark.parametrize(
    ("structure", "leaves"),
    [
        ([], []),
        ([1, [2, (3, None)]], [1, 2, 3, None]),
        ([[], ({},), 1], [1]),
        ({"b": 1, "a": [2, 3]}, [2, 3, 1]),
        ({2: 1, 1: 2}, [2, 1]),
        (ordered(("b", 1), ("a", 2)), [2, 1]),
        (MyMapping({"b": 1, "a": 2}), [2, 1]),
        (types.MappingProxyType({"b": 1, "a": 2}), [2, 1]),
        (Point([1], 2), [1, 2]),
        (Field(5), [5]),
        (MySequence([1, [2]]), [1, 2]),
        (collections.deque([1, 2]), [1, 2]),
        (range(3), [0, 1, 2]),
        ({"b": 1, "a": 2}.keys(), ["b", "a"]),
        ({"b": 1, "a": 2}.values(), [1, 2]),
        ({"b": 1, "a": 2}.items(), ["b", 1, "a", 2]),
        (Attrs(1, [2, 3]), [1, 2, 3]),
        (Custom(1, [2, 3], "n"), [1, 2, 3]),
        ("abc", ["abc"]),
    ],
    ids=shown,
)
def test_flatten(structure, leaves):
    assert nest.flatten(structure) == leaves


def test_flatten_gives_a_new_list():
    given = [1, 2]
    assert nest.flatten(given) is not given


@pytest.mark.parametrize("mapping", [{"b": 1, 1: 2}, {None: 1, "a": 2}])
def test_keys_must_be_sortable(mapping):
    with pytest.raises(TypeError):
        nest.flatten(mapping)


def test_depth_first_through_a_deep_nest():
    structure = 0
    for _ in range(200):
        structure = [structure, 1]
    assert nest.flatten(structure) == [0] + [1] * 200


@pytest.mark.parametrize(
    "structure",
    [
        [1, (2, 3)],
        {"b": 1, "a": [2]},
        ordered(("b", 1), ("a", 2)),
        collections.defaultdict(list, {"b": 1, "a": 2}),
        MyList([1, 2]),
        MyTuple([1, 2]),
        MyDict(b=1, a=2),
        Point(1, Point(2, 3)),
        SubPoint(1, 2),
        collections.deque([1]),
        [],
    ],
    ids=shown,
)
def test_map_structure_keeps_structure(structure):
    mapped = nest.map_structure(lambda x: x, structure)
    assert mapped == structure
    assert type(mapped) is type(structure)
    if isinstance(structure, dict):
        assert list(mapped) == list(structure)
    doubled = nest.map_structure(lambda x: 2 * x, structure)
    assert nest.flatten(doubled) == [2 * x for x in nest.flatten(structure)]
    assert nest.pack_sequence_as(structure, nest.flatten(doubled)) == doubled


def test_map_structure_rebuilds_other_types():
    mapped = nest.map_structure(lambda x: x + 1, MyMapping({"b": 1, "a": 2}))
    assert (type(mapped), mapped.items_, list(mapped)) == (MyMapping, {"b": 2, "a": 3}, ["b", "a"])
    mapped = nest.map_structure(lambda x: x + 1, MySequence([1]))
    assert (type(mapped), mapped.items_) == (MySequence, [2])
    mapped = nest.map_structure(lambda x: x + 1, Attrs(1, [2]))
    assert (type(mapped), mapped.b, mapped.a) == (Attrs, 2, [3])
    mapped = nest.map_structure(lambda x: x + 1, Custom(1, [2], "n"))
    assert (type(mapped), mapped.a, mapped.b, mapped.name) == (Custom, 2, [3], "n")
    assert nest.map_structure(lambda x: x, {"b": 1, "a": 2}.keys()) == ["b", "a"]
    assert nest.map_structure(lambda x: x, range(2)) == [0, 1]
    mapped = nest.map_structure(lambda x: x, collections.defaultdict(list, a=1))
    assert mapped.default_factory is list
    with pytest.raises(TypeError, match="mappingproxy"):
        nest.map_structure(lambda x: x, types.MappingProxyType({"a": 1}))


def test_map_structure_of_several():
    assert nest.map_structure(lambda x, y: x + y, [1, (2, 3)], [10, (20, 30)]) == [11, (22, 33)]
    pairs = nest.map_structure(lambda x, y: (x, y), ordered(("b", 3), ("a", 4)), {"a": 1, "b": 2})
    assert pairs == ordered(("b", (3, 2)), ("a", (4, 1)))
    assert nest.map_structure(lambda x, y: x, [1], (1,), check_types=False) == [1]
    assert nest.map_structure(lambda x: None, [1, 2]) == [None, None]
    assert nest.map_structure(lambda x: x * 2, 3) == 6


def test_map_structure_refuses():
    with pytest.raises(TypeError, match="callable"):
        nest.map_structure(3, [1])
    with pytest.raises(ValueError, match="at least one structure"):
        nest.map_structure(lambda: 1)
    with pytest.raises(ValueError, match=r"Only valid keyword arguments .* foo"):
        nest.map_structure(lambda x: x, [1], foo=1)
    with pytest.raises(TypeError, match="same sequence type"):
        nest.map_structure(lambda x, y: x, [1], (1,))
    with pytest.raises(ValueError, match="same number of elements"):
        nest.map_structure(lambda x, y: x, [1], [1, 2])


def test_pack_sequence_as():
    assert nest.pack_sequence_as([1, [2, 3]], [4, 5, 6]) == [4, [5, 6]]
    assert nest.pack_sequence_as([1, 2], ([1], None)) == [[1], None]
    assert nest.pack_sequence_as([1, 2], MySequence([3, 4])) == [3, 4]
    packed = nest.pack_sequence_as({"b": 1, "a": 2}, [1, 2])
    assert packed == {"b": 2, "a": 1}
    assert list(packed) == ["b", "a"]
    assert nest.pack_sequence_as([], []) == []
    for leaf in (1, None, "ab", {1, 2}):
        assert nest.pack_sequence_as(leaf, [7]) == 7


@pytest.mark.parametrize("flat", [[4, 5], [4, 5, 6, 7], []])
def test_pack_needs_as_many_leaves(flat):
    with pytest.raises(ValueError, match=f"3 atoms, but flat_sequence had {len(flat)} items"):
        nest.pack_sequence_as([1, [2, 3]], flat)


def test_pack_refuses():
    with pytest.raises(ValueError, match="cannot guarantee that it is safe"):
        nest.pack_sequence_as(1, [2, 3])
    for flat in (2, "ab", np.array([1, 2]), (x for x in [1, 2])):
        with pytest.raises(TypeError, match="found incompatible type"):
            nest.pack_sequence_as([1, 2], flat)
    with pytest.raises(KeyError):
        nest.pack_sequence_as([1, 2], {"a": 1, "b": 2})


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (1, 2),
        ([1], ["a"]),
        ([1, [None]], [1, [2]]),
        ({"a": 1, "b": 2}, ordered(("b", 1), ("a", 2))),
        ({"a": 1}, MyMapping({"a": 1})),
        ({"a": 1}, collections.defaultdict(int, a=1)),
        (Point(1, 2), Twin(3, 4)),
        (MyList([1]), [1]),
        (MySequence([1]), MySequence([2])),
        (Attrs(1, 2), Attrs(3, 4)),
        (Custom(1, [2], "n"), Custom(3, [4], "other")),
        ({1, 2}, {3}),
    ],
    ids=shown,
)
def test_same_structure(a, b):
    nest.assert_same_structure(a, b)
    nest.assert_same_structure(b, a)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ([1], (1,)),
        ([], ()),
        (Point(1, 2), Other(1, 2)),
        (Point(1, 2), SubPoint(1, 2)),
        (Point(1, 2), (1, 2)),
        (Point(1, 2), {"a": 1, "b": 2}),
        (MyTuple([1]), (1,)),
        (MySequence([1]), [1]),
        (Attrs(1, 2), [1, 2]),
        (Custom(1, 2, "n"), [1, 2]),
        ([{"a": [1, 2]}], [{"a": (1, 2)}]),
    ],
    ids=shown,
)
def test_types_differ(a, b):
    for first, second in ((a, b), (b, a)):
        with pytest.raises(TypeError, match="don't have the same sequence type"):
            nest.assert_same_structure(first, second)
        nest.assert_same_structure(first, second, check_types=False)


@pytest.mark.parametrize(
    ("a", "b", "why"),
    [
        ([1], [1, 2], "same number of elements"),
        ([[1], 2], [[1, 2], 2], "same number of elements"),
        ([1], 2, 'Substructure "type=list str=.1." is a sequence, while substructure "type=int str=2" is not'),
        ([1], None, "is a sequence"),
        ([1, 2, 3], "abc", "is a sequence"),
        ([[1], 2], [1, [2]], "is a sequence"),
        ({"a": 1, "b": 2}, {"a": 1}, "same set of keys"),
        ({"a": 1}, {"b": 1}, "same set of keys"),
    ],
    ids=shown,
)
def test_structures_differ(a, b, why):
    for first, second in ((a, b), (b, a)):
        with pytest.raises(ValueError, match=why):
            nest.assert_same_structure(first, second)


def test_check_types_false_forgives_keys_but_not_sizes():
    nest.assert_same_structure({"a": 1}, {"b": 1}, check_types=False)
    with pytest.raises(ValueError, match="same number of elements"):
        nest.assert_same_structure({"a": 1, "b": 2}, {"a": 1}, check_types=False)


def test_the_message_shows_both_structures():
    with pytest.raises(TypeError, match="don't have the same nested structure") as caught:
        nest.assert_same_structure([1, {"a": 2}], [1, Point(2, [3])])
    text = str(caught.value)
    for part in (
        "type=list str=[1, {'a': 2}]",
        "str=[1, Point(a=2, b=[3])]",
        "[., {'a': .}]",
        "[., Point(a=., b=[.])]",
    ):
        assert part in text


def test_composites_are_leaves_unless_expanded():
    two = Composite(1, 2)
    assert nest.flatten([two, 3]) == [two, 3]
    assert nest.flatten([two, 3], expand_composites=True) == [1, 2, 3]
    mapped = nest.map_structure(lambda x: x + 1, [two], expand_composites=True)
    assert mapped[0].parts == (2, 3)
    assert nest.pack_sequence_as(two, [8, 9], expand_composites=True).parts == (8, 9)
    assert nest.pack_sequence_as([two], [8]) == [8]


def test_composites_must_have_a_type_in_common():
    nest.assert_same_structure([Composite(1)], [2])
    nest.assert_same_structure(Composite(1), Composite(2), expand_composites=True)
    for other in (Composite(1, 2), [1], 1):
        for check_types in (True, False):
            with pytest.raises(TypeError if other == [1] and check_types else ValueError):
                nest.assert_same_structure(Composite(1), other, check_types, expand_composites=True)


def test_types_of_composites_are_nests_of_their_components_types():
    ragged, sparse = tf.ragged.constant([[1.0, 2.0], [3.0]]), tf.sparse.from_dense([[0, 1], [2, 0]])
    masked = Masked(tf.constant([1, 2]), ragged)
    for value, count in (
        (ragged, 2),
        (sparse, 3),
        (masked, 3),
        (tf.IndexedSlices(tf.ones([2, 3]), tf.constant([0, 1])), 2),
    ):
        spec, leaves = tf.type_spec_from_value(value), nest.flatten(value, expand_composites=True)
        found = nest.flatten(spec, expand_composites=True)
        assert len(found) == count and all(isinstance(f, tf.TensorSpec) for f in found)
        assert nest.flatten(spec) == [spec] and not nest.is_nested(spec)
        packed = nest.pack_sequence_as({"a": [spec, 5]}, [*leaves, 6], expand_composites=True)["a"]
        assert type(packed[0]) is type(value) and packed[1] == 6
        assert all(a is b for a, b in zip(nest.flatten(packed[0], expand_composites=True), leaves, strict=True))
        for pair in ((spec, value), (value, spec)):
            nest.assert_same_structure(*pair, expand_composites=True)
        for other, error in (([1, 2], TypeError), (1, ValueError)):
            with pytest.raises(error, match="don't have the same nested structure"):
                nest.assert_same_structure(spec, other, expand_composites=True)
        with pytest.raises(ValueError, match=f"Structure had {count} atoms"):
            nest.pack_sequence_as(spec, [1, 2, 3, 4], expand_composites=True)


def test_paths():
    structure = {"b": [1, 2], "a": Point(3, {"k": 4})}
    assert nest.flatten_with_paths(structure) == [
        (("a", "a"), 3),
        (("a", "b", "k"), 4),
        (("b", 0), 1),
        (("b", 1), 2),
    ]
    assert nest.flatten_with_paths(5) == [((), 5)]
    assert nest.flatten_with_paths([Attrs(1, 2), Custom(3, 4, "n")]) == [
        ((0, "b"), 1),
        ((0, "a"), 2),
        ((1, 0), 3),
        ((1, 1), 4),
    ]
    assert nest.flatten_with_paths(Composite(7, 8), expand_composites=True) == [((0,), 7), ((1,), 8)]


def test_the_table_of_types_does_not_grow_for_ever():
    for i in range(5000):
        assert nest.flatten(type(f"List{i}", (list,), {})([i])) == [i]
    assert len(nest._plain) <= 4097
    assert nest.flatten([1, {"a": 2}]) == [1, 2]
