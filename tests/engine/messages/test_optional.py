"""Packages that need not be installed."""

import pytest

from tfgrad_jax.engine.messages.optional import optional


def test_a_package_that_is_there_is_loaded():
    assert optional("json", "records", "tf.io.x").loads("1") == 1


def test_a_package_that_is_missing_is_named_with_its_extra():
    with pytest.raises(ImportError, match=r"tf\.io\.x needs the package 'no_such_package', .*tfgrad_jax\[records\]"):
        optional("no_such_package", "records", "tf.io.x")
