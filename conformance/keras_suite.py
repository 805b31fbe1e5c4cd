"""``python -m conformance.keras_suite CHECKOUT [pytest arguments]``: Keras' own tests on this package.

CHECKOUT is a clone of Keras' repository, or its unpacked source distribution (``pip download --no-binary :all: --no-deps keras``).
Arguments that name files or folders are relative to it; without one, all tests run. Packages that some tests import (torch, pandas,
grain, portpicker) are the caller's to install; files that miss theirs are reported as errors of collection.

Where `KERAS_SUITE_TENSORFLOW` names a Python that has TensorFlow, and pytest with pytest-timeout through `PYTHONPATH`, the same
tests run there on TensorFlow itself: what passes there and fails here is this package's. `--junitxml` gives results to compare.

The tests take the dtypes that they expect from JAX, whose 64-bit types they believe to be off. They are on here, so this module is
also a plugin of pytest, through which the tests see a `jax.numpy` that has them off.
"""

from __future__ import annotations

import functools
import importlib.machinery
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

_CONFTEST = """
import pytest

def skip_if_backend(given_backend, reason):
    from keras.src.backend import backend

    return pytest.mark.skipif(backend() == given_backend, reason=reason)
"""
"""What the tests import from the repository's own conftest.py, which source distributions lack."""


class _Narrow(ModuleType):
    """`jax.numpy` with 64-bit types off, for the time of each call."""

    def __init__(self, real: ModuleType) -> None:
        super().__init__(real.__name__)
        self._real = real

    def __getattr__(self, name: str) -> Any:
        import jax

        found = getattr(self._real, name)
        if isinstance(found, (type, ModuleType)) or not callable(found):
            return found

        @functools.wraps(found)
        def narrow(*args: Any, **kwargs: Any) -> Any:
            with jax.enable_x64(False):
                return found(*args, **kwargs)

        return narrow


def pytest_configure(config: Any) -> None:
    """Register Keras' markers, and let tests that import `jax.numpy` from now on have the narrow one."""
    import jax

    import tfgrad_jax as tf

    _ = tf.signal.stft, tf.signal.dct, tf.raw_ops.ImageProjectiveTransformV3  # loaded late, too
    tf.keras.Model, tf.saved_model.save  # noqa: B018 -- what is loaded late imports the real one first
    jax.numpy = _Narrow(jax.numpy)  # type: ignore[assignment]
    if importlib.machinery.PathFinder.find_spec("tf_keras") is None:
        # Tests of Keras 2's files ask whether it is there, and would take what stands for it otherwise.
        sys.modules["tf_keras"] = None  # type: ignore[assignment]
    for marker in ("requires_trainable_backend: with gradients", "multi_device: of several devices"):
        config.addinivalue_line("markers", marker)


def _laid_out(checkout: Path, folder: Path) -> Path:
    """A folder that looks like the repository, whichever of the two forms was given."""
    if (checkout / "keras" / "__init__.py").exists():
        return checkout
    keras = folder / "keras"
    keras.mkdir()
    for part in [checkout / "keras" / "src", *(checkout / "keras" / "api").iterdir()]:
        (keras / part.name).symlink_to(part)
    (folder / "conftest.py").write_text(_CONFTEST)
    return folder


def main(arguments: list[str]) -> int:
    """Run the tests; returns pytest's exit status."""
    if not arguments or not (Path(arguments[0]) / "keras" / "src").is_dir():
        print(__doc__, file=sys.stderr)
        return 2
    checkout, *rest = arguments
    here = Path(__file__).resolve().parent.parent
    with tempfile.TemporaryDirectory() as folder:
        root = _laid_out(Path(checkout).resolve(), Path(folder))
        if not any((root / argument.partition("::")[0]).exists() for argument in rest):
            rest = [*rest, "keras/src"]
        oracle = os.environ.get("KERAS_SUITE_TENSORFLOW")
        ours = [sys.executable, "-m", "tfgrad_jax", "-m", "pytest", "-p", "conformance.keras_suite"]
        command = [oracle, "-m", "pytest"] if oracle else ours
        paths = [str(root), *([] if oracle else [str(here)]), *filter(None, [os.environ.get("PYTHONPATH")])]
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "KERAS_BACKEND": "tensorflow"}
        options = [
            "-o",
            "addopts=",
            "-p",
            "no:cacheprovider",
            "--continue-on-collection-errors",
            "--rootdir",
            str(root),
        ]
        return subprocess.run([*command, *options, *rest], cwd=root, env=env, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
