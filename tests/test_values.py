"""What tensors do as Python objects, and how they meet NumPy, JAX and Matplotlib."""

from __future__ import annotations

import copy
import pickle

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tfgrad_jax as tf

ARRAY = np.arange(6, dtype=np.float32).reshape(2, 3)


@pytest.fixture(params=["host", "device", "variable"])
def tensor(request):
    """The same value in each place where it may lie."""
    if request.param == "variable":
        return tf.Variable(ARRAY)
    return tf.constant(ARRAY) if request.param == "host" else tf.constant(ARRAY) * 1.0


def test_numpy_takes_it(tensor):
    for found in (tensor.numpy(), np.asarray(tensor), np.array(tensor), np.stack([tensor])[0], np.add(tensor, 0)):
        assert type(found) is np.ndarray and found.dtype == np.float32 and np.array_equal(found, ARRAY)
    assert np.asarray(tensor, np.float64).dtype == np.float64
    assert np.mean(tensor) == 2.5 and np.sum(tensor) == 15


def test_numpy_returns_memory_of_its_own(tensor):
    array = tensor.numpy()
    array[:] = -1
    assert np.array_equal(tensor.numpy(), ARRAY)


def test_the_source_may_change_afterwards():
    source = ARRAY.copy()
    x, v = tf.constant(source), tf.Variable(source)
    source[:] = -1
    assert np.array_equal(x, ARRAY) and np.array_equal(v, ARRAY)


def test_scalars_come_out_as_scalars():
    assert type(tf.constant(1.0).numpy()) is np.float32 and type(tf.constant("a").numpy()) is bytes
    assert type(tf.constant(True).numpy()) is np.bool_ and type(tf.constant(2).numpy()) is np.int32
    assert type(tf.size([1, 2]).numpy()) is np.int32


def test_jax_takes_it_and_gives_it(tensor):
    there = jnp.asarray(tensor)
    assert isinstance(there, jax.Array) and there.dtype == np.float32 and np.array_equal(there, ARRAY)
    found = tf.add(jnp.asarray(ARRAY), tensor)
    assert type(found).__name__ == "EagerTensor" and np.array_equal(found, 2 * ARRAY)
    assert tf.constant(jnp.ones(2, jnp.bfloat16)).dtype is tf.bfloat16


def test_dlpack():
    x = tf.constant(ARRAY) * 1.0
    assert np.array_equal(np.from_dlpack(x), ARRAY)
    assert np.array_equal(jnp.from_dlpack(x), ARRAY)


def test_matplotlib_takes_it(tensor):
    pytest.importorskip("matplotlib").use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots()
    (line,) = axes.plot(tensor[0], tensor[1])
    axes.imshow(tensor)
    assert np.asarray(line.get_ydata()).tolist() == [3, 4, 5]
    pyplot.close(figure)


def test_python_numbers():
    x = tf.constant(2.5)
    assert float(x) == 2.5 and int(x) == 2 and complex(x) == 2.5 and bool(x) and f"{x:.2f}" == "2.50"
    assert [10, 20, 30][tf.constant(1)] == 20 and list(range(tf.constant(3))) == [0, 1, 2]
    assert not tf.constant(0) and not tf.constant(False)
    with pytest.raises(TypeError):
        [10, 20][x]
    with pytest.raises((TypeError, ValueError)):
        float(tf.constant([1.0, 2.0]))
    with pytest.raises(ValueError):
        bool(tf.constant([1.0, 2.0]))


def test_length_and_iteration(tensor):
    assert len(tensor.read_value() if isinstance(tensor, tf.Variable) else tensor) == 2
    rows = list(tensor)
    assert [r.shape.as_list() for r in rows] == [[3], [3]] and rows[1].numpy().tolist() == [3, 4, 5]
    a, b = tensor
    assert a.numpy()[0] == 0 and b.numpy()[0] == 3
    with pytest.raises(TypeError, match="len"):
        len(tf.constant(1.0))
    with pytest.raises(TypeError, match="iterate"):
        iter(tf.constant(1.0))


def test_iteration_is_recorded():
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = sum(i * r * r for i, r in enumerate(x))
    assert tape.gradient(y, x).numpy().tolist() == [0, 4, 12]


def test_references_are_the_keys(tensor):
    with pytest.raises(TypeError, match=r"ref\(\)"):
        hash(tensor)
    with pytest.raises(TypeError, match=r"ref\(\)"):
        {tensor: 1}
    assert {tensor.ref(): 1}[tensor.ref()] == 1 and tensor.ref().deref() is tensor
    assert tensor.ref() != tf.constant(ARRAY).ref()


def test_equality_is_elementwise():
    x = tf.constant([1.0, 2.0])
    assert (x == [1.0, 3.0]).numpy().tolist() == [True, False] and (x != [1.0, 3.0]).numpy().tolist() == [False, True]
    assert (x == None) is False and (x != None) is True  # noqa: E711
    assert x is not tf.constant([1.0, 2.0])


def test_copies_and_pickles():
    x, v = tf.constant(ARRAY), tf.Variable(ARRAY, name="v", trainable=False)
    assert copy.copy(x) is x and copy.deepcopy(x) is x
    for found in (pickle.loads(pickle.dumps(x)), pickle.loads(pickle.dumps(x * 1.0))):
        assert type(found).__name__ == "EagerTensor" and found.dtype is tf.float32 and np.array_equal(found, ARRAY)
    assert pickle.loads(pickle.dumps(tf.constant(["a"]))).numpy().tolist() == [b"a"]
    for w in (copy.deepcopy(v), pickle.loads(pickle.dumps(v))):
        w.assign_add(tf.ones([2, 3]))
        assert w.name == "v:0" and not w.trainable
    assert np.array_equal(v, ARRAY)


def test_what_belongs_to_graphs_says_so():
    x = tf.constant(1.0)
    for name in ("name", "op", "graph"):
        with pytest.raises(AttributeError, match="eager"):
            getattr(x, name)
    assert type(x).__name__ == "EagerTensor" and isinstance(x, tf.Tensor)
    assert x.device.endswith(":0") and "device:" in x.device


def test_static_shapes():
    x = tf.constant(ARRAY)
    assert x.shape == (2, 3) and x.get_shape().as_list() == [2, 3] and x.ndim == 2 and x.dtype is tf.float32
    x.set_shape([None, 3])
    with pytest.raises(ValueError, match="not compatible"):
        x.set_shape([3, 3])


def test_types_are_told_apart():
    x, v = tf.constant(1.0), tf.Variable(1.0)
    assert tf.is_tensor(x) and tf.is_tensor(v) and not tf.is_tensor(1.0) and not tf.is_tensor(np.ones(2))
    assert isinstance(x, tf.Tensor) and not isinstance(v, tf.Tensor) and isinstance(v, tf.Variable)
    assert tf.get_static_value(x) == 1


def test_classes_say_where_tensorflow_has_them():
    # Libraries tell by the module of its class what they are given.
    slices = tf.IndexedSlices(tf.ones([1]), tf.constant([0]))
    found = [type(x).__module__ for x in (tf.constant(1.0), tf.Variable(1.0), slices)]
    assert found == [
        "tensorflow.python.framework.ops",
        "tensorflow.python.ops.resource_variable_ops",
        "tensorflow.python.framework.indexed_slices",
    ]
    types = []
    tf.function(lambda x: types.append(type(x)))(1.0)
    tf.function(lambda x: types.append(type(x)))(tf.constant(1.0))
    assert str(types[-1]) == "<class 'tensorflow.python.framework.ops.SymbolicTensor'>"


@pytest.mark.parametrize("made", [lambda: tf.constant([1.0]), lambda: tf.Variable([1.0])])
def test_they_are_pickled_all_the_same(made):
    assert pickle.loads(pickle.dumps(made())).numpy() == [1.0]


def test_python_integers_beyond_their_type():
    assert tf.constant(300, tf.int8).numpy() == 44 and tf.constant([2**40], tf.int32).numpy().tolist() == [
        0
    ]  # they wrap
    for value in (2**63, [2**63]):
        with pytest.raises(ValueError, match="out-of-range integer"):
            tf.constant(value, tf.int64)
    assert tf.constant(2**63, tf.uint64).numpy() == 2**63
