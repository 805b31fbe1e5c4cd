"""The Python in the documents runs, and prints what the next `text` block says (blocks one after the other share it)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FENCE = re.compile(r"^```(python|text)\n(.*?)^```$", re.M | re.S)
LINK = re.compile(r"\]\((?!https?:)([^)#]+)\)")


def snippets() -> list:
    found = []
    for path in (ROOT / "README.md", ROOT / "CONTRIBUTING.md"):
        waiting: list[tuple[str, str]] = []
        for number, (kind, text) in enumerate(FENCE.findall(path.read_text())):
            if kind == "python":
                waiting.append((f"{path.name}-{number}", text))
                continue
            found += [pytest.param(code, text, id=name) for name, code in waiting]
            waiting = []
        assert not waiting, f"{path.name}: a python block without the text that it prints"
    return found


@pytest.mark.parametrize(("code", "expected"), snippets())
def test_snippet_prints_what_the_document_says(run_python, code, expected):
    done = run_python("-m", "tfgrad_jax", "-c", code)
    assert (done.returncode, done.stdout) == (0, expected), done.stderr


def test_links_lead_somewhere():
    made = {"docs/api.md"}  # by `make docs`
    for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]:
        for link in LINK.findall(path.read_text()):
            target = (path.parent / link).resolve()
            assert target.exists() or str(target.relative_to(ROOT)) in made, f"{path.name} links to {link}"
