"""The layout keeps its promises: data flows one way, and starting up costs nothing that is not used."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "hassle"

# A module imports only from its own room and from rooms before it; doors inside functions are exempt.
ROOMS = (
    *("version", "errors", "memory", "logic", "model", "data", "files", "kernels", "solve", "learners"),
    *("evaluation", "theory", "generate", "bundled", "experiments", "estimators", "cli", "__main__"),
)


def room_of(module: str) -> str:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "hassle"


def imported_rooms(path: Path) -> set[str]:
    """Rooms that a file imports when it is loaded (not inside functions, not for type checking only)."""
    rooms = set()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "hassle":
            rooms.add(room_of(node.module))
        elif isinstance(node, ast.Import):
            rooms |= {room_of(alias.name) for alias in node.names if alias.name.split(".")[0] == "hassle"}
    return rooms


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda path: str(path.relative_to(SOURCE)))
def test_modules_import_only_from_rooms_above(path):
    relative = path.relative_to(SOURCE)
    if relative == Path("__init__.py"):
        return
    own = relative.parts[0].removesuffix(".py")
    assert own in ROOMS, f"{own} has no place in the list of rooms"
    later = {room for room in imported_rooms(path) if ROOMS.index(room) > ROOMS.index(own)}
    assert not later, f"{relative} imports from {later}, which come after {own}"


def test_numba_is_used_in_kernels_only():
    users = [
        path
        for path in SOURCE.rglob("*.py")
        if any(line.startswith(("import numba", "from numba")) for line in path.read_text().splitlines())
    ]
    assert users
    assert all(path.parent.name == "kernels" for path in users)


def test_the_help_loads_nothing_heavy():
    program = "import sys, hassle.cli.main as m; m.build_app(); print(*sorted(sys.modules))"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = set(run.stdout.split())
    assert "typer" in loaded
    assert not loaded & {
        "numpy",
        "numba",
        "pysat",
        "ortools",
        "sklearn",
        "scipy",
        "matplotlib",
        "distributed",
        "rich.live",
    }


def test_importing_the_package_loads_nothing_heavy():
    program = "import sys, hassle; print(*sorted(sys.modules)); hassle.learn, hassle.evaluate"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not set(run.stdout.split()) & {"numpy", "hassle.learners", "hassle.evaluation"}
