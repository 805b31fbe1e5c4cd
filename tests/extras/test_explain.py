"""`tape.explain`: each way in which a gradient is lost is told from the others, with the line where it happens."""

from __future__ import annotations

import contextlib
import gc
import inspect
import weakref

import numpy as np
import pytest

import tfgrad_jax as tf

MISTAKES = {}


@pytest.fixture(autouse=True, params=["immediate", "fused"])
def _mode(request):
    with tf.extras.execution(request.param):
        yield


def mistake(*reasons, bare):
    """A program that returns a tape, a target and sources, with what is to say of each source, and without `explaining()`.

    The line that is told is the one with the comment `# here`; with `# here` nowhere, none is.
    """

    def known(program):
        MISTAKES[program.__name__] = program, reasons, bare
        return program

    return known


@mistake("replaced", bare=["not_watched"])
def replaced_by_a_tensor():
    x = tf.Variable(2.0)
    for _ in range(2):
        with tf.GradientTape() as tape:
            y = x + 1
        last = x
        x = x + 1  # here
    return tape, y, last


@mistake("numpy", bare=["not_connected"])
def through_numpy():
    x = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        x2 = x**2
        y = np.mean(x2, axis=0)  # here
        y = tf.reduce_mean(y, axis=0)
    return tape, y, x


@mistake("numpy", bare=["numpy"])
def a_number_for_a_target():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        loss = x * x
        y = float(loss)  # here
    return tape, y, x


@mistake("numpy", bare=["not_connected"])
def a_number_that_came_back_as_the_target():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = float(x) ** 2  # here
        y = tf.convert_to_tensor(y)
    return tape, y, x


@mistake("numpy", bare=["not_connected"])
def a_result_on_the_way_that_came_back_as_the_target():
    x = tf.Variable([2.0, 3.0])
    with tf.GradientTape() as tape:
        h = tf.square(x)
        y = tf.constant(h.numpy().sum())  # here
    return tape, y, x


@mistake("numpy", bare=["not_connected"])
def through_a_function_on_arrays():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = 2.0 * tf.numpy_function(lambda a: a * a, [x], tf.float32)  # here
    return tape, y, x


@mistake("numpy", bare=["not_connected"])
def what_a_function_on_arrays_returned():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = tf.numpy_function(lambda a: a * a, [tf.sin(x)], tf.float32)  # here
    return tape, y, x


@mistake("no_gradient", bare=["not_connected"])
def a_function_on_arrays_in_a_graph():
    x = tf.Variable(2.0)

    @tf.function
    def squared():
        return 2.0 * tf.numpy_function(lambda a: a * a, [x * 1.0], tf.float32)  # here

    with tf.GradientTape() as tape:
        y = squared()
    return tape, y, x


@mistake("dtype", bare=["dtype"])
def an_integer():
    x = tf.constant(10)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tape, tf.cast(y, tf.float32), x


@mistake("dtype", bare=["not_connected"])
def through_integers():
    x = tf.Variable([1.5, 2.5])
    with tf.GradientTape() as tape:
        n = tf.cast(x, tf.int32)  # here
        y = tf.reduce_sum(tf.cast(n, tf.float32))
    return tape, y, x


@mistake("state", "connected", bare=["not_connected", "connected"])
def through_state():
    x0, x1 = tf.Variable(3.0), tf.Variable(0.0)
    with tf.GradientTape() as tape:
        x1.assign_add(x0)  # here
        y = x1**2
    return tape, y, [x0, x1]


@mistake("state", bare=["not_connected"])
def through_an_assignment():
    x0, x1 = tf.Variable(3.0), tf.Variable(0.0)
    with tf.GradientTape() as tape:
        x1.assign(x0 * 2)  # here
        y = x1**2
    return tape, y, x0


@mistake("not_connected", bare=["not_connected"])
def an_assignment_that_was_overwritten():
    x0, x1 = tf.Variable(3.0), tf.Variable(0.0)
    with tf.GradientTape() as tape:
        x1.assign(x0 * 2)
        x1.assign(1.0)
        y = x1**2
    return tape, y, x0


@mistake("stop_gradient", "connected", bare=["not_connected", "connected"])
def stopped():
    x, w = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        h = tf.stop_gradient(x * 2)  # here
        y = h * w
    return tape, y, [x, w]


@mistake("stop_gradient", "connected", bare=["not_connected", "connected"])
def stopped_in_a_function():
    x, w = tf.Variable(2.0), tf.Variable(3.0)

    @tf.function
    def f(a):
        a = tf.stop_gradient(a)  # here
        return a * w

    with tf.GradientTape() as tape:
        y = f(x * 2)
    return tape, y, [x, w]


@mistake("state", "connected", bare=["not_connected", "connected"])
def through_state_in_a_function():
    x, s = tf.Variable(2.0), tf.Variable(0.0)

    @tf.function
    def f():
        s.assign_add(x)  # here
        return s * s

    with tf.GradientTape() as tape:
        y = f()
    return tape, y, [x, s]


@mistake("not_trainable", bare=["not_trainable"])
def not_trainable():
    x = tf.Variable(2.0, trainable=False)
    with tf.GradientTape() as tape:
        y = x * x
    return tape, y, x


@mistake("not_watched", bare=["not_watched"])
def a_tensor_nobody_watches():
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        y = x * x
    return tape, y, x


@mistake("not_watched", bare=["not_watched"])
def variables_are_not_watched():
    x = tf.Variable(2.0)
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        y = x * x
    return tape, y, x


@mistake("not_watched", bare=["not_connected"])
def watched_too_late():
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        z = x * 2  # here
        tape.watch(x)
        y = z * 2
    return tape, y, x


@mistake("not_recording", bare=["not_connected"])
def before_the_tape():
    x = tf.Variable(2.0)
    h = x * 3  # here
    with tf.GradientTape() as tape:
        y = h * h
    return tape, y, x


@mistake("not_recording", bare=["not_connected"])
def in_the_tape_before():
    x = tf.Variable(2.0)
    for step in range(2):
        with tf.GradientTape() as tape:
            if not step:
                h = x * 3  # here
            y = h * h
    return tape, y, x


@mistake("not_recording", bare=["not_connected"])
def recording_was_stopped():
    x, w = tf.Variable(2.0), tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = w * 2
        with tape.stop_recording():
            z = x * 2  # here
        y = y + z
    return tape, y, x


@mistake("no_gradient", bare=["not_connected"])
def an_operation_without_gradient():
    x = tf.Variable([0.5, 2.0])
    with tf.GradientTape() as tape:
        h = tf.round(x)  # here
        y = tf.reduce_sum(h * 3.0)
    return tape, y, x


@mistake("no_gradient", bare=["not_connected"])
def the_index_of_the_largest():
    x = tf.Variable([0.5, 2.0])
    with tf.GradientTape() as tape:
        i = tf.argmax(x)  # here
        y = tf.cast(i, tf.float32) * 2.0
    return tape, y, x


@mistake("connected", "not_connected", bare=["connected", "not_connected"])
def no_mistake_and_a_variable_that_is_not_used():
    x, v = tf.Variable(2.0), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = tf.sin(x) * 2
    return tape, y, [x, v]


@mistake("connected", bare=["connected"])
def a_custom_gradient():
    x = tf.Variable(2.0)

    @tf.custom_gradient
    def double(a):
        return a * 2, lambda d: d

    with tf.GradientTape() as tape:
        y = double(x)
    return tape, y, x


@mistake("connected", "connected", bare=["connected", "connected"])
def a_result_on_the_way():
    x = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        h = tf.exp(x)
        y = h * h
    return tape, y, [x, h]


def _table(x):
    return tf.gather(x, [0, 1]) * 0.0


def _cancelled(x):
    h = x * x
    return h - h


_in_function = tf.function(lambda x: tf.nn.relu(x * -2.0) + 1.0)

ZEROS = {
    "a factor of zero": (lambda x: x * 0.0 + 1.0, "Mul"),
    "the other branch": (lambda x: tf.where(x > 9.0, tf.exp(x), 3.0) * 2.0, "SelectV2"),
    "a dead unit": (lambda x: tf.exp(tf.nn.relu(x * -2.0)), "Relu"),
    "out of bounds": (lambda x: tf.clip_by_value(tf.exp(x), 0.0, 1.0), "ClipByValue"),
    "saturated": (lambda x: tf.sigmoid(x * 1000.0), "Sigmoid"),
    "rows of a table": (_table, "Mul"),
    "what adds up": (_cancelled, "add up to zero"),
    "in a function": (lambda x: _in_function(x * 2.0), "one of Mul (test_explain.py"),
}


@pytest.mark.parametrize("what", ZEROS)
def test_zeros_are_told_with_the_operation_that_makes_them(what):
    program, said = ZEROS[what]
    x, other = tf.Variable([2.0, 3.0]), tf.Variable([2.0, 3.0])
    with tf.extras.explaining(), tf.GradientTape() as tape:
        y = program(x) + other
    zeros, fine = tape.explain(y, [x, other])
    assert (zeros.reason, fine.reason) == ("zeros", "connected")
    assert said in zeros.text and zeros.where.startswith("test_explain.py:") and zeros.connected
    gradient, _ = tape.gradient(y, [x, other])
    assert not np.any(tf.convert_to_tensor(gradient))
    with tf.GradientTape() as tape:
        y = program(x) + other
        assert [r.reason for r in tape.explain(y, [x, other])] == ["zeros", "connected"], "without `explaining()`, too"
        y = y * 2.0
    assert tape.gradient(y, other).numpy().tolist() == [2.0, 2.0], "the question left nothing on the tape"


def test_what_is_empty_or_fails_is_not_called_zeros():
    @tf.custom_gradient
    def fails(a):
        def gradient(d):
            raise ValueError("no")

        return a * 2, gradient

    x, empty = tf.Variable(2.0), tf.Variable(tf.zeros([0]))
    with tf.GradientTape() as tape:
        y = fails(x) * 0.0
    assert [r.reason for r in tape.explain(y, x)] == ["connected"]
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(empty) + x
    assert [r.reason for r in tape.explain(y, [empty, x])] == ["connected", "connected"]


def here(program):
    lines, first = inspect.getsourcelines(program)
    found = [first + i for i, line in enumerate(lines) if "# here" in line]
    return f"test_explain.py:{found[0]}" if found else None


@pytest.mark.parametrize("name", MISTAKES)
def test_the_reason_and_its_line(name):
    program, reasons, _ = MISTAKES[name]
    with tf.extras.explaining():
        tape, target, sources = program()
    found = tape.explain(target, sources)
    assert [r.reason for r in found] == list(reasons), found
    broken = [r.where for r in found if r.where]
    line = here(program)
    assert broken == ([line] if line else [])
    if name != "a_number_for_a_target":
        gradients = tape.gradient(target, tf.nest.flatten(sources))
        assert [g is not None for g in gradients] == [r.connected for r in found]
        assert str(tape.explain(target, sources)) == str(found), "the same after the tape was asked"


@pytest.mark.parametrize("name", MISTAKES)
def test_without_lines_it_says_what_the_tape_knows(name):
    program, _, bare = MISTAKES[name]
    tape, target, sources = program()
    found = tape.explain(target, sources)
    assert [r.reason for r in found] == bare, found
    assert "not_connected" not in bare or "explaining()" in str(found) or "no operation read it" in str(found)


def test_a_tape_that_was_asked_says_so():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * x
    tape.gradient(y, x)
    (reason,) = tape.explain(y, x)
    assert reason.reason == "used" and "explaining()" in reason.text


def test_a_persistent_tape_explains_after_it_was_asked():
    x = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
        z = tf.stop_gradient(x) + y
    tape.gradient(y, x)
    assert [r.reason for r in tape.explain(z, x)] == ["connected"]


def test_the_path_names_operations_and_lines():
    x = tf.Variable(2.0)
    with tf.extras.explaining(), tf.GradientTape() as tape:
        y = tf.sin(tf.exp(x))
    (reason,) = tf.extras.explain(tape, y, x)
    assert [p.split(" ")[0] for p in reason.path] == ["Exp", "Sin"]
    assert all("test_explain.py:" in p for p in reason.path) and "Exp" in str(reason)


def test_within_a_function_the_graph_tells():
    said = []

    @tf.function
    def f(x):
        before = x * 2
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.stop_gradient(x) * 2
            with tape.stop_recording():
                z = x * 3
            w = x * x
        said.extend(r.reason for t in (y, z, w, before) for r in tape.explain(t, x))
        return tape.gradient(w, x)

    assert f(tf.constant(3.0)).numpy() == 6.0
    assert said == ["stop_gradient", "not_recording", "connected", "not_recording"]


def test_a_function_within_a_function_is_looked_into_and_what_ran_outside_of_tapes_is_told():
    x, state = tf.Variable(2.0, name="x"), tf.Variable(1.0)
    said = {}

    @tf.function
    def rounded(a):
        return tf.round(a * 2.0)

    @tf.function
    def doubled(a):
        return a * 2.0

    @tf.function
    def kept(a):
        state.assign(a * 3.0)
        return state + 1.0

    @tf.function
    def f(pred):
        with tf.GradientTape(persistent=True) as tape:
            y, z = rounded(x), kept(x)
            with tape.stop_recording():
                hidden = doubled(x)
            chosen = tf.cond(pred, lambda: tf.floor(x * 5.0), lambda: tf.round(x) * 7.0)
            random = tf.random.poisson([], x)
            ones = tf.reduce_sum(tf.ones_like(x))
            younger = x - 0.5
        with tf.GradientTape() as closed:
            pass
        with tf.GradientTape(watch_accessed_variables=False) as blind:
            seen = tf.round(x)
        asked = {"y": y, "z": z, "hidden": hidden, "chosen": chosen, "random": random, "ones": ones}
        said.update({name: tape.explain(target, x)[0] for name, target in asked.items()})
        said["state"] = tape.explain(z, state)[0]
        said["younger"] = tape.explain(y, younger)[0]
        said["closed"] = closed.explain(y, x)[0]
        said["blind"] = blind.explain(seen, x)[0]
        return tape.gradient(z, state), tape.gradient(z, x) is None

    gradient, none = f(tf.constant(True))
    assert gradient.numpy() == 1.0 and none
    assert {name: reason.reason for name, reason in said.items()} == {
        "y": "no_gradient",
        "z": "state",
        "hidden": "not_recording",
        "chosen": "no_gradient",
        "random": "no_gradient",
        "ones": "not_connected",
        "state": "connected",
        "younger": "replaced",
        "closed": "not_recording",
        "blind": "not_watched",
    }
    assert "Round" in said["y"].text and "AssignVariableOp" in said["z"].text and "LookupError" in said["random"].text
    assert [p.split(" ")[0] for p in said["chosen"].path] == ["Identity", "Round", "Mul"], "into the branch"
    assert "explaining()" not in said["ones"].text, "which knows no more of functions"
    assert "variable 'x:0', after the target" in said["younger"].text


def test_what_python_decides_by_a_value_and_first_values_of_variables_are_told():
    x = tf.Variable(2.0, name="x")
    with tf.extras.explaining(), tf.GradientTape(persistent=True) as tape:
        chosen = tf.constant(1.0) * (2.0 if x > 1.0 else 3.0)
        by_cond = tf.cond(x * 3.0 > 1.0, lambda: tf.constant(1.0), lambda: tf.constant(2.0))
        copy = tf.Variable(x * 2.0)
        y = copy * copy
        by_v1 = tf.reduce_sum(tf.compat.v1.py_func(lambda a: a * 2, [x], tf.float32))
        younger = x - 0.5
        unused = y * younger
    found = [tape.explain(target, x)[0] for target in (chosen, by_cond, y, by_v1)]
    assert [r.reason for r in found] == ["not_connected", "not_connected", "state", "numpy"]
    assert all("decided at test_explain.py:" in r.text for r in found[:2]) and "first value" in found[2].text
    assert [r.reason for r in tape.explain(y, [younger, unused])] == ["replaced", "replaced"]
    assert [r.reason for r in tape.explain(unused, [younger])] == ["connected"]


@pytest.mark.parametrize("kept", [True, False])
def test_what_is_no_tensor_is_named(kept):
    with tf.extras.explaining() if kept else contextlib.nullcontext(), tf.GradientTape() as tape:
        y = tf.constant(1.0) * 2
    (reason,) = tape.explain(y, 3.0)
    assert reason.reason == "no_tensor" and "'float'" in reason.text


def test_printing_is_no_departure():
    x, v = tf.Variable([1.0, 2.0]), tf.Variable([1.0, 2.0])
    with tf.extras.explaining(), tf.GradientTape() as tape:
        y = x * 2
        assert str(v) and str(v * 1)
        y = y * tf.constant([3.0, 4.0])
    assert [r.reason for r in tape.explain(y, [x, v])] == ["connected", "not_connected"]


def test_afterwards_all_is_as_before():
    before = tf.__internal__.EagerTensor.__dict__["numpy"], tf.Variable.__dict__["assign"]
    with tf.extras.explaining(), tf.extras.explaining():
        assert tf.__internal__.EagerTensor.__dict__["numpy"] is not before[0]
    assert before == (tf.__internal__.EagerTensor.__dict__["numpy"], tf.Variable.__dict__["assign"])


@pytest.mark.parametrize("program", [stopped_in_a_function, through_state_in_a_function])
def test_compiled_functions_are_looked_into(program, compiled_at_once):
    with tf.extras.explaining():
        tape, target, sources = program()
    assert [r.reason for r in tape.explain(target, sources)] == list(MISTAKES[program.__name__][1])
    assert tape.explain(target, sources)[0].where == here(program)


@pytest.mark.parametrize("kept", [True, False])
def test_what_a_tape_forgot_is_not_connected(kept):
    x, w = tf.Variable(2.0), tf.Variable(2.0)
    with tf.extras.explaining() if kept else contextlib.nullcontext(), tf.GradientTape() as tape:
        y = x * x
        tape.reset()
        z = y * w
    found = tape.explain(z, [x, w])
    assert [r.connected for r in found] == [False, True]
    assert found[0].reason == ("not_recording" if kept else "not_connected")
    assert [g is not None for g in tape.gradient(z, [x, w])] == [False, True]


def test_a_target_that_was_made_outside_of_the_context_is_said_to_be():
    x = tf.Variable(2.0)
    with tf.extras.explaining(), tf.GradientTape() as outer, tf.GradientTape() as tape:
        y = x * x
    (reason,) = outer.explain(tape.gradient(y, x), x)
    assert reason.reason == "not_connected" and "computed outside of that context" in reason.text


def test_a_target_is_its_own_source():
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        pass
    assert [r.reason for r in tape.explain(x, x)] == ["connected"]
    assert tape.gradient(x, x).numpy() == 1.0


def test_gradients_written_by_hand_may_answer_none():
    x = tf.Variable(2.0)

    @tf.custom_gradient
    def nothing(a):
        return a * 2, lambda d: None

    with tf.extras.explaining(), tf.GradientTape() as tape:
        y = nothing(x)
    (reason,) = tape.explain(y, x)
    assert reason.reason == "no_gradient" and "said None" in reason.text and "test_explain.py:" in reason.where
    assert tape.gradient(y, x) is None

    @tf.function
    def f():
        with tf.GradientTape() as tape:
            y = nothing(x)
        (reason,) = tape.explain(y, x)
        assert reason.connected and "may say None" in reason.text, "while it is traced, nobody has asked it"
        return tape.gradient(y, x) is None

    assert f()


def test_only_the_last_operations_are_kept(monkeypatch):
    monkeypatch.setattr("tfgrad_jax.extras.gradients.chronicle.LIMIT", 3)
    x = tf.Variable(2.0)
    with tf.extras.explaining(), tf.GradientTape() as tape:
        y = x * 2
        for _ in range(5):
            y = tf.sin(y)
    (reason,) = tape.explain(y, x)
    assert reason.reason == "not_connected" and "only the last ones are known" in reason.text


def test_a_tape_is_not_kept_alive():
    with tf.extras.explaining():
        with tf.GradientTape() as tape:
            y = tf.Variable(2.0) * 2
        known = weakref.ref(tape)
        del tape
        gc.collect()
        assert known() is None and y.numpy() == 4.0


def test_loops_and_branches_of_functions_are_one_operation_each():
    x, w = tf.Variable(2.0), tf.Variable(1.0)

    @tf.function
    def f(n):
        y = x * 1.0
        for _ in tf.range(n):
            y = tf.sin(y) * w
        if y > 100.0:
            y = y * 2.0
        return y

    with tf.extras.explaining(), tf.GradientTape() as tape:
        y = f(tf.constant(3))
    found = tape.explain(y, [x, w])
    assert [r.connected for r in found] == [True, True]
    assert [p.split(" ")[0] for p in found[1].path][-1] == "If"
    assert [g is not None for g in tape.gradient(y, [x, w])] == [True, True]


def test_a_variable_without_gradient_is_warned_of_once(caplog):
    x, w = tf.Variable(2.0, name="x"), tf.Variable(1.0)
    with tf.extras.explaining():
        for _ in range(2):
            with tf.GradientTape() as tape:
                y = tf.stop_gradient(x) * w
            assert [g is None for g in tape.gradient(y, [x, w])] == [True, False]
    (message,) = [r.getMessage() for r in caplog.records]
    assert message.startswith("No gradient for variable 'x:0' float32[]: stop_gradient (test_explain.py:")
