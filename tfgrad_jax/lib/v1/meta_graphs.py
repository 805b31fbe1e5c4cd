"""Graphs with their collections and variables, as `tf.compat.v1.train.Saver` and SavedModels of version 1 keep them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from tfgrad_jax.engine.graph.func_graph import get_default_graph
from tfgrad_jax.engine.messages.optional import optional
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.eager import recording_for_sessions
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.lib.checkpoint.saver import Saver
from tfgrad_jax.lib.io.paths import path_text
from tfgrad_jax.lib.saved_model.attributes import attribute_message
from tfgrad_jax.lib.saved_model.loading import read_saved_model
from tfgrad_jax.lib.saved_model.protos import message
from tfgrad_jax.lib.v1.graph_import import Importer, prefix_of
from tfgrad_jax.ops.io.file_systems import read_bytes

_VARIABLES = (
    "variables", "local_variables", "trainable_variables", "model_variables", "metric_variables", "moving_average_variables",
    "global_step",
)  # fmt: skip
_ASSETS = "saved_model_assets"
_INITIALIZERS = ("saved_model_main_op", "legacy_init_op")


def read_meta_graph(source: Any) -> Any:
    """A `MetaGraphDef`, also from its file.

    Raises:
      OSError: if there is no such file, or it holds none.
    """
    if isinstance(source, type(message("MetaGraphDef"))):
        return source
    path = path_text(source)
    if not os.path.exists(path):
        raise OSError(f"File does not exist. Received: {path}.")
    found = message("MetaGraphDef")
    data = read_bytes(path, "ReadFile")
    try:
        found.ParseFromString(data)
    except optional("google.protobuf.message", "records", "tf.compat.v1.train.import_meta_graph").DecodeError:
        text_format = optional("google.protobuf.text_format", "records", "tf.compat.v1.train.import_meta_graph")
        try:
            text_format.Parse(data.decode(), found, allow_unknown_field=True)
        except (text_format.ParseError, UnicodeDecodeError) as error:
            raise OSError(f"Cannot parse file {path}: {error}") from None
    return found


class MetaGraph:
    """A `MetaGraphDef` whose operations are recorded in a graph.

    Args:
      graph: the graph, which is open.
      definition: the message.
      scope: what all names are to begin with, or nothing.
      path: the SavedModel that it is of, if any, whose files its constants name.

    Attributes:
      importer: what recorded them.
      variables: those of the collections of variables, by the names that they have in the message.
    """

    def __init__(self, graph: Any, definition: Any, scope: str | None, path: str | None = None) -> None:
        self._graph, self._definition = graph, definition if path is None else _with_files(definition, path)
        with graph.as_default():
            self.importer = Importer(graph, self._definition.graph_def, prefix_of(graph, scope or ""), {})
            self.importer.run(None)
        self.variables: dict[str, Variable] = {}
        for key, collection in sorted(definition.collection_def.items()):
            self._collect(key, collection)

    def _collect(self, key: str, collection: Any) -> None:
        kind = collection.WhichOneof("kind")
        if kind is None:
            return
        found: list[Any] = list(getattr(collection, kind).value)
        if key in _VARIABLES and kind == "bytes_list":
            found = [self._variable(data) for data in found]
        elif kind == "node_list":
            found = [self.importer.element(name) for name in found]
        elif kind in ("bytes_list", "any_list"):  # messages of things that are not here
            return
        for value in found:
            self._graph.add_to_collection(key, value)

    def _variable(self, data: bytes) -> Variable:
        described = message("VariableDef")
        described.ParseFromString(data)
        name = described.variable_name.partition(":")[0]
        if name not in self.variables:
            variable = self.variables[name] = self.importer.element(described.variable_name)
            self._graph.initialized_by(variable, self.importer.element(described.initializer_name))
        return self.variables[name]

    def initializer(self) -> Any:
        """The operation that fills tables and the like; None if there is none."""
        signatures = self._definition.signature_def
        if "__saved_model_init_op" in signatures:
            name = signatures["__saved_model_init_op"].outputs["__saved_model_init_op"].name
            return self.importer.element(name.partition(":")[0])
        for key in _INITIALIZERS:
            if key in self._definition.collection_def:
                return self.importer.element(self._definition.collection_def[key].node_list.value[0])
        return None


def _with_files(definition: Any, path: str) -> Any:
    """A `MetaGraphDef` in which the constants that name files of a SavedModel have their paths."""
    files = list(definition.asset_file_def)
    if _ASSETS in definition.collection_def:  # where version 1 has them
        for packed in definition.collection_def[_ASSETS].any_list.value:
            files.append(message("AssetFileDef"))
            files[-1].ParseFromString(packed.value)
    if not files:
        return definition
    places = {one.tensor_info.name.partition(":")[0]: one.filename for one in files}
    found = message("MetaGraphDef")
    found.CopyFrom(definition)
    for node in found.graph_def.node:
        if node.name in places:
            name = os.fsencode(os.path.join(path, "assets", places[node.name]))
            node.attr["value"].CopyFrom(attribute_message(np.array(name, object)))
    return found


@export("compat.v1.train.import_meta_graph")
def import_meta_graph(
    meta_graph_or_file: Any, clear_devices: bool = False, import_scope: str | None = None, **kwargs: Any
) -> Saver | None:
    """Record the operations of a `MetaGraphDef` in the open graph. Mirrors `tf.compat.v1.train.import_meta_graph`.

    Args:
      meta_graph_or_file: the message, or the path of its file.
      clear_devices: accepted for compatibility.
      import_scope: what all names begin with.
      **kwargs: what the `Saver` is made with.

    Returns:
      A `Saver` of the graph's variables; None if it has none.

    Raises:
      RuntimeError: where operations run at once.
      OSError: if there is no such file.
    """
    graph: Any = get_default_graph()
    if not recording_for_sessions():
        raise RuntimeError(
            "Exporting/importing meta graphs is not supported when eager execution is enabled. "
            "No graph exists when eager execution is enabled."
        )
    found = MetaGraph(graph, read_meta_graph(meta_graph_or_file), import_scope)
    return Saver(found.variables, **kwargs) if found.variables else None


def find_meta_graph(path: str, tags: Any) -> Any:
    """The graph of a SavedModel with these tags.

    Raises:
      RuntimeError: if it has none.
    """
    graphs = read_saved_model(path).meta_graphs
    wanted = {tags} if isinstance(tags, str) else set(tags)
    for graph in graphs:
        if set(graph.meta_info_def.tags) == wanted:
            return graph
    sets = [sorted(graph.meta_info_def.tags) for graph in graphs]
    raise RuntimeError(
        f"MetaGraphDef associated with tags {tags!r} could not be found in SavedModel, with available tags '{sets}'. To inspect "
        "available tag-sets in the SavedModel, please use the SavedModel CLI: `saved_model_cli`."
    )


@export("compat.v1.saved_model.load", "compat.v1.saved_model.loader.load")
def load(sess: Any, tags: Any, export_dir: Any, import_scope: str | None = None, **saver_kwargs: Any) -> Any:
    """Record the graph of a SavedModel in a session's, with the values of its variables. Mirrors `tf.compat.v1.saved_model.load`.

    Args:
      sess: the session.
      tags: of the graph in the SavedModel.
      export_dir: the directory.
      import_scope: what all names begin with.
      **saver_kwargs: accepted for compatibility.

    Returns:
      The `MetaGraphDef`, whose signatures tell names of tensors.

    Raises:
      OSError: if there is no SavedModel.
      RuntimeError: if no graph of it has these tags.
    """
    path = path_text(export_dir)
    definition = find_meta_graph(path, tags)
    found = MetaGraph(sess.graph, definition, import_scope, path)
    restored(found, sess, path)
    return definition


def restored(found: MetaGraph, session: Any, path: str) -> None:
    """Give the variables of a graph their values in a session, and run its initializer.

    Args:
      found: the graph.
      session: the session.
      path: the SavedModel.
    """
    variables: Mapping[str, Any] = found.variables or found.importer.variables
    if variables:
        Saver(dict(variables)).restore(session, os.path.join(path, "variables", "variables"))
    initializer = found.initializer()
    if initializer is not None:
        session.run(initializer)
