"""The studio: a page in the browser on which a planner drops a spreadsheet, watches rules appear and asks what if.

:class:`Study` is what it works on, in one file; it opens in Python too. The other modules need the extra ``studio``.
"""

from __future__ import annotations

from hassle.studio.study import Judgement, Learned, Step, Study

__all__ = ["Judgement", "Learned", "Step", "Study"]
