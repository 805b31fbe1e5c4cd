"""Names that are loaded when they are asked for look like all others."""

from __future__ import annotations

import json

import pytest

from tfgrad_jax.api.late import LATE

PUBLIC = "import tfgrad_jax as tf, sys\n"


# Each module is imported in a copy of a process that has imported the package alone.
DECLARED = """
import importlib, json, os, sys, traceback
import tfgrad_jax
from tfgrad_jax.engine.names.export import registry
before = set(registry)
for module in json.load(sys.stdin):
    if (child := os.fork()) == 0:
        try:
            importlib.import_module(module)
            print(json.dumps([module, sorted(set(registry) - before)]), flush=True)
        except BaseException:
            traceback.print_exc()
        os._exit(0)
    os.waitpid(child, 0)
"""


@pytest.fixture(scope="module")
def declared(run_python):
    """What each module declares, by its name; what went wrong besides."""
    done = run_python("-c", DECLARED, input=json.dumps(list(LATE)))
    return dict(map(json.loads, done.stdout.splitlines())), done.stderr


@pytest.mark.parametrize("module", LATE)
def test_the_table_has_what_the_module_declares(declared, module):
    names, errors = declared
    # What such a module needs may be loaded late, too.
    others = {name for other, late in LATE.items() if other != module for name in late}
    assert sorted(set(names.get(module, ())) - others) == sorted(LATE[module]), errors


def test_a_name_is_declared_in_one_module():
    names = sorted(name for late in LATE.values() for name in late)
    assert sorted(set(names)) == names


def test_names_are_there_before_and_after(run_python):
    done = run_python(
        "-c",
        PUBLIC + "names = dir(tf.autograph), dir(tf.autograph.experimental), dir(tf.compat.v1.autograph)\n"
        "print('malt' in sys.modules, 'to_graph' in names[0], 'Feature' in names[1])\n"
        "modules = tf.autograph, tf.autograph.experimental, tf.compat.v1.autograph\n"
        "for module in modules: [getattr(module, name) for name in dir(module)]\n"
        "print('malt' in sys.modules)\n"
        "print(names == (dir(tf.autograph), dir(tf.autograph.experimental), dir(tf.compat.v1.autograph)))\n"
        "print(tf.autograph.trace is tf.compat.v1.autograph.trace, hasattr(tf.autograph, 'nothing'))",
    )
    assert done.stdout.split() == ["False", "True", "True", "True", "True", "True", "False"], done.stderr


def test_names_can_be_imported(run_python):
    done = run_python(
        "-c",
        "import tfgrad_jax\ntfgrad_jax.install()\nfrom tensorflow.autograph.experimental import do_not_convert\n"
        "import tensorflow as tf\nprint(do_not_convert is tf.autograph.experimental.do_not_convert)",
    )
    assert done.stdout == "True\n", done.stderr


def test_a_function_loads_what_converts_it(run_python, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        PUBLIC + "f = tf.function(lambda x: tf.map_fn(lambda y: -y if y < 0.0 else y, x))\n"
        "print(tf.map_fn(lambda y: -y, tf.constant([1.0])).numpy(), 'malt' in sys.modules)\n"
        "print(f(tf.constant([1.0, -2.0])).numpy(), 'malt' in sys.modules)\n"
    )
    done = run_python(str(program))
    assert done.stdout.splitlines() == ["[-1.] False", "[1. 2.] True"], done.stderr


def test_all_names_are_taken_at_once(run_python):
    """`import *` takes what waits, too; without Keras, what needs it is left out."""
    program = (
        "import sys; sys.modules['keras'] = None; import tfgrad_jax; tfgrad_jax.install()\n"
        "from tensorflow.experimental.numpy import *\nfrom tensorflow.nn import *\n"
        "print(sum([1.0, 2.0]).numpy(), relu is tfgrad_jax.nn.relu, ctc_loss is tfgrad_jax.nn.ctc_loss)\n"
        "from tensorflow import *\nsys.stdout.write(f'{RaggedTensor is tfgrad_jax.RaggedTensor} {\"keras\" in globals()}')"
    )
    done = run_python("-c", program)
    assert done.stdout == "3.0 True True\nTrue False", done.stderr
