"""Which traces of a function a SavedModel holds."""

from __future__ import annotations

from tfgrad_jax.engine.function.concrete import ConcreteFunction
from tfgrad_jax.engine.function.function import Function
from tfgrad_jax.engine.graph.elements import variable_of
from tfgrad_jax.engine.messages import logging
from tfgrad_jax.engine.values import nest
from tfgrad_jax.engine.values.symbolic import SymbolicTensor
from tfgrad_jax.lib.data.iterators import IteratorSpec
from tfgrad_jax.lib.distribute.contexts import as_saved


def traces_to_save(function: Function) -> list[ConcreteFunction]:
    """The traces of a function that can be called once they are loaded; with an `input_signature` there is one.

    Those that hold tensors of graphs that are finished are left out, and those that take an iterator, as Keras 2 keeps to adapt
    layers: a loaded model has none to give them.
    """
    if function.input_signature is not None:
        function.get_concrete_function()
    found = []
    for trace in function.traces:
        if any(isinstance(spec, IteratorSpec) for spec in nest.flatten(trace.structured_input_signature)):
            logging.warn("tf.saved_model.save leaves out the trace of %s that takes an iterator", trace.name.decode())
        elif not any(isinstance(t, SymbolicTensor) and t.held is None for t in trace.captured_inputs):
            found.append(_as_saved(function, trace) if _uses_copies(trace) else trace)
    return list(dict.fromkeys(found))


def _as_saved(function: Function, trace: ConcreteFunction) -> ConcreteFunction:
    """A trace for the same arguments where each variable has one copy."""
    args, kwargs = trace.structured_input_signature
    with as_saved(always=True):
        return function.get_concrete_function(*args, **kwargs)


def _uses_copies(trace: ConcreteFunction) -> bool:
    """Whether a trace reads or writes copies of variables that belong to replicas."""
    variables = [variable_of(box) for box in (*trace.lifted.read, *trace.lifted.boxes)]
    return any("_distributed_container" in vars(v) for v in variables if v is not None)
