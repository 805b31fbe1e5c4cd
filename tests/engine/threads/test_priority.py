"""XLA's threads that compile have lower priority than the program; those that run programs have the program's."""

from __future__ import annotations

import os

import pytest

PROGRAM = """
import os, threading
from pathlib import Path

import jax
import tfgrad_jax as tf

def priorities():
    return {int(n): os.getpriority(os.PRIO_PROCESS, int(n)) for n in os.listdir("/proc/self/task")}

def work(stop):
    stop.wait()

jax.devices()
before = priorities()
assert set(before.values()) == {0}, before
stop = threading.Event()
mine = threading.Thread(target=work, args=(stop,), daemon=True)
mine.start()
double = tf.function(lambda x: tf.sin(x) * 2.0, jit_compile=True)
double(tf.ones([2048, 1024])).numpy()
after = priorities()
assert after[mine.native_id] == 0
assert all(after.get(n, 0) == 0 for n in before), after
made = [priority for n, priority in after.items() if n not in before and n != mine.native_id]
assert 5 in made, after
print("done")
"""


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="the system tells no thread from another")
def test_xla_compiles_at_low_priority_and_runs_at_the_programs(run_python):
    if os.getpriority(os.PRIO_PROCESS, 0):
        pytest.skip("the tests themselves have another priority")
    done = run_python("-c", PROGRAM, env={"JAX_ENABLE_COMPILATION_CACHE": "0"})
    assert done.stdout == "done\n", done.stderr
