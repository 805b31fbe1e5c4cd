"""Indexing: `x[...]`, `tf.slice`, `tf.strided_slice`, and assignment to a part of a variable.

Where a slice starts is an operand, how long it is an attribute: `x[0]`, `x[1]`, ... and batches `x[i:i + 32]` share one
compiled kernel. Whether the indices are in range is checked before, in Python.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import numpy as np
from jax.export import is_symbolic_dim

from tfgrad_jax.engine.control.turn import Along, takes_element
from tfgrad_jax.engine.declare.attributes import is_symbolic
from tfgrad_jax.engine.graph.deferred import deferred
from tfgrad_jax.engine.graph.samples import UNSIZED
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.eager import executing_eagerly
from tfgrad_jax.engine.run.execute import alias, execute, misfit
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dimension import Dimension
from tfgrad_jax.engine.values.tensor import EagerTensor, Spec, Tensor, concrete, is_host
from tfgrad_jax.ops.array.gather import boolean_mask
from tfgrad_jax.ops.array.strided_slice import (
    RAW,
    SLICE_TYPE_ERROR,
    bounds_inside,
    check_numbers,
    first_places,
    lengths_of,
    out_of_bounds,
    starts_tensor,
    strided,
    strided_assign,
    traced_item,
)
from tfgrad_jax.ops.common import integers, listed, operand, shape_of

_INDEX_DTYPES = (dtypes.int16, dtypes.int32, dtypes.int64)


class Window(NamedTuple):
    """The selection that an index expression makes.

    Attributes:
      plan: for each dimension None (all of it) or (length of the stretch, step, where its start comes from: None for 0,
        "starts", or "at").
      starts: the known starts of stretches.
      at: starts that are tensors without a known value.
      shape: the dimensions of the result: their sizes.
    """

    plan: tuple[Any, ...]
    starts: tuple[int, ...]
    at: tuple[Tensor, ...]
    shape: tuple[int, ...]


# -- reading an index expression --------------------------------------------------------------------------------------


def _refused(index: Any) -> TypeError:
    return TypeError(
        f"{SLICE_TYPE_ERROR}, got {f'a tensor {index.spec}' if isinstance(index, Tensor) else repr(index)}"
    )


def _index(index: Any) -> Any:
    """An index as an `int`, or as a tensor if its value is not known."""
    if type(index) is int:
        return index
    if isinstance(index, bool):
        raise misfit("Value for attr 'Index' of bool is not in the list of allowed values: int16, int32, int64", RAW)
    if isinstance(index, (numbers.Integral, Dimension)):
        return index.__index__()
    if isinstance(index, (Tensor, Variable)):
        if index.dtype not in _INDEX_DTYPES or len(index.spec.shape) == 1:
            raise _refused(index)
        if index.spec.size != 1:
            raise misfit(f"an index must be a scalar, got shape {listed(index.spec.shape)}", RAW)
        tensor = operand(index)
        known = concrete(tensor)
        return tensor if known is None else int(known)
    if isinstance(index, (np.ndarray, jax.Array)) and index.dtype in (np.int16, np.int32, np.int64) and index.ndim != 1:
        return int(index)
    raise _refused(index)


def _bound(value: Any) -> int | None:
    value = None if value is None or (isinstance(value, Dimension) and value.value is None) else _index(value)
    # The length of the result depends on it: a tensor must tell its value now.
    return int(np.asarray(value.array)) if isinstance(value, Tensor) else value


def _window(key: Any, shape: tuple[int, ...]) -> Window:
    """The selection that `key` makes from a tensor of this shape.

    Raises:
      TypeError: if an index is of a kind that TensorFlow does not take.
      InvalidArgumentError: if an index is out of range, or there are too many.
    """
    if type(key) is int and shape:  # the most frequent form, without detours
        n = shape[0]
        if not -n <= key < n:
            raise out_of_bounds(key, n, 0)
        return Window(((1, 1, "starts"), *(None,) * (len(shape) - 1)), (key % n,), (), shape[1:])
    items = list(key) if isinstance(key, (list, tuple)) else [key]
    ellipses = sum(item is Ellipsis for item in items)
    if ellipses > 1:
        raise misfit("Multiple ellipses in slice spec not allowed", RAW)
    used = sum(item is not None and item is not Ellipsis for item in items)
    if used and not shape:
        raise misfit("Attempting to slice scalar input.", RAW)
    if used > len(shape):
        raise misfit(f"Index out of range using input dim {len(shape)}; input has only {len(shape)} dims", RAW)
    if not ellipses:
        items.append(Ellipsis)
    plan: list[Any] = []
    starts: list[int] = []
    at: list[Tensor] = []
    result: list[int] = []
    for place, item in enumerate(items):
        d = len(plan)
        if item is None:
            result.append(1)
        elif item is Ellipsis:
            rest = len(shape) - used
            plan += [None] * rest
            result += shape[d : d + rest]
        elif isinstance(item, slice):
            length, step, start, count = _stretch(item, shape[d], place)
            plan.append(
                None if (length, step) == (shape[d], 1) else (length, step, "starts" if length < shape[d] else None)
            )
            if length < shape[d]:
                starts.append(start)
            result.append(count)
        else:
            index = _index(item)
            if isinstance(index, Tensor):
                at.append(index)
                plan.append((1, 1, "at"))
                continue
            n = shape[d]
            if not -n <= index < n:
                raise out_of_bounds(index, n, d)
            starts.append(index % n)
            plan.append((1, 1, "starts"))
    return Window(tuple(plan), tuple(starts), tuple(at), tuple(result))


def _stretch(item: slice, n: int, place: int) -> tuple[int, int, int, int]:
    """Length of the stretch that a slice covers, step, start of the stretch, and the number of elements."""
    step = _bound(item.step)
    if step == 0:
        raise misfit(f"strides[{place}] must be non-zero", RAW)
    elements = range(*slice(_bound(item.start), _bound(item.stop), step).indices(n))
    count, step = len(elements), elements.step
    if not count:
        return 0, 1, 0, 0
    first, last = elements[0], elements[-1]
    if count == 1:
        return 1, 1, first, 1
    return abs(last - first) + 1, step, min(first, last), count


def _on_host(array: np.ndarray, window: Window) -> np.ndarray:
    begin = first_places(window.plan, array.shape, window.starts, [])
    stretches: list[Any] = [slice(b, b + n) for b, n in zip(begin, lengths_of(window.plan, array.shape), strict=True)]
    strides: list[Any] = [slice(None, None, 1 if entry is None else entry[1]) for entry in window.plan]
    # With "..." what is taken of a scalar is an array, not the scalar.
    return array[(*stretches, ...)][(*strides, ...)].reshape(window.shape)


def _select(tensor: Tensor, window: Window) -> Tensor:
    if is_host(tensor) and not window.at and not tensor.spec.dtype.trainable:
        return EagerTensor(_on_host(tensor.array, window))
    plan, starts, at, shape = window
    kernel = strided.op.kernel((True, True if starts else None, len(at), plan, shape))
    return execute(kernel, (tensor, starts_tensor(starts), *at) if starts else (tensor, *at))


def _is_mask(key: Any) -> bool:
    return key is True or key is False or (isinstance(key, (Tensor, np.ndarray, jax.Array)) and key.dtype == bool)


@export("__operators__.getitem")
def getitem(tensor: Tensor, key: Any) -> Tensor:
    """`tensor[key]`: integers, slices, `...`, `tf.newaxis`, scalar integer tensors, or a boolean mask."""
    if _is_mask(key):
        return boolean_mask(tensor, key)
    if not executing_eagerly():
        items = key if isinstance(key, (list, tuple)) else (key,)
        return _selected(tensor, [i for i in items if not isinstance(i, slice)], [*map(_only_slice, items)])
    return _select(tensor, _window(key, tensor.spec.shape))


def _only_slice(item: Any) -> Any:
    return item if isinstance(item, slice) else None


@deferred("slices")
def _selected(tensor: Tensor, places: list[Any], slices: list[slice | None]) -> Tensor:
    """A part of a tensor, with those items of the index apart that decide its shape."""
    rest = iter(places)
    key = tuple(next(rest) if s is None else s for s in slices)
    if any(map(is_symbolic_dim, tensor.spec.shape)):  # a function that is exported: no plan for numbers can be made
        check_numbers(key, tensor.spec.shape)
        traced = tuple(map(traced_item, key))
        try:
            return EagerTensor(tensor.array[traced])
        except Exception:  # JAX could not tell where ends lie
            if context.exporting is not None:
                context.exporting.conditions += bounds_inside(traced, tensor.spec.shape)
            raise
    return _select(tensor, _window(key, tensor.spec.shape))


def _along(kernel: Kernel) -> Along | None:
    """The axis along which one element is selected at an index that is a tensor, and all else is whole."""
    slices = kernel.named(range(2))["slices"]  # type: ignore[misc]
    whole = [s == slice(None) for s in slices]
    return Along(whole.index(False), wraps=True) if whole.count(False) == 1 and None in slices else None


takes_element["_selected"] = _along


@_selected.open_shape
def _(tensor: Any, places: list[Any], slices: list[Any]) -> list[Any]:
    shape, rest = shape_of(tensor), iter(places)
    items = [next(rest) if s is None else s for s in slices]
    used = sum(item is not None and item is not Ellipsis for item in items)
    result: list[Any] = []
    d = 0
    for item in items if Ellipsis in [i for i in items if not isinstance(i, Spec)] else [*items, Ellipsis]:
        if item is None:
            result.append(1)
        elif item is Ellipsis:
            result += shape[d : d + len(shape) - used]
            d += len(shape) - used
        else:
            if isinstance(item, slice):
                result.append(_static_count(item, shape[d]))
            d += 1
    return [tuple(result)]


def _static_count(item: slice, n: int | None) -> int | None:
    """How many elements a slice covers of a dimension, if that is the same whatever the unknown sizes are."""
    parts = [p if p is None or p is UNSIZED else _index(p) for p in (item.start, item.stop, item.step)]
    if any(p is UNSIZED for p in parts):
        return None
    if n is None:
        return 0 if parts[1] == 0 and parts[2] in (None, 1) else None
    return len(range(*slice(*parts).indices(n)))


def _ends_later(key: Any) -> bool:
    """Whether a bound of a slice in `key` is a tensor whose value is not known yet."""
    items = key if isinstance(key, (list, tuple)) else (key,)
    return any(is_symbolic(bound) for i in items if isinstance(i, slice) for bound in (i.start, i.stop, i.step))


def _variable_getitem(variable: Variable, key: Any) -> Tensor:
    """`variable[key]`: a tensor, whose method `assign` replaces that part of the variable."""
    value = variable.operator_value()
    if _is_mask(key):
        return boolean_mask(value, key)
    shape = value.spec.shape
    if None in shape or _ends_later(key):
        out = getitem(value, key)
        out.assign = _open_assigner(variable, key)  # type: ignore[attr-defined]
        return out
    window = _window(key, shape)
    out = _select(value, window)
    out.assign = _assigner(variable, window)  # type: ignore[attr-defined]
    return out


def _assigner(variable: Variable, window: Window) -> Callable[..., Any]:
    def assign(val: Any, name: str | None = None) -> Any:
        """Replace this part of the variable.

        Raises:
          ValueError: if a tensor has another dtype.
          InvalidArgumentError: if the shapes do not fit; the variable keeps its value.
        """
        kernel, operands = _assignment(window)
        variable.box.update(kernel, _assigned(variable, val), *operands)
        return variable._written(True)

    return assign


def _assigned(variable: Variable, val: Any) -> Tensor:
    return operand(val) if isinstance(val, Variable) else convert(val, variable.box.dtype)


def _assignment(window: Window) -> tuple[Kernel, tuple[Tensor, ...]]:
    """The kernel that replaces a selection, and what it takes after the tensor and the part."""
    plan, starts, at, shape = window
    kernel = strided_assign.op.kernel((True, True, True if starts else None, len(at), plan, shape))
    kernel.overwrites = True
    return kernel, (starts_tensor(starts), *at) if starts else tuple(at)


def _open_assigner(variable: Variable, key: Any) -> Callable[..., Any]:
    """The method `assign` of a part of a variable in a graph, where its shape is not known."""
    items = key if isinstance(key, (list, tuple)) else (key,)

    def assign(val: Any, name: str | None = None) -> Any:
        handle = variable.box
        places = [i for i in items if not isinstance(i, slice)]
        with handle.lock:
            new = _replaced(handle.tensor, _assigned(variable, val), places, [*map(_only_slice, items)])
            handle.replace(alias(new, handle.id))
        return variable._written(True)

    return assign


@deferred("slices")
def _replaced(tensor: Tensor, part: Tensor, places: list[Any], slices: list[slice | None]) -> Tensor:
    """A tensor with a part replaced; see `_selected`."""
    rest = iter(places)
    kernel, operands = _assignment(_window(tuple(next(rest) if s is None else s for s in slices), tensor.spec.shape))
    return execute(kernel, (tensor, part, *operands))


@_replaced.open_shape
def _(tensor: Any, part: Any, places: list[Any], slices: list[Any]) -> list[Any]:
    return [tensor.shape]


setattr(Tensor, "__getitem__", getitem)  # noqa: B010 -- the engine knows no operation
setattr(Variable, "__getitem__", _variable_getitem)  # noqa: B010


# -- functions --------------------------------------------------------------------------------------------------------


def _places(value: Any) -> tuple[Any, ...]:
    """Bounds of slices, of which some may be known only when the graph runs."""
    if isinstance(value, (list, tuple)) and any(is_symbolic(one) for one in value):
        return tuple(value)
    if is_symbolic(value) and len(value.spec.shape) == 1 and value.spec.shape[0] is not None:
        return tuple(value[i] for i in range(value.spec.shape[0]))
    return integers(value, scalar=True)


@export("strided_slice")
def strided_slice(
    input_: Any,
    begin: Any,
    end: Any,
    strides: Any = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    var: Variable | None = None,
    name: str | None = None,
) -> Tensor:
    """`input_[begin:end:strides]` in each dimension, with bits that say what a place stands for.

    Mirrors `tf.strided_slice`. A bit of `begin_mask` or `end_mask` leaves that bound open; of `ellipsis_mask` the place
    stands for `...`, of `new_axis_mask` for `tf.newaxis`, and of `shrink_axis_mask` for the single index `begin`.

    Raises:
      InvalidArgumentError: if the vectors differ in length, or an index is out of range.
    """
    first, last = _places(begin), _places(end)
    steps = (1,) * len(first) if strides is None else _places(strides)
    if not len(first) == len(last) == len(steps):
        raise misfit(
            f"Expected begin, end, and strides to be 1D equal size tensors, but got shapes [{len(first)}], "
            f"[{len(last)}], and [{len(steps)}] instead.",
            RAW,
        )
    key: list[Any] = []
    for i, (b, e, s) in enumerate(zip(first, last, steps, strict=True)):
        bit = 1 << i
        if ellipsis_mask & bit:
            key.append(Ellipsis)
        elif new_axis_mask & bit:
            key.append(None)
        elif shrink_axis_mask & bit:
            key.append(b)
        else:
            key.append(slice(None if begin_mask & bit else b, None if end_mask & bit else e, s))
    source = input_ if isinstance(input_, Variable) else operand(input_)
    out = source[tuple(key)]
    if var is not None:
        shape = var.spec.shape
        out.assign = _open_assigner(var, key) if None in shape else _assigner(var, _window(tuple(key), shape))
    return out
