"""Writes docs/reproduction.md from the committed results (`make reproduction`)."""

from __future__ import annotations

from pathlib import Path

from hassle.experiments.report import reproduction_page
from hassle.files.atomic import write_text

ROOT = Path(__file__).parent.parent


if __name__ == "__main__":
    page = ROOT / "docs" / "reproduction.md"
    write_text(page, reproduction_page(ROOT / "results"))
    print(f"Wrote {page.relative_to(ROOT)}")
