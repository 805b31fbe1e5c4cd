"""Small private functions that tests of TensorFlow ask for: files, paths, dtypes of NumPy's names, values of replicas."""

from __future__ import annotations

import os
import time
import uuid
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tfgrad_jax.engine.messages.errors import AlreadyExistsError
from tfgrad_jax.engine.names.export import export, export_value
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.values import nest
from tfgrad_jax.engine.values.dtypes import DType
from tfgrad_jax.engine.values.shapes import Dimension, TensorShape
from tfgrad_jax.lib.distribute.values import (
    DistributedValues,
    Mirrored,
    PerReplica,
    PerReplicaSpec,
    regrouped,
    selected,
)
from tfgrad_jax.lib.distribute.variables import DistributedVariable, MirroredVariable, SyncOnReadVariable
from tfgrad_jax.lib.io.gfile import GFile, exists, rename
from tfgrad_jax.lib.module import identifier, snake_case
from tfgrad_jax.lib.numpy.types import default_float, preference

_F, _D, _V, _U = (
    "python.lib.io.file_io.",
    "python.ops.numpy_ops.np_dtypes.",
    "python.distribute.values.",
    "python.distribute.distribute_utils.",
)


@export(_F + "read_file_to_string")
def read_file_to_string(filename: Any, binary_mode: bool = False) -> Any:
    """What a file contains."""
    with GFile(filename, "rb" if binary_mode else "r") as file:
        return file.read()


@export(_F + "write_string_to_file")
def write_string_to_file(filename: Any, file_content: Any) -> None:
    """Write a file."""
    with GFile(filename, "wb" if isinstance(file_content, bytes) else "w") as file:
        file.write(file_content)


@export(_F + "atomic_write_string_to_file")
def atomic_write_string_to_file(filename: Any, contents: Any, overwrite: bool = True) -> None:
    """Write a file, which appears when it is whole.

    Raises:
      AlreadyExistsError: if there is one that may not be overwritten.
    """
    if not overwrite and exists(filename):
        raise AlreadyExistsError(None, None, f"{filename}: file already exists")
    beside = f"{os.fspath(filename)}.tmp{uuid.uuid4().hex}"
    write_string_to_file(beside, contents)
    rename(beside, filename, overwrite=True)


@export(_F + "has_atomic_move")
def has_atomic_move(path: Any) -> bool:
    """Whether a file that is renamed takes its place at once: on the machine's own disks."""
    return "://" not in os.fspath(path)


@export(_F + "file_crc32")
def file_crc32(filename: Any, block_size: int = 1 << 24) -> str:
    """The CRC-32 of a file, as `0x` and hexadecimal digits."""
    found = 0
    with GFile(filename, "rb") as file:
        while block := file.read(n=block_size):
            found = zlib.crc32(block, found)
    return hex(found)


@export(_F + "filecmp")
def filecmp(filename_a: Any, filename_b: Any) -> bool:
    """Whether two files contain the same."""
    return bool(read_file_to_string(filename_a, True) == read_file_to_string(filename_b, True))


@export("python.util.compat.path_to_bytes")
def path_to_bytes(path: Any) -> bytes:
    """A path as bytes."""
    return os.fsencode(path)


@export("python.platform.resource_loader.get_root_dir_with_all_resources")
def get_root_dir_with_all_resources() -> str:
    """The folder that holds the calling program's folder."""
    return str(Path.cwd())


export_value(snake_case, "python.module.module.camel_to_snake")
export_value(identifier, "python.module.module.valid_identifier")


@export("python.util.serialization.get_json_type")
def get_json_type(obj: Any) -> Any:
    """What JSON can hold of a value: of an object with settings its class and those.

    Raises:
      TypeError: if there is nothing.
    """
    if hasattr(obj, "get_config"):
        return {"class_name": type(obj).__name__, "config": obj.get_config()}
    if isinstance(obj, (np.ndarray, np.generic)):
        return obj.tolist()
    if isinstance(obj, DType):
        return obj.name
    if isinstance(obj, TensorShape):
        return obj.as_list()
    if isinstance(obj, Dimension):
        return obj.value
    if callable(obj):
        return obj.__name__
    if isinstance(obj, Mapping):
        return dict(obj)
    if obj is Ellipsis:
        return {"class_name": "__ellipsis__"}
    raise TypeError(f"Object {obj} is not JSON-serializable: give its class a `get_config()` method")


@export("python.util.variable_utils.replace_variables_with_atoms")
def replace_variables_with_atoms(values: Any) -> Any:
    """A nest with 0 in place of each variable."""
    return nest.map_structure(lambda value: 0 if isinstance(value, Variable) else value, values)


@export("python.data.experimental.ops.testing.sleep")
def sleep(sleep_microseconds: int) -> Callable[[Any], Any]:
    """What makes a dataset wait before each element, for `Dataset.apply`."""

    def slower(dataset: Any) -> Any:
        def elements() -> Any:
            for element in dataset:
                time.sleep(sleep_microseconds / 1e6)
                yield element

        return type(dataset).from_generator(elements, output_signature=dataset.element_spec)

    return slower


@export(_D + "default_float_type")
def default_float_type() -> type:
    """The type of floating-point numbers that do not say theirs."""
    return np.float32 if preference.float32 else default_float().type


@export(_D + "is_prefer_float32")
def is_prefer_float32() -> bool:
    """Whether floating-point numbers that do not say their type have 32 bits."""
    return preference.float32


@export(_D + "set_prefer_float32")
def set_prefer_float32(b: bool) -> None:
    """Choose whether floating-point numbers that do not say their type have 32 bits."""
    preference.float32 = b


@export(_D + "is_allow_float64")
def is_allow_float64() -> bool:
    """Always true."""
    return True


@export(_D + "set_allow_float64")
def set_allow_float64(b: bool) -> None:
    """Accepted for compatibility.

    Raises:
      NotImplementedError: if 64 bits shall not be allowed.
    """
    if not b:
        raise NotImplementedError("set_allow_float64(False): float64 is always there; use set_prefer_float32(True)")


@export(_D + "canonicalize_dtype")
def canonicalize_dtype(dtype: Any) -> Any:
    """The dtype that results have where a program asks for this one: the same."""
    return dtype


for _class in (PerReplica, PerReplicaSpec, Mirrored, MirroredVariable, SyncOnReadVariable, DistributedValues):
    export_value(_class, _V + _class.__name__)


@export(_U + "regroup")
def regroup(values: Any, wrap_class: Any = PerReplica, always_wrap: bool = False) -> Any:
    """One nest of the replicas' nests."""
    return regrouped(values, wrap_class, always_wrap)


@export(_U + "select_replica")
def select_replica(replica_id: int, structured: Any) -> Any:
    """A nest with one replica's part of each value in it."""
    return nest.map_structure(
        lambda x: x.values[replica_id] if isinstance(x, DistributedValues) else x, selected(replica_id, structured)
    )


@export(_U + "select_replica_mirrored")
def select_replica_mirrored(replica_id: int, structured: Any) -> Any:
    """As `select_replica`, of values that are the same for all.

    Raises:
      TypeError: if one is not.
    """
    for leaf in nest.flatten(structured):
        if isinstance(leaf, DistributedValues) and not isinstance(leaf, Mirrored):
            raise TypeError(f"Expected value to be mirrored across replicas: {leaf} in {structured}.")
    return select_replica(replica_id, structured)


@export(_U + "is_mirrored")
def is_mirrored(val: Any) -> bool:
    """Whether a value is the same for all replicas."""
    return isinstance(val, Mirrored)


@export(_U + "is_sync_on_read")
def is_sync_on_read(val: Any) -> bool:
    """Whether a variable is put together when it is read."""
    return isinstance(val, SyncOnReadVariable)


@export(_U + "is_distributed_variable")
def is_distributed_variable(v: Any) -> bool:
    """Whether a variable has a copy for each replica."""
    return isinstance(v, DistributedVariable)
