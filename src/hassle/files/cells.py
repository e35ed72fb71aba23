"""Cells of spreadsheets and frames as the text that a CSV file would have."""

from __future__ import annotations

from datetime import date, datetime

from hassle.logic.context import MISSING


def cell_text(cell: object) -> str:
    """``3`` and not ``3.0``, ``true`` and ``false``, dates as ISO writes them, nothing for what is missing."""
    match cell:
        case str():
            return cell
        case None:
            return ""
        case bool():
            return "true" if cell else "false"
        case float():
            return "" if cell != cell else str(int(cell)) if cell.is_integer() else str(cell)
        case _ if type(cell).__name__ in MISSING:  # one of which passes for a date
            return ""
        case datetime():
            return cell.isoformat(" ")
        case date():
            return cell.isoformat()
    return str(cell)
