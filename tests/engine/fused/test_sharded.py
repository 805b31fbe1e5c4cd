"""Values spread over several devices: programs are compiled for how their operands lie, and variables stay where they are."""

from __future__ import annotations

TRAINING = """
import sys
import jax, numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
import tfgrad_jax as tf
from tfgrad_jax.engine.fused import program
from tfgrad_jax.engine.threads import background

program.HOT_SECONDS, program.HOT_WALKS = 0.0, 1
jobs = []
run = background.run
background.run = lambda work, first=False: (jobs.append(1), run(work))
spread = NamedSharding(Mesh(np.array(jax.devices()), ("x",)), P("x"))
whole = NamedSharding(Mesh(np.array(jax.devices()), ("x",)), P())
v = tf.Variable(jax.device_put(np.zeros(8, np.float32), spread))
x = [tf.convert_to_tensor(jax.device_put(np.ones(8, np.float32), how)) for how in (spread, whole)]
alone = tf.ones([8])
function = tf.function(lambda t: v.assign_add(t))

def step(t):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(v * v * 0.0 + v * t)
    v.assign_add(tape.gradient(loss, v))
    return float(loss)

after = []
for i in range(24):
    step(x[i % 2] if i < 12 else x[0])
    background.wait()
    after.append(len(jobs))
print(v.numpy().tolist() == [24.0] * 8, v.box.tensor.array.sharding == spread)
print(after[-1], after[11] == after[-1])
for _ in range(3):
    function(x[1])
print(v.numpy().tolist() == [27.0] * 8, v.box.tensor.array.sharding == spread)
v.assign(alone)
print(v.numpy().tolist() == [1.0] * 8, v.box.tensor.array.sharding == spread)
"""


def test_programs_of_spread_values_are_compiled_once_for_each_way_they_lie(run_imported):
    flags = "--xla_force_host_platform_device_count=2"
    done = run_imported("-c", TRAINING, env={"XLA_FLAGS": flags})
    assert done.returncode == 0, done.stderr
    trained, jobs, called, assigned = done.stdout.splitlines()
    assert trained == called == assigned == "True True"
    count, settled = jobs.split()
    assert settled == "True" and int(count) <= 6
