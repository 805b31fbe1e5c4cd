"""`python -m tfgrad_jax script.py`: runs a program as `python` would, with `import tensorflow` meaning this package."""

from __future__ import annotations

import importlib.util
import io
import os
import runpy
import sys
import zipfile
from importlib.machinery import SourceFileLoader
from types import CodeType, ModuleType, TracebackType
from typing import Any

from tfgrad_jax.drop_in import install

PROGRAM = "python -m tfgrad_jax"


def main(arguments: list[str]) -> int:
    """Run the script, module or code that the command line names; returns the exit status."""
    try:
        install()
    except RuntimeError as error:
        return _complain(error, 1)
    kind, *rest = arguments
    try:
        if kind == "-m":
            _run_module(rest[0], rest)
        elif kind == "-c":
            _run(compile(rest[0], "<string>", "exec"), ["-c", *rest[1:]], path="")
        elif kind == "-":
            _run(compile(sys.stdin.read(), "<stdin>", "exec"), arguments, path="")
        else:
            return _run_script(kind, arguments)
    except Exception as error:
        return _report(error)
    return 0


def _run(code: CodeType, argv: list[str], path: str | None = None, **attributes: Any) -> None:
    """Run `code` as `__main__`, which stays in place afterwards for exit handlers and threads, as in Python itself."""
    sys.argv[:] = argv
    if path is not None and not sys.flags.safe_path:
        sys.path[0] = path  # in place of what `-m` put there
    module = ModuleType("__main__")
    vars(module).update(__builtins__=__builtins__, **attributes)
    sys.modules["__main__"] = module
    exec(code, vars(module))


def _run_script(path: str, argv: list[str]) -> int:
    file = os.path.abspath(path)
    if os.path.isdir(file) or zipfile.is_zipfile(file):
        sys.argv[:] = argv
        runpy.run_path(path, run_name="__main__")
        return 0
    try:
        with io.open_code(file) as stream:
            source = stream.read()
    except OSError as error:
        return _complain(f"can't open file {file!r}: [Errno {error.errno}] {error.strerror}", 2)
    loader = SourceFileLoader("__main__", file)
    code = compile(source, file, "exec", dont_inherit=True)
    _run(code, argv, os.path.dirname(os.path.realpath(path)), __file__=file, __cached__=None, __loader__=loader)
    return 0


def _run_module(name: str, argv: list[str]) -> None:
    spec = importlib.util.find_spec(name)
    if spec is not None and spec.submodule_search_locations is not None:
        name += ".__main__"
        spec = importlib.util.find_spec(name)
    loader: Any = spec.loader if spec else None
    code = loader.get_code(name) if hasattr(loader, "get_code") else None
    if spec is None or code is None:
        raise ModuleNotFoundError(f"No module named {name}", name=name)
    _run(
        code,
        [spec.origin or name, *argv[1:]],
        __file__=spec.origin,
        __cached__=spec.cached,
        __loader__=loader,
        __package__=spec.parent,
        __spec__=spec,
    )


def _report(error: Exception) -> int:
    """Show an uncaught exception as Python would: from the program's own first frame, not from this file's."""
    trace: TracebackType | None = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename in (__file__, runpy.__file__, "<frozen runpy>"):
        trace = trace.tb_next
    if isinstance(error, ImportError) and (trace is None or _only_importing(trace)):
        return _complain(error, 1)
    sys.excepthook(type(error), error.with_traceback(trace), trace)
    return 1


def _only_importing(trace: TracebackType | None) -> bool:
    """Whether no frame of a program is left: `-m` failed to find its module."""
    while trace is not None and "importlib" in trace.tb_frame.f_code.co_filename:
        trace = trace.tb_next
    return trace is None


def _complain(what: object, status: int) -> int:
    print(f"{PROGRAM}: {what}", file=sys.stderr)
    return status
