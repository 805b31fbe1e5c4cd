"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
def ctc_beam_search_decoder(inputs: _Any, sequence_length: _Any, beam_width: _Any = 100, top_paths: _Any = 1, merge_repeated: _Any = True) -> _Any:
    """As `tf.nn.ctc_beam_search_decoder`; with `merge_repeated`, labels that repeat in a result are one."""
def ctc_beam_search_decoder_v2(inputs: _Any, sequence_length: _Any, beam_width: _Any = 100, top_paths: _Any = 1) -> _Any:
    """The likeliest labels, as far as a search among so many finds them. Mirrors `tf.nn.ctc_beam_search_decoder`."""
def ctc_greedy_decoder(inputs: _Any, sequence_length: _Any, merge_repeated: _Any = True, blank_index: _Any = None) -> _Any:
    """The labels that the likeliest class of each step gives. Mirrors `tf.nn.ctc_greedy_decoder`."""
def ctc_loss(labels: _Any, inputs: _Any = None, sequence_length: _Any = None, preprocess_collapse_repeated: _Any = False, ctc_merge_repeated: _Any = True, ignore_longer_outputs_than_inputs: _Any = False, time_major: _Any = True, logits: _Any = None) -> _Any:
    """The negative log-likelihood of sparse labels, the last class being the blank. Mirrors `tf.compat.v1.nn.ctc_loss`."""
def ctc_loss_v2(labels: _Any, logits: _Any, label_length: _Any, logit_length: _Any, logits_time_major: _Any = True, unique: _Any = None, blank_index: _Any = None, name: _Any = None) -> _Any:
    """The negative log-likelihood of labels whose places in time are not known. Mirrors `tf.nn.ctc_loss`."""
def fractional_avg_pool(value: _Any, pooling_ratio: _Any, pseudo_random: _Any = False, overlapping: _Any = False, deterministic: _Any = False, seed: _Any = 0, seed2: _Any = 0, name: _Any = None) -> _Any:
    """`tf.nn.fractional_avg_pool` with both seeds. Mirrors `tf.compat.v1.nn.fractional_avg_pool`."""
def fractional_max_pool(value: _Any, pooling_ratio: _Any, pseudo_random: _Any = False, overlapping: _Any = False, deterministic: _Any = False, seed: _Any = 0, seed2: _Any = 0, name: _Any = None) -> _Any:
    """`tf.nn.fractional_max_pool` with both seeds. Mirrors `tf.compat.v1.nn.fractional_max_pool`."""
def fused_batch_norm(x: _Any, scale: _Any, offset: _Any, mean: _Any = None, variance: _Any = None, epsilon: _Any = ..., data_format: _Any = 'NHWC', is_training: _Any = True, name: _Any = None, exponential_avg_factor: _Any = ...) -> _Any:
    """Batch normalisation of images together with its statistics. Mirrors `tf.compat.v1.nn.fused_batch_norm`."""
def relu_layer(x: _Any, weights: _Any, biases: _Any, name: _Any = None) -> _Any:
    """`relu(matmul(x, weights) + biases)`. Mirrors `tf.compat.v1.nn.relu_layer`."""
def xw_plus_b(x: _Any, weights: _Any, biases: _Any, name: _Any = None) -> _Any:
    """`matmul(x, weights) + biases`. Mirrors `tf.compat.v1.nn.xw_plus_b`."""
