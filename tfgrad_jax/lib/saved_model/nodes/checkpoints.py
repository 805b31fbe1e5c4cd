"""Nodes that write checkpoints and read them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfgrad_jax.engine.run.effects import with_eager_context
from tfgrad_jax.engine.values.dtypes import DType
from tfgrad_jax.lib.saved_model.nodes.registry import node, tf
from tfgrad_jax.ops.host.host_calls import numpy_function


@node("SaveV2", stateful=True)
def _save(prefix: Any, names: Any, parts: Any, *tensors: Any) -> None:
    def act(path: Any, keys: Any, slices: Any, *arrays: Any) -> list[Any]:
        given = {"prefix": path, "tensor_names": keys, "shape_and_slices": slices, "tensors": list(arrays)}
        with_eager_context(lambda: tf("raw_ops.SaveV2")(**given))
        return []

    numpy_function(act, [prefix, names, parts, *[_value(t) for t in tensors]], [])


@node("RestoreV2", stateful=True)
def _restore(prefix: Any, names: Any, parts: Any, *, dtypes: Sequence[DType]) -> list[Any]:
    def act(path: Any, keys: Any, slices: Any) -> list[Any]:
        given = {"prefix": path, "tensor_names": keys, "shape_and_slices": slices, "dtypes": list(dtypes)}
        return [t.numpy() for t in with_eager_context(lambda: tf("raw_ops.RestoreV2")(**given))]

    return list(numpy_function(act, [prefix, names, parts], list(dtypes)))


@node("MergeV2Checkpoints", stateful=True)
def _merge(prefixes: Any, destination: Any, *, delete_old_dirs: bool = True) -> None:
    def act(sources: Any, target: Any) -> list[Any]:
        given = {"checkpoint_prefixes": sources, "destination_prefix": target, "delete_old_dirs": delete_old_dirs}
        with_eager_context(lambda: tf("raw_ops.MergeV2Checkpoints")(**given))
        return []

    numpy_function(act, [prefixes, destination], [])


def _value(tensor: Any) -> Any:
    return tensor.read_value() if hasattr(tensor, "read_value") else tensor
