"""Datasets and elements that do not fit each other, or what is asked of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.outcomes import Calls, some


def sources_calls(tf: Any, folder: Path) -> Calls:
    data = tf.data.Dataset
    ten = data.range(10)
    pairs = data.from_tensor_slices(([1, 2], [3, 4]))
    ragged = data.from_tensor_slices([1, 2, 3]).map(tf.range)
    e = tf.data.experimental
    return {
        "slices: other lengths": lambda: data.from_tensor_slices(([1, 2], [1, 2, 3])),
        "slices: a scalar": lambda: data.from_tensor_slices(3),
        "slices: a scalar among vectors": lambda: data.from_tensor_slices(([1, 2], 3)),
        "slices: an object": lambda: data.from_tensor_slices(object()),
        "slices: nothing": lambda: some(data.from_tensor_slices([])),
        "slices: ragged lists": lambda: data.from_tensor_slices([[1], [2, 3]]),
        "slices: numbers and texts": lambda: data.from_tensor_slices([1, "a"]),
        "slices: None": lambda: data.from_tensor_slices(None),
        "tensors: an object": lambda: data.from_tensors(object()),
        "tensors: ragged lists": lambda: data.from_tensors([[1], [2, 3]]),
        "range: nothing": lambda: data.range(),
        "range: four arguments": lambda: data.range(1, 2, 3, 4),
        "range: step zero": lambda: data.range(1, 5, 0),
        "range: of strings": lambda: some(data.range(3, output_type=tf.string)),
        "zip: nothing": lambda: data.zip(),
        "zip: no dataset": lambda: data.zip((ten, 3)),
        "zip: both forms": lambda: data.zip(ten, datasets=(ten,)),
        "concatenate: other dtypes": lambda: ten.concatenate(data.from_tensors(1.0)),
        "concatenate: other nests": lambda: ten.concatenate(pairs),
        "concatenate: no dataset": lambda: ten.concatenate([1]),
        "choose: another dtype": lambda: data.choose_from_datasets([ten, ten], data.from_tensors(0)),
        "choose: no datasets": lambda: data.choose_from_datasets([], ten),
        "choose: other elements": lambda: data.choose_from_datasets([ten, pairs], ten),
        "choose: out of range": lambda: some(data.choose_from_datasets([ten, ten], data.range(3))),
        "choose: a vector": lambda: data.choose_from_datasets([ten, ten], ten.batch(2)),
        "sample: wrong weights": lambda: data.sample_from_datasets([ten, ten], weights=[1.0]),
        "sample: no datasets": lambda: data.sample_from_datasets([]),
        "sample: weights of texts": lambda: data.sample_from_datasets([ten, ten], weights=["a", "b"]),
        "sample: negative weights": lambda: some(data.sample_from_datasets([ten, ten], weights=[-1.0, 2.0])),
        "batch: other shapes": lambda: some(ragged.batch(2)),
        "batch: twice, other shapes": lambda: some(ten.batch(4).batch(3)),
        "unbatch: scalars": lambda: ten.unbatch(),
        "unbatch: other lengths": lambda: some(data.from_tensors(([1, 2], [1, 2, 3])).unbatch()),
        "unbatch: other lengths, open": lambda: some(
            data.from_tensors(1).map(lambda x: (tf.range(x), tf.range(x + 1))).unbatch()
        ),
        "padded: too small": lambda: some(ragged.padded_batch(2, [1])),
        "padded: another rank": lambda: some(ragged.padded_batch(2, [None, None])),
        "padded: another nest": lambda: ragged.padded_batch(2, ([None], [None])),
        "padded: a value of another dtype": lambda: ragged.padded_batch(2, [None], padding_values="x"),
        "padded: a fraction for integers": lambda: ragged.padded_batch(2, [None], padding_values=0.5),
        "padded: a vector as value": lambda: ragged.padded_batch(2, [None], padding_values=tf.constant([1, 2])),
        "padded: a negative size": lambda: some(ragged.padded_batch(2, [-3])),
        "padded: a shape of texts": lambda: ragged.padded_batch(2, ["a"]),
        "sparse_batch: too small": lambda: some(ragged.sparse_batch(2, [1])),
        "sparse_batch: another rank": lambda: some(ragged.sparse_batch(2, [4, 4])),
        "sparse_batch: pairs": lambda: pairs.sparse_batch(2, [4]),
        "bucket: sizes that do not fit": lambda: ragged.bucket_by_sequence_length(tf.size, [2, 3], [1, 1]),
        "bucket: sizes that do not grow": lambda: some(
            ragged.bucket_by_sequence_length(lambda x: tf.size(x), [3, 2], [1, 1, 1])
        ),
        "bucket: too long": lambda: some(
            ragged.bucket_by_sequence_length(lambda x: tf.size(x), [2], [2, 2], pad_to_bucket_boundary=True)
        ),
        "resample: probabilities of another length": lambda: some(
            ten.rejection_resample(lambda x: tf.cast(x % 2, tf.int32), [0.2, 0.3, 0.5], [0.5, 0.5])
        ),
        "single: none": lambda: ten.take(0).get_single_element(),
        "single: several": lambda: ten.get_single_element(),
        "len: infinite": lambda: len(ten.repeat()),
        "len: unknown": lambda: len(ten.filter(lambda x: x > 1)),
        "bool of an unknown one": lambda: bool(ten.filter(lambda x: x > 1)),
        "next beyond the end": lambda: iter(ten.take(0)).get_next(),
        "next of a dataset": lambda: next(ten),
        "reduce: nothing to reduce": lambda: ten.take(0).reduce(tf.constant(0, tf.int64), lambda s, x: s + x),
        "reduce: another state": lambda: ten.reduce(0, lambda s, x: s + tf.cast(x, tf.float32)),
        "reduce: another nest": lambda: ten.reduce((0, 0), lambda s, x: s),
        "scan: no pair": lambda: ten.scan(tf.constant(0, tf.int64), lambda s, x: s + x),
        "scan: another dtype": lambda: ten.scan(0, lambda s, x: (x, x)),
        "window: step zero": lambda: some(ten.window(2, 0)),
        "window: stride zero": lambda: some(ten.window(2, 1, 0)),
        "group: no size": lambda: ten.group_by_window(lambda x: x, lambda k, d: d),
        "group: two sizes": lambda: ten.group_by_window(lambda x: x, lambda k, d: d, 2, lambda k: 2),
        "shard: beyond": lambda: some(ten.shard(2, 2)),
        "unique: pairs": lambda: some(pairs.unique()),
        "unique: floats": lambda: some(data.from_tensor_slices([1.5, 1.5]).unique()),
        "options: none": lambda: ten.with_options(3),
        "options: an unknown one": lambda: setattr(tf.data.Options(), "nothing", 3),
        "options: another type": lambda: setattr(tf.data.Options(), "deterministic", "x"),
        "threads: a text": lambda: setattr(tf.data.Options().threading, "private_threadpool_size", "x"),
        "cardinality: more": lambda: some(ten.apply(e.assert_cardinality(3))),
        "cardinality: fewer": lambda: list(ten.apply(e.assert_cardinality(30))),
        "map: a check fails": lambda: some(
            ten.map(lambda x: tf.debugging.check_numerics(1.0 / tf.cast(x, tf.float32), "m"))
        ),
        "map: an index is wrong": lambda: some(ten.map(lambda x: tf.gather([1, 2], x))),
        "map: shapes do not fit": lambda: ten.map(lambda x: tf.zeros([2]) + tf.zeros([3])),
        "map: assert": lambda: some(ten.map(lambda x: tf.debugging.assert_less(x, tf.constant(3, tf.int64)) or x)),
        "map: division by zero": lambda: some(ten.map(lambda x: 5 // x)),
        "map: a value asked for": lambda: ten.map(lambda x: x.numpy()),
        "map: a tensor as a bool": lambda: ten.map(lambda x: -x if bool(x > 1) else x),
        "map: python fails": lambda: some(ten.map(lambda x: tf.py_function(lambda v: 1 // 0, [x], tf.int64))),
        "map: python gives another dtype": lambda: some(
            ten.map(lambda x: tf.numpy_function(lambda v: 0.5, [x], tf.int64))
        ),
        "map: python gives a text": lambda: some(ten.map(lambda x: tf.py_function(lambda v: "x", [x], tf.int64))),
        "map: python gives too much": lambda: some(
            ten.map(lambda x: tf.numpy_function(lambda v: (v, v), [x], tf.int64))
        ),
        "map: a shape that was set is wrong": lambda: some(ten.map(lambda x: tf.ensure_shape(tf.range(x), [2]))),
        "map: two arguments for one": lambda: ten.map(lambda x, y: x),
        "map: one argument for two": lambda: pairs.map(lambda x: x),
        "save: no name": lambda: ten.save(3),
        "load: not there": lambda: some(data.load(str(folder / "nowhere"))),
        "ragged_batch: unknown rank": lambda: some(
            data.from_tensors(1).map(lambda x: tf.py_function(lambda v: v, [x], tf.int32)).ragged_batch(2)
        ),
        "list_files: nothing matches": lambda: some(data.list_files(str(folder / "none*"))),
        "list_files: a number": lambda: data.list_files(3),
        "at: beyond": lambda: e.at(ten, 20),
        "structure of no dataset": lambda: e.get_structure(3),
        "from_list: nothing": lambda: e.from_list([]),
        "from_list: other types": lambda: e.from_list([1, "a"]),
        "optional: empty": lambda: tf.experimental.Optional.empty(tf.TensorSpec([])).get_value(),
        "optional: an object": lambda: tf.experimental.Optional.from_value(object()),
        "snapshot: a number as compression": lambda: ten.snapshot(str(folder / "snap"), compression=3),
        "save: a number as compression": lambda: ten.save(str(folder / "saved"), compression=3),
        "load: a number as compression": lambda: data.load(str(folder / "saved"), compression=3),
        "snapshot: wrong compression": lambda: some(ten.snapshot(str(folder / "snap"), compression="LZ")),
    }


def more_calls(tf: Any, folder: Path) -> Calls:
    queue = tf.queue

    def full() -> Any:
        found = queue.FIFOQueue(1, [tf.int32], shapes=[[]])
        found.enqueue(1)
        return found

    def closed() -> Any:
        found = full()
        found.close()
        return found

    return {
        "queue: another dtype": lambda: queue.FIFOQueue(3, [tf.int32]).enqueue("a"),
        "queue: another shape": lambda: queue.FIFOQueue(3, [tf.int32], shapes=[[2]]).enqueue([1, 2, 3]),
        "queue: too many parts": lambda: queue.FIFOQueue(3, [tf.int32]).enqueue((1, 2)),
        "queue: no shapes for many": lambda: queue.FIFOQueue(3, [tf.int32]).dequeue_many(1),
        "queue: closed, put": lambda: closed().enqueue(1),
        "queue: closed, empty": lambda: [q := closed(), q.dequeue(), q.dequeue()],
        "queue: other shapes": lambda: queue.FIFOQueue(3, [tf.int32], shapes=[[], []]),
        "queue: shared names of another dtype": lambda: queue.FIFOQueue.from_list(0, [1]),
        "queue: padded, no shapes": lambda: queue.PaddingFIFOQueue(3, [tf.int32], None),
        "queue: priority of another dtype": lambda: queue.PriorityQueue(3, [tf.int32], [[]]).enqueue(("a", 1)),
        "for over a tensor in a map": lambda: some(tf.data.Dataset.range(2).map(lambda x: list(x))),
        "iterator of no dataset": lambda: iter(tf.data.DatasetSpec(tf.TensorSpec([]))),
        "iterator of a spec": lambda: tf.data.Iterator(),
        "numpy of a variant": lambda: tf.data.experimental.to_variant(tf.data.Dataset.range(2)).numpy(),
    }
