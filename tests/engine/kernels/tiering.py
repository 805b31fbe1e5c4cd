"""What the tests of tiers share."""

from __future__ import annotations


def way_of(kernel, *arrays):
    """How a kernel runs for arrays of these types."""
    return kernel.tiers.way(tuple([(a.shape, a.dtype) for a in arrays]))
