"""What a release needs is there and agrees with itself; that it installs is for ``make dist``."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import hassle
from hassle.exits.script import script_text
from hassle.logic import Choice, Schema, YesNo
from hassle.model import Model

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_the_package_is_typed():
    assert (Path(hassle.__file__).parent / "py.typed").is_file()
    assert "Typing :: Typed" in PROJECT["classifiers"]


def test_every_dependency_has_a_lowest_version():
    script = ROOT / "scripts" / "lowest.py"
    told = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True).stdout.split()
    assert len(told) == len(PROJECT["dependencies"])
    assert all(re.fullmatch(r"[\w-]+==[\w.]+(\.\*)?", each) for each in told)


def test_the_citation_names_the_paper_and_its_authors():
    text = (ROOT / "CITATION.cff").read_text()
    assert 'name: "the hassle developers"' in text
    assert all(f"family-names: {name}" in text for name in ("Kumar", "Kolb", "Teso", "De Raedt"))


def test_the_version_is_the_same_everywhere():
    cited = re.search(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert cited[1] == newest[1] == hassle.__version__


def test_what_is_packed_exists():
    packed = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["sdist"][
        "include"
    ]
    assert not [path for path in packed if not (ROOT / path).exists()]


def test_names_cannot_become_code_in_a_script(capsys):
    nasty = ("x'] = print('broken'); y['", '"""\nprint("broken")', "\\", "#")
    nasty = tuple(name.replace("\n", " ") for name in nasty)
    schema = Schema((*map(YesNo, nasty), Choice("'; print('broken')", ("a", "'b\\"))))
    model = Model.from_units(schema, [(1, 2), (-3, 5)], [((4,), 500), ((-6, 1), -100)])
    exec(compile(script_text(model), "script", "exec"), {"__name__": "script"})
    assert "broken" not in capsys.readouterr().out
