"""`tensorflow.python.framework.combinations`: a test for each combination of some parameters.

Combinations with `tf_api_version=1` are skipped, as in TensorFlow 2.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import itertools
import re
import unittest
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tfgrad_jax.engine.graph.session_graph import SessionGraph
from tfgrad_jax.engine.messages.optional import optional
from tfgrad_jax.engine.names.export import export, export_value
from tfgrad_jax.lib.devices.eager_context import eager_mode

_HOMES = ("__internal__.test.combinations.", "python.framework.combinations.", "python.framework.test_combinations.")


def _exported(name: str) -> Callable[[Any], Any]:
    return export(*[home + name for home in _HOMES])


@_exported("NamedObject")
class NamedObject:
    """An object with the name that tests show it by.

    Args:
      name: the name.
      obj: the object; attributes and calls are its own.
    """

    def __init__(self, name: str, obj: Any) -> None:
        self._name, self._obj = name, obj

    def __getattr__(self, name: str) -> Any:
        return getattr(self._obj, name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._obj(*args, **kwargs)

    def __iter__(self) -> Any:
        return iter(self._obj)

    def __repr__(self) -> str:
        return self._name


@_exported("ParameterModifier")
class ParameterModifier:
    """What changes the parameters of a test before it runs."""

    DO_NOT_PASS_TO_THE_TEST = object()

    def __init__(self, parameter_name: str | None = None) -> None:
        self._name = parameter_name

    def modified_arguments(self, kwargs: dict[str, Any], requested_parameters: Sequence[str]) -> dict[str, Any]:
        """The arguments that change; `DO_NOT_PASS_TO_THE_TEST` leaves one out."""
        return {}


@_exported("OptionalParameter")
class OptionalParameter(ParameterModifier):
    """A parameter that a test need not take."""

    def modified_arguments(self, kwargs: dict[str, Any], requested_parameters: Sequence[str]) -> dict[str, Any]:
        """The parameter is left out where nobody asks for it."""
        return {} if self._name in requested_parameters else {str(self._name): self.DO_NOT_PASS_TO_THE_TEST}


@_exported("TestCombination")
class TestCombination:
    """What decides whether, and within what, a combination runs."""

    def should_execute_combination(self, kwargs: Mapping[str, Any]) -> tuple[bool, str | None]:
        """Whether a combination runs, and the reason if not."""
        return True, None

    def parameter_modifiers(self) -> Sequence[ParameterModifier]:
        """What changes the parameters."""
        return []

    def context_managers(self, kwargs: Mapping[str, Any]) -> Sequence[contextlib.AbstractContextManager[Any]]:
        """Within what the test runs."""
        return []


_MODES: dict[str, Callable[[], contextlib.AbstractContextManager[Any]]] = {
    "eager": eager_mode,
    "graph": lambda: SessionGraph().as_default(),
}


@export("python.framework.combinations.EagerGraphCombination")
class EagerGraphCombination(TestCombination):
    """Tests of `mode="graph"` run in a graph of their own, those of `mode="eager"` outside of graphs."""

    def context_managers(self, kwargs: Mapping[str, Any]) -> Sequence[contextlib.AbstractContextManager[Any]]:
        """What the mode names.

        Raises:
          ValueError: if it is neither.
        """
        mode = kwargs.get("mode")
        if mode is None:
            return []
        if mode not in _MODES:
            raise ValueError(f"`mode` of a combination must be one of {', '.join(map(repr, _MODES))}, got {mode!r}.")
        return [_MODES[mode]()]

    def parameter_modifiers(self) -> Sequence[ParameterModifier]:
        """A test need not take its mode."""
        return [OptionalParameter("mode")]


@export("python.framework.combinations.TFVersionCombination")
class TFVersionCombination(TestCombination):
    """Tests of TensorFlow 1's behaviour are skipped."""

    def should_execute_combination(self, kwargs: Mapping[str, Any]) -> tuple[bool, str | None]:
        """Whether the version is not 1."""
        return kwargs.get("tf_api_version") != 1, "TensorFlow 1's behaviour is not here"

    def parameter_modifiers(self) -> Sequence[ParameterModifier]:
        """A test need not take its version."""
        return [OptionalParameter("tf_api_version")]


_USUAL = (EagerGraphCombination(), TFVersionCombination())


@_exported("combine")
def combine(**kwargs: Any) -> list[OrderedDict[str, Any]]:
    """All combinations of values: what is a list has one for each, anything else is one value."""
    names = sorted(kwargs)
    choices = [kwargs[name] if isinstance(kwargs[name], list) else [kwargs[name]] for name in names]
    return [OrderedDict(zip(names, values, strict=True)) for values in itertools.product(*choices)]


@_exported("times")
def times(*combined: Iterable[Mapping[str, Any]]) -> list[OrderedDict[str, Any]]:
    """Each combination of one list with each of the others.

    Raises:
      ValueError: if two lists have a parameter in common.
    """
    found = []
    for parts in itertools.product(*combined):
        names = [name for part in parts for name in part]
        if len({*names}) != len(names):
            raise ValueError(f"Keys need to not overlap: {' vs '.join(str(list(part)) for part in parts)}")
        found.append(OrderedDict(pair for part in parts for pair in part.items()))
    return found


@export("python.framework.test_combinations.generate")
def generate(
    combinations: Sequence[Mapping[str, Any]], test_combinations: Sequence[TestCombination] = ()
) -> Callable[[Any], Any]:
    """The decorator of a test, or of a class of tests, that runs it for each combination. It needs absl.

    Args:
      combinations: the combinations; each parameter is an argument of the test.
      test_combinations: what skips some, changes parameters, or surrounds the test.

    Raises:
      ValueError: when a test runs that does not take a parameter which nobody declares as optional.
    """
    parameterized = optional("absl.testing.parameterized", "testing", "combinations")

    def decorate(decorated: Any) -> Any:
        if isinstance(decorated, type):
            prefix = unittest.defaultTestLoader.testMethodPrefix
            for name, test in list(vars(decorated).items()):
                if name.startswith(prefix) and callable(test):
                    setattr(decorated, name, _each(test, test_combinations))
            return parameterized.named_parameters(*_named(combinations))(decorated)
        return parameterized.named_parameters(*_named(combinations))(_each(decorated, test_combinations))

    return decorate


# Whose keywords libraries read, to add combinations of their own.
export_value(functools.partial(generate, test_combinations=_USUAL), *[home + "generate" for home in _HOMES[:2]])


def _named(combinations: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    def word(value: Any, number: int) -> str:
        return "".join(filter(str.isalnum, re.sub("0[xX][0-9a-fA-F]+", str(number), str(value))))

    return [
        {**c, "testcase_name": "_test" + "".join(f"_{word(n, i)}_{word(v, i)}" for i, (n, v) in enumerate(c.items()))}
        for c in combinations
    ]


def _each(test: Callable[..., Any], test_combinations: Sequence[TestCombination]) -> Callable[..., Any]:
    requested = list(inspect.signature(test).parameters)[1:]

    @functools.wraps(test)
    def run(self: Any, **given: Any) -> None:
        for one in test_combinations:
            runs, reason = one.should_execute_combination(given)
            if not runs:
                self.skipTest(reason)
        changed = dict(given)
        for one in test_combinations:
            for modifier in one.parameter_modifiers():
                changed |= modifier.modified_arguments(given, requested)
        wanted = {n: v for n, v in changed.items() if v is not ParameterModifier.DO_NOT_PASS_TO_THE_TEST}
        if unknown := sorted({*wanted} - {*requested}):
            raise ValueError(f"The test does not take parameters that were passed: {', '.join(unknown)}.")
        with contextlib.ExitStack() as stack:
            for one in test_combinations:
                for manager in one.context_managers(given):
                    stack.enter_context(manager)
            test(self, **wanted)

    # absl looks at the signature no more, and neither the names of parameters nor their order are those of the test.
    del run.__wrapped__
    return run
