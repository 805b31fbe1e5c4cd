"""Questions to rooms above: each such place is listed here, with the file that fills it.

Imports go down only. So where a lower room needs something that is made of operations, or of functions, it calls a hook, and the
file that has it fills the hook when it is loaded. Operators and methods of tensors and variables are set by `ops/methods/`, and
`[]` by `ops/array/index.py`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any


class Hook:
    """A function that a higher room provides.

    Args:
      does: what it does, and with which arguments.
      filled_by: the file that provides it.
    """

    __slots__ = ("_function", "does", "filled_by")

    def __init__(self, does: str, filled_by: str) -> None:
        self.does = does
        self.filled_by = filled_by
        self._function: Callable[..., Any] | None = None

    def fill(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Provide the function; usable as a decorator.

        Raises:
          RuntimeError: if it was provided before.
        """
        if self._function is not None:
            raise RuntimeError(f"the hook of {self.filled_by} is filled twice")
        self._function = function
        return function

    def __call__(self, *args: Any) -> Any:
        if self._function is None:  # what few programs need is loaded when it is first asked for
            importlib.import_module(f"tfgrad_jax.{self.filled_by.removesuffix('.py').replace('/', '.')}")
        if self._function is None:
            raise RuntimeError(f"{self.filled_by} does not fill the hook, which {self.does}")
        return self._function(*args)

    @property
    def filled(self) -> bool:
        """Whether the file that provides it is loaded."""
        return self._function is not None


pack_tensors = Hook(
    "makes one tensor of a nest of tensors and Python values; takes the nest and a dtype or None", "ops/array/array.py"
)
rows_summed = Hook(
    "puts rows at indices of zeros, and sums those that come together; takes rows, indices and the shape of the zeros, as tensors",
    "ops/segments/segment.py",
)
eager_value = Hook("gives a Python value as an array; takes it and a dtype or None", "engine/values/convert.py")
device_scope = Hook("opens `tf.device`; takes what that takes", "lib/devices/devices.py")
convert_control_flow = Hook(
    "converts Python control flow of a function that is to be traced; takes the function and AutoGraph's features",
    "ops/control/autograph_operators.py",
)
converted_inside = Hook(
    "converts a function that an operation takes (such as `tf.map_fn`'s), if the code around is converted; takes the function",
    "ops/control/autograph_operators.py",
)
registered_gradient = Hook(
    "gives the gradient that a program registered for an operation, or raises that there is none; takes the kernel, cotangents, "
    "operands and results, as arrays",
    "engine/tape/backward.py",
)
interpreted_graph = Hook(
    "makes a function of arrays of one of tensors that runs a graph operation by operation; takes that",
    "engine/run/execute.py",
)
run_in_session = Hook(
    "runs a tensor or operation of a graph; takes that, what is fed, and a session or None for the open one",
    "lib/v1/session.py",
)
run_on_host = Hook(
    "runs a graph that holds host operations; takes that, and tensors for what enters it", "engine/control/stretches.py"
)
collections_of = Hook(
    "gives the lists that programs keep with a graph, by key; takes the graph", "lib/v1/collections.py"
)
evaluated = Hook(
    "computes a tensor of an unfinished graph now; takes the graph, the tensor and what is known of its slots",
    "engine/control/interpret.py",
)
sparse_operations = Hook(
    "makes sure that operations know sparse tensors; takes nothing, and is asked when one is made",
    "composite/sparse/arithmetic.py",
)
answered_by_composite = Hook(
    "answers an operation on composite values that are no single tensor; takes the operation, its arguments and the error",
    "composite/answers.py",
)
replicas_in_sync = Hook(
    "tells how many replicas compute what is computed here; takes the name of who asks, and raises outside of replicas. Nobody "
    "needs it before a strategy's module is loaded",
    "lib/distribute/strategy.py",
)
strategy_in_use = Hook(
    "gives the `tf.distribute.Strategy` whose scope is open, or None; takes nothing. Nobody needs it before its module is loaded",
    "lib/distribute/strategy.py",
)
shape_message = Hook(
    "writes a shape as a message `TensorShapeProto`; takes the shape", "lib/private/tensor_shape_pb2.py"
)
graph_definition = Hook(
    "writes a recorded graph as a message `GraphDef`; takes the graph", "lib/saved_model/graph_messages.py"
)
node_definition = Hook(
    "writes an operation of a graph as a message `NodeDef`; takes the operation", "lib/saved_model/graph_messages.py"
)
node_attribute = Hook(
    "gives an attribute of an operation of a graph; takes the operation and the name",
    "lib/saved_model/graph_messages.py",
)
load_version1 = Hook(
    "loads a SavedModel that has a graph and no objects; takes the directory and the message `MetaGraphDef`",
    "lib/v1/loaded_graphs.py",
)
dataset_of_version1 = Hook(
    "calls a function of `tf.compat.v1.data`; takes its name and its arguments, the first of which is a dataset",
    "lib/v1/data.py",
)
check_meshes = Hook(
    "raises if operands lie on several meshes of `tf.experimental.dtensor`; takes an operation's name and JAX's shardings. Nobody "
    "needs it before its module is loaded",
    "lib/dtensor/mesh.py",
)
check_whole = Hook(
    "refuses an array of which devices of a mesh have parts, where NumPy is to have it; takes the array",
    "lib/dtensor/tensors.py",
)
text_on_mesh = Hook(
    "the text of an array that lies on a mesh of `tf.experimental.dtensor`, or None; takes the array. Nobody needs it before its "
    "module is loaded",
    "lib/dtensor/tensors.py",
)
described_message = Hook(
    "gives the descriptor of a message that this package describes itself (`tf.train.Example` and its kin), or None; takes its "
    "full name",
    "lib/io/messages.py",
)
explained = Hook(
    "tells why a tape's gradients are None; takes the tape, the target and the sources", "extras/gradients/explain.py"
)
unanswered = Hook(
    "logs why variables have no gradient; takes the tape, targets, sources, answers, and whether that is to be logged at once, "
    "or only when an optimizer is given the variables",
    "extras/gradients/unanswered.py",
)
drawn = Hook("draws what a tape recorded; takes the tape, a target and a path, or None", "extras/gradients/draw.py")
installed = Hook("makes `import tensorflow` mean this package; takes nothing", "drop_in.py")
