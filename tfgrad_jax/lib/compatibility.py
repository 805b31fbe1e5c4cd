"""`tf.compat`: dimensions as the versions of TensorFlow had them, and what a release may expect of other releases."""

from __future__ import annotations

import contextlib
import datetime
import logging
from collections.abc import Iterator
from typing import Any

from tfgrad_jax.engine.graph.func_graph import disable_eager_execution, enable_eager_execution
from tfgrad_jax.engine.graph.session_graph import SessionGraph
from tfgrad_jax.engine.messages.errors import OpError
from tfgrad_jax.engine.names.export import export, export_value, registry
from tfgrad_jax.engine.values import shapes
from tfgrad_jax.engine.values.dimension import Dimension
from tfgrad_jax.engine.values.shapes import TensorShape

export_value(Dimension, "compat.v1.Dimension")
for _name in (
    "float4_e2m1fn",
    "float8_e4m3b11fnuz",
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e5m2",
    "float8_e5m2fnuz",
):
    export_value(registry[f"dtypes.experimental.{_name}"], f"experimental.{_name}")
for _name in ("int2", "int4", "uint2", "uint4"):
    export_value(registry[f"dtypes.experimental.{_name}"], f"experimental.{_name}")


@export("compat.dimension_value")
def dimension_value(dimension: Any) -> Any:
    """The size of a dimension, be it a number or a `tf.compat.v1.Dimension`. Mirrors `tf.compat.dimension_value`."""
    return dimension.value if isinstance(dimension, Dimension) else dimension


@export("compat.dimension_at_index")
def dimension_at_index(shape: TensorShape, index: int) -> Dimension:
    """A dimension of a shape as an object; an unknown one if the rank is unknown. Mirrors `tf.compat.dimension_at_index`.

    Raises:
      IndexError: if there is no such dimension.
    """
    dims = shape.dims
    return Dimension(None) if dims is None else dims[index]


_horizon = [datetime.date(2026, 1, 16)]
"""From when on the release is not known to be compatible: TensorFlow 2.21's date, and those that contexts set."""


@export("compat.forward_compatible")
def forward_compatible(year: int, month: int, day: int) -> bool:
    """Whether the release is younger than a date. Mirrors `tf.compat.forward_compatible`."""
    return datetime.date(year, month, day) < _horizon[-1]


@export("compat.forward_compatibility_horizon")
@contextlib.contextmanager
def forward_compatibility_horizon(year: int, month: int, day: int) -> Iterator[None]:
    """A context in which the release counts as one of another date. Mirrors `tf.compat.forward_compatibility_horizon`."""
    _horizon.append(datetime.date(year, month, day))
    try:
        yield
    finally:
        _horizon.pop()


_logger = logging.getLogger("tensorflow")
for _name, _level in (("DEBUG", 10), ("INFO", 20), ("WARN", 30), ("ERROR", 40), ("FATAL", 50)):
    export_value(_level, f"compat.v1.logging.{_name}")
export_value(_logger.error, "compat.v1.logging.TaskLevelStatusMessage")
for _name in ("debug", "info", "warning", "warn", "error", "fatal", "log"):
    _written: Any = getattr(_logger, "warning" if _name == "warn" else _name)
    export_value(_written, f"compat.v1.logging.{_name}")


@export("compat.v1.logging.set_verbosity")
def set_verbosity(v: Any) -> None:
    """Have TensorFlow's logger show messages from a level on. Mirrors `tf.compat.v1.logging.set_verbosity`."""
    _logger.setLevel(v)


@export("compat.v1.logging.get_verbosity")
def get_verbosity() -> int:
    """The level from which on messages are shown. Mirrors `tf.compat.v1.logging.get_verbosity`."""
    return _logger.getEffectiveLevel()


@export("compat.v1.logging.log_if")
def log_if(level: int, msg: str, condition: Any, *args: Any) -> None:
    """Log a message if a condition is true. Mirrors `tf.compat.v1.logging.log_if`."""
    if condition:
        _logger.log(level, msg, *args)


_counts: dict[str, int] = {}


def _count(msg: str) -> int:
    _counts[msg] = _counts.get(msg, -1) + 1
    return _counts[msg]


@export("compat.v1.logging.log_first_n")
def log_first_n(level: int, msg: str, n: int, *args: Any) -> None:
    """Log a message the first `n` times. Mirrors `tf.compat.v1.logging.log_first_n`."""
    log_if(level, msg, _count(msg) < n, *args)


@export("compat.v1.logging.log_every_n")
def log_every_n(level: int, msg: str, n: int, *args: Any) -> None:
    """Log a message each `n`th time. Mirrors `tf.compat.v1.logging.log_every_n`."""
    log_if(level, msg, not _count(msg) % n, *args)


@export("compat.v1.logging.vlog")
def vlog(level: int, msg: str, *args: Any) -> None:
    """Log a message. Mirrors `tf.compat.v1.logging.vlog`."""
    _logger.log(level, msg, *args)


@export("compat.v1.logging.flush")
def flush() -> None:
    """See that all messages are written. Mirrors `tf.compat.v1.logging.flush`."""
    for handler in _logger.handlers:
        handler.flush()


@export(
    "compat.v1.enable_control_flow_v2",
    "compat.v1.enable_tensor_equality",
)
def _enable_version_2(*args: Any, **kwargs: Any) -> None:
    """Version 2's behaviour is always on."""


@export("compat.v1.disable_control_flow_v2")
def _disable_version_2(*args: Any, **kwargs: Any) -> None:
    """Nothing: programs call this before they make a session, and version 2's control flow serves both versions."""


@export("compat.v1.control_flow_v2_enabled")
def _version_2_enabled() -> bool:
    """Whether version 2's behaviour is on, which it always is."""
    return True


@export("compat.v1.enable_resource_variables")
def enable_resource_variables() -> None:
    """Let sessions fetch what variables held before anything ran. Mirrors `tf.compat.v1.enable_resource_variables`."""
    SessionGraph.last_by_default = False


@export("compat.v1.disable_resource_variables")
def disable_resource_variables() -> None:
    """Let sessions fetch what variables of version 1 hold in the end. Mirrors `tf.compat.v1.disable_resource_variables`.

    These variables are resources nevertheless.
    """
    SessionGraph.last_by_default = True


@export("compat.v1.resource_variables_enabled")
def resource_variables_enabled() -> bool:
    """Whether variables of version 1 are resources. Mirrors `tf.compat.v1.resource_variables_enabled`."""
    return not SessionGraph.last_by_default


@export("compat.v1.enable_v2_tensorshape")
def enable_v2_tensorshape() -> None:
    """Let shapes give sizes as integers, as they do from the start. Mirrors `tf.compat.v1.enable_v2_tensorshape`."""
    shapes.version_1 = False


@export("compat.v1.disable_v2_tensorshape")
def disable_v2_tensorshape() -> None:
    """Let shapes give sizes as `tf.compat.v1.Dimension`s. Mirrors `tf.compat.v1.disable_v2_tensorshape`."""
    shapes.version_1 = True


@export("compat.v1.disable_v2_behavior")
def disable_v2_behavior() -> None:
    """Record operations from here on, with variables and shapes as in version 1. Mirrors `tf.compat.v1.disable_v2_behavior`.

    Raises:
      ValueError: within a graph.
    """
    disable_eager_execution()
    disable_resource_variables()
    disable_v2_tensorshape()


@export("compat.v1.enable_v2_behavior")
def enable_v2_behavior() -> None:
    """Run operations at once from here on, as they do from the start. Mirrors `tf.compat.v1.enable_v2_behavior`."""
    enable_eager_execution()
    enable_resource_variables()
    enable_v2_tensorshape()


def _error_classes() -> dict[int, type[OpError]]:
    return {error.code: error for error in OpError.__subclasses__() if error.code is not None}


@export("compat.v1.errors.exception_type_from_error_code")
def exception_type_from_error_code(error_code: int) -> type[OpError]:
    """The class of errors with a code. Mirrors `tf.compat.v1.errors.exception_type_from_error_code`.

    Raises:
      KeyError: if no class has it.
    """
    return _error_classes()[error_code]


@export("compat.v1.errors.error_code_from_exception_type")
def error_code_from_exception_type(cls: type) -> int | None:
    """The code of a class of errors; None for others. Mirrors `tf.compat.v1.errors.error_code_from_exception_type`."""
    return next((code for code, error in _error_classes().items() if error is cls), None)
