"""Names of parametrized tests, which must be the same in every process that collects them."""

from __future__ import annotations

import re
from typing import Any


def shown(value: Any) -> str:
    """`repr`, less the addresses in it."""
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value))
