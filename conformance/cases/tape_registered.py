"""Ops without a gradient, and gradients that a program registers."""

from conformance.helpers import in_fresh_process, raises
from conformance.registry import case

REGISTER = "tape/registered gradients"


@case(REGISTER, "an op without a gradient raises LookupError")
def _(tf):
    image, delta = tf.Variable([[[0.5, 0.0, 0.0]]]), tf.Variable(0.1)
    with tf.GradientTape() as tape:
        new = tf.image.adjust_contrast(image, delta)
    says = "gradient registry has no entry for: AdjustContrastv2"
    return new, raises(lambda: tape.gradient(new, [image, delta]), says)


@case(REGISTER, "an op without a gradient does no harm off the path")
def _(tf):
    image, w = tf.Variable([[[0.5, 0.0, 0.0]]]), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        new = tf.image.adjust_contrast(image, 0.5)
        y = w * w + tf.reduce_sum(tf.stop_gradient(new))
    return tape.gradient(y, w)


@case(REGISTER, "a name that was never registered stays unknown")
def _(tf):
    v = tf.Variable([3.0, 1.0, 3.0])
    with tf.GradientTape() as tape:
        y, _ = tf.unique(v)
    return raises(lambda: tape.gradient(y, v), "gradient registry has no entry for: Unique")


@case(REGISTER, "a gradient registered by the program serves its op")
def _(tf):
    return in_fresh_process(
        tf,
        """
        @tf.RegisterGradient("AdjustContrastv2")
        def backward(op, dy):
            return dy * op.inputs[1], tf.reduce_sum(dy * op.outputs[0])

        image, factor = tf.Variable([[[0.5, 0.25, 1.0]]]), tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = tf.image.adjust_contrast(image, factor)
        for g in tape.gradient(y, [image, factor]):
            print(g)
        """,
    )


@case(REGISTER, "registering a name twice is refused")
def _(tf):
    def again():
        tf.RegisterGradient("Sin")(lambda op, dy: dy)

    return raises(again)


@case(REGISTER, "the name must be text")
def _(tf):
    return raises(lambda: tf.RegisterGradient(3))


@case(REGISTER, "no_gradient must not hit a registered name")
def _(tf):
    return raises(lambda: tf.no_gradient("Sin")), raises(lambda: tf.no_gradient(3))
