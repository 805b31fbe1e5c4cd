"""What is interpreted does not depend on the mode: these tests run in one of the two that `make test` goes through."""

from __future__ import annotations

import os

if os.environ.get("TFGRAD_JAX_MODE") == "immediate":
    collect_ignore_glob = ["test_*.py"]
