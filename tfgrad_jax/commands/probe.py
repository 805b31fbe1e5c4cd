"""Runs a script and writes down what it sees of it: printed text, variables, gradients, random numbers.

    python probe.py OUT FOLDER script.py [argument ...]

One JSON value a line goes to OUT. With FOLDER (where tfgrad_jax lies) `tensorflow` is this package, with "" whatever is
installed. This file stands alone, since it also runs where nothing of this package is installed.
"""

from __future__ import annotations

import base64
import functools
import importlib
import inspect
import json
import os
import random
import sys
import threading
import traceback
import types

_LIMIT = 100_000
"""Of larger arrays so many elements are kept, evenly spread."""

_ASSIGNS = ("assign", "assign_add", "assign_sub", "scatter_add", "scatter_sub", "scatter_update", "scatter_nd_update")
_DRAWS = (
    "normal", "uniform", "truncated_normal", "gamma", "poisson", "categorical", "shuffle", "stateless_normal",
    "stateless_uniform", "stateless_truncated_normal", "stateless_gamma", "stateless_poisson", "stateless_binomial",
    "stateless_categorical", "stateless_shuffle", "log_uniform_candidate_sampler",
)  # fmt: skip
_DISPATCH = os.path.join("tfgrad_jax", "composite", "targets.py")
_GENERATED = ("normal", "uniform", "truncated_normal", "uniform_full_int", "binomial", "make_seeds")


class _Notes:
    """Writes events, each with the line of the program that it comes from."""

    def __init__(self, out, script, tf):
        self.out = out
        self.script = os.path.realpath(script)
        self.folder = os.path.dirname(self.script)
        self.thread = threading.get_ident()
        self.tf = tf

    def note(self, kind, place, value, label=""):
        self.out.write(json.dumps({"kind": kind, "place": place, "label": label, "value": value}) + "\n")
        self.out.flush()

    def place(self, frame):
        """`script.py:12` if the frame is the program's own, otherwise None."""
        if frame.f_code.co_filename.startswith("<"):  # no file: what Python itself runs, or made from text
            return None
        file = os.path.realpath(frame.f_code.co_filename)
        inside = file == self.script or (file.startswith(self.folder + os.sep) and "site-packages" not in file)
        return f"{os.path.relpath(file, self.folder)}:{frame.f_lineno}" if inside and file != _HERE else None

    def nearest(self, frame):
        while frame is not None:
            place = self.place(frame)
            if place is not None:
                return place
            frame = frame.f_back
        return "?"

    def watch(self, owner, name, kind, value_of):
        """Have what the program itself calls eagerly written down; calls in libraries and graphs are left alone."""
        original = getattr(owner, name, None)
        if original is None or hasattr(original, "autograph_info__"):
            return

        @functools.wraps(original)
        def watched(*args, **kwargs):
            place = self.place(_caller()) if threading.get_ident() == self.thread else None
            result = original(*args, **kwargs)
            if place is not None and self.tf.executing_eagerly():
                self.note(kind, place, _plain(value_of(args, result), self.tf), name)
            return result

        setattr(owner, name, _as_it_is(watched))


def _caller():
    """The frame that called the function that asks, be it through dispatchers, as Keras 2 registers them for all functions."""
    frame = inspect.currentframe().f_back.f_back  # type: ignore[union-attr]
    while frame is not None and frame.f_code.co_filename.endswith(_DISPATCH):
        frame = frame.f_back
    return frame


def _as_it_is(function):
    """Have AutoGraph call a function instead of rewriting it."""
    function.autograph_info__ = {}
    return function


class _Text:
    """Stands for the standard output: each line is an event."""

    def __init__(self, notes, stream):
        self._notes, self._stream, self._line = notes, stream, ""

    def write(self, text):
        *lines, rest = (self._line + text).split("\n")
        for line in lines:
            self._notes.note("print", self._notes.nearest(_caller()), line)
        self._line = rest
        return len(text)

    def finish(self):
        if self._line:
            self.write("\n")

    def flush(self):
        pass

    def isatty(self):
        return False

    def __getattr__(self, name):
        return getattr(self._stream, name)


def _plain(value, tf):
    """A value as JSON: arrays as dtype, shape and bytes, nests as lists, all else as text."""
    if isinstance(value, dict):
        return [_plain(value[key], tf) for key in sorted(value, key=str)]
    if isinstance(value, (list, tuple)):
        return [_plain(item, tf) for item in value]
    if isinstance(value, tf.IndexedSlices):
        return ["IndexedSlices", _plain(value.values, tf), _plain(value.indices, tf)]
    if not isinstance(value, (tf.Tensor, tf.Variable)):
        return repr(value)
    np = importlib.import_module("numpy")
    try:
        array = np.asarray(value.numpy())
    except (AttributeError, NotImplementedError):  # of a graph, where only sessions know values
        return f"{value.dtype.name} of a graph"
    dtype = value.dtype.name
    if array.dtype.kind in "OSU":
        return {
            "dtype": dtype,
            "shape": list(array.shape),
            "texts": [repr(item) for item in array.reshape(-1).tolist()],
        }
    if array.dtype.kind not in "biufc":  # bfloat16 and its kin, which are not NumPy's own
        array = array.astype("float32")
    flat = array.reshape(-1)
    flat = np.ascontiguousarray(flat[:: -(-flat.size // _LIMIT)] if flat.size else flat)
    data = base64.b64encode(flat.tobytes()).decode()
    return {"dtype": dtype, "shape": list(array.shape), "stored": flat.dtype.str, "data": data}


def _watch(notes, tf):
    for name in _DRAWS:
        notes.watch(tf.random, name, "random", lambda args, result: result)
    for name in _GENERATED:
        notes.watch(tf.random.Generator, name, "random", lambda args, result: result)
    for name in ("gradient", "jacobian", "batch_jacobian"):
        notes.watch(tf.GradientTape, name, "gradient", lambda args, result: result)
    printed = tf.print

    @functools.wraps(printed)
    def show(*args, **kwargs):
        place = notes.place(_caller())
        if place is not None and tf.executing_eagerly() and threading.get_ident() == notes.thread:
            notes.note("values", place, [_plain(arg, tf) for arg in args], "tf.print")
            return None
        return printed(*args, **kwargs)

    tf.print = _as_it_is(show)

    meta = type(tf.Variable)
    create = meta.__call__

    def created(cls, *args, **kwargs):
        place = notes.place(_caller()) if threading.get_ident() == notes.thread else None
        variable = create(cls, *args, **kwargs)
        if place is not None and cls is tf.Variable and tf.executing_eagerly():
            for name in _ASSIGNS:
                notes.watch(type(variable), name, "assign", lambda args, result: args[0])
            notes.note("variable", place, _plain(variable, tf), variable.name)
        return variable

    meta.__call__ = created


def _finals(notes, tf, names):
    """The variables that the program's global names hold in the end, those of lists, models and modules too."""
    for name, value in list(names.items()):
        if isinstance(value, tf.Variable):
            found = [value]
        elif isinstance(value, (list, tuple, dict)):
            found = [item for item in tf.nest.flatten(value) if isinstance(item, tf.Variable)]
        elif isinstance(value, (type, types.ModuleType)) or name.startswith("_"):
            continue
        else:
            try:
                found = list(value.variables)
            except Exception:  # a program's own attribute, or a model that is not built
                continue
        values = [getattr(v, "value", v) for v in found]
        values = [v() if callable(v) else v for v in values]
        if found and all(isinstance(v, (tf.Tensor, tf.Variable)) for v in values):
            notes.note("final", "the end", _plain(values, tf), name)


_HERE = os.path.realpath(__file__)


def _seed():
    """Have Python's and NumPy's generators, from which libraries take seeds of their own, begin alike under both."""
    random.seed(0)
    importlib.import_module("numpy").random.seed(0)


def _run(path, package, argv):
    sys.path[0] = os.path.dirname(os.path.realpath(argv[0]))
    if package:
        sys.path.append(package)
        importlib.import_module("tfgrad_jax").install()
    with open(path, "w") as out:
        tf = importlib.import_module("tensorflow")
        notes = _Notes(out, argv[0], tf)
        notes.note("version", "", tf.__version__)
        _watch(notes, tf)
        text, stream = _Text(notes, sys.stdout), sys.stdout
        sys.argv[:] = argv
        module = types.ModuleType("__main__")
        module.__file__ = argv[0]
        sys.modules["__main__"] = module
        sys.stdout = text
        status = 0
        try:
            _seed()
            with open(argv[0], "rb") as file:
                code = compile(file.read(), os.path.abspath(argv[0]), "exec", dont_inherit=True)
            exec(code, vars(module))
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else int(end.code is not None)
        except BaseException as error:
            traceback.print_exc()
            status = 1
            frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
            place = next((p for p in map(notes.place, reversed(frames)) if p), "?")
            text.finish()
            notes.note("error", place, type(error).__name__, str(error).split("\n")[0])
        text.finish()
        sys.stdout = stream
        _finals(notes, tf, vars(module))
        notes.note("end", "the end", status)


if __name__ == "__main__":
    _run(sys.argv[1], sys.argv[2], sys.argv[3:])
