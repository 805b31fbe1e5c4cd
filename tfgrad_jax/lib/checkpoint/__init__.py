"""Checkpoints in TensorFlow's own format: written, read, looked into."""

from tfgrad_jax.lib.checkpoint.bundle import BundleReader, BundleWriter
from tfgrad_jax.lib.checkpoint.checkpoint import Checkpoint, read_checkpoint, write_checkpoint
from tfgrad_jax.lib.checkpoint.graph import ObjectGraph
from tfgrad_jax.lib.checkpoint.inspecting import CheckpointReader, load_checkpoint
from tfgrad_jax.lib.checkpoint.manager import CheckpointManager
from tfgrad_jax.lib.checkpoint.options import CheckpointOptions
from tfgrad_jax.lib.checkpoint.raw import merge_v2_checkpoints, restore_v2, save_v2
from tfgrad_jax.lib.checkpoint.saver import Saver
from tfgrad_jax.lib.checkpoint.views import PythonState, TrackableView

__all__ = [
    "BundleReader",
    "BundleWriter",
    "Checkpoint",
    "CheckpointManager",
    "CheckpointOptions",
    "CheckpointReader",
    "ObjectGraph",
    "PythonState",
    "Saver",
    "TrackableView",
    "load_checkpoint",
    "merge_v2_checkpoints",
    "read_checkpoint",
    "restore_v2",
    "save_v2",
    "write_checkpoint",
]
