"""The graph of a SavedModel, by which loaders without objects run it: variables, signatures, and how variables are read and
written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tfgrad_jax.engine.values import dtypes
from tfgrad_jax.engine.values.shapes import TensorShape
from tfgrad_jax.engine.values.specs import TensorSpec
from tfgrad_jax.lib.lookup.contents import Contents
from tfgrad_jax.lib.saved_model.attributes import FunctionName, shape_message
from tfgrad_jax.lib.saved_model.function_writer import node
from tfgrad_jax.lib.saved_model.protos import message
from tfgrad_jax.lib.saved_model.saved_tables import table_node

PRODUCER, MIN_CONSUMER = 2474, 12
"""The versions of graphs that TensorFlow 2.21 writes."""


class MainGraph:
    """The graph, while it is being made.

    Args:
      declared: by the keys of signatures messages `SignatureDef`, whose tensors are to have the names that these tell.
    """

    def __init__(self, declared: Mapping[str, Any] | None = None) -> None:
        self._declared = declared or {}
        self._placed: dict[str, frozenset[str]] = {}
        self._nodes: list[Any] = []
        self._handles: dict[int, tuple[str, Any, str]] = {}
        self._tables: dict[int, str] = {}
        self._filled: list[str] = []
        self._signatures: dict[str, Any] = {}
        self._assets: list[Any] = []
        self._gradients: list[Any] = []

    def variable(self, box: Any, key: str, called: str | None = None) -> None:
        """Add a variable.

        Args:
          box: its state.
          key: what the checkpoint has its value under.
          called: its name in the graph.
        """
        if box.id in self._handles:
            return
        name = called or f"Variable_{len(self._handles)}"
        spec = box.declared
        self._nodes.append(
            node(name, "VarHandleOp", dtype=spec.dtype, shape=TensorShape(spec.tensor_shape), shared_name=name.encode())
        )
        self._handles[box.id] = name, spec, key

    def table(self, contents: Contents, fill: str, file: int | None) -> None:
        """Add a table.

        Args:
          contents: its rows.
          fill: the function that fills it.
          file: which of the files that takes; None if it takes none.
        """
        raw, attributes = table_node(contents)
        name = self._tables[id(contents)] = f"table_{len(self._tables)}"
        reserved = []
        for what, key in contents.reserved_arrays.items():
            reserved.append(f"{name}_{what}")
            self._nodes.append(node(reserved[-1], "Const", dtype=attributes["key_dtype"], value=key))
        self._nodes.append(node(name, raw, reserved, shared_name=name.encode(), **attributes))
        given = [name] if file is None else [name, f"asset_path_{file}"]
        types = [dtypes.resource, dtypes.string][: len(given)]
        call = f"{name}_filled"
        self._nodes.append(
            node(call, "StatefulPartitionedCall", given, f=FunctionName(fill), Tin=types, Tout=[dtypes.int32])
        )
        self._filled.append(f"^{call}")

    def registered(self, function: str, name: str) -> None:
        """Register a function as a custom gradient."""
        self._gradients.append(message("RegisteredGradient", gradient_func=function, registered_op_type=name))

    def asset(self, name: str) -> None:
        """Add a file."""
        place = f"asset_path_{len(self._assets)}"
        self._nodes.append(node(place, "Const", dtype=dtypes.string, value=np.array(name.encode(), object)))
        self._assets.append(
            message("AssetFileDef", filename=name, tensor_info=message("TensorInfo", name=f"{place}:0"))
        )

    def signature(
        self,
        key: str,
        function: str,
        inputs: Mapping[str, TensorSpec],
        outputs: Mapping[str, TensorSpec],
        resources: Sequence[Any],
    ) -> None:
        """Add a signature.

        Args:
          key: its name.
          function: what it calls: with the inputs in the order of their names, then the handles of variables and tables.
          inputs, outputs: by name.
          resources: the state of those variables, and the contents of those tables.
        """
        declared = self._declared.get(key)
        method = "tensorflow/serving/predict" if declared is None else declared.method_name
        defined = message("SignatureDef", method_name=method)
        given = []
        for name, spec in inputs.items():
            place = f"{key}_{name}"
            if declared is not None:
                place, known = self._place(declared.inputs[name].name, key, frozenset())
            if declared is None or not known:
                self._nodes.append(node(place, "Placeholder", dtype=spec.dtype, shape=spec.shape))
            given.append(place)
            defined.inputs[name].CopyFrom(tensor_info(f"{place}:0", spec))
        call = f"StatefulPartitionedCall_{key}"
        handles = [self._tables[id(r)] if isinstance(r, Contents) else self._handles[r.id][0] for r in resources]
        self._nodes.append(
            node(
                call,
                "StatefulPartitionedCall",
                [*given, *handles],
                f=FunctionName(function),
                Tin=[*(s.dtype for s in inputs.values()), *[dtypes.resource] * len(handles)],
                Tout=[s.dtype for s in outputs.values()],
            )
        )
        for i, (name, spec) in enumerate(outputs.items()):
            source = f"{call}:{i}"
            if declared is not None:
                place, known = self._place(declared.outputs[name].name, key, frozenset((*given, function)))
                if not known:
                    self._nodes.append(node(place, "Identity", [source], T=spec.dtype))
                source = f"{place}:0"
            defined.outputs[name].CopyFrom(tensor_info(source, spec))
        self._signatures[key] = defined

    def _place(self, tensor: str, key: str, made: frozenset[str]) -> tuple[str, bool]:
        """The name of the node for a tensor that a signature names, and whether the graph has it already.

        Args:
          tensor: the name.
          key: of the signature, which tells apart what one name means in several.
          made: what the tensor comes from.
        """
        name, _, number = tensor.partition(":")
        plain = name if number in ("", "0") else f"{name}_{number}"
        if self._placed.get(plain, made) != made:
            plain = f"{plain}_{key}"
        known = plain in self._placed
        self._placed[plain] = made
        return plain, known

    def fill(self, graph: Any, functions: Sequence[Any], saver: bool) -> None:
        """Write everything into a `MetaGraphDef`.

        Args:
          graph: the message.
          functions: the library.
          saver: whether nodes are added that read and write the variables.
        """
        definition = graph.graph_def
        definition.versions.producer, definition.versions.min_consumer = PRODUCER, MIN_CONSUMER
        nodes = [*self._nodes, node("NoOp", "NoOp", self._filled)]
        if saver:
            nodes += self._saver(graph.saver_def)
        definition.node.extend(nodes)
        definition.library.function.extend(functions)
        definition.library.registered_gradients.extend(self._gradients)
        graph.asset_file_def.extend(self._assets)
        graph.collection_def["saved_model_main_op"].node_list.value.append("NoOp")
        for key, defined in self._signatures.items():
            graph.signature_def[key].CopyFrom(defined)
        initial = message("SignatureDef")
        initial.outputs["__saved_model_init_op"].name = "NoOp"
        initial.outputs["__saved_model_init_op"].tensor_shape.unknown_rank = True
        graph.signature_def["__saved_model_init_op"].CopyFrom(initial)

    def _saver(self, described: Any) -> list[Any]:
        """Nodes that write the variables to a checkpoint, and read them from one."""
        handles = list(self._handles.values())
        keys = np.array([key.encode() for _, _, key in handles], object)
        types = [spec.dtype for _, spec, _ in handles]
        made = [
            node("saver_filename", "Placeholder", dtype=dtypes.string, shape=TensorShape([])),
            node("saver_names", "Const", dtype=dtypes.string, value=keys),
            node("saver_slices", "Const", dtype=dtypes.string, value=np.full(len(handles), b"", object)),
        ]
        described.filename_tensor_name, described.version = "saver_filename:0", 2
        described.save_tensor_name, described.restore_op_name = "saver_saved:0", "saver_restored"
        start = ["saver_filename", "saver_names", "saver_slices"]
        done, restored = [], []
        if handles:
            values = []
            for i, (name, spec, _) in enumerate(handles):
                made.append(node(f"saver_read_{i}", "ReadVariableOp", [name], dtype=spec.dtype))
                values.append(f"saver_read_{i}")
            made.append(node("saver_save", "SaveV2", [*start, *values], dtypes=types))
            made.append(node("saver_restore", "RestoreV2", start, dtypes=types))
            done = ["^saver_save"]
            for i, (name, spec, _) in enumerate(handles):
                made.append(
                    node(f"saver_assign_{i}", "AssignVariableOp", [name, f"saver_restore:{i}"], dtype=spec.dtype)
                )
                restored.append(f"^saver_assign_{i}")
        made.append(node("saver_saved", "Identity", ["saver_filename", *done], T=dtypes.string))
        made.append(node("saver_restored", "NoOp", restored))
        return made


def tensor_info(name: str, spec: TensorSpec) -> Any:
    """The message that tells a tensor's name, dtype and shape."""
    return message("TensorInfo", name=name, dtype=spec.dtype.as_datatype_enum, tensor_shape=shape_message(spec.shape))
