"""`tf.train.Example` and its kin: protocol buffers whose descriptors are made here."""

from __future__ import annotations

import sys
from typing import Any

from tfgrad_jax.engine import hooks
from tfgrad_jax.engine.names.export import export_value
from tfgrad_jax.lib.io.descriptors import message_classes

_FILES = {
    "tensorflow/core/example/feature.proto": {
        "BytesList": "1 value *bytes",
        "FloatList": "1 value *float",
        "Int64List": "1 value *int64",
        "Feature": "1 bytes_list BytesList |kind; 2 float_list FloatList |kind; 3 int64_list Int64List |kind",
        "Features": "1 feature {}Feature",
        "FeatureList": "1 feature *Feature",
        "FeatureLists": "1 feature_list {}FeatureList",
    },
    "tensorflow/core/example/example.proto": {
        "Example": "1 features Features",
        "SequenceExample": "1 context Features; 2 feature_lists FeatureLists",
    },
}


_CLASSES = message_classes(_FILES, "tf.train.Example")


@hooks.described_message.fill
def described_message(name: str) -> Any:
    """The descriptor of one of them, or None."""
    found = _CLASSES.get(name.removeprefix("tensorflow.")) if name.startswith("tensorflow.") else None
    return None if found is None else found.DESCRIPTOR


for _name, _class in _CLASSES.items():
    _class.__module__ = __name__  # where pickle finds it
    setattr(sys.modules[__name__], _name, export_value(_class, f"train.{_name}"))
