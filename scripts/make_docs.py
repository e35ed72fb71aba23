"""The documentation as a site in build/site: ``make docs``.

Every page of docs/ is run: ``console`` blocks (lines after ``$`` are typed, in one folder per page that holds the files
of examples/) and ``pycon`` blocks (one Python per page). What they print must be what the page shows, but for ``...``;
``--accept`` writes what they print into the pages instead. Then the pages, the pictures that their commands drew, and
the reference made from docstrings and ``--help`` go to build/docs, and MkDocs makes the site, strictly: a link that
leads nowhere is an error. ``--only PAGE`` runs a single page and builds nothing.
"""

from __future__ import annotations

import argparse
import contextlib
import doctest
import inspect
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parent.parent
DOCS, BUILD = ROOT / "docs", ROOT / "build" / "docs"
BLOCK = re.compile(r"^```(console|pycon)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# How a part of a block begins, and what of it is typed: a command goes on after a backslash, Python after three dots.
PROMPTS = {
    "console": (r"\$ ", r"\$ (?:.*\\\n)*.*\n"),
    "pycon": (r">>> ", r">>> .*\n(?:\.\.\.(?: .*)?\n)*"),
}
SAME = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
PICTURES = (".png", ".svg")


@dataclass(frozen=True)
class Change:
    """A block whose output is not the one shown."""

    page: Path
    shown: str
    printed: str


def pages() -> list[Path]:
    return sorted(DOCS.rglob("*.md"))


def is_run(page: Path) -> bool:
    return BLOCK.search(page.read_text()) is not None


def same(shown: str, printed: str) -> bool:
    """Whether the one would be taken for the other; how long something took is never the same."""
    shown, printed = (re.sub(r"\b[0-9.]+ s\b", "some s", each) for each in (shown, printed))
    return doctest.OutputChecker().check_output(shown, printed, SAME)


def run_page(page: Path, folder: Path) -> tuple[str, list[Change]]:
    """Run the blocks of a page in a folder; the page with what they print, and what has changed."""
    for file in (ROOT / "examples").iterdir():
        if file.suffix in (".csv", ".xlsx"):
            shutil.copy(file, folder)
    changes: list[Change] = []
    python: dict[str, object] = {"__name__": "__main__"}

    def run(found: re.Match[str]) -> str:
        kind, text = found[1], found[2]
        result = []
        for typed, shown in _parts(kind, text):
            printed = _console(typed, folder) if kind == "console" else _python(typed, python, folder)
            if not same(shown, printed):
                changes.append(Change(page, typed + shown, typed + printed))
                shown = printed
            result.append(typed + shown)
        return f"```{kind}\n{''.join(result)}```"

    return BLOCK.sub(run, page.read_text()), changes


def _parts(kind: str, text: str) -> Iterator[tuple[str, str]]:
    """What is typed in a block, each with what is shown after it, blank lines included."""
    start, typed = PROMPTS[kind]
    for part in filter(str.strip, re.split(f"^(?={start})", text, flags=re.MULTILINE)):
        found = re.match(typed, part)
        if found is None:
            raise SystemExit(f"nothing is typed in: {part!r}")
        yield found[0], part[found.end() :]


def _console(typed: str, folder: Path) -> str:
    command = typed.removeprefix("$ ").rstrip("\n")
    tools = folder / ".bin"
    tools.mkdir(exist_ok=True)
    for name, module in (("hassle", " -m hassle"), ("python", "")):
        (tools / name).write_text(f'#!/bin/sh\nexec {sys.executable}{module} "$@"\n')
        (tools / name).chmod(0o755)
    environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "COLUMNS": "100", "TERM": "dumb"}
    # What goes to stderr (what was recognised, progress) is not shown; what goes wrong is.
    run = subprocess.run(
        command, shell=True, cwd=folder, env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    if run.returncode:
        return run.stdout + run.stderr
    return run.stdout


def _python(typed: str, names: dict[str, object], folder: Path) -> str:
    source = "".join(line[4:] + "\n" for line in typed.splitlines())
    printed = io.StringIO()
    here = os.getcwd()
    os.chdir(folder)
    try:
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()):
            exec(compile(source, "page", "single"), names)
    except Exception as error:
        return printed.getvalue() + f"{type(error).__name__}: {error}\n"
    finally:
        os.chdir(here)
    return printed.getvalue()


# The reference, made from the code.


def api_page() -> str:
    """Every public name, where mkdocstrings finds it."""
    import hassle

    lines = ["# Python\n", "What `import hassle` offers.\n"]
    for name in sorted(hassle.__all__, key=str.lower):
        thing = getattr(hassle, name)
        if name.startswith("__"):
            continue
        lines.append(f"::: {thing.__module__}.{thing.__qualname__}\n    options:\n      heading_level: 2\n")
    return "\n".join(lines)


def commands_page() -> str:
    """The help of every command, as it is printed."""
    from hassle.cli.main import COMMANDS

    environment = {**os.environ, "COLUMNS": "100", "TERM": "dumb", "NO_COLOR": "1"}
    lines = ["# Command line\n", "What `hassle COMMAND --help` prints.\n"]
    for name in COMMANDS:
        command = name.replace("_", "-")
        helped = subprocess.run(
            [sys.executable, "-m", "hassle", command, "--help"], capture_output=True, text=True, env=environment,
            check=True,
        )  # fmt: skip
        lines.append(f"## hassle {command}\n\n```text\n{helped.stdout.strip()}\n```\n")
    return "\n".join(lines)


def undocumented(package: ModuleType) -> list[str]:
    """Public names, and public methods and properties of public classes, that say nothing of themselves."""
    silent = []
    for name in package.__all__:
        thing = getattr(package, name)
        if name.startswith("__"):
            continue
        # Of a data class without a docstring, Python says its signature.
        if not (thing.__doc__ or "").strip() or (thing.__doc__ or "").startswith(f"{name}("):
            silent.append(name)
        if inspect.isclass(thing):
            for member, value in vars(thing).items():
                speaks = inspect.isfunction(value) or isinstance(
                    value, property | cached_property | classmethod | staticmethod
                )
                if not member.startswith("_") and speaks and not inspect.getdoc(getattr(thing, member)):
                    silent.append(f"{name}.{member}")
    return silent


def main(arguments: list[str] | None = None) -> int:
    import hassle

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--accept", action="store_true", help="write what the examples print into the pages")
    parser.add_argument("--only", metavar="PAGE", action="append", help="run this page alone, and build nothing")
    options = parser.parse_args(arguments)
    if silent := undocumented(hassle):
        print(f"without documentation: {', '.join(silent)}", file=sys.stderr)
        return 1
    shutil.rmtree(BUILD, ignore_errors=True)
    shutil.copytree(DOCS, BUILD)
    changes: list[Change] = []
    for page in pages():
        relative = page.relative_to(DOCS)
        if not is_run(page) or (options.only and relative.as_posix() not in options.only):
            continue
        print(f"running {relative}", file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory() as name:
            text, changed = run_page(page, Path(name))
            for picture in Path(name).iterdir():
                if picture.suffix in PICTURES:
                    shutil.copy(picture, (BUILD / relative).parent)
        changes += changed
        (BUILD / relative).write_text(text)
        if options.accept and changed:
            page.write_text(text)
    for change in changes:
        print(f"--- {change.page.relative_to(DOCS)} shows\n{change.shown}--- but this is printed\n{change.printed}")
    if changes and not options.accept:
        print(f"{len(changes)} outputs have changed; look at them, then: make docs ACCEPT=--accept", file=sys.stderr)
        return 1
    if options.only:
        return 0
    write_reference()
    return build_site(ROOT / "mkdocs.yml")


def write_reference() -> None:
    """The pages that are made from the code, and those that lie elsewhere in the repository."""
    (BUILD / "reference").mkdir(exist_ok=True)
    (BUILD / "reference" / "python.md").write_text(api_page())
    (BUILD / "reference" / "commands.md").write_text(commands_page())
    for name in ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"):
        # There, docs/ is the folder of the site.
        (BUILD / name.lower()).write_text((ROOT / name).read_text().replace("](docs/", "]("))
    shutil.copytree(ROOT / "results", BUILD / "results", dirs_exist_ok=True)
    for page in BUILD.glob("*.md"):
        page.write_text(page.read_text().replace("](../results/", "](results/"))


def build_site(config: Path) -> int:
    """MkDocs' exit code: not zero where a link or an anchor leads nowhere (with --quiet it would count no warnings)."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", str(config)]
    return subprocess.run(command, cwd=config.parent, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
