"""Pending tensors: what is noted, what makes it run, and what happens when something fails or interrupts."""

from __future__ import annotations

import contextlib
import copy
import gc
import pickle
import threading
import weakref

import jax.numpy as jnp
import numpy as np
import pytest

import tfgrad_jax as tf
from tests.engine.fused.fusing import hot, is_pending, pending, values
from tfgrad_jax.engine.fused import note, registry, trace
from tfgrad_jax.engine.fused import step as steps
from tfgrad_jax.engine.kernels.kernel import Kernel, Owner
from tfgrad_jax.engine.threads import background
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.extras import execution, flush


@pytest.fixture(autouse=True)
def _fused():
    with hot():
        yield


def noted():
    """A pending vector of 1, 2, 3 plus 1."""
    return tf.constant([1.0, 2.0, 3.0]) + 1.0


# -- noting ---------------------------------------------------------------------------------------------------------------


def test_operations_wait():
    y = noted() * 2.0
    assert is_pending(y) and pending() == 2
    assert y.shape == [3] and y.dtype == tf.float32 and len(y) == 3 and y.ndim == 1
    assert pending() == 2
    assert y.numpy().tolist() == [4.0, 6.0, 8.0]
    assert not is_pending(y) and pending() == 0


def test_what_nobody_holds_is_not_computed():
    ran = []
    kernel = Kernel("Probe", lambda x: x + 1.0, differentiable=0)
    kernel.run = lambda x: ran.append(1) or x + 1.0
    from tfgrad_jax.engine.run.execute import untaped

    x = tf.constant([1.0])
    kept = untaped(kernel, (x,))
    untaped(kernel, (x,))
    flush()
    assert ran == [1] and not is_pending(kept)


def test_variables_wait_too():
    v = tf.Variable([1.0, 2.0])
    v.assign_add([1.0, 1.0])
    v.assign(v * 2.0)
    assert is_pending(v)
    assert v.numpy().tolist() == [4.0, 6.0]


def test_small_integers_stay_on_the_host():
    x = tf.ones([2, 3])
    flush()
    n = tf.shape(x)[0] * 5 + tf.size(x)
    assert not is_pending(n) and type(n.held) is np.ndarray and int(n) == 16


def test_constants_of_floats_take_part():
    y = tf.constant([1.0, 2.0]) * tf.constant([3.0, 4.0])
    assert is_pending(y)


# -- what makes it run ----------------------------------------------------------------------------------------------------

READS = {
    "numpy": lambda t: t.numpy(),
    "np.asarray": np.asarray,
    "np.array": np.array,
    "np function": lambda t: np.sum(t),
    "str": str,
    "repr": repr,
    "format": lambda t: f"{t[0]:.2f}",
    "float": lambda t: float(t[0]),
    "int": lambda t: int(t[0]),
    "bool": lambda t: bool(t[0]),
    "index": lambda t: [1, 2, 3, 4, 5][tf.cast(t[0], tf.int32)],
    "if": lambda t: 1 if t[0] > 0 else 2,
    "dlpack": np.from_dlpack,
    "pickle": pickle.dumps,
    "device": lambda t: t.device,
    "jax": lambda t: __import__("jax").numpy.asarray(t),
    "shape of values": lambda t: tf.boolean_mask(t, t > 2.5),
    "where": lambda t: tf.where(t > 2.5),
    "size": lambda t: tf.zeros([tf.cast(t[0], tf.int32)]),
    "range": lambda t: tf.range(t[0]),
    "print": lambda t: tf.print(t),
    "assert": lambda t: tf.debugging.assert_positive(t),
    "string": lambda t: tf.strings.as_string(t),
    "py_function": lambda t: tf.py_function(lambda x: x.numpy() + 1, [t], tf.float32),
    "static value": tf.get_static_value,
}


@pytest.mark.parametrize("read", READS)
def test_reading_a_value_runs(read):
    t = noted()
    assert is_pending(t)
    READS[read](t)
    assert not is_pending(t)


def test_copies_do_not():
    t = noted()
    assert is_pending(copy.copy(t)) and is_pending(copy.deepcopy(t))


def test_entering_an_outermost_tape_runs():
    t = noted()
    with tf.GradientTape():
        assert not is_pending(t)
        u = noted()
        with tf.GradientTape():
            assert is_pending(u)
    assert is_pending(u)


def test_length_limit(monkeypatch):
    monkeypatch.setattr(note, "LENGTH_LIMIT", 10)
    y = tf.constant([1.0])
    kept = []
    for _ in range(25):
        y = y + 1.0
        kept.append(y)
    assert pending() == 5 and not is_pending(kept[19]) and is_pending(kept[20])
    assert float(y[0]) == 26.0


def test_temporaries_that_only_the_trace_keeps_run_when_large(monkeypatch):
    monkeypatch.setattr(trace, "HELD_LIMIT", 1 << 20)
    total = tf.constant(0.0)
    array = np.ones(1 << 16, np.float32)  # 256 KiB
    most = 0
    for _ in range(20):
        total = total + tf.reduce_sum(tf.constant(array))
        most = max(most, pending())
    assert most <= 12
    assert float(total) == 20 * (1 << 16)
    held = [tf.constant(array) for _ in range(20)]
    for x in held:
        total = total + tf.reduce_sum(x)
    assert pending() == 40  # the user holds those anyway


def test_explicit_flush():
    t = noted()
    flush()
    assert not is_pending(t)
    flush()


def test_leaving_fused_mode_runs():
    t = noted()
    with execution("immediate"):
        assert not is_pending(t)
        assert not is_pending(noted())
    assert is_pending(noted())


# -- errors when noted ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: tf.constant([1.0, 2.0]) + tf.constant([1.0, 2.0, 3.0]),
        lambda: tf.reshape(tf.constant([1.0, 2.0]), [3]),
        lambda: tf.constant([1.0]) + tf.constant([1]),
        lambda: tf.reduce_sum(tf.constant([1.0]), axis=4),
        lambda: tf.matmul(tf.ones([2, 3]), tf.ones([2, 3])),
        lambda: tf.Variable([1.0]).assign_add([1.0, 2.0]),
        lambda: tf.concat([tf.ones([2]), tf.ones([2, 2])], 0),
    ],
)
def test_errors_about_types_come_at_once_and_are_the_same(wrong):
    with execution("immediate"), pytest.raises(Exception) as immediate:
        wrong()
    t = noted()
    with pytest.raises(type(immediate.value)) as fused:
        wrong()
    assert str(fused.value) == str(immediate.value)
    assert is_pending(t) and t.numpy().tolist() == [2.0, 3.0, 4.0]


# -- errors when run ------------------------------------------------------------------------------------------------------


def failing(times=1):
    """An operation that fails as it runs, so many times; and can still be compiled."""
    left = [times]
    kernel = Kernel("Fickle", lambda x: x * 2.0, differentiable=0)
    compiled = kernel.compiled

    def run(x):
        if left[0]:
            left[0] -= 1
            raise RuntimeError("RESOURCE_EXHAUSTED: out of memory")
        return compiled(x)

    kernel.run = run
    return kernel


def test_a_failure_names_the_operation_and_the_line():
    x = noted()
    y = tf_execute(failing(), x)
    with pytest.raises(tf.errors.ResourceExhaustedError, match="Fickle") as found:
        float(y[0])
    (note,) = found.value.__notes__
    assert "Fickle" in note and "test_trace.py" in note


def tf_execute(kernel, x):
    from tfgrad_jax.engine.run.execute import execute

    return execute(kernel, (x,))


def test_after_a_failure_the_rest_goes_on():
    v, w = tf.Variable([1.0]), tf.Variable([1.0])
    before = noted()
    w.assign_add([1.0])
    bad = tf_execute(failing(), before)
    after = bad + 1.0
    v.assign(after[:1] + v)
    w.assign_add([10.0])
    with pytest.raises(tf.errors.ResourceExhaustedError):
        after.numpy()
    # What came before it is there, as if the loop had stopped there; variables have their values of that moment.
    assert before.numpy().tolist() == [2.0, 3.0, 4.0]
    assert v.numpy().tolist() == [1.0] and w.numpy().tolist() == [2.0]
    for _ in range(2):
        with pytest.raises(tf.errors.ResourceExhaustedError):
            after.numpy()
        with pytest.raises(tf.errors.ResourceExhaustedError):
            _ = (after * 2.0).numpy()
    assert (noted() * v).numpy().tolist() == [2.0, 3.0, 4.0]


def test_a_loop_survives_failures():
    kernel = failing(2)
    v = tf.Variable([1.0, 2.0])
    done = 0
    for _ in range(6):
        try:
            v.assign_add(tf_execute(kernel, tf.constant([1.0, 1.0])) + 0.0)
            v.numpy()
            done += 1
        except tf.errors.ResourceExhaustedError:
            pass
    assert done == 4 and v.numpy().tolist() == [9.0, 10.0]


def test_a_failure_of_the_compiler_is_none_of_the_programs(monkeypatch):
    from tfgrad_jax.engine.fused.program import Program

    def broken(self, *arrays):
        raise NotImplementedError("too hard")

    monkeypatch.setattr(Program, "_function", broken)
    x = tf.constant([1.0, 5.0])
    for _ in range(4):
        assert (tf.sin(x) * 0.0 + 3.0).numpy().tolist() == [3.0, 3.0]
        background.wait()
    assert any(p.state == "failed" for p in registry.registered())


def test_types_that_specs_do_not_tell_are_no_failure():
    import jax.numpy as jnp

    weak = jnp.asarray(2.0)
    assert weak.weak_type
    strong = jnp.full((), 2.0, weak.dtype)
    for value in [weak] * 4 + [strong] * 4 + [weak, strong] * 4:
        x = tf.convert_to_tensor(value)
        assert float(tf.exp(x * 0.0) + x) == 3.0
        background.wait()


# -- what is held ---------------------------------------------------------------------------------------------------------


def array_of(variable):
    return variable.box.tensor.held


def trained(steps, *variables, keep=None):
    """Take SGD steps on the variables."""
    for i in range(steps):
        with tf.GradientTape() as tape:
            loss = sum(tf.reduce_sum(v * v) for v in variables)
        for v, g in zip(variables, tape.gradient(loss, variables), strict=True):
            v.assign_sub(0.1 * g)
        if keep is not None:
            keep(i)
        float(loss)
        background.wait()


@pytest.mark.usefixtures("compiled_at_once")
def test_old_values_of_variables_are_overwritten():
    v, w = tf.Variable(np.ones((64, 64), np.float32)), tf.Variable(np.ones((32, 32), np.float32))
    trained(4, v, w)
    old = array_of(v), array_of(w)
    assert not old[0].is_deleted()
    del old
    address = array_of(v).unsafe_buffer_pointer()
    seen = []
    trained(1, v, w, keep=lambda i: seen.append(1))
    assert array_of(v).unsafe_buffer_pointer() == address


def test_arrays_are_deleted_when_given_away():
    v = tf.Variable(np.ones((64, 64), np.float32))
    trained(4, v)
    finder = weakref.ref(array_of(v)) if hasattr(type(array_of(v)), "__weakref__") else None
    trained(1, v)
    gc.collect()
    assert finder is None or finder() is None or finder().is_deleted()


@pytest.mark.parametrize("how", ["array", "tensor", "view", "other variable", "tape", "dlpack"])
def test_what_the_user_holds_is_never_overwritten(how):
    v = tf.Variable(np.arange(4096, dtype=np.float32))
    trained(4, v)
    expected = v.numpy()
    if how == "array":
        held = array_of(v)
    elif how == "tensor":
        held = v.box.tensor
    elif how == "view":
        held = np.asarray(v)
    elif how == "other variable":
        held = tf.Variable(np.zeros(4096, np.float32))
        held.assign(v)
        held.numpy()
    elif how == "dlpack":
        held = np.from_dlpack(v)
    else:
        with tf.GradientTape(persistent=True) as tape:
            y = v * v
        held = tape
    trained(3, v)
    if how == "tape":
        np.testing.assert_allclose(values(held.gradient(y, v))[1], 2.0 * expected)
    else:
        np.testing.assert_array_equal(np.asarray(held), expected)
    assert float(tf.reduce_sum(v)) < float(expected.sum())


def test_two_names_for_one_value():
    v = tf.Variable(np.ones((16, 16), np.float32))
    w = tf.Variable(v)
    trained(4, v)
    assert (w.numpy() == 1.0).all()
    trained(4, w)
    np.testing.assert_array_equal(v.numpy(), w.numpy())


def test_a_trace_lets_go_of_what_it_took():
    x = tf.constant(np.ones(1 << 12, np.float32))
    y = tf.reduce_sum(x)
    found = weakref.ref(x)
    del x
    gc.collect()
    assert found() is not None
    float(y)
    gc.collect()
    assert found() is None


def test_results_do_not_hold_the_trace():
    y = noted()
    before = traces()
    float(y[0])
    assert traces() < before


def traces():
    gc.collect()
    return sum(type(o) is trace.Trace for o in gc.get_objects())


# -- bounded memory -------------------------------------------------------------------------------------------------------


def test_the_trie_is_pruned_but_hot_programs_stay(monkeypatch):
    monkeypatch.setattr(steps.trie, "root", steps.Step(None, None, (), ()))
    monkeypatch.setattr(steps.trie, "size", 0)
    monkeypatch.setattr(steps, "TRIE_LIMIT", 200)
    monkeypatch.setattr("tfgrad_jax.engine.fused.pace._EVIDENCE", 1e9)
    x = tf.constant([1.0, 2.0])

    def hot_loop():
        return float(tf.reduce_sum(tf.cos(tf.sin(x))))

    for _ in range(4):
        expected = hot_loop()
        background.wait()
    (program,) = [p for p in registry.registered() if p.end in reachable()]
    for i in range(60):
        y = x
        for j in range(8):
            y = tf.sin(y) if i >> j & 1 else tf.cos(y)
        float(y[0])
    assert len(reachable()) <= 200
    uses = program.uses
    assert hot_loop() == expected
    assert program.uses == uses + 1 and program.end in reachable()


def reachable():
    found, queue = set(), [steps.trie.root]
    while queue:
        step = queue.pop()
        found.add(step)
        queue += step.children().values()
    return found


def test_compiled_programs_are_bounded(monkeypatch):
    monkeypatch.setattr(registry, "PROGRAMS_LIMIT", 5)
    monkeypatch.setattr("tfgrad_jax.engine.fused.pace._EVIDENCE", 1e9)
    monkeypatch.setattr(registry, "_programs", {})
    for n in range(1, 12):
        x = tf.ones([n])
        for _ in range(3):
            assert float(tf.reduce_sum(tf.exp(x * 0.0))) == n
            background.wait()
    assert len(registry.registered()) == 5
    assert all(p.state == "compiled" for p in registry.registered())


def test_a_program_that_is_hot_again_is_listed_once(monkeypatch):
    monkeypatch.setattr(registry, "_programs", {})
    x = tf.constant([1.0, 2.0, 3.0, 4.0, 5.0])
    for _ in range(3):
        for _ in range(5):
            assert float(tf.reduce_sum(tf.exp(x * 0.0) * 1.0)) == 5.0
            background.wait()
        (program,) = registry.registered()
        assert program.state == "compiled"
        program.drop()


@pytest.mark.usefixtures("compiled_at_once")
@pytest.mark.parametrize("taped", [False, True])
def test_dropped_functions_leave_nothing(taped):
    w = tf.Variable([1.0, 2.0])

    def used(k):
        f = tf.function(lambda x: tf.sin(x * float(k)) + x)
        for _ in range(4):
            with tf.GradientTape() if taped else contextlib.nullcontext() as tape:
                y = tf.reduce_sum(f(w * 2.0) * 3.0)
            float(y)
            if taped:
                tape.gradient(y, w).numpy()
            background.wait()
        concrete = f.get_concrete_function(tf.TensorSpec([2]))
        return weakref.ref(f), weakref.ref(concrete.graph)

    used(0)
    gc.collect()
    kernels, nodes, listed = live(Kernel), len(reachable()), len(registry.registered())
    graphs = [used(k)[1] for k in range(1, 6)]
    gc.collect()
    assert not any(graph() for graph in graphs)
    assert live(Kernel) <= kernels and len(reachable()) <= nodes and len(registry.registered()) <= listed


def test_a_function_is_dropped_while_operations_are_noted():
    with steps.trie.lock:  # as it is by a thread that adds an operation
        f = tf.function(lambda x: x + 1.0)
        owner = Owner()
        owner.places[steps.trie.root] = {("never",)}
        steps.trie.forget(owner)
        assert owner.places
        del f
    noted()
    (noted() * float(np.random.default_rng(0).random()) / 3.0)[0]
    steps.trie.forget(Owner())
    assert not owner.places


def live(kind):
    gc.collect()
    return sum(type(o) is kind for o in gc.get_objects())


def test_patterns_of_what_is_kept_settle():
    rng = np.random.default_rng(0)
    x = tf.constant([1.0, 2.0])
    ends = set()
    compiled = len(registry.registered())
    for _ in range(120):
        kept = []
        y = x
        for _ in range(10):
            y = tf.sin(y)
            if rng.random() < 0.5:
                kept.append(y)
        ends.add(context.pending.cursor)
        float(y[0])
        background.wait()
        with execution("immediate"):
            pass
    assert len(ends) == 1
    assert len(registry.registered()) - compiled <= 4 + 5


def test_a_value_read_while_a_tape_records_does_not_cut_the_tape():
    x = tf.Variable(2.0)
    for _ in range(6):
        with tf.GradientTape() as tape:
            y = x * 3.0
            assert float(y) == 6.0
            y = y * x
        assert float(tape.gradient(y, x)) == 12.0


def test_a_tensor_watched_before_a_value_is_read_stays_watched():
    for _ in range(6):
        x = tf.constant(2.0)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = x * x
            float(y)
            with tape.stop_recording():
                float(y * y)
            z = y * x
        assert [float(g) for g in tape.gradient(z, [x, y])] == [12.0, 2.0]


@pytest.mark.usefixtures("compiled_at_once")
def test_a_function_called_alone_runs_at_once():
    f = tf.function(lambda x: x * 2.0)
    flush()
    assert not is_pending(f(tf.constant([1.0]))) and pending() == 0
    y = f(noted())
    assert is_pending(y) and pending() == 2
    np.testing.assert_array_equal(y, [4.0, 6.0, 8.0])
    x = tf.Variable([3.0])
    with tf.GradientTape() as tape:
        z = f(x)
        assert is_pending(z)
    assert tape.gradient(z, x).numpy() == [2.0]


@pytest.mark.parametrize("bad", [lambda i: tf.gather([1.0, 2.0], i + 5), lambda i: tf.constant([1, 2]) // i])
def test_computed_integers_are_checked_as_known_ones_are(bad):
    i = tf.cast(noted() - noted(), tf.int32)
    assert is_pending(i)
    with pytest.raises(tf.errors.InvalidArgumentError):
        bad(i)


def test_constants_that_go_in_again_are_copied_to_the_device_once():
    """Small constants stay on the host; what is a new one in each step, or is put over another one's slot, is read anew."""
    v = tf.Variable([1.0, 2.0])
    same = tf.constant([3.0, 4.0])
    for i in range(8):
        new = tf.constant([float(i), 1.0])
        found = [(v * same + new).numpy().tolist(), (v * (same if i % 2 else new)).numpy().tolist()]
        assert found == [[3.0 + i, 9.0], [3.0, 8.0] if i % 2 else [float(i), 2.0]]
        if i > 2:
            background.wait()
    gone = weakref.ref(same.held)
    assert type(gone()) is np.ndarray
    del same
    gc.collect()  # what a compiled program has taken as it lies is let go of by JAX then
    assert gone() is None
    with pytest.raises(ValueError, match="read-only"):  # so no copy differs from what it is of
        np.asarray(new)[0] = 1.0


def test_what_follows_otherwise_than_the_first_time_is_found_out():
    """The next operation of a trace is compared with the one that came there first; nothing else is taken for granted."""
    a, b = tf.constant([1.0, 2.0]), tf.constant([3.0, 5.0])
    device, host = tf.convert_to_tensor(jnp.asarray([1, 2], jnp.int32)), tf.constant([1, 2])
    for _ in range(3):
        assert (a * b).numpy().tolist() == [3.0, 10.0]
        assert (a * a).numpy().tolist() == [1.0, 4.0]  # one tensor, where two of the type came
        assert tf.squeeze(tf.stack([a, b])).numpy().tolist() == [[1.0, 2.0], [3.0, 5.0]]
        assert is_pending(device + device)
        flush()
        assert not is_pending(host + host)
        flush()
        pending = a * b
        assert in_another_thread(pending.__mul__, b).numpy().tolist() == [9.0, 50.0]
        assert (a * pending).numpy().tolist() == [3.0, 20.0]


def in_another_thread(work, *arguments):
    found = []

    def run():
        with execution("fused"):
            found.append(work(*arguments))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(120)
    return found[0]
