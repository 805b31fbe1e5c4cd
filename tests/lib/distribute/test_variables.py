"""Variables with a copy for each replica: what they are read as, and what assigning does, as in TensorFlow."""

import pytest

import tfgrad_jax as tf

D = tf.distribute
A, S = tf.VariableAggregation, tf.VariableSynchronization


@pytest.fixture
def strategy():
    return D.MirroredStrategy(["CPU:0", "CPU:1"])


def number():
    return tf.cast(D.get_replica_context().replica_id_in_sync_group, tf.float32)


def copies(variable):
    return [v.numpy().tolist() for v in variable.values]


def test_what_a_variable_is(strategy):
    with strategy.scope():
        v, u = tf.Variable(1.0, name="v"), tf.Variable(lambda: tf.random.uniform([2]))
    assert [x.name for x in v.values] == [x.name for x in v._values] == ["v:0", "v/replica_1:0"]
    assert v._devices == tuple(x.device for x in v.values)  # Keras 2's older optimizers ask so
    assert isinstance(v, tf.Variable)
    assert isinstance(v, D.DistributedValues)
    assert not isinstance(v, tf.__internal__.CompositeTensor)
    assert (v.name, v.shape, v.dtype, v.trainable, v.synchronization) == ("v:0", [], tf.float32, True, S.ON_WRITE)
    assert (v + 1.0, 1.0 + v, float(v), v.numpy()) == (2.0, 2.0, 1.0, 1.0)
    assert copies(u)[0] == copies(u)[1]
    assert repr(v).startswith("MirroredVariable:{\n  0: <tf.Variable 'v:0' shape=() dtype=float32, numpy=1.0>,\n  1: ")
    assert strategy.run(lambda: v) is v
    assert strategy.extended.variable_created_in_scope(v)
    assert not strategy.extended.variable_created_in_scope(tf.Variable(1.0))
    assert D.get_strategy().extended.variable_created_in_scope(tf.Variable(1.0))
    assert strategy.extended.value_container(v.values[1]) is v
    with pytest.raises(TypeError, match="unhashable"):
        hash(v)


@pytest.mark.parametrize("how", [lambda f: f, tf.function], ids=["eagerly", "in a function"])
@pytest.mark.parametrize(
    ("aggregation", "expected"),
    [(A.NONE, [0.0, 1.0]), (A.MEAN, [0.5, 0.5]), (A.SUM, [1.0, 1.0]), (A.ONLY_FIRST_REPLICA, [0.0, 0.0])],
)
def test_replicas_assign_mirrored(strategy, how, aggregation, expected):
    with strategy.scope():
        v = tf.Variable(2.0, aggregation=aggregation)
    how(lambda: strategy.run(lambda: [v.assign(number()), None][1]))()
    assert copies(v) == expected
    how(lambda: strategy.run(lambda: [v.assign_add(number()), None][1]))()
    assert copies(v) == [2 * x for x in expected]
    how(lambda: strategy.run(lambda: [v.assign_sub(number()), None][1]))()
    assert copies(v) == expected


@pytest.mark.parametrize("how", [lambda f: f, tf.function], ids=["eagerly", "in a function"])
@pytest.mark.parametrize(
    ("aggregation", "read", "assigned"),
    [(A.SUM, 11.0, [4.0, 4.0]), (A.MEAN, 5.5, [8.0, 8.0]), (A.ONLY_FIRST_REPLICA, 5.0, [8.0, 8.0])],
)
def test_synchronised_when_read(strategy, how, aggregation, read, assigned):
    with strategy.scope():
        v = tf.Variable(3.0, synchronization=S.ON_READ, aggregation=aggregation)
    assert not v.trainable
    how(lambda: strategy.run(lambda: [v.assign(5.0 + number()), None][1]))()
    assert copies(v) == [5.0, 6.0]
    assert (v.read_value(), v + 0.0, v.numpy()) == (read, read, read)
    assert how(lambda: v + 0.0)() == read
    assert [float(x) for x in strategy.run(lambda: v.read_value()).values] == [5.0, 6.0]
    assert v.assign(8.0) == 8.0
    assert copies(v) == assigned


def test_what_cannot_be_brought_together(strategy):
    with strategy.scope():
        v = tf.Variable(3.0, synchronization=S.ON_READ)
        total = tf.Variable(3.0, synchronization=S.ON_READ, aggregation=A.SUM)
        with pytest.raises(ValueError, match="`NONE` variable synchronization mode is not supported"):
            tf.Variable(1.0, synchronization=S.NONE)
    with pytest.raises(ValueError, match=r"VariableAggregation\.NONE"):
        v.read_value()
    with pytest.raises(ValueError, match=r"VariableAggregation\.NONE"):
        v.assign(1.0)  # each copy has it, but there is no one value to give back
    assert copies(v) == [1.0, 1.0]
    with pytest.raises(ValueError, match="does not support `assign_add` in cross-replica context"):
        total.assign_add(1.0)


@pytest.mark.parametrize("synchronization", [S.ON_READ, S.ON_WRITE, S.AUTO])
def test_a_mean_of_integers_is_none(strategy, synchronization):
    with strategy.scope(), pytest.raises(ValueError, match=r"aggregation=MEAN needs a floating dtype"):
        tf.Variable(1, synchronization=synchronization, aggregation=A.MEAN)


def test_integers_are_shared_out_cut(strategy):
    with strategy.scope():
        v = tf.Variable(1, synchronization=S.ON_READ, aggregation=A.SUM)
    assert v.assign(7) == 6
    assert copies(v) == [3, 3]


def test_variables_made_outside(strategy):
    v = tf.Variable(1.0)
    strategy.run(lambda: v.assign_add(1.0 + number()))
    assert v == 4.0


def test_variables_made_by_replicas(strategy):
    made = strategy.run(lambda: tf.Variable(3.0, name="q"))
    assert [v.name for v in made.values] == ["q:0", "q/replica_1:0"]
    state = []

    @tf.function
    def step():
        def replica():
            if len(state) < 2:
                state.append(tf.Variable(tf.ones([2]) * 3.0))
            return state[0] * (1.0 + number())

        return strategy.run(replica)

    assert [x.numpy().tolist() for x in step().values] == [[3.0, 3.0], [6.0, 6.0]]
    assert state[0] is state[1]


def test_update(strategy):
    with strategy.scope():
        v = tf.Variable(1.0)
        slot = tf.Variable(5.0)
    own = strategy.run(number)
    strategy.extended.update(v, lambda copy, x: copy.assign(x + slot), args=(own,))
    assert copies(v) == [5.0, 6.0]
    strategy.run(lambda: strategy.extended.update(v, lambda copy, x: copy.assign_add(x), args=(number(),)))
    assert copies(v) == [5.0, 7.0]


def test_gradients_of_copies(strategy):
    with strategy.scope():
        v = tf.Variable([1.0, 2.0])

    def replica():
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(v * v) * (1.0 + number())
        assert tape.watched_variables()[0] is v
        return tape.gradient(loss, v)

    for run in (lambda: strategy.run(replica), tf.function(lambda: strategy.run(replica))):
        assert [g.numpy().tolist() for g in run().values] == [[2.0, 4.0], [4.0, 8.0]]


def test_checkpoints(strategy, tmp_path):
    with strategy.scope():
        v = tf.Variable([1.0, 2.0])
        total = tf.Variable(4.0, synchronization=S.ON_READ, aggregation=A.SUM)
    path = tf.train.Checkpoint(v=v, total=total).write(str(tmp_path / "ck"))
    assert tf.train.load_checkpoint(path).get_tensor("total/.ATTRIBUTES/VARIABLE_VALUE") == 8.0
    v.assign([0.0, 0.0])
    total.assign(0.0)
    tf.train.Checkpoint(v=v, total=total).read(path).assert_consumed()
    assert copies(v) == [[1.0, 2.0]] * 2
    assert copies(total) == [4.0, 4.0]
    plain = tf.Variable(0.0)
    tf.train.Checkpoint(total=plain).read(path).expect_partial()
    assert plain == 8.0


def test_one_copy_for_all():
    strategy = D.experimental.CentralStorageStrategy(["CPU:0", "CPU:1"], "CPU:0")
    with strategy.scope():
        v = tf.Variable(1.0, aggregation=A.MEAN)
    assert [float(x) for x in strategy.run(lambda: v + number()).values] == [1.0, 2.0]
    strategy.run(lambda: [v.assign_add(number()), None][1])
    assert v == 1.5
    v.assign(3.0)
    assert v == 3.0


def test_what_a_shared_variable_is_where_replicas_meet():
    strategy = D.experimental.CentralStorageStrategy(["CPU:0", "CPU:1"])
    with strategy.scope():
        v = tf.Variable([1.0, 2.0], aggregation=A.MEAN)

    def slope():
        with tf.GradientTape() as tape:
            y = D.get_replica_context().all_reduce("SUM", v)
            loss = tf.reduce_sum(y * y)
        return y, tape.gradient(loss, v)

    for how, expected in ((lambda f: f, ([1.0, 2.0], [4.0, 8.0])), (tf.function, ([2.0, 4.0], [8.0, 16.0]))):
        for value, wanted in zip(how(lambda: strategy.run(slope))(), expected, strict=True):
            assert [x.numpy().tolist() for x in value.values] == [wanted] * 2
    assert strategy.run(lambda: D.get_replica_context().all_gather(v, 0)).values[1].numpy().tolist() == [1.0, 2.0]
    assert not isinstance(v, D.DistributedValues)
    assert strategy.experimental_local_results(v) == (v,)
    with pytest.raises(ValueError, match="A non-DistributedValues value"):
        strategy.reduce("SUM", v, axis=None)
    seen = []
    strategy.extended.update(v, lambda one: seen.append((one is v, D.in_cross_replica_context())))
    assert seen == [(False, True)]


@pytest.mark.parametrize("how", [lambda f: f, tf.function], ids=["eagerly", "in a function"])
@pytest.mark.parametrize("aggregation", list(A))
def test_each_replica_scatters_into_a_shared_variable(how, aggregation):
    strategy = D.experimental.CentralStorageStrategy(["CPU:0", "CPU:1"])
    with strategy.scope():
        v = tf.Variable([1.0, 2.0], aggregation=aggregation)
    how(lambda: strategy.run(lambda: [v.scatter_add(tf.IndexedSlices([number() + 1.0], [0])), None][1]))()
    how(lambda: strategy.run(lambda: [v.scatter_nd_max([[1]], [number() + 4.0]), None][1]))()
    assert v.numpy().tolist() == [4.0, 5.0]


def test_assignments_that_cannot_be_aggregated(strategy):
    with strategy.scope():
        mean = tf.Variable([1.0, 2.0], aggregation=A.MEAN)
        first = tf.Variable([1.0, 2.0], aggregation=A.ONLY_FIRST_REPLICA)
    for assign in (
        lambda: mean.scatter_nd_update([[0]], [5.0]),
        lambda: mean.scatter_max(tf.IndexedSlices(tf.ones([1]), tf.constant([0]))),
    ):
        with pytest.raises(NotImplementedError, match="with NONE or `ONLY_FIRST_REPLICA` aggregation"):
            strategy.run(assign)
    strategy.run(lambda: first.scatter_nd_update([[0]], tf.reshape(number() + 5.0, [1])))
    assert copies(first) == [[5.0, 2.0]] * 2
    strategy.run(lambda: mean.scatter_add(tf.IndexedSlices(tf.reshape(number(), [1]), tf.constant([1]))))
    assert copies(mean) == [[1.0, 2.5]] * 2
    strategy.run(lambda: mean.assign([3.0, 4.0]))
    assert copies(mean) == [[3.0, 4.0]] * 2


def test_a_saved_model_has_what_copies_are_together(tmp_path):
    strategy = D.MirroredStrategy(["CPU:0", "CPU:1"])
    module = tf.Module()
    with strategy.scope():
        module.v = tf.Variable(
            1.0, synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation.SUM
        )
    strategy.run(lambda: module.v.assign_add(2.0))
    tf.saved_model.save(module, str(tmp_path))
    assert tf.saved_model.load(str(tmp_path)).v == 6.0


def test_a_saved_model_has_functions_that_replicas_traced(tmp_path, strategy):
    module = tf.Module()
    with strategy.scope():
        module.g = tf.random.Generator.from_seed(0)
        module.draw = tf.function(lambda: module.g.normal([2]))
        module.n = tf.Variable(1.0, synchronization=S.ON_READ, aggregation=A.SUM)
        module.count = tf.function(lambda: module.n.assign_add(1.0))
        strategy.run(lambda: (module.draw(), module.count()))  # a trace for each copy
        tf.saved_model.save(module, str(tmp_path))
        once = tf.function(module.draw.python_function).get_concrete_function()  # it writes all copies
        module.once = once
        with pytest.raises(AssertionError, match="several replicas' copies of one variable"):
            tf.saved_model.save(module, str(tmp_path / "refused"))
    loaded = tf.saved_model.load(str(tmp_path))
    plain = tf.random.Generator.from_seed(0)
    plain.normal([2])
    assert loaded.draw().numpy().tolist() == plain.normal([2]).numpy().tolist()  # no replica's own numbers
    assert (float(loaded.n), float(loaded.count())) == (4.0, 5.0)


def test_no_reduction_for_such_an_aggregation():
    with pytest.raises(ValueError, match="Could not convert from"):
        tf.distribute.ReduceOp.from_variable_aggregation(tf.VariableAggregation.NONE)


def test_a_variable_that_run_is_given_is_brought_together(strategy):
    found = []
    for aggregation in ("SUM", "MEAN", "ONLY_FIRST_REPLICA"):
        with strategy.scope():
            v = tf.Variable(1.0, aggregation=tf.VariableAggregation[aggregation])

        def replica(given, v=v):
            given.assign_add(1.0 + tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32))
            return tf.constant(given is v)

        for run in (strategy.run, tf.function(strategy.run)):
            same = run(replica, args=(v,))
            assert all(strategy.experimental_local_results(same))
            found.append([float(copy) for copy in v.values])
    assert found == [[4.0] * 2, [7.0] * 2, [2.5] * 2, [4.0] * 2, [2.0] * 2, [3.0] * 2]


def test_branches_give_assignments_of_all_copies(strategy):
    with strategy.scope():
        v = tf.Variable(1.0)

    @tf.function
    def step(forward):
        assigned = v.assign_add(1.0, read_value=False)
        kinds.append(isinstance(assigned, tf.Operation))
        return tf.cond(
            forward, lambda: v.assign_add(1.0, read_value=False), lambda: v.assign_sub(3.0, read_value=False)
        )

    kinds = []
    found = []
    for forward in (True, False):
        step(tf.constant(forward))
        found.append([float(copy) for copy in v.values])
    assert found == [[3.0] * len(v.values), [1.0] * len(v.values)] and all(kinds)


def test_copies_in_sessions(strategy):
    v1 = tf.compat.v1
    with tf.Graph().as_default(), strategy.scope(), v1.Session() as session:
        v = v1.get_variable("v", initializer=3.5, use_resource=True)
        assert session.run(v.initializer) is None
        assert session.run([v, v.initial_value]) == [3.5, 3.5]
        assert session.run(v.assign_add(1.0)) == 4.5
        assert session.run(v.assign_sub(2.0, read_value=False)) is None
        assert [session.run(copy) for copy in v.values] == [2.5] * len(v.values)
