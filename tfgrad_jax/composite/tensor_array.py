"""`tf.TensorArray`: tensors by index, written one by one.

As long as every index is known it is a list of tensors ("rows"). In a loop of a graph, where the index is the loop's, it is one
tensor with the elements along its first dimension (the "flow"), which travels through the loop like any variable.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfgrad_jax.composite.tensor_array_kernels import (
    DIVIDED,
    FILLED,
    JOINED,
    PACKED,
    READ,
    READ_VARIED,
    SCATTER,
    SIZE,
    STACKED,
    STACKED_KNOWN,
    WRITE,
    WRITE_GROWING,
    WRITE_GROWING_OPEN,
    WRITE_GROWING_VARIED,
    WRITE_VARIED,
    bad_lengths,
    fitting,
    grown_specs,
    may_differ,
    open_shape,
    rows_spec,
    write_now,
)
from tfgrad_jax.engine.control.body import run_typed
from tfgrad_jax.engine.declare.attributes import is_symbolic
from tfgrad_jax.engine.kernels.limits import check_shape
from tfgrad_jax.engine.messages import errors
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.eager import executing_eagerly
from tfgrad_jax.engine.run.execute import execute, misfit
from tfgrad_jax.engine.values.composite import CompositeSpec, Traveller
from tfgrad_jax.engine.values.convert import convert, convert_to_tensor
from tfgrad_jax.engine.values.dtypes import DType, as_dtype, float32, int32
from tfgrad_jax.engine.values.shapes import UNRANKED, TensorShape
from tfgrad_jax.engine.values.spec_names import register
from tfgrad_jax.engine.values.specs import TensorSpec
from tfgrad_jax.engine.values.symbolic import open_trials
from tfgrad_jax.engine.values.tensor import Spec, Tensor
from tfgrad_jax.ops.array.array import concat, split, stack, unstack
from tfgrad_jax.ops.array.creation import zeros, zeros_like
from tfgrad_jax.ops.array.gather import gather
from tfgrad_jax.ops.array.shape import reshape
from tfgrad_jax.ops.array.sizes import shape
from tfgrad_jax.ops.common import integer_operand

_ROW_BYTES = 8
"""The bytes that a row takes before it is written."""


@export("TensorArray")
class TensorArray(Traveller):
    """Tensors of one dtype by index. Mirrors `tf.TensorArray`.

    Args:
      dtype: of the elements.
      size: how many there are.
      dynamic_size: whether a write past the end makes room.
      clear_after_read: whether, eagerly, an element can be read only once; True if not given.
      tensor_array_name, handle, colocate_with_first_write_call, name: accepted for compatibility.
      flow: a tensor with the elements along its first dimension.
      infer_shape: whether all elements must have one shape.
      element_shape: what is known of that.

    Raises:
      ValueError: if neither `size` nor `flow` is given.
    """

    def __init__(
        self,
        dtype: Any,
        size: Any = None,
        dynamic_size: bool | None = None,
        clear_after_read: bool | None = None,
        tensor_array_name: Any = None,
        handle: Any = None,
        flow: Any = None,
        infer_shape: bool = True,
        element_shape: Any = None,
        colocate_with_first_write_call: bool = True,
        name: Any = None,
    ) -> None:
        if size is None and flow is None:
            raise ValueError("tf.TensorArray: `size` must be declared (or `flow` be given)")
        self._dtype = as_dtype(dtype)
        self._dynamic_size = bool(dynamic_size)
        self._clear_after_read = clear_after_read is None or bool(clear_after_read)
        self._infer = infer_shape
        self._element_shape = TensorShape(element_shape)
        self._birth: Callable[[Spec], Tensor] | None = None
        self._unshaped = False  # whether the flow was made before the elements' shape is known
        self._flow: Tensor | None = flow
        self._rows: list[Tensor | None] | None = None
        self._cleared: set[int] = set()
        self._size: Any = None
        if flow is None:
            count = convert(size, int32) if not isinstance(size, Tensor) else size
            if is_symbolic(count):
                self._size = count
            else:
                self._rows = [None] * int(np.asarray(count.array))

    # -- what it is ---------------------------------------------------------------------------------------------------

    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        return self._dtype

    @property
    def dynamic_size(self) -> bool:
        """Whether a write past the end makes room."""
        return self._dynamic_size

    @property
    def element_shape(self) -> TensorShape:
        """The static shape of the elements, as far as it is known."""
        return self._element_shape

    @property
    def flow(self) -> Any:
        """The tensor with the elements; None as long as their shape is not known."""
        return self.value()

    @property
    def handle(self) -> None:
        """None: there is no resource behind it."""
        return None

    def _with(self, flow: Tensor | None = None, rows: list[Tensor | None] | None = None) -> TensorArray:
        """This array with other contents; eagerly, this very array."""
        if executing_eagerly() and flow is None:
            self._rows = rows
            return self
        new = TensorArray.__new__(TensorArray)
        new.__dict__.update(self.__dict__)
        new._flow, new._rows, new._birth, new._unshaped = flow, rows, None, False
        if flow is not None and self._infer:
            new._element_shape = (
                self._element_shape.merge_with(flow.shape[1:])
                if None not in flow.spec.shape[1:]
                else self._element_shape
            )
        return new

    def apart(self, grows: bool | None = None) -> TensorArray:
        """A copy: what is written to it eagerly leaves this array alone, as it does in graphs.

        Args:
          grows: whether a write past the end makes room; as here, if that is not said.
        """
        new = TensorArray.__new__(TensorArray)
        new.__dict__.update(self.__dict__)
        new._dynamic_size = self._dynamic_size if grows is None else grows
        new._rows = None if self._rows is None else list(self._rows)
        new._cleared = set(self._cleared)
        return new

    def identity(self) -> TensorArray:
        """The same array."""
        return self

    @property
    def _type_spec(self) -> TensorArraySpec:
        return TensorArraySpec(self._element_shape, self._dtype, self._dynamic_size, self._infer)

    # -- travelling ---------------------------------------------------------------------------------------------------

    def value(self, spec: Spec | None = None) -> Tensor | None:
        if self._flow is not None:
            return self._flow
        if self._rows is not None and any(r is not None for r in self._rows):
            return self._together()
        if spec is not None:
            # Of an unknown rank there are no elements yet, either.
            shape: Sequence[Any] = [None] if spec.shape is UNRANKED and self._birth is None else spec.shape[1:]
        elif self._element_shape.is_fully_defined():
            shape = self._element_shape.as_list()
        else:
            return None
        if self._birth is not None:
            return self._born(tuple(shape))
        count = self._size if self._rows is None else len(self._rows)
        if self._element_shape.is_fully_defined():
            shape = self._element_shape.as_list()
        # An unknown dimension has no elements yet: the first write knows better.
        return zeros([count, *(0 if n is None else n for n in shape)], self._dtype)

    def _shaped(self, shape: tuple[Any, ...]) -> Tensor:
        """The flow, once the first element tells the shape."""
        flow: Any = self._flow
        if self._unshaped:
            flow.known_spec = rows_spec(self._dtype, None, shape)
            flow.trials = open_trials(flow.known_spec)
            self._unshaped = False
        return flow

    def _any(self, shape: Any) -> Any:
        """The shape of all elements where one has this."""
        if self._infer or shape is UNRANKED:
            return shape
        return open_shape(self._element_shape) if self._element_shape.rank is not None else (None,) * len(shape)

    def _born(self, shape: tuple[Any, ...]) -> Tensor:
        count = None if self._dynamic_size or self._rows is None else len(self._rows)
        assert self._birth is not None
        self._flow = self._birth(rows_spec(self._dtype, count, shape))
        return self._flow

    def entering(self, place: Callable[[Spec], Tensor]) -> TensorArray:
        inside = TensorArray.__new__(TensorArray)
        inside.__dict__.update(self.__dict__)
        value = self.value()
        if value is None:
            inside._birth = place
            return inside
        shape = value.spec.shape
        inside._flow, inside._rows = (
            place(rows_spec(self._dtype, None if self._dynamic_size else shape[0], shape[1:])),
            None,
        )
        return inside

    def leaving(self, tensor: Tensor) -> TensorArray:
        new = TensorArray.__new__(TensorArray)
        new.__dict__.update(self.__dict__)
        new._flow, new._rows, new._birth = tensor, None, None
        return new

    # -- writing ------------------------------------------------------------------------------------------------------

    def _element(self, value: Any) -> Tensor:
        tensor = convert_to_tensor(value, dtype_hint=self._dtype)
        if tensor.dtype is not self._dtype:
            raise invalid_argument(
                f"TensorArray dtype is {self._dtype.name} but Op is trying to write dtype {tensor.dtype.name}; tf.cast the value"
            )
        return tensor

    def _fits(self, shape: TensorShape) -> None:
        if not self._infer:
            return
        if not self._element_shape.is_compatible_with(shape):
            raise ValueError(
                f"TensorArray: Inconsistent shapes: saw {shape} but expected {self._element_shape}; infer_shape=False allows that"
            )
        merged = self._element_shape.merge_with(shape)
        if executing_eagerly() or self._flow is not None:
            self._element_shape = merged

    def write(self, index: Any, value: Any, name: Any = None) -> TensorArray:
        """Put an element at an index.

        Returns:
          The array with it, which takes the place of this one.

        Raises:
          OutOfRangeError: eagerly, if there is no such index.
          InvalidArgumentError: in a graph, if that is known; or if the value has another dtype.
          ValueError: if the value has another shape than other elements.
        """
        tensor = self._element(value)
        at = integer_operand(index, int32)
        if self._rows is not None and self._birth is None and not is_symbolic(at) and self._flow is None:
            return self._write_row(int(np.asarray(at.array)), tensor)
        self._fits(tensor.shape)
        shape = tensor.spec.shape
        flow = self._shaped(shape)
        if flow is None:
            flow = self.value(rows_spec(self._dtype, 0, shape)) if self._birth is None else self._born(self._any(shape))
        assert flow is not None
        after = _written_shape(flow, tensor, self._infer)
        varied = after != shape or UNRANKED in (shape, flow.spec.shape)
        if not self._dynamic_size and (varied or (not self._infer and may_differ(flow, shape))):
            (out,) = run_typed(
                WRITE_VARIED, (flow, at, tensor), [rows_spec(self._dtype, flow.shape.rank and flow.shape[0], after)]
            )
        elif not self._dynamic_size:
            out = execute(fitting(WRITE, flow, shape), (flow, at, tensor))
        elif executing_eagerly():
            (out,) = write_now((flow, at, tensor))
        else:
            known = shape is not UNRANKED and None not in shape
            growing = WRITE_GROWING_VARIED if not self._infer else WRITE_GROWING if known else WRITE_GROWING_OPEN
            (out,) = run_typed(growing, (flow, at, tensor), [grown_specs(flow, at, after)])
        new = self._with(flow=out)
        if self._infer:
            new._element_shape = self._element_shape.merge_with(tensor.shape)
        return new

    def _write_row(self, at: int, tensor: Tensor) -> TensorArray:
        assert self._rows is not None
        rows = self._rows if executing_eagerly() else list(self._rows)
        if at < 0:
            raise _out_of_range(f"Writing to negative indices (index {at}) is not allowed.")
        if at >= len(rows):
            if not self._dynamic_size:
                raise _out_of_range(
                    f"Tried to write to index {at} but array is not resizeable and size is: {len(rows)}"
                )
            check_shape("TensorArrayWriteV3", (at + 1,), _ROW_BYTES)
            rows.extend([None] * (at + 1 - len(rows)))
        self._fits(tensor.shape)
        rows[at] = tensor
        self._cleared.discard(at)
        new = self._with(rows=rows)
        if self._infer:
            new._element_shape = self._element_shape.merge_with(tensor.shape)
        return new

    def unstack(self, value: Any, name: Any = None) -> TensorArray:
        """Fill the array with the slices of a tensor along its first dimension.

        Raises:
          ValueError: eagerly, if there are more slices than room.
        """
        tensor = self._element(value)
        count = tensor.spec.shape[0]
        if self._rows is not None and not self._dynamic_size and count is not None and count > len(self._rows):
            message = f"Cannot unstack {count} tensors into a TensorArray of static size {len(self._rows)}"
            raise ValueError(message) if executing_eagerly() else invalid_argument(message)
        self._fits(tensor.shape[1:])
        if not executing_eagerly():
            return self._with(flow=execute(FILLED, (tensor,)) if may_differ(tensor) else tensor)
        return self._with(rows=list(unstack(tensor)))

    def scatter(self, indices: Any, value: Any, name: Any = None) -> TensorArray:
        """Put the slices of a tensor at indices."""
        tensor, at = self._element(value), integer_operand(indices, int32)
        if is_symbolic(at) or self._rows is None:
            self._fits(tensor.shape[1:])
            flow = self.value(tensor.spec)
            assert flow is not None
            return self._with(flow=execute(fitting(SCATTER, flow, _after_first(tensor)), (flow, at, tensor)))
        new: TensorArray = self
        places = np.asarray(at.array).tolist()
        count = None if tensor.shape.rank is None or tensor.spec.shape[0] is not None else len(places)
        for i, row in zip(places, unstack(tensor, count), strict=True):
            new = new.write(i, row)
        return new

    def split(self, value: Any, lengths: Any, name: Any = None) -> TensorArray:
        """Fill the array with pieces of a tensor, of the given lengths.

        Raises:
          InvalidArgumentError: if the lengths do not add up.
        """
        tensor, counts = self._element(value), convert(lengths)
        if is_symbolic(counts) or (not executing_eagerly() and tensor.spec.tensor_shape[:1] == [None]):
            n = counts.spec.shape[0] if counts.spec.shape not in (UNRANKED, ()) else None
            element = UNRANKED if tensor.shape.rank is None else (None, *tensor.spec.shape[1:])
            return self._with(flow=run_typed(DIVIDED, [tensor, counts], [rows_spec(self._dtype, n, element)])[0])
        if counts.shape.rank != 1:
            raise misfit(
                f"Expected lengths to be a vector, received shape: {counts.shape.as_list()}", "TensorListSplit"
            )
        sizes = np.asarray(counts.array).tolist()
        if executing_eagerly() and self._rows is not None and not self._dynamic_size and len(sizes) != len(self._rows):
            raise invalid_argument(
                f"TensorArray's size is not equal to the size of lengths ({len(self._rows)} vs. {len(sizes)}), and the TensorArray "
                f"is not marked as dynamically resizeable",
                "TensorListSplit",
            )
        if not tensor.shape.rank or sum(sizes) != tensor.spec.shape[0]:
            raise misfit(bad_lengths(sizes, tensor.shape), "TensorListSplit")
        pieces = split(tensor, sizes)
        if (
            not executing_eagerly()
        ):  # TensorFlow's eager arrays take pieces of several lengths, and forget them for what comes
            for piece in pieces:
                self._fits(piece.shape)
        return self._with(rows=list(pieces))

    def close(self, name: Any = None) -> None:
        """Forget the elements."""
        if executing_eagerly():
            self._rows = []

    # -- reading ------------------------------------------------------------------------------------------------------

    def _row(self, at: int, others: Sequence[int] | None = None) -> Tensor:
        """An element; zeros if it was not written, in a graph of the shape that these others have, all where none are given."""
        assert self._rows is not None
        row = self._rows[at]
        if row is not None:
            return row
        if self._element_shape.is_fully_defined():
            return zeros(self._element_shape, self._dtype)
        message = f"TensorArray: element {at} was not written, and the shape of the elements is not known"
        if executing_eagerly():
            raise ValueError(message)
        written = self._written(others)
        shapes = {open_shape(row.shape) for row in written}
        if written and (self._infer or (len(shapes) == 1 and written[0].shape.is_fully_defined())):
            return zeros_like(written[0])
        if not all([row.shape.is_fully_defined() for row in written]):
            return execute(READ_VARIED, (self._with_holes(others), convert(at, int32)))
        said = f": those written are of the shapes {sorted(map(str, shapes))}" if shapes else ""
        raise invalid_argument(message + said, "TensorListGetItem")

    def _written(self, places: Sequence[int] | None = None) -> list[Tensor]:
        assert self._rows is not None
        rows = self._rows if places is None else [self._rows[i] for i in places]
        return [row for row in rows if row is not None]

    def read(self, index: Any, name: Any = None) -> Tensor:
        """The element at an index; zeros if there was none written.

        Raises:
          OutOfRangeError: eagerly, if there is no such index.
          InvalidArgumentError: eagerly, if it was read before and `clear_after_read` is on; in a graph, if it is known to be out
            of range.
        """
        at = integer_operand(index, int32)
        if self._rows is None or is_symbolic(at) or (self._birth is not None and self._flow is None):
            flow = self.value()
            if flow is None:
                raise invalid_argument(
                    "TensorArray: an element is read, but none was written and the elements' shape is not known"
                )
            return execute(fitting(READ, flow), (flow, at))
        k = int(np.asarray(at.array))
        if not 0 <= k < len(self._rows):
            raise _out_of_range(f"Tried to read from index {k} but array size is: {len(self._rows)}")
        if not executing_eagerly():
            return self._row(k)
        if self._rows[k] is None and k in self._cleared:
            raise invalid_argument(
                f"Could not read index {k} twice because it was cleared after a previous read (perhaps try setting "
                f"clear_after_read = false?)"
            )
        value = self._row(k)
        if self._clear_after_read:
            self._rows[k] = None
            self._cleared.add(k)
        return value

    def _together(self) -> Tensor:
        """The elements as one tensor, which travels: they may differ in shape, and in a graph some may not be written yet."""
        assert self._rows is not None
        common = functools.reduce(TensorShape.most_specific_compatible_shape, [row.shape for row in self._written()])
        if not executing_eagerly() and not self._infer and None in self._rows and common.rank:
            return self._with_holes()
        rows = [self._row(i) for i in range(len(self._rows))]
        if common.is_fully_defined():
            return stack(rows)
        return run_typed(PACKED, rows, [rows_spec(self._dtype, len(rows), open_shape(common))])[0]

    def _with_holes(self, places: Sequence[int] | None = None) -> Tensor:
        """The elements, or those at some places, as one tensor in which the others are told from those that were written."""
        assert self._rows is not None
        rank = self._written()[0].shape.rank
        flow: Tensor = zeros([len(self._rows), *[0] * (rank or 1)], self._dtype)
        for i, row in enumerate(self._rows):
            if row is not None and (places is None or i in places):
                spec = rows_spec(self._dtype, len(self._rows), _written_shape(flow, row, False))
                (flow,) = run_typed(WRITE_VARIED, (flow, convert(i, int32), row), [spec])
        return flow

    def stack(self, name: Any = None) -> Tensor:
        """All elements, along a new first dimension."""
        rows = self._rows if self._flow is None and self._birth is None else None
        if rows is not None and not rows:
            if not executing_eagerly() and not self._element_shape.is_fully_defined():
                raise invalid_argument(
                    "TensorArray: Tried to stack elements of an empty list whose elements' shape is not known"
                )
            known = self._element_shape.as_list() if self._element_shape.is_fully_defined() else []
            return zeros([0, *known], self._dtype)
        if rows is not None and (executing_eagerly() or self._infer):
            return stack([self._row(i) for i in range(len(rows))])
        flow = self.value()
        if flow is None:
            raise invalid_argument(
                "TensorArray: Tried to stack elements of which none was written and the shape is not known"
            )
        if not may_differ(flow):
            return flow
        return execute(STACKED_KNOWN if self._element_shape.is_fully_defined() else STACKED, (flow,))

    def gather(self, indices: Any, name: Any = None) -> Tensor:
        """The elements at some indices, along a new first dimension."""
        at = integer_operand(indices, int32)
        if self._rows is None or is_symbolic(at):
            flow = self.value()
            return (
                gather(self.stack(), at)
                if flow is None or not may_differ(flow)
                else execute(fitting(READ, flow), (flow, at))
            )
        wanted = np.asarray(at.array).tolist()
        if not executing_eagerly() and any(not 0 <= i < len(self._rows) for i in wanted):
            raise invalid_argument(f"Trying to gather elements {wanted} in a list with {len(self._rows)} elements.")
        return stack([self._row(i, wanted) for i in wanted])

    def concat(self, name: Any = None) -> Tensor:
        """All elements, joined along their first dimension."""
        if self._rows is not None and self._flow is None and self._birth is None:
            return concat([self._row(i) for i in range(len(self._rows))], 0)
        flow = self.value()
        if flow is None:
            flow = self.stack()
        if flow.spec.shape is UNRANKED:
            return run_typed(JOINED, [flow], [Spec.of(self._dtype, UNRANKED)])[0]
        if len(flow.spec.shape) < 2:
            raise invalid_argument("Concat saw a scalar shape at index 0 but requires at least vectors.")
        if may_differ(flow):
            return run_typed(JOINED, [flow], [rows_spec(self._dtype, None, flow.spec.shape[2:])])[0]
        return reshape(flow, [-1, *_dimensions(flow)[2:]])

    def size(self, name: Any = None) -> Tensor:
        """How many elements there are, as an int32 scalar."""
        if self._birth is not None and self._dynamic_size and self._flow is None:
            self._born(())
            self._unshaped = True
        elif self._rows is not None and self._flow is None:
            return convert(len(self._rows), int32)
        if self._flow is None or (not self._dynamic_size and self._size is not None):
            return self._size
        if not self._dynamic_size and self._flow.spec.shape[0] is not None:
            return convert(self._flow.spec.shape[0], int32)
        return execute(SIZE, (self._flow,))

    def grad(self, source: Any, flow: Any = None, name: Any = None) -> Any:
        """Not there: gradients flow through the elements by themselves."""
        raise NotImplementedError(
            "TensorArray.grad: gradients of a TensorArray are those of the tensors in it; ask a tape"
        )


@export("TensorArraySpec")
@register("tf.TensorArraySpec")
class TensorArraySpec(CompositeSpec):
    """The type of a `TensorArray`. Mirrors `tf.TensorArraySpec`.

    Args:
      element_shape: what is known of the elements' shape.
      dtype: of the elements.
      dynamic_size, infer_shape: as of the array.
    """

    travels = True

    def __init__(
        self, element_shape: Any = None, dtype: Any = float32, dynamic_size: bool = False, infer_shape: bool = True
    ) -> None:
        self._element_shape = TensorShape(element_shape)
        self._dtype = as_dtype(dtype)
        self._dynamic_size = dynamic_size
        self._infer_shape = infer_shape

    @property
    def value_type(self) -> Any:
        """`tf.TensorArray`."""
        return TensorArray

    def _serialize(self) -> tuple[Any, ...]:
        return self._element_shape, self._dtype, self._dynamic_size, self._infer_shape

    @property
    def _component_specs(self) -> tuple[TensorSpec, ...]:
        return (TensorSpec(TensorShape([None]).concatenate(self._element_shape), self._dtype),)

    def _to_components(self, value: TensorArray) -> tuple[Any, ...]:
        return (value.flow,)

    def _from_components(self, components: Any) -> TensorArray:
        (flow,) = components
        return TensorArray(
            self._dtype,
            dynamic_size=self._dynamic_size,
            flow=flow,
            infer_shape=self._infer_shape,
            element_shape=self._element_shape,
        )


def _written_shape(flow: Tensor, value: Tensor, alike: bool) -> Any:
    """The shape of the elements after a write: that of the value, if all are of one shape; otherwise what they have in common."""
    if alike:
        return value.spec.shape
    known = TensorShape(None) if flow.spec.shape is UNRANKED else TensorShape(flow.spec.shape[1:])
    return open_shape(known.most_specific_compatible_shape(value.shape))


def _after_first(tensor: Tensor) -> Any:
    return UNRANKED if tensor.spec.shape is UNRANKED else tensor.spec.shape[1:]


def _dimensions(tensor: Any) -> list[Any]:
    static = tensor.spec.shape
    sizes: Any = shape(tensor)
    return [sizes[i] if n is None else n for i, n in enumerate(static)]


def _out_of_range(message: str) -> Exception:
    return errors.OutOfRangeError(None, None, message) if executing_eagerly() else invalid_argument(message)
