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

import numpy as np

from tfgrad_jax.engine.context import context, new_id
from tfgrad_jax.engine.dtypes import uint64
from tfgrad_jax.engine.execute import untaped
from tfgrad_jax.engine.export import export
from tfgrad_jax.engine.kernel import Kernel
from tfgrad_jax.engine.tensor import EagerTensor, Spec, Tensor

DEFAULT_SEED = 87654321
"""Stands for the global seed where only the operation has one."""

_MASK = 0xFFFFFFFFFFFFFFFF
_MAX_INT32 = 2**31 - 1

RESERVED = 256
"""How far a draw moves the counter for each number drawn, whatever it uses: TensorFlow's convention."""


def _advanced(words: Any, amount: Any) -> Any:
    counter = words[0:1] + amount
    return counter, words[1:2] + (counter < words[0:1]), words[2:3]


_ADVANCE = Kernel("RngSkip", lambda words, amount: np.uint64(0) + _concatenate(_advanced(words, amount)))


def _concatenate(parts: Any) -> Any:
    import jax.numpy as jnp

    return jnp.concatenate(parts)


class RandomState:
    """A box with the state of one stream of random numbers.

    Attributes:
      id, spec: as a variable's handle has them, for whoever lifts the box into a traced function.
    """

    __slots__ = ("__weakref__", "_lock", "_value", "id", "spec")

    def __init__(self, key: int, high: int = 0) -> None:
        self.id = new_id()
        self.spec = Spec.of(uint64, (3,))
        self._lock = threading.Lock()
        self.reset(key, high)

    def reset(self, key: int, high: int = 0) -> None:
        """Start over: a counter of 0 below `high`, and the given key."""
        self._value: Tensor = _words(0, high, key)

    @property
    def tensor(self) -> Tensor:
        """Counter low, counter high and key, as a uint64 tensor of shape [3]."""
        trace = context.trace
        return self._value if trace is None else trace.read(self)

    def replace(self, tensor: Tensor) -> None:
        """Make `tensor`, which nobody else holds, the state."""
        tensor._id = self.id
        trace = context.trace
        if trace is None:
            self._value = tensor
        else:
            trace.write(self, tensor)

    def next_key_data(self, count: int) -> Tensor:
        """The state for a draw of `count` numbers; the box moves on."""
        with self._lock:
            now = self.tensor
            if isinstance(now._value, np.ndarray):
                counter, high, key = now._value.tolist()
                counter += count * RESERVED
                self.replace(_words(counter & _MASK, (high + (counter >> 64)) & _MASK, key))
            else:
                self.replace(untaped(_ADVANCE, (now, EagerTensor(np.uint64([count * RESERVED])))))
            return now


def _words(counter: int, high: int, key: int) -> EagerTensor:
    return EagerTensor(np.array((counter & _MASK, high & _MASK, key & _MASK), np.uint64))


class _Seeds(threading.local):
    """What `tf.random.set_seed` set for this thread.

    Attributes:
      seed: the global seed; None as long as nobody set one.
      stream: draws a seed for each operation without one; None without a global seed.
      boxes: states of operations that have a seed of their own, by raw name, seeds and dtype.
      traced: how many random operations each traced function has met so far.
    """

    def __init__(self) -> None:
        self.seed: int | None = None
        self.stream: random.Random | None = None
        self.boxes: dict[Any, RandomState] = {}
        self.traced: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()


_seeds = _Seeds()
_unseeded = RandomState(secrets.randbits(64), secrets.randbits(64))


@export("random.set_seed")
def set_seed(seed: Any) -> None:
    """Set the global seed and start every sequence of random numbers over. Mirrors `tf.random.set_seed`.

    Args:
      seed: an integer; None takes the seed away again.
    """
    if seed is not None and not isinstance(seed, int):
        seed = int(np.asarray(seed)) if not isinstance(seed, str) else _not_a_seed(seed)
    _seeds.seed = seed
    _seeds.stream = None if seed is None else random.Random(seed)
    _seeds.boxes.clear()


def _not_a_seed(seed: Any) -> int:
    raise TypeError(f"tf.random.set_seed: expected an integer, got {seed!r}")


@export("compat.v1.get_seed", "__internal__.get_seed")
def get_seed(op_seed: int | None) -> tuple[int | None, int | None]:
    """The pair of seeds that an operation with the seed `op_seed` uses now; two None where nothing is seeded."""
    seed = _seeds.seed
    if seed is None and op_seed is None:
        return None, None
    if seed is None:
        seed = DEFAULT_SEED
    elif op_seed is None:
        trace = context.trace
        if trace is None:
            assert _seeds.stream is not None
            op_seed = _seeds.stream.randint(0, _MAX_INT32)
        else:
            op_seed = _seeds.traced[trace] = _seeds.traced.get(trace, 0) + 1
    pair = seed % _MAX_INT32, int(op_seed) % _MAX_INT32
    return pair if pair != (0, 0) else (0, _MAX_INT32)


def key_words(name: str, seed: Any, count: int, dtype: Any = None) -> Tensor:
    """The state for one draw of the stateful operation `name`.

    Args:
      name: the raw name; operations with a seed of their own have one sequence for each name, seed and dtype.
      seed: the operation's seed, or None.
      count: how many numbers are drawn.
      dtype: the dtype of the result.

    Returns:
      A uint64 tensor of shape [3]: counter low, counter high, key.
    """
    first, second = get_seed(seed)
    if first is None or second is None:
        return _unseeded.next_key_data(count)
    if seed is None and context.trace is None:
        return _words(0, second, first)
    place = (name, first, second, dtype)
    box = _seeds.boxes.get(place)
    if box is None:
        box = _seeds.boxes[place] = RandomState(first, second)
    return box.next_key_data(count)
