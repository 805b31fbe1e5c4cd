"""XLA's threads that compile have lower priority than the program; those that run programs have the program's."""

from __future__ import annotations

import os

import pytest

PROGRAM = """
import contextlib, os, threading

import jax
import tfgrad_jax as tf

def priorities():
    found = {}
    for number in map(int, os.listdir("/proc/self/task")):
        with contextlib.suppress(ProcessLookupError):  # it has ended
            found[number] = os.getpriority(os.PRIO_PROCESS, number)
    return found

jax.devices()
before = priorities()
(own,) = set(before.values())
stop = threading.Event()
mine = threading.Thread(target=stop.wait, daemon=True)
mine.start()
double = tf.function(lambda x: tf.sin(x) * 2.0, jit_compile=True)
double(tf.ones([2048, 1024])).numpy()
after = priorities()
assert after[mine.native_id] == own
assert all(after.get(n, own) == own for n in before), after
made = [priority for n, priority in after.items() if n not in before and n != mine.native_id]
assert min(19, own + 5) in made, after
print("done")
"""


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="the system tells no thread from another")
def test_xla_compiles_at_low_priority_and_runs_at_the_programs(run_python):
    done = run_python("-c", PROGRAM, env={"JAX_ENABLE_COMPILATION_CACHE": "0"})
    assert done.stdout == "done\n", done.stderr
