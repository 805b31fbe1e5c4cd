"""Public names of TensorFlow that have no meaning here, or none yet: what errors and the table of coverage say of them."""

from __future__ import annotations

from tfgrad_jax.api.absent_raw import absent_raw

_SEQUENCES = "no layer of Keras 3 takes them: use tf.RaggedTensor and the layers of tf.keras"

ABSENT = {
    "lite": "models for phones are made by TensorFlow's own converter: write the model by tf.saved_model.save, and convert it "
    "where TensorFlow is installed",
    "contrib": "it ended with TensorFlow 1",
    "estimator": "it ended with TensorFlow 2.15: use tf.keras",
    "mlir": "programs are StableHLO, not TensorFlow's dialects: tf.function(...).experimental_get_compiler_ir shows them, and "
    "tf.saved_model.save writes them",
    "tpu": "JAX finds TPUs by itself: leave out what initializes them",
    "tpu.experimental.embedding": "tables that live on TPUs alone are not supported: use tf.nn.embedding_lookup",
    "raw_ops": "raw operations are there as far as libraries use them: call the public function",
    **{
        f"raw_ops.{name}": "TensorFlow 2.21 refuses it, too: call the public function"
        for name in (
            "AdjustContrast",
            "BatchCholesky",
            "BatchFFT",
            "BatchFFT2D",
            "BatchFFT3D",
            "BatchIFFT",
            "BatchIFFT2D",
            "BatchIFFT3D",
            "BatchMatrixBandPart",
            "BatchMatrixDeterminant",
            "BatchMatrixDiag",
            "BatchMatrixDiagPart",
            "BatchMatrixInverse",
            "BatchMatrixSetDiag",
            "BatchMatrixSolve",
            "BatchMatrixSolveLs",
            "BatchMatrixTriangularSolve",
            "BatchNormWithGlobalNormalization",
            "BatchSelfAdjointEig",
            "BatchSelfAdjointEigV2",
            "BatchSvd",
            "MatrixExponential",
            "QuantizeAndDequantize",
            "RandomCrop",
            "SelfAdjointEig",
            "TileGrad",
        )
    },
    "load_library": "operations in C++ cannot be loaded: write them as JAX functions, by tf.extras.jax_op",
    "load_op_library": "operations in C++ cannot be loaded: write them as JAX functions, by tf.extras.jax_op",
    "experimental.register_filesystem_plugin": "file systems are fsspec's: install the package of the one that is needed",
    "experimental.dtensor": "TPUs need no functions of their own: dtensor.create_mesh finds them",
    "experimental.tensorrt": "XLA compiles for GPUs: there is nothing to convert",
    "data.experimental.service": "there are no workers for datasets: read on each host, by Dataset.shard",
    "data.experimental.ServiceOptions": "there are no workers for datasets: read on each host, by Dataset.shard",
    "data.experimental.distributed_save": "there are no workers for datasets: Dataset.save on one host",
    "data.experimental.enable_debug_mode": "functions of elements are always recorded: tf.py_function runs Python in them",
    "data.experimental.get_model_proto": "nothing is tuned while a dataset runs: there is no model of it",
    "data.experimental.make_saveable_from_iterator": "iterators are saved as they are: tf.train.Checkpoint(iterator=iterator)",
    "io.decode_jxl": "there is no decoder of JPEG XL with TensorFlow's pixels: convert the files",
    "profiler.experimental.client": "profiles are taken in the process itself: tf.profiler.experimental.start",
    "profiler.experimental.server": "profiles are taken in the process itself: tf.profiler.experimental.start",
    "quantization.experimental": "models are quantized by tools of their own, which read SavedModels where TensorFlow is installed",
    "train.experimental.ShardableTensor": "files of checkpoints are divided by ShardByTaskPolicy or MaxShardSizePolicy",
    "train.experimental.ShardingCallback": "files of checkpoints are divided by ShardByTaskPolicy or MaxShardSizePolicy",
    "debugging.experimental": "use tf.debugging.enable_check_numerics, or jax.debug_nans",
    "feature_column.sequence_categorical_": _SEQUENCES,
    "compat.v1.feature_column.sequence_categorical_": _SEQUENCES,
    "NoneTensorSpec": "a structure holds None as it is: leave it where it stands",
    "approx_top_k": "use tf.math.approx_max_k or tf.math.approx_min_k",
    "check_pinned": "nothing pins memory here: leave it out",
    "conv2d_backprop_filter_v2": "TensorFlow 2.21 has no kernel of it for CPUs: use tf.raw_ops.Conv2DBackpropFilter",
    "conv2d_backprop_input_v2": "TensorFlow 2.21 has no kernel of it for CPUs: use tf.nn.conv2d_transpose",
    "nondifferentiable_batch_function": "nothing gathers calls into batches: give tf.function whole batches",
    "ragged_fill_empty_rows": "use tf.sparse.fill_empty_rows on RaggedTensor.to_sparse()",
    "ragged_fill_empty_rows_grad": "use tf.sparse.fill_empty_rows on RaggedTensor.to_sparse()",
    "image.decode_jxl": "there is no decoder of JPEG XL with TensorFlow's pixels: convert the files",
    "nn.learned_unigram_candidate_sampler": "what it has learned lives in TensorFlow's kernel: use "
    "tf.random.fixed_unigram_candidate_sampler with counted words",
    "random.learned_unigram_candidate_sampler": "what it has learned lives in TensorFlow's kernel: use "
    "tf.random.fixed_unigram_candidate_sampler with counted words",
    "nn.quantized_relu_x": "TensorFlow has no kernel of it without oneDNN's graphs: use tf.raw_ops.QuantizedRelu6",
    **dict.fromkeys(
        [f"nn.RNNCell{kind}Wrapper" for kind in ("Device", "Dropout", "Residual")],
        "it wraps cells of TensorFlow's own older Keras, which is not here: use the cells of tf.keras.layers",
    ),
    "experimental.StructuredTensor": "use tf.experimental.ExtensionType, or a dict of tf.RaggedTensor",
    "experimental.function_executor_type": "XLA runs functions: there is no executor to choose",
    "experimental.enable_strict_mode": "what is deprecated warns: python -W error makes it an error",
    "saved_model.experimental.VariablePolicy": "variables are saved without devices: leave it out",
    "saved_model.experimental": "variables are saved without devices: leave it out",
    "distribute.cluster_resolver.KubernetesExecutableLocation": "Kubernetes is not asked for its pods here.",
    "distribute.coordinator": "tfgrad_jax does not speak to TensorFlow's servers: use tf.distribute.MirroredStrategy",
    **dict.fromkeys(
        ("train.ClusterDef", "train.JobDef", "train.ServerDef", "compat.v1.train.Server"),
        "there are no servers of TensorFlow's: tf.distribute.MultiWorkerMirroredStrategy reads TF_CONFIG",
    ),
    "types.experimental.FunctionType": "use tf.function(...).get_concrete_function, which tells its signature",
    **dict.fromkeys(
        (
            "compat.v1.train.ProfilerHook",
            "compat.v1.train.basic_train_loop",
        ),
        "it belongs to sessions: write a loop",
    ),
    **dict.fromkeys(
        ("compat.v1.LMDBReader",),
        "it belongs to sessions: use tf.data",
    ),
    "compat.v1.train.replica_device_setter": "it belongs to sessions: use tf.distribute.MirroredStrategy",
    "compat.v1.train.sdca_": "TensorFlow 2.21 trains none of these models any more: use a library for them",
    "compat.v1.train.VocabInfo": "use tf.train.Checkpoint, and tf.nn.embedding_lookup with a table made anew",
    "compat.v1.train.generate_checkpoint_state_proto": "use tf.train.CheckpointManager, which writes that file",
    "compat.v1.train.do_quantize_training_on_graphdef": "there are no GraphDefs to rewrite",
    **dict.fromkeys(
        (
            "compat.v1.ConditionalAccumulator",
            "compat.v1.ConditionalAccumulatorBase",
            "compat.v1.SparseConditionalAccumulator",
            "compat.v1.sparse.SparseConditionalAccumulator",
        ),
        "it belongs to sessions: add gradients up in a tf.Variable",
    ),
    "compat.v1.DeviceSpec": "use tf.DeviceSpec, which does not change after it was made",
    **dict.fromkeys(
        ("compat.v1.LogMessage", "compat.v1.summary"),
        "it belongs to sessions: write summaries by tf.summary where they come up",
    ),
    "compat.v1.add_check_numerics_ops": "use tf.debugging.enable_check_numerics",
    "compat.v1.load_file_system_library": "file systems are fsspec's: install the package of the one that is needed",
    "compat.v1.autograph.to_": "use tf.function, and tf.autograph.to_code of its Python function",
    "compat.v1.data.experimental.map_and_batch_with_legacy_function": "use Dataset.map and Dataset.batch",
    **dict.fromkeys(
        [
            f"compat.v1.data.experimental.{kind}Structure"
            for kind in ("", "RaggedTensor", "SparseTensor", "TensorArray", "Tensor")
        ],
        "use the specs: tf.TensorSpec, tf.RaggedTensorSpec, tf.SparseTensorSpec, tf.TensorArraySpec",
    ),
    **dict.fromkeys(
        [
            f"compat.v1.distribute.{name}"
            for name in (
                "ReplicaContext",
                "StrategyExtended",
                "get_loss_reduction",
            )
        ],
        "use tf.distribute, and what has this name there; losses divide by the global batch themselves",
    ),
    "compat.v1.errors.raise_exception_on_not_ok_status": "errors are raised where they come up: leave it out",
    "compat.v1.experimental.output_all_intermediates": "gradients keep what they need by themselves: leave it out",
    "compat.v1.resource_loader": "use importlib.resources",
    **dict.fromkeys(
        ("compat.v1.saved_model",),
        "it belongs to sessions: give tf.saved_model.save functions as signatures",
    ),
    "compat.v1.test": "use tf.test, and unittest.mock",
    "compat.v1.types": "use tf.types.experimental",
    "compat.v1.user_ops": "operations in C++ cannot be loaded: write them as JAX functions, by tf.extras.jax_op",
    "compat.v1.nn.static_state_saving_rnn": "use tf.compat.v1.nn.static_rnn, and keep the state in a variable",
    "compat.v1.mixed_precision": "use tf.keras.mixed_precision",
    "compat.v1.train.experimental": "use tf.keras.mixed_precision",
    "compat.v1.train.WorkerSessionCreator": "it belongs to sessions: write a loop",
    "compat.v1.saved_model.main_op": "it belongs to sessions: use tf.saved_model.save",
    "compat.v1.profiler": "use tf.profiler.experimental",
    "compat.v1.get_session_": "it belongs to sessions: a tensor has its value",
    "compat.v1.delete_session_tensor": "it belongs to sessions: a tensor has its value",
}
"""By name, or by how names begin: the reason, with what to use instead."""


def absent(symbol: str) -> str | None:
    """Why a name is not here, and what to use instead; the longest beginning that is known counts.

    Args:
      symbol: the name after `tf.`.
    """
    if (
        symbol not in ABSENT
        and symbol.startswith("raw_ops.")
        and (reason := absent_raw(symbol.removeprefix("raw_ops.")))
    ):
        return reason
    for name in (symbol, symbol.removeprefix("compat.v1.")):
        found = [
            known for known in ABSENT if name == known or name.startswith(known if known[-1] == "_" else f"{known}.")
        ]
        if found:
            return ABSENT[max(found, key=len)]
    return None
