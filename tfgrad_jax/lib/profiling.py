"""`tf.profiler.experimental` on JAX's profiler, whose profiles TensorBoard shows, too."""

from __future__ import annotations

import collections
from types import TracebackType
from typing import Any

import jax

from tfgrad_jax.engine.messages.errors import AlreadyExistsError, UnavailableError, UnimplementedError
from tfgrad_jax.engine.names.export import export, export_value
from tfgrad_jax.lib.io.paths import path_text

_running: list[str] = []

ProfilerOptions = export_value(
    collections.namedtuple(
        "ProfilerOptions",
        ["host_tracer_level", "python_tracer_level", "device_tracer_level", "delay_ms"],
        defaults=[2, 0, 1, None],
    ),
    "profiler.experimental.ProfilerOptions",
)


@export("profiler.experimental.start")
def start(logdir: Any, options: Any = None) -> None:
    """Begin to profile. Mirrors `tf.profiler.experimental.start`.

    Args:
      logdir: the folder for the profile.
      options: a `ProfilerOptions`, whose levels JAX's profiler takes over.

    Raises:
      tf.errors.AlreadyExistsError: if a profile is being made.
    """
    if _running:
        raise AlreadyExistsError(None, None, "Another profiler is running.")
    folder = path_text(logdir)
    settings = jax.profiler.ProfileOptions()
    if options is not None:
        settings.host_tracer_level = options.host_tracer_level
        settings.python_tracer_level = options.python_tracer_level
        if hasattr(settings, "device_tracer_level"):  # JAX 0.11 and later have none
            settings.device_tracer_level = options.device_tracer_level
    jax.profiler.start_trace(folder, profiler_options=settings)
    _running.append(folder)


@export("profiler.experimental.stop")
def stop(save: bool = True) -> None:
    """End profiling; the profile is in the folder then. Mirrors `tf.profiler.experimental.stop`.

    Args:
      save: accepted; JAX's profiler always writes what it has.

    Raises:
      tf.errors.UnavailableError: if no profile is being made.
    """
    if not _running:
        raise UnavailableError(None, None, "Cannot export profiling results. No profiler is running.")
    _running.clear()
    jax.profiler.stop_trace()


@export("profiler.experimental.Profile")
class Profile:
    """A context that is profiled. Mirrors `tf.profiler.experimental.Profile`.

    Args:
      logdir: the folder for the profile.
      options: a `ProfilerOptions`.
    """

    def __init__(self, logdir: Any, options: Any = None) -> None:
        self._logdir, self._options = logdir, options

    def __enter__(self) -> None:
        start(self._logdir, self._options)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        stop()


@export("profiler.experimental.Trace")
class Trace:
    """A context with a name in the profile. Mirrors `tf.profiler.experimental.Trace`.

    Args:
      name: the name.
      **kwargs: shown with it; `step_num` says which step of the training it is.
    """

    def __init__(self, name: str, **kwargs: Any) -> None:
        self._annotation = jax.profiler.TraceAnnotation(name, **kwargs)

    def __enter__(self) -> Trace:
        self._annotation.__enter__()
        return self

    def set_metadata(self, **kwargs: Any) -> None:
        """Accepted: what a name is shown with is known when it begins."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._annotation.__exit__(kind, error, trace)


@export("profiler.experimental.server.start")
def start_server(port: int) -> None:
    """Let others ask this process for profiles, at a port. Mirrors `tf.profiler.experimental.server.start`."""
    jax.profiler.start_server(port)


@export("profiler.experimental.client.trace", "profiler.experimental.client.monitor")
def _client(service_addr: str, *args: Any, **kwargs: Any) -> Any:
    """Not here: JAX profiles its own process.

    Raises:
      tf.errors.UnimplementedError: always.
    """
    raise UnimplementedError(
        None,
        None,
        "tf.profiler.experimental.client: tfgrad_jax profiles its own process; TensorBoard can ask a "
        "tf.profiler.experimental.server for a profile",
    )
