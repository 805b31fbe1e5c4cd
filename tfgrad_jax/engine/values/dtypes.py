"""`tf.DType`: the element types, one object each, and their NumPy counterparts."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from tfgrad_jax.engine.names.export import export, export_value

_by_key: dict[Any, DType] = {}
"""The values that `as_dtype` takes besides DTypes: names, enum numbers, NumPy scalar types, Python types."""

BY_NUMPY: dict[np.dtype[Any], DType] = {}
"""The DType of each NumPy dtype that a tensor's array can have (native byte order), for quick lookup."""


@export("DType", "dtypes.DType")
class DType:
    """The type of a tensor's elements (`tf.DType`).

    There is one object per type, so `is` works; `==` also takes whatever `tf.as_dtype` does. Every attribute that the
    engine reads on its hot path is a plain slot.

    Attributes:
      name: TensorFlow's name, such as `"float32"`.
      np: The NumPy dtype of the arrays that hold it; strings and handles are arrays of Python objects.
      as_datatype_enum: TensorFlow's number for it.
      size: Bytes per element; 0 for strings and handles.
      trainable: Whether gradients flow through tensors of this type.
      on_host: Whether XLA has no such type, so that arrays of it stay on the host: strings and quantized numbers.
    """

    __slots__ = (
        "__weakref__",
        "as_datatype_enum",
        "base_dtype",
        "is_bool",
        "is_complex",
        "is_floating",
        "is_integer",
        "is_numeric",
        "is_numpy_compatible",
        "is_quantized",
        "is_unsigned",
        "name",
        "np",
        "on_host",
        "real_dtype",
        "size",
        "trainable",
    )

    name: str
    np: np.dtype[Any]
    as_datatype_enum: int
    size: int
    is_bool: bool
    is_integer: bool
    is_floating: bool
    is_complex: bool
    is_unsigned: bool
    is_quantized: bool
    is_numeric: bool
    is_numpy_compatible: bool
    trainable: bool
    on_host: bool
    base_dtype: DType
    real_dtype: DType

    def __new__(cls, type_enum: int) -> DType:
        """The dtype with TensorFlow's number `type_enum`.

        Raises:
          TypeError: if no dtype has this number.
        """
        try:
            return _by_key[int(type_enum)]
        except KeyError:
            raise TypeError(f"{type_enum!r} is not the number of a dtype") from None

    @property
    def as_numpy_dtype(self) -> Any:
        """The NumPy scalar type (`numpy.float32`), `object` for strings.

        Raises:
          KeyError: for resource and variant handles, which NumPy cannot hold.
        """
        if not self.is_numpy_compatible:
            raise KeyError(self.as_datatype_enum)
        return object if self is string else self.np if self.is_quantized else self.np.type

    @property
    def min(self) -> Any:
        """The smallest finite value.

        Raises:
          TypeError: if the type is not an ordered number.
        """
        return self._info("minimum").min

    @property
    def max(self) -> Any:
        """The largest finite value.

        Raises:
          TypeError: if the type is not an ordered number.
        """
        return self._info("maximum").max

    def _info(self, what: str) -> Any:
        if self.is_floating:
            return ml_dtypes.finfo(self.np)
        if self.is_integer:
            return ml_dtypes.iinfo(self.np)
        if self.is_quantized:
            raise TypeError(f"Cannot find {what} value of {self} with quantized type {self}.")
        raise TypeError(f"Cannot find {what} value of {self}: its values are not ordered numbers.")

    @property
    def limits(self) -> tuple[Any, Any]:
        """The range of values that images of this type use, without negative values.

        Raises:
          ValueError: if images of this type have no defined range.
        """
        if self is float32 or self is float64:
            return 0, 1
        if self.is_bool:
            return 0, True
        if self.is_integer and self.np.isbuiltin == 1:
            return 0, self.max
        self.as_numpy_dtype  # noqa: B018 -- a handle fails here, as a KeyError
        raise ValueError(f"{self} does not have defined limits.")

    def is_compatible_with(self, other: Any) -> bool:
        """Whether values of dtype `other` can be used as this dtype: only if both are the same, or references to the same.

        Raises:
          TypeError: if `other` names no dtype.
        """
        return as_dtype(other).base_dtype is self if self is self.base_dtype else as_dtype(other) is self

    @property
    def _as_ref(self) -> DType:
        """The dtype of references to such values, which graphs of TensorFlow 1 have."""
        return _by_key[f"{self.base_dtype.name}_ref"]

    @property
    def _is_ref_dtype(self) -> bool:
        return self is not self.base_dtype

    def is_subtype_of(self, other: Any) -> bool:
        """Whether `other` is the same dtype."""
        return self == other

    def most_specific_common_supertype(self, types: Any) -> DType | None:
        """This dtype if all `types` are the same dtype, else None."""
        return self if all(self == other for other in types) else None

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if other is None or isinstance(other, DType):
            return False
        try:
            return as_dtype(other) is self
        except TypeError:
            return False

    # Dtypes are parts of most cache keys: the C implementation is several times quicker than one in Python.
    __hash__ = object.__hash__

    def __int__(self) -> int:
        return self.as_datatype_enum

    def __repr__(self) -> str:
        return f"tf.{self.name}"

    def __str__(self) -> str:
        return f"<dtype: '{self.name}'>"

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return as_dtype, (self.name,)


def _define(number: int, name: str, np_type: Any, *exports: str, kind: str = "", keys: tuple[Any, ...] = ()) -> DType:
    """Makes the DType `name`; `kind` is NumPy's letter, or "q" for quantized and "h" for handles."""
    dtype = object.__new__(DType)
    dtype.name = name
    dtype.np = np.dtype(np_type)
    kind = kind or dtype.np.kind
    dtype.as_datatype_enum = number
    dtype.size = 0 if kind in "Oh" else dtype.np.itemsize
    dtype.is_bool = kind == "b"
    dtype.is_integer = kind in "iu"
    dtype.is_floating = kind == "f"
    dtype.is_complex = kind == "c"
    dtype.is_unsigned = kind == "u"
    dtype.is_quantized = kind == "q"
    dtype.on_host = kind in "Oq"
    dtype.is_numeric = kind in "iufcqh" and number < 24  # TensorFlow leaves the 8-bit floats and below out
    dtype.is_numpy_compatible = kind != "h"
    dtype.trainable = kind == "c" or (kind == "f" and dtype.size > 1)
    dtype.base_dtype = dtype.real_dtype = dtype
    _by_key.update(dict.fromkeys((number, name, *keys), dtype))
    if kind != "h":
        _by_key[dtype.np if kind == "q" else dtype.np.type] = dtype
        BY_NUMPY[dtype.np] = dtype
    return export_value(dtype, *exports or (name, f"dtypes.{name}"))


float32 = _define(1, "float32", np.float32, keys=("float", float))
float64 = _define(2, "float64", np.float64, "float64", "dtypes.float64", "double", "dtypes.double", keys=("double",))
int32 = _define(3, "int32", np.int32)
uint8 = _define(4, "uint8", np.uint8)
int16 = _define(5, "int16", np.int16)
int8 = _define(6, "int8", np.int8)
string = _define(7, "string", object, keys=(object, np.str_, np.bytes_))
complex64 = _define(8, "complex64", np.complex64)
int64 = _define(9, "int64", np.int64)
bool_ = _define(10, "bool", np.bool_, keys=(bool,))
qint8 = _define(11, "qint8", [("qint8", np.int8)], kind="q")
quint8 = _define(12, "quint8", [("quint8", np.uint8)], kind="q")
qint32 = _define(13, "qint32", [("qint32", np.int32)], kind="q")
bfloat16 = _define(14, "bfloat16", ml_dtypes.bfloat16, kind="f")
qint16 = _define(15, "qint16", [("qint16", np.int16)], kind="q")
quint16 = _define(16, "quint16", [("quint16", np.uint16)], kind="q")
uint16 = _define(17, "uint16", np.uint16)
complex128 = _define(18, "complex128", np.complex128)
float16 = _define(19, "float16", np.float16, "float16", "dtypes.float16", "half", "dtypes.half", keys=("half",))
resource = _define(20, "resource", object, kind="h")
variant = _define(21, "variant", object, kind="h")
uint32 = _define(22, "uint32", np.uint32, keys=(np.uintc,))
uint64 = _define(23, "uint64", np.uint64, keys=(np.ulonglong,))

for _number, _name in enumerate(
    (
        "float8_e5m2",
        "float8_e4m3fn",
        "float8_e4m3fnuz",
        "float8_e4m3b11fnuz",
        "float8_e5m2fnuz",
        "int4",
        "uint4",
        "int2",
        "uint2",
        "float4_e2m1fn",
    ),
    start=24,
):
    _define(_number, _name, getattr(ml_dtypes, _name), f"dtypes.experimental.{_name}", kind=_name[0])

_by_key.update({np.longlong: int64, np.intc: int32})
complex64.real_dtype, complex128.real_dtype = float32, float64
float8_e5m2, float8_e4m3fn = _by_key["float8_e5m2"], _by_key["float8_e4m3fn"]
int4, uint4 = _by_key["int4"], _by_key["uint4"]

for _dtype in {*_by_key.values()}:
    _reference = object.__new__(DType)
    for _slot in DType.__slots__[1:]:
        setattr(_reference, _slot, getattr(_dtype, _slot))
    _reference.name, _reference.as_datatype_enum = f"{_dtype.name}_ref", _dtype.as_datatype_enum + 100
    _by_key.update(dict.fromkeys((_reference.name, _reference.as_datatype_enum), _reference))
    export_value(_reference, f"python.framework.dtypes.{_reference.name}")

QUANTIZED_DTYPES = export_value(frozenset((qint8, quint8, qint16, quint16, qint32)), "dtypes.QUANTIZED_DTYPES")


def stays_on_host(dtype: np.dtype[Any]) -> bool:
    """Whether XLA has no arrays of this NumPy dtype: objects, and structures, which quantized numbers are."""
    return dtype.kind == "O" or dtype.names is not None


def plain(array: np.ndarray) -> np.ndarray:
    """What programs see of an array: of quantized numbers the integers."""
    return array if array.dtype.names is None else array.view(array.dtype[0])


@export("as_dtype", "dtypes.as_dtype")
def as_dtype(type_value: Any) -> DType:
    """The DType that `type_value` stands for (`tf.as_dtype`).

    Args:
      type_value: A DType, a name, a NumPy dtype, scalar type or array, a Python type, or TensorFlow's number.

    Returns:
      The DType; `float` is `float32`, as in TensorFlow.

    Raises:
      TypeError: if it stands for none; the Python types `int`, `str` and `complex` are not taken.
    """
    if isinstance(type_value, DType):
        return type_value
    try:
        return _by_key[type_value.type if isinstance(type_value, np.dtype) and not type_value.names else type_value]
    except (TypeError, KeyError):  # unhashable or unknown
        pass
    try:
        return _by_key[np.dtype(type_value.dtype).type]
    except (AttributeError, TypeError, KeyError):
        raise TypeError(f"Cannot convert the argument `type_value`: {type_value!r} to a TensorFlow DType.") from None
