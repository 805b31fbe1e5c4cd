"""Collections: lists that belong to a graph, by key. Programs keep losses, variables and updates in them."""

from __future__ import annotations

import weakref
from typing import Any

from tfgrad_jax.engine.graph.func_graph import get_default_graph, graph_outside
from tfgrad_jax.engine.hooks import collections_of
from tfgrad_jax.engine.names.export import export

_SHARED = ("variables", "local_variables", "trainable_variables")
"""Keys whose lists a function has in common with what is around it; of others it begins with a copy."""

_of_graphs: weakref.WeakKeyDictionary[Any, dict[str, list[Any]]] = weakref.WeakKeyDictionary()


@export("compat.v1.GraphKeys")
class GraphKeys:
    """The names of the usual collections. Mirrors `tf.compat.v1.GraphKeys`."""

    GLOBAL_VARIABLES = VARIABLES = "variables"
    LOCAL_VARIABLES = "local_variables"
    METRIC_VARIABLES = "metric_variables"
    MODEL_VARIABLES = "model_variables"
    TRAINABLE_VARIABLES = "trainable_variables"
    MOVING_AVERAGE_VARIABLES = "moving_average_variables"
    CONCATENATED_VARIABLES = "concatenated_variables"
    TRAINABLE_RESOURCE_VARIABLES = "trainable_resource_variables"
    SUMMARIES = "summaries"
    QUEUE_RUNNERS = "queue_runners"
    TABLE_INITIALIZERS = "table_initializer"
    ASSET_FILEPATHS = "asset_filepaths"
    REGULARIZATION_LOSSES = "regularization_losses"
    SAVERS = "savers"
    WEIGHTS = "weights"
    BIASES = "biases"
    ACTIVATIONS = "activations"
    UPDATE_OPS = "update_ops"
    LOSSES = "losses"
    SAVEABLE_OBJECTS = "saveable_objects"
    RESOURCES = "resources"
    LOCAL_RESOURCES = "local_resources"
    INIT_OP = "init_op"
    LOCAL_INIT_OP = "local_init_op"
    READY_OP = "ready_op"
    READY_FOR_LOCAL_INIT_OP = "ready_for_local_init_op"
    SUMMARY_OP = "summary_op"
    GLOBAL_STEP = "global_step"
    EVAL_STEP = "eval_step"
    TRAIN_OP = "train_op"
    COND_CONTEXT = "cond_context"
    WHILE_CONTEXT = "while_context"


@collections_of.fill
def _collections(graph: Any) -> dict[str, list[Any]]:
    found = _of_graphs.get(graph)
    if found is None:
        around = _collections(graph.outer or graph_outside()) if graph is not graph_outside() else {}
        if graph.on_demand:  # what is made in it is in these lists, if nothing else is said
            around = {"variables": graph.created, "trainable_variables": graph.trainable}
        found = {key: values if key in _SHARED else list(values) for key, values in around.items()}
        _of_graphs[graph] = found
        for key in _SHARED:
            found.setdefault(key, [])
    return found


def keep_in(variable: Any, keys: Any) -> None:
    """Let a variable that was just made in a graph for sessions be in these collections instead of the usual ones."""
    graph: Any = get_default_graph()
    for listed in (graph.created, graph.trainable):
        listed[:] = [other for other in listed if other is not variable]
    add_to_collections(keys, variable)
    if variable.trainable and GraphKeys.TRAINABLE_VARIABLES not in keys:
        graph.add_to_collection(GraphKeys.TRAINABLE_VARIABLES, variable)


@export("compat.v1.add_to_collection")
def add_to_collection(name: str, value: Any) -> None:
    """Append a value to a collection of the open graph. Mirrors `tf.compat.v1.add_to_collection`."""
    get_default_graph().add_to_collection(name, value)


@export("compat.v1.add_to_collections")
def add_to_collections(names: Any, value: Any) -> None:
    """Append a value to several collections, to each of them once. Mirrors `tf.compat.v1.add_to_collections`."""
    get_default_graph().add_to_collections(names, value)


@export("compat.v1.get_collection_ref")
def get_collection_ref(key: str) -> list[Any]:
    """The list of a collection itself. Mirrors `tf.compat.v1.get_collection_ref`."""
    return get_default_graph().get_collection_ref(key)


@export("compat.v1.get_collection")
def get_collection(key: str, scope: str | None = None) -> list[Any]:
    """What is in a collection of the open graph. Mirrors `tf.compat.v1.get_collection`.

    Args:
      key: the collection's name.
      scope: a regular expression: only what has a name that begins so.
    """
    return get_default_graph().get_collection(key, scope)
