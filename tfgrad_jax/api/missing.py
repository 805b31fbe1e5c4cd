"""The error for a public name that does not exist here."""

from __future__ import annotations

import difflib

from tfgrad_jax.api.absent import absent
from tfgrad_jax.api.late import late_names
from tfgrad_jax.api.renamed import RENAMED
from tfgrad_jax.engine.names.export import registry

WHERE_TO_LOOK = "README.md says what is missing, CONTRIBUTING.md how to add an operation"


class MissingAttribute(AttributeError):
    """A public module lacks a name: it says which, what may have been meant, and where to look.

    It says so when it is read: who only asks whether a name is there, as `hasattr` does, does not wait for a look at all names.

    Args:
      module: `__name__` of the public module, such as `tfgrad_jax.nn`.
      name: The attribute asked for.
    """

    def __init__(self, module: str, name: str) -> None:
        super().__init__()
        self._module, self._missing = module, name

    @property
    def args(self) -> tuple[str]:  # type: ignore[override]
        return (str(self),)

    def __repr__(self) -> str:
        return f"AttributeError({str(self)!r})"

    def __reduce__(self) -> tuple[type[AttributeError], tuple[str]]:
        return AttributeError, self.args  # other processes get the plain one, which says the same

    def __str__(self) -> str:
        module, name = self._module, self._missing
        symbol = ".".join([*module.split(".")[1:], name])
        plain = f"module {module!r} has no attribute {name!r}"
        if name.startswith("__"):  # the interpreter and libraries probe for these; nobody reads the answer
            return plain
        if symbol.startswith(("core.", "dtensor.", "python.")):
            return (
                f"{plain}: no tensorflow.{symbol} here: of TensorFlow's private modules there is what is public under another "
                "name, and little else; use the public API"
            )
        why = absent(symbol)
        if why is not None:
            return f"{plain}: no tf.{symbol} here: {why}"
        hint = f" Did you mean {' or '.join(f'tf.{known}' for known in names)}?" if (names := likely(symbol)) else ""
        return f"{plain}: no tf.{symbol} here.{hint} ({WHERE_TO_LOOK})"


# Tracebacks, and programs that print an error's class, say what TensorFlow's error is.
MissingAttribute.__module__, MissingAttribute.__name__, MissingAttribute.__qualname__ = (
    "builtins",
    *["AttributeError"] * 2,
)


def likely(symbol: str) -> list[str]:
    """Up to three names that may have been meant: what took the place of one, those that end alike, or those that look alike.

    Args:
      symbol: the name after `tf.` that is missing.
    """
    private = ".python." in f".{symbol}"
    names = {
        name for name in (*registry, *(name for name, _ in late_names())) if private or ".python." not in f".{name}"
    }
    leaf = symbol.rpartition(".")[2]
    alike = sorted((known for known in names if known.rpartition(".")[2] == leaf), key=_old_or_strange)
    found = [*RENAMED.get(symbol, ()), *alike]
    return list(dict.fromkeys(found))[:3] or difflib.get_close_matches(symbol, names, n=3, cutoff=0.75)


def _old_or_strange(name: str) -> tuple[bool, bool, int, str]:
    """Puts the names of today before those of version 1 and of trials, short ones first."""
    return name.startswith("compat."), name.startswith("experimental."), name.count("."), name
