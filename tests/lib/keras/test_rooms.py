"""How `tf.keras` is found, and what is said where it cannot be."""

from __future__ import annotations

import pytest

PROGRAMS = {
    "of this package": "import tfgrad_jax as tf; model = tf.keras.Model; import keras; print(model is keras.Model)",
    "under TensorFlow's name": "import tfgrad_jax; tfgrad_jax.install()\nfrom tensorflow import keras\n"
    "from tensorflow.keras import layers\nimport tensorflow.keras.backend as K\n"
    "import keras as real; print(layers.Dense is real.layers.Dense and keras.Input is real.Input and K.epsilon() == 1e-7)",
    "its rooms": "import tfgrad_jax as tf; print(tf.optimizers.Adam is tf.keras.optimizers.Adam and "
    "tf.losses.Huber is tf.keras.losses.Huber and tf.metrics.AUC is tf.keras.metrics.AUC and "
    "tf.initializers.GlorotUniform is tf.keras.initializers.GlorotUniform)",
    "without draws from Python's random numbers": "import random; import tfgrad_jax as tf; random.seed(1); "
    "before = random.getstate(); tf.keras.layers; print(random.getstate() == before)",
    "when it is asked for": "import tfgrad_jax as tf, sys; print('keras' not in sys.modules and 'keras' in dir(tf))",
}


@pytest.mark.parametrize("how", PROGRAMS)
def test_it_is_there(run_python, how):
    done = run_python("-c", PROGRAMS[how])
    assert done.stdout == "True\n", done.stderr


def test_another_backend_is_refused(run_python):
    done = run_python("-c", "import tfgrad_jax as tf; tf.keras", env={"KERAS_BACKEND": "jax"})
    assert "ImportError: tf.keras: Keras runs on its 'jax' backend" in done.stderr


def test_a_missing_keras_is_named(run_python):
    done = run_python("-c", "import sys; sys.modules['keras'] = None\nimport tfgrad_jax as tf; tf.keras.layers")
    assert "ImportError: tf.keras needs the package 'keras'" in done.stderr
    assert "pip install 'tfgrad_jax[keras]'" in done.stderr
