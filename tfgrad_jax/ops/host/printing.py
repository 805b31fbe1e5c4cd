"""`tf.print`, and how tensors look there."""

from __future__ import annotations

import builtins
import pprint
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine.graph.graph import SymbolicTensor
from tfgrad_jax.engine.graph.waiting import nothing_to_wait_for, recorded_last
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.messages import logging
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.eager import executing_eagerly
from tfgrad_jax.engine.run.effects import call_host, caller, with_eager_context
from tfgrad_jax.engine.run.execute import execute
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.values import nest
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import string
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.ops.host.stripping import stripped

# -- print ------------------------------------------------------------------------------------------------------------

_STREAMS: dict[Any, Callable[[str], None]] = {
    "log(info)": lambda text: _write(sys.stderr, f"INFO:tensorflow:{text}"),  # whatever the logger's level is
    "log(warning)": lambda text: logging.get_logger().warning(_readable(text)),
    "log(error)": lambda text: logging.get_logger().error(_readable(text)),
}

_LEVELS = {20: "log(info)", 0: "log(info)", 30: "log(warning)", -1: "log(warning)", 40: "log(error)", -2: "log(error)"}
"""Streams by the levels of `tf.compat.v1.logging` and of `absl.logging`, whose functions stand for them, too."""


def _of_logging(stream: Any) -> Any:
    """The name of the stream that a level or a function of logging stands for; anything else as it is."""
    if type(stream) is int:
        return _LEVELS.get(stream, stream)
    if (
        getattr(stream, "__module__", None) == "absl.logging"
        or getattr(stream, "__self__", None) is logging.get_logger()
    ):
        return f"log({stream.__name__})"
    return stream


def _readable(text: str) -> str:
    """A text without the bytes that are no text, which are written as numbers."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _write(stream: Any, text: str) -> None:
    try:
        stream.write(text)
    except UnicodeEncodeError:  # bytes that are no text
        buffer = getattr(stream, "buffer", None)
        if buffer is None:
            stream.write(_readable(text))
        else:
            stream.flush()
            buffer.write(text.encode("utf-8", "surrogateescape"))
    stream.flush()


@export("print")
def print_(*inputs: Any, **kwargs: Any) -> Any:
    """Print tensors, structures of them, and anything else; in a graph, each time it runs. Mirrors `tf.print`.

    Args:
      *inputs: what to print, separated by `sep`.
      **kwargs: `output_stream` (`sys.stderr` if not given, `sys.stdout`, a level of logging; all of these are the cell's output
        in a notebook; or `"file://..."`, to which is appended), `summarize`
        (how many elements at each end of a dimension; 3; -1 for all), `sep` (" "), `end` (a new line), `name`.

    Raises:
      ValueError: if another keyword or an unknown stream is given.
    """
    stream = kwargs.pop("output_stream", sys.stderr)
    kwargs.pop("name", None)
    summarize = kwargs.pop("summarize", 3)
    sep, end = kwargs.pop("sep", " "), kwargs.pop("end", "\n")
    if kwargs:
        raise ValueError(f"Unrecognized keyword arguments for tf.print: {kwargs}")
    emit = _emitter(stream)
    summarize = 3 if summarize is None else summarize
    operands: list[Tensor] = []
    parts: list[Any] = []
    for i, value in enumerate(inputs):
        parts += [sep] if i else []
        parts += _parts(value, operands, summarize, len(inputs) == 1)
    parts.append(end)

    def show(*arrays: Any) -> None:
        values = iter(arrays)
        texts = (p if isinstance(p, str) else _shown(p, next(values), summarize) for p in parts)
        emit("".join(texts))

    if executing_eagerly():
        show(*[np.asarray(t.array) for t in operands])
        return None
    if stripped():
        return nothing_to_wait_for("PrintV2")
    execute(_effect("PrintV2", show), (caller.tensor, *operands))
    return recorded_last("PrintV2")


def _effect(name: str, show: Callable[..., None]) -> Kernel:
    """A kernel without results, on the `caller` and what the Python code takes that it calls."""

    def fn(thread: Any, *arrays: Any) -> list[Any]:
        call_host(show, thread, *arrays)
        return []

    def now(tensors: Sequence[Tensor]) -> list[Any]:
        with_eager_context(lambda: show(*[np.asarray(t.array) for t in tensors[1:]]))
        return []

    kernel = Kernel(name, fn, differentiable=0, stateful=True, interpret=now)
    kernel.types = lambda specs: []  # which is not to be found by trying: that would be seen
    return kernel


def _emitter(stream: Any) -> Callable[[str], None]:
    if isinstance(stream, str) and stream.startswith("file://"):
        path = stream.removeprefix("file://")

        def append(text: str) -> None:
            with open(path, "a", encoding="utf-8", errors="surrogateescape") as file:
                file.write(text)

        return append
    stream = _of_logging(stream)
    known = stream in (sys.stderr, sys.__stderr__, "stderr") or stream in _STREAMS
    if stream in (sys.stdout, sys.__stdout__, "stdout") or (known and hasattr(builtins, "get_ipython")):
        return lambda text: _write(sys.stdout, text)
    if known:
        return _STREAMS.get(stream) or (lambda text: _write(sys.stderr, text))
    raise ValueError(
        f"Unsupported output stream, logging level, or file.{stream}. Supported streams are sys.stdout, sys.stderr, and files in "
        f"the form of 'file://<filepath>'."
    )


_TEXT = object()
"""Stands for a tensor that is a text already."""


def _shown(kind: Any, array: Any, summarize: int) -> str:
    if kind is _TEXT:
        text: str = np.asarray(array).item().decode("utf-8", "surrogateescape")
        return text
    return tensor_text(array, summarize)


class _Placed:
    """Where a tensor stands in the text of a structure."""

    mark = "{}"

    def __repr__(self) -> str:
        return self.mark


def _parts(value: Any, operands: list[Tensor], summarize: int, alone: bool) -> list[Any]:
    """Pieces of text, and for each tensor that is appended to `operands` None, or `_TEXT`.

    A scalar string that is printed `alone` is a text as it is.
    """
    if isinstance(value, str):
        return [value]
    is_tensor = isinstance(value, Tensor) or getattr(type(value), "_is_tensor_type", False)
    whole = alone and is_tensor
    found: list[Any] = []
    placed = _Placed()
    placed.mark = "{}"

    def mark(leaf: Any) -> Any:
        own = hasattr(type(leaf), "printed")  # a composite that has a text of its own
        if own:
            leaf = leaf.printed(summarize)
        if isinstance(leaf, Variable):
            leaf = leaf.as_operand()
        if not isinstance(leaf, Tensor) and getattr(type(leaf), "_is_tensor_type", False):
            leaf = convert(leaf)
        if not isinstance(leaf, Tensor):
            return leaf
        own |= whole and leaf.dtype is string and leaf.shape.rank == 0
        if not executing_eagerly() and not isinstance(leaf, SymbolicTensor):
            found.append(_shown(_TEXT if own else None, np.asarray(leaf.array), summarize))
        else:
            found.append(_TEXT if own else None)
            operands.append(leaf)
        return placed

    if is_tensor:
        mark(value)
        return found
    marked = nest.map_structure(mark, value)
    text = pprint.pformat(marked)
    if not found:
        return [text]
    while text.count(placed.mark) != len(found):
        placed.mark = "@" + placed.mark  # the text has such a mark of its own
        text = pprint.pformat(marked)
    pieces: list[Any] = []
    for piece, tensor in zip(text.split(placed.mark), [*found, ""], strict=True):
        pieces += [piece, tensor]
    return pieces


def tensor_text(array: Any, summarize: int) -> str:
    """An array as `tf.print` shows it."""
    array = np.asarray(array)
    element = _element_text(array.dtype)
    if not array.size and array.ndim and array.shape[0]:
        return "[\n ...]"

    def text(part: Any, depth: int) -> str:
        if not part.ndim:
            return element(part[()])
        n = part.shape[0]
        rows = list(range(n))
        pieces: list[str]
        if 0 <= summarize and n > 2 * summarize:
            head, tail = rows[:summarize], rows[n - summarize :]
            pieces = [text(part[i, ...], depth + 1) for i in head] or [""]
            pieces.append("...")
            pieces += [text(part[i, ...], depth + 1) for i in tail]
        else:
            pieces = [text(part[i, ...], depth + 1) for i in rows]
        gap = " " if part.ndim == 1 else "\n" * (part.ndim - 1) + " " * (depth + 1)
        return "[" + gap.join(pieces) + "]"

    return text(array, 0)


def _element_text(dtype: np.dtype) -> Callable[[Any], str]:
    if dtype.kind == "O":
        return _quoted
    if dtype.kind == "b":
        return lambda v: str(int(v))
    if dtype.kind in "iu" or dtype.name in ("int4", "uint4"):
        return lambda v: str(int(v))
    if dtype.kind == "c":
        return lambda v: "?"  # TensorFlow has no text for them
    return _float64_text if dtype == np.float64 else _float32_text


def _quoted(value: Any) -> str:
    text = value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else str(value)
    return f'"{text.translate(_ESCAPED)}"'


_ESCAPED = {n: f"\\{n:03o}" for n in (*range(32), 127)} | {ord(c): "\\" + c for c in "\\\"'"}
_ESCAPED |= {ord(c): escaped for c, escaped in (("\n", "\\n"), ("\t", "\\t"), ("\r", "\\r"))}
"""What characters of strings are shown as; bytes that are no text are left as they are."""


def _float32_text(value: Any) -> str:
    x = np.float32(value)
    short = f"{x:.6g}"
    return short if np.float32(short) == x or np.isnan(x) else f"{float(x):.9g}"


def _float64_text(value: Any) -> str:
    short = f"{float(value):.15g}"
    return short if float(short) == value or np.isnan(value) else f"{float(value):.17g}"
