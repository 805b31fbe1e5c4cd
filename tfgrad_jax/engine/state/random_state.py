"""The state behind random operations: seeds, as `tf.random.set_seed` and operations' own seeds decide them.

A draw never depends on hidden state inside a kernel. The state is a box, like a variable; each draw takes a key out of it
(three 64-bit words, see `RandomState`) that enters the kernel as an operand, and moves the box on. So kernels are
compiled once for a shape, a repeated program stays the same program, and a traced function can lift the boxes.
"""

from __future__ import annotations

import random
import secrets
import threading
import weakref
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tfgrad_jax.engine.host.rules import NAMED, always
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.execute import untaped
from tfgrad_jax.engine.state.box import Box
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values.dtypes import uint64
from tfgrad_jax.engine.values.tensor import EagerTensor, Spec, Tensor

RESERVED = 256
"""How far most operations move the counter for each number drawn, whatever they use: TensorFlow's convention."""

_DEFAULT_SEED = 87654321
"""Stands for the global seed where only the operation has one."""

_MASK = 0xFFFFFFFFFFFFFFFF
_MAX_INT32 = 2**31 - 1


@jax.jit
def skipped(words: Any, count: Any) -> Any:
    """The state after so many more blocks, which are one unsigned number; the host has a form of its own."""
    words = words.astype(np.uint64)
    counter = words[0:1] + count
    return jnp.concatenate([counter, words[1:2] + (counter < words[0:1]), words[2:3]])


def skipped_on_host(words: np.ndarray, count: np.ndarray) -> np.ndarray:
    """The same for arrays of NumPy."""
    low, high, key = words[:3].astype(np.uint64).tolist()
    return _words(low + int(count[0]), high, key)


always(NAMED + "skipped", lambda words, count: [skipped_on_host(words, count)], (1, 1))

ADVANCE = Kernel("RngReadAndSkip", lambda words, amount: skipped(words, amount.reshape(1).astype(np.uint64)))
"""The state, of `uint64`, after as many blocks as a tensor says."""


class RandomState(Box):
    """A box with the state of one stream of random numbers: counter low, counter high, key.

    Args:
      key: the key.
      high: the high word of the counter, whose low word starts at 0.
    """

    __slots__ = ("_start",)

    def __init__(self, key: int, high: int = 0) -> None:
        super().__init__(Spec.of(uint64, (3,)))
        self._start = (key, high)
        self.restart()
        _boxes.add(self)

    def anew(self) -> RandomState:
        """Another state, at the beginning of the same sequence; of a new one where nothing is seeded."""
        return (
            RandomState(secrets.randbits(64), secrets.randbits(64)) if self is _unseeded else RandomState(*self._start)
        )

    def restart(self) -> None:
        """Begin the sequence again."""
        key, high = self._start
        with self.lock:
            self.current = key_of(0, high, key)

    def next_key_data(self, blocks: Any) -> Tensor:
        """The state for a draw; the box moves on by `blocks` of the counter."""
        with self.lock:
            now = self.tensor
            if isinstance(now.held, np.ndarray):
                counter, high, key = now.held.tolist()
                self.replace(EagerTensor(_words(counter + blocks, high, key)))
            else:
                amount = blocks if isinstance(blocks, Tensor) else EagerTensor(np.array([blocks], np.uint64))
                self.replace(untaped(ADVANCE, (now, amount)))
            return now


def key_of(counter: int, high: int, key: int) -> EagerTensor:
    """The three words of a state, each taken modulo 2**64."""
    return EagerTensor(np.array((counter & _MASK, high & _MASK, key & _MASK), np.uint64))


def _words(counter: int, high: int, key: int) -> np.ndarray:
    """A state whose counter may have gone beyond its low word."""
    return np.array((counter & _MASK, high + (counter >> 64) & _MASK, key), np.uint64)


_boxes: weakref.WeakSet[RandomState] = weakref.WeakSet()
_unseeded = RandomState(secrets.randbits(64), secrets.randbits(64))
_lock = threading.RLock()


class _Seeds:
    """The global seed that `tf.random.set_seed` set, for all threads.

    Attributes:
      seed: the global seed; None as long as nobody set one.
      stream: gives a seed to each operation that has none; None without a global seed.
      boxes: states of operations that have a seed of their own, by raw name, seeds, attributes and replica.
      traced: how many random operations without a seed each traced function has met.
    """

    def __init__(self) -> None:
        self.seed: float | None = None
        self.stream: random.Random | None = None
        self.boxes: dict[Any, RandomState] = {}
        self.traced: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()


_seeds = _Seeds()


@export("random.set_seed")
def set_seed(seed: Any) -> None:
    """Set the global seed, and begin every sequence of random numbers again. Mirrors `tf.random.set_seed`.

    Args:
      seed: an integer, or anything that converts to one; None takes the seed away.

    Raises:
      TypeError: if it is no number.
    """
    if isinstance(seed, (str, bytes)):
        raise TypeError(f"tf.random.set_seed: expected an integer, got {seed!r}")
    if seed is not None and not isinstance(seed, (int, float)):
        seed = int(np.asarray(seed))
    with _lock:
        _seeds.seed = seed
        _seeds.stream = None if seed is None else random.Random(seed)
        _seeds.boxes.clear()
    for box in list(_boxes):
        if box is not _unseeded:
            box.restart()


@export("compat.v1.set_random_seed", "compat.v1.random.set_random_seed")
def set_random_seed(seed: Any) -> None:
    """Set the global seed of the graph in which operations are recorded, outside of graphs that of all.

    Mirrors `tf.compat.v1.set_random_seed`.

    Args:
      seed: an integer, or None for none.
    """
    if context.graph is None:
        set_seed(seed)
    else:
        context.graph.seed = seed


@export("python.eager.context.global_seed")
def global_seed() -> int | float | None:
    """The seed that `set_seed` set last; None for none."""
    return _seeds.seed


@export("compat.v1.get_seed", "compat.v1.random.get_seed")
def get_seed(op_seed: int | None) -> tuple[int | None, int | None]:
    """The two seeds that an operation whose own seed is `op_seed` uses now; two None where nothing is seeded."""
    seed = _seeds.seed if context.graph is None else context.graph.seed
    if seed is None:
        if op_seed is None:
            return None, None
        seed = _DEFAULT_SEED
    elif op_seed is None:
        if context.graph is None:
            assert _seeds.stream is not None
            op_seed = _seeds.stream.randint(0, _MAX_INT32)
        else:
            op_seed = _seeds.traced.get(context.graph, 0)
            _seeds.traced[context.graph] = op_seed + 1
    pair = int(seed % _MAX_INT32), int(op_seed % _MAX_INT32)
    return pair if pair != (0, 0) else (0, _MAX_INT32)


def next_key(name: str, seed: Any, blocks: Any, attributes: Any = None) -> Tensor:
    """The state for one draw of the stateful operation `name`.

    Args:
      name: the raw name; operations with a seed of their own have one sequence for each name, seed and `attributes`.
      seed: the operation's seed, or None; a pair is both seeds, whatever the global one is.
      blocks: how far the draw moves the counter: `RESERVED` for each number, in most operations.
      attributes: the dtype of the result, or all attributes of the operation, hashable.

    Returns:
      A uint64 tensor of shape [3]: counter low, counter high, key.
    """
    with _lock:
        first, second = seed if isinstance(seed, tuple) else get_seed(seed)
        box = _unseeded
        if first is not None and second is not None:
            if seed is None and context.graph is None:
                return key_of(0, second, first)
            place = (name, first, second, attributes, context.replica)
            # Each operation of a traced function has a sequence of its own.
            found = _seeds.boxes.get(place) if context.graph is None else RandomState(first, second)
            box = found if found is not None else _seeds.boxes.setdefault(place, RandomState(first, second))
    return box.next_key_data(blocks)
