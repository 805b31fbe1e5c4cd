"""Reading what summaries wrote."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.lib.io.records import read_records
from tfgrad_jax.lib.summary.messages import Event


@export("compat.v1.train.summary_iterator")
def summary_iterator(path: Any) -> Iterator[Any]:
    """The events of a file of summaries. Mirrors `tf.compat.v1.train.summary_iterator`."""
    return map(Event.FromString, read_records(path))
