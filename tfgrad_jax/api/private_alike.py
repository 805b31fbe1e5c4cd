"""Private functions of TensorFlow that a public one does the work of: their modules have them under these names.

TensorFlow has a function of its own for ragged tensors, say, which its public one calls; here the public one takes them itself.
By module: `name`, or `name=public` where the two are called differently, after the room of the public names.
"""

from __future__ import annotations

_RAGGED = "python.ops.ragged."
_OLD_CELLS = {
    "python.keras.layers.legacy_rnn.rnn_cell_impl": "BasicLSTMCell BasicRNNCell GRUCell LSTMCell LSTMStateTuple LayerRNNCell "
    "MultiRNNCell RNNCell",
    "python.keras.layers.legacy_rnn.rnn_cell_wrapper_impl": "DeviceWrapper DropoutWrapper ResidualWrapper",
}
"""The recurrent cells of version 1, which Keras 2 has."""

ALIKE: dict[str, dict[str, str]] = {
    f"{_RAGGED}ragged_array_ops": {
        "": "bitcast broadcast_dynamic_shape broadcast_to dynamic_partition expand_dims fill ones ragged_one_hot=one_hot "
        "ragged_reshape=reshape rank reverse size split tile zeros",
        "compat.v1": "_ragged_expand_dims_v1=expand_dims _ragged_size_v1=size ragged_shape=shape",
    },
    f"{_RAGGED}ragged_batch_gather_ops": {"compat.v1": "batch_gather"},
    f"{_RAGGED}ragged_bincount_ops": {"math": "bincount", "sparse": "sparse_bincount=bincount"},
    f"{_RAGGED}ragged_check_ops": {"compat.v1.debugging": "assert_type"},
    f"{_RAGGED}ragged_concat_ops": {"": "concat stack"},
    f"{_RAGGED}ragged_conversion_ops": {"RaggedTensor": "from_sparse"},
    f"{_RAGGED}dynamic_ragged_shape": {"": "broadcast_dynamic_shape ones"},
    f"{_RAGGED}ragged_embedding_ops": {
        "compat.v1.nn": "embedding_lookup embedding_lookup_sparse safe_embedding_lookup_sparse"
    },
    f"{_RAGGED}ragged_gather_ops": {
        "": "gather gather_nd",
        "compat.v1": "_ragged_gather_nd_v1=gather_nd _ragged_gather_v1=gather",
    },
    f"{_RAGGED}ragged_getitem": {"__operators__": "ragged_tensor_getitem=ragged_getitem"},
    f"{_RAGGED}ragged_image_ops": {
        "image": "resize_images_v2=resize",
        "compat.v1.image": "resize_images_v1=resize",
    },
    f"{_RAGGED}ragged_math_ops": {
        "": "matmul reduce_all reduce_any reduce_max reduce_mean reduce_min reduce_prod reduce_sum",
        "math": "add_n ragged_cumsum=cumsum reduce_std reduce_variance segment_max=unsorted_segment_max "
        "segment_mean=unsorted_segment_mean segment_min=unsorted_segment_min segment_prod=unsorted_segment_prod "
        "segment_sqrt_n=unsorted_segment_sqrt_n segment_sum=unsorted_segment_sum tensor_equals=equal "
        "tensor_not_equals=not_equal",
        "nn": "dropout_v2=dropout softmax",
        "compat.v1.nn": "dropout_v1=dropout",
        "nn.experimental": "stateless_dropout",
    },
    f"{_RAGGED}ragged_squeeze_op": {"": "squeeze", "compat.v1": "_ragged_squeeze_v1=squeeze"},
    f"{_RAGGED}ragged_string_ops": {"strings": "reduce_join string_format=format string_join=join"},
    f"{_RAGGED}ragged_where_op": {"": "where_v2=where", "compat.v1": "where"},
    f"{_RAGGED}ragged_ops": {"": "RaggedTensor RaggedTensorSpec", "ragged": "constant map_flat_values range"},
    "python.data.ops.dataset_ops": {
        "data": "AUTOTUNE INFINITE=INFINITE_CARDINALITY UNKNOWN=UNKNOWN_CARDINALITY",
    },
    "python.data.experimental.ops.cardinality": {"data": "INFINITE=INFINITE_CARDINALITY UNKNOWN=UNKNOWN_CARDINALITY"},
    "python.data.experimental.ops.distribute": {"data.experimental": "SHARD_HINT"},
    "python.eager.test": {"test": "main"},
    "python.eager.context": {"": "device", "random": "set_global_seed=set_seed"},
    "python.framework.ops": {
        "experimental.numpy": "enable_numpy_style_type_promotion=experimental_enable_numpy_behavior"
    },
    "python.lib.io.file_io": {"io.gfile": "FileIO=GFile"},
    # Raw operations have these names too, with other arguments and, for `mod`, another answer.
    "python.framework.tensor_conversion": {"": "convert_to_tensor_v2=convert_to_tensor"},
    "python.ops.cond_v2": {"": "cond_v2=cond"},
    "python.ops.lookup_ops": {"lookup": "HashTable=StaticHashTable"},
    "python.ops.linalg_ops_impl": {"": "eye"},
    "python.ops.math_ops": {"math": "mod=floormod"},
    "python.ops.nn_ops": {"compat.v1.nn": "log_softmax"},
    "python.ops.string_ops": {"compat.v1": "string_split", "compat.v1.strings": "string_split_v2=split"},
    "python.ops.numpy_ops.np_arrays": {"": "convert_to_tensor"},
    "python.ops.numpy_ops.np_array_ops": {"experimental.numpy": "newaxis"},
    "python.ops.numpy_ops.np_math_ops": {"experimental.numpy": "e inf pi"},
    "python.platform.flags": {
        "compat.v1.flags": "DEFINE_bool DEFINE_boolean DEFINE_float DEFINE_integer DEFINE_string FLAGS"
    },
    "python.platform.googletest": {"test": "main", "compat.v1.test": "GetTempDir=get_temp_dir"},
    "python.platform.benchmark": {"test": "Benchmark"},
    "python.saved_model.builder_impl": {
        "compat.v1.saved_model": "SavedModelBuilder=Builder _SavedModelBuilder=Builder"
    },
    "python.saved_model.constants": {
        "saved_model": "ASSETS_DIRECTORY ASSETS_KEY DEBUG_DIRECTORY DEBUG_INFO_FILENAME_PB SAVED_MODEL_FILENAME_PB "
        "SAVED_MODEL_FILENAME_PBTXT SAVED_MODEL_SCHEMA_VERSION VARIABLES_DIRECTORY VARIABLES_FILENAME",
        "compat.v1.saved_model.constants": "LEGACY_INIT_OP_KEY MAIN_OP_KEY",
    },
    "python.saved_model.signature_constants": {
        "saved_model": "CLASSIFY_INPUTS CLASSIFY_METHOD_NAME CLASSIFY_OUTPUT_CLASSES CLASSIFY_OUTPUT_SCORES "
        "DEFAULT_SERVING_SIGNATURE_DEF_KEY PREDICT_INPUTS PREDICT_METHOD_NAME PREDICT_OUTPUTS REGRESS_INPUTS "
        "REGRESS_METHOD_NAME REGRESS_OUTPUTS"
    },
    "python.saved_model.tag_constants": {"saved_model": "GPU SERVING TPU TRAINING"},
    "python.util.compat": {"compat": "bytes_or_text_types complex_types integral_types real_types"},
    "python.ops.rnn_cell": _OLD_CELLS,
    "python.ops.rnn_cell_impl": _OLD_CELLS,
}

CONSTANTS: dict[str, dict[str, object]] = {
    "dtensor.python.layout": {"MATCH": "match", "UNSHARDED": "unsharded", "USE_XLA_SPMD": False},
    "python.data.ops.dataset_ops": {"COMPRESSION_GZIP": "GZIP", "COMPRESSION_SNAPPY": "NONE"},
    "python.data.experimental.ops.io": {"COMPRESSION_GZIP": "GZIP", "COMPRESSION_SNAPPY": "NONE"},
    "python.data.experimental.ops.snapshot": {
        "COMPRESSION_GZIP": "GZIP",
        "COMPRESSION_SNAPPY": "SNAPPY",
        "COMPRESSION_NONE": None,
    },
    "python.saved_model.constants": {
        "EXTRA_ASSETS_DIRECTORY": "assets.extra",
        "INIT_OP_SIGNATURE_KEY": "__saved_model_init_op",
        "SAVED_MODEL_FILENAME_CPB": "saved_model.cpb",
        "SAVED_MODEL_FILENAME_PREFIX": "saved_model",
        "TRAIN_OP_KEY": "saved_model_train_op",
        "TRAIN_OP_SIGNATURE_KEY": "__saved_model_train_op",
    },
    "python.saved_model.signature_constants": {
        "DEFAULT_EVAL_SIGNATURE_DEF_KEY": "eval",
        "DEFAULT_TRAIN_SIGNATURE_DEF_KEY": "train",
        "SUPERVISED_EVAL_METHOD_NAME": "tensorflow/supervised/eval",
        "SUPERVISED_TRAIN_METHOD_NAME": "tensorflow/supervised/training",
    },
    "python.saved_model.tag_constants": {"EVAL": "eval"},
    "python.trackable.constants": {
        "OBJECT_CONFIG_JSON_KEY": "OBJECT_CONFIG_JSON",
        "OBJECT_GRAPH_PROTO_KEY": "_CHECKPOINTABLE_OBJECT_GRAPH",
        "VARIABLE_VALUE_KEY": "VARIABLE_VALUE",
    },
    "python.trackable.base": {
        "OBJECT_CONFIG_JSON_KEY": "OBJECT_CONFIG_JSON",
        "OBJECT_GRAPH_PROTO_KEY": "_CHECKPOINTABLE_OBJECT_GRAPH",
        "VARIABLE_VALUE_KEY": "VARIABLE_VALUE",
    },
}
"""Plain values of private modules, most of them keys of files."""

_ELEMENTWISE = "python.ops.ragged.ragged_tensor_test_ops"

LISTS: dict[str, dict[str, str]] = {
    _ELEMENTWISE: {
        "UNARY_FLOAT_OPS": "math.abs math.acos math.acosh math.angle math.asin math.asinh math.atan math.ceil math.conj "
        "math.cos math.cosh math.digamma math.erf math.erfc math.erfcinv math.erfinv math.exp math.expm1 math.floor math.imag "
        "math.is_finite math.is_inf math.is_nan math.lgamma math.log math.log1p math.log_sigmoid math.ndtri math.negative "
        "math.real math.reciprocal math.reciprocal_no_nan math.rint math.round math.rsqrt math.sign math.sigmoid math.sin "
        "math.sinh math.softplus math.sqrt math.square math.tan math.tanh nn.elu nn.gelu nn.leaky_relu nn.log_softmax nn.relu "
        "nn.relu6 nn.selu nn.softsign nn.swish compat.v1.ones_like ones_like compat.v1.zeros_like zeros_like "
        "math.special.bessel_j0 math.special.bessel_j1 math.special.bessel_k0 math.special.bessel_k0e math.special.bessel_k1 "
        "math.special.bessel_k1e math.special.bessel_y0 math.special.bessel_y1 math.bessel_i0 math.bessel_i0e math.bessel_i1 "
        "math.bessel_i1e math.special.dawsn math.special.expint math.special.fresnel_cos math.special.fresnel_sin "
        "math.special.spence strings.as_string math.atanh",
        "UNARY_BOOL_OPS": "math.logical_not",
        "UNARY_INT_OPS": "bitwise.invert strings.unicode_script",
        "UNARY_STRING_OPS": "io.decode_base64 io.encode_base64 strings.strip strings.lower strings.upper "
        "compat.v1.strings.length strings.length io.decode_compressed",
        "BINARY_FLOAT_OPS": "math.add math.atan2 dtypes.complex compat.v1.div math.divide_no_nan math.divide math.equal "
        "compat.v1.floor_div math.floordiv math.floormod math.greater math.greater_equal math.less math.less_equal "
        "math.maximum math.minimum math.multiply math.multiply_no_nan math.not_equal math.pow realdiv "
        "math.squared_difference math.subtract math.truediv math.xdivy math.xlog1py math.xlogy math.zeta",
        "BINARY_BOOL_OPS": "math.logical_and math.logical_or math.logical_xor",
        "BINARY_INT_OPS": "bitwise.bitwise_and bitwise.bitwise_or bitwise.bitwise_xor bitwise.left_shift bitwise.right_shift "
        "truncatediv truncatemod",
        "BINARY_ASSERT_OPS": "compat.v1.assert_equal debugging.assert_equal compat.v1.assert_near debugging.assert_near "
        "compat.v1.assert_none_equal debugging.assert_none_equal compat.v1.assert_greater debugging.assert_greater "
        "compat.v1.assert_greater_equal debugging.assert_greater_equal compat.v1.assert_less debugging.assert_less "
        "compat.v1.assert_less_equal debugging.assert_less_equal",
    },
}
"""Lists of public functions that private modules have."""

_STANDARD = (
    "array_ops check_ops clip_ops confusion_matrix control_flow_assert control_flow_case control_flow_ops custom_gradient "
    "data_flow_ops functional_ops gradients histogram_ops init_ops io_ops linalg_ops lookup_ops logging_ops manip_ops map_fn "
    "math_ops numerics parsing_ops partitioned_variables random_ops script_ops sort_ops sparse_ops special_math_ops "
    "state_ops string_ops template tensor_array_ops variable_scope variables while_loop cond bincount_ops"
)

STARRED: dict[str, tuple[str, ...]] = {
    "python.ops.standard_ops": tuple(f"python.ops.{name}" for name in _STANDARD.split()),
    "python.ops.image_ops": ("python.ops.image_ops_impl",),
    "python.ops.nn": (
        "python.ops.nn_impl",
        "python.ops.nn_ops",
        "python.ops.ctc_ops",
        "python.ops.candidate_sampling_ops",
        "python.ops.embedding_ops",
    ),
}
"""Modules into which TensorFlow imports all names of others."""
