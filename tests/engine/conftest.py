"""What tests declare is forgotten after them: the tables of operations and names are the package's own."""

from __future__ import annotations

import pytest

from tfgrad_jax.engine.declare.op import declared
from tfgrad_jax.engine.names.export import registry


@pytest.fixture
def declaring():
    """For tests that declare operations and public names."""
    tables = [(table, dict(table)) for table in (declared, registry)]
    yield
    for table, before in tables:
        for name in table.keys() - before.keys():
            del table[name]
