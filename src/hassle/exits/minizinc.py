"""A model as MiniZinc: choices as enumerations, numbers as ranges, one described constraint per rule.

The value is maximised in units. The output names columns and values as the model does, whatever they had to be called
inside, one ``name = value`` per line and ``value in units = …`` last.
"""

from __future__ import annotations

from hassle.exits.identifiers import identifiers
from hassle.exits.statements import Statement, constant, statements
from hassle.logic import Choice, Column, Constraint, Number
from hassle.model import Model

# Words of the language, and functions and types of its library that a name must not hide.
RESERVED = (
    *("ann", "annotation", "any", "array", "bool", "case", "constraint", "default", "diff"),
    *("div", "else", "elseif", "endif", "enum", "exists", "false", "float", "forall"),
    *("function", "if", "in", "include", "int", "intersect", "iffall", "not", "of"),
    *("op", "opt", "output", "par", "predicate", "record", "satisfy", "maximize", "minimize"),
    *("set", "solve", "string", "subset", "superset", "symdiff", "test", "then", "true"),
    *("tuple", "type", "union", "var", "where", "xor", "xorall", "let", "list"),
    *("max", "min", "sum", "product", "count", "abs", "pow", "bool2int", "enum2int"),
    *("fix", "show", "concat", "join", "length", "index_set", "ub", "lb", "dom"),
    *("card", "value_in_units"),
)


def minizinc_text(model: Model) -> str:
    """The model as the text of an ``.mzn`` file."""
    writer = _Writer(model)
    said = statements(model)
    must = [each for each in said if each.units is None]
    wishes = [each for each in said if each.units is not None]
    lines = [
        f"% {len(must)} rules that must hold and {len(wishes)} preferences; weights in units of 1/{model.unit}.",
        "",
        *writer.declarations(),
        "",
        *(line for each in must for line in writer.rule(each)),
        "",
        *writer.value(wishes),
        "solve maximize value_in_units;" if model.soft else "solve satisfy;",
        "",
        *writer.output(),
    ]
    return "\n".join(lines) + "\n"


class _Writer:
    def __init__(self, model: Model) -> None:
        self.model = model
        columns = model.schema.columns
        self.names = identifiers((column.name for column in columns), RESERVED)
        taken = [*RESERVED, *self.names.values()]
        # Columns with the same values share an enumeration; a value's identifier is used once in the whole text.
        kinds = dict.fromkeys(column.values for column in columns if isinstance(column, Choice))
        first = {values: _first_of(columns, values) for values in kinds}
        named = identifiers((f"{first[values]} values" for values in kinds), taken)
        self.kinds = dict(zip(kinds, named.values(), strict=True))
        taken += named.values()
        texts = identifiers((f"{name} names" for name in named.values()), taken)
        self.texts = dict(zip(kinds, texts.values(), strict=True))
        taken += texts.values()
        self.members: dict[tuple[str, ...], list[str]] = {}
        for values in kinds:
            own = list(identifiers(values, taken).values())
            taken += own
            self.members[values] = own
        self.atoms = [atom for column in columns for atom in self._atoms(column)]

    def declarations(self) -> list[str]:
        lines = []
        for values, name in self.kinds.items():
            lines.append(f"enum {name} = {{{', '.join(self.members[values])}}};")
            lines.append(f"array[{name}] of string: {self.texts[values]} = [{', '.join(map(_text, values))}];")
        for column in self.model.schema.columns:
            match column:
                case Choice(_, values):
                    kind = self.kinds[values]
                case Number(_, low, high):
                    kind = f"{low}..{high}"
                case _:
                    kind = "bool"
            name = self.names[column.name]
            lines.append(f"var {kind}: {name};" + (f" % {column.name}" if name != column.name else ""))
        return lines

    def rule(self, statement: Statement) -> list[str]:
        # FlatZinc knows no quotes within quotes.
        words = statement.words.replace('"', "'").replace("\\", "/")
        return [f"constraint :: {_text(words)}", f"  {self._all(statement.instances)};"]

    def value(self, wishes: list[Statement]) -> list[str]:
        if not self.model.soft:
            return []
        lines = ["var int: value_in_units = " + str(constant(self.model))]
        for each in wishes:
            counted = ", ".join(map(self._expression, each.instances))
            lines += [f"  % {each.words}", f"  + {each.units} * sum([{counted}])"]
        return [*lines, ";"]

    def output(self) -> list[str]:
        shown = []
        for column in self.model.schema.columns:
            name = self.names[column.name]
            value = f"show({name})" if isinstance(column, Number) else f"show(bool2int({name}))"
            if isinstance(column, Choice):
                value = f"{self.texts[column.values]}[fix({name})]"
            shown.append(f'  {_text(f"{column.name} = ")} ++ {value} ++ "\\n"')
        if self.model.soft:
            shown.append('  "value in units = " ++ show(value_in_units) ++ "\\n"')
        return ["output [", *[f"{each}," for each in shown], "];"]

    def _atoms(self, column: Column) -> list[tuple[str, str]]:
        """What each Boolean variable says of its column, and its negation."""
        name = self.names[column.name]
        match column:
            case Choice(_, values):
                return [(f"{name} = {value}", f"{name} != {value}") for value in self.members[values]]
            case Number(_, low, high):
                return [(f"{name} >= {k}", f"{name} < {k}") for k in range(low + 1, high + 1)]
        return [(name, f"not {name}")]

    def _literal(self, lit: int) -> str:
        said = self.atoms[abs(lit) - 1][lit < 0]
        return said if said.isidentifier() else f"({said})"

    def _all(self, instances: tuple[Constraint, ...]) -> str:
        said = list(map(self._expression, instances))
        return said[0] if len(said) == 1 else "forall([\n    " + ",\n    ".join(said) + "\n  ])"

    def _expression(self, constraint: Constraint) -> str:
        if not constraint.literals:
            return "false"
        literals = [self._literal(lit) for lit in constraint.literals]
        if constraint.is_clause:
            return " \\/ ".join(literals)
        if constraint.need == len(literals):
            return " /\\ ".join(literals)
        if max(constraint.literals) < 0:
            counted = ", ".join(self._literal(-lit) for lit in constraint.literals)
            return f"sum([{counted}]) <= {len(literals) - constraint.need}"
        return f"sum([{', '.join(literals)}]) >= {constraint.need}"


def _first_of(columns: tuple[Column, ...], values: tuple[str, ...]) -> str:
    return next(column.name for column in columns if isinstance(column, Choice) and column.values == values)


def _text(said: str) -> str:
    escaped = said.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
