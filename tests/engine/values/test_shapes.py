import copy
import pickle

import numpy as np
import pytest

from tests.naming import shown
from tfgrad_jax.engine.values.dimension import Dimension
from tfgrad_jax.engine.values.shapes import TensorShape, as_shape, broadcast

UNKNOWN = TensorShape(None)


def shape(*dims):
    return TensorShape(dims)


class Size:
    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value


@pytest.mark.parametrize(
    ("dims", "text", "representation"),
    [
        ([2, None], "(2, None)", "TensorShape([2, None])"),
        (None, "<unknown>", "TensorShape(None)"),
        ([], "()", "TensorShape([])"),
        (3, "(3,)", "TensorShape([3])"),
        ((1, 2), "(1, 2)", "TensorShape([1, 2])"),
        (range(3), "(0, 1, 2)", "TensorShape([0, 1, 2])"),
        (np.array([1, 2]), "(1, 2)", "TensorShape([1, 2])"),
        (np.int64(3), "(3,)", "TensorShape([3])"),
        ([np.int64(2), Size(5)], "(2, 5)", "TensorShape([2, 5])"),
        ((x for x in [1]), "(1,)", "TensorShape([1])"),
        (shape(4), "(4,)", "TensorShape([4])"),
        ([Dimension(2), Dimension(None)], "(2, None)", "TensorShape([2, None])"),
        ([2**40], "(1099511627776,)", "TensorShape([1099511627776])"),
    ],
    ids=shown,
)
def test_construction_and_text(dims, text, representation):
    made = TensorShape(dims)
    assert str(made) == text
    assert repr(made) == representation
    assert all(size is None or type(size) is int for size in made._dims or ())


@pytest.mark.parametrize("dims", ["3", "ab", [2, "a"], 2.0, [2.5], [[1]], ["3"]])
def test_sizes_must_be_integers(dims):
    with pytest.raises(TypeError):
        TensorShape(dims)


@pytest.mark.parametrize("dims", [-1, [2, -1], [None, -3]])
def test_sizes_must_not_be_negative(dims):
    with pytest.raises(ValueError, match="must be >= 0"):
        TensorShape(dims)


def test_quick_construction():
    assert TensorShape.of((2, None)) == shape(2, None)
    assert TensorShape.of_unknown_rank().rank is None
    given = shape(2)
    assert as_shape(given) is given
    assert as_shape([2]) == given


def test_rank_and_sizes():
    assert shape(2, None).rank == shape(2, None).ndims == 2
    assert UNKNOWN.rank is UNKNOWN.ndims is None
    assert shape(2, None).as_list() == [2, None]
    assert repr(shape(2, None).dims) == "[Dimension(2), Dimension(None)]"
    assert UNKNOWN.dims is None
    with pytest.raises(ValueError, match="not defined on an unknown TensorShape"):
        UNKNOWN.as_list()


def test_dimension():
    assert (repr(Dimension(3)), str(Dimension(3)), str(Dimension(None))) == ("Dimension(3)", "3", "?")
    assert Dimension(3) == 3
    assert [Dimension(3) == n for n in (None, Dimension(None), 4)] == [None, None, False]
    assert [Dimension(3) != n for n in (None, Dimension(None), 4)] == [None, None, True]
    assert [bool(Dimension(n)) for n in (3, 0, None)] == [True, False, False]
    assert Dimension(3) != "a"
    assert int(Dimension(3)) == 3
    assert hash(Dimension(3)) == hash(3)
    with pytest.raises(TypeError):
        int(Dimension(None))


def test_arithmetic_of_dimensions():
    assert repr([7 // Dimension(2), 7 % Dimension(4), None // Dimension(2), 7 % Dimension(None)]) == (
        "[Dimension(3), Dimension(3), Dimension(None), Dimension(None)]"
    )
    for divided in (lambda: Dimension(4) / 2, lambda: 4 / Dimension(2)):
        with pytest.raises(TypeError, match="please use // instead"):
            divided()


@pytest.mark.parametrize(("a", "b", "merged"), [(2, 2, 2), (3, None, 3), (None, 2, 2), (None, None, None)])
def test_dimensions_are_merged(a, b, merged):
    for other in (b, Dimension(b)):
        assert Dimension(a).merge_with(other).value == merged
        assert Dimension(a).assert_is_compatible_with(other) is None


def test_dimensions_that_are_not_one():
    for method in (Dimension(3).merge_with, Dimension(3).assert_is_compatible_with):
        with pytest.raises(ValueError, match="Dimensions 3 and 2 are not compatible"):
            method(Dimension(2))


def test_num_elements():
    assert shape(2, 3).num_elements() == 6
    assert shape().num_elements() == 1
    assert shape(0, None).num_elements() is None
    assert UNKNOWN.num_elements() is None


def test_is_fully_defined():
    assert shape(2, 3).is_fully_defined()
    shape(2, 3).assert_is_fully_defined()
    for partial in (shape(2, None), UNKNOWN):
        assert not partial.is_fully_defined()
        with pytest.raises(ValueError, match="is not fully defined"):
            partial.assert_is_fully_defined()


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (shape(2, None), [2, 3], True),
        (shape(2, None), [3, 3], False),
        (shape(2), [2, 3], False),
        (shape(2), None, True),
        (UNKNOWN, [2], True),
        (shape(), [], True),
    ],
)
def test_is_compatible_with(a, b, expected):
    assert a.is_compatible_with(b) is expected
    assert as_shape(b).is_compatible_with(a) is expected
    if expected:
        a.assert_is_compatible_with(b)
    else:
        with pytest.raises(ValueError, match="are incompatible"):
            a.assert_is_compatible_with(b)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (shape(2, 3), shape(2, None), True),
        (shape(2, None), shape(2, 3), False),
        (shape(2), UNKNOWN, True),
        (UNKNOWN, shape(2), False),
        (UNKNOWN, UNKNOWN, True),
        (shape(2), shape(2, 3), False),
        (shape(2), [2], False),
        (shape(2), "q", False),
    ],
)
def test_is_subtype_of(a, b, expected):
    assert a.is_subtype_of(b) is expected


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (shape(2, 3), [2, 4], shape(2, None)),
        (shape(2, 3), [2, 3], shape(2, 3)),
        (shape(2, 3), [2], UNKNOWN),
        (shape(None, 3), [None, 3], shape(None, 3)),
        (UNKNOWN, [2, 3], UNKNOWN),
        (shape(2, 3), None, UNKNOWN),
    ],
)
def test_most_specific_compatible_shape(a, b, expected):
    # Compared as text: None equals an unknown shape too.
    assert repr(a.most_specific_compatible_shape(b)) == repr(expected)
    assert repr(a.most_specific_common_supertype([as_shape(b)])) == repr(expected)


def test_most_specific_common_supertype():
    assert shape(2, 3).most_specific_common_supertype([]) == shape(2, 3)
    assert shape(2, 3).most_specific_common_supertype([shape(2, 4), shape(1, 3)]) == shape(None, None)
    assert shape(2, 3).most_specific_common_supertype([[2, 3]]) is None


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (shape(2, None), [None, 3], shape(2, 3)),
        (shape(2, None), None, shape(2, None)),
        (UNKNOWN, [2], shape(2)),
    ],
)
def test_merge_with(a, b, expected):
    assert a.merge_with(b) == expected


@pytest.mark.parametrize(("a", "b"), [(shape(2, None), [3, 3]), (shape(2), [2, 3])])
def test_merge_with_a_contradiction(a, b):
    with pytest.raises(ValueError, match="are not compatible"):
        a.merge_with(b)


def test_concatenation():
    assert shape(2).concatenate([3, None]) == shape(2, 3, None)
    assert shape(2) + [3] == shape(2) + (3,) == shape(2) + shape(3) == shape(2) + 3 == shape(2, 3)
    assert [3] + shape(2) == (3,) + shape(2) == shape(3, 2)
    for unknown in (shape(2) + None, UNKNOWN + [2], [2] + UNKNOWN):
        assert unknown.rank is None
    assert isinstance((3,) + shape(2), TensorShape)


def test_ranks_asked_for():
    assert shape(2, 3).with_rank(2) == shape(2, 3)
    assert UNKNOWN.with_rank(2) == shape(None, None)
    assert shape(2).with_rank_at_least(1) == shape(2).with_rank_at_most(1) == shape(2)
    for free in (UNKNOWN.with_rank_at_least(2), UNKNOWN.with_rank_at_most(2)):
        assert free.rank is None
    UNKNOWN.assert_has_rank(2)
    shape(2).assert_has_rank(1)
    shape(2).assert_same_rank([3])
    shape(2).assert_same_rank(None)
    for refused in (
        lambda: shape(2, 3).with_rank(3),
        lambda: shape(2).with_rank_at_least(2),
        lambda: shape(2).with_rank_at_most(0),
        lambda: shape(2).assert_has_rank(2),
        lambda: shape(2).assert_same_rank([3, 4]),
    ):
        with pytest.raises(ValueError, match="rank"):
            refused()


def test_items():
    assert shape(2, 3)[0] == 2
    assert shape(2, 3)[-1] == 3
    assert shape(2, 3)[np.int64(1)] == 3
    assert shape(2, None)[1] is None
    assert shape(2, 3, 4)[::2] == shape(2, 4)
    assert isinstance(shape(2, 3)[0:1], TensorShape)
    assert shape(2, 3)[5:] == shape()
    with pytest.raises(IndexError):
        shape(2, 3)[2]
    with pytest.raises(TypeError):
        shape(2, 3)["a"]


def test_items_of_an_unknown_rank():
    assert UNKNOWN[0] is None
    assert UNKNOWN[:2] == UNKNOWN[1:3] == shape(None, None)
    assert UNKNOWN[3:1] == shape()
    for unknown in (UNKNOWN[1:], UNKNOWN[:], UNKNOWN[-1:], UNKNOWN[-1:2], UNKNOWN[:-1]):
        assert unknown.rank is None
    with pytest.raises(ValueError, match="Steps"):
        UNKNOWN[0:4:2]


def test_iteration_length_and_truth():
    assert list(shape(2, None)) == [2, None]
    assert list(reversed(shape(2, 3))) == [3, 2]
    assert 2 in shape(2, 3)
    assert len(shape(2, 3)) == 2
    assert bool(shape())
    assert bool(shape(0))
    assert not UNKNOWN
    with pytest.raises(ValueError, match="unknown rank"):
        list(UNKNOWN)
    with pytest.raises(ValueError, match="unknown rank"):
        len(UNKNOWN)


def test_numpy_takes_it():
    assert np.zeros(shape(2, 3)).shape == (2, 3)
    assert np.array(shape(2, 3)).tolist() == [2, 3]


def test_equality():
    assert shape(2, 3) == [2, 3] == shape(2, 3)
    assert (2, 3) == shape(2, 3)
    assert shape(2, None) == [2, None]
    assert shape(2) == 2
    assert shape(2) == np.array([2])
    assert UNKNOWN == TensorShape(None)
    assert (UNKNOWN == None) is True  # noqa: E711
    for other in (None, "a", [2.0], [3], shape(2, None), shape()):
        assert (shape(2) == other) is False
        assert (shape(2) != other) is True
    assert (shape(2) != [2]) is False
    assert hash(shape(2, None)) == hash((2, None))
    with pytest.raises(TypeError):
        shape(2) < shape(3)


@pytest.mark.parametrize("given", [shape(2, None), shape(), UNKNOWN], ids=str)
def test_copies(given):
    assert pickle.loads(pickle.dumps(given)) == given
    assert copy.deepcopy(given) == given


def test_broadcast():
    assert broadcast([shape(2, 1), shape(3), shape()]) == shape(2, 3)
    assert broadcast([shape(None, 1), shape(4, 5)]) == shape(4, 5)
    assert broadcast([shape(None), shape(1)]) == shape(None)
    assert broadcast([shape(5), shape(None)]) == shape(5)
    assert broadcast([shape(0), shape(1)]) == shape(0)
    assert broadcast([]) == shape()
    assert broadcast([shape(2), UNKNOWN]).rank is None
    with pytest.raises(ValueError, match="2 and 3"):
        broadcast([shape(2), shape(3)])
