"""The layout keeps its promises: data flows one way, and starting up costs nothing that is not used."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "hassle"

# A module imports only from its own room and from rooms before it, inside functions too.
ROOMS = (
    *("version", "compiling", "errors", "memory", "workers", "logic", "model", "exits", "data", "files"),
    *("kernels", "tables", "solve"),
    *("theory", "evaluation", "learners", "generate", "bundled", "interview", "experiments", "splitting"),
    *("estimators", "studio", "cli", "__main__"),
)

# The doors: what a dataset, a model or a schema can do with the rooms behind it is reached through its methods.
DOORS = ("data/dataset.py", "logic/schema.py", "model/model.py")


def room_of(module: str) -> str:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "hassle"


def for_types_only(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def nodes_of(tree: ast.AST, inside_functions: bool) -> Iterator[ast.AST]:
    """All nodes, but for what is imported for type checking only and, unless asked for, what is inside functions."""
    for node in ast.iter_child_nodes(tree):
        if for_types_only(node) or (isinstance(node, ast.FunctionDef) and not inside_functions):
            continue
        yield node
        yield from nodes_of(node, inside_functions)


def imported_rooms(path: Path) -> set[str]:
    """Rooms that a file imports, inside functions too unless it is a door."""
    rooms = set()
    door = path.relative_to(SOURCE).as_posix() in DOORS
    for node in nodes_of(ast.parse(path.read_text()), inside_functions=not door):
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


def test_parts_of_kernels_are_called_by_kernels_only():
    """From Python they would crash."""
    kernels = SOURCE / "kernels"
    parts = {
        node.name
        for path in kernels.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef) and any(ast.unparse(each) == "part" for each in node.decorator_list)
    }
    assert "mark_violated" in parts
    modules = {path.stem for path in kernels.glob("*.py")}
    for path in [*SOURCE.rglob("*.py"), *Path(__file__).parent.glob("*.py")]:
        if path.parent == kernels:
            continue
        nodes = list(ast.walk(ast.parse(path.read_text())))
        imports = [node for node in nodes if isinstance(node, ast.ImportFrom) and "kernels" in (node.module or "")]
        out_of_reach = {name.name for node in imports for name in node.names} & parts
        out_of_reach |= {f"{module}.{part}" for module in modules for part in parts}
        compiled = {
            inner
            for node in nodes
            if isinstance(node, ast.FunctionDef) and any(ast.unparse(each) == "njit" for each in node.decorator_list)
            for inner in ast.walk(node)
        }
        called = {ast.unparse(node.func) for node in nodes if isinstance(node, ast.Call) and node not in compiled}
        assert not called & out_of_reach, path


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
        "starlette",
        "uvicorn",
    }


def test_importing_the_package_loads_nothing_heavy():
    program = "import sys, hassle; print(*sorted(sys.modules)); hassle.learn, hassle.evaluate"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not set(run.stdout.split()) & {"numpy", "hassle.learners", "hassle.evaluation"}


def test_no_clock_is_read_that_can_be_set():
    """A clock that is put forward must not end a run, nor one put back keep it going: time.monotonic() does neither."""
    users = [path for path in SOURCE.rglob("*.py") if "time.time(" in path.read_text()]
    assert not users
