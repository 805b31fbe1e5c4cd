"""What Keras 2 asks of SavedModels besides: the objects that were saved, by number, and objects of its own to load into."""

from __future__ import annotations

import os
from collections import namedtuple
from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any

from tfgrad_jax.engine.names.export import export, export_value
from tfgrad_jax.lib.saved_model.loading import Given, loader, read_saved_model
from tfgrad_jax.lib.saved_model.options import LoadOptions, SaveOptions
from tfgrad_jax.lib.saved_model.saving import saver

Reference: Any = export_value(
    namedtuple("TrackableReference", ["name", "ref"]), "python.trackable.base.TrackableReference"
)
Reference.__doc__ = "A part of an object: its name, and the part."


class ByIdentity(MutableMapping):
    """A dictionary whose keys are objects, compared by what they are."""

    def __init__(self) -> None:
        self._entries: dict[int, tuple[Any, Any]] = {}

    def __getitem__(self, key: Any) -> Any:
        return self._entries[id(key)][1]

    def __setitem__(self, key: Any, value: Any) -> None:
        self._entries[id(key)] = key, value

    def __delitem__(self, key: Any) -> None:
        del self._entries[id(key)]

    def __iter__(self) -> Iterator[Any]:
        return (key for key, _ in self._entries.values())

    def __len__(self) -> int:
        return len(self._entries)


@export("python.saved_model.save.save_and_return_nodes")
def save_and_return_nodes(
    obj: Any, export_dir: Any, signatures: Any = None, options: SaveOptions | None = None
) -> tuple[list[Any], ByIdentity]:
    """Save as `tf.saved_model.save` does.

    Returns:
      The objects in the order of their numbers, and of each the references that lead to it.
    """
    made = saver(obj, signatures, options)
    made.write(os.fspath(export_dir))
    paths = ByIdentity()
    objects = made.objects
    for number, value in enumerate(objects.all):
        at, way = 0, []
        for name in objects.paths[number]:
            at = objects.children[at][name]
            way.append(Reference(name, objects.all[at]))
        paths[value] = tuple(way)
    return list(objects.all), paths


@export("__internal__.saved_model.parse_saved_model", "python.saved_model.loader_impl.parse_saved_model")
def parse_saved_model(export_dir: Any) -> Any:
    """The `SavedModel` message in a directory.

    Raises:
      OSError: if there is none, or it cannot be parsed.
    """
    return read_saved_model(os.fspath(export_dir))


@export("__internal__.saved_model.load_partial", "python.saved_model.load.load_partial")
def load_partial(export_dir: Any, filters: Any, tags: Any = None, options: LoadOptions | None = None) -> dict[str, Any]:
    """Parts of a SavedModel, or a SavedModel into objects that there are already.

    Args:
      export_dir: the directory.
      filters: the paths of the parts ("root.layer.kernel"); in a mapping each with None, or with an object in its place and the
        function of object, name and value that gives the object its parts.
      tags, options: as for `tf.saved_model.load`.

    Returns:
      The parts by path.

    Raises:
      ValueError: if there is no such part.
    """
    found = loader(export_dir, tags, options)
    numbers = {path: found.number_of(path) for path in filters}
    given = dict(filters) if isinstance(filters, Mapping) else {}
    made = {numbers[path]: Given(*one) for path, one in given.items() if one is not None}
    found.load(made)
    return {path: found.objects[number] for path, number in numbers.items()}
