"""The manifest beside every result: all that is needed to make it again."""

from __future__ import annotations

import json
import os
import platform
from importlib import metadata
from pathlib import Path
from typing import Any

from hassle.errors import InputError
from hassle.files.atomic import write_text
from hassle.version import __version__

DEPENDENCIES = ("numpy", "numba", "python-sat", "ortools", "pyganak", "scikit-learn")


def manifest(options: dict[str, Any], runs: int) -> dict[str, Any]:
    """Version, options (the seeds follow from them), dependencies and machine."""
    return {
        "format": "hassle-experiment",
        "version": __version__,
        "options": options,
        "runs": runs,
        "python": platform.python_version(),
        "dependencies": {name: metadata.version(name) for name in DEPENDENCIES},
        "machine": {"cores": os.cpu_count(), "system": platform.system(), "processor": platform.machine()},
    }


def write_manifest(path: Path, content: dict[str, Any]) -> None:
    write_text(path, json.dumps(content, indent=2) + "\n")


def read_options(path: str) -> dict[str, Any]:
    """The options of an earlier experiment, from its manifest."""
    try:
        content = json.loads(Path(path).read_text())
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", file=path, fix="name a manifest.json") from None
    except ValueError:
        raise InputError("is not JSON", file=path, fix="name a manifest.json") from None
    if not isinstance(content, dict) or content.get("format") != "hassle-experiment":
        raise InputError("is not the manifest of an experiment", file=path, fix="name a manifest.json")
    options = content["options"]
    assert isinstance(options, dict)
    return options
