"""Who is compared: each peer is an interpreter, a module in it, and a way to run the program."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Peer:
    """One column of the report.

    Attributes:
        name: The column's title, also the name on the command line.
        module: The module that the program imports.
        dialect: Which of a workload's programs it runs: ``tensorflow``, ``torch`` or ``jax``.
        wrap: ``eager``, ``function`` or ``xla`` (``tf.function`` with ``jit_compile=True``).
        env: Environment variables of its process.
    """

    name: str
    module: str
    dialect: str
    wrap: str = "eager"
    env: dict[str, str] = field(default_factory=dict)


PEERS = {
    peer.name: peer
    for peer in (
        Peer("immediate", "tfgrad_jax", "tensorflow", env={"TFGRAD_JAX_MODE": "immediate"}),
        Peer("fused", "tfgrad_jax", "tensorflow", env={"TFGRAD_JAX_MODE": "fused"}),
        Peer("function", "tfgrad_jax", "tensorflow", "function"),
        Peer("tf-eager", "tensorflow", "tensorflow", env={"TF_CPP_MIN_LOG_LEVEL": "3"}),
        Peer("tf-function", "tensorflow", "tensorflow", "function", env={"TF_CPP_MIN_LOG_LEVEL": "3"}),
        Peer("tf-xla", "tensorflow", "tensorflow", "xla", env={"TF_CPP_MIN_LOG_LEVEL": "3"}),
        Peer("torch", "torch", "torch"),
        Peer("jax.jit", "jax", "jax"),
    )
}


def interpreter(peer: Peer, given: dict[str, str]) -> str:
    """The Python that runs `peer`: the one given for its module, or this one."""
    return given.get(peer.module) or sys.executable


def environment(peer: Peer, extra: dict[str, str] | None = None) -> dict[str, str]:
    """The environment variables of the process of `peer`: no compiled programs on disk, but bytecode, as of what is installed."""
    hidden = ("JAX_COMPILATION_CACHE_DIR", "PYTHONDONTWRITEBYTECODE")
    inherited = {name: value for name, value in os.environ.items() if name not in hidden}
    return {**inherited, "TFGRAD_JAX_CACHE": "0", **peer.env, **(extra or {})}


def why_absent(peer: Peer, given: dict[str, str]) -> str | None:
    """Why `peer` cannot run here, or ``None`` if it can (found without importing it)."""
    python = interpreter(peer, given)
    probe = f"import importlib.util as u, sys; sys.exit(u.find_spec({peer.module!r}) is None)"
    try:
        missing = subprocess.run([python, "-c", probe], cwd=ROOT, env=environment(peer), capture_output=True).returncode
    except OSError as error:
        return f"{python}: {error.strerror}"
    if not missing:
        return None
    option = f"; name its Python with --{peer.module}-python" if peer.module in ("tensorflow", "torch") else ""
    return f"no module named {peer.module} for {python}{option}"
