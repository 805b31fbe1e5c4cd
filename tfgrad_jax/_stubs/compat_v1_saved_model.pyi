"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
from tfgrad_jax._stubs import compat_v1_saved_model_constants as constants
def Builder(*args: _Any, **kwargs: _Any) -> _Any:
    """Not here. Instead: use tf.saved_model.save."""
LEGACY_INIT_OP_KEY: str
MAIN_OP_KEY: str
def simple_save(*args: _Any, **kwargs: _Any) -> _Any:
    """Not here. Instead: use tf.saved_model.save."""
