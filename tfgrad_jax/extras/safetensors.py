"""Variables of modules as `safetensors` files, which other libraries read and write. No package is needed."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Mapping
from typing import Any

import ml_dtypes
import numpy as np

from tfgrad_jax.engine.messages.errors import DataLossError
from tfgrad_jax.engine.values.convert import on_host_or_device
from tfgrad_jax.extras.naming import named_variables
from tfgrad_jax.lib.checkpoint.files import Unfinished
from tfgrad_jax.lib.checkpoint.memory import aligned
from tfgrad_jax.lib.io.paths import path_text
from tfgrad_jax.ops.io.file_systems import file_system, speaking_of

_TYPES = {
    "BOOL": np.dtype(np.bool_), "U8": np.dtype("<u1"), "I8": np.dtype("<i1"), "U16": np.dtype("<u2"), "I16": np.dtype("<i2"),
    "U32": np.dtype("<u4"), "I32": np.dtype("<i4"), "U64": np.dtype("<u8"), "I64": np.dtype("<i8"), "F16": np.dtype("<f2"),
    "BF16": np.dtype(ml_dtypes.bfloat16), "F32": np.dtype("<f4"), "F64": np.dtype("<f8"), "C64": np.dtype("<c8"),
    "F8_E4M3": np.dtype(ml_dtypes.float8_e4m3fn), "F8_E5M2": np.dtype(ml_dtypes.float8_e5m2),
}  # fmt: skip
_NAMES = {dtype: name for name, dtype in _TYPES.items()}
_LONGEST = 100_000_000
"""No header has more bytes: who reads it need not believe what a damaged file says."""


def save_safetensors(module: Any, path: Any, metadata: Mapping[str, str] | None = None) -> None:
    """Write the variables of a module into a `safetensors` file, each once.

    Args:
      module: a `tf.Module`, Keras model, or whatever a checkpoint takes; or a dict of variables by name.
      path: the file; it is there whole or not at all.
      metadata: strings to keep in it.

    Raises:
      TypeError: if a variable is of a type that such files do not have, such as strings.
    """
    header: dict[str, Any] = {"__metadata__": dict(metadata)} if metadata else {}
    variables = named_variables(module)
    at = 0
    for name, variable in variables.items():
        kind = _NAMES.get(variable.dtype.np)
        if kind is None:
            raise TypeError(f"save_safetensors: {name} is of dtype {variable.dtype.name}, which such files do not have")
        shape = variable.box.spec.shape
        size = math.prod(shape) * variable.dtype.np.itemsize
        header[name] = {"dtype": kind, "shape": list(shape), "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path = path_text(path)
    with Unfinished(path) as files, speaking_of(path):
        file = files.file(path)
        file.write(struct.pack("<Q", len(text)) + text)
        for variable in variables.values():
            array = np.ascontiguousarray(variable.box.current.array)
            file.write(array.reshape(-1).view(np.uint8).data)


def load_safetensors(module: Any, path: Any, strict: bool = True) -> dict[str, str]:
    """Give the variables of a module the values that a `safetensors` file has. Nothing changes if anything is wrong.

    Args:
      module: as `save_safetensors` takes it; Keras models must be built.
      path: the file.
      strict: whether it is an error if a variable has no value, or a value no variable.

    Returns:
      The file's metadata.

    Raises:
      NotFoundError: if there is no such file.
      DataLossError: if it is none, or damaged.
      ValueError: if names, shapes or dtypes differ.
    """
    path = path_text(path)
    with speaking_of(path):
        file = file_system(path).open(path, "rb")
        length = file_system(path).status(path)[0]
    with file:
        header, start = _header(file, path, length)
        metadata = header.pop("__metadata__", {})
        variables = named_variables(module)
        if strict and variables.keys() != header.keys():
            raise ValueError(
                f"load_safetensors: {path} has no value for {sorted(variables.keys() - header.keys())}, and the module no "
                f"variable for {sorted(header.keys() - variables.keys())}; strict=False ignores both"
            )
        both = [(variable, header[name], name) for name, variable in variables.items() if name in header]
        for variable, entry, name in both:
            dtype = variable.dtype
            if _TYPES[entry["dtype"]] != dtype.np or not variable.shape.is_compatible_with(entry["shape"]):
                raise ValueError(
                    f"load_safetensors: {name} is {dtype.name} of shape {tuple(variable.shape)}; {path} has "
                    f"{entry['dtype']} of shape {tuple(entry['shape'])}"
                )
        for variable, entry, _ in both:
            first, last = entry["data_offsets"]
            buffer = aligned(last - first)
            with speaking_of(path):
                file.seek(start + first)
                file.readinto(buffer.data)  # type: ignore[attr-defined]
            variable.assign(on_host_or_device(buffer.view(_TYPES[entry["dtype"]]).reshape(entry["shape"])))
    return metadata


def _header(file: Any, path: str, length: int) -> tuple[dict[str, Any], int]:
    """What the file says of itself, all of it looked at, and where its data begin."""

    def damaged(why: str) -> DataLossError:
        return DataLossError(None, None, f"{path} is no safetensors file, or damaged: {why}")

    with speaking_of(path):
        head = file.read(8)
        size = struct.unpack("<Q", head)[0] if len(head) == 8 else 0
        if not 2 <= size <= min(_LONGEST, length - 8):
            raise damaged("its header has another length")
        text = file.read(size)
    try:
        header = json.loads(text)
        entries = [entry for name, entry in header.items() if name != "__metadata__"]
        spans = []
        for entry in entries:
            first, last = entry["data_offsets"]
            count = math.prod(entry["shape"])
            if min(entry["shape"], default=0) < 0 or last - first != count * _TYPES[entry["dtype"]].itemsize:
                raise damaged("a shape and its data do not fit")
            spans.append((first, last))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise damaged(f"its header makes no sense: {error!r}") from error
    end = 0
    for first, last in sorted(spans):
        if first != end:
            raise damaged("data overlap or are missing")
        end = last
    if end != length - 8 - size:
        raise damaged(f"it has {length - 8 - size} bytes of data, not {end}")
    return header, 8 + size
