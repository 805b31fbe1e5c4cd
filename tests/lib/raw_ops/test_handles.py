"""Variables that raw operations make by name; what is asked and refused is TensorFlow's."""

from __future__ import annotations

import gc
import itertools
import weakref

import numpy as np
import pytest

import tfgrad_jax as tf

R = tf.raw_ops
_names = (f"test_handles_{i}" for i in itertools.count())


def handle(value=None, shape=(), dtype=tf.float32, name=None):
    made = R.VarHandleOp(dtype=dtype, shape=shape, shared_name=next(_names) if name is None else name)
    if value is not None:
        R.AssignVariableOp(resource=made, value=tf.constant(value, dtype))
    return made


def read(resource, dtype=tf.float32):
    return R.ReadVariableOp(resource=resource, dtype=dtype).numpy()


def test_a_variable_comes_with_its_first_value():
    made = handle()
    assert made.dtype is tf.resource and made.shape == []
    assert not R.VarIsInitializedOp(resource=made)
    with pytest.raises(tf.errors.FailedPreconditionError, match="Could not find variable"):
        read(made)
    for call in (R.AssignAddVariableOp, R.AssignSubVariableOp):
        with pytest.raises(tf.errors.NotFoundError, match="does not exist"):
            call(resource=made, value=1.0)
    R.AssignVariableOp(resource=made, value=2.0)
    assert R.VarIsInitializedOp(resource=made) and read(made) == 2


def test_handles_of_one_name_are_of_one_variable():
    name = next(_names)
    handle(3.0, name=name)
    assert read(handle(name=name)) == 3
    lonely = "cd2c89b7-88b7-44c8-ad83-06c2a9158347"
    handle(3.0, name=lonely)
    assert not R.VarIsInitializedOp(resource=handle(name=lonely))


def test_updates():
    made = handle([1.0, 2.0, 3.0], [3])
    R.AssignAddVariableOp(resource=made, value=[1.0, 1.0, 1.0])
    R.ResourceScatterMul(resource=made, indices=[0], updates=[5.0])
    R.ResourceApplyGradientDescent(var=made, alpha=0.5, delta=[1.0, 1.0, 1.0])
    np.testing.assert_array_equal(read(made), [9.5, 2.5, 3.5])
    assert R.ResourceGather(resource=made, indices=[2], dtype=tf.float32).numpy() == 3.5
    assert R.VariableShape(input=made).numpy() == 3

    @tf.function
    def twice():
        R.AssignAddVariableOp(resource=made, value=[1.0, 1.0, 1.0])
        return 2 * R.ReadVariableOp(resource=made, dtype=tf.float32)

    np.testing.assert_array_equal(twice(), [21, 7, 9])


def test_shapes_and_dtypes():
    made = handle([1.0, 2.0], [2])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Expected float got int32"):
        R.AssignVariableOp(resource=made, value=1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Expected int32 got float"):
        read(made, tf.int32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="wrong shape"):
        R.AssignVariableOp(resource=made, value=[1.0, 2.0, 3.0], validate_shape=True)
    R.AssignVariableOp(resource=made, value=[1.0, 2.0, 3.0])
    np.testing.assert_array_equal(read(made), [1, 2, 3])


def test_destroyed():
    made = handle(1.0)
    R.DestroyResourceOp(resource=made)
    assert not R.VarIsInitializedOp(resource=made)
    R.DestroyResourceOp(resource=made)
    with pytest.raises(tf.errors.NotFoundError, match="does not exist"):
        R.DestroyResourceOp(resource=made, ignore_lookup_error=False)


def test_handles_of_variables():
    variable = tf.Variable(1.0)
    R.AssignVariableOp(resource=variable.handle, value=4.0)
    assert R.VarIsInitializedOp(resource=variable.handle) and read(variable.handle) == variable.numpy() == 4


def test_a_tape_watches_a_handle():
    made = handle(2.0)
    with tf.GradientTape() as tape:
        tape.watch(made)
        y = R.ReadVariableOp(resource=made, dtype=tf.float32) ** 2
    assert tape.gradient(y, made).numpy() == 4


def test_handles_are_arguments_of_functions():
    first, second = handle([1.0, 2.0], [2]), handle([5.0, 2.0], [2])
    traces = []

    @tf.function
    def more(resource):
        traces.append(resource)
        R.AssignAddVariableOp(resource=resource, value=[1.0, 1.0])
        return 2 * R.ReadVariableOp(resource=tf.identity(resource), dtype=tf.float32)

    found = [more(h).numpy().tolist() for h in (first, second, first)]
    assert found == [[4, 6], [12, 6], [6, 8]] and read(first).tolist() == [3, 4] and len(traces) == 1
    assert more.get_concrete_function(first)(second).numpy().tolist() == [14, 8] and len(traces) == 1
    variable = tf.Variable([1.0, 2.0])
    assert more(variable.handle).numpy().tolist() == [4, 6] and variable.numpy().tolist() == [2, 3]

    @tf.function
    def sums(given):
        return more(given["a"]) + R.ReadVariableOp(resource=given["b"], dtype=tf.float32)

    assert sums({"a": first, "b": second}).numpy().tolist() == [15, 14]
    assert sums({"a": second, "b": variable.handle}).numpy().tolist() == [18, 13]
    with tf.GradientTape() as tape:
        tape.watch(first)
        y = more(first)
    assert tape.gradient(y, first).numpy().tolist() == [2, 2]


def test_a_function_gives_a_handle_its_first_value():
    made = handle()

    @tf.function
    def start(resource, value):
        R.AssignVariableOp(resource=resource, value=value)

    with pytest.raises(tf.errors.NotFoundError, match="does not exist"):
        tf.function(lambda h: R.AssignAddVariableOp(resource=h, value=1.0))(made)
    for value in (1.0, 2.0):
        start(made, tf.constant(value))
        assert read(made) == value


def test_identity():
    made = handle(2.0)
    same = tf.identity(made)
    R.AssignVariableOp(resource=same, value=3.0)
    assert same.dtype is tf.resource and read(made) == read(same) == 3
    with tf.GradientTape() as tape:
        tape.watch(made)
        y = 3 * R.ReadVariableOp(resource=tf.identity(made), dtype=tf.float32)
    assert tape.gradient(y, made).numpy() == 3


def test_a_variable_that_nobody_else_has_goes_with_its_handle():
    def made():
        return R.VarHandleOp(dtype=tf.float32, shape=[2], shared_name="cd2c89b7-88b7-44c8-ad83-06c2a9158347")

    with pytest.raises(tf.errors.FailedPreconditionError, match="nothing was assigned"):
        R.ReadVariableOp(resource=made(), dtype=tf.float32)
    handle, kept = made(), made()
    for h, value in ((handle, [1.0, 2.0]), (kept, [3.0, 4.0])):
        R.AssignVariableOp(resource=h, value=value)
    variable = weakref.ref(handle.found)
    del handle, h
    gc.collect()
    assert variable() is None and R.ReadVariableOp(resource=kept, dtype=tf.float32).numpy().tolist() == [3.0, 4.0]
