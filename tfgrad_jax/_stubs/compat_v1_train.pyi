"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
from tfgrad_jax._stubs import compat_v1_train_queue_runner
from tfgrad_jax.lib.v1.optimizers import AdadeltaOptimizer as AdadeltaOptimizer
from tfgrad_jax.lib.v1.regularized_optimizers import AdagradDAOptimizer as AdagradDAOptimizer
from tfgrad_jax.lib.v1.optimizers import AdagradOptimizer as AdagradOptimizer
from tfgrad_jax.lib.v1.optimizers import AdamOptimizer as AdamOptimizer
from tfgrad_jax.lib.checkpoint.checkpoint import CheckpointV1 as _Checkpoint
from tfgrad_jax.lib.v1.saving_hooks import CheckpointSaverHook as CheckpointSaverHook
from tfgrad_jax.lib.v1.saving_hooks import CheckpointSaverListener as CheckpointSaverListener
from tfgrad_jax.lib.v1.monitored import ChiefSessionCreator as ChiefSessionCreator
from tfgrad_jax.lib.coordinator import Coordinator as Coordinator
from tfgrad_jax.lib.v1.session_hooks import FeedFnHook as FeedFnHook
from tfgrad_jax.lib.v1.session_hooks import FinalOpsHook as FinalOpsHook
from tfgrad_jax.lib.v1.regularized_optimizers import FtrlOptimizer as FtrlOptimizer
from tfgrad_jax.lib.v1.session_hooks import GlobalStepWaiterHook as GlobalStepWaiterHook
from tfgrad_jax.lib.v1.optimizers import GradientDescentOptimizer as GradientDescentOptimizer
from tfgrad_jax.lib.v1.session_hooks import LoggingTensorHook as LoggingTensorHook
from tfgrad_jax.lib.coordinator import LooperThread as LooperThread
from tfgrad_jax.lib.v1.optimizers import MomentumOptimizer as MomentumOptimizer
from tfgrad_jax.lib.v1.monitored import MonitoredSession as MonitoredSession
from tfgrad_jax.lib.v1.session_hooks import NanLossDuringTrainingError as NanLossDuringTrainingError
from tfgrad_jax.lib.v1.session_hooks import NanTensorHook as NanTensorHook
from tfgrad_jax.lib.v1.optimizer import Optimizer as Optimizer
from tfgrad_jax.lib.v1.regularized_optimizers import ProximalAdagradOptimizer as ProximalAdagradOptimizer
from tfgrad_jax.lib.v1.regularized_optimizers import ProximalGradientDescentOptimizer as ProximalGradientDescentOptimizer
from tfgrad_jax.lib.v1.queue_runners import QueueRunner as QueueRunner
from tfgrad_jax.lib.v1.optimizers import RMSPropOptimizer as RMSPropOptimizer
from tfgrad_jax.lib.checkpoint.saver import Saver as Saver
from tfgrad_jax.lib.v1.monitored import Scaffold as Scaffold
from tfgrad_jax.lib.v1.session_hooks import SecondOrStepTimer as SecondOrStepTimer
from tfgrad_jax.lib.v1.monitored import SessionCreator as SessionCreator
from tfgrad_jax.lib.v1.monitored import SessionManager as SessionManager
from tfgrad_jax.lib.v1.session_hooks import SessionRunArgs as SessionRunArgs
from tfgrad_jax.lib.v1.session_hooks import SessionRunContext as SessionRunContext
from tfgrad_jax.lib.v1.session_hooks import SessionRunHook as SessionRunHook
from tfgrad_jax.lib.v1.session_hooks import SessionRunValues as SessionRunValues
from tfgrad_jax.lib.v1.monitored import SingularMonitoredSession as SingularMonitoredSession
from tfgrad_jax.lib.v1.saving_hooks import StepCounterHook as StepCounterHook
from tfgrad_jax.lib.v1.session_hooks import StopAtStepHook as StopAtStepHook
from tfgrad_jax.lib.v1.saving_hooks import SummarySaverHook as SummarySaverHook
from tfgrad_jax.lib.v1.supervisor import Supervisor as Supervisor
queue_runner = compat_v1_train_queue_runner
Checkpoint = _Checkpoint
def MonitoredTrainingSession(master: _Any = '', is_chief: _Any = True, checkpoint_dir: _Any = None, scaffold: _Any = None, hooks: _Any = None, chief_only_hooks: _Any = None, save_checkpoint_secs: _Any = ..., save_summaries_steps: _Any = ..., save_summaries_secs: _Any = ..., config: _Any = None, stop_grace_period_secs: _Any = 120, log_step_count_steps: _Any = 100, max_wait_secs: _Any = 7200, save_checkpoint_steps: _Any = ..., summary_dir: _Any = None, save_graph_def: _Any = True) -> _Any:
    """A monitored session that saves checkpoints and summaries, and goes on from the last. Mirrors TensorFlow's of that name."""
def NewCheckpointReader(filepattern: _Any) -> _Any:
    """A reader of a checkpoint. Mirrors `tf.compat.v1.train.NewCheckpointReader`."""
class SaverDef(_Any): ...
def SyncReplicasOptimizer(*args: _Any, **kwargs: _Any) -> _Any:
    """Not here. Instead: use tf.distribute.MirroredStrategy."""
def add_queue_runner(qr: _Any, collection: _Any = 'queue_runners') -> _Any:
    """Keep a queue runner, for `start_queue_runners` to find. Mirrors `tf.compat.v1.train.add_queue_runner`."""
def assert_global_step(global_step_tensor: _Any) -> _Any:
    """Make sure that something can count steps: an integer scalar. Mirrors `tf.compat.v1.train.assert_global_step`."""
def batch(tensors: _Any, batch_size: _Any, num_threads: _Any = 1, capacity: _Any = 32, enqueue_many: _Any = False, shapes: _Any = None, dynamic_pad: _Any = False, allow_smaller_final_batch: _Any = False, shared_name: _Any = None, name: _Any = None) -> _Any:
    """Batches of tensors, which threads put into a queue one by one. Mirrors `tf.compat.v1.train.batch`."""
def batch_join(tensors_list: _Any, batch_size: _Any, capacity: _Any = 32, enqueue_many: _Any = False, shapes: _Any = None, dynamic_pad: _Any = False, allow_smaller_final_batch: _Any = False, shared_name: _Any = None, name: _Any = None) -> _Any:
    """`batch` of several lists of tensors, a thread for each. Mirrors `tf.compat.v1.train.batch_join`."""
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
def import_meta_graph(meta_graph_or_file: _Any, clear_devices: _Any = False, import_scope: _Any = None, **kwargs: _Any) -> _Any:
    """Record the operations of a `MetaGraphDef` in the open graph. Mirrors `tf.compat.v1.train.import_meta_graph`."""
def init_from_checkpoint(ckpt_dir_or_file: _Any, assignment_map: _Any) -> _Any:
    """Let variables begin with values of a checkpoint. Mirrors `tf.compat.v1.train.init_from_checkpoint`."""
def input_producer(input_tensor: _Any, element_shape: _Any = None, num_epochs: _Any = None, shuffle: _Any = True, seed: _Any = None, capacity: _Any = 32, shared_name: _Any = None, summary_name: _Any = None, name: _Any = None, cancel_op: _Any = None) -> _Any:
    """A queue with the rows of a tensor, again and again. Mirrors `tf.compat.v1.train.input_producer`."""
def inverse_time_decay(learning_rate: _Any, global_step: _Any, decay_steps: _Any, decay_rate: _Any, staircase: _Any = False, name: _Any = None) -> _Any:
    """`learning_rate / (1 + decay_rate * global_step / decay_steps)`; see `exponential_decay`."""
def limit_epochs(tensor: _Any, num_epochs: _Any = None, name: _Any = None) -> _Any:
    """A tensor that can be had so many times. Mirrors `tf.compat.v1.train.limit_epochs`."""
def linear_cosine_decay(learning_rate: _Any, global_step: _Any, decay_steps: _Any, num_periods: _Any = ..., alpha: _Any = ..., beta: _Any = ..., name: _Any = None) -> _Any:
    """A line times a wave. Mirrors `tf.compat.v1.train.linear_cosine_decay`; see `exponential_decay`."""
def match_filenames_once(pattern: _Any, name: _Any = None) -> _Any:
    """The files that fit patterns when local variables are initialized. Mirrors `tf.io.match_filenames_once`."""
def maybe_batch(tensors: _Any, keep_input: _Any, batch_size: _Any, num_threads: _Any = 1, capacity: _Any = 32, enqueue_many: _Any = False, shapes: _Any = None, dynamic_pad: _Any = False, allow_smaller_final_batch: _Any = False, shared_name: _Any = None, name: _Any = None) -> _Any:
    """`batch` of what is to be kept. Mirrors `tf.compat.v1.train.maybe_batch`."""
def maybe_batch_join(tensors_list: _Any, keep_input: _Any, batch_size: _Any, capacity: _Any = 32, enqueue_many: _Any = False, shapes: _Any = None, dynamic_pad: _Any = False, allow_smaller_final_batch: _Any = False, shared_name: _Any = None, name: _Any = None) -> _Any:
    """`maybe_batch` of several lists of tensors, a thread for each. Mirrors `tf.compat.v1.train.maybe_batch_join`."""
def maybe_shuffle_batch(tensors: _Any, batch_size: _Any, capacity: _Any, min_after_dequeue: _Any, keep_input: _Any, num_threads: _Any = 1, seed: _Any = None, enqueue_many: _Any = False, shapes: _Any = None, allow_smaller_final_batch: _Any = False, shared_name: _Any = None, name: _Any = None) -> _Any:
    """`maybe_batch` in random order, as `shuffle_batch`. Mirrors `tf.compat.v1.train.maybe_shuffle_batch`."""
def maybe_shuffle_batch_join(tensors_list: _Any, batch_size: _Any, capacity: _Any, min_after_dequeue: _Any, keep_input: _Any, seed: _Any = None, enqueue_many: _Any = False, shapes: _Any = None, allow_smaller_final_batch: _Any = False, shared_name: _Any = None, name: _Any = None) -> _Any:
    """`maybe_shuffle_batch` of several lists of tensors, a thread for each. Mirrors TensorFlow's function of that name."""
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
def range_input_producer(limit: _Any, num_epochs: _Any = None, shuffle: _Any = True, seed: _Any = None, capacity: _Any = 32, shared_name: _Any = None, name: _Any = None) -> _Any:
    """A queue with the integers below a limit; see `input_producer`. Mirrors `tf.compat.v1.train.range_input_producer`."""
def remove_checkpoint(checkpoint_prefix: _Any, checkpoint_format_version: _Any = 2, meta_graph_suffix: _Any = 'meta') -> _Any:
    """Remove the files of a checkpoint. Mirrors `tf.compat.v1.train.remove_checkpoint`."""
def shuffle_batch(tensors: _Any, batch_size: _Any, capacity: _Any, min_after_dequeue: _Any, num_threads: _Any = 1, seed: _Any = None, enqueue_many: _Any = False, shapes: _Any = None, allow_smaller_final_batch: _Any = False, shared_name: _Any = None, name: _Any = None) -> _Any:
    """`batch` in random order. Mirrors `tf.compat.v1.train.shuffle_batch`."""
def shuffle_batch_join(tensors_list: _Any, batch_size: _Any, capacity: _Any, min_after_dequeue: _Any, seed: _Any = None, enqueue_many: _Any = False, shapes: _Any = None, allow_smaller_final_batch: _Any = False, shared_name: _Any = None, name: _Any = None) -> _Any:
    """`shuffle_batch` of several lists of tensors, a thread for each. Mirrors `tf.compat.v1.train.shuffle_batch_join`."""
def slice_input_producer(tensor_list: _Any, num_epochs: _Any = None, shuffle: _Any = True, seed: _Any = None, capacity: _Any = 32, shared_name: _Any = None, name: _Any = None) -> _Any:
    """A row of each of several tensors, the next one each time; see `input_producer`. Mirrors TensorFlow's function of that name."""
def start_queue_runners(sess: _Any = None, coord: _Any = None, daemon: _Any = True, start: _Any = True, collection: _Any = 'queue_runners') -> _Any:
    """Start the threads of all queue runners that were kept. Mirrors `tf.compat.v1.train.start_queue_runners`."""
def string_input_producer(string_tensor: _Any, num_epochs: _Any = None, shuffle: _Any = True, seed: _Any = None, capacity: _Any = 32, shared_name: _Any = None, name: _Any = None, cancel_op: _Any = None) -> _Any:
    """A queue with strings, such as names of files; see `input_producer`. Mirrors `tf.compat.v1.train.string_input_producer`."""
def summary_iterator(path: _Any) -> _Any:
    """The events of a file of summaries. Mirrors `tf.compat.v1.train.summary_iterator`."""
def update_checkpoint_state(save_dir: _Any, model_checkpoint_path: _Any, all_model_checkpoint_paths: _Any = None, latest_filename: _Any = None, all_model_checkpoint_timestamps: _Any = None, last_preserved_timestamp: _Any = None) -> _Any:
    """Write the file that says what the newest checkpoint is. Mirrors `tf.compat.v1.train.update_checkpoint_state`."""
def warm_start(ckpt_to_initialize_from: _Any, vars_to_warm_start: _Any = '.*', var_name_to_vocab_info: _Any = None, var_name_to_prev_var_name: _Any = None) -> _Any:
    """Let variables of a graph begin with what a checkpoint has under their names. Mirrors `tf.compat.v1.train.warm_start`."""
def write_graph(graph_or_graph_def: _Any, logdir: _Any, name: _Any, as_text: _Any = True) -> _Any:
    """Write a graph or a `GraphDef` to a file. Mirrors `tf.io.write_graph`."""
