"""Names of type specs, as libraries write them into files."""

from __future__ import annotations

import pytest

import tfgrad_jax as tf

registry = tf.python.framework.type_spec_registry


class Named(tf.experimental.ExtensionType):
    __name__ = "tests.spec_names.Named"
    part: tf.Tensor


@pytest.mark.parametrize(
    "cls", [tf.TensorSpec, tf.RaggedTensorSpec, tf.SparseTensorSpec, tf.TensorArraySpec, Named.Spec]
)
def test_names_lead_back(cls):
    name = registry.get_name(cls)
    assert registry.lookup(name) is cls
    assert name == ("tests.spec_names.Named.Spec" if cls is Named.Spec else f"tf.{cls.__name__}")


def test_a_spec_is_made_of_its_parts_again():
    for spec in (tf.RaggedTensorSpec([None, 2], tf.int32, 1), Named.Spec(part=tf.TensorSpec([1], tf.int32))):
        cls = registry.lookup(registry.get_name(type(spec)))
        assert cls._deserialize(spec._serialize()) == spec


def test_bad_names():
    with pytest.raises(ValueError, match="has not been registered"):
        registry.get_name(tf.IndexedSlicesSpec)  # TensorFlow gave it none
    with pytest.raises(ValueError, match="'nothing'"):
        registry.lookup("nothing")
    with pytest.raises(TypeError):
        registry.get_name(3)
    with pytest.raises(TypeError):
        registry.lookup(3)
    with pytest.raises(ValueError, match="already been registered"):
        registry.register("tf.TensorSpec")(tf.SparseTensorSpec)
