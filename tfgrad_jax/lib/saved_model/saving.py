"""`tf.saved_model.save`: objects, variables and functions as a SavedModel that TensorFlow loads and runs."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from tfgrad_jax.engine.function.concrete import ConcreteFunction
from tfgrad_jax.engine.function.function import Function
from tfgrad_jax.engine.graph.elements import variable_of
from tfgrad_jax.engine.messages import logging
from tfgrad_jax.engine.names.export import export, registry
from tfgrad_jax.engine.state.trackable import Trackable
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values.specs import TensorSpec
from tfgrad_jax.lib.checkpoint.bundle import BundleWriter
from tfgrad_jax.lib.checkpoint.graph import GRAPH_KEY, parts_of
from tfgrad_jax.lib.checkpoint.values import escaped
from tfgrad_jax.lib.distribute.contexts import as_saved
from tfgrad_jax.lib.lookup.contents import Contents
from tfgrad_jax.lib.lookup.initializers import TextFileInitializer
from tfgrad_jax.lib.lookup.tables import LookupTable
from tfgrad_jax.lib.saved_model.assets import Asset
from tfgrad_jax.lib.saved_model.attributes import shape_message
from tfgrad_jax.lib.saved_model.describing import (
    describe_parameters,
    describe_variable,
    input_specs,
    plain_name,
    specs_of,
)
from tfgrad_jax.lib.saved_model.fingerprint import FILE, write_fingerprint
from tfgrad_jax.lib.saved_model.main_graph import MainGraph
from tfgrad_jax.lib.saved_model.objects import HIDDEN, Hidden, Objects, variable_behind
from tfgrad_jax.lib.saved_model.options import SaveOptions
from tfgrad_jax.lib.saved_model.protos import message
from tfgrad_jax.lib.saved_model.restored import SavedConcrete
from tfgrad_jax.lib.saved_model.saved_tables import TableFunction, table_functions
from tfgrad_jax.lib.saved_model.signatures import chosen, results_of, traced
from tfgrad_jax.lib.saved_model.structures import encoded
from tfgrad_jax.lib.saved_model.traces import traces_to_save
from tfgrad_jax.lib.saved_model.writing import Written, WrittenGradient, signature_wrapper


@export("saved_model.save")
def save(obj: Any, export_dir: Any, signatures: Any = None, options: SaveOptions | None = None) -> None:
    """Save an object with its variables and functions. Mirrors `tf.saved_model.save`.

    Functions are saved as programs (StableHLO), one for each trace, with their gradients; sizes that are open in a
    signature stay open.

    Args:
      obj: a `tf.Module` or another trackable object.
      export_dir: the directory.
      signatures: a `tf.function` with an `input_signature`, a trace of one, or a dict of those by name.
      options: a `tf.saved_model.SaveOptions`.

    Raises:
      ValueError: if `obj` is not trackable, a signature is no such function, or a function cannot be exported.
      AssertionError: if a function uses a variable that is not reachable from `obj`; inside a `tf.function`.
    """
    saver(obj, signatures, options).write(os.fspath(export_dir))


def saver(obj: Any, signatures: Any, options: SaveOptions | None) -> Saver:
    """What `save` writes an object with."""
    if context.graph is not None:
        raise AssertionError(
            "`tf.saved_model.save` is not supported inside a traced @tf.function. Move the call to the outer "
            "eagerly-executed context."
        )
    if not isinstance(obj, Trackable):
        raise ValueError(
            f"Expected an object of type `Trackable`, such as `tf.Module` or a subclass of the `Trackable` class, for "
            f"export. Got {obj} "
            f"with type {type(obj)}."
        )
    return Saver(obj, signatures, options or SaveOptions())


class Saver:
    """Makes the messages of a SavedModel, then writes the files.

    Args:
      root: what is saved.
      signatures: as the user gave them.
      options: how.
      declared: messages `SignatureDef` by the keys of signatures, where the graph is to have the names of tensors in these and
        those of variables.

    Attributes:
      objects: what is saved.
    """

    def __init__(
        self, root: Any, signatures: Any, options: SaveOptions, declared: Mapping[str, Any] | None = None
    ) -> None:
        self._options = options
        self._named = declared is not None
        self._written: dict[int, Written] = {}
        self._names: set[str] = set()
        self._functions: list[Any] = []
        self._graph = message("SavedObjectGraph")
        cache: dict[Any, Any] = {}
        children = parts_of(root, save_type="savedmodel", cache=cache)
        with as_saved():
            concrete = chosen(signatures, children)
        stands_for = {name: _Signature(name, function) for name, function in concrete.items()}
        self.objects = Objects(root, stands_for, cache)
        # What is traced first may make variables that others use.
        with as_saved():
            traces = {i: traces_to_save(o) for i, o in enumerate(self.objects.all) if isinstance(o, Function)}
        self._traces = traces
        self._main = MainGraph(declared)
        self._assets: list[tuple[str, str]] = []
        kept = list(enumerate(self.objects.all))
        for number, value in kept:
            self._prepare(number, value)
        self._captured: list[tuple[str, str]] = []
        self._make_nodes()

    # -- functions ----------------------------------------------------------------------------------------------------

    def _prepare(self, number: int, value: Any) -> None:
        if isinstance(value, Function):
            for concrete in self._traces[number]:
                self._write(concrete)
        elif isinstance(value, (ConcreteFunction, SavedConcrete)):
            self._write(traced(value))
        elif isinstance(value, _Signature):
            self._write(value.function)
        elif isinstance(value, LookupTable):
            self._add_table(number, value)

    def _add_table(self, number: int, table: LookupTable) -> None:
        path, parts = self.objects.paths[number], self.objects.children[number]
        holder = parts.get("_initializer", 0)
        initializer = self.objects.all[holder] if holder else None
        file = asset = None
        if isinstance(initializer, TextFileInitializer):
            asset = Asset(initializer.filename)
            file = self.objects.add(asset, (*path, "_initializer", "_filename"))
            self.objects.children[holder]["_filename"] = file
        name = self._unique(f"__inference__table_{number}")
        for function in table_functions(table.contents, initializer, name, number, file):
            self._functions.append(function.definition)
            parts[function.role] = self.objects.add(function, (*path, function.role))
        fill = self.objects.all[parts["_initialize"]].name
        self._main.table(table.contents, fill, None if asset is None else self._add_asset(asset))

    def _write(self, concrete: Any) -> Written:
        found = self._written.get(id(concrete))
        if found is None:
            name = self._unique(concrete.name.decode())
            found = Written(concrete, name, self._options.experimental_custom_gradients)
            self._written[id(concrete)] = found
            self._functions += found.definitions
            for resource in found.resources:
                self._check_tracked(resource, concrete)
            numbers = self._bound(found)
            if len(set(numbers)) < len(numbers):
                raise AssertionError(
                    f"tf.saved_model.save: the function {concrete.name!r} uses several replicas' copies of one variable, and what "
                    "is saved has one. Save the tf.function itself, which is traced again for that, not its concrete function."
                )
        return found

    def _unique(self, name: str) -> str:
        plain = re.sub(r"[^A-Za-z0-9_.\-/]", "_", name)
        found, n = plain, 0
        while found in self._names:
            n += 1
            found = f"{plain}_{n}"
        self._names.add(found)
        return found

    def _check_tracked(self, resource: Any, concrete: ConcreteFunction) -> None:
        is_table = isinstance(resource, Contents)
        if self.objects.number_of(resource) is not None:
            return
        variable = None if is_table else variable_of(resource)
        if is_table or variable is not None:
            what = "Table" if is_table else f"Variable = {variable!r}"
            raise AssertionError(
                f"Tried to export a function which references an 'untracked' resource. TensorFlow objects (e.g. "
                "tf.Variable) captured by "
                f"functions must be 'tracked' by assigning them to an attribute of a tracked object or assigned to an "
                "attribute of the "
                f"main object directly. See the information below:\n\tFunction name = {concrete.name!r}\n\t{what}"
            )
        count = sum(isinstance(o, Hidden) for o in self.objects.all)
        name = f"{HIDDEN}{count}"
        self.objects.children[0][name] = self.objects.add(Hidden(resource), (name,))

    # -- messages -----------------------------------------------------------------------------------------------------

    def _make_nodes(self) -> None:
        for number, box in self._boxes():
            variable = variable_behind(self.objects.all[number]) if self._named else None
            self._main.variable(box, self._key(number), None if variable is None else plain_name(variable))
        for number, value in enumerate(self.objects.all):
            node = self._graph.nodes.add()
            for name, child in self.objects.children[number].items():
                node.children.add(node_id=child, local_name=name)
            self._fill(node, number, value)
        for written in self._written.values():
            self._describe(written)
        for name, function in self._captured:
            made = self._graph.nodes.add()
            made.captured_tensor.name, made.captured_tensor.concrete_function = name, function

    def _fill(self, node: Any, number: int, value: Any) -> None:
        variable = variable_behind(value)
        if variable is not None:
            describe_variable(node.variable, variable)
        elif isinstance(value, Hidden):
            spec = value.box.declared
            node.variable.dtype, node.variable.name = spec.dtype.as_datatype_enum, "random_state"
            node.variable.shape.CopyFrom(shape_message(spec.tensor_shape))
        elif isinstance(value, Function):
            node.function.concrete_functions.extend(self._written[id(c)].name for c in self._traces[number])
            describe_parameters(node.function.function_spec, value)
        elif isinstance(value, (ConcreteFunction, SavedConcrete)):
            written = self._written[id(traced(value))]
            bare = node.bare_concrete_function
            bare.concrete_function_name = written.name
            bare.argument_keywords.extend(written.keywords)
            bare.allowed_positional_arguments = len(written.arguments)
        elif isinstance(value, _Signature):
            self._fill_signature(node.bare_concrete_function, value)
        elif isinstance(value, TableFunction):
            node.bare_concrete_function.concrete_function_name = value.name
            described = self._graph.concrete_functions[value.name]
            described.bound_inputs.extend(value.bound)
            described.canonicalized_input_signature.CopyFrom(encoded(((), {})))
            described.output_signature.CopyFrom(encoded(value.result))
        elif isinstance(value, LookupTable):
            node.resource.SetInParent()
        elif isinstance(value, Asset):
            node.asset.asset_file_def_index = self._add_asset(value)
        else:
            node.user_object.identifier = value._object_identifier
            node.user_object.version.producer = node.user_object.version.min_consumer = 1

    def _fill_signature(self, bare: Any, signature: _Signature) -> None:
        written = self._written[id(signature.function)]
        outputs = results_of(signature.function, signature.name)
        name = self._unique(f"__inference_signature_wrapper_{len(self._names)}")
        definition, arguments = signature_wrapper(written, name, outputs)
        self._functions.append(definition)
        bare.concrete_function_name = name
        bare.argument_keywords.extend(arguments)
        bare.allowed_positional_arguments = int(len(arguments) == 1)  # of several, only the names tell the order
        described = self._graph.concrete_functions[name]
        described.bound_inputs.extend(self._bound(written))
        tensors = dict(zip(written.keywords, input_specs(signature.function), strict=True))
        specs = {a: TensorSpec(tensors[a].tensor_shape, tensors[a].dtype, a) for a in arguments}
        described.canonicalized_input_signature.CopyFrom(encoded(((), specs)))
        results = {n: TensorSpec(s.tensor_shape, s.dtype, n) for n, s in sorted(outputs)}
        described.output_signature.CopyFrom(encoded(results))
        self._main.signature(signature.name, name, specs, results, [self._saved_as(r) for r in written.resources])

    def _saved_as(self, resource: Any) -> Any:
        """The state that is saved for what a function uses: another one where that is a replica's copy."""
        number = self.objects.number_of(resource)
        variable = None if number is None else variable_behind(self.objects.all[number])
        return resource if variable is None else variable.box

    def _bound(self, written: Written) -> list[int]:
        return [self.objects.number_of(resource) for resource in written.resources]  # type: ignore[misc]

    def _describe(self, written: Written) -> None:
        described = self._graph.concrete_functions[written.name]
        described.bound_inputs.extend(self._bound(written))
        described.canonicalized_input_signature.CopyFrom(encoded(written.concrete.structured_input_signature))
        described.output_signature.CopyFrom(encoded(specs_of(written.concrete.results)))
        for gradient in written.gradients:
            self._describe_gradient(gradient, written.name)

    def _describe_gradient(self, gradient: WrittenGradient, function: str) -> None:
        self._main.registered(gradient.name, gradient.registered)
        described = self._graph.concrete_functions[gradient.name]
        grads = [TensorSpec(s.tensor_shape, s.dtype, f"result_grads_{i}") for i, s in enumerate(gradient.given)]
        described.canonicalized_input_signature.CopyFrom(encoded(((None, *grads), {})))
        results = [
            None if s is None else TensorSpec(s.tensor_shape, s.dtype, f"grad_{i}")
            for i, s in enumerate(gradient.found)
        ]
        described.output_signature.CopyFrom(encoded(results))
        for tensor in gradient.needed:
            described.bound_inputs.append(len(self.objects.all) + len(self._captured))
            self._captured.append((tensor, function))

    def _add_asset(self, asset: Asset) -> int:
        path = np.asarray(asset.asset_path.array).item().decode()
        name, n = os.path.basename(path), 0
        while any(name == other and path != source for source, other in self._assets):
            n += 1
            name = f"{os.path.basename(path)}_{n}"
        if (path, name) not in self._assets:
            self._assets.append((path, name))
            self._main.asset(name)
        return self._assets.index((path, name))

    # -- files --------------------------------------------------------------------------------------------------------

    def add_graph(self, saved: Any, tags: Iterable[str]) -> None:
        """Add the graph to a message `SavedModel`, under these tags."""
        graph = saved.meta_graphs.add()
        graph.meta_info_def.tags.extend(tags)
        graph.meta_info_def.tensorflow_version = registry["version.VERSION"]
        graph.meta_info_def.stripped_default_attrs = True
        for name, function in self._options.function_aliases.items():
            for concrete in function.traces:
                if id(concrete) in self._written:
                    graph.meta_info_def.function_aliases[self._written[id(concrete)].name] = name
        self._main.fill(graph, self._functions, not self._options.experimental_skip_saver)
        graph.object_graph_def.CopyFrom(self._graph)

    def write(self, path: str) -> None:
        """Write the files: first aside, then to their places, the one that says that all is there last."""
        saved = message("SavedModel", saved_model_schema_version=1)
        self.add_graph(saved, ["serve", *self._options.extra_tags])
        data = saved.SerializeToString(deterministic=True)
        above = os.path.dirname(os.path.abspath(path))
        os.makedirs(above, exist_ok=True)
        aside = tempfile.mkdtemp(dir=above, prefix=f".{os.path.basename(path)}_")
        try:
            self.write_state(aside)
            write_fingerprint(aside, saved, data)
            with open(os.path.join(aside, "saved_model.pb"), "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            _put(aside, path)
        finally:
            shutil.rmtree(aside, ignore_errors=True)
        logging.info("Assets written to: %s", os.path.join(path, "assets"))

    def write_state(self, folder: str) -> None:
        """Write what variables hold and the files that tables need."""
        for name in ("variables", "assets"):
            os.mkdir(os.path.join(folder, name))
        self._write_variables(os.path.join(folder, "variables", "variables"))
        for source, name in self._assets:
            shutil.copyfile(source, os.path.join(folder, "assets", name))

    def _boxes(self) -> list[tuple[int, Any]]:
        """The state that is saved, with the numbers of the objects that it is the state of."""
        found = []
        for number, value in enumerate(self.objects.all):
            variable = variable_behind(value)
            if variable is not None or isinstance(value, Hidden):
                found.append((number, value.box if variable is None else variable.box))
        return found

    def _key(self, number: int) -> str:
        """The key that the checkpoint has for the value of a variable."""
        return "/".join(map(escaped, self.objects.paths[number])) + "/.ATTRIBUTES/VARIABLE_VALUE"

    def _write_variables(self, prefix: str) -> None:
        found = message("TrackableObjectGraph")
        values: dict[str, Any] = {}
        for children in self.objects.children:
            node = found.nodes.add()
            for name, child in children.items():
                node.children.add(node_id=child, local_name=name)
        for number, box in self._boxes():
            key = self._key(number)
            variable = variable_behind(self.objects.all[number])
            name = plain_name(variable)
            found.nodes[number].attributes.add(name="VARIABLE_VALUE", full_name=name, checkpoint_key=key)
            values[key] = box.tensor if variable is None else variable.as_operand()  # of all replicas together
        with BundleWriter(prefix) as writer:
            for key in sorted(values):
                writer.add(key, np.asarray(values[key].array))
            writer.add(GRAPH_KEY, np.array(found.SerializeToString(), object))


class _Signature:
    """Stands for a signature among the objects.

    Args:
      name: of the signature.
      function: what it calls.
    """

    def __init__(self, name: str, function: ConcreteFunction) -> None:
        self.name = name
        self.function = function


def _put(aside: str, path: str) -> None:
    """Move what was written aside to its place."""
    if not os.path.exists(path):
        os.rename(aside, path)
        return
    # From here to the end the directory holds no SavedModel, rather than half of one.
    last = os.path.join(path, "saved_model.pb")
    for name in ("saved_model.pb", "saved_model.pbtxt", FILE):
        if os.path.exists(os.path.join(path, name)):
            os.remove(os.path.join(path, name))
    for name in ("variables", "assets"):
        shutil.rmtree(os.path.join(path, name), ignore_errors=True)
        os.rename(os.path.join(aside, name), os.path.join(path, name))
    os.rename(os.path.join(aside, FILE), os.path.join(path, FILE))
    os.rename(os.path.join(aside, "saved_model.pb"), last)
