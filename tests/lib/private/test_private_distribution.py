"""Tests of strategies in the style of TensorFlow's own, with their private modules."""

from __future__ import annotations

PROGRAM = """
import tensorflow as tf
from tensorflow.python.distribute import combinations, device_util, distribute_lib, distribute_utils, multi_worker_util
from tensorflow.python.distribute import strategy_combinations, strategy_test_lib, test_util, values as values_lib
from tensorflow.python.eager import test
from tensorflow.python.training import server_lib

strategy_combinations.set_virtual_cpus_to_at_least(3)
NONE, known = tf.VariableSynchronization.NONE, strategy_combinations
TWO = [known.mirrored_strategy_with_two_cpus, known.mirrored_strategy_with_cpu_1_and_2]
ONE = [known.one_device_strategy, known.default_strategy]


class UtilitiesTest(test.TestCase):
    def testNames(self):
        for d, default, expected in (
            ("/cpu:0", None, "/job:localhost/replica:0/task:0/device:CPU:0"),
            ("/gpu:1", "/job:worker/task:3", "/job:worker/replica:0/task:3/device:GPU:1"),
            ("/job:ps/device:CPU:2", None, "/job:ps/replica:0/task:0/device:CPU:2"),
        ):
            self.assertEqual(device_util.canonicalize(d, default), expected)
        self.assertEqual(device_util.canonicalize_without_job_and_task("/job:w/device:GPU:2"), "/replica:0/device:GPU:2")
        self.assertEqual(device_util.get_host_for_device("/job:w/task:1/device:GPU:3", 2), "/job:w/task:1/device:CPU:2")
        self.assertEqual([device_util.local_devices_from_num_gpus(n) for n in (0, 1)], [("/device:CPU:0",), ("/device:GPU:0",)])
        self.assertEqual(device_util.current(), "")
        with tf.device("/cpu:1"):
            self.assertEqual(device_util.resolve(""), "/job:localhost/replica:0/task:0/device:CPU:1")
            with tf.Graph().as_default():
                self.assertEqual(device_util.canonicalize("/gpu:2"), "/replica:0/task:0/device:GPU:2")

    def testWorkers(self):
        spec, workers = {"chief": ["a:1"], "worker": ["b:1", "c:1"], "ps": ["d:1"]}, {"worker": ["a", "b"]}
        util = multi_worker_util
        self.assertEqual(util.normalize_cluster_spec(spec).as_dict(), spec)
        self.assertEqual([util.is_chief(spec, *t) for t in (("chief", 0), ("worker", 0), ("evaluator", 0))], [True, False, True])
        self.assertEqual([util.is_chief(workers, "worker", i) for i in (0, 1)], [True, False])
        leaders = [util.collective_leader(*task) for task in ((spec, "worker", 0), (spec, "evaluator", 0), ({}, "", 0))]
        self.assertEqual(leaders, ["/job:chief/replica:0/task:0", "", ""])
        leaders = [util.coordination_leader(one) for one in (spec, workers, {})]
        self.assertEqual(leaders, ["/job:ps/replica:0/task:0", "/job:worker/replica:0/task:0", ""])
        self.assertEqual([util.worker_count(spec, "worker"), util.id_in_cluster(spec, "worker", 1)], [3, 2])
        for call, message in (
            (lambda: util.normalize_cluster_spec(["a"]), "should be dict"),
            (lambda: util.is_chief(spec, "worker", 2), "exceeds the maximum id"),
            (lambda: util.is_chief(spec, "other", 2), "Unrecognized task_type"),
            (lambda: util.is_chief(workers, "chief", 0), "not found in cluster_spec"),
            (lambda: util.is_chief({"chief": ["a", "b"]}, "chief", 0), "at most one 'chief'"),
            (lambda: util.is_chief({"chief": ["a"], "strange": ["b"]}, "chief", 0), "Disallowed task type"),
            (lambda: util.worker_count(spec, "ps"), "Unexpected `task_type` 'ps'"),
            (lambda: util.id_in_cluster(spec, "ps", 0), "no id for task_type 'ps'"),
            (lambda: distribute_utils._validate_aggregation({"aggregation": "x", "name": "y"}), "aggregation mode: x"),
            (lambda: distribute_utils._validate_synchronization({"synchronization": NONE, "name": ""}), "NONE"),
        ):
            with self.assertRaisesRegex(ValueError, message):
                call()
        self.assertEqual(distribute_utils._validate_synchronization({}), tf.VariableSynchronization.ON_WRITE)
        distribute_utils.assert_mirrored([values_lib.Mirrored([1, 2])])
        with self.assertRaisesRegex(TypeError, "to be mirrored"):
            distribute_utils.assert_mirrored([values_lib.PerReplica([1, 2])])


@combinations.generate(combinations.combine(distribution=TWO, mode=["eager"]))
class MirroredTest(strategy_test_lib.DistributionTestBase, strategy_test_lib.TwoDeviceDistributionTestBase):
    def testEager(self, distribution):
        self._test_minimize_loss_eager(distribution)

    def testRun(self, distribution):
        self._test_run(distribution)
        self._test_run(distribution, run_in_function=True)

    def testReplicaId(self, distribution):
        self._test_replica_id(distribution)

    def testExceptions(self, distribution):
        self._test_call_and_merge_exceptions(distribution)

    def testGradientTape(self, distribution):
        for f in (False, True):
            self._test_all_reduce_sum_gradient_tape(distribution, run_in_function=f)
            self._test_all_reduce_mean_gradient_tape(distribution, run_in_function=f)

    def testSummary(self, distribution):
        self._test_summary_for_replica_zero_only(distribution)

    def testTrainable(self, distribution):
        self._test_trainable_variable(distribution)

    def testStep(self, distribution):
        self._test_global_step_update(distribution)
        self._test_all_reduce_sum(distribution)
        self._test_all_reduce_mean(distribution, run_in_function=True)

    def testInput(self, distribution):
        self._test_input_fn_iterable(distribution, lambda _: tf.data.Dataset.range(4), [[0, 1], [2, 3]])

    def testHelpers(self, distribution):
        value = test_util.create_per_replica(distribution, [[1.0], [2.0]])
        self.assertAllEqual(test_util.gather(distribution, {"a": value})["a"], [[1.0], [2.0]])
        self.assertTrue(strategy_test_lib.is_mirrored_strategy(distribution) and not test_util.is_tpu_strategy(distribution))
        self.assertIsNone(distribute_lib.get_cross_replica_context())
        with distribution.scope():
            self.assertIs(distribute_lib.get_cross_replica_context(), distribution)
            v = tf.Variable(1.0, aggregation=tf.VariableAggregation.MEAN)
            self.assertIs(distribute_utils.value_container(v.values[1]), v)
            with distribute_lib.UpdateContext(1):
                self.assertEqual(distribute_lib.get_update_replica_id(), 1)
            with distribute_lib.enter_or_assert_strategy(distribution):
                pass
        self.assertEqual(distribute_utils.update_regroup(distribution.extended, ({"a": 1}, {"a": 2}), False), {"a": (1, 2)})
        with self.assertRaises(ValueError):
            test_util.create_per_replica(distribution, [1])


@combinations.generate(combinations.combine(distribution=ONE, mode=["eager", "graph"]))
class OneDeviceTest(strategy_test_lib.DistributionTestBase, strategy_test_lib.OneDeviceDistributionTestBase):
    def testAll(self, distribution):
        if tf.executing_eagerly():
            self._test_minimize_loss_eager(distribution)
            self._test_all_reduce_sum_gradient_tape(distribution)
        self._test_run(distribution)
        self._test_replica_id(distribution)
        if strategy_combinations.one_device_strategy.strategy.__class__ is type(distribution):
            self._test_trainable_variable(distribution)


if __name__ == "__main__":
    test_util.main()
"""


def test_programs_in_the_style_of_its_tests(run_imported, tmp_path):
    program = tmp_path / "program_test.py"
    program.write_text(PROGRAM)
    done = run_imported("-m", "tfgrad_jax", str(program))
    assert "OK (skipped=3)" in done.stderr, done.stderr
    assert "Ran 29 tests" in done.stderr
