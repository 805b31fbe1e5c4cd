"""`tf.compat.v1`'s functions of variables: assignments, collections, initializers that have nothing left to do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfgrad_jax.engine.composite.indexed_slices import IndexedSlices
from tfgrad_jax.engine.messages.errors import OutOfRangeError
from tfgrad_jax.engine.names.export import export, export_value
from tfgrad_jax.engine.run.eager import executing_eagerly, recording_for_sessions
from tfgrad_jax.engine.state.synchronization import VariableAggregation, VariableSynchronization
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.tensor import Spec, Tensor
from tfgrad_jax.lib.v1.collections import GraphKeys, get_collection, keep_in
from tfgrad_jax.ops.array.creation import zeros


@export("compat.v1.Variable")
class VariableV1(Variable):
    """Makes a `tf.Variable` of version 1's arguments; none is an instance of this class. Mirrors `tf.compat.v1.Variable`.

    Args:
      initial_value, trainable, name, dtype, constraint, synchronization, aggregation, shape: as `tf.Variable` takes them.
      collections: where the graph keeps it.
      use_resource: False lets a session that fetches it give what it holds in the end.
      validate_shape, caching_device, variable_def, expected_shape, import_scope, experimental_enable_variable_lifting: accepted
        only.
    """

    def __new__(
        cls, initial_value: Any = None, trainable: bool | None = None, collections: Any = None, validate_shape: bool = True,
        caching_device: Any = None, name: str | None = None, variable_def: Any = None, dtype: Any = None,
        expected_shape: Any = None, import_scope: Any = None, constraint: Any = None, use_resource: Any = None,
        synchronization: Any = VariableSynchronization.AUTO, aggregation: Any = VariableAggregation.NONE, shape: Any = None,
        experimental_enable_variable_lifting: bool | None = None,
    ) -> Any:  # fmt: skip
        made = Variable(
            initial_value, trainable=trainable, name=name, dtype=dtype, constraint=constraint, synchronization=synchronization,
            aggregation=aggregation, shape=shape,
        )  # fmt: skip
        if recording_for_sessions():
            context.graph.keep_kind(made, use_resource)
            if collections is not None:
                keep_in(made, collections)
        return made


def _variable(ref: Any, name: str) -> Any:
    if not isinstance(ref, Variable):
        raise AttributeError(f"tf.compat.v1.{name}: ref must be a tf.Variable, got {type(ref).__name__}")
    return ref


@export("compat.v1.assign")
def assign(ref: Any, value: Any, validate_shape: Any = None, use_locking: Any = None, name: str | None = None) -> Any:
    """Replace a variable's value. Mirrors `tf.compat.v1.assign`.

    Args:
      ref: the variable.
      value: the new value.
      validate_shape, use_locking, name: accepted for compatibility.

    Returns:
      The variable.

    Raises:
      AttributeError: if `ref` is no variable.
      ValueError: if the shape does not fit.
    """
    return _variable(ref, "assign").assign(value)


@export("compat.v1.assign_add")
def assign_add(ref: Any, value: Any, use_locking: Any = None, name: str | None = None) -> Any:
    """Add to a variable. Mirrors `tf.compat.v1.assign_add`; see `assign`."""
    return _variable(ref, "assign_add").assign_add(value)


@export("compat.v1.assign_sub")
def assign_sub(ref: Any, value: Any, use_locking: Any = None, name: str | None = None) -> Any:
    """Subtract from a variable. Mirrors `tf.compat.v1.assign_sub`; see `assign`."""
    return _variable(ref, "assign_sub").assign_sub(value)


def _rows(how: str) -> Callable[..., Any]:
    name = f"scatter_{how}"

    def scatter(ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None) -> Any:
        variable = _variable(ref, f"scatter_{how}")
        return getattr(variable, f"scatter_{how}")(IndexedSlices(convert(updates, variable.dtype), convert(indices)))

    scatter.__name__ = scatter.__qualname__ = name
    scatter.__doc__ = (
        f"`tf.Variable.{name}` of indices and updates; returns the variable. Mirrors `tf.compat.v1.{name}`."
    )
    return scatter


def _places(how: str) -> Callable[..., Any]:
    name = f"scatter_nd_{how}"

    def scatter(ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None) -> Any:
        return getattr(_variable(ref, f"scatter_nd_{how}"), f"scatter_nd_{how}")(indices, updates)

    scatter.__name__ = scatter.__qualname__ = name
    scatter.__doc__ = f"`tf.Variable.{name}`; returns the variable. Mirrors `tf.compat.v1.{name}`."
    return scatter


for _how in ("add", "sub", "mul", "div", "max", "min", "update"):
    export_value(_rows(_how), f"compat.v1.scatter_{_how}")
for _how in ("add", "sub", "update"):
    export_value(_places(_how), f"compat.v1.scatter_nd_{_how}")


@export("compat.v1.batch_scatter_update")
def batch_scatter_update(
    ref: Any, indices: Any, updates: Any, use_locking: bool = True, name: str | None = None
) -> Any:
    """Set rows within each batch. Mirrors `tf.compat.v1.batch_scatter_update`; returns the variable."""
    variable = _variable(ref, "batch_scatter_update")
    return variable.batch_scatter_update(IndexedSlices(convert(updates, variable.dtype), convert(indices)))


@export("compat.v1.count_up_to")
def count_up_to(ref: Any, limit: int, name: str | None = None) -> Tensor:
    """The value of an integer variable, which is one greater afterwards. Mirrors `tf.compat.v1.count_up_to`.

    Raises:
      OutOfRangeError: if it has reached `limit`.
      NotImplementedError: in a function.
    """
    variable = _variable(ref, "count_up_to")

    def count(value: Any) -> Any:
        if np.asarray(value) >= limit:
            raise OutOfRangeError(None, None, f"Reached limit of {limit} [Op:ResourceCountUpTo] name: ")
        variable.assign_add(1)
        return [value]

    graph: Any = context.graph
    if graph is not None and graph.on_demand:
        return graph.act("CountUpTo", count, [graph.read(variable.box)], [variable.box.declared], name)[1][0]
    if not executing_eagerly():
        raise NotImplementedError(
            "tf.compat.v1.count_up_to in a tf.function: use assign_add and tf.debugging.assert_less"
        )
    return count(convert(variable.numpy()))[0]


def _of_collection(key: str, *names: str) -> None:
    def variables(scope: str | None = None) -> list[Any]:
        return get_collection(key, scope)

    variables.__name__ = variables.__qualname__ = names[0]
    variables.__doc__ = f"The variables in the collection {key!r}, which stays empty unless a program adds to it."
    export_value(variables, *(f"compat.v1.{name}" for name in names))


_of_collection(GraphKeys.GLOBAL_VARIABLES, "global_variables")
_of_collection(GraphKeys.TRAINABLE_VARIABLES, "trainable_variables")
_of_collection(GraphKeys.LOCAL_VARIABLES, "local_variables")
_of_collection(GraphKeys.MODEL_VARIABLES, "model_variables")
_of_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, "moving_average_variables")


@export("compat.v1.all_variables")
def all_variables() -> list[Any]:
    """The older name of `tf.compat.v1.global_variables`."""
    return get_collection(GraphKeys.GLOBAL_VARIABLES)


@export("compat.v1.is_variable_initialized")
def is_variable_initialized(variable: Any) -> Tensor:
    """Whether a variable has its value, which its initializer gives it. Mirrors `tf.compat.v1.is_variable_initialized`."""
    return _variable(variable, "is_variable_initialized").is_initialized()


@export("compat.v1.variables_initializer", "compat.v1.initializers.variables", "compat.v1.initialize_variables")
def variables_initializer(var_list: Any, name: str = "init") -> Any:
    """Gives variables of a session's graph their initial values; eagerly they have them. `tf.compat.v1.variables_initializer`."""
    graph = context.graph
    if graph is None or not graph.on_demand:
        return None
    return graph.all_of([variable.initializer for variable in var_list], name)


def _initializer(key: str, *names: str) -> None:
    def initializer() -> Any:
        return variables_initializer(get_collection(key))

    initializer.__name__ = initializer.__qualname__ = names[0]
    initializer.__doc__ = f"`variables_initializer` of the variables in the collection {key!r}."
    export_value(initializer, *(f"compat.v1.{name}" for name in names))


_initializer(
    GraphKeys.GLOBAL_VARIABLES,
    "global_variables_initializer",
    "initializers.global_variables",
    "initialize_all_variables",
)
_initializer(
    GraphKeys.LOCAL_VARIABLES,
    "local_variables_initializer",
    "initializers.local_variables",
    "initialize_local_variables",
)


@export("compat.v1.initialize_all_tables")
def initialize_all_tables(name: str = "init_all_tables") -> None:
    """Nothing: tables are filled when they are made. Mirrors `tf.compat.v1.initialize_all_tables`."""


@export("compat.v1.assert_variables_initialized")
def assert_variables_initialized(var_list: Any = None) -> Any:
    """Refuse variables without a value, where a session runs it. Mirrors `tf.compat.v1.assert_variables_initialized`."""
    graph: Any = context.graph
    variables = _usual_variables(var_list)
    if graph is None or not graph.on_demand or not variables:
        return None

    def check() -> None:
        for variable in variables:
            graph.require(variable.box)

    return graph.act("Group", check)[0]


@export("compat.v1.report_uninitialized_variables")
def report_uninitialized_variables(var_list: Any = None, name: str = "report_uninitialized_variables") -> Tensor:
    """The names of variables without a value, of which only sessions have any. `tf.compat.v1.report_uninitialized_variables`."""
    graph: Any = context.graph
    if graph is None or not graph.on_demand:
        return zeros([0], dtypes.string)
    variables = _usual_variables(var_list)

    def names() -> list[Any]:
        found = [variable.name.partition(":")[0].encode() for variable in graph.without_value(variables)]
        return [np.array(found, object)]

    return graph.act("BooleanMask", names, (), [Spec.open(dtypes.string, TensorShape([None]))], name)[1][0]


def _usual_variables(var_list: Any) -> list[Any]:
    if var_list is not None:
        return list(var_list)
    return get_collection(GraphKeys.GLOBAL_VARIABLES) + get_collection(GraphKeys.LOCAL_VARIABLES)
