"""Beside an accelerator everything is compiled for it, but for input pipelines and small arrays: those stay on the host."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf
from tfgrad_jax.engine.kernels import limits, lowering
from tfgrad_jax.engine.kernels.policy import policy
from tfgrad_jax.engine.run import checks
from tfgrad_jax.engine.threads import accelerator


@pytest.fixture
def accelerated(monkeypatch):
    """As if there were one, which this machine's processor plays."""
    if accelerator.has_accelerator():
        pytest.skip("on a machine that has one, there is nothing to play")
    monkeypatch.setattr(checks, "_chosen", [None])
    monkeypatch.setattr(accelerator, "_is_default", lambda: True)
    monkeypatch.setattr(policy, "choice", "mixed")
    monkeypatch.setattr(policy, "compiled_only", True)


LARGE = np.linspace(0, 1, 5000).astype(np.float32)


@pytest.mark.usefixtures("accelerated")
def test_large_arrays_are_compiled_for_at_once(compiled):
    with tf.extras.execution("immediate"):
        x = tf.constant(LARGE)
        assert np.allclose(tf.sin(x) * 1.25 - x, np.sin(LARGE) * 1.25 - LARGE, atol=1e-6)
    assert compiled() > 0


@pytest.mark.usefixtures("accelerated")
def test_small_arrays_stay_in_the_hosts_memory(compiled):
    with tf.extras.execution("immediate"):
        for n in range(3, 20):  # lengths that never come again
            v = tf.Variable(tf.ones([n]))
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.sin(v) * 1.5)
            v.assign_sub(0.5 * tape.gradient(loss, v))
            assert np.allclose(v, 1 - 0.75 * np.cos(1.0), atol=1e-6)
        shape = tf.shape(tf.zeros([6, 4]))
        half = (shape[0] + 1) // 2 * shape[1]
        assert int(half) == 12 and bool(half > 3) and tf.reduce_prod(shape[1:]).numpy() == 4
        assert compiled() == 0
        assert tf.fill([half * 1000], 0.5).shape == [12000] and compiled() > 0  # made where it will be used


@pytest.mark.usefixtures("accelerated")
def test_functions_of_pipelines_stay_on_the_host(compiled):
    seen = []

    def each(i):
        x = tf.cast(i, tf.float32) * 1.5
        tf.py_function(lambda: seen.append(policy.everything_compiled), [], [])
        return tf.stack([x, tf.reduce_sum(tf.sqrt(x))])

    data = tf.data.Dataset.range(5).filter(lambda i: i != 2).map(lambda i: i * 2).map(each).batch(2)
    compiled()
    rows = np.concatenate(list(data.as_numpy_iterator()))
    wanted = np.array([0, 3, 9, 12], np.float32)
    assert np.allclose(rows, np.stack([wanted, np.sqrt(wanted)], 1))
    assert compiled() == 0 and seen == [False] * 4 and policy.everything_compiled


@pytest.mark.usefixtures("accelerated")
def test_pipelines_check_indices_and_other_functions_do_not():
    data = tf.data.Dataset.range(3).map(lambda i: tf.gather([1.0, 2.0], i))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices.* = 2 is not in \[0, 2\)"):
        list(data)
    assert not checks.enabled()


@pytest.mark.usefixtures("accelerated")
def test_values_lie_where_the_program_says():
    assert tf.constant([1.0]).device.endswith("CPU:0")  # the processor plays the accelerator
    with tf.device("/CPU:0"):
        assert not isinstance(tf.constant([1.0]).array, np.ndarray)
        assert not isinstance((tf.ones([2]) + 1).array, np.ndarray)
    assert isinstance(tf.constant([1.0]).array, np.ndarray)
    assert float(tf.constant(2.0).cpu() + tf.constant(LARGE)[-1]) == 3.0


def test_it_makes_no_difference_without_one():
    def call():
        return 1

    assert accelerator.on_host(call) is call or accelerator.has_accelerator()
    with accelerator.host_device():
        assert not policy.everything_compiled or policy.choice == "compiled"


@pytest.mark.usefixtures("accelerated")
def test_known_integers_stay_known_where_a_device_is_named():
    @tf.function
    def f():
        return tf.ragged.segment_ids_to_row_splits(tf.constant([0, 0, 2], tf.int64))

    with tf.device("/CPU:0"):
        assert f().numpy().tolist() == [0, 2, 2, 3]


@pytest.mark.usefixtures("accelerated")
def test_results_larger_than_its_memory_are_refused(monkeypatch):
    monkeypatch.setattr(limits, "SMALL", 1 << 10)
    monkeypatch.setattr(limits, "device_memory", lambda: 1 << 14)
    with tf.extras.execution("immediate"):
        assert tf.zeros([3000]).shape == [3000]
        with pytest.raises(tf.errors.ResourceExhaustedError, match=r"20480 bytes where 16384 are free"):
            tf.zeros([5120]).numpy()


def test_one_that_is_hidden_is_left_alone(monkeypatch):
    def call():
        return 1

    monkeypatch.setattr(accelerator, "_is_default", lambda: True)
    assert accelerator.on_host(call) is not call and accelerator.on_host(call)() == 1
    accelerator.hide(True)
    try:
        assert accelerator.on_host(call) is call and not accelerator.on_accelerator()
    finally:
        accelerator.hide(False)


def test_what_is_noted_runs_on_the_device_that_was_named(run_imported):
    program = """
import jax
jax.config.update("jax_num_cpu_devices", 2)
import tfgrad_jax as tf
tf.extras.execution("fused", tiers="compiled")
x = tf.ones([3])
with tf.device("CPU:1"):
    y = x + 1
z = x + 2
print(y.device[-5:], z.device[-5:], (y + z).numpy())
"""
    assert run_imported("-c", program).stdout == "CPU:1 CPU:0 [5. 5. 5.]\n"


def test_products_of_single_operations_are_the_librarys():
    """XLA would try many of its own for each, for seconds; where more is compiled together, it joins what is around them."""
    assert lowering.options(True, True)["xla_gpu_enable_triton_gemm"] is False
    assert "xla_gpu_enable_triton_gemm" not in lowering.options(False, True)
