"""What variables are asked for where operations are recorded for a session; eagerly most of it is refused."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.engine.hooks import run_in_session
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values.convert import convert


class InSessions:
    """Attributes of variables in graphs that sessions run."""

    __slots__ = ()

    @property
    def initializer(self) -> Any:
        """The operation that gives the variable its initial value; None outside of a session's graph."""
        graph = context.graph
        return graph.initializer(self) if graph is not None and graph.on_demand else None

    @property
    def initial_value(self) -> Any:
        """The initial value, as a tensor of the session's graph that the variable was made in.

        Raises:
          RuntimeError: elsewhere.
        """
        found = getattr(context.graph, "initial_values", {}).get(id(self))
        if found is None:
            raise RuntimeError("This property is not supported when eager execution is enabled.")
        return found

    def initialized_value(self: Any) -> Any:
        """The value, or the initial one as long as there is none, in a session's graph.

        Raises:
          NotImplementedError: elsewhere.
        """
        if context.graph is None or not context.graph.on_demand:
            raise NotImplementedError(
                "Variable.initialized_value: a variable always has its value here; use read_value()"
            )
        return self.graph.value_or_initial(self)

    def is_initialized(self: Any, name: str | None = None) -> Any:
        """Whether it has a value: always, but for sessions in which its initializer did not run yet."""
        graph = context.graph
        return convert(True) if graph is None or not graph.on_demand else graph.has_value(self)

    @property
    def op(self) -> Any:
        """An operation that stands for the variable in a session's graph.

        Raises:
          AttributeError: elsewhere.
        """
        return self._graph_of("op").variable_operation(self)

    @property
    def graph(self) -> Any:
        """The session's graph that operations are recorded in.

        Raises:
          AttributeError: elsewhere.
        """
        return self._graph_of("graph")

    def _graph_of(self, name: str) -> Any:
        graph = context.graph
        if graph is None or not graph.on_demand:
            raise AttributeError(f"Tensor.{name} is undefined when eager execution is enabled.")
        return graph

    def eval(self: Any, session: Any = None) -> Any:
        """The value in a session, the open one where none is given.

        Raises:
          RuntimeError: where operations run at once.
        """
        if context.graph is None:
            raise RuntimeError("This operation is not supported when eager execution is enabled.")
        return run_in_session(self.read_value(), None, session)

    def load(self: Any, value: Any, session: Any = None) -> None:
        """Set the value from a NumPy array."""
        done = self.assign(value)
        if context.graph is not None and context.graph.on_demand:
            run_in_session(done.op, None, session)
