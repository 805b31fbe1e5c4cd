"""Programs whose values are spread over several devices of a CPU run one at a time.

Such a program takes a thread for each device, of as many as there are devices, and its parts wait for each other where they
exchange values. Of two at once, each may have some of the threads and wait for the others, for ever: XLA ends the process then.
Elsewhere devices keep programs in the order in which they were begun.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax


class _Spread:
    """What is known of the process.

    Attributes:
      on_host: whether some value has been spread over devices of a CPU.
    """

    on_host = False


state = _Spread()


def note(sharding: Any) -> None:
    """Some value lies so."""
    if type(sharding) is not jax.sharding.SingleDeviceSharding and not state.on_host:
        devices = sharding.device_set
        state.on_host = len(devices) > 1 and next(iter(devices)).platform == "cpu"


def note_all(arrays: Sequence[Any]) -> None:
    """Some values lie as these do."""
    for array in arrays:
        if isinstance(array, jax.Array) and not isinstance(array, jax.core.Tracer):
            note(array.sharding)


def ended(results: Any) -> Any:
    """The results of a program that has been begun: when it is over, if it may be such a one."""
    return jax.block_until_ready(results) if state.on_host else results


def put(value: Any, sharding: Any) -> Any:
    """A value that lies so."""
    note(sharding)
    return ended(jax.device_put(value, sharding))
