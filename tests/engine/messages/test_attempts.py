"""Attempts that may fail: JAX's setting is as it was before, whoever else attempts something meanwhile."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import pytest

import tfgrad_jax as tf
from tfgrad_jax.engine.messages.attempts import attempt


def _filtering():
    return jax.config.jax_traceback_filtering


def test_the_setting_comes_back():
    before = _filtering()
    first, second = attempt(), attempt()
    with pytest.raises(ValueError, match="no"), first:
        assert _filtering() == "off"
        second.__enter__()  # which ends after the first
        raise ValueError("no")
    assert _filtering() == "off"
    second.__exit__(None, None, None)
    assert _filtering() == before


def test_sizes_that_must_be_tried_leave_it():
    before = _filtering()
    function = tf.function(
        lambda x: tf.linalg.diag_part(tf.reshape(x, [2, -1, 3])), input_signature=[tf.TensorSpec([None])]
    )
    assert function(tf.range(12.0)).shape == (2, 2)
    assert _filtering() == before


def test_errors_say_nothing_of_jax():
    with pytest.raises(tf.errors.InvalidArgumentError) as raised:
        tf.matmul(tf.ones([2, 3]), tf.ones([2, 4])).numpy()
    assert "JAX" not in "".join([str(raised.value), *getattr(raised.value, "__notes__", ())])
    with pytest.raises(TypeError) as jax_own:  # what a program asks of JAX itself is left alone
        jnp.zeros(3) @ jnp.zeros(4)
    assert any("JAX" in note for note in getattr(jax_own.value, "__notes__", ["JAX"]))
