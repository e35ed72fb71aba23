"""The rule language: one rule per line, ``must`` or a weight, then what it is about.

::

    must  for every nurse, day: at most 1 of works[nurse, day, *]
    must  for every nurse but dan, day: !works[nurse, day, night] | !works[nurse, day+1, early]
    0.5   for every day: at least 3 of works[*, day, early]
    must  for every day, shift: at least demand[day, shift] of works[*, day, shift]
    0.3   for every nurse, other nurse: at most works[other nurse, *, *] + 1 of works[nurse, *, *]
    0.25  !works[ana, mon, night]
    must  colour = red | at_home

What has brackets is a family (:mod:`hassle.model.families`), all else the context language. Lines that are empty or
begin with ``#`` are passed over. Printing and reading are inverse.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hassle.errors import InputError
from hassle.logic import Constraint, Schema, formula_text
from hassle.logic.formula import at_least
from hassle.logic.names import WORDS, quoted
from hassle.model.families import All, Cells, Every, Family, Having, Here, Members, Place

if TYPE_CHECKING:
    from hassle.model.model import Model, Rule

MUST = "must"
# Names like these would be taken for words of the language.
_RESERVED = WORDS | {"at", "for", "every", "with", "but", "of", "other"}


# Printing.


def rule_text(what: Constraint | Family, schema: Schema) -> str:
    """A family or a constraint as it is written."""
    return family_text(what) if isinstance(what, Family) else formula_text(at_least(what), schema)


def family_text(family: Family) -> str:
    head = f"for every {', '.join(map(_every_text, family.every))}: " if family.every else ""
    running = {every.dimension for every in family.every}
    listed = [_cells_text(cells, running) for cells in family.cells]
    counted = len(listed) == 1 and not all(map(_is_single, family.cells[0].places))
    if family.most or family.bound != 1 or family.than or counted:
        bound = _bound_text(family, running)
        return f"{head}at {'most' if family.most else 'least'} {bound} of {', '.join(listed)}"
    return head + " | ".join(listed)


def _bound_text(family: Family, running: set[str]) -> str:
    """``2``, ``demand[day]``, ``works[ben, *] + 1`` or ``demand[day] - 1``."""
    if not family.than:
        return str(family.bound)
    more = f" {'+' if family.bound > 0 else '-'} {abs(family.bound)}" if family.bound else ""
    return " + ".join(_cells_text(cells, running) for cells in family.than) + more


def model_rules(model: Model) -> str:
    """All rules of a model, one per line, in their order."""
    rows = [
        (MUST if rule.weight is None else f"{rule.weight:f}", rule_text(rule.what, model.schema))
        for rule in model.rules
    ]
    width = max((len(mark) for mark, _ in rows), default=0)
    return "".join(f"{mark:<{width}}  {text}\n" for mark, text in rows)


def _is_single(place: Place) -> bool:
    return (isinstance(place, Here) and place.last is None) or (isinstance(place, Members) and len(place.names) == 1)


def _name(name: str) -> str:
    """A name, quoted where it would be taken for a word of the language."""
    return f"'{name}'" if name.lower() in _RESERVED else quoted(name)


def _every_text(every: Every) -> str:
    having = f" with {_name(every.having[0])}={_name(every.having[1])}" if every.having else ""
    but = f" but {', but '.join(map(_name, every.but))}" if every.but else ""
    return ("other " if every.other else "") + _name(every.dimension) + having + but


def _cells_text(cells: Cells, running: set[str]) -> str:
    places = ", ".join(_place_text(place, running) for place in cells.places)
    where = f"[{places}]" if places else ""
    return f"{'!' if cells.negated else ''}{_name(cells.arrangement)}{where}"


def _place_text(place: Place, running: set[str]) -> str:
    match place:
        case All():
            return "*"
        case Having(attribute, value):
            return f"{_name(attribute)}={_name(value)}"
        case Members(names):
            # In braces a name is a member's, even where a dimension of that name runs.
            listed = ", ".join(map(_name, names))
            return listed if len(names) == 1 and names[0] not in running else f"{{{listed}}}"
        case Here(dimension, first, last, other):
            start = ("other " if other else "") + _offset_text(dimension, first)
            return start if last is None else f"{start}..{_offset_text(dimension, last)}"
    raise AssertionError(place)


def _offset_text(dimension: str, offset: int) -> str:
    return _name(dimension) + (f"{offset:+d}" if offset else "")


# Reading.


def parse_rules(text: str, schema: Schema) -> tuple[Rule, ...]:
    """The rules of a text, one per line."""
    found: list[Rule] = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            try:
                found += parse_rule(line, schema)
            except InputError as error:
                raise error.at(line=number) from None
    return tuple(found)


def parse_rule(line: str, schema: Schema) -> list[Rule]:
    """The rules of a line: one, or two where it says ``exactly``."""
    from hassle.model.model import Rule
    from hassle.model.weights import exact_weight

    mark, _, text = line.strip().partition(" ")
    if mark.rstrip(":").lower() == MUST:
        weight = None
    else:
        try:
            weight = exact_weight(mark)
        except InputError:
            raise InputError(f"{line.strip()!r} is no rule", fix="begin with 'must' or with a weight") from None
    return [Rule(what, weight) for what in parse_what(text.strip(), schema)]


def is_family(text: str) -> bool:
    """Whether a text speaks of indices, and not of columns by name."""
    bare = re.sub(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"", "", text)
    return "[" in bare or re.match(r"\s*for\s+every\b", bare) is not None


def parse_what(text: str, schema: Schema) -> list[Constraint | Family]:
    """What a rule says: a family where it has brackets, else a constraint in the context language."""
    from hassle.model.model import to_constraint

    if is_family(text):
        families: list[Constraint | Family] = list(parse_family(text, schema))
        return families
    return [to_constraint(text, schema)]


def parse_family(text: str, schema: Schema) -> list[Family]:
    """The family in the text: one, or two where it says ``exactly``."""
    families = _Reader(text).families()
    for family in families:
        try:
            family.check(schema)
        except InputError as error:
            raise InputError(f"rule {text.strip()!r}: {error.what}", fix=error.fix) from None
    return families


_TOKEN = re.compile(
    r"""\s*(?: (?P<dots>\.\.) | (?P<word>\w+) | (?P<quoted>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")
      | (?P<sign>[\[\]{}(),:*+\-=|!~]) )""",
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    column: int


class _Reader:
    """Recursive descent over the text of a family."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = list(self._split())
        self.next = 0
        self.running: set[str] = set()

    def families(self) -> list[Family]:
        every = self._every() if self._words("for", "every") else ()
        self.running = {each.dimension for each in every}
        most, exactly = False, False
        if self._words("at", "most"):
            most = True
        elif self._words("exactly"):
            exactly = True
        elif not self._words("at", "least"):
            cells = self._listed(lambda: self._sign("|") or self._words("or"))
            return self._ended([Family(every, cells)])
        bound, than = self._bound()
        self._expect(self._words("of"), "'of' is missing")
        opened = self._sign("(")
        cells = self._listed(lambda: self._sign(","))
        if opened:
            self._expect(self._sign(")"), "a ) is missing")
        family = Family(every, cells, bound, most, than)
        return self._ended([family, replace(family, most=True)] if exactly else [family])

    def _bound(self) -> tuple[int, tuple[Cells, ...]]:
        """A number, and the cells or columns that it is more than: ``2``, ``demand[day] - 1``."""
        bound, than, sign = 0, list[Cells](), 1
        while True:
            if sign < 0 or (self._peek_kind() == "word" and self._peek(0).isdecimal()):
                bound += sign * self._number()
            else:
                self._expect(self._peek(0).lower() != "of", "a whole number is missing")
                than.append(self._cells(number=True))
            if not (self._sign("+") or self._peek(0) == "-"):
                return bound, tuple(than)
            sign = -1 if self._sign("-") else 1

    def _ended(self, families: list[Family]) -> list[Family]:
        self._expect(self.next == len(self.tokens), "the rule should end here")
        return families

    def _every(self) -> tuple[Every, ...]:
        result = []
        while True:
            other = self._other()
            dimension = self._name()
            having = self._attribute() if self._words("with") else None
            but: list[str] = []
            while self._words("but") or (but and self._words("and")):
                but.append(self._name())
                # ``but dan, but eva``: the comma belongs to the exceptions where another one follows.
                if self._peek(0) == "," and self._peek(1) == "but":
                    self.next += 1
            result.append(Every(dimension, having, tuple(but), other))
            if not self._sign(","):
                break
        self._expect(self._sign(":"), "a : is missing after 'for every'")
        return tuple(result)

    def _listed(self, joined: Callable[[], bool]) -> tuple[Cells, ...]:
        result = [self._cells()]
        while joined():
            result.append(self._cells())
        return tuple(result)

    def _other(self) -> bool:
        """``other nurse``; a nurse by the name of other has no name behind hers."""
        named = self.tokens[self.next + 1 : self.next + 2]
        return bool(named) and named[0].kind in ("word", "quoted") and self._words("other")

    def _cells(self, number: bool = False) -> Cells:
        negated = False
        while self._sign("!") or self._sign("~") or self._words("not"):
            negated = not negated
        name = self._name()
        if number and self._peek(0) != "[":
            return Cells(name, (), negated)
        self._expect(self._sign("["), "a [ is missing: families list cells such as works[ana, mon]")
        places = [self._place()]
        while self._sign(","):
            places.append(self._place())
        self._expect(self._sign("]"), "a ] is missing")
        return Cells(name, tuple(places), negated)

    def _place(self) -> Place:
        if self._sign("*"):
            return All()
        if self._sign("{"):
            names = [self._name()]
            while self._sign(","):
                names.append(self._name())
            self._expect(self._sign("}"), "a } is missing")
            return Members(tuple(names))
        other = self._other()
        name = self._name()
        if self._sign("="):
            return Having(name, self._name())
        if name not in self.running:
            return Members((name,))
        first = self._offset()
        if self._peek_kind() != "dots":
            return Here(name, first, None, other)
        self.next += 1
        self._expect(self._name() == name, f"a span of {name!r} ends with {name!r}", back=1)
        return Here(name, first, self._offset(), other)

    def _offset(self) -> int:
        for sign, factor in (("+", 1), ("-", -1)):
            if self._sign(sign):
                return factor * self._number()
        return 0

    def _attribute(self) -> tuple[str, str]:
        name = self._name()
        self._expect(self._sign("="), "an attribute needs a value: senior=yes")
        return name, self._name()

    def _name(self) -> str:
        kind = self._peek_kind()
        self._expect(kind in ("word", "quoted"), "a name is missing")
        token = self.tokens[self.next]
        self.next += 1
        return token.text if kind == "word" else re.sub(r"\\(.)", r"\1", token.text[1:-1])

    def _number(self) -> int:
        text = self._peek(0)
        self._expect(text.isdecimal() and len(text) <= 9, "a whole number is missing")
        self.next += 1
        return int(text)

    def _words(self, *words: str) -> bool:
        here = self.tokens[self.next : self.next + len(words)]
        if [token.text.lower() for token in here if token.kind == "word"] != list(words):
            return False
        self.next += len(words)
        return True

    def _sign(self, sign: str) -> bool:
        if self._peek_kind() == "sign" and self._peek(0) == sign:
            self.next += 1
            return True
        return False

    def _peek(self, ahead: int) -> str:
        return self.tokens[self.next + ahead].text if self.next + ahead < len(self.tokens) else ""

    def _peek_kind(self) -> str:
        return self.tokens[self.next].kind if self.next < len(self.tokens) else ""

    def _expect(self, given: bool, what: str, back: int = 0) -> None:
        if not given:
            place = self.next - back
            column = self.tokens[place].column if place < len(self.tokens) else len(self.text) + 1
            raise _error(self.text, column, what)

    def _split(self) -> Iterator[_Token]:
        position, end = 0, len(self.text.rstrip())
        while position < end:
            found = _TOKEN.match(self.text, position)
            if not found:
                column = position + len(self.text[position:]) - len(self.text[position:].lstrip()) + 1
                raise _error(self.text, column, f"unexpected {self.text[column - 1]!r}")
            kind = str(found.lastgroup)
            yield _Token(kind, found.group(kind), found.start(kind) + 1)
            position = found.end()


def _error(text: str, column: int, what: str) -> InputError:
    shown = text if len(text) <= 80 else text[:77] + "..."
    return InputError(f"rule {shown!r}, column {column}: {what}", fix="see docs/structured.md for the language")
