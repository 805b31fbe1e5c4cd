"""`tensorflow.python.ops.parallel_for`: loops whose iterations run at once, and the base of their tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfgrad_jax.engine.names.export import export, export_value
from tfgrad_jax.engine.values import nest
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.lib.private.framework import pfor
from tfgrad_jax.lib.testing.case import TestCase
from tfgrad_jax.ops.array.array import stack
from tfgrad_jax.ops.math.cast import cast

_P = "python.ops.parallel_for."

export_value(True, "python.ops.control_flow_util.ENABLE_CONTROL_FLOW_V2")


@export("python.ops.control_flow_util.EnableControlFlowV2")
def enable_control_flow_v2(graph: Any) -> bool:
    """Whether branches and loops of a graph are functions: always."""
    return True


@export(_P + "control_flow_ops.for_loop")
def for_loop(loop_fn: Callable[[Any], Any], loop_fn_dtypes: Any, iters: int, parallel_iterations: Any = None) -> Any:
    """`loop_fn(i)` for each number, one after the other, stacked; a dtype for each of its results, None for operations."""
    wanted = nest.flatten(loop_fn_dtypes)
    rows = [nest.flatten(loop_fn(convert(i))) for i in range(int(iters))]
    columns = zip(*rows, strict=True) if rows else [()] * len(wanted)
    made = [
        None if dtype is None else stack([convert(value) for value in column]) if rows else cast(convert([]), dtype)
        for column, dtype in zip(columns, wanted, strict=True)
    ]
    return nest.pack_sequence_as(loop_fn_dtypes, made)


@export(_P + "test_util.PForTestCase")
class PForTestCase(TestCase):
    """The base of tests that compare loops whose iterations run at once with those that run one after the other."""

    def run_and_assert_equal(self, targets1: Any, targets2: Any, rtol: float = 1e-4, atol: float = 1e-5) -> None:
        """Two nests have the same values."""
        one, other = (
            self.evaluate([t for t in nest.flatten(nested) if t is not None]) for nested in (targets1, targets2)
        )
        self.assertEqual(len(one), len(other))
        for a, b in zip(one, other, strict=True):
            self.assertAllClose(a, b, rtol=rtol, atol=atol)

    def _test_loop_fn(
        self,
        loop_fn: Callable[[Any], Any],
        iters: Any,
        parallel_iterations: Any = None,
        fallback_to_while_loop: bool = False,
        rtol: float = 1e-4,
        atol: float = 1e-5,
    ) -> None:
        at_once = pfor(loop_fn, iters, fallback_to_while_loop, parallel_iterations)
        dtypes = nest.map_structure(lambda value: getattr(value, "dtype", None), at_once)
        self.run_and_assert_equal(at_once, for_loop(loop_fn, dtypes, iters), rtol=rtol, atol=atol)
