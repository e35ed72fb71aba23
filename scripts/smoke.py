"""A smoke test of an installed hassle, without its repository: ``python scripts/smoke.py``, by ``make dist``.

It learns from examples that it writes, solves, converts, runs the script that comes out, and looks for ``py.typed``.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from importlib.resources import files
from pathlib import Path

EXAMPLES = """ana,ben,context,label
1,0,,1
0,1,,0
1,1,,0
0,1,!ana,1
"""


def run(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def main() -> None:
    import hassle

    assert "site-packages" in hassle.__file__, f"{hassle.__file__} is not installed"
    assert files("hassle").joinpath("py.typed").is_file()
    with tempfile.TemporaryDirectory() as folder:
        examples, model, script = (Path(folder, name) for name in ("examples.csv", "model.json", "model.py"))
        examples.write_text(EXAMPLES)
        programme = str(Path(sys.executable).parent / "hassle")
        assert hassle.__version__ in run(programme, "--version")
        learned = json.loads(run(programme, "learn", str(examples), "-o", str(model), "--steps", "200", "--json"))
        assert learned["score"] == 1, learned
        solved = json.loads(run(programme, "solve", str(model), "--json"))
        assert solved["assignments"] == [{"ana": 1, "ben": 0}], solved
        run(programme, "convert", str(model), str(script))
        assert "ana = 1" in run(sys.executable, str(script))
    print(f"hassle {hassle.__version__} from {Path(hassle.__file__).parent.parent.name} works")


if __name__ == "__main__":
    main()
