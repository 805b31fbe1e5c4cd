"""`tf.compat.v1.keras`, `layers` and `nn.rnn_cell`: Keras 2's where it is asked for."""

from __future__ import annotations

import pytest

import tfgrad_jax as tf

PROGRAM = """
import tfgrad_jax
tfgrad_jax.install()
import tensorflow.compat.v1 as tf1
import tensorflow.compat.v1.keras
from tensorflow.compat.v1 import layers
from tensorflow.compat.v1.nn import rnn_cell
print(layers.__name__, rnn_cell.__name__, tf1.keras.__name__, tf1.layers.dense)
"""


def test_keras_2_has_them(run_python, tmp_path, monkeypatch):
    base = tmp_path / "tf_keras"
    for room in (
        "api/_v2/keras",
        "api/_v1/keras/__internal__/legacy/layers",
        "api/_v1/keras/__internal__/legacy/rnn_cell",
    ):
        (base / room).mkdir(parents=True)
    for folder in (base, *base.rglob("*")):
        names = ("initializers", "losses", "metrics", "optimizers") if folder.name == "keras" else ()
        (folder / "__init__.py").write_text("".join(f"{name} = None\n" for name in (*names, "dense")))
    monkeypatch.setenv("TF_USE_LEGACY_KERAS", "1")
    monkeypatch.syspath_prepend(tmp_path)
    done = run_python("-c", f"import sys\nsys.path.insert(0, {str(tmp_path)!r})\n" + PROGRAM)
    legacy = "tf_keras.api._v1.keras.__internal__.legacy"
    assert done.stdout.split() == [f"{legacy}.layers", f"{legacy}.rnn_cell", "tf_keras.api._v1.keras", "None"], (
        done.stderr
    )


@pytest.mark.parametrize("name", ["layers.dense", "nn.rnn_cell.LSTMCell"])
def test_keras_3_has_not(name, run_with_keras):
    done = run_with_keras(
        "-c", f"import tfgrad_jax as tf\ntry: tf.compat.v1.{name}\nexcept AttributeError as error: print(error)"
    )
    assert done.stdout.startswith(f"no tf.compat.v1.{name}: it is not available with Keras 3: use "), done.stderr
    assert tf.compat.v1.keras is not None
