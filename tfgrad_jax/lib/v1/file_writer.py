"""`tf.compat.v1.summary.FileWriter`: event files of the summaries that sessions give."""

from __future__ import annotations

import os
from typing import Any

from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.eager import executing_eagerly
from tfgrad_jax.lib.io.paths import path_text
from tfgrad_jax.lib.summary.messages import Event, Summary
from tfgrad_jax.lib.summary.writers import FileWriter as EventFile


@export("compat.v1.summary.FileWriter")
class FileWriter:
    """Writes summaries, graphs and other events to one file. Mirrors `tf.compat.v1.summary.FileWriter`.

    Args:
      logdir: the folder.
      graph: is written at the beginning.
      max_queue: so many events wait at most.
      flush_secs: so long they wait at most, if others come.
      graph_def: the older way to give a graph.
      filename_suffix: the end of the file's name.
      session: accepted for compatibility.

    Raises:
      RuntimeError: where operations run at once.
    """

    def __init__(
        self, logdir: Any, graph: Any = None, max_queue: int = 10, flush_secs: int = 120, graph_def: Any = None,
        filename_suffix: str | None = None, session: Any = None,
    ) -> None:  # fmt: skip
        if executing_eagerly():
            raise RuntimeError(
                "tf.summary.FileWriter is not compatible with eager execution. Use `tf.summary.create_file_writer`, or a "
                "`with tf.Graph().as_default():` context"
            )
        self._folder = path_text(logdir)
        self._settings = (max_queue, flush_secs * 1000, filename_suffix or "")
        self._run_tags: set[str] = set()
        self._file: EventFile | None = EventFile(self._folder, *self._settings)
        if graph is not None or graph_def is not None:
            self.add_graph(graph, graph_def=graph_def)

    def __enter__(self) -> FileWriter:
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()

    def get_logdir(self) -> str:
        """The folder."""
        return self._folder

    def add_event(self, event: Any) -> None:
        """Write a `tf.compat.v1.Event`."""
        if self._file is None:
            self.reopen()
        assert self._file is not None
        self._file.add(event)

    def _add(self, global_step: Any, **what: Any) -> None:
        self.add_event(Event(step=0 if global_step is None else int(global_step), **what))

    def add_summary(self, summary: Any, global_step: Any = None) -> None:
        """Write a summary.

        Args:
          summary: a `tf.compat.v1.Summary`, or its bytes, as sessions give them.
          global_step: the number of the step.
        """
        found = Summary()
        found.ParseFromString(summary if isinstance(summary, bytes) else summary.SerializeToString())
        self._add(global_step, summary=found)

    def add_graph(self, graph: Any, global_step: Any = None, graph_def: Any = None) -> None:
        """Write a graph.

        Raises:
          TypeError: if it is none.
          ValueError: if there is none.
        """
        if graph is None and graph_def is None:
            raise ValueError("The passed argument `graph` must be a graph, and there is none")
        if graph is not None and not hasattr(graph, "as_graph_def"):
            raise TypeError(
                f"The passed graph must be an instance of `Graph` or the deprecated `GraphDef`, got {graph!r}"
            )
        definition = graph_def if graph is None else graph.as_graph_def(add_shapes=True)
        self._add(global_step, graph_def=definition.SerializeToString())

    def add_meta_graph(self, meta_graph_def: Any, global_step: Any = None) -> None:
        """Write a `MetaGraphDef`."""
        self._add(global_step, meta_graph_def=meta_graph_def.SerializeToString())

    def add_session_log(self, session_log: Any, global_step: Any = None) -> None:
        """Write a `tf.compat.v1.SessionLog`."""
        event = Event(step=0 if global_step is None else int(global_step))
        event.session_log.CopyFrom(session_log)
        self.add_event(event)

    def add_run_metadata(self, run_metadata: Any, tag: str, global_step: Any = None) -> None:
        """Write what a run told of itself.

        Raises:
          ValueError: if something else was written under the tag.
        """
        if tag in self._run_tags:
            raise ValueError(f"The provided tag was already used for this event type: {tag!r}")
        self._run_tags.add(tag)
        event = Event(step=0 if global_step is None else int(global_step))
        event.tagged_run_metadata.tag, event.tagged_run_metadata.run_metadata = tag, run_metadata.SerializeToString()
        self.add_event(event)

    def flush(self) -> None:
        """See that all is in the file."""
        if self._file is not None:
            self._file.flush()

    def close(self) -> None:
        """Write what is left; more may be written after `reopen`."""
        if self._file is not None:
            self._file.close()
        self._file = None

    def reopen(self) -> None:
        """Begin another file, if this one is closed."""
        if self._file is None:
            self._file = EventFile(self._folder, *self._settings)


@export("compat.v1.summary.FileWriterCache")
class FileWriterCache:
    """A writer for each folder. Mirrors `tf.compat.v1.summary.FileWriterCache`."""

    _writers: dict[str, FileWriter] = {}  # noqa: RUF012 -- one for the whole program

    @staticmethod
    def clear() -> None:
        """Forget all writers, after what they have is in their files."""
        for writer in FileWriterCache._writers.values():
            writer.close()
        FileWriterCache._writers.clear()

    @staticmethod
    def get(logdir: Any) -> FileWriter:
        """The writer of a folder."""
        folder = os.fspath(logdir)
        if folder not in FileWriterCache._writers:
            FileWriterCache._writers[folder] = FileWriter(folder)
        return FileWriterCache._writers[folder]
