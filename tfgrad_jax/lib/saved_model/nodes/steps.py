"""Nodes of optimizers that regularize or look at signs, and of changes to parts of variables."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.lib.saved_model.nodes.registry import node, rules, tf


def _shrunk(x: Any, l1: Any, l2: Any) -> Any:
    """What is nearest to `x` under both penalties."""
    return tf("sign")(x) * tf("nn.relu")(tf("abs")(x) - l1) / (1 + l2)


@node("ResourceApplyAddSign", stateful=True)
def _add_sign(var: Any, m: Any, lr: Any, alpha: Any, sign_decay: Any, beta: Any, grad: Any) -> None:
    m.assign(m * beta + grad * (1 - beta))
    var.assign_sub(lr * (alpha + sign_decay * tf("sign")(grad) * tf("sign")(m)) * grad)


@node("ResourceApplyPowerSign", stateful=True)
def _power_sign(var: Any, m: Any, lr: Any, logbase: Any, sign_decay: Any, beta: Any, grad: Any) -> None:
    m.assign(m * beta + grad * (1 - beta))
    var.assign_sub(lr * tf("exp")(logbase * sign_decay * tf("sign")(grad) * tf("sign")(m)) * grad)


@node("ResourceApplyProximalGradientDescent", stateful=True)
def _proximal_descent(var: Any, alpha: Any, l1: Any, l2: Any, delta: Any) -> None:
    var.assign(_shrunk(var - alpha * delta, alpha * l1, alpha * l2))


@node("ResourceApplyProximalAdagrad", stateful=True)
def _proximal_adagrad(var: Any, accum: Any, lr: Any, l1: Any, l2: Any, grad: Any) -> None:
    accum.assign_add(grad * grad)
    rate = lr * tf("math.rsqrt")(accum)
    var.assign(_shrunk(var - rate * grad, rate * l1, rate * l2))


@node("ResourceApplyAdagradDA", stateful=True)
def _adagrad_da(var: Any, total: Any, squares: Any, grad: Any, lr: Any, l1: Any, l2: Any, global_step: Any) -> None:
    total.assign_add(grad)
    squares.assign_add(grad * grad)
    steps = tf("cast")(global_step, var.dtype)
    kept = tf("sign")(total) * tf("nn.relu")(tf("abs")(total) - l1 * steps)
    var.assign(-lr * kept / (l2 * steps * lr + tf("sqrt")(squares)))


@node("ResourceScatterNdMax", stateful=True)
def _scatter_max(ref: Any, indices: Any, updates: Any) -> None:
    ref.assign(tf("tensor_scatter_nd_max")(ref, indices, updates))


@node("ResourceScatterNdMin", stateful=True)
def _scatter_min(ref: Any, indices: Any, updates: Any) -> None:
    ref.assign(tf("tensor_scatter_nd_min")(ref, indices, updates))


@node("TensorStridedSliceUpdate")
def _updated(
    x: Any, begin: Any, end: Any, strides: Any, value: Any, *, begin_mask: int = 0, end_mask: int = 0,
    ellipsis_mask: int = 0, new_axis_mask: int = 0, shrink_axis_mask: int = 0,
) -> Any:  # fmt: skip
    masks = {
        "begin_mask": begin_mask, "end_mask": end_mask, "ellipsis_mask": ellipsis_mask, "new_axis_mask": new_axis_mask,
        "shrink_axis_mask": shrink_axis_mask,
    }  # fmt: skip
    # The places that the slice takes, from a tensor of all places.
    sizes = tf("shape")(x)
    places = tf("reshape")(tf("range")(tf("size")(x)), sizes)
    taken = rules["StridedSlice"]([places, begin, end, strides], masks, None)
    flat = tf("reshape")(x, [-1])
    spread = tf("broadcast_to")(value, tf("shape")(taken))
    at, put = tf("reshape")(taken, [-1, 1]), tf("reshape")(spread, [-1])
    return tf("reshape")(tf("tensor_scatter_nd_update")(flat, at, put), sizes)


@node("ResourceStridedSliceAssign", stateful=True)
def _slice_assigned(
    ref: Any, begin: Any, end: Any, strides: Any, value: Any, *, begin_mask: int = 0, end_mask: int = 0,
    ellipsis_mask: int = 0, new_axis_mask: int = 0, shrink_axis_mask: int = 0,
) -> None:  # fmt: skip
    ref.assign(
        _updated(
            ref, begin, end, strides, value, begin_mask=begin_mask, end_mask=end_mask, ellipsis_mask=ellipsis_mask,
            new_axis_mask=new_axis_mask, shrink_axis_mask=shrink_axis_mask,
        )
    )  # fmt: skip
