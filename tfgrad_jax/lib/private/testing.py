"""`tensorflow.python.framework.test_util`: how libraries mark the modes in which their tests run.

There is no graph mode with sessions here: what is to run in both modes runs eagerly, what is to run in that one is skipped.
"""

from __future__ import annotations

import contextlib
import functools
import unittest
from collections.abc import Callable
from typing import Any
from unittest import mock

from tfgrad_jax.engine.names.export import export, export_value
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.devices.devices import list_physical_devices
from tfgrad_jax.ops.array.shape import transpose

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


@export(
    _T + "run_v1_only",
    _T + "run_deprecated_v1",
    _T + "deprecated_graph_mode_only",
    _T + "run_all_in_deprecated_graph_mode_only",
)
def run_v1_only(decorated: Any = None, *args: Any, **kwargs: Any) -> Any:
    """A test that is skipped, since it belongs to graphs and sessions; or the decorator that makes it one."""
    skip: Callable[[Any], Any] = unittest.skip("graph mode with sessions is not here")
    return skip(decorated) if callable(decorated) else skip


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
