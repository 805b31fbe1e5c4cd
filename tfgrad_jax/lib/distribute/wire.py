"""Sockets between the processes of a cluster: how they are made, and what goes over them."""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

LENGTH = struct.Struct("!Q")

ALIGNED = 64
"""Messages begin at a multiple of so many bytes of memory, so that arrays in them need not be copied for XLA."""

_SMALL = 1 << 15
"""Parts up to so many bytes are copied into one, which is quicker than to send each."""

Message: TypeAlias = bytes | memoryview
"""What one process says: bytes, or memory that holds them."""


def joined(parts: Sequence[Message]) -> Message:
    """A message of its parts; one part is that message."""
    return parts[0] if len(parts) == 1 else b"".join(parts)


def framed(messages: Sequence[Message]) -> list[Message]:
    """Messages in one, each after its length."""
    return [part for message in messages for part in (LENGTH.pack(len(message)), message)]


def place(address: str) -> tuple[str, int]:
    """The host and the port of an address.

    Raises:
      ValueError: if it is none.
    """
    host, _, port = address.rpartition(":")
    if not host or not port.isdigit() or int(port) > 65535:
        raise ValueError(f"MultiWorkerMirroredStrategy: {address!r} is no address; such are 'localhost:12345'")
    return host, int(port)


def listening(place: tuple[str, int]) -> socket.socket:
    """A socket that listens at a place; where the name is not this machine's own, as behind a service, at that port of it."""
    try:
        return socket.create_server(place)
    except OSError:
        return socket.create_server(("", place[1]))


def prepare(peer: socket.socket) -> None:
    """A machine that is lost without a word is noticed within two minutes."""
    peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in (("TCP_KEEPIDLE", 60), ("TCP_KEEPINTVL", 10), ("TCP_KEEPCNT", 6)):
        if hasattr(socket, name):  # not on every system
            peer.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


def send(peer: socket.socket, *messages: Sequence[Message]) -> None:
    """Send messages, each in parts, and before each how long it is."""
    small: list[Message] = []
    for parts in messages:
        small.append(LENGTH.pack(sum(map(len, parts))))
        for part in parts:
            if len(part) > _SMALL:
                peer.sendall(b"".join(small))
                peer.sendall(part)
                small.clear()
            else:
                small.append(part)
    if small:
        peer.sendall(b"".join(small))


def memory(size: int) -> memoryview:
    """So many bytes, which nobody has written to."""
    found = np.empty(size + ALIGNED, np.uint8)
    begin = -found.ctypes.data % ALIGNED
    return found.data[begin : begin + size]


def read(peer: socket.socket, size: int, waits: Callable[[], None] | None = None) -> memoryview:
    """So many bytes; `waits` is called before each part is waited for, and may raise."""
    view = memory(size)
    at = 0
    while at < size:
        if waits is not None:
            waits()
        try:
            count = peer.recv_into(view[at:])
        except TimeoutError:
            if waits is None:
                raise
            continue
        if not count:
            raise EOFError("it hung up")
        at += count
    return view
