"""`import tfgrad_jax` is light: it loads neither TensorFlow nor Keras, and little beyond JAX itself."""

from __future__ import annotations

import json

import pytest

# What a program that only differentiates never needs.
HEAVY = [
    "tensorflow",
    "keras",
    "torch",
    "matplotlib",
    "sklearn",
    "pandas",
    "PIL",
    "IPython",
    "pytest",
    "hypothesis",
    "malt",
    "google.protobuf",
    "crc32c",
    "simplejpeg",
    "fsspec",
]
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
    assert len(added) <= 60, added


def test_import_leaves_the_devices_to_choose(run_python):
    """JAX finds its devices when somebody asks for them: until then a program may say which."""
    done = run_python(
        "-c", "import tfgrad_jax, jax; jax.config.update('jax_num_cpu_devices', 3); print(len(jax.devices()))"
    )
    assert done.stdout == "3\n", done.stderr


@pytest.mark.parametrize("before", ["enable", "disable"])
def test_import_leaves_the_garbage_collector_as_it_was(run_python, before):
    done = run_python(
        "-c", f"import gc; gc.{before}(); import tfgrad_jax; print(gc.isenabled(), gc.get_freeze_count() > 1000)"
    )
    assert done.stdout.split() == [str(before == "enable"), "True"], done.stderr


@pytest.mark.parametrize("before", ["gc.freeze()", "sys.ps1 = '>>> '"])
def test_import_sets_nothing_apart_where_it_may_be_dropped_later(run_python, before):
    code = f"import gc, sys; {before}; n = gc.get_freeze_count(); import tfgrad_jax; print(n >= gc.get_freeze_count())"
    assert run_python("-c", code).stdout == "True\n"


def test_version_is_the_api_level(run_python):
    """Programs read `tf.__version__` to learn what they may call; this package's own version has another place."""
    done = run_python("-c", "import tfgrad_jax as tf; print(tf.__version__, tf.extras.__version__)")
    assert done.stdout.split() == ["2.21.0", "0.1.0"], done.stderr


def test_pipelines_and_functions_need_no_optional_package(run_python):
    """What was installed without extras works: the packages are those of `[project.optional-dependencies]`."""
    code = """
import sys

class Refused:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("google", "absl", "crc32c", "fsspec", "keras", "PIL", "re2", "simplejpeg", "six", "wrapt"):
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Refused())
import tfgrad_jax as tf

data = tf.data.Dataset.range(4).map(lambda i: i * 2).batch(2)
total = tf.function(lambda: data.reduce(tf.constant(0, tf.int64), lambda a, b: a + tf.reduce_sum(b)))
print(int(total()), tf.strings.join(["a", "b"]).numpy())
"""
    found = run_python("-c", code)
    assert found.stdout.strip() == "12 b'ab'", found.stderr
