"""Composite values: values made of tensors, with one protocol to take them apart and to put them together again.

A composite has a type spec, and its spec knows the components: tensors, other composites, or nests of them. The names of the
protocol are TensorFlow's, because users' classes have them too: `_type_spec` of a value; `_to_components`, `_from_components`
and `_component_specs` of a spec; `__composite_gradient__` of a value that a gradient may be asked for. Nests, functions,
branches, loops, maps and tapes call the functions of this file, and know no composite type by name.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

from tfgrad_jax.engine.cache import Cache
from tfgrad_jax.engine.messages.errors import left_to_subclass
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.values.specs import TypeSpec
from tfgrad_jax.engine.values.tensor import Spec, Tensor


class CompositeSpec(TypeSpec):
    """The type of a composite: what its components are, besides the parts that are no tensors.

    Attributes:
      travels: whether its values are `Traveller`s, so that nests leave them and their types whole.
    """

    travels = False

    @property
    @abstractmethod
    def _component_specs(self) -> Any:
        """A nest with the spec of each component."""

    @abstractmethod
    def _to_components(self, value: Any) -> Any:
        """The components of a value, in the structure of `_component_specs`."""

    @abstractmethod
    def _from_components(self, components: Any) -> Any:
        """A value of these components, which are not looked at: they may be anything."""

    def _shape_invariant_to_type_spec(self, shape: Any) -> TypeSpec:
        """The spec of a loop variable of this type whose `shape_invariants` are `shape`."""
        raise TypeError(
            f"{self!r} has no one shape that a loop may keep; give shape_invariants a {type(self).__name__}"
        )

    def known_components(self) -> dict[int, Tensor]:
        """The components that the spec alone determines, by position: they are no results of the operations that made the value."""
        return {}


@export("__internal__.CompositeTensor")
class Composite:
    """A value made of tensors."""

    @property
    def _type_spec(self) -> Any:
        raise left_to_subclass(self, "_type_spec")


class NotOneTensor(ValueError):
    """A composite stands where one tensor is expected. An operation that knows the composite answers otherwise.

    Raised by `__tf_tensor__` of composites that are no single tensor; see `composite/answers.py` for who answers.
    """


class Traveller(Composite):
    """A composite of one tensor whose type may be known only after the value entered a graph: a `tf.TensorArray`.

    Nests leave it whole. Branches and loops carry its tensor.
    """

    def value(self, spec: Spec | None = None) -> Tensor | None:
        """The tensor; None if its type is not known yet. Given a type, it has that from now on."""
        raise left_to_subclass(self, "value")

    def entering(self, place: Callable[[Spec], Tensor]) -> Traveller:
        """The same inside a graph, where `place` makes the tensor that stands for its value."""
        raise left_to_subclass(self, "entering")

    def leaving(self, tensor: Tensor) -> Traveller:
        """The same outside again, with this value."""
        raise left_to_subclass(self, "leaving")


_taken_apart: Cache[type, bool] = Cache(1024)


def is_composite_type(cls: type) -> bool:
    """Whether the values of a class are composites that nests may take apart."""
    found = _taken_apart[cls]
    if found is None:
        found = _taken_apart.keep(cls, hasattr(cls, "_type_spec") and not issubclass(cls, Traveller))
    return found


def is_composite(value: Any) -> bool:
    """Whether a value is a composite that nests may take apart."""
    return is_composite_type(type(value))


def has_spec(value: Any) -> bool:
    """Whether a value is a composite of any kind, or another object with a spec of its own."""
    return hasattr(type(value), "_type_spec")


def spec_of(value: Any) -> Any:
    """The spec of a composite."""
    return value._type_spec


def component_specs(spec: Any) -> Any:
    """A nest with the specs of the components."""
    return spec._component_specs


def components(value: Any) -> Any:
    """The components of a composite: a nest of tensors and other composites."""
    return value._type_spec._to_components(value)


def rebuild(spec: Any, parts: Any) -> Any:
    """A composite of the type `spec`, of other components."""
    return spec._from_components(parts)


def loop_spec(value: Any, shape: Any) -> Any:
    """The spec that a composite loop variable keeps, if only a shape is given for it."""
    return value._type_spec._shape_invariant_to_type_spec(shape)


def batched_spec(spec: Any, count: int | None) -> Any:
    """The type of batches of `count` values of a spec (None: of any number), or None where it does not know."""
    batch = getattr(spec, "_batch", None)
    return None if batch is None else batch(count)


def unbatched_spec(spec: Any) -> Any:
    """The type of the rows of a value of a spec, or None where it does not know."""
    unbatch = getattr(spec, "_unbatch", None)
    return None if unbatch is None else unbatch()


def batch_encoder(spec: Any) -> Any:
    """How values of a spec are stacked and cut into slices: a `tf.experimental.ExtensionTypeBatchEncoder`, or None."""
    return getattr(spec, "__batch_encoder__", None)


def gradient_components(value: Any) -> Any:
    """The components of a composite that gradients flow to and from, as a nest.

    Raises:
      ValueError: if the class does not say which they are.
    """
    gradient = getattr(value, "__composite_gradient__", None)
    if gradient is None:
        raise ValueError(
            f"Type {type(value).__name__} is not supported as a gradient source or gradient target: it has no "
            f"`__composite_gradient__` that names its differentiable components. Ask for those tensors instead"
        )
    return gradient.get_gradient_components(value)


def with_gradients(value: Any, gradients: Any) -> Any:
    """A composite like `value` with gradients in place of its differentiable components."""
    return value.__composite_gradient__.replace_gradient_components(value, gradients)
