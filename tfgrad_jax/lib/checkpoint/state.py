"""The file `checkpoint`, which says what the newest checkpoints of a directory are."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable, Sequence
from typing import Any

from tfgrad_jax.engine.messages.errors import OpError
from tfgrad_jax.engine.messages.logging import warn
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.lib.checkpoint.bundle import data_start, index_name
from tfgrad_jax.lib.checkpoint.files import newest, write_whole
from tfgrad_jax.lib.io.paths import path_text
from tfgrad_jax.ops.io.file_systems import file_system, matching, read_bytes

_LINE = re.compile(r'\s*(\w+)\s*:\s*(?:"((?:[^"\\]|\\.)*)"|\'((?:[^\'\\]|\\.)*)\'|([-+.\w]+))\s*')
_ESCAPE = re.compile(rb"\\([0-7]{1,3}|x[0-9a-fA-F]{1,2}|.)", re.DOTALL)
_SHORT = {b"n": b"\n", b"r": b"\r", b"t": b"\t"}


class CheckpointState:
    """What the file says.

    Args:
      model_checkpoint_path: the newest checkpoint.
      all_model_checkpoint_paths: all that are kept, the oldest first.
      all_model_checkpoint_timestamps: when each was made.
      last_preserved_timestamp: when the last one was made that is kept for ever.
    """

    def __init__(
        self,
        model_checkpoint_path: str = "",
        all_model_checkpoint_paths: Iterable[str] = (),
        all_model_checkpoint_timestamps: Iterable[float] = (),
        last_preserved_timestamp: float = 0.0,
    ) -> None:
        self.model_checkpoint_path = model_checkpoint_path
        self.all_model_checkpoint_paths = list(all_model_checkpoint_paths)
        self.all_model_checkpoint_timestamps = list(all_model_checkpoint_timestamps)
        self.last_preserved_timestamp = last_preserved_timestamp

    def __str__(self) -> str:
        lines = [f"model_checkpoint_path: {_quoted(self.model_checkpoint_path)}"] if self.model_checkpoint_path else []
        lines += [f"all_model_checkpoint_paths: {_quoted(path)}" for path in self.all_model_checkpoint_paths]
        lines += [f"all_model_checkpoint_timestamps: {when!r}" for when in self.all_model_checkpoint_timestamps]
        if self.last_preserved_timestamp:
            lines.append(f"last_preserved_timestamp: {self.last_preserved_timestamp!r}")
        return "".join(line + "\n" for line in lines)

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CheckpointState) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]


def _quoted(text: str) -> str:
    out = []
    for byte in os.fsencode(text):
        short = {10: "\\n", 13: "\\r", 9: "\\t", 34: '\\"', 39: "\\'", 92: "\\\\"}.get(byte)
        out.append(short or (chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}"))
    return '"' + "".join(out) + '"'


def _unquoted(text: str) -> str:
    def replaced(found: Any) -> bytes:
        code = found[1]
        if code[:1].isdigit():
            return bytes([int(code, 8) & 255])
        if code[:1] == b"x" and len(code) > 1:
            return bytes([int(code[1:], 16)])
        return _SHORT.get(code, code)

    return os.fsdecode(_ESCAPE.sub(replaced, text.encode()))


def _parsed(text: str) -> CheckpointState:
    state, at = CheckpointState(), 0
    text = text.strip()
    while at < len(text):
        found = _LINE.match(text, at)
        if found is None:
            raise ValueError(f"no field at {text[at : at + 20]!r}")
        at = found.end()
        name, quoted = found[1], found[2] if found[2] is not None else found[3]
        if name not in vars(state):
            raise ValueError(f"there is no field {name}")
        value: Any = float(found[4]) if quoted is None else _unquoted(quoted)
        if isinstance(getattr(state, name), list):
            getattr(state, name).append(value)
        else:
            setattr(state, name, value)
    return state


def _name(directory: str, latest_filename: Any) -> str:
    return os.path.join(directory, latest_filename or "checkpoint")


@export("train.get_checkpoint_state")
def get_checkpoint_state(checkpoint_dir: Any, latest_filename: Any = None) -> CheckpointState | None:
    """What the file `checkpoint` of a directory says, with whole paths. Mirrors `tf.train.get_checkpoint_state`.

    Args:
      checkpoint_dir: the directory.
      latest_filename: another name of the file.

    Returns:
      An object with `model_checkpoint_path` and `all_model_checkpoint_paths`; None if there is no such file, or it makes no sense.
    """
    directory = path_text(checkpoint_dir)
    path = _name(directory, latest_filename)
    try:
        if not file_system(path).exists(path):
            return None
        state = _parsed(read_bytes(path).decode())
    except (OpError, ValueError) as error:
        warn("%s: %s", type(error).__name__, error)
        warn("%s: Checkpoint ignored", path)
        return None
    if not state.model_checkpoint_path:
        warn("%s: Checkpoint ignored: it names no checkpoint", path)
        return None
    state.model_checkpoint_path = _whole(directory, state.model_checkpoint_path)
    state.all_model_checkpoint_paths = [_whole(directory, path) for path in state.all_model_checkpoint_paths]
    return state


def _whole(directory: str, path: str) -> str:
    """A path as it was written; those without a scheme or a root are relative to the directory."""
    return path if "://" in path else os.path.join(directory, path)


def update_checkpoint_state(
    save_dir: str,
    model_checkpoint_path: str,
    all_model_checkpoint_paths: Sequence[str] = (),
    latest_filename: Any = None,
    timestamps: Iterable[float] = (),
    last_preserved_timestamp: float = 0.0,
    relative: bool = True,
) -> None:
    """Write the file `checkpoint` anew, with paths relative to its directory.

    Args:
      save_dir: the directory.
      model_checkpoint_path: the newest checkpoint.
      all_model_checkpoint_paths: all that are kept; the newest is added where it is missing.
      latest_filename: another name of the file.
      timestamps: when each was made.
      last_preserved_timestamp: when the last one was made that is kept for ever.
      relative: whether paths are written as seen from the directory.
    """
    paths = list(all_model_checkpoint_paths)
    if model_checkpoint_path not in paths:
        paths.append(model_checkpoint_path)
    if relative:
        paths = [_relative(path, save_dir) for path in paths]
        model_checkpoint_path = _relative(model_checkpoint_path, save_dir)
    state = CheckpointState(model_checkpoint_path, paths, timestamps, last_preserved_timestamp)
    write_whole(_name(save_dir, latest_filename), str(state).encode())


def _relative(path: str, directory: str) -> str:
    return os.path.relpath(path, directory or ".") if path.startswith(directory) else path


@export("train.latest_checkpoint")
def latest_checkpoint(checkpoint_dir: Any, latest_filename: Any = None) -> str | None:
    """The path of the newest checkpoint of a directory, or None. Mirrors `tf.train.latest_checkpoint`.

    Args:
      checkpoint_dir: the directory.
      latest_filename: another name of the file that says so.
    """
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state is None:
        return None
    if checkpoint_exists(state.model_checkpoint_path):
        return state.model_checkpoint_path
    warn("Couldn't match files for checkpoint %s", state.model_checkpoint_path)
    return None


def checkpoint_exists(checkpoint_prefix: Any) -> bool:
    """Whether there is a checkpoint of a path, which may be a pattern."""
    prefix = path_text(checkpoint_prefix)
    path = index_name(prefix)
    if file_system(path).exists(path) or newest(path, data_start(prefix)) != path:
        return True
    return bool(matching(path))


def now() -> float:
    """Seconds since 1970."""
    return time.time()
