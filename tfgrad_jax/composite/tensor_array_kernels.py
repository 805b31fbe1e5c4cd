"""The kernels of TensorArray: reading and writing rows of one tensor, which may grow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tfgrad_jax.engine.control.loop_program import fixed_sizes
from tfgrad_jax.engine.control.turn import Along, takes_element
from tfgrad_jax.engine.declare.attributes import is_symbolic
from tfgrad_jax.engine.graph.dimensions import sizes_array
from tfgrad_jax.engine.graph.graph import NeedsValue
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.run.checks import Finding
from tfgrad_jax.engine.run.execute import execute
from tfgrad_jax.engine.values.shapes import UNRANKED
from tfgrad_jax.engine.values.tensor import Spec, Tensor
from tfgrad_jax.ops.array.array import concat
from tfgrad_jax.ops.array.creation import zeros
from tfgrad_jax.ops.checks import first_wrong


def _written(flow: Any, index: Any, value: Any) -> Any:
    return _put(flow, index, value, value.shape)


def _scattered(flow: Any, indices: Any, values: Any) -> Any:
    return _put(flow, indices, values, values.shape[1:])


def _put(flow: Any, index: Any, value: Any, element: tuple[int, ...]) -> Any:
    if type(flow) is np.ndarray and flow.dtype == object:
        flow = flow.copy()
        flow[index if index.ndim else int(index)] = value[()]  # an array as index would put an array there
        return flow
    if flow.shape[1:] != element and flow.size == 0:
        flow = jnp.zeros((flow.shape[0], *element), flow.dtype)  # the elements' shape was not known until now
    return jnp.asarray(flow).at[index].set(value)


def _read(flow: Any, index: Any) -> Any:
    # A constant is a NumPy array, which takes no index that JAX traces.
    return flow[index] if type(index) is np.ndarray else jnp.asarray(flow)[index]


def _written_growing(flow: Any, index: Any, value: Any) -> list[Any]:
    if isinstance(index, jax.core.Tracer):
        if not fixed_sizes() or not flow.shape[0]:
            raise NeedsValue("TensorArray.write: the size after it depends on the values of tensors")
        return [_written(flow, index, value)]
    missing = int(index) + 1 - flow.shape[0]
    if missing > 0:
        flow = jnp.concatenate([flow, jnp.zeros((missing, *flow.shape[1:]), flow.dtype)])
    return [_written(flow, index, value)]


def write_now(tensors: Sequence[Tensor]) -> list[Tensor]:
    flow, index, value = tensors
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
WRITE_GROWING = Kernel("TensorArrayWriteV3", _written_growing, differentiable=0b101, interpret=write_now)
READ = Kernel("TensorArrayReadV3", _read, differentiable=0b01)
SCATTER = Kernel("TensorArrayScatterV3", _scattered, differentiable=0b101)


def _check_of(says: Callable[[int, int], str]) -> Callable[..., Finding | None]:
    def check(inputs: Sequence[Any], outputs: Sequence[Any]) -> Finding | None:
        size, index = inputs[0].shape[0], inputs[1]

        def error(place: tuple[int, ...], value: list[int]) -> Exception:
            return invalid_argument(says(value[0], size))

        return first_wrong((index < 0) | (index >= size), index, error)

    return check


READ.check = _check_of(lambda index, size: f"Trying to access element {index} in a list with {size} elements.")
WRITE.check = SCATTER.check = _check_of(
    lambda index, size: f"Tried to write to index {index} but array is not resizeable and size is: {size}"
)
for _kernel in (READ, WRITE, SCATTER):
    _kernel.checked = True
takes_element[READ.name] = lambda kernel: Along(0)
SIZE = Kernel("TensorArraySizeV3", _size, differentiable=0)
for _kernel, _grows in ((WRITE, False), (WRITE_GROWING, True)):
    _kernel.named = lambda operands, grows=_grows: {
        **dict(zip(("flow", "index", "value"), operands, strict=False)),
        "grows": grows,
    }


def rows_spec(dtype: Any, count: Any, shape: Any) -> Spec:
    """The type of so many elements of a shape, whose rank need not be known."""
    return Spec.of(dtype, UNRANKED if shape is UNRANKED else (count, *shape))


def grown_specs(flow: Tensor, index: Tensor, value: Tensor) -> Spec:
    """The type of the elements after a write that may be past the end."""
    shape = value.spec.shape
    if shape is UNRANKED or flow.spec.shape is UNRANKED:
        return rows_spec(flow.dtype, None, shape)
    n = flow.spec.shape[0]
    if n is None or is_symbolic(index):
        return Spec.of(flow.dtype, (None, *shape))  # type: ignore[arg-type]
    return Spec.of(flow.dtype, (max(n, int(np.asarray(index.array)) + 1), *shape))
