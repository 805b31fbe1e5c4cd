"""Gradients watched over the steps of a training: their norms by variable, and which operation made the first NaN."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tfgrad_jax.engine.function.function import functions_run_eagerly, run_functions_eagerly
from tfgrad_jax.engine.fused.modes import execution
from tfgrad_jax.engine.run.execute import host_value
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.tape.backward import dense
from tfgrad_jax.engine.tape.sources import asked
from tfgrad_jax.engine.threads.context import Recorder, context, set_recorders
from tfgrad_jax.engine.values import nest
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.extras.gradients.chronicle import line
from tfgrad_jax.extras.gradients.history import place

LIMIT = 100_000
"""Of so many operands and results it is remembered where they were used."""


@dataclass(frozen=True)
class Origin:
    """Where a value that is not finite comes from.

    Attributes:
      kind: "NaN" or "Inf".
      operation: the raw name of what made it of finite operands, or "the gradient of" that; None where it was there from the start.
      place: the user's file and line: of the operation, or of the first one that took the value.
      became: None; of an infinity that became NaN, the operation that made NaN of it, with its place.
    """

    kind: str
    operation: str | None
    place: str | None
    became: str | None = None

    def __str__(self) -> str:
        at = f" at {self.place}" if self.place else ""
        then = f", and NaN of it from {self.became}" if self.became else ""
        if self.operation is None:
            return f"{self.kind} was in a value that no watched operation made, used first{at}{then}"
        return f"{self.kind} came first from {self.operation}{at}{then}"


class watch_gradients(Recorder):
    """Watch gradients over the steps of a training: a context manager, which prints as a table.

    Within, each answer of `tape.gradient` counts as a step of the variables among its sources. Functions run as Python and
    operations one by one, so that the operation that made the first NaN or infinity can be told, and its line: it is slow.

    Args:
      watched: a model (anything with `trainable_variables`), a variable, or a nest of them; None for all variables.

    Attributes (steps count from 0):
      norms: by the variables' names, the norm of each step's gradient; None where there was no gradient.
      origins: by the variables' names, the step of the first gradient that is not finite, and the `Origin` of that.
      target: the question, counted from 0, with the first target (a loss) that is not finite, and the `Origin` of that; or None.

    Raises:
      TypeError: if `watched` holds something else.
      ValueError: if it has no variables (yet).
    """

    follows = True

    def __init__(self, watched: Any = None) -> None:
        self.norms: dict[str, list[float | None]] = {}
        self.origins: dict[str, tuple[int, Origin]] = {}
        self.target: tuple[int, Origin] | None = None
        self._asked = 0
        self._names: dict[int, str] = {}
        self._all = watched is None
        self._bad: dict[int, Origin] = {}
        self._used: dict[tuple[str, int], str | None] = {}
        self._ran: dict[Any, set[str | None]] = {}
        self._stack = contextlib.ExitStack()
        for part in [] if watched is None else nest.flatten(watched):
            of_part = getattr(part, "trainable_variables", None)
            for given in [part] if of_part is None else of_part:
                try:
                    (variable,) = asked([given], "variable")
                except AttributeError:
                    variable = given
                if not isinstance(variable, Variable):
                    raise TypeError(
                        f"watch_gradients: expected a model, a variable or a nest of them, got {type(part).__name__!r}"
                    )
                self._name(variable, getattr(given, "path", None))
        if not (self._all or self._names):
            raise ValueError(
                "watch_gradients: there are no variables to watch; a model has them when it was built or called"
            )

    def _name(self, variable: Any, path: str | None = None) -> str:
        found = self._names.get(variable.identity)
        if found is None:
            base = path or variable.name.partition(":")[0]
            found = base
            n = 0
            while found in self.norms:
                n += 1
                found = f"{base}_{n}"
            self._names[variable.identity] = found
            self.norms[found] = []
        return found

    # -- watching -----------------------------------------------------------------------------------------------------

    def __enter__(self) -> watch_gradients:
        stack = self._stack
        stack.callback(run_functions_eagerly, functions_run_eagerly())
        run_functions_eagerly(True)
        stack.enter_context(execution("immediate"))
        set_recorders((self, *context.recorders))
        stack.callback(lambda: set_recorders(tuple([r for r in context.recorders if r is not self])))
        return self

    def __exit__(self, *exc: object) -> None:
        self._stack.close()
        self._bad.clear()
        self._used.clear()
        self._ran.clear()

    def follow(self, kernel: Any, inputs: Sequence[Tensor], outputs: Sequence[Tensor], where: Any = None) -> None:
        if len(self._used) > LIMIT:
            self._used.clear()
        where = place(where or line())
        self._used.update(((kernel.name, t.identity), where) for t in (*inputs, *outputs))
        self._ran.setdefault(_shape_of(kernel.name, inputs, outputs), set()).add(where)
        origin = None
        for t in outputs:
            kind = _not_finite(t)
            if kind is None:
                continue
            if origin is None:
                origin = self._origin(kernel.name, inputs, outputs)
            became = origin.became or origin.kind == "NaN" or kind == "Inf"
            self._bad[t.identity] = origin if became else self._turned(origin, kernel.name, inputs, outputs)

    def _origin(self, name: str, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Origin:
        """Where what is not finite in the results of an operation comes from."""
        bad = [(t, found) for t in inputs if (found := _not_finite(t)) is not None]
        for t, _ in bad:
            if t.identity in self._bad:
                return self._bad[t.identity]
        if bad:
            origin = Origin(bad[0][1], None, place(line()))
            self._bad.update((t.identity, origin) for t, _ in bad)
            return origin
        kinds = {_not_finite(t) for t in outputs}
        return Origin("NaN" if "NaN" in kinds else "Inf", *self._operation(name, inputs, outputs))

    def _turned(self, origin: Origin, name: str, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Origin:
        """An infinity that an operation makes NaN of."""
        operation, at = self._operation(name, inputs, outputs)
        return replace(origin, became=f"{operation} at {at}" if at else operation)

    def _operation(self, name: str, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> tuple[str, str | None]:
        """What to call an operation, and its line; of a gradient that of the operation, which tells more than the question's."""
        forward = name.removesuffix("Grad")
        if forward == name:
            return name, place(line())
        operation = f"the gradient of {forward}"
        for t in inputs:
            if (forward, t.identity) in self._used:
                return operation, self._used[forward, t.identity]
        # It takes nothing but a cotangent: the operation of which it may be the gradient, if that came in one line only.
        lines = self._ran.get(_shape_of(forward, outputs, inputs[:1]), set())
        return operation, next(iter(lines)) if len(lines) == 1 else f"{place(line())}, where it was asked for"

    def answered(self, tape: Any, targets: Sequence[Any], sources: Sequence[Any], answers: Sequence[Any]) -> None:
        if self.target is None:
            found = next((t for t in targets if isinstance(t, Tensor) and _not_finite(t) is not None), None)
            if found is not None:
                self.target = self._asked, self._bad.get(found.identity) or self._origin("", (found,), ())
        self._asked += 1
        for source, answer in zip(sources, answers, strict=True):
            if not isinstance(source, Variable) or not (self._all or source.identity in self._names):
                continue
            norms = self.norms[name := self._name(source)]
            norm = None
            if answer is not None:
                gradient = dense(answer)
                norm = float(np.linalg.norm(host_value(gradient).astype(np.complex128).ravel()))
                if not np.isfinite(norm) and name not in self.origins:
                    origin = self._bad.get(gradient.identity) or self._origin("", (gradient,), ())
                    self.origins[name] = len(norms), origin
            norms.append(norm)

    # -- what it found ------------------------------------------------------------------------------------------------

    @property
    def first(self) -> tuple[int, Origin] | None:
        """The first step with a gradient that is not finite, and where that comes from; None while all are finite."""
        return min(self.origins.values(), key=lambda found: found[0], default=None)

    def __str__(self) -> str:
        head = ["variable", "steps", "first", "last", "min", "max", "None", "not finite"]
        rows = [head, *([name, *_summary(norms)] for name, norms in self.norms.items())]
        widths = [max(map(len, column)) for column in zip(*rows)]
        lines = ["  ".join(cell.ljust(w) for cell, w in zip(row, widths)).rstrip() for row in rows]
        told: dict[Origin, tuple[int, list[str]]] = {}
        for name, (step, origin) in self.origins.items():
            told.setdefault(origin, (step, []))[1].append(name)
        for origin, (step, names) in told.items():
            lines.append(f"{origin} (step {step}: gradient of {', '.join(names)})")
        if self.target is not None and self.target[1] not in told:
            lines.append(f"{self.target[1]} (step {self.target[0]}: the target)")
        return "\n".join(lines)

    __repr__ = __str__


def _shape_of(name: str, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Any:
    """A key of operations with operands and results of the same types."""
    return name, tuple([t.spec for t in inputs]), tuple([t.spec for t in outputs])


def _not_finite(t: Tensor) -> str | None:
    """`"NaN"` or `"Inf"` if there is one in a tensor."""
    if not t.spec.dtype.trainable:
        return None
    value = host_value(t)
    if np.isfinite(value).all():
        return None
    return "NaN" if np.isnan(value).any() else "Inf"


def _summary(norms: list[float | None]) -> list[str]:
    known = [n for n in norms if n is not None]
    finite = [n for n in known if np.isfinite(n)]
    shown = [f"{n:.3g}" for n in (known[0], known[-1])] if known else ["", ""]
    shown += [f"{n:.3g}" for n in (min(finite), max(finite))] if finite else ["", ""]
    return [str(len(norms)), *shown, str(len(norms) - len(known)), str(len(known) - len(finite))]
