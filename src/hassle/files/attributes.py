"""Attributes of a dimension's members, as a table: ``nurse,senior,contract`` and one row per nurse."""

from __future__ import annotations

from hassle.errors import InputError
from hassle.files.sheet import Sheet
from hassle.logic import Schema
from hassle.logic.arranging import with_attributes


def attributes_in(sheet: Sheet, schema: Schema) -> Schema:
    """The schema with the attributes in a table: its first column names the members, the others are attributes."""
    try:
        (dimension, members), *others = sheet.columns.items()
        if not others or not sheet.lines:
            raise InputError("there are no attributes", fix="write a header and a row per member", line=1)
        cells = [cell.strip() for cell in members.cells]
        for line, member, before in zip(members.lines, cells, range(len(cells)), strict=True):
            if member in cells[:before]:
                raise InputError(f"{dimension} {member!r} stands twice", fix="give each one row", line=line)
        of_member = {
            attribute: dict(zip(cells, (cell.strip() for cell in column.cells), strict=True))
            for attribute, column in others
        }
        try:
            return with_attributes(schema, dimension, of_member)
        except InputError as error:
            wrong = [k for k, member in enumerate(cells) if f" {member!r}" in error.what]
            raise error.at(line=members.lines[wrong[0]] if wrong else None) from None
    except InputError as error:
        raise error.at(file=sheet.source) from None
