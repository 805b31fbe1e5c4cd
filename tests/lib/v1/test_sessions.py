"""Graphs that sessions run: what runs, how often, and what programs of TensorFlow 1 do with it."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import tfgrad_jax as tf

v1 = tf.compat.v1


@pytest.fixture
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def test_fetches_and_feeds(graph):
    x = v1.placeholder(tf.float32, [None], name="x")
    c = tf.constant([1, 2], name="c")
    sparse = tf.SparseTensor([[0]], [5.0], [2])
    with v1.Session() as session:
        assert v1.get_default_session() is session and session.graph is graph is c.graph
        assert session.run({"a": (x * 2.0, c), "b": "x:0"}, {x: [1.0]})["a"][0].tolist() == [2.0]
        assert session.run("c:0").tolist() == c.eval().tolist() == [1, 2] and c.op.type == "Const"
        assert session.run(sparse).values.tolist() == [5.0]
        assert session.run(tf.add(c, 1), {c: [7, 8]}).tolist() == [8, 9]
        assert session.run(tf.strings.join(["a", v1.placeholder_with_default("b", [])])) == b"ab"
        for fetch, feed, error in (
            (x, {}, tf.errors.InvalidArgumentError),
            (x, {x: [[1.0]]}, ValueError),
            ("y:0", {}, ValueError),
            (None, {}, TypeError),
            (x, {3: 1}, TypeError),
        ):
            with pytest.raises(error):
                session.run(fetch, feed)
        with tf.Graph().as_default(), pytest.raises(ValueError, match="not an element of this graph"):
            session.run(tf.constant(1))
    assert v1.get_default_session() is None
    with pytest.raises(RuntimeError, match="closed"):
        session.run(c)
    with pytest.raises(ValueError, match="No default session"):
        c.eval()
    with pytest.raises(NotImplementedError, match="other processes"):
        v1.Session("grpc://there")


def test_values_are_fed_for_variables(graph):
    plain = v1.Variable([1.0, 2.0], name="plain", use_resource=False)
    resource = v1.Variable([1.0, 2.0], name="resource", use_resource=True)
    x = v1.placeholder(tf.bool, [], name="x")
    product, other = plain * 3.0, resource * 3.0
    branch = tf.cond(x, lambda: plain + 1.0, lambda: plain - 1.0)
    gradient = v1.gradients(tf.reduce_sum(plain**3), plain)[0]
    update = plain.assign_add([1.0, 1.0])
    fed = [5.0, 6.0]
    with v1.Session() as session:
        assert session.run(product, {plain: fed}).tolist() == [15.0, 18.0]  # it has no value otherwise
        with pytest.raises(tf.errors.FailedPreconditionError):
            session.run(product)
        session.run(v1.global_variables_initializer())
        assert plain.value() is plain.value() and plain.value().name == "plain/read:0" and plain.op.type == "VariableV2"
        assert graph.get_operation_by_name("plain/read") is plain.value().op and resource.op.type == "VarHandleOp"
        assert session.run(["plain:0", "plain/read:0"])[1].tolist() == [1.0, 2.0]
        for key in (plain, "plain:0", plain.value(), "plain/read:0"):
            found = session.run([product, branch, gradient, other], {key: fed, x: True})
            assert [value.tolist() for value in found] == [[15.0, 18.0], [6.0, 7.0], [75.0, 108.0], [3.0, 6.0]], key
            with pytest.raises(tf.errors.InvalidArgumentError, match=r"plain:0 is fed, and .* would assign it"):
                session.run(update, {key: fed})
        assert session.run(plain, {plain: fed}).tolist() == fed and session.run(plain).tolist() == [1.0, 2.0]
        assert session.run(plain, {plain.value(): fed}).tolist() == [1.0, 2.0]
        assert (
            session.run(plain.assign([3.0, 4.0]).value()).tolist() == [3.0, 4.0] == session.run(plain.value()).tolist()
        )
        session.run(plain.initializer)
        found = session.run([resource, other], {resource: fed})
        assert [value.tolist() for value in found] == [fed, [3.0, 6.0]]
        for feed, error in (({plain: [1.0]}, ValueError), ({"nothing:0": 1.0}, TypeError)):
            with pytest.raises(error):
                session.run(product, feed)
        with pytest.raises(tf.errors.InvalidArgumentError, match="placeholder tensor 'x'"):
            session.run("x")


def test_print_runs_with_what_it_returns(graph, capfd):
    x = v1.placeholder(tf.float32, [2])
    y = v1.Print(x * 2.0, [x], "x is ") + 1.0
    with v1.Session() as session:
        assert session.run(y, {x: [1.0, 2.0]}).tolist() == [3.0, 5.0]
    assert capfd.readouterr().err == "x is [1 2]\n"


def test_regularization_losses_are_tensors_of_the_graph(graph):
    with v1.variable_scope("a", regularizer=lambda w: 0.1 * tf.reduce_sum(w * w)):
        w = v1.get_variable("w", [2, 2], initializer=v1.ones_initializer())
        v1.get_variable("free", [1], regularizer=lambda w: None)
    (loss,) = v1.get_collection(v1.GraphKeys.REGULARIZATION_LOSSES)
    assert loss.name == "a/w/Regularizer/mul_1:0" and loss.shape == ()
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        assert session.run(loss) == np.float32(0.4) and session.run(w).tolist() == [[1.0, 1.0], [1.0, 1.0]]


def test_assignments_run_when_they_are_asked_for(graph):
    v = tf.Variable(1.0, name="v")
    later = v.assign_add(2.0)
    with tf.control_dependencies([later]):
        after = v.read_value() * 10.0
    both = tf.group(later, v1.assign(tf.Variable([0.0]), [7.0]))
    local = v1.Variable(3.0, collections=[v1.GraphKeys.LOCAL_VARIABLES])
    assert [w.name for w in v1.global_variables()] == ["v:0", "Variable:0"] and v1.local_variables() == [local]
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        assert session.run([v, v + 1.0]) == [1.0, 2.0]
        assert [session.run(later), session.run(later), v.eval()] == [3.0, 5.0, 5.0]
        assert session.run(after) == 70.0
        assert session.run(both) is None and session.run(v) == 9.0
        v.initializer.run()
        assert v.eval() == 1.0


@pytest.fixture
def variables_as_before():
    v1.disable_resource_variables()
    yield
    v1.enable_resource_variables()


def _fetched(**kind):
    with tf.Graph().as_default(), v1.Session() as session:
        v, step = v1.get_variable("v", initializer=1.0, **kind), v1.train.get_or_create_global_step()
        train = v1.train.GradientDescentOptimizer(0.1).minimize(v**2, global_step=step)
        late = v**2
        session.run(v1.global_variables_initializer())
        return [np.float64(one).round(4) for one in session.run([train, v, late, step, v.assign(7.0)])[1:]]


def test_variables_are_fetched_as_they_were():
    assert v1.resource_variables_enabled()
    assert _fetched()[:3] == [1.0, 1.0, 0.0]


def test_variables_that_are_no_resources_are_fetched_as_they_become(variables_as_before):
    assert not v1.resource_variables_enabled()
    assert _fetched() == [7.0, 1.0, 1.0, 7.0]
    assert _fetched(use_resource=True)[:2] == [1.0, 1.0]


@tf.function
def _added(variable, value):
    return variable.assign_add(value)


@tf.function
def _added_within(variable, value):
    if tf.reduce_sum(value) > 0:
        variable.assign_add(value)
    return value * 2.0


UPDATES = {
    "adding": lambda v, x: v.assign_add(x),
    "an operation": lambda v, x: v.assign_add(x).op,
    "subtracting": lambda v, x: v1.assign_sub(v, -x),
    "scattering": lambda v, x: v.scatter_add(tf.IndexedSlices(x, [0, 1], [2])),
    "raw": lambda v, x: tf.raw_ops.AssignAddVariableOp(resource=v.handle, value=x),
    "an optimizer": lambda v, x: v1.train.GradientDescentOptimizer(1.0).apply_gradients([(-x, v)]),
    "a function": _added,
    "a branch of a function": _added_within,
    "a branch": lambda v, x: tf.cond(x[0] > 0, lambda: tf.identity(v.assign_add(x)), lambda: x),
}


@pytest.mark.parametrize("second", UPDATES)
@pytest.mark.parametrize("first", ["adding", "a function"])
def test_updates_of_a_variable_in_one_run_all_count(graph, first, second):
    """What each begins from is read when it runs; what a program reads is what there was before."""
    variable = tf.Variable([0.0, 10.0])
    before = variable.read_value()
    updates = [UPDATES[kind](variable, tf.constant([1.0, 1.0])) for kind in (first, second)]
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        for count in (0, 2):
            found = session.run([before, *updates])[0]
            assert found.tolist() == [count, 10.0 + count]
        assert session.run(variable).tolist() == [4.0, 14.0]


def test_variables_without_values_are_read_where_that_stands(graph):
    v = v1.get_variable("v", initializer=[1.0, 2.0])
    with v1.Session() as session, tf.name_scope("scope") as scope:
        assert session.run([v1.global_variables_initializer(), v, v + 1.0])[1].tolist() == [1.0, 2.0]
        assert tf.Variable(1.0, name=scope).name == "scope:0"


def test_what_an_assignment_returns_is_assigned_after_it(graph):
    x = v1.get_variable("x", initializer=0.0, use_resource=True)
    rows = v1.get_variable("rows", initializer=[1.0, 2.0, 3.0], use_resource=True)
    first = x.assign(1.0)
    chained = first.assign(7.0).assign_sub(1.0).assign_add(10.0)
    scattered = rows.scatter_add(tf.IndexedSlices(10.0, 0)).scatter_nd_update([[2]], [9.0])
    assigned, added = x.assign(5.0, read_value=False), x.assign_add(4.0, read_value=False)
    with tf.control_dependencies([added]):
        after = x.read_value()
    both = tf.group(assigned, added)
    assert x.op is x.op and x.op.type == "VarHandleOp" and assigned.type == "AssignVariableOp"
    assert added._control_outputs == [after.op.inputs[0].op, both]
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        assert session.run(chained) == session.run(x) == 16
        assert session.run(scattered).tolist() == session.run(rows).tolist() == [11, 2, 9]
        assert session.run(assigned) is None and session.run(x) == 5
        assert session.run(after) == 9


def test_operations_without_results_stand_where_they_were_recorded(graph):
    x = v1.get_variable("x", initializer=0.0, use_resource=True)
    first = x.assign(1.0, read_value=False)
    both = tf.group(first, x.assign_add(1.0, read_value=False))
    assert graph.get_operations()[-1] is both  # Keras 2 takes the last one for what updates a metric
    last = x.assign_sub(1.0, read_value=False)
    found = graph.get_operations()
    assert found[-1] is last and found.index(first) < found.index(both) < found.index(last)


def test_random_numbers_functions_and_branches_leave_their_state(graph):
    v = tf.Variable(1.0)

    @tf.function
    def twice():
        v.assign(v * 2.0)
        return v + 0.0

    draw, doubled = tf.random.normal([2], seed=1), twice()
    x = v1.placeholder(tf.float32, [])
    chosen = tf.cond(x > 0.0, lambda: v.assign_add(x) + 0.0, lambda: v + 0.0)
    assigned = v.assign(twice())
    with v1.Session() as session:
        session.run(v.initializer)
        assert (session.run(draw) != session.run(draw)).all()
        assert [session.run(doubled), session.run(v)] == [2.0, 2.0]
        assert [session.run(chosen, {x: 5.0}), session.run(chosen, {x: -5.0})] == [7.0, 7.0]
        assert [session.run(assigned), session.run(v)] == [14.0, 14.0]


def test_each_session_has_its_own_values(graph):
    v = v1.get_variable("v", initializer=3.0)
    twice = tf.Variable(v.initialized_value() * 2.0, name="twice")
    fed = v1.placeholder(tf.float32, [2])
    later = tf.Variable(fed * 2.0, name="later")
    drawn = tf.random.normal([2], seed=1)
    missing = v1.report_uninitialized_variables()
    one, two = v1.Session(), v1.Session()
    for fetch in (v, v + 1.0, v1.assert_variables_initialized()):
        with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized value v"):
            one.run(fetch)
    assert one.run(missing).tolist() == [b"v", b"twice", b"later"] and not one.run(v1.is_variable_initialized(v))
    one.run(v1.variables_initializer([v, twice]))
    assert one.run([v, twice]) == [3.0, 6.0] and one.run(missing).tolist() == [b"later"]
    one.run(later.initializer, {fed: [1.0, 2.0]})
    assert one.run(later).tolist() == [2.0, 4.0] and one.run(missing).tolist() == []
    one.run(v.assign(7.0))
    first = one.run(drawn)
    with pytest.raises(tf.errors.FailedPreconditionError):
        two.run(v)
    two.run(v.initializer)
    assert [two.run(v), one.run(v), two.run(v)] == [3.0, 7.0, 3.0]
    np.testing.assert_array_equal(two.run(drawn), first)
    assert v.initializer is v.initializer and v.initializer.name == "v/Assign"
    assert [tf.Variable(0.0).name, tf.Variable(0.0).name] == ["Variable:0", "Variable_1:0"]
    kept = v1.get_variable("kept", [1], collections=["mine"])
    assert kept in graph.get_collection("mine") and kept in v1.trainable_variables()
    assert kept not in v1.global_variables()


def test_sessions_in_two_threads_do_not_mix(graph):
    v = v1.get_variable("v", initializer=0.0)
    given = v1.placeholder(tf.float32, [])
    assign = v1.assign(v, given)
    reached, go_on = threading.Event(), threading.Event()

    def wait() -> np.float32:
        reached.set()
        assert go_on.wait(60)
        return np.float32(0)

    with tf.control_dependencies([v1.py_func(wait, [], tf.float32)]):
        late = v.read_value() + 1.0
    one, two, found = v1.Session(), v1.Session(), []
    one.run(assign, {given: 1.0})
    thread = threading.Thread(target=lambda: found.append(one.run(late)))
    thread.start()
    assert reached.wait(60)
    assert two.run(assign, {given: 2.0}) == 2.0 and two.run(v) == 2.0
    go_on.set()
    thread.join()
    assert found == [2.0] and two.run(v) == 2.0 and one.run(v) == 1.0


def test_averages_of_tensors_and_variables(graph):
    x, v = v1.placeholder(tf.float32, []), tf.Variable(1.0, name="v")
    average = tf.train.ExponentialMovingAverage(0.5)
    with tf.control_dependencies([v.assign_add(1.0)]):  # what is made within does not wait for it
        step = average.apply([v, x])
    assert average.variables_to_restore().keys() == {
        "v/ExponentialMovingAverage",
        "Placeholder/ExponentialMovingAverage",
    }
    assert v1.moving_average_variables() == [v]
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        session.run(step, {x: 4.0})
        assert session.run([average.average(v), average.average(x)]) == [1.5, 2.0]


def test_initializers_draw_from_the_start(graph):
    v1.set_random_seed(7)
    v1.get_variable("w", [2], initializer=v1.random_normal_initializer())
    drawn = tf.random.normal([2], seed=3)
    with v1.Session() as session:
        for again in range(2):
            session.run(v1.global_variables_initializer())
            if not again:
                first = session.run(v1.global_variables())[0]
    np.testing.assert_allclose(first, [0.3536911, 0.6635877], rtol=1e-6)
    with v1.Session() as session:
        np.testing.assert_allclose(session.run(drawn), [0.9447038, -0.9667907], rtol=1e-6)


def test_each_graph_has_its_own_variables_by_name_and_collections(graph):
    with v1.variable_scope("s"):
        v1.get_variable("a", [2])

        @tf.function
        def inside():
            with v1.variable_scope(v1.get_variable_scope(), reuse=v1.AUTO_REUSE):
                return v1.get_variable("b", [2]) + 1.0

        inside()
        with tf.Graph().as_default() as other:
            assert v1.get_variable_scope().name == ""
            assert v1.get_variable("a", [3]).name == "a:0" and v1.get_variable("b", [3]).shape == [3]
            with pytest.raises(ValueError, match="already exists"):
                v1.get_variable("a", [3])
            v1.add_to_collection("k", 1)
        with pytest.raises(ValueError, match="s/a already exists"):
            v1.get_variable("a", [2])
    assert [v.name for v in graph.get_collection("variables")] == ["s/a:0", "s/b:0"]
    assert [v.name for v in other.get_collection("variables", scope="b")] == ["b:0"]
    other.add_to_collections(["k", "l", "k"], 2)
    assert other.get_collection_ref("k") == [1, 2] and graph.get_collection("k") == []
    assert other.get_all_collection_keys() == ["variables", "trainable_variables", "k", "l"]
    other.clear_collection("k")
    assert "k" not in other.collections and "l" in other.collections


def test_gradients_and_checks(graph):
    x, v = v1.placeholder(tf.float32, [None]), tf.Variable(3.0)
    c = tf.constant([1.0, 2.0])
    found = tf.gradients(tf.reduce_sum(x * x * v * c) + v, [x, v, c])
    with tf.control_dependencies([tf.debugging.assert_positive(x)]):
        checked = x + 0.0
    queue = tf.queue.FIFOQueue(2, tf.float32, shapes=[[]])
    put = queue.enqueue(tf.reduce_sum(x))
    with v1.Session() as session:
        session.run(v.initializer)
        by_x, by_v, by_c = session.run(found, {x: [1.0, 2.0]})
        assert (by_x.tolist(), by_v, by_c.tolist()) == ([6.0, 24.0], 10.0, [3.0, 12.0])
        assert session.run(checked, {x: [1.0]}).tolist() == [1.0]
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(checked, {x: [-1.0]})
        session.run(put, {x: [1.0, 2.0]})
        assert session.run(queue.dequeue()) == 3.0
        y = tf.nn.softplus(x)
        assert v1.test.compute_gradient_error(x, [2], y, [2], np.array([1.0, 2.0])) < 1e-3


def test_a_program_of_version_1(tmp_path, run_imported):
    done = run_imported("-m", "tfgrad_jax", "-c", PROGRAM, str(tmp_path / "model"))
    assert done.stdout == "['W:0', 'global_step:0', 'W/Momentum:0']\n1.0 True 3\n[0.] [0.698]\n", done.stderr


PROGRAM = """
import sys
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
x = tf.placeholder(tf.float32, [])
w = tf.get_variable("W", [1], initializer=tf.zeros_initializer())
loss = tf.reduce_sum((w - x) ** 2)
step = tf.train.get_or_create_global_step()
train = tf.train.MomentumOptimizer(0.1, 0.5).minimize(loss, global_step=step)
saver = tf.train.Saver()
print([v.name for v in tf.global_variables()])
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    losses = [session.run([train, loss], {x: 1.0})[1] for _ in range(3)]
    print(float(losses[0]), losses[0] > losses[1] > losses[2], session.run(step))
    path = saver.save(session, sys.argv[1])
    session.run(tf.global_variables_initializer())
    before = w.eval()
    saver.restore(session, path)
    print(before, w.eval().round(3))
"""


def test_loops_branches_and_jacobians_by_their_private_names(graph):
    while_loop = tf.python.ops.while_v2.while_loop
    x, pred = tf.constant(2.0), v1.placeholder(tf.bool)
    looped = while_loop(lambda v: v < 8.0, lambda v: v * v, [x], return_same_structure=False)
    chosen = tf.python.ops.cond_v2.cond_v2(pred, lambda: x * 3.0, lambda: tf.square(x))
    found = tf.gradients(looped, x)[0], tf.gradients(chosen, x)[0]
    v = tf.Variable([1.0, 2.0])
    (jacobian,) = tf.python.ops.parallel_for.gradients.jacobian(v * v, [v])
    rows = tf.python.ops.parallel_for.gradients.batch_jacobian(tf.stack([v]) ** 2, tf.stack([v]))
    with v1.Session() as session:
        session.run(v.initializer)
        assert session.run([looped, *found], {pred: True}) == [16.0, 32.0, 3.0]
        assert session.run(found[1], {pred: False}) == 4.0
        assert session.run(jacobian).tolist() == [[2.0, 0.0], [0.0, 4.0]] and rows.shape == [1, 2, 2]
    make_attr = tf.python.eager.backprop.make_attr
    assert make_attr(4, 1) is tf.float32 and make_attr([0], ["a"]) == [b"a"] and make_attr(1, 3) == 3


def test_wrapped_functions():
    seen = []

    def counted(x):
        v = v1.get_variable("v", [], initializer=tf.ones_initializer())
        seen.append(x * v)
        with tf.control_dependencies([v.assign_add(x)]):
            return {"next": v * seen[0]}

    wrapped = v1.wrap_function(counted, [tf.TensorSpec([], tf.float32, name="x")])
    assert wrapped(2.0)["next"].numpy() == 6.0 and wrapped(x=2.0)["next"].numpy() == 30.0
    (v,) = wrapped.variables
    assert wrapped.trainable_variables == (v,) and wrapped.outputs == [wrapped.structured_outputs["next"]]
    part = wrapped.prune(wrapped.inputs, seen[0])
    with tf.GradientTape() as tape:
        y = part(tf.constant(3.0))
    assert (y.numpy(), tape.gradient(y, v).numpy(), v.numpy()) == (15.0, 3.0, 5.0)
    assert tf.function(lambda: part(1.0) * 2.0)().numpy() == 10.0
    with pytest.raises(TypeError, match=r"\['x'\] was called with 0 values"):
        part()
    with pytest.raises(ValueError, match="tensors of the graph"):
        wrapped.prune([tf.constant(1.0)], [])


def test_steps_averages_and_elements_of_datasets(graph):
    step = v1.train.create_global_step()
    count, v = v1.assign_add(step, 1), tf.Variable(10.0)
    average = v1.train.ExponentialMovingAverage(0.25)
    update = average.apply([v])
    dataset = tf.data.Dataset.range(2)
    element = v1.data.make_one_shot_iterator(dataset).get_next()
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        session.run([count, v.assign(20.0)])
        session.run(update)
        assert v1.train.global_step(session, step) == 1 and session.run(average.average(v)) == 17.5
        assert [session.run(element), session.run(element)] == [0, 1]
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(element)
    with pytest.raises(RuntimeError, match="make_one_shot_iterator"):
        iter(dataset)


def test_iterators_begin_when_a_session_says_so(graph):
    rows, count = v1.placeholder(tf.float32, [None, 2]), v1.placeholder(tf.int64, [])
    dataset = tf.data.Dataset.from_tensor_slices(rows).batch(2)
    begins, one = (
        dataset.make_initializable_iterator(),
        v1.data.make_one_shot_iterator(tf.data.Dataset.range(tf.constant(3, tf.int64))),
    )
    element, total = begins.get_next(), tf.reduce_sum(one.get_next() * 10)
    assert element.shape.as_list() == [None, 2] and begins.output_types is dataset.output_types is tf.float32
    any_of = v1.data.Iterator.from_structure(tf.int64, [])
    short, long = (any_of.make_initializer(tf.data.Dataset.range(n).map(lambda x: x * count)) for n in (2, 5))
    named = v1.placeholder(tf.string, [])
    chosen = v1.data.Iterator.from_string_handle(named, tf.int64, []).get_next()
    with v1.Session() as session:
        with pytest.raises(tf.errors.FailedPreconditionError, match="has not been initialized"):
            session.run(element)
        for _ in range(2):
            session.run(begins.initializer, {rows: np.arange(6.0).reshape(3, 2)})
            assert [session.run(element).shape, session.run(element).tolist()] == [(2, 2), [[4.0, 5.0]]]
            with pytest.raises(tf.errors.OutOfRangeError, match="End of sequence"):
                session.run(element)
        assert [session.run(total) for _ in range(2)] == [0, 10]
        session.run(short, {count: 7})
        assert [session.run(any_of.get_next()) for _ in range(2)] == [0, 7]
        session.run(long, {count: 1})
        handles = session.run([any_of.string_handle(), one.string_handle()])
        assert [session.run(chosen, {named: handle}) for handle in (handles[0], handles[1], handles[0])] == [0, 2, 1]
        with pytest.raises(ValueError, match="initializer"):
            _ = one.initializer


def test_tables_are_made_of_tensors_of_the_graph(graph):
    keys, values = tf.constant([0, 1], tf.int64), tf.strings.join([tf.constant(["x", "y"]), "z"])
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(keys, values), "none")
    asked = v1.placeholder(tf.int64, [None])
    with v1.Session() as session:
        session.run(v1.tables_initializer())
        assert session.run(table.lookup(asked), {asked: [1, 7]}).tolist() == [b"yz", b"none"]


def test_known_values_are_constants_of_the_graph():
    with tf.Graph().as_default() as graph, tf.compat.v1.Session() as session:
        for made, name in (
            (tf.convert_to_tensor(np.array([1.0, 2.0])), "Const:0"),
            (tf.zeros([2], tf.float64), "zeros:0"),
            (tf.ones_like(np.array([1.0, 2.0])), "ones_like:0"),
        ):
            assert made.graph is graph and made.name == name
            assert session.run(made + 1.0, {made: [5.0, 6.0]}).tolist() == [6.0, 7.0]


def test_variables_of_a_graph_are_kept_in_sets():
    with tf.Graph().as_default():
        v, w = tf.compat.v1.Variable(1.0), tf.compat.v1.Variable(1.0)
        assert {v: 1, w: 2}[w] == 2 and v == v and v != w and (v == w) is False
    with pytest.raises(TypeError, match="unhashable"):
        hash(tf.Variable(1.0))


def test_variables_that_stand_for_others_are_fetched_as_they_say():
    class Doubled(tf.Variable):
        def __init__(self, variable):
            self.variable = variable

        def __getattr__(self, name):
            return getattr(self.variable, name)

        def _as_graph_element(self):
            return self.variable._as_graph_element() * 2.0

    with tf.python.eager.context.graph_mode():
        with tf.compat.v1.Session() as session:
            variable = tf.compat.v1.Variable(3.5)
            session.run(variable.initializer)
            assert session.run(Doubled(variable)) == 7.0
        before = tf.compat.v1.get_default_graph()
        tf.compat.v1.reset_default_graph()  # which is none that somebody opened
        assert tf.compat.v1.get_default_graph() is not before and (tf.constant(1) + 1).graph is not before
    assert tf.executing_eagerly()


def test_variables_are_made_after_what_asks_for_the_thread(graph):
    x = v1.placeholder(tf.float32, [2])
    v1.debugging.assert_positive(x)
    tf.print(x)
    w = v1.Variable(tf.random.normal([3, 2]))
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        assert session.run(w).shape == (3, 2)
        by_x, by_number = v1.gradients([x * 2.0], [x, 0.9])
        assert by_number is None and session.run(by_x, {x: [1.0, 2.0]}).tolist() == [2.0, 2.0]


def test_sparse_and_ragged_placeholders(graph):
    sparse = v1.sparse.placeholder(tf.float32)
    total = tf.sparse.reduce_sum(sparse, 1), tf.sparse.sparse_dense_matmul(sparse, tf.ones([4, 1]))
    ragged, rows = v1.ragged.placeholder(tf.int32, 2, []), v1.ragged.placeholder(tf.float32, 1, [2], name="rows")
    assert v1.ragged.placeholder(tf.int32, 0, [3]).shape == [3]
    assert rows.flat_values.name == "rows/flat_values:0" and rows.shape.as_list() == [None, None, 2]
    value = v1.SparseTensorValue(np.array([[0, 0], [1, 2], [1, 3]]), np.array([1.0, -2.0, 5.0], np.float32), [2, 4])
    lists = v1.ragged.constant_value([[[1, 2], [3]], [[4]]], "int32")
    with v1.Session() as session:
        assert [one.tolist() for one in session.run(total, {sparse: value})] == [[1.0, 3.0], [[1.0], [3.0]]]
        found = (sparse * 2.0).eval({sparse: value})
        assert found.values.tolist() == [2.0, -4.0, 10.0] and sparse.graph is graph and sparse.op is sparse.values.op
        assert session.run(ragged * 2, {ragged: lists}).to_list() == [[[2, 4], [6]], [[8]]]
        sums = tf.reduce_sum(rows, 1)
        fed = {rows.flat_values: [[1.0, 2.0], [3.0, 4.0]], rows.row_splits: [0, 2]}
        assert session.run(sums, fed).tolist() == [[4.0, 6.0]]


def test_variables_that_are_no_resources_are_found_by_their_names(graph):
    w = v1.get_variable("w", [2], initializer=v1.ones_initializer(), use_resource=False)
    v1.get_variable("resource", [2], use_resource=True)
    found = graph.get_tensor_by_name("w:0")
    assert found is w is graph.as_graph_element("w:0")
    doubled, more = found * 2.0, v1.assign_add(w, [1.0, 2.0])
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        assert session.run(["w:0", doubled])[1].tolist() == [2.0, 2.0]
        session.run(more)
        assert session.run("w:0").tolist() == [2.0, 3.0]
    for missing in ("w:1", "v:0"):
        with pytest.raises(KeyError):
            graph.get_tensor_by_name(missing)


def test_a_graph_has_a_seed_of_its_own():
    """TensorFlow's numbers; neither the seed of all operations reaches a graph nor a graph's those outside."""

    def drawn(seed=None):
        with tf.Graph().as_default(), v1.Session() as session:
            if seed is not None:
                v1.set_random_seed(seed)
            tensors = tf.random.uniform([3], seed=1), tf.random.uniform([3])
            return session.run(tensors[: 1 if seed is None else 2])

    tf.random.set_seed(1)
    np.testing.assert_allclose(drawn()[0], [0.239, 0.9204, 0.0505], atol=5e-5)
    first, second = drawn(5)
    np.testing.assert_allclose(first, [0.3875, 0.7485, 0.5487], atol=5e-5)
    np.testing.assert_allclose(second, [0.1829, 0.69, 0.6732], atol=5e-5)
    assert tf.random.uniform([2]).numpy().tolist() == pytest.approx([0.16513085, 0.9014813])
    assert v1.get_seed(3) == (1, 3)
