"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
LEGACY_INIT_OP_KEY: str
MAIN_OP_KEY: str
