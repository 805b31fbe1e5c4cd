"""Large sums over processes: each adds up a share of all bytes, so that each sends and receives as much, however many there are.

Every two of them have a line of their own for it. The numbers are those that the first process would find, who adds in the order of
the processes: every element is summed in one of them, in that order.
"""

from __future__ import annotations

import contextlib
import selectors
import socket
import struct
import time
from collections.abc import Iterator, Sequence

import numpy as np

from tfgrad_jax.engine.messages.logging import warn
from tfgrad_jax.lib.distribute.messages import Cluster
from tfgrad_jax.lib.distribute.wire import ALIGNED, Message, listening, memory, place, prepare, read

_GREETING = struct.Struct("!16sI")
_MAGIC = b"tfgrad_jax share"

_PATIENCE = 10.0
"""For so many seconds each waits for the lines to the others; where some are closed to it, the first process sums."""

_PARTS = 64
"""So many parts are sent at once."""


def linked(cluster: Cluster) -> bool:
    """Make the lines, each process to those after it, at the addresses that TF_CONFIG lists; all processes ask for it at one place.

    Returns:
      Whether all of them have all lines; otherwise there are none.

    Raises:
      Exception: as of `Cluster.told`.
    """
    server = None
    with contextlib.suppress(OSError):
        server = listening(place(cluster.addresses[cluster.index])) if cluster.index else None
    found = dict[int, socket.socket]()
    with server or contextlib.nullcontext():
        ready = all(said == b"ready" for said in cluster.told(b"ready" if server or not cluster.index else b"closed"))
        if ready:
            with contextlib.suppress(OSError, EOFError):
                found.update(_accepted(cluster, server))
                found.update(_called(cluster))
    if all(said == b"linked" for said in cluster.told(b"linked" if len(found) == cluster.size - 1 else b"alone")):
        cluster.links.update(found)
        return True
    for link in found.values():
        link.close()
    if cluster.index == 0:
        warn("MultiWorkerMirroredStrategy: not every worker reaches every other one at its address in TF_CONFIG: all sums go "
             "through %s", cluster.addresses[0])  # fmt: skip
    return False


def _accepted(cluster: Cluster, server: socket.socket | None) -> Iterator[tuple[int, socket.socket]]:
    """The lines from those before this process."""
    missing, until = set(range(cluster.index)), time.monotonic() + _PATIENCE
    while missing and server is not None:
        server.settimeout(max(0.001, until - time.monotonic()))
        peer, _ = server.accept()
        prepare(peer)
        peer.settimeout(_PATIENCE)
        magic, number = _GREETING.unpack(read(peer, _GREETING.size))
        if magic == _MAGIC and number in missing:
            missing.remove(number)
            yield number, peer
        else:  # somebody else
            peer.close()


def _called(cluster: Cluster) -> Iterator[tuple[int, socket.socket]]:
    """The lines to those after this process."""
    for number in range(cluster.index + 1, cluster.size):
        peer = socket.create_connection(place(cluster.addresses[number]), timeout=_PATIENCE)
        prepare(peer)
        peer.sendall(_GREETING.pack(_MAGIC, cluster.index))
        yield number, peer


def summed(cluster: Cluster, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
    """The sums over all processes, which have the lines, of arrays of the same dtypes and shapes.

    Raises:
      UnavailableError: if a process is gone.
      DeadlineExceededError: if one does not send its part in time.
    """
    layout = _Layout(arrays)
    shares = [layout.share(k, cluster.size) for k in range(cluster.size)]
    lo, hi = shares[cluster.index]
    whole, theirs = memory(layout.size), {number: memory(hi - lo) for number in cluster.links}
    with cluster.by_links("sum"):
        _swap(cluster, {number: layout.parts(*shares[number]) for number in theirs}, theirs)
        for _, at, array in layout.pieces(lo, hi):
            parts = [
                array if number == cluster.index else np.frombuffer(theirs[number], array.dtype, array.size, at - lo)
                for number in range(cluster.size)
            ]
            total = np.frombuffer(whole, array.dtype, array.size, at)
            np.add(parts[0], parts[1], total)  # in the order of the processes
            for part in parts[2:]:
                np.add(total, part, total)
        into = {number: whole[slice(*shares[number])] for number in theirs}
        _swap(cluster, {number: [whole[lo:hi]] for number in theirs}, into)
    return layout.arrays(whole)


class _Layout:
    """Arrays behind each other in memory, each at a multiple of `ALIGNED`, so that a share begins and ends between elements."""

    def __init__(self, arrays: Sequence[np.ndarray]) -> None:
        self._given = arrays
        self._flat = [np.ascontiguousarray(array).reshape(-1) for array in arrays]
        self._at = [0]
        for array in arrays:
            self._at.append(self._at[-1] + -(-array.nbytes // ALIGNED) * ALIGNED)
        self.size = self._at[-1]

    def share(self, number: int, count: int) -> tuple[int, int]:
        """Where that of one process begins and ends."""
        blocks = self.size // ALIGNED
        return blocks * number // count * ALIGNED, blocks * (number + 1) // count * ALIGNED

    def pieces(self, lo: int, hi: int) -> Iterator[tuple[int, int, np.ndarray]]:
        """What lies between two places: elements of which array, from which place on."""
        for i, array in enumerate(self._flat):
            first, last = max(lo, self._at[i]), min(hi, self._at[i] + array.nbytes)
            if first < last:
                begin = (first - self._at[i]) // array.itemsize
                yield i, first, array[begin : begin + (last - first) // array.itemsize]

    def parts(self, lo: int, hi: int) -> list[Message]:
        """The bytes between two places."""
        found: list[Message] = []
        for i, at, array in self.pieces(lo, hi):
            found.append(array.view(np.uint8).data)
            space = min(hi, self._at[i + 1]) - at - array.nbytes
            if space:
                found.append(bytes(space))
        return found

    def arrays(self, whole: memoryview) -> list[np.ndarray]:
        """Arrays of the same dtypes and shapes that lie so in memory."""
        return [
            np.frombuffer(whole, array.dtype, array.size, at).reshape(array.shape)
            for array, at in zip(self._given, self._at, strict=False)
        ]


def _swap(cluster: Cluster, outgoing: dict[int, list[Message]], incoming: dict[int, memoryview]) -> None:
    """Send to each process and receive from each at once: nobody waits until another has read all of it."""
    start, left = time.monotonic(), dict(incoming)
    sending = {number: [memoryview(part) for part in parts if len(part)] for number, parts in outgoing.items()}
    with selectors.DefaultSelector() as selector:
        for number, link in cluster.links.items():
            link.setblocking(False)
            if events := _awaited(sending[number], left[number]):
                selector.register(link, events, number)
        while selector.get_map():
            ready = selector.select(max(0.0, start + cluster.limit - time.monotonic()))
            if not ready:
                number = min(key.data for key in selector.get_map().values())
                raise cluster.silent(number, "sum", cluster.limit)
            for key, mask in ready:
                number, link = key.data, cluster.links[key.data]
                try:
                    if mask & selectors.EVENT_READ:
                        count = link.recv_into(left[number])
                        if not count:
                            raise EOFError("it hung up")
                        left[number] = left[number][count:]
                    if mask & selectors.EVENT_WRITE:
                        _sent(sending[number], link.sendmsg(sending[number][:_PARTS]))
                except BlockingIOError:
                    continue
                except (OSError, EOFError) as error:
                    raise cluster.gone(number, error) from None
                events = _awaited(sending[number], left[number])
                if not events:
                    selector.unregister(link)
                elif events != key.events:
                    selector.modify(link, events, number)


def _awaited(sending: list[memoryview], incoming: memoryview) -> int:
    return (selectors.EVENT_WRITE if sending else 0) | (selectors.EVENT_READ if len(incoming) else 0)


def _sent(parts: list[memoryview], count: int) -> None:
    """Forget the parts that have been sent."""
    while parts and count >= len(parts[0]):
        count -= len(parts.pop(0))
    if count:
        parts[0] = parts[0][count:]
