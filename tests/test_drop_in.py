"""Programs written for TensorFlow, run unchanged by `python -m tfgrad_jax` and `tfgrad_jax.install()`."""

from __future__ import annotations

import pickle

import pytest

import tfgrad_jax as tf


@pytest.fixture
def program(tmp_path, run_python):
    """Writes a program to a file and runs it under `python -m tfgrad_jax`, in the file's folder."""

    def run(text: str, *arguments: str):
        (tmp_path / "program.py").write_text(text)
        return run_python("-m", "tfgrad_jax", "program.py", *arguments, cwd=tmp_path)

    return run


@pytest.fixture
def installed(run_imported):
    """Runs code after `install()`; returns what it printed."""

    def run(code: str) -> str:
        done = run_imported("-c", f"import tfgrad_jax; tfgrad_jax.install()\n{code}")
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def caught(statement: str) -> str:
    return f"try:\n    {statement}\nexcept Exception as error:\n    print(type(error).__name__, error)\n"


# -- import tensorflow ------------------------------------------------------------------------------------------------


def test_every_form_of_import(installed):
    out = installed(
        "import tensorflow as tf, tensorflow\n"
        "import tensorflow.math as tm\n"
        "from tensorflow import nn, GradientTape\n"
        "from tensorflow.nn import relu\n"
        "import importlib\n"
        "print(tf is tfgrad_jax, tensorflow is tf, tm is tf.math, nn is tf.nn, relu is tf.nn.relu)\n"
        "print(GradientTape is tf.GradientTape, importlib.import_module('tensorflow.nn') is nn, tf.__version__)\n"
    )
    assert out.split() == ["True"] * 7 + ["2.21.0"]


def test_modules_keep_their_identity(installed):
    out = installed(
        "import sys, tensorflow.math\n"
        "print(tfgrad_jax.math.__name__, tfgrad_jax.math.__spec__ and tfgrad_jax.math.__spec__.name)\n"
        "print([name for name in sys.modules if name.startswith('tensorflow')])\n"
    )
    name, spec, names = out.split(maxsplit=2)
    assert name == "tfgrad_jax.math"
    assert spec in ("None", "tfgrad_jax.math")
    assert eval(names) == ["tensorflow", "tensorflow.math"]


def test_install_twice(installed):
    out = installed("import sys; n = len(sys.meta_path); tfgrad_jax.install(); print(len(sys.meta_path) == n)")
    assert out == "True\n"


MISSING = {
    "import tensorflow as tf; tf.no_such_thing": ("AttributeError", ["tf.no_such_thing", "CONTRIBUTING"]),
    "import tensorflow as tf; tf.nn.rellu": ("AttributeError", ["tf.nn.rellu", "Did you mean tf.nn.relu"]),
    "import tensorflow as tf; tf.log": ("AttributeError", ["tf.log", "Did you mean tf.math.log"]),
    "import tensorflow as tf; tf.mul": ("AttributeError", ["tf.mul", "Did you mean tf.math.multiply?"]),
    "import tensorflow as tf; tf.train.AdamOptimizer": (
        "AttributeError",
        ["Did you mean tf.keras.optimizers.Adam or tf.compat.v1.train.AdamOptimizer?"],
    ),
    "from tensorflow import no_such_thing": ("ImportError", ["tf.no_such_thing", "CONTRIBUTING"]),
    "from tensorflow.nn import no_such_thing": ("ImportError", ["tf.nn.no_such_thing"]),
    "import tensorflow.no_such_thing": ("ModuleNotFoundError", ["tensorflow.no_such_thing", "CONTRIBUTING"]),
    "import tensorflow.nn.relu": ("ModuleNotFoundError", ["tensorflow.nn.relu"]),
    "from tensorflow.python.client.timeline import Timeline": ("ImportError", ["client.timeline.Timeline", "public"]),
    "from tensorflow.python.nowhere import session": (
        "ModuleNotFoundError",
        ["'tensorflow.python.nowhere'", "only the public API"],
    ),
}


def test_what_is_missing_is_named(installed):
    lines = installed("".join(map(caught, MISSING))).splitlines()
    for line, (statement, (error, mentions)) in zip(lines, MISSING.items(), strict=True):
        assert line.split()[0] == error, statement
        assert all(text in line for text in mentions), line


def test_private_modules_have_the_public_names_that_they_define(installed):
    out = installed(
        "import tensorflow as tf, tensorflow.python.framework.dtypes as d\n"
        "from tensorflow.python.framework import constant_op, ops\n"
        "from tensorflow.python.ops import array_ops, math_ops, variable_scope\n"
        "from tensorflow.python.util.nest import map_structure\n"
        "print(d.float32 is tf.float32, constant_op.constant is tf.constant, ops.Tensor is tf.Tensor)\n"
        "print(math_ops.reduce_sum is tf.reduce_sum, array_ops.where is tf.compat.v1.where, array_ops.where_v2 is tf.where)\n"
        "print(variable_scope.get_variable is tf.compat.v1.get_variable, map_structure is tf.nest.map_structure)\n"
        "print(ops.name_scope_v2 is tf.name_scope, 'concat' in dir(array_ops))"
    )
    assert out == "True True True\nTrue True True\nTrue True\nTrue True\n"


def test_tensorflow_is_an_installed_package_to_libraries_that_ask(installed):
    out = installed(
        "from importlib import metadata\n"
        "print(metadata.version('tensorflow'), metadata.packages_distributions()['tensorflow'][0])\n"
        "try: metadata.version('tensorflow-nowhere')\n"
        "except metadata.PackageNotFoundError: print('none')"
    )
    assert out == f"{tf.__version__} tensorflow\nnone\n"


def test_missing_attributes_answer_hasattr(installed):
    assert (
        installed("print(hasattr(tfgrad_jax, 'no_such_thing'), hasattr(tfgrad_jax.nn, '__wrapped__'))")
        == "False False\n"
    )


def test_the_error_of_a_missing_attribute_is_a_plain_one():
    with pytest.raises(AttributeError) as caught:
        tf.nn.rellu
    error = caught.value
    assert type(error).__name__ == "AttributeError" and error.args == (str(error),)
    assert "Did you mean tf.nn.relu" in str(error) and repr(error) == f"AttributeError({str(error)!r})"
    other = pickle.loads(pickle.dumps(error))  # as processes tell each other
    assert type(other) is AttributeError and str(other) == str(error)


def test_refuses_beside_another_tensorflow(tmp_path, run_python):
    (tmp_path / "tensorflow.py").write_text("__version__ = 'other'\n")
    code = "import sys; sys.path.insert(0, '.'); import tensorflow, tfgrad_jax\n" + caught("tfgrad_jax.install()")
    done = run_python("-c", code + "print(tensorflow.__version__)", cwd=tmp_path)
    assert done.stdout.startswith("RuntimeError TensorFlow is already imported"), done.stderr
    assert "tensorflow.py" in done.stdout
    assert done.stdout.endswith("other\n")


def test_another_tensorflow_on_the_path_is_not_loaded(program, tmp_path):
    (tmp_path / "tensorflow.py").write_text("raise SystemExit('the other one was loaded')\n")
    done = program("import tensorflow as tf; print(tf.__name__)")
    assert done.stdout == "tfgrad_jax\n", done.stderr


# -- python -m tfgrad_jax ---------------------------------------------------------------------------------------------


def test_a_script_sees_what_python_shows_it(program, tmp_path):
    (tmp_path / "beside.py").write_text("value = 5\n")
    done = program(
        "import sys, pickle, beside, __main__, tensorflow as tf\n"
        "class A: pass\n"
        "pickle.loads(pickle.dumps(A()))\n"
        "print(sys.argv, __name__, __file__, sys.path[0], beside.value, __main__.A is A, __spec__)\n"
        "print(tf.add(1, 2).numpy())\n",
        "-x",
        "y z",
    )
    folder = str(tmp_path)
    expected = ["program.py", "-x", "y z"], "__main__", f"{folder}/program.py", folder, 5, True, None
    assert done.stdout == " ".join(map(str, expected)) + "\n3\n", done.stderr


def test_modules_and_code(run_python, tmp_path):
    (tmp_path / "tool.py").write_text("import sys, tensorflow as tf\nprint(sys.argv, __name__, tf.__name__)\n")
    done = run_python("-m", "tfgrad_jax", "-m", "tool", "-v", cwd=tmp_path)
    assert done.stdout == f"{[str(tmp_path / 'tool.py'), '-v']} __main__ tfgrad_jax\n", done.stderr
    done = run_python("-m", "tfgrad_jax", "-c", "import sys, tensorflow; print(sys.argv, repr(sys.path[0]))", "a")
    assert done.stdout == "['-c', 'a'] ''\n", done.stderr
    done = run_python("-m", "tfgrad_jax", "-", input="import tensorflow as tf; print(tf.__name__, __name__)")
    assert done.stdout == "tfgrad_jax __main__\n", done.stderr


def test_exit_status(program):
    assert program("import sys; sys.exit(7)").returncode == 7
    assert program("").returncode == 0
    done = program("raise SystemExit('stopped')")
    assert (done.returncode, done.stderr) == (1, "stopped\n")


def test_tracebacks_begin_in_the_program(program, tmp_path):
    done = program("def f():\n    raise ValueError('wrong')\nf()\n")
    lines = done.stderr.splitlines()
    assert done.returncode == 1
    assert lines[:2] == ["Traceback (most recent call last):", f'  File "{tmp_path}/program.py", line 3, in <module>']
    assert lines[-1] == "ValueError: wrong"
    done = program("x = = 1\n")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("SyntaxError")
    assert "__main__.py" not in done.stderr


def test_what_cannot_be_run(run_python, tmp_path):
    done = run_python("-m", "tfgrad_jax", "nothing.py", cwd=tmp_path)
    assert done.returncode == 2
    assert (
        done.stderr
        == f"python -m tfgrad_jax: can't open file '{tmp_path}/nothing.py': [Errno 2] No such file or directory\n"
    )
    done = run_python("-m", "tfgrad_jax", "-m", "no_such_module")
    assert (done.returncode, done.stderr) == (1, "python -m tfgrad_jax: No module named no_such_module\n")
    assert run_python("-m", "tfgrad_jax").returncode == 2
    assert run_python("-m", "tfgrad_jax", "-m").returncode == 2
    assert "usage" in run_python("-m", "tfgrad_jax", "--help").stdout


def test_private_modules_without_public_names_can_be_imported_unused(installed):
    out = installed(
        "from tensorflow.python.ops import array_grad, gen_dataset_ops, math_grad\n"
        "from tensorflow.python.ops.numpy_ops import np_array_ops, np_math_ops\n"
        "import tensorflow as tf, tensorflow.core.framework.types_pb2\n"
        "print(np_array_ops.zeros is tf.experimental.numpy.zeros)\n" + caught("math_grad._ShapeTuple")
    )
    assert out.startswith("True\nAttributeError ")
    assert "tensorflow.python.ops.math_grad._ShapeTuple" in out


def test_the_copy_of_keras_2_within_tensorflow_is_tf_keras(run_python, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "from tensorflow.python import keras\n"
        "from tensorflow.python.keras.layers.core import Dense\n"
        "from tensorflow.python.keras.optimizer_v2 import adam\n"
        "import tensorflow.python.keras.utils.conv_utils as conv_utils, tf_keras.src.layers.core as core\n"
        "from tensorflow.python.keras.utils import generic_utils\n"
        "from tensorflow.python.tpu import embedding_context_utils as tpu\n"
        "import tensorflow as tf\n"
        "print(Dense, adam.Adam, conv_utils.pad, keras.optimizer_v2.adam.Adam, core.name)\n"
        "from tensorflow.python.layers import base, layers, utils\n"  # layers of version 1
        "import tensorflow.python.layers.pooling as pooling\n"
        "from tensorflow.python.ops.rnn_cell import *\n"
        "print(RNNCell, DropoutWrapper, keras.layers.legacy_rnn.rnn_cell_impl.RNNCell)\n"
        "print(base.Layer, layers.Layer, layers.dense, pooling.pool, utils.pad, utils.smart_cond)\n"
        "print(generic_utils.Progbar, generic_utils.custom_object_scope, generic_utils.serialize_keras_object)\n"
        "with tpu.SequentialEmbeddingContext():\n"
        "    print(tf.distribute.get_strategy().extended._global_batch_size)\n"
    )
    done = run_python("-m", "tfgrad_jax", str(program))
    assert "No module named 'tensorflow.python.keras'" in done.stderr
    assert "pip install --no-deps tf_keras" in done.stderr
    source = tmp_path / "tf_keras" / "src"
    for place, line in {
        "": "",
        "layers": "Dense = 'dense'",
        "layers/core": "name = 'core'",
        "layers/rnn": "",
        "layers/rnn/legacy_cells": "globals().update({name: name for name in ('BasicLSTMCell', 'BasicRNNCell', 'GRUCell', "
        "'LSTMCell', 'LSTMStateTuple', 'LayerRNNCell', 'MultiRNNCell', 'RNNCell')})",
        "layers/rnn/legacy_cell_wrappers": "DeviceWrapper = DropoutWrapper = ResidualWrapper = 'wrapper'",
        "optimizers": "",
        "optimizers/legacy": "",
        "optimizers/legacy/adam": "Adam = 'adam'",
        "utils": "",
        "utils/conv_utils": "pad = 'pad'",
        "utils/control_flow_util": "smart_cond = 'cond'",
        "utils/generic_utils": "Progbar = 'bar'",
        "saving": "",
        "saving/object_registration": "custom_object_scope = 'scope'",
        "saving/legacy": "",
        "saving/legacy/serialization": "serialize_keras_object = 'saved'",
        "legacy_tf_layers": "",
        "legacy_tf_layers/base": "Layer = 'layer'",
        "legacy_tf_layers/core": "dense = 'dense1'",
        "legacy_tf_layers/convolutional": "",
        "legacy_tf_layers/normalization": "",
        "legacy_tf_layers/pooling": "pool = 'pool'",
    }.items():
        (source / place).mkdir(parents=True, exist_ok=True)
        (source / place / "__init__.py").write_text(line)
    (tmp_path / "tf_keras" / "__init__.py").touch()
    done = run_python("-m", "tfgrad_jax", str(program))
    assert done.stdout.splitlines() == [
        "dense adam pad adam core",
        "RNNCell wrapper RNNCell",
        "layer layer dense1 pool pad cond",
        "bar scope saved",
        "True",
    ], done.stderr
