"""`tf.compat.v1.make_template`: a function whose variables are made with its first call, and found again later."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.state.creators import variable_creator_scope
from tfgrad_jax.engine.state.trackable import Trackable
from tfgrad_jax.lib.v1.variable_scope import VariableScope, variable_scope
from tfgrad_jax.lib.v1.variable_store import Store


class Template(Trackable):
    """What `make_template` returns; its variables are parts of it, named as below its scope.

    Args:
      name: of the scope, which is made unique.
      function: what is called.
      args: arguments by keyword that every call has.
    """

    def __init__(self, name: str, function: Callable[..., Any], args: dict[str, Any], now: bool) -> None:
        self._given_name = name
        self._function = function
        self._args = args
        self._store = Store()
        self._scope: VariableScope | None = None
        self._called = False
        if now:
            self._open_scope()

    def _open_scope(self) -> VariableScope:
        if self._scope is None:
            with variable_scope(None, self._given_name) as self._scope:
                pass
        return self._scope

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        made: list[Any] = []

        def watch(creator: Callable[..., Any], **given: Any) -> Any:
            made.append(creator(**given))
            return made[-1]

        known = len(self._store.variables)
        with variable_scope(self._open_scope()), self._store.as_default(), variable_creator_scope(watch):
            result = self._function(*args, **{**self._args, **kwargs})
        for name, variable in list(self._store.variables.items())[known:]:
            self._track_trackable(variable, name[len(self.variable_scope_name) :])
        if self._called and any(variable.trainable for variable in made):
            raise ValueError(
                "Trainable variable created when calling a template after the first time, perhaps you used tf.Variable when you "
                f"meant tf.get_variable: {[v for v in made if v.trainable]}"
            )
        self._called = True
        return result

    @property
    def name(self) -> str:
        """The name that was given."""
        return self._given_name

    @property
    def variable_scope(self) -> VariableScope | None:
        """The scope of the variables, once there is one."""
        return self._scope

    var_scope = variable_scope

    @property
    def variable_scope_name(self) -> str:
        """The prefix of the variables' names."""
        return f"{self._open_scope().name}/"

    @property
    def variables(self) -> list[Any]:
        """All variables."""
        return list(self._store.variables.values())

    weights = global_variables = variables

    @property
    def trainable_variables(self) -> list[Any]:
        """The trainable ones."""
        return [variable for variable in self.variables if variable.trainable]

    trainable_weights = trainable_variables

    @property
    def non_trainable_variables(self) -> list[Any]:
        """The others."""
        return [variable for variable in self.variables if not variable.trainable]

    non_trainable_weights = non_trainable_variables

    @property
    def local_variables(self) -> list[Any]:
        """None: local variables count as the others."""
        return []


@export("compat.v1.make_template")
def make_template(
    name_: str, func_: Callable[..., Any], create_scope_now_: bool = False, unique_name_: str | None = None,
    custom_getter_: Any = None, **kwargs: Any,
) -> Template:  # fmt: skip
    """A function whose `get_variable`s give the same variables in every call. Mirrors `tf.compat.v1.make_template`.

    Args:
      name_: of the scope of its variables, made unique.
      func_: the function.
      create_scope_now_: whether the scope is made now, not with the first call.
      unique_name_, custom_getter_: must be None.
      **kwargs: arguments of every call.

    Raises:
      ValueError: for `unique_name_`, as eagerly in TensorFlow.
      NotImplementedError: for `custom_getter_`.
    """
    if unique_name_ is not None:
        raise ValueError("unique_name_ cannot be used when eager execution is enabled.")
    if custom_getter_ is not None:
        raise NotImplementedError("tf.compat.v1.make_template: custom_getter_; open a variable_scope with it instead")
    return Template(name_, func_, kwargs, create_scope_now_)
