"""`tf.compat.v1.variable_scope` and `get_variable`: variables that are named by scopes, and found again by their names.

Eagerly every `get_variable` makes a new variable, as in TensorFlow, unless a template keeps them (`lib/v1/template.py`). While
operations are recorded they are found again in a store that the outermost graph and all functions in it have in common.
"""

from __future__ import annotations

import contextlib
import functools
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tfgrad_jax.engine.graph.func_graph import outermost_graph
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.names.scopes import name_scope
from tfgrad_jax.engine.run.eager import executing_eagerly
from tfgrad_jax.engine.state.synchronization import VariableAggregation, VariableSynchronization
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.lib.v1.collections import GraphKeys, get_collection
from tfgrad_jax.lib.v1.variable_store import AUTO_REUSE, find_or_make

_SETTINGS = (
    "initializer",
    "regularizer",
    "caching_device",
    "partitioner",
    "custom_getter",
    "dtype",
    "use_resource",
    "constraint",
)


@export("compat.v1.VariableScope")
class VariableScope:
    """A prefix of names and the usual settings of variables below it. Mirrors `tf.compat.v1.VariableScope`.

    Args:
      reuse: whether variables must exist (True), must not (False, None), or either (`tf.compat.v1.AUTO_REUSE`).
      name: the prefix.
      name_scope: the name scope that it was first opened with.
      initializer, regularizer, caching_device, partitioner, custom_getter, dtype, use_resource, constraint: of variables where
        `get_variable` is given none.
    """

    def __init__(
        self, reuse: Any, name: str = "", initializer: Any = None, regularizer: Any = None, caching_device: Any = None,
        partitioner: Any = None, custom_getter: Any = None, name_scope: str = "", dtype: Any = dtypes.float32,
        use_resource: Any = None, constraint: Any = None,
    ) -> None:  # fmt: skip
        self._name = name
        self._reuse = AUTO_REUSE if reuse and executing_eagerly() else reuse
        self.original_name_scope = name_scope
        self.initializer = initializer
        self.regularizer = regularizer
        self.caching_device = caching_device
        self.partitioner = partitioner
        self.custom_getter = custom_getter
        self.dtype = dtype
        self.use_resource = use_resource
        self.constraint = constraint

    @property
    def name(self) -> str:
        return self._name

    @property
    def reuse(self) -> Any:
        return self._reuse or (AUTO_REUSE if executing_eagerly() else self._reuse)

    def reuse_variables(self) -> None:
        """Have variables found from now on, not made."""
        self._reuse = True

    def get_variable(self, var_store: Any, name: str, shape: Any = None, **kwargs: Any) -> Any:
        """A variable below this scope, whichever one is open; `var_store` is unused. See `tf.compat.v1.get_variable`."""
        with _opened(self):
            return get_variable(name, shape, **kwargs)

    def get_collection(self, name: str) -> list[Any]:
        """What of a collection has a name below this scope."""
        return get_collection(name, f"{self._name}/" if self._name else "")

    def global_variables(self) -> list[Any]:
        """The global variables below this scope."""
        return self.get_collection(GraphKeys.GLOBAL_VARIABLES)

    def local_variables(self) -> list[Any]:
        """The local variables below this scope."""
        return self.get_collection(GraphKeys.LOCAL_VARIABLES)

    def trainable_variables(self) -> list[Any]:
        """The trainable variables below this scope."""
        return self.get_collection(GraphKeys.TRAINABLE_VARIABLES)


def _setter(setting: str) -> Any:
    def set_it(self: VariableScope, value: Any) -> None:
        setattr(self, setting, value)

    set_it.__name__, set_it.__doc__ = f"set_{setting}", f"Set `{setting}` of variables from now on."
    return set_it


for _setting in _SETTINGS[:-1]:
    setattr(VariableScope, f"set_{_setting}", _setter(_setting))


class _InGraph:
    """What is open within one graph: the scope, and how often each name was opened."""

    def __init__(self) -> None:
        self.scope = VariableScope(False)
        self.counts: dict[str, int] = {}


class _Open(threading.local):
    """What is open in this thread: scope and counts of the outermost open graph."""

    def __init__(self) -> None:
        self._of_graphs: weakref.WeakKeyDictionary[Any, _InGraph] = weakref.WeakKeyDictionary()

    @property
    def here(self) -> _InGraph:
        return self._of_graphs.setdefault(outermost_graph(), _InGraph())

    @property
    def scope(self) -> VariableScope:
        return self.here.scope

    @scope.setter
    def scope(self, scope: VariableScope) -> None:
        self.here.scope = scope

    @property
    def counts(self) -> dict[str, int]:
        return self.here.counts

    @counts.setter
    def counts(self, counts: dict[str, int]) -> None:
        self.here.counts = counts


_open = _Open()


def unique_scope_name(prefix: str) -> str:
    """A name below the open scope that no scope has had, and which counts as taken now."""
    begin = f"{_open.scope.name}/{prefix}" if _open.scope.name else prefix
    name, n = begin, 0
    while _open.counts.get(name):
        n += 1
        name = f"{begin}_{n}"
    _open.counts[name] = 1
    return name


@contextlib.contextmanager
def _opened(scope: VariableScope) -> Iterator[VariableScope]:
    before, _open.scope = _open.scope, scope
    try:
        yield scope
    finally:
        _open.scope = before


@export("compat.v1.get_variable_scope")
def get_variable_scope() -> VariableScope:
    """The open scope. Mirrors `tf.compat.v1.get_variable_scope`."""
    return _open.scope


@export("compat.v1.variable_scope")
class variable_scope:
    """A context that prefixes names of variables, and has settings for them. Mirrors `tf.compat.v1.variable_scope`.

    Args:
      name_or_scope: a name, which goes below the open scope, or a scope to open again.
      default_name: where that is None, a name that is made unique.
      values: unused.
      initializer, regularizer, caching_device, partitioner, custom_getter, dtype, use_resource, constraint: settings of variables;
        those of the scope around where None.
      reuse: whether variables must exist; eagerly they are made anew in any case.
      auxiliary_name_scope: whether a name scope is opened, too.

    Raises:
      TypeError: if there is neither a name nor a default.
      ValueError: if `reuse` is True where the name is made unique.
    """

    def __init__(
        self, name_or_scope: Any, default_name: str | None = None, values: Any = None, initializer: Any = None,
        regularizer: Any = None, caching_device: Any = None, partitioner: Any = None, custom_getter: Any = None, reuse: Any = None,
        dtype: Any = None, use_resource: Any = None, constraint: Any = None, auxiliary_name_scope: bool = True,
    ) -> None:  # fmt: skip
        if name_or_scope is None and default_name is None:
            raise TypeError("If default_name is None then name_or_scope is required")
        if name_or_scope is None and reuse is True and not executing_eagerly():
            raise ValueError("reuse=True cannot be used without a name_or_scope")
        self._name_or_scope = name_or_scope
        self._default_name = default_name
        self._reuse = AUTO_REUSE if executing_eagerly() else reuse
        given = (initializer, regularizer, caching_device, partitioner, custom_getter, dtype, use_resource, constraint)
        self._given = {name: value for name, value in zip(_SETTINGS, given) if value is not None}
        self._auxiliary = auxiliary_name_scope
        self._contexts: list[contextlib.ExitStack] = []

    def __enter__(self) -> VariableScope:
        with contextlib.ExitStack() as stack:
            outer = _open.scope
            again = self._name_or_scope if isinstance(self._name_or_scope, VariableScope) else None
            if again is not None:
                name, last = again.name, again.name.rpartition("/")[2]
                counts = dict(_open.counts)
                stack.callback(lambda: setattr(_open, "counts", counts))
            else:
                last = self._name_or_scope
                if last is None:
                    name = unique_scope_name(self._default_name or "")
                    last = name[len(outer.name) + 1 :] if outer.name else name
                else:
                    if not isinstance(last, str):
                        raise TypeError(f"VariableScope: name_or_scope must be a string or VariableScope, got {last!r}")
                    name = f"{outer.name}/{last}" if outer.name else last
                    _open.counts[name] = _open.counts.get(name, 0) + 1
                stack.callback(_forget_below, name)
            scope_name = ""
            if self._auxiliary and last:
                scope_name = stack.enter_context(name_scope(last))
            inherited = again or outer
            settings = {setting: getattr(inherited, setting) for setting in _SETTINGS} | self._given
            if again is not None and "custom_getter" in self._given and again.custom_getter is not None:
                settings["custom_getter"] = _nested(again.custom_getter, self._given["custom_getter"])
            elif "custom_getter" in self._given and inherited.custom_getter is not None:
                settings["custom_getter"] = _nested(inherited.custom_getter, self._given["custom_getter"])
            reuse = self._reuse if again is not None and self._reuse is not None else self._reuse or inherited.reuse
            scope = VariableScope(
                reuse, name, name_scope=scope_name if again is None else again.original_name_scope, **settings
            )
            stack.enter_context(_opened(scope))
            self._contexts.append(stack.pop_all())
        return scope

    def __exit__(self, *exc: Any) -> None:
        self._contexts.pop().__exit__(*exc)


def _nested(outer: Callable[..., Any], inner: Callable[..., Any]) -> Callable[..., Any]:
    """The getter of a scope in one that has a getter, too: the inner one is asked first."""
    return lambda getter, *args, **kwargs: inner(functools.partial(outer, getter), *args, **kwargs)


def _forget_below(name: str) -> None:
    for known in [known for known in _open.counts if known.startswith(f"{name}/")]:
        del _open.counts[known]


@export("compat.v1.variable_op_scope")
@contextlib.contextmanager
def variable_op_scope(
    values: Any, name_or_scope: Any, default_name: str | None = None, initializer: Any = None, regularizer: Any = None,
    caching_device: Any = None, partitioner: Any = None, custom_getter: Any = None, reuse: Any = None, dtype: Any = None,
    use_resource: Any = None, constraint: Any = None,
) -> Iterator[VariableScope]:  # fmt: skip
    """`variable_scope` with its arguments in another order. Mirrors `tf.compat.v1.variable_op_scope`."""
    with variable_scope(
        name_or_scope, default_name, values, initializer, regularizer, caching_device, partitioner, custom_getter, reuse, dtype,
        use_resource, constraint,
    ) as scope:  # fmt: skip
        yield scope


@export("compat.v1.get_variable")
def get_variable(
    name: str, shape: Any = None, dtype: Any = None, initializer: Any = None, regularizer: Any = None,
    trainable: bool | None = None, collections: Any = None, caching_device: Any = None, partitioner: Any = None,
    validate_shape: bool = True, use_resource: bool | None = None, custom_getter: Any = None, constraint: Any = None,
    synchronization: Any = VariableSynchronization.AUTO, aggregation: Any = VariableAggregation.NONE,
) -> Any:  # fmt: skip
    """A variable below the open scope: an existing one, or a new one. Mirrors `tf.compat.v1.get_variable`.

    Args:
      name: its name below the scope.
      shape: its shape; not where `initializer` is a value.
      dtype: its dtype; the scope's where None.
      initializer: a value, a function of shape and dtype, or one of no arguments; the scope's, or Glorot's, where None.
      regularizer: a function of the variable whose value is kept in `GraphKeys.REGULARIZATION_LOSSES`.
      trainable, constraint, synchronization, aggregation: as `tf.Variable` takes them.
      custom_getter: is called instead, with the getter it stands before.
      collections: where the graph keeps it.
      use_resource: False lets a session that fetches it give what it holds in the end; where None the scope says it, or
        `resource_variables_enabled`.
      caching_device, validate_shape: accepted for compatibility.
      partitioner: says in how many pieces it is cut along each axis, as `tf.compat.v1.fixed_size_partitioner` does.

    Raises:
      ValueError: if there is neither a shape nor a value, shape or dtype contradict the value, the variable must (not) exist, or
        the partitioner's answer does not fit.
    """
    scope = _open.scope
    if not isinstance(name, str):
        raise ValueError(f"tf.compat.v1.get_variable: name must be a string, got {name!r}")
    arguments = {
        "initializer": scope.initializer if initializer is None else initializer,
        "regularizer": scope.regularizer if regularizer is None else regularizer,
        "constraint": scope.constraint if constraint is None else constraint,
        "partitioner": scope.partitioner if partitioner is None else partitioner,
        "dtype": dtype, "trainable": trainable, "reuse": scope.reuse, "collections": collections,
        "caching_device": caching_device, "validate_shape": validate_shape,
        "use_resource": scope.use_resource if use_resource is None else use_resource,
        "synchronization": synchronization, "aggregation": aggregation,
    }  # fmt: skip
    if arguments["dtype"] is None:
        value = arguments["initializer"]
        arguments["dtype"] = scope.dtype if callable(value) or value is None else convert(value).dtype
    full = f"{scope.name}/{name}" if scope.name and name else scope.name or name
    getter: Callable[..., Any] = find_or_make
    for custom in (scope.custom_getter, custom_getter):
        getter = getter if custom is None else functools.partial(custom, getter)
    return getter(name=full, shape=shape, **arguments)


@export("compat.v1.get_local_variable")
def get_local_variable(name: str, shape: Any = None, dtype: Any = None, initializer: Any = None, **kwargs: Any) -> Any:
    """`get_variable` that is not trainable. Mirrors `tf.compat.v1.get_local_variable`."""
    kept = [*(kwargs.pop("collections", None) or ()), GraphKeys.LOCAL_VARIABLES]
    return get_variable(name, shape, dtype, initializer, **{**kwargs, "trainable": False, "collections": kept})


@export("compat.v1.no_regularizer")
def no_regularizer(_: Any) -> None:
    """As a regularizer: none, also where the scope has one. Mirrors `tf.compat.v1.no_regularizer`."""


@export("compat.v1.create_partitioned_variables")
def create_partitioned_variables(
    shape: Any, slicing: Sequence[int], initializer: Any, dtype: Any = dtypes.float32, trainable: bool = True,
    collections: Any = None, name: str | None = None, reuse: Any = None,
) -> list[Any]:  # fmt: skip
    """The pieces of a variable. Mirrors `tf.compat.v1.create_partitioned_variables`.

    Args:
      shape: of the whole.
      slicing: how many pieces there are along each axis.
      initializer: a value of that shape, or a function of the shape of a piece.
      dtype, trainable, collections, reuse: as `get_variable` takes them.
      name: of the whole.

    Raises:
      ValueError: if there are not as many numbers in `slicing` as dimensions, or several are above 1.
    """
    if len(shape) != len(slicing):
        raise ValueError(
            "The 'shape' and 'slicing' of a partitioned Variable must have the length: "
            f"shape: {shape}, slicing: {slicing}"
        )
    with variable_scope(name, "PartitionedVariable", reuse=reuse):
        whole = get_variable(
            "", None if not callable(initializer) else shape, dtype, initializer, trainable=trainable,
            partitioner=lambda **unused: slicing, collections=collections,
        )  # fmt: skip
    return list(whole)
