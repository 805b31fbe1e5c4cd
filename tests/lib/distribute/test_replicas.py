"""Replicas that run a function, meet, and end each other; values as TensorFlow's MirroredStrategy of two devices gives them."""

import gc
import threading
import weakref

import pytest

import tfgrad_jax as tf

D = tf.distribute
HOW = pytest.mark.parametrize("how", [lambda f: f, tf.function], ids=["eagerly", "in a function"])


@pytest.fixture
def strategy():
    return D.MirroredStrategy(["CPU:0", "CPU:1"])


def number():
    return tf.cast(D.get_replica_context().replica_id_in_sync_group, tf.float32)


def values(result):
    return [v.numpy().tolist() for v in result.values]


@HOW
def test_each_replica_runs(strategy, how):
    result = how(lambda: strategy.run(lambda x, y: {"a": x + number(), "b": (y, 3, None)}, (1.0,), {"y": "text"}))()
    assert values(result["a"]) == [1.0, 2.0]
    assert result["b"] == ("text", 3, None)
    assert repr(result["a"]).startswith("PerReplica:{\n  0: <tf.Tensor: shape=(), dtype=float32, numpy=1.0>,\n  1: ")
    assert str(result["a"]) == (
        "PerReplica:{\n  0: tf.Tensor(1.0, shape=(), dtype=float32),\n  1: tf.Tensor(2.0, shape=(), dtype=float32)\n}"
    )


def test_where_a_replica_is(strategy):
    def ask():
        context = D.get_replica_context()
        return (
            D.in_cross_replica_context(),
            D.has_strategy(),
            D.get_strategy() is strategy,
            context.num_replicas_in_sync,
        )

    assert strategy.run(ask) == (False, True, True, 2)
    context = D.get_replica_context()
    assert context.num_replicas_in_sync == 1
    assert strategy.run(lambda: D.get_replica_context().devices)[0].values == strategy.extended.worker_devices


@HOW
@pytest.mark.parametrize(("op", "expected"), [("SUM", [36.0, 36.0]), ("mean", [9.0, 9.0])])
def test_gradients_flow_through_reductions(strategy, how, op, expected):
    def replica():
        with tf.GradientTape() as tape:
            x = (1.0 + number()) * 2.0
            tape.watch(x)
            y = D.get_replica_context().all_reduce(op, x)
            z = y * y * (1.0 + number())
        return tape.gradient(z, x)

    assert values(how(lambda: strategy.run(replica))()) == expected


@HOW
def test_gradients_flow_through_gathering(strategy, how):
    def replica():
        with tf.GradientTape() as tape:
            x = tf.stack([1.0 + number()])
            tape.watch(x)
            y = D.get_replica_context().all_gather(x, 0)
            z = y * y * (1.0 + number())
        return y, tape.gradient(z, x)

    joined, gradient = how(lambda: strategy.run(replica))()
    joined = joined.values[0] if isinstance(joined, D.DistributedValues) else joined
    assert joined.numpy().tolist() == [1.0, 2.0]
    assert values(gradient) == [[6.0], [12.0]]


def test_a_tape_outside_sees_nothing(strategy):
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        loss = strategy.reduce("SUM", strategy.run(lambda: v * (1.0 + number())), axis=None)
    assert loss == 6.0
    assert tape.gradient(loss, v) is None


def test_slices_of_a_table_are_summed(strategy):
    def replica():
        i = tf.cast(number(), tf.int32)
        slices = tf.IndexedSlices(tf.ones([1, 2]) * (1.0 + number()), i[None], [3, 2])
        return tf.convert_to_tensor(D.get_replica_context().all_reduce("SUM", slices))

    assert values(strategy.run(replica))[0] == [[1.0, 1.0], [2.0, 2.0], [0.0, 0.0]]


def test_one_object_from_outside_counts_once(strategy):
    x = tf.constant(3.0)
    assert values(strategy.run(lambda: D.get_replica_context().all_reduce("SUM", x))) == [3.0, 3.0]
    assert values(strategy.run(lambda: D.get_replica_context().all_reduce("SUM", x + 0.0))) == [6.0, 6.0]


def test_meeting(strategy):
    def meet(s, x, y):
        assert D.in_cross_replica_context()
        assert s is strategy
        assert y == 2
        return s.reduce("SUM", x, axis=None), x

    total, own = strategy.run(lambda: D.get_replica_context().merge_call(meet, (number(),), {"y": 2}))
    assert total == 1.0
    assert values(own) == [0.0, 1.0]


def test_what_one_replica_raises_ends_all(strategy):
    left = []

    def replica():
        try:
            if number() == 1.0:
                raise KeyError("boo")
            D.get_replica_context().all_reduce("SUM", 1.0)
        finally:
            left.append(threading.current_thread())

    with pytest.raises(KeyError, match="boo"):
        strategy.run(replica)
    assert len(left) == 2
    for thread in left:
        thread.join(60)
        assert not thread.is_alive()


def test_meetings_that_some_miss(strategy):
    with pytest.raises(RuntimeError, match="different number of"):
        strategy.run(lambda: None if number() == 1.0 else D.get_replica_context().all_reduce("SUM", 1.0))


@pytest.mark.parametrize(
    "replica",
    [
        lambda: tf.function(lambda: D.get_replica_context().merge_call(lambda s: 1))(),
        lambda: tf.cond(number() > 0.0, lambda: D.get_replica_context().all_reduce("SUM", 1.0), lambda: 0.0),
    ],
    ids=["function", "branch"],
)
def test_meetings_in_graphs_that_a_replica_begins(strategy, replica):
    with pytest.raises(RuntimeError, match="`merge_call` called while defining a new graph"):
        tf.function(lambda: strategy.run(replica))()


def test_a_function_that_is_run_has_all_replicas(strategy):
    traces = []

    @tf.function
    def step(x):
        traces.append(None)
        if tf.reduce_sum(x) > 0.0:
            x += 1.0
        return D.get_replica_context().all_reduce("SUM", x)

    for _ in range(2):
        assert values(strategy.run(step, (strategy.run(lambda: number()),))) == [2.0, 2.0]
    assert len(traces) == 2


@HOW
def test_seeds(strategy, how):
    """The numbers are TensorFlow's."""
    tf.random.set_seed(3)

    def replica():
        first = tf.random.uniform([])
        D.get_replica_context().all_reduce("SUM", first)
        return first, tf.random.uniform([]), tf.random.uniform([2], seed=5)

    first, second, seeded = how(lambda: strategy.run(replica))()
    eager = [0.13366317749023438, 0.194571852684021], [0.3532257080078125, 0.6392698287963867]
    traced = [0.12736403942108154, 0.7780691385269165], [0.8509835004806519, 0.22318637371063232]
    expected = eager if isinstance(how, type(lambda: 0)) and how is not tf.function else traced
    assert values(first) == pytest.approx(expected[0], rel=1e-6)
    assert values(second) == pytest.approx(expected[1], rel=1e-6)
    for own in values(seeded):
        assert own == pytest.approx([0.3976692, 0.84256816], rel=1e-6)


def test_reduce(strategy):
    one, uneven = strategy.run(number), strategy.run(lambda: tf.range(3.0 + number()))
    assert [float(strategy.reduce(op, one, axis=None)) for op in ("SUM", D.ReduceOp.MEAN)] == [1.0, 0.5]
    assert strategy.reduce("SUM", uneven, axis=0) == 9.0
    assert float(strategy.reduce("MEAN", uneven, axis=0)) == pytest.approx(9 / 7)
    assert strategy.reduce("SUM", [one, {"a": one}], axis=None)[1]["a"] == 1.0
    assert strategy.reduce("MEAN", tf.constant(1.0), axis=None) == 1.0
    mean = strategy.reduce("MEAN", strategy.run(lambda: tf.cast(number(), tf.int32)), axis=None)
    assert (mean.dtype, float(mean)) == (tf.float64, 0.5)
    with pytest.raises(ValueError, match="A non-DistributedValues value"):
        strategy.reduce("SUM", tf.constant(1.0), axis=None)
    with pytest.raises(ValueError, match="'MAX' is not a valid ReduceOp"):
        strategy.reduce("MAX", one, axis=None)
    with pytest.raises(tf.errors.InvalidArgumentError, match="same size and shape"):
        strategy.reduce("SUM", uneven, axis=None)


def test_gather(strategy):
    uneven = strategy.run(lambda: tf.range(1.0 + number()))
    assert strategy.gather(uneven, axis=0).numpy().tolist() == [0.0, 0.0, 1.0]
    with pytest.raises(ValueError, match="axis = 1, but a replica's value has shape"):
        strategy.gather(uneven, axis=1)


def test_results_and_values(strategy):
    one = strategy.run(number)
    assert [float(x) for x in strategy.experimental_local_results(one)] == [0.0, 1.0]
    assert strategy.experimental_local_results(3) == (3,)
    assert [float(x[0]) for x in strategy.experimental_local_results([one])] == [0.0, 1.0]
    made = strategy.experimental_distribute_values_from_function(lambda c: tf.constant(c.replica_id_in_sync_group))
    assert values(made) == [0, 1]
    assert values(strategy.run(lambda x, y: x + y, (made,), {"y": made})) == [0, 2]
    assert values(tf.function(lambda x: x)(one)) == [0.0, 1.0]
    assert tf.function(lambda x: strategy.reduce("SUM", x, axis=None))(one) == 1.0
    with pytest.raises(ValueError, match="PerReplica object while not inside a replica context"):
        tf.convert_to_tensor(one)


def test_scopes_that_do_not_fit(strategy):
    other = D.MirroredStrategy(["CPU:2", "CPU:3"])
    with strategy.scope(), pytest.raises(RuntimeError, match="Mixing different"):
        other.run(lambda: 1)
    for wrong in (lambda: strategy.run(lambda: 1), lambda: strategy.scope().__enter__()):
        with pytest.raises(RuntimeError, match="requires being in cross-replica context"):
            strategy.run(wrong)
    with pytest.raises(ValueError, match="positional args must be a list or tuple"):
        strategy.run(lambda x: x, args=3)
    with pytest.raises(TypeError, match="not callable"):
        strategy.run(3)


def test_losses_count_all_replicas(strategy):
    x = tf.constant([1.0, 2.0, 3.0])
    assert values(strategy.run(lambda: tf.nn.compute_average_loss(x))) == [1.0, 1.0]
    assert values(strategy.run(lambda: tf.nn.scale_regularization_loss(x))) == [3.0, 3.0]
    with strategy.scope(), pytest.raises(RuntimeError, match="in cross replica context"):
        tf.nn.scale_regularization_loss(x)
    assert tf.nn.compute_average_loss(x) == 2.0


def test_functions_called_by_replicas_have_a_trace_for_each(strategy):
    """The numbers are TensorFlow's."""
    with strategy.scope():
        total = tf.Variable(
            0.0, synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation.SUM
        )
        generator = tf.random.Generator.from_seed(0)

    @tf.function
    def add(x):
        total.assign_add(x)
        return total.read_value()

    assert [values(strategy.run(lambda: add(number() + 1.0))) for _ in range(2)] == [[1.0, 2.0], [2.0, 4.0]]
    assert float(total.read_value()) == 6.0
    draw = tf.function(lambda: generator.normal([]))
    assert values(strategy.run(draw)) == pytest.approx([-1.4154755, -0.11388441], rel=1e-5)
    assert values(strategy.run(draw)) == pytest.approx([-0.68758255, 0.8084062], rel=1e-5)
    assert [v.numpy().tolist() for v in generator.state.values] == [[512, 0, 0]] * 2


def test_generators_have_a_stream_for_each_replica(strategy):
    """The numbers are TensorFlow's."""
    with strategy.scope():
        generator = tf.random.Generator.from_seed(7)
    first, second = (values(strategy.run(lambda: generator.normal([2]))) for _ in range(2))
    assert first[0] == pytest.approx([1.0358781, 1.7041482], rel=1e-5)
    assert first[1] == pytest.approx([-0.47951084, -0.39813325], rel=1e-5)
    assert second[1] == pytest.approx([0.6580792, 0.6986628], rel=1e-5)
    assert [v.numpy().tolist() for v in generator.state.values] == [[1031, 0, 0]] * 2
    run = tf.function(lambda: strategy.run(lambda: generator.uniform([2])))
    assert values(run())[1] == pytest.approx([0.07811975, 0.30774844], rel=1e-5)
    assert values(run())[0] == pytest.approx([0.59165096, 0.27045357], rel=1e-5)
    strategy.run(lambda: generator.skip(3))
    assert generator.normal([2]).shape == [2]


def test_the_first_replica_records_summaries(strategy, tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path))
    with writer.as_default(step=1):
        strategy.run(lambda: tf.summary.scalar("a", 1.0 + number()))
    writer.close()
    (file,) = tmp_path.iterdir()
    assert len(list(tf.data.TFRecordDataset(str(file)))) == 2  # the version, and one value


def test_creators_of_variables_count_in_replicas(strategy):
    def named(make, **kwargs):
        return make(**{**kwargs, "name": "made"})

    with tf.variable_creator_scope(named):
        made = strategy.run(lambda: tf.Variable(1.0))
    assert made.name == "made:0"


def test_functions_that_were_run_are_freed(strategy):
    @tf.function
    def step():
        return D.get_replica_context().all_reduce("SUM", tf.constant(1.0) * 2.0)

    assert values(strategy.run(step)) == [4.0, 4.0]
    gone = weakref.ref(step)
    del step
    gc.collect()
    assert gone() is None


def test_a_scope_that_nobody_keeps_stays_open(strategy):
    leave = strategy.scope().__exit__
    leave.__self__.__enter__()
    left = weakref.ref(leave.__self__)
    del leave
    gc.collect()
    try:
        assert D.get_strategy() is strategy
        with pytest.raises(RuntimeError, match="Must not be called inside"):
            D.experimental_set_strategy(strategy)
    finally:
        left().__exit__(None, None, None)
    assert not D.has_strategy()


def test_variables_made_outside_of_the_scope(strategy):
    v = tf.Variable(1.0)
    assert values(strategy.run(lambda: v * 2.0)) == [2.0, 2.0]
    with pytest.raises(AssertionError, match=r"'Variable:0' was made outside of the strategy's scope"):
        strategy.extended.update(v, lambda copy, x: copy.assign_add(x), args=(1.0,))


def test_each_replica_has_what_was_gathered():
    strategy = D.MirroredStrategy(["CPU:0", "CPU:1"])

    def gathered():
        context = D.get_replica_context()
        return context.all_gather(tf.reshape(context.replica_id_in_sync_group, [1]), 0)

    for run in (lambda: strategy.run(gathered), tf.function(lambda: strategy.run(gathered))):
        assert [value.numpy().tolist() for value in run().values] == [[0, 1], [0, 1]]


def test_a_variable_that_is_the_same_in_all_replicas_is_summed_where_it_is_read(strategy):
    with strategy.scope():
        v, step = tf.Variable([3.0, 1.0]), tf.Variable(5)
    context = D.get_replica_context
    assert values(strategy.run(lambda: context().all_reduce("SUM", v))) == [[6.0, 2.0]] * 2
    assert strategy.reduce("MEAN", v, axis=None).numpy().tolist() == [3.0, 1.0]
    assert strategy.reduce("SUM", v, axis=0) == 8.0
    assert strategy.reduce("MEAN", step, axis=None).dtype is tf.int32
    for ask in (
        lambda: strategy.reduce("SUM", v, axis=None),
        lambda: strategy.extended.reduce_to("SUM", v, v),
        lambda: strategy.run(lambda: context().merge_call(lambda s, x: s.reduce("SUM", x, axis=None), (v,))),
    ):
        with pytest.raises(AssertionError, match="the same in all replicas: read it in a replica"):
            ask()


@HOW
def test_numbers_of_python_are_assigned_as_they_are(strategy, how):
    with strategy.scope():
        v = tf.Variable(1.0, aggregation=tf.VariableAggregation.MEAN)
    assert values(how(lambda: strategy.run(lambda: v.assign_add(1)))()) == [2.0, 2.0]
    assert values(how(lambda: strategy.run(lambda: v.assign(4)))()) == [4.0, 4.0]
    with strategy.scope():
        one = tf.Variable(1.0, aggregation=tf.VariableAggregation.SUM)
    with pytest.raises(ValueError, match="A non-DistributedValues value 1 cannot be reduced"):
        how(lambda: strategy.run(lambda: one.assign_add(1)))()


@HOW
def test_what_is_not_distributed(strategy, how):
    x = tf.constant([1.0, 2.0])
    assert how(lambda: strategy.reduce("SUM", x, axis=0))() == 6.0
    assert how(lambda: strategy.reduce("MEAN", x, axis=0))() == 1.5
    assert strategy.reduce("MEAN", {"a": 3, "b": None}, axis=None) == {"a": 3, "b": None}
    assert strategy.experimental_local_results([1.0, 2.0]) == ([1.0, 2.0], [1.0, 2.0])
    assert strategy.experimental_local_results(x)[0] is x
    one = D.MirroredStrategy(["CPU:0"])
    scalar = one.experimental_distribute_values_from_function(lambda _: tf.constant(7.0))
    assert how(lambda: one.gather(scalar, 0))() == 7.0


def test_values_that_cannot_be_brought_together(strategy):
    rows = strategy.run(lambda: tf.fill([2], number()))
    for wrong in (lambda: strategy.reduce("SUM", rows, axis=1), lambda: strategy.gather(rows, 1)):
        with pytest.raises(ValueError, match=r"axis = 1, but a replica's value has shape \(2,\)"):
            wrong()
    with pytest.raises(TypeError, match=r"axis must be an integer, a tuple of them or None, got \[0\]"):
        strategy.reduce("SUM", rows, axis=[0])
    texts = strategy.run(lambda: tf.constant("a"))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Value for attr 'T' of string"):
        strategy.reduce("SUM", texts, axis=None)
    with pytest.raises(TypeError, match="Value for attr 'T' of bool"):
        tf.function(lambda: strategy.run(lambda: D.get_replica_context().all_reduce("SUM", tf.constant(True))))()
    slices = tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([0]))
    with pytest.raises(NotImplementedError, match="all_gather does not support IndexedSlices"):
        strategy.run(lambda: D.get_replica_context().all_gather(slices, 0))
    with pytest.raises(RuntimeError, match=r"gather method requires cross-replica context, use .*all_gather"):
        strategy.run(lambda: strategy.gather(tf.constant([1.0]), 0))
    with pytest.raises(AssertionError, match="different structures"):
        strategy.run(lambda: [1.0] * (1 + int(D.get_replica_context().replica_id_in_sync_group)))
