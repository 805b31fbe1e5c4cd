"""All public names of `tf.saved_model`: importing this module defines them."""

from __future__ import annotations

from tfgrad_jax.engine.names.export import export_value
from tfgrad_jax.lib.saved_model import assets, fingerprint, loading, options, partial, saving
from tfgrad_jax.lib.tracking import resource

__all__ = ["assets", "fingerprint", "loading", "options", "partial", "resource", "saving"]

_CONSTANTS = {
    "ASSETS_DIRECTORY": "assets",
    "ASSETS_KEY": "saved_model_assets",
    "CLASSIFY_INPUTS": "inputs",
    "CLASSIFY_METHOD_NAME": "tensorflow/serving/classify",
    "CLASSIFY_OUTPUT_CLASSES": "classes",
    "CLASSIFY_OUTPUT_SCORES": "scores",
    "DEBUG_DIRECTORY": "debug",
    "DEBUG_INFO_FILENAME_PB": "saved_model_debug_info.pb",
    "DEFAULT_SERVING_SIGNATURE_DEF_KEY": "serving_default",
    "GPU": "gpu",
    "PREDICT_INPUTS": "inputs",
    "PREDICT_METHOD_NAME": "tensorflow/serving/predict",
    "PREDICT_OUTPUTS": "outputs",
    "REGRESS_INPUTS": "inputs",
    "REGRESS_METHOD_NAME": "tensorflow/serving/regress",
    "REGRESS_OUTPUTS": "outputs",
    "SAVED_MODEL_FILENAME_PB": "saved_model.pb",
    "SAVED_MODEL_FILENAME_PBTXT": "saved_model.pbtxt",
    "SAVED_MODEL_SCHEMA_VERSION": 1,
    "SERVING": "serve",
    "TPU": "tpu",
    "TRAINING": "train",
    "VARIABLES_DIRECTORY": "variables",
    "VARIABLES_FILENAME": "variables",
}

for _name, _value in _CONSTANTS.items():
    export_value(_value, f"saved_model.{_name}")
