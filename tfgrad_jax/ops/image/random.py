"""Images changed at random, from a hidden state or from a seed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from tfgrad_jax.engine.declare.check import Typed
from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Indices, Key, Shape, T
from tfgrad_jax.engine.graph.deferred import comes_later, deferred
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.checks import Finding
from tfgrad_jax.engine.run.execute import misfit
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.ops.array.shape import ensure_shape
from tfgrad_jax.ops.array.sizes import shape as shape_op
from tfgrad_jax.ops.common import partly_known, shape_of, sizes, sizes_of
from tfgrad_jax.ops.image.geometry import image_of
from tfgrad_jax.ops.image.image import adjust_brightness, adjust_contrast, adjust_hue, adjust_saturation
from tfgrad_jax.ops.random.seeds import uniform
from tfgrad_jax.ops.random.stateless import stateless_uniform

Draw = Callable[..., Any]
"""`uniform` or `stateless_uniform` with its seed: takes shape, bounds and dtype."""


def _stateful(seed: Any) -> Draw:
    return lambda shape, low=0, high=None, dtype=dtypes.float32: uniform(shape, low, high, dtype, seed)


def _stateless(seed: Any) -> Draw:
    return lambda shape, low=0, high=None, dtype=dtypes.float32: stateless_uniform(shape, seed, low, high, dtype)


@op("image.flip_some")
def _flip_some(image: T, number: Key, axis: Shape):
    # TensorFlow flips one image for a small number, but those of a batch for large ones.
    if image.ndim == 3:
        return jnp.where(number < 0.5, jnp.flip(image, axis[0]), image)
    return jnp.where(jnp.round(number).reshape(-1, 1, 1, 1) == 1, jnp.flip(image, axis[0]), image)


def _flipped(image: Any, draw: Draw, axis: int) -> Any:
    image = convert(image)
    if image.shape.rank is None:  # a number for each image, of which there may be one
        given: Any = shape_op(image)
        return _flip_some(image, draw(given[:-3]), (axis,))
    image = image_of(image)
    return _flip_some(image, draw([] if image.ndim == 3 else [sizes_of(image)[0]]), (axis,))


@export("image.random_flip_left_right")
def random_flip_left_right(image: Any, seed: Any = None) -> Any:
    """Each image mirrored with probability one half. Mirrors `tf.image.random_flip_left_right`."""
    return _flipped(image, _stateful(seed), -2)


@export("image.random_flip_up_down")
def random_flip_up_down(image: Any, seed: Any = None) -> Any:
    """Each image upside down with probability one half. Mirrors `tf.image.random_flip_up_down`."""
    return _flipped(image, _stateful(seed), -3)


@export("image.stateless_random_flip_left_right")
def stateless_random_flip_left_right(image: Any, seed: Any) -> Any:
    """`random_flip_left_right` by a seed of two integers. Mirrors its namesake in `tf.image`."""
    return _flipped(image, _stateless(seed), -2)


@export("image.stateless_random_flip_up_down")
def stateless_random_flip_up_down(image: Any, seed: Any) -> Any:
    """`random_flip_up_down` by a seed of two integers. Mirrors its namesake in `tf.image`."""
    return _flipped(image, _stateless(seed), -3)


def _adjustment(name: str, adjust: Any, limit: float | None = None) -> None:
    """Declares `random_<name>` and `stateless_random_<name>`, which adjust by a number in [-max_delta, max_delta)."""

    def changed(image: Any, max_delta: Any, draw: Draw) -> Any:
        if max_delta < 0:
            raise ValueError(f"max_delta must be non-negative, got {max_delta}")
        if limit is not None and max_delta > limit:
            raise ValueError(f"max_delta must be <= {limit}, got {max_delta}")
        return adjust(image, draw([], -max_delta, max_delta))

    def stateful(image: Any, max_delta: Any, seed: Any = None) -> Any:
        return changed(image, max_delta, _stateful(seed))

    def stateless(image: Any, max_delta: Any, seed: Any) -> Any:
        return changed(image, max_delta, _stateless(seed))

    _publish(name, stateful, stateless)


def _scaling(name: str, adjust: Any) -> None:
    """Declares `random_<name>` and `stateless_random_<name>`, which adjust by a number in [lower, upper)."""

    def changed(image: Any, lower: Any, upper: Any, draw: Draw) -> Any:
        if upper <= lower:
            raise ValueError(f"upper must be > lower, got {lower} and {upper}")
        if lower < 0:
            raise ValueError(f"lower must be non-negative, got {lower}")
        return adjust(image, draw([], lower, upper))

    def stateful(image: Any, lower: Any, upper: Any, seed: Any = None) -> Any:
        return changed(image, lower, upper, _stateful(seed))

    def stateless(image: Any, lower: Any, upper: Any, seed: Any = None) -> Any:
        return changed(image, lower, upper, _stateless(seed))

    _publish(name, stateful, stateless)


def _publish(name: str, stateful: Any, stateless: Any) -> None:
    for function, public in ((stateful, f"random_{name}"), (stateless, f"stateless_random_{name}")):
        function.__name__ = function.__qualname__ = public
        function.__doc__ = f"`adjust_{name}` by a random number. Mirrors `tf.image.{public}`."
        export(f"image.{public}")(function)


_adjustment("brightness", adjust_brightness)
_adjustment("hue", adjust_hue, limit=0.5)
_scaling("contrast", adjust_contrast)
_scaling("saturation", adjust_saturation)


@op("image.crop_at")
def _crop_at(value: T, offset: Indices, size: Shape):
    room = [n - s + 1 for n, s in zip(value.shape, size, strict=True)]
    if min(room, default=1) < 1:  # which the check refuses
        return jnp.zeros(size, value.dtype)
    return lax.dynamic_slice(value, list(lax.rem(offset, jnp.asarray(room, offset.dtype))), size)


@_crop_at.check  # for what functions learn of the shape as they run
def _(value: Typed, size):
    if all(n >= s for n, s in zip(value.shape, size, strict=True)):
        return None
    return Finding(np.bool_(True), lambda: _too_large(value.shape, size))


def _too_large(shape: Any, size: Any) -> Exception:
    return invalid_argument(f"Need value.shape >= size, got {list(shape)} {list(size)}", "Slice")


def _cropped(value: Any, size: Any, draw: Draw) -> Any:
    value = convert(value)
    later = comes_later(size)
    if not later:
        size = _fitting(value, size)
    if value.shape.rank is None:
        value = ensure_shape(value, [None] * (convert(size).shape[0] if later else len(size)))
    offset = draw([value.shape.rank], 0, np.iinfo(np.int32).max, dtypes.int32)
    return _crop_later(value, offset, size) if later else _crop_at(value, offset, size)


def _fitting(value: Any, size: Any) -> tuple[int, ...]:
    """A size as integers, which must not be larger than `value`."""
    size = sizes(size)
    if any(n < 0 for n in size):
        raise misfit(f"size must be >= 0, got {list(size)}", "Slice")
    shape = [None] * len(size) if value.shape.rank is None else value.spec.shape
    if len(size) != len(shape):
        raise misfit(f"Need value.shape >= size, got {list(shape)} {list(size)}", "Slice")
    if any(n is not None and n < s for n, s in zip(shape, size, strict=True)):
        raise _too_large(shape, size)
    return size


@deferred("size", name="random_crop")
def _crop_later(value: Any, offset: Any, size: Any) -> Any:
    """Where a graph draws the size, too, or takes it from a shape that it does not know."""
    value = convert(value)
    return _crop_at(value, offset, _fitting(value, size))


@_crop_later.open_shape
def _(value: Any, size: Any, **_: Any) -> list[Any]:
    return [partly_known(size) or [None] * len(shape_of(value))]


@export("image.random_crop")
def random_crop(value: Any, size: Any, seed: Any = None, name: str | None = None) -> Any:
    """A part of the given size from anywhere in `value`. Mirrors `tf.image.random_crop`.

    Raises:
      InvalidArgumentError: if `value` is smaller.
    """
    return _cropped(value, size, _stateful(seed))


@export("image.stateless_random_crop")
def stateless_random_crop(value: Any, size: Any, seed: Any, name: str | None = None) -> Any:
    """`random_crop` by a seed of two integers. Mirrors `tf.image.stateless_random_crop`."""
    return _cropped(value, size, _stateless(seed))
