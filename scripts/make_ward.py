"""Make the bundled ward anew: ``python scripts/make_ward.py``.

Which of several optimal rosters are drawn depends on the version of CP-SAT, so the file may change; a test insists
that its labels are those of the truth.
"""

from __future__ import annotations

import numpy as np

from hassle.bundled import WARD_EXAMPLES, WARD_TRUTH
from hassle.generate.arranged import arranged_examples, ward

SITUATIONS, SEED = 80, 3

if __name__ == "__main__":
    rng = np.random.default_rng(SEED)
    home = ward(6, 5, 2, rng)
    data = arranged_examples(home.truth, home.situation, SITUATIONS, rng)
    home.truth.write(WARD_TRUTH)
    data.write(WARD_EXAMPLES)
    print(f"{WARD_EXAMPLES}: {data!r}")
