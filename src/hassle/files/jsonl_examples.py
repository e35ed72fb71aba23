"""Examples as JSON Lines: ``{"variables": [...]}`` or ``{"schema": {...}}`` first, then one example per line.

An example is ``{"context": "...", "assignment": ..., "label": ...}``; the assignment is an object from column to value
(0 or 1 for yes-or-no), a list of values, or a text of 0 and 1; the context may be left out. A comparison is
``{"context": "...", "better": ..., "worse": ...}``, with two assignments, and may stand anywhere among the examples.
Both may have a ``"weight"``. A value ``null`` in the assignment of a good example is unknown. Other keys are errors
unless they are ignored by name. Blank lines are skipped. The key ``asked`` holds the question that a line answers
(:mod:`hassle.interview.record`) and is not looked at here; a line with nothing else is no example.
"""

from __future__ import annotations

import difflib
import json
from array import array
from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hassle.data import LABELS, Comparisons, Dataset, Label, Partial, as_label, as_weight
from hassle.data.weights import weight_text
from hassle.errors import InputError
from hassle.files.decode import clipped, lines_of
from hassle.files.json_text import parse_json
from hassle.files.schema_data import is_bare, schema_from_data, schema_text
from hassle.logic import EMPTY, Context, Schema, as_bits, as_schema, check_names

ASKED = "asked"
KEYS = frozenset({"context", "assignment", "label", "weight", ASKED})
COMPARISON_KEYS = frozenset({"context", "better", "worse", "weight", ASKED})
_FIRST_LINE = 'start with a line {"variables": ["a", "b", ...]}, or one with a "schema"'


def read_jsonl(
    text: str,
    source: str | None = None,
    ignore: Iterable[str] = (),
    labels: bool = True,
    schema: Schema | None = None,
    rest: Iterable[str] = (),
) -> Dataset:
    """The examples in a JSON Lines text, ``rest`` being what follows of a long one; ``ignore`` names keys to leave out.

    A ``schema`` says what the variables of the first line mean; its columns must be those of the file.
    Without ``labels``, the key of that name is neither needed nor looked at, and all examples count as negative.
    """
    lines = ((number, line) for number, line in enumerate(lines_of(text, rest), 1) if line.strip())
    first, header = next(lines)
    try:
        schema = _schema(parse_json(header, line=first), schema)
    except InputError as error:
        raise error.at(line=first) from None
    reader = _Reader(schema, ignore, labels)
    some = False
    for number, line in lines:
        if _only_asked(line):
            continue
        some = True
        try:
            reader.take(parse_json(line, line=number), number)
        except InputError as error:
            raise error.at(line=number) from None
    if not some:
        raise InputError("there are no examples after the first line", fix="add one line per example")
    reader.check_ignored()
    return reader.dataset(source)


def read_schema_line(header: str, line: int) -> Schema:
    """The schema that the first line of a file tells."""
    try:
        return _schema(parse_json(header, line=line), None)
    except InputError as error:
        raise error.at(line=line) from None


def _only_asked(line: str) -> bool:
    """Whether the line is about a question that gave no example; what is no JSON is left to be told as an error."""
    if not line.lstrip().startswith(f'{{"{ASKED}"'):
        return False
    try:
        value = json.loads(line)
    except ValueError:
        return False
    return isinstance(value, dict) and value.keys() == {ASKED}


def jsonl_text(data: Dataset) -> str:
    """The examples as JSON Lines."""
    schema = data.schema
    contexts = [json.dumps(context.text(schema), ensure_ascii=False) for context in data.contexts]
    rows = _assignment_texts(data.assignments, schema)
    names = json.dumps(data.variables, ensure_ascii=False)
    lines = [f'{{"variables": {names}}}' if is_bare(schema) else f'{{"schema": {schema_text(schema)}}}']
    lines += [
        f'{{"context": {contexts[c]}, "assignment": {row}, "label": "{LABELS[code].value}"{_weight_text(weight)}}}'
        for c, row, code, weight in zip(data.context_of, rows, data.labels, data.weights.tolist(), strict=True)
    ]
    pairs = data.comparisons
    where = [json.dumps(context.text(schema), ensure_ascii=False) for context in pairs.contexts]
    better, worse = (_assignment_texts(each, schema) for each in (pairs.better, pairs.worse))
    lines += [
        f'{{"context": {where[c]}, "better": {first}, "worse": {second}{_weight_text(weight)}}}'
        for c, first, second, weight in zip(pairs.context_of, better, worse, pairs.weights.tolist(), strict=True)
    ]
    for each in data.partial:
        values = {**dict.fromkeys(schema.column_names), **each.values(schema)}
        context, row = (json.dumps(part, ensure_ascii=False) for part in (each.context.text(schema), values))
        weight = _weight_text(each.weight)
        lines.append(f'{{"context": {context}, "assignment": {row}, "label": "{Label.POSITIVE.value}"{weight}}}')
    return "\n".join(lines) + "\n"


def _assignment_texts(assignments: NDArray[np.uint8], schema: Schema) -> list[str]:
    if schema.plain:
        return [f'"{"".join(map(str, bits))}"' for bits in assignments.tolist()]
    return [json.dumps(schema.decode(bits), ensure_ascii=False) for bits in assignments.tolist()]


def _weight_text(weight: float) -> str:
    return "" if weight == 1 else f', "weight": {weight_text(weight)}'


def _schema(value: object, known: Schema | None) -> Schema:
    """The schema of the first line; the known one where there is one, if its columns are the same."""
    told = [key for key in ("variables", "schema") if isinstance(value, dict) and key in value]
    if not isinstance(value, dict) or not told:
        raise InputError(f"{clipped(value)} names no variables", fix=_FIRST_LINE)
    for key in value.keys() - told[:1]:
        raise InputError(f"unknown key {clipped(key)} beside {told[0]!r}", fix=_FIRST_LINE)
    if "schema" in value:
        own = schema_from_data(value["schema"])
    elif isinstance(value["variables"], list):
        own = as_schema(check_names(value["variables"]))
    else:
        raise InputError(f"{clipped(value)} names no variables", fix=_FIRST_LINE)
    if not own.columns:
        raise InputError("the list of variables is empty", fix=_FIRST_LINE)
    if known is None or (known.plain and is_bare(own)):  # which say the same, each in its own order
        return own
    same = own.column_names == known.column_names if "variables" in value else own.columns == known.columns
    if not same:
        raise InputError("the first line has other columns than the schema that was given", fix="correct one of them")
    return known


class _Reader:
    """Takes one example after the other; what repeats (contexts, labels) is understood once."""

    def __init__(self, schema: Schema, ignore: Iterable[str], labelled: bool) -> None:
        self.schema = schema
        names = self.names = schema.column_names
        self.needed = ("assignment", "label") if labelled else ("assignment",)
        self.ignored = frozenset({ignore} if isinstance(ignore, str) else ignore)
        self.used: set[str] = set()
        self.contexts: dict[Context, int] = {}
        self.context_of = array("i")
        self.bits = bytearray()
        self.labels = array("b")
        self.weights = array("d")
        self.lines = array("q")
        self.partial: list[Partial] = []
        self.compared: list[tuple[Context, bytes, bytes, float, int]] = []
        self._context_index: dict[str, Context] = {}
        self._label_code: dict[str, int] = {}
        # As itemgetter of one name gives the value itself, not a tuple of one.
        self._in_order: Callable[[Any], Any] = itemgetter(*names) if len(names) > 1 else lambda d: (d[names[0]],)

    def take(self, example: object, line: int) -> None:
        if not isinstance(example, dict):
            raise InputError(
                f"{clipped(example)} is not an example", fix=f"write an object with {' and '.join(self.needed)}"
            )
        if "better" in example or "worse" in example:
            self._take_comparison(example, line)
            return
        if not example.keys() <= KEYS:
            self._check_keys(example, KEYS)
        for key in self.needed:
            if key not in example:
                raise InputError(f"the example has no {key!r}", fix="add it")
        if isinstance(example["assignment"], dict) and None in example["assignment"].values():
            self._take_partial(example, line)
            return
        bits = self._bits(example["assignment"])
        self.labels.append(self._label(example["label"]) if "label" in self.needed else Label.NEGATIVE.code)
        context = self._context(example.get("context"))
        self.context_of.append(self.contexts.setdefault(context, len(self.contexts)))
        self.weights.append(as_weight(example.get("weight")))
        self.bits += bits
        self.lines.append(line)

    def _take_partial(self, example: dict[str, Any], line: int) -> None:
        """A good example of which some values are null, which means that they are unknown."""
        if "label" not in self.needed or self._label(example["label"]) != Label.POSITIVE.code:
            what = "an example that is not good has unknown values"
            raise InputError(what, fix="only good ones with gaps teach something: leave it out")
        literals: list[int] = []
        for name, value in example["assignment"].items():
            column, start = self.schema.column(name)
            if value is not None:
                bits = column.encode(str(value))
                literals += [start + v + 1 if bit else -(start + v + 1) for v, bit in enumerate(bits)]
        for name in self.names:
            if name not in example["assignment"]:
                raise InputError(f"the assignment says nothing of {name!r}", fix="give it a value, or null")
        weight = as_weight(example.get("weight"))
        known = tuple(sorted(literals, key=abs))
        self.partial.append(Partial(self._context(example.get("context")), known, weight, line))

    def _take_comparison(self, example: dict[str, Any], line: int) -> None:
        if not example.keys() <= COMPARISON_KEYS:
            self._check_keys(example, COMPARISON_KEYS)
        for key in ("better", "worse"):
            if key not in example:
                raise InputError(f"the comparison has no {key!r}", fix="add it")
        better, worse = self._bits(example["better"]), self._bits(example["worse"])
        weight = as_weight(example.get("weight"))
        self.compared.append((self._context(example.get("context")), better, worse, weight, line))

    def dataset(self, source: str | None) -> Dataset:
        contexts, better, worse, weights, lines = zip(*self.compared, strict=True) if self.compared else [()] * 5
        return Dataset(
            self.schema,
            tuple(self.contexts),
            np.array(self.context_of, dtype=np.int32),
            self._rows([self.bits]),
            np.array(self.labels, dtype=np.int8),
            source,
            np.array(self.lines, dtype=np.int64),
            np.array(self.weights),
            Comparisons.from_arrays(
                self.schema,
                contexts,
                self._rows(better),
                self._rows(worse),
                weights,
                source,
                np.array(lines, dtype=np.int64),
            ),
            partial=tuple(self.partial),
        )

    def _rows(self, bits: Sequence[bytes | bytearray]) -> NDArray[np.uint8]:
        return np.frombuffer(b"".join(bits), dtype=np.uint8).reshape(-1, len(self.schema.variables)).copy()

    def check_ignored(self) -> None:
        for name in sorted(self.ignored - self.used):
            raise InputError(f"there is no key {name!r} to ignore", fix="remove it from --ignore")

    def _check_keys(self, example: dict[str, Any], keys: frozenset[str]) -> None:
        for key in example.keys() - keys - self.ignored:
            near = difflib.get_close_matches(key, keys, n=1)
            meant = f"did you mean {near[0]!r}? Else " if near else ""
            raise InputError(f"unknown key {clipped(key)}", fix=f"{meant}remove it, or ignore it (--ignore {key!r})")
        self.used |= example.keys() & self.ignored

    def _bits(self, value: Any) -> bytes:
        """The assignment as bytes 0 and 1; the general way, with its messages, serves where the fast ones fail."""
        if not self.schema.plain:
            return as_bits(value, self.schema).tobytes()
        try:
            if isinstance(value, str):
                bits = value.encode("ascii").translate(_DIGITS)
            else:
                bits = bytes(self._in_order(value) if isinstance(value, dict) else value)
            if len(bits) == len(self.names) == len(value) and max(bits) <= 1:
                return bits
        except (TypeError, ValueError, KeyError):
            pass
        return as_bits(value, self.schema).tobytes()

    def _label(self, value: Any) -> int:
        if not isinstance(value, str):
            return as_label(value).code
        if value not in self._label_code:
            self._label_code[value] = as_label(value).code
        return self._label_code[value]

    def _context(self, value: Any) -> Context:
        if value is None:
            return EMPTY
        if not isinstance(value, str):
            raise InputError(f"{clipped(value)} is not a context", fix="write a text such as 'a & !b'")
        if value not in self._context_index:
            self._context_index[value] = Context.parse(value, self.schema)
        return self._context_index[value]


# From the characters 0 and 1 to the numbers; everything else becomes 2, which is no value.
_DIGITS = bytes(character - 48 if character in b"01" else 2 for character in range(256))
