"""Updates of variables by Keras' own optimizers, in loops that users write: recorded once, and one operation from then on.

`fit` records a whole step as a function. A loop with a tape runs an optimizer's Python code for each variable in each step instead,
which took more time than all else in it. What that code does to the variables depends on nothing but the optimizer's settings, so
it is recorded as a function would be. Code that users write is called in each step.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Mapping
from typing import Any

from tfgrad_jax.engine.function.concrete import ConcreteFunction
from tfgrad_jax.engine.function.function import Function
from tfgrad_jax.engine.fused.modes import gathers_unseen
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.values.specs import TensorSpec
from tfgrad_jax.engine.values.tensor import EagerTensor

CALLS = 4
"""So often an optimizer is called before its updates are recorded, which takes as long as several calls."""
_RECORDS = 8
"""So often they are recorded, for other variables or settings: an optimizer whose settings change all the time is called."""


def updated(fn: Callable[..., Any], strategy: Any, args: tuple[Any, ...]) -> Any:
    """`fn(strategy, *args)`, or one operation that does the same to the variables.

    Args:
      fn: what updates variables; recorded if it is a method of an optimizer of Keras that takes what follows.
      strategy: where the variables are.
      args: pairs of a gradient and a variable, and the learning rate.
    """
    optimizer = getattr(fn, "__self__", None)
    if not gathers_unseen() or len(args) != 2 or not _is_of_keras(optimizer):
        return fn(strategy, *args)
    known = _known.get(optimizer)
    if known is None:
        known = _known[optimizer] = _Updates()
    pairs, rate = args
    dense = [pair for pair in pairs if type(pair[0]) is EagerTensor]
    if not dense or not known.done(fn, strategy, dense, rate):
        return fn(strategy, *args)
    if len(dense) == len(pairs):
        return None
    # Slices of rows: what their sum looks like depends on which rows they are.
    return fn(strategy, [pair for pair in pairs if type(pair[0]) is not EagerTensor], rate)


class _Updates:
    """What is recorded of one optimizer."""

    def __init__(self) -> None:
        self._calls = 0
        self._made = 0
        self._records: dict[Any, _Record] = {}

    def done(self, fn: Any, strategy: Any, pairs: list[Any], rate: Any) -> bool:
        """Do what a call would do to the variables, if it is recorded; otherwise nothing."""
        self._calls += 1
        if self._calls <= CALLS:
            return False
        tensors = [gradient for gradient, _ in pairs]
        fixed = [variable for _, variable in pairs]
        (tensors if type(rate) is EagerTensor else fixed).append(rate)
        key = fn.__func__, tuple([t.known_spec or t.spec for t in tensors]), tuple(map(id, fixed))
        settings = vars(fn.__self__)
        record = self._records.get(key)
        if record is None or not record.serves(settings):
            if self._made == _RECORDS or not all(map(_is_variable, fixed)):
                return False
            self._made += 1
            record = self._records[key] = _Record(fn, strategy, tensors, fixed, settings)
        if record.function is None:
            return False
        record.function.noted(tensors)
        return True


class _Record:
    """A call, recorded.

    It keeps the variables, which know nothing of the optimizer, but not the optimizer: that goes when nobody else has it.

    Attributes:
      function: takes the tensors among the arguments; None if the call cannot be one operation.
    """

    def __init__(
        self, fn: Any, strategy: Any, tensors: list[Any], fixed: list[Any], settings: Mapping[str, Any]
    ) -> None:
        self._settings = {name: _held(value) for name, value in settings.items()}
        self._variables = fixed

        def update(*given: Any) -> None:
            *gradients, rate = given if len(given) == len(fixed) + 1 else (*given, fixed[-1])
            fn(strategy, list(zip(gradients, fixed, strict=False)), rate)

        self.function: ConcreteFunction | None = None
        try:
            # Each record is a function of its own: together they are not one that is traced again and again.
            function = Function(functools.partial(update), autograph=False)
            made = function.get_concrete_function(*[TensorSpec(t.shape, t.dtype) for t in tensors])
        except Exception:
            return  # the call, which comes now, says what is wrong
        if made.can_be_noted:
            self.function = made

    def serves(self, settings: Mapping[str, Any]) -> bool:
        """Whether the optimizer is as it was."""
        held = self._settings
        return len(held) == len(settings) and all(
            [name in held and _is_held(held[name], value) for name, value in settings.items()]
        )


_known: weakref.WeakKeyDictionary[Any, _Updates] = weakref.WeakKeyDictionary()
_PLAIN = (bool, int, float, complex, str, bytes, type(None))


def _held(value: Any) -> Any:
    """A setting, to be compared later, which keeps nothing alive that might know the optimizer."""
    if type(value) in _PLAIN:
        return value
    try:
        return weakref.ref(value)
    except TypeError:
        return value  # a container of Python


def _is_held(held: Any, value: Any) -> bool:
    if held is value:
        return True
    if type(value) in _PLAIN:
        return type(held) is type(value) and held == value
    return type(held) is weakref.ref and held() is value


def _is_variable(value: Any) -> bool:
    return isinstance(value, Variable) or getattr(value, "_should_act_as_resource_variable", False)


def _is_of_keras(optimizer: Any) -> bool:
    """Whether all that decides what an optimizer does is Keras' own code."""
    kind = type(optimizer)
    known = _kinds.get(kind)
    if known is None:
        known = _kinds[kind] = kind.__module__.startswith(_OPTIMIZERS) and all(
            base.__module__.startswith(_OURS) or base is object for base in kind.__mro__
        )
    if not known:
        return False
    update: Any = optimizer.update_step  # which somebody may have exchanged
    return getattr(update, "__func__", None) is not None and update.__func__.__module__.startswith(_OPTIMIZERS)


_kinds: weakref.WeakKeyDictionary[type, bool] = weakref.WeakKeyDictionary()
_OPTIMIZERS = "keras.src.optimizers."
_OURS = ("keras.src.", "tfgrad_jax.")
