"""Names of devices and their parts."""

import pytest

import tfgrad_jax as tf

FULL = "/job:worker/replica:1/task:2/device:GPU:3"


@pytest.mark.parametrize(
    ("name", "canonical"),
    [
        (FULL, FULL),
        ("/cpu:0", "/device:CPU:0"),
        ("gpu:1", "/device:GPU:1"),
        ("/device:GPU:*", "/device:GPU:*"),
        ("", ""),
        (None, ""),
    ],
)
def test_names(name, canonical):
    assert tf.DeviceSpec.from_string(name).to_string() == canonical


@pytest.mark.parametrize("name", ["/foo:1", "/device:GPU", "/CPU:0/GPU:1"])
def test_names_that_are_not_understood(name):
    with pytest.raises(ValueError, match="device spec"):
        tf.DeviceSpec.from_string(name)


def test_parts():
    spec = tf.DeviceSpec.from_string(FULL)
    assert (spec.job, spec.replica, spec.task, spec.device_type, spec.device_index) == ("worker", 1, 2, "GPU", 3)
    assert spec == tf.DeviceSpec("worker", 1, 2, "gpu", 3)
    assert spec.replace(task=4).to_string() == FULL.replace("task:2", "task:4")
    assert spec.make_merged_spec(tf.DeviceSpec(device_type="CPU")).to_string() == FULL.replace("GPU", "CPU")
    assert repr(spec) == "<DeviceSpec(job=worker, replica=1, task=2, device_type=GPU, device_index=3)>"
    with pytest.raises(AttributeError):
        spec.job = "other"


def test_what_tensors_say_can_be_read():
    with tf.device(tf.DeviceSpec(device_type="CPU", device_index=0)):
        assert tf.DeviceSpec.from_string(tf.constant(1).device).device_type == "CPU"
