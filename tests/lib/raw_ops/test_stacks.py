"""Stacks, which only raw operations have; what is given and refused is TensorFlow's."""

from __future__ import annotations

import pytest

import tfgrad_jax as tf

R = tf.raw_ops


def stack(most=5, dtype=tf.float32):
    return R.StackV2(max_size=most, elem_type=dtype, stack_name="stack")


def push(handle, element):
    return R.StackPushV2(handle=handle, elem=element)


def pop(handle, dtype=tf.float32):
    return R.StackPopV2(handle=handle, elem_type=dtype)


def test_the_last_comes_first():
    made = stack(-1)
    assert made.dtype is tf.resource and made.shape == []
    assert push(made, [1.0, 2.0]).numpy().tolist() == [1, 2] and push(made, 3.0).numpy() == 3
    assert pop(made).numpy() == 3 and pop(made).numpy().tolist() == [1, 2]
    words = stack(dtype=tf.string)
    push(words, ["a", "b"])
    assert pop(words, tf.string).numpy().tolist() == [b"a", b"b"]


def test_what_is_refused():
    made = stack(1)

    def refused(says, call):
        with pytest.raises(tf.errors.InvalidArgumentError, match=says):
            call()

    refused("is empty when calling Pop", lambda: pop(made))
    refused("Must have type float32 but got int32", lambda: push(made, 1))
    push(made, 1.0)
    refused(r"overflowed its max_size \(1\)", lambda: push(made, 1.0))
    refused("Type mismatch: actual float32 vs. expect int32", lambda: pop(made, tf.int32))
    for _ in range(2):
        R.StackCloseV2(handle=made)
    refused("has already been closed", lambda: push(made, 1.0))
    refused("and no stack", lambda: pop(tf.Variable(1.0).handle))
    refused("rank 0", lambda: stack([1, 2]))


def test_in_functions():
    outside = stack()

    @tf.function
    def turned(count, handle):
        own = stack(-1, tf.int32)
        for i in tf.range(count):
            push(own, i * i)
        found = tf.constant(0)
        for _ in tf.range(count):
            found = 3 * found + tf.reshape(pop(own, tf.int32), [])
        R.StackCloseV2(handle=own)
        push(handle, tf.cast(found, tf.float32))
        return found

    assert [turned(tf.constant(n), outside).numpy() for n in (4, 4, 2)] == [282, 282, 3]
    assert [pop(outside).numpy() for _ in range(3)] == [3, 282, 282]


def test_there_is_no_gradient():
    def ask(x):
        made = stack()
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            pushed = 3 * push(made, 2 * x)
            popped = 3 * pop(made)
        return tape, pushed, popped

    x = tf.constant(1.0)
    tape, pushed, popped = ask(x)
    assert tape.gradient(popped, x) is None
    with pytest.raises(LookupError, match="no entry for: StackPushV2"):
        tape.gradient(pushed, x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        popped = tf.function(lambda x: ask(x)[2])(x)
    assert tape.gradient(popped, x) is None
