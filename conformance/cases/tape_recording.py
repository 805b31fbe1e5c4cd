"""What a tape records: variables read, tensors watched, and when it stops."""

import numpy as np

from conformance.helpers import logged, raises
from conformance.registry import case

AREA = "tape/recording"


@case(AREA, "a trainable variable is watched by an operator")
def _(tf):
    v = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = v * v + v
    return tape.gradient(y, v)


@case(AREA, "a trainable variable is watched by an op, a conversion and its methods")
def _(tf):
    reads = {
        "square": tf.square,
        "identity": tf.identity,
        "convert": tf.convert_to_tensor,
        "read_value": lambda v: v.read_value(),
        "value": lambda v: v.value(),
        "negate": lambda v: -v,
        "index": lambda v: v[1],
        "stack": lambda v: tf.stack([v, v]),
        "matmul": lambda v: v[:, None] @ v[None, :],
    }
    answers = {}
    for name, read in reads.items():
        v = tf.Variable([3.0, 4.0])
        with tf.GradientTape() as tape:
            y = read(v)
        answers[name] = tape.gradient(y, v)
    return answers


@case(AREA, "a variable that is not trainable is not watched")
def _(tf):
    v = tf.Variable(3.0, trainable=False)
    with tf.GradientTape() as tape:
        y = v * v
    return tape.gradient(y, v), len(tape.watched_variables())


@case(AREA, "a variable that is not trainable can be watched by hand")
def _(tf):
    v = tf.Variable(3.0, trainable=False)
    with tf.GradientTape() as tape:
        tape.watch(v)
        y = v * v
    return tape.gradient(y, v), len(tape.watched_variables())


@case(AREA, "a plain tensor is not watched")
def _(tf):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    return tape.gradient(y, x)


@case(AREA, "a watched tensor has a gradient")
def _(tf):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tape.gradient(y, x)


@case(AREA, "watch_accessed_variables=False watches nothing by itself")
def _(tf):
    v, w = tf.Variable(2.0), tf.Variable(5.0)
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(w)
        y = v * w
    return tape.gradient(y, [v, w]), len(tape.watched_variables())


@case(AREA, "watch takes a nest")
def _(tf):
    nest = {"a": tf.constant(1.0), "b": [tf.constant(2.0), (tf.Variable(3.0, trainable=False),)]}
    with tf.GradientTape() as tape:
        tape.watch(nest)
        y = nest["a"] * nest["b"][0] * nest["b"][1][0]
    return tape.gradient(y, nest)


@case(AREA, "watch refuses what is neither tensor nor variable")
def _(tf):
    answers = {}
    for name, value in {"float": 1.0, "array": np.ones(2), "text": "x", "list of float": [1.0]}.items():
        with tf.GradientTape() as tape:
            answers[name] = raises(lambda value=value, tape=tape: tape.watch(value))
    return answers


@case(AREA, "watching an integer logs a warning and gives no gradient")
def _(tf):
    x = tf.constant(10)
    with logged() as lines, tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return lines, tape.gradient(y, x)


@case(AREA, "watching a floating tensor logs nothing")
def _(tf):
    with logged() as lines, tf.GradientTape() as tape:
        tape.watch([tf.constant(1.0), tf.constant(1j), tf.constant(1, tf.bfloat16)])
    return lines


@case(AREA, "watching a complex tensor gives a gradient")
def _(tf):
    x = tf.constant([1 + 2j, 3 - 1j])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.abs(x) ** 2
    return tape.gradient(y, x)


@case(AREA, "ops before watch are not recorded")
def _(tf):
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        early = x * x
        tape.watch(x)
        late = x * x
    return tape.gradient(early, x), tape.gradient(late, x)


@case(AREA, "a value read from a variable before the tape is a constant")
def _(tf):
    v = tf.Variable(3.0)
    before = v.read_value()
    with tf.GradientTape() as tape:
        y = before * before
    return tape.gradient(y, v)


@case(AREA, "watched_variables keeps the order of creation")
def _(tf):
    a, b, c = (tf.Variable(float(i), name=f"v{i}") for i in range(3))
    with tf.GradientTape() as tape:
        _ = c * a
        _ = b + c
    return [v.name for v in tape.watched_variables()]


@case(AREA, "watched_variables returns the variables themselves in a tuple")
def _(tf):
    v = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        _ = v + v
    found = tape.watched_variables()
    return type(found), found[0] is v, len(found)


@case(AREA, "an integer variable is watched and has no gradient")
def _(tf):
    v = tf.Variable([1, 2], name="counts")
    with tf.GradientTape() as tape:
        y = tf.cast(v, tf.float32) * 2.0
    return [w.name for w in tape.watched_variables()], tape.gradient(y, v)


@case(AREA, "watched_variables is empty for tensors")
def _(tf):
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        _ = x + x
    return tape.watched_variables()


@case(AREA, "stop_recording drops what runs inside it")
def _(tf):
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        with tape.stop_recording():
            z = x * y
        w = x + y
    return tape.gradient(y, x), tape.gradient(z, x), tape.gradient(w, x)


@case(AREA, "a gradient can be asked inside stop_recording")
def _(tf):
    v = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        y = v * v * v
        with tape.stop_recording():
            first = tape.gradient(y, v)
        z = v * first
    return first, tape.gradient(z, v)


@case(AREA, "stop_recording resumes after an exception inside it")
def _(tf):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        try:
            with tape.stop_recording():
                raise KeyError("inside")
        except KeyError:
            pass
        y = x * x
    return tape.gradient(y, x)


@case(AREA, "stop_recording outside the context is refused")
def _(tf):
    tape = tf.GradientTape()

    def stop():
        with tape.stop_recording():
            pass

    return raises(stop)


@case(AREA, "reset forgets what was recorded and watched")
def _(tf):
    x, v = tf.constant(3.0), tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        early = x * v
        tape.reset()
        late = x * v
    return tape.gradient(early, [x, v]), tape.gradient(late, [x, v]), len(tape.watched_variables())


@case(AREA, "reset outside the context is refused")
def _(tf):
    return raises(tf.GradientTape().reset)


@case(AREA, "re-entering a recording tape is refused")
def _(tf):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)

        def enter():
            with tape:
                pass

        answer = raises(enter)
        y = x * x
    return answer, tape.gradient(y, x)


@case(AREA, "a tape entered again keeps recording")
def _(tf):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    outside = y + 0.0
    with tape:
        z = y * y
        z += outside
    return tape.gradient(z, x)


@case(AREA, "ops between two contexts of one tape are not recorded")
def _(tf):
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    z = y * y
    with tape:
        w = z * 2.0
    return tape.gradient(w, x)
