"""The pages of the reference: every public name with its signature and docstring, a page a module."""

from __future__ import annotations

import inspect
import re
from collections import defaultdict
from types import ModuleType
from typing import Any

from tfgrad_jax.engine.names.export import registry

HIDDEN = ("dtensor.", "python.", "__internal__", "compiler.")
"""How the names of modules begin that are there for libraries that reach into TensorFlow's inside."""

_SECTION = re.compile(r"(Args|Returns|Raises|Yields|Attributes):$")
_ITEM = re.compile(r"  ([*\w, `]+): (.*)$")
_SPECIAL = re.compile(r"(`[^`]*`)|([*_<\[\]])")


def names() -> dict[str, Any]:
    """The public names that are loaded, without modules."""
    return {
        name: value
        for name, value in registry.items()
        if not isinstance(value, ModuleType) and not name.startswith(HIDDEN)
    }


def signature(value: Any) -> str:
    """`(a, b=1)` for what can be called, else nothing."""
    if not callable(value):
        return ""
    try:
        given = inspect.signature(value)
    except (TypeError, ValueError):
        return "(...)"
    bare = [p.replace(annotation=p.empty) for p in given.parameters.values()]
    return re.sub(r" at 0x[0-9a-f]+", "", str(inspect.Signature(bare)))


def plain(text: str) -> str:
    """Words in which nothing but what stands between backticks means anything to Markdown."""
    return _SPECIAL.sub(lambda found: found[1] or "\\" + found[2], text)


def markdown(doc: str) -> str:
    """A docstring in Markdown: its sections become lists."""
    lines: list[str] = []
    within = False
    for line in doc.splitlines():
        if section := _SECTION.match(line):
            within = True
            lines += ["", f"**{section[1]}**", ""]
        elif within and (item := _ITEM.match(line)):
            lines.append(f"- `{item[1]}`: {plain(item[2])}")
        elif within and line.startswith("  "):
            lines.append(("  " if line.startswith("    ") else "") + plain(line.strip()))
        else:
            within = within and not line
            lines.append(plain(line))
    return "\n".join(lines).strip()


def documentation(value: Any) -> str:
    """The docstring; of values that only have their type's, the value."""
    if not (inspect.isroutine(value) or inspect.isclass(value) or hasattr(value, "op")):
        return f"`{value!r}`" if len(repr(value)) <= 60 and " at 0x" not in repr(value) else ""
    return markdown(inspect.getdoc(value) or "")


def methods(value: Any) -> list[str]:
    """Of a class the public methods and properties that say what they do, by their first paragraphs."""
    if not inspect.isclass(value):
        return []
    lines = []
    for name, member in sorted(vars(value).items()):
        member = getattr(member, "__func__", member)
        if name.startswith("_") or not (callable(member) or isinstance(member, property)):
            continue
        first = " ".join((inspect.getdoc(member) or "").split("\n\n")[0].split())
        if first:
            lines.append(f"- `{name}{signature(member)}`: {plain(first)}")
    return ["", "**Methods and properties**", "", *lines] if lines else []


def entry(name: str, value: Any, aliases: list[str]) -> str:
    """One name with its signature, documentation, raw operation and other names."""
    notes = []
    if (operation := getattr(value, "op", None)) is not None and hasattr(operation, "roles"):
        notes.append(f"Operation `{operation.name}`.")
    if aliases:
        notes.append("Also " + ", ".join(f"`tf.{alias}`" for alias in sorted(aliases)) + ".")
    parts = [f"## `tf.{name}` {{ #{name} }}"]
    if given := signature(value):
        # Without what stands before it, so that the search finds the name alone, too.
        parts.append(f"```py\n{name.rpartition('.')[2]}{given}\n```")
    parts += [text for text in (documentation(value), "\n".join(methods(value)).strip(), " ".join(notes)) if text]
    return "\n\n".join(parts)


def file_of(module: str) -> str:
    """Where the page of a module is, `index.md` being that of all."""
    return f"tf.{module}.md" if module else "tf.md"


def pages(found: dict[str, Any], version: str) -> dict[str, str]:
    """The pages by file: each object once, on the page of its first name among the shortest; other names lead there."""
    by_object: dict[int, list[str]] = defaultdict(list)
    for name, value in found.items():
        # Numbers and strings that happen to be equal are no aliases of one another.
        by_object[id(value) if callable(value) or hasattr(value, "__dict__") else id(name)].append(name)
    entries: dict[str, dict[str, str]] = defaultdict(dict)
    elsewhere: dict[str, list[str]] = defaultdict(list)
    for known in by_object.values():
        main, *aliases = sorted(known, key=lambda name: name.count("."))
        home = main.rpartition(".")[0]
        entries[home][main] = entry(main, found[main], aliases)
        for alias in aliases:
            if (module := alias.rpartition(".")[0]) != home:
                elsewhere[module].append(f"[`tf.{alias}`]({file_of(home)}#{main})")
    modules = sorted({*entries, *elsewhere})
    made = {}
    for module in modules:
        title = f"tf.{module}".rstrip(".")
        lines = [f"# {title}", ""]
        if elsewhere[module]:
            lines += ["Under another name elsewhere: " + ", ".join(sorted(elsewhere[module], key=str.lower)) + ".", ""]
        made[file_of(module)] = (
            "\n".join([*lines, "\n\n".join(entries[module][n] for n in sorted(entries[module]))]) + "\n"
        )
    rows = [f"| [{f'tf.{m}'.rstrip('.')}]({file_of(m)}) | {len(entries[m])} | {len(elsewhere[m])} |" for m in modules]
    made["index.md"] = (
        "\n".join(
            [
                "# API",
                "",
                f"Made from the declarations: {len(found)} public names of {len(by_object)} objects, at the API level of "
                f"TensorFlow {version}. `tf.keras` is Keras' own, and has its documentation at keras.io. "
                "[Coverage](../coverage.md) says what is missing.",
                "",
                "| module | names | and by other names |",
                "|---|---:|---:|",
                *rows,
            ]
        )
        + "\n"
    )
    return made
