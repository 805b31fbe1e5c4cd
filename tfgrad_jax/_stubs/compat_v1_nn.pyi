"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
def bidirectional_dynamic_rnn(cell_fw: _Any, cell_bw: _Any, inputs: _Any, sequence_length: _Any = None, initial_state_fw: _Any = None, initial_state_bw: _Any = None, dtype: _Any = None, parallel_iterations: _Any = None, swap_memory: _Any = False, time_major: _Any = False, scope: _Any = None) -> _Any:
    """`dynamic_rnn` forwards by one cell and backwards by another. Mirrors `tf.compat.v1.nn.bidirectional_dynamic_rnn`."""
def conv2d_backprop_filter(input: _Any, filter_sizes: _Any, out_backprop: _Any, strides: _Any, padding: _Any, use_cudnn_on_gpu: _Any = True, data_format: _Any = 'NHWC', dilations: _Any = ..., name: _Any = None) -> _Any:
    """The gradient of `tf.nn.conv2d` by its filters. Mirrors `tf.compat.v1.nn.conv2d_backprop_filter`."""
def conv2d_backprop_input(input_sizes: _Any, filter: _Any = None, out_backprop: _Any = None, strides: _Any = None, padding: _Any = None, use_cudnn_on_gpu: _Any = True, data_format: _Any = 'NHWC', dilations: _Any = ..., name: _Any = None, filters: _Any = None) -> _Any:
    """The gradient of `tf.nn.conv2d` by its input. Mirrors `tf.compat.v1.nn.conv2d_backprop_input`."""
def conv3d_backprop_filter(input: _Any, filter_sizes: _Any, out_backprop: _Any, strides: _Any, padding: _Any, data_format: _Any = 'NDHWC', dilations: _Any = ..., name: _Any = None) -> _Any:
    """The gradient of `tf.nn.conv3d` by its filters; see `conv2d_backprop_filter`. Mirrors its namesake."""
def conv3d_backprop_filter_v2(input: _Any, filter_sizes: _Any, out_backprop: _Any, strides: _Any, padding: _Any, data_format: _Any = 'NDHWC', dilations: _Any = ..., name: _Any = None) -> _Any:
    """The gradient of `tf.nn.conv3d` by its filters; see `conv2d_backprop_filter`. Mirrors its namesake."""
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
def dynamic_rnn(cell: _Any, inputs: _Any, sequence_length: _Any = None, initial_state: _Any = None, dtype: _Any = None, parallel_iterations: _Any = None, swap_memory: _Any = False, time_major: _Any = False, scope: _Any = None) -> _Any:
    """What a cell gives for each step, by a loop. Mirrors `tf.compat.v1.nn.dynamic_rnn`."""
def fractional_avg_pool(value: _Any, pooling_ratio: _Any, pseudo_random: _Any = False, overlapping: _Any = False, deterministic: _Any = False, seed: _Any = 0, seed2: _Any = 0, name: _Any = None) -> _Any:
    """`tf.nn.fractional_avg_pool` with both seeds. Mirrors `tf.compat.v1.nn.fractional_avg_pool`."""
def fractional_max_pool(value: _Any, pooling_ratio: _Any, pseudo_random: _Any = False, overlapping: _Any = False, deterministic: _Any = False, seed: _Any = 0, seed2: _Any = 0, name: _Any = None) -> _Any:
    """`tf.nn.fractional_max_pool` with both seeds. Mirrors `tf.compat.v1.nn.fractional_max_pool`."""
def fused_batch_norm(x: _Any, scale: _Any, offset: _Any, mean: _Any = None, variance: _Any = None, epsilon: _Any = ..., data_format: _Any = 'NHWC', is_training: _Any = True, name: _Any = None, exponential_avg_factor: _Any = ...) -> _Any:
    """Batch normalisation of images together with its statistics. Mirrors `tf.compat.v1.nn.fused_batch_norm`."""
def quantized_avg_pool(input: _Any, min_input: _Any, max_input: _Any, ksize: _Any = ..., strides: _Any = ..., padding: _Any = '', name: _Any = None) -> _Any:
    """The mean of each window of quantized images, rounded, and the range, which stays."""
def quantized_conv2d(input: _Any, filter: _Any, min_input: _Any, max_input: _Any, min_filter: _Any, max_filter: _Any, strides: _Any = ..., padding: _Any = '', out_type: _Any = ..., dilations: _Any = ..., name: _Any = None) -> _Any:
    """The convolution of quantized images, whose numbers are integers of a wider dtype."""
def quantized_max_pool(input: _Any, min_input: _Any, max_input: _Any, ksize: _Any = ..., strides: _Any = ..., padding: _Any = '', name: _Any = None) -> _Any:
    """The largest number of each window of quantized images, and the range, which stays."""
def raw_rnn(cell: _Any, loop_fn: _Any, parallel_iterations: _Any = None, swap_memory: _Any = False, scope: _Any = None) -> _Any:
    """A cell in a loop of which a function says what it takes and when it ends. Mirrors `tf.compat.v1.nn.raw_rnn`."""
def relu_layer(x: _Any, weights: _Any, biases: _Any, name: _Any = None) -> _Any:
    """`relu(matmul(x, weights) + biases)`. Mirrors `tf.compat.v1.nn.relu_layer`."""
def static_bidirectional_rnn(cell_fw: _Any, cell_bw: _Any, inputs: _Any, initial_state_fw: _Any = None, initial_state_bw: _Any = None, dtype: _Any = None, sequence_length: _Any = None, scope: _Any = None) -> _Any:
    """`static_rnn` forwards by one cell and backwards by another. Mirrors `tf.compat.v1.nn.static_bidirectional_rnn`."""
def static_rnn(cell: _Any, inputs: _Any, initial_state: _Any = None, dtype: _Any = None, sequence_length: _Any = None, scope: _Any = None) -> _Any:
    """What a cell gives for each of a list of inputs. Mirrors `tf.compat.v1.nn.static_rnn`; see `dynamic_rnn`."""
def xw_plus_b(x: _Any, weights: _Any, biases: _Any, name: _Any = None) -> _Any:
    """`matmul(x, weights) + biases`. Mirrors `tf.compat.v1.nn.xw_plus_b`."""
