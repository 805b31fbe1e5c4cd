"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
def build_signature_def(inputs: _Any = None, outputs: _Any = None, method_name: _Any = None, defaults: _Any = None) -> _Any:
    """A signature of messages that name tensors. Mirrors `tf.compat.v1.saved_model.build_signature_def`."""
def classification_signature_def(examples: _Any, classes: _Any, scores: _Any) -> _Any:
    """The signature of a classification of serialized examples. Mirrors `tf.compat.v1.saved_model.classification_signature_def`."""
def is_valid_signature(signature_def: _Any) -> _Any:
    """Whether a signature has what its method needs. Mirrors `tf.compat.v1.saved_model.is_valid_signature`."""
def predict_signature_def(inputs: _Any, outputs: _Any) -> _Any:
    """The signature of a prediction. Mirrors `tf.compat.v1.saved_model.predict_signature_def`."""
def regression_signature_def(examples: _Any, predictions: _Any) -> _Any:
    """The signature of a regression of serialized examples. Mirrors `tf.compat.v1.saved_model.regression_signature_def`."""
