"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
def Assert(condition: _Any, data: _Any, summarize: _Any = None, name: _Any = None) -> _Any:
    """Raise unless `condition` is true. Mirrors `tf.debugging.Assert`."""
def assert_all_finite(x: _Any, message: _Any, name: _Any = None) -> _Any:
    """`tf.debugging.check_numerics`, by its other name."""
def assert_equal(x: _Any, y: _Any, message: _Any = None, summarize: _Any = None, name: _Any = None) -> _Any:
    """Raise `InvalidArgumentError` unless `x == y` for all elements. Mirrors `tf.debugging.assert_equal`."""
def assert_greater(x: _Any, y: _Any, message: _Any = None, summarize: _Any = None, name: _Any = None) -> _Any:
    """Raise `InvalidArgumentError` unless `x > y` for all elements. Mirrors `tf.debugging.assert_greater`."""
def assert_greater_equal(x: _Any, y: _Any, message: _Any = None, summarize: _Any = None, name: _Any = None) -> _Any:
    """Raise `InvalidArgumentError` unless `x >= y` for all elements. Mirrors `tf.debugging.assert_greater_equal`."""
def assert_integer(x: _Any, message: _Any = None, name: _Any = None) -> _Any:
    """Raise `TypeError` unless `x` is of integer dtype. Mirrors `tf.debugging.assert_integer`."""
def assert_less(x: _Any, y: _Any, message: _Any = None, summarize: _Any = None, name: _Any = None) -> _Any:
    """Raise `InvalidArgumentError` unless `x < y` for all elements. Mirrors `tf.debugging.assert_less`."""
def assert_less_equal(x: _Any, y: _Any, message: _Any = None, summarize: _Any = None, name: _Any = None) -> _Any:
    """Raise `InvalidArgumentError` unless `x <= y` for all elements. Mirrors `tf.debugging.assert_less_equal`."""
def assert_near(x: _Any, y: _Any, rtol: _Any = None, atol: _Any = None, message: _Any = None, summarize: _Any = None, name: _Any = None) -> _Any:
    """Raise `InvalidArgumentError` unless `|x - y| < atol + rtol * |y|`. Mirrors `tf.debugging.assert_near`."""
def assert_negative(x: _Any, message: _Any = None, summarize: _Any = None, name: _Any = None) -> _Any:
    """Raise `InvalidArgumentError` unless `x < 0` for all elements. Mirrors `tf.debugging.assert_negative`."""
def assert_non_negative(x: _Any, message: _Any = None, summarize: _Any = None, name: _Any = None) -> _Any:
    """Raise `InvalidArgumentError` unless `x >= 0` for all elements. Mirrors `tf.debugging.assert_non_negative`."""
def assert_non_positive(x: _Any, message: _Any = None, summarize: _Any = None, name: _Any = None) -> _Any:
    """Raise `InvalidArgumentError` unless `x <= 0` for all elements. Mirrors `tf.debugging.assert_non_positive`."""
def assert_none_equal(x: _Any, y: _Any, summarize: _Any = None, message: _Any = None, name: _Any = None) -> _Any:
    """Raise `InvalidArgumentError` unless `x != y` for all elements. Mirrors `tf.debugging.assert_none_equal`."""
def assert_positive(x: _Any, message: _Any = None, summarize: _Any = None, name: _Any = None) -> _Any:
    """Raise `InvalidArgumentError` unless `x > 0` for all elements. Mirrors `tf.debugging.assert_positive`."""
def assert_proper_iterable(values: _Any) -> _Any:
    """Raise `TypeError` unless `values` is an iterable that is no tensor, array or string."""
def assert_rank(x: _Any, rank: _Any, message: _Any = None, name: _Any = None) -> _Any:
    """Raise unless `x` has this rank. Mirrors `tf.debugging.assert_rank`."""
def assert_rank_at_least(x: _Any, rank: _Any, message: _Any = None, name: _Any = None) -> _Any:
    """Raise `ValueError` unless `x` has at least this rank. Mirrors `tf.debugging.assert_rank_at_least`."""
def assert_rank_in(x: _Any, ranks: _Any, message: _Any = None, name: _Any = None) -> _Any:
    """Raise `ValueError` unless the rank of `x` is among these. Mirrors `tf.debugging.assert_rank_in`."""
def assert_same_float_dtype(tensors: _Any = None, dtype: _Any = None) -> _Any:
    """The floating dtype that all tensors share (and that is `dtype`, if given); float32 if there is neither."""
def assert_scalar(tensor: _Any, message: _Any = None, name: _Any = None) -> _Any:
    """The tensor; raises `ValueError` unless it is a scalar. Mirrors `tf.debugging.assert_scalar`."""
def assert_shapes(shapes: _Any, data: _Any = None, summarize: _Any = None, message: _Any = None, name: _Any = None) -> _Any:
    """Raise `ValueError` unless tensors have the shapes that are described. Mirrors `tf.debugging.assert_shapes`."""
def assert_type(tensor: _Any, tf_type: _Any, message: _Any = None, name: _Any = None) -> _Any:
    """Raise `TypeError` unless the tensor has this dtype. Mirrors `tf.debugging.assert_type`."""
def check_numerics(tensor: _Any, message: _Any, name: _Any = None) -> _Any:
    """The tensor; raises `InvalidArgumentError` if it has a NaN or an infinity. Mirrors `tf.debugging.check_numerics`."""
def disable_check_numerics() -> _Any:
    """Undo `tf.debugging.enable_check_numerics`."""
def disable_traceback_filtering() -> _Any:
    """Show JAX's frames in tracebacks, and this package's in messages that quote the user's code."""
def enable_check_numerics(stack_height_limit: _Any = 30, path_length_limit: _Any = 50) -> _Any:
    """From here on, let every operation of this thread raise if a result has a NaN or an infinity."""
def enable_traceback_filtering() -> _Any:
    """Leave JAX's frames out of tracebacks, and this package's out of messages that quote the user's code."""
def get_log_device_placement() -> _Any:
    """The setting of `tf.debugging.set_log_device_placement`."""
def is_numeric_tensor(tensor: _Any) -> _Any:
    """Whether this is a tensor of numbers. Mirrors `tf.debugging.is_numeric_tensor`."""
def is_traceback_filtering_enabled() -> _Any:
    """The setting of the next two."""
def set_log_device_placement(enabled: _Any) -> _Any:
    """Kept without effect: operations are parts of programs, whose device is that of their operands."""
