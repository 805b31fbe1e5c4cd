"""What stays of a tape when exceptions, NumPy, threads and other tapes come in between."""

import threading

import numpy as np

from conformance.helpers import raises
from conformance.registry import case

AREA = "tape/recording"


@case(AREA, "an exception inside the context leaves no tape behind")
def _(tf):
    v = tf.Variable(3.0)
    left = tf.GradientTape(persistent=True)
    try:
        with left:
            _ = v * v
            raise KeyError("inside")
    except KeyError:
        pass
    after = v * 5.0
    with tf.GradientTape() as tape:
        y = v * v
    return left.gradient(after, v), tape.gradient(y, v)


@case(AREA, "what was recorded before an exception can be asked")
def _(tf):
    v = tf.Variable(3.0)
    try:
        with tf.GradientTape() as tape:
            y = v * v
            raise KeyError("inside")
    except KeyError:
        return tape.gradient(y, v)


@case(AREA, "a failing op inside the context does not disturb the tape")
def _(tf):
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = v * v
        failed = raises(lambda: v + tf.ones([3]))
        z = y * 2.0
    return failed, tape.gradient(z, v)


@case(AREA, "python control flow")
def _(tf):
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.constant(1.0)
        while y < 20.0:
            y = y * x if y < 5.0 else y + x
    return y, tape.gradient(y, x)


@case(AREA, "numpy leaves the tape")
def _(tf):
    x = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(np.mean(x * x, axis=0))
    return y, tape.gradient(y, x)


@case(AREA, "a tensor made from .numpy() is a constant")
def _(tf):
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = tf.constant(x.numpy()) * x
    return tape.gradient(y, x)


@case(AREA, "a tape does not see another thread's ops")
def _(tf):
    v = tf.Variable(3.0)
    results = {}

    def other():
        results["there"] = v * v

    with tf.GradientTape(persistent=True) as tape:
        results["here"] = v * 2.0
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    return tape.gradient(results["here"], v), tape.gradient(results["there"], v)


@case(AREA, "two threads differentiate at once")
def _(tf):
    answers = [None, None]

    def work(i):
        v = tf.Variable(float(i + 1))
        for _ in range(20):
            with tf.GradientTape() as tape:
                y = v**3
            answers[i] = tape.gradient(y, v)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


@case(AREA, "two tapes record the same ops")
def _(tf):
    v = tf.Variable(3.0)
    with tf.GradientTape() as one, tf.GradientTape() as two:
        y = v * v
    return one.gradient(y, v), two.gradient(y, v)


@case(AREA, "watching is local to one tape")
def _(tf):
    x = tf.constant(3.0)
    with tf.GradientTape() as outer, tf.GradientTape() as inner:
        inner.watch(x)
        y = x * x
    return outer.gradient(y, x), inner.gradient(y, x)


@case(AREA, "the context manager gives the tape itself")
def _(tf):
    tape = tf.GradientTape()
    with tape as same:
        pass
    return same is tape, type(tape)


@case(AREA, "Variable[...] = is not supported")
def _(tf):
    v = tf.Variable([1.0, 2.0])

    def store():
        v[0] = 5.0

    return raises(store), v
