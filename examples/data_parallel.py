"""Data-parallel training on several devices, simulated by parts of the CPU: `MirroredStrategy` and a loop of our own.

Every device has a copy of the network and a share of each batch; the gradients are summed over all of them. So the result
is that of one device, whatever their number.

    python -m tfgrad_jax examples/data_parallel.py
"""

import argparse

import matplotlib.pyplot as plt
import numpy as np
import tensorflow as tf
from sklearn.datasets import load_digits
from tqdm import tqdm

BATCH = 96


def train(strategy, images, labels, epochs):
    """The mean loss of each epoch."""
    tf.keras.utils.set_random_seed(0)
    dataset = tf.data.Dataset.from_tensor_slices((images, labels)).shuffle(len(images), seed=0)
    batches = strategy.experimental_distribute_dataset(dataset.batch(BATCH, drop_remainder=True))
    with strategy.scope():
        model = tf.keras.Sequential(
            [
                tf.keras.Input([8, 8, 1]),
                tf.keras.layers.Conv2D(16, 3, activation="relu"),
                tf.keras.layers.Flatten(),
                tf.keras.layers.Dense(10),
            ]
        )
        optimizer = tf.keras.optimizers.SGD(0.1, momentum=0.9)
        optimizer.build(model.trainable_variables)  # its own variables are made here, not in the first step
        entropy = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="none")

    def replica_step(images, labels):
        with tf.GradientTape() as tape:
            losses = entropy(labels, model(images, training=True))
            loss = tf.nn.compute_average_loss(losses, global_batch_size=BATCH)
        optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
        return loss

    @tf.function
    def step(images, labels):
        losses = strategy.run(replica_step, args=(images, labels))
        return strategy.reduce(tf.distribute.ReduceOp.SUM, losses, axis=None)

    history = []
    for _ in (bar := tqdm(range(epochs), desc=f"{strategy.num_replicas_in_sync} replicas", unit="epoch")):
        history.append(np.mean([float(step(*batch)) for batch in batches]))
        bar.set_postfix(loss=f"{history[-1]:.4f}")
    return history


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="few steps, to see that it runs")
    parser.add_argument("--output", default="data_parallel.png", help="the picture (default: %(default)s)")
    args = parser.parse_args()

    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 4)
    digits = load_digits()
    images = (digits.images[..., np.newaxis] / 16).astype("float32")
    epochs = 1 if args.quick else 10
    alone = train(tf.distribute.get_strategy(), images, digits.target, epochs)
    devices = [device.name for device in tf.config.list_logical_devices("CPU")]
    together = train(tf.distribute.MirroredStrategy(devices), images, digits.target, epochs)
    print(f"loss at the end: {alone[-1]:.3f} on one device, {together[-1]:.3f} on {len(devices)}")
    figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    axes.semilogy(range(1, epochs + 1), alone, linewidth=6, alpha=0.5, label="one device")
    axes.semilogy(range(1, epochs + 1), together, label=f"{len(devices)} devices")
    axes.set(title="one training, on one device and on several", xlabel="epoch", ylabel="loss")
    axes.legend()
    figure.savefig(args.output, dpi=80)


if __name__ == "__main__":
    main()
