"""Lists, dicts and tuples in attributes of modules: they behave as the containers, and know their parts."""

from __future__ import annotations

import collections
import copy
import json
import pickle

import pytest

import tfgrad_jax as tf
from tfgrad_jax.lib.tracking import AutoTrackable, NoDependency, no_automatic_dependency_tracking

Pair = collections.namedtuple("Pair", "a b")
WRAPPERS = tf.python.trackable.data_structures


def v():
    return tf.Variable(1.0)


def parts(trackable, above=()):
    """The tree of parts, as nested dicts."""
    below = trackable._trackable_children()
    return {name: {} if id(part) in above else parts(part, (*above, id(trackable))) for name, part in below.items()}


def test_what_is_wrapped():
    m = tf.Module()
    m.list, m.dict, m.ordered = [1], {"a": [2]}, collections.OrderedDict(a=1)
    m.tuple, m.pair, m.inner = (1, v()), Pair(1, v()), ([1],)
    m.plain, m.plain_pair, m.set, m.default = (1, 2), Pair(1, 2), {1}, collections.defaultdict(list)
    wrapped = {name for name, value in vars(m).items() if type(value).__name__.endswith("Wrapper")}
    assert wrapped == {"list", "dict", "ordered", "tuple", "pair", "inner"}
    assert type(m.list) is WRAPPERS.ListWrapper
    assert type(m.dict) is WRAPPERS._DictWrapper
    assert type(m.dict["a"]) is WRAPPERS.ListWrapper
    assert isinstance(m.list, list) and isinstance(m.dict, dict) and isinstance(m.tuple, tuple)
    assert isinstance(m.pair, Pair) and m.pair.a == 1
    assert list(parts(m)) == ["list", "dict", "ordered", "tuple", "pair", "inner"]


def test_the_container_itself_and_its_wrapper_have_the_same_elements():
    m, items = tf.Module(), []
    m.items = items
    items.append(1)
    m.items.append(2)
    assert items == [1, 2] == m.items
    table = {}
    m.table = table
    m.table["a"] = 1
    assert table == {"a": 1}


APPENDED = {
    "append": lambda x: x.append(v()),
    "extend": lambda x: x.extend([1, v()]),
    "+=": lambda x: x.__iadd__([v()]),
    "*=": lambda x: x.__imul__(2),
}
MUTATED = {
    "insert": lambda x: x.insert(0, 1),
    "[]=": lambda x: x.__setitem__(0, v()),
    "[:]=": lambda x: x.__setitem__(slice(0, 1), [v()]),
    "del": lambda x: x.__delitem__(0),
    "pop": lambda x: x.pop(),
    "reverse": lambda x: x.reverse(),
    "clear": lambda x: x.clear(),
    "remove": lambda x: x.remove(x[0]),
    "*= 0": lambda x: x.__imul__(0),
    "sort": lambda x: x.sort(key=id),
}


@pytest.mark.parametrize("change", APPENDED.values(), ids=APPENDED.keys())
def test_lists_may_grow(change):
    m = tf.Module()
    m.x = [v()]
    change(m.x)
    assert {str(i) for i, e in enumerate(m.x) if isinstance(e, tf.Variable)} == set(parts(m.x))


@pytest.mark.parametrize("change", MUTATED.values(), ids=MUTATED.keys())
def test_other_changes_of_lists_with_parts_are_errors_when_the_parts_are_asked_for(change):
    m = tf.Module()
    m.x, m.y, m.plain = [v(), v()], [v(), v()], [2, 1]
    expected = list(m.x)
    change(m.x)
    change(m.y)
    with pytest.raises(ValueError, match=r"Unable to save the object ListWrapper.*not appended"):
        m.x._trackable_children()
    if change is not MUTATED["[]="] and change is not MUTATED["[:]="]:
        del expected
        change(m.plain)
        assert parts(m.plain) == {}


def test_changes_behind_the_back():
    for given in ([v()], [1]):
        m = tf.Module()
        m.x = given
        given.append(1)
        m.x.append(v())
        with pytest.raises(ValueError, match="modified outside the wrapper"):
            m.x._trackable_children()
    given = {"a": v()}
    m.d = given
    given["b"] = 1
    with pytest.raises(ValueError, match="modified outside the wrapper"):
        m.d._trackable_children()


def test_dicts():
    m = tf.Module()
    m.d = {"a": v()}
    m.d["b"], m.d["a"] = [v()], v()
    m.d.update(c=v())
    del m.d["a"]
    assert parts(m.d) == {"a": {}, "b": {"0": {}}, "c": {}}
    m.d.pop("c")
    with pytest.raises(ValueError, match="modified outside the wrapper"):
        m.d._trackable_children()
    m.d = {1: 2}
    assert parts(m.d) == {}
    m.d[1] = v()
    with pytest.raises(ValueError, match="a key that is no string"):
        m.d._trackable_children()


def test_they_behave_as_the_containers():
    m = tf.Module()
    m.l, m.d, m.t = [3, 1], {"b": 1, "a": [2]}, (1, [2])
    assert repr(m.l) == "ListWrapper([3, 1])" and str(m.d) == "{'b': 1, 'a': ListWrapper([2])}"
    assert (
        repr(m.d) == "DictWrapper({'b': 1, 'a': ListWrapper([2])})"
        and repr(m.t) == "_TupleWrapper((1, ListWrapper([2])))"
    )
    assert (
        m.l == [3, 1] and [3, 1] == m.l and m.l != [1] and m.l < [4] and m.d == {"a": [2], "b": 1} and m.t == (1, [2])
    )
    assert json.dumps(m.l) == "[3, 1]"
    assert type(m.l[:1]) is list and m.l + [1] == [3, 1, 1] and [1] + m.l == [1, 3, 1] and m.l * 2 == [3, 1, 3, 1]
    assert (
        sorted(m.l) == [1, 3] and list(reversed(m.l)) == [1, 3] and m.l.index(1) == 1 and m.l.count(3) == 1 and 3 in m.l
    )
    assert (
        {**m.d} == m.d and dict(m.d) == m.d and (m.d | {"c": 1})["c"] == 1 and list(m.d) == ["b", "a"] and len(m.t) == 2
    )
    assert m.t + (1,) == (1, [2], 1) and m.t[1:] == ([2],) and m.d.get("z") is None and next(iter(m.d)) == "b"
    for wrapper in (m.l, m.d, m.t):
        assert type(copy.copy(wrapper)) is type(copy.deepcopy(wrapper)) is type(wrapper)
        assert copy.deepcopy(wrapper) == wrapper == pickle.loads(pickle.dumps(wrapper))
        assert bool(wrapper)
    for wrapper in (m.l, m.d):
        with pytest.raises(TypeError, match="unhashable"):
            hash(wrapper)
    assert tf.convert_to_tensor(m.l).numpy().tolist() == [3, 1]


def test_nests():
    m = tf.Module()
    m.l, m.d, m.t, m.p = [1, 2], {"b": 1, "a": [2]}, (1, [2]), Pair(1, [2])
    assert tf.nest.flatten([m.l, m.d, m.t, m.p]) == [1, 2, 2, 1, 1, 2, 1, 2]
    for wrapper in (m.l, m.d, m.t):
        assert type(tf.nest.map_structure(lambda x: x + 1, wrapper)) is type(wrapper)
    assert type(tf.nest.map_structure(lambda x: x + 1, m.p)) is Pair
    tf.nest.assert_same_structure(m.d, {"a": [1], "b": 2})
    tf.nest.assert_same_structure((0, [0]), m.t)
    with pytest.raises(ValueError):
        tf.nest.assert_same_structure(m.d, {"a": [1], "c": 2})
    assert tf.function(lambda x: x["b"] + x["a"][0])(m.d).numpy() == 3


def test_variables_of_containers():
    m = tf.Module()
    m.x = [v(), {"a": tf.Variable(2.0, trainable=False)}, tf.Module()]
    m.x[2].w = v()
    assert [len(found) for found in (m.x.variables, m.x.trainable_variables, m.x.non_trainable_variables)] == [3, 2, 1]
    assert len(m.variables) == 3 and m.submodules == (m.x[2],)


def test_parts_of_objects():
    m = AutoTrackable()
    m.b, m.a = v(), v()
    m.b = v()
    assert list(parts(m)) == ["b", "a"]
    del m.b
    assert list(parts(m)) == ["a"]
    m.a = None
    assert list(parts(m)) == ["a"]  # as in TensorFlow: what was a part stays one
    m.none, m.list = NoDependency(v()), [NoDependency(v()), v()]
    assert isinstance(m.none, tf.Variable) and list(parts(m)) == ["a", "list"] and list(parts(m.list)) == ["1"]
    m.f, m.itself, m.tensor = tf.function(lambda: 1), m, tf.constant(1)
    assert list(parts(m)) == ["a", "list", "f", "itself"]
    with pytest.raises(TypeError, match="can only be used to track objects of type Trackable"):
        m._track_trackable(1, "one")
    with pytest.raises(ValueError, match="already declared"):
        m._track_trackable(v(), "a")
    assert m._lookup_dependency("f") is m.f and m._lookup_dependency("g") is None
    assert m._checkpoint_dependencies[0].name == "a"


def test_functions_are_parts_of_what_is_exported():
    class Model(tf.Module):
        @tf.function
        def call(self, x):
            return x

    m = Model()
    m.v = v()
    assert list(m._trackable_children("savedmodel")) == ["v", "call"]
    assert list(m._trackable_children()) == ["v"]


def test_tracking_can_be_off():
    class Layer(tf.Module):
        @no_automatic_dependency_tracking
        def build(self):
            self.hidden, self.many = v(), [v()]

    m = Layer()
    m.build()
    assert parts(m) == {} and type(m.many) is list
    m.shown = v()
    assert list(parts(m)) == ["shown"]


def test_the_base_class_is_inert():
    Trackable = tf.__internal__.tracking.Trackable
    assert isinstance(v(), Trackable) and isinstance(tf.function(lambda: 1), Trackable)
    assert not isinstance(tf.constant(1), Trackable)

    class Other(Trackable):
        def __init__(self):
            self.v = v()

    assert vars(Other()).keys() == {"v"} and parts(Other()) == {}
    with pytest.raises(NotImplementedError):
        Other()._serialize_to_tensors()


def test_wrappers_are_proxies_where_these_are_known(run_python):
    done = run_python(
        "-c",
        """
import collections, wrapt
import tfgrad_jax as tf
Pair = collections.namedtuple("Pair", "a b")
module = tf.Module()
module.pair, module.dict = Pair(tf.Variable(1.0), tf.Variable(2.0)), {"x": [tf.Variable(3.0)]}
for wrapper, kind in ((module.pair, Pair), (module.dict, dict)):
    print(isinstance(wrapper, wrapt.ObjectProxy), isinstance(wrapper, kind), type(wrapper.__wrapped__) is kind)
again = tf.nest.map_structure(lambda v: v + 1.0, (module.pair, module.dict))
print(again[0].a.numpy(), again[1]["x"][0].numpy(), len(module.variables))
module.dict["y"] = tf.Variable(4.0)
print(sorted(module.dict), len(module.variables), sorted(module.dict._trackable_children()))
""",
    )
    expected = ["True True True", "True True True", "2.0 4.0 3", "['x', 'y'] 4 ['x', 'y']"]
    assert done.stdout.splitlines() == expected, done.stderr


def test_wrappers_are_of_the_class_that_was_asked_for(run_python):
    """As `optree`'s registry needs, even where `dm-tree` comes later and brings `wrapt`."""
    done = run_python(
        "-c",
        """
import tfgrad_jax as tf
from tfgrad_jax.python.trackable import data_structures
kinds = data_structures._DictWrapper, data_structures._TupleWrapper
import wrapt
module = tf.Module()
module.dict, module.tuple = {"x": 1}, (tf.Variable(1.0),)
print([type(w) is k for w, k in zip((module.dict, module.tuple), kinds)], type(kinds[0]({"a": 1})) is kinds[0])
print(kinds[0].__name__, isinstance(module.dict, wrapt.ObjectProxy))
""",
    )
    assert done.stdout.splitlines() == ["[True, True] True", "_DictWrapper True"], done.stderr
