"""The steps of the guide to DTensor: meshes, layouts, what is computed with tensors on them, variables."""

import tfgrad_jax as tf

dtensor = tf.experimental.dtensor

print(dtensor.num_clients())


def configure_virtual_cpus(ncpu):
    phy_devices = tf.config.list_physical_devices("CPU")
    tf.config.set_logical_device_configuration(phy_devices[0], [tf.config.LogicalDeviceConfiguration()] * ncpu)


configure_virtual_cpus(6)
DEVICES = [f"CPU:{i}" for i in range(6)]
print(len(tf.config.list_logical_devices("CPU")))
mesh_1d = dtensor.create_mesh([("x", 6)], devices=DEVICES)
print(mesh_1d)
mesh_2d = dtensor.create_mesh([("x", 3), ("y", 2)], devices=DEVICES)
print(mesh_2d)
print(dtensor.Layout([dtensor.UNSHARDED, dtensor.UNSHARDED], mesh_1d))
print(repr(dtensor.Layout(["x", dtensor.UNSHARDED], mesh_2d)), str(dtensor.Layout(["x", "y"], mesh_2d)))


def dtensor_from_array(arr, layout, shape=None, dtype=None):
    if shape is not None or dtype is not None:
        arr = tf.constant(arr, shape=shape, dtype=dtype)
    a = tf.constant(arr)
    a = dtensor.copy_to_mesh(a, layout=dtensor.Layout.replicated(layout.mesh, rank=layout.rank))
    return dtensor.relayout(a, layout=layout)


mesh = dtensor.create_mesh([("x", 6)], devices=DEVICES)
layout = dtensor.Layout([dtensor.UNSHARDED], mesh)
my_first_dtensor = dtensor_from_array([0, 1], layout)
print(my_first_dtensor)
print(repr(my_first_dtensor))
print(dtensor.fetch_layout(my_first_dtensor))
assert layout == dtensor.fetch_layout(my_first_dtensor)
for component_tensor in dtensor.unpack(my_first_dtensor):
    print("Device:", component_tensor.device, ",", component_tensor)
packed = dtensor.pack(
    [[0, 1], [0, 1], [0, 1], [0, 1], [0, 1], [0, 1]], layout=dtensor.Layout([dtensor.UNSHARDED], mesh)
)
print(packed)
mesh = dtensor.create_mesh([("x", 3), ("y", 2)], devices=DEVICES)
for specs in ([dtensor.UNSHARDED, dtensor.UNSHARDED], ["x", dtensor.UNSHARDED], ["x", "y"], [dtensor.UNSHARDED, "y"]):
    t = dtensor_from_array(tf.reshape(tf.range(12), (3, 4)), dtensor.Layout(specs, mesh))
    print(t)
    for c in dtensor.unpack(t):
        print("Device:", c.device, ",", c)
full = dtensor_from_array(tf.reshape(tf.range(6), (3, 2)), dtensor.Layout(["x", "y"], mesh))
rep = dtensor_from_array(tf.reshape(tf.range(6), (3, 2)), dtensor.Layout(["unsharded"] * 2, mesh))
print(rep.numpy())
a = dtensor_from_array([[1.0, 2, 3], [4, 5, 6]], dtensor.Layout([dtensor.UNSHARDED, "x"], mesh_2d))
b = dtensor_from_array([[6, 5], [4, 3], [2, 1.0]], dtensor.Layout(["x", dtensor.UNSHARDED], mesh_2d))
c = tf.matmul(a, b)
print(c)
print("Sharding spec:", dtensor.fetch_layout(c).sharding_specs)
for ct in dtensor.unpack(c):
    print("Device:", ct.device, ",", ct.numpy())
m3 = dtensor.create_mesh([("x", 3), ("y", 2)], devices=DEVICES)
a = dtensor_from_array([[1.0, 2, 3], [4, 5, 6], [7, 8, 9]], dtensor.Layout(["x", dtensor.UNSHARDED], m3))
b = dtensor_from_array([[1.0, 2, 3, 4]] * 3, dtensor.Layout([dtensor.UNSHARDED, "y"], m3))
c = tf.matmul(a, b)
print(c)
print(dtensor.fetch_layout(c).sharding_specs)


@tf.function
def f(a, b, c):
    return tf.matmul(a, b) + c


c2 = f(a, b, dtensor_from_array([1.0, 2, 3, 4], dtensor.Layout([dtensor.UNSHARDED], m3)))
print(c2, dtensor.fetch_layout(c2).sharding_specs)


@tf.function
def g(a, b):
    c = tf.matmul(a, b)
    return dtensor.relayout(c, dtensor.Layout.replicated(m3, 2))


print(g(a, b))
print(dtensor.call_with_layout(tf.ones, dtensor.Layout(["x", "y"], m3), shape=(3, 2)))
with dtensor.default_mesh(m3):
    q = tf.ones([3, 3])
    print(q)
v = dtensor.DVariable(initial_value=dtensor_from_array([0.0, 1.0], dtensor.Layout([dtensor.UNSHARDED], m3)))
print(v.layout)
print(repr(v), v)
w = dtensor.DVariable(dtensor_from_array([[0.0, 1.0]] * 3, dtensor.Layout(["x", "y"], m3)), name="w")
print(w)
a = dtensor_from_array([0.0, 1.0], dtensor.Layout([dtensor.UNSHARDED], m3))
b = v + a
print(b)
v.assign(a)
print(a)
v.assign(dtensor_from_array([1.0, 2.0], dtensor.Layout([dtensor.UNSHARDED], m3)))
print(v)
new = dtensor_from_array([1.0, 2.0], dtensor.Layout(["y"], m3))
v.assign(new)
print(v)
x = dtensor_from_array(tf.range(100.0), dtensor.Layout(["y"], m3))
print(x)
y = dtensor_from_array(tf.range(100.0), dtensor.Layout(["unsharded"], m3))
print(y)
s = dtensor_from_array(3.0, dtensor.Layout([], m3))
print(s, repr(s))
print(f"{s}")
print(tf.reduce_sum(x))
