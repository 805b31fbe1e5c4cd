"""What programs keep with a graph: lists by key (`tf.compat.v1.GraphKeys`)."""

from __future__ import annotations

import re
from typing import Any

from tfgrad_jax.engine.graph.naming import Naming
from tfgrad_jax.engine.hooks import collections_of
from tfgrad_jax.engine.state.creators import open_creators


class Collected(Naming):
    """A graph's collections, and what makes variables while it is recorded."""

    @property
    def _variable_creator_stack(self) -> tuple[Any, ...]:
        """The open `tf.variable_creator_scope`s; Keras 2's optimizers ask for them."""
        return open_creators()

    @property
    def collections(self) -> list[Any]:
        """The keys of all collections, empty ones too."""
        return list(collections_of(self))

    def get_all_collection_keys(self) -> list[str]:
        """The names of the collections that have something in them."""
        return [key for key, values in collections_of(self).items() if values and isinstance(key, str)]

    def get_collection_ref(self, name: Any) -> list[Any]:
        """The list of a collection itself."""
        return collections_of(self).setdefault(name, [])

    def get_collection(self, name: Any, scope: str | None = None) -> list[Any]:
        """What is in a collection; with a regular expression, only what has a name that begins so."""
        values = collections_of(self).get(name, ())
        if scope is None:
            return list(values)
        begins = re.compile(scope)
        return [value for value in values if hasattr(value, "name") and begins.match(value.name)]

    def add_to_collection(self, name: Any, value: Any) -> None:
        """Append a value to a collection."""
        self.get_collection_ref(name).append(value)

    def add_to_collections(self, names: Any, value: Any) -> None:
        """Append a value to several collections, to each of them once."""
        for name in (names,) if isinstance(names, str) else dict.fromkeys(names):
            self.add_to_collection(name, value)

    def clear_collection(self, name: Any) -> None:
        """Empty a collection."""
        collections_of(self).pop(name, None)
