"""Memory that is freed stays for what comes next."""

import os
import platform
import subprocess
import sys

import pytest

PROGRAM = """
import resource
import numpy as np
import tfgrad_jax as tf
from tfgrad_jax.engine.kernels import memory

def resident():
    return int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize() >> 20

before = resident()
np.ones(64 << 17)  # 64 MiB, gone at once
kept = resident() - before
memory.return_freed()
print(kept > 48, resident() - before > 48)
"""


@pytest.mark.modeless
@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="what other libraries do is not changed")
@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        ({}, "True False"),
        ({"TFGRAD_JAX_KEEP_FREED": "0"}, "False False"),
        ({"TFGRAD_JAX_KEEP_FREED": str(32 << 20)}, "False False"),
        ({"MALLOC_TRIM_THRESHOLD_": "131072"}, "False False"),
    ],
)
def test_large_arrays_leave_their_memory(setting, expected):
    plain = {k: v for k, v in os.environ.items() if not k.startswith("MALLOC_") and k != "TFGRAD_JAX_KEEP_FREED"}
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=plain | setting, capture_output=True, text=True, check=True
    )
    assert ran.stdout.strip() == expected
