"""Rows of operations on images."""

from __future__ import annotations

import numpy as np

from tests.ops.table import Rows

rows = Rows("image")

random = np.random.default_rng(0)
U8 = (random.uniform(size=(3, 2, 3)) * 255).astype(np.uint8)
F = random.uniform(size=(3, 2, 3)).round(3).tolist()
ONE = random.uniform(size=(1, 3, 4, 1)).round(3).tolist()


def image(name, *args, **options):
    return lambda tf, x, *more: getattr(tf.image, name)(x, *more, *args, **options)


for dtype in ("float32", "uint16", "int8", "int32", "float16", "float64"):
    rows(
        f"convert_image_dtype uint8 {dtype}",
        lambda tf, x, d=dtype: tf.image.convert_image_dtype(x, d),
        U8,
        gradient=False,
    )
for dtype in ("uint8", "int16", "float64"):
    for saturate in (True, False):
        rows(
            f"convert_image_dtype float {dtype} {saturate}",
            lambda tf, x, d=dtype, s=saturate: tf.image.convert_image_dtype(x * 1.2 - 0.1, d, saturate=s),
            F,
            smooth=False,
        )
rows("convert_image_dtype string", lambda tf, x: tf.image.convert_image_dtype(x, tf.string), F)

for tag, value in (("uint8", U8), ("float", F)):
    rows(f"adjust_contrast {tag}", image("adjust_contrast", 2.0), value, gradient=False)
    # No finite differences: float64 images are adjusted in float32.
    rows(f"adjust_brightness {tag}", image("adjust_brightness", 0.1), value, smooth=False)
    rows(f"adjust_gamma {tag}", image("adjust_gamma", 0.5, 0.8), value, smooth=False)
    rows(f"adjust_saturation {tag}", image("adjust_saturation", 0.5), value, gradient=False, rtol=1e-4)
    rows(f"adjust_hue {tag}", image("adjust_hue", 0.2), value, gradient=False, rtol=1e-4)
    rows(f"rgb_to_grayscale {tag}", image("rgb_to_grayscale"), value, smooth=False)
    rows(f"per_image_standardization {tag}", image("per_image_standardization"), value, rtol=1e-4, smooth=False)
for name, *args in (("adjust_contrast", 2.0), ("adjust_saturation", 0.5), ("adjust_hue", 0.2)):
    rows(f"{name} gradient", image(name, *args), F)
rows("adjust_contrast rank", image("adjust_contrast", 2.0), [[0.1, 0.2]])
rows("adjust_gamma negative", image("adjust_gamma", -1.0), F)
rows(
    "per_image_standardization constant",
    image("per_image_standardization"),
    np.ones((2, 2, 1), np.float32),
    gradient=False,
)
rows("rgb_to_hsv", image("rgb_to_hsv"), F)
rows("hsv_to_rgb", image("hsv_to_rgb"), F, smooth=False)
rows("rgb_to_hsv gray", image("rgb_to_hsv"), [[0.5, 0.5, 0.5], [0.0, 0.0, 0.0]], gradient=False)
rows("rgb_to_grayscale channels", image("rgb_to_grayscale"), [[[0.1, 0.2]]])
rows("grayscale_to_rgb", image("grayscale_to_rgb"), [[[0.1], [0.2]]])
for name in ("rgb_to_yuv", "yuv_to_rgb", "rgb_to_yiq", "yiq_to_rgb"):
    rows(name, image(name), F, rtol=1e-4)

WIDE = random.uniform(size=(2, 3, 2)).round(3).tolist()
for name in ("flip_left_right", "flip_up_down", "transpose", "rot90"):
    rows(name, image(name), WIDE)
rows("flip_left_right batch", image("flip_left_right"), [WIDE])
rows("flip_left_right rank", image("flip_left_right"), [[0.1, 0.2]])
for k in (0, 2, 3, 5):
    rows(f"rot90 {k}", image("rot90", k), WIDE)
BIG = np.arange(30, dtype=np.float32).reshape(5, 6, 1)
for fraction in (0.5, 0.3, 1.0, 1.5):
    rows(f"central_crop {fraction}", image("central_crop", fraction), BIG)
rows("crop_to_bounding_box", image("crop_to_bounding_box", 0, 1, 2, 1), WIDE)
rows("crop_to_bounding_box outside", image("crop_to_bounding_box", 0, 1, 2, 3), WIDE)
rows("pad_to_bounding_box", image("pad_to_bounding_box", 1, 0, 4, 5), WIDE)
rows("pad_to_bounding_box outside", image("pad_to_bounding_box", 1, 0, 2, 5), WIDE)
for size in ((3, 8), (6, 3), (8, 9)):
    rows(f"resize_with_crop_or_pad {size}", image("resize_with_crop_or_pad", *size), BIG)

for method in ("bilinear", "nearest", "bicubic", "area", "lanczos3", "lanczos5", "gaussian", "mitchellcubic"):
    for size in ((2, 2), (5, 3)):
        rows(
            f"resize {method} {size}",
            image("resize", size, method),
            ONE,
            gradient=method != "area",
            smooth=False,
            rtol=1e-4,
        )
        rows(
            f"resize {method} {size} antialias",
            image("resize", size, method, antialias=True),
            ONE,
            gradient=False,
            rtol=1e-4,
        )
rows("resize area gradient", image("resize", (2, 2), "area"), ONE)
for method in ("bilinear", "nearest"):
    rows(f"resize uint8 {method}", image("resize", (4, 3), method), U8)
    rows(f"resize to the same size {method}", image("resize", (3, 2), method), U8)
rows("resize preserve_aspect_ratio", image("resize", (6, 6), preserve_aspect_ratio=True), ONE, smooth=False)
rows("resize wrong size", image("resize", (6,)), ONE)
rows("resize to nothing", image("resize", (0, 6)), ONE)
rows("resize rank", image("resize", (6, 6)), [[0.1]])
rows("resize unknown method", image("resize", (6, 6), "foo"), ONE)
rows("resize_with_pad", image("resize_with_pad", 6, 6), ONE, smooth=False)
rows("extract_patches", image("extract_patches", [1, 2, 2, 1], [1, 1, 2, 1], [1, 1, 1, 1], "SAME"), ONE)

rows("total_variation", image("total_variation"), F)
rows("total_variation flat", image("total_variation"), np.ones((2, 2, 1), np.float32), smooth=False)
rows("image_gradients", image("image_gradients"), ONE)
rows("sobel_edges", image("sobel_edges"), ONE)
rows("psnr", lambda tf, x: tf.image.psnr(x, x * 0.9, 1.0), F, rtol=1e-4, smooth=False)


def seeded(call):
    def run(tf, x):
        tf.random.set_seed(7)
        return [call(tf, x) for _ in range(3)]

    return run


for name, *args in (
    ("random_flip_left_right",),
    ("random_flip_up_down",),
    ("random_brightness", 0.5),
    ("random_contrast", 0.5, 1.5),
    ("random_saturation", 0.5, 1.5),
    ("random_hue", 0.2),
):
    rows(name, seeded(image(name, *args)), F, gradient=False, rtol=1e-4)
    rows(f"stateless_{name}", image(f"stateless_{name}", *args, [1, 2]), F, gradient=False, rtol=1e-4)
rows("random_flip_left_right batch", seeded(image("random_flip_left_right")), [F] * 4, smooth=False)
rows("random_brightness negative", image("random_brightness", -0.5), F)
rows("random_contrast empty range", image("random_contrast", 1.5, 0.5), F)
rows("random_crop", seeded(image("random_crop", [2, 3, 1])), BIG, smooth=False)
rows("stateless_random_crop", image("stateless_random_crop", [2, 3, 1], [1, 2]), BIG, smooth=False)
rows("random_crop too large", image("random_crop", [9, 9, 1]), BIG)

# -- how alike

BIGGER = random.uniform(size=(2, 7, 6, 2)).round(3).tolist()
OTHER = random.uniform(size=(2, 7, 6, 2)).round(3).tolist()
for tag, options in (
    ("", {}),
    (" map", {"return_index_map": True}),
    (" wide", {"filter_sigma": 3.0, "k1": 0.1, "k2": 0.2}),
):
    rows(
        f"ssim{tag}",
        lambda tf, x, y, o=options: tf.image.ssim(x, y, 1.0, filter_size=3, **o),
        BIGGER,
        OTHER,
        rtol=1e-3,
        smooth=False,
    )
rows("ssim broadcast", lambda tf, x, y: tf.image.ssim(x, y[0], 1.0, 3), BIGGER, OTHER, rtol=1e-3, smooth=False)
rows("ssim uint8", lambda tf, x: tf.image.ssim(x, x // 2, 255, 2), U8, rtol=1e-3)
rows("ssim too small", lambda tf, x, y: tf.image.ssim(x, y, 1.0), BIGGER, OTHER)
rows("ssim of two shapes", lambda tf, x, y: tf.image.ssim(x, y[:, 1:], 1.0), BIGGER, OTHER)
rows("ssim rank", lambda tf, x: tf.image.ssim(x, x, 1.0), [[0.1]])
rows(
    "ssim_multiscale",
    lambda tf, x, y: tf.image.ssim_multiscale(x, x * 0.8 + y * 0.2, 1.0, (0.4, 0.6), filter_size=3),
    BIGGER,
    OTHER,
    rtol=1e-3,
    smooth=False,
)
rows("ssim_multiscale too small", lambda tf, x, y: tf.image.ssim_multiscale(x, y, 1.0), BIGGER, OTHER)

# -- boxes

BOXES = [[0.1, 0.2, 0.8, 0.9], [0.3, -0.5, 1.2, 0.6], [0.8, 0.1, 0.2, 0.7]]
for channels in (1, 3, 4):
    rows(
        f"draw_bounding_boxes {channels}",
        image("draw_bounding_boxes", [BOXES], None),
        np.zeros((1, 6, 7, channels), np.float32),
        smooth=False,
    )
rows(
    "draw_bounding_boxes colours",
    image("draw_bounding_boxes", [BOXES], [[0.2], [0.4]]),
    np.zeros((1, 6, 7, 1), np.float32),
    gradient=False,
)
rows(
    "draw_bounding_boxes few colours",
    image("draw_bounding_boxes", [BOXES], [[0.2]]),
    np.zeros((1, 6, 7, 3), np.float32),
)
rows("draw_bounding_boxes channels", image("draw_bounding_boxes", [BOXES], None), np.zeros((1, 6, 7, 2), np.float32))
rows("draw_bounding_boxes batch", image("draw_bounding_boxes", [BOXES], None), np.zeros((2, 6, 7, 3), np.float32))


def crops(tf, x, b, *args, indices=(0, 0), size=(2, 3)):
    return tf.image.crop_and_resize(x, b, list(indices), list(size), *args)


for method in ("bilinear", "nearest"):
    rows(f"crop_and_resize {method}", lambda tf, x, b, m=method: crops(tf, x, b, m, 0.5), ONE, BOXES[:2], smooth=False)
rows("crop_and_resize to one", lambda tf, x, b: crops(tf, x, b, size=(1, 1)), ONE, BOXES[::2], smooth=False)
rows("crop_and_resize uint8", lambda tf, x, b: crops(tf, x[None], b), U8, BOXES[:2], smooth=False)
rows("crop_and_resize of no image", lambda tf, x, b: crops(tf, x, b, indices=(0, 1)), ONE, BOXES[:2])
rows("crop_and_resize indices", lambda tf, x, b: crops(tf, x, b, indices=(0,)), ONE, BOXES[:2])
rows("crop_and_resize to nothing", lambda tf, x, b: crops(tf, x, b, size=(0, 1)), ONE, BOXES[:2])


def moved(tf, x, kernel, scale=(0.8, 0.5)):
    return tf.raw_ops.ScaleAndTranslate(
        images=x, size=[4, 3], scale=scale, translation=[0.5, 0.0], kernel_type=kernel, antialias=True
    )


rows("scaled and moved by a triangle", lambda tf, x: moved(tf, x, "triangle"), ONE, smooth=False)
rows(
    "scaled by what a program knows",
    lambda tf, x, scale: tf.function(lambda x, scale: moved(tf, x, "gaussian", scale))(x, scale),
    ONE,
    np.array([0.8, 0.5], np.float32),
    smooth=False,
)
rows("crop_and_resize method", lambda tf, x, b: crops(tf, x, b, "area"), ONE, BOXES[:2])
rows("crop_and_resize rank", lambda tf, x, b: crops(tf, x[0], b), ONE, BOXES[:2])
for i, options in enumerate(({}, {"centered": False}, {"normalized": False}, {"centered": False, "normalized": False})):
    for offset in ([0.0, 0.0], [0.5, -0.5], [-0.9, 0.9], [1.2, 2.0]):
        call = image("extract_glimpse", [2, 2], [offset], noise="zero", **options)
        rows(f"extract_glimpse {i} {offset}", call, ONE, gradient=False)
rows("extract_glimpse gradient", image("extract_glimpse", [2, 2], [[0.0, 0.0]], noise="zero"), ONE)
rows("extract_glimpse noise", image("extract_glimpse", [2, 2], [[0.0, 0.0]], noise="x"), ONE)
rows("extract_glimpse offsets", image("extract_glimpse", [2, 2], [0.0, 0.0], noise="zero"), ONE)

CORNERS = [[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, -0.1, 1, 0.9], [0, 10, 1, 11], [0, 10.1, 1, 11.1], [0, 100, 1, 101]]
CORNERS = np.array(CORNERS, np.float32)
SCORES = [0.9, 0.75, 0.6, 0.95, 0.5, 0.3]
SUPPRESSION = "non_max_suppression"
for count, *limits in ((3,), (9, 0.9), (9, 0.5, 0.4), (0,)):
    rows(f"{SUPPRESSION} {count} {limits}", image(SUPPRESSION, count, *limits), CORNERS, SCORES, smooth=False)
    rows(f"{SUPPRESSION}_padded {count} {limits}", image(f"{SUPPRESSION}_padded", count, *limits), CORNERS, SCORES)
rows(
    f"{SUPPRESSION}_with_scores",
    image(f"{SUPPRESSION}_with_scores", 5, soft_nms_sigma=0.5),
    CORNERS,
    SCORES,
    rtol=1e-5,
    gradient=False,
)
rows(
    f"{SUPPRESSION}_with_scores hard", image(f"{SUPPRESSION}_with_scores", 5, 0.3, 0.4), CORNERS, SCORES, gradient=False
)
rows(
    f"{SUPPRESSION}_padded batch",
    lambda tf, b, s: tf.image.non_max_suppression_padded([b, b[::-1]], [s, s], 5, 0.5, 0.4, True),
    CORNERS,
    SCORES,
    gradient=False,
)
rows(
    f"{SUPPRESSION}_padded in order",
    image(f"{SUPPRESSION}_padded", 5, 0.5, 0.4, True, sorted_input=True),
    CORNERS,
    SCORES,
)
rows(
    f"{SUPPRESSION}_overlaps",
    image(f"{SUPPRESSION}_overlaps", 5),
    np.full((6, 6), 0.6, np.float32),
    SCORES,
    smooth=False,
)
rows(
    f"{SUPPRESSION}_overlaps apart",
    image(f"{SUPPRESSION}_overlaps", 5, 0.7),
    np.full((6, 6), 0.6, np.float32),
    SCORES,
    smooth=False,
)
rows(f"{SUPPRESSION} columns", image(SUPPRESSION, 3), CORNERS[:, :3], SCORES)
rows(f"{SUPPRESSION} scores", image(SUPPRESSION, 3), CORNERS[:3], SCORES)
rows(f"{SUPPRESSION} negative", image(SUPPRESSION, -3), CORNERS, SCORES)
rows(f"{SUPPRESSION} threshold", image(SUPPRESSION, 3, 2.0), CORNERS, SCORES)
for i, args in enumerate(((2, 3), (2, 7, 0.5, 0.4, True, False), (0, 3))):
    rows(
        f"combined_{SUPPRESSION} {i}",
        lambda tf, b, s, a=args: tuple(
            tf.image.combined_non_max_suppression(b[None, :, None], tf.stack([s, s[::-1]], 1)[None], *a)
        ),
        CORNERS,
        SCORES,
        gradient=False,
    )


def sampled(tf, *args, **options):
    return tuple(
        tf.image.stateless_sample_distorted_bounding_box([40, 50, 3], [[[0.1, 0.2, 0.7, 0.8]]], *args, **options)
    )


SAMPLED = "sample_distorted_bounding_box"
for i, options in enumerate(
    (
        {},
        {"min_object_covered": 0.9},
        {"aspect_ratio_range": [0.5, 2.0], "area_range": [0.2, 0.3]},
        {"max_attempts": 1, "min_object_covered": 1.0},
        {"area_range": [2.0, 3.0]},
        {"max_attempts": 0},
    )
):
    rows(f"stateless_{SAMPLED} {i}", lambda tf, o=options, s=i: sampled(tf, [s, 2], **o))
rows(f"stateless_{SAMPLED} without boxes", lambda tf: tf.image.stateless_sample_distorted_bounding_box(
    [40, 50, 3], tf.zeros([0, 0, 4]), [1, 2], use_image_if_no_bounding_boxes=True)[2])  # fmt: skip
rows("random "+SAMPLED, lambda tf: [tf.random.set_seed(7)] and [
    tuple(tf.image.sample_distorted_bounding_box([40, 50, 3], [[[0.1, 0.2, 0.7, 0.8]]], 3)) for _ in range(2)])  # fmt: skip

# -- windows

VOLUME = random.uniform(size=(1, 3, 4, 3, 1)).round(3).tolist()
rows("extract_patches dilated", image("extract_patches", [1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 2, 1], "VALID"), ONE)
rows("extract_patches nowhere", image("extract_patches", [1, 4, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], "VALID"), ONE)
for padding in ("SAME", "VALID"):
    rows(
        f"extract_volume_patches {padding}",
        lambda tf, x, p=padding: tf.extract_volume_patches(x, [1, 2, 2, 1, 1], [1, 1, 2, 1, 1], p),
        VOLUME,
    )
rows(
    "extract_volume_patches batch", lambda tf, x: tf.extract_volume_patches(x, [2, 1, 1, 1, 1], [1] * 5, "SAME"), VOLUME
)

# -- dtypes of images -------------------------------------------------------------------------------------------------

for _given in ("int8", "uint16"):
    for _wanted in ("int16", "uint8", "int32"):
        rows(
            f"convert_image_dtype {_given} to {_wanted}, limited",
            lambda tf, x, to=_wanted: tf.image.convert_image_dtype(x, to, saturate=True),
            np.array([1, 5, 100], _given),
        )
_PICTURE = np.linspace(0.1, 0.9, 12).reshape(2, 2, 3)
for _name, _adjust in {
    "adjust_contrast": lambda tf, x: tf.image.adjust_contrast(x, 2.0),
    "adjust_brightness": lambda tf, x: tf.image.adjust_brightness(x, 0.2),
    "adjust_gamma": lambda tf, x: tf.image.adjust_gamma(x, 0.5),
    "adjust_hue": lambda tf, x: tf.image.adjust_hue(x, 0.2),
    "adjust_saturation": lambda tf, x: tf.image.adjust_saturation(x, 0.2),
    "rgb_to_grayscale": lambda tf, x: tf.image.rgb_to_grayscale(x),
    "per_image_standardization": lambda tf, x: tf.image.per_image_standardization(x),
}.items():
    rows(f"{_name} of float64", _adjust, _PICTURE, gradient=False, smooth=False, rtol=1e-6)
rows("adjust_gamma of uint64", lambda tf, x: tf.image.adjust_gamma(x, 0.5), np.array([[[3], [9]]], np.uint64))
for _dtype in ("int8", "int16", "int32"):
    rows(
        f"total_variation of {_dtype}",
        lambda tf, x: tf.image.total_variation(x),
        np.arange(12).reshape(2, 3, 2).astype(_dtype) ** 2,
    )
rows("total_variation, complex", lambda tf, x: tf.image.total_variation(x), _PICTURE * (1 + 1j), gradient=False)
rows("adjust_hue of a row", lambda tf, x: tf.image.adjust_hue(x, 0.2), [[0.1, 0.2, 0.3]], gradient=False)
rows("adjust_saturation of a row", lambda tf, x: tf.image.adjust_saturation(x, 0.2), [[0.1, 0.2, 0.3]], gradient=False)
