"""`tf.compat.v1`: what every name has in common; what each answers is in `conformance/cases/v1_names.py`."""

import inspect

import pytest

import tfgrad_jax as tf
from tfgrad_jax.api.late import Late, late_names
from tfgrad_jax.api.v1 import OfVersion1, names_of_v1
from tfgrad_jax.api.v1_arguments import OTHER_ARGUMENTS
from tfgrad_jax.api.v1_names import EARLIER_NAMES
from tfgrad_jax.engine.names.export import registry

TODAY = {**registry, **dict(late_names())}
NAMES = names_of_v1(TODAY)


@pytest.mark.parametrize("name", sorted(OTHER_ARGUMENTS))
def test_every_row_is_the_signature_of_a_function_of_today(name):
    made = NAMES[f"compat.v1.{name}"]
    assert isinstance(made, OfVersion1)
    assert made.__name__ == name.rpartition(".")[2]
    today = TODAY[EARLIER_NAMES.get(name, name)]
    assert inspect.signature(made) != inspect.signature(today.load() if isinstance(today, Late) else today)


def test_every_earlier_name_stands_for_something():
    assert all(f"compat.v1.{name}" in NAMES for name in EARLIER_NAMES)


def test_the_tree_has_them():
    assert tf.compat.v1.nn.softmax is not tf.nn.softmax
    assert tf.compat.v1.math.add is tf.math.add
    assert tf.compat.v1.where is not tf.where


def test_what_cannot_be_said_with_todays_function_says_so():
    with pytest.raises(AttributeError, match=r"tf\.compat\.v1\.train\.SessionManager"):
        tf.compat.v1.train.SessionManager
    with pytest.raises(NotImplementedError, match="CheckpointManager"):
        tf.compat.v1.train.MonitoredSession()
    with pytest.raises(tf.errors.InvalidArgumentError, match="wrong: 7"):
        tf.compat.v1.assert_equal([1], [2], data=["wrong:", 7])
    with pytest.raises(NotImplementedError, match="partition_strategy"):
        tf.compat.v1.nn.embedding_lookup([tf.ones([2, 2]), tf.ones([2, 2])], [0])


def test_errors_name_the_function_and_its_arguments():
    with pytest.raises(TypeError, match=r"tf\.compat\.v1\.reduce_sum.*'axes'.*reduction_indices"):
        tf.compat.v1.reduce_sum([1.0], axes=0)
    with pytest.raises(ValueError, match="'axis' and 'dim'"):
        tf.compat.v1.expand_dims([1.0], axis=0, dim=0)
    with pytest.raises(TypeError, match="shape"):
        tf.compat.v1.constant([1.0, 2.0], shape=[3], verify_shape=True)
