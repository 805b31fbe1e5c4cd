"""The one module below `tensorflow.python` that libraries import although it is not public: where operations run."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import jax

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.eager import executing_eagerly, init_scope
from tfgrad_jax.lib.devices.device_spec import DeviceSpec
from tfgrad_jax.lib.devices.devices import list_logical_devices


class _Context:
    """The eager context, as libraries ask for it: the open `tf.device`, and whether operations run at once."""

    def executing_eagerly(self) -> bool:
        """As `tf.executing_eagerly`."""
        return executing_eagerly()

    @property
    def device_spec(self) -> DeviceSpec:
        """Kind and number of the device whose scope is open; None where none is."""
        chosen = jax.config.jax_default_device  # type: ignore[attr-defined]
        return DeviceSpec() if chosen is None else DeviceSpec("localhost", 0, 0, chosen.platform, chosen.id)

    @property
    def device_name(self) -> str:
        """The device's name, or ""."""
        return self.device_spec.to_string()

    def clear_kernel_cache(self) -> None:
        """Forget kernels that are compiled: nothing, since their cache is bounded."""

    def num_gpus(self) -> int:
        """How many GPUs there are."""
        return len(list_logical_devices("GPU"))


_context = _Context()


@export("python.eager.context.context")
def context() -> _Context:
    """The state of eager execution."""
    return _context


export("python.eager.context.executing_eagerly")(executing_eagerly)


@export("python.eager.context.async_wait")
def async_wait() -> None:
    """Wait for operations under way. What they computed is waited for where it is read, and so are their errors."""


@export("__internal__.eager_context.eager_mode")
@contextlib.contextmanager
def eager_mode() -> Iterator[None]:
    """A context in which operations run at once, also while a function is recorded."""
    with init_scope():
        yield
