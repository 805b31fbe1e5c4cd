"""The kernels of TensorArray: reading and writing rows of one tensor, which may grow."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.export import is_symbolic_dim

from tfgrad_jax.engine.control.room import fixed_sizes, room_is_enough
from tfgrad_jax.engine.control.turn import Along, takes_element
from tfgrad_jax.engine.declare.attributes import is_symbolic
from tfgrad_jax.engine.graph.dimensions import sizes_array
from tfgrad_jax.engine.graph.graph import NeedsValue
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.run.checks import Finding
from tfgrad_jax.engine.run.execute import execute
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import int32, stays_on_host
from tfgrad_jax.engine.values.pieces import Pieces, Unwritten, in_pieces
from tfgrad_jax.engine.values.shapes import UNRANKED, TensorShape
from tfgrad_jax.engine.values.tensor import Spec, Tensor
from tfgrad_jax.ops.array.array import concat, split, stack, unstack
from tfgrad_jax.ops.array.creation import zeros
from tfgrad_jax.ops.checks import first_wrong


def _written(flow: Any, index: Any, value: Any) -> Any:
    return _put(flow, index, value, value.shape)


def _scattered(flow: Any, indices: Any, values: Any) -> Any:
    return _put(flow, indices, values, values.shape[1:])


def _put(flow: Any, index: Any, value: Any, element: tuple[int, ...]) -> Any:
    if flow.shape[1:] != element and flow.size and not any(map(is_symbolic_dim, (*flow.shape, *element))):
        raise NeedsValue("TensorArray: the elements differ in shape")
    if type(flow) is np.ndarray and flow.dtype == object:
        # The elements' shape may be known only now.
        flow = flow.copy() if flow.shape[1:] == element else np.full((flow.shape[0], *element), b"", object)
        flow[index if index.ndim else int(index)] = value[()]  # an array as index would put an array there
        return flow
    if flow.shape[1:] != element and flow.size == 0:
        flow = jnp.zeros((flow.shape[0], *element), flow.dtype)  # the elements' shape was not known until now
    return jnp.asarray(flow).at[index].set(value)


def _read_open(flow: Any, index: Any) -> Any:
    _some_written(flow)
    return _read(flow, index)


def _some_written(flow: Any) -> None:
    """Elements without a size are those of an array that nothing was written to, where all have one shape."""
    if flow.size == 0 and flow.shape[0] and fixed_sizes() is False:
        raise NeedsValue("TensorArray: nothing was written, and the shape of the elements is not known")


def _stacked(flow: Any) -> Any:
    _some_written(flow)
    if not is_symbolic_dim(flow.shape[0]) and not flow.shape[0] and fixed_sizes() is False:
        raise NeedsValue("TensorArray.stack: there are no elements, and their shape is not known")
    return flow


def _filled_by(tensor: Any) -> Any:
    if tensor.size == 0 and tensor.shape[0] and fixed_sizes() is False:
        raise NeedsValue("TensorArray.unstack: elements without a size are told from those that were not written")
    return tensor


def _read(flow: Any, index: Any) -> Any:
    # A constant is a NumPy array, which takes no index that JAX traces.
    return flow[index] if type(index) is np.ndarray else jnp.asarray(flow)[index]


def _written_open(flow: Any, index: Any, value: Any) -> Any:
    if flow.size == 0 and value.size == 0 and flow.shape[0] and fixed_sizes() is False:
        raise NeedsValue("TensorArray.write: elements without a size are told from those that were not written")
    return _written(flow, index, value)


def _written_typed(flow: Any, index: Any, value: Any) -> list[Any]:
    return [_written_open(flow, index, value)]


def _written_growing(flow: Any, index: Any, value: Any) -> list[Any]:
    if isinstance(index, jax.core.Tracer):
        if not fixed_sizes() or not flow.shape[0]:
            raise NeedsValue("TensorArray.write: the size after it depends on the values of tensors")
        return [_written(flow, index, value)]
    missing = int(index) + 1 - flow.shape[0]
    if missing > 0:
        flow = jnp.concatenate([flow, jnp.zeros((missing, *flow.shape[1:]), flow.dtype)])
    return [_written(flow, index, value)]


def _piece_written(
    operands: Sequence[Tensor], grows: bool = False, varied: bool = False, known: bool = False
) -> list[Tensor] | None:
    """The elements after a write that makes them differ in shape, or finds them so; None if all are of one shape as before.

    Elements without a size are pieces, too: as one array they would be what no element has been written to. So are those with
    places between that nothing was written to (all such places of `varied` arrays), whose shape later writes may leave open, unless
    it is `known`.
    """
    flow, index, value = operands
    shape = value.spec.shape
    at = int(np.asarray(index.array))
    if at < 0:
        raise invalid_argument(_no_such_place(at, len(_rows_of(flow))))
    if not isinstance(flow, Pieces) and 0 not in shape and not (grows and not known and at > flow.spec.shape[0]):
        if 0 not in flow.spec.shape:
            alike = flow.spec.shape[1:] == shape
        else:  # the first write
            alike = not varied or flow.spec.shape[0] < 2
        if alike:
            return None
    rows = _rows_of(flow)
    if not 0 <= at < len(rows):
        if not grows:
            raise invalid_argument(_no_such_place(at, len(rows)))
        rows += [Unwritten.of(flow.dtype)] * (at + 1 - len(rows))
    rows[at] = value
    return [_settled(rows)]


def _rows_of(flow: Tensor) -> list[Tensor]:
    if isinstance(flow, Pieces):
        return list(flow.rows)
    shape = flow.spec.shape
    return [Unwritten.of(flow.dtype)] * shape[0] if 0 in shape else unstack(flow)


def _settled(rows: list[Tensor]) -> Tensor:
    """The elements as one tensor again where they are of one shape, and all were written."""
    first = rows[0].spec.shape
    alike = 0 not in first and all([row.spec.shape == first for row in rows])
    return stack(rows) if alike else Pieces(rows)


def _filled(rows: Sequence[Tensor], others: Sequence[Tensor] = ()) -> list[Tensor]:
    """Elements with zeros for those that were not written, of the shape that the written ones, and others, have.

    Raises:
      InvalidArgumentError: if these differ in shape, or nothing was written.
    """
    if not any([type(row) is Unwritten for row in rows]):
        return list(rows)
    shapes = {row.spec.shape for row in (*rows, *others) if type(row) is not Unwritten}
    if len(shapes) != 1:
        raise invalid_argument(
            "TensorArray: an element is read that was not written, and the shape of the elements is not known: those "
            f"written are of the shapes {sorted(map(str, shapes))}",
            "TensorListGetItem",
        )
    (shape,) = shapes
    return [zeros(shape, row.dtype) if type(row) is Unwritten else row for row in rows]


def _is_unwritten(flow: Tensor) -> bool:
    """Whether a flow has elements, of which none was written."""
    shape = flow.spec.shape
    return not isinstance(flow, Pieces) and bool(shape[0]) and 0 in shape


def _piece_read(operands: Sequence[Tensor]) -> list[Tensor] | None:
    flow, index = operands
    if _is_unwritten(flow):
        flow = Pieces(_rows_of(flow))
    if not isinstance(flow, Pieces):
        return None
    places = np.asarray(index.array)
    for at in places.ravel().tolist():
        if not 0 <= at < len(flow.rows):
            raise invalid_argument(_no_element(at, len(flow.rows)))
    if not places.ndim:
        return _filled([flow.rows[int(places)]], flow.rows)
    return _pieces_stacked([Pieces([flow.rows[at] for at in places.tolist()])])


def _pieces_scattered(operands: Sequence[Tensor]) -> list[Tensor] | None:
    flow, indices, values = operands
    alike = flow.spec.shape[1:] == values.spec.shape[1:] or 0 in flow.spec.shape
    if not isinstance(flow, Pieces) and alike and 0 not in values.spec.shape:
        return None
    for at, value in zip(np.asarray(indices.array).tolist(), unstack(values), strict=True):
        found = _piece_written((flow, convert(at, int32), value))
        (flow,) = found or [execute(WRITE, (flow, convert(at, int32), value))]
    return [flow]


def _pieces_stacked(operands: Sequence[Tensor], known: bool = False) -> list[Tensor] | None:
    (flow,) = operands
    if not isinstance(flow, Pieces):
        if known:
            return None
        if not flow.spec.shape[0]:
            raise invalid_argument(
                "TensorArray: Tried to stack elements of an empty list whose elements' shape is not known",
                "TensorListStack",
            )
        if not _is_unwritten(flow):
            return None
    written = [row for row in _rows_of(flow) if type(row) is not Unwritten]
    first = written[0].spec.shape if written else ()
    for i, row in enumerate(written):
        if row.spec.shape != first:
            raise invalid_argument(
                f"Tried to stack elements of a TensorArray with inconsistent shapes: {first} at index 0, {row.spec.shape} at "
                f"index {i}",
                "TensorListStack",
            )
    return [stack(_filled(_rows_of(flow)))]


def _pieces_joined(operands: Sequence[Tensor]) -> list[Tensor] | None:
    (flow,) = operands
    if not isinstance(flow, Pieces) and not _is_unwritten(flow):
        return None
    rows = _filled(_rows_of(flow))
    for i, row in enumerate(rows):
        if not row.spec.shape:
            raise invalid_argument(
                f"Concat saw a scalar shape at index {i} but requires at least vectors.", "TensorListConcatV2"
            )
        if row.spec.shape[1:] != rows[0].spec.shape[1:]:
            raise invalid_argument(
                f"TensorArray.concat: the elements may differ in their first dimension alone; got the shapes "
                f"{rows[0].spec.shape} at index 0 and {row.spec.shape} at index {i}",
                "TensorListConcatV2",
            )
    return [concat(rows, 0)]


def _packed(*rows: Any) -> list[Any]:
    if any([row.shape != rows[0].shape for row in rows]):
        raise NeedsValue("TensorArray: the elements differ in shape")
    return [(np if stays_on_host(rows[0].dtype) else jnp).stack(rows)]


def _packed_apart(rows: Sequence[Tensor]) -> list[Tensor]:
    return [_settled(list(rows))]


def _joined(flow: Any) -> list[Any]:
    _some_written(flow)
    return [flow.reshape((-1, *flow.shape[2:]))]


def _divided(tensors: Sequence[Tensor]) -> list[Tensor]:
    value, lengths = tensors
    sizes = np.asarray(lengths.array)
    if sizes.ndim != 1:
        raise invalid_argument(
            f"TensorArray.split: expected lengths to be a vector, received shape: {sizes.shape}", "TensorListSplit"
        )
    if not value.spec.shape or sizes.sum() != value.spec.shape[0]:
        raise invalid_argument(bad_lengths(sizes.tolist(), value.shape), "TensorListSplit")
    return [_settled(split(value, sizes.tolist()))]


def bad_lengths(sizes: Sequence[int], shape: Any) -> str:
    """What is said of lengths that do not add up to the first size of a shape."""
    return (
        f"Expected sum of lengths to be equal to values.shape[0], but sum of lengths is {sum(sizes)} and value's shape is: "
        f"{shape}"
    )


def write_now(tensors: Sequence[Tensor], known: bool = False) -> list[Tensor]:
    flow, index, value = tensors
    found = _piece_written(tensors, grows=True, known=known)
    if found is not None:
        return found
    missing = int(np.asarray(index.array)) + 1 - flow.spec.shape[0]
    shape = value.spec.shape
    if missing > 0 or flow.spec.shape[1:] != shape:
        pieces = [flow] if flow.spec.shape[1:] == shape else [zeros([flow.spec.shape[0], *shape], flow.dtype)]
        flow = concat([*pieces, zeros([max(missing, 0), *shape], flow.dtype)], 0)
    return [execute(WRITE, (flow, index, value))]


def _size(flow: Any) -> Any:
    if fixed_sizes():
        raise NeedsValue("TensorArray.size: it changes from iteration to iteration")
    return sizes_array(flow.shape[0], np.int32)


WRITE = Kernel("TensorArrayWriteV3", _written, differentiable=0b101)
WRITE_GROWING, WRITE_GROWING_OPEN, WRITE_GROWING_VARIED = _GROWING = [
    Kernel(
        "TensorArrayWriteV3",
        _written_growing,
        differentiable=0b101,
        interpret=functools.partial(write_now, known=known),
    )
    for known in (True, False, False)
]
"""For elements whose shape is known, whose shape is not, and that need not be of one shape."""
READ = Kernel("TensorArrayReadV3", _read, differentiable=0b01)
SCATTER = Kernel("TensorArrayScatterV3", _scattered, differentiable=0b101)
STACKED = Kernel("TensorListStack", _stacked)
JOINED = Kernel("TensorListConcatV2", _joined)
PACKED = Kernel("TensorListFromTensors", _packed)
DIVIDED = Kernel("TensorListSplit", _divided, differentiable=0b01, interpret=_divided)
DIVIDED.whole = False
STACKED.in_pieces = _pieces_stacked
FILLED = Kernel("TensorListFromTensor", _filled_by)
"""An array of the rows of a tensor, whose elements may have no size."""
FILLED.in_pieces = lambda operands: [_settled(unstack(operands[0]))] if 0 in operands[0].spec.shape[1:] else None
STACKED_KNOWN = Kernel("TensorListStack", lambda flow: flow)
"""For elements whose shape the array knows, though the flow's type does not tell it: there need not be one."""
STACKED_KNOWN.in_pieces = functools.partial(_pieces_stacked, known=True)
JOINED.in_pieces = _pieces_joined
PACKED.in_pieces = _packed_apart

_OPEN = {
    WRITE: Kernel("TensorArrayWriteV3", _written_open, differentiable=0b101),
    READ: Kernel("TensorArrayReadV3", _read_open, differentiable=0b01),
    SCATTER: Kernel("TensorArrayScatterV3", _scattered, differentiable=0b101),
}
"""Those for elements whose shape is not known beforehand."""
WRITE_VARIED = Kernel("TensorArrayWriteV3", _written_typed, differentiable=0b101)
"""For elements that are known to differ in shape."""
READ_VARIED = _OPEN[READ]
"""For an element, or some, of those that are not known to be of one shape."""
_OPEN[WRITE].in_pieces = _piece_written
WRITE_VARIED.in_pieces = functools.partial(_piece_written, varied=True)
_OPEN[READ].in_pieces = _piece_read
_OPEN[SCATTER].in_pieces = _pieces_scattered


def may_differ(flow: Tensor, element: Any = ()) -> bool:
    """Whether the elements of a flow, or one more of a given shape, may differ in shape, since that is not known."""
    known = flow.spec.shape
    return known is UNRANKED or element is UNRANKED or None in known[1:] or None in element


def fitting(kernel: Kernel, flow: Tensor, element: Any = ()) -> Kernel:
    """The kernel for the elements of a flow, and one more of a given shape."""
    return _OPEN[kernel] if may_differ(flow, element) else kernel


def _check_of(says: Callable[[int, int], str]) -> Callable[..., Finding | None]:
    def check(inputs: Sequence[Any], outputs: Sequence[Any]) -> Finding | None:
        size, index = inputs[0].shape[0], inputs[1]

        def error(place: tuple[int, ...], value: list[int]) -> Exception:
            return invalid_argument(says(value[0], size))

        return first_wrong((index < 0) | (index >= size), index, error)

    return check


def _check_room(inputs: Sequence[Any], outputs: Sequence[Any]) -> Finding | None:
    """Whether a write is within the room that a loop has made: its first and its last iteration told how much that is."""
    index, size = inputs[1], outputs[0].shape[0]
    if room_is_enough() and index.ndim == 0:
        return None

    def error(place: tuple[int, ...], value: list[int]) -> Exception:
        if value[0] < 0:
            return invalid_argument(_no_such_place(value[0], size))
        return NeedsValue("TensorArray.write: the size after it depends on the values of tensors")

    return first_wrong((index < 0) | (index >= size), index, error)


def _no_element(index: int, size: int) -> str:
    return f"Trying to access element {index} in a list with {size} elements."


def _no_such_place(index: int, size: int) -> str:
    return f"Tried to write to index {index} but array is not resizeable and size is: {size}"


READ.check = _check_of(_no_element)
WRITE.check = WRITE_VARIED.check = SCATTER.check = _check_of(_no_such_place)
WRITE_VARIED.tells_unwritten = WRITE_GROWING_VARIED.tells_unwritten = True
for _closed, _kernel in _OPEN.items():
    _kernel.check = _closed.check
for _kernel in _GROWING:
    _kernel.check = _check_room
for _kernel in (*_OPEN, *_OPEN.values(), WRITE_VARIED, *_GROWING):
    _kernel.checked = True
takes_element[READ.name] = lambda kernel: Along(0)
SIZE = Kernel("TensorArraySizeV3", _size, differentiable=0)
SIZE.in_pieces = lambda operands: [convert(len(operands[0].rows), int32)] if in_pieces(operands) else None
for _kernel in (WRITE, _OPEN[WRITE], WRITE_VARIED, *_GROWING):
    _kernel.named = lambda operands, grows=_kernel in _GROWING: {
        **dict(zip(("flow", "index", "value"), operands, strict=False)),
        "grows": grows,
    }


def rows_spec(dtype: Any, count: Any, shape: Any) -> Spec:
    """The type of so many elements of a shape, whose rank need not be known."""
    return Spec.of(dtype, UNRANKED if shape is UNRANKED else (count, *shape))


def open_shape(shape: TensorShape) -> Any:
    """A static shape as types have it."""
    return UNRANKED if shape.rank is None else tuple(shape.as_list())


def grown_specs(flow: Tensor, index: Tensor, shape: Any) -> Spec:
    """The type of the elements, which are of such a shape, after a write that may be past the end."""
    if shape is UNRANKED or flow.spec.shape is UNRANKED:
        return rows_spec(flow.dtype, None, shape)
    n = flow.spec.shape[0]
    if n is None or is_symbolic(index):
        return Spec.of(flow.dtype, (None, *shape))  # type: ignore[arg-type]
    return Spec.of(flow.dtype, (max(n, int(np.asarray(index.array)) + 1), *shape))
