"""`tf.config` beyond the list of devices: what is set is given back, what cannot be is refused as in TensorFlow."""

from __future__ import annotations

import pytest

import tfgrad_jax as tf
from tfgrad_jax.lib.devices import configuration

CPU = tf.config.list_physical_devices("CPU")[0]
config, experimental = tf.config, tf.config.experimental


@pytest.mark.parametrize(
    ("get", "put", "first", "values"),
    [
        (
            config.threading.get_intra_op_parallelism_threads,
            config.threading.set_intra_op_parallelism_threads,
            0,
            [(2, 2)],
        ),
        (
            config.threading.get_inter_op_parallelism_threads,
            config.threading.set_inter_op_parallelism_threads,
            0,
            [(2, 2)],
        ),
        (config.get_soft_device_placement, config.set_soft_device_placement, True, [(False, False), (True, True)]),
        (
            config.optimizer.get_jit,
            config.optimizer.set_jit,
            "",
            [(True, "autoclustering"), (False, ""), ("autoclustering", "autoclustering"), ("foo", "")],
        ),
        (
            experimental.get_device_policy,
            experimental.set_device_policy,
            "silent",
            [("explicit", "explicit"), (None, "silent")],
        ),
        (
            experimental.get_synchronous_execution,
            experimental.set_synchronous_execution,
            True,
            [(False, False), (None, True)],
        ),
        (
            experimental.tensor_float_32_execution_enabled,
            experimental.enable_tensor_float_32_execution,
            True,
            [(False, False), (True, True)],
        ),
        (
            tf.debugging.get_log_device_placement,
            tf.debugging.set_log_device_placement,
            False,
            [(True, True), (False, False)],
        ),
        (
            config.experimental_functions_run_eagerly,
            config.experimental_run_functions_eagerly,
            False,
            [(True, True), (False, False)],
        ),
    ],
)
def test_settings_are_kept(get, put, first, values):
    assert get() == first
    for given, kept in values:
        put(given)
        assert get() == kept


def test_options_of_the_optimizer(monkeypatch):
    # Other tests set some, and there is no way to take them back.
    monkeypatch.setitem(configuration._kept, "options", {})
    config.optimizer.set_experimental_options({"constant_folding": True, "nothing": True})
    assert config.optimizer.get_experimental_options() == {
        "constant_folding": True,
        "disable_model_pruning": False,
        "disable_meta_optimizer": False,
    }


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: experimental.set_device_policy("x"), "Invalid argument `device_policy`: 'x'"),
        (lambda: experimental.get_device_details("CPU:0"), "device must be a tf.config.PhysicalDevice, but got: CPU:0"),
        (lambda: experimental.get_memory_info("CPU:0"), "Allocator stats not available for device 'CPU:0'"),
        (lambda: experimental.get_memory_usage("GPU:99"), "No matching devices found for 'GPU:99'"),
        (lambda: experimental.get_memory_info("GPU"), "Failed parsing device name: 'GPU'"),
        (lambda: experimental.reset_memory_stats("CPU:0"), "Cannot reset memory stats for device 'CPU:0'"),
        (lambda: experimental.set_memory_growth("gpu", True), "Unrecognized device: 'gpu'"),
        (lambda: experimental.set_memory_growth(CPU, True), "Cannot set memory growth on non-GPU"),
        (lambda: config.set_visible_devices("x"), "Unrecognized device: 'x'"),
        (lambda: config.get_logical_device_configuration("x"), "Unrecognized device: 'x'"),
        (
            lambda: config.set_logical_device_configuration(CPU, [config.LogicalDeviceConfiguration(memory_limit=5)]),
            "Setting memory limit on CPU virtual devices is currently not supported",
        ),
    ],
)
def test_what_cannot_be(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_what_is_accepted():
    assert experimental.get_device_details(CPU) == {}
    experimental.enable_mlir_bridge()
    experimental.disable_mlir_bridge()
    experimental.ClusterDeviceFilters().set_device_filters("worker", 0, ["/job:ps"])
    assert experimental.VirtualDeviceConfiguration is config.LogicalDeviceConfiguration
    tf.debugging.disable_traceback_filtering()
    assert tf.debugging.is_traceback_filtering_enabled() is False
    tf.debugging.enable_traceback_filtering()
    assert tf.debugging.is_traceback_filtering_enabled() is True


def test_no_cluster():
    with pytest.raises(tf.errors.UnimplementedError, match=r"jax\.distributed"):
        config.experimental_connect_to_cluster("localhost:1")


def test_visible_devices():
    config.set_visible_devices([], "GPU")
    assert config.get_visible_devices() == [CPU] and config.list_logical_devices("GPU") == []
    assert "CPU" in tf.constant(1.0).device
    config.set_visible_devices(config.list_physical_devices())
    with pytest.raises(RuntimeError, match="Visible devices cannot be modified"):
        config.set_visible_devices([])


PROGRAM = """
import jax, tfgrad_jax as tf
cpu = tf.config.list_physical_devices("CPU")
one = tf.config.LogicalDeviceConfiguration()
assert tf.config.get_logical_device_configuration(cpu[0]) is None
tf.config.set_logical_device_configuration(cpu[0], [one, one])
assert tf.config.get_logical_device_configuration(cpu[0]) == [one, one]
assert tf.config.list_physical_devices("CPU") == cpu
print(*[d.name for d in tf.config.list_logical_devices("CPU")])
with tf.device("CPU:1"):
    kept = tf.constant(jax.numpy.ones(3))
print(kept.device)
try:
    tf.config.set_logical_device_configuration(cpu[0], [one])
except RuntimeError as error:
    print(error)
"""


def test_logical_devices(run_imported):
    done = run_imported("-c", PROGRAM)
    assert done.stdout.splitlines() == [
        "/device:CPU:0 /device:CPU:1",
        "/job:localhost/replica:0/task:0/device:CPU:1",
        "Virtual devices cannot be modified after being initialized",
    ], done.stderr


def test_what_was_built():
    assert list(tf.sysconfig.get_build_info()) == ["is_cuda_build", "is_rocm_build", "is_tensorrt_build"]
    assert tf.sysconfig.get_compile_flags() == tf.sysconfig.get_link_flags() == []
    assert tf.sysconfig.get_lib().endswith("tfgrad_jax") and tf.sysconfig.get_include()
    assert tf.version.GIT_VERSION == tf.__git_version__ == tf.compat.v1.version.GIT_VERSION
    assert tf.version.GRAPH_DEF_VERSION == 2474
