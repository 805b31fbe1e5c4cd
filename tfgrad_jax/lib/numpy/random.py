"""`tf.experimental.numpy.random`: numbers of NumPy's names from the streams of `tf.random`."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.state.random_state import set_seed
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.dtypes import as_dtype
from tfgrad_jax.lib.numpy.types import PREFIX, asarray, default_float, numpy_dtype, promoted, tf
from tfgrad_jax.ops.common import sizes
from tfgrad_jax.ops.math.cast import cast

_ROOM = PREFIX + "random."


def _float() -> Any:
    return as_dtype(default_float())


@export(_ROOM + "seed")
def seed(s: Any) -> None:
    """Set the seed. Mirrors `tf.experimental.numpy.random.seed`."""
    set_seed(int(np.asarray(s)))


@export(_ROOM + "randn")
def randn(*args: Any) -> Any:
    """Normal numbers in a shape. Mirrors `tf.experimental.numpy.random.randn`."""
    return standard_normal(args)


@export(_ROOM + "standard_normal")
def standard_normal(size: Any = None) -> Any:
    """Normal numbers. Mirrors `tf.experimental.numpy.random.standard_normal`."""
    return tf("random.normal")(_shape(size), dtype=_float())


def _shape(size: Any) -> list[int]:
    return [] if size is None else list(sizes(size))


@export(_ROOM + "uniform")
def uniform(low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
    """Numbers spread evenly. Mirrors `tf.experimental.numpy.random.uniform`."""
    first, last = (cast(asarray(v), _float()) for v in (low, high))
    shape = _shape(size) if size is not None else tf("shape")(first + last)
    return tf("random.uniform")(shape, first, last, dtype=_float())


@export(_ROOM + "random")
def random(size: Any = None) -> Any:
    """Numbers spread evenly from 0 to 1. Mirrors `tf.experimental.numpy.random.random`."""
    return uniform(0.0, 1.0, () if size is None else size)


@export(_ROOM + "rand")
def rand(*size: Any) -> Any:
    """Numbers spread evenly from 0 to 1, in a shape. Mirrors `tf.experimental.numpy.random.rand`."""
    return uniform(0.0, 1.0, size)


@export(_ROOM + "poisson")
def poisson(lam: Any = 1.0, size: Any = None) -> Any:
    """Numbers of a Poisson distribution. Mirrors `tf.experimental.numpy.random.poisson`."""
    return tf("random.poisson")(_shape(size), asarray(lam), np.int_)


@export(_ROOM + "randint")
def randint(low: Any, high: Any = None, size: Any = None, dtype: Any = np.int64) -> Any:
    """Integers from `low` to before `high`. Mirrors `tf.experimental.numpy.random.randint`."""
    first, last = promoted(*((0, low) if high is None else (low, high)))
    wanted = as_dtype(numpy_dtype(dtype))
    kind = wanted if wanted in (dtypes.int32, dtypes.int64) else dtypes.int64
    drawn = tf("random.uniform")(_shape(size), cast(first, kind), cast(last, kind), dtype=kind)
    return cast(drawn, wanted)
