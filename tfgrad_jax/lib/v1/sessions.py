"""What of the graphs and sessions of `tf.compat.v1` is missing: each name says what to use instead. Placeholders with defaults."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.declare.roles import Attr, T
from tfgrad_jax.engine.names.export import export, export_value
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.shapes import UNRANKED, TensorShape
from tfgrad_jax.engine.values.tensor import Spec, Tensor

_INSTEAD = {
    "disable_tensor_equality": "compare identities by `is`, and use t.ref() as a key",
    "colocate_with": "use tf.device",
    "train.SyncReplicasOptimizer": "use tf.distribute.MirroredStrategy",
    "train.export_meta_graph": "save by tf.saved_model.save",
}  # fmt: skip
"""By name below `tf.compat.v1` what takes its place."""


def _of_graphs(name: str, instead: str) -> Any:
    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(
            f"tf.compat.v1.{name} is missing among what tfgrad_jax has of the graphs and sessions of TensorFlow 1: {instead}"
        )

    refuse.__name__ = refuse.__qualname__ = name.rpartition(".")[2]
    refuse.instead = f"it belongs to sessions: {instead}"  # type: ignore[attr-defined]
    refuse.__doc__ = f"Not here. Instead: {instead}."
    return refuse


for _name, _text in _INSTEAD.items():
    export_value(_of_graphs(_name, _text), f"compat.v1.{_name}")


@op("PlaceholderWithDefault")
def _with_default(input: T, shape: Attr = None):
    return input


@_with_default.types
def _(input: Spec, shape: Any = None) -> Spec:
    return Spec.of(input.dtype, UNRANKED if shape is None else shape)


@export("compat.v1.placeholder_with_default")
def placeholder_with_default(input: Any, shape: Any, name: str | None = None) -> Tensor:
    """The default, since nothing is fed; in graphs of no more shape than is given. `tf.compat.v1.placeholder_with_default`.

    Raises:
      ValueError: if it has another shape.
    """
    given, expected = convert(input), TensorShape(shape)
    if not given.shape.is_compatible_with(expected):
        raise ValueError(f"tf.compat.v1.placeholder_with_default: input has shape {given.shape}, expected {expected}")
    return _with_default(given, None if expected.rank is None else tuple(expected.as_list()))
