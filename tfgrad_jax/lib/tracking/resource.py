"""Objects whose state functions make and fill."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.lib.tracking.autotrackable import AutoTrackable


@export("saved_model.experimental.TrackableResource")
class TrackableResource(AutoTrackable):
    """Base class of objects with state that functions make and fill. Mirrors `tf.saved_model.experimental.TrackableResource`.

    Subclasses define `_create_resource`, `_initialize` and, if need be, `_destroy_resource`.

    Args:
      device: where the resource lives; accepted for compatibility.
    """

    def __init__(self, device: str = "") -> None:
        self._resource_handle: Any = None
        self._resource_device = device

    @property
    def resource_handle(self) -> Any:
        """What stands for the state; made when it is first asked for."""
        if self._resource_handle is None:
            self._resource_handle = self._create_resource()
        return self._resource_handle

    def _create_resource(self) -> Any:
        raise NotImplementedError("TrackableResource._create_resource: define it, so that it returns the resource")

    def _initialize(self) -> None:
        """Fill the resource."""

    def _destroy_resource(self) -> None:
        """Release the resource."""
