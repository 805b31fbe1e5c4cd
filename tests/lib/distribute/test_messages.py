"""Messages between processes, here threads: what goes wrong is told to all of them, and nobody waits for ever."""

from __future__ import annotations

import select
import socket
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager

import pytest

import tfgrad_jax as tf
from tests.lib.distribute.places import addresses
from tfgrad_jax.lib.distribute.messages import Cluster


@contextmanager
def cluster(count, timeout=None):
    """The processes' ends, and what calls a function of each at once."""
    places = addresses(count)
    with ThreadPoolExecutor(count) as pool:
        ends = [f.result() for f in [pool.submit(Cluster, places, i, timeout=timeout) for i in range(count)]]
        try:
            yield ends, pool
        finally:
            for end in ends:
                end.close()


def started(pool: ThreadPoolExecutor, *calls: Callable[[], object]) -> list[Future]:
    return [pool.submit(call) for call in calls]


def joined(end, what="sum", combine=list):
    return lambda: end.exchange(what, [b"%d" % end.index], combine)


def test_what_the_first_finds_wrong_is_told_and_all_go_on():
    def wrong(messages):
        raise tf.errors.InvalidArgumentError(None, None, "worker 1 has other shapes")

    with cluster(3) as (ends, pool):
        found = started(pool, *[joined(end, combine=wrong) for end in ends])
        for each in found:
            with pytest.raises(tf.errors.InvalidArgumentError, match="worker 1 has other shapes"):
                each.result()
        assert [each.result() for each in started(pool, *map(joined, ends))] == [b"012"] * 3


def test_long_parts_arrive_in_their_order():
    parts = [b"ab", bytes(range(256)) * 500, b"", memoryview(b"c" * 40_000), b"d"]
    whole = b"".join(parts)

    def same_twice(messages):
        assert [bytes(m) for m in messages] == [whole] * 3
        return [messages[1], messages[2]]

    with cluster(3) as (ends, pool):
        for each in started(pool, *[lambda end=end: end.exchange("sum", parts, same_twice) for end in ends]):
            assert each.result() == whole * 2


def test_a_program_that_fails_in_the_first_worker_is_told():
    def wrong(messages):
        raise MemoryError("there is none left")

    with cluster(2) as (ends, pool):
        first, second = started(pool, *[joined(end, combine=wrong) for end in ends])
        with pytest.raises(MemoryError):
            first.result()
        with pytest.raises(tf.errors.UnavailableError, match="worker 0 found: MemoryError: there is none left"):
            second.result()


def test_workers_at_different_places_are_told_so():
    with cluster(3) as (ends, pool):
        for each in started(pool, joined(ends[0]), joined(ends[1]), joined(ends[2], "gather")):
            with pytest.raises(
                tf.errors.InternalError, match=r"worker 2 \(.*\) is at 'gather', worker 0 \(.*\) at 'sum'"
            ):
                each.result()
        for end in ends:
            with pytest.raises(
                tf.errors.UnavailableError, match=r"the workers have parted, since .* start all workers again"
            ):
                joined(end)()


def test_who_is_gone_is_told():
    with cluster(3) as (ends, pool):
        ends[2].close()
        for each in started(pool, joined(ends[0]), joined(ends[1])):
            with pytest.raises(
                tf.errors.UnavailableError, match=r"worker 2 \(.*\) is gone .* fewer steps .* Start all"
            ):
                each.result()


def test_who_does_not_come_in_time_is_told():
    with cluster(3, timeout=0.2) as (ends, pool):
        for each in started(pool, joined(ends[0]), joined(ends[1])):
            with pytest.raises(
                tf.errors.DeadlineExceededError, match=r"worker 2 \(.*\) did not come to 'sum' .*timeout_s"
            ):
                each.result()


def test_an_interrupt_is_told():
    def interrupted(messages):
        raise KeyboardInterrupt

    with cluster(2) as (ends, pool):
        other = pool.submit(joined(ends[1]))
        with pytest.raises(KeyboardInterrupt):
            joined(ends[0], combine=interrupted)()
        with pytest.raises(
            tf.errors.UnavailableError, match="worker 0 found: KeyboardInterrupt; start all workers again"
        ):
            other.result()


def test_those_who_came_are_told_who_did_not():
    server = socket.create_server(("localhost", 0))
    places = [f"localhost:{server.getsockname()[1]}", *addresses(2)]
    with ThreadPoolExecutor(1) as pool:
        second = pool.submit(Cluster, places, 1)
        select.select([server], [], [])  # it has called
        with pytest.raises(tf.errors.DeadlineExceededError, match=r"worker 2 \(.*\) did not come. Start one process"):
            Cluster(places, 0, patience=0.0, server=server)
        with pytest.raises(tf.errors.DeadlineExceededError, match=r"worker 2 \(.*\) did not come. Start one process"):
            second.result()


def test_workers_that_do_not_belong_there_are_told_why():
    places = addresses(3)
    with ThreadPoolExecutor(4) as pool:
        first = pool.submit(Cluster, places, 0)
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"lists 4 workers, .* lists 3. .* with the same list"):
            Cluster([*places, "localhost:1"], 3)
        twice = started(pool, *[lambda: Cluster(places, 1)] * 2)
        refused = next(as_completed(twice))  # the other one waits for worker 2
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"a second worker 1 .* an index of its own"):
            refused.result()
        twice.remove(refused)
        for end in (pool.submit(Cluster, places, 2), first, *twice):
            end.result().close()
