"""A model as a Python script for CP-SAT: what an engineer would have written by hand, a comment above every rule.

Run it and it prints the best assignment, ``name = value`` per line, and its value. Families over dimensions become
loops where a loop says the same (:mod:`hassle.exits.loops`), and lists where it does not. Nothing in it needs hassle.
"""

from __future__ import annotations

import itertools
import keyword

from hassle.exits.identifiers import identifiers
from hassle.exits.loops import loop_of, loopable
from hassle.exits.statements import Statement, constant, statements
from hassle.logic import Choice, Constraint, Number, YesNo
from hassle.model import Family, Model
from hassle.model.families import arrangement_of, cells_of

HEAD = '''"""{title}

Weights are counted in units of 1/{unit}. Run me with: python {name}
"""

from ortools.sat.python import cp_model

model = cp_model.CpModel()
x = {{}}  # a Boolean for every decision, by name
'''

WORTH = '''
# What is maximised.
value = [{constant}]


def worth(weight, literals, at_least=None, at_most=None):
    """Add the weight where the count of these literals is within its bounds."""
    count = sum(literals)
    met = model.new_bool_var("")
    if at_most is None:
        model.add(count >= at_least).only_enforce_if(met)
        model.add(count < at_least).only_enforce_if(~met)
    else:
        model.add(count <= at_most).only_enforce_if(met)
        model.add(count > at_most).only_enforce_if(~met)
    value.append(weight * met)

'''

RESERVED = (
    *keyword.kwlist,
    *("x", "model", "value", "values", "worth", "solver", "sum", "range", "len", "print", "name", "literals", "whole"),
)


def script_text(model: Model, name: str = "model.py") -> str:
    """The model as the text of a ``.py`` file."""
    return _Writer(model, name).text()


class _Writer:
    def __init__(self, model: Model, name: str) -> None:
        self.model = model
        self.name = name
        self.schema = model.schema
        families = [rule.what for rule in model.rules if isinstance(rule.what, Family)]
        families = [family for family in families if loopable(family, self.schema)]
        used = {cells.arrangement for family in families for cells in family.cells}
        self.arrangements = [arrangement_of(self.schema, each) for each in sorted(used)]
        spoken = {each for arrangement in self.arrangements for each in arrangement.dimensions}
        spoken |= {every.dimension for family in families for every in family.every}
        self.dimensions = [each for each in self.schema.dimensions if each.name in spoken]
        self.names = identifiers((each.name for each in self.dimensions), RESERVED)
        taken = [*RESERVED, *self.names.values(), *(f"{each}_at" for each in self.names.values())]
        self.tables = identifiers((each.name for each in self.arrangements), taken)

    def text(self) -> str:
        said = statements(self.model)
        must = [each for each in said if each.units is None]
        wishes = [each for each in said if each.units is not None]
        title = f"{_number(len(must), 'rule')} and {_number(len(wishes), 'preference')}, as hassle wrote them."
        lines = [HEAD.format(title=title, unit=self.model.unit, name=self.name)]
        lines += [*self._columns(), *self._arranged(), "# Rules, which always hold."]
        for statement in must:
            lines += ["", f"# {statement.words}", *self._rule(statement)]
        if self.model.soft:
            lines.append(WORTH.format(constant=constant(self.model)))
            for statement in wishes:
                lines += [f"# {statement.words}", *self._rule(statement), ""]
            lines.append("model.maximize(sum(value))")
        return "\n".join([*lines, *self._ending()]) + "\n"

    # Variables.

    def _columns(self) -> list[str]:
        """The variables, in lists of names."""
        lines = []
        columns = self.schema.columns
        if names := [column.name for column in columns if isinstance(column, YesNo)]:
            lines += [f"YES_OR_NO = {_listed(names)}", "for name in YES_OR_NO:"]
            lines += ["    x[name] = model.new_bool_var(name)", ""]
        if choices := [column for column in columns if isinstance(column, Choice)]:
            lines += ["# Choices: one of some values each.", "CHOICES = {"]
            lines += [f"    {column.name!r}: {list(column.values)!r}," for column in choices]
            lines += ["}", "for name, values in CHOICES.items():", "    for value in values:"]
            lines += ['        x[f"{name}={value}"] = model.new_bool_var(f"{name}={value}")']
            lines += ['    model.add_exactly_one(x[f"{name}={value}"] for value in values)', ""]
        if numbers := [column for column in columns if isinstance(column, Number)]:
            lines += ["# Whole numbers from the first to the last; x['staff>=3'] says that there are 3 or more."]
            lines += ["NUMBERS = {", *(f"    {each.name!r}: ({each.low}, {each.high})," for each in numbers), "}"]
            lines += ["whole = {}", "for name, (low, high) in NUMBERS.items():"]
            lines += ["    whole[name] = model.new_int_var(low, high, name)"]
            lines += ["    for step in range(low + 1, high + 1):"]
            lines += ['        x[f"{name}>={step}"] = more = model.new_bool_var(f"{name}>={step}")']
            lines += ["        model.add(whole[name] >= step).only_enforce_if(more)"]
            lines += ["        model.add(whole[name] < step).only_enforce_if(~more)", ""]
        return lines

    def _arranged(self) -> list[str]:
        lines = [f"{self.names[each.name].upper()} = {list(each.members)!r}" for each in self.dimensions]
        for arrangement in self.arrangements:
            names = [self.names[each] for each in arrangement.dimensions]
            runs = [f"for {name} in {name.upper()}" for name in names]
            named = repr(arrangement.pattern).replace("{", "\0").replace("}", "\1")
            for dimension in arrangement.dimensions:
                named = named.replace(f"\0{dimension}\1", "{" + self.names[dimension] + "}")
            named = named.replace("\0", "{{").replace("\1", "}}")
            lines += [f"{self.tables[arrangement.name]} = {{", f"    ({', '.join(names)}): x[f{named}]"]
            lines += [f"    {run}" for run in runs]
            # Not every index need have a variable.
            lines += [*([] if (cells_of(self.schema, arrangement) >= 0).all() else [f"    if f{named} in x"]), "}"]
        return [*lines, ""] if lines else []

    # Rules.

    def _rule(self, statement: Statement) -> list[str]:
        family = statement.what
        if isinstance(family, Family):
            loop = loop_of(family, self.schema, self.names, self.tables)
            if loop is not None:
                literals = ", ".join([*loop.singles, *(f"*[{each}]" for each in loop.many)])
                if len(loop.many) == 1 and not loop.singles:
                    literals = loop.many[0]
                listed = literals if len(loop.many) == 1 and not loop.singles else f"[{literals}]"
                heads = [f"{'    ' * depth}{head}:" for depth, head in enumerate(loop.heads)]
                clause = family.bound == 1 and not family.most and not loop.many
                body = self._counted(statement.units, listed, family.bound, family.most, clause)
                return [*heads, "    " * len(loop.heads) + body]
        lines = []
        for how, each in itertools.groupby(map(self._listed, statement.instances), key=lambda told: told[1:]):
            lists = [listed for listed, *_ in each]
            if len(lists) < 3:
                lines += [self._counted(statement.units, listed, *how) for listed in lists]
            else:
                lines += ["for literals in [", *(f"    {listed}," for listed in lists), "]:"]
                lines += ["    " + self._counted(statement.units, "literals", *how)]
        return lines

    def _listed(self, constraint: Constraint) -> tuple[str, int, bool, bool]:
        """Its literals, how many of them, whether that is the most of them, and whether it is a clause."""
        literals, need, most = constraint.literals, constraint.need, False
        if need > 1 and max(literals) < 0:
            literals, need, most = tuple(-lit for lit in literals), len(literals) - need, True
        listed = ", ".join(f"{'~' if lit < 0 else ''}x[{self.schema.variables[abs(lit) - 1]!r}]" for lit in literals)
        return f"[{listed}]", need, most, constraint.is_clause

    def _counted(self, units: int | None, listed: str, bound: int, most: bool, clause: bool) -> str:
        if units is not None:
            said = f"({listed})" if " for " in listed and not listed.startswith("[") else listed
            return f"worth({units}, {said}, at_{'most' if most else 'least'}={bound})"
        if clause:
            return f"model.add_bool_or({listed})"
        return f"model.add(sum({listed}) {'<=' if most else '>='} {bound})"

    def _ending(self) -> list[str]:
        lines = ["", 'if __name__ == "__main__":', "    solver = cp_model.CpSolver()"]
        lines += ["    if solver.solve(model) != cp_model.OPTIMAL:"]
        lines += ['        raise SystemExit("no assignment keeps all rules")']
        kinds = {type(column) for column in self.schema.columns}
        if YesNo in kinds:
            lines += ["    for name in YES_OR_NO:", '        print(name, "=", solver.value(x[name]))']
        if Choice in kinds:
            lines += ["    for name, values in CHOICES.items():"]
            lines += ['        print(name, "=", next(each for each in values if solver.value(x[f"{name}={each}"])))']
        if Number in kinds:
            lines += ["    for name, number in whole.items():", '        print(name, "=", solver.value(number))']
        if self.model.soft:
            lines += ['    print("value in units =", round(solver.objective_value))']
        return lines


def _number(count: int, what: str) -> str:
    return f"{count} {what}" + ("" if count == 1 else "s")


def _listed(names: list[str]) -> str:
    one_line = repr(names)
    if len(one_line) < 90:
        return one_line
    lines, line = [], ""
    for name in names:
        said = f"{name!r}, "
        if len(line) + len(said) > 96:
            lines.append(line.rstrip())
            line = ""
        line += said
    return "[\n    " + "\n    ".join([*lines, line.rstrip()]) + "\n]"
