"""Two processes that train together. What they print is what TensorFlow's workers print."""

from __future__ import annotations

import json
import threading
from contextlib import closing

import pytest

import tfgrad_jax as tf
from tests.lib.distribute.places import addresses
from tfgrad_jax.lib.distribute import messages
from tfgrad_jax.lib.distribute.messages import Cluster

D = tf.distribute

PROGRAM = """
import sys
import numpy as np
import tensorflow as tf

D = tf.distribute
s = D.MultiWorkerMirroredStrategy()
me = s.cluster_resolver.task_id


def number():
    return tf.cast(D.get_replica_context().replica_id_in_sync_group, tf.float32)


tf.random.set_seed(me)
with s.scope():
    v = tf.Variable(lambda: tf.random.uniform([2]))
    total = tf.Variable(1.0, synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation.SUM)
    w = tf.Variable(1.0, aggregation=tf.VariableAggregation.SUM)
assert s.num_replicas_in_sync == 2 and s.run(number) == me
assert s.reduce("SUM", s.run(number), axis=None) == 1.0 and s.reduce("MEAN", s.run(number), axis=None) == 0.5
own = s.run(lambda: tf.range(2.0 + number()))
assert s.reduce("SUM", own, axis=0) == 4.0 and abs(s.reduce("MEAN", own, axis=0) - 0.8) < 1e-6
assert s.gather(own, axis=0).numpy().tolist() == [0.0, 1.0, 0.0, 1.0, 2.0]
assert s.gather(v.read_value()[None], axis=0).numpy().std(0).tolist() == [0.0, 0.0]
s.run(lambda: total.assign_add(1.0 + number()))
s.run(lambda: w.assign_add(1.0 + number()))
assert total.numpy() == 5.0 and w == 4.0


def replica():
    with tf.GradientTape() as tape:
        x = (1.0 + number()) * 2.0
        tape.watch(x)
        y = D.get_replica_context().all_reduce("SUM", x)
        z = y * y * (1.0 + number())
    return tape.gradient(z, x)


assert s.run(replica) == 36.0
large = lambda: s.run(lambda: D.get_replica_context().all_reduce("SUM", [tf.fill([3, 200_000], 1.0 + number()), number()]))
for meet in (large, tf.function(large)):  # over 2 MiB each sums a share
    sums, little = meet()
    assert (sums.numpy() == 3.0).all() and little == 1.0
assert len(s._cluster.links) == 1
asked, exchange = [], s._cluster.exchange
s._cluster.exchange = lambda *args: asked.append(args[0]) or exchange(*args)
numbers = lambda: (number(), 2.0 + number())
sums = tf.function(lambda: [2.0 * s.reduce("SUM", each, axis=None) for each in s.run(numbers)])
assert [float(x) for x in sums()] == [2.0, 10.0] and asked == ["sum"]  # what can be summed at once is
s._cluster.exchange = exchange
step = tf.function(lambda: s.run(replica))
assert [float(step()) for _ in range(3)] == [36.0] * 3


def slices():
    i = tf.cast(number(), tf.int32)
    found = tf.IndexedSlices(tf.ones([1, 2]) * (1.0 + number()), i[None], [3, 2])
    return tf.convert_to_tensor(D.get_replica_context().all_reduce("SUM", found))


assert s.run(slices).numpy().tolist() == [[1.0, 1.0], [2.0, 2.0], [0.0, 0.0]]
shares = [x.numpy().tolist() for x in s.experimental_distribute_dataset(tf.data.Dataset.range(13).batch(8))]
assert shares == [[[0, 1, 2, 3], [8, 9, 10]], [[4, 5, 6, 7], [11, 12]]][me], shares
make = lambda c: tf.data.Dataset.range(4).shard(c.num_input_pipelines, c.input_pipeline_id)
assert [int(x) for x in s.distribute_datasets_from_function(make)] == [me, me + 2]


def rows(dataset):
    return [x.numpy().tolist() for x in dataset]


def shared(dataset, policy):
    options = tf.data.Options()
    options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy[policy]
    return rows(s.experimental_distribute_dataset(dataset.with_options(options)))


unequal = s.distribute_datasets_from_function(lambda c: tf.data.Dataset.range(2 + 3 * me).batch(2, drop_remainder=True))
assert rows(unequal) == [[[0, 1], []], [[0, 1], [2, 3]]][me] and unequal.element_spec.shape.as_list() == [None]
unequal, found = iter(s.distribute_datasets_from_function(lambda c: tf.data.Dataset.range(2 + me).batch(2))), []
sums = tf.function(lambda: s.reduce("SUM", s.run(tf.reduce_sum, args=(next(unequal),)), axis=None))
try:
    while True:
        found.append(int(sums()))
except tf.errors.OutOfRangeError:
    assert found == [2, 2], found
endless = s.distribute_datasets_from_function(lambda c: tf.data.Dataset.range(2 + me).repeat())
assert [int(x) for x, _ in zip(endless, range(5))] == [[0, 1, 0, 1, 0], [0, 1, 2, 0, 1]][me]

numbers = tf.data.Dataset.range(11)
whole = [[[0, 1, 2], [3, 4], [5, 6, 7], [8, 9], [10]], [[0, 1], [2, 3, 4], [5, 6], [7, 8, 9], [10]]]
assert shared(numbers.batch(5), "OFF") == whole[me]
hinted = numbers.shard(tf.data.experimental.SHARD_HINT, tf.data.experimental.SHARD_HINT).batch(6)
assert shared(hinted, "HINT") == [[[0, 2, 4], [6, 8, 10]], [[1, 3, 5], [7, 9]]][me]
files = [f"{sys.argv[1]}.{me}.{k}" for k in range(3)]
for k, name in enumerate(files):
    with open(name, "w") as file:
        file.writelines(f"{10 * k + j}\\n" for j in range(3 + k % 2))


def lines(dataset):
    return dataset.map(lambda line: tf.strings.to_number(line, tf.int32))


read = lines(tf.data.TextLineDataset(files)).cache()
assert len(list(read)) == 10  # the cache keeps the lines of all files now
assert shared(read.batch(4), "AUTO") == [[[0, 1], [2, 20], [21, 22]], [[10, 11], [12, 13], []]][me]
assert shared(read.batch(4), "DATA") == [[[0, 1], [11, 12], [21]], [[2, 10], [13, 20], [22]]][me]
named = tf.data.Dataset.from_tensor_slices(files).shuffle(3, seed=me).flat_map(tf.data.TextLineDataset)
assert sorted(sum(shared(lines(named).batch(4), "FILE"), [])) == [[0, 1, 2, 20, 21, 22], [10, 11, 12, 13]][me]
for wrong, policy, error in (
    (numbers.batch(4), "FILE", tf.errors.NotFoundError),
    (read.batch(4).unbatch().map(tf.range), "OFF", NotImplementedError),
):
    try:
        shared(wrong, policy)
    except error as found:
        assert "AutoShardPolicy.DATA" in str(found)
    else:
        raise AssertionError(policy)

with s.scope():
    model = tf.keras.Sequential([tf.keras.layers.Input((2,)), tf.keras.layers.Dense(1, kernel_initializer="ones")])
    model.compile("sgd", loss="mse")
x = np.arange(16.0).reshape(8, 2) / 16
data = tf.data.Dataset.from_tensor_slices((x, x.sum(1, keepdims=True) * 2)).batch(4)
loss = model.fit(data, epochs=2, verbose=0).history["loss"]
kernel = [round(float(k), 5) for k in model.get_weights()[0].ravel()]
sys.stdout.write(f"worker {me} {[round(float(l), 5) for l in loss]} {kernel}\\n")  # at once: two processes write here
sys.stdout.flush()
if "fail" in sys.argv and me == 1:
    sys.exit(3)
if "fail" in sys.argv:
    try:
        s.reduce("SUM", s.run(number), axis=None)
    except tf.errors.UnavailableError as error:
        print(f"told: {error.message}")
        raise
"""


DISAGREEING = """
import sys
import tensorflow as tf

s = tf.distribute.MultiWorkerMirroredStrategy()
dtype, shape = ("float32", [2, 3]) if s.cluster_resolver.task_id == 0 else sys.argv[1].split("[")
shape = [int(size) for size in shape.strip("]").split(",")] if isinstance(shape, str) else shape
x = tf.ones(shape, dtype)
try:
    s.run(lambda: tf.distribute.get_replica_context().all_reduce("sum", x))
except tf.errors.InvalidArgumentError as error:
    print("said: " + error.message.partition("summed: ")[2], flush=True)  # at once: two processes write here
    raise
"""


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return str(path)


def test_two_workers(run_python, script):
    done = run_python("-m", "tfgrad_jax", "launch", "--workers", "2", script, script)
    assert done.returncode == 0, done.stderr
    assert """worker 1 has TF_CONFIG='{"cluster": {"worker": ["localhost:""" in done.stderr
    for worker in range(2):
        assert f"[worker {worker}] worker {worker} [1.18873, 1.06735] [1.0444, 1.04891]\n" in done.stdout


def test_workers_that_disagree_on_shapes(run_python, tmp_path):
    """As many bytes, and yet another shape or another dtype."""
    path = tmp_path / "disagree.py"
    path.write_text(DISAGREEING)
    for other in ("float32[3, 2]", "int32[2, 3]", "float32[2, 300000]"):
        done = run_python("-m", "tfgrad_jax", "launch", "--workers", "2", str(path), other)
        assert f"said: worker 1 has {other}, worker 0 has float32[2, 3]" in done.stdout, done.stderr


def test_a_worker_that_fails_ends_all(run_python, script):
    done = run_python("-m", "tfgrad_jax", "launch", "--workers", "2", script, script, "fail")
    assert done.returncode == 3  # that of the one that failed, though the other one may have ended before it
    assert done.stderr.endswith("launch: worker 1 ended with status 3, so all others are ended\n")


def test_how_it_is_called(run_python):
    for wrong in ([], ["--workers", "none", "x.py"], ["--workers", "2"], ["--workers", "2", "--no-prefix"]):
        done = run_python("-m", "tfgrad_jax", "launch", *wrong)
        assert done.returncode == 2
        assert "usage" in done.stderr


def test_a_worker_that_does_not_come(monkeypatch, caplog):
    monkeypatch.setattr(messages, "_SILENT", 0.05)
    for index, named in ((0, "worker 1"), (1, "worker 0")):
        with pytest.raises(tf.errors.DeadlineExceededError, match=named):
            Cluster(addresses(2), index, patience=0.2)
        assert f"worker {index} (" in caplog.text and f"waits for {named} (" in caplog.text


def test_a_worker_that_goes():
    places = addresses(2)
    joined = []
    thread = threading.Thread(target=lambda: joined.append(Cluster(places, 1)))
    thread.start()
    first = Cluster(places, 0)
    thread.join()
    joined[0].close()
    with closing(first), pytest.raises(tf.errors.UnavailableError, match=r"worker 1 \(localhost:\d+\) is gone"):
        first.exchange("sum", [], list)


@pytest.mark.parametrize(
    ("config", "error", "said"),
    [
        ('{"cluster": {"worker": ["a:1", "b:2"]}}', ValueError, "must also specify `task_type` and `task_id`"),
        (
            '{"cluster": {"worker": ["a:1"]}, "task": {"type": "worker", "index": 5}}',
            ValueError,
            "exceeds the maximum id",
        ),
        (
            '{"cluster": {"worker": ["a:1"]}, "task": {"type": "boss", "index": 0}}',
            ValueError,
            "Unrecognized task_type: boss",
        ),
        ('{"cluster": {"worker": ["a"]}, "task": {"type": "worker", "index": 0}}', ValueError, "'a' is no address"),
        ('{"cluster": 3}', TypeError, "`cluster` must be a dictionary"),
        ("{", json.JSONDecodeError, "double quotes"),
        ("3", TypeError, "TF_CONFIG must be a JSON object with 'cluster' and 'task', got 3"),
        ('{"cluster": {"worker": ["a:1"]}, "task": [1]}', ValueError, r"an object with 'type' and 'index', got \[1\]"),
        (
            '{"cluster": {"worker": ["a:1"]}, "task": {"type": "worker", "index": "x"}}',
            ValueError,
            "must be an integer, got 'x'",
        ),
        (
            '{"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": -1}}',
            ValueError,
            "`task_id` -1 exceeds the maximum id of worker: its tasks are",
        ),
        (
            '{"cluster": {"worker": ["a:1", "b:70000"]}, "task": {"type": "worker", "index": 0}}',
            ValueError,
            "'b:70000' is no address",
        ),
        (
            '{"cluster": {"worker": ["a:1", "a:1"]}, "task": {"type": "worker", "index": 0}}',
            ValueError,
            "several workers have the same address",
        ),
        (
            '{"cluster": {"chief": ["a:1", "b:1"]}, "task": {"type": "chief", "index": 0}}',
            ValueError,
            "at most one 'chief'",
        ),
    ],
)
def test_configurations_that_are_wrong(monkeypatch, config, error, said):
    monkeypatch.setenv("TF_CONFIG", config)
    with pytest.raises(error, match=said):
        D.MultiWorkerMirroredStrategy()


CONFIGURATIONS = [
    "",
    '{"cluster": {"worker": ["a:1"], "evaluator": ["b:1"]}, "task": {"type": "evaluator", "index": 0}}',
]


@pytest.mark.parametrize("config", CONFIGURATIONS, ids=["no configuration", "evaluator"])
def test_alone(monkeypatch, config):
    monkeypatch.setenv("TF_CONFIG", config)
    strategy = D.MultiWorkerMirroredStrategy()
    with strategy.scope():
        v = tf.Variable(1.0, aggregation=tf.VariableAggregation.SUM)
    strategy.run(lambda: v.assign_add(1.0))
    assert (strategy.num_replicas_in_sync, float(v)) == (1, 2.0)
    assert strategy.reduce("SUM", 3.0, axis=None) == 3.0
