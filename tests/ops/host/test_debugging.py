"""Checks, eagerly and while a function runs; printing and Python in functions."""

from __future__ import annotations

import numpy as np
import pytest

import tfgrad_jax as tf


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "function"])
def test_assertions_about_signs_say_what_they_compare_with(wrap):
    def checked(x):
        tf.debugging.assert_positive(x, "no scale")
        return x

    wanted = r"no scale[\s\S]*Condition x > 0 did not hold element-wise:[\s\S]*-1"
    with pytest.raises(tf.errors.InvalidArgumentError, match=wanted):
        wrap(checked)(tf.constant([2.0, -1.0]))


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "function"])
def test_failed_checks(wrap):
    x = tf.constant([1.0, -1.0])
    for check in (
        lambda x: tf.debugging.assert_positive(x),
        lambda x: tf.debugging.assert_equal(x, [1.0, 1.0]),
        lambda x: tf.debugging.check_numerics(x / 0.0, "bad"),
        lambda x: tf.debugging.Assert(x[1] > 0, [x]),
    ):

        def f(x, check=check):
            check(x)
            return x

        with pytest.raises(tf.errors.InvalidArgumentError):
            wrap(f)(x)


def test_functions_without_debugging(capfd):
    def f(x):
        tf.print(x)
        tf.debugging.assert_positive(x)
        tf.debugging.check_numerics(x, "x")
        tf.debugging.Assert(x > 0.0, [x])
        return x

    optimizer = tf.config.optimizer
    optimizer.set_experimental_options({"debug_stripper": True})
    assert list(optimizer.get_experimental_options())[-3:] == [
        "debug_stripper", "disable_model_pruning", "disable_meta_optimizer",
    ]  # fmt: skip
    try:
        assert tf.function(f)(tf.constant(-float("inf"))) == -float("inf") and capfd.readouterr().err == ""
        with pytest.raises(tf.errors.InvalidArgumentError):
            f(tf.constant(-1.0))
    finally:
        optimizer.set_experimental_options({"debug_stripper": False})
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.function(f)(tf.constant(-1.0))


def test_what_is_not_finite_is_told_with_what_went_in():
    tf.debugging.enable_check_numerics()
    try:
        with pytest.raises(tf.errors.InvalidArgumentError) as found:
            tf.concat([tf.math.log([[0.0, -1.0]]), [[float("inf"), 1.0]]], 0)
        tf.concat([[float("nan")], [1.0]], 0)  # hands on what it is given
    finally:
        tf.debugging.disable_check_numerics()
    assert found.value.message.splitlines()[2:] == [
        '!!! Detected Infinity or NaN in output 0 of eagerly-executing op "Log" (# of outputs: 1) !!!',
        "  dtype: <dtype: 'float32'>",
        "  shape: (1, 2)",
        "  # of -Inf elements: 1",
        "  # of +NaN elements: 1",
        "",
        "  Input tensor: tf.Tensor([[ 0. -1.]], shape=(1, 2), dtype=float32)",
        "",
        " : Tensor had -Inf and NaN values [Op:CheckNumericsV2] name: ",
    ]


def test_printing_in_a_function(capfd):
    @tf.function
    def f(x):
        tf.print("x =", x, [x, {"a": 1}])
        return x

    f(tf.constant([1.0, 2.5]))
    f(tf.constant([3.0, 1 / 3]))
    assert (
        capfd.readouterr().err == "x = [1 2.5] [[1 2.5], {'a': 1}]\nx = [3 0.333333343] [[3 0.333333343], {'a': 1}]\n"
    )


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "function"])
def test_python_in_between_is_differentiable(wrap):
    @wrap
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.py_function(lambda a: a * a, [x], tf.float32)
        return tape.gradient(y, x)

    assert float(f(tf.constant(3.0))) == 6.0


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "function"])
def test_python_in_between_gives_zeros_where_nothing_depends_and_nothing_to_variables(wrap):
    inside = tf.Variable(4.0)

    @wrap
    def f(x, table, through_numpy):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([x, table, through_numpy])
            y, rows = tf.py_function(
                lambda a, t, n: (a * inside + np.sin(n.numpy()), tf.gather(t, [0])),
                [x, table, through_numpy],
                [tf.float32, tf.float32],
            )
            loss = y + tf.reduce_sum(rows)
        return tape.gradient(loss, [x, table, through_numpy]), tape.gradient(loss, inside) is None

    gradients, none = f(tf.constant(3.0), tf.constant([5.0, 6.0]), tf.constant(0.0))
    assert [g.numpy().tolist() for g in gradients] == [4.0, [1.0, 0.0], 0.0]
    assert none


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function], ids=["eager", "function"])
def test_a_tape_around_python_that_computes_by_numpy_gets_zeros(wrap):
    x, inside = tf.Variable([1.0, 2.0]), tf.Variable(3.0)

    @wrap
    def f(body):
        return tf.reduce_sum(tf.py_function(body, [x * 2.0], tf.float32) ** 2)

    for body, total, expected in (
        (lambda a: a.numpy() * 3.0, 180.0, [0.0, 0.0]),
        (lambda a: a * a.numpy(), 272.0, [32.0, 256.0]),
        (lambda a: a * inside, 180.0, [72.0, 144.0]),
    ):
        for _ in range(2):
            with tf.GradientTape() as tape:
                loss = f(body)
            gradient, none = tape.gradient(loss, [x, inside])
            assert loss == total and gradient.numpy().tolist() == expected and none is None


def unranked(body):
    """A function of a tensor of which not even the rank is known when it is traced."""
    return tf.function(body, autograph=False).get_concrete_function(tf.TensorSpec(None))


@pytest.mark.parametrize(
    ("check", "says"),
    [
        (lambda x: tf.debugging.assert_rank(x, 2, message="weights"), r"weights.*must have rank 2.*\[1\]"),
        (lambda x: tf.debugging.assert_rank_at_least(x, 2), "at least 2"),
        (lambda x: tf.debugging.assert_rank_in(x, [0, 2]), "must have rank in"),
    ],
)
def test_ranks_that_only_the_running_function_knows(check, says):
    def body(x):
        check(x)
        return x + 1.0

    f = unranked(body)
    assert f(tf.constant([[1.0]])).numpy().tolist() == [[2.0]]
    with pytest.raises(tf.errors.InvalidArgumentError, match=says):
        f(tf.constant([1.0]))
    with pytest.raises(ValueError, match="Expected scalar shape"):
        unranked(tf.debugging.assert_scalar)


def test_python_values_reach_numpy_functions_as_numpy_converts_them():
    seen = []
    tf.numpy_function(
        lambda *args: seen.extend(a.dtype.str for a in args) or 1.0, ["abc", 1.5, tf.constant(1.5)], tf.float32
    )
    assert seen == ["<U3", "<f8", "<f4"]


def test_same_float_dtype_of_what_has_a_dtype():
    class Distribution:
        dtype = tf.float64

    assert tf.debugging.assert_same_float_dtype([Distribution(), tf.constant(1.0, tf.float64)]) is tf.float64
    with pytest.raises(ValueError, match="must be of the same type"):
        tf.debugging.assert_same_float_dtype([Distribution(), tf.constant(1.0)])
