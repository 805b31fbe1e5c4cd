"""Programs that run in copies of a process which has imported the package: what they would wait for most is its import.

For programs whose tests ask what they do, not how they start: `run_python` in `conftest.py` starts those.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import runpy
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

PATIENCE = 580  # seconds, after which a copy ends: less than a test may take


class Original:
    """A process that has imported the package (and `modules`), whose copies run programs as `python ARGUMENTS` does."""

    def __init__(self, root: Path, *modules: str):
        self.root = root
        self.process = subprocess.Popen(
            [sys.executable, __file__, *modules],
            cwd=root,
            env={**os.environ, "PYTHONPATH": str(root)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __call__(self, *arguments: str, cwd: Path | None = None, env: dict[str, str] | None = None):
        """Run a program; returns the completed process. `env` is for what is read after the import."""
        with tempfile.TemporaryDirectory() as folder:
            places = [f"{folder}/out", f"{folder}/err"]
            assert self.process.stdin is not None and self.process.stdout is not None
            print(
                json.dumps([arguments, str(cwd or self.root), env or {}, places]), file=self.process.stdin, flush=True
            )
            status = json.loads(self.process.stdout.readline())
            said = [Path(place).read_text() for place in places]
        return subprocess.CompletedProcess(arguments, status, *said)

    def close(self) -> None:
        """End the process."""
        with self.process:
            pass


def run(arguments: list[str], folder: str, environment: dict[str, str], places: list[str]) -> None:
    """What a copy does: the program, with what it prints in files."""
    signal.alarm(PATIENCE)
    for number, path, flags in (
        (0, os.devnull, os.O_RDONLY),
        *((number, path, os.O_WRONLY | os.O_CREAT | os.O_APPEND) for number, path in enumerate(places, 1)),
    ):
        opened = os.open(path, flags)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdin = os.fdopen(0, closefd=False)  # the old one has read requests for others
    os.chdir(folder)
    os.environ.update(environment)
    kind, *rest = arguments
    if kind == "-m":
        sys.argv[:], sys.path[0] = rest, folder
        runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
    elif kind == "-c":
        sys.argv[:], sys.path[0] = ["-c", *rest[1:]], ""
        exec(compile(rest[0], "<string>", "exec"), vars(sys.modules["__main__"]))
    else:
        sys.argv[:], sys.path[0] = arguments, os.path.dirname(os.path.abspath(kind))
        runpy.run_path(kind, run_name="__main__")


def serve() -> list | None:
    """Make a copy for each request, and tell its status when it has ended; in a copy, return what it is to run."""
    gc.freeze()
    for request in sys.stdin:
        if (child := os.fork()) == 0:
            return json.loads(request)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
    return None


if __name__ == "__main__":
    import tfgrad_jax

    if sys.argv[1:]:
        tfgrad_jax.install()
    for module in sys.argv[1:]:
        importlib.import_module(module)
    request = serve()
    if request is not None:
        run(*request)
