"""The Python in the documents runs, and prints what the next `text` block says (blocks in a row share one)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FENCE = re.compile(r"^```(python|text)\n(.*?)^```$", re.M | re.S)
LINK = re.compile(r"\]\((?!https?:)([^)#]+)\)")


def snippets() -> list:
    found = []
    for path in (
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        ROOT / "docs" / "data.md",
        ROOT / "docs" / "distribution.md",
    ):
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
    for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]:
        for link in LINK.findall(path.read_text()):
            assert (path.parent / link).exists(), f"{path.name} links to {link}"


def test_reference_lists_every_public_name(run_python):
    done = run_python(
        "-c", "import runpy; print(runpy.run_path('docs/build.py')['page']({'nn.relu': abs, 'x.relu': abs}))"
    )
    assert "- `tf.nn.relu(x, /)`" in done.stdout, done.stderr
    assert "also `tf.x.relu`" in done.stdout
