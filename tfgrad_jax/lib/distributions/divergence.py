"""How far one distribution is from another: a table of functions by the classes of both."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.names.scopes import name_scope
from tfgrad_jax.lib.distributions.checks import checked
from tfgrad_jax.ops.host.assertion import Assert
from tfgrad_jax.ops.math.compare import is_nan, logical_not
from tfgrad_jax.ops.math.reduce import reduce_any

_functions: dict[tuple[type, type], Callable[..., Any]] = {}


@export("compat.v1.distributions.RegisterKL")
class RegisterKL:
    """A decorator of the function that `kl_divergence` calls for two classes. Mirrors `tf.compat.v1.distributions.RegisterKL`.

    Args:
      dist_cls_a: the class of the first distribution.
      dist_cls_b: that of the second. Subclasses of both have the function too, unless they have one of their own.
    """

    def __init__(self, dist_cls_a: type, dist_cls_b: type) -> None:
        self._classes = dist_cls_a, dist_cls_b

    def __call__(self, kl_fn: Callable[..., Any]) -> Callable[..., Any]:
        """Register `kl_fn(distribution_a, distribution_b, name=None)`, and return it.

        Raises:
          TypeError: if it cannot be called.
          ValueError: if the classes have a function.
        """
        if not callable(kl_fn):
            raise TypeError(f"RegisterKL: kl_fn must be callable, received: {kl_fn}")
        if self._classes in _functions:
            a, b = self._classes
            has = _functions[self._classes]
            raise ValueError(f"KL({a.__name__} || {b.__name__}) has already been registered to: {has}")
        _functions[self._classes] = kl_fn
        return kl_fn


def _function_for(a: type, b: type) -> Callable[..., Any] | None:
    """The function of the classes that are the fewest steps up from both, of the nearest to `a` where several are."""
    pairs = itertools.product(enumerate(a.__mro__), enumerate(b.__mro__))
    near = sorted(((i + j, (up_a, up_b)) for (i, up_a), (j, up_b) in pairs), key=lambda pair: pair[0])
    return next((_functions[classes] for _, classes in near if classes in _functions), None)


@export("compat.v1.distributions.kl_divergence")
def kl_divergence(
    distribution_a: Any, distribution_b: Any, allow_nan_stats: bool = True, name: str | None = None
) -> Any:
    """The Kullback-Leibler divergence of one distribution from another. Mirrors `tf.compat.v1.distributions.kl_divergence`.

    Args:
      distribution_a: the distribution over which the mean of the difference of the log-probabilities is taken.
      distribution_b: the other one.
      allow_nan_stats: False to raise where the result is NaN.
      name: of the operations.

    Raises:
      NotImplementedError: if nothing is registered for their classes.
      InvalidArgumentError: for NaN, if `allow_nan_stats` is False.
    """
    function = _function_for(type(distribution_a), type(distribution_b))
    if function is None:
        raise NotImplementedError(
            "No KL(distribution_a || distribution_b) registered for distribution_a type "
            f"{type(distribution_a).__name__} and distribution_b type {type(distribution_b).__name__}: "
            "register a function by tf.compat.v1.distributions.RegisterKL"
        )
    with name_scope("KullbackLeibler"):
        found = function(distribution_a, distribution_b, name=name)
        if allow_nan_stats:
            return found
        told = f"kl_divergence of {distribution_a.name} from {distribution_b.name} is NaN, and allow_nan_stats=False:"
        return checked(found, Assert(logical_not(reduce_any(is_nan(found))), [told, found]))
