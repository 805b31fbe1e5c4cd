"""Nodes of images."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.engine.messages.errors import unimplemented
from tfgrad_jax.lib.saved_model.nodes.registry import node, same, tf

same({"HSVToRGB": "image.hsv_to_rgb", "RGBToHSV": "image.rgb_to_hsv"})
same({"AdjustContrastv2": "image.adjust_contrast", "AdjustHue": "image.adjust_hue"})
same({"AdjustSaturation": "image.adjust_saturation"})


def _resizing(raw: str, method: str) -> None:
    def resized(images: Any, size: Any, *, align_corners: bool = False, half_pixel_centers: bool = False) -> Any:
        if align_corners or not half_pixel_centers:
            raise unimplemented(
                f"{raw} with align_corners={align_corners} and half_pixel_centers={half_pixel_centers} (TensorFlow 1's way) is not "
                f"implemented: only half_pixel_centers=True is",
                raw,
            )
        return tf("image.resize")(images, size, method)

    node(raw)(resized)


_resizing("ResizeBilinear", "bilinear")
_resizing("ResizeNearestNeighbor", "nearest")
_resizing("ResizeBicubic", "bicubic")
