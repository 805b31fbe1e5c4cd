"""The protocol buffers of event files."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from tfgrad_jax.engine.names.export import export_value
from tfgrad_jax.engine.values.dtypes import as_dtype
from tfgrad_jax.lib.io.descriptors import DATA_TYPES, SHAPE, message_classes

_FILES = {
    "tensorflow/core/framework/tensor_shape.proto": SHAPE,
    "tensorflow/core/framework/tensor.proto": {
        "TensorProto": "1 dtype DataType; 2 tensor_shape TensorShapeProto; 3 version_number int32; 4 tensor_content bytes; "
        "5 float_val *float; 6 double_val *double; 7 int_val *int32; 8 string_val *bytes; 10 int64_val *int64; 11 bool_val *bool",
    },
    "tensorflow/core/framework/summary.proto": {
        "PluginData": "1 plugin_name string; 2 content bytes",
        "SummaryMetadata": "1 plugin_data PluginData; 2 display_name string; 3 summary_description string; 4 data_class int32",
        "HistogramProto": "1 min double; 2 max double; 3 num double; 4 sum double; 5 sum_squares double; "
        "6 bucket_limit *double; 7 bucket *double",
        "Image": "1 height int32; 2 width int32; 3 colorspace int32; 4 encoded_image_string bytes",
        "Audio": "1 sample_rate float; 2 num_channels int64; 3 length_frames int64; 4 encoded_audio_string bytes; "
        "5 content_type string",
        "Value": "1 tag string; 7 node_name string; 9 metadata SummaryMetadata; 2 simple_value float |value; "
        "3 obsolete_old_style_histogram bytes |value; 4 image Image |value; 5 histo HistogramProto |value; "
        "6 audio Audio |value; 8 tensor TensorProto |value",
        "Summary": "1 value *Value",
    },
    "tensorflow/core/util/event.proto": {
        "SourceMetadata": "1 writer string",
        "SessionLog": "1 status int32; 2 checkpoint_path string; 3 msg string",
        "Event": "1 wall_time double; 2 step int64; 3 file_version string |what; 4 graph_def bytes |what; 5 summary Summary |what; "
        "7 session_log SessionLog |what; 8 tagged_run_metadata TaggedRunMetadata |what; 9 meta_graph_def bytes |what; "
        "10 source_metadata SourceMetadata",
        "TaggedRunMetadata": "1 tag string; 2 run_metadata bytes",
    },
    "tensorflow/core/protobuf/config.proto": {  # graphs as the bytes that they are made of, as in events
        "FunctionGraphs": "1 partition_graphs *bytes; 2 pre_optimization_graph bytes; 3 post_optimization_graph bytes",
        "RunMetadata": "3 partition_graphs *bytes; 4 function_graphs *FunctionGraphs",
    },
}
_PUBLIC = ("Event", "HistogramProto", "RunMetadata", "SessionLog", "Summary", "SummaryMetadata")

_classes = message_classes(_FILES, "tf.summary", DATA_TYPES)
Event, RunMetadata = _classes["Event"], _classes["RunMetadata"]
Summary, SummaryMetadata, TensorProto = _classes["Summary"], _classes["SummaryMetadata"], _classes["TensorProto"]
for _name in _PUBLIC:
    _class = _classes[_name]
    _class.__module__ = __name__  # where pickle finds it
    setattr(sys.modules[__name__], _name, export_value(_class, f"compat.v1.{_name}"))
# The parts of a message, as generated code has them.
Summary.Value, Summary.Image, Summary.Audio = _classes["Value"], _classes["Image"], _classes["Audio"]
SessionLog = _classes["SessionLog"]
SessionLog.STATUS_UNSPECIFIED, SessionLog.START, SessionLog.STOP, SessionLog.CHECKPOINT = range(4)
SummaryMetadata.PluginData = _classes["PluginData"]


def tensor_message(array: Any) -> Any:
    """An array as a `TensorProto`."""
    array = np.asarray(array)
    if array.dtype.kind in "SUO":
        texts = [text.encode() if isinstance(text, str) else bytes(text) for text in array.ravel()]
        message = TensorProto(dtype=as_dtype("string").as_datatype_enum, string_val=texts)
    else:
        content = np.ascontiguousarray(array).tobytes()
        message = TensorProto(dtype=as_dtype(array.dtype).as_datatype_enum, tensor_content=content)
    message.tensor_shape.SetInParent()
    for size in array.shape:
        message.tensor_shape.dim.add(size=size)
    return message
