"""Sums of replicas that have a device each: devices exchange all of a step at once, and each holds as much as the others.

Devices of a CPU stand for accelerators here.
"""

from __future__ import annotations

import os

VALUES = """
import jax
import numpy as np
import tfgrad_jax as tf
from tfgrad_jax.lib.distribute import collective

whole = []  # what is put together for an exchange
put = jax.make_array_from_single_device_arrays
jax.make_array_from_single_device_arrays = lambda *args: whole.append(args[0]) or put(*args)

D = tf.distribute
s = D.MirroredStrategy([f"CPU:{i}" for i in range(8)])
rng = np.random.default_rng(0)
shapes = [(), (3,), (0, 2), (4, 5), (600, 600)]  # the last one is a buffer of its own
dtypes = [np.float32, np.float64, np.float16, np.int8, np.int64, np.complex64]
given = [[(5 * rng.normal(size=shape)).astype(d) for _ in range(8)] for d in dtypes for shape in shapes]


def ordered(values):
    found = values[0]
    for value in values[1:]:
        found = (found + value).astype(value.dtype)
    return found


def meet(operation):
    def replica():
        context = D.get_replica_context()
        return context.all_reduce(operation, [tf.constant(values[context.number]) for values in given])

    return s.run(replica)


for run in (meet, tf.function(meet)):
    whole.clear()
    found = run("sum")
    assert len(whole) == 6 + 4, whole  # one of each dtype, and those of over a MiB
    for values, result in zip(given, found, strict=True):
        wanted = ordered(values)
        for value in result.values:
            np.testing.assert_array_equal(value.numpy(), wanted)
            assert value.dtype.as_numpy_dtype == wanted.dtype
        float(tf.reduce_sum(tf.abs(tf.cast(tf.add_n(list(result.values)), tf.complex64))))  # values of all devices meet
places = [value.held.device.id for value in found[1].values]
assert places == list(range(8)), places
for values, result in zip(given, tf.function(meet)("mean"), strict=True):
    np.testing.assert_allclose(result.values[7].numpy(), (ordered(values) / 8).astype(result.values[0].dtype.np), 1e-3)
whole.clear()
little, large = s.run(lambda: (tf.constant(1.5), tf.ones([200, 100])))
assert float(s.reduce("sum", little, axis=None)) == 12.0 and not whole  # one number of each is sent to the first one
assert s.reduce("mean", large, axis=None).numpy().max() == 1.0 and len(whole) == 1


def thrice():
    context = D.get_replica_context()
    x = tf.cast(context.replica_id_in_sync_group, tf.float32)
    total, twice = context.all_reduce("sum", x), context.all_reduce("sum", [2.0 * x, tf.ones([3], tf.int32)])
    return total, twice, context.all_reduce("mean", total * twice[0])


class Counting:
    count = 0

    def __enter__(self):
        Counting.count += 1

    def __exit__(self, *unused):
        pass


collective._one_at_a_time = Counting()
total, (twice, ones), product = tf.function(s.run)(thrice)
assert Counting.count == 2  # the first two need not wait for each other
values = [[float(tf.reduce_sum(x)) for x in each.values] for each in (total, twice, ones, product)]
assert values == [[28.0] * 8, [56.0] * 8, [24.0] * 8, [28.0 * 56.0] * 8], values
print("passed")
"""


def run(program, devices, run_imported, tmp_path):
    path = tmp_path / "program.py"
    path.write_text(program)
    flags = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count={devices}"
    done = run_imported(str(path), env={"XLA_FLAGS": flags, "TFGRAD_JAX_CPU_REPLICAS": "apart"})
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1]


def test_values_of_all_devices(run_imported, tmp_path):
    """Sums have the order of the replicas, are the same on all of them to the last bit, and lie on each one's device."""
    assert run(VALUES, 8, run_imported, tmp_path) == "passed"


MEMORY = """
import jax
import tfgrad_jax as tf

s = tf.distribute.MirroredStrategy([f"CPU:{i}" for i in range(4)])
with s.scope():
    weights = [tf.Variable(tf.ones([n, n])) for n in (64, 100, 600)]
found = []
put = jax.make_array_from_single_device_arrays


def look(*args):
    arrays = [array for array in jax.live_arrays() if len(array.devices()) == 1]
    found.append([sum(a.nbytes for a in arrays if a.device.id == i) for i in range(4)])
    return put(*args)


jax.make_array_from_single_device_arrays = look


@tf.function
def step():
    def replica():
        with tf.GradientTape() as tape:
            loss = tf.add_n([tf.reduce_sum(w * w) for w in weights])
        gradients = tf.distribute.get_replica_context().all_reduce("mean", tape.gradient(loss, weights))
        for w, gradient in zip(weights, gradients, strict=True):
            w.assign_sub(0.1 * gradient)
        return loss

    return s.reduce("mean", s.run(replica), axis=None)


for _ in range(3):
    total = float(step())
size = sum(w.values[0].numpy().nbytes for w in weights)
print(len(found), round(total / 1e3), [round(n / size, 2) for n in found[-1]])
"""


def test_no_device_holds_more_than_the_others(run_imported, tmp_path):
    """When gradients are summed each has its variables and its gradients."""
    assert run(MEMORY, 4, run_imported, tmp_path) == "6 153 [2.0, 2.0, 2.0, 2.0]"


TAPE = """
import tfgrad_jax as tf

s = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])


def gradients():
    x, y = tf.ones([300, 100]), tf.ones([300, 100])
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        each = s.experimental_distribute_values_from_function(lambda c: (x, y)[c.replica_id_in_sync_group])
        total = tf.reduce_sum(s.reduce("sum", each, axis=None) ** 2)
    return [float(g[0, 0]) for g in tape.gradient(total, [x, y])]


def of_replicas():
    def replica():
        x = tf.ones([300, 100]) * (1.0 + tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32))
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.reduce_sum(tf.distribute.get_replica_context().all_reduce("sum", x) * x)
        return tape.gradient(loss, x)[0, 0]

    return [float(g) for g in s.run(replica).values]


print(gradients(), of_replicas(), sep="; ")
"""


def test_gradients_of_sums(run_imported, tmp_path):
    """Of a sum that a tape looks at, around the replicas or in each."""
    assert run(TAPE, 2, run_imported, tmp_path) == "[4.0, 4.0]; [6.0, 6.0]"
