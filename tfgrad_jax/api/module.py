"""The modules of the public tree."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from tfgrad_jax.api.late import Late
from tfgrad_jax.api.missing import MissingAttribute


def starred(module: ModuleType, late: dict[str, Late]) -> list[str]:
    """What `from module import *` takes, which else would see nothing that waits; not what needs a package that is missing.

    Args:
      module: a module.
      late: those of its names that wait until they are asked for.
    """
    return [name for name in dir(module) if not name.startswith("_") and (name not in late or late[name].is_there())]


class ApiModule(ModuleType):
    """A public module such as `tf.math`."""

    def __init__(self, name: str, doc: str) -> None:
        super().__init__(name, doc)
        self.__path__ = []  # a package, so that `import tfgrad_jax.a.b` works
        self._late: dict[str, Late] = {}

    def __getattr__(self, name: str) -> Any:
        if name == "__all__":
            return starred(self, self._late)
        late = vars(self)["_late"].get(name)
        found = self._elsewhere(name) if late is None else late.load()
        setattr(self, name, found)
        return found

    def _elsewhere(self, name: str) -> Any:
        """An attribute that nobody has put here.

        Raises:
          AttributeError: if there is none.
        """
        raise MissingAttribute(self.__name__, name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._late})

    def expect(self, name: str, value: Late) -> None:
        """Have an attribute whose value is loaded when it is first asked for."""
        self._late[name] = value
