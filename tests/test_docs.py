"""The Python in the documents runs, and prints what the next `text` block says (blocks in a row share one)."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FENCE = re.compile(r"^```(python|text)\n(.*?)^```$", re.M | re.S)
HEADING = re.compile(r"^#+ (.*)$", re.M)
PLACE = re.compile(r"\]\((?!https?:)([^)#\s]*)(#[^)\s]*)?\)")
MADE = {"coverage.md", "differences.md", "gallery.md", "changelog.md", "contributing.md", "security.md"}
LINK = re.compile(r"\]\((?!https?:)([^)#]+)\)")


def snippets() -> list:
    found = []
    for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]:
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
def test_snippet_prints_what_the_document_says(request, tmp_path, code, expected):
    run = request.getfixturevalue("run_with_keras" if "keras" in code else "run_imported")
    program = tmp_path / "snippet.py"  # a file, so that AutoGraph finds the source
    program.write_text(code)
    done = run("-m", "tfgrad_jax", str(program))
    assert (done.returncode, done.stdout) == (0, expected), done.stderr


def test_links_lead_somewhere():
    for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]:
        for link in LINK.findall(path.read_text()):
            made = path.parent.name == "docs" and (link in MADE or link.startswith("api/"))
            assert made or (path.parent / link).exists(), f"{path.name} links to {link}"


@pytest.fixture(scope="module")
def site(run_imported, tmp_path_factory):
    """The folder of all pages, as MkDocs gets them."""
    target = tmp_path_factory.mktemp("site")
    code = f"import pathlib, runpy; runpy.run_path('docs/build.py')['build'](pathlib.Path({str(target)!r}) / 'docs')"
    done = run_imported("-c", code)
    assert done.returncode == 0, done.stderr
    return target / "docs"


def anchors(page: str) -> set[str]:
    """The places of a page that links may name: headings, by MkDocs' rule or by the name given in braces."""
    found = set()
    for heading in HEADING.findall(page):
        given = re.search(r"\{ #(\S+) \}", heading)
        found.add(given[1] if given else re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower()))
    return found


def test_pages_of_the_site_link_to_pages_and_places(site):
    pages = {path.relative_to(site).as_posix(): path.read_text() for path in site.rglob("*.md")}
    assert {"index.md", "api/index.md", "api/tf.math.md", *MADE} <= pages.keys()
    wrong = []
    for name, text in pages.items():
        for link, place in PLACE.findall(re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)):
            goal = (site / name).parent / link if link else site / name
            if not goal.is_file() or (place and place[1:] not in anchors(goal.read_text())):
                wrong.append(f"{name}: {link}{place}")
    assert not wrong


def test_every_page_is_in_the_navigation(site):
    listed = set(re.findall(r": (\w\S*\.md)$", (ROOT / "mkdocs.yml").read_text(), re.M))
    assert listed == {path.relative_to(site).as_posix() for path in [*site.glob("*.md"), site / "api" / "index.md"]}


def test_made_pages_say_what_they_should(site):
    gaps = tomllib.loads((ROOT / "conformance" / "gaps.toml").read_text())
    differences = (site / "differences.md").read_text()
    assert all(case in differences for case in gaps) and "## Missing" in differences
    nn = (site / "api" / "tf.nn.md").read_text()
    assert "## `tf.nn.conv2d`" in nn and "\nconv2d(input, filters, strides" in nn and "**Args**" in nn
    assert "Also `tf.math.add`" in (site / "api" / "tf.md").read_text()
    gallery = (site / "gallery.md").read_text()
    assert all(f"## {path.stem}\n" in gallery for path in (ROOT / "examples").glob("*.py"))


def test_pages_ask_no_other_server(site):
    settings = (ROOT / "mkdocs.yml").read_text()
    assert (
        (site / "iframe-worker.js").exists()
        and "polyfills: [iframe-worker.js]" in settings
        and "font: false" in settings
    )


def test_reference_lists_every_public_name(run_imported):
    code = "import sys; sys.path.insert(0, 'docs'); import reference; print(reference.pages({'nn.relu': abs, 'x.relu': abs}, '2'))"
    done = run_imported("-c", code)
    assert "## `tf.nn.relu` { #nn.relu }" in done.stdout, done.stderr
    assert "Also `tf.x.relu`" in done.stdout
    assert "[`tf.x.relu`](tf.nn.md#nn.relu)" in done.stdout
