"""Variables: what they are, how they are read and changed. See `test_creators` and `tests/ops/test_state.py`, too."""

from __future__ import annotations

import abc
import copy
import pickle

import numpy as np
import pytest

import tfgrad_jax as tf


def test_what_it_is():
    v = tf.Variable([[1.0, 2.0]], name="weights")
    assert isinstance(v, tf.Variable) and type(v).__name__ == "ResourceVariable" and not isinstance(v, tf.Tensor)
    assert tf.is_tensor(v)
    assert (v.name, v.dtype, v.shape, v.trainable) == ("weights:0", tf.float32, (1, 2), True)
    assert v.get_shape() == v.shape and v.device.endswith("device:CPU:0")
    assert (
        repr(v)
        == str(v)
        == ("<tf.Variable 'weights:0' shape=(1, 2) dtype=float32, numpy=array([[1., 2.]], dtype=float32)>")
    )
    assert (v.constraint, v.synchronization, v.aggregation) == (
        None,
        tf.VariableSynchronization.AUTO,
        tf.VariableAggregation.NONE,
    )


@pytest.mark.parametrize(
    ("value", "options", "dtype", "expected"),
    [
        (1, {}, "int32", 1),
        (1.5, {}, "float32", 1.5),
        (1.5, {"dtype": tf.float64}, "float64", 1.5),
        (np.float64(1.5), {}, "float64", 1.5),
        (1, {"dtype": "float16"}, "float16", 1.0),
        (True, {}, "bool", True),
        (1 + 2j, {}, "complex128", 1 + 2j),
        ("text", {}, "string", b"text"),
        ([[1], [2]], {}, "int32", [[1], [2]]),
        (lambda: [1.0, 2.0], {}, "float32", [1.0, 2.0]),
    ],
)
def test_initial_values(value, options, dtype, expected):
    v = tf.Variable(value, **options)
    assert v.dtype.name == dtype and np.asarray(v).tolist() == expected


def test_from_a_tensor_or_a_variable_it_has_a_value_of_its_own():
    x = tf.constant([1.0, 2.0])
    v = tf.Variable(x)
    w = tf.Variable(v)
    v.assign([5.0, 6.0])
    assert [np.asarray(t).tolist() for t in (x, v, w)] == [[1, 2], [5, 6], [1, 2]]


def test_from_an_array_it_has_memory_of_its_own():
    a = np.array([1.0, 2.0], np.float32)
    v = tf.Variable(a)
    a[0] = 9.0
    b = v.numpy()
    b[1] = 9.0
    assert v.numpy().tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("arguments", "options", "error"),
    [
        ((), {}, ValueError),
        ((None,), {}, ValueError),
        ((1.0,), {"constraint": 3}, ValueError),
        ((1.0,), {"shape": [2]}, ValueError),
        ((1.5,), {"dtype": tf.int32}, TypeError),
        ((tf.constant(1.5),), {"dtype": tf.int32}, ValueError),
    ],
)
def test_refused(arguments, options, error):
    with pytest.raises(error):
        tf.Variable(*arguments, **options)


def test_shapes_may_be_left_open():
    v = tf.Variable([[1.0, 2.0]], shape=[None, 2])
    assert v.shape.as_list() == [None, 2]
    v.assign([[1.0, 2.0], [3.0, 4.0]])
    assert v.numpy().shape == (2, 2) and v.read_value().shape == (2, 2)
    with pytest.raises(ValueError, match="incompatible"):
        v.assign([1.0])
    anything = tf.Variable(1.0, shape=tf.TensorShape(None))
    anything.assign([1.0, 2.0])
    assert anything.shape.rank is None and anything.numpy().tolist() == [1.0, 2.0]
    assert tf.Variable(1.0, validate_shape=False).shape == ()


def test_trainable_unless_said_otherwise():
    on_read = tf.VariableSynchronization.ON_READ
    assert tf.Variable(1).trainable and not tf.Variable(1.0, trainable=False).trainable
    assert not tf.Variable(1.0, synchronization=on_read).trainable
    assert tf.Variable(1.0, synchronization=on_read, aggregation=tf.VariableAggregation.SUM, trainable=True).trainable


def test_names_take_the_open_scope_and_may_repeat():
    with tf.name_scope("outer"):
        a, b = tf.Variable(1.0, name="v"), tf.Variable(1.0, name="v")
        c = tf.Variable(1.0)
    assert [v.name for v in (a, b, c)] == ["outer/v:0", "outer/v:0", "outer/Variable:0"]


# -- reading -----------------------------------------------------------------------------------------------------------


def test_python_reads_it():
    v, n = tf.Variable(2.5), tf.Variable(3)
    assert (float(v), int(v), bool(v), complex(v)) == (2.5, 2, True, 2.5 + 0j)
    assert [float(x) for x in tf.Variable([1.0, 2.0])] == [1.0, 2.0]
    assert np.add(tf.Variable([1.0, 2.0]), 1).tolist() == [2.0, 3.0]
    for wrong in (lambda: [10, 20, 30, 40][n], lambda: range(n), lambda: iter(v)):
        with pytest.raises(TypeError):
            wrong()


def test_read_values_are_snapshots():
    v = tf.Variable([1.0])
    read = [v.read_value(), v.value(), tf.identity(v), tf.convert_to_tensor(v)]
    v.assign([2.0])
    assert all(isinstance(r, tf.Tensor) for r in read)
    assert [r.numpy().tolist() for r in read] == [[1.0]] * 4


def test_conversion_does_not_change_the_dtype():
    v = tf.Variable(1.0)
    assert tf.convert_to_tensor(v, tf.float32).dtype == tf.float32
    with pytest.raises(ValueError, match="float64"):
        tf.convert_to_tensor(v, tf.float64)


def test_it_is_no_key_but_its_reference_is():
    v, w = tf.Variable(1.0), tf.Variable(1.0)
    with pytest.raises(TypeError, match="unhashable"):
        hash(v)
    assert v.ref() == v.ref() != w.ref() and {v.ref(): 1}[v.ref()] == 1 and v.ref().deref() is v
    assert bool(v == w) and not bool(v != w)


# -- writing -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [[3.0, 4.0], np.array([3.0, 4.0]), tf.constant([3.0, 4.0]), tf.Variable([3.0, 4.0])])
@pytest.mark.parametrize(("how", "expected"), [("assign", [3, 4]), ("assign_add", [4, 6]), ("assign_sub", [-2, -2])])
def test_assignments(value, how, expected):
    v = tf.Variable([1.0, 2.0], name="v")
    returned = getattr(v, how)(value)
    assert v.numpy().tolist() == returned.numpy().tolist() == expected
    assert isinstance(returned, tf.Variable) and returned.shape == (2,)
    assert getattr(v, how)(value, read_value=False) is None


def test_what_an_assignment_returns_is_the_variable_itself():
    v = tf.Variable(1.0)
    returned = v.assign(2.0)
    returned.assign_add(3.0).assign_sub(1.0)
    assert v.numpy() == returned.numpy() == 4.0
    assert repr(returned) == "<tf.Variable 'UnreadVariable' shape=() dtype=float32, numpy=4.0>"


def test_assigning_itself():
    v = tf.Variable([1.0, 2.0])
    v.assign(v)
    v.assign_add(v)
    v.assign(v * v)
    assert v.numpy().tolist() == [4.0, 16.0]


@pytest.mark.parametrize(
    ("how", "value", "error"),
    [
        ("assign", [1.0], ValueError),
        ("assign", 1.0, ValueError),
        ("assign", tf.constant([1, 2]), ValueError),
        ("assign", "x", TypeError),
        ("assign", None, ValueError),
        ("assign_add", [1.0], tf.errors.InvalidArgumentError),
        ("assign_add", 1.0, tf.errors.InvalidArgumentError),
        ("assign_sub", tf.constant([1, 2]), ValueError),
    ],
)
def test_what_does_not_fit_leaves_the_variable(how, value, error):
    v = tf.Variable([1.0, 2.0])
    with pytest.raises(error):
        getattr(v, how)(value)
    assert v.numpy().tolist() == [1.0, 2.0]


@pytest.mark.parametrize("value", [[True, False], ["a", "b"]])
def test_what_has_no_sum_cannot_be_added_to(value):
    v = tf.Variable(value)
    with pytest.raises(tf.errors.OpError):
        v.assign_add(value)


def add(v):
    v += 1.0


def subtract(v):
    v -= 1.0


def multiply(v):
    v *= 2.0


def divide(v):
    v /= 2.0


def power(v):
    v **= 2.0


@pytest.mark.parametrize("change", [add, subtract, multiply, divide, power])
def test_operators_do_not_change_it_in_place(change):
    v = tf.Variable(1.0)
    with pytest.raises(RuntimeError, match="is not supported"):
        change(v)
    assert v.numpy() == 1.0


def test_elements_cannot_be_set_by_index():
    v = tf.Variable([1.0, 2.0])
    with pytest.raises(TypeError):
        v[0] = 3.0


# -- copying -----------------------------------------------------------------------------------------------------------


def test_a_deep_copy_is_a_variable_of_its_own():
    v = tf.Variable([1.0, 2.0], trainable=False, name="v")
    w = copy.deepcopy(v)
    w.assign_add([1.0, 1.0])
    assert (v.numpy().tolist(), w.numpy().tolist()) == ([1, 2], [2, 3])
    assert not w.trainable and w.dtype == tf.float32
    a, b = copy.deepcopy([v, v])
    assert a is b


def test_attributes_may_be_added():
    v = tf.Variable(1.0)
    v.anything = 3
    assert v.anything == 3


def test_pickling():
    v = tf.Variable([1.0, 2.0], trainable=False)
    w = pickle.loads(pickle.dumps(v))
    assert w.numpy().tolist() == [1.0, 2.0] and not w.trainable


def test_a_subclass_that_keeps_its_value_elsewhere_has_its_type():
    class Elsewhere(tf.Variable):
        def __init__(self, value):
            self.kept = value

    tf.register_tensor_conversion_function(Elsewhere, lambda value, dtype=None, name=None, as_ref=False: value.kept)
    assert tf.zeros_like(Elsewhere(tf.ones([2]))).numpy().tolist() == [0.0, 0.0]


def test_an_abstract_class_may_be_a_variable_too():
    class Parameter(abc.ABC):
        @property
        @abc.abstractmethod
        def limit(self): ...

    class Limited(Parameter, type(tf.Variable(0.0))):
        limit = 2.0

    class Unlimited(Parameter, type(tf.Variable(0.0))):
        pass

    v = Limited(1.0, name="p")
    v.assign_add(3.0)
    assert isinstance(v, Parameter) and isinstance(v, tf.Variable) and (v.numpy(), v.limit) == (4.0, 2.0)
    with pytest.raises(TypeError, match="abstract"):
        Unlimited(1.0)


def test_a_class_with_contents_of_its_own():
    """zfit's parameters have the name that they gave themselves, and know by the error that no base is left."""

    class Composed(tf.Variable):
        def __init__(self, name):
            with pytest.raises(NotImplementedError, match=r"Composed.* no `initial_value`"):
                super().__init__(name=name)

    class Named(tf.Variable):
        def __init__(self, value, name):
            self._name = name
            super().__init__(value, name="other")

    Composed("c")
    named = Named(1.0, "mine")
    assert named._name == "mine" and named.name == "other:0" and float(named + 1.0) == 2
    with pytest.raises(ValueError, match="initial_value"):
        tf.Variable()


def test_assignments_that_return_nothing_return_their_operation_in_functions():
    v = tf.Variable([1.0, 2.0])
    types = []

    @tf.function
    def assign(x):
        types.append(v.assign([3.0, 4.0], read_value=False).type)
        types.append(v.assign_add(x, read_value=False).type)
        types.append(v.scatter_add(tf.IndexedSlices([1.0], [0])).op.type)
        return tf.cond(x[0] > 0, lambda: v.assign_sub([1.0, 1.0]) + 0.0, lambda: v + 0.0)

    assert assign(tf.constant([1.0, 1.0])).numpy().tolist() == [4, 4]
    assert assign(tf.constant([-1.0, 1.0])).numpy().tolist() == [3, 5]
    assert types == ["AssignVariableOp", "AssignAddVariableOp", "ResourceScatterAdd"]
    assert v.assign([0.0, 0.0], read_value=False) is None
