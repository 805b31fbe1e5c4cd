"""What is no tensor, but enters and leaves graphs as one."""

from __future__ import annotations

from collections.abc import Callable

from tfgrad_jax.engine.values.tensor import Spec, Tensor


class Traveller:
    """Something that is no tensor, but enters and leaves graphs as one: a `tf.TensorArray`."""

    def value(self, spec: Spec | None = None) -> Tensor | None:
        """The tensor; None if its type is not known yet. Given a type, it has that from now on."""
        raise NotImplementedError

    def entering(self, place: Callable[[Spec], Tensor]) -> Traveller:
        """The same inside a graph, where `place` makes the tensor that stands for its value."""
        raise NotImplementedError

    def leaving(self, tensor: Tensor) -> Traveller:
        """The same outside again, with this value."""
        raise NotImplementedError
