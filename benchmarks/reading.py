"""How long it takes to read 100,000 rows of 30 columns of mixed kinds (aim: under 4 s). `python benchmarks/reading.py`

Printed are seconds by the clock and of the processor, which other work on the machine changes little.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from pathlib import Path

from hassle.data import Dataset

ROWS, COLUMNS = 100_000, 30
KINDS = (("0", "1"), ("yes", "no"), ("early", "late", "night", "off"), ("2", "3", "4", "5", "6"), ("x", ""))


def table(rows: int, columns: int) -> str:
    """A CSV text whose columns take turns in what they are, with a context of one of a hundred texts."""
    draw = random.Random(0)
    header = [*(f"c{k}" for k in range(columns)), "context", "label"]
    cells = [draw.choices(KINDS[k % len(KINDS)], k=rows) for k in range(columns)]
    contexts = [f"c2 = {cell}" for cell in cells[2]]
    labels = draw.choices(("good", "bad"), k=rows)
    lines = (",".join(row) for row in zip(*cells, contexts, labels, strict=True))
    return "\n".join([",".join(header), *lines]) + "\n"


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else ROWS
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        path.write_text(table(rows, COLUMNS))
        started, began = time.perf_counter(), time.process_time()
        data = Dataset.read(path)
        seconds, processor = time.perf_counter() - started, time.process_time() - began
    size = f"{len(data)} rows x {COLUMNS} columns, {len(data.variables)} variables"
    print(f"{size}: {seconds:.2f} s, processor {processor:.2f} s")


if __name__ == "__main__":
    main()
