"""Public names of TensorFlow that have no meaning here, or none yet: what errors and the table of coverage say of them."""

from __future__ import annotations

from tfgrad_jax.api.absent_raw import absent_raw

ABSENT = {
    "lite": "models for phones are made by TensorFlow's own converter: write the model by tf.saved_model.save, and convert it "
    "where TensorFlow is installed",
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
    "io.decode_proto": "messages are read by google.protobuf, in tf.py_function; tf.io.parse_example reads tf.train.Example",
    "io.encode_proto": "messages are written by google.protobuf, in tf.py_function; tf.train.Example has SerializeToString",
    "io.match_filenames_once": "it belongs to sessions: use tf.io.matching_files",
    "io.write_graph": "there are no GraphDefs to write: use tf.saved_model.save",
    "profiler.experimental.client": "profiles are taken in the process itself: tf.profiler.experimental.start",
    "profiler.experimental.server": "profiles are taken in the process itself: tf.profiler.experimental.start",
    "quantization.experimental": "models are quantized by tools of their own, which read SavedModels where TensorFlow is installed",
    "graph_util": "there are no GraphDefs to rewrite",
    "import_graph_def": "there are no GraphDefs: load a SavedModel by tf.saved_model.load",
    "train.experimental.ShardableTensor": "files of checkpoints are divided by ShardByTaskPolicy or MaxShardSizePolicy",
    "train.experimental.ShardingCallback": "files of checkpoints are divided by ShardByTaskPolicy or MaxShardSizePolicy",
    "debugging.experimental": "use tf.debugging.enable_check_numerics, or jax.debug_nans",
    "feature_column.sequence_": "no layer of Keras 3 takes them: use tf.RaggedTensor and the layers of tf.keras",
    "compat.v1.feature_column.sequence_": "no layer of Keras 3 takes them: use tf.RaggedTensor and the layers of tf.keras",
    "compat.v1.layers": "it is not available with Keras 3 either: use tf.keras.layers",
    "compat.v1.nn.rnn_cell": "it is not available with Keras 3 either: use the cells of tf.keras.layers",
    "compat.v1.nn.dynamic_rnn": "use tf.keras.layers.RNN",
    "compat.v1.nn.static_rnn": "use tf.keras.layers.RNN",
    "compat.v1.nn.raw_rnn": "use tf.while_loop with tf.TensorArray",
    "compat.v1.nn.bidirectional_dynamic_rnn": "use tf.keras.layers.Bidirectional",
    "compat.v1.nn.static_": "use tf.keras.layers.RNN",
    "compat.v1.estimator": "it is not in TensorFlow 2.21 either: use tf.keras",
    "compat.v1.metrics": "these are for sessions, and TensorFlow refuses them eagerly: use tf.keras.metrics",
    "compat.v1.distributions": "use TensorFlow Probability, which runs on this package",
    "compat.v1.mixed_precision": "use tf.keras.mixed_precision",
    "compat.v1.train.experimental": "use tf.keras.mixed_precision",
    "compat.v1.train.SessionManager": "it belongs to sessions: write a loop",
    "compat.v1.train.ChiefSessionCreator": "it belongs to sessions: write a loop",
    "compat.v1.train.WorkerSessionCreator": "it belongs to sessions: write a loop",
    "compat.v1.train.QueueRunner": "it belongs to sessions: use tf.data",
    "compat.v1.train.queue_runner": "it belongs to sessions: use tf.data",
    "compat.v1.saved_model.builder": "use tf.saved_model.save",
    "compat.v1.saved_model.loader": "it belongs to sessions: use tf.saved_model.load",
    "compat.v1.saved_model.main_op": "it belongs to sessions: use tf.saved_model.save",
    "compat.v1.profiler": "use tf.profiler.experimental",
    "compat.v1.graph_util": "there are no GraphDefs to rewrite",
    "compat.v1.GraphDef": "there are no GraphDefs: tf.saved_model.save writes programs",
    "compat.v1.ReaderBase": "it belongs to sessions: use tf.data",
    "compat.v1.TFRecordReader": "it belongs to sessions: use tf.data.TFRecordDataset",
    "compat.v1.TextLineReader": "it belongs to sessions: use tf.data.TextLineDataset",
    "compat.v1.WholeFileReader": "it belongs to sessions: use tf.io.read_file",
    "compat.v1.IdentityReader": "it belongs to sessions: use tf.data",
    "compat.v1.FixedLengthRecordReader": "it belongs to sessions: use tf.data.FixedLengthRecordDataset",
    "compat.v1.get_session_": "it belongs to sessions: a tensor has its value",
    "compat.v1.delete_session_tensor": "it belongs to sessions: a tensor has its value",
    "compat.v1.wrap_function": "use tf.function",
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
