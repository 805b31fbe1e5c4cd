"""AutoGraph: `while` and `for` over tensors and Python values, `break`, `continue`, options, and what is refused."""

# What a linter would write otherwise is the point here.
# ruff: noqa: B007, C416

from functools import partial

from conformance.helpers import derivatives, each, raises
from conformance.registry import case

looping = partial(case, "autograph/loops")
refused = partial(case, "autograph/refused")


@looping("while on a tensor")
def _(tf):
    def collatz(n):
        steps = 0
        while n != 1:
            if n % 2 == 0:
                n = n // 2
            else:
                n = n * 3 + 1
            steps += 1
        return steps

    return each(tf, collatz, 1, 6, 27)


@looping("while with several conditions")
def _(tf):
    def f(x):
        i = 0
        while x > 1.0 and i < 5:
            x = x / 2.0
            i += 1
        return x, i

    def g(x):
        while tf.reduce_sum(x) > 1:
            tf.Assert(tf.reduce_all(x >= 0.0), [x])
            x = tf.tanh(x)
        return x

    return each(tf, f, 8.0, 1000.0, 0.5), each(tf, g, [0.9, 0.8, 0.7])


@looping("for over tf.range, also with steps and backwards")
def _(tf):
    def f(n):
        total, last = 0, 0
        for i in tf.range(n):
            total += i
            last = i
        for i in tf.range(n, 0, -2):
            total += 100 * i
        return total, last

    return each(tf, f, 0, 1, 4)


@looping("for over a tensor's rows")
def _(tf):
    def f(x):
        total = tf.zeros([2])
        for row in x:
            total += row * 2.0
        return total

    return each(tf, f, [[1.0, 2.0], [3.0, 4.0]])


@looping("for over a tensor of unknown length")
def _(tf):
    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def f(x):
        total = 0.0
        for value in x:
            if value > 0.0:
                total += value
        return total

    return f(tf.constant([1.0, -1.0, 2.0])), f(tf.constant([])), f(tf.constant([5.0]))


@looping("for over Python values is unrolled")
def _(tf):
    notes = []

    @tf.function
    def f(x):
        for i in range(3):
            notes.append(i)
            x += i
        for name, value in {"a": 1, "b": 2}.items():
            notes.append(name)
            x += value
        for a, b in zip([1, 2], [3, 4], strict=True):
            x += a * b
        for k, v in enumerate((x, x)):
            x += k * v
        return x

    return f(tf.constant(1)), f(tf.constant(2)), notes


@looping("a loop over range of a Python number, with a tensor condition inside")
def _(tf):
    def f(x):
        for i in range(5):
            if x > i:
                x = x - 1
            else:
                x = x + 2
        return x

    return each(tf, f, 3, 10)


@looping("range of a tensor, and len of one")
def _(tf):
    def f(x):
        total = 0
        for i in range(len(x)):
            total += x[i]
        for i in range(x[0]):
            total += 10 * i
        return total

    return each(tf, f, [3, 1, 2], [0, 1, 2])


@looping("break")
def _(tf):
    def f(n):
        total = 0
        for i in tf.range(n):
            if i == 3:
                break
            total += i
        return total

    def g(n):
        while n > 0:
            if n % 7 == 0:
                break
            n -= 1
        return n

    return each(tf, f, 2, 10), each(tf, g, 5, 10)


@looping("continue")
def _(tf):
    def f(n):
        total = 0
        for i in tf.range(n):
            if i % 2 == 0:
                continue
            total += i
        return total

    return each(tf, f, 0, 6)


@looping("break and continue in one loop, after other statements")
def _(tf):
    def f(n):
        total, seen = 0, 0
        for i in tf.range(n):
            seen += 1
            if i % 3 == 0:
                continue
            total += i
            if total > 10:
                break
            total += 1
        return total, seen

    return each(tf, f, 3, 100)


@looping("while True with a tensor break")
def _(tf):
    def f(n):
        while True:
            n -= 3
            if n < 0:
                break
        return n

    return raises(lambda: tf.function(f)(tf.constant(10)))


@looping("while tf.constant(True) with a break")
def _(tf):
    def f(n):
        while tf.constant(True):
            n -= 3
            if n < 0:
                break
        return n

    return each(tf, f, 10, 1)


@looping("nested loops")
def _(tf):
    def f(n):
        total = 0
        for i in tf.range(n):
            for j in tf.range(i):
                if j > 2:
                    break
                total += i * j
            k = 0
            while k < i:
                k += 2
            total += k
        return total

    return each(tf, f, 0, 3, 6)


@looping("a loop that does not run leaves things as they were")
def _(tf):
    def f(n):
        x, y = 1.0, (2, [3])
        for _ in tf.range(n):
            x = x * 2.0
            y = (y[0] + 1, [y[1][0] * 2])
        return x, y

    return each(tf, f, 0, 2)


@looping("the loop's own variable after the loop")
def _(tf):
    def f(n):
        i = -1
        for i in tf.range(n):
            pass
        return i

    return each(tf, f, 0, 3)


@looping("objects and dictionaries that a loop changes")
def _(tf):
    class State:
        pass

    def f(n):
        s = State()
        s.x = 1
        d = {"k": 0.0}
        for i in tf.range(n):
            s.x = s.x * 2
            d["k"] = d["k"] + tf.cast(i, tf.float32)
        return s.x, d

    return each(tf, f, 0, 4)


@looping("an RNN: a state of fixed shape, a TensorArray of outputs")
def _(tf):
    w = tf.Variable([[0.5, -0.5], [0.25, 1.0]])

    @tf.function
    def rnn(x, state):
        outputs = tf.TensorArray(tf.float32, size=tf.shape(x)[0])
        for t in tf.range(tf.shape(x)[0]):
            state = tf.tanh(x[t] @ w + state)
            outputs = outputs.write(t, state)
        return outputs.stack(), state

    x = tf.reshape(tf.range(12.0), [3, 2, 2]) / 10.0
    with tf.GradientTape() as tape:
        outputs, state = rnn(x, tf.zeros([2, 2]))
        loss = tf.reduce_sum(outputs) + tf.reduce_sum(state)
    return outputs, state, tape.gradient(loss, w)


@looping("gradients through while and for, of first and second order")
def _(tf):
    @tf.function
    def power(x, n):
        y = 1.0
        for _ in tf.range(n):
            y = y * x
        return y

    @tf.function
    def grow(x):
        while x < 10.0:
            x = x * x
        return x

    return [derivatives(tf, f, 2.0) for f in (lambda x: power(x, tf.constant(3)), grow)]


@looping("a tape inside a loop")
def _(tf):
    @tf.function
    def descend(x, n):
        for _ in tf.range(n):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = (x - 3.0) ** 2
            x = x - 0.1 * tape.gradient(y, x)
        return x

    return descend(tf.constant(0.0), tf.constant(0)), descend(tf.constant(0.0), tf.constant(20))


@looping("a variable counts the iterations")
def _(tf):
    v = tf.Variable(0)

    @tf.function
    def f(n):
        while v < n:
            v.assign_add(2)
        return v.read_value()

    return f(tf.constant(5)), f(tf.constant(3)), v


@looping("strings and booleans in the state of a loop")
def _(tf):
    def f(n):
        flag, found = False, tf.constant(-1)
        for i in tf.range(n):
            flag = not flag
            if flag and i > 2:
                found = i
        return flag, found

    return each(tf, f, 1, 6)


@looping("set_loop_options: shape_invariants")
def _(tf):
    @tf.function
    def f(n):
        x = tf.constant([0.0])
        for i in tf.range(n):
            tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape([None]))])
            x = tf.concat([x, [tf.cast(i, tf.float32)]], 0)
        return x

    return f(tf.constant(0)), f(tf.constant(3))


@looping("set_loop_options: maximum_iterations, parallel_iterations, swap_memory")
def _(tf):
    @tf.function
    def f(n):
        x = tf.constant(0)
        while x < n:
            tf.autograph.experimental.set_loop_options(maximum_iterations=3, parallel_iterations=1, swap_memory=True)
            x += 1
        return x

    return f(tf.constant(2)), f(tf.constant(10))


@looping("a shape that changes without telling")
def _(tf):
    @tf.function
    def f(n):
        x = tf.constant([0.0])
        for i in tf.range(n):
            x = tf.concat([x, [tf.cast(i, tf.float32)]], 0)
        return x

    return raises(lambda: f(tf.constant(3)))


@looping("long loops are as short to trace as short ones")
def _(tf):
    notes = []

    @tf.function
    def f(x):
        for _ in tf.range(1000):
            notes.append("traced")
            x = (x * 13 + 7) % 1000
        return x

    return f(tf.constant(2)), len(notes) < 5


@looping("for over a Python list of tensors is unrolled, over a stacked one is not")
def _(tf):
    notes = []

    @tf.function
    def f(x):
        total = 0
        for y in [x, x + 1, x + 2]:
            notes.append("list")
            total += y
        for y in tf.stack([x, x + 1]):
            notes.append("tensor")
            total += y
        return total

    return f(tf.constant(1)), notes.count("list")


@looping("eager loops over tensors")
def _(tf):
    total = 0
    for i in tf.range(3):
        for value in tf.constant([[1, 2], [3, 4]]):
            total = total + i * value
    return total, [int(x) for x in tf.range(3)], raises(lambda: list(tf.constant(1)))


# -- refused ----------------------------------------------------------------------------------------------------------


@refused("for ... else and while ... else")
def _(tf):
    def loop(n):
        total = 0
        for i in tf.range(n):
            total += i
            if total > 3:
                break
        else:
            total = -1
        return total

    return raises(lambda: tf.function(loop)(tf.constant(2)))


@refused("return in a loop over tensors")
def _(tf):
    def find(x):
        for i in tf.range(3):
            if x[i] > 1:
                return i
        return -1

    def known(x):
        for i in range(3):
            if x[i] > 1:
                return x[i] * 10
        return x[0]

    return raises(lambda: tf.function(find)(tf.constant([1, 2, 3]))), raises(
        lambda: tf.function(known)(tf.constant([1, 2, 3]))
    )


@refused("a name that the loop defines first")
def _(tf):
    def f(n):
        for i in tf.range(n):
            y = i * 2
        return y

    def g(n):
        while n > 0:
            y = n
            n -= 1
        return y

    return raises(lambda: tf.function(f)(tf.constant(2))), raises(lambda: tf.function(g)(tf.constant(2)))


@refused("a dtype that changes")
def _(tf):
    def f(n):
        x = 0
        for i in tf.range(n):
            x = x + tf.cast(i, tf.float32)
        return x

    def g(n):
        x = 1
        while n > 0:
            x = x / 2
            n -= 1
        return x

    return raises(lambda: tf.function(f)(tf.constant(2))), raises(lambda: tf.function(g)(tf.constant(2)))


@refused("None before the loop")
def _(tf):
    def f(n):
        x = None
        for i in tf.range(n):
            x = i
        return x

    return raises(lambda: tf.function(f)(tf.constant(2)))


@refused("a structure that changes")
def _(tf):
    def f(n):
        x = (n, n)
        for i in tf.range(n):
            x = (i, i, i)
        return x

    return raises(lambda: tf.function(f)(tf.constant(2)))


@refused("list.append in a loop over tensors")
def _(tf):
    def used(n):
        items = []
        for i in tf.range(n):
            items.append(i)
        return tf.stack(items)

    return raises(lambda: tf.function(used)(tf.constant(2)))


@refused("enumerate and zip over tensors")
def _(tf):
    def counted(x):
        total = 0
        for i, value in enumerate(x):
            total += i * value
        return total

    def zipped(x):
        total = 0
        for a, b in zip(x, x):
            total += a * b
        return total

    x = tf.constant([1, 2, 3])
    return raises(lambda: tf.function(counted)(x)), raises(lambda: tf.function(zipped)(x))


@refused("a comprehension over a tensor")
def _(tf):
    x = tf.constant([1, 2, 3])
    return raises(lambda: tf.function(lambda x: [a for a in x])(x)), raises(lambda: tf.function(lambda x: sum(x))(x))


@refused("while on a float")
def _(tf):
    def f(x):
        while x:
            x -= 1
        return x

    return raises(lambda: tf.function(f)(tf.constant(2)))


@refused("iterating over a scalar")
def _(tf):
    def f(x):
        for _ in x:
            pass
        return x

    return raises(lambda: tf.function(f)(tf.constant(2)))


@refused("yield in a converted function")
def _(tf):
    def f(x):
        def numbers():
            yield x
            yield x + 1

        return tf.add_n(list(numbers()))

    return raises(lambda: tf.function(f)(tf.constant(2)))
