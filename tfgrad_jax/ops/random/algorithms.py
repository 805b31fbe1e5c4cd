"""The algorithms of random numbers that TensorFlow names."""

from __future__ import annotations

from enum import Enum
from typing import Any

from tfgrad_jax.engine.messages.errors import unimplemented
from tfgrad_jax.engine.names.export import export


@export("random.Algorithm", "random.experimental.Algorithm")
class Algorithm(Enum):
    """The algorithms that TensorFlow names; the first one is there. Mirrors `tf.random.Algorithm`."""

    PHILOX = 1
    THREEFRY = 2
    AUTO_SELECT = 3


_ALGORITHMS = {"philox": 1, "threefry": 2, "auto_select": 3}


def algorithm_number(alg: Any) -> int:
    """The number of the algorithm that `alg` stands for.

    Raises:
      ValueError: for an unknown one.
    """
    number = _ALGORITHMS.get(alg, 0) if isinstance(alg, str) else int(getattr(alg, "value", alg))
    if number not in _ALGORITHMS.values():
        raise ValueError(
            f"Argument `alg` got unsupported value {alg}. Supported values are philox for the Philox algorithm, "
            f"threefry for the ThreeFry algorithm, and auto_select for auto-selection."
        )
    return number


def algorithm(alg: Any) -> int:
    """The number of the algorithm that draws what `alg` asks for: always Philox.

    Raises:
      ValueError: for an unknown one.
      UnimplementedError: for ThreeFry, which TensorFlow does not have on a CPU either.
    """
    if algorithm_number(alg) == 2:
        raise unimplemented("the ThreeFry algorithm is not supported; use alg='philox'")
    return 1
