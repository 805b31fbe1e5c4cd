"""Queues, with the answers that TensorFlow 2.21 gives."""

from __future__ import annotations

import threading

import pytest

import tfgrad_jax as tf

errors = tf.errors
FIFO = tf.queue.FIFOQueue


def plain(value):
    return [v.numpy().tolist() if v.dtype != tf.string or v.shape.rank else v.numpy() for v in value]


def test_first_in_first_out():
    queue = FIFO(3, [tf.int32, tf.string], [[], [2]])
    assert queue.enqueue([1, ["a", "b"]]) is None and queue.size().numpy() == 1
    assert plain(queue.dequeue()) == [1, [b"a", b"b"]]
    queue.enqueue_many([[1, 2], [["a", "b"], ["c", "d"]]])
    assert plain(queue.dequeue_many(2)) == [[1, 2], [[b"a", b"b"], [b"c", b"d"]]]
    assert plain(queue.dequeue_many(0)) == [[], []]
    assert queue.dtypes == [tf.int32, tf.string] and queue.shapes == [[], [2]] and queue.names is None
    assert not queue.is_closed().numpy()


def test_a_closed_queue():
    queue = FIFO(5, tf.int32, [[]])
    queue.enqueue_many([[1, 2, 3]])
    queue.close()
    assert queue.is_closed().numpy()
    with pytest.raises(errors.CancelledError, match="closed"):
        queue.enqueue(1)
    assert queue.dequeue_up_to(2).numpy().tolist() == [1, 2]
    with pytest.raises(errors.OutOfRangeError, match="requested 2, current size 1"):
        queue.dequeue_many(2)
    assert queue.dequeue_up_to(5).numpy().tolist() == [3]
    for take in (queue.dequeue, lambda: queue.dequeue_up_to(1)):
        with pytest.raises(errors.OutOfRangeError, match="requested 1, current size 0"):
            take()


def test_names():
    queue = FIFO(5, [tf.int32, tf.int32], names=["a", "b"], shapes=[[], []])
    queue.enqueue({"a": 1, "b": 2})
    assert {k: v.numpy() for k, v in queue.dequeue().items()} == {"a": 1, "b": 2}
    with pytest.raises(ValueError, match="must enqueue a dictionary"):
        queue.enqueue([1, 2])
    with pytest.raises(ValueError, match="do not match names"):
        queue.enqueue({"a": 1})
    with pytest.raises(ValueError, match="same length"):
        FIFO(2, [tf.int32], names=["a", "b"])
    with pytest.raises(ValueError, match="must have names"):
        FIFO(2, tf.int32).enqueue({"a": 1})


def test_padding():
    queue = tf.queue.PaddingFIFOQueue(5, [tf.int32, tf.string], [[None], [None]])
    queue.enqueue([[1, 2], ["a"]])
    queue.enqueue([[3], ["b", "c"]])
    assert plain(queue.dequeue_many(2)) == [[[1, 2], [3, 0]], [[b"a", b""], [b"b", b"c"]]]
    with pytest.raises(ValueError, match="incompatible"):
        queue.enqueue([[[1]], ["a"]])
    with pytest.raises(ValueError, match="list of shapes"):
        tf.queue.PaddingFIFOQueue(5, [tf.int32, tf.int32], [[]])
    with pytest.raises(ValueError, match="defined rank"):
        tf.queue.PaddingFIFOQueue(5, [tf.int32], [tf.TensorShape(None)])


def test_priorities():
    queue = tf.queue.PriorityQueue(9, [tf.string], [[]])
    for element in ([3, "c"], [1, "a"], [2, "b"], [1, "d"]):
        queue.enqueue(element)
    assert plain(queue.dequeue()) == [1, b"a"]
    assert plain(queue.dequeue_many(3)) == [[1, 2, 3], [b"d", b"b", b"c"]]
    assert queue.dtypes == [tf.int64, tf.string]


def test_random_order():
    queue = tf.queue.RandomShuffleQueue(10, 2, tf.int32, [[]], seed=1)
    queue.enqueue_many([list(range(8))])
    found = queue.dequeue_many(6).numpy().tolist()
    queue.close()
    assert sorted(found + queue.dequeue_many(2).numpy().tolist()) == list(range(8))


def test_random_order_is_tensorflows():
    tf.random.set_seed(4)
    queue = tf.queue.RandomShuffleQueue(50, 0, tf.int32, [[]], seed=3)
    queue.enqueue_many([list(range(9))])
    assert [int(queue.dequeue()) for _ in range(9)] == [0, 6, 3, 4, 8, 2, 5, 7, 1]
    queue = tf.queue.RandomShuffleQueue(50, 0, tf.int32, [[]])
    queue.enqueue_many([list(range(9))])
    assert queue.dequeue_many(9).numpy().tolist() == [3, 6, 0, 1, 5, 8, 7, 4, 2]


def test_queues_that_cannot_be():
    with pytest.raises(errors.InvalidArgumentError, match="Different number of component types"):
        FIFO(2, [tf.int32], shapes=[[], []])
    with pytest.raises(errors.InvalidArgumentError, match="at least minimum 1"):
        FIFO(2, [])
    with pytest.raises(ValueError, match="fully defined"):
        FIFO(2, tf.int32, shapes=[[None]])
    queue = FIFO(5, tf.float32)
    queue.enqueue(1.0)
    with pytest.raises(errors.InvalidArgumentError, match="specified shapes"):
        queue.dequeue_many(1)
    with pytest.raises(errors.InvalidArgumentError, match="1 components was given 2"):
        queue.enqueue([1.0, 2.0])
    with pytest.raises(TypeError):
        FIFO(2, tf.int32).enqueue(1.5)
    with pytest.raises(ValueError, match="rank at least 1"):
        queue.enqueue_many([1.0])


def test_another_thread_waits_for_an_element_and_for_room():
    queue, results = FIFO(1, tf.int32, [[]]), FIFO(9, tf.int32, [[]])

    def double():
        try:
            while True:
                results.enqueue(queue.dequeue() * 2)
        except errors.OutOfRangeError:
            results.close()

    thread = threading.Thread(target=double)
    thread.start()
    for i in range(5):
        queue.enqueue(i)
    queue.close()
    thread.join()
    assert results.dequeue_many(5).numpy().tolist() == [0, 2, 4, 6, 8]


def test_in_a_function():
    queue = FIFO(5, [tf.int32, tf.int32], [[], []])

    @tf.function
    def f(x):
        queue.enqueue((x, x + 1))
        queue.enqueue_many(([7, 8], [9, 10]))
        pair, first = queue.dequeue_many(2), queue.dequeue()
        assert pair[0].shape == [2] and first[1].shape == []
        return *pair, *first, queue.size()

    for x in (5, 6):
        assert [t.numpy().tolist() for t in f(tf.constant(x))] == [[x, 7], [x + 1, 9], 8, 10, 0]


def test_one_of_several():
    queues = [FIFO(1, tf.string), FIFO(2, tf.string)]
    assert tf.queue.QueueBase.from_list(1, queues) is queues[1]
    with pytest.raises(TypeError):
        tf.queue.QueueBase.from_list(0, [])
    with pytest.raises(TypeError):
        tf.queue.QueueBase.from_list(0, [*queues, FIFO(1, tf.int32)])
    assert tf.compat.v1.FIFOQueue is tf.queue.FIFOQueue


def test_strings_of_several_elements_are_whole():
    queue = tf.queue.PriorityQueue(5, [tf.string], [[]])
    queue.enqueue_many(([3, 1, 2], ["c", "a", b"b\0"]))
    assert queue.dequeue()[1].numpy() == b"a"
    assert queue.dequeue_many(2)[1].numpy().tolist() == [b"b\0", b"c"]


def test_numbers_are_no_slices():
    for values in (3, [1, 2]):
        with pytest.raises(ValueError):
            FIFO(5, tf.int32, [[]]).enqueue_many(values)
