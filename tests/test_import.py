"""`import tfgrad_jax` is light: it loads neither TensorFlow nor Keras, and little beyond JAX itself."""

from __future__ import annotations

import json

import pytest

# What a program that only differentiates never needs.
HEAVY = ["tensorflow", "keras", "torch", "matplotlib", "sklearn", "pandas", "PIL", "IPython", "pytest", "hypothesis"]
LIST_MODULES = "import json, sys; print(json.dumps(sorted(sys.modules)))"


@pytest.fixture(scope="module")
def modules(run_python):
    """The modules loaded after `import jax`, and those after `import tfgrad_jax`."""
    loaded = []
    for name in ("jax", "tfgrad_jax"):
        done = run_python("-c", f"import {name}; {LIST_MODULES}")
        assert done.returncode == 0, done.stderr
        loaded.append(set(json.loads(done.stdout)))
    return loaded


def test_import_prints_nothing(run_python):
    done = run_python("-W", "error", "-c", "import tfgrad_jax")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("name", HEAVY)
def test_import_leaves_out(modules, name):
    assert name not in modules[1]


def test_import_adds_little_to_jax(modules):
    """Counted in modules, which a busy machine does not change: AutoGraph and Keras, for one, wait until used."""
    jax, ours = modules
    added = sorted(name for name in ours - jax if not name.startswith("tfgrad_jax"))
    assert len(added) <= 150, added


def test_version_is_the_api_level(run_python):
    """Programs read `tf.__version__` to learn what they may call; this package's own version has another place."""
    done = run_python("-c", "import tfgrad_jax as tf; print(tf.__version__, tf.extras.__version__)")
    assert done.stdout.split() == ["2.21.0", "0.1.0"], done.stderr
