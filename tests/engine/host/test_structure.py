"""Primitives that move, find and order elements: NumPy's form of them against XLA's."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import tfgrad_jax  # noqa: F401  (64-bit types)
from tfgrad_jax.engine.host import primitives  # noqa: F401
from tfgrad_jax.engine.host.template import Template

RANDOM = np.random.default_rng(0)
DTYPES = ["float32", "float64", "int32", "uint8", "bool", "complex64", "bfloat16", "float16"]


def agree(fn, *arrays):
    """The host's program gives what XLA's does, to the last bit, and leaves its operands alone."""
    template = Template(jax.make_jaxpr(fn)(*arrays))
    before = [np.array(a) for a in arrays]
    found = template.flat({})(*[np.asarray(a) for a in arrays])
    for a, b in zip(arrays, before, strict=True):
        same(a, b)
    for f, e in zip(found, jax.tree.leaves(jax.jit(fn)(*arrays)), strict=True):
        same(np.asarray(f), np.asarray(e))


def same(a, b):
    """Two arrays do not differ."""
    assert (a.shape, a.dtype) == (b.shape, b.dtype)
    if a.dtype == jnp.bfloat16:  # NumPy's comparison does not know its NaN
        a, b = a.astype(np.float32), b.astype(np.float32)
    np.testing.assert_array_equal(a, b)


def some(shape, dtype="float32"):
    """Numbers of either sign."""
    return np.asarray(RANDOM.standard_normal(shape) * 50).astype(np.int8).astype(jnp.dtype(dtype))


# -- movement ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_shapes(dtype):
    x = some((4, 1, 6), dtype)
    agree(lambda x: (lax.reshape(x, (3, 8)), lax.reshape(x, (3, 8), (2, 0, 1)), lax.reshape(x, (4, 6), (0, 1, 2))), x)
    agree(lambda x: (lax.transpose(x, (2, 0, 1)), lax.transpose(x, (0, 1, 2))), x)
    agree(lambda x: (lax.squeeze(x, (1,)), lax.expand_dims(x, (0, 3))), x)
    agree(lambda x: (lax.broadcast(x, (2,)), lax.broadcast_in_dim(x, (4, 7, 5, 6), (0, 2, 3))), x)
    agree(lambda x: (lax.broadcast_in_dim(x, (4, 5, 6), (0, 1, 2)), lax.broadcast(x[0, 0, 0], (200, 100))), x)
    agree(lambda x: (lax.rev(x, (0, 2)), lax.rev(x, ())), x)
    picture = np.arange(2 * 20 * 30 * 3, dtype=np.float32).reshape(2, 20, 30, 3)
    agree(lambda x: tuple([lax.rev(x, (axis,)) for axis in range(4)]), picture)
    agree(lambda x: (jnp.tile(x, (2, 3, 1)), jnp.tile(x, (2, 1, 1, 2))), x)
    agree(lambda: [lax.broadcasted_iota(dtype, (3, 4), d) for d in (0, 1)] if dtype != "bool" else [])


@pytest.mark.parametrize("dtype", DTYPES)
def test_joins_and_parts(dtype):
    x, y = some((4, 5), dtype), some((2, 5), dtype)
    agree(lambda x, y: (lax.concatenate([x, y, x], 0), lax.concatenate([x], 1)), x, y)
    agree(lambda x, y: [*lax.split(x, (1, 0, 3), 0), *lax.split(y, (2, 3), 1)], x, y)
    agree(lambda x: (jnp.stack([x, x], 0), jnp.stack([x, x], -1), jnp.stack([x[0, 0]] * 3)), x)
    agree(lambda x: [*jnp.unstack(x), *jnp.unstack(x, axis=1)], x)
    agree(lambda x: (lax.slice(x, (1, 0), (4, 5), (2, 3)), lax.slice(x, (0, 2), (0, 5))), x)


@pytest.mark.parametrize("seed", range(20))
def test_padding(seed):
    random = np.random.default_rng(seed)
    while True:
        shape = random.integers(0, 5, 2)
        config = [(*random.integers(-4, 5, 2).tolist(), int(random.integers(0, 3))) for _ in shape]
        sizes = [n + max(n - 1, 0) * i + a + b for n, (a, b, i) in zip(shape, config, strict=True)]
        if min(sizes) >= 0:
            break
    agree(lambda x, v: lax.pad(x, v, config), some(shape), np.float32(7))


def test_slices_at_places_that_are_data():
    x, y, plain = some((5, 6)), some((2, 3)), {"allow_negative_indices": False}
    for i in (-7, -1, 0, 2, 9):
        for dtype in (np.int32, np.int64, np.uint8):
            at = np.asarray(i).astype(dtype)
            for sizes in ((2, 3), (2, 6), (5, 6)):
                agree(lambda x, i: lax.dynamic_slice(x, (i, i), sizes, **plain), x, at)  # noqa: B023
            agree(lambda x, y, i: lax.dynamic_update_slice(x, y, (i, i), **plain), x, y, at)
            agree(lambda x, i: lax.dynamic_update_slice(x, x, (i, i), **plain), x, at)


def test_empty_arrays():
    x = np.zeros((0, 3), np.float32)
    agree(lambda x: (lax.reshape(x, (3, 0)), lax.transpose(x, (1, 0)), lax.rev(x, (0,)), lax.broadcast(x, (2,))), x)
    agree(lambda x: (lax.concatenate([x, x], 0), lax.slice(x, (0, 1), (0, 2)), jnp.tile(x, (2, 2))), x)
    agree(lambda x: lax.pad(x, np.float32(1), ((1, 1, 2), (0, 0, 0))), x)
    agree(lambda x: lax.dynamic_slice(x, (1, 1), (0, 2), allow_negative_indices=False), x)


# -- gather and scatter ------------------------------------------------------------------------------------------------

MODES = [lax.GatherScatterMode.CLIP, lax.GatherScatterMode.FILL_OR_DROP, lax.GatherScatterMode.PROMISE_IN_BOUNDS]


def windows(random):
    """An operand's shape, numbers of dimensions for a gather, sizes of windows, a shape of indices."""
    rank = int(random.integers(1, 4))
    shape = random.integers(1, 5, rank).tolist()
    order = random.permutation(rank).tolist()
    batched = sorted(order[: int(random.integers(0, 2))]) if rank > 1 else []
    rest = [d for d in order if d not in batched]
    indexed = rest[: int(random.integers(1, len(rest) + 1))]
    sizes = [1 if d in batched else int(random.integers(1, shape[d] + 1)) for d in range(rank)]
    collapsed = [d for d in rest if random.random() < 0.5]
    for d in collapsed:
        sizes[d] = 1
    extra = random.integers(1, 4, int(random.integers(0, 3))).tolist()
    batch = [*extra, *[shape[d] for d in batched]]
    order = random.permutation(len(batch)).tolist()
    batch = [batch[i] for i in order]
    in_batch = [order.index(len(extra) + i) for i in range(len(batched))]
    spread = rank - len(batched) - len(collapsed)
    axes = sorted(random.permutation(len(batch) + spread)[:spread].tolist())
    kept = [d for d in range(rank) if d not in batched and d not in collapsed]
    result = [0] * (len(batch) + spread)
    for axis, d in zip(axes, kept, strict=True):
        result[axis] = sizes[d]
    free = iter(batch)
    result = [result[axis] if axis in axes else next(free) for axis in range(len(result))]
    return shape, sizes, axes, sorted(collapsed), indexed, batched, in_batch, [*batch, len(indexed)], result


@pytest.mark.parametrize("seed", range(60))
def test_gather(seed):
    random = np.random.default_rng(seed)
    shape, sizes, axes, collapsed, indexed, batched, in_batch, indices, _ = windows(random)
    numbers = lax.GatherDimensionNumbers(tuple(axes), tuple(collapsed), tuple(indexed), tuple(batched), tuple(in_batch))
    dtype = DTYPES[seed % len(DTYPES)]
    x = some(shape, dtype)
    for mode in MODES:
        wide = mode is not lax.GatherScatterMode.PROMISE_IN_BOUNDS
        at = random.integers(-2 if wide else 0, 6 if wide else 1, indices).astype(["i4", "i8", "i1"][seed % 3])
        agree(lambda x, at: lax.gather(x, at, numbers, sizes, mode=mode), x, at)  # noqa: B023
    agree(lambda x, at: lax.gather(x, at, numbers, sizes, mode="fill", fill_value=1), x, at)


@pytest.mark.parametrize("seed", range(60))
def test_scatter(seed):
    random = np.random.default_rng(seed)
    shape, _, axes, collapsed, indexed, batched, in_batch, indices, updates = windows(random)
    numbers = lax.ScatterDimensionNumbers(
        tuple(axes), tuple(collapsed), tuple(indexed), tuple(batched), tuple(in_batch)
    )
    dtype = ["float32", "int32", "float64", "uint8"][seed % 4]
    x, y = some(shape, dtype), some(updates, dtype)
    kinds = [lax.scatter, lax.scatter_add, lax.scatter_sub, lax.scatter_mul, lax.scatter_min, lax.scatter_max]
    for kind in kinds:
        at = random.integers(-2, 6, indices).astype(["i4", "i8", "i1"][seed % 3])
        for mode in MODES[:2]:
            agree(lambda x, at, y: kind(x, at, y, numbers, mode=mode), x, at, y)  # noqa: B023


def test_scatter_of_a_function():
    x, at = some((4, 3)), np.array([[1], [3], [7], [1]], np.int32)
    numbers = lax.ScatterDimensionNumbers((1,), (0,), (0,))
    agree(lambda x, i: lax.scatter_apply(x, i, lambda v: v * 3, numbers, update_shape=(4, 3)), x, at)


def test_rows_of_nothing():
    x, none = np.zeros((0, 3), np.float32), np.zeros((0, 1), np.int32)
    numbers = lax.GatherDimensionNumbers((1,), (0,), (0,))
    agree(lambda x, i: lax.gather(x, i, numbers, (1, 3), mode="clip"), some((2, 3)), none)
    numbers = lax.ScatterDimensionNumbers((1,), (0,), (0,))
    agree(lambda x, i, y: lax.scatter_add(x, i, y, numbers, mode="drop"), some((2, 3)), none, x)
