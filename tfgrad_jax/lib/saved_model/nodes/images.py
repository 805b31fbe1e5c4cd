"""Nodes of images."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.values.convert import get_static_value
from tfgrad_jax.lib.saved_model.nodes.gradients import pulled
from tfgrad_jax.lib.saved_model.nodes.registry import node, same, tf
from tfgrad_jax.lib.v1 import image as corners
from tfgrad_jax.ops.image.moving import scale_and_translate, scaled_and_translated_later

same({"HSVToRGB": "image.hsv_to_rgb", "RGBToHSV": "image.rgb_to_hsv"})
same({"AdjustContrastv2": "image.adjust_contrast", "AdjustHue": "image.adjust_hue"})
same({"AdjustSaturation": "image.adjust_saturation"})


def _resizing(raw: str, method: str, by_corners: Callable[..., Any]) -> None:
    def resized(images: Any, size: Any, *, align_corners: bool = False, half_pixel_centers: bool = False) -> Any:
        if align_corners and half_pixel_centers:
            raise invalid_argument("If half_pixel_centers is True, align_corners must be False.", raw)
        if images.shape.rank not in (4, None):
            raise invalid_argument(f"images: expected 4 dimensions, got the shape {images.shape}", raw)
        wanted = get_static_value(size)
        if wanted is not None and (wanted.shape != (2,) or min(wanted) <= 0):
            raise invalid_argument(f"size: expected a positive height and width, got {wanted.tolist()}", raw)
        if half_pixel_centers:
            return tf("image.resize")(images, size, method)
        return by_corners(images, size, align_corners)

    node(raw)(resized)


_resizing("ResizeBilinear", "bilinear", corners.resize_bilinear)
_resizing("ResizeNearestNeighbor", "nearest", corners.resize_nearest_neighbor)
_resizing("ResizeBicubic", "bicubic", corners.resize_bicubic)


@node("ScaleAndTranslate")
def _moved(
    images: Any, size: Any, scale: Any, translation: Any, *, kernel_type: bytes = b"lanczos3", antialias: bool = True
) -> Any:
    known = [get_static_value(value) for value in (scale, translation)]
    if any(value is None for value in known):
        return scaled_and_translated_later(images, scale, translation, size, kernel_type.decode(), antialias)
    factors = [tuple(value.reshape(-1).tolist()) for value in known]
    return scale_and_translate(images, size, *factors, kernel_type.decode(), antialias)


@node("ScaleAndTranslateGrad")
def _moved_back(
    grads: Any,
    images: Any,
    scale: Any,
    translation: Any,
    *,
    kernel_type: bytes = b"lanczos3",
    antialias: bool = True,
) -> Any:
    size = tf("shape")(grads)[1:3]
    return pulled(
        lambda x: _moved(x, size, scale, translation, kernel_type=kernel_type, antialias=antialias), images, grads
    )
