"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
from tfgrad_jax._stubs import nn_experimental
experimental = nn_experimental
def all_candidate_sampler(true_classes: _Any, num_true: _Any, num_sampled: _Any, unique: _Any, seed: _Any = None, name: _Any = None) -> _Any:
    """All classes, each of which is expected once. Mirrors `tf.random.all_candidate_sampler`."""
def approx_max_k(operand: _Any, k: _Any, reduction_dimension: _Any = -1, recall_target: _Any = ..., reduction_input_size_override: _Any = -1, aggregate_to_topk: _Any = True, name: _Any = None) -> _Any:
    """The `k` largest numbers along an axis, most of them where that is quicker. Mirrors `tf.math.approx_max_k`."""
def approx_min_k(operand: _Any, k: _Any, reduction_dimension: _Any = -1, recall_target: _Any = ..., reduction_input_size_override: _Any = -1, aggregate_to_topk: _Any = True, name: _Any = None) -> _Any:
    """The `k` smallest numbers along an axis; see `approx_max_k`."""
def atrous_conv2d(value: _Any, filters: _Any, rate: _Any, padding: _Any, name: _Any = None) -> _Any:
    """`conv2d` with holes of `rate - 1` between the filters' elements. Mirrors `tf.nn.atrous_conv2d`."""
def atrous_conv2d_transpose(value: _Any, filters: _Any, output_shape: _Any, rate: _Any, padding: _Any, name: _Any = None) -> _Any:
    """The transpose of `atrous_conv2d`. Mirrors `tf.nn.atrous_conv2d_transpose`."""
def avg_pool(input: _Any, ksize: _Any, strides: _Any, padding: _Any, data_format: _Any = None, name: _Any = None) -> _Any:
    """The average of each window, over one to three spatial dimensions. Mirrors `tf.nn.avg_pool`."""
def avg_pool1d(input: _Any, ksize: _Any, strides: _Any, padding: _Any, data_format: _Any = 'NWC', name: _Any = None) -> _Any:
    """The average of each window of [batch, width, channels]. Mirrors `tf.nn.avg_pool1d`."""
def avg_pool2d(input: _Any, ksize: _Any, strides: _Any, padding: _Any, data_format: _Any = 'NHWC', name: _Any = None) -> _Any:
    """The average of each window of an image. Mirrors `tf.nn.avg_pool2d`."""
def avg_pool3d(input: _Any, ksize: _Any, strides: _Any, padding: _Any, data_format: _Any = 'NDHWC', name: _Any = None) -> _Any:
    """The average of each window of a volume. Mirrors `tf.nn.avg_pool3d`."""
def batch_norm_with_global_normalization(input: _Any, mean: _Any, variance: _Any, beta: _Any, gamma: _Any, variance_epsilon: _Any, scale_after_normalization: _Any, name: _Any = None) -> _Any:
    """`batch_normalization` under older names. Mirrors `tf.nn.batch_norm_with_global_normalization`."""
def batch_normalization(x: _Any, mean: _Any, variance: _Any, offset: _Any, scale: _Any, variance_epsilon: _Any, name: _Any = None) -> _Any:
    """scale * (x - mean) / sqrt(variance + epsilon) + offset. Mirrors `tf.nn.batch_normalization`."""
def batch_to_space(input: _Any, block_shape: _Any, crops: _Any, name: _Any = None) -> _Any:
    """The batch dimension moved back into blocks of the spatial dimensions, which are then cropped."""
def bias_add(value: _Any, bias: _Any, data_format: _Any = None, name: _Any = None) -> _Any:
    """Add a bias to every channel. Mirrors `tf.nn.bias_add`."""
def collapse_repeated(labels: _Any, seq_length: _Any, name: _Any = None) -> _Any:
    """Labels without those that equal the one before. Mirrors `tf.nn.collapse_repeated`."""
def compute_accidental_hits(true_classes: _Any, sampled_candidates: _Any, num_true: _Any, seed: _Any = None, name: _Any = None) -> _Any:
    """Where classes that were drawn are those of examples. Mirrors `tf.nn.compute_accidental_hits`."""
def compute_average_loss(per_example_loss: _Any, sample_weight: _Any = None, global_batch_size: _Any = None) -> _Any:
    """The sum of weighted losses over the size of the batch of all replicas. Mirrors `tf.nn.compute_average_loss`."""
def conv1d(input: _Any, filters: _Any, stride: _Any, padding: _Any, data_format: _Any = 'NWC', dilations: _Any = None, name: _Any = None) -> _Any:
    """Convolve sequences [..., width, channels] with filters [width, channels, out]. Mirrors `tf.nn.conv1d`."""
def conv1d_transpose(input: _Any, filters: _Any, output_shape: _Any, strides: _Any, padding: _Any = 'SAME', data_format: _Any = 'NWC', dilations: _Any = None, name: _Any = None) -> _Any:
    """The transpose of `conv1d`; filters [width, out, channels]. Mirrors `tf.nn.conv1d_transpose`."""
def conv2d(input: _Any, filters: _Any, strides: _Any, padding: _Any, data_format: _Any = 'NHWC', dilations: _Any = None, name: _Any = None) -> _Any:
    """Convolve images with filters [height, width, channels / groups, out]. Mirrors `tf.nn.conv2d`."""
def conv2d_transpose(input: _Any, filters: _Any, output_shape: _Any, strides: _Any, padding: _Any = 'SAME', data_format: _Any = 'NHWC', dilations: _Any = None, name: _Any = None) -> _Any:
    """The transpose of `conv2d`; filters [height, width, out, channels]. Mirrors `tf.nn.conv2d_transpose`."""
def conv3d(input: _Any, filters: _Any, strides: _Any, padding: _Any, data_format: _Any = 'NDHWC', dilations: _Any = None, name: _Any = None) -> _Any:
    """Convolve volumes with filters [depth, height, width, channels, out]. Mirrors `tf.nn.conv3d`."""
def conv3d_transpose(input: _Any, filters: _Any, output_shape: _Any, strides: _Any, padding: _Any = 'SAME', data_format: _Any = 'NDHWC', dilations: _Any = None, name: _Any = None) -> _Any:
    """The transpose of `conv3d`. Mirrors `tf.nn.conv3d_transpose`."""
def conv_transpose(input: _Any, filters: _Any, output_shape: _Any, strides: _Any, padding: _Any = 'SAME', data_format: _Any = None, dilations: _Any = None, name: _Any = None) -> _Any:
    """The transpose of `convolution`. Mirrors `tf.nn.conv_transpose`."""
def convolution(input: _Any, filters: _Any, strides: _Any = None, padding: _Any = 'VALID', data_format: _Any = None, dilations: _Any = None, name: _Any = None) -> _Any:
    """A convolution of as many dimensions as the filters have. Mirrors `tf.nn.convolution`."""
def crelu(features: _Any, axis: _Any = -1, name: _Any = None) -> _Any:
    """The positive parts, then the magnitudes of the negative parts, side by side along `axis`."""
def ctc_beam_search_decoder(inputs: _Any, sequence_length: _Any, beam_width: _Any = 100, top_paths: _Any = 1) -> _Any:
    """The likeliest labels, as far as a search among so many finds them. Mirrors `tf.nn.ctc_beam_search_decoder`."""
def ctc_greedy_decoder(inputs: _Any, sequence_length: _Any, merge_repeated: _Any = True, blank_index: _Any = None) -> _Any:
    """The labels that the likeliest class of each step gives. Mirrors `tf.nn.ctc_greedy_decoder`."""
def ctc_loss(labels: _Any, logits: _Any, label_length: _Any, logit_length: _Any, logits_time_major: _Any = True, unique: _Any = None, blank_index: _Any = None, name: _Any = None) -> _Any:
    """The negative log-likelihood of labels whose places in time are not known. Mirrors `tf.nn.ctc_loss`."""
def ctc_unique_labels(labels: _Any, name: _Any = None) -> _Any:
    """The different labels of each row, and which of them each label is. Mirrors `tf.nn.ctc_unique_labels`."""
def depth_to_space(input: _Any, block_size: _Any, data_format: _Any = 'NHWC', name: _Any = None) -> _Any:
    """Channels moved into blocks of the picture."""
def depthwise_conv2d(input: _Any, filter: _Any, strides: _Any, padding: _Any, data_format: _Any = None, dilations: _Any = None, name: _Any = None) -> _Any:
    """Convolve each channel by itself: filters [height, width, channels, each]. Mirrors `tf.nn.depthwise_conv2d`."""
def depthwise_conv2d_backprop_filter(input: _Any, filter_sizes: _Any, out_backprop: _Any, strides: _Any, padding: _Any, data_format: _Any = 'NHWC', dilations: _Any = ..., name: _Any = None) -> _Any:
    """The gradient of `tf.nn.depthwise_conv2d` by its filters. Mirrors `tf.nn.depthwise_conv2d_backprop_filter`."""
def depthwise_conv2d_backprop_input(input_sizes: _Any, filter: _Any, out_backprop: _Any, strides: _Any, padding: _Any, data_format: _Any = 'NHWC', dilations: _Any = ..., name: _Any = None) -> _Any:
    """The gradient of `tf.nn.depthwise_conv2d` by its input. Mirrors `tf.nn.depthwise_conv2d_backprop_input`."""
def dilation2d(input: _Any, filters: _Any, strides: _Any, padding: _Any, data_format: _Any, dilations: _Any, name: _Any = None) -> _Any:
    """The largest sum of pixels and a structuring function in each window. Mirrors `tf.nn.dilation2d`."""
def dropout(x: _Any, rate: _Any, noise_shape: _Any = None, seed: _Any = None, name: _Any = None) -> _Any:
    """Set a random share `rate` of the elements to 0 and scale the rest up. Mirrors `tf.nn.dropout`."""
def elu(features: _Any, name: _Any = None) -> _Any:
    """x where positive, exp(x) - 1 elsewhere."""
def embedding_lookup(params: _Any, ids: _Any, max_norm: _Any = None, name: _Any = None) -> _Any:
    """Rows of a table, or of one split over several tensors. Mirrors `tf.nn.embedding_lookup`."""
def embedding_lookup_sparse(params: _Any, sp_ids: _Any, sp_weights: _Any, combiner: _Any = None, max_norm: _Any = None, name: _Any = None, allow_fast_lookup: _Any = False) -> _Any:
    """Rows of a table, combined to one for each row of ids. Mirrors `tf.nn.embedding_lookup_sparse`."""
def erosion2d(value: _Any, filters: _Any, strides: _Any, padding: _Any, data_format: _Any, dilations: _Any, name: _Any = None) -> _Any:
    """The smallest difference of pixels and a structuring function in each window. Mirrors `tf.nn.erosion2d`."""
def fixed_unigram_candidate_sampler(true_classes: _Any, num_true: _Any, num_sampled: _Any, unique: _Any, range_max: _Any, vocab_file: _Any = '', distortion: _Any = ..., num_reserved_ids: _Any = 0, num_shards: _Any = 1, shard: _Any = 0, unigrams: _Any = ..., seed: _Any = None, name: _Any = None) -> _Any:
    """Classes drawn by lot, as likely as given counts say. Mirrors `tf.random.fixed_unigram_candidate_sampler`."""
def fractional_avg_pool(value: _Any, pooling_ratio: _Any, pseudo_random: _Any = False, overlapping: _Any = False, seed: _Any = 0, name: _Any = None) -> _Any:
    """The means of windows whose sizes are drawn by lot; see `fractional_max_pool`. Mirrors `tf.nn.fractional_avg_pool`."""
def fractional_max_pool(value: _Any, pooling_ratio: _Any, pseudo_random: _Any = False, overlapping: _Any = False, seed: _Any = 0, name: _Any = None) -> _Any:
    """The largest pixels of windows whose sizes are drawn by lot. Mirrors `tf.nn.fractional_max_pool`."""
def gelu(features: _Any, approximate: _Any = False, name: _Any = None) -> _Any:
    """The Gaussian error linear unit, exact or by tanh. Mirrors `tf.nn.gelu`."""
def in_top_k(targets: _Any, predictions: _Any, k: _Any, name: _Any = None) -> _Any:
    """Whether fewer than `k` classes have a higher prediction than the target; False for a target that is no class."""
def isotonic_regression(inputs: _Any, decreasing: _Any = True, axis: _Any = -1) -> _Any:
    """The closest numbers that never rise (or never fall). Mirrors `tf.nn.isotonic_regression`."""
def l2_loss(t: _Any, name: _Any = None) -> _Any:
    """Half the sum of the squares."""
def l2_normalize(x: _Any, axis: _Any = None, epsilon: _Any = ..., name: _Any = None, dim: _Any = None) -> _Any:
    """`x`, scaled to a Euclidean norm of 1 along the axes. Mirrors `tf.math.l2_normalize`."""
def leaky_relu(features: _Any, alpha: _Any = ..., name: _Any = None) -> _Any:
    """Each element, scaled by `alpha` where it is not positive; integers become float32. Mirrors `tf.nn.leaky_relu`."""
def local_response_normalization(input: _Any, depth_radius: _Any = 5, bias: _Any = 1, alpha: _Any = 1, beta: _Any = ..., name: _Any = None) -> _Any:
    """Each element, divided by a power of the squares around it along the channels."""
def log_poisson_loss(targets: _Any, log_input: _Any, compute_full_loss: _Any = False, name: _Any = None) -> _Any:
    """The negative log-likelihood of counts, without a constant by default. Mirrors `tf.nn.log_poisson_loss`."""
def log_softmax(logits: _Any, axis: _Any = None, name: _Any = None) -> _Any:
    """logits - log(sum(exp(logits))) along `axis`, the last one by default."""
def lrn(input: _Any, depth_radius: _Any = 5, bias: _Any = 1, alpha: _Any = 1, beta: _Any = ..., name: _Any = None) -> _Any:
    """Each element, divided by a power of the squares around it along the channels."""
def max_pool(input: _Any, ksize: _Any, strides: _Any, padding: _Any, data_format: _Any = None, name: _Any = None) -> _Any:
    """The maximum of each window, over one to three spatial dimensions. Mirrors `tf.nn.max_pool`."""
def max_pool1d(input: _Any, ksize: _Any, strides: _Any, padding: _Any, data_format: _Any = 'NWC', name: _Any = None) -> _Any:
    """The maximum of each window of [batch, width, channels]. Mirrors `tf.nn.max_pool1d`."""
def max_pool2d(input: _Any, ksize: _Any, strides: _Any, padding: _Any, data_format: _Any = 'NHWC', name: _Any = None) -> _Any:
    """The maximum of each window of an image; the gradient goes to the first one. Mirrors `tf.nn.max_pool2d`."""
def max_pool3d(input: _Any, ksize: _Any, strides: _Any, padding: _Any, data_format: _Any = 'NDHWC', name: _Any = None) -> _Any:
    """The maximum of each window of a volume. Mirrors `tf.nn.max_pool3d`."""
def max_pool_with_argmax(input: _Any, ksize: _Any, strides: _Any, padding: _Any, data_format: _Any = 'NHWC', output_dtype: _Any = ..., include_batch_in_index: _Any = False, name: _Any = None) -> _Any:
    """The maximum of each window of an image, and its flat index. Mirrors `tf.nn.max_pool_with_argmax`."""
def moments(x: _Any, axes: _Any, shift: _Any = None, keepdims: _Any = False, name: _Any = None) -> _Any:
    """Mean and variance over the dimensions `axes`. Mirrors `tf.nn.moments`; `shift` is not used there either."""
def nce_loss(weights: _Any, biases: _Any, labels: _Any, inputs: _Any, num_sampled: _Any, num_classes: _Any, num_true: _Any = 1, sampled_values: _Any = None, remove_accidental_hits: _Any = False, name: _Any = 'nce_loss') -> _Any:
    """Noise-contrastive estimation: are classes of the example, or drawn by lot? Mirrors `tf.nn.nce_loss`."""
def normalize_moments(counts: _Any, mean_ss: _Any, variance_ss: _Any, shift: _Any, name: _Any = None) -> _Any:
    """Mean and variance from sufficient statistics. Mirrors `tf.nn.normalize_moments`."""
def pool(input: _Any, window_shape: _Any, pooling_type: _Any, strides: _Any = None, padding: _Any = 'VALID', data_format: _Any = None, dilations: _Any = None, name: _Any = None) -> _Any:
    """Pooling of type "MAX" or "AVG" over as many dimensions as `window_shape` has. Mirrors `tf.nn.pool`."""
def relu(features: _Any, name: _Any = None) -> _Any:
    """The larger of each element and 0; its derivative at 0 is 0."""
def relu6(features: _Any, name: _Any = None) -> _Any:
    """Each element limited to [0, 6]; its derivative at both edges is 0."""
def safe_embedding_lookup_sparse(embedding_weights: _Any, sparse_ids: _Any, sparse_weights: _Any = None, combiner: _Any = 'mean', default_id: _Any = None, max_norm: _Any = None, name: _Any = None, allow_fast_lookup: _Any = False) -> _Any:
    """`embedding_lookup_sparse` for ids of which some are invalid, and rows of which some are empty."""
def sampled_softmax_loss(weights: _Any, biases: _Any, labels: _Any, inputs: _Any, num_sampled: _Any, num_classes: _Any, num_true: _Any = 1, sampled_values: _Any = None, remove_accidental_hits: _Any = True, seed: _Any = None, name: _Any = 'sampled_softmax_loss') -> _Any:
    """Cross entropy of the softmax over the example's classes and some drawn by lot. Mirrors `tf.nn.sampled_softmax_loss`."""
def scale_regularization_loss(regularization_loss: _Any) -> _Any:
    """The sum of the losses, divided among replicas. Mirrors `tf.nn.scale_regularization_loss`."""
def selu(features: _Any, name: _Any = None) -> _Any:
    """The self-normalising variant of `elu`."""
def separable_conv2d(input: _Any, depthwise_filter: _Any, pointwise_filter: _Any, strides: _Any, padding: _Any, data_format: _Any = None, dilations: _Any = None, name: _Any = None) -> _Any:
    """`depthwise_conv2d`, then a 1x1 `conv2d` that mixes the channels. Mirrors `tf.nn.separable_conv2d`."""
def sigmoid(x: _Any, name: _Any = None) -> _Any:
    """`1 / (1 + exp(-x))`."""
def sigmoid_cross_entropy_with_logits(labels: _Any = None, logits: _Any = None, name: _Any = None) -> _Any:
    """Cross entropy of independent classes, elementwise. Mirrors `tf.nn.sigmoid_cross_entropy_with_logits`."""
def silu(features: _Any, beta: _Any = ...) -> _Any:
    """x * sigmoid(beta * x). Mirrors `tf.nn.silu` and `tf.nn.swish`."""
def softmax(logits: _Any, axis: _Any = None, name: _Any = None) -> _Any:
    """exp(logits) / sum(exp(logits)) along `axis`, the last one by default."""
def softmax_cross_entropy_with_logits(labels: _Any, logits: _Any, axis: _Any = -1, name: _Any = None) -> _Any:
    """Cross entropy of the softmax of `logits` for the probabilities `labels`."""
def softplus(features: _Any, name: _Any = None) -> _Any:
    """log(exp(x) + 1), without overflow."""
def softsign(features: _Any, name: _Any = None) -> _Any:
    """x / (1 + |x|)."""
def space_to_batch(input: _Any, block_shape: _Any, paddings: _Any, name: _Any = None) -> _Any:
    """Blocks of the (padded) spatial dimensions moved into the batch dimension."""
def space_to_depth(input: _Any, block_size: _Any, data_format: _Any = 'NHWC', name: _Any = None) -> _Any:
    """Blocks of the picture moved into its channels."""
def sparse_softmax_cross_entropy_with_logits(labels: _Any, logits: _Any, name: _Any = None) -> _Any:
    """Cross entropy of the softmax of `logits` for the classes `labels`."""
def sufficient_statistics(x: _Any, axes: _Any, shift: _Any = None, keepdims: _Any = False, name: _Any = None) -> _Any:
    """The count, the sum and the sum of squares over `axes`, and the shift. Mirrors `tf.nn.sufficient_statistics`."""
def swish(features: _Any, beta: _Any = ...) -> _Any:
    """x * sigmoid(beta * x). Mirrors `tf.nn.silu` and `tf.nn.swish`."""
def tanh(x: _Any, name: _Any = None) -> _Any:
    """Hyperbolic tangent."""
def top_k(input: _Any, k: _Any = 1, sorted: _Any = True, index_type: _Any = ..., name: _Any = None) -> _Any:
    """The `k` largest numbers along the last axis, and where they are. Mirrors `tf.math.top_k`."""
def weighted_cross_entropy_with_logits(labels: _Any, logits: _Any, pos_weight: _Any, name: _Any = None) -> _Any:
    """`sigmoid_cross_entropy_with_logits` with positive examples weighted. Mirrors its namesake in `tf.nn`."""
def weighted_moments(x: _Any, axes: _Any, frequency_weights: _Any, keepdims: _Any = False, name: _Any = None) -> _Any:
    """Mean and variance over `axes`, each element counted with a weight. Mirrors `tf.nn.weighted_moments`."""
def with_space_to_batch(input: _Any, dilation_rate: _Any, padding: _Any, op: _Any, filter_shape: _Any = None, spatial_dims: _Any = None, data_format: _Any = None) -> _Any:
    """An operation over windows with holes: done without them on the pieces that the holes make of the input."""
def zero_fraction(value: _Any, name: _Any = None) -> _Any:
    """The fraction of the elements that are zero, as a float32."""
