"""Errors that the Python code of compiled programs finds: raised by the thread that ran the program, and once."""

from __future__ import annotations

import threading

import pytest

import tfgrad_jax as tf
from tests.threads import in_threads


@tf.function
def checked(x):
    tf.debugging.assert_positive(x, message="x")
    for _ in range(8):  # long enough that the runtime calls Python on threads of its own
        x = tf.sin(x @ tf.ones([64, 64]))
        tf.debugging.assert_less(x, 2.0)
    return tf.reduce_sum(x)


def test_an_assertion_fails_in_the_thread_that_ran_it():
    good, bad = tf.ones([64, 64]), -tf.ones([64, 64])
    checked(good)
    started = threading.Barrier(4)

    def run(x):
        started.wait()
        found = []
        for _ in range(20):
            try:
                checked(x)
            except tf.errors.InvalidArgumentError:
                found.append(True)
            else:
                found.append(False)
        return found

    found = in_threads(*[lambda x=x: run(x) for x in (good, bad, good, bad)])
    assert found == [[False] * 20, [True] * 20] * 2


def test_a_failure_is_not_left_for_the_next_program():
    @tf.function
    def fails(x):
        tf.debugging.assert_positive(x)
        tf.debugging.assert_less(x, -10.0)
        return x

    with pytest.raises(tf.errors.InvalidArgumentError):
        fails(tf.constant(-1.0))
    assert float(checked(tf.ones([64, 64])).shape.rank) == 0


def test_assertions_in_branches_and_loops_find_their_thread():
    @tf.function
    def loop(n):
        i = tf.constant(0)
        while i < 10:
            if i > 5:
                tf.debugging.assert_less(i, n)
            i += 1
        return i

    loop(tf.constant(100))

    def run(n):
        outcomes = []
        for _ in range(10):
            try:
                outcomes.append(int(loop(tf.constant(n))))
            except tf.errors.InvalidArgumentError:
                outcomes.append(None)
        return outcomes

    assert in_threads(lambda: run(100), lambda: run(7)) == [[10] * 10, [None] * 10]
