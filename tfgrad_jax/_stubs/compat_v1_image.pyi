"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
from tfgrad_jax.lib.v1.image import ResizeMethod as ResizeMethod
def extract_glimpse(input: _Any, size: _Any, offsets: _Any, centered: _Any = True, normalized: _Any = True, uniform_noise: _Any = True, name: _Any = None) -> _Any:
    """A part of each image. Mirrors `tf.compat.v1.image.extract_glimpse`."""
def resize(images: _Any, size: _Any, method: _Any = 0, align_corners: _Any = False, preserve_aspect_ratio: _Any = False, name: _Any = None) -> _Any:
    """Images of another size. Mirrors `tf.compat.v1.image.resize`; the same images are returned if they have that size already."""
def resize_area(images: _Any, size: _Any, align_corners: _Any = False, name: _Any = None) -> _Any:
    """Images of another size, by means over what a new pixel covers; see `resize_bilinear`. `tf.compat.v1.image.resize_area`."""
def resize_bicubic(images: _Any, size: _Any, align_corners: _Any = False, name: _Any = None, half_pixel_centers: _Any = False) -> _Any:
    """Images of another size, by cubics of four pixels a side; see `resize_bilinear`. `tf.compat.v1.image.resize_bicubic`."""
def resize_bilinear(images: _Any, size: _Any, align_corners: _Any = False, name: _Any = None, half_pixel_centers: _Any = False) -> _Any:
    """Images of another size, by lines between pixels. Mirrors `tf.compat.v1.image.resize_bilinear`."""
def resize_image_with_pad(image: _Any, target_height: _Any, target_width: _Any, method: _Any = 0, align_corners: _Any = False) -> _Any:
    """Images resized to fit, amid zeros. Mirrors `tf.compat.v1.image.resize_image_with_pad`."""
def resize_images(images: _Any, size: _Any, method: _Any = 0, align_corners: _Any = False, preserve_aspect_ratio: _Any = False, name: _Any = None) -> _Any:
    """Images of another size. Mirrors `tf.compat.v1.image.resize`; the same images are returned if they have that size already."""
def resize_nearest_neighbor(images: _Any, size: _Any, align_corners: _Any = False, name: _Any = None, half_pixel_centers: _Any = False) -> _Any:
    """Images of another size, by the nearest pixel; see `resize_bilinear`. `tf.compat.v1.image.resize_nearest_neighbor`."""
