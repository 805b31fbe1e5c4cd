"""Tests of tensors on meshes in the style of TensorFlow's own, with their private modules."""

from __future__ import annotations

PROGRAM = """
import collections

import numpy as np
import tensorflow as tf
from absl.testing import parameterized
from tensorflow.dtensor.python import accelerator_util, api, config, d_variable, input_util, mesh_util, numpy_util, save_restore
from tensorflow.dtensor.python import layout as layout_lib
from tensorflow.dtensor.python.tests import test_backend_util, test_util
from tensorflow.python.eager.polymorphic_function import polymorphic_function
from tensorflow.python.framework import constant_op, errors_impl
from tensorflow.python.ops import math_ops
from tensorflow.python.platform import test

Layout, Mesh, UNSHARDED = layout_lib.Layout, layout_lib.Mesh, layout_lib.UNSHARDED
IDS = test_util.create_device_ids_array((2, 4))


class SPMDTest(test_util.DTensorBaseTest):
    def setUp(self):
        super().setUp()
        self.mesh = self.configTestMesh({
            device: Mesh(["x", "y"], IDS, IDS.ravel().tolist(), test_util.create_device_list((2, 4), device))
            for device in ("CPU", "GPU", "TPU")
        })
        self.rows = Layout(["x", UNSHARDED], self.mesh)

    @parameterized.named_parameters(
        test_util.product((("Eager", False), ("Function", True)), (("Sum", math_ops.add, 1.5), ("Product", math_ops.multiply, 2.0)))
    )
    def testAddition(self, in_function, operation, number):
        value = np.arange(16, dtype=np.float32).reshape(4, 4)
        packed = numpy_util.pack_numpy(value, self.rows)
        run = polymorphic_function.function(operation) if in_function else operation
        self.assertDTensorEqual(operation(value, np.float32(number)).numpy(), self.rows, run(packed, number))
        with self.assertRaisesRegex(AssertionError, "and not as"):
            self.assertDTensorEqual(value, Layout.replicated(self.mesh, 2), packed)
        self.assertAllEqual(numpy_util.to_numpy(numpy_util.pack_tf_tensor(constant_op.constant(value), self.rows)), value)

    def testNumbers(self):
        drawn = numpy_util.stateless_random_uniform([8, 4], (1, 2), Layout(["x", "y"], self.mesh))
        self.assertDTensorEqual(tf.random.stateless_uniform([8, 4], (1, 2)).numpy(), None, drawn)
        self.assertEqual(api._dtensor_device().name, api.device_name())
        with self.assertRaises(errors_impl.UnimplementedError):
            drawn.numpy()

    def testSavedByName(self):
        saved = d_variable.DVariable(numpy_util.pack_numpy(np.ones((2, 4), np.float32), self.rows))
        path = self.create_tempfile("checkpoint").full_path
        save_restore.name_based_save(self.mesh, path, {"a": saved, "b": saved.value()})
        found = save_restore.name_based_restore(self.mesh, path, collections.OrderedDict(b=saved))
        self.assertDTensorEqual(np.ones((2, 4), np.float32), self.rows, found["b"])
        with self.assertRaisesRegex(ValueError, "must be a DTensor"):
            save_restore.name_based_save(self.mesh, path, {"a": tf.ones([2])})
        save_restore.enable_save_as_bf16([saved])
        checkpoint = tf.train.Checkpoint(v=saved)
        saved.assign(numpy_util.pack_numpy(np.full((2, 4), 1.001, np.float32), self.rows))
        path = checkpoint.save(path)
        self.assertEqual(dict(tf.train.list_variables(path))["v/.ATTRIBUTES/VARIABLE_VALUE"], [2, 4])
        self.assertEqual(tf.train.load_checkpoint(path).get_variable_to_dtype_map()["v/.ATTRIBUTES/VARIABLE_VALUE"], tf.bfloat16)
        checkpoint.restore(path)
        self.assertDTensorEqual(np.ones((2, 4), np.float32), self.rows, saved)

    def testDataset(self):
        rows, layout = tf.data.Dataset.range(40), Layout(["x"], self.mesh)
        known = {"mesh": self.mesh, "layouts": layout, "global_batch_size": 8, "batch_dim": "x"}
        for dataset, batched in ((rows, False), (rows.batch(4, drop_remainder=True), True)):
            batches = input_util.DTensorDataset(dataset, dataset_already_batched=batched, prefetch=1, **known)
            self.assertEqual(batches.element_spec, tf.TensorSpec([8], tf.int64))
            for i, batch in enumerate(batches):
                self.assertDTensorEqual(np.arange(8 * i, 8 * i + 8), layout, batch)
            self.assertEqual(i, 4)
            iterator = iter(batches)
            total = polymorphic_function.function(lambda: tf.reduce_sum(next(iterator)))
            self.assertEqual([int(total()), int(total())], [28, 92])
        with self.assertRaisesRegex(ValueError, "Expected layout with rank 2"):
            input_util.DTensorDataset(rows.batch(4), **known)

    def testSystem(self):
        self.assertTrue(accelerator_util.is_initialized())
        with self.assertRaisesRegex(ValueError, "already been initialized"):
            accelerator_util.initialize_accelerator_system("CPU")
        self.assertTrue(config.is_local_mode() and not config.use_multi_device_mode())
        self.skipForDeviceType(["GPU", "TPU"], "only one CPU")
        mesh_util.barrier(mesh_util.create_mesh([("x", 8)], device_type="CPU"))
        self.assertEqual(self.mesh.device_location(5), {"x": 1, "y": 1})
        self.skipForDeviceType(["CPU"], "no CPU")
        self.fail("not reached")


if __name__ == "__main__":
    test_backend_util.handle_test_main(test.main)
"""


def test_programs_in_the_style_of_its_tests(run_imported, tmp_path):
    program = tmp_path / "program_test.py"
    program.write_text(PROGRAM)
    done = run_imported("-m", "tfgrad_jax", str(program))
    assert "OK (skipped=2)" in done.stderr, done.stderr
    assert "Ran 9 tests" in done.stderr
    assert "could not transform" not in done.stderr  # a public function, given to tf.function, is run as it is
