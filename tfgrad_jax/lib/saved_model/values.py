"""Values of variables and tables, from the checkpoint in a SavedModel."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine.messages.errors import not_found
from tfgrad_jax.lib.checkpoint.bundle import BundleReader
from tfgrad_jax.lib.checkpoint.graph import GRAPH_KEY
from tfgrad_jax.lib.saved_model.options import LoadOptions
from tfgrad_jax.lib.saved_model.protos import message


class SavedValues:
    """What the checkpoint has for each object of a SavedModel.

    Args:
      path: of the SavedModel.
      nodes: its objects.
      options: whether something may be missing.

    Raises:
      NotFoundError: if the files are missing, and variables need them.
    """

    def __init__(self, path: str, nodes: Sequence[Any], options: LoadOptions) -> None:
        self._keys: dict[int, dict[str, str]] = {}
        self._partial = options.allow_partial_checkpoint or options.experimental_skip_checkpoint
        self._prefix = os.path.join(path, "variables", "variables")
        self._names = {i: node.variable.name for i, node in enumerate(nodes) if node.WhichOneof("kind") == "variable"}
        self._bundle = None
        if options.experimental_skip_checkpoint:
            return
        if not os.path.exists(self._prefix + ".index"):
            if self._names and not self._partial:
                raise FileNotFoundError(
                    f"Unsuccessful TensorSliceReader constructor: Failed to find any matching files for {self._prefix}"
                )
            return
        self._bundle = BundleReader(self._prefix)
        graph = message("TrackableObjectGraph")
        graph.ParseFromString(self._bundle.tensor(GRAPH_KEY).item())
        self._pair(nodes, graph.nodes)

    def _pair(self, nodes: Sequence[Any], saved: Sequence[Any]) -> None:
        """Find the same objects in both graphs: those that have the same names below their parents."""
        waiting, seen = [(0, 0)], {0}
        while waiting:
            mine, theirs = waiting.pop()
            self._keys[mine] = {a.name: a.checkpoint_key for a in saved[theirs].attributes}
            named = {c.local_name: c.node_id for c in saved[theirs].children}
            for child in nodes[mine].children:
                other = named.get(child.local_name)
                if other is not None and child.node_id not in seen:
                    seen.add(child.node_id)
                    waiting.append((child.node_id, other))
            slots = {
                (s.original_variable_node_id, s.slot_name): s.slot_variable_node_id
                for s in saved[theirs].slot_variables
            }
            for slot in nodes[mine].slot_variables:
                other = slots.get((slot.original_variable_node_id, slot.slot_name))
                if other is not None and slot.slot_variable_node_id not in seen:
                    seen.add(slot.slot_variable_node_id)
                    waiting.append((slot.slot_variable_node_id, other))

    def _read(self, number: int, name: str) -> np.ndarray | None:
        key = self._keys.get(number, {}).get(name)
        return None if key is None or self._bundle is None else self._bundle.tensor(key)

    def of_variable(self, number: int, optional: bool = False) -> np.ndarray | None:
        """The value of a variable; None if it is missing and may be.

        Args:
          number: of the object.
          optional: whether it may be missing, whatever the options say.

        Raises:
          NotFoundError: if it is missing.
        """
        found = self._read(number, "VARIABLE_VALUE")
        if found is None and not self._partial and not optional:
            raise not_found(f"{self._prefix} has no value for the variable {self._names[number]!r} of the SavedModel")
        return found

    def of_table(self, number: int) -> tuple[np.ndarray, np.ndarray] | None:
        """The keys and values of a table that may change; None if it was not saved."""
        for key in self._keys.get(number, {}).values():
            names = f"{key}-keys", f"{key}-values"
            if self._bundle is not None and all(name in self._bundle.entries for name in names):
                return self._bundle.tensor(names[0]), self._bundle.tensor(names[1])
        return None
