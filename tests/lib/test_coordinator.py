"""`tf.train.Coordinator` and `tf.compat.v1.train.LooperThread`, as TensorFlow's do."""

from __future__ import annotations

import threading

import pytest

import tfgrad_jax as tf

Coordinator = tf.train.Coordinator
LooperThread = tf.compat.v1.train.LooperThread


def raised(error):
    """An exception that was raised."""
    try:
        raise error
    except type(error) as found:
        return found


def test_a_failure_stops_and_join_raises_it():
    coord = Coordinator()
    assert not coord.should_stop() and not coord.joined
    with coord.stop_on_exception():
        raise ValueError("first")
    assert coord.should_stop()
    coord.request_stop(raised(KeyError("later")))
    for _ in range(2):
        with pytest.raises(ValueError, match="first"):
            coord.join()
    assert coord.joined
    with pytest.raises(ValueError, match="first"):
        coord.raise_requested_exception()
    coord.clear_stop()
    assert not coord.should_stop() and not coord.joined
    coord.join()
    assert coord.joined and not coord.should_stop()


@pytest.mark.parametrize(
    ("clean", "error"), [(None, tf.errors.OutOfRangeError(None, None, "end")), ((ValueError,), ValueError("end"))]
)
def test_an_end_is_no_failure(clean, error):
    coord = Coordinator(clean_stop_exception_types=clean)
    coord.request_stop(error)
    coord.join()
    coord.raise_requested_exception()
    assert coord.should_stop()


@pytest.mark.parametrize("ex", ["text", ValueError("never raised")])
def test_only_exceptions_that_were_raised_are_taken(ex):
    with pytest.raises(TypeError, match="exception that was raised"):
        Coordinator().request_stop(ex)


def test_threads_that_do_not_stop():
    goes_on = threading.Event()
    thread = threading.Thread(target=goes_on.wait, daemon=True, name="stubborn")
    thread.start()
    coord = Coordinator()
    coord.request_stop()
    with pytest.raises(RuntimeError, match="Coordinator stopped with threads still running: stubborn"):
        coord.join([thread], stop_grace_period_secs=0.01)
    coord.join([thread], stop_grace_period_secs=0.01, ignore_live_threads=True)
    goes_on.set()
    coord = Coordinator()
    coord.register_thread(thread)
    coord.join()
    assert not thread.is_alive() and not coord.should_stop()


@pytest.mark.parametrize("interval", [None, 0.001])
def test_a_looper_works_until_it_is_told_to_stop(interval):
    coord, turns = Coordinator(), []

    def work(step, to):
        turns.append(step)
        if len(turns) == to:
            coord.request_stop()

    looper = LooperThread.loop(coord, interval, target=work, args=(2,), kwargs={"to": 3})
    coord.join([looper])
    assert turns == [2, 2, 2] and looper.daemon


def test_a_looper_tells_of_failures():
    coord = Coordinator()
    LooperThread.loop(coord, None, target=lambda: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        coord.join()


def test_a_looper_of_a_class():
    seen = []

    class Looper(LooperThread):
        def start_loop(self):
            seen.append("start")

        def run_loop(self):
            seen.append("turn")
            coord.request_stop()

        def stop_loop(self):
            seen.append("stop")

    coord = Coordinator()
    looper = Looper(coord, None)
    looper.start()
    coord.join()
    assert seen == ["start", "turn", "stop"]


@pytest.mark.parametrize(
    ("arguments", "says"), [((3, None), "must be a Coordinator"), ((None, None, None, (1,)), "target")]
)
def test_a_looper_refuses(arguments, says):
    coord, *rest = arguments
    with pytest.raises(ValueError, match=says):
        LooperThread(coord or Coordinator(), *rest)
