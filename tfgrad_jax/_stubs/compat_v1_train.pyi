"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
from tfgrad_jax.lib.v1.optimizers import AdadeltaOptimizer as AdadeltaOptimizer
from tfgrad_jax.lib.v1.regularized_optimizers import AdagradDAOptimizer as AdagradDAOptimizer
from tfgrad_jax.lib.v1.optimizers import AdagradOptimizer as AdagradOptimizer
from tfgrad_jax.lib.v1.optimizers import AdamOptimizer as AdamOptimizer
from tfgrad_jax.lib.coordinator import Coordinator as Coordinator
from tfgrad_jax.lib.v1.regularized_optimizers import FtrlOptimizer as FtrlOptimizer
from tfgrad_jax.lib.v1.optimizers import GradientDescentOptimizer as GradientDescentOptimizer
from tfgrad_jax.lib.coordinator import LooperThread as LooperThread
from tfgrad_jax.lib.v1.optimizers import MomentumOptimizer as MomentumOptimizer
from tfgrad_jax.lib.v1.optimizer import Optimizer as Optimizer
from tfgrad_jax.lib.v1.regularized_optimizers import ProximalAdagradOptimizer as ProximalAdagradOptimizer
from tfgrad_jax.lib.v1.regularized_optimizers import ProximalGradientDescentOptimizer as ProximalGradientDescentOptimizer
from tfgrad_jax.lib.v1.optimizers import RMSPropOptimizer as RMSPropOptimizer
from tfgrad_jax.lib.checkpoint.saver import Saver as Saver
def MonitoredSession(*args: _Any, **kwargs: _Any) -> _Any:
    """Not here. Instead: write a loop, with tf.train.CheckpointManager and tf.summary in it."""
def MonitoredTrainingSession(*args: _Any, **kwargs: _Any) -> _Any:
    """Not here. Instead: write a loop, with tf.train.CheckpointManager and tf.summary in it."""
def NewCheckpointReader(filepattern: _Any) -> _Any:
    """A reader of a checkpoint. Mirrors `tf.compat.v1.train.NewCheckpointReader`."""
def Scaffold(*args: _Any, **kwargs: _Any) -> _Any:
    """Not here. Instead: nothing: variables have their values from the start."""
def SingularMonitoredSession(*args: _Any, **kwargs: _Any) -> _Any:
    """Not here. Instead: write a loop, with tf.train.CheckpointManager and tf.summary in it."""
def Supervisor(*args: _Any, **kwargs: _Any) -> _Any:
    """Not here. Instead: write a loop, with tf.train.CheckpointManager and tf.summary in it."""
def SyncReplicasOptimizer(*args: _Any, **kwargs: _Any) -> _Any:
    """Not here. Instead: use tf.distribute.MirroredStrategy."""
def assert_global_step(global_step_tensor: _Any) -> _Any:
    """Make sure that something can count steps: an integer scalar. Mirrors `tf.compat.v1.train.assert_global_step`."""
def batch(*args: _Any, **kwargs: _Any) -> _Any:
    """Not here. Instead: use tf.data.Dataset.batch."""
def checkpoint_exists(checkpoint_prefix: _Any) -> _Any:
    """Whether there is a checkpoint of a path, which may be a pattern."""
def cosine_decay(learning_rate: _Any, global_step: _Any, decay_steps: _Any, alpha: _Any = ..., name: _Any = None) -> _Any:
    """Half a wave, down to `alpha * learning_rate`. Mirrors `tf.compat.v1.train.cosine_decay`; see `exponential_decay`."""
def cosine_decay_restarts(learning_rate: _Any, global_step: _Any, first_decay_steps: _Any, t_mul: _Any = ..., m_mul: _Any = ..., alpha: _Any = ..., name: _Any = None) -> _Any:
    """Waves that begin again, each `t_mul` times as long and `m_mul` times as high. `tf.compat.v1.train.cosine_decay_restarts`."""
def create_global_step(graph: _Any = None) -> _Any:
    """Make the variable that counts steps. Mirrors `tf.compat.v1.train.create_global_step`."""
def exponential_decay(learning_rate: _Any, global_step: _Any, decay_steps: _Any, decay_rate: _Any, staircase: _Any = False, name: _Any = None) -> _Any:
    """`learning_rate * decay_rate ** (global_step / decay_steps)`. Mirrors `tf.compat.v1.train.exponential_decay`."""
def export_meta_graph(*args: _Any, **kwargs: _Any) -> _Any:
    """Not here. Instead: save by tf.saved_model.save."""
def get_checkpoint_mtimes(checkpoint_prefixes: _Any) -> _Any:
    """When checkpoints were made, in seconds since 1970. Mirrors `tf.compat.v1.train.get_checkpoint_mtimes`."""
def get_global_step(graph: _Any = None) -> _Any:
    """The variable that counts steps, or None. Mirrors `tf.compat.v1.train.get_global_step`."""
def get_or_create_global_step(graph: _Any = None) -> _Any:
    """The variable that counts steps, made with the first call. Mirrors `tf.compat.v1.train.get_or_create_global_step`."""
def global_step(sess: _Any, global_step_tensor: _Any) -> _Any:
    """The number that a counter has; in a graph, the session says it. Mirrors `tf.compat.v1.train.global_step`."""
def import_meta_graph(*args: _Any, **kwargs: _Any) -> _Any:
    """Not here. Instead: load a SavedModel by tf.saved_model.load, or variables by tf.train.load_checkpoint."""
def init_from_checkpoint(ckpt_dir_or_file: _Any, assignment_map: _Any) -> _Any:
    """Set variables to values of a checkpoint. Mirrors `tf.compat.v1.train.init_from_checkpoint`."""
def inverse_time_decay(learning_rate: _Any, global_step: _Any, decay_steps: _Any, decay_rate: _Any, staircase: _Any = False, name: _Any = None) -> _Any:
    """`learning_rate / (1 + decay_rate * global_step / decay_steps)`; see `exponential_decay`."""
def linear_cosine_decay(learning_rate: _Any, global_step: _Any, decay_steps: _Any, num_periods: _Any = ..., alpha: _Any = ..., beta: _Any = ..., name: _Any = None) -> _Any:
    """A line times a wave. Mirrors `tf.compat.v1.train.linear_cosine_decay`; see `exponential_decay`."""
def natural_exp_decay(learning_rate: _Any, global_step: _Any, decay_steps: _Any, decay_rate: _Any, staircase: _Any = False, name: _Any = None) -> _Any:
    """`learning_rate * exp(-decay_rate * global_step / decay_steps)`; see `exponential_decay`."""
def noisy_linear_cosine_decay(learning_rate: _Any, global_step: _Any, decay_steps: _Any, initial_variance: _Any = ..., variance_decay: _Any = ..., num_periods: _Any = ..., alpha: _Any = ..., beta: _Any = ..., name: _Any = None) -> _Any:
    """A line with noise, times a wave. Mirrors `tf.compat.v1.train.noisy_linear_cosine_decay`; see `exponential_decay`."""
def piecewise_constant(x: _Any, boundaries: _Any, values: _Any, name: _Any = None) -> _Any:
    """A value for each interval; a boundary belongs to the one before. Mirrors `tf.compat.v1.train.piecewise_constant`."""
def piecewise_constant_decay(x: _Any, boundaries: _Any, values: _Any, name: _Any = None) -> _Any:
    """A value for each interval; a boundary belongs to the one before. Mirrors `tf.compat.v1.train.piecewise_constant`."""
def polynomial_decay(learning_rate: _Any, global_step: _Any, decay_steps: _Any, end_learning_rate: _Any = ..., power: _Any = ..., cycle: _Any = False, name: _Any = None) -> _Any:
    """From one rate to another, along a power. Mirrors `tf.compat.v1.train.polynomial_decay`; see `exponential_decay`."""
def remove_checkpoint(checkpoint_prefix: _Any, checkpoint_format_version: _Any = 2, meta_graph_suffix: _Any = 'meta') -> _Any:
    """Remove the files of a checkpoint. Mirrors `tf.compat.v1.train.remove_checkpoint`."""
def shuffle_batch(*args: _Any, **kwargs: _Any) -> _Any:
    """Not here. Instead: use tf.data.Dataset.shuffle and batch."""
def slice_input_producer(*args: _Any, **kwargs: _Any) -> _Any:
    """Not here. Instead: use tf.data.Dataset.from_tensor_slices and shuffle."""
def start_queue_runners(*args: _Any, **kwargs: _Any) -> _Any:
    """Not here. Instead: use tf.data."""
def string_input_producer(*args: _Any, **kwargs: _Any) -> _Any:
    """Not here. Instead: use tf.data.Dataset.from_tensor_slices and shuffle."""
def summary_iterator(path: _Any) -> _Any:
    """The events of a file of summaries. Mirrors `tf.compat.v1.train.summary_iterator`."""
def update_checkpoint_state(save_dir: _Any, model_checkpoint_path: _Any, all_model_checkpoint_paths: _Any = None, latest_filename: _Any = None, all_model_checkpoint_timestamps: _Any = None, last_preserved_timestamp: _Any = None) -> _Any:
    """Write the file that says what the newest checkpoint is. Mirrors `tf.compat.v1.train.update_checkpoint_state`."""
def write_graph(*args: _Any, **kwargs: _Any) -> _Any:
    """Not here. Instead: save by tf.saved_model.save."""
