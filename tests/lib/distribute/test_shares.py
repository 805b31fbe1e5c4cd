"""Sums of which each process, here a thread, adds up a share: the first one's numbers, and nobody waits for ever."""

from __future__ import annotations

import socket
import threading

import ml_dtypes
import numpy as np
import pytest

import tfgrad_jax as tf
from tests.lib.distribute.test_messages import cluster, started
from tfgrad_jax.lib.distribute import shares


def link(ends, pool):
    assert [each.result() for each in started(pool, *[lambda end=end: shares.linked(end) for end in ends])] == [
        True
    ] * len(ends)


def given(number):
    rng = np.random.default_rng(number)
    kinds = [
        (np.float32, (1000, 7)),
        (np.float64, ()),
        (np.int8, (3,)),
        (np.float32, (0, 4)),
        (ml_dtypes.bfloat16, (33,)),
        (np.complex64, (500,)),
    ]
    return [(100 * rng.normal(size=shape)).astype(dtype) for dtype, shape in kinds] + [np.full((40, 50), number).T]


def test_sums_have_the_order_of_the_processes():
    count = 4
    wanted = given(0)
    for number in range(1, count):
        wanted = [a + b for a, b in zip(wanted, given(number), strict=True)]
    with cluster(count) as (ends, pool):
        link(ends, pool)
        for _ in range(2):
            found = started(pool, *[lambda end=end: shares.summed(end, given(end.index)) for end in ends])
            for each in found:
                for value, sums in zip(each.result(), wanted, strict=True):
                    assert value.dtype == sums.dtype and value.ctypes.data % 64 == 0
                    np.testing.assert_array_equal(value, sums)


def test_more_than_the_sockets_hold_at_once():
    """Everybody sends before anybody has read all of it; of one element there are shares without bytes."""
    with cluster(3) as (ends, pool):
        link(ends, pool)
        for size in (5_000_001, 1):
            found = started(
                pool, *[lambda end=end, n=size: shares.summed(end, [np.full(n, 1 + end.index)]) for end in ends]
            )
            for each in found:
                assert (each.result()[0] == 6).all()


@pytest.mark.parametrize("number", range(4))
def test_who_is_gone_is_told(number):
    """And not another one, which hung up since it found that."""
    with cluster(4) as (ends, pool):
        link(ends, pool)
        ends[number].close()
        rest = [end for end in ends if end.index != number]
        for each in started(pool, *[lambda end=end: shares.summed(end, given(0)) for end in rest]):
            with pytest.raises(tf.errors.UnavailableError, match=rf"worker {number} \(.*\) is gone"):
                each.result()
        for end in rest:
            with pytest.raises(tf.errors.UnavailableError, match="the workers have parted, since worker"):
                end.told(b"")


def test_an_interrupt_is_told(monkeypatch):
    with cluster(3) as (ends, pool):
        link(ends, pool)
        others = started(pool, *[lambda end=end: shares.summed(end, given(0)) for end in ends[1:]])
        add, here = np.add, threading.get_ident()

        def interrupted(*args):
            if threading.get_ident() == here:
                raise KeyboardInterrupt
            return add(*args)

        monkeypatch.setattr(np, "add", interrupted)
        with pytest.raises(KeyboardInterrupt):
            shares.summed(ends[0], given(0))
        for each in others:
            with pytest.raises(tf.errors.UnavailableError, match="worker 0 found: KeyboardInterrupt"):
                each.result()


def test_who_does_not_send_in_time_is_told():
    with cluster(2, timeout=0.2) as (ends, pool):
        ends[0].limit = ends[1].limit = 60.0  # to link them may take longer
        link(ends, pool)
        ends[0].limit = 0.2
        with pytest.raises(tf.errors.DeadlineExceededError, match=r"worker 1 \(.*\) did not come to 'sum' .*timeout_s"):
            shares.summed(ends[0], given(0))


def test_where_an_address_is_taken_the_first_one_sums(caplog):
    with cluster(3) as (ends, pool):
        host, _, port = ends[1].addresses[1].rpartition(":")
        with socket.create_server((host, int(port))):
            found = started(pool, *[lambda end=end: shares.linked(end) for end in ends])
            assert [each.result() for each in found] == [False] * 3
        assert not any(end.links for end in ends) and "reaches every other one" in caplog.text
        assert started(pool, *[lambda end=end: end.told(b"x") for end in ends])[0].result() == [b"x"] * 3
