"""`tf.compat.v1.saved_model.Builder` and `simple_save`: SavedModels of graphs and what a session keeps for their variables."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from tfgrad_jax.engine.graph.operation import Operation
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.effects import eager_context
from tfgrad_jax.engine.values.convert import get_static_value
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.io.paths import path_text
from tfgrad_jax.lib.lookup.contents import Contents
from tfgrad_jax.lib.lookup.initializers import TextFileInitializer
from tfgrad_jax.lib.lookup.tables import LookupTable
from tfgrad_jax.lib.saved_model.options import SaveOptions
from tfgrad_jax.lib.saved_model.protos import message
from tfgrad_jax.lib.saved_model.saving import Saver
from tfgrad_jax.lib.saved_model.signatures import DEFAULT
from tfgrad_jax.lib.saved_model.writing import tables_in
from tfgrad_jax.lib.tracking.autotrackable import AutoTrackable
from tfgrad_jax.lib.v1.graph_parts import placeholders_of, traced_part
from tfgrad_jax.lib.v1.signature_defs import predict_signature_def

_NAME = "tf.compat.v1.saved_model.Builder"
_RESERVED = {"__saved_model_init_op": "initialization", "__saved_model_train_op": "train ops"}


@export("compat.v1.saved_model.Builder", "compat.v1.saved_model.builder.SavedModelBuilder")
class SavedModelBuilder:
    """Writes a SavedModel of a graph. Mirrors `tf.compat.v1.saved_model.Builder`.

    A signature is saved as what computes its outputs from its inputs; its tensors and the variables keep their names, and tables
    bring their rows along, or their file as an asset. Nothing else of the graph is saved.

    Args:
      export_dir: the directory, which must not hold anything.

    Raises:
      AssertionError: if it does.
    """

    def __init__(self, export_dir: Any) -> None:
        self._path = path_text(export_dir)
        if os.path.isdir(self._path) and os.listdir(self._path):
            raise AssertionError(
                f"Export directory {self._path} already exists, and isn't empty. Please choose a different export directory, or "
                "delete all the contents of the specified directory."
            )
        os.makedirs(self._path, exist_ok=True)
        self._saved = message("SavedModel", saved_model_schema_version=1)
        self._session: Any = None

    def add_meta_graph_and_variables(
        self,
        sess: Any,
        tags: Iterable[str],
        signature_def_map: Mapping[str, Any] | None = None,
        assets_collection: Any = None,
        legacy_init_op: Any = None,
        clear_devices: bool = False,
        main_op: Any = None,
        strip_default_attrs: bool = False,
        saver: Any = None,
    ) -> None:
        """Add the graph of a session, and write what the session keeps for its variables.

        Args:
          sess: the session.
          tags: of the graph in the SavedModel.
          signature_def_map: messages `SignatureDef` by key.
          legacy_init_op, main_op: an operation that is to run after loading; one that does nothing, as tables' without tables.
          clear_devices, strip_default_attrs: accepted for compatibility.
          assets_collection: names of files, as strings or constants, which must be those of tables: others are not supported.
          saver: not supported.

        Raises:
          AssertionError: if variables were written before, or a signature names no tensor or no dtype.
          KeyError: if a signature has a key that means something else, or names a tensor that is not in the graph.
          ValueError: if a signature needs a placeholder that is none of its inputs.
          FailedPreconditionError: if a variable has no value in the session.
          NotImplementedError: for what is not supported.
        """
        if self._session is not None:
            raise AssertionError(
                "Graph state including variables and assets has already been saved. Please invoke `add_meta_graph()` instead."
            )
        with sess.holding(), eager_context():
            graph = self._graph(sess, signature_def_map, assets_collection, main_op or legacy_init_op, saver)
            graph.add_graph(self._saved, tags)
            graph.write_state(self._path)
        self._session = sess

    def add_meta_graph(
        self,
        tags: Iterable[str],
        signature_def_map: Mapping[str, Any] | None = None,
        assets_collection: Any = None,
        legacy_init_op: Any = None,
        clear_devices: bool = False,
        main_op: Any = None,
        strip_default_attrs: bool = False,
        saver: Any = None,
    ) -> None:
        """Add the graph once more, with other tags and signatures.

        Args:
          tags, signature_def_map, assets_collection, legacy_init_op, clear_devices, main_op, strip_default_attrs, saver: see
            `add_meta_graph_and_variables`.

        Raises:
          AssertionError: if no variables were written yet; and what `add_meta_graph_and_variables` raises.
        """
        if self._session is None:
            raise AssertionError(
                "Graph state including variables and assets has not been saved yet. Please invoke "
                "`add_meta_graph_and_variables()` first."
            )
        with self._session.holding(), eager_context():
            graph = self._graph(self._session, signature_def_map, assets_collection, main_op or legacy_init_op, saver)
            graph.add_graph(self._saved, tags)

    def save(
        self,
        as_text: bool = False,
        experimental_image_format: bool = False,
        experimental_image_writer_options: Any = None,
    ) -> bytes:
        """Write the file that tells what is saved.

        Args:
          as_text: whether as text.
          experimental_image_format, experimental_image_writer_options: not supported.

        Returns:
          Its path.

        Raises:
          NotImplementedError: for the format that is not supported.
        """
        if experimental_image_format:
            raise NotImplementedError(f"{_NAME}.save: experimental_image_format is not supported")
        path = os.path.join(self._path, "saved_model.pbtxt" if as_text else "saved_model.pb")
        data = str(self._saved).encode() if as_text else self._saved.SerializeToString(deterministic=True)
        with open(path, "wb") as file:
            file.write(data)
        return path.encode()

    def _graph(self, sess: Any, signatures: Any, assets: Any, operation: Any, saver: Any) -> Saver:
        for value, what in ((saver, "saver"), (not signatures, "no signature_def_map")):
            if value:
                raise NotImplementedError(f"{_NAME}: {what} is not supported; what is saved is what signatures name")
        _check_idle(sess.graph, operation)
        root: Any = AutoTrackable()
        root.variables = sess.graph.get_collection("variables")
        functions = {}
        for key, signature in signatures.items():
            if key in _RESERVED:
                raise KeyError(
                    f'SignatureDef map key "{key}" is reserved for {_RESERVED[key]}. Please use a different key.'
                )
            functions[key] = _function(sess.graph, key, signature)
        contents = {id(t): t for function in functions.values() for t in tables_in(function.lifted)}
        root.tables = list(map(_table, contents.values()))
        _check_files(assets or (), contents.values())
        sess.run(root.variables)  # all of them have values
        return Saver(root, functions, SaveOptions(), signatures)


def _check_idle(graph: Any, operation: Any) -> None:
    if operation is None:
        return
    if not isinstance(operation, Operation):
        raise TypeError(f"Expected {operation!r} to be an Operation but got type {type(operation)} instead.")
    needed, _ = graph.demanded([operation.node] if operation.node else [], [], ())
    acting = sorted({node.kernel.name for node in needed} - {"NoOp"})
    if acting:
        raise NotImplementedError(
            f"{_NAME}: main_op {operation.name!r} runs {', '.join(acting)}; only one that does nothing is supported"
        )


def _table(contents: Contents) -> LookupTable:
    """A table as an object of a SavedModel."""
    table = LookupTable(contents, None)
    if contents.initializer is not None:
        table._track_trackable(contents.initializer, "_initializer")
    return table


def _check_files(assets: Iterable[Any], tables: Iterable[Contents]) -> None:
    """Check that files are those of tables, which are saved with these."""
    saved = {os.fsencode(t.initializer.filename) for t in tables if isinstance(t.initializer, TextFileInitializer)}
    for asset in assets:
        given = get_static_value(asset) if isinstance(asset, Tensor) else asset
        name = None if given is None else os.fsencode(np.asarray(given).item())
        if name not in saved:
            raise NotImplementedError(
                f"{_NAME}: assets_collection has {given!r}, which is the file of no table that a signature uses; only such are "
                "saved. Copy it into the directory's assets yourself, and feed its path"
            )


def _function(graph: Any, key: str, signature: Any) -> Any:
    for info in (*signature.inputs.values(), *signature.outputs.values()):
        if not info.name:
            raise AssertionError(
                f"Invalid `tensor_info`: {info}. All TensorInfo protos used in the SignatureDefs must have one of the "
                "'encoding' fields (e.g., name or coo_sparse) set."
            )
        if not info.dtype:
            raise AssertionError(
                f"Invalid `tensor_info`: {info}. All TensorInfo protos used in the SignatureDefs must have the dtype field set."
            )
    wrong = sorted(name for name in signature.inputs if not (name.isidentifier() and name.isascii()))
    if wrong:
        raise NotImplementedError(f"{_NAME}: inputs of the signature {key!r} cannot be named {', '.join(wrong)}")
    feeds, fetches = (
        {name: graph.as_graph_element(part[name].name) for name in sorted(part)}
        for part in (signature.inputs, signature.outputs)
    )
    missing = placeholders_of(graph, list(fetches.values()), list(feeds.values()))
    if missing:
        raise ValueError(
            f"{_NAME}: outputs of the signature {key!r} need the placeholder {missing[0].op.name!r}, which is none of its inputs"
        )
    return traced_part(graph, feeds, fetches)


@export("compat.v1.saved_model.simple_save")
def simple_save(
    session: Any, export_dir: Any, inputs: Mapping[str, Any], outputs: Mapping[str, Any], legacy_init_op: Any = None
) -> None:
    """Write a SavedModel with one signature. Mirrors `tf.compat.v1.saved_model.simple_save`.

    Args:
      session: whose graph and variables are saved.
      export_dir: the directory, which must not hold anything.
      inputs, outputs: tensors of the graph by name.
      legacy_init_op: see `tf.compat.v1.saved_model.Builder`.

    Raises:
      AssertionError: if the directory holds something; and what `tf.compat.v1.saved_model.Builder` raises.
    """
    builder = SavedModelBuilder(export_dir)
    signatures = {DEFAULT: predict_signature_def(inputs, outputs)}
    builder.add_meta_graph_and_variables(session, ["serve"], signatures, legacy_init_op=legacy_init_op)
    builder.save()
