"""What public functions do with composite values that are no single tensor: `tf.RaggedTensor`, `tf.SparseTensor`.

A function is tried first. Where it fails on such a value, the class of the value may have an answer.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from tfgrad_jax.composite.targets import known_function, public_function
from tfgrad_jax.engine.hooks import answered_by_composite
from tfgrad_jax.engine.names.export import registry


def answers(kind: type, *names: str) -> Callable[[Any], Any]:
    """Decorator: what public functions do where an argument, or an item of a list, is a composite of a class.

    Args:
      kind: the class.
      *names: public names below `tf.`. The decorated function takes their arguments; it may return `NotImplemented`.
    """

    def declare(answer: Any) -> Any:
        for name in names:
            public_function(registry[name]).answer_with(kind, answer)
        return answer

    return declare


def elementwise_answers(kind: type, unary: Sequence[str], binary: Sequence[str]) -> Callable[[Any], Any]:
    """Decorator: what functions that act element by element do for a class.

    The decorated function takes a function of the operands alone, with all other arguments bound, and then the operands.
    """

    def declare(handler: Any) -> Any:
        for names, count in ((unary, 1), (binary, 2)):
            for name in names:
                if name in registry:
                    public_function(registry[name]).answer_with(
                        kind, _elementwise_answer(handler, registry[name], count)
                    )
        return handler

    return declare


def _elementwise_answer(handler: Any, function: Any, count: int) -> Callable[..., Any]:
    def answer(*args: Any, **kwargs: Any) -> Any:
        bound = inspect.signature(function).bind(*args, **{k: v for k, v in kwargs.items() if k != "name"})
        arguments = [*bound.arguments.items()]
        operands, rest = arguments[:count], dict(arguments[count:])

        def of_operands(*values: Any) -> Any:
            return function(**dict(zip([name for name, _ in operands], values, strict=True)), **rest)

        return handler(of_operands, *[value for _, value in operands])

    return answer


@answered_by_composite.fill
def _operation_answered(operation: Any, args: tuple[Any, ...], kwargs: dict[str, Any], error: Exception) -> Any:
    """The answer for a declared operation, which is known by any of its public names."""
    for name in operation.names:
        known = known_function(registry[name])
        if known is not None:
            return known.answered(args, kwargs, error)
    raise error
