"""`tensorflow.python.distribute.strategy_test_lib`: tests that hold for any strategy, which tests of strategies call."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine.function.function import function
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.state.synchronization import VariableAggregation, VariableSynchronization
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.tape.tape import GradientTape
from tfgrad_jax.engine.values import nest
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import int64
from tfgrad_jax.lib.data.dataset import DatasetV2
from tfgrad_jax.lib.distribute.strategy import get_replica_context
from tfgrad_jax.lib.private.initializers import GlorotUniform
from tfgrad_jax.lib.summary.kinds import scalar
from tfgrad_jax.lib.summary.reading import summary_iterator
from tfgrad_jax.lib.summary.writers import create_file_writer
from tfgrad_jax.lib.testing.case import TestCase
from tfgrad_jax.ops.array.creation import identity
from tfgrad_jax.ops.array.shape import reshape
from tfgrad_jax.ops.linalg.matmul import matmul

_S = "python.distribute.strategy_test_lib."


class _Raised(Exception):
    """What the functions of tests raise."""


def _raises(*unused: Any) -> None:
    raise _Raised


def _met(meet: Callable[[Any], Any]) -> Callable[..., Any]:
    return lambda *unused: get_replica_context().merge_call(meet)  # type: ignore[union-attr]


def _maybe_function(fn: Callable[..., Any], run_in_function: bool) -> Callable[..., Any]:
    return function(fn) if run_in_function else fn


def _reduced(operation: str) -> Callable[[Any], Any]:
    return lambda value: get_replica_context().all_reduce(operation, value)  # type: ignore[union-attr]


@export(_S + "_all_sum")
def all_sum(value: Any) -> Any:
    """The sum of the replicas' values."""
    return _reduced("sum")(value)


@export(_S + "_all_mean")
def all_mean(value: Any) -> Any:
    """The mean of the replicas' values."""
    return _reduced("mean")(value)


@export(_S + "create_variable_like_keras_layer")
def create_variable_like_keras_layer(name: str, shape: Any, dtype: Any) -> Variable:
    """A variable with random values as layers have them."""
    return Variable(lambda: GlorotUniform()(shape, dtype), name=name, trainable=True)


@export(_S + "DistributionTestBase")
class DistributionTestBase(TestCase):
    """Tests that hold for any strategy."""

    def _test_minimize_loss_eager(self, d: Any) -> None:
        with d.scope():
            kernel = create_variable_like_keras_layer("kernel", (1, 1), "float32")

            def gradient() -> Any:
                with GradientTape() as tape:
                    loss = (reshape(matmul([[1.0]], kernel), []) - 1.0) ** 2
                return tape.gradient(loss, kernel)

            errors = []
            for _ in range(10):
                errors.append(abs(float(reshape(d.extended.read_var(kernel), [])) - 1))
                found = d.extended.reduce_to("sum", d.extended.call_for_each_replica(gradient), destinations=kernel)
                d.extended.update(kernel, lambda v, g: v.assign_sub(0.2 * g), args=(found,), group=False)
            self.assertLess(errors[-1], errors[0])

    def _test_summary_for_replica_zero_only(self, d: Any) -> None:
        folder = self.get_temp_dir()
        with d.scope():
            writer = create_file_writer(folder)

            def write() -> Any:
                with writer.as_default():
                    return scalar("a", get_replica_context().replica_id_in_sync_group, step=0)  # type: ignore[union-attr]

            d.extended.call_for_each_replica(write)
            writer.close()
        (name,) = os.listdir(folder)
        events = [event for event in summary_iterator(os.path.join(folder, name)) if event.summary.value]
        self.assertLen(events, 1)
        self.assertEqual(events[0].summary.value[0].tag, "a")

    def _test_replica_id(self, d: Any) -> None:
        seen: list[int] = []
        with d.scope():
            d.extended.call_for_each_replica(
                lambda: seen.append(int(get_replica_context().replica_id_in_sync_group))  # type: ignore[union-attr]
            )
        self.assertEqual(sorted(seen), list(range(len(d.extended.worker_devices))))

    def _test_call_and_merge_exceptions(self, dist: Any) -> None:
        each = dist.extended.call_for_each_replica
        with dist.scope():
            for fn in (
                _raises,
                _met(_raises),
                _met(lambda strategy: strategy.extended.call_for_each_replica(_raises)),
                _met(lambda strategy: strategy.extended.call_for_each_replica(_met(_raises))),
            ):
                with self.assertRaises(_Raised):
                    each(fn)

    def _test_input_fn_iterable(
        self,
        strategy: Any,
        input_fn: Callable[..., Any],
        expected_values: Sequence[Any],
        ignore_order: bool = False,
    ) -> None:
        def found() -> list[Any]:
            batches = strategy.distribute_datasets_from_function(input_fn)
            return [[np.asarray(part) for part in strategy.experimental_local_results(batch)] for batch in batches]

        for _ in range(2):  # it can be iterated over again
            values = found()
            self.assertLen(values, len(expected_values))
            for got, expected in zip(values, expected_values, strict=True):
                if ignore_order:
                    self.assertCountEqual([x.tolist() for x in got], [np.asarray(x).tolist() for x in expected])
                else:
                    self.assertAllEqual(got, expected)

    def _test_global_step_update(self, strategy: Any) -> None:
        with strategy.scope():
            step = Variable(convert(0, int64), trainable=False, aggregation=VariableAggregation.ONLY_FIRST_REPLICA)

            def add() -> Any:
                step.assign_add(1)
                return step.read_value()

            values = strategy.experimental_local_results(strategy.extended.call_for_each_replica(add))
        self.assertEqual([int(value) for value in values], [1] * len(values))

    def _test_trainable_variable(self, strategy: Any) -> None:
        on_read = VariableSynchronization.ON_READ
        with strategy.scope():
            self.assertTrue(Variable(1.0).trainable)
            self.assertFalse(Variable(1.0, synchronization=on_read).trainable)
            for trainable in (True, False):
                made = Variable(1.0, synchronization=on_read, trainable=trainable)
                self.assertEqual(made.trainable, trainable)


class _Reducing(TestCase):
    """Tests of what replicas make of their values together.

    Attributes:
      replicas: how many replicas there are.
    """

    replicas = 1

    def _test_collective_comms(
        self, strategy: Any, comm_fn: Any, inputs: Any, expected: Any, run_in_function: bool = False
    ) -> None:
        batches = strategy.distribute_datasets_from_function(
            lambda _: DatasetV2.from_tensor_slices(inputs) if self.replicas > 1 else DatasetV2.from_tensors(inputs)
        )
        run = _maybe_function(lambda x: strategy.run(comm_fn, args=(x,)), run_in_function)
        for found, wanted in zip(run(next(iter(batches))), expected, strict=True):
            self.assertAllEqual(strategy.experimental_local_results(found), [wanted] * self.replicas)

    def _test_collective_comms_gradient_tape(
        self, strategy: Any, comm_fn: Any, inputs: Any, expected_grads: Any, run_in_function: bool = False
    ) -> None:
        def step(c: Any) -> Any:
            x = convert(42.0)
            with GradientTape() as tape:
                tape.watch(x)
                y = comm_fn(x) * c
            return tape.gradient(y, x)

        batches = strategy.distribute_datasets_from_function(lambda _: DatasetV2.from_tensor_slices(inputs))
        run = _maybe_function(lambda c: strategy.run(step, args=(c,)), run_in_function)
        found = strategy.experimental_local_results(run(next(iter(batches))))
        self.assertAllEqual(found, expected_grads)


@export(_S + "OneDeviceDistributionTestBase")
class OneDeviceDistributionTestBase(_Reducing):
    """Tests that hold for any strategy of one device."""

    def _test_run(self, strategy: Any) -> None:
        first = strategy.run(lambda: identity(4.0))
        second = strategy.run(lambda x: {"a": x * 2, "b": x * x}, args=(first,))
        third = strategy.run(lambda b, a: a + 2 * b + 2, kwargs=second)
        found = nest.map_structure(strategy.experimental_local_results, {"first": first, **second, "third": third})
        self.assertAllEqual([found[name][0] for name in ("first", "a", "b", "third")], [4.0, 8.0, 16.0, 42.0])

    def _test_all_reduce_sum(self, strategy: Any) -> None:
        self._test_collective_comms(strategy, all_sum, (4.0, [42.0, 43.0]), (4.0, [42.0, 43.0]))

    def _test_all_reduce_mean(self, strategy: Any) -> None:
        self._test_collective_comms(strategy, all_mean, (2.0, [21.0, 22.0]), (2.0, [21.0, 22.0]))

    def _test_all_reduce_sum_gradient_tape(self, strategy: Any) -> None:
        self._test_collective_comms_gradient_tape(strategy, all_sum, [4.0], [4.0])

    def _test_all_reduce_mean_gradient_tape(self, strategy: Any) -> None:
        self._test_collective_comms_gradient_tape(strategy, all_mean, [5.0], [5.0])


@export(_S + "TwoDeviceDistributionTestBase")
class TwoDeviceDistributionTestBase(_Reducing):
    """Tests that hold for any strategy of two devices."""

    replicas = 2

    def _test_run(self, strategy: Any, run_in_function: bool = False) -> None:
        def run(fn: Callable[..., Any], **given: Any) -> Any:
            return strategy.run(_maybe_function(fn, run_in_function), **given)

        first = run(lambda: get_replica_context().replica_id_in_sync_group + 1)  # type: ignore[union-attr]
        second = run(lambda x: {"a": x * 2, "b": x * x}, args=(first,))
        third = run(lambda b, a: a + 2 * b + 2, kwargs=second)
        found = nest.map_structure(strategy.experimental_local_results, {"first": first, **second, "third": third})
        self.assertAllEqual([found[n] for n in ("first", "a", "b", "third")], [[1, 2], [2, 4], [1, 4], [6, 14]])

    def _test_all_reduce_sum(self, strategy: Any, run_in_function: bool = False) -> None:
        inputs, expected = ([1.0, 3.0], [[39.0, 2.0], [3.0, 41.0]]), (4.0, [42.0, 43.0])
        self._test_collective_comms(strategy, all_sum, inputs, expected, run_in_function)

    def _test_all_reduce_mean(self, strategy: Any, run_in_function: bool = False) -> None:
        inputs, expected = ([1.0, 3.0], [[39.0, 2.0], [3.0, 41.0]]), (2.0, [21.0, 21.5])
        self._test_collective_comms(strategy, all_mean, inputs, expected, run_in_function)

    def _test_all_reduce_sum_gradient_tape(self, strategy: Any, run_in_function: bool = False) -> None:
        self._test_collective_comms_gradient_tape(strategy, all_sum, [1.0, 3.0], [4.0, 4.0], run_in_function)

    def _test_all_reduce_mean_gradient_tape(self, strategy: Any, run_in_function: bool = False) -> None:
        self._test_collective_comms_gradient_tape(strategy, all_mean, [1.0, 3.0], [2.0, 2.0], run_in_function)
