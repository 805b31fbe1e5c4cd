"""Running TensorFlow programs unchanged: `import tensorflow` resolves to this package, in this process only."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator, Sequence
from importlib import metadata
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from tfgrad_jax.api.missing import WHERE_TO_LOOK, MissingAttribute
from tfgrad_jax.engine.hooks import installed
from tfgrad_jax.engine.messages.logging import warn_once
from tfgrad_jax.engine.messages.optional import is_installed

_STANDS_FOR = "tensorflow"
_PACKAGE = __package__
_KERAS_2 = "tf_keras"
_JAX_TO_TF = "jax.experimental.jax2tf"


@installed.fill
def install() -> None:
    """Make `import tensorflow`, and every submodule of it, resolve to this package for the rest of the process.

    Calling it again changes nothing. TensorFlow itself need not be installed; where it is, it is not loaded.

    Raises:
      RuntimeError: if TensorFlow itself has been imported before: the tensors of the two would mix in one program.
    """
    loaded = sys.modules.get(_STANDS_FOR)
    package = sys.modules[_PACKAGE]
    if loaded is package:
        return
    if loaded is not None:
        raise RuntimeError(
            f"TensorFlow is already imported in this process (from {getattr(loaded, '__file__', None)}), so "
            f"`import {_STANDS_FOR}` cannot be made to mean {_PACKAGE}. Call {_PACKAGE}.install() before anything "
            f"imports {_STANDS_FOR}, or run the program as `python -m {_PACKAGE} script.py`."
        )
    sys.meta_path.insert(0, _Finder())
    sys.meta_path.append(_LastFinder())
    sys.modules[_STANDS_FOR] = package


def load_ipython_extension(shell: object) -> None:
    """What `%load_ext tfgrad_jax` does in a notebook: `install`, so that `import tensorflow` below means this package.

    Args:
      shell: IPython's, which calls this.

    Raises:
      RuntimeError: as `install`.
    """
    install()


class _Finder(MetaPathFinder):
    """Finds `tensorflow.a.b` as the attribute `a.b` of this package, whatever kind of module stands there."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        root, *names = fullname.split(".")
        if fullname == _JAX_TO_TF:  # JAX's own imports TensorFlow's private parts
            return _existing(fullname, importlib.import_module(f"{_PACKAGE}.extras.jax2tf"))
        if root == _KERAS_2 and not is_installed(_KERAS_2):
            return _existing(fullname, _Keras2(fullname))
        if root != _STANDS_FOR or not names:
            return None
        if names[:2] == ["python", "autograph"]:  # TensorFlow's, kept alive outside of it
            return _existing(fullname, _conversions(names))
        if names[:2] == ["python", "keras"]:  # TensorFlow's copy of Keras 2
            copies = importlib.import_module(f"{_PACKAGE}.lib.keras.copied")
            return _existing(fullname, copies.copied(".".join(names[2:])))
        if names[:2] == ["python", "layers"] and is_installed(_KERAS_2):  # layers of version 1, which that has
            copies = importlib.import_module(f"{_PACKAGE}.lib.keras.copied")
            return _existing(fullname, copies.layers(".".join(names[2:])))
        module: object = sys.modules[_PACKAGE]
        for name in names:
            module = getattr(module, name, None)
        if isinstance(module, ModuleType):
            return _existing(fullname, module)
        # Never left to the path finder: it would load this package's own files a second time, under another name.
        why = "only the public API is there" if names[0] in ("core", "dtensor", "python") else WHERE_TO_LOOK
        message = f"No module named {fullname!r}: {_STANDS_FOR} is {_PACKAGE} here ({why})"
        raise ModuleNotFoundError(message, name=fullname)

    def find_distributions(self, context: Any) -> Iterator[Any]:
        """What `importlib.metadata` says of TensorFlow: libraries ask for its version before they import it."""
        if context.name is None or context.name.lower() == _STANDS_FOR:
            yield _Distribution()


class _Distribution(metadata.Distribution):
    """TensorFlow as an installed package."""

    def read_text(self, filename: str) -> str | None:
        """The text of one of the files that describe a package, None if there is none."""
        version = sys.modules[_PACKAGE].__version__
        described = {
            "METADATA": f"Metadata-Version: 2.1\nName: {_STANDS_FOR}\nVersion: {version}\n",
            "top_level.txt": f"{_STANDS_FOR}\n",
        }
        return described.get(filename)

    def locate_file(self, path: Any) -> Any:
        """Where a file of the package would be: in this one's folder."""
        return Path(__file__).parent / path


class _LastFinder(MetaPathFinder):
    """Names what is missing for `from tensorflow import name`, where the import system would hide that error.

    For a name that a package lacks, `from package import name` asks the finders for a submodule before it gives up.
    """

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        module, _, name = fullname.rpartition(".")
        if module.partition(".")[0] != _PACKAGE or (module != _PACKAGE and hasattr(sys.modules[module], "__file__")):
            return None  # somebody else's, or a folder of this package rather than a module of the public tree
        raise ImportError(f"cannot import name {name!r}: {MissingAttribute(module, name)}", name=module)


class _Existing(Loader):
    """Hands an existing module to the import system, which would otherwise replace the module's own `__spec__`."""

    def __init__(self, module: ModuleType):
        self.module = module
        self.spec = module.__spec__

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return self.module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self.spec


def _existing(fullname: str, module: ModuleType) -> ModuleSpec:
    return ModuleSpec(fullname, _Existing(module), is_package=hasattr(module, "__path__"))


def _conversions(names: list[str]) -> ModuleType:
    """A module of AutoGraph: that of the package that it lives in, which some names of this one's own go before."""
    try:
        theirs = importlib.import_module(".".join(["malt", *names[2:]]))
    except ModuleNotFoundError:
        theirs = None
    ours: object = sys.modules[_PACKAGE]
    for name in names:
        ours = getattr(ours.ours if isinstance(ours, _Both) else ours, name, None)  # the import system sets those
    own = sys.modules[f"{_PACKAGE}.api.late"].LATE[f"{_PACKAGE}.lib.private.autograph"]
    if isinstance(ours, ModuleType) and any(name.startswith(".".join([*names, ""])) for name in own):
        return _Both(".".join([_STANDS_FOR, *names]), ours, theirs)
    if theirs is None:
        raise ModuleNotFoundError(f"No module named {'.'.join([_STANDS_FOR, *names])!r}")
    return theirs


class _Both(ModuleType):
    """A module that has the names of two."""

    def __init__(self, name: str, ours: ModuleType, theirs: ModuleType | None) -> None:
        super().__init__(name)
        self.__path__: list[str] = []
        self.ours, self._theirs = ours, theirs

    def __getattr__(self, name: str) -> object:
        found = None if name.startswith("__") else getattr(self.ours, name, None)
        if isinstance(found, ModuleType) or name.startswith("__"):  # it is imported by its name, for both are in it
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        return getattr(self._theirs, name) if found is None else found

    def __dir__(self) -> list[str]:
        return sorted({*dir(self.ours), *dir(self._theirs)})


class _Keras2(ModuleType):
    """`tf_keras` where it is not installed, as TensorFlow Probability asks for it by name: the Keras 3 that `tf.keras` is.

    Below the root there are only rooms without names, so that imports work.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.__path__: list[str] = []
        if name == f"{_KERAS_2}.__internal__":  # Keras 3 asks values for their class, and needs no registration
            self.utils = SimpleNamespace(register_symbolic_tensor_type=lambda cls: cls)

    def __getattr__(self, name: str) -> object:
        if self.__name__ != _KERAS_2 or (name.startswith("__") and name != "__all__"):
            raise AttributeError(
                f"module {self.__name__!r} has no attribute {name!r}: it stands for Keras 3 here, which has none"
            )
        keras = sys.modules[_PACKAGE].keras
        warn_once(
            f"`{_KERAS_2}` is Keras {keras.__version__} here: %s",
            "Keras 2 itself is not installed: pip install --no-deps tf_keras",
        )
        return [n for n in dir(keras) if not n.startswith("_")] if name == "__all__" else getattr(keras, name)
