"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
from tfgrad_jax.lib.v1.saved_models import SavedModelBuilder as SavedModelBuilder
