"""``python -m benchmarks.input_figures``: input pipelines of real size, and how they lie beside a step, under either module.

Besides times of pipelines it tells how long a step of 5 ms takes that a pipeline of 4 ms a batch feeds, how much memory grows from
the thousandth to the last batch of a million elements, and how long the threads of a pipeline live after it.
"""

from __future__ import annotations

import importlib
import os
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.beside import compare

ROWS = 1_000_000
RECORDS = 100_000
LINES = 20_000
IMAGES = 400


def pipelines(tf: Any, folder: Path) -> dict[str, Callable[[], Any]]:
    """What is measured, by name: each makes a dataset."""
    dataset, every = tf.data.Dataset, tf.data.AUTOTUNE
    rng = np.random.default_rng(0)
    x, y = rng.random((ROWS, 8), np.float32), np.arange(ROWS) % 10
    records, lines = str(folder / "records"), str(folder / "lines")
    with tf.io.TFRecordWriter(records) as writer:
        for row, label in zip(x[:RECORDS], y, strict=False):
            feature = {
                "x": tf.train.Feature(float_list=tf.train.FloatList(value=row)),
                "y": tf.train.Feature(int64_list=tf.train.Int64List(value=[label])),
            }
            writer.write(tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString())
    spec = {"x": tf.io.FixedLenFeature([8], tf.float32), "y": tf.io.FixedLenFeature([], tf.int64)}
    Path(lines).write_text("\n".join(" ".join(f"w{n}" for n in row) for row in rng.integers(0, 1000, (LINES, 12))))
    words = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer([f"w{n}" for n in range(500)], np.arange(500, dtype=np.int64)), -1
    )
    files = []
    for i in range(IMAGES):
        height, width = rng.integers(180, 340), rng.integers(240, 500)
        picture = np.cumsum(rng.integers(-3, 4, (height, width, 3)), 1).clip(-127, 127) + 128
        files.append(str(folder / f"{i}.jpg"))
        tf.io.write_file(files[-1], tf.io.encode_jpeg(picture.astype(np.uint8)))

    def scaled(a: Any, b: Any) -> Any:
        return (a - 0.5) * 2.0, b

    def loaded(path: Any, size: int) -> Any:
        return tf.image.resize(tf.io.decode_jpeg(tf.io.read_file(path), channels=3), [size, size])

    def augmented(path: Any) -> Any:
        image = tf.image.random_crop(loaded(path, 110), [96, 96, 3]) / 255.0
        return tf.image.random_brightness(tf.image.random_flip_left_right(image, seed=1), 0.2, seed=2)

    def images(function: Callable[[Any], Any]) -> Any:
        return dataset.from_tensor_slices(files).map(function, num_parallel_calls=every).batch(32).prefetch(2)

    return {
        "1,000,000 rows, shuffle, map, batch": lambda: (
            dataset.from_tensor_slices((x, y)).shuffle(10_000).map(scaled).batch(32).prefetch(2)
        ),
        "1,000,000 rows, shuffle, batch, map": lambda: (
            dataset.from_tensor_slices((x, y)).shuffle(10_000).batch(32).map(scaled).prefetch(2)
        ),
        "for over 10,000 batches": lambda: dataset.from_tensor_slices((x[:320_000], y[:320_000])).batch(32),
        "100,000 records, parsed in batches": lambda: (
            tf.data.TFRecordDataset(records).batch(64).map(lambda s: tf.io.parse_example(s, spec))
        ),
        "100,000 records, parsed one by one": lambda: (
            tf.data.TFRecordDataset(records).map(lambda s: tf.io.parse_single_example(s, spec)).batch(64)
        ),
        "20,000 lines, split and looked up": lambda: (
            tf.data.TextLineDataset(lines).batch(64).map(lambda s: words.lookup(tf.strings.split(s).to_tensor()))
        ),
        "400 JPEGs to 96 x 96": lambda: images(lambda path: loaded(path, 96)),
        "400 JPEGs to 180 x 180": lambda: images(lambda path: loaded(path, 180)),
        "400 JPEGs, cropped, flipped, brightened": lambda: images(augmented),
    }


def step_beside_input(tf: Any) -> float:
    """Seconds a step takes that sleeps for 5 ms, fed by a pipeline that sleeps for 4 ms a batch."""

    def batch(i: Any) -> Any:
        time.sleep(0.004)
        return i

    steps = 200
    fed = tf.data.Dataset.range(steps).map(lambda i: tf.numpy_function(batch, [i], tf.int64)).prefetch(2)
    for _ in range(2):
        start = time.perf_counter()
        for _element in fed:
            time.sleep(0.005)
        found = (time.perf_counter() - start) / steps
    return found


def _resident() -> int:
    pages = Path("/proc/self/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def growth(dataset: Any) -> float:
    """The memory after the last batch as a multiple of that after the thousandth."""
    first = 0
    for i, _element in enumerate(dataset):
        if i == 1000:
            first = _resident()
    return _resident() / first


def threads_after(tf: Any) -> float:
    """Seconds until the threads of a pipeline that was dropped have ended."""
    before = threading.active_count()
    iterator = iter(tf.data.Dataset.range(10**9).map(lambda i: tf.strings.as_string(i), 2).batch(1000).prefetch(8))
    next(iterator)
    start = time.perf_counter()
    del iterator
    while threading.active_count() > before and time.perf_counter() - start < 10:
        time.sleep(0.001)
    return time.perf_counter() - start


def measure(module: str) -> dict[str, float]:
    """Seconds of each pipeline, the best of three times around (of a million rows, one): as they pass, and the processor's."""
    tf = importlib.import_module(module)
    found: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, make in pipelines(tf, Path(folder)).items():
            times = []
            for _ in range(1 if name.startswith("1,000,000") else 3):
                start, busy = time.perf_counter(), time.process_time()
                for _element in make():
                    pass
                times.append((time.perf_counter() - start, time.process_time() - busy))
            found[name], found[f"{name} (processor)"] = (min(column) for column in zip(*times, strict=True))
    found["step of 5 ms beside input of 4 ms"] = step_beside_input(tf)
    found["memory, last batch to the 1,000th"] = growth(tf.data.Dataset.range(ROWS).map(lambda i: i * 2).batch(32))
    found["threads of a dropped pipeline"] = threads_after(tf)
    return found


if __name__ == "__main__":
    compare("benchmarks.input_figures", __doc__, measure)
