"""`tf.saved_model.load`: objects, variables and functions of a SavedModel."""

from __future__ import annotations

import dataclasses
import os
import secrets
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tfgrad_jax.engine.hooks import load_version1
from tfgrad_jax.engine.messages.optional import optional
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.state.random_state import key_of
from tfgrad_jax.engine.state.synchronization import VariableAggregation, VariableSynchronization
from tfgrad_jax.engine.state.trackable import set_past
from tfgrad_jax.engine.state.variable import Variable
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.lib.saved_model.assets import Asset
from tfgrad_jax.lib.saved_model.attributes import array_of, dtype_of, shape_of
from tfgrad_jax.lib.saved_model.objects import HIDDEN
from tfgrad_jax.lib.saved_model.options import LoadOptions
from tfgrad_jax.lib.saved_model.protos import message
from tfgrad_jax.lib.saved_model.replay import CapturedTensor, Library
from tfgrad_jax.lib.saved_model.restored import RestoredFunction, SavedConcrete, SignatureMap
from tfgrad_jax.lib.saved_model.restored_table import RestoredTable
from tfgrad_jax.lib.saved_model.values import SavedValues
from tfgrad_jax.lib.tracking import AutoTrackable, DictWrapper, ListWrapper
from tfgrad_jax.ops.array.creation import constant
from tfgrad_jax.ops.io.file_systems import read_bytes

_NAMES = "{saved_model.pbtxt|saved_model.pb}"


@export(
    "saved_model.contains_saved_model",
    "compat.v1.saved_model.contains_saved_model",
    "compat.v1.saved_model.loader.maybe_saved_model_directory",
    "compat.v1.saved_model.maybe_saved_model_directory",
)
def contains(export_dir: Any) -> bool:
    """Whether a directory holds a SavedModel, by the names of its files. Mirrors `tf.saved_model.contains_saved_model`."""
    path = os.fspath(export_dir)
    return any(os.path.exists(os.path.join(path, name)) for name in ("saved_model.pb", "saved_model.pbtxt"))


def read_saved_model(path: str) -> Any:
    """The `SavedModel` message in a directory.

    Raises:
      OSError: if there is none, or it cannot be parsed.
    """
    found = message("SavedModel")
    file = os.path.join(path, "saved_model.pb")
    if os.path.exists(file):
        decode_error = optional("google.protobuf.message", "records", "tf.saved_model").DecodeError
        try:
            found.ParseFromString(read_bytes(file, "ReadFile"))
        except decode_error as error:
            raise OSError(f"Cannot parse file {file.encode()!r}: {error}.") from None
    elif os.path.exists(file + "txt"):
        text_format = optional("google.protobuf.text_format", "records", "tf.saved_model")
        try:
            text_format.Parse(read_bytes(file + "txt", "ReadFile").decode(), found, allow_unknown_field=True)
        except (text_format.ParseError, UnicodeDecodeError) as error:
            raise OSError(f"Cannot parse file {(file + 'txt').encode()!r}: {error}.") from None
    else:
        raise OSError(f"SavedModel file does not exist at: {path}/{_NAMES}")
    return found


@export("saved_model.load")
def load(export_dir: Any, tags: Any = None, options: LoadOptions | None = None) -> Any:
    """Load a SavedModel. Mirrors `tf.saved_model.load`.

    Functions that TensorFlow saved are replayed through the operations of this package, recorded once into programs.

    Args:
      export_dir: the directory.
      tags: a tag, or several, of the one graph in it; may be left out.
      options: a `tf.saved_model.LoadOptions`.

    Returns:
      An object with the attributes of the one that was saved: variables, functions, other objects, lists and dicts; and
      `signatures`.

    Raises:
      OSError: if there is no SavedModel, or it cannot be parsed.
      ValueError: if `tags` are not those of the graph, or there is not exactly one.
      FileNotFoundError: if the file of variables is missing.
      NotFoundError: when a function is called that consists of operations which are not known here; it names them.
    """
    return loader(export_dir, tags, options).load({})


def loader(export_dir: Any, tags: Any, options: LoadOptions | None) -> Loader:
    """What `load` reads a directory with."""
    if context.graph is not None:
        raise AssertionError("tf.saved_model.load cannot be called inside a tf.function: call it eagerly, outside")
    path = os.fspath(export_dir)
    wanted = [tags] if isinstance(tags, str) else None if tags is None else list(tags)
    graphs = list(read_saved_model(path).meta_graphs)
    if len(graphs) != 1:
        sets = [list(g.meta_info_def.tags) for g in graphs]
        matching = [g for g in graphs if wanted is not None and set(g.meta_info_def.tags) == set(wanted)]
        if len(matching) != 1:
            raise ValueError(
                f"Importing a SavedModel with `tf.saved_model.load` requires a `tags=` argument if there is more than "
                "one MetaGraph. "
                f"Got `tags={tags}`, but there are {len(graphs)} MetaGraphs in the SavedModel with tag sets: {sets}. "
                "Pass a `tags=` "
                f"argument to load this SavedModel."
            )
        graphs = matching
    graph = graphs[0]
    known = list(graph.meta_info_def.tags)
    if wanted is not None and set(wanted) != set(known):
        raise ValueError(
            f"Got an incompatible argument to `tags`: {wanted}. The SavedModel at {path} has one MetaGraph with tags "
            f"{known}. You may "
            f"omit the argument, pass 'None', or pass matching tags."
        )
    return Loader(path, graph, options or LoadOptions())


@dataclasses.dataclass
class Given:
    """An object that takes the place of one of a SavedModel.

    Attributes:
      value: the object; a variable takes the value that was saved.
      setter: gives it its parts: a function of it, a name and a part.
    """

    value: Any
    setter: Callable[[Any, str, Any], None]


class Loader:
    """Makes the objects of a SavedModel.

    Args:
      path: of the directory.
      graph: the `MetaGraphDef`.
      options: how.

    Attributes:
      objects: they, by number, once they are made.
    """

    def __init__(self, path: str, graph: Any, options: LoadOptions) -> None:
        self._path = path
        self._graph = graph
        self._options = options
        self._saved = graph.object_graph_def
        self._nodes = list(self._saved.nodes)
        self._library = Library(graph.graph_def.library, self._saved.concrete_functions, self._value)
        self._constants = {n.name: n for n in graph.graph_def.node}
        self._concrete: dict[str, SavedConcrete] = {}
        children = self._nodes[0].children if self._nodes else ()
        self._hidden = {child.node_id for child in children if child.local_name.startswith(HIDDEN)}
        self.objects: list[Any] = [None] * len(self._nodes)
        self._resources: dict[int, Any] = {}
        self._given: Mapping[int, Given] = {}

    def number_of(self, path: str) -> int:
        """The number of the object to which names lead, "root" first.

        Raises:
          ValueError: if none do.
        """
        number = 0
        for name in path.split(".")[1:]:
            parts = {child.local_name: child.node_id for child in self._nodes[number].children}
            if name not in parts:
                raise ValueError(f"Unable to find node {path}.")
            number = parts[name]
        return number

    def load(self, given: Mapping[int, Given]) -> Any:
        """Make the objects; gives the first.

        Args:
          given: by number, what takes the place of one.
        """
        if not self._nodes:  # TensorFlow 1 wrote it
            if given:
                raise NotImplementedError(
                    f"The SavedModel at {self._path} has no objects, of which parts could be loaded."
                )
            return load_version1(self._path, self._graph)
        self._given = given
        values = SavedValues(self._path, self._nodes, self._options)
        for i, node in enumerate(self._nodes):
            self.objects[i] = self._made(i, node, values) if i not in given else self._taken(i, node, values)
        for i, node in enumerate(self._nodes):
            self._add_children(i, node)
        for i, node in enumerate(self._nodes):
            if node.WhichOneof("kind") == "resource":
                self._initialize(i, node, values)
        root = self.objects[0]
        if isinstance(root, AutoTrackable):
            root.tensorflow_version = self._graph.meta_info_def.tensorflow_version
            root.tensorflow_git_version = self._graph.meta_info_def.tensorflow_git_version
            if self._options.experimental_load_function_aliases:
                root.function_aliases = self._aliases()
        return root

    # -- objects ------------------------------------------------------------------------------------------------------

    def _made(self, number: int, node: Any, values: SavedValues) -> Any:
        kind = node.WhichOneof("kind")
        if kind == "variable":
            if number in self._hidden:
                return _random_state(values.of_variable(number, optional=True))
            return self._variable(node.variable, values.of_variable(number))
        if kind == "function":
            traces = [self._trace(name) for name in node.function.concrete_functions]
            return RestoredFunction("restored_function_body", node.function.function_spec, traces)
        if kind == "bare_concrete_function":
            return self._trace(node.bare_concrete_function.concrete_function_name)
        if kind == "asset":
            file = self._graph.asset_file_def[node.asset.asset_file_def_index].filename
            return Asset(os.path.join(self._path, "assets", file))
        if kind == "constant":
            return constant(array_of(self._constants[node.constant.operation].attr["value"].tensor))
        if kind == "captured_tensor":
            return CapturedTensor(node.captured_tensor.name, node.captured_tensor.concrete_function)
        if kind == "resource":
            return _RestoredResource()
        make = _MADE.get(node.user_object.identifier)
        return type("_UserObject", (AutoTrackable,), {})() if make is None else make()

    def _taken(self, number: int, node: Any, values: SavedValues) -> Any:
        value = self._given[number].value
        if node.WhichOneof("kind") == "variable":
            saved = values.of_variable(number)
            if saved is not None:
                value.assign(saved)
        return value

    def _trace(self, name: str) -> SavedConcrete:
        found = self._concrete.get(name)
        if found is None:
            found = self._concrete[name] = SavedConcrete(self._library, name)
        return found

    def _variable(self, saved: Any, value: np.ndarray | None) -> Variable:
        dtype, shape = dtype_of(saved.dtype), shape_of(saved.shape)
        if value is None:  # it is left out of the checkpoint, and this was allowed
            value = np.zeros([n or 0 for n in shape.as_list()], dtype.np)
        return Variable(
            constant(value, dtype),
            trainable=saved.trainable,
            name=saved.name or None,
            shape=shape,
            synchronization=VariableSynchronization(saved.synchronization),
            aggregation=VariableAggregation(saved.aggregation),
        )

    def _value(self, number: int) -> Any:
        """What a function gets for an object that it captures."""
        found = self.objects[number]
        if isinstance(found, _RestoredResource):
            return self._resource(number)
        return found.asset_path if isinstance(found, Asset) else found

    def _add_children(self, number: int, node: Any) -> None:
        parent = self.objects[number]
        kind = node.WhichOneof("kind")
        if number in self._given:
            for child in node.children:
                self._given[number].setter(parent, child.local_name, self._finished(child.node_id))
            return
        if kind not in ("user_object", "resource"):
            return
        for child in node.children:
            late = isinstance(parent, (SignatureMap, _RestoredResource))
            value = self.objects[child.node_id] if late else self._finished(child.node_id)
            _set_child(parent, child.local_name, value)

    def _aliases(self) -> dict[str, Any]:
        """The functions that were saved under further names, by those."""
        named = dict(self._graph.meta_info_def.function_aliases)
        return {
            named[name]: self.objects[i]
            for i, node in enumerate(self._nodes)
            for name in node.function.concrete_functions
            if name in named
        }

    def _finished(self, number: int) -> Any:
        """An object as its parents have it."""
        found = self.objects[number]
        known = isinstance(found, SavedConcrete) and not self._library.unknown(found.name)
        return found.concrete if known else found

    # -- resources ----------------------------------------------------------------------------------------------------

    def _child(self, number: int, name: str) -> SavedConcrete | None:
        """The one trace of a function among the parts of an object."""
        for child in self._nodes[number].children:
            if child.local_name == name:
                node = self._nodes[child.node_id]
                if node.WhichOneof("kind") == "function" and node.function.concrete_functions:
                    return self._trace(node.function.concrete_functions[0])
                if node.WhichOneof("kind") == "bare_concrete_function":
                    return self._trace(node.bare_concrete_function.concrete_function_name)
        return None

    def _resource(self, number: int) -> Any:
        found = self._resources.get(number)
        if found is None:
            create = self._child(number, "_create_resource")
            if create is None:
                raise ValueError(
                    f"tf.saved_model.load: the resource {number} of the SavedModel has no function that makes it"
                )
            found = self._resources[number] = create.run([])[0]
        return found

    def _initialize(self, number: int, node: Any, values: SavedValues) -> None:
        create = self._child(number, "_create_resource")
        if create is None or self._library.unknown(create.name):
            return  # functions that need it will say what is unknown
        resource = self._resource(number)
        if isinstance(resource, RestoredTable):
            rows = values.of_table(number)
            if rows is not None and len(rows[0]):
                resource.fill(constant(rows[0]), constant(rows[1]))
        initialize = self._child(number, "_initialize")
        if initialize is not None and not self._library.unknown(initialize.name):
            initialize.run([])


class _RestoredResource(AutoTrackable):
    """A table or another resource of a SavedModel."""


_MADE: Mapping[str, Callable[[], Any]] = {
    "trackable_list_wrapper": lambda: ListWrapper([]),
    "trackable_dict_wrapper": lambda: DictWrapper({}),
    "trackable_tuple_wrapper": lambda: ListWrapper([]),  # as in TensorFlow: not all elements are saved
    "signature_map": SignatureMap,
}
"""By identifier of a user object, what makes it."""


def _set_child(parent: Any, name: str, value: Any) -> None:
    if isinstance(parent, SignatureMap):
        parent.add(name, value)
    elif isinstance(parent, ListWrapper):
        if name.isdigit():
            while len(parent) <= int(name):
                parent.append(None)
            parent[int(name)] = value
    elif issubclass(type(parent), DictWrapper):
        parent[name] = value
    elif name == "__call__":
        parent.__dict__["__call__"] = value
        type(parent).__call__ = _call_part
    else:
        setattr(parent, name, value)


def _call_part(self: Any, *args: Any, **kwargs: Any) -> Any:
    return vars(self)["__call__"](*args, **kwargs)


def _random_state(value: np.ndarray | None) -> Variable:
    """The state of random operations, which is in no checkpoint and begins anew where a SavedModel was given another one."""
    state = key_of(*(secrets.randbits(64) for _ in range(3))) if value is None else constant(value)
    made = Variable(state, trainable=False, name="random_state")
    set_past(made, "_self_in_checkpoints", False)
    return made
