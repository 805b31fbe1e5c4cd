"""Which names of today's tree `tf.compat.v1` has, and under which other names."""

from __future__ import annotations

MISSING_IN_V1 = {
    "errors.OperatorNotAllowedInGraphError", "image.resize_with_pad", "inside_function", "linalg.eig",
    "linalg.eigvals", "nn.batch_to_space", "nn.gelu", "random.set_seed", "distribute.MultiWorkerMirroredStrategy",
    "distribute.ParameterServerStrategy", "distribute.TPUStrategy", "distribute.experimental.ValueContext",
    "initializers", "losses", "metrics", "optimizers",
}  # fmt: skip
"""Names that only today's tree has."""

DIFFERENT_IN_V1 = {
    "DeviceSpec", "Variable", "autograph.to_code", "autograph.to_graph", "constant_initializer",
    "distribute.MirroredStrategy", "distribute.OneDeviceStrategy", "distribute.ReplicaContext", "distribute.Strategy",
    "distribute.StrategyExtended", "image.ResizeMethod", "image.resize", "ones_initializer", "random_normal_initializer",
    "random_uniform_initializer", "zeros_initializer",
}  # fmt: skip
"""Names that are something else in version 1 than a function of today with other arguments."""

EARLIER_NAMES = {
    **{name: f"debugging.{name}" for name in (
        "assert_greater_equal", "assert_integer", "assert_less_equal", "assert_near", "assert_negative",
        "assert_non_negative", "assert_non_positive", "assert_none_equal", "assert_positive", "assert_proper_iterable",
        "assert_rank_at_least", "assert_rank_in", "assert_same_float_dtype", "assert_scalar", "assert_type",
        "is_numeric_tensor",
    )},
    **{name: f"image.{name}" for name in (
        "random_crop",
    )},
    **{name: f"io.{name}" for name in (
        "FixedLenFeature", "FixedLenSequenceFeature", "SparseFeature", "VarLenFeature", "decode_compressed",
        "decode_json_example", "matching_files", "parse_single_sequence_example", "parse_tensor", "read_file",
        "serialize_tensor", "write_file",
    )},
    **{name: f"linalg.{name}" for name in (
        "cholesky", "cholesky_solve", "cross", "global_norm", "matrix_transpose", "qr", "svd", "trace",
    )},
    **{name: f"math.{name}" for name in (
        "accumulate_n", "angle", "betainc", "bincount", "ceil", "confusion_matrix", "conj", "count_nonzero", "cumprod",
        "digamma", "erf", "erfc", "expm1", "floordiv", "floormod", "igamma", "igammac", "imag", "invert_permutation",
        "is_finite", "is_inf", "is_nan", "is_non_decreasing", "is_strictly_increasing", "lbeta", "lgamma", "log",
        "log1p", "log_sigmoid", "logical_xor", "polygamma", "real", "reciprocal", "rint", "rsqrt", "segment_max",
        "segment_mean", "segment_min", "segment_prod", "segment_sum", "squared_difference", "unsorted_segment_max",
        "unsorted_segment_mean", "unsorted_segment_min", "unsorted_segment_prod", "unsorted_segment_sqrt_n",
        "unsorted_segment_sum", "zeta",
    )},
    **{name: f"nn.{name}" for name in (
        "depth_to_space", "space_to_depth",
    )},
    **{f"nn.depthwise_conv2d_native_backprop_{by}": f"nn.depthwise_conv2d_backprop_{by}" for by in ("filter", "input")},
    **{name: f"random.{name}" for name in (
        "truncated_normal",
    )},
    **{name: f"strings.{name}" for name in (
        "reduce_join", "regex_replace", "substr",
    )},
    **{f"{room}{name}": f"queue.{name}" for room in ("", "io.") for name in (
        "FIFOQueue", "PaddingFIFOQueue", "PriorityQueue", "QueueBase", "RandomShuffleQueue",
    ) if room + name != "io.FIFOQueue"},
    **{f"sparse_{name}": f"sparse.{name}" for name in (
        "add", "concat", "fill_empty_rows", "mask", "maximum", "minimum", "reduce_max", "reduce_sum", "reorder", "reset_shape",
        "reshape", "retain", "segment_mean", "segment_sqrt_n", "segment_sum", "slice", "softmax", "split", "to_indicator",
        "transpose",
    )},
    **{f"sets.set_{name}": f"sets.{name}" for name in (
        "difference", "intersection", "size", "union",
    )},
    **{f"{room}{name}": f"signal.{name}" for room in ("", "spectral.") for name in (
        "fft", "fft2d", "fft3d", "ifft", "ifft2d", "ifft3d",
    )},
    **{f"spectral.{name}": f"signal.{name}" for name in (
        "dct", "idct", "irfft", "irfft2d", "irfft3d", "rfft", "rfft2d", "rfft3d",
    )},
    **{f"manip.{name}": name for name in (
        "gather_nd", "reshape", "reverse", "roll", "scatter_nd", "space_to_batch_nd", "tile",
    )},
    **{f"gfile.{earlier}": f"io.gfile.{name}" for earlier, name in (
        ("Copy", "copy"), ("DeleteRecursively", "rmtree"), ("Exists", "exists"), ("FastGFile", "GFile"), ("GFile", "GFile"),
        ("Glob", "glob"), ("IsDirectory", "isdir"), ("ListDirectory", "listdir"), ("MakeDirs", "makedirs"), ("MkDir", "mkdir"),
        ("Open", "GFile"), ("Remove", "remove"), ("Rename", "rename"), ("Stat", "stat"), ("Walk", "walk"),
    )},
    **{f"saved_model.constants.{name}": f"saved_model.{name}" for name in (
        "ASSETS_DIRECTORY", "ASSETS_KEY", "DEBUG_DIRECTORY", "DEBUG_INFO_FILENAME_PB", "SAVED_MODEL_FILENAME_PB",
        "SAVED_MODEL_FILENAME_PBTXT", "SAVED_MODEL_SCHEMA_VERSION", "VARIABLES_DIRECTORY", "VARIABLES_FILENAME",
    )},
    **{f"saved_model.signature_constants.{name}": f"saved_model.{name}" for name in (
        "CLASSIFY_INPUTS", "CLASSIFY_METHOD_NAME", "CLASSIFY_OUTPUT_CLASSES", "CLASSIFY_OUTPUT_SCORES",
        "DEFAULT_SERVING_SIGNATURE_DEF_KEY", "PREDICT_INPUTS", "PREDICT_METHOD_NAME", "PREDICT_OUTPUTS", "REGRESS_INPUTS",
        "REGRESS_METHOD_NAME", "REGRESS_OUTPUTS",
    )},
    **{f"saved_model.tag_constants.{name}": f"saved_model.{name}" for name in (
        "GPU", "SERVING", "TPU", "TRAINING",
    )},
    **{f"python_io.{name}": f"io.{name}" for name in (
        "TFRecordOptions", "TFRecordWriter",
    )},
    **{f"fake_quant_with_min_max_{what}{gradient}": f"quantization.fake_quant_with_min_max_{what}{gradient}"
       for what in ("args", "vars", "vars_per_channel") for gradient in ("", "_gradient")},
    **{f"nn.{kind}_candidate_sampler": f"random.{kind}_candidate_sampler" for kind in ("log_uniform", "uniform")},
    **{f"{many}serialize{end}_sparse": f"io.{many}serialize{end}_sparse" for many, end in (
        ("", ""), ("", "_many"), ("de", "_many"),
    )},
    **{f"{room}reduce_{how}_sparse": f"sparse.reduce_{how}" for room in ("sparse_", "sparse.") for how in ("max", "sum")},
    "batch_to_space_nd": "batch_to_space", "manip.batch_to_space_nd": "batch_to_space",
    "extract_image_patches": "image.extract_patches", "image.extract_image_patches": "image.extract_patches",
    "nn.depthwise_conv2d_native": "nn.depthwise_conv2d", "random.stateless_multinomial": "random.stateless_categorical",
    "OpError": "errors.OpError", "QUANTIZED_DTYPES": "dtypes.QUANTIZED_DTYPES", "VERSION": "version.VERSION",
    "NotDifferentiable": "no_gradient", "NoGradient": "no_gradient", "check_numerics": "debugging.check_numerics",
    "dtypes.as_string": "strings.as_string", "mod": "math.mod", "floor_div": "math.floordiv", "nn.avg_pool_v2": "nn.avg_pool",
    "nn.max_pool_v2": "nn.max_pool", "nn.softmax_cross_entropy_with_logits_v2": "nn.softmax_cross_entropy_with_logits",
    "saved_model.load_v2": "saved_model.load", "saved_model.experimental.save": "saved_model.save", "where_v2": "where",
    "arg_max": "argmax", "arg_min": "argmin", "batch_gather": "gather", "sparse.matmul": "sparse.sparse_dense_matmul",
    "sparse_tensor_dense_matmul": "sparse.sparse_dense_matmul", "sparse_tensor_to_dense": "sparse.to_dense",
    "sparse_matmul": "matmul", "dimension_value": "compat.dimension_value", "dimension_at_index": "compat.dimension_at_index",
    **{f"string_{name}": f"strings.{name}" for name in (
        "join", "strip", "to_hash_bucket", "to_hash_bucket_fast", "to_hash_bucket_strong", "to_number",
    )},
    **{name: f"io.{name}" for name in (
        "decode_base64", "encode_base64",
    )},
    "debugging.is_finite": "math.is_finite", "debugging.is_inf": "math.is_inf", "debugging.is_nan": "math.is_nan",
    "debugging.is_non_decreasing": "math.is_non_decreasing",
    "debugging.is_strictly_increasing": "math.is_strictly_increasing", "diag": "linalg.tensor_diag",
    "diag_part": "linalg.tensor_diag_part", "div_no_nan": "math.divide_no_nan",
    "image.resize_image_with_crop_or_pad": "image.resize_with_crop_or_pad", "image.transpose_image": "image.transpose",
    "lin_space": "linspace", "linalg.transpose": "linalg.matrix_transpose", "math.log_softmax": "nn.log_softmax",
    "math.softmax": "nn.softmax", "math.softsign": "nn.softsign", "matrix_band_part": "linalg.band_part",
    "matrix_determinant": "linalg.det", "matrix_diag": "linalg.diag", "matrix_diag_part": "linalg.diag_part",
    "matrix_inverse": "linalg.inv", "matrix_set_diag": "linalg.set_diag", "matrix_solve": "linalg.solve",
    "matrix_solve_ls": "linalg.lstsq", "matrix_triangular_solve": "linalg.triangular_solve",
    "random_gamma": "random.gamma", "random_normal": "random.normal", "random_poisson": "random.poisson",
    "random_shuffle": "random.shuffle", "random_uniform": "random.uniform", "reverse_v2": "reverse",
    "self_adjoint_eig": "linalg.eigh", "self_adjoint_eigvals": "linalg.eigvalsh",
    "tensor_scatter_add": "tensor_scatter_nd_add", "tensor_scatter_sub": "tensor_scatter_nd_sub",
    "tensor_scatter_update": "tensor_scatter_nd_update", "verify_tensor_all_finite": "debugging.assert_all_finite",
}  # fmt: skip
"""Names of version 1 for what has only another name today."""

SAME_ARGUMENTS = {
    "arg_max", "arg_min", "batch_to_space_nd", "manip.batch_to_space_nd",
    "nn.avg_pool_v2", "nn.max_pool_v2", "nn.softmax_cross_entropy_with_logits_v2", "where_v2",
}  # fmt: skip
"""Names of version 1 whose arguments are not those that the function of today has under its own name there."""
