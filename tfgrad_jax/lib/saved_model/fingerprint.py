"""`fingerprint.pb`: numbers that tell SavedModels apart."""

from __future__ import annotations

import hashlib
import os
from typing import Any

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.lib.saved_model.protos import message

FILE = "fingerprint.pb"
_FIELDS = (
    "saved_model_checksum",
    "graph_def_program_hash",
    "signature_def_hash",
    "saved_object_graph_hash",
    "checkpoint_hash",
)


def _number(data: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little")


def write_fingerprint(folder: str, saved: Any, data: bytes) -> None:
    """Write the file for a SavedModel in a folder.

    Args:
      folder: with its checkpoint.
      saved: its message.
      data: the same, serialized.
    """
    graph = saved.meta_graphs[0]
    signatures = [graph.signature_def[key].SerializeToString(deterministic=True) for key in sorted(graph.signature_def)]
    with open(os.path.join(folder, "variables", "variables.index"), "rb") as file:
        index = file.read()
    parts = [
        data,
        graph.graph_def.SerializeToString(deterministic=True),
        b"".join(signatures),
        graph.object_graph_def.SerializeToString(deterministic=True),
        index,
    ]
    made = message("FingerprintDef", **dict(zip(_FIELDS, map(_number, parts), strict=True)))
    made.version.producer = 4
    made.uuid = str(int.from_bytes(os.urandom(16), "little"))
    with open(os.path.join(folder, FILE), "wb") as file:
        file.write(made.SerializeToString())


@export("saved_model.experimental.Fingerprint")
class Fingerprint:
    """The numbers of a SavedModel. Mirrors `tf.saved_model.experimental.Fingerprint`.

    Those that this package writes are of its own making: they differ where SavedModels do, and are no hashes of TensorFlow's.

    Args:
      saved_model_checksum, graph_def_program_hash, signature_def_hash, saved_object_graph_hash, checkpoint_hash: of its parts.
      version: of how they are computed.
    """

    def __init__(
        self,
        saved_model_checksum: int | None = None,
        graph_def_program_hash: int | None = None,
        signature_def_hash: int | None = None,
        saved_object_graph_hash: int | None = None,
        checkpoint_hash: int | None = None,
        version: int | None = None,
    ) -> None:
        self.saved_model_checksum = saved_model_checksum
        self.graph_def_program_hash = graph_def_program_hash
        self.signature_def_hash = signature_def_hash
        self.saved_object_graph_hash = saved_object_graph_hash
        self.checkpoint_hash = checkpoint_hash
        self.version = version

    @classmethod
    def from_proto(cls, proto: Any) -> Fingerprint:
        """The numbers in a message."""
        numbers: dict[str, int] = {field: getattr(proto, field) for field in _FIELDS}
        return cls(**numbers, version=proto.version.producer)

    def _key(self) -> tuple[int | None, ...]:
        return tuple(getattr(self, field) for field in _FIELDS)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Fingerprint) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def singleprint(self) -> str:
        """The numbers that are the same for the same program and values, in one text."""
        return "/".join(map(str, self._key()[1:]))

    def __str__(self) -> str:
        return "\n".join(["SavedModel Fingerprint", *(f"  {f}: {getattr(self, f)}" for f in _FIELDS)])


@export("saved_model.experimental.read_fingerprint")
def read_fingerprint(export_dir: Any) -> Fingerprint:
    """The numbers of the SavedModel in a directory. Mirrors `tf.saved_model.experimental.read_fingerprint`.

    Raises:
      FileNotFoundError: if it has none.
    """
    path = os.path.join(os.fspath(export_dir), FILE)
    try:
        with open(path, "rb") as file:
            data = file.read()
    except FileNotFoundError:
        raise FileNotFoundError(f"SavedModel Fingerprint Error: there is no {path}") from None
    proto = message("FingerprintDef")
    proto.ParseFromString(data)
    return Fingerprint.from_proto(proto)
