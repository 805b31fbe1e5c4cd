"""An operation's check of values: declared once, asked before an eager call and inside compiled programs."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.run.checks import Finding, require
from tfgrad_jax.engine.run.execute import execute, operate
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values.tensor import Tensor, glanced


class Typed:
    """Annotates the parameters of a check of which it asks the shape alone: no value is looked at, or waited for."""

    shape: tuple[int, ...]


class Check:
    """A function that tells whether values are wrong.

    Args:
      function: takes those of the operation's parameters that it names, as arrays and attributes, and the results if it names
        `outputs`; returns a `Finding`, or None.
    """

    __slots__ = ("_by_type", "_function", "_wanted", "of_results")

    def __init__(self, function: Callable[..., Finding | None]) -> None:
        parameters = inspect.signature(function).parameters
        self._function = function
        self._wanted = tuple(parameters)
        self._by_type = {name for name, p in parameters.items() if p.annotation in (Typed, "Typed")}
        self.of_results = "outputs" in parameters

    def __call__(self, arguments: dict[str, Any]) -> Finding | None:
        """Ask it about arrays."""
        return self._function(**{name: arguments[name] for name in self._wanted})

    def of_tensors(self, arguments: dict[str, Any]) -> Finding | None:
        """Ask it about an eager call; None too where a value is traced or on an accelerator, which costs a transfer."""
        given = {}
        for name in self._wanted:
            value = arguments[name]
            if isinstance(value, Tensor):
                value = (value.known_spec or value.spec) if name in self._by_type else glanced(value)
                if value is None:
                    return None
            elif isinstance(value, (list, tuple)) and any(isinstance(v, Tensor) for v in value):
                value = [glanced(v) for v in value]
                if any(v is None for v in value):
                    return None
            given[name] = value
        return self._function(**given)

    def execute(self, kernel: Kernel, inputs: tuple[Tensor, ...]) -> Any:
        """`execute`, with a look at the values if the operation runs at once.

        Raises:
          Exception: the operation's own, for values that are wrong.
        """
        if not self.of_results:
            self.look(kernel, inputs)
            return execute(kernel, inputs)
        out = execute(kernel, inputs)
        self.look(kernel, inputs, out)
        return out

    def operate(self, kernel: Kernel, x: Tensor, y: Tensor | None = None) -> Any:
        """`execute` for one operand or two."""
        inputs = (x,) if y is None else (x, y)
        if not self.of_results:
            self.look(kernel, inputs)
            return operate(kernel, x, y)
        out = operate(kernel, x, y)
        self.look(kernel, inputs, out)
        return out

    def look(self, kernel: Kernel, inputs: tuple[Tensor, ...], out: Any = ()) -> None:
        """Look at the values of an operation, if it runs at once.

        Raises:
          Exception: as `execute`.
        """
        if context.graph is None:
            arguments = kernel.origin.arguments(inputs)
            if self.of_results:
                arguments["outputs"] = out if isinstance(out, (tuple, list)) else (out,)
            finding = self.of_tensors(arguments)
            if finding is not None:
                require(finding)
