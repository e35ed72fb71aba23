"""Make the bundled nurse roster anew: ``python scripts/make_roster.py``.

The result is always the same; a test compares it with the files in the package.
"""

from __future__ import annotations

from hassle.bundled import ROSTER_EXAMPLES, ROSTER_TRUTH
from hassle.generate.roster import roster_data, roster_model

if __name__ == "__main__":
    roster_model().write(ROSTER_TRUTH)
    roster_data().write(ROSTER_EXAMPLES)
    print(f"{ROSTER_EXAMPLES}: {roster_data()!r}")
