"""`tensorflow.python.eager.backprop`: gradients of functions instead of tapes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.tape.tape import GradientTape
from tfgrad_jax.engine.values import nest
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.ops.array.creation import identity

_B = "python.eager.backprop."


def _something(result: Any, f: Callable[..., Any]) -> Any:
    if result is None:
        name = getattr(f, "__name__", f)
        raise ValueError(
            f"Cannot differentiate a function that returns None; did you forget to return a value from {name}?"
        )
    return result


def _positions(f: Callable[..., Any], params: Sequence[int | str] | None, count: int) -> list[int]:
    """Where the parameters stand that are asked for by place or by name; all of them where nobody asks."""
    if params is None:
        return list(range(count))
    names = list(inspect.signature(f).parameters)
    found = [p if isinstance(p, int) else names.index(p) for p in params]
    for place in found:
        if not 0 <= place < count:
            raise IndexError(f"parameter {place} was asked for, and {count} arguments were given")
    return found


@export(_B + "make_vjp")
def make_vjp(
    f: Callable[..., Any], params: Sequence[int | str] | None = None, persistent: bool = True
) -> Callable[..., Any]:
    """A function that returns `f`'s result and its vector-Jacobian product, a function of `dy`.

    Args:
      f: the function, of tensors and nests of them.
      params: the places or names of the arguments to differentiate by; all of them where None.
      persistent: whether the product may be asked for more than once.

    Raises:
      ValueError: from the function, if `f` returns None.
    """

    def decorated(*args: Any, **kwargs: Any) -> Any:
        assert not kwargs, "The gradient function can't take keyword arguments."
        places = _positions(f, params, len(args))
        seen: set[int] = set()

        def own(value: Any) -> Any:
            """The value as a tensor that stands for no other argument, too: each has a gradient of its own."""
            tensor = convert(value)
            if tensor.identity in seen:
                tensor = identity(tensor)
            seen.add(tensor.identity)
            return tensor

        values = [nest.map_structure(own, arg) if k in places else arg for k, arg in enumerate(args)]
        sources = [values[k] for k in places]
        with GradientTape(persistent=persistent) as tape:
            for tensor in nest.flatten(sources):
                if tensor.dtype.is_floating or tensor.dtype.is_complex:
                    tape.watch(tensor)
            result = _something(f(*values), f)

        def vjp(dy: Any = None) -> Any:
            if dy is not None:
                dy = nest.map_structure(convert, dy)
            return tape.gradient(result, sources, output_gradients=dy)

        return result, vjp

    return decorated


@export(_B + "val_and_grad_function")
def val_and_grad_function(f: Callable[..., Any], params: Sequence[int | str] | None = None) -> Callable[..., Any]:
    """A function that returns `f`'s result and a list of its gradients, each multiplied by the keyword `dy`. See `make_vjp`.

    Raises:
      ValueError: from the function, if it is given other keywords, or `f` returns None.
    """

    def decorated(*args: Any, **kwargs: Any) -> Any:
        dy = kwargs.pop("dy", None)
        if kwargs:
            raise ValueError("Functions to be differentiated cannot receive keyword arguments.")
        result, vjp = make_vjp(f, params)(*map(convert, args))  # no nests here
        return result, vjp(dy=dy)

    return decorated


@export(_B + "gradients_function")
def gradients_function(f: Callable[..., Any], params: Sequence[int | str] | None = None) -> Callable[..., Any]:
    """A function that returns a list of the gradients of `f`. See `val_and_grad_function`."""
    both = val_and_grad_function(f, params)
    return lambda *args, **kwargs: both(*args, **kwargs)[1]


@export(_B + "implicit_val_and_grad")
def implicit_val_and_grad(f: Callable[..., Any]) -> Callable[..., Any]:
    """A function that returns `f`'s result and pairs of gradient and variable, for each trainable variable that `f` reads.

    Raises:
      ValueError: from the function, if `f` returns None, or reads no trainable variable.
    """

    def decorated(*args: Any, **kwargs: Any) -> Any:
        with GradientTape() as tape:
            result = _something(f(*args, **kwargs), f)
        variables = tape.watched_variables()
        if not variables:
            raise ValueError("No trainable variables were accessed while the function was being computed.")
        return result, list(zip(tape.gradient(result, variables), variables, strict=True))

    return decorated


@export(_B + "implicit_grad")
def implicit_grad(f: Callable[..., Any]) -> Callable[..., Any]:
    """A function that returns pairs of gradient and variable. See `implicit_val_and_grad`."""
    both = implicit_val_and_grad(f)
    return lambda *args, **kwargs: both(*args, **kwargs)[1]


@export("python.ops.gradient_checker_v2.max_error")
def max_error(grad1: Sequence[Any], grad2: Sequence[Any]) -> Any:
    """The largest difference between two lists of Jacobians, as `compute_gradient` returns them; NaN if there is one."""
    error: Any = 0
    for one, other in zip(grad1, grad2, strict=False):
        if np.size(one) or np.size(other):
            error = np.maximum(error, np.fabs(np.asarray(one) - np.asarray(other)).max())
    return error
