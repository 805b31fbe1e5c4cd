"""What interpreting and compiling take, and what is worth what: the figures by which `tiers` decides."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

COMPILE_SECONDS = 0.03
"""About what it takes to compile a kernel, on a machine that does nothing else."""

SMALL_SECONDS = 2.5e-5
"""Calls as quick as this are not made quicker by compiling."""
QUICK_CALLS = 10  # of these so many are measured: that takes a fifth of the time of the quickest

HEAVY_SECONDS = 0.25
"""Calls that take as long interpreted, over and over, wait for the compiler: beside it, both would only take longer."""

CHEAP_SECONDS = 5e-4
"""Calls as quick as this are run together with others, where they stand in one graph, and not measured any more."""

WORTH, AGAIN, FEW_TYPES = 16, 2, 3
"""Compiling is waited for if it is expected to take no longer than so many interpreted calls. Other types than the first must have
come before; where there are more than a few, each is expected to come twice as often as it has."""

PATIENCE = 4  # and for at most so many times as long as it is expected to take
SECONDS_A_BYTE = 1.2e-9  # about what interpretation takes for each byte that it makes
SECONDS_AN_OPERATION = 8e-3  # in the first interpreted call of a graph, in which most are traced
FORESEEN = 4  # what is only expected to be heavy must be so many times heavier
BESIDE = 1 / 3 if (os.cpu_count() or 1) > 1 else 1
"""So much of what compiling takes the program feels, where another processor has nothing else to do."""

SMALL_BYTES = 1 << 14
"""Operations on arrays up to this size take no longer on the host than it takes to begin them on an accelerator."""


def are_small(types: Sequence[Any]) -> bool:
    """Whether arrays of these types (shapes and dtypes) are of at most `SMALL_BYTES` each."""
    return all([math.prod(shape) * np.dtype(dtype).itemsize <= SMALL_BYTES for shape, dtype in types])
