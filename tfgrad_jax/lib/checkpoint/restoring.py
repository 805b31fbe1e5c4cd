"""Taking values out of a checkpoint: into the objects that there are now, and into those that come later."""

from __future__ import annotations

import itertools
import weakref
from collections import deque
from collections.abc import Sequence
from typing import Any

from tfgrad_jax.engine.messages.errors import NotFoundError
from tfgrad_jax.engine.messages.logging import warn
from tfgrad_jax.engine.run.eager import init_scope
from tfgrad_jax.engine.state.trackable import set_past
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.lib.checkpoint.bundle import BundleReader, check_dtype
from tfgrad_jax.lib.checkpoint.graph import Node, names_of, parts_of
from tfgrad_jax.lib.checkpoint.memory import Heap
from tfgrad_jax.lib.checkpoint.sessions import values_of
from tfgrad_jax.lib.checkpoint.values import VARIABLE_VALUE, Saved, full_name, saved_of, tensor_of

_number = itertools.count(1).__next__


class Restoration:
    """One checkpoint that is being restored, and what of it found its object.

    Args:
      reader: of the checkpoint.
      nodes: its object graph.
      later: whether sessions are given the values, when `run` is called for one, rather than the program now.

    Attributes:
      objects: by the number of a node, the object that it stands for, as long as the program has it.
      unused: by the number of a node, names of values that its object does not have.
      partial: whether it is as it should be that parts of the checkpoint have no object.
    """

    def __init__(self, reader: BundleReader, nodes: list[Node], later: bool = False) -> None:
        self.reader = reader
        self.nodes = nodes
        self.uid = _number()
        self.objects: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()
        self.unused: dict[int, list[str]] = {}
        self.partial = False
        self.later = later
        self._waiting: list[tuple[Saved, dict[str, str]]] = []
        self._found: set[int] = set()
        self._slots_given: set[int] = set()

    def __del__(self) -> None:
        """Say what nobody asked for, when nobody can any more: neither the status nor an object that a part may come to is left."""
        if self.partial or not self._found:
            return
        names = names_of(self.nodes)
        missing = [n for n, node in enumerate(self.nodes) if node.attributes and n not in self._found]
        if missing or self.unused:
            warn(
                "Detecting that an object or model or tf.train.Checkpoint is being deleted with unrestored values. The following "
                "lines name them. `status.expect_partial()` of what `restore` returns silences these warnings."
            )
        for number in missing:
            warn("Value in checkpoint could not be found in the restored object: %s", names.get(number, number))
        for number, unused in self.unused.items():
            warn(
                "An attribute in the restored object could not be found in the checkpoint. Object: %s, attribute: %s",
                names.get(number, number),
                unused,
            )

    def restore(self, number: int, trackable: Any, attached: dict[str, Any] | None = None) -> None:
        """Restore an object and all that is below it; nothing changes if anything is wrong.

        Args:
          number: of the node.
          trackable: the object.
          attached: parts that it has besides its own.

        Raises:
          ValueError: if a shape differs.
          InvalidArgumentError: if a dtype differs.
          DataLossError: if the checkpoint is corrupt.
        """
        bound, missing = self._bind(number, trackable, attached or {})
        work: list[tuple[Saved, dict[str, str]]] = []
        for node, found in bound:
            if getattr(found, "_self_update_uid", 0) < self.uid:
                saved, keys = self._matched(node, found)
                if saved is not None:
                    work.append((saved, keys))
        if self.later:
            self._waiting += work
        else:
            restore_values(self.reader, work)
        for node, found in bound:
            self.objects[node] = found
            self._found.add(node)
            if getattr(found, "_self_update_uid", 0) < self.uid:
                set_past(found, "_self_update_uid", self.uid)
        for above, name, child in missing:
            above._deferred_dependencies.setdefault(name, []).append(Position(self, child))
        if bound:
            self._give_slots()

    def run(self, session: Any) -> None:
        """Restore in a session all that has found its object so far; raises what `restore` does."""
        with values_of(session):
            restore_values(self.reader, self._waiting)

    def _give_slots(self) -> None:
        """Hand what optimizers keep for variables to the optimizers, as far as both are there."""
        for optimizer, node in enumerate(self.nodes):
            keeps: Any = self.objects.get(optimizer) if node.slots else None
            for original, name, slot in node.slots if hasattr(keeps, "_create_or_restore_slot_variable") else ():
                variable = self.objects.get(original)
                if variable is not None and slot not in self._slots_given:
                    self._slots_given.add(slot)
                    position = Position(self, slot)
                    made = keeps._create_or_restore_slot_variable(
                        slot_variable_position=position, slot_name=name, variable=variable
                    )
                    if made is not None:  # Keras 2's optimizers leave the rest to who asked them
                        position.restore(made)

    def _bind(
        self, number: int, trackable: Any, attached: dict[str, Any]
    ) -> tuple[list[tuple[int, Any]], list[tuple[Any, str, int]]]:
        """Nodes with their objects, and parts that do not exist yet: whose, under which name, which node."""
        before = self.objects.get(number)
        if before is not None:
            if before is not trackable:
                _inconsistent(before, trackable)
            return [], []
        found = {number: trackable}
        missing = []
        waiting = deque([number])
        while waiting:
            here = waiting.popleft()
            above = found[here]
            parts = parts_of(above, attached if above is trackable else None)
            for name, child in self.nodes[here].children:
                part = above._lookup_dependency(name, parts)
                if part is None:
                    missing.append((above, name, child))
                    continue
                known = self.objects.get(child, found.get(child))
                if known is None:
                    found[child] = part
                    waiting.append(child)
                elif known is not part:
                    _inconsistent(known, part)
        return list(found.items()), missing

    def _matched(self, number: int, trackable: Any) -> tuple[Saved | None, dict[str, str]]:
        """What is to be restored of an object, and the key of each value, by attribute and suffix."""
        attributes = self.nodes[number].attributes
        saved = saved_of(trackable)
        keys = {}
        for attribute in attributes:
            mine = [value for value in saved.values if value.attribute == attribute.name] if saved else []
            if not mine:
                self.unused.setdefault(number, []).append(attribute.name)
            for value in mine:
                keys[value.attribute + value.suffix] = attribute.key + value.suffix
        return (saved, keys) if keys else (None, keys)


def restore_values(reader: BundleReader, work: Sequence[tuple[Saved, dict[str, str]]]) -> None:
    """Restore objects from tensors; all are looked at before the first one changes.

    Args:
      reader: of the checkpoint.
      work: what is saved of each object, and the keys of what is restored, by attribute and suffix.

    Raises:
      ValueError: if a shape differs.
      InvalidArgumentError: if a dtype differs.
      DataLossError: if the checkpoint is corrupt.
      NotFoundError: if a key is missing.
    """
    for saved, keys in work:
        types = {value.attribute + value.suffix: value.dtype for value in saved.values}
        for name, key in keys.items():
            entry = reader.entries.get(key)
            if entry is None:
                raise NotFoundError(None, None, f"Key {key} not found in checkpoint")
            expected = types[name]
            if expected is not None:
                check_dtype(key, entry, expected)
        saved.check({name: reader.entries[key].shape for name, key in keys.items()})
    reader.verify(key for _, keys in work for key in keys.values())
    sizes = [sum(reader.entries[key].size for key in keys.values()) for _, keys in work]
    heap = Heap(sum(sizes))
    for (saved, keys), size in zip(work, sizes):
        saved.restore({name: reader.tensor(key) for name, key in keys.items()})
        heap.replaced(size)


class Position:
    """A place in a checkpoint whose object does not exist yet.

    Args:
      restoration: of the checkpoint.
      number: of the node.
    """

    def __init__(self, restoration: Restoration, number: int) -> None:
        self.restoration = restoration
        self.number = number

    @property
    def restore_uid(self) -> int:
        """Greater than those of checkpoints that were restored before."""
        return self.restoration.uid

    def is_simple_variable(self) -> bool:
        """Whether what was saved there is a variable and nothing else."""
        node = self.restoration.nodes[self.number]
        return not node.children and [a.name for a in node.attributes] == [VARIABLE_VALUE]

    def value_shape(self) -> TensorShape:
        """The shape of the variable that was saved there."""
        return TensorShape(self.restoration.reader.entries[self._key].shape)

    def value(self) -> Any:
        """The value of the variable that was saved there, as a tensor.

        Raises:
          DataLossError: if the checkpoint is corrupt.
        """
        self.restoration.reader.verify([self._key])
        return tensor_of(self.restoration.reader.tensor(self._key))

    @property
    def _key(self) -> str:
        return self.restoration.nodes[self.number].attributes[0].key

    def restore(self, trackable: Any) -> None:
        """Restore the object, which exists now; also where that happens inside a function."""
        with init_scope():
            self.restoration.restore(self.number, trackable)


def _inconsistent(known: Any, other: Any) -> None:
    warn(
        "Inconsistent references when loading the checkpoint into this object graph: one object was saved, and it now stands "
        "for two different ones, of which only the first is restored: %s, %s",
        known,
        other,
    )


def found_by_name(reader: BundleReader, objects: Sequence[Any]) -> tuple[list[tuple[Saved, dict[str, str]]], list[Any]]:
    """What `restore_values` restores from a checkpoint that knows names only, and the objects that it has no value for.

    Args:
      reader: of the checkpoint.
      objects: variables, and others, of which there is nothing in it.
    """
    work, left = [], []
    for trackable in objects:
        saved, name = saved_of(trackable), full_name(trackable)
        if saved is None:
            continue
        if name in reader.entries:
            work.append((saved, {saved.values[0].attribute: name}))
        else:
            left.append(trackable)
    return work, left
