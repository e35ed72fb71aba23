"""The lowest versions that pyproject.toml allows, as constraints for pip (`>=` as `==`). By `make test-lowest`."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parent.parent / "pyproject.toml"


def main() -> None:
    for wanted in tomllib.loads(PROJECT.read_text())["project"]["dependencies"]:
        name, version = re.match(r"([\w-]+)>=([\w.]+)", wanted).groups()
        print(f"{name}=={version}")


if __name__ == "__main__":
    main()
