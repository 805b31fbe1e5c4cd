"""Devices: what is there, and scopes that place operations."""

from __future__ import annotations

import pytest

import tfgrad_jax as tf

CPU = "/job:localhost/replica:0/task:0/device:CPU:0"


def test_what_is_there():
    physical, logical = tf.config.list_physical_devices("CPU"), tf.config.list_logical_devices("CPU")
    assert physical[0] == tf.config.PhysicalDevice("/physical_device:CPU:0", "CPU")
    assert logical[0] == tf.config.LogicalDevice("/device:CPU:0", "CPU")
    assert physical[0] in tf.config.list_physical_devices() and physical[0] in tf.config.get_visible_devices()
    assert tf.config.list_physical_devices("NOTHING") == tf.config.list_logical_devices("NOTHING") == []


def test_gpus_are_those_listed():
    assert tf.test.is_gpu_available() is bool(tf.config.list_physical_devices("GPU"))
    assert bool(tf.test.gpu_device_name()) is tf.test.is_gpu_available()


@pytest.mark.parametrize("name", ["CPU", "cpu:0", "/CPU:0", "/cpu:0", "/device:CPU:0", CPU, "", None, "/job:localhost"])
def test_scopes(name):
    with tf.device(name):
        x = tf.constant([1.0, 2.0]) * 2.0
    assert x.numpy().tolist() == [2.0, 4.0]
    if name and "cpu" in name.lower():
        assert x.device == CPU


@pytest.mark.parametrize("name", ["nonsense", "/nonsense:0", "CPU:x"])
def test_names_that_are_no_device(name):
    with pytest.raises(ValueError), tf.device(name):
        pass


def test_a_device_that_is_not_there_falls_back():
    with tf.device("/CPU:99"):
        assert float(tf.constant(1.0) + 1.0) == 2.0


def test_scopes_nest_and_end_with_an_exception():
    with pytest.raises(KeyError), tf.device("/CPU:0"):
        with tf.device("/CPU:0"):
            pass
        raise KeyError
    assert float(tf.constant(1.0) + 1.0) == 2.0


def test_gradients_cross_scopes():
    v = tf.Variable(3.0)
    with tf.GradientTape() as tape, tf.device("/CPU:0"):
        y = v * v
    assert float(tape.gradient(y, v)) == 6.0


def test_a_logical_device_is_named():
    with tf.device(tf.config.list_logical_devices("CPU")[0]):
        assert tf.constant(1.0).device.endswith("/device:CPU:0")
