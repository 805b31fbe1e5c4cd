"""What public functions do with composite values that are no single tensor: `tf.RaggedTensor`, `tf.SparseTensor`.

A function is tried first. Where it fails on such a value, the class of the value may have an answer.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tfgrad_jax.composite.targets import fall_back
from tfgrad_jax.engine.hooks import answered_by_composite
from tfgrad_jax.engine.names.export import registry

Answer = Callable[..., Any]


class _Answers(dict[type, Answer]):
    """What is called where a function fails on a composite, by the class of that."""

    def __call__(self, args: tuple[Any, ...], kwargs: dict[str, Any], error: Exception) -> Any:
        """What the first composite that has an answer says.

        Raises:
          error: if there is none.
        """
        for value in _values((*args, *kwargs.values())):
            answer = next((self[kind] for kind in type(value).__mro__ if kind in self), None)
            result = NotImplemented if answer is None else answer(*args, **kwargs)
            if result is not NotImplemented:
                return result
        raise error


_known: dict[int, _Answers] = {}
"""By the identity of a public function, which lives for ever."""


def _values(arguments: Any) -> Iterator[Any]:
    """Arguments, and the items of those that are lists."""
    for value in arguments:
        if isinstance(value, (list, tuple)):
            yield from _values(value)
        else:
            yield value


def _answer_with(name: str, kind: type, answer: Answer) -> None:
    function = registry[name]
    known = _known.get(id(function))
    if known is None:
        known = _known[id(function)] = _Answers()
        if not hasattr(function, "op"):  # declared operations ask by themselves
            fall_back(function, known)
    known[kind] = answer


def answers(kind: type, *names: str) -> Callable[[Any], Any]:
    """Decorator: what public functions do where an argument, or an item of a list, is a composite of a class.

    Args:
      kind: the class.
      *names: public names below `tf.`. The decorated function takes their arguments; it may return `NotImplemented`.
    """

    def declare(answer: Any) -> Any:
        for name in names:
            _answer_with(name, kind, answer)
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
                    _answer_with(name, kind, _elementwise_answer(handler, registry[name], count))
        return handler

    return declare


def _elementwise_answer(handler: Any, function: Any, count: int) -> Answer:
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
        known = _known.get(id(registry[name]))
        if known is not None:
            return known(args, kwargs, error)
    raise error
