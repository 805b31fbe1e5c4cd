"""What a benchmark is, and the training loops that the workloads share.

A workload file writes its program once for every module that speaks TensorFlow's API (``tensorflow`` itself and
``tfgrad_jax``, eager or under ``tf.function``), with a twin in PyTorch and one hand-written for ``jax.jit`` beside it.
All of them start from the same NumPy numbers, so their first losses must agree; the harness checks that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

RATE = 0.01
Step = Callable[[], float]
"""Does one step, and reads one number of its result, as a training loop that logs its loss does."""
Wrap = Callable[[Callable[..., Any]], Callable[..., Any]]
"""``tf.function`` or the identity."""


@dataclass(frozen=True)
class Steps:
    """A repeated step: what is reported is its median time once warm.

    Attributes:
        name: The short name, as on the command line.
        title: The row's title in the report.
        tensorflow: Given a TensorFlow-like module and a wrap, makes the step.
        torch: Given ``torch``, makes its twin.
        jax: Given ``jax``, makes the twin hand-written for ``jax.jit``.
        items: How many items (ops) a step has; times are given per item.
        settle: Seconds of warm-up that a peer compiling in the background gets before it counts as hot.
        functions: Whether the program makes sense under ``tf.function``.
    """

    name: str
    title: str
    tensorflow: Callable[[Any, Wrap], Step]
    torch: Callable[[Any], Step] | None = None
    jax: Callable[[Any], Step] | None = None
    items: int = 1
    settle: float = 3.0
    functions: bool = True
    unit: str = "us"


@dataclass(frozen=True)
class Once:
    """Something measured once in a fresh process, by a function that gets the `Program` of the peer.

    Attributes:
        name: The short name, as on the command line.
        title: The row's title in the report.
        measure: Measures it, in `unit`.
        dialects: Which dialects it is written in.
        functions: Whether the program makes sense under ``tf.function``.
        env: Environment variables of the process.
    """

    name: str
    title: str
    measure: Callable[[Program], float]
    unit: str
    dialects: Sequence[str] = ("tensorflow",)
    functions: bool = False
    env: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Command:
    """A snippet run by a fresh interpreter: what is reported is its wall time, start of the interpreter included."""

    name: str
    title: str
    snippets: dict[str, str]
    unit: str = "s"
    functions: bool = False


@dataclass(frozen=True)
class Program:
    """A peer as seen from inside its process."""

    dialect: str
    module: Any
    wrap: Wrap
    fused: bool

    def build(self, workload: Steps) -> Step:
        """Makes the step of `workload` in this peer's dialect."""
        if self.dialect == "tensorflow":
            return workload.tensorflow(self.module, self.wrap)
        make = getattr(workload, self.dialect)
        if make is None:
            raise NotImplementedError(f"{workload.name} has no twin in {self.dialect}")
        return make(self.module)


def weights(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Random float32 weights whose scale suits all dimensions but the last as fan-in."""
    return (rng.standard_normal(shape) / np.sqrt(np.prod(shape[:-1]))).astype(np.float32)


def zeros(*shape: int) -> np.ndarray:
    """Float32 zeros, for biases."""
    return np.zeros(shape, np.float32)


def tensorflow_sgd(
    tf: Any, wrap: Wrap, loss: Callable[..., Any], initial: Sequence[np.ndarray], batch: Sequence[np.ndarray]
) -> Step:
    """The usual custom loop: forward under a tape, gradient, ``assign_sub``, read the loss."""
    variables = [tf.Variable(value) for value in initial]
    tensors = [tf.constant(value) for value in batch]

    def step(*batch: Any) -> Any:
        with tf.GradientTape() as tape:
            value = loss(variables, *batch)
        for variable, gradient in zip(variables, tape.gradient(value, variables), strict=True):
            variable.assign_sub(RATE * gradient)
        return value

    run = wrap(step)
    return lambda: float(run(*tensors))


def torch_sgd(torch: Any, loss: Callable[..., Any], initial: Sequence[np.ndarray], batch: Sequence[np.ndarray]) -> Step:
    """The same in PyTorch's eager mode."""
    parameters = [torch.tensor(value, requires_grad=True) for value in initial]
    tensors = [torch.tensor(value) for value in batch]

    def step() -> float:
        value = loss(parameters, *tensors)
        gradients = torch.autograd.grad(value, parameters)
        with torch.no_grad():
            for parameter, gradient in zip(parameters, gradients, strict=True):
                parameter.sub_(gradient, alpha=RATE)
        return value.item()

    return step


def jax_sgd(jax: Any, loss: Callable[..., Any], initial: Sequence[np.ndarray], batch: Sequence[np.ndarray]) -> Step:
    """The same as a pure function for ``jax.jit``, its parameters donated."""

    def update(parameters: Any, *batch: Any) -> Any:
        value, gradients = jax.value_and_grad(loss)(parameters, *batch)
        return [parameter - RATE * gradient for parameter, gradient in zip(parameters, gradients, strict=True)], value

    compiled = jax.jit(update, donate_argnums=0)
    parameters = [jax.numpy.array(value) for value in initial]
    tensors = [jax.numpy.array(value) for value in batch]

    def step() -> float:
        nonlocal parameters
        parameters, value = compiled(parameters, *tensors)
        return float(value)

    return step
