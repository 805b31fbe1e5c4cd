"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
def compile(computation: _Any, inputs: _Any = None) -> _Any:
    """Run a function on inputs; inside `tf.function` it is compiled with the rest. Mirrors `tf.xla.experimental.compile`."""
def jit_scope(compile_ops: _Any = True, separate_compiled_gradients: _Any = False) -> _Any:
    """A context of a function that is compiled, as all of it is. Mirrors `tf.xla.experimental.jit_scope`."""
