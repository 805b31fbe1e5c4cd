"""Gradients that the user writes: `tf.custom_gradient`, `tf.recompute_grad`, `tf.grad_pass_through`."""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tfgrad_jax.engine import hooks
from tfgrad_jax.engine.graph.graph import Graph
from tfgrad_jax.engine.graph.lifted import Lifted
from tfgrad_jax.engine.graph.postponed import Postponed
from tfgrad_jax.engine.graph.segments import needs_host
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.names.wrapping import wraps
from tfgrad_jax.engine.run.execute import alias, identity
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.tape.backward import dense, zeros_like
from tfgrad_jax.engine.tape.sources import differentiable, in_place_of, seeds
from tfgrad_jax.engine.tape.tape import GradientTape
from tfgrad_jax.engine.threads.context import Recorder, context, new_id, set_recorders
from tfgrad_jax.engine.values import nest
from tfgrad_jax.engine.values.composite import is_composite
from tfgrad_jax.engine.values.convert import convert, is_tensor
from tfgrad_jax.engine.values.tensor import Tensor


class _VariableWatcher(Recorder):
    """Stands in for the open tapes: records nothing, but notes which trainable variables are read."""

    def __init__(self) -> None:
        self.variables: dict[int, Variable] = {}

    def saw_variable(self, variable: Variable) -> None:
        self.variables[variable.identity] = variable


@contextlib.contextmanager
def _seen_by(*instead: Recorder) -> Iterator[None]:
    recorders = context.recorders
    set_recorders(instead)
    try:
        yield
    finally:
        set_recorders(recorders)


@export("custom_gradient")
def custom_gradient(f: Any = None) -> Any:
    """Give a function a gradient of its own. Mirrors `tf.custom_gradient`.

    Args:
      f: takes tensors and returns `(result, grad)`. `grad` takes the cotangents of the results and returns those of the
        positional arguments; where `f` reads trainable variables it takes `variables=` too, and returns a pair: the
        arguments' cotangents and the list of the variables' cotangents. Keyword arguments are constants.

    Returns:
      A function that returns `f`'s result, connected to the arguments by `grad` alone; higher derivatives are `grad`'s.

    Raises:
      TypeError: when called, if `f` reads variables and `grad` takes no `variables`.
      ValueError: when asked for a gradient, if `grad` returns the wrong number of them.
    """
    if f is None:
        return custom_gradient

    @functools.wraps(f, assigned=[a for a in functools.WRAPPER_ASSIGNMENTS if hasattr(f, a)])
    def decorated(*args: Any, **kwargs: Any) -> Any:
        return _call(f, args, kwargs)

    return _Bindable(decorated)


class _Bindable:
    """A decorated function that also works as a method."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        functools.update_wrapper(self, function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._function(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        if name == "__signature__":  # what has `__get__` is a builtin to `inspect`, if it has none
            return inspect.signature(self._function)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else functools.partial(self, instance)


def _is_value(x: Any) -> bool:
    return isinstance(x, (Tensor, Variable))


def _read(x: Any) -> Any:
    return convert(x) if is_tensor(x) and not is_composite(x) else x


def _call(f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    tapes = context.recorders
    watcher = _VariableWatcher()
    if context.graph is not None:
        # As in TensorFlow, which reads variables before the function sees them there: none is `used` by it, then.
        args = nest.map_structure(_read, args)
    flat = differentiable(args)
    # The object itself, where `f` is a method: no tensor, so no gradient.
    inputs = [x if _is_value(x) else None if not _convertible(x) else convert(x) for x in flat]
    with _seen_by(*tapes, watcher):
        result, grad = f(*args, **kwargs)
    passed = {x.identity for x in inputs if isinstance(x, Variable)}
    variables = [v for i, v in sorted(watcher.variables.items()) if i not in passed]
    if variables and not _takes_variables(grad):
        names = ", ".join(v.name for v in variables)
        raise TypeError(
            f"tf.custom_gradient: {getattr(f, '__name__', f)!r} uses the variables {names}, so its grad function must "
            f"accept the keyword argument `variables` and return (input gradients, variable gradients)."
        )
    inner = [x.as_operand() if isinstance(x, Variable) else convert(x) for x in differentiable(result)]
    sources = [x for x in inputs if x is not None]

    def backward(*cotangents: Any) -> list[Any]:
        filled = [zeros_like(o) if c is None else c for c, o in zip(cotangents, inner, strict=True)]
        given = nest.flatten(in_place_of(result, filled))
        answer = grad(*given, variables=variables) if variables else grad(*given)
        to_variables: list[Any] = []
        if variables:
            answer, to_variables = answer
            to_variables = list(nest.flatten(to_variables))
            if len(to_variables) != len(variables):
                raise ValueError(
                    f"Must return gradient for each variable from @custom_gradient grad_fn: got {len(to_variables)} for "
                    f"{len(variables)}"
                )
        answers = seeds(answer) if answer is not None else [None]
        if len(answers) != len(sources):
            raise ValueError(
                f"custom_gradient function expected to return {len(sources)} gradients, but returned {len(answers)} instead."
            )
        return [*(None if a is None else _cotangent(a) for a in answers), *to_variables]

    if context.graph is None:
        outputs = [alias(x, new_id()) for x in inner]
    else:
        outputs = _in_graph(context.graph, inner, [*sources, *variables], backward)
    for follower in context.followers:
        # As in TensorFlow, forward mode sees the operations inside, and asks `grad` only where those tell it nothing.
        for before, after in zip(inner, outputs, strict=True):
            follower.renamed(before, after)
    for tape in tapes:
        for v in variables:
            tape.saw_variable(v)
        for source in sources:
            if isinstance(source, Variable) and source.trainable:
                tape.saw_variable(source)
        tape.saw_python([*sources, *variables], outputs, backward)
    return in_place_of(result, outputs)


_ORDERS = 2
"""Derivatives of so many orders are recorded of a gradient in Python where no tape in the graph asks for them.

Gradients that call functions with gradients in Python (those of Bessel functions call Bessel functions) never come to an end."""


class _Gradient(Graph):
    """The graph of a gradient."""


class CustomKernel(Postponed):
    """A kernel that returns its first inputs, with a gradient that somebody wrote.

    Args:
      inner: what the function returned.
      sources: tensors and variables that `pull` returns cotangents of.
      pull: takes the cotangents of `inner`.
    """

    __slots__ = ("_found", "_inner", "_run", "_seeds", "pull", "sources")

    def __init__(self, inner: list[Tensor], sources: list[Any], pull: Callable[..., list[Any]]) -> None:
        n = len(inner)
        super().__init__("IdentityN", lambda *arrays: tuple(arrays[:n]), self._rule)
        self._inner = [t.spec for t in inner]
        self.sources = sources
        self.pull = pull
        self.connects = ((1 << len(sources)) - 1) << n
        self._found: list[bool] | None = None

    def record(self) -> Sequence[Tensor]:
        graph = context.graph
        gradient = _Gradient("custom_gradient", graph)
        order = sum(isinstance(g, _Gradient) for g in gradient.enclosing()) + 1
        n = len(self._inner)
        with gradient.as_default():
            seeds = [gradient.placeholder(s, "grad_ys") if s.dtype.trainable else None for s in self._inner]
            try:
                if order > _ORDERS:
                    raise NotImplementedError(
                        f"tf.custom_gradient: {gradient.enclosing()[-1].name!r} has no derivative of order {order} with respect to "
                        f"this; at most {_ORDERS} orders are recorded. Open the tapes inside of the function, or call it eagerly."
                    )
                found = [None if g is None else dense(g) for g in self.pull(*seeds)]
                lifted = Lifted(gradient, [g for g in found if g is not None], boxes=())
                self._run = lifted.run
                if needs_host(lifted):
                    self.interpret, self.whole = functools.partial(self._interpreted, lifted), False
                self.connects = sum(1 << i for i, g in enumerate(found) if g is not None) << n
            except Exception as error:  # it counts only if somebody asks for the gradient
                found, lifted, self._run = [None] * len(self.sources), Lifted(gradient, (), boxes=()), _raising(error)
        self._seeds = [s is not None for s in seeds]
        self._found = [g is not None for g in found]
        return lifted.outside()

    def _interpreted(self, gradient: Lifted, operands: Sequence[Tensor]) -> list[Tensor]:
        """The first operands, to open tapes the results of an operation whose gradient works on the host in part."""
        assert self._found is not None
        first, last = len(self._inner), len(self._inner) + len(self._found)
        outputs = [alias(x, new_id()) for x in operands[:first]]

        def backward(*cotangents: Any) -> list[Any]:
            given = [
                zeros_like(o) if c is None else dense(c)
                for c, o, has_seed in zip(cotangents, outputs, self._seeds, strict=True)
                if has_seed
            ]
            answers = iter(hooks.run_on_host(gradient, (*given, *operands[last:])))
            return [next(answers) if connected else None for connected in self._found or ()]

        for tape in context.recorders:
            tape.saw_python(operands[first:last], outputs, backward)
        return outputs

    def _rule(self, cotangents: Any, inputs: Any, outputs: Any) -> list[Any]:
        if self._found is None:  # no cotangent comes here: nobody will use the answer
            return [None] * len(inputs)
        first, last = len(self._inner), len(self._inner) + len(self._found)
        given = [c for c, has_seed in zip(cotangents, self._seeds, strict=True) if has_seed]
        answers = iter(self._run(*given, *inputs[last:]))
        to_sources = [next(answers) if connected else None for connected in self._found]
        return [*[None] * first, *to_sources, *[None] * (len(inputs) - last)]


def _in_graph(
    graph: Graph, inner: list[Tensor], sources: list[Any], backward: Callable[..., list[Any]]
) -> list[Tensor]:
    """The results as those of one operation of the graph; see `CustomKernel`."""
    kernel = CustomKernel(inner, sources, backward)
    values = [s.as_operand() if isinstance(s, Variable) else s for s in sources]
    kernel.state = graph.state()
    return list(graph.add(kernel, (*inner, *values)))


def _raising(error: Exception) -> Callable[..., Any]:
    error.by_user = True  # type: ignore[attr-defined]  # `explain` leaves it as it is

    def run(*arrays: Any) -> Any:
        raise error

    return run


def _cotangent(value: Any) -> Any:
    return value if isinstance(value, Tensor) or hasattr(value, "joined") else convert(value)


def _convertible(x: Any) -> bool:
    try:
        convert(x)
    except (TypeError, ValueError):
        return False
    return True


def _takes_variables(grad: Callable[..., Any]) -> bool:
    parameters = inspect.signature(grad).parameters.values()
    return any(p.name == "variables" or p.kind is p.VAR_KEYWORD for p in parameters)


@export("recompute_grad")
def recompute_grad(f: Callable[..., Any]) -> Callable[..., Any]:
    """Run `f` again in the backward pass, instead of keeping its intermediate results. Mirrors `tf.recompute_grad`.

    Args:
      f: takes and returns tensors.

    Returns:
      A function with the same results and gradients that holds only `f`'s arguments.
    """

    @custom_gradient
    def inner(*args: Any, **kwargs: Any) -> Any:
        with _seen_by(*(r for r in context.recorders if r.follows or isinstance(r, _VariableWatcher))):
            result = f(*args, **kwargs)

        def grad(*cotangents: Any, variables: Any = ()) -> Any:
            # Tensors of their own, so that a variable or another argument of the same value has its own gradient; tapes
            # outside see where they come from, for derivatives of this one.
            sources = [identity(convert(x)) for x in differentiable(args)]
            with GradientTape() as tape:
                tape.watch(sources)
                again = f(*in_place_of(args, sources), **kwargs)
            answers = tape.gradient(again, [*sources, *variables], list(cotangents))
            arguments = answers[: len(sources)]
            return (arguments, answers[len(sources) :]) if variables else arguments

        return result, grad

    return wraps(f)(lambda *args, **kwargs: inner(*args, **kwargs))


@export("grad_pass_through")
def grad_pass_through(f: Callable[..., Any]) -> Callable[..., Any]:
    """`f` forward, the identity backward: a straight-through estimator. Mirrors `tf.grad_pass_through`."""

    @custom_gradient
    def inner(*args: Any, **kwargs: Any) -> Any:
        def grad(*cotangents: Any, variables: Any = None) -> Any:
            return (cotangents, [None] * len(variables)) if variables else cotangents

        return f(*args, **kwargs), grad

    return wraps(f)(lambda *args, **kwargs: inner(*args, **kwargs))
