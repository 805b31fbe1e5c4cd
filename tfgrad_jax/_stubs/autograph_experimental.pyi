"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
class Feature(_Any): ...
def do_not_convert(func: _Any = None) -> _Any:
    """A decorator: the function, and what it calls, are not converted. Mirrors `tf.autograph.experimental.do_not_convert`."""
def set_loop_options(parallel_iterations: _Any = ..., swap_memory: _Any = ..., maximum_iterations: _Any = ..., shape_invariants: _Any = ...) -> _Any:
    """Specifies additional arguments to be passed to the enclosing while_loop."""
