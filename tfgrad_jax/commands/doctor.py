"""`python -m tfgrad_jax doctor`: what is installed and how it is set up, and whether it works; for reports of bugs."""

from __future__ import annotations

import os
import platform
import re
import sys
import time
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import jax
import numpy as np

import tfgrad_jax
from tfgrad_jax.ops.nn import onednn as convolutions

tf: Any = tfgrad_jax  # its public names are made at run time

_USAGE = """\
usage: python -m tfgrad_jax doctor

Says what is installed, on which devices programs run, what is set in the environment, and whether a few operations give the
right answers. Paste it into a report of a bug. Exit status: 0 if all is well, 1 otherwise."""

_PACKAGE = "tfgrad_jax"
_REQUIREMENT = re.compile(r"\s*([\w.-]+)\s*(?:\[([\w\s,.-]*)\])?\s*([^;]*)(?:;.*extra\s*==\s*['\"]([\w-]+)['\"])?")
_VARIABLES = (
    "TFGRAD_JAX_", "JAX_", "XLA_", "KERAS_", "TF_CONFIG", "TF_CPP_", "TF_XLA_FLAGS", "TF_USE_LEGACY_KERAS",
    "TF_DETERMINISTIC_OPS", "TF_ENABLE_ONEDNN_OPTS", "CUDA_VISIBLE_DEVICES", "OMP_NUM_THREADS", "PYTHONHASHSEED",
)  # fmt: skip
"""How the variables begin that are shown; no others, since people paste the report where others read it."""

_NOT_FOR_USERS = {"test", "demo", "conformance", "docs"}


def main(arguments: list[str]) -> int:
    """Print the report; returns the exit status."""
    if arguments:
        print(_USAGE, file=sys.stdout if arguments[0] in ("-h", "--help") else sys.stderr)
        return 0 if arguments[0] in ("-h", "--help") else 2
    wrong = 0
    for title, lines in (
        ("versions", _versions()),
        ("devices", _devices()),
        ("settings", _settings()),
        ("extras", _extras()),
        ("self-check", _self_check()),
    ):
        print(f"{title}:")
        for line in lines:
            wrong += line.startswith("WRONG")
            print(f"  {line}")
    print("all is well" if not wrong else f"{wrong} thing{'s' if wrong > 1 else ''} wrong")
    return int(wrong > 0)


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _versions() -> Iterator[str]:
    where = Path(str(tf.__file__)).parent
    yield f"tfgrad_jax {tf.extras.__version__}, with the API of TensorFlow {tf.__version__}, in {where}"
    yield f"Python {platform.python_version()}, {platform.platform()}, {os.cpu_count()} cores"
    for name, bound, _ in _requirements(None):
        yield _judged(name, bound)
    if _version("tensorflow") or _version("tensorflow-cpu"):
        yield "TensorFlow is installed too: it is not loaded where `tensorflow` is this package"


def _devices() -> Iterator[str]:
    try:
        for device in jax.devices():
            yield f"{device.platform} {device.id}: {device.device_kind}"
    except RuntimeError as error:
        yield f"WRONG: JAX finds no device: {error}"


def _settings() -> Iterator[str]:
    yield f"mode {os.environ.get('TFGRAD_JAX_MODE', 'fused')}, tiers {os.environ.get('TFGRAD_JAX_TIERS', 'mixed')}"
    yield f"convolutions on a CPU are {convolutions.why()}"
    folder = getattr(jax.config, "jax_compilation_cache_dir", None)
    yield from _cache(Path(folder)) if folder else ["what was compiled is not kept on disk"]
    for name in sorted(os.environ):
        if name.startswith(_VARIABLES):
            yield f"{name}={os.environ[name]}"


def _cache(folder: Path) -> Iterator[str]:
    try:
        sizes = [entry.stat().st_size for entry in os.scandir(folder) if entry.is_file()]
    except OSError as error:
        yield f"WRONG: the folder of what was compiled cannot be read: {error}"
        return
    state = "" if os.access(folder, os.W_OK) else "WRONG: cannot be written: "
    yield f"{state}{folder} keeps what was compiled: {len(sizes)} files, {sum(sizes) >> 20} MiB"


def _requirements(extra: str | None) -> Iterator[tuple[str, str, str]]:
    """What the package's metadata says that it needs: (package, bound, its extras), of an extra or of the package itself."""
    try:
        declared = metadata.requires(_PACKAGE) or []
    except metadata.PackageNotFoundError:  # run from a folder, without having been installed
        return
    for requirement in declared:
        found = _REQUIREMENT.match(requirement)
        if found and found[4] == extra:
            yield found[1], (found[3] or "").strip(), found[2] or ""


def _extras() -> Iterator[str]:
    try:
        names = metadata.metadata(_PACKAGE).get_all("Provides-Extra") or []
    except metadata.PackageNotFoundError:
        yield "not known: tfgrad_jax runs from a folder, and is not installed"
        return
    for extra in sorted({*names} - _NOT_FOR_USERS):
        needed = [(name, bound) for name, bound, _ in _requirements(extra) if _normal(name) != _normal(_PACKAGE)]
        if needed:
            missing = [name for name, _ in needed if _version(name) is None]
            told = ", ".join(_judged(name, bound, optional=True) for name, bound in needed)
            remedy = f" (pip install 'tfgrad_jax[{extra}]')" if missing else ""
            yield f"{extra}: {told}{remedy}"


def _judged(name: str, bound: str, optional: bool = False) -> str:
    """A package with its version, marked where it is missing or too old."""
    version = _version(name)
    if version is None:
        return f"{name} missing" if optional else f"WRONG: {name} is missing, {bound} is needed"
    least = re.search(r">=\s*([\d.]+)", bound)
    if least and _numbers(version) < _numbers(least[1]):
        return f"{'' if optional else 'WRONG: '}{name} {version}, older than {least[1]}"
    return f"{name} {version}"


def _numbers(version: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", version)[:3]]


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _self_check() -> Iterator[str]:
    """A few operations, whose answers are known."""
    for what, check in _CHECKS.items():
        start = time.perf_counter()
        try:
            right = check()
            result = f"ok ({time.perf_counter() - start:.1f} s)" if right else ""
            yield f"{what}: {result}" if right else f"WRONG: {what}: another answer than TensorFlow's"
        except Exception as error:  # whatever it is, it belongs into the report
            yield f"WRONG: {what}: {type(error).__name__}: {error}"


def _gradient() -> bool:
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(x**3)
    return bool(np.allclose(tape.gradient(y, x), [3.0, 12.0]))


def _function() -> bool:
    @tf.function(jit_compile=True)
    def step(a):
        return tf.linalg.matmul(a, a) + 1.0

    return bool(np.allclose(step(tf.eye(3)), np.eye(3) + 1))


def _random() -> bool:
    drawn = tf.random.stateless_uniform([2], seed=[1, 2])
    return bool(np.allclose(drawn, _DRAWN, atol=1e-6))


def _strings() -> bool:
    joined = tf.strings.join(["a", "b"], "-").numpy()
    return bool(
        joined == b"a-b" and list(tf.data.Dataset.range(3).map(lambda i: i * 2).as_numpy_iterator()) == [0, 2, 4]
    )


def _each_device() -> bool:
    return all(float(jax.device_put(np.float32(2), device) * 3) == 6.0 for device in jax.devices())


_DRAWN = [0.8440604, 0.19204533]
_CHECKS: dict[str, Callable[[], bool]] = {
    "a gradient": _gradient,
    "a compiled function": _function,
    "random numbers": _random,
    "strings and datasets": _strings,
    "each device": _each_device,
}
