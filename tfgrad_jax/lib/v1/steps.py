"""`tf.compat.v1.train.get_global_step` and its kin: one variable that counts steps."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.names.scopes import name_scope
from tfgrad_jax.engine.run.eager import executing_eagerly, init_scope, recording_for_sessions
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.v1.collections import GraphKeys, add_to_collection, get_collection


def _found() -> Any:
    """The counter, which is one for all functions: what is outside of them has it."""
    with init_scope():
        steps = get_collection(GraphKeys.GLOBAL_STEP)
    if len(steps) > 1:
        raise TypeError(f"Multiple tensors in global_step collection: {steps}")
    return steps[0] if steps else None


@export("compat.v1.train.get_global_step")
def get_global_step(graph: Any = None) -> Any:
    """The variable that counts steps, or None. Mirrors `tf.compat.v1.train.get_global_step`."""
    step = _found()
    if step is not None:
        assert_global_step(step)
    return step


@export("compat.v1.train.create_global_step")
def create_global_step(graph: Any = None) -> Any:
    """Make the variable that counts steps. Mirrors `tf.compat.v1.train.create_global_step`.

    Raises:
      ValueError: if there is one.
    """
    if get_global_step() is not None:
        raise ValueError('"global_step" already exists.')
    with init_scope(), name_scope(""):
        step = Variable(np.int64(0), trainable=False, name="global_step")
        add_to_collection(GraphKeys.GLOBAL_STEP, step)
        if recording_for_sessions():
            context.graph.keep_kind(step, None)
    return step


@export("compat.v1.train.get_or_create_global_step")
def get_or_create_global_step(graph: Any = None) -> Any:
    """The variable that counts steps, made with the first call. Mirrors `tf.compat.v1.train.get_or_create_global_step`."""
    step = get_global_step()
    return create_global_step() if step is None else step


@export("compat.v1.train.global_step")
def global_step(sess: Any, global_step_tensor: Any) -> int:
    """The number that a counter has; in a graph, the session says it. Mirrors `tf.compat.v1.train.global_step`."""
    return int(global_step_tensor.numpy() if executing_eagerly() else sess.run(global_step_tensor))


@export("compat.v1.train.assert_global_step")
def assert_global_step(global_step_tensor: Any) -> None:
    """Make sure that something can count steps: an integer scalar. Mirrors `tf.compat.v1.train.assert_global_step`.

    Raises:
      TypeError: if not.
    """
    if not isinstance(global_step_tensor, (Variable, Tensor)):
        raise TypeError(f'Existing "global_step" must be a Variable or Tensor: {global_step_tensor}.')
    if not global_step_tensor.dtype.is_integer:
        raise TypeError(f'Existing "global_step" does not have integer type: {global_step_tensor.dtype}')
    if global_step_tensor.shape.rank not in (0, None):
        raise TypeError(f'Existing "global_step" is not scalar: {global_step_tensor.shape}')
