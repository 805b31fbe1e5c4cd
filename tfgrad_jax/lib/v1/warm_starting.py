"""Variables that begin with values of a checkpoint: `tf.compat.v1.train.init_from_checkpoint` and `warm_start`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.eager import init_scope, recording_for_sessions
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values.convert import convert
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.lib.checkpoint.inspecting import load_checkpoint
from tfgrad_jax.lib.checkpoint.slices import Slice
from tfgrad_jax.lib.v1.collections import GraphKeys, get_collection
from tfgrad_jax.lib.v1.partitioned import PartitionedVariable
from tfgrad_jax.lib.v1.variable_store import named_variables
from tfgrad_jax.ops.control.control_flow import control_dependencies


@export("compat.v1.train.init_from_checkpoint")
def init_from_checkpoint(ckpt_dir_or_file: Any, assignment_map: Any) -> None:
    """Let variables begin with values of a checkpoint. Mirrors `tf.compat.v1.train.init_from_checkpoint`.

    In a graph for sessions the values become what initializers give; otherwise variables have them at once.

    Args:
      ckpt_dir_or_file: the checkpoint, or a directory with one.
      assignment_map: a dict, or pairs: a name in the checkpoint and a variable, its pieces, or its name as `get_variable` knows it;
        or a scope in the checkpoint and one in the graph, both ending with "/", where "/" is all that there is.

    Raises:
      ValueError: if a name is not in the checkpoint, a shape differs, or a scope stands for what is none.
    """
    reader = load_checkpoint(ckpt_dir_or_file)
    shapes = reader.get_variable_to_shape_map()
    pairs = assignment_map.items() if isinstance(assignment_map, Mapping) else assignment_map
    found: list[tuple[str, Any]] = []
    for name, target in pairs:
        pieces = _pieces(_known().get(target) if isinstance(target, str) else target)
        if pieces is None:
            found += _below(name, target, shapes, ckpt_dir_or_file)
            continue
        if name not in shapes:
            raise ValueError(f"Tensor {name} is not found in {ckpt_dir_or_file} checkpoint {shapes}")
        found += [(name, piece) for piece in pieces]
    for name, variable in found:
        part = _slice(variable)
        whole = TensorShape(part.full_shape) if part else variable.shape
        if not whole.is_compatible_with(shapes[name]):
            raise ValueError(
                f"Shape of variable {variable.name} ({whole}) doesn't match with shape of tensor {name} ({list(shapes[name])}) "
                "from checkpoint reader."
            )
    for name, variable in found:
        value, part = reader.get_tensor(name), _slice(variable)
        _begin_with(variable, value[part.part.place()] if part else value)


def _slice(variable: Any) -> Slice | None:
    """Of what a variable is a piece."""
    return getattr(variable, "save_slice", None)


def _name(variable: Any, otherwise: str) -> str:
    """The name that checkpoints have for a variable, which is that of the whole for a piece."""
    part = _slice(variable)
    return part.name if part else otherwise


def _known() -> dict[str, list[Any]]:
    """The variables that `get_variable` finds, by name: those in pieces under the name of the whole, too."""
    found: dict[str, list[Any]] = {}
    for name, variable in named_variables().items():
        found.setdefault(name, []).append(variable)
        if _slice(variable):
            found.setdefault(_name(variable, name), []).append(variable)
    return found


def _pieces(target: Any) -> list[Any] | None:
    """The variables that are one; None for what is no variable."""
    if isinstance(target, Variable):
        return [target]
    if isinstance(target, (PartitionedVariable, list, tuple)) and all(isinstance(piece, Variable) for piece in target):
        return list(target)
    return None


def _below(name: str, target: Any, shapes: Mapping[str, Any], checkpoint: Any) -> Iterator[tuple[str, Any]]:
    """The variables of a scope, with the names that a scope of the checkpoint has for them."""
    if not isinstance(target, str):
        raise TypeError(
            f"init_from_checkpoint: {name!r} must stand for a variable, its pieces, its name or a scope, got {target!r}"
        )
    scope = target.rpartition("/")[0]
    if not name.endswith("/"):
        raise ValueError(
            f"Assignment map with scope only name {scope} should map to scope only {name}. Should be 'scope/': 'other_scope/'."
        )
    for known, variable in sorted(named_variables().items()):
        if scope and not known.startswith(scope + "/"):
            continue
        rest = _name(variable, known)[len(scope) + 1 if scope else 0 :]
        full = rest if name == "/" else name + rest
        if full not in shapes:
            raise ValueError(f"Tensor {full} ({rest} in {name}) is not found in {checkpoint} checkpoint")
        yield full, variable


def _begin_with(variable: Any, value: Any) -> None:
    if not recording_for_sessions():
        with init_scope():
            variable.assign(value, read_value=False)
        return
    with control_dependencies(None):
        context.graph.initial_values[id(variable)] = initial = convert(value, variable.dtype)
        context.graph.initialized_by(variable, variable.assign(initial, read_value=False))


@export("compat.v1.train.warm_start")
def warm_start(
    ckpt_to_initialize_from: Any,
    vars_to_warm_start: Any = ".*",
    var_name_to_vocab_info: Mapping[str, Any] | None = None,
    var_name_to_prev_var_name: Mapping[str, str] | None = None,
) -> None:
    """Let variables of a graph begin with what a checkpoint has under their names. Mirrors `tf.compat.v1.train.warm_start`.

    Args:
      ckpt_to_initialize_from: the checkpoint, or a directory with one.
      vars_to_warm_start: which: a regular expression of names of trainable variables; a list of those of any variables, or of
        variables; None for none.
      var_name_to_vocab_info: not supported.
      var_name_to_prev_var_name: the names in the checkpoint of those that have another one there.

    Raises:
      ValueError: if `vars_to_warm_start` is none of these, a variable is not in the checkpoint, or a name is not used.
      NotImplementedError: for `var_name_to_vocab_info`.
    """
    if var_name_to_vocab_info:
        raise NotImplementedError(
            "tf.compat.v1.train.warm_start: var_name_to_vocab_info is not supported: give the embedding the rows of the new "
            "vocabulary by an initializer"
        )
    variables = _whole(_chosen(vars_to_warm_start))
    before = dict(var_name_to_prev_var_name or {})
    unused = set(before) - set(variables)
    if unused:
        raise ValueError(
            f"You provided the following variables in var_name_to_prev_var_name that were not used: {unused}.  Perhaps you "
            f"misspelled them?  Here is the list of viable variable names: {variables.keys()}"
        )
    pairs = [(before.get(name, name), pieces) for name, pieces in variables.items()]
    init_from_checkpoint(ckpt_to_initialize_from, pairs)


def _chosen(wanted: Any) -> list[Any]:
    if wanted is None:
        return []
    if isinstance(wanted, str):
        return _matching(GraphKeys.TRAINABLE_VARIABLES, [wanted])
    if not isinstance(wanted, list):
        raise ValueError(f"`vars_to_warm_start must be a `list` or `str`.  Given type is {type(wanted)}")
    if all(isinstance(one, str) for one in wanted):
        return _matching(GraphKeys.GLOBAL_VARIABLES, wanted)
    if all(_pieces(one) is not None for one in wanted):
        return [piece for one in wanted for piece in _pieces(one) or []]
    raise ValueError(
        "If `vars_to_warm_start` is a list, it must be all `Variable` or all `str`.  Given types are "
        f"{[type(one) for one in wanted]}"
    )


def _matching(key: str, patterns: Sequence[str]) -> list[Any]:
    return [v for pattern in patterns for v in get_collection(key) if re.match(pattern, v.name)]


def _whole(variables: Sequence[Any]) -> dict[str, list[Any]]:
    """The variables by the names that checkpoints have for them."""
    found: dict[str, list[Any]] = {}
    for variable in {id(variable): variable for variable in variables}.values():
        found.setdefault(_name(variable, variable.name.partition(":")[0]), []).append(variable)
    return found
