"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
from tfgrad_jax.ops.image.resizing import ResizeMethod as ResizeMethod
def adjust_brightness(image: _Any, delta: _Any) -> _Any:
    """Add `delta`, in the scale of floating images. Mirrors `tf.image.adjust_brightness`."""
def adjust_contrast(images: _Any, contrast_factor: _Any) -> _Any:
    """Spread each channel around its mean by a factor. Mirrors `tf.image.adjust_contrast`; it has no gradient there."""
def adjust_gamma(image: _Any, gamma: _Any = 1, gain: _Any = 1) -> _Any:
    """`gain` times the image to the power `gamma`. Mirrors `tf.image.adjust_gamma`."""
def adjust_hue(image: _Any, delta: _Any, name: _Any = None) -> _Any:
    """Turn the hue of an RGB image by a part of the circle. Mirrors `tf.image.adjust_hue`; it has no gradient there."""
def adjust_jpeg_quality(image: _Any, jpeg_quality: _Any, dct_method: _Any = '', name: _Any = None) -> _Any:
    """The image as it looks after it was stored as JPEG. Mirrors `tf.image.adjust_jpeg_quality`."""
def adjust_saturation(image: _Any, saturation_factor: _Any, name: _Any = None) -> _Any:
    """Multiply the saturation of an RGB image. Mirrors `tf.image.adjust_saturation`; it has no gradient there."""
def central_crop(image: _Any, central_fraction: _Any) -> _Any:
    """The middle of an image, a fraction of each side. Mirrors `tf.image.central_crop`."""
def combined_non_max_suppression(boxes: _Any, scores: _Any, max_output_size_per_class: _Any, max_total_size: _Any, iou_threshold: _Any = ..., score_threshold: _Any = ..., pad_per_class: _Any = False, clip_boxes: _Any = True, name: _Any = None) -> _Any:
    """The best boxes of each class that do not overlap much. Mirrors `tf.image.combined_non_max_suppression`."""
def convert_image_dtype(image: _Any, dtype: _Any, saturate: _Any = False, name: _Any = None) -> _Any:
    """An image with another dtype: integers span their range, floats [0, 1]. Mirrors `tf.image.convert_image_dtype`."""
def crop_and_resize(image: _Any, boxes: _Any, box_indices: _Any, crop_size: _Any, method: _Any = 'bilinear', extrapolation_value: _Any = ..., name: _Any = None) -> _Any:
    """Parts of images, brought to one size. Mirrors `tf.image.crop_and_resize`."""
def crop_to_bounding_box(image: _Any, offset_height: _Any, offset_width: _Any, target_height: _Any, target_width: _Any) -> _Any:
    """A part of an image. Mirrors `tf.image.crop_to_bounding_box`."""
def decode_and_crop_jpeg(contents: _Any, crop_window: _Any, channels: _Any = 0, ratio: _Any = 1, fancy_upscaling: _Any = True, try_recover_truncated: _Any = False, acceptable_fraction: _Any = 1, dct_method: _Any = '', name: _Any = None) -> _Any:
    """The pixels of a part of a JPEG image. Mirrors `tf.io.decode_and_crop_jpeg`."""
def decode_bmp(contents: _Any, channels: _Any = 0, name: _Any = None) -> _Any:
    """The pixels of a BMP image. Mirrors `tf.io.decode_bmp`."""
def decode_gif(contents: _Any, name: _Any = None) -> _Any:
    """The pixels of all frames of a GIF image. Mirrors `tf.io.decode_gif`."""
def decode_image(contents: _Any, channels: _Any = None, dtype: _Any = ..., name: _Any = None, expand_animations: _Any = True) -> _Any:
    """The pixels of a BMP, GIF, JPEG or PNG image. Mirrors `tf.io.decode_image`."""
def decode_jpeg(contents: _Any, channels: _Any = 0, ratio: _Any = 1, fancy_upscaling: _Any = True, try_recover_truncated: _Any = False, acceptable_fraction: _Any = 1, dct_method: _Any = '', name: _Any = None) -> _Any:
    """The pixels of a JPEG image. Mirrors `tf.io.decode_jpeg`."""
def decode_png(contents: _Any, channels: _Any = 0, dtype: _Any = ..., name: _Any = None) -> _Any:
    """The pixels of a PNG image. Mirrors `tf.io.decode_png`."""
def decode_webp(contents: _Any, channels: _Any = 0, dtype: _Any = ..., name: _Any = None) -> _Any:
    """The pixels of all frames of a WebP image, `[frames, height, width, channels]`. Mirrors `tf.io.decode_webp`."""
def draw_bounding_boxes(images: _Any, boxes: _Any, colors: _Any, name: _Any = None) -> _Any:
    """Images with the outlines of boxes. Mirrors `tf.image.draw_bounding_boxes`."""
def encode_jpeg(image: _Any, format: _Any = '', quality: _Any = 95, progressive: _Any = False, optimize_size: _Any = False, chroma_downsampling: _Any = True, density_unit: _Any = 'in', x_density: _Any = 300, y_density: _Any = 300, xmp_metadata: _Any = '', name: _Any = None) -> _Any:
    """An image as a JPEG file. Mirrors `tf.io.encode_jpeg`."""
def encode_png(image: _Any, compression: _Any = -1, name: _Any = None) -> _Any:
    """Images as PNG files. Mirrors `tf.io.encode_png`."""
def extract_glimpse(input: _Any, size: _Any, offsets: _Any, centered: _Any = True, normalized: _Any = True, noise: _Any = 'uniform', name: _Any = None) -> _Any:
    """A part of each image. Mirrors `tf.image.extract_glimpse`."""
def extract_jpeg_shape(contents: _Any, output_type: _Any = ..., name: _Any = None) -> _Any:
    """Height, width and number of channels of a JPEG image, from its header. Mirrors `tf.io.extract_jpeg_shape`."""
def extract_patches(images: _Any, sizes: _Any, strides: _Any, rates: _Any, padding: _Any, name: _Any = None) -> _Any:
    """Every window of the images, its pixels as channels. Mirrors `tf.image.extract_patches`."""
def flip_left_right(image: _Any) -> _Any:
    """The columns in reverse order. Mirrors `tf.image.flip_left_right`."""
def flip_up_down(image: _Any) -> _Any:
    """The rows in reverse order. Mirrors `tf.image.flip_up_down`."""
def generate_bounding_box_proposals(scores: _Any, bbox_deltas: _Any, image_info: _Any, anchors: _Any, nms_threshold: _Any = ..., pre_nms_topn: _Any = 6000, min_size: _Any = 16, post_nms_topn: _Any = 300, name: _Any = None) -> _Any:
    """Not here, nor in TensorFlow without a GPU. Mirrors `tf.image.generate_bounding_box_proposals`."""
def grayscale_to_rgb(images: _Any, name: _Any = None) -> _Any:
    """One channel, three times."""
def hsv_to_rgb(images: _Any, name: _Any = None) -> _Any:
    """Red, green and blue from hue, saturation and value."""
def image_gradients(image: _Any) -> _Any:
    """Differences to the next row and to the next column, 0 at the end. Mirrors `tf.image.image_gradients`."""
def is_jpeg(contents: _Any, name: _Any = None) -> _Any:
    """Whether a file begins as a JPEG image does. Mirrors `tf.io.is_jpeg`."""
def non_max_suppression(boxes: _Any, scores: _Any, max_output_size: _Any, iou_threshold: _Any = ..., score_threshold: _Any = ..., name: _Any = None) -> _Any:
    """The numbers of the best boxes that do not overlap much. Mirrors `tf.image.non_max_suppression`."""
def non_max_suppression_overlaps(overlaps: _Any, scores: _Any, max_output_size: _Any, overlap_threshold: _Any = ..., score_threshold: _Any = ..., name: _Any = None) -> _Any:
    """As `tf.image.non_max_suppression`, for overlaps that are given. Mirrors `tf.image.non_max_suppression_overlaps`."""
def non_max_suppression_padded(boxes: _Any, scores: _Any, max_output_size: _Any, iou_threshold: _Any = ..., score_threshold: _Any = ..., pad_to_max_output_size: _Any = False, name: _Any = None, sorted_input: _Any = False, canonicalized_coordinates: _Any = False, tile_size: _Any = 512) -> _Any:
    """As `tf.image.non_max_suppression`, for several images at once. Mirrors `tf.image.non_max_suppression_padded`."""
def non_max_suppression_with_scores(boxes: _Any, scores: _Any, max_output_size: _Any, iou_threshold: _Any = ..., score_threshold: _Any = ..., soft_nms_sigma: _Any = ..., name: _Any = None) -> _Any:
    """As `tf.image.non_max_suppression`, with the scores. Mirrors `tf.image.non_max_suppression_with_scores`."""
def pad_to_bounding_box(image: _Any, offset_height: _Any, offset_width: _Any, target_height: _Any, target_width: _Any) -> _Any:
    """An image in the middle of zeros. Mirrors `tf.image.pad_to_bounding_box`."""
def per_image_standardization(image: _Any) -> _Any:
    """Each image scaled to mean 0 and variance 1, as float32. Mirrors `tf.image.per_image_standardization`."""
def psnr(a: _Any, b: _Any, max_val: _Any, name: _Any = None) -> _Any:
    """The peak signal-to-noise ratio of images, in decibels. Mirrors `tf.image.psnr`."""
def random_brightness(image: _Any, max_delta: _Any, seed: _Any = None) -> _Any:
    """`adjust_brightness` by a random number. Mirrors `tf.image.random_brightness`."""
def random_contrast(image: _Any, lower: _Any, upper: _Any, seed: _Any = None) -> _Any:
    """`adjust_contrast` by a random number. Mirrors `tf.image.random_contrast`."""
def random_crop(value: _Any, size: _Any, seed: _Any = None, name: _Any = None) -> _Any:
    """A part of the given size from anywhere in `value`. Mirrors `tf.image.random_crop`."""
def random_flip_left_right(image: _Any, seed: _Any = None) -> _Any:
    """Each image mirrored with probability one half. Mirrors `tf.image.random_flip_left_right`."""
def random_flip_up_down(image: _Any, seed: _Any = None) -> _Any:
    """Each image upside down with probability one half. Mirrors `tf.image.random_flip_up_down`."""
def random_hue(image: _Any, max_delta: _Any, seed: _Any = None) -> _Any:
    """`adjust_hue` by a random number. Mirrors `tf.image.random_hue`."""
def random_jpeg_quality(image: _Any, min_jpeg_quality: _Any, max_jpeg_quality: _Any, seed: _Any = None) -> _Any:
    """`adjust_jpeg_quality` by a random number. Mirrors `tf.image.random_jpeg_quality`."""
def random_saturation(image: _Any, lower: _Any, upper: _Any, seed: _Any = None) -> _Any:
    """`adjust_saturation` by a random number. Mirrors `tf.image.random_saturation`."""
def resize(images: _Any, size: _Any, method: _Any = 'bilinear', preserve_aspect_ratio: _Any = False, antialias: _Any = False, name: _Any = None) -> _Any:
    """Images of another size. Mirrors `tf.image.resize`; the result is float32 unless the method is "nearest"."""
def resize_with_crop_or_pad(image: _Any, target_height: _Any, target_width: _Any) -> _Any:
    """The image brought to a size by cutting or padding both sides alike. Mirrors its namesake in `tf.image`."""
def resize_with_pad(image: _Any, target_height: _Any, target_width: _Any, method: _Any = 'bilinear', antialias: _Any = False) -> _Any:
    """The image resized to fit, amid zeros. Mirrors `tf.image.resize_with_pad`."""
def rgb_to_grayscale(images: _Any, name: _Any = None) -> _Any:
    """The luminance of RGB images, as one channel. Mirrors `tf.image.rgb_to_grayscale`."""
def rgb_to_hsv(images: _Any, name: _Any = None) -> _Any:
    """Hue, saturation and value from red, green and blue."""
def rgb_to_yiq(images: _Any, name: _Any = None) -> _Any:
    """Mirrors `tf.image.rgb_to_yiq`."""
def rgb_to_yuv(images: _Any, name: _Any = None) -> _Any:
    """Mirrors `tf.image.rgb_to_yuv`."""
def rot90(image: _Any, k: _Any = 1, name: _Any = None) -> _Any:
    """`k` quarter turns counter-clockwise. Mirrors `tf.image.rot90`."""
def sample_distorted_bounding_box(image_size: _Any, bounding_boxes: _Any, seed: _Any = 0, min_object_covered: _Any = ..., aspect_ratio_range: _Any = None, area_range: _Any = None, max_attempts: _Any = None, use_image_if_no_bounding_boxes: _Any = None, name: _Any = None) -> _Any:
    """A random part of an image that shows enough of a box. Mirrors `tf.image.sample_distorted_bounding_box`."""
def sobel_edges(image: _Any) -> _Any:
    """Sobel's derivatives of images, downwards and to the right. Mirrors `tf.image.sobel_edges`."""
def ssim(img1: _Any, img2: _Any, max_val: _Any, filter_size: _Any = 11, filter_sigma: _Any = ..., k1: _Any = ..., k2: _Any = ..., return_index_map: _Any = False) -> _Any:
    """The structural similarity of images. Mirrors `tf.image.ssim`."""
def ssim_multiscale(img1: _Any, img2: _Any, max_val: _Any, power_factors: _Any = ..., filter_size: _Any = 11, filter_sigma: _Any = ..., k1: _Any = ..., k2: _Any = ...) -> _Any:
    """The structural similarity of images at several scales. Mirrors `tf.image.ssim_multiscale`."""
def stateless_random_brightness(image: _Any, max_delta: _Any, seed: _Any) -> _Any:
    """`adjust_brightness` by a random number. Mirrors `tf.image.stateless_random_brightness`."""
def stateless_random_contrast(image: _Any, lower: _Any, upper: _Any, seed: _Any = None) -> _Any:
    """`adjust_contrast` by a random number. Mirrors `tf.image.stateless_random_contrast`."""
def stateless_random_crop(value: _Any, size: _Any, seed: _Any, name: _Any = None) -> _Any:
    """`random_crop` by a seed of two integers. Mirrors `tf.image.stateless_random_crop`."""
def stateless_random_flip_left_right(image: _Any, seed: _Any) -> _Any:
    """`random_flip_left_right` by a seed of two integers. Mirrors its namesake in `tf.image`."""
def stateless_random_flip_up_down(image: _Any, seed: _Any) -> _Any:
    """`random_flip_up_down` by a seed of two integers. Mirrors its namesake in `tf.image`."""
def stateless_random_hue(image: _Any, max_delta: _Any, seed: _Any) -> _Any:
    """`adjust_hue` by a random number. Mirrors `tf.image.stateless_random_hue`."""
def stateless_random_jpeg_quality(image: _Any, min_jpeg_quality: _Any, max_jpeg_quality: _Any, seed: _Any) -> _Any:
    """`random_jpeg_quality` by a seed of two integers. Mirrors `tf.image.stateless_random_jpeg_quality`."""
def stateless_random_saturation(image: _Any, lower: _Any, upper: _Any, seed: _Any = None) -> _Any:
    """`adjust_saturation` by a random number. Mirrors `tf.image.stateless_random_saturation`."""
def stateless_sample_distorted_bounding_box(image_size: _Any, bounding_boxes: _Any, seed: _Any, min_object_covered: _Any = ..., aspect_ratio_range: _Any = None, area_range: _Any = None, max_attempts: _Any = None, use_image_if_no_bounding_boxes: _Any = None, name: _Any = None) -> _Any:
    """As `tf.image.sample_distorted_bounding_box`, by a seed of two integers alone."""
def total_variation(images: _Any, name: _Any = None) -> _Any:
    """The sum of the sizes of the differences between neighbours, for each image."""
def transpose(image: _Any, name: _Any = None) -> _Any:
    """Rows and columns exchanged. Mirrors `tf.image.transpose`."""
def yiq_to_rgb(images: _Any, name: _Any = None) -> _Any:
    """Mirrors `tf.image.yiq_to_rgb`."""
def yuv_to_rgb(images: _Any, name: _Any = None) -> _Any:
    """Mirrors `tf.image.yuv_to_rgb`."""
