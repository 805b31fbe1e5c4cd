"""Signatures of graphs as messages: which tensors of a graph are a SavedModel's inputs and outputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tfgrad_jax.engine.graph.func_graph import get_default_graph
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.eager import executing_eagerly
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.dtypes import DType
from tfgrad_jax.engine.values.specs import TensorSpec
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.saved_model.main_graph import tensor_info
from tfgrad_jax.lib.saved_model.protos import message

_METHOD = "tensorflow/serving/"
_ROOMS = ("compat.v1.saved_model", "compat.v1.saved_model.signature_def_utils")


def _named(name: str, *rooms: str) -> Any:
    return export(*[f"{room}.{name}" for room in rooms or _ROOMS])


@_named("build_tensor_info", "compat.v1.saved_model", "compat.v1.saved_model.utils")
def build_tensor_info(tensor: Any) -> Any:
    """The message that names a tensor of a graph. Mirrors `tf.compat.v1.saved_model.build_tensor_info`.

    Args:
      tensor: of a graph.

    Raises:
      RuntimeError: where operations run at once.
      NotImplementedError: for a composite, such as a sparse tensor.
    """
    if executing_eagerly():
        raise RuntimeError("build_tensor_info is not supported in Eager mode.")
    if not isinstance(tensor, Tensor):
        raise NotImplementedError(
            f"tf.compat.v1.saved_model.build_tensor_info of a {type(tensor).__name__}: give tensors"
        )
    named: Any = tensor
    return tensor_info(named.name, TensorSpec(tensor.shape, tensor.dtype))


@_named("get_tensor_from_tensor_info", "compat.v1.saved_model", "compat.v1.saved_model.utils")
def get_tensor_from_tensor_info(tensor_info: Any, graph: Any = None, import_scope: str | None = None) -> Any:
    """The tensor that a message names. Mirrors `tf.compat.v1.saved_model.get_tensor_from_tensor_info`.

    Args:
      tensor_info: the message.
      graph: the graph; None for the open one.
      import_scope: what the name began with when the graph was imported.

    Raises:
      KeyError: if the graph has no such tensor.
    """
    name = f"{import_scope}/{tensor_info.name}" if import_scope else tensor_info.name
    return (graph or get_default_graph()).get_tensor_by_name(name)


@_named("build_signature_def")
def build_signature_def(
    inputs: Mapping[str, Any] | None = None,
    outputs: Mapping[str, Any] | None = None,
    method_name: str | None = None,
    defaults: Any = None,
) -> Any:
    """A signature of messages that name tensors. Mirrors `tf.compat.v1.saved_model.build_signature_def`.

    Args:
      inputs: messages by the names of arguments.
      outputs: messages by the names of results.
      method_name: what the signature is for.
      defaults: not supported.

    Raises:
      NotImplementedError: for `defaults`.
    """
    if defaults:
        raise NotImplementedError("tf.compat.v1.saved_model.build_signature_def: defaults are not supported")
    made = message("SignatureDef", method_name=method_name or "")
    for part, given in ((made.inputs, inputs), (made.outputs, outputs)):
        for key, info in (given or {}).items():
            part[key].CopyFrom(info)
    return made


def _signature(method: str, inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> Any:
    infos = [{key: build_tensor_info(tensor) for key, tensor in part.items()} for part in (inputs, outputs)]
    return build_signature_def(*infos, _METHOD + method)


def _of_dtype(tensor: Any, dtype: DType, what: str) -> Any:
    if not isinstance(tensor, Tensor) or tensor.dtype is not dtype:
        raise ValueError(f"{what} must be a Tensor of dtype {dtype.name}, got {tensor!r}")
    return tensor


@_named("predict_signature_def")
def predict_signature_def(inputs: Any, outputs: Any) -> Any:
    """The signature of a prediction. Mirrors `tf.compat.v1.saved_model.predict_signature_def`.

    Args:
      inputs: tensors by the names of arguments.
      outputs: tensors by the names of results.

    Raises:
      ValueError: if one of them is empty.
    """
    if not inputs or not outputs:
        raise ValueError(f"Prediction {'outputs' if inputs else 'inputs'} cannot be None or empty.")
    return _signature("predict", inputs, outputs)


@_named("regression_signature_def")
def regression_signature_def(examples: Any, predictions: Any) -> Any:
    """The signature of a regression of serialized examples. Mirrors `tf.compat.v1.saved_model.regression_signature_def`.

    Raises:
      ValueError: unless `examples` holds strings and `predictions` float32.
    """
    inputs = {"inputs": _of_dtype(examples, dtypes.string, "Regression examples")}
    return _signature("regress", inputs, {"outputs": _of_dtype(predictions, dtypes.float32, "Regression output")})


@_named("classification_signature_def")
def classification_signature_def(examples: Any, classes: Any, scores: Any) -> Any:
    """The signature of a classification of serialized examples. Mirrors `tf.compat.v1.saved_model.classification_signature_def`.

    Raises:
      ValueError: unless `examples` and `classes` hold strings and `scores` float32, or if there is neither of the latter.
    """
    if classes is None and scores is None:
        raise ValueError("Classification: classes and scores cannot both be None.")
    inputs = {"inputs": _of_dtype(examples, dtypes.string, "Classification examples")}
    outputs = {}
    if classes is not None:
        outputs["classes"] = _of_dtype(classes, dtypes.string, "Classification classes")
    if scores is not None:
        outputs["scores"] = _of_dtype(scores, dtypes.float32, "Classification scores")
    return _signature("classify", inputs, outputs)


@_named("is_valid_signature")
def is_valid_signature(signature_def: Any) -> bool:
    """Whether a signature has what its method needs. Mirrors `tf.compat.v1.saved_model.is_valid_signature`."""
    if signature_def is None:
        return False
    text, real = dtypes.string.as_datatype_enum, dtypes.float32.as_datatype_enum
    inputs, outputs = [
        {key: info.dtype for key, info in part.items()} for part in (signature_def.inputs, signature_def.outputs)
    ]
    method = signature_def.method_name.removeprefix(_METHOD)
    if method == "predict":
        return bool(inputs and outputs)
    if method == "regress":
        return inputs == {"inputs": text} and outputs == {"outputs": real}
    allowed = {"classes": text, "scores": real}.items()
    return method == "classify" and inputs == {"inputs": text} and bool(outputs) and outputs.items() <= allowed
