"""The one module below `tensorflow.python` that libraries import although it is not public: where operations run."""

from __future__ import annotations

from typing import NamedTuple

import jax

from tfgrad_jax.engine.export import export
from tfgrad_jax.engine.function import executing_eagerly
from tfgrad_jax.lib.devices import list_logical_devices


class _DeviceSpec(NamedTuple):
    device_type: str | None
    device_index: int | None


class _Context:
    """What libraries ask: the open `tf.device`, and whether operations run at once."""

    def executing_eagerly(self) -> bool:
        """As `tf.executing_eagerly`."""
        return executing_eagerly()

    @property
    def device_spec(self) -> _DeviceSpec:
        """Kind and number of the device whose scope is open; None where none is."""
        chosen = jax.config.jax_default_device  # type: ignore[attr-defined]
        return _DeviceSpec(None, None) if chosen is None else _DeviceSpec(chosen.platform.upper(), chosen.id)

    @property
    def device_name(self) -> str:
        """The device's name, or ""."""
        kind, index = self.device_spec
        return "" if kind is None else f"/job:localhost/replica:0/task:0/device:{kind}:{index}"

    def num_gpus(self) -> int:
        """How many GPUs there are."""
        return len(list_logical_devices("GPU"))


_context = _Context()


@export("python.eager.context.context")
def context() -> _Context:
    """The state of eager execution."""
    return _context


export("python.eager.context.executing_eagerly")(executing_eagerly)
