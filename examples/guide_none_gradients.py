"""Every way in which a gradient comes out as None, one after the other, and what to do about each.

    python -m tfgrad_jax examples/guide_none_gradients.py

The ordinary cases are in `guide_gradient_tape.py`.
"""

import tensorflow as tf  # isort: skip

import numpy as np


def title(text):
    print(f"\n== {text}")


def not_watched():
    title("not watched: only the first is a trainable variable")
    x0 = tf.Variable(3.0, name="x0")
    x1 = tf.Variable(3.0, name="x1", trainable=False)
    x2 = tf.Variable(2.0, name="x2") + 1.0  # a variable plus a number is a tensor
    x3 = tf.constant(3.0, name="x3")
    with tf.GradientTape() as tape:
        y = (x0**2) + (x1**2) + (x2**2)
    for gradient in tape.gradient(y, [x0, x1, x2, x3]):
        print(gradient)
    print([variable.name for variable in tape.watched_variables()])


def not_connected():
    title("not connected")
    x = tf.Variable(2.0)
    y = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        z = y * y
    print(tape.gradient(z, x))


def replaced():
    title("a variable replaced by a tensor: use assign_add instead")
    x = tf.Variable(2.0)
    for _ in range(2):
        with tf.GradientTape() as tape:
            y = x + 1
        print(type(x).__name__, ":", tape.gradient(y, x))
        x = x + 1
    x = tf.Variable(2.0)
    for _ in range(2):
        with tf.GradientTape() as tape:
            y = x + 1
        print(type(x).__name__, ":", tape.gradient(y, x))
        x.assign_add(1)


def left_through_numpy():
    title("left through NumPy")
    x = tf.Variable([[1.0, 2.0], [3.0, 4.0]], dtype=tf.float32)
    with tf.GradientTape() as tape:
        squares = x**2
        y = np.mean(squares, axis=0)  # a NumPy array: the tape's trail ends here
        y = tf.reduce_mean(y, axis=0)
    print(tape.gradient(y, x))


def integers():
    title("integers have no gradients: a warning each time, then None")
    x = tf.constant(10)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    print(tape.gradient(y, x))
    v = tf.Variable([[2, 2], [2, 2]])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(v)
    print(tape.gradient(y, v))


def through_state():
    title("through state: the tape sees a variable's value, not how it came about")
    x0 = tf.Variable(3.0)
    x1 = tf.Variable(0.0)
    with tf.GradientTape() as tape:
        x1.assign_add(x0)
        y = x1**2
    print(tape.gradient(y, x0))


def stopped():
    title("stopped on purpose")
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * tf.stop_gradient(x)  # the second factor counts as a constant
    print(tape.gradient(y, x).numpy())


def no_gradient_registered():
    title("an operation without a gradient is an error, not None")
    image = tf.Variable([[[0.5, 0.0, 0.0]]])
    delta = tf.Variable(0.1)
    with tf.GradientTape() as tape:
        changed = tf.image.adjust_contrast(image, delta)
    try:
        print(tape.gradient(changed, [image, delta]))
    except LookupError as error:
        print(f"{type(error).__name__}: {error}")


def zeros_instead():
    title("zeros instead of None")
    x = tf.Variable([2.0, 2.0])
    y = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        z = y**2
    print(tape.gradient(z, x, unconnected_gradients=tf.UnconnectedGradients.ZERO))


def main():
    not_watched()
    not_connected()
    replaced()
    left_through_numpy()
    integers()
    through_state()
    stopped()
    no_gradient_registered()
    zeros_instead()


if __name__ == "__main__":
    main()
