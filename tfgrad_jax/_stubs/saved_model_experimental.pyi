"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
from tfgrad_jax.lib.saved_model.fingerprint import Fingerprint as Fingerprint
from tfgrad_jax.lib.tracking.resource import TrackableResource as TrackableResource
def read_fingerprint(export_dir: _Any) -> _Any:
    """The numbers of the SavedModel in a directory. Mirrors `tf.saved_model.experimental.read_fingerprint`."""
