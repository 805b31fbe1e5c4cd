"""`tf.compat.v1.train`'s optimizers: TensorFlow's numbers after three steps, dense and by rows; slots, checkpoints, functions."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf

T = tf.compat.v1.train

STEPS = {
    "GradientDescent": (
        lambda: T.GradientDescentOptimizer(0.1),
        [0.50399995, 1.0079999, 1.5120001],
        [[0.88473594, 1.7694718], [3.0, 4.0], [4.70596027, 5.647152]],
    ),
    "Momentum": (
        lambda: T.MomentumOptimizer(0.1, 0.9),
        [0.198, 0.39600003, 0.59399998],
        [[0.783216, 1.566432], [3.0, 4.0], [4.44855976, 5.3382721]],
    ),
    "Nesterov": (
        lambda: T.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
        [-0.023004, -0.04600799, -0.06901193],
        [[0.69985384, 1.39970767], [3.0, 4.0], [4.22264147, 5.06716967]],
    ),
    "Adam": (
        lambda: T.AdamOptimizer(0.1),
        [0.70484239, 1.70627522, 2.70674922],
        [[0.7015875, 1.7006246], [3.0, 4.0], [4.70021439, 5.70017576]],
    ),
    "Adam, other settings": (
        lambda: T.AdamOptimizer(0.1, 0.8, 0.9, 1e-3),
        [0.7046025, 1.70559883, 2.70593238],
        [[0.70360941, 1.70161855], [3.0, 4.0], [4.70097733, 5.70081043]],
    ),
    "RMSProp": (
        lambda: T.RMSPropOptimizer(0.1),
        [0.56193358, 1.36940539, 2.28065133],
        [[0.87455463, 1.76073790], [3.0, 4.0], [4.70522022, 5.65939426]],
    ),
    "RMSProp, centered": (
        lambda: T.RMSPropOptimizer(0.1, 0.8, 0.5, 1e-5, False, True),
        [0.39452258, 1.16125894, 2.06637096],
        [[0.80517717, 1.63419390], [3.0, 4.0], [4.55380297, 5.48997259]],
    ),
    "Adagrad": (
        lambda: T.AdagradOptimizer(0.1),
        [0.74202192, 1.73457241, 2.73279285],
        [[0.81486809, 1.78672731], [3.0, 4.0], [4.78048038, 5.77807236]],
    ),
    "Adadelta": (
        lambda: T.AdadeltaOptimizer(0.1),
        [0.99983001, 1.99983001, 2.99983001],
        [[0.99986434, 1.99986434], [3.0, 4.0], [4.9998641, 5.9998641]],
    ),
    "Ftrl": (
        lambda: T.FtrlOptimizer(0.1),
        [0.457311, 1.42777872, 2.42153788],
        [[0.25758478, 1.082232], [3.0, 4.0], [3.29555535, 4.2673111]],
    ),
    "Ftrl, with norms": (
        lambda: T.FtrlOptimizer(0.1, -0.4, 0.2, 0.01, 0.02),
        [0.2841194, 1.09200823, 1.9920131],
        [[0.12997136, 0.72168291], [3.0, 4.0], [2.37375402, 3.20972109]],
    ),
    "Ftrl, with shrinkage": (
        lambda: T.FtrlOptimizer(0.1, -0.5, 0.1, 0.01, 0.02, l2_shrinkage_regularization_strength=0.3),
        [0.36985439, 1.32702696, 2.31813073],
        [[0.11771032, 0.82951111], [3.0, 4.0], [2.72425914, 3.66769695]],
    ),
    "ProximalAdagrad": (
        lambda: T.ProximalAdagradOptimizer(0.1, 0.1, 0.01, 0.02),
        [0.73746407, 1.73053765, 2.72895265],
        [[0.80193067, 1.77400279], [3.0, 4.0], [4.75687504, 5.75449085]],
    ),
    "ProximalGradientDescent": (
        lambda: T.ProximalGradientDescentOptimizer(0.1, 0.01, 0.02),
        [0.49873629, 0.99972409, 1.50071263],
        [[0.87657863, 1.75602722], [3.0, 4.0], [4.67490864, 5.61047602]],
    ),
}


def variables():
    return (
        tf.Variable([1.0, 2.0, 3.0], name="v"),
        tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], name="w"),
    )


@pytest.mark.parametrize("traced", [False, True], ids=["eager", "function"])
@pytest.mark.parametrize("name", STEPS)
def test_three_steps(name, traced):
    make, dense, rows = STEPS[name]
    optimizer, (v, w) = make(), variables()

    def step(factor):
        loss = lambda: (  # noqa: E731
            tf.reduce_sum(v * v * 0.5 * factor) + tf.reduce_sum(tf.gather(w, [0, 2, 0]) ** 2) * 0.1
        )
        optimizer.minimize(loss, var_list=[v, w])

    step = tf.function(step) if traced else step
    for i in range(3):
        step(tf.constant(i + 1.0))
    np.testing.assert_allclose(v, dense, rtol=2e-6)
    np.testing.assert_allclose(w, rows, rtol=2e-6)


def test_dual_averaging():
    step, v = tf.Variable(0, dtype=tf.int64), tf.Variable([1.0, 2.0])
    optimizer = T.AdagradDAOptimizer(0.1, step)
    for _ in range(3):
        optimizer.minimize(lambda: tf.reduce_sum(v * v), global_step=step, var_list=[v])
    np.testing.assert_allclose(v, [-0.07958539, -0.08979412], rtol=1e-6)
    assert int(step) == 3


def test_slots_and_their_names():
    v, w = variables()
    first, second = T.AdamOptimizer(0.1, name="One"), T.AdamOptimizer(0.1, name="One")
    for optimizer in (first, second):
        optimizer.apply_gradients([(tf.ones([3]), v)])
    assert first.get_slot_names() == ["m", "v"]
    assert [slot.name for slot in first.variables()] == ["beta1_power:0", "beta2_power:0", "v/One:0", "v/One_1:0"]
    assert second.get_slot(v, "v").name == "v/One_3:0"
    assert not first.get_slot(v, "m").trainable
    assert first.get_slot(w, "m") is None and first.get_slot(v, "n") is None


def test_gradients_without_a_step():
    v = tf.Variable([1.0, 2.0])
    optimizer = T.GradientDescentOptimizer(lambda: 0.5)
    [(gradient, variable)] = optimizer.compute_gradients(lambda: tf.reduce_sum(v * v), grad_loss=2.0)
    assert variable is v and gradient.numpy().tolist() == [4.0, 8.0]
    assert optimizer.apply_gradients([(None, v), (tf.ones([2]), v)]) is None
    assert v.numpy().tolist() == [0.5, 1.5]


def test_a_tensor_as_loss_in_a_function():
    v, seen = tf.Variable([1.0, 2.0]), tf.Variable(0)
    optimizer = T.MomentumOptimizer(T.exponential_decay(0.1, seen, 1, 0.5), 0.9)

    @tf.function
    def step(x):
        optimizer.minimize(tf.reduce_sum(v * x), global_step=seen, var_list=[v])

    step(1.0)
    step(1.0)
    # The rate is read when a step needs it: 0.1, then 0.05 times 1.9.
    np.testing.assert_allclose(v, [0.805, 1.805], rtol=1e-6)


def test_what_is_refused():
    v, optimizer = tf.Variable([1.0]), T.GradientDescentOptimizer(0.1)
    with pytest.raises(RuntimeError, match="should be a function"):
        optimizer.minimize(tf.reduce_sum(v))
    with pytest.raises(ValueError, match="No variables provided"):
        optimizer.apply_gradients([])
    with pytest.raises(ValueError, match="No gradients provided"):
        optimizer.minimize(lambda: tf.constant(1.0), var_list=[v])
    with pytest.raises(NotImplementedError, match="update a Tensor"):
        optimizer.apply_gradients([(tf.ones([1]), tf.ones([1]))])
    with pytest.raises(NotImplementedError, match="_apply_dense"):
        T.Optimizer(False, "x").apply_gradients([(tf.ones([1]), v)])
    with pytest.raises(ValueError, match="optimizer name"):
        T.Optimizer(False, "")
    with pytest.raises(ValueError, match="l1_regularization_strength"):
        T.FtrlOptimizer(0.1, l1_regularization_strength=-1.0)


def test_an_optimizer_of_ones_own():
    class Signs(T.Optimizer):
        def _create_slots(self, var_list):
            for var in var_list:
                self._zeros_slot(var, "count", self._name)

        def _apply_dense(self, grad, var):
            self.get_slot(var, "count").assign_add(tf.ones_like(var))
            return var.assign_sub(0.5 * tf.sign(grad))

    v, optimizer = tf.Variable([1.0, -1.0]), Signs(False, "Signs")
    for _ in range(2):
        optimizer.minimize(lambda: tf.reduce_sum(v * v), var_list=[v])
    assert v.numpy().tolist() == [0.0, 0.0]
    assert optimizer.get_slot(v, "count").numpy().tolist() == [2.0, 2.0]


def test_checkpoints_have_tensorflows_keys(tmp_path):
    optimizer, v = T.AdamOptimizer(0.1), tf.Variable([1.0, 2.0])
    optimizer.apply_gradients([(tf.ones([2]), v)])
    path = tf.train.Checkpoint(opt=optimizer, v=v).write(str(tmp_path / "a"))
    assert [name for name, _ in tf.train.list_variables(path)] == [
        "_CHECKPOINTABLE_OBJECT_GRAPH",
        "opt/beta1_power/.ATTRIBUTES/VARIABLE_VALUE",
        "opt/beta2_power/.ATTRIBUTES/VARIABLE_VALUE",
        "v/.ATTRIBUTES/VARIABLE_VALUE",
        "v/.OPTIMIZER_SLOT/opt/m/.ATTRIBUTES/VARIABLE_VALUE",
        "v/.OPTIMIZER_SLOT/opt/v/.ATTRIBUTES/VARIABLE_VALUE",
    ]
    optimizer.apply_gradients([(tf.ones([2]), v)])
    expected = v.numpy()

    here, there = T.AdamOptimizer(0.1), tf.Variable([0.0, 0.0])
    status = tf.train.Checkpoint(opt=here, v=there).read(path)
    with pytest.raises(AssertionError, match="Unresolved object"):
        status.assert_consumed()
    here.apply_gradients([(tf.ones([2]), there)])  # slots are made now, and have what was saved
    status.assert_consumed()
    np.testing.assert_array_equal(there.numpy(), expected)
    tf.train.Checkpoint(opt=here, v=there).read(path).assert_consumed()
    np.testing.assert_allclose(here.get_slot(there, "m"), [0.1, 0.1], rtol=1e-6)
