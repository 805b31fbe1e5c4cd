"""Workers that are killed at random, again and again, and a training that ends as if nobody had been: `make test-distributed`.

Each run is started anew by the newest checkpoint, of which each worker writes a file. Whatever is killed when, the values at
the end are those of a run that nothing interrupts.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent

PROGRAM = """
import os
import sys
import tensorflow as tf

s = tf.distribute.MultiWorkerMirroredStrategy()
me, steps = s.cluster_resolver.task_id, int(sys.argv[2])
with s.scope():
    w = tf.Variable(tf.zeros([8, 8]))
    velocity = tf.Variable(tf.zeros([8, 8]))
    done = tf.Variable(0, dtype=tf.int64)
manager = tf.train.CheckpointManager(tf.train.Checkpoint(w=w, velocity=velocity, done=done), sys.argv[1], max_to_keep=2)
options = tf.train.CheckpointOptions(experimental_sharding_callback=tf.train.experimental.ShardByTaskPolicy())
manager.restore_or_initialize()


@tf.function
def step(number):
    def replica():
        context = tf.distribute.get_replica_context()
        seed = tf.stack([tf.cast(number, tf.int32), context.replica_id_in_sync_group])
        x = tf.random.stateless_normal([16, 8], seed)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((x @ w - tf.roll(x, 1, 1)) ** 2)
        gradient = context.all_reduce("mean", tape.gradient(loss, w))
        velocity.assign(0.9 * velocity + gradient)
        w.assign_sub(0.1 * velocity)
        done.assign_add(1)

    s.run(replica)


for number in range(int(done.numpy()), steps):
    step(tf.constant(number))
    sys.stdout.write(f"worker {me} {os.getpid()} step {number}\\n")
    sys.stdout.flush()
    if number % 3 == 2:
        manager.save(options=options)
if me == 0:
    sys.stdout.write(f"end {w.numpy().tobytes().hex()}\\n")
    sys.stdout.flush()
"""


def run(script: Path, checkpoints: Path, arguments: argparse.Namespace, kill_after: int | None) -> str | None:
    """One start of all workers, of which one is killed after so many lines of output; what it ended with, or None."""
    command = [
        sys.executable,
        "-m",
        "tfgrad_jax",
        "launch",
        "--workers",
        str(arguments.workers),
        "--no-prefix",
        str(script),
    ]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    started = subprocess.Popen(
        [*command, str(checkpoints), str(arguments.steps)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL if kill_after is not None else None,
        text=True,
        env=environment,
    )
    assert started.stdout is not None
    lines, ended = 0, None
    for line in started.stdout:
        if found := re.match(r"worker \d+ (\d+) step", line):
            lines += 1
            if lines == kill_after:
                os.kill(int(found[1]), signal.SIGKILL)
        if line.startswith("end "):
            ended = line.split()[1]
    status = started.wait()
    if kill_after is None and status:
        raise SystemExit(f"the workers ended with status {status}")
    return ended if status == 0 else None


def main() -> None:
    """Kill workers, and compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 16))
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    chance = random.Random(arguments.seed)
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "program.py"
        script.write_text(PROGRAM)
        undisturbed = run(script, Path(folder) / "undisturbed", arguments, None)
        found = None
        for kill in range(arguments.kills):
            after = chance.randint(1, max(2, arguments.steps * arguments.workers // arguments.kills))
            found = run(script, Path(folder) / "killed", arguments, after)
            print(f"kill {kill + 1} after {after} steps of all workers", flush=True)
            if found is not None:
                break
        found = found or run(script, Path(folder) / "killed", arguments, None)
    if found != undisturbed:
        raise SystemExit("the values at the end are not those of a run that nothing interrupts")
    print("the same values at the end")


if __name__ == "__main__":
    main()
