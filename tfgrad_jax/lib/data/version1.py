"""Methods that datasets had in version 1; programs call them on what they got from `tf.compat.v1.data`."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.engine.hooks import dataset_of_version1


class Outputs:
    """What elements are, as version 1 asks for it."""

    @property
    def output_types(self) -> Any:
        """The dtypes of elements."""
        return dataset_of_version1("get_output_types", self)

    @property
    def output_shapes(self) -> Any:
        """The shapes of elements."""
        return dataset_of_version1("get_output_shapes", self)

    @property
    def output_classes(self) -> Any:
        """The classes of elements."""
        return dataset_of_version1("get_output_classes", self)


class Version1(Outputs):
    """A dataset's methods of version 1, each a function of `tf.compat.v1.data`."""

    def make_one_shot_iterator(self) -> Any:
        """An iterator that begins with its first element."""
        return dataset_of_version1("make_one_shot_iterator", self)

    def make_initializable_iterator(self, shared_name: str | None = None) -> Any:
        """An iterator that begins whenever its initializer runs in a session."""
        return dataset_of_version1("make_initializable_iterator", self, shared_name)


class Advancing(Outputs):
    """What iterators have besides."""

    def next(self) -> Any:
        """The next element, as `next(iterator)` gives it."""
        return next(self)  # type: ignore[call-overload]
