"""What `restore` returns: objects that say how far a checkpoint and a program fit together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tfgrad_jax.engine.names.export import recognised_as
from tfgrad_jax.lib.checkpoint.graph import ObjectGraph, names_of
from tfgrad_jax.lib.checkpoint.restoring import Restoration
from tfgrad_jax.lib.checkpoint.sessions import chosen, initialize
from tfgrad_jax.lib.checkpoint.values import saved_of

_SHOWN = 10
_RESTORE = "tf.train.Checkpoint.restore"


class _InSessions:
    """What is done in a session where all is recorded for sessions, and has been done where operations run at once."""

    _later: bool

    def _restore(self, session: Any) -> None:
        """Give a session the values."""
        raise NotImplementedError

    def _without_value(self) -> Iterable[Any]:
        """The objects that have no value in the checkpoint."""
        raise NotImplementedError

    def run_restore_ops(self, session: Any = None) -> None:
        """Give a session the values; where operations run at once, nothing is left to do.

        Args:
          session: the session; the open one by default.

        Raises:
          AttributeError: if there is none.
          ValueError, InvalidArgumentError: if a value does not fit; nothing has changed then.
        """
        if self._later:
            self._restore(chosen(_RESTORE, session))

    def initialize_or_restore(self, session: Any = None) -> None:
        """Give a session the values, and run the initializers of what has none in the checkpoint; see `run_restore_ops`."""
        if self._later:
            found = chosen(_RESTORE, session)
            self._restore(found)
            initialize(found, self._without_value())


@recognised_as("python.checkpoint.checkpoint")
class CheckpointLoadStatus(_InSessions):
    """Of a checkpoint that knows objects.

    Args:
      restoration: the checkpoint.
      graph: gives the objects that there are.
    """

    def __init__(self, restoration: Restoration, graph: Callable[[], ObjectGraph]) -> None:
        self._restoration = restoration
        self._graph = graph
        self._later = restoration.later

    def _restore(self, session: Any) -> None:
        self._restoration.run(session)

    def _without_value(self) -> Iterable[Any]:
        return self._unmatched()

    def _unmatched(self) -> list[Any]:
        """Objects with values that stand for nothing in the checkpoint."""
        matched = {id(found) for found in self._restoration.objects.values()}
        return [found for found in self._graph().objects if id(found) not in matched and saved_of(found) is not None]

    def assert_consumed(self) -> CheckpointLoadStatus:
        """Make sure that everything in the checkpoint has its object, and every object its value.

        Raises:
          AssertionError: if not; says what.
        """
        self.assert_existing_objects_matched()
        names = names_of(self._restoration.nodes)
        for number, node in enumerate(self._restoration.nodes):
            if node.attributes and number not in self._restoration.objects:
                raise AssertionError(f"Unresolved object in checkpoint {names.get(number, number)}: {node}")
        if self._restoration.unused:
            told = "\n".join(f"{names[n]}: {', '.join(unused)}" for n, unused in self._restoration.unused.items())
            raise AssertionError(
                f"Unused attributes in these objects (the attributes exist in the checkpoint but were not restored):\n{told}"
            )
        return self

    def assert_existing_objects_matched(self) -> CheckpointLoadStatus:
        """Make sure that every object that there is has a value in the checkpoint.

        Raises:
          AssertionError: if not; says which.
        """
        for number, found in self._restoration.objects.items():
            if (
                getattr(found, "_self_update_uid", 0) < self._restoration.uid
                and self._restoration.nodes[number].attributes
            ):
                raise AssertionError(f"Object {found} not assigned a value from checkpoint.")
        left = self._unmatched()
        if left:
            shown = left[:_SHOWN]
            raise AssertionError(
                f"Found {len(left)} Python objects that were not bound to checkpointed values, likely due to changes in the "
                f"Python program. Showing {len(shown)} of {len(left)} unmatched objects: {shown}"
            )
        return self

    def assert_nontrivial_match(self) -> CheckpointLoadStatus:
        """Make sure that more than the root has something to do with the checkpoint.

        Raises:
          AssertionError: if not.
        """
        if len(self._restoration.nodes) > 1 and set(self._restoration.objects) <= {0}:
            left = self._unmatched()
            raise AssertionError(
                "Nothing except the root object matched a checkpointed value. Typically this means that the checkpoint does not "
                f"match the Python program. The following objects have no matching checkpointed value: {left[:_SHOWN]}"
            )
        return self

    def expect_partial(self) -> CheckpointLoadStatus:
        """Say that parts of the checkpoint are not needed."""
        self._restoration.partial = True
        return self


@recognised_as("python.checkpoint.checkpoint")
class NameBasedSaverStatus(_InSessions):
    """Of a checkpoint that knows names of variables only.

    Args:
      left: the objects without a value in it.
      restore: restores the others in a session; None where they are restored already.
    """

    def __init__(self, left: Sequence[Any], restore: Callable[[Any], None] | None = None) -> None:
        self._left = list(left)
        self._later = restore is not None
        self._given = restore

    def _restore(self, session: Any) -> None:
        if self._given is not None:
            self._given(session)

    def _without_value(self) -> Iterable[Any]:
        return self._left

    def assert_consumed(self) -> NameBasedSaverStatus:
        """Make sure that every object has a value in the checkpoint.

        Raises:
          AssertionError: if not; says which.
        """
        return self.assert_existing_objects_matched()

    def assert_existing_objects_matched(self) -> NameBasedSaverStatus:
        """As `assert_consumed`."""
        if self._left:
            raise AssertionError(
                f"Some objects had attributes which were not restored from the name-based checkpoint: {self._left[:_SHOWN]}"
            )
        return self

    def assert_nontrivial_match(self) -> NameBasedSaverStatus:
        """As `assert_consumed`."""
        return self.assert_existing_objects_matched()

    def expect_partial(self) -> NameBasedSaverStatus:
        """Say that parts of the checkpoint are not needed."""
        return self


@recognised_as("python.checkpoint.checkpoint")
class InitializationOnlyStatus:
    """Of no checkpoint at all: `restore(None)`.

    Args:
      objects: gives the objects that there are, where all is recorded for sessions.
    """

    def __init__(self, objects: Callable[[], Iterable[Any]] | None = None) -> None:
        self._objects = objects

    def _nothing(self) -> Any:
        raise AssertionError("No checkpoint specified (save_path=None); nothing is being restored.")

    def assert_consumed(self) -> Any:
        """Raises AssertionError."""
        return self._nothing()

    def assert_existing_objects_matched(self) -> Any:
        """Raises AssertionError."""
        return self._nothing()

    def assert_nontrivial_match(self) -> Any:
        """Raises AssertionError."""
        return self._nothing()

    def run_restore_ops(self, session: Any = None) -> None:
        """Raises AssertionError."""
        raise AssertionError(
            "No checkpoint specified, so no restore ops are available (save_path=None to Saver.restore)."
        )

    def initialize_or_restore(self, session: Any = None) -> None:
        """Run the initializers in a session; where operations run at once, variables have their initial values already."""
        if self._objects is not None:
            initialize(chosen(_RESTORE, session), self._objects())

    def expect_partial(self) -> InitializationOnlyStatus:
        """Nothing is expected anyway."""
        return self
