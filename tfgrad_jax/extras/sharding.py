"""Variables laid over the devices of a mesh of JAX's: training of a model that is spread, without another change to it."""

from __future__ import annotations

import fnmatch
import math
from collections.abc import Mapping
from typing import Any

import jax

from tfgrad_jax.engine.kernels.spread import put
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.tensor import EagerTensor, Tensor
from tfgrad_jax.extras.naming import named_variables
from tfgrad_jax.lib.checkpoint.values import variable_of


def shard(target: Any, spec: Any) -> Any:
    """Lay a variable, the variables of a module, or a tensor over the devices of a mesh.

    What is computed with them, eagerly or in a function, XLA spreads as well: results and gradients. A variable stays laid out
    so, whatever is assigned, and what optimizers that are built afterwards keep for it lies as it does.

    Args:
      target: a `tf.Variable`; a `tf.Module`, Keras model or whatever a checkpoint takes, whose variables exist already; or a
        tensor or array.
      spec: a `jax.sharding.NamedSharding` for all of it; for a module also a mapping of patterns as of file names (`"*/kernel"`)
        to such, of which the first counts that matches a variable's own name, or the names that lead to it from the module,
        with dots between. Every device of the mesh has those variables whole that no pattern matches.

    Returns:
      `target`; of a tensor or array, a tensor that lies so.

    Raises:
      TypeError: if `spec` is none of these.
      ValueError: if a value cannot be cut so; if a pattern matches no variable, or there are none; for variables of a
        `tf.distribute` strategy. Nothing has changed then.

    Source: `jax.device_put` and `jax.lax.with_sharding_constraint`.
    """
    variable = variable_of(target)
    if variable is not None:
        _lay({variable.name: (variable, _named(spec))})
        return target
    if isinstance(target, Tensor) or not hasattr(target, "_trackable_children"):
        tensor, sharding = convert(target), _named(spec)
        _check("the tensor", tensor.shape.as_list(), sharding)
        return EagerTensor(put(tensor.array, sharding), tensor.spec)
    variables = named_variables(target)
    if not variables:
        raise ValueError(f"extras.shard: {target!r} has no variables; build the model first")
    _lay(_chosen(variables, spec))
    return target


def _named(spec: Any) -> jax.sharding.NamedSharding:
    if not isinstance(spec, jax.sharding.NamedSharding):
        raise TypeError(f"extras.shard: expected a jax.sharding.NamedSharding, got {spec!r}")
    return spec


def _chosen(variables: Mapping[str, Variable], spec: Any) -> dict[str, tuple[Variable, jax.sharding.NamedSharding]]:
    """Each variable with how it is to lie."""
    if not isinstance(spec, Mapping):
        return {name: (variable, _named(spec)) for name, variable in variables.items()}
    patterns = {pattern: _named(sharding) for pattern, sharding in spec.items()}
    meshes = {sharding.mesh for sharding in patterns.values()}
    if len(meshes) != 1:
        raise ValueError(f"extras.shard: one mesh is needed for all variables of a module, got {len(meshes)}")
    whole = jax.sharding.NamedSharding(meshes.pop(), jax.sharding.PartitionSpec())
    chosen, used = {}, set()
    for path, variable in variables.items():
        names = (path, variable.name.partition(":")[0])
        found = next((p for p in patterns if fnmatch.filter(names, p)), None)
        used.add(found)
        chosen[path] = variable, whole if found is None else patterns[found]
    for pattern in patterns:
        if pattern not in used:
            raise ValueError(
                f"extras.shard: {pattern!r} is the first that matches of no variable; there are {_listed(variables)}"
            )
    return chosen


def _listed(variables: Mapping[str, Variable]) -> str:
    return ", ".join(f"{path} ({variable.name.partition(':')[0]})" for path, variable in variables.items())


def _lay(chosen: Mapping[str, tuple[Variable, jax.sharding.NamedSharding]]) -> None:
    for name, (variable, sharding) in chosen.items():
        if hasattr(variable, "distribute_strategy"):
            raise ValueError(
                f"extras.shard: {name} has a copy for each replica of a strategy; make it outside of its scope"
            )
        _check(name, list(variable.box.spec.shape), sharding)
    for variable, sharding in chosen.values():
        variable.box.spread(sharding)


def _check(name: str, shape: list[Any], sharding: jax.sharding.NamedSharding) -> None:
    parts = tuple(sharding.spec)
    if len(parts) > len(shape):
        raise ValueError(f"extras.shard: {name} has shape {tuple(shape)}, too few dimensions for {sharding.spec}")
    for size, names in zip(shape, parts, strict=False):
        count = math.prod(sharding.mesh.shape[n] for n in ((names,) if isinstance(names, str) else names or ()))
        if size % count:
            raise ValueError(
                f"extras.shard: {name} has shape {tuple(shape)}; {size} cannot be cut into {count} parts of a size"
            )
