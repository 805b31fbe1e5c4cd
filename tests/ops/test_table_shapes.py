"""Every row of the table inside `tf.function` has the static shapes that TensorFlow infers: they are found alike in both modes."""

from __future__ import annotations

import pytest

from tests.ops.table import families, load
from tests.ops.test_table_traced import refused, unlike


@pytest.mark.parametrize("kind", ["closed", "open"])
@pytest.mark.parametrize("family", families())
def test_static_shapes_are_tensorflows(family, kind):
    wrong = unlike([row for row in load(family).values() if not refused(row, kind)], kind)
    assert not wrong, "\n".join(wrong)
