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
    rows(f"adjust_brightness {tag}", image("adjust_brightness", 0.1), value)
    rows(f"adjust_gamma {tag}", image("adjust_gamma", 0.5, 0.8), value)
    rows(f"adjust_saturation {tag}", image("adjust_saturation", 0.5), value, gradient=False, rtol=1e-4)
    rows(f"adjust_hue {tag}", image("adjust_hue", 0.2), value, gradient=False, rtol=1e-4)
    rows(f"rgb_to_grayscale {tag}", image("rgb_to_grayscale"), value)
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
