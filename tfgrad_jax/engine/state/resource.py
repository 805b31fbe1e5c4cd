"""A variable's state as users see it: a scalar of dtype `resource`, as TensorFlow's handles are."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.engine.messages.errors import invalid_argument
from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.tensor import EagerTensor, Spec


class _Nowhere:
    """Stands where other tensors without a value have what will compute it."""

    def flush(self, reason: str) -> None:
        raise invalid_argument("Cannot convert a Tensor of dtype resource to a NumPy array; read the variable")


_NOWHERE = _Nowhere()


class ResourceTensor(EagerTensor):
    """The handle of a variable (`tf.Variable.handle`). It names the state, and has no value of its own.

    Args:
      variable: whose state it stands for.
    """

    __slots__ = ("_variable",)

    def __init__(self, variable: Any) -> None:
        super().__init__(None, Spec.of(dtypes.resource, ()))
        self._variable = variable
        self.pending_in = _NOWHERE

    @property
    def variable(self) -> Any:
        """The variable."""
        return self._variable

    @property
    def found(self) -> Any:
        """The variable; None where there is none yet."""
        return self.variable

    @property
    def device(self) -> str:
        """The device of the variable's value, in TensorFlow's notation."""
        return self.variable.device

    def _shown(self) -> str:
        v = self.variable
        shape = str([-1 if n is None else n for n in v.shape.as_list()]) if v.shape.rank is not None else "<unknown>"
        return (
            f'<ResourceHandle(name="{v.name.split(":", 1)[0]}/{v.identity}", device="{self.device}", container="Anonymous", '
            f'type="tensorflow::Var", dtype and shapes : "[ DType enum: {v.dtype.as_datatype_enum}, Shape: '
            f'{shape.replace(" ", "")} ]")>'
        )

    def __str__(self) -> str:
        return f"tf.Tensor({self._shown()}, shape=(), dtype=resource)"

    def __repr__(self) -> str:
        return f"<tf.Tensor: shape=(), dtype=resource, value={self._shown()}>"

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("the handle of a tf.Variable cannot be pickled: save the variable's value")
