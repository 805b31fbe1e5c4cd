"""Variables by name: what `tf.compat.v1.get_variable` finds again, or makes."""

from __future__ import annotations

import contextlib
import enum
import functools
import inspect
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any

from tfgrad_jax.engine.graph.func_graph import outermost_graph
from tfgrad_jax.engine.names.export import export_value
from tfgrad_jax.engine.names.scopes import name_scope
from tfgrad_jax.engine.run.eager import (
    executing_eagerly,
    executing_eagerly_outside_functions,
    init_scope,
    recording_for_sessions,
)
from tfgrad_jax.engine.state.synchronization import VariableAggregation, VariableSynchronization
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import as_dtype
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.v1.collections import GraphKeys, add_to_collection, keep_in
from tfgrad_jax.lib.v1.initializers import GlorotUniform, Initializer, Zeros
from tfgrad_jax.lib.v1.partitioned import PartitionedVariable, make_partitioned, partitions_of


class ReuseMode(enum.Enum):
    """Whether `get_variable` may find a variable or make one, as it happens to be."""

    AUTO_REUSE = 1


AUTO_REUSE = export_value(ReuseMode.AUTO_REUSE, "compat.v1.AUTO_REUSE")


class Store:
    """Variables by name, as `get_variable` finds them again."""

    def __init__(self) -> None:
        self.variables: dict[str, Variable] = {}
        self.partitioned: dict[str, PartitionedVariable] = {}

    @contextlib.contextmanager
    def as_default(self) -> Iterator[None]:
        """A context in which `get_variable` looks here, eagerly too."""
        before, _kept.store = _kept.store, self
        try:
            yield
        finally:
            _kept.store = before


class _Kept(threading.local):
    """The store that a template keeps and that is open in this thread."""

    store: Store | None = None


_kept = _Kept()
_of_graphs: weakref.WeakKeyDictionary[Any, Store] = weakref.WeakKeyDictionary()


class _RegularizationLoss:
    """A regularizer's value for a variable, computed when it is read."""

    def __init__(self, regularizer: Callable[[Any], Any], variable: Variable) -> None:
        self._regularizer = regularizer
        self._variable = variable
        self.name = variable.name

    def __tf_tensor__(self, dtype: Any, name: Any) -> Tensor:
        return convert(self._regularizer(self._variable), dtype)


def find_or_make(
    name: str, shape: Any = None, dtype: Any = dtypes.float32, initializer: Any = None, reuse: Any = None, partitioner: Any = None,
    **how: Any,
) -> Any:  # fmt: skip
    """The variable of a name, as `get_variable` takes it, below all scopes: with a partitioner, in pieces."""
    sizes = TensorShape(shape if initializer is None or callable(initializer) else convert(initializer).shape)
    store = _open_store()
    known = None if store is None or not (reuse or _kept.store) else store.partitioned.get(name)
    if sizes.rank == 0 or (partitioner is None and known is None):
        return _find_or_make(name, shape, dtype, initializer, reuse=reuse, **how)
    dtype = as_dtype(dtype)
    if known is not None:
        wanted = known.partitions if partitioner is None else partitions_of(name, partitioner, sizes, dtype)
        if wanted != known.partitions:
            raise ValueError(
                f"Trying to reuse partitioned variable {name}, but specified partitions {wanted} and found partitions "
                f"{known.partitions}."
            )
        return known

    def make(name: str, shape: Any, initializer: Any) -> Variable:
        return _find_or_make(name, shape, dtype, initializer, reuse=reuse, **how)

    partitions = partitions_of(name, partitioner, sizes, dtype)
    first = _usual(name, dtype) if initializer is None else initializer
    whole = make_partitioned(name, sizes, dtype, first, partitions, make)
    if store is not None:
        store.partitioned[name] = whole
    return whole


def named_variables() -> dict[str, Variable]:
    """The variables that `get_variable` finds here, by name; those in pieces as their pieces."""
    store = _open_store()
    return {} if store is None else dict(store.variables)


def _open_store() -> Store | None:
    return _kept.store or (None if executing_eagerly() else _of_graphs.setdefault(outermost_graph(), Store()))


def _find_or_make(
    name: str, shape: Any = None, dtype: Any = dtypes.float32, initializer: Any = None, regularizer: Any = None, reuse: Any = None,
    trainable: Any = None, constraint: Any = None,
    synchronization: Any = VariableSynchronization.AUTO, aggregation: Any = VariableAggregation.NONE, collections: Any = None,
    use_resource: bool | None = None, **unused: Any,
) -> Any:  # fmt: skip
    """The variable of a name in one piece."""
    store = _open_store()
    dtype = as_dtype(dtype)
    if store is not None:
        known = store.variables.get(name)
        reuse = AUTO_REUSE if _kept.store is not None else reuse
        if known is not None and not reuse:
            raise ValueError(
                f"Variable {name} already exists, disallowed. Did you mean to set reuse=True or reuse=tf.AUTO_REUSE in VarScope?"
            )
        if known is not None:
            if shape is not None and not known.shape.is_compatible_with(TensorShape(shape)):
                raise ValueError(
                    f"Trying to share variable {name}, but specified shape {TensorShape(shape)} and found shape {known.shape}."
                )
            if known.dtype is not dtype:
                raise ValueError(
                    f"Trying to share variable {name}, but specified dtype {dtype.name} and found dtype {known.dtype.name}."
                )
            return known
        if reuse is True and _kept.store is None:
            raise ValueError(
                f"Variable {name} does not exist, or was not created with tf.get_variable(). Did you mean to set "
                "reuse=tf.AUTO_REUSE in VarScope?"
            )
    with name_scope(""), contextlib.nullcontext() if executing_eagerly_outside_functions() else init_scope():
        # In a graph for sessions it belongs to that, also where a branch, a loop or a function asks for it.
        variable = Variable(
            _initial(name, shape, dtype, initializer), trainable=trainable, name=name, constraint=constraint,
            synchronization=synchronization, aggregation=aggregation,
        )  # fmt: skip
        if recording_for_sessions():
            context.graph.keep_kind(variable, use_resource)
            if collections is not None:
                keep_in(variable, collections)
    if store is not None:
        store.variables[name] = variable
    if regularizer is not None and recording_for_sessions():
        with name_scope(f"{name}/Regularizer/"):
            loss = regularizer(variable)
        if loss is not None:
            add_to_collection(GraphKeys.REGULARIZATION_LOSSES, loss)
    elif regularizer is not None:
        add_to_collection(GraphKeys.REGULARIZATION_LOSSES, _RegularizationLoss(regularizer, variable))
    return variable


def _usual(name: str, dtype: Any) -> Initializer:
    """The initializer of a variable that is given none."""
    if not (dtype.is_floating or dtype.is_integer or dtype.is_bool or dtype is dtypes.string):
        raise ValueError(f"An initializer for variable {name} of {dtype} is required")
    return GlorotUniform() if dtype.is_floating else Zeros()


def _initial(name: str, shape: Any, dtype: Any, initializer: Any) -> Any:
    """The first value of a variable, or a function of no arguments that gives it."""
    if initializer is not None and not callable(initializer):
        if shape is not None:
            raise ValueError("If initializer is a constant, do not specify shape.")
        value = convert(initializer)
        if value.dtype is not dtype:
            raise ValueError(f"Initializer type '{value.dtype}' and explicit dtype '{dtype}' don't match.")
        return value
    if initializer is None:
        if shape is None:
            raise ValueError(f"Variable {name} did not get an initializer, so its `shape` argument must be specified.")
        initializer = _usual(name, dtype)
    if isinstance(initializer, type):
        initializer = initializer()
    shape = TensorShape(shape)
    if shape.is_fully_defined():
        return functools.partial(initializer, shape.as_list(), dtype=dtype)
    try:
        alone = not isinstance(initializer, Initializer) and not inspect.signature(initializer).parameters
    except (TypeError, ValueError):
        alone = False
    if not alone:
        raise ValueError(
            f"tf.compat.v1.get_variable({name!r}): the initializer must be a callable with no arguments, or `shape` must be fully "
            f"defined, got shape={shape}"
        )
    return initializer
