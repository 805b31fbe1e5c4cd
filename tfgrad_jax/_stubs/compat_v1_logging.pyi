"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
DEBUG: int
ERROR: int
FATAL: int
INFO: int
def TaskLevelStatusMessage(msg: _Any, *args: _Any, **kwargs: _Any) -> _Any:
    """Log 'msg % args' with severity 'ERROR'."""
WARN: int
def debug(msg: _Any, *args: _Any, **kwargs: _Any) -> _Any:
    """Log 'msg % args' with severity 'DEBUG'."""
def error(msg: _Any, *args: _Any, **kwargs: _Any) -> _Any:
    """Log 'msg % args' with severity 'ERROR'."""
def fatal(msg: _Any, *args: _Any, **kwargs: _Any) -> _Any:
    """Don't use this method, use critical() instead."""
def flush() -> _Any:
    """See that all messages are written. Mirrors `tf.compat.v1.logging.flush`."""
def get_verbosity() -> _Any:
    """The level from which on messages are shown. Mirrors `tf.compat.v1.logging.get_verbosity`."""
def info(msg: _Any, *args: _Any, **kwargs: _Any) -> _Any:
    """Log 'msg % args' with severity 'INFO'."""
def log(level: _Any, msg: _Any, *args: _Any, **kwargs: _Any) -> _Any:
    """Log 'msg % args' with the integer severity 'level'."""
def log_every_n(level: _Any, msg: _Any, n: _Any, *args: _Any) -> _Any:
    """Log a message each `n`th time. Mirrors `tf.compat.v1.logging.log_every_n`."""
def log_first_n(level: _Any, msg: _Any, n: _Any, *args: _Any) -> _Any:
    """Log a message the first `n` times. Mirrors `tf.compat.v1.logging.log_first_n`."""
def log_if(level: _Any, msg: _Any, condition: _Any, *args: _Any) -> _Any:
    """Log a message if a condition is true. Mirrors `tf.compat.v1.logging.log_if`."""
def set_verbosity(v: _Any) -> _Any:
    """Have TensorFlow's logger show messages from a level on. Mirrors `tf.compat.v1.logging.set_verbosity`."""
def vlog(level: _Any, msg: _Any, *args: _Any) -> _Any:
    """Log a message. Mirrors `tf.compat.v1.logging.vlog`."""
def warn(msg: _Any, *args: _Any, **kwargs: _Any) -> _Any:
    """Log 'msg % args' with severity 'WARNING'."""
def warning(msg: _Any, *args: _Any, **kwargs: _Any) -> _Any:
    """Log 'msg % args' with severity 'WARNING'."""
