"""Nodes of optimizers that change those rows of variables which a sparse gradient has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.lib.saved_model.nodes.registry import node, rules, tf


def _of_rows(raw: str, place: int) -> Callable[..., Any]:
    """The step of `raw` for the rows in the operand at `place`, which comes after the rows of the gradient."""

    def step(attributes: dict[str, Any], *inputs: Any) -> None:
        indices, rows = inputs[place], inputs[place - 1]
        variables = [v for v in inputs if isinstance(v, Variable)]
        tf("debugging.assert_equal")(
            tf("size")(tf("unique")(indices).y),
            tf("size")(indices),
            f"{raw.replace('Apply', 'SparseApply')}: a row that comes several times is not supported: add up its gradients",
        )
        shape = tf("shape")(variables[0], indices.dtype)
        at = tf("expand_dims")(indices, 1)
        touched = tf("scatter_nd")(at, tf("ones_like")(rows, dtype=tf("bool")), shape)
        before = [tf("identity")(v) for v in variables]
        dense = [*inputs[: place - 1], tf("scatter_nd")(at, rows, shape), *inputs[place + 1 :]]
        rules[raw](dense, attributes, None)
        for variable, old in zip(variables, before, strict=True):
            variable.assign(tf("where")(touched, variable, old))

    return step


def _declared(name: str, place: int, flag: str = "") -> None:
    step = _of_rows(f"ResourceApply{name}", place)
    # The attribute that the dense step has, too, in the signature: nodes are given those that are there.
    by_flag: dict[str, Callable[..., None]] = {
        "": lambda *inputs: step({}, *inputs),
        "update_slots": lambda *inputs, update_slots=True: step({"update_slots": update_slots}, *inputs),
        "use_nesterov": lambda *inputs, use_nesterov=False: step({"use_nesterov": use_nesterov}, *inputs),
        "multiply_linear_by_lr": lambda *inputs, multiply_linear_by_lr=False: step(
            {"multiply_linear_by_lr": multiply_linear_by_lr}, *inputs
        ),
    }
    node(f"ResourceSparseApply{name}", stateful=True)(by_flag[flag])


_declared("Adadelta", 7)
_declared("Adagrad", 4, "update_slots")
_declared("AdagradDA", 4)
_declared("AdagradV2", 5, "update_slots")
_declared("CenteredRMSProp", 9)
_declared("Ftrl", 4, "multiply_linear_by_lr")
_declared("FtrlV2", 4, "multiply_linear_by_lr")
_declared("KerasMomentum", 4, "use_nesterov")
_declared("Momentum", 4, "use_nesterov")
_declared("ProximalAdagrad", 6)
_declared("ProximalGradientDescent", 5)
_declared("RMSProp", 8)
