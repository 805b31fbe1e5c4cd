"""Nodes of optimizers: a step of training on variables."""

from __future__ import annotations

from typing import Any

from tfgrad_jax.engine.messages.errors import failed_precondition
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.lib.saved_model.nodes.registry import node, tf


def _variables(raw: str, *handles: Any) -> None:
    for handle in handles:
        if not isinstance(handle, Variable):
            raise failed_precondition(f"{raw}: the resource is {handle!r}, and no variable", raw)


def _sqrt(x: Any) -> Any:
    return tf("sqrt")(x)


@node("ResourceApplyGradientDescent", stateful=True)
def _gradient_descent(var: Any, alpha: Any, delta: Any) -> None:
    _variables("ResourceApplyGradientDescent", var)
    var.assign_sub(alpha * delta)


@node("ResourceApplyMomentum", stateful=True)
def _momentum(var: Any, accum: Any, lr: Any, grad: Any, momentum: Any, *, use_nesterov: bool = False) -> None:
    _variables("ResourceApplyMomentum", var, accum)
    accum.assign(accum * momentum + grad)
    var.assign_sub(lr * (grad + momentum * accum) if use_nesterov else lr * accum)


@node("ResourceApplyKerasMomentum", stateful=True)
def _keras_momentum(var: Any, accum: Any, lr: Any, grad: Any, momentum: Any, *, use_nesterov: bool = False) -> None:
    _variables("ResourceApplyKerasMomentum", var, accum)
    accum.assign(accum * momentum - lr * grad)
    var.assign_add(accum * momentum - lr * grad if use_nesterov else accum)


def _adam_step(
    var: Any,
    m: Any,
    scale: Any,
    beta1_power: Any,
    beta2_power: Any,
    lr: Any,
    beta1: Any,
    epsilon: Any,
    grad: Any,
    use_nesterov: bool,
) -> None:
    rate = lr * _sqrt(1 - beta2_power) / (1 - beta1_power)
    step = m * beta1 + (1 - beta1) * grad if use_nesterov else m
    var.assign_sub(rate * step / (_sqrt(scale) + epsilon))


@node("ResourceApplyAdam", stateful=True)
def _adam(
    var: Any,
    m: Any,
    v: Any,
    beta1_power: Any,
    beta2_power: Any,
    lr: Any,
    beta1: Any,
    beta2: Any,
    epsilon: Any,
    grad: Any,
    *,
    use_nesterov: bool = False,
) -> None:
    _variables("ResourceApplyAdam", var, m, v)
    m.assign_add((grad - m) * (1 - beta1))
    v.assign_add((grad * grad - v) * (1 - beta2))
    _adam_step(var, m, v, beta1_power, beta2_power, lr, beta1, epsilon, grad, use_nesterov)


@node("ResourceApplyAdamWithAmsgrad", stateful=True)
def _adam_with_amsgrad(
    var: Any,
    m: Any,
    v: Any,
    vhat: Any,
    beta1_power: Any,
    beta2_power: Any,
    lr: Any,
    beta1: Any,
    beta2: Any,
    epsilon: Any,
    grad: Any,
) -> None:
    _variables("ResourceApplyAdamWithAmsgrad", var, m, v, vhat)
    m.assign_add((grad - m) * (1 - beta1))
    v.assign_add((grad * grad - v) * (1 - beta2))
    vhat.assign(tf("maximum")(vhat, v))
    _adam_step(var, m, vhat, beta1_power, beta2_power, lr, beta1, epsilon, grad, False)


@node("ResourceApplyAdaMax", stateful=True)
def _ada_max(
    var: Any, m: Any, v: Any, beta1_power: Any, lr: Any, beta1: Any, beta2: Any, epsilon: Any, grad: Any
) -> None:
    _variables("ResourceApplyAdaMax", var, m, v)
    m.assign_add((grad - m) * (1 - beta1))
    v.assign(tf("maximum")(beta2 * v, tf("abs")(grad)))
    var.assign_sub(lr / (1 - beta1_power) * (m / (v + epsilon)))


@node("ResourceApplyAdagrad", stateful=True)
def _adagrad(var: Any, accum: Any, lr: Any, grad: Any, *, update_slots: bool = True) -> None:
    _variables("ResourceApplyAdagrad", var, accum)
    if update_slots:
        accum.assign_add(grad * grad)
    var.assign_sub(grad * lr * tf("math.rsqrt")(accum))


@node("ResourceApplyAdagradV2", stateful=True)
def _adagrad_v2(var: Any, accum: Any, lr: Any, epsilon: Any, grad: Any, *, update_slots: bool = True) -> None:
    _variables("ResourceApplyAdagradV2", var, accum)
    if update_slots:
        accum.assign_add(grad * grad)
    var.assign_sub(grad * lr / (_sqrt(accum) + epsilon))


@node("ResourceApplyAdadelta", stateful=True)
def _adadelta(var: Any, accum: Any, accum_update: Any, lr: Any, rho: Any, epsilon: Any, grad: Any) -> None:
    _variables("ResourceApplyAdadelta", var, accum, accum_update)
    accum.assign(accum * rho + grad * grad * (1 - rho))
    update = _sqrt(accum_update + epsilon) * tf("math.rsqrt")(accum + epsilon) * grad
    var.assign_sub(update * lr)
    accum_update.assign(accum_update * rho + update * update * (1 - rho))


@node("ResourceApplyRMSProp", stateful=True)
def _rms_prop(var: Any, ms: Any, mom: Any, lr: Any, rho: Any, momentum: Any, epsilon: Any, grad: Any) -> None:
    _variables("ResourceApplyRMSProp", var, ms, mom)
    ms.assign_add((grad * grad - ms) * (1 - rho))
    mom.assign(mom * momentum + grad * lr / _sqrt(ms + epsilon))
    var.assign_sub(mom)


@node("ResourceApplyCenteredRMSProp", stateful=True)
def _centered_rms_prop(
    var: Any, mg: Any, ms: Any, mom: Any, lr: Any, rho: Any, momentum: Any, epsilon: Any, grad: Any
) -> None:
    _variables("ResourceApplyCenteredRMSProp", var, mg, ms, mom)
    ms.assign_add((grad * grad - ms) * (1 - rho))
    mg.assign_add((grad - mg) * (1 - rho))
    mom.assign(mom * momentum + grad * lr / _sqrt(ms - mg * mg + epsilon))
    var.assign_sub(mom)


def _ftrl_step(
    var: Any, accum: Any, linear: Any, grad: Any, shrunk: Any, lr: Any, l1: Any, l2: Any, lr_power: Any, by_rate: bool
) -> None:
    new = accum + grad * grad
    power = -lr_power
    before, after = tf("pow")(accum, power), tf("pow")(new, power)
    rate = tf("ones_like")(lr) if by_rate else lr
    linear.assign_add(shrunk * (lr if by_rate else 1) - (after - before) / rate * var)
    limit = tf("clip_by_value")(linear, -l1 * (lr if by_rate else 1), l1 * (lr if by_rate else 1))
    var.assign((limit - linear) / (after / rate + 2 * l2 * (lr if by_rate else 1)))
    accum.assign_add(grad * grad)


@node("ResourceApplyFtrl", stateful=True)
def _ftrl(
    var: Any, accum: Any, linear: Any, grad: Any, lr: Any, l1: Any, l2: Any, lr_power: Any, *, multiply_linear_by_lr: bool = False
) -> None:  # fmt: skip
    _variables("ResourceApplyFtrl", var, accum, linear)
    _ftrl_step(var, accum, linear, grad, grad, lr, l1, l2, lr_power, multiply_linear_by_lr)


@node("ResourceApplyFtrlV2", stateful=True)
def _ftrl_v2(
    var: Any, accum: Any, linear: Any, grad: Any, lr: Any, l1: Any, l2: Any, l2_shrinkage: Any, lr_power: Any, *,
    multiply_linear_by_lr: bool = False,
) -> None:  # fmt: skip
    _variables("ResourceApplyFtrlV2", var, accum, linear)
    shrunk = grad + 2 * l2_shrinkage * var
    _ftrl_step(var, accum, linear, grad, shrunk, lr, l1, l2, lr_power, multiply_linear_by_lr)
