"""`tf.random.Generator`: random numbers from a state that the program holds."""

from __future__ import annotations

import math
import secrets
import threading
from typing import Any

import numpy as np

from tfgrad_jax.engine.declare.attributes import is_symbolic
from tfgrad_jax.engine.hooks import strategy_in_use
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.state.random_state import RESERVED
from tfgrad_jax.engine.state.trackable import Trackable
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import as_dtype
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.ops.array.array import concat, stack, unstack
from tfgrad_jax.ops.array.creation import zeros, zeros_like
from tfgrad_jax.ops.array.shape import expand_dims, reshape
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.random import draws as draws
from tfgrad_jax.ops.random.algorithms import algorithm, algorithm_number


def _words(value: Any) -> Any:
    """Integers of any size, as 64-bit words with a sign; a tensor, if they are known only when a graph runs."""
    if is_symbolic(value):
        return cast(value, dtypes.int64)
    given = np.asarray(value, dtype=object)
    flat = [int(v) & 0xFFFFFFFFFFFFFFFF for v in given.reshape(-1)]
    return np.array(flat, np.uint64).astype(np.int64).reshape(given.shape)


def _checked(words: Any, shape: list[int]) -> Any:
    TensorShape(words.shape).assert_is_compatible_with(shape)
    return words


def _from_seed(seed: Any, size: int) -> Any:
    """A state of `size` words: the words of one integer, the lowest first, or integers behind as many zeros as are missing."""
    if isinstance(seed, int):
        return _words([seed >> 64 * i for i in range(size)])
    words = _words(seed)
    if not isinstance(words, np.ndarray):
        words = reshape(words, [-1])[:size]
        return concat([zeros([size], dtypes.int64), words], 0)[-size:]
    words = words.reshape(-1)[:size]
    return np.concatenate([np.zeros(size - len(words), np.int64), words])


@export("random.create_rng_state", "random.experimental.create_rng_state")
def create_rng_state(seed: Any, alg: Any) -> Tensor:
    """The state that a seed stands for: three words, two for ThreeFry. Mirrors `tf.random.create_rng_state`.

    Args:
      seed: an integer of any size, whose lowest 64 bits are the first word; or integers, the last of which is the last word.
      alg: the algorithm.

    Raises:
      ValueError: if there is no such algorithm.
    """
    return convert(_from_seed(seed, 2 if algorithm_number(alg) == 2 else 3))


@export("random.Generator", "random.experimental.Generator")
class Generator(Trackable):
    """Random numbers from a variable that holds counter low, counter high and key. Mirrors `tf.random.Generator`.

    Args:
      copy_from: a generator to copy; instead of `state` and `alg`.
      state: three 64-bit integers.
      alg: "philox", or what stands for it.

    Raises:
      ValueError: if the state has another shape.
    """

    def __init__(self, copy_from: Generator | None = None, state: Any = None, alg: Any = None) -> None:
        if copy_from is not None:
            if state is not None or alg is not None:
                raise AssertionError("tf.random.Generator: pass either copy_from, or state and alg")
            state, alg = np.asarray(copy_from.state), copy_from.algorithm
        if state is None or alg is None:
            raise AssertionError(
                "tf.random.Generator: pass copy_from, or both state and alg; from_seed makes one of a seed"
            )
        algorithm(alg)  # which refuses what cannot be drawn
        self._alg = algorithm_number(alg)
        value = _checked(_words(state), [3])
        self._state = Variable(value, trainable=False, name="StateVar", dtype=dtypes.int64)
        self._track_trackable(self._state, "_state_var")
        self._strategy = strategy_in_use() if strategy_in_use.filled else None

    @classmethod
    def from_state(cls, state: Any, alg: Any) -> Generator:
        """A generator with the given state."""
        return cls(state=state, alg=alg)

    @classmethod
    def from_seed(cls, seed: Any, alg: Any = None) -> Generator:
        """A generator that starts from a seed."""
        alg = "philox" if alg is None else alg
        return cls(state=create_rng_state(seed, alg), alg=alg)

    @classmethod
    def from_non_deterministic_state(cls, alg: Any = None) -> Generator:
        """A generator that starts anywhere."""
        return cls.from_seed([secrets.randbits(64) for _ in range(3)], alg)

    @classmethod
    def from_key_counter(cls, key: Any, counter: Any, alg: Any) -> Generator:
        """A generator with the given key and two words of counter."""
        return cls(state=_key_counter(key, counter), alg=alg)

    @property
    def state(self) -> Variable:
        """The variable that holds the state."""
        return self._state

    @property
    def algorithm(self) -> int:
        """The number of the algorithm."""
        return self._alg

    @property
    def key(self) -> Tensor:
        """The key."""
        return self._state.read_value()[2]  # from ops.overloads

    def reset(self, state: Any) -> None:
        """Continue from another state."""
        self._state.assign(_checked(_words(state), [3]))

    def reset_from_seed(self, seed: Any) -> None:
        """Start again from a seed."""
        self._state.assign(create_rng_state(seed, self._alg))

    def reset_from_key_counter(self, key: Any, counter: Any) -> None:
        """Continue from a key and two words of counter."""
        self._state.assign(_key_counter(key, counter))

    def skip(self, delta: Any) -> Tensor:
        """Leave out `delta` numbers; returns the state before."""
        delta = delta if is_symbolic(delta) else int(np.asarray(delta))
        with self._state.box.lock:
            before = self._state.read_value()
            self._state.assign(draws.advanced(before, delta * RESERVED))
        return before

    def _next(self, name: str, count: Any, dtype: Any) -> Tensor:
        state = self.skip(count)
        number = None if self._strategy is None else self._strategy.replica_number
        return state if number is None else _of_replica(state, number)

    # -- drawing ------------------------------------------------------------------------------------------------------

    def normal(
        self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32, name: str | None = None
    ) -> Tensor:
        """Normally distributed numbers."""
        return draws.normal_from(self._next, shape, mean, stddev, as_dtype(dtype))

    def truncated_normal(
        self, shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32, name: str | None = None
    ) -> Tensor:
        """Normal numbers within two standard deviations of the mean."""
        return draws.normal_from(self._next, shape, mean, stddev, as_dtype(dtype), truncated=True)

    def uniform(
        self, shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = dtypes.float32, name: str | None = None
    ) -> Tensor:
        """Numbers spread evenly over [minval, maxval); integers over all values of the dtype where both bounds are None.

        Raises:
          ValueError: if an integer dtype has one bound only.
        """
        dtype = as_dtype(dtype)
        if dtype.is_integer and minval is None and maxval is None:
            return self.uniform_full_int(shape, dtype)
        return draws.uniform_from(self._next, shape, minval, maxval, dtype)

    def uniform_full_int(self, shape: Any, dtype: Any = dtypes.uint64, name: str | None = None) -> Tensor:
        """Integers spread over all values of the dtype."""
        return draws.full_int_from(self._next, shape, as_dtype(dtype))

    def binomial(
        self, shape: Any, counts: Any, probs: Any, dtype: Any = dtypes.int32, name: str | None = None
    ) -> Tensor:
        """How many of `counts` trials succeed with probability `probs`."""
        shape = tuple(int(n) for n in np.asarray(shape).reshape(-1))
        entries = max(math.prod(np.broadcast_shapes(np.shape(counts), np.shape(probs))), 1)
        reserved = entries * 200 * (math.prod(shape) // entries + 3) // 4  # as TensorFlow reckons here
        state = self._next("StatefulRandomBinomial", reserved, dtype)
        return draws.binomial_from(state, shape, counts, probs, as_dtype(dtype))

    def make_seeds(self, count: int = 1) -> Tensor:
        """Seeds for stateless operations, the columns of a matrix of two rows."""
        keys = self.uniform_full_int([count], dtypes.int64)
        return stack([keys, zeros_like(keys)])

    def split(self, count: int = 1) -> list[Generator]:
        """New generators, independent of each other and of this one."""
        keys = np.asarray(self.uniform_full_int([count], dtypes.int64))
        return [type(self)(state=np.array([0, 0, key], np.int64), alg=self._alg) for key in keys]


def _key_counter(key: Any, counter: Any) -> Any:
    counter, key = _checked(_words(counter), [2]), _checked(_words(key), [])
    if isinstance(counter, np.ndarray) and isinstance(key, np.ndarray):
        return np.concatenate([counter, key[None]])
    return concat([counter, expand_dims(key, 0)], 0)


_global: Generator | None = None
_lock = threading.RLock()


@export("random.get_global_generator", "random.experimental.get_global_generator")
def get_global_generator() -> Generator:
    """The generator that programs share. Mirrors `tf.random.get_global_generator`."""
    global _global
    with _lock:
        if _global is None:
            _global = Generator.from_non_deterministic_state()
        return _global


@export("random.set_global_generator", "random.experimental.set_global_generator")
def set_global_generator(generator: Generator) -> None:
    """Replace the generator that programs share. Mirrors `tf.random.set_global_generator`."""
    global _global
    _global = generator


def _of_replica(state: Tensor, number: int) -> Tensor:
    """A generator's state with a key of the replica's own, which is drawn from the generator's key and the replica's number."""
    low, high, key = unstack(state)
    words = stack([convert(np.int64(number)), convert(np.int64(0)), key])
    own = draws.full_int_from(lambda *unused: words, [], dtypes.int64)
    return stack([low, high, own])
