"""Serialized examples as arrays: the operation below `tf.io.parse_example`."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Attr, Operand
from tfgrad_jax.ops.io.example_alone import arrays_alone
from tfgrad_jax.ops.io.example_columns import columns
from tfgrad_jax.ops.io.example_parts import arrays_of, of_one, specs_of, wanted_of
from tfgrad_jax.ops.io.example_rows import blame_of
from tfgrad_jax.ops.io.roles import Bytes

_Defaults: Any = Operand(shared=False, many=True, differentiable=False)


@op("ParseExampleV2", host=True)
def parse_example_arrays(serialized: Bytes, names: Bytes, defaults: _Defaults, parts: Attr):
    """The arrays of each declaration in `parts` (see `example_parts`), one after the other.

    Args:
      serialized: one example, or a vector of them.
      names: what they are called in errors; empty for nothing.
      defaults: what the declarations name by position.
      parts: the declarations.

    Raises:
      InvalidArgumentError: if an example does not fit.
    """
    if not serialized.ndim and not names.size:
        found = arrays_alone(serialized.item(), parts, defaults)
        if found is not None:
            return found
    blame = blame_of(serialized, names, "ParseExampleV2")
    wanted = wanted_of(parts)
    read = dict(zip(wanted, columns(serialized.reshape(-1).tolist(), wanted, blame), strict=True))
    out = []
    for part in parts:
        arrays = arrays_of(part, read, defaults, blame)
        out += arrays if serialized.ndim else of_one(part, arrays)
    return out


@parse_example_arrays.types
def _(serialized, names, defaults, parts):
    return [spec for part in parts for spec in specs_of(part, serialized.shape)]
