"""The lowest versions that pyproject.toml allows, as constraints for pip. By `make test-lowest`."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parent.parent / "pyproject.toml"


def main() -> None:
    for wanted in tomllib.loads(PROJECT.read_text())["project"]["dependencies"]:
        name, version = re.match(r"([\w-]+)>=([\w.]+)", wanted).groups()
        # 9.11 is meant as 9.11.4210; a version in full, or before its release, as it stands.
        print(f"{name}=={version}" + (".*" if re.fullmatch(r"\d+\.\d+", version) else ""))


if __name__ == "__main__":
    main()
