"""What tests compare as NumPy values, also where a graph is recorded for a session."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfgrad_jax.composite.ragged.tensor import RaggedTensor
from tfgrad_jax.composite.sparse_tensor import SparseTensor
from tfgrad_jax.engine.composite.indexed_slices import IndexedSlices
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values import nest
from tfgrad_jax.engine.values.symbolic import SymbolicTensor
from tfgrad_jax.lib.v1.evaluation import evaluated, evaluated_nest, is_tensor_like
from tfgrad_jax.lib.v1.session import Session, get_default_session


def values_of(tensors: Any) -> Any:
    """A nest of tensors as NumPy values; those of a graph for sessions are what the open session gives, or a new one."""
    graph = context.graph
    if graph is None or not graph.on_demand:
        return evaluated_nest(tensors)
    session = get_default_session() or Session(graph=graph)
    return session.run(tensors)


def settled(value: Any) -> Any:
    """A value as it is, but one with tensors of a session's graph as what the session gives for it."""
    if context.graph is None or isinstance(value, (np.ndarray, np.generic)):
        return value
    parts = nest.flatten(value, True)
    waits = context.graph.on_demand and any(isinstance(part, (SymbolicTensor, Variable)) for part in parts)
    if not waits:
        return value
    if not isinstance(value, (list, tuple)):
        return values_of(value)
    return type(value)([settled(item) for item in value]) if type(value) in (list, tuple) else values_of(value)


def as_array(value: Any) -> Any:
    """A tensor, or what NumPy takes, as an array; objects if rows differ in length."""
    value = settled(value)
    if isinstance(value, (SparseTensor, RaggedTensor, IndexedSlices)):
        return evaluated(value)
    if not isinstance(value, (np.ndarray, np.generic)) and is_tensor_like(value):
        value = value.numpy()
    if isinstance(value, (list, tuple)) and any(map(is_tensor_like, value)):
        value = [as_array(item) for item in value]
    if isinstance(value, np.ndarray):
        return value
    try:
        return np.array(value)
    except ValueError:  # rows of several lengths
        return np.array(value, dtype=object)
