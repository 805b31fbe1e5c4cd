"""`tf.test.TestCase`: absl's test case where it is installed, Python's otherwise, with assertions about tensors."""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.util
import os
import random
import re
import sys
import tempfile
import threading
import unittest
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tfgrad_jax.engine.graph.func_graph import reset_default_graph
from tfgrad_jax.engine.messages.errors import InvalidArgumentError, OpError
from tfgrad_jax.engine.names.export import export
from tfgrad_jax.engine.run.eager import executing_eagerly, recording_for_sessions
from tfgrad_jax.engine.state.random_state import set_seed
from tfgrad_jax.engine.threads.context import context
from tfgrad_jax.engine.values.tensor import Tensor
from tfgrad_jax.lib.testing.arrays import values_of
from tfgrad_jax.lib.testing.comparisons import Comparisons
from tfgrad_jax.lib.v1.session import Session, get_default_session

_absl: Any = importlib.import_module("absl.testing.absltest") if importlib.util.find_spec("absl") else None
_Base: Any = unittest.TestCase if _absl is None else _absl.TestCase

SEED = 87654321
"""Every test begins with it as the seed of Python, NumPy and TensorFlow."""


class Written:
    """What a program wrote to a stream.

    Args:
      path: the file that took it.
    """

    def __init__(self, path: str) -> None:
        self._path = path

    def contents(self) -> str:
        """All of it so far."""
        with open(self._path) as file:
            return file.read()


class EagerSession:
    """Stands for a session: `run` evaluates tensors, as there is nothing else to do."""

    def run(self, fetches: Any, *args: Any, **kwargs: Any) -> Any:
        """A nest of tensors as arrays; functions are called first."""
        return values_of(fetches)


class _NoSession:
    """Stands for a session outside its context."""

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            "a session of a test case is entered by `with self.session() as sess:` before it is used; "
            f"{name!r} was asked for before"
        )


class _Thread:
    """A thread whose exception fails the test when it is joined."""

    def __init__(self, case: unittest.TestCase, target: Callable[..., Any], args: Any, kwargs: Any) -> None:
        self._case, self._target, self._args, self._kwargs = case, target, args or (), kwargs or {}
        self._thread = threading.Thread(target=self._protected, daemon=True)
        self._exception: BaseException | None = None

    def _protected(self) -> None:
        try:
            self._target(*self._args, **self._kwargs)
        except Exception as error:
            self._exception = error

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def join(self) -> None:
        """Wait for the end.

        Raises:
          AssertionError: if the function raised.
        """
        self._thread.join()
        if self._exception is not None:
            self._case.fail(f"Error in checkedThread: {self._exception}")

    def is_alive(self) -> bool:
        """Whether it is running."""
        return self._thread.is_alive()


@export("test.TestCase")
class TestCase(Comparisons, _Base):
    """A test case for tensors. Mirrors `tf.test.TestCase`.

    It is absl's `TestCase` where that package is installed.
    """

    def __init__(self, methodName: str = "runTest") -> None:
        super().__init__(methodName)
        self._temporary: str | None = None
        self._kept: Session | None = None
        self._kept_for: tuple[Any, Any] = None, None

    def setUp(self) -> None:
        """Seed every source of random numbers, and let names begin anew."""
        super().setUp()
        self.addCleanup(self._forget_session)
        if context.graph is None:
            reset_default_graph()
        random.seed(SEED)
        np.random.seed(SEED)
        set_seed(SEED)
        if self.id().endswith(".test_session"):
            self.skipTest("Not a test.")

    def get_temp_dir(self) -> str:
        """A folder of this test's own, the same at every call."""
        if self._temporary is None:
            parent = os.environ.get("TEST_TMPDIR", tempfile.gettempdir())
            os.makedirs(parent, exist_ok=True)
            self._temporary = tempfile.mkdtemp(dir=parent)
        return self._temporary

    def evaluate(self, tensors: Any) -> Any:
        """A nest of tensors as NumPy values; composite tensors become records of such.

        Those of a graph the open session runs, or else the test's own, in which variables keep their values.

        Raises:
          ValueError: for what is no tensor.
        """
        if recording_for_sessions() and get_default_session() is None:
            with self.cached_session() as session:
                return session.run(tensors)
        return values_of(tensors)

    def evaluate_if_both_tensors(self, a: Any, b: Any) -> tuple[Any, Any]:
        """Both evaluated if both are tensors, otherwise both as they are."""
        return (self.evaluate(a), self.evaluate(b)) if isinstance(a, Tensor) and isinstance(b, Tensor) else (a, b)

    @contextlib.contextmanager
    def _session(self, graph: Any = None) -> Iterator[Any]:
        if graph is None and executing_eagerly():
            yield EagerSession()
        else:
            session = Session(graph=graph)
            with session.graph.as_default(), session.as_default():
                yield session

    def session(self, graph: Any = None, config: Any = None, use_gpu: bool = True, force_gpu: bool = False) -> Any:
        """A context in which tests find a new session; where operations run at once, its `run` gives values of tensors."""
        return _Entered(self._session(graph))

    def cached_session(
        self, graph: Any = None, config: Any = None, use_gpu: bool = True, force_gpu: bool = False
    ) -> Any:
        """A context in which tests find the session that a test has for itself, the same at every call.

        Raises:
          ValueError: if that was made for another graph or configuration.
        """
        return _Entered(self._cached_session(graph, config))

    def test_session(self, graph: Any = None, config: Any = None, use_gpu: bool = True, force_gpu: bool = False) -> Any:
        """`session` for a graph, otherwise `cached_session`."""
        return self.cached_session(None, config) if graph is None else self.session(graph, config)

    @contextlib.contextmanager
    def _cached_session(self, graph: Any, config: Any) -> Iterator[Any]:
        if graph is None and executing_eagerly():
            yield EagerSession()
            return
        if self._kept is None:
            self._kept, self._kept_for = Session(graph=graph, config=config), (graph, config)
        for what, given, before in zip(("graph", "config"), (graph, config), self._kept_for):
            if given is not None and given is not before:
                raise ValueError(
                    f"The {what} used to get the cached session is different than the one that was used to create the session. "
                    "Maybe create a new session with self.session()"
                )
        with self._kept.graph.as_default(), self._kept.as_default():
            yield self._kept

    def _forget_session(self) -> None:
        if self._kept is not None:
            self._kept.close()
            self._kept = None

    @contextlib.contextmanager
    def assertRaisesWithPredicateMatch(self, exception_type: Any, expected_err_re_or_predicate: Any) -> Iterator[None]:
        """The block raises an exception of a type whose message contains a pattern, or for which a function is true."""
        predicate = expected_err_re_or_predicate
        try:
            yield
        except Exception as error:
            matches = (
                predicate(error) if callable(predicate) else re.search(predicate, getattr(error, "message", str(error)))
            )
            if not isinstance(error, exception_type) or not matches:
                raise AssertionError(f"Exception of type {type(error)!s}: {error!s}") from error
        else:
            self.fail(f"{getattr(exception_type, '__name__', exception_type)} not raised")

    def assertRaisesOpError(self, expected_err_re_or_predicate: Any) -> Any:
        """The block raises a `tf.errors.OpError` whose message matches."""
        return self.assertRaisesWithPredicateMatch(OpError, expected_err_re_or_predicate)

    def assertRaisesIncompatibleShapesError(self, exception_type: Any = InvalidArgumentError) -> Any:
        """The block raises the error of operands whose shapes do not fit each other."""
        return self.assertRaisesWithPredicateMatch(
            exception_type, r"Incompatible shapes|Dimensions must be equal|required broadcastable shapes"
        )

    def assertProtoEquals(
        self,
        expected_message_maybe_ascii: Any,
        validate_message: Any,
        msg: str | None = None,
        relative_tolerance: float | None = None,
    ) -> None:
        """A protocol buffer equals another one, or the text of one.

        Raises:
          NotImplementedError: if a tolerance is asked for.
        """
        if relative_tolerance is not None:
            raise NotImplementedError("tf.test.TestCase.assertProtoEquals: relative_tolerance is not supported")
        expected = expected_message_maybe_ascii
        if isinstance(expected, (str, bytes)):
            text = expected
            expected = type(validate_message)()
            importlib.import_module("google.protobuf.text_format").Merge(text, expected)
        self.assertMultiLineEqual(str(expected), str(validate_message), msg)

    @contextlib.contextmanager
    def captureWritesToStream(self, stream: Any) -> Iterator[Written]:
        """A context that collects what is written to a stream, by C code too."""
        number = stream.fileno()
        stream.flush()
        kept = os.dup(number)
        handle, path = tempfile.mkstemp(dir=self.get_temp_dir())
        os.dup2(handle, number)
        try:
            yield Written(path)
        finally:
            stream.flush()
            os.dup2(kept, number)
            os.close(kept)
            os.close(handle)

    def checkedThread(self, target: Callable[..., Any], args: Any = None, kwargs: Any = None) -> _Thread:
        """A thread, not yet begun, whose exception fails the test when it is joined."""
        return _Thread(self, target, args, kwargs)


class _Entered(_NoSession):
    """A context manager whose attributes before it is entered are the mistake that `_NoSession` names."""

    def __init__(self, context: Any) -> None:
        self.__dict__["_context"] = context

    def __enter__(self) -> Any:
        return self.__dict__["_context"].__enter__()

    def __exit__(self, *exception: Any) -> Any:
        return self.__dict__["_context"].__exit__(*exception)


@export("test.main")
def main(argv: Any = None) -> None:
    """Run the tests of the main module. Mirrors `tf.test.main`: absl's runner where that is installed, Python's otherwise."""
    if _absl is not None:
        _absl.main(*(() if argv is None else (argv,)))
    else:
        unittest.main(argv=argv or sys.argv)


@export("test.with_eager_op_as_function")
def with_eager_op_as_function(cls: Any = None, only_as_function: bool = False) -> Any:
    """A decorator of test cases that changes nothing here. Mirrors `tf.test.with_eager_op_as_function`."""
    return cls if cls is not None else lambda decorated: decorated


@export("test.disable_with_predicate")
def disable_with_predicate(pred: Callable[[], Any], skip_message: str) -> Callable[[Any], Any]:
    """A decorator that skips a test where a function is true. Mirrors `tf.test.disable_with_predicate`."""

    def decorate(function: Any) -> Any:
        @functools.wraps(function)
        def run(self: unittest.TestCase, *args: Any, **kwargs: Any) -> Any:
            if pred():
                self.skipTest(skip_message)
            return function(self, *args, **kwargs)

        return run

    return decorate
