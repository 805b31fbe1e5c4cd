"""AutoGraph: Python control flow on tensors becomes part of the graph, and errors point to the user's lines."""

from __future__ import annotations

import os

import pytest

import tfgrad_jax as tf


def test_if_while_for_with_break_continue_and_return():
    @tf.function
    def f(n):
        total = 0
        for i in tf.range(n):
            if i == 3:
                continue
            if i > 5:
                break
            total += i
        while total > 5:
            total -= 4
        if total > 3:
            return total * 10
        return total

    assert [int(f(tf.constant(n))) for n in (10, 3, 0)] == [40, 3, 0]


def test_expressions():
    @tf.function
    def f(x):
        return x > 0 and x < 5, not (x > 0), 0 < x < 5, x if x > 0 else -x, len(tf.stack([x, x])), abs(x)

    assert [v.numpy() for v in f(tf.constant(-3))] == [False, True, False, 3, 2, 3]


def test_state_of_objects_dicts_and_lists():
    @tf.function
    def f(n):
        d = {"a": tf.constant(0)}
        for i in tf.range(n):
            d["a"] += i
        return d["a"]

    assert int(f(tf.constant(4))) == 6


def test_errors_name_the_variable_and_the_users_line():
    @tf.function
    def f(x):
        if x > 0:
            y = x
        return y

    with pytest.raises(ValueError, match="'y' must also be initialized in the else branch") as caught:
        f(tf.constant(1.0))
    assert "test_autograph.py" in str(caught.value)
    assert "in user code" in str(caught.value)


def test_errors_show_the_users_lines_and_those_of_the_package_on_request():
    def inner(x):
        return tf.map_fn(lambda row: tf.Variable(row), x)

    @tf.function
    def f(x):
        return inner(x)

    def message():
        with pytest.raises(ValueError, match="in user code") as caught:
            f(tf.ones([2]))
        return str(caught.value)

    package = os.path.dirname(tf.__file__) + os.sep
    assert message().count(f'File "{__file__}"') == 2 and package not in message()
    tf.debugging.disable_traceback_filtering()
    try:
        assert package in message()
    finally:
        tf.debugging.enable_traceback_filtering()


def test_python_values_stay_python():
    @tf.function
    def f(x, flag):
        if flag:
            return [x] * 2
        return [x]

    assert len(f(tf.constant(1), True)) == 2
    assert len(f(tf.constant(1), False)) == 1


def test_unconverted():
    @tf.function(autograph=False)
    def f(x):
        return x if x > 0 else -x

    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError):
        f(tf.constant(1))
    assert "if_stmt" in tf.autograph.to_code(_with_if)


def _with_if(x):
    if x > 0:
        x = -x
    return x


def test_the_name_of_a_caught_exception():
    @tf.function
    def f(x):
        try:
            y = tf.reshape(x, [7])
        except ValueError as error:
            y = x * len(error.args)
        if y > 0:
            y = y + 1
        return y

    assert [int(f(tf.constant(n))) for n in (1, -1)] == [2, -1]


def test_a_return_in_a_loop_over_tensors_is_refused():
    @tf.function
    def f(n):
        for i in tf.range(n):
            if i > 1:
                return i
        return n

    with pytest.raises(NotImplementedError, match="return"):
        f(tf.constant(3))


def test_features_reach_the_conversion():
    @tf.function(experimental_autograph_options=tf.autograph.experimental.Feature.ASSERT_STATEMENTS)
    def f(x):
        assert x > 0, "positive"
        return x

    assert int(f(tf.constant(1))) == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match="positive"):
        f(tf.constant(-1))


def test_a_function_around_an_object(caplog):
    """`__wrapped__` may be any object: the function's own source counts."""

    def around(x):
        if x > 0:
            return x * 2
        return -x

    around.__wrapped__ = object()
    assert [int(tf.function(lambda x: around(x))(tf.constant(n))) for n in (3, -3)] == [6, 3]
    assert not caplog.records


def test_a_function_that_is_run_as_it_is_hands_on_functions_that_are_converted(caplog):
    """Of two lambdas in one line nobody knows which is meant; what `tf.map_fn` is given is converted all the same."""

    def twice_if_positive(x):
        if x > 0:
            return x * 2
        return x

    made = [lambda x: tf.map_fn(twice_if_positive, x), lambda x: tf.map_fn(twice_if_positive, x)]
    assert tf.function(made[0])(tf.constant([3, -3])).numpy().tolist() == [6, -3]
    assert "could not transform" in caplog.text


def test_a_loop_that_makes_a_variable_and_assigns_another():
    """What is recorded only to learn of which type the first one is leaves no trace, also not in the second one."""
    v = tf.Variable(1.0)

    @tf.function
    def f(iterator):
        for _ in tf.range(3):
            found = next(iterator) + v
            v.assign_add(found)
        return found + v

    assert f(iter(tf.data.Dataset.from_tensor_slices([0.0, 1.0, 2.0]))) == 19.0
    assert v == 12.0
