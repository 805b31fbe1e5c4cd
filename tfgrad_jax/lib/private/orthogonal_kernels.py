"""Orthogonal kernels of convolutions, which `tensorflow.python.ops.init_ops` has: after Xiao and others, arXiv:1806.05393."""

from __future__ import annotations

import itertools
from typing import Any

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.v1.initializers import Initializer, Orthogonal
from tfgrad_jax.ops.array import creation
from tfgrad_jax.ops.array.array import stack
from tfgrad_jax.ops.array.scatter import scatter_nd
from tfgrad_jax.ops.array.shape import expand_dims, reshape
from tfgrad_jax.ops.linalg.linalg import diag_part
from tfgrad_jax.ops.linalg.matmul import matmul
from tfgrad_jax.ops.linalg.matrices import qr
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.math.rounding import sign
from tfgrad_jax.ops.random import seeds as random

_ROOM = "python.ops.init_ops."
_RANKS = {3: "three", 4: "four", 5: "five"}

Blocks = dict[tuple[int, ...], Tensor]
"""The matrices of a kernel by their places."""


def _names(*names: str) -> Any:
    return export(*(_ROOM + name for name in names))


def _orthogonal(size: int, dtype: Any, seed: int | None) -> Tensor:
    q, r = qr(random.normal([size, size], dtype=dtype, seed=seed), full_matrices=False)
    return q * sign(diag_part(r))


def _check_channels(shape: list[int]) -> None:
    if shape[-2] > shape[-1]:
        raise ValueError(f"In_filters (size: {shape[-2]}) cannot be greater than out_filters (size: {shape[-1]}).")


@_names("ConvolutionDeltaOrthogonal", "convolutional_delta_orthogonal")
class ConvolutionDeltaOrthogonal(Orthogonal):
    """An orthogonal matrix at the middle of a kernel, zeros around it.

    Args:
      gain: of all values.
      seed: of the operation; the global seed counts too.
      dtype: of the values where a call says nothing else.

    Raises:
      ValueError: of a call, if the shape is not that of a kernel, or there are more channels before than after it.
    """

    def _make(self, shape: list[int], dtype: Any, whole: list[int]) -> Tensor:
        if len(shape) not in _RANKS:
            raise ValueError(
                "The tensor to initialize, specified by argument `shape` must be at least three-dimensional and at most "
                f"five-dimensional. Received shape={shape}"
            )
        _check_channels(shape)
        matrix = _orthogonal(shape[-1], dtype, self.seed)[: shape[-2]] * cast(self.gain, dtype)
        middle = [(size - 1) // 2 for size in shape[:-2]]
        return scatter_nd([middle], expand_dims(matrix, 0), shape)


@_names("ConvolutionOrthogonal")
class ConvolutionOrthogonal(Initializer):
    """What the orthogonal kernels of one, two and three dimensions share.

    Args:
      gain: of all values.
      seed: of the first draw, and one more for each that follows; the global seed counts too.
      dtype: of the values that are drawn.
    """

    _dimensions = 0

    def __init__(self, gain: Any = 1.0, seed: int | None = None, dtype: Any = dtypes.float32) -> None:
        self.gain = gain
        self.seed = seed
        super().__init__(dtype)
        if not self.dtype.is_floating:
            raise ValueError(f"Argument `dtype` is expected to be floating point. Received: {self.dtype}.")

    def _next_seed(self) -> int | None:
        seed = self.seed
        if seed:
            self.seed = seed + 1
        return seed

    def _orthogonal_matrix(self, n: int) -> Tensor:
        return _orthogonal(n, self.dtype, self._next_seed())

    def _symmetric_projection(self, n: int) -> Tensor:
        q = self._orthogonal_matrix(n)
        kept = cast(random.normal([n], dtype=self.dtype, seed=self._next_seed()) > 0, self.dtype)
        c = q * kept
        return matmul(c, c, transpose_b=True)

    def _pairs(self, size: int) -> Blocks:
        """A kernel of two in each dimension, which projects at one place and takes the rest at the other."""
        projections = [self._symmetric_projection(size) for _ in range(self._dimensions)]
        one = creation.eye(size, dtype=self.dtype)
        sides = [(p, one - p) for p in projections]
        if self._dimensions == 3:  # TensorFlow has them the other way round there
            sides = [(rest, p) for p, rest in sides]
        made = {}
        for place in itertools.product((0, 1), repeat=self._dimensions):
            first, *rest = [side[at] for side, at in zip(sides, place, strict=True)]
            for other in rest:
                first = matmul(first, other)
            made[place] = first
        return made

    def _orthogonal_kernel(self, width: int, into: int, out: int) -> Tensor:
        matrix = self._orthogonal_matrix(out)[:into]
        if width == 1:
            return reshape(matrix, [1] * self._dimensions + [into, out])
        blocks = self._pairs(out)
        for _ in range(width - 2):
            blocks = _convolved(blocks, self._pairs(out))
        return _stacked({place: matmul(matrix, block) for place, block in blocks.items()}, self._dimensions, width)

    def _make(self, shape: list[int], dtype: Any, whole: list[int]) -> Tensor:
        rank = self._dimensions + 2
        if len(shape) != rank:
            raise ValueError(
                f"The tensor to initialize, specified by argument `shape` must be {_RANKS[rank]}-dimensional. Received "
                f"shape={shape}"
            )
        _check_channels(shape)
        if len(set(shape[:-2])) > 1:
            raise ValueError(f"Kernel sizes, specified by shape[:-2], must be equal. Received: {shape[:-2]}")
        return self._orthogonal_kernel(shape[0], shape[-2], shape[-1]) * cast(self.gain, dtype)


def _convolved(x: Blocks, y: Blocks) -> Blocks:
    """The kernel that does what two do one after the other."""
    wide, narrow = (1 + max(max(place) for place in blocks) for blocks in (x, y))
    dimensions = len(next(iter(x)))
    made: Blocks = {}
    for place in itertools.product(range(wide + narrow - 1), repeat=dimensions):
        total: Any = None
        for back in itertools.product(range(narrow), repeat=dimensions):
            at = tuple(p - b for p, b in zip(place, back, strict=True))
            if at in x:
                part = matmul(x[at], y[back])
                total = part if total is None else total + part
        made[place] = total
    return made


def _stacked(blocks: Blocks, dimensions: int, width: int) -> Tensor:
    rows = [blocks[place] for place in itertools.product(range(width), repeat=dimensions)]
    size = list(rows[0].shape)
    return reshape(stack(rows), [width] * dimensions + size)


@_names("ConvolutionOrthogonal1D", "convolutional_orthogonal_1d")
class ConvolutionOrthogonal1D(ConvolutionOrthogonal):
    """A kernel of one dimension that keeps lengths.

    Args:
      gain, seed, dtype: see `ConvolutionOrthogonal`.

    Raises:
      ValueError: of a call, if the shape is not that of such a kernel, or there are more channels before than after it.
    """

    _dimensions = 1


@_names("ConvolutionOrthogonal2D", "convolutional_orthogonal_2d")
class ConvolutionOrthogonal2D(ConvolutionOrthogonal):
    """A kernel of two dimensions that keeps lengths; see `ConvolutionOrthogonal1D`."""

    _dimensions = 2


@_names("ConvolutionOrthogonal3D", "convolutional_orthogonal_3d")
class ConvolutionOrthogonal3D(ConvolutionOrthogonal):
    """A kernel of three dimensions that keeps lengths; see `ConvolutionOrthogonal1D`."""

    _dimensions = 3
