"""Why a variable has no gradient is said when an optimizer is given it, and to nobody who leaves it out."""

from __future__ import annotations

import gc
import weakref

import pytest

import tfgrad_jax as tf
from tfgrad_jax.engine.state.unanswered import waiting


@pytest.fixture(autouse=True, params=["immediate", "fused"])
def _mode(request):
    with tf.extras.execution(request.param):
        yield
    waiting.clear()


def pairs(loss, variables):
    with tf.GradientTape() as tape:
        target = loss()
    return list(zip(tape.gradient(target, variables), variables, strict=True))


@pytest.fixture
def messages(caplog):
    """What was said of gradients until now, once."""

    def take():
        found = [r.getMessage() for r in caplog.records if "No gradient for" in r.getMessage()]
        caplog.clear()
        return found

    return take


@pytest.mark.filterwarnings("ignore:Gradients do not exist")
@pytest.mark.parametrize("kind", ["SGD", "Adam"])
def test_an_optimizer_of_keras_that_meets_none_for_a_plain_variable(messages, kind):
    w, b = tf.Variable([1.0, 2.0], name="w"), tf.Variable(0.5, name="b")
    made = pairs(lambda: tf.constant(w.numpy().sum()) * b, [w, b])
    assert messages() == []  # None may be what the program wants
    optimizer = getattr(tf.keras.optimizers, kind)(0.1)
    optimizer.apply_gradients(made)
    (message,) = messages()
    assert message.startswith("No gradient for variable 'w:0' float32[2]: not_connected\n") and "'b:0'" not in message
    optimizer.apply_gradients(pairs(lambda: b * 2.0, [w, b]))
    assert messages() == []  # once


def test_all_that_have_no_gradient_are_in_one_message_before_the_error(messages):
    w, b = tf.Variable(1.0, name="w"), tf.Variable(0.5, name="b")
    made = pairs(lambda: tf.constant(1.0), [w, b])
    with pytest.raises(ValueError, match="No gradients provided for any variable"):
        tf.keras.optimizers.SGD(0.1).apply_gradients(made)
    (message,) = messages()
    assert message.startswith("No gradient for variable 'w:0' float32[], variable 'b:0' float32[]: not_connected\n")


def test_nothing_is_said_of_variables_that_are_left_out_or_have_a_gradient_later(messages):
    w, b = tf.Variable(1.0), tf.Variable(0.5)
    optimizer = tf.keras.optimizers.SGD(0.1)
    for _ in range(3):
        optimizer.apply_gradients([pair for pair in pairs(lambda: b * b, [b, w]) if pair[0] is not None])
    assert w.identity in waiting
    optimizer = tf.keras.optimizers.SGD(0.1)
    optimizer.apply_gradients(pairs(lambda: b * w, [b, w]))
    assert not waiting and messages() == []


@pytest.mark.filterwarnings("ignore:Gradients do not exist")
def test_a_function_that_is_recorded_anew_says_what_is_in_the_way_now(messages):
    w, b = tf.Variable([1.0, 2.0], name="w"), tf.Variable(0.5, name="b")
    optimizer = tf.keras.optimizers.SGD(0.1)

    def stepped(of):
        @tf.function
        def step():
            optimizer.apply_gradients(pairs(lambda: tf.reduce_sum(of(w)) * b, [w, b]))

        for _ in range(2):
            step()
        return messages()

    (rounded,) = stepped(tf.round)
    (stopped,) = stepped(tf.stop_gradient)
    assert "There is no gradient to Round at test_unanswered.py:" in rounded
    assert "tf.stop_gradient at test_unanswered.py:" in stopped
    assert stepped(tf.identity) == []


def test_an_optimizer_of_version_1_says_it_too(messages):
    w, b = tf.Variable(1.0, name="w"), tf.Variable(0.5, name="b")
    tf.compat.v1.train.GradientDescentOptimizer(0.1).apply_gradients(pairs(lambda: b * 1.0, [w, b]))
    (message,) = messages()
    assert message.startswith("No gradient for variable 'w:0' float32[]: not_connected\n")


def test_variables_of_keras_are_called_by_their_paths(messages):
    layer = tf.keras.layers.Dense(1, name="dead")
    layer.build([None, 2])
    pairs(lambda: tf.constant(1.0), [layer.kernel])
    (message,) = messages()
    assert message.startswith(f"No gradient for variable {layer.kernel.path!r} float32[2, 1]: ")
    with tf.GradientTape() as tape:
        loss = tf.constant(1.0)
    assert tape.explain(loss, layer.kernel)[0].source == f"variable {layer.kernel.path!r} float32[2, 1]"


def test_what_waits_to_be_said_keeps_no_variable_alive():
    unused, used = tf.Variable([1.0, 2.0]), tf.Variable(2.0)
    assert pairs(lambda: used * 2.0, [unused, used])[0][0] is None
    gone = weakref.ref(unused)
    del unused
    gc.collect()
    assert gone() is None
