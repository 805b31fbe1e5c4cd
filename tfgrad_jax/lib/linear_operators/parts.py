"""What linear operators are made of: arguments that are kept, the type that these make, shapes."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.values.composite import CompositeSpec, is_composite, rebuild, spec_of
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.dtypes import as_dtype
from tfgrad_jax.engine.values.specs import TensorSpec
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.module import Module
from tfgrad_jax.ops.array import sizes
from tfgrad_jax.ops.array.array import concat
from tfgrad_jax.ops.array.creation import ones
from tfgrad_jax.ops.linalg.matmul import matmul


def shape_of(tensor: Any) -> Any:
    """The shape of a tensor, as a tensor."""
    return sizes.shape(tensor)


def is_reference(x: Any) -> bool:
    """Whether a value may change, or is computed when it is asked for: it is kept as it is."""
    return isinstance(x, Variable) or (isinstance(x, Module) and hasattr(x, "dtype") and hasattr(x, "shape"))


def kept(value: Any, dtype: Any = None) -> Any:
    """A tensor of a value; variables and modules that stand for tensors stay what they are."""
    if value is None or is_reference(value):
        return value
    return convert(value, None if dtype is None else as_dtype(dtype))


class LinearOperatorSpec(CompositeSpec):
    """The type of a linear operator: each class of these has one of its own.

    Args:
      param_specs: by name, the types of its arguments that are tensors or made of them.
      non_tensor_params: its other arguments by name.
      prefer_static_fields: accepted for compatibility.
    """

    _kind: type

    def __init__(
        self, param_specs: dict[str, Any], non_tensor_params: dict[str, Any], prefer_static_fields: Any = ()
    ) -> None:
        self._parts, self._fixed = dict(param_specs), dict(non_tensor_params)

    @property
    def value_type(self) -> Any:
        """The class."""
        return self._kind

    def _serialize(self) -> tuple[Any, ...]:
        return self._parts, self._fixed, ()

    @property
    def _component_specs(self) -> Any:
        return self._parts

    def _to_components(self, value: Any) -> Any:
        parameters = value.parameters
        return {name: _component(parameters[name]) for name in self._parts}

    def _from_components(self, components: Any) -> Any:
        parts = {name: list(c) if isinstance(c, tuple) else c for name, c in components.items()}
        return self._kind(**self._fixed, **parts)


def spec_class(kind: type) -> type[LinearOperatorSpec]:
    """The class of the types of a class of operators."""
    return type(f"{kind.__name__}Spec", (LinearOperatorSpec,), {"_kind": kind, "__module__": kind.__module__})


class GradientOfParts:
    """The gradient of an operator is an operator of the gradients of what it is made of."""

    @staticmethod
    def get_gradient_components(value: Any) -> Any:
        """What it is made of: variables as they are, since tapes know them."""
        return {name: part for name, part in value.parameters.items() if is_part(part)}

    @staticmethod
    def replace_gradient_components(value: Any, gradients: Any) -> Any:
        """The operator of the gradients."""
        return rebuild(spec_of(value), gradients)


def _component(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_component(part) for part in value]
    return value if is_composite(value) else convert(value)


def is_part(value: Any) -> bool:
    """Whether an argument is a tensor, or made of tensors."""
    if isinstance(value, (list, tuple)) and value:
        return all(map(is_part, value))
    return isinstance(value, Tensor) or is_reference(value) or (is_composite(value) and not isinstance(value, Variable))


def part_spec(value: Any) -> Any:
    """The type of such an argument."""
    if isinstance(value, (list, tuple)):
        return [part_spec(part) for part in value]
    return spec_of(value) if is_composite(value) else TensorSpec(value.shape, value.dtype)


def batch_with(a: Any, b: Any) -> Any:
    """The static shape that two shapes have together, by broadcasting."""
    from_the_right = []
    for m, n in zip([1] * (len(b) - len(a)) + list(a), [1] * (len(a) - len(b)) + list(b)):
        from_the_right.append(n if m == 1 else m)
    return type(a)(from_the_right)


def with_one_batch(matrix: Any, rhs: Any) -> tuple[Any, Any]:
    """Both with the same batch dimensions, where a kernel does not broadcast."""
    if matrix.shape[:-2] == rhs.shape[:-2]:
        return matrix, rhs
    batch = shape_of(matmul(matrix[..., :1, :1], rhs[..., :1, :1]))[:-2]
    return tuple(x * ones(concat([batch, [1, 1]], 0), x.dtype) for x in (matrix, rhs))


def hint(*said: bool | None) -> bool | None:
    """True if all are; None if one is not known."""
    return all(said) or None
