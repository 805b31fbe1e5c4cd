"""SavedModels of TensorFlow 1 as objects: their graph, its variables, and functions of parts of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tfgrad_jax.engine.graph.session_graph import SessionGraph
from tfgrad_jax.engine.hooks import load_version1
from tfgrad_jax.lib.tracking.autotrackable import AutoTrackable
from tfgrad_jax.lib.v1.meta_graphs import MetaGraph, restored
from tfgrad_jax.lib.v1.session import Session
from tfgrad_jax.lib.v1.wrapped import WrappedFunction


class GraphSignature(WrappedFunction):
    """A signature of a loaded graph: it takes tensors by the names of its inputs, and gives a dict of them.

    Args:
      graph: the graph.
      inputs: its tensors by the names of the arguments.
      outputs: its tensors by the names of the results.
    """

    def __init__(self, graph: SessionGraph, inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> None:
        super().__init__(graph, list(inputs.values()), dict(outputs))
        self._keys = tuple(inputs)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run what the results need.

        Raises:
          TypeError: if the arguments are not those of the signature.
        """
        rest = self._keys[len(args) :]
        if len(args) > len(self._keys) or {*rest} != {*kwargs}:
            raise TypeError(
                f"signature_wrapper({', '.join(self._keys)}) was called with {len(args)} values by place and {sorted(kwargs)} by "
                "name"
            )
        return super().__call__(*args, *[kwargs[key] for key in rest])


class LoadedGraph(AutoTrackable):
    """What `tf.saved_model.load` gives for a SavedModel that has a graph and no objects.

    Attributes:
      signatures: functions by name.
      variables: of the graph, with their values.
      graph: it.
    """

    def __init__(self, path: str, definition: Any) -> None:
        super().__init__()
        graph = SessionGraph("loaded")
        found = MetaGraph(graph, definition, None, path)
        with graph.as_default():
            restored(found, Session(graph=graph), path)  # what the session leaves in the variables stays there
        self._whole = WrappedFunction(graph, [], [])
        self.graph = graph
        self.variables = list(found.variables.values())
        self.signatures: Any = {}
        for key, signature in definition.signature_def.items():
            if not key.startswith("__"):
                named = [
                    {name: found.importer.element(info.name) for name, info in sorted(part.items())}
                    for part in (signature.inputs, signature.outputs)
                ]
                self.signatures[key] = GraphSignature(graph, *named)
        self.tensorflow_version = definition.meta_info_def.tensorflow_version
        self.tensorflow_git_version = definition.meta_info_def.tensorflow_git_version

    def prune(self, feeds: Any, fetches: Any, name: str | None = None, input_signature: Any = None) -> WrappedFunction:
        """A part of the graph as a function, see `WrappedFunction.prune`."""
        return self._whole.prune(feeds, fetches, name, input_signature)


@load_version1.fill
def _load(path: str, definition: Any) -> LoadedGraph:
    return LoadedGraph(path, definition)
