"""The context language, read: ``!a & (b | c) -> d``.

From the loosest to the tightest: ``,`` (between literals only: a conjunction), ``<->``, ``->`` (to the right), ``|``
or ``or``, ``&`` or ``and``, ``!`` or ``~`` or ``not``. Names that are not made of letters, digits and underscores stand
in single or double quotes. An empty text is ``true``. Errors name the column, counted from 1.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from hassle.errors import InputError
from hassle.logic.formula import (
    FALSE,
    TRUE,
    Formula,
    Literal,
    conjunction,
    depth,
    disjunction,
    equivalence,
    implication,
    negation,
)
from hassle.logic.names import find, index_of

# Parentheses within each other, and steps of chains of arrows. Keeps the parser far from Python's recursion limit.
MAX_NESTING = 100
# Operators within each other. Up to five fit between two parentheses; keeps every later walk over the formula from it.
MAX_DEPTH = 200
SPLIT = "split the context with &"

_TOKEN = re.compile(
    r"""\s*(?: (?P<iff><->) | (?P<implies>->) | (?P<and>&) | (?P<or>\|) | (?P<not>[!~]) | (?P<open>\() | (?P<close>\))
      | (?P<comma>,) | (?P<word>\w+) | (?P<quoted>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*") )""",
    re.VERBOSE,
)
_WORDS = {"and": "and", "or": "or", "not": "not", "true": "true", "false": "false"}


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    column: int


def parse_formula(text: str, names: tuple[str, ...]) -> Formula:
    """The formula written in ``text`` over the variables ``names``."""
    return _Parser(text, names).parse()


def _tokens(text: str) -> list[_Token]:
    tokens = []
    position, end = 0, len(text.rstrip())
    while position < end:
        found = _TOKEN.match(text, position)
        if not found:
            column = position + len(text[position:]) - len(text[position:].lstrip()) + 1
            wrong = text[column - 1]
            fix = "close the quotation" if wrong in "'\"" else "names with other characters need quotes"
            raise _error(text, column, f"unexpected {wrong!r}", fix)
        kind = str(found.lastgroup)
        value = found.group(kind)
        if kind == "word":
            kind = _WORDS.get(value.lower(), "name")
        elif kind == "quoted":
            kind, value = "name", re.sub(r"\\(.)", r"\1", value[1:-1])
        tokens.append(_Token(kind, value, found.start(str(found.lastgroup)) + 1))
        position = found.end()
    return tokens


class _Parser:
    """Recursive descent, one method per precedence level."""

    def __init__(self, text: str, names: tuple[str, ...]) -> None:
        self.text, self.names = text, names
        self.index = index_of(names)  # once, as finding it takes a look at all names
        self.tokens = _tokens(text)
        self.next = 0
        self.nesting = 0

    def parse(self) -> Formula:
        if not self.tokens:
            return TRUE
        parts, columns = [], []
        while True:
            columns.append(self.tokens[self.next].column if self.next < len(self.tokens) else len(self.text) + 1)
            parts.append(self._iff())
            if not self._take("comma"):
                break
        if self.next < len(self.tokens):
            token = self.tokens[self.next]
            raise self._error(token.column, f"unexpected {token.text!r}", "join formulas with &, |, -> or <->")
        if len(parts) > 1:
            for part, column in zip(parts, columns, strict=True):
                if not isinstance(part, Literal):
                    raise self._error(column, "only literals can be listed with commas", "join formulas with &")
        return conjunction(parts)

    def _iff(self) -> Formula:
        # To the right, as it makes no difference and every step counts as nesting.
        left = self._implies()
        return equivalence(left, self._nested(self._iff)) if self._take("iff") else left

    def _implies(self) -> Formula:
        left = self._or()
        return implication(left, self._nested(self._implies)) if self._take("implies") else left

    def _or(self) -> Formula:
        operands = [self._and()]
        while self._take("or"):
            operands.append(self._and())
        return disjunction(operands) if len(operands) > 1 else operands[0]

    def _and(self) -> Formula:
        operands = [self._not()]
        while self._take("and"):
            operands.append(self._not())
        return conjunction(operands) if len(operands) > 1 else operands[0]

    def _not(self) -> Formula:
        negative = False
        while self._take("not"):
            negative = not negative
        operand = self._atom()
        return negation(operand) if negative else operand

    def _atom(self) -> Formula:
        if self.next == len(self.tokens):
            raise self._error(len(self.text) + 1, "the context ends too early", "a variable or ( is missing")
        token = self.tokens[self.next]
        self.next += 1
        if token.kind == "true":
            return TRUE
        if token.kind == "false":
            return FALSE
        if token.kind == "name":
            return Literal(self._variable(token) + 1)
        if token.kind == "open":
            inner = self._nested(self._iff)
            if not self._take("close"):
                raise self._error(token.column, "this ( is never closed", "add a )")
            return inner
        raise self._error(token.column, f"unexpected {token.text!r}", "a variable, ! or ( must stand here")

    def _variable(self, token: _Token) -> int:
        index = self.index.get(token.text)
        if index is not None:
            return index
        try:
            return find(token.text, self.names)
        except InputError as error:
            raise self._error(token.column, error.what, error.fix) from None

    def _take(self, kind: str) -> bool:
        if self.next < len(self.tokens) and self.tokens[self.next].kind == kind:
            self.next += 1
            return True
        return False

    def _nested(self, rule: Callable[[], Formula]) -> Formula:
        self.nesting += 1
        if self.nesting > MAX_NESTING:
            column = self.tokens[min(self.next, len(self.tokens) - 1)].column
            raise self._error(column, f"nested more than {MAX_NESTING} deep", SPLIT)
        column = self.tokens[self.next - 1].column
        result = rule()
        if depth(result, MAX_DEPTH) > MAX_DEPTH:
            raise self._error(column, f"more than {MAX_DEPTH} operators stand within each other here", SPLIT)
        self.nesting -= 1
        return result

    def _error(self, column: int, what: str, fix: str | None) -> InputError:
        return _error(self.text, column, what, fix)


def _error(text: str, column: int, what: str, fix: str | None) -> InputError:
    shown = text if len(text) <= 80 else text[:77] + "..."
    return InputError(f"context {shown!r}, column {column}: {what}", fix=fix)
