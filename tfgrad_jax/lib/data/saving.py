"""Datasets in folders."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from tfgrad_jax.composite.ragged.tensor import RaggedTensorSpec
from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.specs import TensorSpec
from tfgrad_jax.lib.data.base import BaseDataset, DatasetSpec
from tfgrad_jax.lib.data.functions import Mapped
from tfgrad_jax.lib.data.nodes import ordering, tensor_records
from tfgrad_jax.lib.data.nodes.fingerprint import fingerprint
from tfgrad_jax.lib.data.nodes.node import Node, Run, boxed
from tfgrad_jax.lib.data.nodes.saved import (
    COUNT,
    SPEC,
    Contents,
    Loaded,
    Pickles,
    Reader,
    Saved,
    Sink,
    Snapshot,
    Writer,
    finish,
    pickles,
)
from tfgrad_jax.lib.data.nodes.sources import Elements
from tfgrad_jax.lib.data.structure import Structure, mapped
from tfgrad_jax.ops.io.file_systems import Place, speaking_of

_PAUSE = 0.05
"""So many seconds `load` waits before it looks again whether what is saved is complete."""


def _path(value: Any) -> Place:
    name = np.asarray(convert(value).array).item()
    if not isinstance(name, bytes):
        raise TypeError(f"tf.data.Dataset: the path of a folder must be a string, got {value!r}")
    return Place(name.decode())


class Saving(BaseDataset):
    """Methods of `tf.data.Dataset` that keep elements in folders.

    `save` writes what TensorFlow reads, and pickles where elements are of kinds that it cannot keep; so do snapshots, which
    TensorFlow would find by names that it alone can compute.
    """

    def fingerprint(self) -> Any:
        """A scalar of dtype uint64 that tells what is computed: equal for pipelines that are built alike, in other processes too.

        Mirrors `tf.data.Dataset.fingerprint`, with other numbers. Not seen are what tables hold, which seeds random operations
        in functions have, and what Python functions find outside of themselves.
        """
        return convert(np.uint64(int(fingerprint(self.node)[:16], 16)))

    def save(
        self,
        path: Any,
        compression: str | None = None,
        shard_func: Callable[..., Any] | None = None,
        checkpoint_args: Any = None,
    ) -> None:
        """Write all elements into a folder, for `tf.data.Dataset.load`. Mirrors `tf.data.Dataset.save`.

        Args:
          path: the folder. What was saved there before stays on the disk, and is not loaded any more.
          compression: `"GZIP"`, `"ZLIB"`, `"SNAPPY"`, or anything else for none, as TensorFlow has it.
          shard_func: gives an int64 for an element: what has one number comes into one file; all into one if not given.
          checkpoint_args: not supported: with them TensorFlow 2.21 raises `InternalError` at the first element.

        Raises:
          InvalidArgumentError: if `shard_func` gives something else.
          NotImplementedError: if `checkpoint_args` are given.
        """
        if checkpoint_args is not None:
            raise NotImplementedError(
                "tf.data.Dataset.save: checkpoint_args (with which TensorFlow 2.21 saves nothing either); save without them, or "
                "parts of the dataset, as of `shard`, in folders of their own"
            )
        shard = None if shard_func is None else Mapped(shard_func, self.structure, "save")
        if shard is not None and not _is_number(shard):
            raise invalid_argument(
                f"`shard_func` must return a scalar int64, but returns {shard.structure.spec}", "SaveDataset"
            )
        folder = _path(path)
        compressed = tensor_records.compression(compression)
        with speaking_of(str(folder), "SaveDatasetV2"):
            folder.make()
        opened: Callable[[int], Sink]
        if tensor_records.fits(self.structure):
            kept = tensor_records.Run(folder, self.structure, compressed)
            opened, finished = kept.open, kept.finish
        else:
            for old in (SPEC, COUNT, tensor_records.SPEC, tensor_records.METADATA):
                (folder / old).remove()
            for file in folder.inside(".shard"):
                file.remove()
            opened, finished = partial(Pickles, folder), partial(finish, folder, self.structure)
        writer = Writer(opened, None if shard is None else shard.evaluator())
        run = Run(self.node.options)
        try:
            for element in self.node.iterate(run):
                writer.write(element)
        finally:
            run.close()
            writer.close()
        finished(writer.count)

    @staticmethod
    def load(
        path: Any,
        element_spec: Any = None,
        compression: str | None = None,
        reader_func: Callable[[Any], Any] | None = None,
        wait: bool = False,
    ) -> Any:
        """The dataset that was saved in a folder. Mirrors `tf.data.Dataset.load`.

        Args:
          path: the folder.
          element_spec: what elements are; if not given, as it stands in the folder.
          compression: as it was given to `save`.
          reader_func: takes the dataset of the files, each a dataset, and gives one of the elements; if not given, elements of
            as many files at a time as there are cores take turns.
          wait: whether to wait until what is saved there is complete, as by another process.

        Raises:
          NotFoundError: if nothing was saved there.
          InvalidArgumentError: if there are elements of other dtypes than `element_spec` has, or `reader_func` gives no dataset.
          NotImplementedError: if elements are of a kind that is not supported.
          OutOfRangeError: if what says where the elements are is damaged.
        """
        folder = _path(path)
        while wait and not (tensor_records.is_complete(folder) or (folder / SPEC).exists()):
            time.sleep(_PAUSE)
        compressed = tensor_records.compression(compression)
        if (folder / SPEC).exists() and not (folder / tensor_records.SPEC).exists():
            contents = _pickles(folder, element_spec)
        else:
            found = tensor_records.look(folder, element_spec)
            reads = [partial(tensor_records.read, shard, found.structure, compressed) for shard in found.shards]
            contents = Contents(found.structure, found.count, [Saved(found.structure, read) for read in reads])
        return BaseDataset.of(_reader(reader_func)(contents))

    def snapshot(
        self,
        path: Any,
        compression: str | None = "AUTO",
        reader_func: Callable[[Any], Any] | None = None,
        shard_func: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> Any:
        """The same elements, kept in a folder by the first iteration that gets to its end. Mirrors `tf.data.Dataset.snapshot`.

        Args:
          path: the folder.
          reader_func: as of `tf.data.Dataset.load`, for what is read from the folder.
          shard_func: as of `save`; if not given, there are as many files as cores, which take turns.
          compression, name: accepted for compatibility: nothing is compressed.

        Raises:
          TypeError: if `shard_func` gives no int64, or the compression is no text.
        """
        tensor_records.compression(compression)
        folder = _path(path)
        shard = None if shard_func is None else Mapped(shard_func, self.structure, "snapshot")
        if shard is not None and not _is_number(shard):
            raise TypeError(
                f"Invalid `shard_func`. `shard_func` must return `tf.int64` scalar tensor but its return type is "
                f"{shard.structure.spec}."
            )
        reader, operands = _reader(reader_func), (self,) if shard is None else (self, shard)
        # A ragged tensor that has no ragged dimension is handed on as the tensor that it is.
        structure = Structure(mapped(_as_tensor, self.element_spec))
        return self.made(
            structure,
            lambda node, *f: Snapshot(node, folder, f[0] if f else None, reader),
            *operands,
        )


def _pickles(folder: Place, spec: Any) -> Contents:
    contents = pickles(folder)
    wanted = contents.structure if spec is None else Structure(spec)
    have, want = ([part.dtype.name for part in structure.flat] for structure in (contents.structure, wanted))
    if have != want:
        raise invalid_argument(
            f"tf.data.Dataset.load: element_spec has the dtypes {want}, what was saved in {folder} {have}",
            "LoadDataset",
        )
    return contents


def _as_tensor(leaf: Any) -> Any:
    flat = isinstance(leaf, RaggedTensorSpec) and not leaf.ragged_rank
    return TensorSpec(leaf.shape, leaf.dtype) if flat else leaf


def _is_number(function: Mapped) -> bool:
    return len(function.structure.flat) == 1 and TensorSpec([], dtypes.int64).is_compatible_with(
        function.structure.flat[0]
    )


def _reader(function: Callable[[Any], Any] | None) -> Reader:
    """What makes a node that reads files of a function of the dataset of their datasets.

    Raises:
      ValueError: if it is no function.
    """
    if function is not None and not callable(function):
        raise ValueError(f"tf.data.Dataset: `reader_func` must be a function, got {function!r}")

    def read(contents: Contents) -> Node:
        structure = Structure(DatasetSpec(contents.structure.spec))
        files = BaseDataset.of(Elements(structure, [(boxed(shard),) for shard in contents.shards]))
        if function is None:
            found = files.interleave(lambda file: file, cycle_length=ordering.cores())
        else:
            found = function(files)
        if not isinstance(found, BaseDataset):
            raise invalid_argument(f"`reader_func` must return a dataset, got {found!r}", "LoadDataset")
        return Loaded(found.node, contents.count)

    return read
