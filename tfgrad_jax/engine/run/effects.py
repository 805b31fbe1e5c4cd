"""Side effects of compiled programs: Python code that they call, and the errors it finds.

An exception cannot leave a running XLA program, and Python may be called on any of the runtime's threads. So what goes wrong
inside is noted for the thread that runs the program, which every program with side effects is told, and raised there.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

import jax
import numpy as np

from tfgrad_jax.engine.kernels.kernel import Kernel
from tfgrad_jax.engine.threads.context import context, new_id, switched
from tfgrad_jax.engine.values.dtypes import int64
from tfgrad_jax.engine.values.tensor import EagerTensor, Spec, Tensor

_failures: dict[int, list[Exception]] = {}
"""By thread that runs a program with side effects, what its Python code raised."""


class _Caller:
    """The thread that runs a program, as a box: graphs read it as they read variables, and so have it as an operand."""

    def __init__(self) -> None:
        self.id = new_id()
        self.spec = self.declared = Spec.of(int64, ())

    @property
    def current(self) -> Tensor:
        return EagerTensor(np.array(threading.get_ident()))

    @property
    def tensor(self) -> Tensor:
        graph = context.graph
        return self.current if graph is None else graph.read(self)


caller = _Caller()


def call_host(function: Callable[..., None], thread: Any, *arrays: Any, ordered: bool = True) -> None:
    """Call `function` with the values of arrays when the program runs; not if it only runs again to be differentiated.

    Args:
      function: the Python code.
      thread: the value of `caller` in the program.
      *arrays: what `function` takes.
      ordered: whether such calls keep their order.
    """
    if context.silent:
        return

    def run(thread: Any, *values: Any) -> None:
        try:
            with_eager_context(lambda: function(*map(np.asarray, values)))
        except Exception as error:
            _failures.setdefault(int(thread), []).append(error)

    jax.debug.callback(run, thread, *arrays, ordered=ordered)


def effect(name: str, fn: Callable[..., Any], types: Any) -> Kernel:
    """A kernel of what happens outside of values, as in a queue or a file.

    Args:
      name: of the operation.
      fn: what happens: takes arrays, and gives those of the results.
      types: the types of the results, one spec or several.
    """
    kernel = Kernel(name, fn, differentiable=0, host=True, stateful=True, recorded=False)
    kernel.types = lambda specs: types
    return kernel


def eager_context() -> contextlib.AbstractContextManager[None]:
    """A context in which operations run as if no function were traced and no tape recorded."""
    return switched(None, context.eager)


def with_eager_context(function: Callable[[], Any]) -> Any:
    """Run Python code in an `eager_context`."""
    with eager_context():
        return function()


@contextlib.contextmanager
def program() -> Iterator[None]:
    """A context in which this thread runs a program with side effects. At its end they have all happened.

    Raises:
      Exception: the first error that the program's Python code found, if the program itself raised none.
    """
    thread = threading.get_ident()
    outer = _failures.pop(thread, None)
    try:
        yield
        jax.effects_barrier()
    finally:
        failures = _failures.pop(thread, None)
        if outer is not None:
            _failures[thread] = outer
    if failures:
        raise failures[0]
