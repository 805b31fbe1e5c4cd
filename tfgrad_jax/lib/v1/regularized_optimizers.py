"""Optimizers of `tf.compat.v1.train` that draw variables towards zero by a first and a second norm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.lib.v1.optimizers import ByRule
from tfgrad_jax.ops.array.creation import fill
from tfgrad_jax.ops.array.gather import where
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.math.power import pow as power_of
from tfgrad_jax.ops.math.power import rsqrt, sqrt, square
from tfgrad_jax.ops.math.rounding import abs as absolute
from tfgrad_jax.ops.math.rounding import maximum, sign


class _Regularized(ByRule):
    """Optimizers with a first and a second norm.

    Raises:
      ValueError: if one of them is negative.
    """

    def __init__(self, learning_rate: Any, l1: float, l2: float, use_locking: bool, name: str) -> None:
        for which, value in (("l1", l1), ("l2", l2)):
            if value < 0.0:
                raise ValueError(f"{which}_regularization_strength {value} needs to be positive or zero")
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._l1 = l1
        self._l2 = l2

    def _proximal(self, var: Any, rate: Any, grad: Any) -> Any:
        """A step, and back towards zero as far as the norms ask for."""
        moved = var - grad * rate
        if self._l1 > 0:
            moved = sign(moved) * maximum(absolute(moved) - rate * self._l1, convert(0.0, var.dtype))
        return moved / (1.0 + rate * self._l2)


@export("compat.v1.train.ProximalGradientDescentOptimizer")
class ProximalGradientDescentOptimizer(_Regularized):
    """Gradient descent with norms. Mirrors `tf.compat.v1.train.ProximalGradientDescentOptimizer`.

    Args:
      learning_rate: a number, a tensor, or a function of no arguments.
      l1_regularization_strength, l2_regularization_strength: of the norms.
      use_locking: accepted for compatibility.
      name: of the optimizer.
    """

    def __init__(
        self, learning_rate: Any, l1_regularization_strength: float = 0.0, l2_regularization_strength: float = 0.0,
        use_locking: bool = False, name: str = "ProximalGradientDescent",
    ) -> None:  # fmt: skip
        super().__init__(learning_rate, l1_regularization_strength, l2_regularization_strength, use_locking, name)

    def _rule(self, var: Any, grad: Any, slots: Sequence[Any]) -> Sequence[Any]:
        return [self._proximal(var, self._setting(self._learning_rate, var), grad)]


@export("compat.v1.train.ProximalAdagradOptimizer")
class ProximalAdagradOptimizer(_Regularized):
    """Adagrad with norms. Mirrors `tf.compat.v1.train.ProximalAdagradOptimizer`.

    Args:
      learning_rate: a number, a tensor, or a function of no arguments.
      initial_accumulator_value: the first value of the sum of squares.
      l1_regularization_strength, l2_regularization_strength: of the norms.
      use_locking: accepted for compatibility.
      name: of the optimizer.
    """

    def __init__(
        self, learning_rate: Any, initial_accumulator_value: float = 0.1, l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0, use_locking: bool = False, name: str = "ProximalAdagrad",
    ) -> None:  # fmt: skip
        if initial_accumulator_value <= 0.0:
            raise ValueError(f"initial_accumulator_value must be positive: {initial_accumulator_value}")
        super().__init__(learning_rate, l1_regularization_strength, l2_regularization_strength, use_locking, name)
        self._initial_accumulator_value = initial_accumulator_value

    def _first_values(self) -> Sequence[tuple[str, Any]]:
        return (("accumulator", self._initial_accumulator_value),)

    def _rule(self, var: Any, grad: Any, slots: Sequence[Any]) -> Sequence[Any]:
        total = slots[0] + square(grad)
        return [self._proximal(var, self._setting(self._learning_rate, var) * rsqrt(total), grad), total]


@export("compat.v1.train.FtrlOptimizer")
class FtrlOptimizer(_Regularized):
    """Follow the regularized leader. Mirrors `tf.compat.v1.train.FtrlOptimizer`.

    Args:
      learning_rate: a number, a tensor, or a function of no arguments.
      learning_rate_power: how the rate falls with the sum of squares; at most zero.
      initial_accumulator_value: that sum's first value.
      l1_regularization_strength, l2_regularization_strength: of the norms.
      use_locking: accepted for compatibility.
      name: of the optimizer.
      accum_name, linear_name: of the slots' variables.
      l2_shrinkage_regularization_strength: of a penalty of the variable itself.
      beta: is added to the second norm, by twice the rate.

    Raises:
      ValueError: if a number has the wrong sign.
    """

    def __init__(
        self, learning_rate: Any, learning_rate_power: float = -0.5, initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0, l2_regularization_strength: float = 0.0, use_locking: bool = False,
        name: str = "Ftrl", accum_name: str | None = None, linear_name: str | None = None,
        l2_shrinkage_regularization_strength: float = 0.0, beta: float | None = None,
    ) -> None:  # fmt: skip
        super().__init__(learning_rate, l1_regularization_strength, l2_regularization_strength, use_locking, name)
        if initial_accumulator_value < 0.0:
            raise ValueError(f"initial_accumulator_value {initial_accumulator_value} needs to be positive or zero")
        if l2_shrinkage_regularization_strength < 0.0:
            raise ValueError(
                f"l2_shrinkage_regularization_strength {l2_shrinkage_regularization_strength} needs to be positive or zero"
            )
        if learning_rate_power > 0.0:
            raise ValueError(f"learning_rate_power {learning_rate_power} needs to be negative or zero")
        self._learning_rate_power = learning_rate_power
        self._initial_accumulator_value = initial_accumulator_value
        self._l2_shrinkage = l2_shrinkage_regularization_strength
        self._beta = beta or 0.0
        self._slot_variable_names = (accum_name or name, linear_name or name)

    def _first_values(self) -> Sequence[tuple[str, Any]]:
        return (("accum", self._initial_accumulator_value), ("linear", 0.0))

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for var in var_list:
            for (slot, first), name in zip(self._first_values(), self._slot_variable_names):
                if self.get_slot(var, slot) is None:
                    self._get_or_make_slot(var, fill(var.shape, convert(first, var.dtype)), slot, name)

    def _rule(self, var: Any, grad: Any, slots: Sequence[Any]) -> Sequence[Any]:
        rate, (squares, linear) = self._setting(self._learning_rate, var), slots
        total = squares + square(grad)
        before, now = self._power(squares), self._power(total)
        pulled = grad + 2 * self._l2_shrinkage * var if self._l2_shrinkage > 0 else grad
        linear = linear + pulled - (now - before) / rate * var
        slope = now / rate + 2 * (self._l2 + self._beta / (2.0 * rate))
        if self._l1 > 0:
            limit = convert(self._l1, var.dtype)
            moved = where(absolute(linear) > limit, (limit * sign(linear) - linear) / slope, convert(0.0, var.dtype))
        else:
            moved = -linear / slope
        return [moved, total, linear]

    def _power(self, squares: Any) -> Any:
        power = -self._learning_rate_power
        return sqrt(squares) if power == 0.5 else power_of(squares, convert(power, squares.dtype))


@export("compat.v1.train.AdagradDAOptimizer")
class AdagradDAOptimizer(_Regularized):
    """Adagrad by averages of gradients, which leaves zeros. Mirrors `tf.compat.v1.train.AdagradDAOptimizer`.

    Args:
      learning_rate: a number, a tensor, or a function of no arguments.
      global_step: the counter of steps.
      initial_gradient_squared_accumulator_value: the first value of the sum of squares.
      l1_regularization_strength, l2_regularization_strength: of the norms.
      use_locking: accepted for compatibility.
      name: of the optimizer.
    """

    def __init__(
        self, learning_rate: Any, global_step: Any, initial_gradient_squared_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0, l2_regularization_strength: float = 0.0, use_locking: bool = False,
        name: str = "AdagradDA",
    ) -> None:  # fmt: skip
        if initial_gradient_squared_accumulator_value <= 0.0:
            raise ValueError(
                f"initial_gradient_squared_accumulator_value must be positive: {initial_gradient_squared_accumulator_value}"
            )
        super().__init__(learning_rate, l1_regularization_strength, l2_regularization_strength, use_locking, name)
        self._global_step = global_step
        self._initial = initial_gradient_squared_accumulator_value

    def _first_values(self) -> Sequence[tuple[str, Any]]:
        return (("gradient_accumulator", 0.0), ("gradient_squared_accumulator", self._initial))

    def _rule(self, var: Any, grad: Any, slots: Sequence[Any]) -> Sequence[Any]:
        rate = self._setting(self._learning_rate, var)
        step = cast(convert(self._global_step), var.dtype) + 1
        total, squares = slots[0] + grad, slots[1] + square(grad)
        kept = total
        if self._l1 > 0:
            kept = sign(total) * maximum(absolute(total) - self._l1 * step, convert(0.0, var.dtype))
        return [-rate * kept / (self._l2 * step * rate + sqrt(squares)), total, squares]
