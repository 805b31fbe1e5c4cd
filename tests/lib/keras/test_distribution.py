"""Real Keras on several replicas: what TensorFlow's Keras gave under `MirroredStrategy` for the same seeds."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf

L = tf.keras.layers


@pytest.mark.parametrize(
    ("count", "rows", "batch", "history", "evaluated", "predicted"),
    [
        (2, 20, 10, {"loss": [8.05992, 8.88912], "mae": [2.3164, 2.34968]}, [5.97918, 1.96232], 8.48895),
        (2, 29, 10, {"loss": [10.7058, 7.60609], "mae": [2.62758, 2.23758]}, [6.73119, 2.07453], 7.78792),
        # Of two rows each: normalising them makes more of rounding.
        (4, 28, 8, {"loss": [8.87082, 7.33646], "mae": [2.44134, 2.27163]}, [6.99647, 2.11536], 6.57687),
    ],
    ids=["even", "uneven", "four"],
)
def test_fit(count, rows, batch, history, evaluated, predicted):
    tf.keras.utils.set_random_seed(0)
    strategy = tf.distribute.MirroredStrategy([f"CPU:{i}" for i in range(count)])
    rng = np.random.RandomState(0)
    x = rng.randn(rows, 4).astype("float32")
    y = x.sum(1, keepdims=True)
    with strategy.scope():
        model = tf.keras.Sequential(
            [L.Input((4,)), L.Dense(8, "relu"), L.BatchNormalization(), L.Dropout(0.5, seed=3), L.Dense(1)]
        )
        model.compile(tf.keras.optimizers.Adam(1e-2), loss="mse", metrics=["mae"])
    found = model.fit(x, y, batch_size=batch, epochs=2, verbose=0).history
    rounding = 2e-5 if count == 2 else 1e-3
    for name, values in history.items():
        np.testing.assert_allclose(found[name], values, rtol=rounding)
    np.testing.assert_allclose(model.evaluate(x, y, batch_size=batch, verbose=0), evaluated, rtol=rounding)
    np.testing.assert_allclose(np.abs(model.predict(x, batch_size=batch, verbose=0)).sum(), predicted, rtol=rounding)
    assert isinstance(model.layers[0].kernel.value, tf.distribute.DistributedValues)


def test_a_loop_of_its_own():
    """Regularised losses, scaled by the global batch, and metrics, which add up over the replicas."""
    tf.keras.utils.set_random_seed(1)
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    rng = np.random.RandomState(0)
    x, y = rng.rand(20, 6).astype("float32"), rng.randint(0, 3, 20)
    dataset = strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices((x, y)).batch(8))
    with strategy.scope():
        loss_of = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction=None)
        accuracy = tf.keras.metrics.SparseCategoricalAccuracy()
        model = tf.keras.Sequential([L.Input((6,)), L.Dense(3, kernel_regularizer=tf.keras.regularizers.L2(0.01))])
        optimizer = tf.keras.optimizers.SGD(0.5, momentum=0.9)
        optimizer.build(model.trainable_variables)

    def step(inputs):
        features, labels = inputs
        with tf.GradientTape() as tape:
            logits = model(features, training=True)
            loss = tf.nn.compute_average_loss(loss_of(labels, logits), global_batch_size=8)
            loss += tf.nn.scale_regularization_loss(tf.add_n(model.losses))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        accuracy.update_state(labels, logits)
        return loss

    @tf.function
    def train_step(inputs):
        return strategy.reduce("SUM", strategy.run(step, args=(inputs,)), axis=None)

    losses = [float(train_step(inputs)) for _ in range(2) for inputs in dataset]
    np.testing.assert_allclose(losses, [1.436716, 1.187771, 1.002733, 1.019229, 0.990761, 1.309847], rtol=1e-5)
    assert float(accuracy.result()) == pytest.approx(0.3)


@pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")  # of Keras' own variables
def test_training_goes_on_where_it_was_backed_up(tmp_path):
    """As if nothing had ended it; the numbers are TensorFlow's too."""
    x = np.arange(16, dtype="float32").reshape(8, 2) / 16
    y = 2 * x.sum(1, keepdims=True)

    class Ends(tf.keras.callbacks.Callback):
        def on_epoch_begin(self, epoch, logs=None):
            if epoch == 2:
                raise KeyError("taken away")

    def fit(*callbacks):
        strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
        with strategy.scope():
            model = tf.keras.Sequential([L.Input((2,)), L.Dense(1, kernel_initializer="ones")])
            model.compile(tf.keras.optimizers.Adam(0.1), "mse")
        return model.fit(x, y, epochs=4, batch_size=4, shuffle=False, verbose=0, callbacks=callbacks).history["loss"]

    backup = tf.keras.callbacks.BackupAndRestore(str(tmp_path))
    with pytest.raises(KeyError, match="taken away"):
        fit(backup, Ends())
    whole = fit()
    np.testing.assert_allclose(fit(tf.keras.callbacks.BackupAndRestore(str(tmp_path))), whole[2:], rtol=1e-6)
    np.testing.assert_allclose(whole, [0.8789304, 0.3827815, 0.1279001, 0.0629205], rtol=1e-5)
