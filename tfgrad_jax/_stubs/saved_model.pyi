"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
from tfgrad_jax._stubs import saved_model_experimental
from tfgrad_jax.lib.saved_model.assets import Asset as Asset
from tfgrad_jax.lib.saved_model.options import LoadOptions as LoadOptions
from tfgrad_jax.lib.saved_model.options import SaveOptions as SaveOptions
experimental = saved_model_experimental
ASSETS_DIRECTORY: str
ASSETS_KEY: str
CLASSIFY_INPUTS: str
CLASSIFY_METHOD_NAME: str
CLASSIFY_OUTPUT_CLASSES: str
CLASSIFY_OUTPUT_SCORES: str
DEBUG_DIRECTORY: str
DEBUG_INFO_FILENAME_PB: str
DEFAULT_SERVING_SIGNATURE_DEF_KEY: str
GPU: str
PREDICT_INPUTS: str
PREDICT_METHOD_NAME: str
PREDICT_OUTPUTS: str
REGRESS_INPUTS: str
REGRESS_METHOD_NAME: str
REGRESS_OUTPUTS: str
SAVED_MODEL_FILENAME_PB: str
SAVED_MODEL_FILENAME_PBTXT: str
SAVED_MODEL_SCHEMA_VERSION: int
SERVING: str
TPU: str
TRAINING: str
VARIABLES_DIRECTORY: str
VARIABLES_FILENAME: str
def contains_saved_model(export_dir: _Any) -> _Any:
    """Whether a directory holds a SavedModel, by the names of its files. Mirrors `tf.saved_model.contains_saved_model`."""
def load(export_dir: _Any, tags: _Any = None, options: _Any = None) -> _Any:
    """Load a SavedModel. Mirrors `tf.saved_model.load`."""
def save(obj: _Any, export_dir: _Any, signatures: _Any = None, options: _Any = None) -> _Any:
    """Save an object with its variables and functions. Mirrors `tf.saved_model.save`."""
