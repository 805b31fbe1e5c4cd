"""Which functions become signatures of a SavedModel, and what these take and give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tfgrad_jax.engine.function.concrete import ConcreteFunction
from tfgrad_jax.engine.function.function import Function
from tfgrad_jax.engine.function.objects import VariableSpec
from tfgrad_jax.engine.values import nest
from tfgrad_jax.engine.values.tensor import Spec, Tensor
from tfgrad_jax.lib.saved_model.restored import SavedConcrete, SignatureMap

DEFAULT = "serving_default"
_DECLARED = "_default_save_signature"


def traced(function: Any) -> ConcreteFunction | None:
    """The one trace that a function with an `input_signature` has, or a trace itself; None for anything else."""
    if isinstance(function, Function) and function.input_signature is not None:
        return function.get_concrete_function()
    if isinstance(function, SavedConcrete):
        return function.concrete
    return function if isinstance(function, ConcreteFunction) else None


def chosen(signatures: Any, children: Mapping[str, Any]) -> dict[str, ConcreteFunction]:
    """The signatures of a SavedModel.

    Args:
      signatures: what the user gave: a function, a dict of functions, or None.
      children: the parts of what is saved: where the user gave nothing and just one of them can be a signature, it is one.

    Raises:
      ValueError: if something is no function with known types of arguments.
    """
    if signatures is None:
        declared = children.get(_DECLARED)
        found = [f for f in map(traced, [declared] if declared is not None else children.values()) if _serves(f)]
        return {DEFAULT: found[0]} if len(found) == 1 else {}  # type: ignore[dict-item]
    if not isinstance(signatures, Mapping):
        signatures = {DEFAULT: signatures}
    made: dict[str, ConcreteFunction] = {}
    for name, function in signatures.items():
        concrete = traced(function)
        if concrete is None:
            raise ValueError(
                f"Expected a TensorFlow function for which to generate a signature, but got {function}. Only "
                "`tf.functions` with an "
                f"input signature or concrete functions can be used as a signature."
            )
        results_of(concrete, name)
        if any(isinstance(s, VariableSpec) for s in nest.flatten(concrete.structured_input_signature)):
            raise ValueError(
                f"Unable to serialize concrete_function {concrete.name!r} with tf.Variable input. Functions that expect "
                "tf.Variable "
                f"inputs cannot be exported as signatures."
            )
        made[name] = concrete
    return made


def of_loaded(value: Any) -> bool:
    """Whether a value is the map of signatures of a SavedModel that was loaded, which is not saved again."""
    return isinstance(value, SignatureMap)


def _serves(concrete: ConcreteFunction | None) -> bool:
    if concrete is None or not concrete.outputs:
        return False
    try:
        results_of(concrete, "")
    except ValueError:
        return False
    return not any(isinstance(s, VariableSpec) for s in nest.flatten(concrete.structured_input_signature))


def results_of(concrete: ConcreteFunction, key: str) -> list[tuple[str, Spec]]:
    """The name and the type of each result of a signature, in the order of the function's own results.

    Raises:
      ValueError: if the function gives something else than a tensor, a sequence of tensors or a dict of them.
    """
    outputs = concrete.results
    if isinstance(outputs, Mapping):
        for name, value in outputs.items():
            if not isinstance(name, str):
                raise ValueError(
                    f"Got a dictionary with a non-string key {name!r} in the output of the function "
                    f"{concrete.name.decode()} used to "
                    f"generate the SavedModel signature {key!r}."
                )
            if not isinstance(value, Tensor):
                raise ValueError(
                    f"Got a non-Tensor value {value!r} for key {name!r} in the output of the function "
                    f"{concrete.name.decode()} used to "
                    f"generate the SavedModel signature {key!r}. Outputs for functions used as signatures must be a "
                    "single Tensor, a "
                    f"sequence of Tensors, or a dictionary from string to Tensor."
                )
        return [(name, outputs[name].spec) for name in sorted(outputs)]
    many: Sequence[Any] = outputs if isinstance(outputs, (list, tuple)) else [outputs]
    wrong = [v for v in many if not isinstance(v, Tensor)]
    if wrong:
        raise ValueError(
            f"Got a non-Tensor value {wrong[0]!r} in the output of the function {concrete.name.decode()} used to "
            "generate the SavedModel "
            f"signature {key!r}. Outputs for functions used as signatures must be a single Tensor, a sequence of Tensors, or a "
            f"dictionary from string to Tensor."
        )
    return [(f"output_{i}", v.spec) for i, v in enumerate(many)]
