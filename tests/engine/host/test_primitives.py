"""Every primitive that kernels of the package consist of has a rule, or says why it has none."""

from __future__ import annotations

import pytest

from tests.engine.host.table_calls import COMPILED, calls, zeros
from tests.ops.table import families, load
from tfgrad_jax.engine.host import primitives  # noqa: F401
from tfgrad_jax.engine.host.rules import RULES


@pytest.mark.parametrize("family", families())
def test_the_operations_of_the_table_have_programs_on_the_host(family):
    missing: dict[str, set[str]] = {}
    for row in load(family).values():
        for met in calls(row, zeros):
            if met.flat is None and met.why not in COMPILED:
                missing.setdefault(met.why, set()).add(met.kernel.name)
    assert not missing


def test_what_is_compiled_has_no_rule():
    assert not COMPILED.keys() & RULES.keys()
