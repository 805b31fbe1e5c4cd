"""Fused mode computes what immediate mode computes: in the first step, the second, along a plan, and compiled."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf
from tests.engine.fused.fusing import hot, in_both_modes, pending, values
from tfgrad_jax.engine.fused import registry


def data(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def variable(*shape, seed=0, **options):
    return tf.Variable(data(*shape, seed=seed), **options)


def test_training_loop():
    def build():
        w, b, x, y = (
            variable(3, 4),
            variable(4, seed=1),
            tf.constant(data(5, 3, seed=2)),
            tf.constant(data(5, 4, seed=3)),
        )

        def step(i):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(tf.tanh(tf.matmul(x, w) + b) - y))
            for v, g in zip((w, b), tape.gradient(loss, (w, b)), strict=True):
                v.assign_sub(0.1 * g)
            return loss, w.read_value()

        return step

    losses = [r[0][1] for r in in_both_modes(build, 12)]
    assert losses[-1] < losses[0]


def test_loss_that_is_never_read():
    def build():
        w = variable(4)

        def step(i):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(w * w)
            w.assign_sub(0.1 * tape.gradient(loss, w))
            return w.read_value() if i % 3 == 2 else None

        return step

    in_both_modes(build, 12)


def test_nested_tapes():
    def build():
        x, v = variable(4), tf.constant(data(4, seed=1))

        def step(i):
            with tf.GradientTape() as outer:
                with tf.GradientTape() as inner:
                    y = tf.reduce_sum(tf.tanh(x) ** 3)
                g = inner.gradient(y, x)
            h = outer.gradient(g, x, output_gradients=v)
            x.assign_add(0.01 * h)
            return y, g, h

        return step

    in_both_modes(build)


def test_three_levels():
    def build():
        x = tf.Variable(1.5)

        def step(i):
            with tf.GradientTape() as a:
                with tf.GradientTape() as b:
                    with tf.GradientTape() as c:
                        y = x**5
                    d1 = c.gradient(y, x)
                d2 = b.gradient(d1, x)
            d3 = a.gradient(d2, x)
            x.assign_sub(0.01 * d1)
            return y, d1, d2, d3

        return step

    in_both_modes(build)


def test_persistent_tape_asked_often_and_kept():
    def build():
        x, w = variable(3), variable(3, seed=1)

        def step(i):
            with tf.GradientTape(persistent=True) as tape:
                y = x * w
                z = tf.reduce_sum(tf.exp(y))
            found = tape.gradient(z, x), tape.gradient(z, [x, w]), tape.gradient(y, w), tape.gradient(z, y)
            x.assign_sub(0.1 * found[0])
            later = tape.gradient(z, x)
            return found, later

        return step

    in_both_modes(build)


def test_persistent_tape_asked_after_its_trace_has_run():
    def build():
        x = variable(3)

        def step(i):
            with tf.GradientTape(persistent=True) as tape:
                y = x * x
                z = tf.reduce_sum(tf.sin(y))
            first = tape.gradient(z, x)
            float(z)
            second = tape.gradient(z, x)
            del tape
            x.assign_add(0.1 * second)
            return first, second

        return step

    in_both_modes(build)


def test_gradient_inside_its_own_context():
    def build():
        x = variable(3)

        def step(i):
            with tf.GradientTape(persistent=True) as tape:
                y = tf.reduce_sum(x**3)
                g = tape.gradient(y, x)
                s = tf.reduce_sum(g * g)
            h = tape.gradient(s, x)
            with tf.GradientTape() as other:
                y = tf.reduce_sum(x**2)
                g2 = other.gradient(y, x)
                x.assign_sub(0.1 * g2)
            return g, h, g2

        return step

    in_both_modes(build)


def test_stop_recording():
    def build():
        x = variable(3)

        def step(i):
            with tf.GradientTape() as tape:
                y = x * 2.0
                with tape.stop_recording():
                    k = y * 3.0
                z = y * k
            g = tape.gradient(z, [x, y, k])
            x.assign_add(0.01 * g[0])
            return g, z

        return step

    in_both_modes(build)


def test_watching_midway():
    def build():
        a, b = tf.constant(data(3)), tf.constant(data(3, seed=1))

        def step(i):
            with tf.GradientTape() as tape:
                tape.watch(a)
                c = a * b
                tape.watch(b)
                d = c * b
                tape.watch(d)
                e = d * d
            return tape.gradient(e, [a, b, c, d])

        return step

    in_both_modes(build)


def test_watching_or_not_is_not_confused():
    def build():
        a, b = tf.constant(data(3)), tf.constant(data(3, seed=1))

        def step(i):
            with tf.GradientTape(persistent=True) as tape:
                if i % 2:
                    tape.watch(a)
                if i % 3:
                    tape.watch(b)
                c = a * b
                if i % 2 == 0:
                    tape.watch(a)
                d = tf.reduce_sum(c * a)
            return tape.gradient(d, [a, b]), tape.gradient(d, a), tape.gradient(c, [b, a])

        return step

    in_both_modes(build, 13)


def test_unwatched_variables_and_tapes_that_watch_nothing_by_themselves():
    def build():
        v, w = variable(3), variable(3, seed=1, trainable=False)

        def step(i):
            with tf.GradientTape(watch_accessed_variables=False) as tape:
                tape.watch(w)
                y = tf.reduce_sum(v * w)
            return tape.gradient(y, [v, w]), [u.name for u in tape.watched_variables()]

        return step

    in_both_modes(build)


def test_two_tapes_side_by_side():
    def build():
        g, d, z, real = variable(4, 4), variable(4, seed=1), tf.constant(data(6, 4)), tf.constant(data(6, 4, seed=2))

        def score(x):
            return tf.reduce_sum(tf.tanh(x) * d, axis=1)

        def step(i):
            with tf.GradientTape() as gen, tf.GradientTape() as disc:
                made = tf.matmul(z, g)
                fake, true = score(made), score(real)
                g_loss = tf.reduce_mean(tf.square(fake - 1.0))
                d_loss = tf.reduce_mean(tf.square(fake) + tf.square(true - 1.0))
            g_grad = gen.gradient(g_loss, g)
            d_grad = disc.gradient(d_loss, d)
            g.assign_sub(0.1 * g_grad)
            d.assign_sub(0.1 * d_grad)
            return g_loss, d_loss, g_grad, d_grad

        return step

    in_both_modes(build)


def test_targets_and_sources_of_all_kinds():
    def build():
        x, free, v = tf.constant(data(3)), tf.constant(data(3, seed=1)), variable(3, seed=2)

        def step(i):
            found = []
            for targets, sources in (
                (["y", "y"], ["x"]),
                (["x"], ["x"]),
                (["free"], ["free"]),
                (["free"], ["v"]),
                (["v"], ["v"]),
                (["z", "y"], ["y", "x", "v"]),
                (["y"], ["free", "x", "x"]),
            ):
                with tf.GradientTape() as tape:
                    tape.watch(x)
                    y = x * x
                    z = tf.reduce_sum(y * v)
                known = {"x": x, "y": y, "z": z, "free": free, "v": v}
                found.append(tape.gradient([known[t] for t in targets], [known[s] for s in sources]))
            return found

        return step

    in_both_modes(build)


@pytest.mark.parametrize("unconnected", ["none", "zero"])
def test_unconnected_sources(unconnected):
    def build():
        x, other, unused = variable(3), variable(2, seed=1), tf.constant(data(3))

        def step(i):
            with tf.GradientTape() as tape:
                y = tf.reduce_sum(x * x)
                z = other * 2.0
            return tape.gradient(y, [x, other, unused], unconnected_gradients=unconnected), z

        return step

    in_both_modes(build)


def test_output_gradients_that_change():
    def build():
        x = variable(3)
        fixed = tf.constant(data(3, seed=9))

        def step(i):
            made = x * float(i)
            found = []
            for given in (fixed, tf.constant(data(3, seed=i)), made, data(3, seed=i + 1), None, 2.0):
                with tf.GradientTape() as tape:
                    y, z = x * x, x * 3.0
                found.append(tape.gradient([y, z], x, output_gradients=[given, given]))
            return found

        return step

    in_both_modes(build)


def test_slices_of_a_table():
    def build():
        table = variable(6, 3)

        def step(i):
            rows = tf.constant([i % 6, 2, 2, (i * 5) % 6])
            with tf.GradientTape() as tape:
                picked = tf.gather(table, rows)
                loss = tf.reduce_sum(picked * picked)
            g = tape.gradient(loss, table)
            table.assign_sub(0.1 * tf.convert_to_tensor(g))
            return g, loss

        return step

    assert in_both_modes(build, 8)[0][0][0] == "slices"


def test_slices_found_twice_and_mixed_with_dense():
    def build():
        table, dense = variable(6, 3), variable(6, 3, seed=1)

        def step(i):
            rows = tf.Variable([i % 6, 2], trainable=False)
            with tf.GradientTape(persistent=True) as tape:
                a = tf.gather(table, rows)
                b = tf.gather(table, [1, i % 5])
                c = tf.reduce_sum(tf.gather(dense, rows)) + tf.reduce_sum(dense)
                loss = tf.reduce_sum(a * b) + c
            return tape.gradient(loss, [table, dense])

        return step

    in_both_modes(build, 8)


def test_custom_gradient():
    def build():
        x, w = variable(3), variable(3, seed=1)

        @tf.custom_gradient
        def clipped(x):
            y = x * x

            def grad(dy, variables=None):
                return tf.clip_by_value(dy * 2.0 * x, -1.0, 1.0)

            return y, grad

        @tf.custom_gradient
        def with_variable(x):
            y = x * w

            def grad(dy, variables=None):
                return dy * w, [dy * x for _ in variables]

            return y, grad

        def step(i):
            with tf.GradientTape() as outer, tf.GradientTape() as tape:
                y = tf.reduce_sum(with_variable(clipped(x * 1.5)) * x)
            g = tape.gradient(y, [x, w])
            x.assign_sub(0.1 * g[0])
            return y, g, outer.gradient(y, x)

        return step

    in_both_modes(build)


def test_recompute_grad():
    def build():
        x, w = variable(3), variable(3, seed=1)
        block = tf.recompute_grad(lambda x: tf.tanh(x * w) * x)

        def step(i):
            with tf.GradientTape() as tape:
                y = tf.reduce_sum(block(block(x)))
            g = tape.gradient(y, [x, w])
            w.assign_sub(0.1 * g[1])
            return y, g

        return step

    in_both_modes(build)


def test_python_gradients_run_each_time():
    calls = []

    def build():
        x = variable(3)
        calls.clear()

        @tf.custom_gradient
        def f(x):
            def grad(dy):
                calls.append(1)
                return dy * float(len(calls))

            return x * 1.0, grad

        def step(i):
            with tf.GradientTape() as tape:
                y = f(x)
            return tape.gradient(y, x)

        return step

    in_both_modes(build, 5)
    assert len(calls) == 5


def test_stop_gradient():
    def build():
        x = variable(3)

        def step(i):
            with tf.GradientTape() as tape:
                y = x * tf.stop_gradient(tf.exp(x))
            g = tape.gradient(y, x)
            x.assign_sub(0.01 * g)
            return g

        return step

    in_both_modes(build)


def test_variables_assigned_inside_a_tape():
    def build():
        v, w = tf.Variable(2.0), tf.Variable(3.0)

        def step(i):
            with tf.GradientTape() as tape:
                a = v * w
                v.assign(a * 0.1)
                b = v * w
                w.assign_add(0.01)
                c = b * w
                read = v.assign_sub(0.01 * c)
                d = read * w
            return tape.gradient(d + a, [v, w]), a, b, c, d, v.read_value()

        return step

    in_both_modes(build)


def test_variables_that_share_or_swap_values():
    def build():
        a, b = variable(3), variable(3, seed=1)

        def step(i):
            old = a.read_value()
            a.assign(b)
            b.assign(old)
            with tf.GradientTape() as tape:
                y = tf.reduce_sum(a * a * b)
            ga, gb = tape.gradient(y, [a, b])
            a.assign_sub(0.1 * ga)
            b.assign(a)
            a.assign_sub(0.1 * gb)
            return a.read_value(), b.read_value(), old

        return step

    in_both_modes(build, 8)


def test_random_operations():
    def build():
        w = variable(4)
        generator = tf.random.Generator.from_seed(3) if hasattr(tf.random, "Generator") else None

        def step(i):
            with tf.GradientTape() as tape:
                noise = tf.random.normal([4]) + tf.random.uniform([4], seed=5)
                if generator is not None:
                    noise += generator.normal([4])
                loss = tf.reduce_sum(tf.nn.dropout(w * noise, 0.5))
            g = tape.gradient(loss, w)
            w.assign_sub(0.1 * g)
            return noise, g

        return step

    in_both_modes(build, 8)


def test_value_read_inside_the_tape():
    def build():
        x = variable(3)

        def step(i):
            with tf.GradientTape() as tape:
                y = x * x
                if float(tf.reduce_sum(y)) > 1.0:
                    y = y * 0.5
                z = tf.reduce_sum(y * x)
            g = tape.gradient(z, [x, y])
            x.assign_sub(0.1 * g[0])
            return z, g

        return step

    in_both_modes(build, 8)


def test_jacobians():
    def build():
        x = variable(2, 3)

        def step(i):
            with tf.GradientTape(persistent=True) as tape:
                y = tf.tanh(x) * x
            j, b = tape.jacobian(y, x), tape.batch_jacobian(y, x)
            slow = tape.jacobian(y, x, experimental_use_pfor=False)
            g = tape.gradient(y, x)
            x.assign_sub(0.1 * g)
            return j, b, slow, g

        return step

    in_both_modes(build)


def test_forward_accumulator():
    def build():
        x = variable(3)

        def step(i):
            with tf.autodiff.ForwardAccumulator(x, tf.ones([3])) as forward:
                with tf.GradientTape() as tape:
                    y = tf.reduce_sum(x**3)
                g = tape.gradient(y, x)
            return forward.jvp(g), forward.jvp(y), g

        return step

    in_both_modes(build)


def test_tape_entered_after_the_forward_pass():
    def build():
        x = tf.constant(data(3))

        def step(i):
            with tf.GradientTape() as first:
                first.watch(x)
                y = x * x * x
            with tf.GradientTape() as second:
                second.watch(x)
                g = first.gradient(y, x)
            return g, second.gradient(g, x)

        return step

    in_both_modes(build)


def test_tape_entered_again():
    def build():
        x = variable(3)

        def step(i):
            tape = tf.GradientTape(persistent=True)
            with tape:
                y = x * x
            k = y * 2.0
            with tape:
                z = y * k
            return tape.gradient(z, [x, y, k])

        return step

    in_both_modes(build)


def test_reset():
    def build():
        x = variable(3)

        def step(i):
            with tf.GradientTape() as tape:
                y = x * x
                tape.reset()
                z = x * y
            return tape.gradient(z, [x, y])

        return step

    in_both_modes(build)


def test_tape_never_asked():
    def build():
        x = variable(3)
        kept = []

        def step(i):
            with tf.GradientTape() as tape:
                y = x * x
            if i % 2:
                kept.append(tape)
            x.assign(y * 0.5)
            return y

        return step

    in_both_modes(build, 8)


def test_control_flow_that_alternates():
    def build():
        x = variable(3)

        def step(i):
            with tf.GradientTape() as tape:
                y = x
                for _ in range(i % 4):
                    y = tf.tanh(y) * 1.5
                loss = tf.reduce_sum(y * y)
            g = tape.gradient(loss, x)
            x.assign_sub(0.05 * g)
            return loss, g

        return step

    in_both_modes(build, 16)


def test_what_the_user_keeps_varies():
    def build():
        x = variable(3)
        kept = []

        def step(i):
            parts = []
            with tf.GradientTape() as tape:
                y = x
                for j in range(6):
                    y = tf.sin(y) + 0.5
                    if (i * 7 + j * j) % 5 < 2:
                        parts.append(y)
                loss = tf.reduce_sum(y)
            kept.append(parts)
            x.assign_sub(0.1 * tape.gradient(loss, x))
            return list(parts), loss

        return step

    in_both_modes(build, 30)


def test_numbers_change_without_a_new_program():
    def build():
        x = variable(3)

        def step(i):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(x * x) * (1.0 / (1 + i))
            x.assign_sub(tf.constant(0.1 / (1 + i)) * tape.gradient(loss, x))
            return loss

        return step

    in_both_modes(build, 8)
    assert any(p.uses >= 5 for p in registry.registered())


def test_integers_shapes_and_strings():
    def build():
        x = variable(4, 3)

        def step(i):
            n = tf.shape(x)[0]
            y = tf.reshape(x, [n * 3])
            count = tf.cast(tf.size(x), tf.float32)
            k = tf.constant(i) * 2 + 1
            word = tf.reshape(tf.constant(["a", "b"]), [2, 1])
            return (
                tf.reduce_sum(y) / count,
                k,
                n,
                int(n) + 1,
                [w.decode() for w in word.numpy().ravel().tolist()],
                tf.argmax(y),
            )

        return step

    in_both_modes(build)


def test_functions_inside_a_loop():
    def build():
        w = variable(3)

        @tf.function
        def loss_of(x):
            return tf.reduce_sum(tf.square(w * x))

        def step(i):
            x = tf.constant(data(3, seed=i))
            with tf.GradientTape() as tape:
                loss = loss_of(x) + tf.reduce_sum(w)
            g = tape.gradient(loss, w)
            w.assign_sub(0.1 * g)
            return loss, g

        return step

    in_both_modes(build, 8)


def test_optimizers():
    def build():
        w, x = variable(3), tf.constant(data(3, seed=1))
        adam = tf.optimizers.Adam(0.1)

        def step(i):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.square(w - x))
            adam.apply_gradients([(tape.gradient(loss, w), w)])
            return loss, w.read_value()

        return step

    in_both_modes(build, 10)


def test_exception_in_a_gradient_function():
    def build():
        x = variable(3)

        @tf.custom_gradient
        def f(x):
            def grad(dy):
                raise RuntimeError("no gradient today")

            return x * 2.0, grad

        def step(i):
            with tf.GradientTape() as tape:
                y = f(x * 1.0)
            try:
                tape.gradient(y, x)
                raised = None
            except RuntimeError as error:
                raised = str(error)
            with tf.GradientTape() as tape:
                z = x * x
            x.assign_sub(0.1 * tape.gradient(z, x))
            return raised, z, y

        return step

    assert in_both_modes(build)[0][0] == "no gradient today"


def test_exception_in_the_middle_of_a_step():
    def build():
        x = variable(3)

        def step(i):
            try:
                with tf.GradientTape() as tape:
                    y = x * 2.0
                    x.assign_add(y * 0.01)
                    if i % 2:
                        raise KeyError("data")
                    z = y * x
            except KeyError:
                return x.read_value(), None
            return x.read_value(), tape.gradient(z, x)

        return step

    in_both_modes(build, 8)


def test_modes_switched_inside_a_tape():
    def build():
        from tfgrad_jax.extras import execution

        x = variable(3)
        before = execution.__call__ if False else None
        assert before is None

        def step(i):
            with tf.GradientTape() as tape:
                y = x * x
                with execution("immediate"):
                    y = tf.sin(y)
                with execution("fused"):
                    y = y * x
                z = tf.reduce_sum(y * 2.0)
            g = tape.gradient(z, x)
            x.assign_sub(0.1 * g)
            return z, g

        return step

    in_both_modes(build)


def test_a_long_tape_runs_in_parts():
    with hot():
        x = tf.constant(1.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in range(100_000):
                y = y * 1.0
            assert pending() < 5000
        assert values(tape.gradient(y, x))[1] == 1.0
