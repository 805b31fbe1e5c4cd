"""`python -m tfgrad_jax check`: what is found in programs, where, and what is not an alarm."""

from __future__ import annotations

import json

import pytest

from tfgrad_jax.api.differs import DIFFERS
from tfgrad_jax.commands.check import check, main
from tfgrad_jax.commands.uses import Use
from tfgrad_jax.commands.verdicts import DIFFERS as DIFFERENT
from tfgrad_jax.commands.verdicts import GONE, GUARDED, MISSING, WORKS, verdict


@pytest.fixture
def found(tmp_path):
    """The states of what a program uses, by line: (line, symbol, state)."""

    def of(text: str, name: str = "program.py"):
        path = tmp_path / name
        path.write_text(text)
        report = check([str(path)])
        assert not report.wrong
        return [(f.line, f.verdict.symbol, f.verdict.state) for f in report.findings if f.verdict.counts]

    return of


def bad(findings):
    return [(line, symbol) for line, symbol, state in findings if state in (MISSING, GONE)]


IMPORTS = [
    "import tensorflow as tf\ntf.nothing(1)",
    "import tensorflow\ntensorflow.nothing",
    "import tensorflow.compat.v2 as tf\ntf.nothing",
    "from tensorflow import math as m\nm.nothing",
    "import tensorflow.math as m\nm.nothing",
    "import tensorflow as tf\nm = tf.math; m.nothing",
    "import tensorflow as tf\na, m = 1, tf.math; m.nothing",
    "import tensorflow as tf\ndef f(x, k=tf.nothing): pass",
    "import tensorflow as tf\n@tf.nothing\ndef f(): pass",
    "import tensorflow as tf\nclass A(tf.nothing): pass",
    "import tensorflow as tf\ngetattr(tf, 'nothing')",
    "import tensorflow as tf\nprint(f'{tf.nothing}')",
    "import tensorflow as tf\nx = [t.nothing for t in [1]] + [tf.nothing for _ in [1]]",
    "import tensorflow as tf; import importlib\nm = importlib.import_module('tensorflow.math'); m.nothing",
    "def f():\n  import tensorflow as tf; return lambda: tf.nothing",
    "def f():\n  global tf; import tensorflow as tf; tf.nothing\ndef g():\n  return tf.abs",
    "try:\n  import tensorflow as tf; tf.abs\nexcept ImportError:\n  tf = None\ntf.nothing",
    "class A:\n  import tensorflow as tf; tf.nothing",
    "from tensorflow.nn import *\nimport tensorflow; tensorflow.nothing",
]


@pytest.mark.parametrize("text", IMPORTS)
def test_missing_names_are_found_however_they_are_imported(found, text):
    names = [symbol.rpartition(".")[2] for _, symbol in bad(found(text))]
    assert names == ["nothing"]


CLEAN = [
    "import tensorflow as tf\ntf.nn.relu(tf.constant([1.0]), name='r')",
    "import numpy as tf\ntf.nothing",
    "import tensorflow as tf\ndef f(tf): return tf.nothing",
    "import tensorflow as tf\nfor tf in []: tf.nothing",
    "import tensorflow as tf\nf = lambda tf: tf.nothing",
    "import tensorflow as tf\nx = [tf.nothing for tf in []]",
    "import tensorflow as tf\nx = tf.constant(1); x.nothing",
    "import tensorflow as tf\ntf.nothing = 1; tf.nothing",
    "import tensorflow as tf\nif hasattr(tf, 'nothing'): tf.nothing",
    "import tensorflow as tf\nif not hasattr(tf, 'nothing'): raise SystemExit\ntf.nothing",
    "import tensorflow as tf\ngetattr(tf, 'nothing', None)",
    "import tensorflow as tf\nold = tf.__version__ < '2'\nx = tf.Session if old else tf.abs",
    "import tensorflow as tf\nif tf.__version__ < '2':\n  tf.Session()",
    "import tensorflow as tf\ntry:\n  tf.nothing\nexcept AttributeError:\n  pass",
    "try:\n  from tensorflow import nothing\nexcept ImportError:\n  nothing = None\nnothing and nothing.a",
    "try:\n  from tensorflow import nothing\nexcept ImportError:\n  pass\nnothing(1)",
    "try:\n  from tensorflow import nothing as f\nexcept ImportError:\n  from tensorflow import abs as f\nf(1)",
    "from __future__ import annotations\nimport tensorflow as tf\ndef f(x: tf.nothing) -> tf.nothing: pass",
    "import tensorflow as tf\ndef f():\n  x: tf.nothing = 1",
    "import tensorflow as tf\nx = tf.float32.name.whatever",
    "from tensorflow.nn import *\nrelu(1.0); unknown(2)",
    "import tensorflow as tf\nk = {}\ntf.reduce_sum(1, **k)",
    "x = x.y\nx = x.z\nx.w",
    "import tensorflow as tf\ntf = tf.math\ntf.nothing",  # bound to itself: nothing is claimed
    "import logging\nlogger = logging.getLogger('tensorflow'); logger.nothing",
    "from . import tf\ntf.nothing",
    "import tensorflow as tf\nprint(tf.abs)\ndel tf",
    "import tensorflow as tf\ntf.train.Checkpoint(model=1, anything=2); tf.Variable(1, dtype='int32', name='v')",
    "import tensorflow as tf\ntf.data.Dataset.from_tensor_slices([1]).map(abs, num_parallel_calls=tf.data.AUTOTUNE)",
    "match 1:\n  case tf:\n    tf.nothing",
]


@pytest.mark.parametrize("text", CLEAN)
def test_no_false_alarm(found, text):
    assert bad(found(text)) == []


def test_where_all_ways_fail_it_is_missing(found):
    text = (
        "try:\n  from tensorflow import nothing as f\nexcept ImportError:\n  from tensorflow import nobody as f\nf(1)"
    )
    assert [line for line, _ in bad(found(text))] == [5]


def test_keyword_arguments(found):
    text = "import tensorflow as tf\ntf.reduce_sum([1], keep_dims=True)\ntf.reduce_sum([1], axis=0, keepdims=True, name='s')"
    assert bad(found(text)) == [(2, "reduce_sum(keep_dims)")]
    assert bad(found("import tensorflow as tf\ntf.Variable(1, collections=[])")) == [(2, "Variable(collections)")]
    assert bad(found("import tensorflow as tf\ntf.raw_ops.Add(x=1, y=2, z=3)")) == [(2, "raw_ops.Add(z)")]


def test_reasons_name_what_there_is_instead():
    def why(*path):
        return verdict(Use((path,), 1, ())).why

    ended = "not in TensorFlow 2.21 either: it ended with TensorFlow"
    assert (
        why("estimator", "Estimator") == why("compat", "v1", "estimator", "Estimator") == f"{ended} 2.15: use tf.keras"
    )
    assert why("contrib", "layers", "conv2d") == f"{ended} 1"
    assert "tensorflow.python.framework.ops.Tensor" in why("python", "framework", "ops", "Tensr")


def test_states():
    def state(*path, keywords=()):
        return verdict(Use((path,), 1, keywords)).state

    assert state("reduce_sum") == WORKS
    assert state("compat", "v2", "nn", "relu") == WORKS
    assert state("placeholder") == state("contrib", "layers") == state("nothing") == GONE
    assert state("keras", "__internal__", "losses") == GONE
    assert state("python", "nothing") == state("lite", "Interpreter") == state("Variable", "from_proto") == MISSING
    assert state("train", "experimental", "ShardingCallback") == MISSING  # TensorFlow 2 has it
    assert state("import_graph_def") == WORKS
    assert state("engine") == state("commands") == GONE  # folders of code, which TensorFlow has not
    assert state("function") == state("compat", "v1", "Variable", keywords=("use_resource",)) == WORKS
    assert state("compat", "v1", "Variable", keywords=("nothing",)) == MISSING
    assert state("function", keywords=("reduce_retracing",)) == DIFFERENT
    assert (
        state("distribute", "experimental", "ParameterServerStrategy") == MISSING
    )  # there, to say what to use instead
    assert verdict(Use((("nothing",),), 1, guarded=True)).state == GUARDED
    assert "tf.compat.v1.placeholder" in verdict(Use((("placeholder",),), 1)).why
    assert "tf.math.reduce_sum" in verdict(Use((("python", "nothing", "reduce_sum"),), 1)).why


@pytest.mark.parametrize("key", DIFFERS)
def test_what_differs_is_there(key):
    symbol, _, keyword = key.rstrip(")").partition("(")
    use = Use((tuple(symbol.split(".")),), 1, (keyword,) if keyword else ())
    assert verdict(use).state == DIFFERENT


def test_notebook(tmp_path, capsys):
    cells = [
        {"cell_type": "markdown", "source": ["tf.nothing"]},
        {
            "cell_type": "code",
            "source": ["%matplotlib inline\n", "!pip install tensorflow\n", "import tensorflow as tf\n"],
        },
        {"cell_type": "code", "source": "%%bash\ntf.nothing ("},
        {"cell_type": "code", "source": "%%time\nfiles = !ls\nif files:\n  %timeit 1\ntf.abs?\ntf.nothing"},
    ]
    path = tmp_path / "a.ipynb"
    path.write_text(json.dumps({"cells": cells}))
    assert main([str(path)]) == 1
    assert f"{path}:cell 4:6: tf.nothing is missing" in capsys.readouterr().out


def test_folder_report_and_status(tmp_path, capsys):
    (tmp_path / "pkg" / "__pycache__").mkdir(parents=True)
    (tmp_path / "pkg" / "__pycache__" / "c.py").write_text("syntax error (")
    (tmp_path / "pkg" / "a.py").write_text("import tensorflow as tf\ntf.abs(1)\ntf.nothing\n")
    (tmp_path / "pkg" / "b.py").write_text("import os\n")
    (tmp_path / "d.py").write_text("from tensorflow import nn\nnn.relu(1.0)\n")
    assert main([str(tmp_path)]) == 1
    out = capsys.readouterr().out
    assert f"{tmp_path / 'pkg' / 'a.py'}:3: tf.nothing is missing" in out
    assert "3 files, of which 2 use TensorFlow\n3 symbols of TensorFlow, in 3 places: 66.7 % supported" in out
    assert main(["--json", str(tmp_path)]) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["supported"] == 0.6667 and report["status"] == 1 and len(report["files"]) == 3
    assert [f["symbol"] for f in report["findings"] if f["state"] == "gone"] == ["tf.nothing"]
    assert main([str(tmp_path / "d.py")]) == 0
    (tmp_path / "wrong.py").write_text("print 'two'\n")
    assert main(["--summary", str(tmp_path)]) == 2
    assert "wrong.py:1: is no Python of this version" in capsys.readouterr().out
    assert main([str(tmp_path / "none.py")]) == 2
    assert "none.py" in capsys.readouterr().err


def test_an_import_and_what_is_used_of_it_count_once(found):
    text = "from tensorflow.python.ops import nothing\nnothing.a()\nnothing.a()"
    assert [symbol for _, symbol, _ in found(text)] == ["python.ops.nothing.a"] * 2


def test_nothing_runs(run_python, tmp_path):
    path = tmp_path / "program.py"
    path.write_text("import tensorflow as tf\nprint(tf.abs(-1))\nraise SystemExit(7)\n")
    done = run_python("-m", "tfgrad_jax", "check", str(path))
    assert done.returncode == 0, done.stderr
    assert "100.0 % supported" in done.stdout
