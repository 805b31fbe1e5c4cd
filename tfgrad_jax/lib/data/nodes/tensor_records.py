"""Datasets in folders as TensorFlow keeps them: files of records, a `TensorProto` for each component of each element."""

from __future__ import annotations

import dataclasses
import math
import secrets
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np

from tfgrad_jax.composite.ragged.tensor import RaggedTensorSpec
from tfgrad_jax.composite.sparse_tensor import SparseTensorSpec
from tfgrad_jax.engine.messages.errors import DataLossError, NotFoundError, OutOfRangeError, invalid_argument
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.dtypes import BY_NUMPY
from tfgrad_jax.engine.values.specs import TensorSpec
from tfgrad_jax.lib.data.leaves import Components, leaf_batch, row_spec
from tfgrad_jax.lib.data.nodes.node import Element
from tfgrad_jax.lib.data.structure import Structure
from tfgrad_jax.lib.io.records import SnappyOptions, TFRecordWriter, read_records
from tfgrad_jax.lib.saved_model.protos import message
from tfgrad_jax.lib.saved_model.structures import decoded, encoded
from tfgrad_jax.ops.io.file_systems import Place
from tfgrad_jax.ops.io.tensor_proto import parse_tensor_proto, tensor_proto
from tfgrad_jax.ops.io.wire import BadProto, field, fields, read_varint, varint

SPEC = "dataset_spec.pb"
METADATA = "snapshot.metadata"

_RUN, _TIME, _VERSION, _DTYPES, _COUNT, _FINISHED = 2, 3, 4, 5, 6, 1000
_RAGGED, _TENSOR = b"RaggedTensorVariant", b"tensorflow::Tensor"
_TYPE, _PARTS = 1, 3
"""The fields of a value of dtype variant: what it is, and the tensors that it consists of."""


def fits(structure: Structure) -> bool:
    """Whether elements can be kept so: nests of tensors, ragged and sparse ones."""
    leaves = [leaf for leaf, _ in structure.groups]
    if not leaves or not all(isinstance(leaf, (TensorSpec, RaggedTensorSpec, SparseTensorSpec)) for leaf in leaves):
        return False
    if not all(s.dtype is dtypes.string or BY_NUMPY.get(s.dtype.np) is s.dtype for s in structure.flat):
        return False
    try:
        encoded(structure.spec)
    except ValueError:
        return False
    return True


def compression(name: Any) -> str:
    """The compression of records that `save` and `load` mean by a name: TensorFlow takes any other text for none.

    Raises:
      TypeError: if it is no text.
    """
    if name is not None and not isinstance(name, (str, bytes)):
        raise TypeError(f"Expected string for argument 'compression' not {name!r}.")
    return name if name in ("GZIP", "ZLIB", "SNAPPY") else ""


class Run:
    """A folder for the elements of one call of `save`.

    Args:
      folder: in which it is made.
      structure: of the elements.
      compressed: how.
    """

    def __init__(self, folder: Place, structure: Structure, compressed: str) -> None:
        self._name = str(secrets.randbits(63))
        self._folder, self._structure, self._compressed = folder, structure, compressed

    def open(self, shard: int) -> Elements:
        """The file of the elements with this number."""
        where = self._folder / self._name / f"{shard:08d}.shard"
        where.make()
        return Elements(where / "00000000.snapshot", self._structure, self._compressed)

    def finish(self, count: int) -> None:
        """Say that all elements are there. What was saved in the folder before is not read any more from then on."""
        enums = [
            (leaf.dtype if isinstance(leaf, TensorSpec) else dtypes.variant).as_datatype_enum
            for leaf, _ in self._structure.groups
        ]
        metadata = field(_RUN, self._name.encode()) + field(_TIME, time.time_ns() // 1000) + field(_VERSION, 2)
        metadata += field(_DTYPES, b"".join(map(varint, enums))) + field(_COUNT, count) + field(_FINISHED, 1)
        (self._folder / SPEC).write(encoded(self._structure.spec).SerializeToString())
        whole = self._folder / f"{METADATA}.{self._name}"  # who waits for it sees it as a whole, or not at all
        whole.write(metadata)
        whole.become(self._folder / METADATA)


class Elements:
    """Writes a file of elements."""

    def __init__(self, path: Place, structure: Structure, compressed: str) -> None:
        self._writer = TFRecordWriter(str(path), SnappyOptions() if compressed == "SNAPPY" else compressed)
        self._groups = structure.groups

    def write(self, element: Element) -> None:
        """Write one element."""
        for leaf, places in self._groups:
            self._writer.write(_record(leaf, element[places.start : places.stop]))

    def close(self) -> None:
        """Close the file."""
        self._writer.close()


def _record(leaf: Any, parts: Components) -> bytes:
    if isinstance(leaf, TensorSpec):
        return tensor_proto(parts[0])
    if isinstance(leaf, RaggedTensorSpec):
        return _variants((), [_variant(_RAGGED, (*parts[1:], parts[0]))])
    return _variants((3,), [_variant(_TENSOR, [part]) for part in parts])


def _variant(name: bytes, parts: Sequence[np.ndarray]) -> bytes:
    return field(_TYPE, name) + b"".join([field(_PARTS, tensor_proto(np.asarray(part))) for part in parts])


def _variants(shape: tuple[int, ...], values: Sequence[bytes]) -> bytes:
    """A tensor of variants: their lengths, then they."""
    dims = b"".join([field(2, field(1, n)) for n in shape])
    content = b"".join([varint(len(value)) for value in values]) + b"".join(values)
    return field(1, dtypes.variant.as_datatype_enum) + field(2, dims) + field(4, content)


@dataclasses.dataclass(frozen=True)
class Found:
    """What was saved in a folder: the elements' structure, how many there are, the folders of the shards."""

    structure: Structure
    count: int
    shards: list[Place]


def is_complete(folder: Place) -> bool:
    """Whether all elements that were to be saved in a folder are there."""
    try:
        said = {number: value for number, _, value in fields((folder / METADATA).read())}
    except (OSError, BadProto):
        return False
    return bool(said.get(_FINISHED))


def look(folder: Place, spec: Any = None) -> Found:
    """What was saved in a folder.

    Args:
      folder: the folder.
      spec: what elements are; if not given, as it stands there.

    Raises:
      NotFoundError: if nothing was saved there.
      NotImplementedError: if elements are of a kind that is not supported.
      OutOfRangeError: if what says where they are is damaged.
    """
    if spec is None:
        spec = _spec(folder)
    structure = Structure(spec)
    if any(not isinstance(leaf, (TensorSpec, RaggedTensorSpec, SparseTensorSpec)) for leaf, _ in structure.groups):
        raise NotImplementedError(f"tf.data.Dataset.load: elements of the type {spec}")
    path = folder / METADATA
    try:
        said = {number: value for number, _, value in fields(path.read())}
        run = said[_RUN].decode()
        if said.get(_VERSION) != 2:
            raise NotImplementedError(
                f"tf.data.Dataset.load: {path} has version {said.get(_VERSION)} of the format, not 2"
            )
    except OSError as error:
        raise NotFoundError(None, None, f"no dataset was saved in {folder}: {error}") from error
    except (BadProto, KeyError, AttributeError, UnicodeDecodeError) as error:
        raise OutOfRangeError(None, None, f"{path} is damaged: {error!r}") from error
    return Found(structure, said.get(_COUNT, 0), (folder / run).inside(".shard"))


def _spec(folder: Place) -> Any:
    path = folder / SPEC
    try:
        data = path.read()
    except OSError as error:
        raise NotFoundError(None, None, f"no dataset was saved in {folder}: {error}") from error
    proto = message("StructuredValue")
    try:
        proto.ParseFromString(data)
    except Exception as error:  # protobuf's own class, as in TensorFlow
        raise type(error)(f"{path} is damaged: {error}") from error
    try:
        return decoded(proto)
    except ValueError as error:
        raise NotImplementedError(f"tf.data.Dataset.load: {path} has elements of an unknown type: {error}") from error


def read(shard: Place, structure: Structure, compressed: str) -> Iterator[Element]:
    """The elements in the folder of a shard.

    Raises:
      DataLossError: if a file is damaged.
      InvalidArgumentError: if an element does not fit the structure.
    """
    leaves = [leaf for leaf, _ in structure.groups]
    for path in shard.inside(".snapshot"):
        records = read_records(str(path), compressed)
        while found := list(islice(records, len(leaves))):
            if len(found) < len(leaves):
                raise DataLossError(
                    None, None, f"{path}: the last element has {len(found)} of {len(leaves)} components"
                )
            yield sum([_parts(path, i, *both) for i, both in enumerate(zip(leaves, found))], ())


def _parts(path: Place, number: int, leaf: Any, record: bytes) -> Components:
    try:
        if isinstance(leaf, TensorSpec):
            dtype, array = parse_tensor_proto(record)
            parts: Components = (array,)
        else:
            shape, variants = _several(record)
            dtype, parts = leaf.dtype, _composite(leaf, shape, variants)
    except (BadProto, IndexError) as error:
        raise DataLossError(None, None, f"{path}: component {number} of an element cannot be read: {error}") from error
    if dtype is not leaf.dtype:
        raise invalid_argument(
            f"{path}: component {number} of an element is of dtype {dtype.name}, expected {leaf.dtype.name}",
            "LoadDataset",
        )
    if isinstance(leaf, TensorSpec) and not leaf.shape.is_compatible_with(array.shape):
        raise invalid_argument(
            f"{path}: component {number} of an element has the shape {array.shape}, expected {leaf.shape}",
            "LoadDataset",
        )
    return parts


def _several(record: bytes) -> tuple[tuple[int, ...], list[list[np.ndarray]]]:
    """The shape of a tensor of variants, and the arrays of each."""
    shape: list[int] = []
    content = b""
    for number, _, value in fields(record):
        if number == 1 and value != dtypes.variant.as_datatype_enum:
            raise BadProto("it is a tensor, not a ragged or sparse one")
        if number == 2:
            for _, _, dim in fields(value):
                shape.append(next((n for at, _, n in fields(dim) if at == 1), 0))
        elif number == 4:
            content = value
    at, sizes = 0, []
    for _ in range(math.prod(shape)):
        size, at = read_varint(content, at)
        sizes.append(size)
    out = []
    for size in sizes:
        out.append([parse_tensor_proto(v)[1] for n, _, v in fields(content[at : at + size]) if n == _PARTS])
        at += size
    return tuple(shape), out


def _composite(leaf: Any, shape: tuple[int, ...], variants: list[list[np.ndarray]]) -> Components:
    """The components of a ragged or sparse tensor, which was kept whole or, if it is a batch, as its rows."""
    own = shape if isinstance(leaf, RaggedTensorSpec) else shape[:-1]
    if own:
        row, each = row_spec(leaf), len(variants) // shape[0] if shape[0] else 0
        rows = [_composite(row, shape[1:], variants[i * each : (i + 1) * each]) for i in range(shape[0])]
        return leaf_batch(row, rows)
    if isinstance(leaf, SparseTensorSpec):
        return tuple([parts[0] for parts in variants])
    *splits, flat = variants[0]
    if isinstance(leaf, RaggedTensorSpec) and len(splits) != leaf.ragged_rank:
        raise BadProto(f"it is ragged in {len(splits)} dimensions, not in {leaf.ragged_rank}")
    if flat.dtype != leaf.dtype.np and leaf.dtype is not dtypes.string:
        raise BadProto(f"it has values of dtype {flat.dtype}, not {leaf.dtype.name}")
    return (flat, *splits)
