"""Messages between the processes of a cluster: one at a time, over the addresses that TF_CONFIG lists.

JAX's own service of the kind ends the process where a worker is missing or dies; here that is an exception which says who.
"""

from __future__ import annotations

import contextlib
import json
import socket
import struct
import time
from collections.abc import Callable, Iterable, Iterator, Sequence

from tfgrad_jax.engine.messages import errors
from tfgrad_jax.engine.messages.errors import DeadlineExceededError, InternalError, OpError, UnavailableError
from tfgrad_jax.engine.messages.logging import warn
from tfgrad_jax.lib.distribute.wire import LENGTH, Message, framed, joined, listening, place, prepare, read, send

_GREETING = struct.Struct("!16sII")
_MAGIC = b"tfgrad_jax cast2"

_LIMIT = 1800.0
"""For so many seconds another process is waited for where the program does not say for how many."""

_SILENT = 60.0
"""After so many seconds a process that waits says for whom."""

_LEFT = 5.0
"""For so many seconds a process that fails tries to tell the others."""


class Cluster:
    """The processes, of which the first one speaks with each of the others.

    Attributes:
      size: how many there are.
      addresses: of all of them, each a host and a port.
      index: the number of this one.
      limit: for how many seconds another one is waited for.
      links: by their numbers, those that this one speaks with besides.

    Args:
      addresses: of all processes, each a host and a port.
      index: the number of this one.
      patience: for how many seconds others are waited for at the start.
      timeout: for how many seconds a message is waited for; half an hour where None or 0.
      server: what the first process listens with, if it does already.

    Raises:
      DeadlineExceededError: if some of them do not come.
      InvalidArgumentError: if the first one knows another cluster, or has this process already.
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
        self.addresses = list(addresses)
        self._peers: dict[int, socket.socket] = {}
        self.links: dict[int, socket.socket] = {}
        self.limit = timeout or _LIMIT
        self._timeout = timeout
        self._broken = ""
        places = [place(address) for address in addresses]
        if self.size == 1:
            return
        try:
            if index == 0:
                self._listen(server or listening(places[0]), time.monotonic() + patience)
            else:
                self._call(places[0], patience)
        except BaseException:
            self.close()
            raise

    def another(self) -> Cluster:
        """A line of its own between the same processes, for work beside the program; all of them ask for it at one place.

        Raises:
          DeadlineExceededError: if some of them do not.
          UnavailableError: if a process is gone.
        """
        host = self.addresses[0].rpartition(":")[0]
        server = None if self.index else listening((host, 0))
        own = b"%d" % server.getsockname()[1] if server is not None else b""
        port = bytes(self.exchange("another line", [own], lambda messages: messages[:1])).decode()
        addresses = [f"{host}:{port}", *self.addresses[1:]]
        return Cluster(addresses, self.index, timeout=self._timeout, server=server)

    def told(self, message: bytes) -> list[bytes]:
        """What all processes say, in their order."""
        answer, at, found = self.exchange("message", [message], framed), 0, []
        while at < len(answer):
            (size,) = LENGTH.unpack_from(answer, at)
            found.append(bytes(answer[at + LENGTH.size : at + LENGTH.size + size]))
            at += LENGTH.size + size
        return found

    def _listen(self, server: socket.socket, until: float) -> None:
        refused: list[str] = []
        with server:
            while len(self._peers) < self.size - 1:
                left = until - time.monotonic()
                server.settimeout(max(0.001, min(_SILENT, left)))
                try:
                    peer, _ = server.accept()
                except TimeoutError:
                    missing = " and ".join([self._named(i) for i in range(1, self.size) if i not in self._peers])
                    if left > _SILENT:
                        warn("%s waits for %s, %d seconds more. %s", self._named(0), missing, left - _SILENT, _HELP)
                        continue
                    others = "".join([f" There came, and was refused: {why}." for why in refused])
                    error = _late(f"MultiWorkerMirroredStrategy: {missing} did not come. {_HELP}{others}")
                    self._tell(self._peers, error)
                    raise error from None
                except BaseException as error:
                    self._tell(self._peers, error)
                    raise
                prepare(peer)
                peer.settimeout(_LEFT)
                try:
                    magic, number, size = _GREETING.unpack(read(peer, _GREETING.size))
                except (OSError, EOFError):
                    magic, number, size = b"", 0, 0
                if magic != _MAGIC:  # somebody else
                    peer.close()
                    continue
                wrong = self._wrong(number, size)
                if not wrong:
                    self._peers[number] = peer
                    continue
                refused.append(wrong)
                with contextlib.suppress(OSError), peer:
                    send(peer, [_told(errors.invalid_argument(f"MultiWorkerMirroredStrategy: {wrong}. {_HELP}"))])
        for number in self._peers:
            self._send(number, [])

    def _wrong(self, number: int, size: int) -> str:
        """What is wrong with a process that calls itself by a number, in a cluster of a size."""
        if size != self.size:
            return f"a worker {number} whose TF_CONFIG lists {size} workers, while that of worker 0 lists {self.size}"
        if not 0 < number < self.size:
            return f"a worker {number}, while worker 0 knows {self.size} workers: {', '.join(self.addresses)}"
        return f"a second {self._named(number)}; each needs an index of its own" if number in self._peers else ""

    def _call(self, place: tuple[str, int], patience: float) -> None:
        until = time.monotonic() + patience
        told = time.monotonic() + _SILENT
        while True:
            try:
                peer = socket.create_connection(place, timeout=max(0.1, min(5.0, until - time.monotonic())))
                prepare(peer)
                peer.sendall(_GREETING.pack(_MAGIC, self.index, self.size))
                break
            except OSError as error:
                if time.monotonic() >= until:
                    raise _late(
                        f"MultiWorkerMirroredStrategy: {self._named(0)} does not answer ({error}). {_HELP}"
                    ) from None
                if time.monotonic() > told:
                    told, us, left = told + _SILENT, self._named(self.index), until - time.monotonic()
                    warn("%s waits for %s (%s), %d seconds more. %s", us, self._named(0), error, left, _HELP)
                time.sleep(0.05)
        self._peers[0] = peer
        _raise_told(self._receive(0, "the start", time.monotonic() + patience + _LEFT))

    def _named(self, number: int) -> str:
        return f"worker {number} ({self.addresses[number]})"

    def exchange(
        self, what: str, own: Sequence[Message], combine: Callable[[list[Message]], Sequence[Message]]
    ) -> Message:
        """What the first process makes of the messages of all.

        Args:
          what: names the exchange; all processes must be at the same one.
          own: this process' message, in parts.
          combine: makes the answer, in parts too, of the messages, which are in the order of the processes.

        Raises:
          UnavailableError: if a process is gone.
          DeadlineExceededError: if one does not answer in time.
          InternalError: if one is at another exchange.
        """
        if self.size == 1:
            return joined(combine([joined(own)]))
        with self.together():
            return self._lead(what, own, combine) if self.index == 0 else self._follow(what, own)

    @contextlib.contextmanager
    def together(self) -> Iterator[None]:
        """A context in which all processes exchange something; what goes wrong in it parts them.

        Raises:
          UnavailableError: if they have parted.
        """
        if self._broken:
            raise UnavailableError(None, None, f"the workers have parted, since {self._broken}; {_AGAIN}")
        try:
            yield
        except _ToldToAll as found:
            raise found.error from None
        except BaseException as error:  # some may have sent what others did not receive
            self._broken = f"{self._named(self.index)} found: {_said(error)}"
            self.close()
            raise

    @contextlib.contextmanager
    def by_links(self, what: str) -> Iterator[None]:
        """A context in which all processes speak over their links: what goes wrong the first one tells the others.

        A process that hung up may only have found another one gone.

        Args:
          what: names the exchange.
        """
        with self.together():
            try:
                yield
            except BaseException as error:
                if self.index == 0:
                    self._tell(self._peers, error)
                elif isinstance(error, OpError):
                    with contextlib.suppress(DeadlineExceededError):
                        _raise_told(self._receive(0, what, time.monotonic() + _LEFT))
                raise

    def _follow(self, what: str, own: Sequence[Message]) -> Message:
        until = time.monotonic() + self.limit + _LEFT  # so that the first one, who knows who is missing, is heard
        try:
            self._send(0, [what.encode()], own)
        except UnavailableError:  # the first one has hung up already: why, it said before
            told: Message = b""
            with contextlib.suppress(UnavailableError, DeadlineExceededError):
                told = self._receive(0, what, time.monotonic() + _LEFT)
            _raise_told(told)
            raise
        _raise_told(self._receive(0, what, until))
        return self._receive(0, what, until)

    def _lead(
        self, what: str, own: Sequence[Message], combine: Callable[[list[Message]], Sequence[Message]]
    ) -> Message:
        name, messages = what.encode(), [joined(own)]
        unanswered, until = dict(self._peers), time.monotonic() + self.limit
        try:
            for i in range(1, self.size):
                theirs = self._receive(i, what, until)
                if theirs != name:
                    raise InternalError(
                        None,
                        None,
                        f"{self._named(i)} is at {bytes(theirs).decode()!r}, {self._named(0)} at {what!r}: all workers must run "
                        "the same program, and as many steps",
                    )
                messages.append(self._receive(i, what, until))
            try:
                answer = combine(messages)
            except Exception as error:  # everything has been received, so all may go on
                self._tell(unanswered, error, ends=False)
                unanswered.clear()
                raise _ToldToAll(error) from None
            for i in range(1, self.size):
                del unanswered[i]
                self._send(i, [], answer)
        except _ToldToAll:
            raise
        except BaseException as error:
            self._tell(unanswered, error)
            raise
        return joined(answer)

    def _tell(self, numbers: Iterable[int], error: BaseException, ends: bool = True) -> None:
        """Tell processes that wait for an answer, as far as they can be reached, what went wrong."""
        for number in numbers:
            with contextlib.suppress(OSError):
                self._peers[number].settimeout(_LEFT)
                send(self._peers[number], [_told(error, ends)])

    def close(self) -> None:
        """Hang up."""
        for peers in (self._peers, self.links):
            while peers:
                peers.popitem()[1].close()

    def _send(self, to: int, *messages: Sequence[Message]) -> None:
        peer = self._peers[to]
        try:
            peer.settimeout(self.limit)
            send(peer, *messages)
        except TimeoutError:
            raise self.silent(to, "what it was sent", self.limit) from None
        except OSError as error:
            raise self.gone(to, error) from None

    def _receive(self, sender: int, what: str, until: float) -> Message:
        peer = self._peers[sender]
        start, said = time.monotonic(), False

        def waits() -> None:
            nonlocal said
            now = time.monotonic()
            if now >= until:
                raise self.silent(sender, what, until - start)
            if now - start >= _SILENT and not said:
                said = True
                us, them = self._named(self.index), self._named(sender)
                warn("%s waits for %s at %r, %d seconds more", us, them, what, until - now)
            peer.settimeout(max(0.001, min(_SILENT, until - now)))

        try:
            (size,) = LENGTH.unpack(read(peer, LENGTH.size, waits))
            return read(peer, size, waits)
        except (OSError, EOFError) as error:
            raise self.gone(sender, error) from None

    def silent(self, number: int, what: str, seconds: float) -> Exception:
        """The error for a process that was waited for at an exchange for so long."""
        who = self._named(number) if self.index == 0 else f"{self._named(0)}, or another one for whom it waits,"
        return _late(
            f"{who} did not come to {what!r} while {self._named(self.index)} waited there for {seconds:.3g} seconds: it hangs, is "
            "slow, or has fewer steps. tf.distribute.experimental.CommunicationOptions(timeout_seconds=...) sets the limit"
        )

    def gone(self, number: int, error: Exception) -> Exception:
        """The error for a process that hung up, as its socket tells."""
        return UnavailableError(
            None,
            None,
            f"{self._named(number)} is gone ({error or 'it hung up'}): its output tells why; where it just ended, it had fewer "
            f"steps than the others. {_AGAIN[0].upper()}{_AGAIN[1:]}",
        )


class _ToldToAll(Exception):
    """All processes know of an error, and can go on.

    Args:
      error: the error.
    """

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error


def _told(error: BaseException, ends: bool = True) -> bytes:
    """An error as a message; any that no operation raises comes as an `UnavailableError`, since the program of one failed."""
    if isinstance(error, OpError):
        name, said = type(error).__name__, error.message
    else:
        name, said = "UnavailableError", f"worker 0 found: {_said(error)}; {_AGAIN}"
    return json.dumps({"class": name, "message": said, "ends": ends}).encode()


def _raise_told(message: Message) -> None:
    if len(message):
        found = json.loads(bytes(message))
        error = getattr(errors, found["class"], errors.UnknownError)(None, None, found["message"])
        raise error if found["ends"] else _ToldToAll(error)


def _said(error: BaseException) -> str:
    said = error.message if isinstance(error, OpError) else str(error)
    return ": ".join([type(error).__name__, said]) if said else type(error).__name__


def _late(message: str) -> DeadlineExceededError:
    return DeadlineExceededError(None, None, message)


_HELP = "Start one process for each worker that TF_CONFIG lists, with the same list."
_AGAIN = "start all workers again"
