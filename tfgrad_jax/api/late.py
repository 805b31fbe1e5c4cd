"""Public names whose modules are loaded when one of them is first asked for: what they need takes long, and few programs use it."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

from tfgrad_jax.api.late_distribution import DISTRIBUTION
from tfgrad_jax.api.late_library import LIBRARY
from tfgrad_jax.api.late_operators import OPERATORS
from tfgrad_jax.api.late_pieces import PIECES
from tfgrad_jax.api.late_private import PRIVATE
from tfgrad_jax.api.late_private_core import PRIVATE_CORE
from tfgrad_jax.api.late_private_tests import PRIVATE_TESTS
from tfgrad_jax.api.late_v1 import VERSION_1
from tfgrad_jax.engine.names.export import registry

LATE = {
    "tfgrad_jax.composite.sparse.csr": (
        "python.ops.linalg.sparse.sparse_csr_matrix_ops.csr_sparse_matrix_to_sparse_tensor",
        "python.ops.linalg.sparse.sparse_csr_matrix_ops.sparse_matrix_sparse_mat_mul",
        "python.ops.linalg.sparse.sparse_csr_matrix_ops.sparse_tensor_to_csr_sparse_matrix",
    ),
    "tfgrad_jax.composite.sparse.ctc": (
        "compat.v1.nn.ctc_beam_search_decoder",
        "compat.v1.nn.ctc_beam_search_decoder_v2",
        "compat.v1.nn.ctc_greedy_decoder",
        "compat.v1.nn.ctc_loss",
        "compat.v1.nn.ctc_loss_v2",
        "nn.ctc_beam_search_decoder",
        "nn.ctc_greedy_decoder",
        "nn.ctc_loss",
    ),
    "tfgrad_jax.ops.quantization.quantize": (
        "compat.v1.dequantize",
        "dequantize",
        "quantization.dequantize",
        "quantization.quantize",
        "quantize",
    ),
    "tfgrad_jax.ops.quantization.quantized": (
        "compat.v1.nn.quantized_avg_pool",
        "compat.v1.nn.quantized_conv2d",
        "compat.v1.nn.quantized_max_pool",
        "quantization.quantized_concat",
        "quantized_concat",
    ),
    "tfgrad_jax.ops.quantization.fake": (
        "quantization.fake_quant_with_min_max_args",
        "quantization.fake_quant_with_min_max_args_gradient",
        "quantization.fake_quant_with_min_max_vars",
        "quantization.fake_quant_with_min_max_vars_gradient",
        "quantization.fake_quant_with_min_max_vars_per_channel",
        "quantization.fake_quant_with_min_max_vars_per_channel_gradient",
        "quantization.quantize_and_dequantize",
        "quantization.quantize_and_dequantize_v2",
    ),
    "tfgrad_jax.ops.nn.candidates": (
        "nn.all_candidate_sampler",
        "nn.compute_accidental_hits",
        "nn.fixed_unigram_candidate_sampler",
        "nn.nce_loss",
        "nn.sampled_softmax_loss",
        "random.all_candidate_sampler",
        "random.fixed_unigram_candidate_sampler",
        "random.log_uniform_candidate_sampler",
        "random.uniform_candidate_sampler",
    ),
    "tfgrad_jax.ops.nn.fractional": (
        "compat.v1.nn.fractional_avg_pool",
        "compat.v1.nn.fractional_max_pool",
        "nn.fractional_avg_pool",
        "nn.fractional_max_pool",
    ),
    "tfgrad_jax.ops.nn.morphology": ("nn.dilation2d", "nn.erosion2d", "nn.isotonic_regression"),
    "tfgrad_jax.ops.nn.ctc": ("nn.collapse_repeated", "nn.ctc_unique_labels"),
    "tfgrad_jax.composite.sparse.embeddings": ("nn.embedding_lookup_sparse", "nn.safe_embedding_lookup_sparse"),
    "tfgrad_jax.composite.ragged": (
        "RaggedTensor",
        "RaggedTensorSpec",
        "compat.v1.ragged.RaggedTensorValue",
        "compat.v1.ragged.constant_value",
        "compat.v1.ragged.placeholder",
        "compat.v1.string_split",
        "compat.v1.strings.split",
        "python.ops.ragged.ragged_tensor.RaggedTensor",
        "experimental.DynamicRaggedShape",
        "experimental.RowPartition",
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
        "sparse.sampled_addmm",
        "sparse.segment_mean",
        "sparse.segment_sqrt_n",
        "sparse.segment_sum",
        "sparse.slice",
        "sparse.softmax",
        "sparse.sparse_dense_matmul",
        "sparse.split",
        "compat.v1.sparse.placeholder",
        "compat.v1.sparse_placeholder",
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
        "io.decode_proto",
        "io.decode_raw",
        "io.encode_proto",
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
    "tfgrad_jax.ops.random.index_shuffle": ("random.experimental.index_shuffle", "random_index_shuffle"),
    "tfgrad_jax.ops.signal.cosine": (
        "signal.dct",
        "signal.fftshift",
        "signal.idct",
        "signal.ifftshift",
        "signal.inverse_mdct",
        "signal.linear_to_mel_weight_matrix",
        "signal.mdct",
        "signal.mfccs_from_log_mel_spectrograms",
    ),
    "tfgrad_jax.ops.signal.spectral": (
        "signal.frame",
        "signal.hamming_window",
        "signal.hann_window",
        "signal.inverse_stft",
        "signal.inverse_stft_window_fn",
        "signal.kaiser_bessel_derived_window",
        "signal.kaiser_window",
        "signal.overlap_and_add",
        "signal.stft",
        "signal.vorbis_window",
    ),
    "tfgrad_jax.ops.image.boxes": (
        "image.crop_and_resize",
        "image.draw_bounding_boxes",
        "image.extract_glimpse",
        "image.generate_bounding_box_proposals",
    ),
    "tfgrad_jax.ops.image.jpeg_quality": (
        "image.adjust_jpeg_quality",
        "image.random_jpeg_quality",
        "image.stateless_random_jpeg_quality",
    ),
    "tfgrad_jax.ops.image.quality": ("image.ssim", "image.ssim_multiscale"),
    "tfgrad_jax.ops.image.sampling": (
        "image.sample_distorted_bounding_box",
        "image.stateless_sample_distorted_bounding_box",
    ),
    "tfgrad_jax.ops.image.suppression": (
        "image.combined_non_max_suppression",
        "image.non_max_suppression",
        "image.non_max_suppression_overlaps",
        "image.non_max_suppression_padded",
        "image.non_max_suppression_with_scores",
    ),
    "tfgrad_jax.ops.image.projective": ("raw_ops.ImageProjectiveTransformV3",),
    "tfgrad_jax.ops.image.files": (
        "image.decode_and_crop_jpeg",
        "image.decode_bmp",
        "image.decode_gif",
        "image.decode_image",
        "image.decode_jpeg",
        "image.decode_png",
        "image.decode_webp",
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
        "io.decode_webp",
        "io.encode_jpeg",
        "io.encode_png",
        "io.extract_jpeg_shape",
        "io.is_jpeg",
    ),
    "tfgrad_jax.composite.sparse.sequences": ("edit_distance",),
    "tfgrad_jax.composite.sparse.serialized": (
        "io.deserialize_many_sparse",
        "io.serialize_many_sparse",
        "io.serialize_sparse",
    ),
    "tfgrad_jax.composite.sparse.sets": ("sets.difference", "sets.intersection", "sets.size", "sets.union"),
    "tfgrad_jax.lib.data.sql": ("data.experimental.SqlDataset",),
    "tfgrad_jax.ops.math.sobol": ("math.sobol_sample",),
    "tfgrad_jax.ops.nn.space_to_batch": (
        "conv",
        "nn.depthwise_conv2d_backprop_filter",
        "nn.depthwise_conv2d_backprop_input",
    ),
    **LIBRARY,
    **OPERATORS,
    **PIECES,
    **PRIVATE,
    **PRIVATE_CORE,
    **PRIVATE_TESTS,
    **DISTRIBUTION,
    **VERSION_1,
}
"""By module, the names that exist once it is loaded. Hooks (`engine/hooks.py`) load it too."""

_ALONG = (
    "tfgrad_jax.composite.ragged",
    "tfgrad_jax.composite.sparse.",
    "tfgrad_jax.engine.function.autograph",
    "tfgrad_jax.lib.checkpoint",
    "tfgrad_jax.lib.data",
    "tfgrad_jax.lib.distributions",
    "tfgrad_jax.lib.feature_column",
    "tfgrad_jax.lib.io",
    "tfgrad_jax.lib.linear_operators",
    "tfgrad_jax.lib.numpy",
    "tfgrad_jax.lib.private",
    "tfgrad_jax.lib.raw_ops",
    "tfgrad_jax.lib.saved_model",
    "tfgrad_jax.lib.summary",
    "tfgrad_jax.lib.testing",
    "tfgrad_jax.lib.v1",
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

    def is_there(self) -> bool:
        """Whether all that it needs is installed."""
        try:
            self.load()
        except ImportError:
            return False
        return True


def late_names() -> Iterator[tuple[str, Late]]:
    """Every such name, and what stands for the object."""
    for module, names in LATE.items():
        for name in names:
            yield name, Late(module, name)


def is_late(module: str) -> bool:
    """Whether a module waits until it is needed."""
    return module.startswith(_ALONG) or module in LATE
