"""`python docs/build.py` (what `make docs` runs first): gathers the pages of the site in build/docs/.

Some are made here: the reference and the coverage from the code, the differences from the ledger of known gaps, the gallery from
the examples. The others are the Markdown files of this folder, and three of the checkout's root. MkDocs makes HTML of all.
"""

from __future__ import annotations

import ast
import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "docs")]

import reference

import tfgrad_jax
from conformance import coverage, ledger
from tfgrad_jax.api.absent import absent
from tfgrad_jax.api.differs import differs

TARGET = ROOT / "build" / "docs"

FROM_ROOT = {"CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md", "SECURITY.md": "security.md"}
"""Pages of the site that are files of the root, where people look for them."""

BEHIND = {
    "api/": 0.2,
    "changelog.md": 0.1,
    "coverage.md": 0.1,
    "contributing.md": 0.3,
    "design.md": 0.3,
    "performance.md": 0.5,
}
"""How much less a page counts in the search, by the beginning of its name: users look for guides first."""

LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?:|#)([^)#\s]+)(#[^)]*)?\)")


def relinked(text: str, folder: Path) -> str:
    """The text of a file of `folder` with links that lead to pages of the site; what is no page becomes plain words."""

    def link(found: re.Match[str]) -> str:
        picture, words, path, place = found.groups()
        goal = (folder / path).resolve()
        if goal.parent == ROOT and goal.name in {**FROM_ROOT, "README.md": "index.md"}:
            return f"[{words}]({FROM_ROOT.get(goal.name, 'index.md')}{place or ''})"
        if goal.is_relative_to(ROOT / "docs"):
            return f"{picture}[{words}]({goal.relative_to(ROOT / 'docs').as_posix()}{place or ''})"
        return found[0] if not goal.exists() else words

    return LINK.sub(link, text)


def differences(gaps: dict[str, str], readme: str) -> str:
    """What is known to be missing, and each answer that is known to differ."""
    missing = re.search(r"^## What is missing\n(.*?)(?=^A name that is missing|^## )", readme, re.M | re.S)
    lines = [
        "# Differences from TensorFlow",
        "",
        "What is known. What is missing raises an error that names it; no answer is quietly approximated. Names one by one: "
        "[coverage](coverage.md).",
        "",
        "## Missing",
        "",
        missing[1].strip() if missing else "",
        "",
        "## Answers that differ",
        "",
        "Made from the ledger of the conformance suite (`conformance/gaps.toml`), in which an entry that no longer differs "
        "fails the run.",
        "",
        "| where | what differs |",
        "|---|---|",
    ]
    cells = [[text.replace("|", "\\|") for text in gap] for gap in gaps.items()]
    return "\n".join([*lines, *(f"| {case} | {why} |" for case, why in cells)]) + "\n"


def gallery(examples: Path, pictures: Path) -> str:
    """Each example with its first words, the command that runs it, and its picture where there is one."""
    lines = [
        "# Gallery",
        "",
        "Programs of a hundred lines, from `examples/`. All but one are plain TensorFlow: run them by `python -m tfgrad_jax` or by "
        "`python` with TensorFlow. Their data comes with a package or is made by them, and none takes longer than a few minutes "
        "on two cores. `make examples` runs all.",
    ]
    for path in sorted(examples.glob("*.py")):
        words = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        first = " ".join(words.split("\n\n")[0].split())
        lines += ["", f"## {path.stem}", "", first, "", f"    python -m tfgrad_jax examples/{path.name}"]
        if (pictures / f"{path.stem}.png").exists():
            lines += ["", f"![What {path.name} draws](pictures/{path.stem}.png)"]
    return "\n".join(lines) + "\n"


def build(target: Path = TARGET) -> int:
    """Write all pages; returns how many there are."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(ROOT / "docs", target, ignore=shutil.ignore_patterns("*.py", "__pycache__", "*.md"))
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    # This asks for every name, so that those that are loaded late are there for the reference.
    found = coverage.rows(tfgrad_jax, absent, differs)
    pages = {
        **{path.name: relinked(path.read_text(encoding="utf-8"), path.parent) for path in (ROOT / "docs").glob("*.md")},
        **{page: relinked((ROOT / name).read_text(encoding="utf-8"), ROOT) for name, page in FROM_ROOT.items()},
        "coverage.md": coverage.page(found, tfgrad_jax.__version__),
        "differences.md": relinked(differences(ledger.read(), readme), ROOT),
        "gallery.md": gallery(ROOT / "examples", ROOT / "docs" / "pictures"),
        **{f"api/{name}": text for name, text in reference.pages(reference.names(), tfgrad_jax.__version__).items()},
    }
    for name, text in pages.items():
        weight = next((weight for start, weight in BEHIND.items() if name.startswith(start)), 1)
        text = text if weight == 1 else f"---\nsearch:\n  boost: {weight}\n---\n{text}"
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (target / name).write_text(text, encoding="utf-8")
    return len(pages)


if __name__ == "__main__":
    print(f"{TARGET.relative_to(ROOT)}: {build()} pages")
