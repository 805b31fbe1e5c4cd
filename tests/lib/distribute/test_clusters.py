"""Clusters, resolvers, and names that have no effect or say what to use instead."""

import pytest

import tfgrad_jax as tf

D = tf.distribute
R = D.cluster_resolver


def test_cluster_spec():
    spec = tf.train.ClusterSpec({"worker": ["a:1", "b:2"], "ps": {1: "c:3"}})
    assert repr(spec) == "ClusterSpec({'ps': {1: 'c:3'}, 'worker': ['a:1', 'b:2']})"
    assert (spec.jobs, spec.num_tasks("worker"), spec.task_indices("ps")) == (["worker", "ps"], 2, [1])
    assert (spec.task_address("ps", 1), spec.job_tasks("ps")) == ("c:3", [None, "c:3"])
    assert spec == tf.train.ClusterSpec(spec)
    assert not tf.train.ClusterSpec({})
    with pytest.raises(ValueError, match="No task with index 0 in job 'ps'"):
        spec.task_address("ps", 0)
    with pytest.raises(ValueError, match="No such job in cluster: 'x'"):
        spec.num_tasks("x")
    for wrong in (3, {"worker": 3}, {"a": [1]}, {1: ["a:1"]}):
        with pytest.raises(TypeError):
            tf.train.ClusterSpec(wrong)


def test_resolvers(monkeypatch):
    spec = tf.train.ClusterSpec({"worker": ["a:1", "b:2"], "ps": {1: "c:3"}})
    simple = R.SimpleClusterResolver(spec, task_type="worker", task_id=1, rpc_layer="grpc")
    assert (simple.master(), simple.master("ps", 1)) == ("grpc://", "grpc://c:3")
    union = R.UnionResolver(simple, R.SimpleClusterResolver(tf.train.ClusterSpec({"x": ["q:1"]})))
    assert union.cluster_spec().as_dict() == {"worker": ["a:1", "b:2"], "ps": {1: "c:3"}, "x": ["q:1"]}
    assert (union.task_type, union.task_id, union.master()) == ("worker", 1, "grpc://")
    config = '{"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": "1"}, "rpc_layer": "grpc"}'
    monkeypatch.setenv("TF_CONFIG", config)
    found = R.TFConfigClusterResolver()
    assert (found.task_type, found.task_id, found.master(), found.rpc_layer) == ("worker", 1, "grpc://b:2", "grpc")
    assert R.TFConfigClusterResolver("worker", 0, "x").master() == "x://a:1"
    with pytest.raises(TypeError, match="cluster_spec must be"):
        R.SimpleClusterResolver({"a": ["b"]})
    with pytest.raises(ValueError, match="At least one"):
        R.UnionResolver()


def test_slurm(monkeypatch):
    with pytest.raises(RuntimeError, match="Not running inside a SLURM step"):
        R.SlurmClusterResolver()
    for name, value in (("PROCID", "2"), ("STEP_NODELIST", "n[01-02],m3"), ("STEP_TASKS_PER_NODE", "2(x2),1")):
        monkeypatch.setenv(f"SLURM_{name}", value)
    found = R.SlurmClusterResolver(auto_set_gpu=False)
    assert found.cluster_spec().as_dict() == {"worker": ["n01:8888", "n01:8889", "n02:8888", "n02:8889", "m3:8888"]}
    assert (found.get_task_info(), found.master()) == (("worker", 2), "grpc://n02:8888")
    found = R.SlurmClusterResolver({"ps": 1, "worker": 4}, port_base=9000)
    assert found.cluster_spec().as_dict()["ps"] == ["n01:9000"]
    assert found.get_task_info() == ("worker", 1)


def test_communication():
    E = D.experimental
    assert E.CommunicationOptions(implementation="NCCL").implementation is E.CommunicationImplementation.NCCL
    with pytest.raises(ValueError, match="must be >=0"):
        E.CommunicationOptions(bytes_per_pack=-1)
    with pytest.raises(ValueError, match="is not a valid CommunicationImplementation"):
        E.CommunicationOptions(implementation="x")
    with pytest.raises(ValueError, match="num_packs >= 0"):
        D.NcclAllReduce(num_packs=-1)
    strategy = D.MirroredStrategy(["CPU:0", "CPU:1"], cross_device_ops=D.HierarchicalCopyAllReduce())
    ones = strategy.run(lambda: tf.constant(1.0))
    assert D.ReductionToOneDevice().reduce("SUM", ones, "CPU:0") == 2.0
    assert D.ReductionToOneDevice().reduce(D.ReduceOp.MEAN, ones, "CPU:0") == 1.0


def test_partitioners():
    P = D.experimental.partitioners
    assert P.FixedShardsPartitioner(2)([10, 3], tf.float32) == [2, 1]
    assert P.MinSizePartitioner(min_shard_bytes=4, max_shards=3)([6, 1], tf.float32) == [3, 1]
    assert P.MaxSizePartitioner(max_shard_bytes=4)([6, 1], tf.float32) == [6, 1]


def test_a_strategy_for_good():
    strategy = D.MirroredStrategy(["CPU:0"])
    D.experimental_set_strategy(strategy)
    assert D.get_strategy() is strategy
    D.experimental_set_strategy(None)
    assert not D.has_strategy()
    with strategy.scope(), pytest.raises(RuntimeError, match="inside a"):
        D.experimental_set_strategy(strategy)


@pytest.mark.parametrize(
    ("make", "error", "said"),
    [
        (
            lambda: D.ParameterServerStrategy(None),
            NotImplementedError,
            r"use|with tf\.distribute\.MultiWorkerMirroredStrategy",
        ),
        (lambda: D.coordinator.ClusterCoordinator(None), NotImplementedError, "ClusterCoordinator"),
        (lambda: D.experimental.PreemptionWatcher(), NotImplementedError, "PreemptionCheckpointHandler"),
        (lambda: R.KubernetesClusterResolver(), NotImplementedError, "TF_CONFIG"),
        (lambda: D.TPUStrategy(), ValueError, "JAX finds no TPU"),
        (lambda: tf.tpu.experimental.initialize_tpu_system(), ValueError, "JAX finds no TPU"),
    ],
)
def test_what_is_not_there(make, error, said):
    with pytest.raises(error, match=said):
        make()


def test_programs_that_try_for_a_tpu_find_that_there_is_none():
    with pytest.raises(ValueError, match=r"TPUClusterResolver: JAX finds no TPU"):  # what such programs catch
        R.TPUClusterResolver()
    with pytest.raises(ValueError, match="JAX finds no TPU"):
        R.TPUClusterResolver.connect()
    later = R.TPUClusterResolver("local")
    tf.config.experimental_connect_to_cluster(later)
    assert (later.master(), later.get_master(), later.task_type, later.task_id) == ("", "", "worker", 0)
    assert (later.cluster_spec().as_dict(), later.num_accelerators()) == ({}, {"TPU": 0})
    with pytest.raises(tf.errors.NotFoundError, match="JAX finds no TPU"):
        tf.tpu.experimental.initialize_tpu_system(later)
