"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
from tfgrad_jax._stubs import test_experimental
from tfgrad_jax.lib.testing.benchmark import Benchmark as Benchmark
from tfgrad_jax.lib.testing.case import TestCase as TestCase
experimental = test_experimental
def assert_equal_graph_def(expected: _Any, actual: _Any) -> _Any:
    """Two graph definitions have the same nodes, in whatever order. Mirrors `tf.test.assert_equal_graph_def`."""
def benchmark_config() -> _Any:
    """A configuration for benchmarks' sessions: an empty one. Mirrors `tf.test.benchmark_config`."""
def compute_gradient(f: _Any, x: _Any, delta: _Any = None) -> _Any:
    """The Jacobian of a function by tapes and by differences. Mirrors `tf.test.compute_gradient`."""
def create_local_cluster(num_workers: _Any, num_ps: _Any, *args: _Any, **kwargs: _Any) -> _Any:
    """Not here: TensorFlow's servers speak its own protocol."""
def disable_with_predicate(pred: _Any, skip_message: _Any) -> _Any:
    """A decorator that skips a test where a function is true. Mirrors `tf.test.disable_with_predicate`."""
def gpu_device_name() -> _Any:
    """The name of the first GPU, or ""."""
def is_built_with_cuda() -> _Any:
    """Whether JAX runs on CUDA."""
def is_built_with_gpu_support() -> _Any:
    """Whether JAX runs on a GPU. Mirrors `tf.test.is_built_with_gpu_support`."""
def is_built_with_rocm() -> _Any:
    """Whether JAX runs on ROCm. Mirrors `tf.test.is_built_with_rocm`."""
def is_built_with_xla() -> _Any:
    """Whether programs are compiled by XLA, which they are. Mirrors `tf.test.is_built_with_xla`."""
def is_cpu_target_available(target: _Any) -> _Any:
    """Whether programs can be compiled for a kind of processor. Mirrors `tf.test.is_cpu_target_available`."""
def is_gpu_available(cuda_only: _Any = False, min_cuda_compute_capability: _Any = None) -> _Any:
    """Whether there is a GPU."""
def main(argv: _Any = None) -> _Any:
    """Run the tests of the main module. Mirrors `tf.test.main`: absl's runner where that is installed, Python's otherwise."""
def with_eager_op_as_function(cls: _Any = None, only_as_function: _Any = False) -> _Any:
    """A decorator of test cases that changes nothing here. Mirrors `tf.test.with_eager_op_as_function`."""
