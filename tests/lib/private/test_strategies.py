"""Tests that run for each of some strategies. The answers are TensorFlow 2.21's."""

from __future__ import annotations

import unittest

from absl.testing import parameterized

import tfgrad_jax as tf

combinations, strategies = tf.python.distribute.combinations, tf.python.distribute.strategy_combinations


def test_each_strategy_is_given_and_what_is_not_there_is_skipped():
    seen = []

    class Case(parameterized.TestCase):
        @combinations.generate(
            combinations.combine(
                distribution=[
                    strategies.one_device_strategy,
                    strategies.mirrored_strategy_with_two_cpus,
                    strategies.tpu_strategy,
                    strategies.multi_worker_mirrored_2x1_cpu,
                ],
                mode=["eager", "graph"],
            )
        )
        def test(self, distribution):
            seen.append((self._testMethodName, distribution.num_replicas_in_sync))

    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(Case).run(result)
    assert not result.errors + result.failures and len(result.skipped) == 4
    assert seen == [
        ("test_test_distribution_Mirrored2CPUs_mode_eager", 2),
        ("test_test_distribution_Mirrored2CPUs_mode_graph", 2),
        ("test_test_distribution_OneDeviceCPU_mode_eager", 1),
        ("test_test_distribution_OneDeviceCPU_mode_graph", 1),
    ]
    assert combinations.concat([1], [2]) == [1, 2] and len(strategies.all_strategy_combinations()) == 16


def test_values_of_replicas():
    values, utils = tf.python.distribute.values, tf.python.distribute.distribute_utils
    both = utils.regroup(((1, {"a": 2}), (3, {"a": 4})))
    assert isinstance(both[0], values.PerReplica) and both[0].values == (1, 3)
    assert utils.select_replica(1, both) == (3, {"a": 4}) and not utils.is_mirrored(both[0])
    with tf.distribute.MirroredStrategy(["/cpu:0", "/cpu:1"]).scope():
        variable = tf.Variable(1.0)
    assert isinstance(variable, values.MirroredVariable) and utils.is_distributed_variable(variable)
