"""`tensorflow.python.framework.test_util`: how libraries mark the modes in which their tests run.

What is to run in both modes runs eagerly.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import socket
import unittest
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

from tfgrad_jax.engine.function.function import function, functions_run_eagerly, run_functions_eagerly
from tfgrad_jax.engine.names.export import export, export_value
from tfgrad_jax.engine.tape.graph_gradients import gradients
from tfgrad_jax.engine.tape.tape import GradientTape
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.devices.configuration import disable_op_determinism, enable_op_determinism
from tfgrad_jax.lib.devices.devices import list_physical_devices
from tfgrad_jax.lib.private.contexts import graph_mode
from tfgrad_jax.ops.array.shape import transpose
from tfgrad_jax.ops.linalg.matmul import matmul

_T = "python.framework.test_util."

export_value(mock, "python.platform.test.mock")


def _as_it_is(decorated: Any = None, *args: Any, **kwargs: Any) -> Any:
    """A test, or class of tests, as it is; with other arguments a decorator that gives that."""
    return decorated if callable(decorated) else lambda test: test


for _name in (
    "run_in_graph_and_eager_modes", "run_all_in_graph_and_eager_modes", "run_in_v1_v2", "run_v2_only",
    "run_all_without_tensor_float_32", "run_without_tensor_float_32", "disable_xla",
    "no_xla_auto_jit", "enable_control_flow_v2", "with_control_flow_v2", "with_forward_compatibility_horizons",
    "disable_asan", "disable_tfrt", "disable_mlir_bridge", "xla_allow_fallback", "disable_cudnn_autotune",
):  # fmt: skip
    export_value(_as_it_is, _T + _name)


@export(_T + "run_v1_only")
def run_v1_only(decorated: Any = None, *args: Any, **kwargs: Any) -> Any:
    """A test that is skipped, since it belongs to TensorFlow 1; or the decorator that makes it one."""
    skip: Callable[[Any], Any] = unittest.skip("this test is not compatible with TensorFlow 2")
    return skip(decorated) if callable(decorated) else skip


@export(
    _T + "run_deprecated_v1", _T + "deprecated_graph_mode_only", _T + "run_all_in_deprecated_graph_mode_only"
)  # fmt: skip
def run_deprecated_v1(decorated: Any = None) -> Any:
    """A test, or class of tests, whose operations are recorded in a graph; or the decorator that makes it one."""
    if decorated is None:
        return run_deprecated_v1
    if isinstance(decorated, type):
        for name in unittest.defaultTestLoader.getTestCaseNames(decorated):
            setattr(decorated, name, run_deprecated_v1(getattr(decorated, name)))
        return decorated

    @functools.wraps(decorated)
    def run(*args: Any, **kwargs: Any) -> Any:
        with graph_mode():
            return decorated(*args, **kwargs)

    return run


@export(_T + "assert_no_new_tensors", _T + "assert_no_garbage_created")
def assert_no_new_tensors(test: Callable[..., Any]) -> Callable[..., Any]:
    """The test without a look at the objects that it leaves: Python's collector frees them."""

    @functools.wraps(test)
    def run(*args: Any, **kwargs: Any) -> Any:
        return test(*args, **kwargs)

    return run


@export(_T + "for_all_test_methods")
def for_all_test_methods(decorator: Callable[..., Any], *args: Any, **kwargs: Any) -> Callable[[type], type]:
    """The decorator of a class that decorates each of its tests with `decorator(*args, **kwargs)`."""

    def decorate(cls: type) -> type:
        for name in unittest.defaultTestLoader.getTestCaseNames(cls):
            setattr(cls, name, decorator(*args, **kwargs)(getattr(cls, name)))
        return cls

    return decorate


@export(_T + "skip_if")
def skip_if(condition: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The decorator of a test that does not run where `condition`, or what it returns when called, is true."""

    def decorate(test: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(test)
        def run(*args: Any, **kwargs: Any) -> Any:
            return None if (condition() if callable(condition) else condition) else test(*args, **kwargs)

        return run

    return decorate


@export(_T + "run_cuda_only", _T + "run_gpu_only")
def run_gpu_only(test: Callable[..., Any]) -> Callable[..., Any]:
    """A test that is skipped where there is no GPU."""

    @functools.wraps(test)
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not list_physical_devices("GPU"):
            self.skipTest("Test requires GPU")
        return test(self, *args, **kwargs)

    return run


@export(_T + "force_cpu", _T + "use_gpu", _T + "force_gpu", _T + "device")
def force_cpu(use_gpu: bool = False) -> contextlib.AbstractContextManager[None]:
    """Where a test runs is the machine's choice."""
    return contextlib.nullcontext()


def _no(*_: Any) -> bool:
    return False


for _name in (
    "IsMklEnabled",
    "is_mkl_enabled",
    "is_xla_enabled",
    "GpuSupportsHalfMatMulAndConv",
    "CudaSupportsHalfMatMulAndConv",
):
    export_value(_no, _T + _name)


def _permuted(value: Any, order: Callable[[int], list[int]]) -> Any:
    if isinstance(value, Tensor):
        return transpose(value, order(value.shape.rank or 0))
    return [value[k] for k in order(len(value))]


@export(_T + "NHWCToNCHW")
def nhwc_to_nchw(value: Any) -> Any:
    """A tensor, or a list of sizes, with channels second instead of last."""
    return _permuted(value, lambda rank: [0, rank - 1, *range(1, rank - 1)])


@export(_T + "NCHWToNHWC")
def nchw_to_nhwc(value: Any) -> Any:
    """A tensor, or a list of sizes, with channels last instead of second."""
    return _permuted(value, lambda rank: [0, *range(2, rank), 1])


for _name in (
    "add_graph_building_optimization_tests", "disable_control_flow_v2", "disable_eager_op_as_function", "disable_msan",
    "disable_tsan", "disable_ubsan", "enable_c_shapes", "enable_eager_op_as_function",
    "enable_graph_building_optimization", "enable_nested_function_shape_inference", "enable_output_all_intermediates",
    "enable_quantized_dtypes_training", "enable_tf_xla_constant_folding", "py_func_if_in_function",
    "run_class_in_v1_v2", "run_in_async_and_sync_mode", "set_xla_env_flag", "with_c_shapes",
):  # fmt: skip
    export_value(_as_it_is, _T + _name)

for _name in (
    "IsBuiltWithNvcc", "IsBuiltWithROCm", "IsBuiltWithXLA", "IsGoogleCudaEnabled", "is_asan_enabled",
    "is_mlir_bridge_enabled", "is_msan_enabled", "is_tsan_enabled", "is_ubsan_enabled",
):  # fmt: skip
    export_value(_no, _T + _name)

export_value(matmul, _T + "matmul_without_tf32")
export_value(run_gpu_only, _T + "run_gpu_or_tpu")


@export(_T + "assert_no_new_pyobjects_executing_eagerly")
def assert_no_new_pyobjects_executing_eagerly(warmup_iters: int = 2) -> Callable[[Any], Any]:
    """The decorator that leaves a test without a look at the objects that it leaves."""
    return assert_no_new_tensors


@export(_T + "also_run_as_tf_function", _T + "build_as_function_and_v1_graph")
def also_run_as_tf_function(test: Callable[..., Any]) -> Callable[..., Any]:
    """A test that runs as it is, and once more as a `tf.function`."""

    @functools.wraps(test)
    def run(*args: Any, **kwargs: Any) -> None:
        test(*args, **kwargs)
        function(lambda: test(*args, **kwargs), autograph=False)()

    return run


@export(_T + "run_functions_eagerly")
@contextlib.contextmanager
def in_functions_eagerly(run_eagerly: bool) -> Iterator[None]:
    """A context in which functions run as plain Python, if so wanted."""
    before = functions_run_eagerly()
    run_functions_eagerly(run_eagerly)
    try:
        yield
    finally:
        run_functions_eagerly(before)


@export(_T + "deterministic_ops")
@contextlib.contextmanager
def deterministic_ops() -> Iterator[None]:
    """A context in which operations promise the same answers each time."""
    enable_op_determinism()
    try:
        yield
    finally:
        disable_op_determinism()


@export(_T + "skip_if_error")
@contextlib.contextmanager
def skip_if_error(test_obj: Any, error_type: Any, messages: Any = None) -> Iterator[None]:
    """A context in which an error of a class, with one of some messages in its text, skips the test."""
    texts = [messages] if isinstance(messages, str) else messages
    try:
        yield
    except error_type as error:
        if texts and not any(text in str(error) for text in texts):
            raise
        test_obj.skipTest(f"Skipping error: {type(error)}: {error}")


def _alphanumeric(value: Any) -> str:
    return "".join(filter(str.isalnum, str(value)))


@export(_T + "generate_combinations_with_testcase_name")
def generate_combinations_with_testcase_name(**kwargs: Any) -> list[dict[str, Any]]:
    """All combinations of some lists of arguments, each with a name, for `parameterized.named_parameters`."""
    lists = {name: listed if isinstance(listed, list) else [listed] for name, listed in kwargs.items()}
    made = []
    for values in itertools.product(*(lists[name] for name in sorted(lists))):
        chosen = dict(zip(sorted(lists), values, strict=True))
        said = "".join(f"_{_alphanumeric(part)}" for pair in chosen.items() for part in pair)
        made.append({**chosen, "testcase_name": f"_test{said}"})
    return made


class _GraphTape:
    """The methods of a tape that tests use, where operations are recorded in a graph all the same."""

    def watch(self, x: Any) -> None:
        """Nothing: a graph knows everything."""

    def gradient(self, y: Any, x: Any, grad_ys: Any = None) -> Any:
        """Gradients of the graph, one where `x` is one tensor."""
        found = gradients(y, x, grad_ys)
        return found if isinstance(x, (list, tuple)) else found[0]


@export(_T + "AbstractGradientTape")
class AbstractGradientTape:
    """A tape where `use_tape`; otherwise what looks like one, and asks the graph."""

    def __init__(self, use_tape: bool, persistent: bool = False) -> None:
        self._tape: Any = GradientTape(persistent=persistent) if use_tape else contextlib.nullcontext(_GraphTape())

    def __enter__(self) -> Any:
        return self._tape.__enter__()

    def __exit__(self, *exception: Any) -> None:
        self._tape.__exit__(*exception)


@export(_T + "pick_unused_port")
def pick_unused_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as found:
        found.bind(("", 0))
        return int(found.getsockname()[1])
