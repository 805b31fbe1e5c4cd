"""Input of version 1: queues that threads fill with elements and batches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfgrad_jax.composite.sparse_tensor import SparseTensor
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.names.scopes import name_scope
from tfgrad_jax.engine.run.eager import executing_eagerly
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.queues import FIFOQueue, PaddingFIFOQueue, RandomShuffleQueue
from tfgrad_jax.lib.v1.collections import GraphKeys
from tfgrad_jax.lib.v1.queue_runners import QueueRunner, add_queue_runner
from tfgrad_jax.lib.v1.variables import VariableV1, count_up_to
from tfgrad_jax.ops.array.creation import identity
from tfgrad_jax.ops.array.gather import gather, where
from tfgrad_jax.ops.array.sequences import range as numbers
from tfgrad_jax.ops.array.shape import broadcast_to, expand_dims
from tfgrad_jax.ops.common import sizes_of
from tfgrad_jax.ops.control.control_flow import control_dependencies
from tfgrad_jax.ops.io.files import matching_files
from tfgrad_jax.ops.random.seeds import shuffle as shuffled


def _in_a_graph() -> None:
    if executing_eagerly():
        raise RuntimeError(
            "Input pipelines based on Queues are not supported when eager execution is enabled. Please use tf.data to ingest "
            "data into your model instead."
        )


@export("compat.v1.train.limit_epochs")
def limit_epochs(tensor: Any, num_epochs: int | None = None, name: str | None = None) -> Any:
    """A tensor that can be had so many times. Mirrors `tf.compat.v1.train.limit_epochs`.

    Args:
      tensor: the tensor.
      num_epochs: how often; any number of times where None.
      name: of the operation.

    Raises:
      ValueError: if that is not positive.
      OutOfRangeError: in a session, afterwards.
    """
    if num_epochs is None:
        return tensor
    if num_epochs <= 0:
        raise ValueError(f"num_epochs must be > 0 not {num_epochs}.")
    with name_scope(name or "limit_epochs"):
        epochs = VariableV1(
            convert(0, dtypes.int64), name="epochs", trainable=False, collections=[GraphKeys.LOCAL_VARIABLES]
        )
        with control_dependencies([count_up_to(epochs, num_epochs)]):
            return identity(convert(tensor), name=name)


@export("compat.v1.train.input_producer")
def input_producer(
    input_tensor: Any, element_shape: Any = None, num_epochs: int | None = None, shuffle: bool = True, seed: int | None = None,
    capacity: int = 32, shared_name: str | None = None, summary_name: str | None = None, name: str | None = None,
    cancel_op: Any = None,
) -> Any:  # fmt: skip
    """A queue with the rows of a tensor, again and again. Mirrors `tf.compat.v1.train.input_producer`.

    Args:
      input_tensor: the rows.
      element_shape: of a row; known from the tensor where None.
      num_epochs: how often; for ever where None.
      shuffle, seed: whether rows come in a random order, another one each time.
      capacity: how many the queue holds.
      shared_name, summary_name: accepted for compatibility.
      name: of the scope.
      cancel_op: closes the queue when all is to end.

    Raises:
      RuntimeError: where operations run at once.
    """
    _in_a_graph()
    with name_scope(name or "input_producer"):
        rows = convert(input_tensor)
        element = rows.shape[1:].merge_with(element_shape)
        if not element.is_fully_defined():
            raise ValueError(
                "Either `input_tensor` must have a fully defined shape or `element_shape` must be specified"
            )
        rows = limit_epochs(shuffled(rows, seed=seed) if shuffle else rows, num_epochs)
        queue = FIFOQueue(capacity, [rows.dtype], [element], name=name or "input_producer")
        add_queue_runner(QueueRunner(queue, [queue.enqueue_many([rows])], cancel_op=cancel_op))
        return queue


@export("compat.v1.train.string_input_producer")
def string_input_producer(
    string_tensor: Any, num_epochs: int | None = None, shuffle: bool = True, seed: int | None = None, capacity: int = 32,
    shared_name: str | None = None, name: str | None = None, cancel_op: Any = None,
) -> Any:  # fmt: skip
    """A queue with strings, such as names of files; see `input_producer`. Mirrors `tf.compat.v1.train.string_input_producer`.

    Raises:
      ValueError: if there are none.
    """
    _in_a_graph()
    strings = convert(string_tensor, dtypes.string)
    if strings.shape.rank == 1 and strings.shape[0] == 0:
        raise ValueError("string_input_producer requires a non-null input tensor")
    return input_producer(
        strings, [], num_epochs, shuffle, seed, capacity, name=name or "input_producer", cancel_op=cancel_op
    )


@export("compat.v1.train.match_filenames_once", "compat.v1.io.match_filenames_once", "io.match_filenames_once")
def match_filenames_once(pattern: Any, name: str | None = None) -> Any:
    """The files that fit patterns when local variables are initialized. Mirrors `tf.io.match_filenames_once`.

    Args:
      pattern: one or several, as `tf.io.matching_files` takes them.
      name: of the variable.

    Returns:
      A local variable with their names.
    """
    return VariableV1(
        matching_files(pattern), name=name or "matching_filenames", trainable=False, validate_shape=False,
        collections=[GraphKeys.LOCAL_VARIABLES],
    )  # fmt: skip


@export("compat.v1.train.range_input_producer")
def range_input_producer(
    limit: Any, num_epochs: int | None = None, shuffle: bool = True, seed: int | None = None, capacity: int = 32,
    shared_name: str | None = None, name: str | None = None,
) -> Any:  # fmt: skip
    """A queue with the integers below a limit; see `input_producer`. Mirrors `tf.compat.v1.train.range_input_producer`."""
    _in_a_graph()
    return input_producer(numbers(limit), [], num_epochs, shuffle, seed, capacity, name=name or "input_producer")


@export("compat.v1.train.slice_input_producer")
def slice_input_producer(
    tensor_list: Any, num_epochs: int | None = None, shuffle: bool = True, seed: int | None = None, capacity: int = 32,
    shared_name: str | None = None, name: str | None = None,
) -> list[Tensor]:  # fmt: skip
    """A row of each of several tensors, the next one each time; see `input_producer`. Mirrors TensorFlow's function of that name.

    Raises:
      ValueError: if there are none.
    """
    _in_a_graph()
    with name_scope(name or "input_producer"):
        tensors = [convert(tensor) for tensor in tensor_list]
        if not tensors:
            raise ValueError("Expected at least one tensor in slice_input_producer().")
        queue = range_input_producer(sizes_of(tensors[0])[0], num_epochs, shuffle, seed, capacity)
        row = queue.dequeue()
        return [gather(tensor, row) for tensor in tensors]


def _batched(
    lists: Sequence[Any], size: Any, queue: Any, threads: int, many: bool, shapes: Any, fewer: bool, name: str, keep: Any = None
) -> Any:  # fmt: skip
    """Batches out of a queue of which each thread fills in one of some lists of tensors: where `keep` says so, if it is given."""
    _in_a_graph()
    named = isinstance(lists[0], dict)
    keys = sorted(lists[0]) if named else None
    one = not isinstance(lists[0], (list, tuple, dict))
    rows = [[part[key] for key in keys] if keys else [part] if one else list(part) for part in lists]
    if any(isinstance(value, SparseTensor) for row in rows for value in row):
        raise NotImplementedError(f"tf.compat.v1.train.{name} of sparse tensors; use tf.data.Dataset.batch")
    with name_scope(name) as scope:  # the name of the batches, too
        tensors = [[convert(value) for value in row] for row in rows]
        kinds = [tensor.dtype for tensor in tensors[0]]
        if shapes is None:
            known = [[tensor.shape[1:] if many else tensor.shape for tensor in row] for row in tensors]
            shapes = [_common(column) for column in zip(*known)]
        made = queue(kinds, [TensorShape(shape) for shape in shapes], name)
        put = made.enqueue_many if many or keep is not None else made.enqueue
        if keep is not None:
            tensors = [_kept(row, convert(keep, dtypes.bool_), many) for row in tensors]
        fillers = [put(row) for row in tensors for _ in range(threads)]
        add_queue_runner(QueueRunner(made, fillers))
        found = made.dequeue_up_to(size, name=scope) if fewer else made.dequeue_many(size, name=scope)
    listed = found if isinstance(found, list) else [found]
    if keys:
        return dict(zip(keys, listed, strict=True))
    return listed[0] if len(listed) == 1 else listed


def _kept(row: Sequence[Tensor], keep: Tensor, many: bool) -> list[Tensor]:
    """The elements that are to go into a queue, many or none."""
    rows = list(row) if many else [expand_dims(tensor, 0) for tensor in row]
    kept = where(broadcast_to(keep, sizes_of(rows[0])[:1]))[:, 0]
    return [gather(tensor, kept) for tensor in rows]


def _common(shapes: Sequence[Any]) -> Any:
    found = shapes[0]
    for shape in shapes[1:]:
        found = found.most_specific_compatible_shape(shape)
    return found


def _first_in_first_out(capacity: int, padded: bool) -> Any:
    kind = PaddingFIFOQueue if padded else FIFOQueue
    return lambda kinds, shapes, name: kind(capacity, kinds, shapes, name=name)


def _at_random(capacity: int, kept: int, seed: int | None) -> Any:
    return lambda kinds, shapes, name: RandomShuffleQueue(capacity, kept, kinds, shapes, seed=seed, name=name)


@export("compat.v1.train.batch")
def batch(
    tensors: Any, batch_size: Any, num_threads: int = 1, capacity: int = 32, enqueue_many: bool = False, shapes: Any = None,
    dynamic_pad: bool = False, allow_smaller_final_batch: bool = False, shared_name: str | None = None, name: str | None = None,
) -> Any:  # fmt: skip
    """Batches of tensors, which threads put into a queue one by one. Mirrors `tf.compat.v1.train.batch`.

    Args:
      tensors: a tensor, a list, or a dictionary.
      batch_size: how many make a batch.
      num_threads: how many threads fill the queue.
      capacity: how many elements it holds.
      enqueue_many: whether the tensors have several elements each.
      shapes: of an element; known from the tensors where None.
      dynamic_pad: whether elements of a batch are padded to one shape.
      allow_smaller_final_batch: whether what is left at the end is a batch, too.
      shared_name: accepted for compatibility.
      name: of the scope.

    Raises:
      RuntimeError: where operations run at once.
    """
    queue = _first_in_first_out(capacity, dynamic_pad)
    return _batched(
        [tensors], batch_size, queue, num_threads, enqueue_many, shapes, allow_smaller_final_batch, name or "batch"
    )


@export("compat.v1.train.batch_join")
def batch_join(
    tensors_list: Any, batch_size: Any, capacity: int = 32, enqueue_many: bool = False, shapes: Any = None,
    dynamic_pad: bool = False, allow_smaller_final_batch: bool = False, shared_name: str | None = None, name: str | None = None,
) -> Any:  # fmt: skip
    """`batch` of several lists of tensors, a thread for each. Mirrors `tf.compat.v1.train.batch_join`."""
    queue = _first_in_first_out(capacity, dynamic_pad)
    return _batched(
        list(tensors_list), batch_size, queue, 1, enqueue_many, shapes, allow_smaller_final_batch, name or "batch_join"
    )


@export("compat.v1.train.shuffle_batch")
def shuffle_batch(
    tensors: Any, batch_size: Any, capacity: int, min_after_dequeue: int, num_threads: int = 1, seed: int | None = None,
    enqueue_many: bool = False, shapes: Any = None, allow_smaller_final_batch: bool = False, shared_name: str | None = None,
    name: str | None = None,
) -> Any:  # fmt: skip
    """`batch` in random order. Mirrors `tf.compat.v1.train.shuffle_batch`.

    Args:
      min_after_dequeue: so many elements stay in the queue, for others to come between.
      seed: of the order.
      tensors, batch_size, capacity, num_threads, enqueue_many, shapes, allow_smaller_final_batch, shared_name, name: as `batch`
        takes them.
    """
    queue = _at_random(capacity, min_after_dequeue, seed)
    name = name or "shuffle_batch"
    return _batched([tensors], batch_size, queue, num_threads, enqueue_many, shapes, allow_smaller_final_batch, name)


@export("compat.v1.train.shuffle_batch_join")
def shuffle_batch_join(
    tensors_list: Any, batch_size: Any, capacity: int, min_after_dequeue: int, seed: int | None = None,
    enqueue_many: bool = False, shapes: Any = None, allow_smaller_final_batch: bool = False, shared_name: str | None = None,
    name: str | None = None,
) -> Any:  # fmt: skip
    """`shuffle_batch` of several lists of tensors, a thread for each. Mirrors `tf.compat.v1.train.shuffle_batch_join`."""
    queue = _at_random(capacity, min_after_dequeue, seed)
    name = name or "shuffle_batch_join"
    return _batched(list(tensors_list), batch_size, queue, 1, enqueue_many, shapes, allow_smaller_final_batch, name)


@export("compat.v1.train.maybe_batch")
def maybe_batch(
    tensors: Any, keep_input: Any, batch_size: Any, num_threads: int = 1, capacity: int = 32, enqueue_many: bool = False,
    shapes: Any = None, dynamic_pad: bool = False, allow_smaller_final_batch: bool = False, shared_name: str | None = None,
    name: str | None = None,
) -> Any:  # fmt: skip
    """`batch` of what is to be kept. Mirrors `tf.compat.v1.train.maybe_batch`.

    Args:
      keep_input: whether; with `enqueue_many` also a vector that says so of each element.
      tensors, batch_size, num_threads, capacity, enqueue_many, shapes, dynamic_pad, allow_smaller_final_batch, shared_name, name:
        as `batch` takes them.
    """
    queue = _first_in_first_out(capacity, dynamic_pad)
    name = name or "batch"
    return _batched(
        [tensors], batch_size, queue, num_threads, enqueue_many, shapes, allow_smaller_final_batch, name, keep_input
    )


@export("compat.v1.train.maybe_batch_join")
def maybe_batch_join(
    tensors_list: Any, keep_input: Any, batch_size: Any, capacity: int = 32, enqueue_many: bool = False, shapes: Any = None,
    dynamic_pad: bool = False, allow_smaller_final_batch: bool = False, shared_name: str | None = None, name: str | None = None,
) -> Any:  # fmt: skip
    """`maybe_batch` of several lists of tensors, a thread for each. Mirrors `tf.compat.v1.train.maybe_batch_join`."""
    queue = _first_in_first_out(capacity, dynamic_pad)
    name = name or "batch_join"
    return _batched(
        list(tensors_list), batch_size, queue, 1, enqueue_many, shapes, allow_smaller_final_batch, name, keep_input
    )


@export("compat.v1.train.maybe_shuffle_batch")
def maybe_shuffle_batch(
    tensors: Any, batch_size: Any, capacity: int, min_after_dequeue: int, keep_input: Any, num_threads: int = 1,
    seed: int | None = None, enqueue_many: bool = False, shapes: Any = None, allow_smaller_final_batch: bool = False,
    shared_name: str | None = None, name: str | None = None,
) -> Any:  # fmt: skip
    """`maybe_batch` in random order, as `shuffle_batch`. Mirrors `tf.compat.v1.train.maybe_shuffle_batch`."""
    queue = _at_random(capacity, min_after_dequeue, seed)
    name = name or "shuffle_batch"
    return _batched(
        [tensors], batch_size, queue, num_threads, enqueue_many, shapes, allow_smaller_final_batch, name, keep_input
    )


@export("compat.v1.train.maybe_shuffle_batch_join")
def maybe_shuffle_batch_join(
    tensors_list: Any, batch_size: Any, capacity: int, min_after_dequeue: int, keep_input: Any, seed: int | None = None,
    enqueue_many: bool = False, shapes: Any = None, allow_smaller_final_batch: bool = False, shared_name: str | None = None,
    name: str | None = None,
) -> Any:  # fmt: skip
    """`maybe_shuffle_batch` of several lists of tensors, a thread for each. Mirrors TensorFlow's function of that name."""
    queue = _at_random(capacity, min_after_dequeue, seed)
    name = name or "shuffle_batch_join"
    return _batched(
        list(tensors_list), batch_size, queue, 1, enqueue_many, shapes, allow_smaller_final_batch, name, keep_input
    )
