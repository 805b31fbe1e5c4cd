"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
from tfgrad_jax._stubs import train_experimental
from tfgrad_jax.lib.checkpoint.checkpoint import Checkpoint as Checkpoint
from tfgrad_jax.lib.checkpoint.manager import CheckpointManager as CheckpointManager
from tfgrad_jax.lib.checkpoint.options import CheckpointOptions as CheckpointOptions
from tfgrad_jax.lib.checkpoint.views import CheckpointView as CheckpointView
from tfgrad_jax.lib.distribute.cluster_spec import ClusterSpec as ClusterSpec
from tfgrad_jax.lib.coordinator import Coordinator as Coordinator
from tfgrad_jax.lib.v1.averages import ExponentialMovingAverage as ExponentialMovingAverage
from tfgrad_jax.lib.checkpoint.views import TrackableView as TrackableView
experimental = train_experimental
class BytesList(_Any): ...
class Example(_Any): ...
class Feature(_Any): ...
class FeatureList(_Any): ...
class FeatureLists(_Any): ...
class Features(_Any): ...
class FloatList(_Any): ...
class Int64List(_Any): ...
class SequenceExample(_Any): ...
def checkpoints_iterator(checkpoint_dir: _Any, min_interval_secs: _Any = 0, timeout: _Any = None, timeout_fn: _Any = None) -> _Any:
    """Paths of checkpoints of a directory, as they appear. Mirrors `tf.train.checkpoints_iterator`."""
def get_checkpoint_state(checkpoint_dir: _Any, latest_filename: _Any = None) -> _Any:
    """What the file `checkpoint` of a directory says, with whole paths. Mirrors `tf.train.get_checkpoint_state`."""
def latest_checkpoint(checkpoint_dir: _Any, latest_filename: _Any = None) -> _Any:
    """The path of the newest checkpoint of a directory, or None. Mirrors `tf.train.latest_checkpoint`."""
def list_variables(ckpt_dir_or_file: _Any) -> _Any:
    """Names and shapes of all tensors of a checkpoint, by name. Mirrors `tf.train.list_variables`."""
def load_checkpoint(ckpt_dir_or_file: _Any) -> _Any:
    """A reader of a checkpoint. Mirrors `tf.train.load_checkpoint`."""
def load_variable(ckpt_dir_or_file: _Any, name: _Any) -> _Any:
    """A tensor of a checkpoint as a NumPy array. Mirrors `tf.train.load_variable`."""
