"""Ragged tensors as text: `tf.print` and `tf.strings.format`."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfgrad_jax.composite.answers import answers
from tfgrad_jax.composite.ragged.tensor import RaggedTensor
from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Int, Owns
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.tensor import Spec
from tfgrad_jax.ops.strings import basic as strings


def _element(value: Any) -> str:
    if isinstance(value, bytes):
        return f"'{value.decode('utf-8', 'surrogateescape')}'"
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value)).lower()
    return f"{float(value):f}" if np.issubdtype(type(value), np.floating) else str(value)


def _listed(items: Any, summarize: int, text: Any) -> str:
    if 0 <= 2 * summarize < len(items):
        shown = [*map(text, items[:summarize]), "...", *map(text, items[len(items) - summarize :])]
    else:
        shown = [*map(text, items)]
    return f"[{', '.join(shown)}]"


@op("RaggedTensorToText", host=True)
def _text(parts: Owns, summarize: Int):
    """The values and all row splits as one text."""
    values, *splits = parts

    def dense(array: Any) -> str:
        return _listed(array, summarize, dense) if isinstance(array, np.ndarray) and array.ndim else _element(array)

    def row(level: int, number: int) -> str:
        start, limit = splits[level][number : number + 2]
        if level + 1 == len(splits):
            return _listed(values[start:limit], summarize, dense)
        return _listed(range(start, limit), summarize, lambda i: row(level + 1, i))

    whole = _listed(range(len(splits[0]) - 1), summarize, lambda i: row(0, i))
    return np.array(whole.encode("utf-8", "surrogateescape"), object)


@_text.types
def _(parts, summarize):
    return Spec.of(dtypes.string, ())


def printed(self: RaggedTensor, summarize: int) -> Any:
    """The text that `tf.print` shows, as a tensor."""
    return _text([self.flat_values, *self.nested_row_splits], summarize)


@answers(RaggedTensor, "strings.format")
def _format(template: str, inputs: Any, placeholder: str = "{}", summarize: int = 3, name: Any = None) -> Any:
    """The template with the texts of ragged tensors put in first, since those are no values to be shown again."""
    given = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    pieces = template.split(placeholder)
    if len(pieces) != len(given) + 1:
        raise ValueError(
            f"tf.strings.format: the template has {len(pieces) - 1} placeholders {placeholder!r}, but there are {len(given)} inputs"
        )
    texts: list[Any] = [pieces[0]]
    for value, piece in zip(given, pieces[1:], strict=True):
        ragged = isinstance(value, RaggedTensor)
        texts += [
            printed(value, summarize) if ragged else strings.format(placeholder, value, placeholder, summarize),
            piece,
        ]
    return strings.join(texts)
