"""Variables of several replicas, each with a copy for each replica: `MirroredVariable` and `SyncOnReadVariable`.

Both are variables whose state is that of the copy in use where they are asked; outside of replicas the first one's.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine.graph.waiting import waiting_for
from tfgrad_jax.engine.run.execute import alias
from tfgrad_jax.engine.state.synchronization import VariableAggregation, VariableSynchronization
from tfgrad_jax.engine.state.variable import ResourceVariable, Variable
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.distribute.contexts import copy_in_use, entered, here, mixed
from tfgrad_jax.lib.distribute.reduce_op import ReduceOp
from tfgrad_jax.lib.distribute.values import DistributedValues, Mirrored, PerReplica, local_results, regrouped
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.math.math import divide

_ASSIGNMENTS = (
    "assign",
    "assign_add",
    "assign_sub",
    "scatter_add",
    "scatter_sub",
    "scatter_mul",
    "scatter_div",
    "scatter_max",
    "scatter_min",
    "scatter_update",
    "scatter_nd_add",
    "scatter_nd_sub",
    "scatter_nd_max",
    "scatter_nd_min",
    "scatter_nd_update",
    "batch_scatter_update",
)

_ADDING = ("assign", "assign_add", "assign_sub", "scatter_add", "scatter_sub")
"""The assignments whose values may be summed or averaged first."""


class VariableOfReplicas(ResourceVariable):
    """A variable that replicas share, or have a copy of each.

    Args:
      strategy: whose replicas.
      copies: the variables, a single one where replicas share it.
      synchronization: when they are brought together.
      aggregation: how.
    """

    def __init__(
        self,
        strategy: Any,
        copies: Sequence[Variable],
        synchronization: VariableSynchronization,
        aggregation: VariableAggregation,
    ) -> None:
        self.values = tuple(copies)
        self._strategy = strategy
        first = self.values[0]
        self._handle_name = first.name
        self._trainable = first.trainable
        self._constraint = first.constraint
        self._synchronization = synchronization
        self._aggregation = aggregation
        for copy in self.values:
            vars(copy)["_distributed_container"] = weakref.ref(self)

    @property
    def here(self) -> Variable:
        """The copy that it is in this place."""
        return self.values[copy_in_use(self._strategy) or 0]

    @property
    def _primary(self) -> Variable:
        """The first copy, by the name that libraries ask for."""
        return self.values[0]

    @property
    def _devices(self) -> tuple[str, ...]:
        """The device of each copy, by the name under which Keras 2's older optimizers ask for it."""
        return tuple([copy.device for copy in self.values])

    @property
    def box(self) -> Any:  # type: ignore[override]
        return self.here.box

    @property
    def identity(self) -> int:  # type: ignore[override]
        return self.here.identity

    @property
    def handle(self) -> Any:
        return self.here.handle

    @property
    def _first_identity(self) -> int:
        return self.values[0].identity

    @property
    def initializer(self) -> Any:
        """The operation that gives all copies their initial values; None outside of a session's graph."""
        found = [copy.initializer for copy in self.values]
        return None if found[0] is None else waiting_for(found, f"{self._shared_name}/Assign")

    @property
    def initial_value(self) -> Any:
        """The initial value of the first copy, as a tensor of the session's graph that it was made in."""
        return self.values[0].initial_value

    @property
    def distribute_strategy(self) -> Any:
        """The strategy that made it."""
        return self._strategy

    _distribute_strategy = distribute_strategy

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        copies = [copy.__deepcopy__(memo) for copy in self.values]
        return type(self)(self._strategy, copies, self._synchronization, self._aggregation)

    def _assigned(self, method: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What a method that assigns does in this place."""
        copy = copy_in_use(self._strategy)
        if copy is None:
            with self._looked_at_together():
                return self._assign_all(method, args, kwargs)
        return self._assign_copy(copy, method, args, kwargs)

    def _looked_at_together(self) -> Any:
        """A context where all copies are looked at together.

        Raises:
          RuntimeError: in another strategy's scope.
        """
        if here.open and here.open[-1][0] is not self._strategy and here.open[-1][0].chosen:
            raise mixed(here.open[-1][0], self._strategy)
        return entered(self._strategy, None)

    def _assign_all(self, method: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return self._strategy.extended.update(self, _calling(method), args, kwargs)

    def _assign_copy(self, copy: int, method: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return getattr(self.values[copy], method)(*args, **kwargs)

    def _restore_from_tensors(self, restored_tensors: dict[str, Any]) -> None:
        for copy in self.values:
            with copy.box.lock:  # past any trace, which would hold the old value as well
                copy.box.replace(alias(self._share(restored_tensors["VARIABLE_VALUE"]), copy.box.id))

    def _share(self, value: Any) -> Any:
        """What each copy holds where they all together have a value."""
        return value


def _calling(method: str) -> Callable[..., Any]:
    return lambda copy, *args, **kwargs: getattr(copy, method)(*args, **kwargs)


def _assigning(method: str) -> Callable[..., Any]:
    def assign(self: VariableOfReplicas, *args: Any, **kwargs: Any) -> Any:
        return self._assigned(method, args, kwargs)

    assign.__name__ = method
    assign.__doc__ = getattr(Variable, method).__doc__
    return assign


for _method in _ASSIGNMENTS:
    setattr(VariableOfReplicas, _method, _assigning(_method))


class DistributedVariable(VariableOfReplicas, DistributedValues):
    """A variable with a copy for each replica."""

    __repr__ = __str__ = DistributedValues.__repr__


class _Aggregating(VariableOfReplicas):
    """A variable that is the same in all replicas: what they assign is brought together first."""

    def _assign_copy(self, copy: int, method: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if here.updating is not None or self._aggregation is VariableAggregation.NONE:
            return super()._assign_copy(copy, method, args, kwargs)

        if self._aggregation is not VariableAggregation.ONLY_FIRST_REPLICA and method not in _ADDING:
            raise NotImplementedError(
                f"{method} is only supported for mirrored variable (variable created within certain `tf.distribute.Strategy` "
                f"scope) with NONE or `ONLY_FIRST_REPLICA` aggregation, got: {self._aggregation}."
            )
        if method.startswith("assign") and args and isinstance(args[0], (list, tuple, np.ndarray)):
            args = (convert(args[0], self.dtype), *args[1:])  # one value, not a nest of them

        def together(strategy: Any, *values: Any, **options: Any) -> Any:
            return self._assign_all(method, tuple([self._aggregated(value) for value in values]), options)

        return here.open[-1][1].merge_call(together, args, kwargs)  # type: ignore[union-attr]

    def _aggregated(self, value: Any) -> Any:
        if self._aggregation is VariableAggregation.ONLY_FIRST_REPLICA:
            return local_results(value, 1)[0]
        return self._strategy.extended.reduce_to(
            ReduceOp.from_variable_aggregation(self._aggregation), value, self, None
        )


class MirroredVariable(_Aggregating, DistributedVariable, Mirrored):
    """A variable whose copies are the same."""

    def __getattr__(self, name: str) -> Any:  # every attribute of a variable is its own
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")


class SyncOnReadVariable(DistributedVariable):
    """A variable whose copies are the replicas' own; read outside of replicas it is what aggregation makes of them."""

    def _together(self) -> Any:
        """The value outside of replicas; None inside, where it is that of the copy."""
        if copy_in_use(self._strategy) is not None:
            return None
        if self._aggregation is VariableAggregation.ONLY_FIRST_REPLICA:
            return self.values[0].read_value()
        operation = ReduceOp.from_variable_aggregation(self._aggregation)
        values = PerReplica([copy.read_value() for copy in self.values])
        return self._strategy.extended.reduce_to(operation, values, self._strategy.extended.worker_devices[0])

    def as_operand(self) -> Tensor:
        together = self._together()
        return super().as_operand() if together is None else together

    def numpy(self) -> Any:
        together = self._together()
        return super().numpy() if together is None else together.numpy()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        together = self._together()
        return super().__array__(dtype, copy) if together is None else together.__array__(dtype, copy)

    def __bool__(self) -> bool:
        return bool(self.as_operand())

    def _assign_all(self, method: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        aggregation = self._aggregation
        if aggregation is VariableAggregation.SUM:
            if method != "assign":
                raise ValueError(
                    f"SyncOnReadVariable does not support `{method}` in cross-replica context when aggregation is set to "
                    "`tf.VariableAggregation.SUM`."
                )
            kwargs = dict(zip(("value",), args, strict=False)) | kwargs
            args = ()
            kwargs["value"] = self._share(kwargs["value"])
        super()._assign_all(method, args, kwargs)
        return self.read_value()

    def _share(self, value: Any) -> Any:
        if self._aggregation is not VariableAggregation.SUM:
            return value
        parts = [
            cast(divide(convert(v, self.dtype), self._strategy.num_replicas_in_sync), self.dtype)  # integers are cut
            for v in local_results(value, len(self.values))
        ]
        return parts[0] if len(parts) == 1 else regrouped(parts)


class AggregatingVariable(_Aggregating):
    """A variable that all replicas share."""

    one_for_all = True

    @property
    def here(self) -> Variable:
        return self.values[0]

    def __repr__(self) -> str:
        return repr(self.values[0])

    __str__ = __repr__

    def _assign_copy(self, copy: int, method: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if not method.startswith("assign"):  # what replicas scatter is not brought together in TensorFlow either
            return self._assign_all(method, args, kwargs)
        if here.updating is None and self._aggregation is VariableAggregation.NONE:
            raise ValueError(
                f"{self.name}: replicas share this variable, so what they assign must be brought together first; make it by "
                "tf.Variable(..., aggregation=tf.VariableAggregation.MEAN), or SUM, or ONLY_FIRST_REPLICA"
            )
        return super()._assign_copy(copy, method, args, kwargs)

    def _assign_all(self, method: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return getattr(self.values[0], method)(*args, **kwargs)
