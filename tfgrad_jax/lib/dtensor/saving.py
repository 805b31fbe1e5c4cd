"""Checkpoints of tensors on meshes, by name: `dtensor.name_based_save` and the like. A tensor is saved as a whole."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any

from tfgrad_jax.engine.messages.errors import OpError
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.eager import executing_eagerly
from tfgrad_jax.lib.checkpoint.checkpoint import Checkpoint
from tfgrad_jax.lib.checkpoint.raw import restore_v2, save_v2
from tfgrad_jax.lib.dtensor.layout import Layout
from tfgrad_jax.lib.dtensor.mesh import Mesh
from tfgrad_jax.lib.dtensor.tensors import copy_to_mesh, fetch_layout


@export("experimental.dtensor.sharded_save")
def sharded_save(
    mesh: Mesh,
    file_prefix: Any,
    tensor_names: Any,
    shape_and_slices: Any,
    tensors: Sequence[Any],
) -> None:
    """Write tensors that lie on a mesh. Mirrors `tf.experimental.dtensor.sharded_save`.

    Args:
      mesh: where they lie.
      file_prefix, tensor_names, shape_and_slices, tensors: as of `tf.raw_ops.SaveV2`.
    """
    save_v2(prefix=file_prefix, tensor_names=tensor_names, shape_and_slices=shape_and_slices, tensors=tensors)


@export("experimental.dtensor.name_based_save")
def name_based_save(mesh: Mesh, checkpoint_prefix: Any, name_tensor_dict: Mapping[str, Any]) -> None:
    """Write tensors and variables on a mesh under their names. Mirrors `tf.experimental.dtensor.name_based_save`.

    Args:
      mesh: where they lie.
      checkpoint_prefix: the path of the checkpoint.
      name_tensor_dict: the tensors by name.

    Raises:
      ValueError: in a function, or if one lies on no mesh.
    """
    _check("save", name_tensor_dict)
    names = list(name_tensor_dict)
    sharded_save(mesh, checkpoint_prefix, names, [""] * len(names), list(name_tensor_dict.values()))


@export("experimental.dtensor.name_based_restore")
def name_based_restore(
    mesh: Mesh, checkpoint_prefix: Any, name_tensor_dict: Mapping[str, Any]
) -> OrderedDict[str, Any]:
    """The tensors that a checkpoint has under some names, which lie as others do. Mirrors the function of the same name.

    Args:
      mesh: where they are to lie.
      checkpoint_prefix: the path of the checkpoint.
      name_tensor_dict: for each name a tensor of the same shape, dtype and layout.

    Raises:
      ValueError: in a function, or if one lies on no mesh, or on another one than of CPUs.
    """
    layouts = _check("restore", name_tensor_dict)
    for name, layout in layouts.items():
        if layout.mesh.device_type().upper() != "CPU":
            raise ValueError(f"Restoring a non CPU Tensor is not supported currently. Offending tensor name : {name}")
    names = list(name_tensor_dict)
    dtypes = [tensor.dtype for tensor in name_tensor_dict.values()]
    found = restore_v2(prefix=checkpoint_prefix, tensor_names=names, shape_and_slices=[""] * len(names), dtypes=dtypes)
    return OrderedDict((name, copy_to_mesh(value, layouts[name])) for name, value in zip(names, found, strict=True))


@export("experimental.dtensor.enable_save_as_bf16")
def enable_save_as_bf16(variables: Sequence[Any]) -> None:
    """Have variables saved as bfloat16, and restored from it."""
    for variable in variables:
        variable.save_as_bf16 = True


def _check(what: str, tensors: Mapping[str, Any]) -> dict[str, Layout]:
    """The layout of each tensor."""
    if not executing_eagerly():
        raise ValueError(f"name based {what} must run eagerly.")
    try:
        return {name: fetch_layout(tensor) for name, tensor in tensors.items()}
    except OpError as error:
        raise ValueError(
            f"Saving/Restoring tensor must be a DTensor: name_based_{what} takes such as lie on a mesh, where "
            "dtensor.copy_to_mesh puts them"
        ) from error


@export("experimental.dtensor.DTensorCheckpoint")
class DTensorCheckpoint(Checkpoint):
    """A checkpoint of variables on a mesh: `tf.train.Checkpoint`, which takes them as all others.

    Args:
      mesh: the mesh.
      root: an object to save.
      **kwargs: objects by name.
    """

    def __init__(self, mesh: Mesh, root: Any = None, **kwargs: Any) -> None:
        super().__init__(root=root, **kwargs)
