import copy
import pickle

import numpy as np
import pytest

from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.dtypes import as_dtype
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.specs import TensorSpec, TypeSpec
from tfgrad_jax.engine.values.tensor import Tensor


class FakeTensor(Tensor):
    def __init__(self, shape, dtype):
        self._fake = TensorShape(shape), as_dtype(dtype)

    @property
    def shape(self):
        return self._fake[0]

    @property
    def dtype(self):
        return self._fake[1]


def test_text():
    assert repr(TensorSpec([2, None])) == "TensorSpec(shape=(2, None), dtype=tf.float32, name=None)"
    assert str(TensorSpec(None, "int32", "a")) == "TensorSpec(shape=<unknown>, dtype=tf.int32, name='a')"


def test_parts():
    spec = TensorSpec(3, np.int32, name="n")
    assert spec.shape == TensorShape([3])
    assert isinstance(spec.shape, TensorShape)
    assert spec.dtype is dtypes.int32
    assert spec.name == "n"
    assert spec.value_type is Tensor
    for bad in (("foo",), (None,)):
        with pytest.raises(TypeError):
            TensorSpec([2], *bad)
    with pytest.raises(TypeError):
        TensorSpec("a")


def test_from_tensor():
    assert TensorSpec.from_tensor(FakeTensor([1, 2], "int32")) == TensorSpec([1, 2], "int32")
    assert TensorSpec.from_tensor(FakeTensor([], "bool"), "q") == TensorSpec([], "bool", "q")
    for value in (np.zeros(2), 3, [1]):
        with pytest.raises(ValueError, match=r"should be a tf\.Tensor"):
            TensorSpec.from_tensor(value)


def test_from_spec():
    assert TensorSpec.from_spec(TensorSpec([2], "int8", "x")) == TensorSpec([2], "int8", "x")
    assert TensorSpec.from_spec(TensorSpec([2], "int8", "x"), "y").name == "y"


def test_equality_and_hash():
    assert TensorSpec([2]) == TensorSpec([2])
    for other in (TensorSpec([2], name="a"), TensorSpec([3]), TensorSpec([None]), TensorSpec([2], "int32"), 3, [2]):
        assert TensorSpec([2]) != other
    assert hash(TensorSpec([2])) == hash(TensorSpec([2], name="a"))


@pytest.mark.parametrize(
    ("shape", "dtype", "value", "expected"),
    [
        ([None, 2], "int32", FakeTensor([1, 2], "int32"), True),
        ([None, 2], "float32", FakeTensor([1, 2], "int32"), False),
        ([None, 3], "int32", FakeTensor([1, 2], "int32"), False),
        ([None], "float32", TensorSpec([2]), True),
        ([2], "float32", TensorSpec([None], name="other"), True),
        ([2], "int32", TensorSpec([2]), False),
        ([2], "float64", np.zeros(2), False),
        ([], "float32", 1.0, False),
        ([], "string", "a", False),
    ],
)
def test_is_compatible_with(shape, dtype, value, expected):
    assert TensorSpec(shape, dtype).is_compatible_with(value) is expected


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (TensorSpec([2]), TensorSpec([None]), True),
        (TensorSpec([None]), TensorSpec([2]), False),
        (TensorSpec([2], name="a"), TensorSpec([2]), False),
        (TensorSpec([2]), TensorSpec([2], name="a"), True),
        (TensorSpec([2], name="a"), TensorSpec([2], name="b"), False),
        (TensorSpec([2]), TensorSpec([2], "int32"), False),
        (TensorSpec([2]), 3, False),
    ],
)
def test_is_subtype_of(a, b, expected):
    assert a.is_subtype_of(b) is expected


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (TensorSpec([2]), TensorSpec([3]), TensorSpec([None])),
        (TensorSpec([2]), TensorSpec([3, 3]), TensorSpec(None)),
        (TensorSpec([2], name="a"), TensorSpec([3], name="a"), TensorSpec([None], name="a")),
        (TensorSpec([2]), TensorSpec([2], "int32"), None),
        (TensorSpec([2], name="a"), TensorSpec([2]), None),
        (TensorSpec([2]), 3, None),
    ],
)
def test_supertypes(a, b, expected):
    assert a.most_specific_common_supertype([b]) == expected
    if expected is None:
        with pytest.raises(ValueError, match="No TypeSpec is compatible"):
            a.most_specific_compatible_type(b)
    else:
        assert a.most_specific_compatible_type(b) == expected


def test_copies():
    spec = TensorSpec([2, None], "int32", "a")
    assert pickle.loads(pickle.dumps(spec)) == copy.deepcopy(spec) == spec


class PairSpec(TypeSpec):
    """A spec of some user's: two nested specs, a dict and a flag."""

    value_type = tuple

    def __init__(self, specs, more, flag):
        self.parts = specs, more, flag

    def _serialize(self):
        return self.parts


class Pair:
    def __init__(self, spec):
        self._type_spec = spec


def pair(first, second, flag=True, key="k"):
    return PairSpec([TensorSpec(first), TensorShape(second)], {key: TensorSpec(first)}, flag)


def test_comparisons_follow_from_the_parts():
    assert pair([2], [3]) == pair([2], [3])
    assert hash(pair([2], [3])) == hash(pair([2], [3]))
    assert pair([2], [3]) != pair([2], [4])
    wide = pair([None], [3])
    assert pair([2], [3]).is_subtype_of(wide)
    assert not wide.is_subtype_of(pair([2], [3]))
    assert wide.is_compatible_with(pair([2], [3]))
    assert wide.is_compatible_with(Pair(pair([2], [3])))
    assert not wide.is_compatible_with(object())
    assert not wide.is_compatible_with(pair([2], [4]))
    assert pair([2], [3]).most_specific_common_supertype([pair([5], [3])]) == wide
    for other in (pair([2], [3], flag=False), pair([2], [3], key="l"), TensorSpec([2])):
        assert pair([2], [3]).most_specific_common_supertype([other]) is None
        assert not pair([2], [3]).is_subtype_of(other)
        assert not pair([2], [3]).is_compatible_with(other)
    loose = PairSpec([3, None], {}, True)
    for first, second in ((wide, loose), (loose, wide)):
        assert not first.is_subtype_of(second)
        assert not first.is_compatible_with(second)
        assert first.most_specific_common_supertype([second]) is None
    assert pickle.loads(pickle.dumps(wide)) == wide
    assert repr(loose) == "PairSpec([3, None], {}, True)"


def test_the_base_is_abstract():
    with pytest.raises(TypeError):
        TypeSpec()
