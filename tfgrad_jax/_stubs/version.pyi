"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
COMPILER_VERSION: str
GIT_VERSION: str
GRAPH_DEF_VERSION: int
GRAPH_DEF_VERSION_MIN_CONSUMER: int
GRAPH_DEF_VERSION_MIN_PRODUCER: int
VERSION: str
