"""Datasets in folders."""

from __future__ import annotations

import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.lib.data.base import BaseDataset
from tfgrad_jax.lib.data.functions import Mapped
from tfgrad_jax.lib.data.nodes.node import Run
from tfgrad_jax.lib.data.nodes.saved import Snapshot, finish, found


def _path(value: Any) -> Path:
    name = np.asarray(convert(value).array).item()
    if not isinstance(name, bytes):
        raise TypeError(f"tf.data.Dataset: the path of a folder must be a string, got {value!r}")
    return Path(name.decode())


class Saving(BaseDataset):
    """Methods of `tf.data.Dataset` that keep elements in folders. Their format is this package's own."""

    def save(
        self,
        path: Any,
        compression: str | None = None,
        shard_func: Callable[..., Any] | None = None,
        checkpoint_args: Any = None,
    ) -> None:
        """Write all elements into a folder, for `tf.data.Dataset.load`. Mirrors `tf.data.Dataset.save`.

        Args:
          path: the folder, whose contents are replaced.
          compression: accepted for compatibility: nothing is compressed.
          shard_func: gives an int64 for an element: what has one number comes into one file; all into one if not given.
          checkpoint_args: not supported.

        Raises:
          NotImplementedError: if `checkpoint_args` are given.
        """
        if checkpoint_args is not None:
            raise NotImplementedError("tf.data.Dataset.save: checkpoint_args")
        folder = _path(path)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        shard_of = None if shard_func is None else Mapped(shard_func, self.structure, "save").evaluator()
        run = Run()
        files: dict[int, Any] = {}
        count = 0
        try:
            for element in self.node.iterate(run):
                shard = 0 if shard_of is None else int(shard_of(element)[0])
                if shard not in files:
                    files[shard] = (folder / f"{shard:08d}.shard").open("wb")
                pickle.dump(element, files[shard], pickle.HIGHEST_PROTOCOL)
                count += 1
        finally:
            run.close()
            for file in files.values():
                file.close()
        finish(folder, self.structure, count)

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
          element_spec, compression: known from the folder.
          reader_func, wait: not supported.

        Raises:
          NotFoundError: if nothing was saved there.
          NotImplementedError: if `reader_func` or `wait` is given.
        """
        if reader_func is not None or wait:
            raise NotImplementedError("tf.data.Dataset.load: reader_func and wait")
        return BaseDataset.of(found(_path(path)))

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
          compression, shard_func, name: accepted for compatibility: there is one file, which is not compressed.
          reader_func: not supported.

        Raises:
          NotImplementedError: if `reader_func` is given.
        """
        if reader_func is not None:
            raise NotImplementedError("tf.data.Dataset.snapshot: reader_func")
        folder = str(_path(path))
        return self.made(self.structure, lambda node: Snapshot(node, folder), self)
