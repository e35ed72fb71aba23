"""The file that a study is about: its bytes as they came, so that columns can be read anew in another way."""

from __future__ import annotations

import base64
import json
import os
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from hassle.errors import InputError
from hassle.files import EXCEL, JSON_LINES
from hassle.files.decode import decoded

# What a browser may call a file is shown, and never opened.
LONGEST_NAME = 120


@dataclass(frozen=True)
class Source:
    """``content`` under the ``name`` that the person knows it by; the name's ending says what it is."""

    name: str
    content: bytes = field(repr=False)

    @classmethod
    def named(cls, name: str, content: bytes) -> Source:
        """With the name cut to its last part, and to what can be shown."""
        last = name.replace("\\", "/").rsplit("/", 1)[-1]
        shown = "".join(character if character.isprintable() else "�" for character in last)[-LONGEST_NAME:]
        return cls(shown or "table.csv", content)

    @property
    def extension(self) -> str:
        return os.path.splitext(self.name)[1].lower()

    @property
    def is_excel(self) -> bool:
        return self.extension == EXCEL

    @cached_property
    def text(self) -> str:
        return decoded(self.content)

    @property
    def is_json_lines(self) -> bool:
        return not self.is_excel and (self.extension in JSON_LINES or self.text.lstrip().startswith("{"))

    @cached_property
    def json_text(self) -> str:
        """As JSON; made once, however often the study is saved."""
        try:
            kept = {"text": self.content.decode("utf-8")}
        except UnicodeDecodeError:
            kept = {"base64": base64.b64encode(self.content).decode("ascii")}
        return json.dumps({"name": self.name, **kept}, ensure_ascii=False)

    @classmethod
    def from_data(cls, data: Any) -> Source:
        match data:
            case {"name": str(name), "text": str(text)}:
                return cls(name, text.encode("utf-8"))
            case {"name": str(name), "base64": str(text)}:
                try:
                    return cls(name, base64.b64decode(text, validate=True))
                except ValueError:
                    pass
        raise InputError("the study's source cannot be read", fix="take an earlier copy of the file")
