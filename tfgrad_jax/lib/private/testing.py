"""`tensorflow.python.framework.test_util`: how libraries mark the modes in which their tests run.

There is no graph mode with sessions here: what is to run in both modes runs eagerly, what is to run in that one is skipped.
"""

from __future__ import annotations

import functools
import unittest
from collections.abc import Callable
from typing import Any

from tfgrad_jax.engine.names.export import export, export_value

_T = "python.framework.test_util."


def _as_it_is(decorated: Any = None, *args: Any, **kwargs: Any) -> Any:
    """A test, or class of tests, as it is; with other arguments a decorator that gives that."""
    return decorated if callable(decorated) else lambda test: test


for _name in (
    "run_in_graph_and_eager_modes", "run_all_in_graph_and_eager_modes", "run_in_v1_v2", "run_v2_only",
    "run_all_without_tensor_float_32", "run_without_tensor_float_32", "disable_xla",
    "no_xla_auto_jit", "enable_control_flow_v2", "with_control_flow_v2", "with_forward_compatibility_horizons",
    "disable_asan", "disable_tfrt",
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
