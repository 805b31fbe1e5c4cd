"""The printed form of tensors on meshes: the value, or the part of each device where these differ; and the layout."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.lib.dtensor.layout import Layout
from tfgrad_jax.ops.host.printing import tensor_text

_SHOWN = 3
"""So many elements at each end of a dimension."""


def laid_text(array: Any, layout: Layout) -> str:
    """What is printed of an array that lies so."""
    if layout.is_fully_replicated():
        value = tensor_text(array, _SHOWN)
    else:
        parts = {shard.device: shard.data for shard in array.addressable_shards}
        devices = zip(layout.mesh.local_devices(), layout.mesh.sharding_mesh.devices.ravel(), strict=True)
        texts = [f'"{name.rpartition("device:")[2]}": {tensor_text(parts[device], _SHOWN)}' for name, device in devices]
        value = f"{{{', '.join(texts)}}}"
    return f'{value}, layout="{layout.to_string()}"'
