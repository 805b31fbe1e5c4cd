"""Public names whose modules are loaded when one of them is first asked for: what they need takes long, and few programs use it."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

from tfgrad_jax.engine.names.export import registry

LATE = {
    "tfgrad_jax.composite.ragged": (
        "RaggedTensor",
        "RaggedTensorSpec",
        "compat.v1.ragged.RaggedTensorValue",
        "compat.v1.ragged.constant_value",
        "compat.v1.string_split",
        "compat.v1.strings.split",
        "ragged.boolean_mask",
        "ragged.constant",
        "ragged.cross",
        "ragged.cross_hashed",
        "ragged.map_flat_values",
        "ragged.range",
        "ragged.row_splits_to_segment_ids",
        "ragged.segment_ids_to_row_splits",
        "ragged.stack",
        "ragged.stack_dynamic_partitions",
        "strings.bytes_split",
        "strings.ngrams",
        "strings.split",
        "strings.unicode_decode",
        "strings.unicode_decode_with_offsets",
        "strings.unicode_encode",
        "strings.unicode_split",
        "strings.unicode_split_with_offsets",
    ),
    "tfgrad_jax.composite.sparse": (
        "sparse.add",
        "sparse.bincount",
        "sparse.concat",
        "sparse.cross",
        "sparse.cross_hashed",
        "sparse.expand_dims",
        "sparse.eye",
        "sparse.fill_empty_rows",
        "sparse.from_dense",
        "sparse.map_values",
        "sparse.mask",
        "sparse.maximum",
        "sparse.minimum",
        "sparse.reduce_max",
        "sparse.reduce_sum",
        "sparse.reorder",
        "sparse.reset_shape",
        "sparse.reshape",
        "sparse.retain",
        "sparse.segment_mean",
        "sparse.segment_sqrt_n",
        "sparse.segment_sum",
        "sparse.slice",
        "sparse.softmax",
        "sparse.sparse_dense_matmul",
        "sparse.split",
        "sparse.to_dense",
        "sparse.to_indicator",
        "sparse.transpose",
    ),
    "tfgrad_jax.ops.control.autograph_operators": (
        "__internal__.autograph.control_status_ctx",
        "__internal__.autograph.tf_convert",
        "autograph.experimental.Feature",
        "autograph.experimental.do_not_convert",
        "autograph.experimental.set_loop_options",
        "autograph.set_verbosity",
        "autograph.to_code",
        "autograph.to_graph",
        "autograph.trace",
    ),
    "tfgrad_jax.ops.io.public": (
        "compat.v1.decode_csv",
        "compat.v1.decode_raw",
        "compat.v1.io.decode_csv",
        "compat.v1.io.decode_raw",
        "io.decode_compressed",
        "io.decode_csv",
        "io.decode_json_example",
        "io.decode_raw",
        "io.matching_files",
        "io.parse_tensor",
        "io.read_file",
        "io.serialize_tensor",
        "io.write_file",
    ),
    "tfgrad_jax.ops.audio": (
        "audio.decode_wav",
        "audio.encode_wav",
    ),
    "tfgrad_jax.ops.image.files": (
        "image.adjust_jpeg_quality",
        "image.decode_and_crop_jpeg",
        "image.decode_bmp",
        "image.decode_gif",
        "image.decode_image",
        "image.decode_jpeg",
        "image.decode_png",
        "image.encode_jpeg",
        "image.encode_png",
        "image.extract_jpeg_shape",
        "image.is_jpeg",
        "io.decode_and_crop_jpeg",
        "io.decode_bmp",
        "io.decode_gif",
        "io.decode_image",
        "io.decode_jpeg",
        "io.decode_png",
        "io.encode_jpeg",
        "io.encode_png",
        "io.extract_jpeg_shape",
        "io.is_jpeg",
    ),
    "tfgrad_jax.lib.io.gfile": (
        "io.gfile.GFile",
        "io.gfile.copy",
        "io.gfile.exists",
        "io.gfile.get_registered_schemes",
        "io.gfile.glob",
        "io.gfile.isdir",
        "io.gfile.join",
        "io.gfile.listdir",
        "io.gfile.makedirs",
        "io.gfile.mkdir",
        "io.gfile.remove",
        "io.gfile.rename",
        "io.gfile.rmtree",
        "io.gfile.stat",
        "io.gfile.walk",
    ),
    "tfgrad_jax.lib.io.records": (
        "io.TFRecordOptions",
        "io.TFRecordWriter",
    ),
    "tfgrad_jax.lib.io.features": (
        "io.FixedLenFeature",
        "io.FixedLenSequenceFeature",
        "io.RaggedFeature",
        "io.SparseFeature",
        "io.VarLenFeature",
    ),
    "tfgrad_jax.lib.io.parsing_v1": (
        "compat.v1.io.parse_example",
        "compat.v1.io.parse_single_example",
        "compat.v1.parse_example",
        "compat.v1.parse_single_example",
    ),
    "tfgrad_jax.lib.io.messages": (
        "train.BytesList",
        "train.Example",
        "train.Feature",
        "train.FeatureList",
        "train.FeatureLists",
        "train.Features",
        "train.FloatList",
        "train.Int64List",
        "train.SequenceExample",
    ),
    "tfgrad_jax.lib.io.parsing": (
        "io.parse_example",
        "io.parse_single_example",
    ),
    "tfgrad_jax.lib.io.sequence_parsing": (
        "io.parse_sequence_example",
        "io.parse_single_sequence_example",
    ),
    "tfgrad_jax.lib.lookup": (
        "compat.v1.initializers.tables_initializer",
        "compat.v1.tables_initializer",
        "lookup.KeyValueTensorInitializer",
        "lookup.StaticHashTable",
        "lookup.StaticVocabularyTable",
        "lookup.TextFileIndex",
        "lookup.TextFileInitializer",
        "lookup.experimental.DenseHashTable",
        "lookup.experimental.MutableHashTable",
    ),
    "tfgrad_jax.lib.testing": (
        "test.Benchmark",
        "test.TestCase",
        "test.assert_equal_graph_def",
        "test.benchmark_config",
        "test.compute_gradient",
        "test.create_local_cluster",
        "test.disable_with_predicate",
        "test.experimental.sync_devices",
        "test.is_built_with_gpu_support",
        "test.is_built_with_rocm",
        "test.is_built_with_xla",
        "test.is_cpu_target_available",
        "test.main",
        "test.with_eager_op_as_function",
    ),
    "tfgrad_jax.lib.queues": (
        "queue.FIFOQueue",
        "queue.PaddingFIFOQueue",
        "queue.PriorityQueue",
        "queue.QueueBase",
        "queue.RandomShuffleQueue",
    ),
    "tfgrad_jax.lib.data.public": (
        "OptionalSpec",
        "data.AUTOTUNE",
        "data.Dataset",
        "data.DatasetSpec",
        "data.FixedLengthRecordDataset",
        "data.INFINITE_CARDINALITY",
        "data.Iterator",
        "data.IteratorSpec",
        "data.Options",
        "data.TFRecordDataset",
        "data.TextLineDataset",
        "data.ThreadingOptions",
        "data.UNKNOWN_CARDINALITY",
        "data.experimental.AUTOTUNE",
        "data.experimental.AutoShardPolicy",
        "data.experimental.AutotuneAlgorithm",
        "data.experimental.AutotuneOptions",
        "data.experimental.Counter",
        "data.experimental.CsvDataset",
        "data.experimental.DatasetStructure",
        "data.experimental.DistributeOptions",
        "data.experimental.ExternalStatePolicy",
        "data.experimental.INFINITE_CARDINALITY",
        "data.experimental.OptimizationOptions",
        "data.experimental.Optional",
        "data.experimental.OptionalStructure",
        "data.experimental.RandomDataset",
        "data.experimental.TFRecordWriter",
        "data.experimental.ThreadingOptions",
        "data.experimental.UNKNOWN_CARDINALITY",
        "data.experimental.assert_cardinality",
        "data.experimental.at",
        "data.experimental.bucket_by_sequence_length",
        "data.experimental.cardinality",
        "data.experimental.choose_from_datasets",
        "data.experimental.copy_to_device",
        "data.experimental.dense_to_ragged_batch",
        "data.experimental.dense_to_sparse_batch",
        "data.experimental.enumerate_dataset",
        "data.experimental.from_list",
        "data.experimental.from_variant",
        "data.experimental.get_next_as_optional",
        "data.experimental.get_single_element",
        "data.experimental.get_structure",
        "data.experimental.group_by_window",
        "data.experimental.ignore_errors",
        "data.experimental.load",
        "data.experimental.make_csv_dataset",
        "data.experimental.map_and_batch",
        "data.experimental.parallel_interleave",
        "data.experimental.prefetch_to_device",
        "data.experimental.rejection_resample",
        "data.experimental.sample_from_datasets",
        "data.experimental.save",
        "data.experimental.scan",
        "data.experimental.service.ServiceOptions",
        "data.experimental.shuffle_and_repeat",
        "data.experimental.snapshot",
        "data.experimental.take_while",
        "data.experimental.to_variant",
        "data.experimental.unbatch",
        "data.experimental.unique",
        "experimental.Optional",
    ),
}
"""By module, the names that exist once it is loaded. Hooks (`engine/hooks.py`) load it too."""

_ALONG = (
    "tfgrad_jax.composite.ragged",
    "tfgrad_jax.composite.sparse.",
    "tfgrad_jax.engine.function.autograph",
    "tfgrad_jax.lib.data",
    "tfgrad_jax.lib.io",
    "tfgrad_jax.lib.testing",
    "tfgrad_jax.ops.audio",
    "tfgrad_jax.ops.control.autograph_",
    "tfgrad_jax.ops.image.codecs",
    "tfgrad_jax.ops.io",
)
"""How the names of those modules begin, and of others that nobody but they need."""


class Late:
    """Stands for a public object until somebody asks for it.

    Args:
      module: the module that has it.
      name: a public name of it.
    """

    def __init__(self, module: str, name: str) -> None:
        self._module = module
        self._name = name

    def load(self) -> Any:
        """The object itself."""
        importlib.import_module(self._module)
        return registry[self._name]


def late_names() -> Iterator[tuple[str, Late]]:
    """Every such name, and what stands for the object."""
    for module, names in LATE.items():
        for name in names:
            yield name, Late(module, name)


def is_late(module: str) -> bool:
    """Whether a module waits until it is needed."""
    return module.startswith(_ALONG) or module in LATE
