"""Numbers and functions that methods of datasets do not take."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tests.outcomes import Calls, some


def numbers_calls(tf: Any, folder: Path) -> Calls:
    ten = tf.data.Dataset.range(10)
    rows = tf.data.Dataset.from_tensor_slices(np.arange(8).reshape(4, 2))
    methods = {
        "take": ten.take,
        "skip": ten.skip,
        "repeat": ten.repeat,
        "batch": ten.batch,
        "shuffle": ten.shuffle,
        "prefetch": ten.prefetch,
        "enumerate": ten.enumerate,
        "window": ten.window,
        "rebatch": rows.rebatch,
        "padded_batch": ten.padded_batch,
        "ragged_batch": ten.ragged_batch,
        "shard of 3": lambda n: ten.shard(3, n),
        "shards": lambda n: ten.shard(n, 0),
        "range": tf.data.Dataset.range,
        "cycle_length": lambda n: ten.interleave(lambda x: tf.data.Dataset.from_tensors(x), cycle_length=n),
        "block_length": lambda n: ten.interleave(lambda x: tf.data.Dataset.from_tensors(x), 2, block_length=n),
        "num_parallel_calls": lambda n: ten.map(lambda x: x, num_parallel_calls=n),
        "window_size": lambda n: ten.group_by_window(lambda x: x % 2, lambda k, d: d.batch(4), window_size=n),
        "assert_cardinality": lambda n: ten.apply(tf.data.experimental.assert_cardinality(n)),
        "seed of random": lambda n: tf.data.Dataset.random(seed=n),
        "seed of shuffle": lambda n: ten.shuffle(4, seed=n),
    }
    values = {
        "a text": "x", "a fraction": 1.5, "a list": [1, 2], "negative": -3, "zero": 0, "an object": object(), "a dict": {"a": 1},
    }  # fmt: skip
    found = {
        f"{method}: {kind}": lambda make=make, value=value: some(make(value))
        for method, make in methods.items()
        for kind, value in values.items()
    }
    del found["rebatch: negative"]  # it ends TensorFlow's process
    return found


def functions_calls(tf: Any, folder: Path) -> Calls:
    ten = tf.data.Dataset.range(10)

    def raising(*_: Any) -> Any:
        raise KeyError("mine")

    wrong = {
        "raises": raising,
        "gives an object": lambda *_: object(),
        "gives None": lambda *_: None,
        "gives a text": lambda *_: "x",
        "gives a fraction": lambda *_: 0.5,
        "gives a vector": lambda *_: tf.constant([1, 2], tf.int64),
        "has no parameters": lambda: 1,
        "is none": 3,
    }
    methods = {
        "map": ten.map,
        "filter": ten.filter,
        "flat_map": ten.flat_map,
        "interleave": ten.interleave,
        "take_while": ten.take_while,
        "scan": lambda f: ten.scan(tf.constant(0, tf.int64), f),
        "key of group_by_window": lambda f: ten.group_by_window(f, lambda k, d: d, window_size=2),
        "reduction of group_by_window": lambda f: ten.group_by_window(lambda x: x % 2, f, window_size=2),
        "window_size_func": lambda f: ten.group_by_window(lambda x: x % 2, lambda k, d: d.batch(2), window_size_func=f),
        "bucket_by_sequence_length": lambda f: ten.bucket_by_sequence_length(f, [3], [2, 2]),
        "rejection_resample": lambda f: ten.rejection_resample(f, [0.5, 0.5]),
        "apply": ten.apply,
    }
    found = {
        f"function of {method} {kind}": lambda make=make, f=f: some(make(f))
        for method, make in methods.items()
        for kind, f in wrong.items()
    }
    for kind, f in wrong.items():
        found[f"function of reduce {kind}"] = lambda f=f: ten.reduce(tf.constant(0, tf.int64), f)
    return found


def generators_calls(tf: Any, folder: Path) -> Calls:
    def of(elements: Any, *args: Any, **how: Any) -> Callable[[], Any]:
        return lambda: some(tf.data.Dataset.from_generator(lambda: iter(elements), *args, **how))

    def failing() -> Any:
        yield 1
        raise KeyError("mine")

    spec = tf.TensorSpec
    scalar = spec([], tf.int32)
    return {
        "generator: another dtype": of([1.5], output_signature=scalar),
        "generator: text for a number": of(["x"], output_signature=scalar),
        "generator: a number for text": of([1], output_signature=spec([], tf.string)),
        "generator: a longer vector": of([[1, 2, 3]], output_signature=spec([2], tf.int32)),
        "generator: another rank": of([[1]], output_signature=scalar),
        "generator: ragged rows": of([[[1], [2, 3]]], output_signature=spec([None, None], tf.int32)),
        "generator: ragged rows, fit": of([tf.ragged.constant([[1], [2, 3]])], output_signature=spec([None], tf.int32)),
        "generator: too few parts": of([(1,)], output_signature=(scalar, scalar)),
        "generator: too many parts": of([(1, 2, 3)], output_signature=(scalar, scalar)),
        "generator: a number for a pair": of([1], output_signature=(scalar, scalar)),
        "generator: another key": of([{"b": 1}], output_signature={"a": scalar}),
        "generator: None": of([None], output_signature=scalar),
        "generator: an object": of([object()], output_signature=scalar),
        "generator: a large number": of([2**40], output_signature=scalar),
        "generator: raises": lambda: some(tf.data.Dataset.from_generator(failing, output_signature=scalar)),
        "generator: is none": lambda: some(tf.data.Dataset.from_generator([1, 2], output_signature=scalar)),
        "generator: gives no iterable": lambda: some(
            tf.data.Dataset.from_generator(lambda: 3, output_signature=scalar)
        ),
        "generator: no types": of([1]),
        "generator: types and a signature": of([1], tf.int32, output_signature=scalar),
        "generator: shapes and a signature": of([1], output_shapes=[], output_signature=scalar),
        "generator: a signature that is none": of([1], output_signature=tf.int32),
        "generator: a wrong nest of types": of([(1, 2)], (tf.int32,)),
        "generator: shapes that do not fit types": of([(1, 2)], (tf.int32, tf.int32), ([],)),
        "generator: wrong arguments": lambda: some(
            tf.data.Dataset.from_generator(lambda n: range(n), args=(1, 2), output_signature=scalar)
        ),
    }
