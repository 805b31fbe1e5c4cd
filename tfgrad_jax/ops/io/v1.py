"""The same operations with the arguments that TensorFlow 1 gave them."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.ops.io.csv import decode_csv
from tfgrad_jax.ops.io.decoding import decode_raw


@export("compat.v1.io.decode_csv", "compat.v1.decode_csv")
def decode_csv_v1(
    records: Any,
    record_defaults: Any,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    name: str | None = None,
    na_value: str = "",
    select_cols: Any = None,
) -> list[Tensor]:
    """`tf.io.decode_csv` with its arguments in another order. Mirrors `tf.compat.v1.decode_csv`."""
    return decode_csv(records, record_defaults, field_delim, use_quote_delim, na_value, select_cols, name)


@export("compat.v1.io.decode_raw", "compat.v1.decode_raw")
def decode_raw_v1(
    input_bytes: Any = None,
    out_type: Any = None,
    little_endian: bool = True,
    name: str | None = None,
    bytes: Any = None,
) -> Tensor:
    """`tf.io.decode_raw`, whose first argument may be called `bytes`. Mirrors `tf.compat.v1.decode_raw`.

    Raises:
      ValueError: if it is given under both names, or under none, or there is no `out_type`.
    """
    if (input_bytes is None) == (bytes is None) or out_type is None:
        raise ValueError("decode_raw takes input_bytes and out_type; bytes is another name of input_bytes")
    return decode_raw(input_bytes if bytes is None else bytes, out_type, little_endian, name=name)
