"""`tensorflow.python.framework.device`, `.registry`, `.traceable_stack`, `eager.cancellation`, `client.device_lib`, in Python."""

from __future__ import annotations

import inspect
import sys
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from tfgrad_jax.engine.messages.errors import CancelledError
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.lib.devices.device_spec import DeviceSpec
from tfgrad_jax.lib.devices.devices import jax_device, list_logical_devices

_D, _S, _C = "python.framework.device.", "python.framework.traceable_stack.", "python.eager.cancellation."


@export(_D + "canonical_name")
def canonical_name(device: Any) -> str:
    """The usual form of a device's name; "" for None."""
    if device is None:
        return ""
    return device.to_string() if is_device_spec(device) else DeviceSpec.from_string(device).to_string()


@export(_D + "is_device_spec")
def is_device_spec(obj: Any) -> bool:
    """Whether something is a `tf.DeviceSpec`."""
    return isinstance(obj, DeviceSpec)


@export(_D + "check_valid")
def check_valid(spec: str) -> None:
    """Raises a `ValueError` if a device's name is not understood."""
    DeviceSpec.from_string(spec)


@dataclass
class DeviceAttributes:
    """What is known of a device, with the fields of TensorFlow's message.

    Attributes:
      name: as in `"/device:CPU:0"`.
      device_type: "CPU", "GPU" or "TPU".
      memory_limit: bytes that may be used; of a CPU what TensorFlow says of it, which is no limit.
      incarnation: a number that stands for the device.
      xla_global_id: the number that XLA has for it; -1 for a CPU.
      physical_device_desc: what the device calls itself; "" for a CPU.
      locality: without fields here.
    """

    name: str
    device_type: str
    memory_limit: int = 1 << 28
    incarnation: int = 0
    xla_global_id: int = -1
    physical_device_desc: str = ""
    locality: SimpleNamespace = field(default_factory=SimpleNamespace, repr=False)


@export("python.client.device_lib.list_local_devices")
def list_local_devices(session_config: Any = None) -> list[DeviceAttributes]:
    """The devices of this process, for programs that look for GPUs by their types (PhiFlow and many scripts).

    Args:
      session_config: accepted for compatibility.

    Returns:
      `DeviceAttributes` of each.
    """
    found = []
    for device in list_logical_devices():
        name = f"/device:{device.device_type}:{device.name.rpartition(':')[2]}"
        attributes = DeviceAttributes(name, device.device_type, incarnation=zlib.crc32(name.encode()))
        if device.device_type != "CPU":
            known = jax_device(name)
            attributes.memory_limit = (known.memory_stats() or {}).get("bytes_limit", 0)
            attributes.xla_global_id, attributes.physical_device_desc = known.id, known.device_kind
        found.append(attributes)
    return found


@export(_C + "CancellationManager")
class CancellationManager:
    """Says whether somebody wants what runs to stop. Functions called by `get_cancelable_function` ask it when they begin."""

    def __init__(self) -> None:
        self._cancelled = False

    @property
    def is_cancelled(self) -> bool:
        """Whether it was asked to stop."""
        return self._cancelled

    def start_cancel(self) -> None:
        """Ask to stop."""
        self._cancelled = True

    def get_cancelable_function(self, concrete_function: Callable[..., Any]) -> Callable[..., Any]:
        """A function that runs unless it was cancelled before.

        Raises:
          tf.errors.CancelledError: from the function, if it was.
        """

        def call(*args: Any, **kwargs: Any) -> Any:
            if self._cancelled:
                raise CancelledError(None, None, "CancellationManager: the function was cancelled before it began")
            return concrete_function(*args, **kwargs)

        return call


@export(_S + "TraceableObject")
class TraceableObject:
    """A thing with the place in the program that it comes from."""

    SUCCESS, HEURISTIC_USED, FAILURE = range(3)

    def __init__(self, obj: Any, filename: str | None = None, lineno: int | None = None) -> None:
        self.obj, self.filename, self.lineno = obj, filename, lineno

    def set_filename_and_line_from_caller(self, offset: int = 0) -> int:
        """Take the place of the caller, or of `offset` callers above it."""
        stack = inspect.stack(0)
        place = min(offset + 1, len(stack) - 1)
        self.filename, self.lineno = stack[place].filename, stack[place].lineno
        return self.SUCCESS if len(stack) > offset + 1 else self.HEURISTIC_USED

    def copy_metadata(self) -> TraceableObject:
        """The place, without the thing."""
        return type(self)(None, self.filename, self.lineno)


@export(_S + "TraceableStack")
class TraceableStack:
    """A stack of such things."""

    def __init__(self, existing_stack: list[TraceableObject] | None = None) -> None:
        self._stack = existing_stack[:] if existing_stack else []

    def push_obj(self, obj: Any, offset: int = 0) -> int:
        """Put a thing on top, with the caller's place."""
        made = TraceableObject(obj)
        self._stack.append(made)
        return made.set_filename_and_line_from_caller(offset + 1)

    def pop_obj(self) -> Any:
        """Take the top thing away."""
        return self._stack.pop().obj

    def peek_top_obj(self) -> Any:
        """The top thing."""
        return self._stack[-1].obj

    def peek_objs(self) -> Any:
        """The things, from the top."""
        return (made.obj for made in reversed(self._stack))

    def peek_traceable_objs(self) -> Any:
        """The things with their places, from the top."""
        return reversed(self._stack)

    def copy(self) -> TraceableStack:
        """Another stack of the same."""
        return TraceableStack(self._stack)


@export("python.framework.registry.Registry")
class Registry:
    """Things by name.

    Args:
      name: what they are, for messages.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._found: dict[str, tuple[Any, str]] = {}

    def register(self, candidate: Any, name: str | None = None) -> None:
        """Add a thing.

        Raises:
          KeyError: if its name is taken.
        """
        key = name or candidate.__name__
        if key in self._found:
            raise KeyError(
                f"Registering two {self._name} with name '{key}'! (Previous registration was in {self._found[key][1]})"
            )
        caller = sys._getframe(1)
        self._found[key] = candidate, f"{caller.f_code.co_name} {caller.f_code.co_filename}:{caller.f_lineno}"

    def list(self) -> Any:
        """The names."""
        return self._found.keys()

    def lookup(self, name: str) -> Any:
        """The thing of a name.

        Raises:
          LookupError: if there is none.
        """
        if name not in self._found:
            raise LookupError(f"{self._name} registry has no entry for: {name}")
        return self._found[name][0]
