import pickle
import weakref

import pytest

import tfgrad_jax as tf


def test_the_handle_of_a_variable_is_a_resource():
    v = tf.Variable([1.0, 2.0], name="weights")
    assert v.handle is v.handle
    assert v.handle.dtype is tf.resource
    assert v.handle.shape == ()
    assert isinstance(v.handle, tf.Tensor)
    assert v.dtype is tf.float32
    assert v.handle.device == v.device
    assert repr(v.handle).startswith('<tf.Tensor: shape=(), dtype=resource, value=<ResourceHandle(name="weights/')
    assert 'dtype and shapes : "[ DType enum: 1, Shape: [2] ]"' in str(v.handle)
    assert tf.TensorSpec.from_tensor(v.handle) == tf.TensorSpec([], tf.resource)


@pytest.mark.parametrize("use", [lambda h: h.numpy(), lambda h: h + 1, lambda h: tf.cast(h, tf.float32)])
def test_it_has_no_value(use):
    with pytest.raises((tf.errors.InvalidArgumentError, TypeError)):
        use(tf.Variable(1.0).handle)


def test_it_does_not_travel():
    with pytest.raises(TypeError, match="save the variable"):
        pickle.dumps(tf.Variable(1.0).handle)


@pytest.mark.parametrize("make", [lambda: tf.constant(1.0), lambda: tf.Variable(1.0)])
def test_references_can_be_referred_to_weakly(make):
    reference = make().ref()
    assert weakref.ref(reference)() is reference


@pytest.mark.parametrize("make", [tf.constant, tf.Variable])
def test_the_real_part_of_a_complex_number_is_taken_with_a_warning(make):
    for convert, expected in ((int, 1), (float, 1.5)):
        with pytest.warns(match="imaginary"):
            assert convert(make(1.5 + 2.0j)) == expected
    assert complex(make(1.5 + 2.0j)) == 1.5 + 2.0j


def test_the_buffer_is_the_value_and_read_only():
    view = tf.constant([[1.0, 2.0]]).__buffer__(0)
    assert (view.shape, view.format, view.readonly, view.tolist()) == ((1, 2), "f", True, [[1.0, 2.0]])
