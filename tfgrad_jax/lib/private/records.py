"""`tensorflow.python.eager.record`, `.tape` and `.backprop_util`: what tapes see, asked from outside of them."""

from __future__ import annotations

import contextlib
import gc
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tfgrad_jax.engine.composite.indexed_slices import IndexedSlices
from tfgrad_jax.engine.messages.errors import InternalError
from tfgrad_jax.engine.names.export import export, export_value
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.tape.tape import GradientTape
from tfgrad_jax.engine.threads.context import context, set_recorders
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import DType, int64, resource, variant
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.private.framework import should_record_backprop
from tfgrad_jax.ops.array.array import concat
from tfgrad_jax.ops.array.gather import gather
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.math.math import add_n

_R, _T, _U = "python.eager.record.", "python.eager.tape.", "python.eager.backprop_util."

export_value(should_record_backprop, _R + "should_record_backprop")


@export(_R + "stop_recording")
@contextlib.contextmanager
def stop_recording() -> Iterator[None]:
    """A context whose operations no tape sees."""
    before = context.recorders
    set_recorders(())
    try:
        yield
    finally:
        set_recorders(before)


@export(_R + "could_possibly_record")
def could_possibly_record() -> bool:
    """Whether a tape is open here."""
    return any(isinstance(recorder, GradientTape) for recorder in context.recorders)


@export(_R + "record_operation", _R + "record_operation_backprop_only")
def record_operation(
    op_type: str,
    output_tensors: Sequence[Tensor],
    input_tensors: Sequence[Any],
    backward_function: Callable[..., Any],
    forward_function: Any = None,
) -> None:
    """Tell the open tapes of an operation whose gradient is a function of the cotangents of its results.

    Raises:
      InternalError: from a tape's gradient, if the function gives fewer gradients than there are operands.
    """

    def checked(*cotangents: Any) -> Any:
        found = backward_function(*cotangents)
        count = len(found) if isinstance(found, (list, tuple)) else 1
        if count < len(input_tensors):
            raise InternalError(
                None,
                None,
                f"Recorded operation {op_type!r} returned too few gradients. Expected {len(input_tensors)} but received {count}",
            )
        return found

    for recorder in context.recorders:
        recorder.saw_python(list(input_tensors), list(output_tensors), checked)


@export(_R + "VariableWatcher")
class VariableWatcher:
    """A context that knows which trainable variables are read in it."""

    def __init__(self) -> None:
        self._tape = GradientTape(persistent=True)

    def __enter__(self) -> VariableWatcher:
        self._tape.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        self._tape.__exit__(*exception)

    def watched_variables(self) -> tuple[Any, ...]:
        """The variables that were read."""
        return self._tape.watched_variables()


@export(_T + "watch")
def watch(tape: Any, tensor: Any) -> None:
    """Let a tape follow a tensor."""
    tape.watch(tensor)


@export(_T + "variable_accessed")
def variable_accessed(variable: Any) -> None:
    """Tell the open tapes that a variable was read."""
    if variable.trainable:
        for recorder in context.recorders:
            recorder.saw_variable(variable)


@export(_U + "IsTrainable")
def is_trainable(tensor_or_dtype: Any) -> bool:
    """Whether gradients flow through a tensor, or through tensors of a dtype; handles count as what they lead to."""
    dtype = tensor_or_dtype if isinstance(tensor_or_dtype, DType) else tensor_or_dtype.dtype
    return dtype.trainable or dtype in (resource, variant)


@export(_U + "FlattenNestedIndexedSlices")
def flatten_nested_indexed_slices(grad: IndexedSlices) -> IndexedSlices:
    """Slices of slices as slices of the whole."""
    if isinstance(grad.values, IndexedSlices):
        inner = flatten_nested_indexed_slices(grad.values)
        return IndexedSlices(inner.values, gather(grad.indices, inner.indices), grad.dense_shape)
    return grad


@export(_U + "AggregateIndexedSlicesGradients")
def aggregate(grads: Sequence[Any]) -> Any:
    """The sum of some gradients: slices as long as all of them are slices, a tensor otherwise, None for none."""
    given = [grad for grad in grads if grad is not None]
    if len(given) < 2:
        return given[0] if given else None
    if any(isinstance(grad, Tensor) for grad in given):
        return add_n([convert(grad) for grad in given])
    flat = [flatten_nested_indexed_slices(grad) for grad in given]
    indices = [grad.indices for grad in flat]
    if len({one.dtype for one in indices}) > 1:
        indices = [cast(one, int64) for one in indices]
    return IndexedSlices(concat([grad.values for grad in flat], 0), concat(indices, 0), flat[0].dense_shape)


@export("python.framework.memory_checker.MemoryChecker")
class MemoryChecker:
    """A context at whose end there should be no more tensors and variables than before. See `report` and the assertions."""

    def __init__(self) -> None:
        self._snapshots: list[Counter[str]] = []

    def __enter__(self) -> MemoryChecker:
        self.record_snapshot()
        return self

    def __exit__(self, *exception: object) -> None:
        if exception[0] is None:
            self.record_snapshot()

    def record_snapshot(self) -> None:
        """Count what there is now."""
        gc.collect()
        self._snapshots.append(Counter(type(o).__name__ for o in gc.get_objects() if isinstance(o, Tensor | Variable)))

    def report(self) -> None:
        """Nothing: what the assertions find they say."""

    def assert_no_new_python_objects(self, threshold: Any = None) -> None:
        """Nothing was added that lives on.

        Args:
          threshold: how many more there may be, by the name of their class.

        Raises:
          AssertionError: if there are more.
        """
        allowed = threshold or {}
        more = self._snapshots[-1] - self._snapshots[0]
        left = {name: count for name, count in more.items() if count > allowed.get(name, 0)}
        if left:
            raise AssertionError(f"MemoryChecker: more objects than before: {left}")

    def assert_no_leak_if_all_possibly_except_one(self) -> None:
        """Nothing is added between every two snapshots but for one pair.

        Raises:
          AssertionError: if there is.
        """
        steps = [after - before for before, after in zip(self._snapshots, self._snapshots[1:], strict=False)]
        if len(steps) > 1 and sum(bool(step) for step in steps) > 1:
            raise AssertionError(f"MemoryChecker: more objects in each step: {[dict(step) for step in steps]}")
