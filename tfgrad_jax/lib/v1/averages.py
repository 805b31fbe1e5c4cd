"""`tf.train.ExponentialMovingAverage`: variables that follow others slowly."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.engine.graph.session_graph import SessionTensor
from tfgrad_jax.engine.graph.waiting import assigned, assignments
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.names.scopes import name_scope
from tfgrad_jax.engine.run.eager import init_scope, recording_for_sessions
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.lib.v1.collections import GraphKeys, add_to_collection, get_collection
from tfgrad_jax.lib.v1.variable_scope import unique_scope_name
from tfgrad_jax.ops.array.creation import zeros
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.math.rounding import minimum


@export("train.ExponentialMovingAverage")
class ExponentialMovingAverage:
    """Keeps averages of variables. Mirrors `tf.train.ExponentialMovingAverage`.

    Args:
      decay: how much of an average each update keeps.
      num_updates: a counter; while it is low, less is kept: `(1 + n) / (10 + n)`.
      zero_debias: accepted for compatibility: it is about averages of tensors in graphs.
      name: of the variables that hold averages.
    """

    def __init__(
        self, decay: Any, num_updates: Any = None, zero_debias: bool = False, name: str = "ExponentialMovingAverage"
    ) -> None:
        self._decay = decay
        self._num_updates = num_updates
        self._name = name
        self._zero_debias = zero_debias
        self._averages: dict[int, Variable] = {}
        self._averaged: list[Any] = []

    @property
    def name(self) -> str:
        """The name of the variables that hold averages."""
        return self._name

    def apply(self, var_list: Any = None) -> Any:
        """Update the averages of variables; with the first call they begin.

        Args:
          var_list: the variables; where None, those in the collection of trainable ones.

        Returns:
          None; in a graph that sessions run, the operation.

        Raises:
          TypeError: for a tensor.
        """
        variables = get_collection(GraphKeys.TRAINABLE_VARIABLES) if var_list is None else var_list
        for variable in variables:
            if not isinstance(variable, (Variable, SessionTensor)):
                raise TypeError(
                    f"tf.train.ExponentialMovingAverage does not support non-Variable tensors, got {variable!r}"
                )
            if recording_for_sessions() and isinstance(variable, Variable):
                add_to_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, variable)
        with assignments() as made:
            for variable in variables:
                self._update(variable)
        return assigned(made, self._name)

    def _made(self, variable: Any) -> Variable:
        average = self._averages.get(_key(variable))
        if average is None:
            with init_scope(), name_scope(""):
                name = unique_scope_name(f"{variable.name.partition(':')[0]}/{self._name}")
                if isinstance(variable, Variable):
                    first = variable.initialized_value() if recording_for_sessions() else variable.read_value()
                else:
                    first = zeros(variable.shape, variable.dtype)
                average = Variable(first, trainable=False, name=name)
            self._averages[_key(variable)] = average
            self._averaged.append(variable)  # so that its `id` stays its own
        return average

    def _update(self, variable: Any) -> None:
        average: Any = self._made(variable)
        decay: Any = cast(convert(self._decay), variable.dtype)
        if self._num_updates is not None:
            count: Any = cast(convert(self._num_updates), variable.dtype)
            decay = minimum(decay, (1.0 + count) / (10.0 + count))
        if self._zero_debias and not isinstance(variable, Variable):
            raise NotImplementedError("tf.train.ExponentialMovingAverage of tensors: zero_debias=True; leave it out")
        average.assign_sub((average - variable) * (1 - decay), read_value=False)

    def average(self, var: Any) -> Variable | None:
        """The variable that holds the average of another one, or None."""
        return self._averages.get(_key(var))

    def average_name(self, var: Any) -> str:
        """The name of the average of a variable."""
        average = self.average(var)
        return (f"{var.name.partition(':')[0]}/{self._name}:" if average is None else average.name).partition(":")[0]

    def variables_to_restore(self, moving_avg_variables: Any = None) -> dict[str, Any]:
        """Variables by the names of their averages, so that a `Saver` restores them from those.

        Args:
          moving_avg_variables: those with averages; where None, the ones in the collections of such and of trainable variables.
        """
        if moving_avg_variables is None:
            keys = (GraphKeys.TRAINABLE_VARIABLES, GraphKeys.MOVING_AVERAGE_VARIABLES)
            moving_avg_variables = [variable for key in keys for variable in get_collection(key)]
        found = {self.average_name(variable): variable for variable in moving_avg_variables}
        names = {variable.name for variable in moving_avg_variables}
        for variable in get_collection(GraphKeys.GLOBAL_VARIABLES):  # those without average are restored as they are
            if variable.name not in names:
                found.setdefault(variable.name.partition(":")[0], variable)
        return found


def _key(variable: Any) -> int:
    """What tells a variable, or a tensor of a graph, from others."""
    return variable.identity if isinstance(variable, Variable) else id(variable)
