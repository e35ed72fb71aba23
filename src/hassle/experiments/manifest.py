"""The manifest beside every result: all that is needed to make it again."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Sequence
from dataclasses import asdict, fields
from importlib import metadata
from pathlib import Path
from typing import Any

from hassle.errors import InputError
from hassle.experiments.options import Options
from hassle.experiments.run import Run
from hassle.files.atomic import write_text
from hassle.version import __version__

DEPENDENCIES = (
    *("numpy", "numba", "python-sat", "ortools", "scikit-learn", "threadpoolctl", "matplotlib"),
    *("pyganak", "pyapproxmc", "distributed"),
)


def manifest(options: Options, runs: Sequence[Run]) -> dict[str, Any]:
    """Version, options, seeds, dependencies and machine."""
    return {
        "format": "hassle-experiment",
        "version": __version__,
        "options": asdict(options),
        "seeds": {
            "models": sorted({run.model_seed for run in runs}),
            "data": sorted({run.data_seed for run in runs}),
        },
        "runs": len(runs),
        "python": platform.python_version(),
        "dependencies": {name: version for name in DEPENDENCIES if (version := _version(name))},
        "machine": {"cores": os.cpu_count(), "system": platform.system(), "processor": platform.machine()},
    }


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def write_manifest(path: Path, content: dict[str, Any]) -> None:
    write_text(path, json.dumps(content, indent=2) + "\n")


def read_options(path: str, fix: str = "name a manifest.json") -> Options:
    """The options of an earlier experiment, from its manifest; ``fix`` says what to do about one that is damaged."""
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", file=path, fix=fix) from None
    except (ValueError, RecursionError):
        raise InputError("is damaged or no manifest: not JSON", file=path, fix=fix) from None
    if not isinstance(content, dict) or content.get("format") != "hassle-experiment":
        raise InputError("is not the manifest of an experiment", file=path, fix=fix)
    given, known = content.get("options"), {field.name for field in fields(Options)}
    if not isinstance(given, dict) or "name" not in given or not set(given) <= known:
        raise InputError("has options that are not those of an experiment", file=path, fix=fix)
    try:
        return Options(**given)
    except InputError as error:
        raise error.at(path) from None
