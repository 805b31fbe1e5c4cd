"""Assertions about tensors, arrays and nests of them."""

from __future__ import annotations

import unittest
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tfgrad_jax.composite.ragged.tensor import RaggedTensor
from tfgrad_jax.composite.ragged.values import RaggedTensorValue
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.dtypes import as_dtype
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.specs import TensorSpec
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.devices.device_spec import DeviceSpec
from tfgrad_jax.lib.testing.arrays import as_array, settled
from tfgrad_jax.lib.v1.evaluation import is_tensor_like

_SHOWN = 10
"""So many offending elements are shown."""


def _is_ragged(value: Any) -> bool:
    return isinstance(value, (RaggedTensor, RaggedTensorValue))


def _rows(value: Any) -> Any:
    """Ragged values as nested lists."""
    if _is_ragged(value):
        return settled(value).to_list()
    return as_array(value).tolist() if is_tensor_like(value) or isinstance(value, np.ndarray) else value


def _as_dict(value: Any) -> Any:
    """Named tuples and mappings by their names, attrs classes by their fields."""
    if hasattr(value, "_asdict"):
        return value._asdict()
    if (fields := getattr(type(value), "__attrs_attrs__", None)) is not None:
        return {field.name: getattr(value, field.name) for field in fields}
    return value


class Comparisons(unittest.TestCase):
    """The assertions of `tf.test.TestCase` that compare values."""

    def assertAllClose(self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: str | None = None) -> None:
        """Two arrays, tensors, or nests of such are close: `|a - b| <= atol + rtol * |b|`; NaN is close to NaN.

        Raises:
          AssertionError: if they are not.
          ValueError: if one is a mapping and the other is not.
        """
        if _is_ragged(a) or _is_ragged(b):
            self._ragged_close(_rows(a), _rows(b), rtol, atol, msg)
        else:
            self._close(a, b, rtol, atol, "", msg)

    def _close(self, a: Any, b: Any, rtol: float, atol: float, path: str, msg: str | None) -> None:
        a, b = _as_dict(a), _as_dict(b)
        if isinstance(a, Mapping) != isinstance(b, Mapping):
            raise ValueError(f"Can't compare dict to non-dict, a{path} vs b{path}. {msg or ''}")
        if isinstance(a, Mapping):
            self.assertCountEqual(a, b, f"mismatched keys: a{path} has {list(a)}, b{path} has {list(b)}. {msg or ''}")
            for key in a:
                self._close(a[key], b[key], rtol, atol, f"{path}[{key}]", msg)
            return
        both = isinstance(a, (list, tuple)) and isinstance(b, (list, tuple))
        if both and not (_is_plain(a) and _is_plain(b)):
            self.assertEqual(len(a), len(b), f"mismatched length: a{path} and b{path}. {msg or ''}")
            for i, (left, right) in enumerate(zip(a, b)):
                self._close(left, right, rtol, atol, f"{path}[{i}]", msg)
            return
        try:
            self._arrays_close(a, b, rtol, atol, f"Mismatched value: a{path} is different from b{path}. {msg or ''}")
        except TypeError as error:
            kinds = f"a{path} has {type(a)}, b{path} has {type(b)}"
            raise TypeError(f"{error} : Error: {kinds}. {msg or ''}") from error

    def _arrays_close(self, a: Any, b: Any, rtol: float, atol: float, msg: str | None = None) -> None:
        a, b = as_array(a), as_array(b)
        self.assertEqual(a.shape, b.shape, f"Shape mismatch: expected {b.shape}, got {a.shape}. {msg or ''}")
        a, b = _comparable(a), _comparable(b)
        if np.allclose(a, b, rtol=rtol, atol=atol, equal_nan=True):
            return
        a, b = np.atleast_1d(a), np.atleast_1d(b)
        wrong = np.abs(a - b) > atol + rtol * np.abs(b)
        wrong |= (np.isnan(a) != np.isnan(b)) | (np.isinf(a) != np.isinf(b)) | (np.isinf(a) & (a != b))
        where = np.where(wrong)
        raise self.failureException(
            f"\nNot equal to tolerance rtol={rtol}, atol={atol}\n{msg or ''}\nnot close where = {where}\n"
            f"not close lhs = {a[where]}\nnot close rhs = {b[where]}\nnot close dif = {np.abs(a - b)[where]}\n"
            f"not close tol = {(atol + rtol * np.abs(b))[where]}\nMismatched elements: {int(wrong.sum())} / {wrong.size}"
        )

    def _ragged_close(self, a: Any, b: Any, rtol: float, atol: float, msg: str | None, path: str = "value") -> None:
        self.assertEqual(type(a), type(b), f"{path}: {a!r} and {b!r}. {msg or ''}")
        if isinstance(a, list):
            self.assertEqual(len(a), len(b), f"Length differs for {path}. {msg or ''}")
            for i, (left, right) in enumerate(zip(a, b)):
                self._ragged_close(left, right, rtol, atol, msg, f"{path}[{i}]")
        else:
            self._arrays_close(a, b, rtol, atol, f"{path}. {msg or ''}")

    def assertAllCloseAccordingToType(
        self,
        a: Any,
        b: Any,
        rtol: float = 1e-6,
        atol: float = 1e-6,
        float_rtol: float = 1e-6,
        float_atol: float = 1e-6,
        half_rtol: float = 1e-3,
        half_atol: float = 1e-3,
        bfloat16_rtol: float = 1e-2,
        bfloat16_atol: float = 1e-2,
        msg: str | None = None,
    ) -> None:
        """As `assertAllClose`, with wider tolerances where one of the two has a narrower type than float64."""
        a, b = as_array(a), as_array(b)
        for kinds, wider_rtol, wider_atol in (
            ((dtypes.float32, dtypes.complex64), float_rtol, float_atol),
            ((dtypes.float16,), half_rtol, half_atol),
            ((dtypes.bfloat16,), bfloat16_rtol, bfloat16_atol),
        ):
            if any(array.dtype == kind.as_numpy_dtype for array in (a, b) for kind in kinds):
                rtol, atol = max(rtol, wider_rtol), max(atol, wider_atol)
        self.assertAllClose(a, b, rtol=rtol, atol=atol, msg=msg)

    def assertNotAllClose(self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: str | None = None) -> None:
        """Two values are not close in at least one element."""
        try:
            self.assertAllClose(a, b, rtol=rtol, atol=atol, msg=msg)
        except AssertionError:
            return
        raise AssertionError(f"The two values are close at all elements. {msg or ''}")

    def assertAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:
        """Two arrays, tensors or ragged tensors have the same shape and values; NaN equals NaN."""
        if _is_ragged(a) or _is_ragged(b):
            self.assertEqual(_rows(a), _rows(b), msg)
            return
        a, b = as_array(a), as_array(b)
        text = f"Shape mismatch: expected {a.shape}, got {b.shape}. {msg or ''}"
        if b.ndim > 0 or a.ndim > 0:
            self.assertEqual(a.shape, b.shape, text)
        a, b = _of_one_kind(a), _of_one_kind(b)
        same = a == b
        if a.dtype.kind in "fcV" and b.dtype.kind in "fcV":
            same = np.logical_or(same, np.logical_and(_is_nan(a), _is_nan(b)))
        if not np.all(same):
            where = np.where(np.logical_not(np.atleast_1d(same)))
            a, b = np.atleast_1d(a), np.atleast_1d(b)
            raise self.failureException(
                f"\nArrays are not equal\n{msg or ''}\nnot equal where = {where}\nnot equal lhs = {a[where]!r}\n"
                f"not equal rhs = {b[where]!r}"
            )

    def assertNotAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:
        """Two values differ in at least one element."""
        try:
            self.assertAllEqual(a, b, msg)
        except AssertionError:
            return
        raise AssertionError(f"The two values are equal at all elements. {msg or ''}")

    def _all_compare(self, a: Any, target: Any, extreme: Callable[[Any], Any], compare: Callable[..., None]) -> None:
        compare(extreme(as_array(a)), target)

    def assertAllGreater(self, a: Any, comparison_target: Any) -> None:
        """Every element is greater than a number."""
        self._all_compare(a, comparison_target, np.min, self.assertGreater)

    def assertAllLess(self, a: Any, comparison_target: Any) -> None:
        """Every element is less than a number."""
        self._all_compare(a, comparison_target, np.max, self.assertLess)

    def assertAllGreaterEqual(self, a: Any, comparison_target: Any) -> None:
        """No element is less than a number."""
        self._all_compare(a, comparison_target, np.min, self.assertGreaterEqual)

    def assertAllLessEqual(self, a: Any, comparison_target: Any) -> None:
        """No element is greater than a number."""
        self._all_compare(a, comparison_target, np.max, self.assertLessEqual)

    def assertAllInRange(
        self,
        target: Any,
        lower_bound: Any,
        upper_bound: Any,
        open_lower_bound: bool = False,
        open_upper_bound: bool = False,
    ) -> None:
        """Every element lies between two numbers; an open bound itself does not belong to the range."""
        array = as_array(target)
        if array.dtype.kind not in "fiuV":
            raise AssertionError(
                f"The value of {target} does not have an ordered numeric type, instead it has type: {array.dtype}"
            )
        nan = np.atleast_1d(_is_nan(array))
        if nan.any():
            shown = _subscripts(np.where(nan), array)
            raise AssertionError(
                f"{int(nan.sum())} of the {array.size} element(s) are NaN. "
                f"Subscripts(s) and value(s) of the NaN element(s):\n{shown}"
            )
        lowest, highest = as_array(lower_bound), as_array(upper_bound)
        low = array <= lowest if open_lower_bound else array < lowest
        high = array >= highest if open_upper_bound else array > highest
        outside = np.atleast_1d(low | high)
        if outside.any():
            span = f"{'(' if open_lower_bound else '['}{lower_bound}, {upper_bound}{')' if open_upper_bound else ']'}"
            raise AssertionError(
                f"{int(outside.sum())} of the {array.size} element(s) are outside the range {span}. "
                f"Subscript(s) and value(s) of the offending elements:\n{_subscripts(np.where(outside), array)}"
            )

    def assertAllInSet(self, target: Any, expected_set: Any) -> None:
        """Every element is one of a set."""
        found = np.unique(as_array(target))
        strange = np.setdiff1d(found, list(expected_set))
        if strange.size:
            raise AssertionError(f"{strange.size} unique element(s) are not in the set {expected_set}: {strange}")

    def assertArrayNear(self, farray1: Any, farray2: Any, err: float, msg: str | None = None) -> None:
        """Two sequences of numbers are as long as each other, and no pair is further apart than `err`."""
        self.assertEqual(len(farray1), len(farray2), msg)
        for left, right in zip(farray1, farray2):
            self.assertNear(float(left), float(right), err, msg)

    def assertNDArrayNear(self, ndarray1: Any, ndarray2: Any, err: float, msg: str | None = None) -> None:
        """The Euclidean norm of the difference of two arrays is below `err`."""
        self.assertTrue(np.linalg.norm(as_array(ndarray1) - as_array(ndarray2)) < err, msg)

    def assertNear(self, f1: Any, f2: Any, err: float, msg: str | None = None) -> None:
        """Two numbers are no further apart than `err`."""
        f1, f2 = (as_array(f).item() if is_tensor_like(f) else f for f in (f1, f2))
        distance = abs(f1 - f2)
        shown = [float(np.reshape(x, ())) for x in (f1, f2, err, distance)]  # arrays have no formats
        self.assertTrue(
            f1 == f2 or distance <= err,
            f"{shown[0]:f} != {shown[1]:f} +/- {shown[2]:f} (difference: {shown[3]:g}){f' ({msg})' if msg else ''}",
        )

    def assertShapeEqual(self, input_a: Any, input_b: Any, msg: str | None = None) -> None:
        """Two arrays or tensors have the same shape; a tensor's static one counts.

        Raises:
          TypeError: if one is no array and no tensor.
        """
        shapes = []
        for which, value in (("input_a", input_a), ("input_b", input_b)):
            if not isinstance(value, (np.ndarray, np.generic)) and not is_tensor_like(value):
                raise TypeError(
                    f"{which} must be a Numpy ndarray, Numpy scalar, or a Tensor.Instead received {type(value)}"
                )
            shapes.append(TensorShape(value.shape).as_list())
        self.assertAllEqual(shapes[0], shapes[1], msg)

    def assertDTypeEqual(self, target: Any, expected_dtype: Any) -> None:
        """A tensor or an array has a dtype."""
        if isinstance(target, (Tensor, TensorSpec)) or hasattr(getattr(target, "dtype", None), "as_numpy_dtype"):
            found: Any = np.dtype(as_dtype(target.dtype).as_numpy_dtype)
        elif isinstance(target, list):
            found = np.array(target).dtype
        else:
            found = as_array(target).dtype
        expected = getattr(expected_dtype, "as_numpy_dtype", expected_dtype)
        self.assertEqual(found, expected)

    def assertDeviceEqual(self, device1: Any, device2: Any, msg: str | None = None) -> None:
        """Two device strings mean the same device."""
        full = [DeviceSpec.from_string(device).to_string() if device else device for device in (device1, device2)]
        self.assertEqual(full[0], full[1], f"Devices {full[0]} and {full[1]} are not equal. {msg}")


def _is_plain(value: Any) -> bool:
    """Whether a list or tuple is one array: numbers, lists of equal length, no mappings among them."""
    if any(isinstance(_as_dict(item), Mapping) for item in value):
        return False
    try:
        return as_array(value).dtype != object
    except (TypeError, ValueError):
        return False


def _comparable(array: Any) -> Any:
    """Narrow floating-point numbers as float32, of which NumPy knows everything."""
    return array.astype(np.float32) if array.dtype.kind == "V" or array.dtype.name in ("bfloat16",) else array


def _is_nan(array: Any) -> Any:
    array = _comparable(array)
    return np.isnan(array) if array.dtype.kind in "fc" else np.zeros(array.shape, bool)


def _of_one_kind(array: Any) -> Any:
    """Texts as bytes, which is what string tensors hold."""
    if array.dtype.kind == "U":
        return np.char.encode(array, "utf-8").astype(object)
    if array.dtype.kind == "S":
        return array.astype(object)
    if array.dtype.kind == "O":
        texts = [item.encode() if isinstance(item, str) else item for item in array.ravel()]
        return np.array([*texts, None], dtype=object)[:-1].reshape(array.shape)
    return array


def _subscripts(where: Any, array: Any) -> str:
    places = [tuple(int(i) for i in place) for place in zip(*where)]
    lines = [f"  {list(place)} : {np.atleast_1d(array)[place]}" for place in places[:_SHOWN]]
    return "\n".join([*lines, *(["  ..."] if len(places) > _SHOWN else [])])
