"""What holds for every test: a cache of compiled programs, and each test with its own seed."""

from __future__ import annotations

import gc
import itertools
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.copies import Original

ROOT = Path(__file__).resolve().parent.parent

# Set before JAX is imported, here or in the programs that tests start: what XLA compiled is kept from run to run.
os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(ROOT / ".cache" / "xla"))
os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0")
os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES", "-1")


# Tests of what is the same in both modes, and tests that choose their modes, beside those that say so themselves (`modeless`):
# they run where the default mode is on.
MODELESS = (
    "api/test_late.py",
    "commands",
    "conformance",
    "engine/control",
    "engine/fused/test_asides.py",
    "engine/fused/test_fuse_equal.py",
    "engine/fused/test_fuse_random.py",
    "engine/fused/test_trace.py",
    "engine/host",
    "engine/kernels/test_disk.py",
    "extras/test_draw.py",
    "extras/test_explain.py",
    "extras/test_watch_gradients.py",
    "lib/keras/test_rooms.py",
    "lib/keras/test_updates.py",
    "lib/saved_model/test_hosted.py",
    "lib/saved_model/test_images.py",
    "lib/saved_model/test_saving.py",
    "lib/saved_model/test_sizes.py",
    "ops/test_table_shapes.py",
    "ops/test_table_traced.py",
    "test_drop_in.py",
    "test_import.py",
    "test_layering.py",
    "test_stubs.py",
)
if os.environ.get("TFGRAD_JAX_MODE") == "immediate":
    collect_ignore = list(MODELESS)

    def pytest_collection_modifyitems(config, items):
        config.hook.pytest_deselected(items=[item for item in items if item.get_closest_marker("modeless")])
        items[:] = [item for item in items if not item.get_closest_marker("modeless")]


@pytest.fixture(scope="session")
def run_python():
    """Runs `python ARGUMENTS` in a process of its own, from the checkout; returns the completed process."""

    def run(*arguments: str, cwd: Path = ROOT, **options) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PYTHONPATH": str(ROOT), **options.pop("env", {})}
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=cwd,
            env=environment,
            capture_output=True,
            text=True,
            timeout=600,
            **options,
        )

    return run


@pytest.fixture(scope="session")
def run_imported():
    """Like `run_python`, for programs whose start is not what is tested: the package is imported already."""
    yield from _copies()


@pytest.fixture(scope="session")
def run_with_keras():
    """Like `run_imported`, for programs that need Keras; `tensorflow` is this package already."""
    yield from _copies("keras")


def _copies(*modules: str):
    original = Original(ROOT, *modules)
    yield original
    original.close()


@pytest.fixture(scope="module", autouse=True)
def _old_objects_set_apart():
    """Who collects garbage looks through this module's objects: to look through what all others left takes seconds each time."""
    if next(_modules) % 50 == 0:
        gc.unfreeze()  # what has become garbage since goes now and then
    gc.collect()
    gc.freeze()


_modules = itertools.count(1)


@pytest.fixture(autouse=True)
def _whatever_ran_before():
    """Tests that draw numbers draw the same ones, and operations are noted in fused mode, whatever other tests did."""
    np.random.seed(0)
    if (tf := sys.modules.get("tfgrad_jax")) is not None:
        tf.random.set_seed(0)
        sys.modules["tfgrad_jax.engine.fused.modes"].forget_pace()


@pytest.fixture
def compiled_at_once():
    """Every kernel and function is compiled when it is first met, so that what is compiled depends on counts alone."""
    yield from _in_tiers("compiled")


@pytest.fixture
def by_measured_cost():
    """Kernels are interpreted until compiling them pays, whatever the suite runs with: for tests of what that does."""
    yield from _in_tiers("mixed")


def _in_tiers(choice: str):
    from tfgrad_jax.engine.kernels.policy import policy

    before = policy.choice
    policy.choose(choice)
    yield
    policy.choose(before)


@pytest.fixture
def compiled():
    """How much was compiled since the last time this was asked."""
    from tfgrad_jax.engine.kernels.executables import budget
    from tfgrad_jax.engine.threads import background

    background.wait()  # what other tests left to the compiler does not count
    last = [budget.now]

    def since():
        before, last[0] = last[0], budget.now
        return last[0] - before

    return since
