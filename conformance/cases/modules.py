"""tf.Module, name scopes, and one step of each optimiser."""

from functools import partial

from conformance.helpers import raises
from conformance.registry import case

module = partial(case, "modules")
step = partial(case, "optimizers")


def make(tf):
    class Dense(tf.Module):
        def __init__(self, n_in, n_out, name=None):
            super().__init__(name=name)
            self.w = tf.Variable(tf.ones([n_in, n_out]), name="w")
            self.b = tf.Variable(tf.zeros([n_out]), name="b")

        def __call__(self, x):
            return x @ self.w + self.b

    class Net(tf.Module):
        def __init__(self, name=None):
            super().__init__(name)
            self.second = Dense(3, 1)
            self.first = Dense(2, 3)
            self.extra = {"z": [tf.Variable(1.0, name="z")], "a": (tf.Variable(2.0, name="a", trainable=False),)}
            self.step = tf.Variable(0, trainable=False, name="step")
            self.text = "not a variable"

    return Dense, Net


@module("variables in the order of attribute names, depth last")
def _(tf):
    net = make(tf)[1]()
    return (
        [v.name for v in net.variables],
        [v.name for v in net.trainable_variables],
        [v.name for v in net.non_trainable_variables],
    )


@module("the collections are tuples")
def _(tf):
    net = make(tf)[1]()
    return type(net.variables), type(net.submodules), len(net.submodules), [m.name for m in net.submodules]


@module("a shared variable counts once")
def _(tf):
    dense = make(tf)[0]
    m = tf.Module()
    m.a = dense(1, 1)
    m.b = m.a
    m.c = m.a.w
    return len(m.variables), len(m.submodules)


@module("names from the class, from the argument, and bad ones")
def _(tf):
    class BigModel(tf.Module):
        pass

    class HTTPServer2D(tf.Module):
        pass

    return (
        BigModel().name,
        BigModel("mine").name,
        HTTPServer2D().name,
        tf.Module().name,
        raises(lambda: tf.Module("not valid")),
    )


@module("name_scope and with_name_scope")
def _(tf):
    class Scoped(tf.Module):
        @tf.Module.with_name_scope
        def __call__(self):
            return tf.Variable(1.0, name="w").name

    m = Scoped("scoped")
    with m.name_scope:
        inside = tf.Variable(1.0, name="v").name
    with tf.name_scope("outer"):
        again = m()
    return m(), inside, again, m.name_scope.name


@module("an attribute can be replaced, deleted and nested")
def _(tf):
    m = tf.Module()
    m.v = tf.Variable(1.0, name="one")
    m.v = tf.Variable(2.0, name="two")
    m.deep = [{"k": (tf.Variable(3.0, name="three"), None, 5)}]
    names = [v.name for v in m.variables]
    del m.v
    return names, [v.name for v in m.variables]


@module("a module inside a list of modules trains")
def _(tf):
    dense = make(tf)[0]
    m = tf.Module()
    m.layers = [dense(2, 2), dense(2, 1)]
    with tf.GradientTape() as tape:
        y = m.layers[1](m.layers[0](tf.constant([[1.0, 2.0]])))
    return list(tape.gradient(y, m.trainable_variables))


@module("without calling super().__init__")
def _(tf):
    class Bad(tf.Module):
        def __init__(self):
            self.v = tf.Variable(1.0, name="v")

    return raises(lambda: [v.name for v in Bad().variables]), raises(lambda: Bad().name)


@module("name_scope alone")
def _(tf):
    with tf.name_scope("a") as scope:
        first = scope
        with tf.name_scope("b") as inner:
            second = inner
    return first, second, raises(lambda: tf.name_scope(3).__enter__())


@module("no_op, group, init_scope, control_dependencies and device do nothing eagerly")
def _(tf):
    x = tf.Variable(1.0)
    with tf.device("/CPU:0"), tf.init_scope(), tf.control_dependencies([x.assign(5.0)]):
        y = x + 1.0
    return y, tf.no_op(), tf.group(x), raises(lambda: tf.device(3).__enter__())


def steps(tf, optimizer):
    v, w = tf.Variable([1.0, 2.0]), tf.Variable([[3.0]])
    for _ in range(3):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(v * v) + tf.reduce_sum(w**3)
        grads = tape.gradient(loss, [v, w])
        optimizer.apply_gradients(zip(grads, [v, w], strict=True))
    return v, w


@step("SGD")
def _(tf):
    return steps(tf, tf.optimizers.SGD(0.1)), steps(tf, tf.optimizers.SGD(learning_rate=0.01))


@step("SGD with momentum")
def _(tf):
    return steps(tf, tf.optimizers.SGD(0.01, momentum=0.9)), steps(
        tf, tf.optimizers.SGD(0.01, momentum=0.9, nesterov=True)
    )


# Adam divides by the root of a squared gradient, where two correct roundings differ by a few units in the last place.
@step("Adam", rtol=2e-5)
def _(tf):
    return steps(tf, tf.optimizers.Adam(0.1)), steps(
        tf, tf.optimizers.Adam(learning_rate=0.01, beta_1=0.8, epsilon=1e-3)
    )


@step("the number of steps taken")
def _(tf):
    opt = tf.optimizers.SGD(0.1)
    steps(tf, opt)
    return int(opt.iterations), float(opt.learning_rate)
