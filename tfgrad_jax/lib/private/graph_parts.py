"""Private functions with which TensorFlow's tests make branches, loops and Jacobians of graphs, and attributes of operations."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.tape.graph_gradients import as_if_taped
from tfgrad_jax.engine.values import nest
from tfgrad_jax.engine.values.dtypes import as_dtype
from tfgrad_jax.engine.values.shapes import as_shape
from tfgrad_jax.ops.control.control_flow import while_loop as loop

_P = "python.ops.parallel_for.gradients."
_STRING, _TYPE, _SHAPE = 0, 4, 5


@export("python.ops.while_v2.while_loop")
def while_loop(
    cond: Any,
    body: Any,
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    maximum_iterations: Any = None,
    name: str | None = None,
    return_same_structure: bool = True,
    back_prop: bool = True,
) -> Any:
    """`tf.while_loop`, which may give a single variable without the list that it came in."""
    found = loop(cond, body, loop_vars, shape_invariants, maximum_iterations=maximum_iterations, name=name)
    alone = not return_same_structure and isinstance(found, (list, tuple)) and len(found) == 1
    return found[0] if alone else found


@export(_P + "jacobian")
def jacobian(output: Any, inputs: Any, use_pfor: bool = True, parallel_iterations: int | None = None) -> Any:
    """The Jacobians of a tensor of a graph with respect to a nest of tensors."""
    tape = as_if_taped("jacobian", nest.flatten(inputs))
    return tape.jacobian(output, inputs, experimental_use_pfor=use_pfor, parallel_iterations=parallel_iterations)


@export(_P + "batch_jacobian")
def batch_jacobian(output: Any, inp: Any, use_pfor: bool = True, parallel_iterations: int | None = None) -> Any:
    """The Jacobians of the rows of a tensor of a graph with respect to those of another one."""
    tape = as_if_taped("batch_jacobian", [inp])
    return tape.batch_jacobian(output, inp, experimental_use_pfor=use_pfor, parallel_iterations=parallel_iterations)


@export("python.eager.backprop.make_attr")
def make_attr(attr_type: Any, value: Any) -> Any:
    """An attribute of an operation as its gradient sees it; a kind in a list stands for lists of it."""
    if isinstance(attr_type, list):
        return [make_attr(attr_type[0], one) for one in value]
    if attr_type == _TYPE:
        return as_dtype(value)
    if attr_type == _SHAPE:
        return as_shape(value).as_proto()
    return value.encode() if attr_type == _STRING and isinstance(value, str) else value
