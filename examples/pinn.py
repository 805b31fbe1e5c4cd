"""A physics-informed network for the Korteweg-de Vries equation, u_t + 6 u u_x + u_xxx = 0: third derivatives by tapes in tapes.

It learns a wave that travels alone from the equation and the wave's form at the beginning.

    python -m tfgrad_jax examples/pinn.py
"""

import argparse

import matplotlib.pyplot as plt
import numpy as np
import tensorflow as tf
from tqdm import tqdm

LEFT, RIGHT, END, SPEED = -5.0, 8.0, 2.0, 1.5


def soliton(x, t):
    """The exact solution."""
    return 0.5 * SPEED / np.cosh(0.5 * np.sqrt(SPEED) * (x - SPEED * t)) ** 2


def build():
    inputs = tf.keras.Input([2])
    hidden = tf.keras.layers.Rescaling([0.25, 1.0])(inputs)  # both in the tanh's range
    for _ in range(3):
        hidden = tf.keras.layers.Dense(40, activation="tanh")(hidden)
    return tf.keras.Model(inputs, tf.keras.layers.Dense(1)(hidden))


def residual(model, x, t):
    """How far the network is from the equation at each point."""
    with tf.GradientTape() as third:
        third.watch(x)
        with tf.GradientTape() as second:
            second.watch(x)
            with tf.GradientTape() as first:
                first.watch([x, t])
                u = model(tf.concat([x, t], axis=1))
            u_x, u_t = first.gradient(u, [x, t])
        u_xx = second.gradient(u_x, x)
    u_xxx = third.gradient(u_xx, x)
    return u_t + 6.0 * u * u_x + u_xxx


def train(model, steps, points=500):
    rate = tf.keras.optimizers.schedules.CosineDecay(4e-3, steps)
    optimizer = tf.keras.optimizers.Adam(rate)
    start = np.linspace(LEFT, RIGHT, 100, dtype="float32")[:, np.newaxis]
    edge = np.linspace(0.0, END, 40, dtype="float32")[:, np.newaxis]
    known = tf.constant(
        np.concatenate(
            [np.c_[start, 0 * start], np.c_[np.full_like(edge, LEFT), edge], np.c_[np.full_like(edge, RIGHT), edge]]
        )
    )
    values = soliton(known[:, :1].numpy(), known[:, 1:].numpy())

    @tf.function
    def step():
        x = tf.random.uniform([points, 1], LEFT, RIGHT)
        t = tf.random.uniform([points, 1], 0.0, END)
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(residual(model, x, t) ** 2) + 10.0 * tf.reduce_mean((model(known) - values) ** 2)
        optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
        return loss

    for count in (bar := tqdm(range(steps), unit="step")):
        loss = step()
        if count % 100 == 0:
            bar.set_postfix(loss=f"{float(loss):.1e}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="few steps, to see that it runs")
    parser.add_argument("--output", default="pinn.png", help="the picture (default: %(default)s)")
    args = parser.parse_args()
    tf.keras.utils.set_random_seed(0)

    model = build()
    train(model, steps=5 if args.quick else 4000)
    x = np.linspace(LEFT, RIGHT, 200, dtype="float32")
    figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
    worst = 0.0
    for t, color in zip([0.0, 0.7, 1.4, 2.0], ["tab:blue", "tab:orange", "tab:green", "tab:red"]):
        u = model(np.c_[x, np.full_like(x, t)]).numpy()[:, 0]
        worst = max(worst, np.abs(u - soliton(x, t)).max())
        axes.plot(x, soliton(x, t), color=color, linewidth=4, alpha=0.3)
        axes.plot(x, u, color=color, label=f"t = {t}")
    print(f"largest error of a wave of height {SPEED / 2}: {worst:.2f}")
    axes.set(title="the network (thin) and the exact wave (broad)", xlabel="x", ylabel="u")
    axes.legend()
    figure.savefig(args.output, dpi=80)


if __name__ == "__main__":
    main()
