"""The context language, read: ``!a & (b | c) -> d``.

From the loosest to the tightest: ``,`` (between literals only: a conjunction), ``<->``, ``->`` (to the right), ``|``
or ``or``, ``&`` or ``and``, ``!`` or ``~`` or ``not``. Names that are not made of letters, digits and underscores stand
in single or double quotes. An empty text is ``true``. Errors name the column, counted from 1.

Columns that are not yes-or-no are compared: ``shift = night``, ``shift != off``, ``staff >= 3``. Counts are
``at least 2 of a, !b, c``, ``at most 1 of …`` and ``exactly 2 of …``; the list goes on to the last comma, or stands in
parentheses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from hassle.errors import InputError
from hassle.logic.constraint import Constraint
from hassle.logic.formula import (
    FALSE,
    TRUE,
    Formula,
    Literal,
    at_least,
    conjunction,
    depth,
    disjunction,
    equivalence,
    implication,
    negation,
)
from hassle.logic.names import find, index_of
from hassle.logic.schema import Schema, as_schema

# Parentheses within each other, and steps of chains of arrows. Keeps the parser far from Python's recursion limit.
MAX_NESTING = 100
# Operators within each other. Up to five fit between two parentheses; keeps every later walk over the formula from it.
MAX_DEPTH = 200
SPLIT = "split the context with &"

_TOKEN = re.compile(
    r"""\s*(?: (?P<iff><->) | (?P<implies>->) | (?P<compare>>=|<=|!=|==|=|<|>)
      | (?P<and>&) | (?P<or>\|) | (?P<not>[!~]) | (?P<open>\() | (?P<close>\))
      | (?P<comma>,) | (?P<word>\w+|-\d+) | (?P<quoted>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*") )""",
    re.VERBOSE,
)
_WORDS = {"and": "and", "or": "or", "not": "not", "true": "true", "false": "false"}


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    column: int


def parse_formula(text: str, names: Schema | Iterable[str]) -> Formula:
    """The formula written in ``text`` over the columns of a schema, or over yes-or-no variables by name."""
    return _Parser(text, as_schema(names)).parse()


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

    def __init__(self, text: str, schema: Schema) -> None:
        self.text, self.schema = text, schema
        self.index = index_of(schema.variables)
        self.tokens = _tokens(text)
        self.next = 0
        self.nesting = 0

    def parse(self) -> Formula:
        if not self.tokens:
            return TRUE
        parts, columns = [], []
        while True:
            columns.append(self._column_here())
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
            if self._next_is("compare"):
                return self._comparison(token)
            return self._count(token) or Literal(self._variable(token) + 1)
        if token.kind == "open":
            inner = self._nested(self._iff)
            if not self._take("close"):
                raise self._error(token.column, "this ( is never closed", "add a )")
            return inner
        raise self._error(token.column, f"unexpected {token.text!r}", "a variable, ! or ( must stand here")

    def _comparison(self, name: _Token) -> Formula:
        """``shift = night``; the tokens after the name."""
        sign = self.tokens[self.next].text
        self.next += 1
        if self.next == len(self.tokens) or self.tokens[self.next].kind not in ("name", "true", "false"):
            raise self._error(self._column_here(), "a value is missing", f"write {name.text} {sign} and a value")
        value = self.tokens[self.next]
        self.next += 1
        try:
            column, start = self.schema.column(name.text)
            return column.compare("=" if sign == "==" else sign, value.text, start)
        except InputError as error:
            raise self._error(name.column, error.what, error.fix) from None

    def _count(self, first: _Token) -> Formula | None:
        """``at least 2 of a, b, c`` and its like, whose first word was read; None where it is something else."""
        # Operators have no word, so that variables named "exactly" and "of" can still be joined.
        following = self.tokens[self.next : self.next + 3]
        words = [first.text.lower(), *(token.text.lower() if token.kind == "name" else None for token in following)]
        match words:
            case ["at", "least" | "most" as bound, str(), "of"]:
                self.next += 3
            case ["exactly" as bound, str(), "of", *_]:
                self.next += 2
            case _:
                return None
        number = self.tokens[self.next - 2]
        if not number.text.isdecimal() or len(number.text) > 9:
            raise self._error(number.column, f"{number.text!r} is not a number", "write a whole number")
        literals = self._listed_literals()
        try:
            return _counted(bound, int(number.text), literals)
        except InputError as error:
            raise self._error(first.column, error.what, error.fix) from None

    def _listed_literals(self) -> list[int]:
        opened = self._take("open")
        literals = []
        while True:
            column = self._column_here()
            operand = self._not()
            if not isinstance(operand, Literal):
                raise self._error(column, "only literals can be counted", "list variables, negated or not")
            literals.append(operand.literal)
            if not self._take("comma"):
                break
        if opened and not self._take("close"):
            raise self._error(self._column_here(), "the list of the count is never closed", "add a )")
        return literals

    def _variable(self, token: _Token) -> int:
        index = self.index.get(token.text)
        if index is not None:
            return index
        if token.text in self.schema.column_names:
            raise self._error(
                token.column, f"{token.text!r} is not yes-or-no", f"compare it with a value: {token.text} = …"
            )
        try:
            return find(token.text, self.schema.column_names)
        except InputError as error:
            raise self._error(token.column, error.what, error.fix) from None

    def _next_is(self, kind: str) -> bool:
        return self.next < len(self.tokens) and self.tokens[self.next].kind == kind

    def _column_here(self) -> int:
        return self.tokens[self.next].column if self.next < len(self.tokens) else len(self.text) + 1

    def _take(self, kind: str) -> bool:
        if self._next_is(kind):
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


def _counted(bound: str, number: int, literals: list[int]) -> Formula:
    if bound == "least":
        return at_least(Constraint.of(literals, number))
    if bound == "most":
        return at_least(Constraint.at_most(number, literals))
    if not 0 <= number <= len(literals):
        raise InputError(f"exactly {number} of {len(literals)} can never hold", fix=f"ask for at most {len(literals)}")
    # The trivial half of "exactly none" and "exactly all" is left out.
    halves = [at_least(Constraint.of(literals, number))] if number else []
    halves += [at_least(Constraint.at_most(number, literals))] if number < len(literals) else []
    return conjunction(halves)


def _error(text: str, column: int, what: str, fix: str | None) -> InputError:
    shown = text if len(text) <= 80 else text[:77] + "..."
    return InputError(f"context {shown!r}, column {column}: {what}", fix=fix)
