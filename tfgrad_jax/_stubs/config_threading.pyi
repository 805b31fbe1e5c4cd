"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
def get_inter_op_parallelism_threads() -> _Any:
    """The number that was set; 0 says that XLA chooses. Mirrors `tf.config.threading.get_inter_op_parallelism_threads`."""
def get_intra_op_parallelism_threads() -> _Any:
    """The number that was set; 0 says that XLA chooses. Mirrors `tf.config.threading.get_intra_op_parallelism_threads`."""
def set_inter_op_parallelism_threads(num_threads: _Any) -> _Any:
    """Kept without effect: XLA chooses the number of threads when the process starts."""
def set_intra_op_parallelism_threads(num_threads: _Any) -> _Any:
    """Kept without effect: XLA chooses the number of threads when the process starts."""
