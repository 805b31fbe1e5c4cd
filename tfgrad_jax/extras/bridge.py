"""The bridge to JAX: its functions as operations here, functions written here as pure functions there."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tfgrad_jax.engine.cache import Cache
from tfgrad_jax.engine.function.function import Function, function
from tfgrad_jax.engine.kernels.derivative_rules import by_rules
from tfgrad_jax.engine.kernels.executables import FEW
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.run.execute import execute
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.values import nest
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import BY_NUMPY
from tfgrad_jax.engine.values.specs import TensorSpec
from tfgrad_jax.engine.values.tensor import Tensor

_ARRAYS = (Tensor, Variable, np.ndarray, np.generic, jax.Array)


def jax_op(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Make a JAX function an operation: recorded by tapes and accumulators, in every mode and inside `tf.function`.

    Args:
      fn: takes and returns pytrees of JAX arrays. Its gradient is JAX's, so `jax.custom_vjp` and `custom_jvp` count.

    Returns:
      A function that takes the same pytrees with tensors, variables or arrays in them, and returns tensors. Other leaves
      (numbers, strings, functions, ...) reach `fn` as they are; they must be hashable, and `fn` is compiled for each.
    """
    kernels: Cache[Any, tuple[Kernel, list[Any]]] = Cache()

    @functools.wraps(fn)
    def call(*args: Any, **kwargs: Any) -> Any:
        leaves, tree = jax.tree_util.tree_flatten((args, kwargs), is_leaf=lambda x: isinstance(x, (Tensor, Variable)))
        static = tuple((type(x), x) if not isinstance(x, _ARRAYS) else None for x in leaves)
        known = kernels[tree, static]
        if known is None:
            known = kernels.keep((tree, static), _kernel(fn, tree, static, many=len(kernels) >= FEW))
        kernel, structure = known
        operands = [x.as_operand() if isinstance(x, Variable) else convert(x) for x in leaves if isinstance(x, _ARRAYS)]
        results = execute(kernel, tuple(operands))
        return jax.tree_util.tree_unflatten(structure[0], list(results))

    return call


def _kernel(fn: Callable[..., Any], tree: Any, static: tuple[Any, ...], many: bool) -> tuple[Kernel, list[Any]]:
    structure: list[Any] = [None]  # of the results; known once the kernel has been traced

    def run(*arrays: Any) -> tuple[Any, ...]:
        rest = iter(arrays)
        args, kwargs = jax.tree_util.tree_unflatten(tree, [next(rest) if s is None else s[1] for s in static])
        leaves, structure[0] = jax.tree_util.tree_flatten(fn(*args, **kwargs))
        return tuple(map(jnp.asarray, leaves))

    return Kernel(getattr(fn, "__name__", "jax_op"), run, many=many), structure


class Pure:
    """A function or module with its variables taken out; see `functionalize`."""

    def __init__(self, fn: Any) -> None:
        self._function = fn if isinstance(fn, Function) else function(fn)
        self._keys: dict[int, str] = {}
        self._variables: dict[str, Variable] = {}
        self._register(getattr(fn, "variables", ()))

    def _register(self, variables: Iterable[Variable]) -> None:
        for variable in variables:
            if variable.box.id not in self._keys:
                name = base = variable.name.split(":", 1)[0]
                n = 0
                while name in self._variables:
                    n += 1
                    name = f"{base}_{n}"
                self._keys[variable.box.id] = name
                self._variables[name] = variable

    def init(self, *args: Any) -> dict[str, jax.Array]:
        """The variables' values now, by name.

        Args:
          *args: arguments to trace the function with, which finds its variables; not needed for a module that has made them.
        """
        if args:
            self._register(self._traced(args).variables)
        return {name: jnp.asarray(v.box.tensor.array) for name, v in self._variables.items()}

    def _traced(self, args: Any) -> Any:
        def spec(x: Any) -> Any:
            if isinstance(x, (*_ARRAYS, jax.core.Tracer)):
                return TensorSpec(
                    x.shape, x.dtype if isinstance(x, (Tensor, Variable)) else BY_NUMPY[np.dtype(x.dtype)]
                )
            return x

        # Constants of the function are no part of a computation that JAX happens to be tracing.
        with jax.ensure_compile_time_eval():
            return self._function.get_concrete_function(*nest.map_structure(spec, args))

    def __call__(self, params: dict[str, Any], *args: Any) -> tuple[Any, dict[str, Any]]:
        """The results and the new values of the variables.

        Raises:
          KeyError: if `params` lacks a variable that the function reads.
        """
        concrete = self._traced(args)
        lifted = concrete.lifted
        self._register(concrete.variables)

        def entering(box: Any) -> Any:
            key = self._keys.get(box.id)
            if key is None:  # the state of a random operation: the same in every call
                return box.tensor.array
            if key not in params:
                raise KeyError(
                    f"functionalize: params lack the variable {key!r}; init({', '.join('...' for _ in args)}) has all"
                )
            return params[key]

        tensors = [x for x in nest.flatten(args) if isinstance(x, (*_ARRAYS, jax.core.Tracer))]
        read = [entering(box) for box in lifted.read]
        arrays = [jnp.asarray(x.array if isinstance(x, Tensor) else x) for x in (*tensors, *lifted.captured, *read)]
        with by_rules(silent=False):
            results = lifted.run(*arrays)
        count = len(lifted.outputs)
        values = iter(results[:count])
        outputs = nest.map_structure(lambda t: next(values) if isinstance(t, Tensor) else t, concrete.results)
        new = {self._keys[b.id]: v for b, v in zip(lifted.boxes, results[count:], strict=True) if b.id in self._keys}
        return outputs, {**params, **new}


def functionalize(fn: Any) -> Pure:
    """Turn a function or module with variables into a pure JAX function.

    Args:
      fn: a Python function, a `tf.function`, or a callable `tf.Module`.

    Returns:
      A function `(params, *args) -> (outputs, new_params)` of JAX arrays, for `jax.jit`, `vmap`, `grad`, ...; gradients follow
      TensorFlow's conventions. Its method `init` gives the first `params`. The variables themselves stay as they are, and so
      does the state of random operations: they draw the same numbers in each call.
    """
    return Pure(fn)
