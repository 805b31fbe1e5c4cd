"""Made by docs/stubs.py: run it again where a test says that this is old."""

from typing import Any as _Any
ClusterCoordinator: _Any
PerWorkerValues: _Any
RemoteValue: _Any
