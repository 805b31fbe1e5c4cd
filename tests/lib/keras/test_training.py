"""Real Keras on this package: histories that TensorFlow's Keras gave for the same seeds."""

from __future__ import annotations

import re

import numpy as np
import pytest

import tfgrad_jax as tf

L = tf.keras.layers


def classes():
    rng = np.random.RandomState(0)
    x = rng.randn(40, 6).astype("float32")
    return x, (x.sum(1) > 0).astype("int32")


def cross_entropy():
    return tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)


def mlp():
    return tf.keras.Sequential([L.Dense(8, activation="relu"), L.BatchNormalization(), L.Dropout(0.3), L.Dense(2)])


def history(model, x, y, optimizer="adam", metrics=("accuracy",), how=None, **fit):
    model.compile(optimizer, loss=cross_entropy(), metrics=metrics and list(metrics), **(how or {}))
    return model.fit(x, y, batch_size=16, epochs=2, verbose=0, **fit).history


def check(found, expected):
    assert set(found) == set(expected)
    for name, values in expected.items():
        np.testing.assert_allclose(found[name], values, rtol=1e-4, err_msg=name)


ONE = {"accuracy": [0.675, 0.8], "loss": [0.59201, 0.6617]}
FITS = {
    "as a function": ({}, ONE),
    "eagerly": ({"how": {"run_eagerly": True}}, ONE),
    # XLA makes other numbers of the same bits, for the dropout alone: what variables begin with is drawn outside of it.
    "compiled": ({"how": {"jit_compile": True}}, {"accuracy": [0.575, 0.7], "loss": [0.85573, 0.68989]}),
    "two steps at once": ({"how": {"steps_per_execution": 2}}, ONE),
    "validated": (
        {"shuffle": False, "validation_split": 0.25},
        {
            "accuracy": [0.63333, 0.56667],
            "loss": [0.7831, 0.78182],
            "val_accuracy": [0.9, 0.9],
            "val_loss": [0.46135, 0.46085],
        },
    ),
    "with class weights": ({"class_weight": {0: 1.0, 1: 3.0}}, {"accuracy": [0.675, 0.8], "loss": [1.08856, 1.42037]}),
}


@pytest.mark.parametrize("name", FITS)
def test_fit(name):
    how, expected = FITS[name]
    tf.keras.utils.set_random_seed(7)
    check(history(mlp(), *classes(), **how), expected)


def recurrent():
    i = tf.keras.Input([5, 3])
    h = L.Bidirectional(L.LSTM(4, return_sequences=True))(i)
    h = L.GRU(3)(h)
    return tf.keras.Model(i, L.Dense(2)(h))


def convolutional():
    layers = [L.Conv2D(4, 3, activation="relu"), L.MaxPooling2D(), L.Conv2DTranspose(3, 2), L.GlobalAveragePooling2D()]
    return tf.keras.Sequential([*layers, L.Dense(2)])


def embedding():
    return tf.keras.Sequential([L.Embedding(20, 4, mask_zero=True), L.LSTM(3), L.Dense(2)])


NETWORKS = {
    "recurrent": (recurrent, (5, 3), None, "adam", {"accuracy": [0.625, 0.625], "loss": [0.68672, 0.6852]}),
    "convolutional": (
        convolutional, (8, 8, 1), None, lambda: tf.keras.optimizers.RMSprop(1e-2),
        {"accuracy": [0.55, 0.575], "loss": [0.69845, 0.69119]},
    ),
    "embedding": (
        embedding, (6,), 20, lambda: tf.keras.optimizers.Adagrad(0.1),
        {"accuracy": [0.4, 0.55], "loss": [0.69422, 0.69156]},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", NETWORKS)
def test_networks(name):
    make, shape, ids, optimizer, expected = NETWORKS[name]
    tf.keras.utils.set_random_seed(3)
    model = make()
    rng = np.random.RandomState(1)
    x = rng.randn(40, *shape).astype("float32") if ids is None else rng.randint(0, ids, (40, *shape))
    check(history(model, x, classes()[1], optimizer if isinstance(optimizer, str) else optimizer()), expected)


def test_a_train_step_of_its_own():
    class Own(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.parts = [L.Dense(4, activation="tanh"), L.Dense(2)]

        def call(self, x):
            for part in self.parts:
                x = part(x)
            return x

        def train_step(self, data):
            x, y = data
            with tf.GradientTape() as tape:
                loss = self.compute_loss(x, y, self(x, training=True))
            gradients = tape.gradient(loss, self.trainable_variables)
            self.optimizer.apply_gradients(zip(gradients, self.trainable_variables, strict=True))
            return {"loss": loss, "norm": tf.linalg.global_norm(gradients)}

    tf.keras.utils.set_random_seed(3)
    found = history(Own(), *classes(), optimizer=tf.keras.optimizers.SGD(0.1, momentum=0.9), metrics=None)
    check(found, {"loss": [1.05968, 0.51561], "norm": [1.03965, 0.45487]})


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "function"])
def test_a_loop_of_ones_own(wrap):
    tf.keras.utils.set_random_seed(5)
    x, y = classes()
    model, optimizer = mlp(), tf.keras.optimizers.Adam(1e-2)
    model.build(x.shape)
    optimizer.build(model.trainable_variables)

    def step(x, y):
        with tf.GradientTape() as tape:
            loss = cross_entropy()(y, model(x, training=True))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return loss

    step = wrap(step)
    losses = [float(step(tf.constant(x), tf.constant(y))) for _ in range(5)]
    np.testing.assert_allclose(losses, [0.52823, 0.46381, 0.48743, 0.58472, 0.41052], rtol=1e-4)


def test_steps_at_once_end_with_the_data():
    x, y = classes()
    found = {}
    for steps in (1, 4):  # 3 batches: the last round is not full
        tf.keras.utils.set_random_seed(1)
        model = tf.keras.Sequential([L.Dense(2)])
        found[steps] = history(model, x, y, how={"steps_per_execution": steps})["loss"]
    np.testing.assert_allclose(found[1], found[4], rtol=1e-5)


def test_a_kernel_of_a_transposed_convolution_has_its_gradient():
    # The batch is open, so the output's shape is known late, and the kernel is Keras' variable, not a tensor.
    layer = L.Conv2DTranspose(2, 3)
    layer.build([None, 4, 4, 1])

    @tf.function(input_signature=[tf.TensorSpec([None, 4, 4, 1])])
    def gradient(x):
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(layer(x))
        return tape.gradient(y, layer.trainable_variables)

    kernel, bias = gradient(tf.ones([2, 4, 4, 1]))
    np.testing.assert_allclose(kernel, np.full([3, 3, 2, 1], 32.0))
    np.testing.assert_allclose(bias, [72.0, 72.0])


def test_sparse_gradients_reach_the_optimizer():
    table = tf.keras.Variable(np.ones([5, 2], "float32"))
    momentum = tf.keras.optimizers.SGD(0.1, gradient_accumulation_steps=None)
    slices = tf.IndexedSlices(tf.ones([2, 2]), tf.constant([0, 3]), tf.constant([5, 2]))
    momentum.apply([slices], [table])
    np.testing.assert_allclose(table.numpy()[:, 0], [0.9, 1.0, 1.0, 0.9, 1.0])


def test_a_tape_takes_keras_variables():
    v = tf.keras.Variable([1.0, 2.0])
    assert tf.is_tensor(v) and not isinstance(v, tf.Tensor)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(v * v)
    np.testing.assert_allclose(tape.gradient(y, v), [2.0, 4.0])
    with tf.GradientTape() as tape:
        y = v * v
    np.testing.assert_allclose(tape.jacobian(y, v), [[2.0, 0.0], [0.0, 4.0]])


def test_a_lookup_layer_names_its_dtypes():
    layer = L.StringLookup(vocabulary=["a", "b"])
    np.testing.assert_array_equal(layer(tf.constant(["b", "z", "a"])), [2, 0, 1])


def test_blurred_images():
    # Keras makes a shape of scalars of a float tensor and of integers there.
    blur = L.RandomGaussianBlur(factor=1.0, kernel_size=3, sigma=1.0, seed=1)
    assert blur(tf.ones([1, 4, 4, 2]), training=True).shape == (1, 4, 4, 2)


def test_whole_channels_are_dropped():
    # Keras gives a list of sizes, some of them of the graph.
    layer = L.SpatialDropout1D(0.5, seed=3)
    dropped = tf.function(lambda x: layer(x, training=True), input_signature=[tf.TensorSpec([None, 5, 4])])
    kept = dropped(tf.ones([3, 5, 4])).numpy()
    assert set(np.unique(kept)) == {0.0, 2.0} and (kept == kept[:, :1]).all()


class Rounded(tf.keras.layers.Layer):
    def build(self, shape):
        self.kernel = self.add_weight(shape=(shape[-1], 2), name="kernel")
        self.spare = self.add_weight(shape=(3,), name="spare")

    def call(self, x):
        return tf.round(x @ self.kernel)


def reasons(caplog):
    """What was said of variables without gradients; that Keras' functions of other models were traced often is said as well."""
    return [said for said in [record.getMessage() for record in caplog.records] if said.startswith("No gradient")]


@pytest.mark.parametrize("eagerly", [False, True])
def test_the_tape_says_why_nothing_can_be_trained(caplog, eagerly):
    """Keras only says that there are no gradients: the reasons stand before that, once."""
    model = tf.keras.Sequential([tf.keras.Input((4,)), Rounded(name="rounded")])
    model.compile("sgd", "mse", run_eagerly=eagerly)
    for _ in range(2):
        with pytest.raises(ValueError, match="No gradients provided"):
            model.fit(np.ones((8, 4), "float32"), np.ones((8, 2), "float32"), verbose=0)
    (said,) = reasons(caplog)
    kernel, spare = said.split("\nvariable ")
    assert kernel.startswith("No gradient for variable ") and "rounded/kernel' float32[4, 2]: " in kernel
    assert ("not_connected" if eagerly else "There is no gradient to Round at test_training.py:") in kernel
    assert "no operation read it while the tape recorded" in spare


def test_reasons_shared_by_variables_are_said_once_and_name_the_layer(caplog):
    model = tf.keras.Sequential(
        [
            tf.keras.Input((4,)),
            tf.keras.layers.Dense(3, name="before"),
            tf.keras.layers.Lambda(tf.stop_gradient, name="stop", output_shape=(3,)),
            tf.keras.layers.Dense(2, name="after"),
        ]
    )
    model.compile("sgd", "mse")
    with pytest.warns(UserWarning, match="Gradients do not exist for variables"):
        model.fit(np.ones((8, 4), "float32"), np.ones((8, 2), "float32"), verbose=0)
    (said,) = reasons(caplog)
    head, text, way = said.split("\n")
    assert "/before/kernel'" in head and "/before/bias'" in head and head.endswith(")")
    assert "/stop" in text and "makes it a constant" in text
    assert re.search(r"MatMul \(\S+/before\S*\) -> BiasAdd \(\S+/before\S*\) -> StopGradient \(\S+/stop\S*\)", way)


def test_variables_without_gradient_are_counted_where_they_are_many(caplog):
    layers = [tf.keras.layers.Dense(1, use_bias=False, name=f"d{i}") for i in range(11)]
    x = tf.ones([1, 1])
    for layer in layers:
        layer(x)
    optimizer = tf.keras.optimizers.SGD(0.5)
    variables = [layer.kernel for layer in layers]
    before = variables[0].numpy()
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(layers[0](x))
    gradients = tape.gradient(loss, variables)
    with pytest.warns(UserWarning, match="Gradients do not exist for variables"):
        optimizer.apply_gradients(zip(gradients, variables))
    np.testing.assert_allclose(variables[0].numpy(), before - 0.5, rtol=1e-6)
    (said,) = reasons(caplog)
    assert (
        said.count("variable 'd") == 8 and "'d8/" in said and said.endswith("and for 2 more; tape.explain tells of all")
    )


def test_numpys_functions_take_keras_variables():
    tnp = tf.experimental.numpy
    v = tf.keras.Variable([[1.0, 2.0], [3.0, 4.0]])
    assert tnp.result_type(v, np.float64) == tf.float64

    def gradient():
        with tf.GradientTape() as tape:
            product = tnp.sum(tnp.maximum(tnp.matmul(v, v), tnp.mean(v)))
        return tape.gradient(product, v)

    for run in (gradient, tf.function(gradient)):
        np.testing.assert_array_equal(run(), [[7.0, 11.0], [9.0, 13.0]])


@pytest.mark.filterwarnings("ignore::UserWarning")  # Keras says that the data has ended
@pytest.mark.parametrize(("at_once", "taken"), [(1, 6), (2, 4)])
def test_the_end_of_data_of_unknown_length_counts_as_a_step(at_once, taken):
    tf.keras.utils.set_random_seed(5)
    x, y = np.ones((8, 4), np.float32), np.ones((8, 1), np.float32)
    data = tf.data.Dataset.from_tensor_slices((x, y)).batch(4).filter(lambda x, y: True)
    dropout = L.Dropout(0.5, seed=7)
    model = tf.keras.Sequential([tf.keras.Input((4,)), dropout, L.Dense(1)])
    model.compile("adam", "mse", steps_per_execution=at_once)
    model.fit(data, epochs=2, verbose=0)
    model.evaluate(data, verbose=0)
    assert (int(model.optimizer.iterations), int(dropout.seed_generator.state[1])) == (taken, taken)
