"""Python in the middle of a graph: `tf.py_function`, `tf.numpy_function`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine.graph.graph import NeedsValue
from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.messages import errors
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.eager import as_the_user_runs, executing_eagerly
from tfgrad_jax.engine.run.execute import execute, identity
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.tape.backward import dense
from tfgrad_jax.engine.tape.custom_gradient import custom_gradient
from tfgrad_jax.engine.tape.tape import GradientTape
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values import nest
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import DType, as_dtype
from tfgrad_jax.engine.values.shapes import UNRANKED
from tfgrad_jax.engine.values.specs import TensorSpec
from tfgrad_jax.engine.values.tensor import EagerTensor, Spec, Tensor

_CLASSES: list[tuple[type[Exception] | tuple[type[Exception], ...], Any]] = [
    ((TypeError, ValueError), errors.InvalidArgumentError),
    (StopIteration, errors.OutOfRangeError),
    (MemoryError, errors.ResourceExhaustedError),
    (NotImplementedError, errors.UnimplementedError),
    (Exception, errors.UnknownError),
]


def as_op_error(error: Exception) -> Exception:
    """What an operation raises when the Python code that it runs raises this."""
    if isinstance(error, errors.OpError):
        return error
    kind = next(k for classes, k in _CLASSES if isinstance(error, classes))
    return kind(None, None, f"{type(error).__name__}: {error}")


def _dtypes(tout: Any, name: str) -> tuple[list[DType], bool]:
    if tout is None:
        raise TypeError(
            f"Missing required argument: 'Tout'. If using tf.{name} as a decorator, set `Tout` by name: `@tf.{name}(Tout=tout)`"
        )
    many = isinstance(tout, (list, tuple))
    return [as_dtype(t.dtype if isinstance(t, TensorSpec) else t) for t in (tout if many else [tout])], many


def _decorates(inp: Any, kinds: Any, name: str) -> None:
    """Whether arguments are those of a decorator."""
    if inp is not None or kinds is None:
        raise TypeError(
            f"tf.{name}: without func it is a decorator, which takes Tout and no inp; got inp={inp!r}, Tout={kinds!r}"
        )


@export("py_function")
def py_function(func: Callable[..., Any] | None = None, inp: Any = None, Tout: Any = None, name: Any = None) -> Any:
    """Call a Python function with eager tensors, also from a graph; gradients flow through it. Mirrors `tf.py_function`.

    In a graph what is around such a call stays compiled. The shapes of the results are not known there: `set_shape` tells them.
    The gradient of an argument that no result depends on is zeros, not None, and variables that `func` reads have none.

    Args:
      func: takes eager tensors, returns what becomes tensors.
      inp: its arguments.
      Tout: the dtype of the result, or a list of dtypes; an empty list for none.
      name: accepted for compatibility.

    Returns:
      A tensor, or a list of tensors where `Tout` is a list. Without `func`, a decorator.

    Raises:
      InvalidArgumentError: if `func` raises ValueError or TypeError, or a result does not fit its dtype; other classes for other
        exceptions.
      TypeError: if there is no `Tout`.
    """
    if func is None:
        _decorates(inp, Tout, "py_function")
        return lambda f: lambda *args: py_function(f, list(args), Tout)
    kinds, many = _dtypes(Tout, "py_function")

    def run(tensors: Sequence[Tensor]) -> list[Tensor]:
        try:
            with as_the_user_runs():
                result = func(*tensors)
            results = list(result) if isinstance(result, (list, tuple)) and (many or len(result) != 1) else [result]
            results = [] if result is None else results
            made = [_result(r, kind) for r, kind in zip(results, kinds, strict=len(kinds) > 0)]
            # A result may be an argument: to a tape it is another tensor.
            return [identity(t) for t in made] if context.recorders else made
        except Exception as error:
            raise as_op_error(error) from error

    def run_eagerly(tensors: Sequence[Tensor]) -> list[Tensor]:
        flows = context.recorders and any([k.trainable for k in kinds]) and any([t.dtype.trainable for t in tensors])
        return _with_gradient(run, tensors) if flows else run(tensors)

    return _called(run, inp, kinds, many, "EagerPyFunc", True, run_eagerly)


def _with_gradient(run: Callable[[Sequence[Tensor]], list[Tensor]], tensors: Sequence[Tensor]) -> list[Tensor]:
    """Results of Python code whose gradient is what a tape of its own saw: to the tapes around it, that of one operation."""
    floating = [t for t in tensors if t.dtype.trainable]

    @custom_gradient
    def called(*_: Tensor) -> Any:
        with GradientTape(persistent=True) as tape:
            tape.watch(floating)
            results = run(tensors)
        floats = [t for t in results if t.dtype.trainable]

        def gradient(*cotangents: Tensor, variables: Sequence[Variable] = ()) -> Any:
            given = [c for c, t in zip(cotangents, results, strict=True) if t.dtype.trainable]
            answers = [dense(a) for a in tape.gradient(floats, floating, given, unconnected_gradients="zero")]
            return (answers, [None] * len(variables)) if variables else answers

        return results, gradient

    return called(*floating)


def _result(value: Any, kind: DType) -> Tensor:
    return convert(value.as_operand() if isinstance(value, Variable) else value, kind)


@export("numpy_function")
def numpy_function(
    func: Callable[..., Any] | None = None, inp: Any = None, Tout: Any = None, stateful: bool = True, name: Any = None
) -> Any:
    """Call a Python function with NumPy arrays, also from a graph; no gradient flows. Mirrors `tf.numpy_function`.

    Args:
      func: takes and returns NumPy arrays.
      inp, Tout, name: as for `tf.py_function`.
      stateful: in a graph, whether it is called though nobody uses its result.

    Returns:
      A tensor, or a list of tensors where `Tout` is a list. Without `func`, a decorator.
    """
    if func is None:
        _decorates(inp, Tout, "numpy_function")
        return lambda f: lambda *args: numpy_function(f, list(args), Tout, stateful)
    if executing_eagerly():
        result = func(*[np.array(x) for x in (inp or [])])
        return (
            None
            if result is None
            else nest.map_structure(convert, list(result) if isinstance(result, (list, tuple)) else result)
        )
    kinds, many = _dtypes(Tout, "numpy_function")

    def run(tensors: Sequence[Tensor]) -> list[Tensor]:
        try:
            result = func(*[_own(np.asarray(t.array))[()] for t in tensors])
        except Exception as error:
            raise as_op_error(error) from error
        results = [] if result is None else list(result) if isinstance(result, (list, tuple)) else [result]
        out = []
        for i, (value, kind) in enumerate(zip(results, kinds, strict=True)):
            tensor = EagerTensor(np.asarray(value)) if isinstance(value, (int, float)) else convert(value)
            if tensor.dtype is not kind:
                raise errors.invalid_argument(
                    f"{i}-th value returned by {func!r} is {tensor.dtype.name}, but expects {kind.name}", "PyFunc"
                )
            out.append(tensor)
        return out

    return _called(run, inp, kinds, many, "PyFunc", stateful)


def _own(array: np.ndarray) -> np.ndarray:
    return array if array.flags.writeable else array.copy()


def _called(
    run: Any, inp: Any, kinds: list[DType], many: bool, name: str, stateful: bool, run_eagerly: Any = None
) -> Any:
    operands = [convert(x) if not isinstance(x, Variable) else x.as_operand() for x in (inp or [])]
    if executing_eagerly():
        results = (run_eagerly or run)(operands)
        return results if many else results[0]

    def fn(*arrays: Any) -> Any:
        raise NeedsValue(f"{name}: Python runs in the middle of the function")

    kernel = Kernel(
        name, fn, differentiable=-1 if name == "EagerPyFunc" else 0, stateful=stateful, interpret=run_eagerly or run
    )
    kernel.whole = False
    kernel.typed = [Spec.of(k, UNRANKED) for k in kinds]
    out = execute(kernel, tuple(operands))
    return out if many else out[0]
