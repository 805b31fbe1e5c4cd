"""Files that belong to a SavedModel."""

from __future__ import annotations

import os
from typing import Any

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.tracking import AutoTrackable
from tfgrad_jax.ops.array.creation import constant


@export("saved_model.Asset")
class Asset(AutoTrackable):
    """A file that is copied into the SavedModel. Mirrors `tf.saved_model.Asset`.

    Args:
      path: of the file.
    """

    def __init__(self, path: Any) -> None:
        self._path = path if isinstance(path, Tensor) else constant(os.fspath(path))

    @property
    def asset_path(self) -> Tensor:
        """The path of the file; in a SavedModel that was loaded, that of the copy."""
        return self._path
