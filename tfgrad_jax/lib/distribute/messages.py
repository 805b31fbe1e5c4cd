"""Messages between the processes of a cluster: one at a time, over the addresses that TF_CONFIG lists.

JAX's own service of the kind ends the process where a worker is missing or dies; here that is an exception which says who.
"""

from __future__ import annotations

import socket
import struct
import time
from collections.abc import Callable, Sequence

from tfgrad_jax.engine.messages.errors import DeadlineExceededError, InternalError, UnavailableError

_LENGTH = struct.Struct("!Q")
_GREETING = struct.Struct("!16sII")
_MAGIC = b"tfgrad_jax cast1"


class Cluster:
    """The processes, of which the first one speaks with each of the others.

    Args:
      addresses: of all processes, each a host and a port.
      index: the number of this one.
      patience: for how many seconds others are waited for at the start.
      timeout: for how many seconds an answer is waited for, or None: as long as the others live.
      server: what the first process listens with, if it does already.

    Raises:
      DeadlineExceededError: if some of them do not come.
      ValueError: if an address is none.
    """

    def __init__(
        self,
        addresses: Sequence[str],
        index: int,
        patience: float = 300.0,
        timeout: float | None = None,
        server: socket.socket | None = None,
    ) -> None:
        self.size = len(addresses)
        self.index = index
        self._addresses = list(addresses)
        self._peers: dict[int, socket.socket] = {}
        places = [_place(address) for address in addresses]
        until = time.monotonic() + patience
        if self.size == 1:
            return
        if index == 0:
            self._listen(server or _server(places[0]), until)
        else:
            self._call(places[0], until)
        for peer in self._peers.values():
            peer.settimeout(timeout)
            peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)

    def another(self) -> Cluster:
        """A line of its own between the same processes, for work beside the program; all of them ask for it at one place.

        Raises:
          DeadlineExceededError: if some of them do not.
          UnavailableError: if a process is gone.
        """
        host = self._addresses[0].rpartition(":")[0]
        server = None if self.index else _server((host, 0))
        own = b"%d" % server.getsockname()[1] if server is not None else b""
        port = self.exchange("another line", own, lambda messages: messages[0]).decode()
        return Cluster([f"{host}:{port}", *self._addresses[1:]], self.index, server=server)

    def told(self, message: bytes) -> list[bytes]:
        """What all processes say, in their order."""
        answer, at, found = self.exchange("message", message, framed), 0, []
        while at < len(answer):
            (size,) = _LENGTH.unpack_from(answer, at)
            found.append(answer[at + _LENGTH.size : at + _LENGTH.size + size])
            at += _LENGTH.size + size
        return found

    def _listen(self, server: socket.socket, until: float) -> None:
        with server:
            while len(self._peers) < self.size - 1:
                server.settimeout(max(0.0, until - time.monotonic()) or 0.001)
                try:
                    peer, _ = server.accept()
                except TimeoutError:
                    missing = [self._named(i) for i in range(1, self.size) if i not in self._peers]
                    raise DeadlineExceededError(
                        None, None, f"MultiWorkerMirroredStrategy: {' and '.join(missing)} did not come. {_HELP}"
                    ) from None
                peer.settimeout(5.0)
                try:
                    magic, number, size = _GREETING.unpack(_read(peer, _GREETING.size))
                except (OSError, EOFError):
                    magic, number, size = b"", 0, 0
                if magic == _MAGIC and size == self.size and 0 < number < self.size and number not in self._peers:
                    self._peers[number] = peer
                else:  # somebody else, or a worker of another TF_CONFIG, who is told by being left alone
                    peer.close()

    def _call(self, place: tuple[str, int], until: float) -> None:
        while True:
            try:
                peer = socket.create_connection(place, timeout=max(0.1, min(5.0, until - time.monotonic())))
                peer.sendall(_GREETING.pack(_MAGIC, self.index, self.size))
                self._peers[0] = peer
                return
            except OSError as error:
                if time.monotonic() >= until:
                    raise DeadlineExceededError(
                        None,
                        None,
                        f"MultiWorkerMirroredStrategy: {self._named(0)} does not answer ({error}). {_HELP}",
                    ) from None
                time.sleep(0.05)

    def _named(self, number: int) -> str:
        return f"worker {number} ({self._addresses[number]})"

    def exchange(self, what: str, own: bytes, combine: Callable[[list[bytes]], bytes]) -> bytes:
        """What the first process makes of the messages of all.

        Args:
          what: names the exchange; all processes must be at the same one.
          own: this process' message.
          combine: makes the answer of the messages, in the order of the processes.

        Raises:
          UnavailableError: if a process is gone.
          DeadlineExceededError: if one does not answer in time.
          InternalError: if one is at another exchange.
        """
        if self.size == 1:
            return combine([own])
        name = what.encode()
        if self.index:
            self._send(0, name)
            self._send(0, own)
            return self._receive(0)
        messages = [own]
        for i in range(1, self.size):
            theirs = self._receive(i)
            if theirs != name:
                raise InternalError(
                    None,
                    None,
                    f"{self._named(i)} is at {theirs.decode()!r}, this one at {what!r}: all workers must run the same program",
                )
            messages.append(self._receive(i))
        answer = combine(messages)
        for i in range(1, self.size):
            self._send(i, answer)
        return answer

    def close(self) -> None:
        """Hang up."""
        while self._peers:
            self._peers.popitem()[1].close()

    def _send(self, to: int, message: bytes) -> None:
        try:
            self._peers[to].sendall(_LENGTH.pack(len(message)))
            self._peers[to].sendall(message)
        except OSError as error:
            raise self._gone(to, error) from None

    def _receive(self, sender: int) -> bytes:
        try:
            (size,) = _LENGTH.unpack(_read(self._peers[sender], _LENGTH.size))
            return _read(self._peers[sender], size)
        except TimeoutError:
            raise DeadlineExceededError(None, None, f"{self._named(sender)} did not answer in time") from None
        except (OSError, EOFError) as error:
            raise self._gone(sender, error) from None

    def _gone(self, number: int, error: Exception) -> Exception:
        return UnavailableError(
            None, None, f"{self._named(number)} is gone ({error or 'it hung up'}); start all workers again"
        )


def framed(messages: list[bytes]) -> bytes:
    """Messages in one, each after its length."""
    return b"".join([_LENGTH.pack(len(message)) + message for message in messages])


_HELP = "Start one process for each worker that TF_CONFIG lists, with the same list."


def _place(address: str) -> tuple[str, int]:
    host, _, port = address.rpartition(":")
    if not host or not port.isdigit():
        raise ValueError(f"MultiWorkerMirroredStrategy: {address!r} is no address; such are 'localhost:12345'")
    return host, int(port)


def _server(place: tuple[str, int]) -> socket.socket:
    """A socket that listens at a place; where the name is not this machine's own, as behind a service, at that port of it."""
    try:
        return socket.create_server(place)
    except OSError:
        return socket.create_server(("", place[1]))


def _read(peer: socket.socket, size: int) -> bytes:
    buffer = bytearray(size)
    view = memoryview(buffer)
    at = 0
    while at < size:
        count = peer.recv_into(view[at:])
        if not count:
            raise EOFError("it hung up")
        at += count
    return bytes(buffer)
