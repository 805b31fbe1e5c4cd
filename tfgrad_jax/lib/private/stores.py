"""`EagerVariableStore` of `tensorflow.python.ops.variable_scope`: variables that `get_variable` finds again eagerly."""

from __future__ import annotations

import contextlib

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.lib.v1.variable_store import Store


@export("python.ops.variable_scope.EagerVariableStore")
class EagerVariableStore:
    """Variables by name, which `get_variable` finds again within `as_default`, eagerly too.

    Args:
      store: where its variables are; a new store, if not given.
    """

    def __init__(self, store: Store | None = None) -> None:
        self._store = Store() if store is None else store

    def as_default(self) -> contextlib.AbstractContextManager[None]:
        """A context in which `get_variable` looks here."""
        return self._store.as_default()

    def variables(self) -> list[Variable]:
        """All variables, by their names."""
        return sorted(self._store.variables.values(), key=lambda v: v.name)

    def trainable_variables(self) -> list[Variable]:
        """Those that are trained."""
        return [v for v in self.variables() if v.trainable]

    def non_trainable_variables(self) -> list[Variable]:
        """Those that are not trained."""
        return [v for v in self.variables() if not v.trainable]

    def copy(self) -> EagerVariableStore:
        """A store of new variables with the same names and values."""
        store = Store()
        for name, variable in self._store.variables.items():
            store.variables[name] = Variable(variable.read_value(), trainable=variable.trainable, name=name)
        return EagerVariableStore(store)
