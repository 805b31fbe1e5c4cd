"""What `from jax.experimental import jax2tf` means in a program written for TensorFlow.

JAX's own module of that name imports TensorFlow, to run programs of one under the other. Here both are JAX.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from tfgrad_jax.engine.tape.custom_gradient import custom_gradient
from tfgrad_jax.extras.bridge import Pure, jax_op

__all__ = ["call_tf", "convert"]


def convert(
    fun_jax: Callable[..., Any],
    *,
    polymorphic_shapes: Any = None,
    polymorphic_constraints: Sequence[str] = (),
    with_gradient: bool = True,
    enable_xla: bool = True,
    native_serialization: bool = True,
    native_serialization_platforms: Sequence[str] | None = None,
    native_serialization_disabled_checks: Sequence[Any] = (),
) -> Callable[..., Any]:
    """A JAX function as one of TensorFlow's. Mirrors `jax.experimental.jax2tf.convert`.

    Args:
      fun_jax: takes pytrees of arrays and returns one.
      polymorphic_shapes, polymorphic_constraints, enable_xla, native_serialization, native_serialization_platforms,
        native_serialization_disabled_checks: accepted for compatibility. Sizes may be open wherever the function allows it.
      with_gradient: whether tapes may ask for its gradient.

    Returns:
      A function of tensors, variables and arrays, by position or by name, which tapes record.

    Raises:
      LookupError: if its gradient is asked for in spite of `with_gradient=False`.
    """
    converted = jax_op(fun_jax)
    if with_gradient:
        return converted

    def refused(*cotangents: Any) -> Any:
        raise LookupError(
            f"jax2tf.convert: {getattr(fun_jax, '__name__', fun_jax)!r} has no gradient, converted with with_gradient=False"
        )

    return functools.wraps(fun_jax)(custom_gradient(lambda *args: (converted(*args), refused)))


def call_tf(
    callable_tf: Callable[..., Any],
    has_side_effects: bool = True,
    ordered: bool = False,
    output_shape_dtype: Any = None,
    call_tf_graph: bool = False,
) -> Callable[..., Any]:
    """A function of TensorFlow's as one of JAX's. Mirrors `jax.experimental.jax2tf.call_tf`.

    Args:
      callable_tf: takes and returns nests of tensors. Variables are read when it is called.
      has_side_effects, ordered, output_shape_dtype, call_tf_graph: accepted for compatibility.

    Returns:
      A function of JAX arrays that JAX may transform.

    Raises:
      ValueError: if it assigns variables: what JAX transforms has no effects. `extras.functionalize` gives the new values.
    """
    pure = Pure(callable_tf)

    @functools.wraps(callable_tf)
    def call(*args: Any) -> Any:
        params = pure.init(*args)
        outputs, new = pure(params, *args)
        assigned = [name for name, value in new.items() if value is not params[name]]
        if assigned:
            raise ValueError(
                f"jax2tf.call_tf: {getattr(callable_tf, '__name__', callable_tf)!r} assigns the variables {assigned}, which a "
                f"function of JAX cannot; tf.extras.functionalize gives their new values"
            )
        return outputs

    return call
