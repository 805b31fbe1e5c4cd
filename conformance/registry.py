"""Cases: how one is declared, found, and shown to someone who wants to reproduce it."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Body = Callable[[Any], Any]


@dataclass(frozen=True)
class Case:
    """One behaviour: a function of the module under test, and what may be done with it.

    Attributes:
      area: where it stands in the table, such as `tape/asking`.
      title: the behaviour in a few words; unique within its area.
      body: takes the module (`tf`) and returns a nest of tensors and Python values.
      function_ok: whether the body may also run inside `tf.function` (it makes no variables and returns only tensors).
      rtol: relative tolerance that replaces the dtype's own; the case says why in a comment.
    """

    area: str
    title: str
    body: Body
    function_ok: bool = False
    rtol: float | None = None

    @property
    def name(self) -> str:
        """The key in goldens and in the ledger."""
        return f"{self.area}: {self.title}"

    def snippet(self, module: str) -> str:
        """A program that runs this case alone under `module`, from the repository's root."""
        source = textwrap.dedent(inspect.getsource(self.body))
        source = re.sub(r"\A@\w+\(.*?\)\n(?=def )", "", source, flags=re.DOTALL)
        words = set(re.findall(r"\w+", source))
        scope = vars(inspect.getmodule(self.body))
        helpers = sorted(w for w in words & scope.keys() if w != "_" and not inspect.ismodule(scope[w]))
        lines = [f"import {module} as tf"]
        lines += [f"import {scope[w].__name__} as {w}" for w in sorted(words) if inspect.ismodule(scope.get(w))]
        if helpers:
            lines.append(f"from {self.body.__module__} import {', '.join(helpers)}")
        return "\n".join(lines) + f"\n\n{source}\nprint({self.body.__name__}(tf))\n"


_cases: dict[str, Case] = {}


def case(area: str, title: str, *, function_ok: bool = False, rtol: float | None = None) -> Callable[[Body], Body]:
    """Declare the decorated function of `tf` as a case; see `Case` for the arguments.

    Raises:
      ValueError: if a case of this area has the same title.
    """

    def declare(body: Body) -> Body:
        new = Case(area, title, body, function_ok, rtol)
        if _cases.setdefault(new.name, new) is not new:
            raise ValueError(f"two cases are called {new.name!r}")
        return body

    return declare


def load_cases() -> dict[str, Case]:
    """Import every module of `conformance.cases` and return what they declared, by name."""
    package = importlib.import_module("conformance.cases")
    for module in sorted(pkgutil.iter_modules(package.__path__), key=lambda m: m.name):
        importlib.import_module(f"{package.__name__}.{module.name}")
    return dict(_cases)
