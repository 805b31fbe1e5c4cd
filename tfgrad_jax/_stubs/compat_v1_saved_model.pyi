"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
from tfgrad_jax._stubs import compat_v1_saved_model_builder
from tfgrad_jax._stubs import compat_v1_saved_model_constants
from tfgrad_jax._stubs import compat_v1_saved_model_loader
from tfgrad_jax._stubs import compat_v1_saved_model_signature_def_utils
from tfgrad_jax._stubs import compat_v1_saved_model_utils
from tfgrad_jax.lib.v1.saved_models import SavedModelBuilder as _Builder
builder = compat_v1_saved_model_builder
constants = compat_v1_saved_model_constants
loader = compat_v1_saved_model_loader
signature_def_utils = compat_v1_saved_model_signature_def_utils
utils = compat_v1_saved_model_utils
Builder = _Builder
LEGACY_INIT_OP_KEY: str
MAIN_OP_KEY: str
def build_signature_def(inputs: _Any = None, outputs: _Any = None, method_name: _Any = None, defaults: _Any = None) -> _Any:
    """A signature of messages that name tensors. Mirrors `tf.compat.v1.saved_model.build_signature_def`."""
def build_tensor_info(tensor: _Any) -> _Any:
    """The message that names a tensor of a graph. Mirrors `tf.compat.v1.saved_model.build_tensor_info`."""
def classification_signature_def(examples: _Any, classes: _Any, scores: _Any) -> _Any:
    """The signature of a classification of serialized examples. Mirrors `tf.compat.v1.saved_model.classification_signature_def`."""
def contains_saved_model(export_dir: _Any) -> _Any:
    """Whether a directory holds a SavedModel, by the names of its files. Mirrors `tf.saved_model.contains_saved_model`."""
def get_tensor_from_tensor_info(tensor_info: _Any, graph: _Any = None, import_scope: _Any = None) -> _Any:
    """The tensor that a message names. Mirrors `tf.compat.v1.saved_model.get_tensor_from_tensor_info`."""
def is_valid_signature(signature_def: _Any) -> _Any:
    """Whether a signature has what its method needs. Mirrors `tf.compat.v1.saved_model.is_valid_signature`."""
def load(sess: _Any, tags: _Any, export_dir: _Any, import_scope: _Any = None, **saver_kwargs: _Any) -> _Any:
    """Record the graph of a SavedModel in a session's, with the values of its variables. Mirrors `tf.compat.v1.saved_model.load`."""
def maybe_saved_model_directory(export_dir: _Any) -> _Any:
    """Whether a directory holds a SavedModel, by the names of its files. Mirrors `tf.saved_model.contains_saved_model`."""
def predict_signature_def(inputs: _Any, outputs: _Any) -> _Any:
    """The signature of a prediction. Mirrors `tf.compat.v1.saved_model.predict_signature_def`."""
def regression_signature_def(examples: _Any, predictions: _Any) -> _Any:
    """The signature of a regression of serialized examples. Mirrors `tf.compat.v1.saved_model.regression_signature_def`."""
def simple_save(session: _Any, export_dir: _Any, inputs: _Any, outputs: _Any, legacy_init_op: _Any = None) -> _Any:
    """Write a SavedModel with one signature. Mirrors `tf.compat.v1.saved_model.simple_save`."""
