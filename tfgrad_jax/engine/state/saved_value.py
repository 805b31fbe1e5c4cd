"""What a variable says of how it is saved, to those that wrap one: Keras 2's casts, Larq's quantized variables."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.engine.run.execute import alias
from tfgrad_jax.engine.state.handle import Handle
from tfgrad_jax.engine.values.convert import convert


class SavedValue:
    """A variable whose value is all that is saved of it."""

    __slots__ = ()

    box: Handle

    def _serialize_to_tensors(self) -> dict[str, Any]:
        return {"VARIABLE_VALUE": self}

    def _restore_from_tensors(self, restored_tensors: dict[str, Any]) -> None:
        with self.box.lock:  # past any trace, which would hold the old value as well
            self.box.replace(alias(convert(restored_tensors["VARIABLE_VALUE"], self.box.dtype), self.box.id))

    def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
        return {"VARIABLE_VALUE": self}
