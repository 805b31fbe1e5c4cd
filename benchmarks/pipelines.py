"""``python -m benchmarks.pipelines``: input pipelines of `tf.data`, the same source under either module, side by side.

Each module has a process of its own, which makes all elements of each pipeline; they take turns, and each ratio is taken within a
turn before the median over the turns. Besides the time that passes it tells the processor's, which other processes disturb less.
"""

from __future__ import annotations

import importlib
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.beside import compare

ROWS = 50_000
RECORDS = 5_000
IMAGES = 200


def pipelines(tf: Any, folder: Path) -> dict[str, Callable[[], Any]]:
    """What is measured, by name: each makes a dataset."""
    dataset = tf.data.Dataset
    rng = np.random.default_rng(0)
    x, y = rng.random((ROWS, 8), np.float32), np.arange(ROWS) % 10
    lines = [" ".join(f"w{n}" for n in row) for row in rng.integers(0, 1000, (RECORDS, 8))]
    (folder / "lines.txt").write_text("\n".join(lines))
    records = folder / "records"
    with tf.io.TFRecordWriter(str(records)) as writer:
        for i in range(RECORDS):
            feature = {
                "x": tf.train.Feature(float_list=tf.train.FloatList(value=x[i])),
                "y": tf.train.Feature(int64_list=tf.train.Int64List(value=[y[i]])),
            }
            writer.write(tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString())
    spec = {"x": tf.io.FixedLenFeature([8], tf.float32), "y": tf.io.FixedLenFeature([], tf.int64)}
    words = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer([f"w{n}" for n in range(500)], np.arange(500, dtype=np.int64)), -1
    )
    picture = np.cumsum(rng.integers(-3, 4, (200, 260, 3)), 1).clip(-127, 127).astype(np.int16) + 128
    images = np.array([tf.io.encode_jpeg((picture % 256).astype(np.uint8)).numpy()] * IMAGES, object)

    def scaled(a: Any, b: Any) -> Any:
        return (a - 0.5) * 2.0, b

    def augmented(data: Any) -> Any:
        image = tf.image.resize(tf.cast(tf.io.decode_jpeg(data, channels=3), tf.float32), [96, 96]) / 255.0
        return tf.image.random_flip_left_right(image, seed=1)

    def numbers() -> Any:
        yield from range(ROWS // 4)

    return {
        "shuffle, map, batch, prefetch": lambda: (
            dataset.from_tensor_slices((x, y)).shuffle(10_000).map(scaled).batch(32).prefetch(2)
        ),
        "shuffle, batch, map, prefetch": lambda: (
            dataset.from_tensor_slices((x, y)).shuffle(10_000).batch(32).map(scaled).prefetch(2)
        ),
        "for over batches": lambda: dataset.from_tensor_slices((x, y)).batch(32),
        "for over rows": lambda: dataset.from_tensor_slices((x, y)).take(ROWS // 4),
        "windows": lambda: dataset.range(ROWS // 20).window(5, 1).flat_map(lambda w: w.batch(5)),
        "filter": lambda: dataset.range(ROWS // 4).filter(lambda v: v % 2 == 0),
        "generator": lambda: dataset.from_generator(numbers, output_signature=tf.TensorSpec([], tf.int64)).batch(32),
        "records, parsed in batches": lambda: (
            dataset_of_records(tf, records).batch(64).map(lambda s: tf.io.parse_example(s, spec))
        ),
        "records, parsed one by one": lambda: (
            dataset_of_records(tf, records).map(lambda s: tf.io.parse_single_example(s, spec)).batch(64)
        ),
        "lines, split and looked up": lambda: (
            tf.data.TextLineDataset(str(folder / "lines.txt"))
            .batch(64)
            .map(lambda s: words.lookup(tf.strings.split(s).to_tensor()))
        ),
        "images": lambda: (
            dataset.from_tensor_slices(images).map(augmented, num_parallel_calls=tf.data.AUTOTUNE).batch(32).prefetch(2)
        ),
    }


def dataset_of_records(tf: Any, path: Path) -> Any:
    return tf.data.TFRecordDataset(str(path))


def measure(module: str) -> dict[str, float]:
    """Seconds of each pipeline, second time around: as they pass, and the processor's."""
    tf = importlib.import_module(module)
    with tempfile.TemporaryDirectory() as folder:
        found = {}
        for name, make in pipelines(tf, Path(folder)).items():
            for _ in range(2):
                start, busy = time.perf_counter(), time.process_time()
                for _element in make():
                    pass
                found[name] = time.perf_counter() - start
                found[f"{name} (processor)"] = time.process_time() - busy
        return found


if __name__ == "__main__":
    compare("benchmarks.pipelines", __doc__, measure)
