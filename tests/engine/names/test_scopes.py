"""Name scopes."""

from __future__ import annotations

import threading

import pytest

import tfgrad_jax as tf


def name():
    return tf.Variable(1.0, name="v").name


def test_scopes_nest():
    with tf.name_scope("a") as a:
        with tf.name_scope("b") as b:
            assert (a, b, name()) == ("a/", "a/b/", "a/b/v:0")
        assert name() == "a/v:0"
    assert name() == "v:0"


def test_a_scope_may_be_entered_twice_and_keeps_its_name():
    with tf.name_scope("a"):
        assert name() == "a/v:0"
    with tf.name_scope("a"):
        assert name() == "a/v:0"


def test_a_slash_at_the_end_means_the_whole_scope():
    with tf.name_scope("a"), tf.name_scope("x/y/") as scope:
        assert (scope, name()) == ("x/y/", "x/y/v:0")


def test_no_name_returns_to_the_top():
    with tf.name_scope("a"):
        with tf.name_scope("") as scope:
            assert (scope, name()) == ("", "v:0")
        assert name() == "a/v:0"


@pytest.mark.parametrize("wrong", [3, None, ["a"]])
def test_names_are_text(wrong):
    with pytest.raises(ValueError, match="must be a string"):
        tf.name_scope(wrong)


def test_the_scope_knows_its_name():
    assert tf.name_scope("a").name == "a"


def test_an_exception_closes_the_scope():
    with pytest.raises(KeyError), tf.name_scope("a"):
        raise KeyError
    assert name() == "v:0"


def test_threads_have_scopes_of_their_own():
    seen = []
    with tf.name_scope("a"):
        thread = threading.Thread(target=lambda: seen.append(name()))
        thread.start()
        thread.join()
        assert seen == ["v:0"] and name() == "a/v:0"
