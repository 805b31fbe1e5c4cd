"""Gradient tapes from the first derivative to the Hessian; every result is printed.

    python -m tfgrad_jax examples/guide_gradient_tape.py

What the tape does *not* see, and why a gradient is then None, is in `guide_none_gradients.py`.
"""

import tensorflow as tf  # isort: skip


def title(text):
    print(f"\n== {text}")


class Dense(tf.Module):
    """A dense layer with ReLU."""

    def __init__(self, inputs, units, name=None):
        super().__init__(name=name)
        self.kernel = tf.Variable(tf.random.normal([inputs, units]), name="kernel")
        self.bias = tf.Variable(tf.zeros([units]), name="bias")

    def __call__(self, x):
        return tf.nn.relu(x @ self.kernel + self.bias)


def first_derivative():
    title("the derivative of x**2 at 3")
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x**2
    print(tape.gradient(y, x).numpy())


def matrices_and_structures():
    title("gradients have the shape of their source, and the structure of the sources asked for")
    w = tf.Variable(tf.random.normal((3, 2)), name="w")
    b = tf.Variable(tf.zeros(2, dtype=tf.float32), name="b")
    x = [[1.0, 2.0, 3.0]]
    with tf.GradientTape(persistent=True) as tape:
        y = x @ w + b
        loss = tf.reduce_mean(y**2)
    [dl_dw, dl_db] = tape.gradient(loss, [w, b])
    print(w.shape, dl_dw.shape)
    print(b.shape, dl_db.shape)
    by_name = tape.gradient(loss, {"w": w, "b": b})
    print(sorted(by_name), bool(tf.reduce_all(by_name["b"] == dl_db)))


def a_model():
    title("every trainable variable of a module")
    layer = Dense(3, 2, name="dense")
    x = tf.constant([[1.0, 2.0, 3.0]])
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(layer(x) ** 2)
    variables = layer.trainable_variables
    for variable, gradient in zip(variables, tape.gradient(loss, variables)):
        print(f"{variable.name}, shape: {gradient.shape}")


def linear_regression():
    title("a loss of two parameters, and steps down it")
    weights = tf.Variable([[0.0], [0.0]], name="weights")
    bias = tf.Variable([0.0], name="bias")
    inputs = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]])
    wanted = tf.constant([[5.0], [11.0], [19.0]])
    for step in range(201):
        with tf.GradientTape() as tape:
            predicted = tf.matmul(inputs, weights) + bias
            loss = tf.reduce_mean(tf.square(wanted - predicted))
        for variable, gradient in zip([weights, bias], tape.gradient(loss, [weights, bias])):
            variable.assign_sub(0.02 * gradient)
        if step % 100 == 0:
            print(f"step {step:3d}: loss {loss.numpy():.4f}")


def watching():
    title("a tensor is watched on request")
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x**2
    print(tape.gradient(y, x).numpy())

    title("watching only what is named")
    x0 = tf.Variable(0.0)
    x1 = tf.Variable(10.0)
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(x1)
        y = tf.reduce_sum(tf.math.sin(x0) + tf.nn.softplus(x1))
    gradient = tape.gradient(y, {"x0": x0, "x1": x1})
    print("dy/dx0:", gradient["x0"])
    print("dy/dx1:", gradient["x1"].numpy())


def intermediate_results():
    title("the derivative with respect to an intermediate result")
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        z = y * y
    print(tape.gradient(z, y).numpy())

    x = tf.ones((2, 2))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.reduce_sum(x)
        z = tf.multiply(y, y)
    print(tape.gradient(z, x).numpy().tolist(), tape.gradient(z, y).numpy())


def persistent():
    title("several questions to one tape")
    x = tf.constant([1, 3.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        z = y * y
    print(tape.gradient(z, x).numpy())
    print(tape.gradient(y, x).numpy())
    del tape  # what it holds is freed here

    with tf.GradientTape() as once:
        once.watch(x)
        y = x * x
    once.gradient(y, x)
    try:
        once.gradient(y, x)
    except RuntimeError as error:
        print("asked twice:", type(error).__name__)


def several_targets():
    title("several targets, or one that is not a scalar: the gradient of the sum")
    x = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        y0 = x**2
        y1 = 1 / x
        y2 = x * [3.0, 4.0]
    print(tape.gradient(y0, x).numpy())
    print(tape.gradient(y1, x).numpy())
    print(tape.gradient({"y0": y0, "y1": y1}, x).numpy())
    print(tape.gradient(y2, x).numpy())


def elementwise():
    title("an elementwise function: the gradient of the sum is each element's derivative")
    x = tf.linspace(-10.0, 10.0, 200 + 1)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.sigmoid(x)
    dy_dx = tape.gradient(y, x)
    print(
        dy_dx.shape, "largest:", tf.reduce_max(dy_dx).numpy(), "where x = 0:", abs(x[tf.argmax(dy_dx)]).numpy() < 1e-5
    )


def control_flow():
    title("Python's own control flow: only the branch that ran is on the tape")
    x = tf.constant(1.0)
    v0 = tf.Variable(2.0)
    v1 = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        if x > 0.0:
            result = v0
        else:
            result = v1**2
    print(*tape.gradient(result, [v0, v1]))
    print(tape.gradient(result, x))

    def power(x, n):
        product = 1.0
        for i in range(n):
            if 1 < i < 5:
                product = tf.multiply(product, x)
        return product

    x = tf.convert_to_tensor(2.0)
    for n in (6, 5, 4):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = power(x, n)
        print(n, tape.gradient(y, x).numpy())


def higher_orders():
    title("a gradient taken inside a tape is itself recorded")
    x = tf.Variable(1.0)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = x * x * x
        dy_dx = inner.gradient(y, x)
    print(dy_dx.numpy(), outer.gradient(dy_dx, x).numpy())

    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.reduce_sum(x**3) + x[0] * x[1]
        gradient = inner.gradient(y, x)
    print(outer.jacobian(gradient, x).numpy().tolist())


def main():
    tf.random.set_seed(1)
    first_derivative()
    matrices_and_structures()
    a_model()
    linear_regression()
    watching()
    intermediate_results()
    persistent()
    several_targets()
    elementwise()
    control_flow()
    higher_orders()


if __name__ == "__main__":
    main()
