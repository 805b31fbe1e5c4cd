"""Python's numbers and texts, alone or in nested lists, as NumPy arrays of the dtypes that TensorFlow gives them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.dtypes import DType, as_dtype

PYTHON_KINDS: dict[type, str] = {bool: "b", int: "i", float: "f", complex: "c", str: "s", bytes: "s"}
# Which Python kinds a dtype takes without being asked twice: a float never becomes an integer silently.
_ACCEPTS = {"b": "b", "i": "bi", "u": "bi", "f": "bif", "c": "ifc", "s": "s"}


def unsupported(value: Any) -> ValueError:
    """What to raise for a value that no tensor can be made of."""
    return ValueError(f"Attempt to convert a value ({value!r}) with an unsupported type ({type(value)}) to a Tensor.")


def texts(array: np.ndarray, dtype: DType | None) -> np.ndarray:
    """Texts as bytes.

    Raises:
      ValueError: if there is anything else, or `dtype` is not that of texts.
    """
    if dtype is not None and dtype is not dtypes.string:
        raise ValueError(f"Failed to convert a NumPy array of {array.dtype} to a tensor of dtype {dtype.name}")
    out = np.empty(array.shape, object)
    flat = out.reshape(-1)
    for i, item in enumerate(array.reshape(-1)):
        if isinstance(item, str):
            flat[i] = str(item).encode()
        elif isinstance(item, bytes):
            flat[i] = bytes(item)
        else:
            kind = f"{'numpy.' if isinstance(item, np.generic) else ''}{type(item).__name__}"
            raise ValueError(f"Failed to convert a NumPy array to a Tensor (Unsupported object type {kind}).")
    return out


def without_objects(value: Any) -> Any:
    """The same nested list, in which lists stand for arrays of objects and texts."""
    if isinstance(value, np.ndarray):
        return value.tolist() if value.dtype.kind in "OUS" else value
    return [without_objects(v) for v in value] if isinstance(value, (list, tuple)) else value


def python_array(value: Any, shape: tuple[int, ...], kinds: set[type], dtype: DType | None) -> np.ndarray:
    """Python (and NumPy) scalars, alone or nested, as a NumPy array of the dtype that TensorFlow would choose."""
    letters = {_letter(k, value) for k in kinds}
    if len(letters) > 1:
        # The first element decides: numbers take truth values after them, complex numbers take real ones. A truth value
        # may come first only where the dtype is known to be that of real numbers.
        first = _letter(type(_first_leaf(value)), value)
        real = dtype is not None and (dtype.is_integer or dtype.is_floating)
        truth = (first == "b" and not real) or np.bool_ in kinds
        if "s" in letters or truth or ("c" in letters and first != "c"):
            raise ValueError("Can't convert Python sequence with mixed types to Tensor: a tensor has one dtype.")
    if dtype is not None:
        letter = "s" if dtype is dtypes.string else "b" if dtype.is_bool else _kind_letter(dtype)
        accepts = "i" if dtype.is_quantized else _ACCEPTS[letter]
        if not letters <= set(accepts) or (np.bool_ in kinds and not dtype.is_bool):
            shown = repr(value) if len(repr(value)) < 100 else repr(value)[:100] + "..."
            raise TypeError(f"Cannot convert {shown} to EagerTensor of dtype {_C_NAMES.get(dtype.name, dtype.name)}")
    if "s" in letters:
        return texts(np.array(value, dtype=object).reshape(shape), None)
    if not letters:
        return np.zeros(shape, (dtype or dtypes.float32).np)
    if dtype is None:
        return _natural(value, letters, kinds)
    array = _numbers(value, letters)
    if array.dtype == object:
        if dtype.is_integer or dtype.is_bool or dtype.is_quantized:
            raise _out_of_range()
        array = array.astype(np.float64)
    # Smaller types wrap, in TensorFlow, too.
    large = array.dtype == np.uint64 and array.size and array.max() > np.iinfo(np.int64).max
    if (large and dtype is dtypes.int64) or (
        dtype is dtypes.uint64 and array.dtype == np.int64 and array.size and array.min() < 0
    ):
        raise _out_of_range()
    with np.errstate(all="ignore"):
        return quantized(array, dtype) if dtype.is_quantized else array.astype(dtype.np)


def quantized(array: np.ndarray, dtype: DType) -> np.ndarray:
    """Numbers as an array of a quantized dtype."""
    return array.astype(dtype.np[0]).view(dtype.np)


def _numbers(value: Any, letters: set[str]) -> np.ndarray:
    """Numbers as NumPy has them; integers stay integers where some are above int64, which NumPy makes floats of."""
    array = np.array(value)
    if array.dtype.kind != "f" or "f" in letters:
        return array
    array = np.array(value, object)
    return array.astype(np.uint64) if array.min() >= 0 and array.max() < 2**64 else array


def _natural(value: Any, letters: set[str], kinds: set[type]) -> np.ndarray:
    array = _numbers(value, letters)
    if array.dtype == object:
        raise _out_of_range()
    if letters == {"b"}:
        return array
    if "c" in letters:
        return array.astype(np.complex128)
    if "f" in letters:
        first = type(_first_leaf(value))
        wanted = np.dtype(first if issubclass(first, np.generic) and as_dtype(first).is_floating else np.float32)
        with np.errstate(over="ignore"):
            out = array.astype(wanted)
        if not np.array_equal(np.isinf(out), np.isinf(array)):
            raise ValueError("Can't convert Python sequence with a value out of range for a double-precision float.")
        return out
    info = np.iinfo(np.int32)
    if array.size and (array.min() < info.min or array.max() > info.max):
        if array.dtype == np.uint64 and array.max() > np.iinfo(np.int64).max:
            raise _out_of_range()
        return array.astype(np.int64)
    return array.astype(np.int32)


def _first_leaf(value: Any) -> Any:
    while isinstance(value, (list, tuple, range)):
        value = next((v for v in value if not isinstance(v, (list, tuple)) or v), None)
    return next(iter(value.flat), None) if isinstance(value, np.ndarray) else value


def _out_of_range() -> ValueError:
    return ValueError("Can't convert Python sequence with out-of-range integer to Tensor.")


def _letter(kind: type, value: Any) -> str:
    letter = PYTHON_KINDS.get(kind)
    if letter is None:
        for base, found in PYTHON_KINDS.items():
            if issubclass(kind, base):
                return found
        if issubclass(kind, np.generic):
            try:
                dtype = as_dtype(kind)
            except TypeError:
                raise unsupported(_first_of(value, kind)) from None
            return "b" if dtype.is_bool else "s" if dtype is dtypes.string else _kind_letter(dtype).replace("u", "i")
        raise unsupported(_first_of(value, kind))
    return letter


def _first_of(value: Any, kind: type) -> Any:
    while isinstance(value, (list, tuple)):
        value = next((v for v in value if isinstance(v, (kind, list, tuple))), None)
    return value


def _kind_letter(dtype: DType) -> str:
    if dtype.is_integer or dtype.is_quantized:
        return "i"
    return "f" if dtype.is_floating else "c" if dtype.is_complex else "s"


_C_NAMES = {"float32": "float", "float64": "double", "float16": "half"}


def c_name(dtype: DType) -> str:
    """The dtype as TensorFlow's kernels spell it in their messages."""
    return _C_NAMES.get(dtype.name, dtype.name)
