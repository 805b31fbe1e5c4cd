"""Ctrl-C in the middle of an iteration: it is raised there, threads end and files are closed."""

from __future__ import annotations

import gc
import os
import signal
import threading

import pytest

import tfgrad_jax as tf

Dataset = tf.data.Dataset
MANY = 10**15


class Pressed:
    """Presses Ctrl-C in the main thread, and keeps a worker busy until the main one has gone on."""

    def __init__(self):
        self.over = threading.Event()
        self.count = 0

    def at_third(self, value):
        self.count += 1
        if self.count == 3:
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
            if threading.current_thread() is not threading.main_thread():
                self.over.wait(60)
        return value


@pytest.fixture(autouse=True)
def ctrl_c():
    """Ctrl-C as in a program of one's own: processes that run tests for others may ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def pressed():
    made = Pressed()
    yield made
    made.over.set()


def _python(pressed):
    return lambda v: tf.numpy_function(pressed.at_third, [v], tf.int64)


def _numbers(pressed):
    value = 0
    while True:
        yield pressed.at_third(value)
        value += 1


PIPELINES = {
    "map": lambda p: Dataset.range(MANY).map(_python(p)),
    "py_function": lambda p: Dataset.range(MANY).map(lambda v: tf.py_function(p.at_third, [v], tf.int64)),
    "parallel map": lambda p: Dataset.range(MANY).map(_python(p), num_parallel_calls=4),
    "prefetch": lambda p: Dataset.range(MANY).map(_python(p)).prefetch(2),
    "filter": lambda p: Dataset.range(MANY).filter(lambda v: tf.numpy_function(p.at_third, [v], tf.int64) < 0),
    "interleave": lambda p: Dataset.range(4).interleave(
        lambda v: Dataset.from_tensors(v).repeat().map(_python(p)), 4, num_parallel_calls=2
    ),
    "generator": lambda p: Dataset.from_generator(lambda: _numbers(p), output_signature=tf.TensorSpec([], tf.int64)),
    "shuffle": lambda p: Dataset.range(MANY).map(_python(p)).shuffle(100),
    "batch": lambda p: Dataset.range(MANY).map(_python(p)).batch(100).prefetch(1),
    "ignore_errors": lambda p: Dataset.range(MANY).map(_python(p)).ignore_errors(),
    "cache": lambda p: Dataset.range(MANY).map(_python(p)).cache(),
}


@pytest.mark.parametrize("name", PIPELINES)
def test_ctrl_c_in_a_pipeline(name, pressed):
    dataset = PIPELINES[name](pressed)
    with pytest.raises(KeyboardInterrupt):
        for _ in dataset:
            pass
    assert pressed.count < 20
    pressed.over.set()
    gc.collect()
    for thread in threading.enumerate():
        if thread.name.startswith(("tfgrad_jax-map", "tfgrad_jax-prefetch")):
            thread.join(60)
            assert not thread.is_alive()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(
    "make",
    [
        lambda numbers: numbers.batch(10**12),
        lambda numbers: numbers.skip(10**14),
        lambda numbers: numbers.padded_batch(10**12),
        lambda numbers: numbers.filter(lambda v: v < 0),
        lambda numbers: numbers.shuffle(10**12),
        lambda numbers: numbers.window(10**12),
        lambda numbers: numbers.shard(10**14, 10**13),
    ],
    ids=["batch", "skip", "padded_batch", "filter", "shuffle", "window", "shard"],
)
def test_ctrl_c_where_no_element_comes(make):
    """A thread presses again and again: what Python finds in callbacks, as of the collector, is lost but for a warning."""
    stopped = threading.Event()
    main = threading.main_thread().ident

    def press():
        while not stopped.wait(0.01):
            signal.pthread_kill(main, signal.SIGINT)

    thread = threading.Thread(target=press)
    iterator = iter(make(Dataset.range(MANY)))
    with pytest.raises(KeyboardInterrupt):
        try:
            thread.start()
            next(iterator)
        finally:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is pressed until the thread is told
    stopped.set()
    thread.join()


def test_ctrl_c_closes_files(tmp_path):
    path = tmp_path / "lines"
    path.write_text("a\n" * 10)
    with pytest.raises(KeyboardInterrupt):
        for _ in tf.data.TextLineDataset(str(path)).repeat():
            signal.raise_signal(signal.SIGINT)
    gc.collect()
    links = (f"/proc/self/fd/{n}" for n in os.listdir("/proc/self/fd"))
    assert str(path) not in [os.readlink(link) for link in links if os.path.islink(link)]
