"""Optimizers of `tf.compat.v1.train`: for each how a variable and what is kept for it change by a gradient."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfgrad_jax.engine.composite.indexed_slices import IndexedSlices
from tfgrad_jax.engine.messages.errors import left_to_subclass
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.lib.v1.optimizer import Optimizer
from tfgrad_jax.ops.array.creation import fill
from tfgrad_jax.ops.array.gather import gather
from tfgrad_jax.ops.math.cast import cast
from tfgrad_jax.ops.math.power import rsqrt, sqrt, square


class ByRule(Optimizer):
    """Optimizers whose rule is about each element by itself, so that rows change as a whole variable does.

    A subclass gives `_kept`: names of slots and the first value of all their elements, and `_rule`.
    """

    _kept: tuple[tuple[str, float], ...] = ()

    def _first_values(self) -> Sequence[tuple[str, Any]]:
        return self._kept

    def _rule(self, var: Any, grad: Any, slots: Sequence[Any]) -> Sequence[Any]:
        """The new value of the variable and of its slots."""
        raise left_to_subclass(self, "_rule")

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        for var in var_list:
            for slot, first in self._first_values():
                if self.get_slot(var, slot) is None:
                    self._get_or_make_slot(var, fill(var.shape, convert(first, var.dtype)), slot, self._name)

    def _boxes(self, var: Any) -> list[Any]:
        return [var, *(self.get_slot(var, slot) for slot, _ in self._first_values())]

    def _resource_apply_dense(self, grad: Any, handle: Any) -> None:
        boxes = self._boxes(handle)
        var, *slots = [box.read_value() for box in boxes]
        for box, value in zip(boxes, self._rule(var, grad, slots)):
            box.assign(value, read_value=False)

    def _resource_apply_sparse(self, grad: Any, handle: Any, indices: Any) -> None:
        boxes = self._boxes(handle)
        var, *slots = [gather(box, indices) for box in boxes]
        for box, rows in zip(boxes, self._rule(var, grad, slots)):
            box.scatter_update(IndexedSlices(rows, indices))


@export("compat.v1.train.GradientDescentOptimizer")
class GradientDescentOptimizer(ByRule):
    """Steps against the gradient. Mirrors `tf.compat.v1.train.GradientDescentOptimizer`.

    Args:
      learning_rate: a number, a tensor, or a function of no arguments.
      use_locking: accepted for compatibility.
      name: of the optimizer.
    """

    def __init__(self, learning_rate: Any, use_locking: bool = False, name: str = "GradientDescent") -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate

    def _rule(self, var: Any, grad: Any, slots: Sequence[Any]) -> Sequence[Any]:
        return [var - grad * self._setting(self._learning_rate, var)]

    def _resource_apply_sparse_duplicate_indices(self, grad: Any, handle: Any, indices: Any) -> None:
        handle.scatter_add(IndexedSlices(-grad * self._setting(self._learning_rate, handle), indices))


@export("compat.v1.train.MomentumOptimizer")
class MomentumOptimizer(ByRule):
    """Steps along a sum of gradients that fades. Mirrors `tf.compat.v1.train.MomentumOptimizer`.

    Args:
      learning_rate, momentum: numbers, tensors, or functions of no arguments.
      use_locking: accepted for compatibility.
      name: of the optimizer.
      use_nesterov: whether the step is that of where the sum leads.
    """

    _kept = (("momentum", 0.0),)

    def __init__(
        self,
        learning_rate: Any,
        momentum: Any,
        use_locking: bool = False,
        name: str = "Momentum",
        use_nesterov: bool = False,
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._momentum = momentum
        self._use_nesterov = use_nesterov

    def _rule(self, var: Any, grad: Any, slots: Sequence[Any]) -> Sequence[Any]:
        rate, momentum = self._setting(self._learning_rate, var), self._setting(self._momentum, var)
        total = slots[0] * momentum + grad
        step = grad * rate + total * momentum * rate if self._use_nesterov else total * rate
        return [var - step, total]


@export("compat.v1.train.RMSPropOptimizer")
class RMSPropOptimizer(ByRule):
    """Gradients by their root mean square. Mirrors `tf.compat.v1.train.RMSPropOptimizer`.

    Args:
      learning_rate, decay, momentum, epsilon: numbers, tensors, or functions of no arguments.
      use_locking: accepted for compatibility.
      centered: whether the variance takes the place of the mean square.
      name: of the optimizer.
    """

    def __init__(
        self, learning_rate: Any, decay: Any = 0.9, momentum: Any = 0.0, epsilon: Any = 1e-10, use_locking: bool = False,
        centered: bool = False, name: str = "RMSProp",
    ) -> None:  # fmt: skip
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._decay = decay
        self._momentum = momentum
        self._epsilon = epsilon
        self._centered = centered

    def _first_values(self) -> Sequence[tuple[str, Any]]:
        return (("rms", 1.0), *((("mg", 0.0),) if self._centered else ()), ("momentum", 0.0))

    def _rule(self, var: Any, grad: Any, slots: Sequence[Any]) -> Sequence[Any]:
        settings = (self._learning_rate, self._decay, self._momentum, self._epsilon)
        rate, decay, momentum, epsilon = (self._setting(setting, var) for setting in settings)
        mean_square, *mean, step = slots
        mean_square = mean_square + (square(grad) - mean_square) * (1 - decay)
        spread = mean_square
        if self._centered:
            mean = [mean[0] + (grad - mean[0]) * (1 - decay)]
            spread = mean_square - square(mean[0])
        step = step * momentum + grad * rate * rsqrt(spread + epsilon)
        return [var - step, mean_square, *mean, step]


@export("compat.v1.train.AdagradOptimizer")
class AdagradOptimizer(ByRule):
    """Gradients by the root of the sum of their squares. Mirrors `tf.compat.v1.train.AdagradOptimizer`.

    Args:
      learning_rate: a number, a tensor, or a function of no arguments.
      initial_accumulator_value: the sum's first value.
      use_locking: accepted for compatibility.
      name: of the optimizer.

    Raises:
      ValueError: if the first value is not positive.
    """

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        use_locking: bool = False,
        name: str = "Adagrad",
    ) -> None:
        if initial_accumulator_value <= 0.0:
            raise ValueError(f"initial_accumulator_value must be positive: {initial_accumulator_value}")
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._initial_accumulator_value = initial_accumulator_value

    def _first_values(self) -> Sequence[tuple[str, Any]]:
        return (("accumulator", self._initial_accumulator_value),)

    def _rule(self, var: Any, grad: Any, slots: Sequence[Any]) -> Sequence[Any]:
        total = slots[0] + square(grad)
        return [var - grad * self._setting(self._learning_rate, var) * rsqrt(total), total]


@export("compat.v1.train.AdadeltaOptimizer")
class AdadeltaOptimizer(ByRule):
    """Gradients by their mean square and that of the steps. Mirrors `tf.compat.v1.train.AdadeltaOptimizer`.

    Args:
      learning_rate, rho, epsilon: numbers, tensors, or functions of no arguments.
      use_locking: accepted for compatibility.
      name: of the optimizer.
    """

    _kept = (("accum", 0.0), ("accum_update", 0.0))

    def __init__(
        self,
        learning_rate: Any = 0.001,
        rho: Any = 0.95,
        epsilon: Any = 1e-8,
        use_locking: bool = False,
        name: str = "Adadelta",
    ) -> None:
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._rho = rho
        self._epsilon = epsilon

    def _rule(self, var: Any, grad: Any, slots: Sequence[Any]) -> Sequence[Any]:
        rate, rho, epsilon = (self._setting(s, var) for s in (self._learning_rate, self._rho, self._epsilon))
        squares = slots[0] * rho + square(grad) * (1 - rho)
        step = sqrt(slots[1] + epsilon) * rsqrt(squares + epsilon) * grad
        return [var - step * rate, squares, slots[1] * rho + square(step) * (1 - rho)]


@export("compat.v1.train.AdamOptimizer")
class AdamOptimizer(ByRule):
    """Steps by the first two moments of gradients. Mirrors `tf.compat.v1.train.AdamOptimizer`.

    Args:
      learning_rate, beta1, beta2, epsilon: numbers, tensors, or functions of no arguments.
      use_locking: accepted for compatibility.
      name: of the optimizer.
      use_own_namescope_for_non_slot_vars: whether the powers of the betas have `name` before theirs.
    """

    _kept = (("m", 0.0), ("v", 0.0))

    def __init__(
        self, learning_rate: Any = 0.001, beta1: Any = 0.9, beta2: Any = 0.999, epsilon: Any = 1e-8, use_locking: bool = False,
        name: str = "Adam", use_own_namescope_for_non_slot_vars: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(use_locking, name, use_own_namescope_for_non_slot_vars)
        self._learning_rate = learning_rate
        self._beta1 = beta1
        self._beta2 = beta2
        self._epsilon = epsilon

    def _create_slots(self, var_list: Sequence[Any]) -> None:
        first = min(var_list, key=lambda variable: variable.name)
        for name, beta in (("beta1_power", self._beta1), ("beta2_power", self._beta2)):
            self._create_non_slot_variable(cast(convert(self._call_if_callable(beta)), dtypes.float32), name, first)
        super()._create_slots(var_list)

    def _settings(self, var: Any) -> list[Any]:
        """The rate of this step, the betas, epsilon."""
        given = (self._learning_rate, self._beta1, self._beta2, self._epsilon)
        rate, beta1, beta2, epsilon = (self._setting(setting, var) for setting in given)
        power1, power2 = (
            cast(self._non_slot_dict[name].read_value(), var.dtype) for name in ("beta1_power", "beta2_power")
        )
        return [rate * sqrt(1 - power2) / (1 - power1), beta1, beta2, epsilon]

    def _rule(self, var: Any, grad: Any, slots: Sequence[Any]) -> Sequence[Any]:
        rate, beta1, beta2, epsilon = self._settings(var)
        mean, squares = slots
        mean = mean + (grad - mean) * (1 - beta1)
        squares = squares + (square(grad) - squares) * (1 - beta2)
        return [var - mean * rate / (sqrt(squares) + epsilon), mean, squares]

    def _resource_apply_sparse(self, grad: Any, handle: Any, indices: Any) -> None:
        # All rows of the moments fade and all rows of the variable move, also those without a gradient.
        rate, beta1, beta2, epsilon = self._settings(handle)
        mean, squares = self.get_slot(handle, "m"), self.get_slot(handle, "v")
        for slot, beta, added in ((mean, beta1, grad), (squares, beta2, square(grad))):
            slot.assign(slot * beta, read_value=False)
            slot.scatter_add(IndexedSlices(added * (1 - beta), indices))
        handle.assign_sub(rate * mean / (sqrt(squares) + epsilon), read_value=False)

    def _finish(self, update_ops: list[Any], name_scope: str) -> None:
        for name, beta in (("beta1_power", self._beta1), ("beta2_power", self._beta2)):
            power = self._non_slot_dict[name]
            power.assign(power * self._setting(beta, power), read_value=False)
