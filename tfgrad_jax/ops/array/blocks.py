"""Operations that move blocks between the spatial dimensions and the batch or the channels."""

from __future__ import annotations

import math
from typing import Any

import jax.numpy as jnp
import numpy as np

from tfgrad_jax.engine.declare.attributes import is_symbolic
from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Attribute, Int, Key, T
from tfgrad_jax.engine.messages.errors import invalid_argument, not_found
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.execute import host_value
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.tensor import EagerTensor, Tensor
from tfgrad_jax.ops.common import Pairs, Vector, listed


@op("SpaceToBatchND", "space_to_batch", "space_to_batch_nd", "nn.space_to_batch")
def space_to_batch(input: T, block_shape: Vector, paddings: Pairs):
    """Blocks of the (padded) spatial dimensions moved into the batch dimension.

    Raises:
      InvalidArgumentError: if a padded dimension is no multiple of its block.
    """
    raw = "SpaceToBatchND"
    count = len(block_shape)
    _check_blocks(input, block_shape, paddings, raw)
    padded = jnp.pad(input, ((0, 0), *paddings, *((0, 0),) * (input.ndim - 1 - count)))
    batch, spatial, rest = padded.shape[0], padded.shape[1 : count + 1], padded.shape[count + 1 :]
    for i, (n, block) in enumerate(zip(spatial, block_shape, strict=True)):
        if n % block:
            raise invalid_argument(f"padded_shape[{i}]={n} is not divisible by block_shape[{i}]={block}", raw)
    outer = [n // b for n, b in zip(spatial, block_shape, strict=True)]
    parts = padded.reshape(batch, *[n for pair in zip(outer, block_shape, strict=True) for n in pair], *rest)
    order = [*range(2, 2 * count + 1, 2), 0, *range(1, 2 * count, 2), *range(2 * count + 1, parts.ndim)]
    return parts.transpose(order).reshape(batch * math.prod(block_shape), *outer, *rest)


@space_to_batch.open_shape
def _(attributes: dict[str, Any], given: Any, *sizes: Any) -> Any:
    return _blocked(attributes["block_shape"], attributes["paddings"], given, gathered=False)


def _blocked(blocks: Any, margins: Any, given: Any, gathered: bool) -> Any:
    """The shape of a result as far as sizes, blocks and margins are known; `gathered` from the batch, or moved there."""
    if blocks is None:
        return None if margins is None else _blocked((None,) * len(margins), margins, given, gathered)
    margins = ((None, None),) * len(blocks) if margins is None else margins

    def divided(n: int, by: int) -> int:
        return n // by

    def multiplied(n: int, by: int) -> int:
        return n * by

    batch = _if_known(divided if gathered else multiplied, given[0], _if_known(math.prod, blocks))
    outer = []
    for n, block, pair in zip(given[1:], blocks, margins, strict=False):
        margin = _if_known(sum, (None, None) if pair is None else pair)
        if gathered:
            outer.append(_if_known(lambda n, margin: n - margin, _if_known(multiplied, n, block), margin))
        else:
            outer.append(_if_known(divided, _if_known(lambda n, margin: n + margin, n, margin), block))
    return (batch, *outer, *given[1 + len(blocks) :])


def _if_known(function: Any, *sizes: Any) -> Any:
    """What a function makes of sizes; None where one of them is."""
    return None if any(n is None or (isinstance(n, tuple) and None in n) for n in sizes) else function(*sizes)


@op("BatchToSpaceND", "batch_to_space", "nn.batch_to_space")
def batch_to_space(input: T, block_shape: Vector, crops: Pairs):
    """The batch dimension moved back into blocks of the spatial dimensions, which are then cropped.

    Raises:
      InvalidArgumentError: if the batch is no multiple of the number of elements in a block.
    """
    raw = "BatchToSpaceND"
    count = len(block_shape)
    _check_blocks(input, block_shape, crops, raw)
    each = math.prod(block_shape)
    if input.shape[0] % each:
        raise invalid_argument(
            f"Input batch dimension ({input.shape[0]}) is not divisible by product of block sizes ({each})", raw
        )
    batch, spatial, rest = input.shape[0] // each, input.shape[1 : count + 1], input.shape[count + 1 :]
    parts = input.reshape(*block_shape, batch, *spatial, *rest)
    order = [count, *[d for i in range(count) for d in (count + 1 + i, i)], *range(2 * count + 1, parts.ndim)]
    whole = parts.transpose(order).reshape(batch, *[n * b for n, b in zip(spatial, block_shape, strict=True)], *rest)
    for i, ((before, after), n) in enumerate(zip(crops, whole.shape[1 : count + 1], strict=True)):
        if n < before + after:
            raise invalid_argument(f"cropped_shape[{i}]={n - before - after} must be non-negative: crops={crops}", raw)
    inside = tuple(
        slice(before, n - after) for (before, after), n in zip(crops, whole.shape[1 : count + 1], strict=True)
    )
    return whole[(slice(None), *inside)]


@batch_to_space.open_shape
def _(attributes: dict[str, Any], given: Any, *sizes: Any) -> Any:
    return _blocked(attributes["block_shape"], attributes["crops"], given, gathered=True)


def _check_blocks(input: Any, block_shape: tuple[int, ...], margins: Any, raw: str) -> None:
    if len(margins) != len(block_shape) or input.ndim < 1 + len(block_shape):
        raise invalid_argument(
            f"expected a row of paddings or crops for each of the {len(block_shape)} block sizes and an input of rank "
            f"at least {1 + len(block_shape)}, got {len(margins)} rows and shape {listed(input.shape)}",
            raw,
        )
    if any(b < 1 for b in block_shape) or any(n < 0 for pair in margins for n in pair):
        raise invalid_argument(f"block sizes must be positive and margins non-negative: {block_shape}, {margins}", raw)


@export("required_space_to_batch_paddings")
def required_space_to_batch_paddings(
    input_shape: Any, block_shape: Any, base_paddings: Any = None, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Paddings that make the shape divisible into blocks, and the crops that undo what they added.

    Mirrors `tf.required_space_to_batch_paddings`.
    """
    if any(is_symbolic(v) for v in (input_shape, block_shape, base_paddings)):
        count = convert(block_shape).shape[0]
        base = np.zeros((count, 2), np.int32) if base_paddings is None else base_paddings
        return tuple(_required_paddings(input_shape, block_shape, base))
    sizes, blocks = (host_value(convert(v)).astype(np.int32) for v in (input_shape, block_shape))
    base = np.zeros((len(blocks), 2), np.int32) if base_paddings is None else host_value(convert(base_paddings))
    total = sizes + base.sum(1)
    extra = -total % blocks
    paddings = np.stack([base[:, 0], base[:, 1] + extra], 1).astype(np.int32)
    crops = np.stack([np.zeros_like(extra), extra], 1).astype(np.int32)
    return EagerTensor(paddings), EagerTensor(crops)


@op("RequiredSpaceToBatchPaddings", differentiable=False)
def _required_paddings(sizes: Key, blocks: Key, base: Key):
    extra = -(sizes + base.sum(1)) % blocks
    return [jnp.stack([base[:, 0], base[:, 1] + extra], 1), jnp.stack([jnp.zeros_like(extra), extra], 1)]


def _suited(data_format: str, block_size: int, raw: str) -> None:
    """Refuses attributes that `SpaceToDepth` and `DepthToSpace` do not take."""
    if block_size < 2:
        raise invalid_argument(f"block_size must be at least 2, got {block_size}", raw)
    if data_format != "NHWC":
        raise not_found(f"only data_format='NHWC' is supported on this device, got {data_format!r}", raw)


_Format: Any = Attribute(str)


@op("SpaceToDepth", "nn.space_to_depth")
def space_to_depth(input: T, block_size: Int, data_format: _Format = "NHWC"):
    """Blocks of the picture moved into its channels.

    Raises:
      InvalidArgumentError: if height or width is no multiple of the block.
    """
    _suited(data_format, block_size, "SpaceToDepth")
    n, h, w, c = input.shape
    if h % block_size or w % block_size:
        raise invalid_argument(
            f"Image width {w} and height {h} should be divisible by block_size: {block_size}", "SpaceToDepth"
        )
    parts = input.reshape(n, h // block_size, block_size, w // block_size, block_size, c)
    return parts.transpose(0, 1, 3, 2, 4, 5).reshape(n, h // block_size, w // block_size, block_size**2 * c)


@op("DepthToSpace", "nn.depth_to_space")
def depth_to_space(input: T, block_size: Int, data_format: _Format = "NHWC"):
    """Channels moved into blocks of the picture.

    Raises:
      InvalidArgumentError: if the channels do not fill the blocks.
    """
    _suited(data_format, block_size, "DepthToSpace")
    n, h, w, c = input.shape
    if c % block_size**2:
        raise invalid_argument(f"Input depth dimension {c} should be divisible by: {block_size**2}", "DepthToSpace")
    parts = input.reshape(n, h, w, block_size, block_size, c // block_size**2)
    return parts.transpose(0, 1, 3, 2, 4, 5).reshape(n, h * block_size, w * block_size, c // block_size**2)
