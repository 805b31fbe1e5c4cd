"""Plain optimizers under `tf.optimizers`, with the interface of Keras' ones: SGD (with momentum) and Adam."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import jax.numpy as jnp

from tfgrad_jax.engine.composite.indexed_slices import IndexedSlices
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.execute import untaped
from tfgrad_jax.engine.state.box import Box, locks_of, while_locked
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert, shared_scalar
from tfgrad_jax.engine.values.tensor import Tensor


class Optimizer:
    """The base of all optimizers: the step counter, the learning rate, and one set of slots a variable.

    Args:
      learning_rate: a number, or a callable without arguments that returns one.
      name: the optimizer's name.
    """

    def __init__(self, learning_rate: Any, name: str) -> None:
        self.name = name
        self.iterations = Variable(0, dtype="int64", trainable=False, name=f"{name}/iteration")
        self._learning_rate = learning_rate if callable(learning_rate) else self._rate_variable(learning_rate)
        self._slots: dict[int, list[Variable]] = {}

    def _rate_variable(self, value: Any) -> Variable:
        return Variable(value, dtype="float32", trainable=False, name=f"{self.name}/learning_rate")

    @property
    def learning_rate(self) -> Any:
        """The current learning rate; assign a number to change it."""
        rate = self._learning_rate
        return rate() if callable(rate) else rate

    @learning_rate.setter
    def learning_rate(self, value: Any) -> None:
        if isinstance(self._learning_rate, Variable) and not callable(value):
            self._learning_rate.assign(value)
        else:
            self._learning_rate = value if callable(value) else self._rate_variable(value)

    @property
    def variables(self) -> list[Variable]:
        """The optimizer's own variables."""
        own = [self.iterations] + ([self._learning_rate] if isinstance(self._learning_rate, Variable) else [])
        return own + [slot for slots in self._slots.values() for slot in slots]

    def build(self, variables: Iterable[Variable]) -> None:
        """Make the slots of the variables now instead of at their first update."""
        for variable in variables:
            self._slots_of(variable)

    def _slots_of(self, variable: Variable) -> list[Variable]:
        slots = self._slots.get(variable.identity)
        if slots is None:
            slots = self._slots[variable.identity] = [
                Variable(
                    jnp.zeros(variable.box.spec.shape, variable.dtype.np), trainable=False, name=f"{self.name}/{slot}"
                )
                for slot in self.slot_names
            ]
        return slots

    slot_names: tuple[str, ...] = ()

    def apply_gradients(self, grads_and_vars: Iterable[tuple[Any, Variable]], **kwargs: Any) -> Variable:
        """Update each variable by its gradient.

        Args:
          grads_and_vars: pairs of a gradient (a tensor, `IndexedSlices`, or None to leave the variable alone) and a variable.

        Returns:
          The step counter.

        Raises:
          ValueError: if no variable has a gradient.
        """
        pairs = [(g, v) for g, v in grads_and_vars]
        present = [(g, v) for g, v in pairs if g is not None]
        if not present:
            names = ", ".join(v.name for _, v in pairs)
            raise ValueError(f"No gradients provided for any variable: every gradient is None (variables: {names}).")
        rate = self.learning_rate
        rate = rate.as_operand() if isinstance(rate, Variable) else convert(rate, dtypes.float32)
        for gradient, variable in present:
            if isinstance(gradient, IndexedSlices) and self._apply_rows(gradient, rate, variable):
                continue
            gradient = gradient if isinstance(gradient, Tensor) else convert(gradient, variable.dtype)
            with variable.box.lock:
                boxes = [variable.box, *(slot.box for slot in self._slots_of(variable))]
                while_locked(locks_of(boxes), self._update, gradient, rate, boxes)
                if variable.constraint is not None:
                    variable.assign(variable.constraint(variable))
        self.iterations.assign_add(shared_scalar(1, dtypes.int64), read_value=False)
        return self.iterations

    def _update(self, gradient: Tensor, rate: Tensor, boxes: list[Box]) -> None:
        values = [box.tensor for box in boxes]
        results = untaped(self._kernel, (gradient, rate, self.iterations.box.tensor, *values))
        for box, result in zip(boxes, results, strict=True):
            box.replace(result)

    def apply(self, grads: Iterable[Any], trainable_variables: Iterable[Variable]) -> None:
        """`apply_gradients` with gradients and variables apart."""
        self.apply_gradients(zip(grads, trainable_variables, strict=True))

    def _apply_rows(self, gradient: IndexedSlices, rate: Tensor, variable: Variable) -> bool:
        """Update only the rows that a gradient names, where that is the same; False where it is not."""
        return False

    _kernel: Kernel


@export("optimizers.SGD")
class SGD(Optimizer):
    """Gradient descent, with momentum if asked for. Mirrors `tf.optimizers.SGD`.

    Args:
      learning_rate: the step size.
      momentum: the decay of the velocity; 0 for plain descent.
      nesterov: whether to look ahead along the velocity.
      name: the optimizer's name.
    """

    def __init__(
        self, learning_rate: Any = 0.01, momentum: float = 0.0, nesterov: bool = False, name: str = "SGD"
    ) -> None:
        super().__init__(learning_rate, name)
        self.momentum = momentum
        self.nesterov = nesterov
        self.slot_names = ("momentum",) if momentum else ()

        def update(gradient: Any, rate: Any, step: Any, value: Any, *velocity: Any) -> tuple[Any, ...]:
            rate = rate.astype(value.dtype)
            if not velocity:
                return (value - rate * gradient,)
            moved = momentum * velocity[0] - rate * gradient
            return (value + momentum * moved - rate * gradient if nesterov else value + moved), moved

        self._kernel = Kernel("SGD", update, differentiable=0, recorded=False)

    def _apply_rows(self, gradient: IndexedSlices, rate: Tensor, variable: Variable) -> bool:
        if self.momentum or variable.constraint is not None:
            return False
        rows = untaped(_SCALED, (convert(gradient.values, variable.dtype), rate))
        variable.scatter_sub(IndexedSlices(rows, gradient.indices))  # type: ignore[attr-defined]
        return True


_SCALED = Kernel("Mul", lambda rows, rate: rows * rate.astype(rows.dtype), differentiable=0)


@export("optimizers.Adam")
class Adam(Optimizer):
    """Adam (Kingma and Ba, 2014, arXiv:1412.6980). Mirrors `tf.optimizers.Adam`.

    Args:
      learning_rate: the step size.
      beta_1, beta_2: decay of the running means of the gradient and of its square.
      epsilon: added to the denominator, outside the bias correction as in Keras.
      name: the optimizer's name.
    """

    slot_names = ("momentum", "velocity")

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-7,
        name: str = "adam",
    ) -> None:
        super().__init__(learning_rate, name)

        def update(gradient: Any, rate: Any, step: Any, value: Any, mean: Any, square: Any) -> tuple[Any, ...]:
            rate = rate.astype(value.dtype)
            n = (step + 1).astype(value.dtype)
            corrected = rate * jnp.sqrt(1 - beta_2**n) / (1 - beta_1**n)
            mean = mean + (gradient - mean) * (1 - beta_1)
            square = square + (jnp.square(gradient) - square) * (1 - beta_2)
            return value - corrected * mean / (jnp.sqrt(square) + epsilon), mean, square

        self._kernel = Kernel("Adam", update, differentiable=0, recorded=False)
