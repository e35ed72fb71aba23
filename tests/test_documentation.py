"""The documentation leads somewhere, names what there is, and is true: its examples are run by ``make docs``.

Here the structure is checked, and the notebooks are run; running every page takes minutes and is slow.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "scripts"))

import make_docs  # noqa: E402 (a script, found by the line above)

PAGES = make_docs.pages()
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
# Pages that are made when the site is built.
MADE = {"reference/python.md", "reference/commands.md", "changelog.md", "contributing.md", "security.md"}


def named(page):
    return page.relative_to(make_docs.DOCS).as_posix()


def anchors(text):
    """The anchors of headings, as MkDocs makes them."""
    headings = re.findall(r"^#+ (.+)$", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL), re.MULTILINE)
    return {re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", heading.lower())).strip("-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_links_lead_somewhere(page):
    text = page.read_text()
    drawn = set(re.findall(r"--plot (\S+)", text))
    for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)):
        path, _, anchor = target.partition("#")
        if target.startswith("http") or path in drawn:
            continue
        file = (page.parent / path).resolve() if path else page
        if file.is_relative_to(make_docs.DOCS) and named(file) in MADE:
            continue
        assert file.exists(), f"{named(page)}: {target}"
        if anchor and file.suffix == ".md":
            assert anchor in anchors(file.read_text()), f"{named(page)}: {target}"


def test_every_page_is_in_the_navigation():
    listed = set(re.findall(r": (\S+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE))
    assert listed - MADE == set(map(named, PAGES))


def test_every_public_name_is_documented():
    import hassle

    assert make_docs.undocumented(hassle) == []


def test_the_reference_names_everything_public():
    import hassle

    page = make_docs.api_page()
    assert [name for name in hassle.__all__ if name[0] != "_" and f".{name}\n" not in page] == []


def test_nothing_is_loaded_from_elsewhere():
    assert "font: false" in (ROOT / "mkdocs.yml").read_text()


def test_changed_outputs_are_noticed(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "```console\n$ echo one\none\n$ echo two\nthree\n```\n\n"
        "```pycon\n>>> 1 + 1\n3\n>>> 'acb'\n'a...b'\n>>> for i in (1, 2):\n...     print(i, '\\n')\n1\n\n2\n\n```\n"
    )
    text, changes = make_docs.run_page(page, tmp_path)
    assert [(change.shown, change.printed) for change in changes] == [
        ("$ echo two\nthree\n", "$ echo two\ntwo\n"),
        (">>> 1 + 1\n3\n", ">>> 1 + 1\n2\n"),
    ]
    assert make_docs.run_page(_written(page, text), tmp_path) == (text, [])


def _written(page, text):
    page.write_text(text)
    return page


class Half:
    """Says something of itself, though not of all it has."""

    def told(self):
        """What it is for."""

    def untold(self): ...

    @property
    def silent(self): ...


def silent(): ...


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A documentation of its own, without pages; what the reference is made from is left out, for it takes a while."""
    monkeypatch.setattr(make_docs, "DOCS", tmp_path / "docs")
    monkeypatch.setattr(make_docs, "BUILD", tmp_path / "build")
    monkeypatch.setattr(make_docs, "write_reference", lambda: None)
    monkeypatch.setattr(make_docs, "ROOT", tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "examples").mkdir()
    changed = "docs_dir: build\nsite_dir: site\ntheme: mkdocs\nplugins: []\nexclude_docs: ''\nnav:\n  - Page: page.md\n"
    (tmp_path / "mkdocs.yml").write_text(f"INHERIT: {ROOT / 'mkdocs.yml'}\n{changed}")
    return tmp_path


GOOD = "# A page\n\n[Here](#a-page).\n\n```pycon\n>>> 1 + 1\n2\n```\n"


def test_the_build_fails_on_a_changed_output_until_it_is_accepted(site, capsys):
    page = site / "docs" / "page.md"
    page.write_text(GOOD.replace("\n2\n", "\n3\n"))
    assert make_docs.main(["--only", "page.md"]) == 1
    told = capsys.readouterr()
    assert "--- page.md shows\n>>> 1 + 1\n3\n--- but this is printed\n>>> 1 + 1\n2\n" in told.out
    assert "1 outputs have changed" in told.err
    assert make_docs.main(["--only", "page.md", "--accept"]) == 0
    assert page.read_text() == GOOD
    assert make_docs.main(["--only", "page.md"]) == 0


def test_the_build_fails_on_broken_links(site, capfd):
    pytest.importorskip("mkdocs", reason="pip install 'hassle-learn[docs]'")
    links = ("elsewhere.md", "#nowhere", "picture.svg")
    (site / "docs" / "page.md").write_text("\n\n".join([GOOD, *(f"[there]({link})" for link in links)]))
    assert make_docs.main([]) == 1
    told = capfd.readouterr().err
    assert all(f"a link '{link}'" in told for link in links)


def test_the_build_gives_a_site(site):
    pytest.importorskip("mkdocs", reason="pip install 'hassle-learn[docs]'")
    (site / "docs" / "page.md").write_text(GOOD)
    assert make_docs.main([]) == 0
    assert "A page" in (site / "site" / "page.html").read_text()


def test_the_build_fails_on_an_undocumented_name(site, monkeypatch, capsys):
    package = ModuleType("package", "A package.")
    package.__all__, package.Half, package.silent = ["Half", "silent"], Half, silent
    assert make_docs.undocumented(package) == ["Half.untold", "Half.silent", "silent"]
    monkeypatch.setitem(sys.modules, "hassle", package)
    assert make_docs.main([]) == 1
    assert "without documentation: Half.untold, Half.silent, silent" in capsys.readouterr().err


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run(notebook, monkeypatch):
    """In this process; the slow test runs them as Jupyter does."""
    cells = json.loads(notebook.read_text())["cells"]
    names: dict[str, object] = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), notebook.name, "exec"), names)
            assert not cell["outputs"], "notebooks are kept without outputs"


def test_there_are_three_notebooks():
    assert len(NOTEBOOKS) == 3


@pytest.mark.slow
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run_in_jupyter(notebook):
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    nbclient.NotebookClient(nbformat.read(notebook, as_version=4), timeout=300).execute()


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in PAGES if make_docs.is_run(page)], ids=named)
def test_pages_print_what_they_show(page, tmp_path):
    assert make_docs.run_page(page, tmp_path)[1] == []
