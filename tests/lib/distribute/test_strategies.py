"""Strategies of one replica, and what programs ask of them."""

import threading

import pytest

import tfgrad_jax as tf

dist = tf.distribute


def where():
    return dist.has_strategy(), dist.in_cross_replica_context(), dist.get_replica_context() is None


def test_without_a_strategy():
    context = dist.get_replica_context()
    assert where() == (False, False, False)
    assert (context.num_replicas_in_sync, context.replica_id_in_sync_group) == (1, 0)
    assert context.strategy is dist.get_strategy()
    with dist.get_strategy().scope():
        assert where() == (False, False, False)


def test_merge_call_meets_the_others():
    got = dist.get_replica_context().merge_call(lambda strategy, x: (strategy, x, where()), args=(3,))
    assert got == (dist.get_strategy(), 3, (False, True, True))


def test_all_reduce_of_one_replica():
    context = dist.get_replica_context()
    assert context.all_reduce("mean", {"a": tf.constant(2.0)})["a"] == 2.0
    assert context.all_reduce(dist.ReduceOp.SUM, [1.0])[0] == 1.0
    with pytest.raises(ValueError, match="NONSENSE"):
        context.all_reduce("nonsense", tf.constant(1.0))


@pytest.mark.parametrize("strategy", [dist.OneDeviceStrategy("/cpu:0"), dist.MirroredStrategy(["/cpu:0"])], ids=type)
def test_scope_and_run(strategy):
    with strategy.scope():
        assert where() == (True, True, True)
        assert dist.get_strategy() is strategy
        v = tf.Variable(1.0, synchronization=tf.VariableSynchronization.ON_READ)
    assert where() == (False, False, False)
    assert strategy.run(lambda x: (x + v, where()), args=(tf.constant(1.0),)) == (2.0, (True, False, False))
    assert strategy.num_replicas_in_sync == 1
    assert tf.function(lambda x: strategy.run(lambda y: y * 2, (x,)))(tf.constant(2)) == 4


def test_strategies_of_version_1_are_none_of_todays():
    old = tf.compat.v1.distribute
    strategy = old.OneDeviceStrategy("/cpu:0")
    assert strategy.run(lambda x: x + 1.0, (tf.constant(1.0),)) == 2.0
    assert isinstance(strategy, old.Strategy)
    assert isinstance(old.MirroredStrategy(["/cpu:0"]), old.Strategy)
    assert not isinstance(dist.OneDeviceStrategy("/cpu:0"), (old.OneDeviceStrategy, old.Strategy))


def test_reduce():
    strategy = dist.OneDeviceStrategy("/cpu:0")
    values = tf.constant([1.0, 2.0])
    assert strategy.reduce("SUM", values, axis=0) == 3.0
    assert strategy.reduce(dist.ReduceOp.MEAN, values, axis=0) == 1.5
    assert list(strategy.reduce("MEAN", values, axis=None)) == [1.0, 2.0]
    for one in (strategy, dist.get_strategy()):  # nothing to bring together: the value itself
        assert one.reduce("SUM", values, axis=None) is values
        assert type(one.reduce("MEAN", {"a": 2}, axis=None)["a"]) is int


def test_reduce_along_several_axes():
    strategy = dist.MirroredStrategy(["CPU:0", "CPU:1"])
    rows = strategy.run(lambda: tf.reshape(tf.range(6.0), [2, 3]))
    assert strategy.reduce("MEAN", rows, axis=(0, 1)) == 2.5
    assert strategy.reduce("SUM", rows, axis=(-1, 0)) == 30.0
    assert strategy.reduce("MEAN", rows, axis=(1,)).numpy().tolist() == [1.0, 4.0]


def test_reduce_to_one_place_gives_one_tensor():
    strategy = dist.MirroredStrategy(["CPU:0", "CPU:1"])
    with strategy.scope():
        spread = tf.Variable(1.0)
    three = strategy.run(lambda: tf.constant(3.0))
    for place in ("CPU:0", tf.Variable(1.0), tf.constant(1.0)):
        assert strategy.extended.reduce_to("SUM", three, place) == 6.0
    both = strategy.extended.batch_reduce_to("SUM", [(three, spread), (three, "CPU:1")])
    assert [float(x) for x in both[0].values] == [6.0, 6.0] and both[1] == 6.0


def test_a_replica_for_each_logical_device(run_imported):
    program = """
import tfgrad_jax as tf
four = [tf.config.LogicalDeviceConfiguration()] * 4
tf.config.set_logical_device_configuration(tf.config.list_physical_devices("CPU")[0], four)
D = tf.distribute
strategies = D.MirroredStrategy(), D.experimental.CentralStorageStrategy(), D.MultiWorkerMirroredStrategy()
print([strategy.num_replicas_in_sync for strategy in strategies])
"""
    ran = run_imported("-c", program)
    assert ran.stdout.endswith("[4, 1, 1]\n"), ran.stderr


def test_training_step_under_a_strategy():
    strategy = dist.MirroredStrategy(["/cpu:0"])
    with strategy.scope():
        v = tf.Variable(2.0)

    @tf.function
    def step():
        def replica():
            with tf.GradientTape() as tape:
                loss = v * v
            gradient = dist.get_replica_context().all_reduce("sum", tape.gradient(loss, v))
            v.assign_sub(0.25 * gradient)
            return loss

        return strategy.reduce("SUM", strategy.run(replica), axis=None)

    assert [float(step()) for _ in range(2)] == [4.0, 1.0]


def test_what_is_refused():
    with pytest.raises(AssertionError, match="No duplicates"):
        dist.MirroredStrategy(["/cpu:0", "CPU:0"])
    with pytest.raises(ValueError, match="xyz"):
        dist.MirroredStrategy(["xyz"])
    with pytest.raises(ValueError, match=r"tf\.distribute\.TPUStrategy: JAX finds no TPU"):
        dist.TPUStrategy()
    with dist.OneDeviceStrategy("/cpu:0").scope(), pytest.raises(RuntimeError, match="Mixing different"):
        dist.MirroredStrategy(["/cpu:0"]).scope().__enter__()


def test_a_strategy_belongs_to_its_thread():
    seen = []
    with dist.OneDeviceStrategy("/cpu:0").scope():
        thread = threading.Thread(target=lambda: seen.append(dist.has_strategy()))
        thread.start()
        thread.join()
    assert seen == [False]


def test_what_a_function_makes_for_a_single_replica():
    def made(strategy):
        return strategy.experimental_distribute_values_from_function(lambda c: tf.constant([1.0]))

    for strategy in (dist.MirroredStrategy(["CPU:0"]), dist.experimental.CentralStorageStrategy(["CPU:0"])):
        value = made(strategy)
        assert isinstance(value, dist.DistributedValues) and len(value.values) == 1
        add = tf.function(lambda x, strategy=strategy: strategy.run(lambda x: x + 1.0, args=(x,)))
        assert strategy.run(lambda x: x + 1.0, args=(value,)).numpy() == add(value).numpy() == 2.0
        assert strategy.reduce("SUM", value, axis=0) == 1.0 and strategy.gather(value, 0).numpy() == [1.0]
    for strategy in (dist.OneDeviceStrategy("CPU:0"), dist.get_strategy()):
        assert isinstance(made(strategy), tf.Tensor)
