"""Rows of neural networks, images, signals."""

from __future__ import annotations

import numpy as np

from tests.ops.wrong.table import BOXES, COMPLEX, CUBE, IMAGE, ROWS, THREE, M, Made, Rows

rows = Rows()

KERNEL = np.full([2, 2, 3, 2], 0.5, np.float32)
LINE, LINES = np.ones([1, 4, 3], np.float32), np.ones([2, 3, 2], np.float32)
BLOCK, BLOCKS = np.ones([1, 3, 3, 3, 2], np.float32), np.ones([2, 2, 2, 2, 1], np.float32)

rows.each("nn.relu nn.elu nn.leaky_relu nn.softplus nn.relu6 nn.selu nn.softsign", features=M)
rows("nn.gelu", features=M, approximate=True)
rows("nn.silu", features=M, beta=1.0)
rows("nn.crelu", features=M, axis=-1)
rows("nn.softmax", logits=M, axis=-1)
rows("nn.log_softmax", logits=M, axis=-1)
rows("nn.bias_add", value=M, bias=THREE, data_format="NHWC")
rows("nn.dropout", x=M, rate=0.5, noise_shape=[2, 1], seed=3)
rows("nn.experimental.stateless_dropout", x=M, rate=0.5, seed=[1, 2])
rows("nn.softmax_cross_entropy_with_logits", labels=abs(M), logits=M, axis=-1)
rows("nn.sparse_softmax_cross_entropy_with_logits", labels=ROWS, logits=M)
rows("nn.sigmoid_cross_entropy_with_logits", labels=abs(M), logits=M)
rows("nn.weighted_cross_entropy_with_logits", labels=abs(M), logits=M, pos_weight=2.0)
rows("nn.log_poisson_loss", targets=abs(M), log_input=M)
rows("nn.l2_loss", t=M)
rows("nn.l2_normalize", x=M, axis=1)
rows("nn.moments", x=M, axes=[0])
rows("nn.weighted_moments", x=M, axes=[0], frequency_weights=abs(M))
rows("nn.sufficient_statistics", x=M, axes=[0])
rows("nn.batch_normalization", x=M, mean=THREE, variance=abs(THREE), offset=THREE, scale=THREE, variance_epsilon=0.01)
rows("nn.local_response_normalization", input=IMAGE, depth_radius=2, bias=1.0)
rows("nn.conv2d", input=IMAGE, filters=KERNEL, strides=[1, 1], padding="SAME", data_format="NHWC", dilations=1)
rows("nn.conv2d:padded", input=IMAGE, filters=KERNEL, strides=1, padding=[[0, 0], [1, 1], [1, 1], [0, 0]])
rows("nn.conv1d", input=LINE, filters=LINES, stride=1, padding="VALID")
rows("nn.conv3d", input=BLOCK, filters=BLOCKS, strides=[1, 1, 1, 1, 1], padding="SAME")
rows(
    "nn.conv2d_transpose", input=IMAGE, filters=np.ones([2, 2, 2, 3], np.float32), output_shape=[1, 8, 8, 2], strides=2
)
rows("nn.conv1d_transpose", input=LINE, filters=np.ones([2, 2, 3], np.float32), output_shape=[1, 8, 2], strides=2)
rows("nn.depthwise_conv2d", input=IMAGE, filter=KERNEL, strides=[1, 1, 1, 1], padding="SAME")
rows(
    "nn.separable_conv2d",
    input=IMAGE,
    depthwise_filter=KERNEL,
    pointwise_filter=np.ones([1, 1, 6, 2], np.float32),
    strides=[1, 1, 1, 1],
    padding="SAME",
)
rows("nn.convolution", input=IMAGE, filters=KERNEL, strides=[1, 1], padding="VALID", dilations=[1, 1])
rows("nn.atrous_conv2d", value=IMAGE, filters=KERNEL, rate=2, padding="SAME")
rows("nn.max_pool2d", input=IMAGE, ksize=2, strides=2, padding="SAME", data_format="NHWC")
rows("nn.avg_pool2d", input=IMAGE, ksize=[2, 2], strides=[1, 1], padding="VALID")
rows("nn.max_pool1d", input=LINE, ksize=2, strides=1, padding="VALID")
rows("nn.avg_pool3d", input=BLOCK, ksize=2, strides=1, padding="VALID")
rows("nn.pool", input=IMAGE, window_shape=[2, 2], pooling_type="MAX", strides=[1, 1], padding="VALID")
rows("nn.max_pool_with_argmax", input=IMAGE, ksize=2, strides=2, padding="SAME")
rows("nn.fractional_max_pool", value=IMAGE, pooling_ratio=1.5, seed=3)
rows(
    "nn.dilation2d",
    input=IMAGE,
    filters=np.ones([2, 2, 3], np.float32),
    strides=[1, 1, 1, 1],
    padding="SAME",
    data_format="NHWC",
    dilations=[1, 1, 1, 1],
)
rows("nn.embedding_lookup", params=M, ids=ROWS, max_norm=1.0)
rows(
    "nn.embedding_lookup_sparse",
    params=M,
    sp_ids=Made(lambda tf: tf.sparse.from_dense(tf.constant([[1, 0], [1, 1]]))),
    sp_weights=None,
    combiner="mean",
)
rows("nn.top_k", input=M, k=2)
rows("nn.in_top_k", targets=ROWS, predictions=M, k=1)
rows("nn.isotonic_regression", inputs=M, decreasing=True)
rows(
    "nn.ctc_loss",
    labels=np.array([[1, 1]], np.int32),
    logits=np.ones([4, 1, 3], np.float32),
    label_length=[2],
    logit_length=[4],
)
rows("nn.ctc_greedy_decoder", inputs=np.ones([4, 1, 3], np.float32), sequence_length=[4])
rows(
    "nn.ctc_beam_search_decoder", inputs=np.ones([4, 1, 3], np.float32), sequence_length=[4], beam_width=2, top_paths=1
)
rows(
    "nn.nce_loss",
    weights=CUBE[0].repeat(3, 0),
    biases=np.zeros(6, np.float32),
    labels=np.array([[1], [2]], np.int64),
    inputs=M,
    num_sampled=2,
    num_classes=6,
)
rows(
    "nn.sampled_softmax_loss",
    weights=CUBE[0].repeat(3, 0),
    biases=np.zeros(6, np.float32),
    labels=np.array([[1], [2]], np.int64),
    inputs=M,
    num_sampled=2,
    num_classes=6,
)
rows(
    "random.log_uniform_candidate_sampler",
    true_classes=np.array([[1], [2]], np.int64),
    num_true=1,
    num_sampled=2,
    unique=True,
    range_max=5,
)
rows(
    "random.fixed_unigram_candidate_sampler",
    true_classes=np.array([[1], [2]], np.int64),
    num_true=1,
    num_sampled=2,
    unique=True,
    range_max=3,
    unigrams=[0.5, 0.25, 0.25],
)
rows("nn.scale_regularization_loss", regularization_loss=0.5)
rows("nn.compute_average_loss", per_example_loss=THREE, global_batch_size=3)
rows("nn.with_space_to_batch", input=IMAGE, dilation_rate=[2, 2], padding="VALID", op=Made(lambda tf: lambda x, *_: x))

rows("image.resize", images=IMAGE, size=[8, 8], method="bilinear")
rows("image.resize_with_pad", image=IMAGE, target_height=8, target_width=6)
rows("image.resize_with_crop_or_pad", image=IMAGE, target_height=3, target_width=6)
rows("image.crop_to_bounding_box", image=IMAGE, offset_height=1, offset_width=0, target_height=2, target_width=3)
rows("image.pad_to_bounding_box", image=IMAGE, offset_height=1, offset_width=0, target_height=6, target_width=5)
rows("image.central_crop", image=IMAGE, central_fraction=0.5)
rows(
    "image.crop_and_resize",
    image=IMAGE,
    boxes=BOXES,
    box_indices=np.zeros(2, np.int32),
    crop_size=[2, 2],
    method="bilinear",
)
rows("image.flip_left_right", image=IMAGE)
rows("image.random_flip_up_down", image=IMAGE, seed=3)
rows("image.rot90", image=IMAGE, k=1)
rows("image.transpose", image=IMAGE)
rows("image.adjust_brightness", image=IMAGE, delta=0.5)
rows("image.adjust_contrast", images=IMAGE, contrast_factor=2.0)
rows("image.adjust_gamma", image=IMAGE, gamma=2.0, gain=1.0)
rows("image.adjust_hue", image=IMAGE, delta=0.5)
rows("image.adjust_saturation", image=IMAGE, saturation_factor=2.0)
rows("image.adjust_jpeg_quality", image=IMAGE[0], jpeg_quality=50)
rows("image.random_brightness", image=IMAGE, max_delta=0.5)
rows("image.random_contrast", image=IMAGE, lower=0.5, upper=1.0)
rows("image.random_hue", image=IMAGE, max_delta=0.25)
rows("image.random_crop", value=IMAGE, size=[1, 2, 2, 3])
rows("image.stateless_random_crop", value=IMAGE, size=[1, 2, 2, 3], seed=[1, 2])
rows("image.stateless_random_brightness", image=IMAGE, max_delta=0.5, seed=[1, 2])
rows("image.per_image_standardization", image=IMAGE)
rows("image.rgb_to_grayscale", images=IMAGE)
rows("image.grayscale_to_rgb", images=IMAGE[..., :1])
rows.each("image.rgb_to_hsv image.rgb_to_yuv", images=IMAGE)
rows("image.convert_image_dtype", image=IMAGE, dtype=Made(lambda tf: tf.uint8))
rows("image.psnr", a=IMAGE, b=IMAGE / 2, max_val=1.0)
rows("image.ssim", img1=IMAGE, img2=IMAGE, max_val=1.0, filter_size=3)
rows("image.ssim_multiscale", img1=IMAGE, img2=IMAGE, max_val=1.0, power_factors=[0.5], filter_size=2)
rows("image.sobel_edges", image=IMAGE)
rows("image.total_variation", images=IMAGE)
rows("image.image_gradients", image=IMAGE)
rows("image.draw_bounding_boxes", images=IMAGE, boxes=BOXES[None], colors=np.ones([1, 3], np.float32))
rows(
    "image.non_max_suppression",
    boxes=BOXES,
    scores=THREE[:2],
    max_output_size=2,
    iou_threshold=0.5,
    score_threshold=0.0,
)
rows("image.non_max_suppression_padded", boxes=BOXES, scores=THREE[:2], max_output_size=2, iou_threshold=0.5)
rows("image.non_max_suppression_with_scores", boxes=BOXES, scores=THREE[:2], max_output_size=2)
rows("image.non_max_suppression_overlaps", overlaps=np.eye(2, dtype=np.float32), scores=THREE[:2], max_output_size=2)
rows(
    "image.combined_non_max_suppression",
    boxes=BOXES[None, :, None],
    scores=np.ones([1, 2, 1], np.float32),
    max_output_size_per_class=2,
    max_total_size=2,
)
rows(
    "image.sample_distorted_bounding_box",
    image_size=[4, 4, 3],
    bounding_boxes=BOXES[None],
    seed=1,
    min_object_covered=0.1,
)
rows(
    "image.extract_patches", images=IMAGE, sizes=[1, 2, 2, 1], strides=[1, 1, 1, 1], rates=[1, 1, 1, 1], padding="VALID"
)
rows("image.extract_glimpse", input=IMAGE, size=[2, 2], offsets=np.zeros([1, 2], np.float32))

rows("signal.fft", input=COMPLEX[0])
rows.each("signal.ifft2d signal.fft2d", input=COMPLEX)
rows("signal.rfft", input_tensor=THREE, fft_length=[4])
rows("signal.irfft", input_tensor=COMPLEX[0], fft_length=[4])
rows("signal.rfft2d", input_tensor=M, fft_length=[2, 4])
rows("signal.fftshift", x=M, axes=[0])
rows("signal.frame", signal=np.ones(8, np.float32), frame_length=4, frame_step=2, axis=-1)
rows("signal.overlap_and_add", signal=M, frame_step=2)
rows("signal.stft", signals=np.ones(8, np.float32), frame_length=4, frame_step=2, fft_length=4)
rows("signal.inverse_stft", stfts=COMPLEX, frame_length=4, frame_step=2, fft_length=4)
rows("signal.dct", input=M, type=2, n=4, axis=-1, norm="ortho")
rows("signal.idct", input=M, type=2, norm="ortho")
rows("signal.mdct", signals=np.ones(8, np.float32), frame_length=4, norm=None)
rows("signal.inverse_mdct", mdcts=np.ones([3, 2], np.float32))
rows.each("signal.hann_window signal.hamming_window signal.vorbis_window", window_length=4)
rows("signal.kaiser_window", window_length=4, beta=2.0)
rows(
    "signal.linear_to_mel_weight_matrix",
    num_mel_bins=2,
    num_spectrogram_bins=5,
    sample_rate=100,
    lower_edge_hertz=10.0,
    upper_edge_hertz=40.0,
)
rows("signal.mfccs_from_log_mel_spectrograms", log_mel_spectrograms=M)
rows("audio.encode_wav", audio=np.zeros([4, 1], np.float32), sample_rate=100)
