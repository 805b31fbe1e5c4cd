"""What the variables of a session's graph hold: each session has values of its own, and none before initializers ran."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Sequence
from typing import Any

from tfgrad_jax.engine.messages.errors import FailedPreconditionError
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.tensor import Spec, Tensor


class Values:
    """What a session keeps for the variables of a graph.

    Attributes:
      kept: values by the boxes' `id`, while another session's are in the boxes.
      unset: what was in a variable when the session met it: as long as that is there, it has no value.
    """

    def __init__(self) -> None:
        self.kept: dict[int, Tensor] = {}
        self.unset: dict[int, Tensor] = {}

    def lacks(self, box: Any) -> bool:
        """Whether a variable has no value yet."""
        return self.unset.get(box.id) is box.current


class _Here(threading.local):
    """What the session keeps that this thread runs something in; None outside."""

    values: Values | None = None


class Holding:
    """A graph's variables with the values of the session that runs.

    Sessions in several threads have their values by turns, for as long as one operation reads or assigns a variable: a run may wait
    for others within, as at a queue.
    """

    act: Any
    initial_values: dict[int, Tensor]

    def __init__(self) -> None:
        self._made: list[Any] = []
        self._states: dict[int, tuple[Any, Tensor]] = {}
        self._values = Values()
        self._here = _Here()
        self._turn = threading.RLock()

    @property
    def made_variables(self) -> tuple[Any, ...]:
        """The variables that were made in it, also those that are in no collection."""
        return tuple(self._made)

    @contextlib.contextmanager
    def in_session(self, values: Values) -> Iterator[None]:
        """A context in which this thread finds in variables and random states what a session keeps.

        That is left there, for programs that read it without the session, until another session's values are taken.
        """
        before, self._here.values = self._here.values, values
        try:
            self._take(values)
            yield
        finally:
            self._here.values = before

    @contextlib.contextmanager
    def in_turn(self) -> Iterator[None]:
        """A context in which no other session's values come between, where this thread runs one."""
        with self._turn:
            values = self._here.values
            if values is not None and values is not self._values:
                self._take(values)
            yield

    def _take(self, values: Values) -> None:
        with self._turn:
            boxes = {variable.box.id: variable.box for variable in self._made}
            if self._values is not values:
                states = {box.id: box for box, _ in self._states.values()}
                first = {box.id: state for box, state in self._states.values()}
                self._values.kept = {i: box.current for i, box in (boxes | states).items()}
                self._values = values
                for i, tensor in (first | values.kept).items():
                    box = boxes.get(i) or states[i]
                    box.current, box.spec = tensor, tensor.spec
            for i, box in boxes.items():
                values.unset.setdefault(i, box.current)

    def require(self, box: Any) -> None:
        """Make sure that a variable has a value.

        Raises:
          FailedPreconditionError: if its initializer did not run in the session.
        """
        if self._values.lacks(box):
            name = next(variable.name for variable in self._made if variable.box is box).partition(":")[0]
            message = f"Attempting to use uninitialized value {name}. Could not find variable {name} in this session: "
            raise FailedPreconditionError(None, None, f"{message}run its initializer first")

    def lacking(self, box: Any) -> bool:
        """Whether the initializer of a variable did not run in the session whose values are taken."""
        with self.in_turn():
            return self._values.lacks(box)

    def without_value(self, variables: Sequence[Any]) -> list[Any]:
        """Those of some variables whose initializers did not run in the session whose values are taken."""
        with self.in_turn():
            return [variable for variable in variables if self._values.lacks(variable.box)]

    def has_value(self, variable: Any) -> Tensor:
        """Whether the initializer of a variable ran, or something else gave it a value."""
        return self.act(
            "VarIsInitializedOp", lambda: [not self.without_value([variable])], (), [Spec.of(dtypes.bool_, ())]
        )[1][0]

    def value_or_initial(self, variable: Any) -> Tensor:
        """The value of a variable, or the initial one as long as there is none."""

        def value(initial: Tensor) -> list[Tensor]:
            with self.in_turn():
                return [initial if self.without_value([variable]) else variable.box.tensor]

        return self.act("If", value, [self.initial_values[id(variable)]], [variable.box.declared])[1][0]
