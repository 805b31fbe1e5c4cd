"""JSON as examples: `tf.io.decode_json_example`."""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Callable, Iterator
from typing import Any

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.ops.io.roles import Bytes, strings, widened
from tfgrad_jax.ops.io.wire import field, varint

_FLOATS = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}


def _members(value: Any, *names: str) -> Iterator[tuple[str, Any]]:
    """The members of an object that may have these, with the values of those that are not null."""
    if not isinstance(value, dict):
        raise ValueError(f"expected an object, got {value!r}")
    for name, member in value.items():
        if names and name not in names:
            raise ValueError(f"no such field: {name!r}")
        if member is not None:
            yield name, member


def _integer(value: Any) -> bytes:
    number = int(value) if isinstance(value, (int, str)) or (isinstance(value, float) and value == int(value)) else None
    if number is None or isinstance(value, bool) or not -(1 << 63) <= number < 1 << 63:
        raise ValueError(f"{value!r} is no integer of 64 bits")
    return field(1, number)


def _float(value: Any) -> bytes:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise ValueError(f"{value!r} is no number")
    return varint(1 << 3 | 5) + struct.pack("<f", _FLOATS.get(value, value) if value in _FLOATS else float(value))


def _bytes(value: Any) -> bytes:
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is no text in base64")
    plain = value.replace("-", "+").replace("_", "/").rstrip("=")
    return field(1, base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True))


_KINDS: dict[str, tuple[int, Callable[[Any], bytes]]] = {
    "bytesList": (1, _bytes), "floatList": (2, _float), "int64List": (3, _integer),
    "bytes_list": (1, _bytes), "float_list": (2, _float), "int64_list": (3, _integer),
}  # fmt: skip


def _feature(value: Any) -> bytes:
    out = b""
    for name, values in _members(value, *_KINDS):
        number, encoded = _KINDS[name]
        many = [v for _, found in _members(values, "value") for v in (found if isinstance(found, list) else [found])]
        out += field(number, b"".join(map(encoded, many)))
    return out


def _example(text: bytes) -> bytes:
    out = b""
    for _, features in _members(json.loads(text), "features"):
        entries = [
            field(1, field(1, key.encode()) + field(2, _feature(value)))
            for _, members in _members(features, "feature")
            for key, value in _members(members)
        ]
        out += field(1, b"".join(entries))
    return out


@op("DecodeJSONExample", "io.decode_json_example", host=True)
def decode_json_example(json_examples: Bytes):
    """Examples written in JSON as serialized `tf.train.Example`s. Mirrors `tf.io.decode_json_example`.

    Args:
      json_examples: strings, as protocol buffers are written in JSON.

    Returns:
      Strings of the same shape.

    Raises:
      InvalidArgumentError: if a string is no such JSON.
    """
    found = []
    for text in json_examples.reshape(-1).tolist():
        try:
            found.append(_example(text))
        except ValueError as error:
            raise invalid_argument(
                f"Error while parsing JSON: {error} (in {text[:80]!r})", "DecodeJSONExample"
            ) from None
    return strings(found, json_examples.shape)


@decode_json_example.types
def _(json_examples):
    return widened(json_examples, dtypes.string)
