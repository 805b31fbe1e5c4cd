"""`python -m tfgrad_jax ...` runs a program as `python ...` would, or one of this package's commands."""

from __future__ import annotations

import importlib
import os
import sys

_PROGRAM = "python -m tfgrad_jax"
_COMMANDS = ("launch", "check", "compare", "doctor", "stubs")
_USAGE = f"""\
usage: {_PROGRAM} script.py [argument ...]
       {_PROGRAM} -m module [argument ...]
       {_PROGRAM} -c code [argument ...]
       {_PROGRAM} launch --workers N script.py [argument ...]
       {_PROGRAM} check PATH ...
       {_PROGRAM} compare script.py [argument ...] --tensorflow PYTHON
       {_PROGRAM} doctor
       {_PROGRAM} stubs [FOLDER]

Runs a program written for TensorFlow on JAX, unchanged: inside it `import tensorflow` is tfgrad_jax.
`launch` runs it in N processes of this machine, which tf.distribute.MultiWorkerMirroredStrategy brings together.
`check` says which names of TensorFlow files, folders and notebooks use that are missing or different here, without running them.
`compare` runs a script under TensorFlow too, and shows where the two first differ.
`doctor` says what is installed and set, and checks that it works: paste it into a report of a bug.
`stubs` writes a package `tensorflow` for editors and type checkers, into the folder `typings`."""


def main(arguments: list[str]) -> int:
    """Do what the command line says; returns the exit status."""
    if arguments and arguments[0] in ("-h", "--help"):
        print(_USAGE)
        return 0
    if not arguments or (arguments[0] in ("-m", "-c") and len(arguments) == 1):
        print(_USAGE, file=sys.stderr)
        return 2
    command = arguments[0] in _COMMANDS and not os.path.exists(arguments[0])
    module = importlib.import_module(f"tfgrad_jax.commands.{arguments[0] if command else 'run'}")
    status: int = module.main(arguments[1:] if command else arguments)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
