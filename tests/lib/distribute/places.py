"""Where the processes of a test meet."""

from __future__ import annotations

import socket


def addresses(count: int) -> list[str]:
    """So many addresses on this machine that nobody listens at."""
    listeners = [socket.create_server(("localhost", 0)) for _ in range(count)]
    found = [f"localhost:{listener.getsockname()[1]}" for listener in listeners]
    for listener in listeners:
        listener.close()
    return found
