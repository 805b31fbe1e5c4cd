"""The messages of which a `saved_model.pb` consists, as far as they are read or written here."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from tfgrad_jax.lib.io.descriptors import DATA_TYPES, SHAPE, message_classes

_CHILD = "TrackableReference"

_FILES = {
    "tensorflow/tensors.proto": {
        **SHAPE,
        # A tensor's value is read and written by `ops/io/tensor_proto.py`.
        "TensorProto": "1 dtype DataType; 2 tensor_shape TensorShapeProto",
        "DtypeAndShape": "1 dtype DataType; 2 shape TensorShapeProto",
        "VersionDef": "1 producer int32; 2 min_consumer int32; 3 bad_consumers *int32",
    },
    "tensorflow/nodes.proto": {
        "NameAttrList": "1 name string; 2 attr {}AttrValue",
        "AttrList": "2 s *bytes; 3 i *int64; 4 f *float; 5 b *bool; 6 type *DataType; 7 shape *TensorShapeProto; "
        "8 tensor *TensorProto; 9 func *NameAttrList",
        "AttrValue": "1 list AttrList |value; 2 s bytes |value; 3 i int64 |value; 4 f float |value; 5 b bool |value; "
        "6 type DataType |value; 7 shape TensorShapeProto |value; 8 tensor TensorProto |value; 9 placeholder string |value; "
        "10 func NameAttrList |value",
        "NodeDef": "1 name string; 2 op string; 3 input *string; 4 device string; 5 attr {}AttrValue",
        "ArgDef": "1 name string; 3 type DataType; 4 type_attr string; 5 number_attr string; 6 type_list_attr string; "
        "7 handle_data *DtypeAndShape",
        "AttrDef": "1 name string; 2 type string; 3 default_value AttrValue",
        "OpDef": "1 name string; 2 input_arg *ArgDef; 3 output_arg *ArgDef; 4 attr *AttrDef; 17 is_stateful bool; "
        "20 control_output *string",
        "OpList": "1 op *OpDef",
    },
    "tensorflow/graph.proto": {
        "FunctionDef": "1 signature OpDef; 3 node_def *NodeDef; 4 ret {}string; 5 attr {}AttrValue; 6 control_ret {}string",
        "RegisteredGradient": "1 gradient_func string; 2 registered_op_type string",
        "FunctionDefLibrary": "1 function *FunctionDef; 3 registered_gradients *RegisteredGradient",
        "GraphDef": "1 node *NodeDef; 2 library FunctionDefLibrary; 4 versions VersionDef",
    },
    "tensorflow/structures.proto": {
        "NoneValue": "",
        "TensorSpecProto": "1 name string; 2 shape TensorShapeProto; 3 dtype DataType",
        "BoundedTensorSpecProto": "1 name string; 2 shape TensorShapeProto; 3 dtype DataType; 4 minimum TensorProto; "
        "5 maximum TensorProto",
        "TypeSpecProto": "1 type_spec_class int32; 2 type_state StructuredValue; 3 type_spec_class_name string; "
        "4 num_flat_components int32",
        "ListValue": "1 values *StructuredValue",
        "TupleValue": "1 values *StructuredValue",
        "DictValue": "1 fields {}StructuredValue",
        "PairValue": "1 key string; 2 value StructuredValue",
        "NamedTupleValue": "1 name string; 2 values *PairValue",
        "StructuredValue": "1 none_value NoneValue |kind; 11 float64_value double |kind; 12 int64_value sint64 |kind; "
        "13 string_value string |kind; 14 bool_value bool |kind; 31 tensor_shape_value TensorShapeProto |kind; "
        "32 tensor_dtype_value DataType |kind; 33 tensor_spec_value TensorSpecProto |kind; "
        "34 type_spec_value TypeSpecProto |kind; 35 bounded_tensor_spec_value BoundedTensorSpecProto |kind; "
        "51 list_value ListValue |kind; 52 tuple_value TupleValue |kind; 53 dict_value DictValue |kind; "
        "54 named_tuple_value NamedTupleValue |kind; 55 tensor_value TensorProto |kind; 56 numpy_value TensorProto |kind",
    },
    "tensorflow/objects.proto": {
        _CHILD: "1 node_id int32; 2 local_name string",
        "SlotReference": "1 original_variable_node_id int32; 2 slot_name string; 3 slot_variable_node_id int32",
        "SavedUserObject": "1 identifier string; 2 version VersionDef; 3 metadata string",
        "SavedAsset": "1 asset_file_def_index int32",
        "FunctionSpec": "1 fullargspec StructuredValue; 2 is_method bool; 5 input_signature StructuredValue; 6 jit_compile int32",
        "SavedFunction": "1 concrete_functions *string; 2 function_spec FunctionSpec",
        "SavedBareConcreteFunction": "1 concrete_function_name string; 2 argument_keywords *string; "
        "3 allowed_positional_arguments int64; 4 function_spec FunctionSpec",
        "SavedVariable": "1 dtype DataType; 2 shape TensorShapeProto; 3 trainable bool; 4 synchronization int32; "
        "5 aggregation int32; 6 name string; 7 device string",
        "SavedConstant": "1 operation string",
        "SavedResource": "1 device string",
        "CapturedTensor": "1 name string; 2 concrete_function string",
        "SaveableObject": "2 save_function int32; 3 restore_function int32",
        "SavedObject": f"1 children *{_CHILD}; 3 slot_variables *SlotReference; 4 user_object SavedUserObject |kind; "
        "5 asset SavedAsset |kind; 6 function SavedFunction |kind; 7 variable SavedVariable |kind; "
        "8 bare_concrete_function SavedBareConcreteFunction |kind; 9 constant SavedConstant |kind; "
        "10 resource SavedResource |kind; 11 saveable_objects {}SaveableObject; 12 captured_tensor CapturedTensor |kind; "
        f"13 registered_name string; 15 dependencies *{_CHILD}",
        "SavedConcreteFunction": "2 bound_inputs *int32; 3 canonicalized_input_signature StructuredValue; "
        "4 output_signature StructuredValue",
        "SavedObjectGraph": "1 nodes *SavedObject; 2 concrete_functions {}SavedConcreteFunction",
    },
    "tensorflow/checkpoint.proto": {
        "SerializedTensor": "1 name string; 2 full_name string; 3 checkpoint_key string",
        "TrackableObject": f"1 children *{_CHILD}; 2 attributes *SerializedTensor; 3 slot_variables *SlotReference",
        "TrackableObjectGraph": "1 nodes *TrackableObject",
    },
    "tensorflow/saved_model.proto": {
        "TensorInfo": "1 name string; 2 dtype DataType; 3 tensor_shape TensorShapeProto",
        "SignatureDef": "1 inputs {}TensorInfo; 2 outputs {}TensorInfo; 3 method_name string",
        "NodeList": "1 value *string",
        "BytesList": "1 value *bytes",
        "FloatList": "1 value *float",
        "Int64List": "1 value *int64",
        "Packed": "1 type_url string; 2 value bytes",  # google.protobuf.Any, whose bytes are these
        "AnyList": "1 value *Packed",
        "CollectionDef": "1 node_list NodeList |kind; 2 bytes_list BytesList |kind; 3 int64_list Int64List |kind; "
        "4 float_list FloatList |kind; 5 any_list AnyList |kind",
        "VariableDef": "1 variable_name string; 2 initializer_name string; 3 snapshot_name string; 5 is_resource bool; "
        "6 initial_value_name string; 7 trainable bool",
        "SaverDef": "1 filename_tensor_name string; 2 save_tensor_name string; 3 restore_op_name string; 4 max_to_keep int32; "
        "5 sharded bool; 6 keep_checkpoint_every_n_hours float; 7 version int32",
        "AssetFileDef": "1 tensor_info TensorInfo; 2 filename string",
        "MetaInfoDef": "1 meta_graph_version string; 2 stripped_op_list OpList; 4 tags *string; 5 tensorflow_version string; "
        "6 tensorflow_git_version string; 7 stripped_default_attrs bool; 8 function_aliases {}string",
        "MetaGraphDef": "1 meta_info_def MetaInfoDef; 2 graph_def GraphDef; 3 saver_def SaverDef; "
        "4 collection_def {}CollectionDef; 5 signature_def {}SignatureDef; 6 asset_file_def *AssetFileDef; "
        "7 object_graph_def SavedObjectGraph",
        "FingerprintDef": "1 saved_model_checksum uint64; 2 graph_def_program_hash uint64; 3 signature_def_hash uint64; "
        "4 saved_object_graph_hash uint64; 5 checkpoint_hash uint64; 6 version VersionDef; 7 uuid string",
        "SavedModel": "1 saved_model_schema_version int64; 2 meta_graphs *MetaGraphDef",
    },
}


@functools.cache
def _classes() -> Mapping[str, Any]:
    """The classes by name, made when the first message is: what saves nothing works without protobuf, such as pipelines."""
    return message_classes(_FILES, "tf.saved_model", DATA_TYPES)


def message(name: str, /, **fields: Any) -> Any:
    """A message with some of its fields set.

    Args:
      name: of its class.
      **fields: what is set.
    """
    return _classes()[name](**fields)
