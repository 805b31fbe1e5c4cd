"""Replicas that have a device each: in a function every replica's part runs on its own, with TensorFlow's values.

On the devices of a CPU, which stand for accelerators here, they would be one program.
"""

from __future__ import annotations

import json
import os

PROGRAM = """
import json
import tfgrad_jax as tf

D = tf.distribute
s = D.MirroredStrategy(["CPU:0", "CPU:1", "CPU:2"])
with s.scope():
    w = tf.Variable([1.0, 2.0])
    v = tf.Variable(1.0, aggregation=tf.VariableAggregation.MEAN)
    own = tf.Variable(0.0, synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation.SUM)


def number():
    return tf.cast(D.get_replica_context().replica_id_in_sync_group, tf.float32)


def values(result):
    return [value.numpy().tolist() for value in result.values]


def devices(result):
    found = [value.held if isinstance(value, tf.Tensor) else value.box.current.held for value in result.values]
    return [[device.id for device in array.devices()] for array in found]


@tf.function
def step(x):
    def replica(rows):
        with tf.GradientTape() as tape:
            loss = tf.nn.compute_average_loss(tf.linalg.matvec(rows, w), global_batch_size=5)
        w.assign_sub(D.get_replica_context().all_reduce("sum", tape.gradient(loss, w)))
        return tf.stack([loss, tf.cast(tf.shape(rows)[0], tf.float32)])

    each = s.run(replica, args=(x,))
    return each, s.reduce("SUM", each, axis=None)


rows = tf.data.Dataset.from_tensor_slices([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, 0.0], [0.0, 4.0]]).batch(5)
for _ in range(2):
    for x in s.experimental_distribute_dataset(rows):  # of two rows, two, and one
        each, total = step(x)
steps = [values(each), total.numpy().tolist(), values(w)]


@tf.function
def loop(k):  # around `run`, and within
    def replica():
        v.assign_add(1.0 + number())
        i = 0
        while i < k:
            own.assign_add(v * (1.0 + number()))
            i += 1

    for _ in tf.range(k):
        s.run(replica)
    return v.read_value()


loops = [float(loop(tf.constant(2))), values(v), values(own), own.numpy().tolist()]


@tf.function
def meeting():
    def replica():
        twice = tf.py_function(lambda x: 2.0 * x, [number() + v], tf.float32)
        twice.set_shape([])
        text = tf.strings.as_string(tf.cast(twice, tf.int32))
        context = D.get_replica_context()
        return text, context.all_reduce("sum", twice), tf.reduce_sum(context.all_gather(twice[None] * own, 0)) + number()

    return s.run(replica)


text, total, joined = meeting()
host = [[t.numpy().decode() for t in text.values], values(total), values(joined)]
around = tf.function(lambda: meeting()[1])
host.append(values(around()))
placed = [devices(each), devices(w), devices(total)]


@tf.function
def wrong():
    return s.run(lambda: tf.gather([1, 2], tf.cast(number(), tf.int32)))


try:
    wrong()
except tf.errors.InvalidArgumentError as error:
    refused = "indices" in error.message
print(json.dumps([steps, loops, host, placed, refused]))
"""


def test_each_replica_has_its_device(run_imported, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    flags = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count=3"
    done = run_imported(str(program), env={"XLA_FLAGS": flags, "TFGRAD_JAX_CPU_REPLICAS": "apart"})
    assert done.returncode == 0, done.stderr
    steps, loops, host, placed, refused = json.loads(done.stdout.splitlines()[-1])
    assert steps == [
        [[0.19999998807907104, 2.0], [0.2799999713897705, 2.0], [0.6399999856948853, 1.0]],
        [1.119999885559082, 5.0],
        [[-0.6000000238418579, -0.40000009536743164]] * 3,
    ]
    assert loops == [5.0, [5.0] * 3, [16.0, 32.0, 48.0], 96.0]
    assert host == [["10", "12", "14"], [36.0] * 3, [1216.0, 1217.0, 1218.0], [36.0] * 3]
    assert placed == [[[0], [1], [2]]] * 3
    assert refused


MEMORY = """
import jax
import numpy as np
import tfgrad_jax as tf

s = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
with s.scope():
    w = tf.Variable(tf.ones([37, 3]))
found = []


def look(loss):
    found.append(sum(array.shape == (37, 3) for array in jax.live_arrays()))
    return loss


@tf.function
def step():
    def replica():
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(w * w)
        w.assign_sub(0.1 * tf.distribute.get_replica_context().all_reduce("sum", tape.gradient(loss, w)))
        return tf.reduce_sum(w)

    total = s.reduce("sum", s.run(replica), axis=None)
    return 2.0 * tf.numpy_function(look, [total], tf.float32, stateful=False)  # not the last step


for _ in range(3):
    total = float(step())
print(found[-1], round(total, 4))
"""


def test_gradients_are_gone_when_they_are_summed(run_imported, tmp_path):
    """What no later stretch needs is not kept to the end of the step: of a variable there are two copies, old and new."""
    path = tmp_path / "memory.py"
    path.write_text(MEMORY)
    flags = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count=2"
    done = run_imported(str(path), env={"XLA_FLAGS": flags, "TFGRAD_JAX_CPU_REPLICAS": "apart"})
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["4", "95.904"]


IN_PLACE = """
import tfgrad_jax as tf

s = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
with s.scope():
    w, table = tf.Variable(tf.ones([64, 64])), tf.Variable(tf.ones([8, 8]))


@tf.function
def step(x, row):
    def replica():
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(w * w)
        gradient, rows = tf.distribute.get_replica_context().all_reduce("sum", [tape.gradient(loss, w), x])
        w.assign_sub(0.1 * gradient)
        return tf.reduce_sum(w) + tf.reduce_sum(rows)

    def looked_up():
        table.assign_add(tf.ones([8, 8]))
        return tf.gather(table, row)

    total = s.reduce("sum", s.run(replica), axis=None)
    return total + tf.reduce_sum(s.reduce("sum", s.run(looked_up), axis=None)) if row is not None else total


def places(variable):
    return [copy.box.current.held.unsafe_buffer_pointer() for copy in variable.values]


x = tf.ones([3])
step(x, None)
before = places(w)
step(x, None)
same = places(w) == before
kept = w.values[1].read_value(), w.values[0].numpy()
total = float(step(x, None))
values = [float(part.numpy()[0, 0]) if hasattr(part, "numpy") else float(part[0, 0]) for part in (*kept, *w.values)]
found, row = [], tf.constant(9)
try:
    step(x, row)
except tf.errors.InvalidArgumentError:
    found = [float(copy.numpy()[0, 0]) for copy in (*w.values, *table.values)]
print(same, round(total, 3), [round(value, 3) for value in values], [round(value, 3) for value in found])
"""


def test_new_values_are_written_over_the_old_ones(run_imported, tmp_path):
    """Where nobody else holds these, and no check can fail later."""
    path = tmp_path / "in_place.py"
    path.write_text(IN_PLACE)
    flags = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count=2"
    done = run_imported(str(path), env={"XLA_FLAGS": flags, "TFGRAD_JAX_CPU_REPLICAS": "apart"})
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "True 1775.472 [0.36, 0.36, 0.216, 0.216] [0.216, 0.216, 1.0, 1.0]"


ONE_PROGRAM = """
import jax
import tfgrad_jax as tf

tf.config.set_logical_device_configuration(
    tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()] * 2
)
s = tf.distribute.MirroredStrategy()
with s.scope():
    w = tf.Variable([1.0, 2.0])


@tf.function(jit_compile=True)
def step():
    def replica():
        w.assign_add(tf.distribute.get_replica_context().all_reduce("sum", 2.0 * w))
        return 1.0 * w

    return s.run(replica)


each = step()
held = [t.held for t in each.values] + [copy.box.current.held for copy in w.values]
print(len(jax.devices()), [t.numpy().tolist() for t in each.values], [[d.id for d in a.devices()] for a in held])
"""


def test_replicas_on_a_cpu_are_one_program(run_imported):
    done = run_imported("-c", ONE_PROGRAM)
    assert done.stdout == "2 [[5.0, 10.0], [5.0, 10.0]] [[0], [0], [0], [0]]\n", done.stderr
