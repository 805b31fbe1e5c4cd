"""Files in the middle of a graph: `tf.io.read_file`, `write_file`, `matching_files`."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfgrad_jax.engine.declare.op import op
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.tensor import Spec
from tfgrad_jax.ops.common import listed
from tfgrad_jax.ops.io.file_systems import matching, read_bytes, write_bytes
from tfgrad_jax.ops.io.roles import Bytes, one


@op("ReadFile", "io.read_file", host=True)
def read_file(filename: Bytes):
    """All that is in a file. Mirrors `tf.io.read_file`.

    Args:
      filename: a scalar.

    Returns:
      A scalar of dtype string.

    Raises:
      NotFoundError, FailedPreconditionError, PermissionDeniedError: as the system says.
    """
    return np.array(read_bytes(one(filename, "filename", "ReadFile").decode(), "ReadFile"), object)


@read_file.types
def _(filename):
    return Spec.of(dtypes.string, ())


@op("WriteFile", host=True, stateful=True)
def _write_file(filename: Bytes, contents: Bytes):
    path = one(filename, "filename", "WriteFile").decode()
    write_bytes(path, one(contents, "contents", "WriteFile"), "WriteFile")
    return []


@_write_file.types
def _(filename, contents):
    return []


@export("io.write_file")
def write_file(filename: Any, contents: Any, name: str | None = None) -> None:
    """Write a file anew, and the directories that it lies in. Mirrors `tf.io.write_file`.

    Args:
      filename, contents: scalars of dtype string.
      name: accepted for compatibility.

    Raises:
      FailedPreconditionError, PermissionDeniedError: as the system says.
    """
    _write_file(filename, contents)


@op("MatchingFiles", "io.matching_files", host=True)
def matching_files(pattern: Bytes):
    """The files that one or more patterns stand for, in alphabetical order. Mirrors `tf.io.matching_files`.

    Args:
      pattern: a scalar or a vector; `*`, `?` and `[...]` match within one name of a path.

    Returns:
      A vector of dtype string. What two patterns match is there twice.

    Raises:
      InvalidArgumentError: if `pattern` has more dimensions.
    """
    if pattern.ndim > 1:
        raise invalid_argument(
            f"Input patterns tensor must be scalar or vector, but had shape: {listed(pattern.shape)}", "MatchingFiles"
        )
    found = [path.encode() for each in pattern.reshape(-1) for path in matching(each.decode())]
    return np.array(sorted(found), object)


@matching_files.types
def _(pattern):
    return Spec.open(dtypes.string, TensorShape([None]))
