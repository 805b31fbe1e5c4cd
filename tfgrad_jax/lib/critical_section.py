"""`tf.CriticalSection`: functions that run one at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, ClassVar

from tfgrad_jax.engine.names.export import export


@export("CriticalSection", "compat.v1.CriticalSection")
class CriticalSection:
    """What executes in it, on whatever thread, executes alone. Mirrors `tf.CriticalSection`.

    Inside `tf.function` the operations of a program run in the order in which they were recorded, so there it only calls.

    Args:
      name: a name.
      shared_name: the name under which sections are one and the same.
      critical_section_def, import_scope: of TensorFlow's graph mode; accepted.
    """

    _shared: ClassVar[dict[str, Any]] = {}
    _named = threading.Lock()

    def __init__(
        self,
        name: str | None = None,
        shared_name: str | None = None,
        critical_section_def: Any = None,
        import_scope: Any = None,
    ) -> None:
        self._name = name or "critical_section"
        with self._named:
            self._lock = self._shared.setdefault(shared_name, threading.RLock()) if shared_name else threading.RLock()
        self._busy = False

    @property
    def name(self) -> str:
        """The name."""
        return self._name

    def execute(self, fn: Callable[[], Any], exclusive_resource_access: bool = True, name: str | None = None) -> Any:
        """Call `fn` while nothing else runs in the section.

        Returns:
          What `fn` returns.

        Raises:
          ValueError: if it is called from within the section.
        """
        with self._lock:
            if self._busy:
                raise ValueError(
                    f"Attempting to lock a CriticalSection ({self._name!r}) in which we are already running. "
                    "This is illegal and may cause deadlocks."
                )
            self._busy = True
            try:
                return fn()
            finally:
                self._busy = False
