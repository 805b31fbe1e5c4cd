"""Compiled programs on disk."""

from __future__ import annotations

import os

import pytest

from tfgrad_jax.engine.kernels import disk

PROGRAM = """
import sys, jax
import tfgrad_jax as tf

jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)  # how fast this machine compiles does not matter

@tf.function(jit_compile=True)
def f(x):
    for _ in range(30):
        x = tf.nn.softmax(tf.matmul(x, x))
    return x

print(float(f(tf.eye(4))[0, 0]) > 0, jax.config.jax_compilation_cache_dir)
"""


def run(run_python, **environment):
    done = run_python("-c", PROGRAM, env={"JAX_COMPILATION_CACHE_DIR": "", **environment})
    assert done.returncode == 0, done.stderr
    ran, *folder = done.stdout.split()
    assert ran == "True"
    return folder[0] if folder else ""


def test_programs_are_kept_in_the_users_folder(run_python, tmp_path):
    folder = run(run_python, XDG_CACHE_HOME=str(tmp_path))
    assert folder.startswith(str(tmp_path / "tfgrad_jax")) and os.listdir(folder)
    kept = {name: os.stat(os.path.join(folder, name)).st_ino for name in os.listdir(folder) if name.endswith("-cache")}
    assert run(run_python, XDG_CACHE_HOME=str(tmp_path)) == folder
    again = {name: os.stat(os.path.join(folder, name)).st_ino for name in os.listdir(folder) if name.endswith("-cache")}
    assert kept and again == kept


def test_what_compiles_quickly_is_not_kept(run_python, tmp_path):
    program = "import jax, tfgrad_jax; print(jax.config.jax_persistent_cache_min_compile_time_secs)"
    done = run_python("-c", program, env={"JAX_COMPILATION_CACHE_DIR": "", "XDG_CACHE_HOME": str(tmp_path)})
    assert float(done.stdout) == disk.SECONDS > 0, done.stderr


def test_another_folder_or_none(run_python, tmp_path):
    assert run(run_python, TFGRAD_JAX_CACHE=str(tmp_path)).startswith(str(tmp_path))
    assert run(run_python, TFGRAD_JAX_CACHE="0", XDG_CACHE_HOME=str(tmp_path)) == ""
    jaxs = str(tmp_path / "jax")
    assert run(run_python, XDG_CACHE_HOME=str(tmp_path), JAX_COMPILATION_CACHE_DIR=jaxs) == jaxs


@pytest.mark.parametrize("limit, left", [(100, ["new", "newer"]), (50, ["newer"]), (1000, ["new", "newer", "old"])])
def test_the_oldest_files_go(monkeypatch, tmp_path, limit, left):
    monkeypatch.setattr(disk, "LIMIT", limit)
    (tmp_path / "machine").mkdir()
    for age, name in enumerate(["newer", "new", "old"]):
        path = tmp_path / "machine" / name
        path.write_bytes(b"x" * 50)
        os.utime(path, (1000 - age, 1000 - age))
    disk._prune(tmp_path)
    assert sorted(os.listdir(tmp_path / "machine")) == left
