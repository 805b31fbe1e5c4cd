"""Run a case and write down everything a user could see of it, as plain JSON values."""

from __future__ import annotations

import base64
import contextlib
import enum
import io
import re
import traceback
import warnings
import zlib
from typing import Any

import numpy as np

from conformance.helpers import logged
from conformance.registry import Case

LONGEST_LIST = 64
"""Arrays with more elements are kept as compressed bytes, shorter ones as readable lists."""


def encode_array(array: np.ndarray) -> dict[str, Any]:
    """An array as `dtype`, `shape` and `data`; small floats (bfloat16, float8) travel as float32, which holds them."""
    out: dict[str, Any] = {"dtype": array.dtype.name, "shape": list(array.shape)}
    if array.dtype.kind in "OSU":
        out |= {"dtype": "string", "data": [encode_text(x) for x in array.ravel().tolist()]}
        return out
    if array.dtype.kind == "V" or array.dtype.name not in np.sctypeDict:
        array = array.astype(np.float32)
    flat = np.ascontiguousarray(array).ravel()
    if flat.size > LONGEST_LIST:
        return out | {"data": base64.b64encode(zlib.compress(flat.tobytes(), 9)).decode(), "held": flat.dtype.name}
    if flat.dtype.kind == "c":
        flat = flat.view(flat.real.dtype)
    # The shortest text that reads back as the same number keeps the files small.
    data = [float(str(x)) for x in flat] if flat.dtype.kind == "f" else flat.tolist()
    return out | {"data": data}


def encode_text(text: Any) -> str:
    """Bytes and text as one `str`; bytes that are not UTF-8 keep their values as escapes."""
    return text.decode("utf-8", "backslashreplace") if isinstance(text, bytes) else str(text)


def plain_text(text: str) -> str:
    """Printed text without what depends on the NumPy version: `np.float32(1.5)`, and the shape in an array's repr."""
    text = re.sub(r",\s+shape=\([\d, ]*\)(?=(, dtype=[\w']+)?\)>)", "", text)
    return re.sub(r"np\.(?:float|int|uint|complex|bool|str|bytes)\w*\(([^()]*)\)", r"\1", text)


def encode(tf: Any, value: Any) -> Any:
    """Any result of a case as JSON: kind, dtype, shape, structure and values; `None` stays `None`."""

    def is_a(name: str) -> bool:
        return isinstance(value, getattr(tf, name, ()))

    if value is None or (isinstance(value, bool | int) and not isinstance(value, enum.Enum | np.generic)):
        return value
    if isinstance(value, str | bytes) and not isinstance(value, np.generic | enum.Enum):
        return plain_text(value) if isinstance(value, str) else {"kind": "bytes", "value": encode_text(value)}
    if isinstance(value, float | complex) and not isinstance(value, np.generic):
        return {"kind": type(value).__name__} | encode_array(np.asarray(value))
    if isinstance(value, np.ndarray | np.generic):
        kind = "ndarray" if isinstance(value, np.ndarray) else "numpy scalar"
        return {"kind": kind} | encode_array(np.asarray(value))
    if is_a("IndexedSlices"):
        parts = {name: encode(tf, getattr(value, name)) for name in ("values", "indices", "dense_shape")}
        return {"kind": "IndexedSlices"} | parts
    if is_a("Variable") or is_a("Tensor"):
        kind = "Variable" if is_a("Variable") else "Tensor"
        return {"kind": kind} | encode_array(np.asarray(value.numpy())) | {"dtype": value.dtype.name}
    if is_a("TensorShape"):
        return {"kind": "TensorShape", "value": None if value.rank is None else value.as_list()}
    if is_a("DType"):
        return {"kind": "DType", "value": value.name}
    if is_a("TensorSpec"):
        return {"kind": "TensorSpec", "value": repr(value)}
    if isinstance(value, type):
        return {"kind": "type", "value": value.__name__}
    if isinstance(value, enum.Enum):
        return {"kind": "enum", "value": f"{type(value).__name__}.{value.name}"}
    if isinstance(value, dict):
        items = [[key, encode(tf, item)] for key, item in value.items()]
        return {"kind": type(value).__name__, "items": items}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        items = [[name, encode(tf, item)] for name, item in zip(value._fields, value, strict=True)]
        return {"kind": f"namedtuple {type(value).__name__}", "items": items}
    if isinstance(value, list | tuple):
        return {"kind": type(value).__name__, "items": [encode(tf, item) for item in value]}
    return {"kind": "object", "value": type(value).__name__}


def observe(tf: Any, case: Case, in_function: bool = False) -> dict[str, Any]:
    """What `case` returns, prints and warns of under `tf`; or `raised` with the traceback, which is never right.

    Args:
      tf: the module under test.
      case: what to run.
      in_function: run the body inside `tf.function`.
    """
    run = tf.function(lambda: case.body(tf), autograph=False) if in_function else lambda: case.body(tf)
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed), logged(), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = encode(tf, run())
    except Exception:
        return {"raised": traceback.format_exc(limit=-3)}
    seen: dict[str, Any] = {"result": result}
    if printed.getvalue():
        seen["printed"] = plain_text(printed.getvalue())
    if categories := sorted({w.category.__name__ for w in caught} - {"DeprecationWarning", "ResourceWarning"}):
        seen["warned"] = categories
    return seen
