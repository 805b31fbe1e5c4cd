"""The steps of the tutorial on training with DTensor: data, model and spatial parallel, and a checkpoint between meshes."""

import os
import tempfile

import numpy as np

import tfgrad_jax as tf

dtensor = tf.experimental.dtensor

tf.config.set_logical_device_configuration(
    tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()] * 8
)
DEVICES = [f"CPU:{i}" for i in range(8)]
rng = np.random.default_rng(0)


class Dense(tf.Module):
    def __init__(self, input_size, output_size, init_seed, weight_layout, activation=None):
        super().__init__()
        drawn = (
            tf.random.stateless_normal((input_size, output_size), init_seed) * 0.1
        )  # laid out later: the numbers are of no layout
        whole = dtensor.copy_to_mesh(drawn, dtensor.Layout.replicated(weight_layout.mesh, 2))
        self.weight = dtensor.DVariable(dtensor.relayout(whole, weight_layout))
        self.activation = activation or (lambda x: x)
        bias_layout = weight_layout.delete([0])
        self.bias = dtensor.DVariable(dtensor.call_with_layout(tf.zeros, bias_layout, [output_size]))

    def __call__(self, x):
        y = tf.matmul(x, self.weight) + self.bias
        return self.activation(y)


class BatchNorm(tf.Module):
    def __call__(self, x, training=True):
        mean, variance = tf.nn.moments(x, axes=[0])
        return tf.nn.batch_normalization(x, mean, variance, 0.0, 1.0, 1e-5)


class MLP(tf.Module):
    def __init__(self, dense_layouts):
        super().__init__()
        self.dense1 = Dense(120, 48, (1, 2), dense_layouts[0], activation=tf.nn.relu)
        self.bn = BatchNorm()
        self.dense2 = Dense(48, 2, (3, 4), dense_layouts[1])

    def __call__(self, x):
        return self.dense2(self.bn(self.dense1(x)))


def repack_local_tensor(x, layout):
    x = tf.convert_to_tensor(x)
    sharded_dims = []
    queue = [x]
    for axis, dim in enumerate(layout.sharding_specs):
        if dim == dtensor.UNSHARDED:
            continue
        num_splits = layout.mesh.dim_size(dim)
        queue = tf.nest.map_structure(lambda x, n=num_splits, a=axis: tf.split(x, n, axis=a), queue)
        sharded_dims.append(dim)
    components = []
    for locations in layout.mesh.local_device_locations():
        t = queue[0]
        for dim in sharded_dims:
            t = t[locations[dim]]
        components.append(t)
    return dtensor.pack(components, layout)


def train_step(model, x, y, learning_rate):
    with tf.GradientTape() as tape:
        logits = model(x)
        loss = tf.reduce_sum(tf.nn.sparse_softmax_cross_entropy_with_logits(logits=logits, labels=y))
    parameters = model.trainable_variables
    gradients = tape.gradient(loss, parameters)
    for p, g in zip(parameters, gradients):
        p.assign_sub(learning_rate * g)
    loss_per_sample = loss / len(x)
    return {
        "loss": loss_per_sample,
        "accuracy": 1.0 - tf.reduce_mean(tf.cast(tf.argmax(logits, axis=-1, output_type=tf.int64) != y, tf.float32)),
    }


train_step = tf.function(train_step)
x_all = rng.random((64, 120), np.float32)
y_all = (x_all[:, 0] > 0.5).astype(np.int64)


def train(name, model, mesh, xl, yl):
    print(name)
    lr = dtensor.copy_to_mesh(tf.constant(1e-2), dtensor.Layout.replicated(mesh, 0))
    for i in range(4):
        xs = repack_local_tensor(x_all[16 * i : 16 * i + 16], xl)
        ys = repack_local_tensor(y_all[16 * i : 16 * i + 16], yl)
        results = train_step(model, xs, ys, lr)
        print({k: round(float(v.numpy()), 4) for k, v in results.items()})
    print([p.layout.sharding_specs for p in model.trainable_variables])


mesh = dtensor.create_mesh([("batch", 8)], devices=DEVICES)
model = MLP([dtensor.Layout([dtensor.UNSHARDED] * 2, mesh)] * 2)
train("data parallel", model, mesh, dtensor.Layout(["batch", dtensor.UNSHARDED], mesh), dtensor.Layout(["batch"], mesh))
mesh = dtensor.create_mesh([("batch", 4), ("model", 2)], devices=DEVICES)
model = MLP([dtensor.Layout([dtensor.UNSHARDED, "model"], mesh), dtensor.Layout(["model", dtensor.UNSHARDED], mesh)])
train(
    "model parallel", model, mesh, dtensor.Layout(["batch", dtensor.UNSHARDED], mesh), dtensor.Layout(["batch"], mesh)
)
mesh = dtensor.create_mesh([("batch", 2), ("feature", 2), ("model", 2)], devices=DEVICES)
model = MLP([dtensor.Layout(["feature", "model"], mesh), dtensor.Layout(["model", dtensor.UNSHARDED], mesh)])
train("spatial parallel", model, mesh, dtensor.Layout(["batch", "feature"], mesh), dtensor.Layout(["batch"], mesh))
ck = tf.train.Checkpoint(model=model)
path = ck.save(os.path.join(tempfile.mkdtemp(), "c"))
mesh = dtensor.create_mesh([("batch", 8)], devices=DEVICES)
other = MLP([dtensor.Layout([dtensor.UNSHARDED] * 2, mesh)] * 2)
print(type(tf.train.Checkpoint(model=other).restore(path).assert_consumed()).__name__)
print(round(float(tf.reduce_sum(other.dense1.weight).numpy()), 3))
print(other.dense1.weight.layout)
