"""OPB and WBO: models read back whole, and mean the same to independent readers; foreign files are taken or refused."""

import re
from itertools import pairwise

import naive
import pytest
from cpmpy.tools.io.opb import load_opb
from cpmpy.transformations.get_variables import get_variables_model
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import models, schemas
from test_files_counts import MODEL, counting, heavy

from hassle.cli.main import main
from hassle.errors import InputError
from hassle.files import read_model, write_model
from hassle.files.opb import opb_text, read_opb, read_wbo, wbo_text
from hassle.logic import EMPTY, Constraint
from hassle.model import Model

small = models(counts=True, max_variables=4, max_soft=3, max_hard=3) | models(
    counts=True, over=schemas(max_columns=2), max_soft=2, max_hard=2
)


@given(counting | heavy)
def test_opb_reads_back(model):
    assert read_opb(opb_text(model)) == model


@given(counting | heavy)
def test_wbo_reads_back(model):
    assert read_wbo(wbo_text(model)) == model


class Judge:
    """A reader of its own: statements as they are defined, over variables x1, x2, …"""

    def __init__(self, text):
        lines = [line for line in text.splitlines() if not line.startswith("*")]
        assert all(line.endswith(" ;") or line == "soft: ;" for line in lines)
        self.header = text.splitlines()[0]
        assert self.header.startswith("* #variable= ")
        self.objective = next((self.terms(line[4:-1]) for line in lines if line.startswith("min:")), [])
        self.constraints = [self.constraint(line) for line in lines if line[:4] not in ("min:", "soft")]

    @staticmethod
    def terms(text):
        tokens = text.split()
        assert all(re.fullmatch("[+-][0-9]+", token) for token in tokens[::2])
        return [(int(c), int(v.removeprefix("x"))) for c, v in zip(tokens[::2], tokens[1::2], strict=True)]

    def constraint(self, line):
        weight, rest = re.fullmatch(r"(?:\[([0-9]+)\] )?(.*) ;", line).groups()
        left, right = rest.split(" >= ")
        return None if weight is None else int(weight), self.terms(left), int(right)

    @staticmethod
    def total(terms, bits):
        return sum(c * bits[v - 1] for c, v in terms)

    def cost(self, bits):
        """None where a hard constraint is broken."""
        cost = self.total(self.objective, bits)
        for weight, terms, least in self.constraints:
            if self.total(terms, bits) < least:
                if weight is None:
                    return None
                cost += weight
        return cost

    def optima(self, variables):
        """The cheapest solutions, over the first variables, and how often each occurs."""
        total = max(variables, int(re.search("#variable= ([0-9]+)", self.header)[1]))
        costs = {bits: self.cost(bits) for bits in naive.all_assignments(total)}
        feasible = [cost for cost in costs.values() if cost is not None]
        return sorted(bits[:variables] for bits, cost in costs.items() if feasible and cost == min(feasible))


@settings(max_examples=60)
@given(small)
def test_opb_has_the_same_optima_each_once(model):
    assert Judge(opb_text(model)).optima(len(model.variables)) == sorted(naive.optima(model, EMPTY)[0])


@settings(max_examples=60)
@given(small)
def test_wbo_has_the_same_optima_each_once(model):
    assert Judge(wbo_text(model)).optima(len(model.variables)) == sorted(naive.optima(model, EMPTY)[0])


@given(small)
def test_headers_count_right(model):
    for text in (opb_text(model), wbo_text(model)):
        judge = Judge(text)
        stated = [line for line in text.splitlines() if line[0] != "*" and line[:4] not in ("min:", "soft")]
        assert f"#constraint= {len(stated)}" in judge.header
        used = {v for _, terms, _ in judge.constraints for c, v in terms if c} | {v for _, v in judge.objective}
        assert max(used, default=0) <= int(re.search("#variable= ([0-9]+)", judge.header)[1])
    weights = [weight for weight, _, _ in Judge(wbo_text(model)).constraints if weight is not None]
    assert judge.header.endswith(
        f"#soft= {len(weights)} mincost= {min(weights, default=0)} maxcost= {max(weights, default=0)} "
        f"sumcost= {sum(weights)}"
    )


@settings(max_examples=25, deadline=None)
@given(models(counts=True, min_variables=2, max_variables=4, min_literals=2, max_hard=3, max_soft=3))
def test_cpmpy_reads_opb_and_finds_one_of_our_optima(model):
    # CPMpy takes no constraint of a single literal, and no variable that no constraint speaks of.
    model = model.with_hard(Constraint(tuple(range(1, len(model.variables) + 1))))
    optima, _ = naive.optima(model, EMPTY)
    found = load_opb(opb_text(model))
    assert found.solve() == bool(optima)
    if optima:
        value = {variable.name: int(variable.value()) for variable in get_variables_model(found)}
        assert tuple(value[f"x{v}"] for v in range(1, len(model.variables) + 1)) in optima


def test_the_written_files_are_the_documented_ones():
    model = Model.build(
        ("ana", "ben", "cleo"),
        ["at least 2 of ana, !ben, cleo"],
        [("ana", 0.5), ("ben | cleo", 0.25), ("at least 2 of ana, ben, cleo", -1), ("!ben", 0)],
    )
    remarks = ["* unit 1000", "* var 1 ana", "* var 2 ben", "* var 3 cleo"]
    assert opb_text(model).splitlines() == [
        *("* #variable= 5 #constraint= 5", *remarks),
        "min: -500 x1 -250 x4 +1000 x5 ;",
        "+1 x1 -1 x2 +1 x3 >= 1 ;",
        "* soft 500 1 0",
        *("* soft 250 2 3 0", "* aux 4 soft 2 part 1", "+1 x2 +1 x3 -1 x4 >= 0 ;", "-1 x2 -1 x3 +2 x4 >= 0 ;"),
        *("* soft -1000 2 of 1 2 3 0", "* aux 5 soft 3 part 1"),
        *("+1 x1 +1 x2 +1 x3 -2 x5 >= 0 ;", "-1 x1 -1 x2 -1 x3 +2 x5 >= -1 ;"),
        "* soft 0 -2 0",
    ]
    assert wbo_text(model).splitlines() == [
        *("* #variable= 3 #constraint= 4 #soft= 3 mincost= 250 maxcost= 1000 sumcost= 1750", *remarks),
        "soft: ;",
        "+1 x1 -1 x2 +1 x3 >= 1 ;",
        "[500] +1 x1 >= 1 ;",
        "[250] +1 x2 +1 x3 >= 1 ;",
        *("* soft -1000 2 of 1 2 3 0", "[1000] -1 x1 -1 x2 -1 x3 >= -1 ;"),
        "* soft 0 -2 0",
    ]


FOREIGN = {
    "a count": ("+1 x1 +1 x2 +1 x3 >= 2 ;", [Constraint((1, 2, 3), 2)]),
    "no signs": ("1 x1 1 x2 >= 1;", [Constraint((1, 2))]),
    "negated literals": ("+1 x1 +1 ~x2 >= 1 ;", [Constraint((1, -2))]),
    "negative coefficients": ("-1 x1 -1 x2 -1 x3 >= -1 ;", [Constraint((-1, -2, -3), 2)]),
    "at most": ("+1 x1 +1 x2 +1 x3 <= 1 ;", [Constraint((-1, -2, -3), 2)]),
    "exactly": ("+1 x1 +1 x2 +1 x3 = 1 ;", [Constraint((1, 2, 3)), Constraint((-1, -2, -3), 2)]),
    "all": ("+1 x1 +1 x2 = 2 ;", [Constraint((1, 2), 2)]),
    "none": ("+1 x1 +1 x2 = 0 ;", [Constraint((-1, -2), 2)]),
    "a common factor": ("+3 x1 +3 x2 +3 x3 >= 4 ;", [Constraint((1, 2, 3), 2)]),
    "a variable twice": ("+1 x1 +2 x2 -1 x2 >= 1 ;", [Constraint((1, 2))]),
    "over lines": ("+1 x1\n+1 x2\n>= 1\n;", [Constraint((1, 2))]),
    "several in a line": ("+1 x1 >= 1 ; -1 x2 >= 0 ;", [Constraint((1,)), Constraint((-2,))]),
}


@pytest.mark.parametrize("kind", FOREIGN)
def test_foreign_constraints_are_taken(kind):
    text, expected = FOREIGN[kind]
    assert list(read_opb(text).hard) == expected
    assert list(read_wbo("soft: ;\n" + text).hard) == expected


@given(
    st.dictionaries(st.integers(1, 4), st.sampled_from((-2, 2)), min_size=1),
    st.sampled_from((">=", "<=", "=")),
    st.integers(-9, 9),
)
def test_foreign_sums_mean_what_they_say(terms, sign, bound):
    text = " ".join(f"{c:+d} {'~' * (v % 2)}x{v}" for v, c in terms.items()) + f" {sign} {bound} ;"

    def true(bits):
        total = sum(c * (1 - bits[v - 1] if v % 2 else bits[v - 1]) for v, c in terms.items())
        return {">=": total >= bound, "<=": total <= bound, "=": total == bound}[sign]

    expected = [bits for bits in naive.all_assignments(4) if true(bits)]
    try:
        hard = read_opb(text).hard
    except InputError:
        assert len(expected) in (0, 16)  # what always holds, or never can, is no count
    else:
        found = [bits for bits in naive.all_assignments(4) if all(naive.constraint_holds(c, bits) for c in hard)]
        assert found == expected


def test_foreign_objectives_are_soft_literals():
    model = read_opb("* #variable= 4 #constraint= 1\nmin: +3 x1 -2 x2 +1 ~x3 ;\n+1 x1 +1 x2 >= 1 ;\n")
    assert model == Model.from_units(
        ("x1", "x2", "x3", "x4"), [Constraint((1, 2))], [((-1,), 3), ((2,), 2), ((3,), 1)], 1
    )


def test_foreign_weights_are_soft_constraints():
    text = "* #variable= 2 #constraint= 3 #soft= 2\nsoft: 6 ;\n[2] +1 x1 +1 x2 >= 1 ;\n[3] -1 x1 >= 0 ;\n+1 x2 >= 1 ;\n"
    model = read_wbo(text)
    assert model == Model.from_units(("x1", "x2"), [(2,)], [((1, 2), 2), ((-1,), 3)], 1)


BAD = {
    "m.opb": {
        "a product": ("+1 x1 >= 1 ;\n+1 x1 x2 +1 x3 >= 1 ;", 2, "'x1 x2' is a product"),
        "a product in the objective": ("min: +1 x1 ~x2 ;\n+1 x1 >= 1 ;", 1, "'x1 ~x2' is a product"),
        "no count": ("\n+2 x1 +3 x2 >= 4 ;", 2, "the coefficients 2 and 3 differ"),
        "no coefficient": ("x1 >= 1 ;", 1, "'x1' is not a sum"),
        "a word": ("+1 x1 +1 y2 >= 1 ;", 1, "'y2' is neither a number nor a variable"),
        "variable 0": ("+1 x0 >= 1 ;", 1, "'x0' is neither"),
        "no relation": ("+1 x1 +1 x2 ;", 1, "is not a constraint"),
        "another relation": ("+1 x1 +1 x2 > 1 ;", 1, "is not a constraint"),
        "no number": ("+1 x1 +1 x2 >= x3 ;", 1, "is not a constraint"),
        "no sum": (">= 1 ;", 1, "is not a sum"),
        "no end": ("+1 x1 >= 1 ;\n+1 x1\n+1 x2 >= 1", 2, "does not end with ';'"),
        "nothing": ("+1 x1 >= 1 ;;", 1, "nothing before the ';'"),
        "what always holds": ("+1 x1 +1 x2 >= 0 ;", 1, "0 of 2 always holds"),
        "what never holds": ("+1 x1 +1 x2 >= 3 ;", 1, "3 of 2 can never hold"),
        "an equation that never holds": ("+1 x1 +1 x2 = 3 ;", 1, "can never hold"),
        "an equation of nothing": ("+0 x1 = 0 ;", 1, "always holds"),
        "a maximum": ("max: +1 x1 ;\n+1 x1 >= 1 ;", 1, "write 'min:'"),
        "two objectives": ("min: +1 x1 ;\nmin: +1 x2 ;", 2, "must stand once"),
        "a late objective": ("+1 x1 >= 1 ;\nmin: +1 x1 ;", 2, "before all constraints"),
        "a weight": ("[3] +1 x1 >= 1 ;", 1, "belongs to WBO; name the file .wbo"),
        "a WBO": ("soft: ;\n[3] +1 x1 >= 1 ;", 1, "name the file .wbo"),
        "a wrong number": ("* #variable= 1 #constraint= 2\n+1 x1 >= 1 ;", None, "counts 2 constraints but there are 1"),
        "a huge header": ("* #variable= 999999999 #constraint= 1\n+1 x1 >= 1 ;", None, "999999999 variables"),
        "a huge number": ("+1 x99999999999999999999999 >= 1 ;", 1, "is neither a number nor a variable"),
        "a bad unit": ("* unit 7\n+1 x1 >= 1 ;", 1, "unit 7"),
        "another objective": ("min: -4 x1 ;\n* soft 5 1 0", 1, "not that of the '* soft' comments"),
        "no objective": ("* soft 5 1 0", None, "not that of the '* soft' comments"),
        "a heavy objective": ("min: -99999999999999999999 x1 ;", None, "is too large"),
        "a stale comment": ("* soft 5 1 2 0\n+1 x1 +1 x2 -1 x3 >= 0 ;", 1, "do not encode it"),
    },
    "m.wbo": {
        "no soft line": ("+1 x1 >= 1 ;", None, "there is no 'soft:' line"),
        "an objective": ("min: +1 x1 ;", 1, "name the file .opb"),
        "a limit": ("soft: 3 ;\n[2] +1 x1 >= 1 ;\n[3] -1 x1 >= 0 ;", 1, "cost 3 or more are forbidden"),
        "a bad soft line": ("soft: none ;", 1, "write 'soft: ;'"),
        "a soft equation": ("soft: ;\n[3] +1 x1 +1 x2 = 1 ;", 2, "is two constraints"),
        "a soft sum": ("soft: ;\n[3] +1 x1 +2 x2 +2 x3 >= 3 ;", 2, "the coefficients 1 and 2 differ"),
        "a bad weight": ("soft: ;\n[-3] +1 x1 >= 1 ;", 2, "'[-3]' is neither"),
        "a heavy weight": ("soft: ;\n[99999999999999999999] +1 x1 >= 1 ;", 2, "is too large"),
        "a stale comment": ("soft: ;\n* soft -5 1 2 0\n[5] -1 x1 >= 0 ;", 2, "do not encode it"),
    },
}


@pytest.mark.parametrize(("name", "kind"), [(name, kind) for name, kinds in BAD.items() for kind in kinds])
def test_bad_files_are_told_with_line_and_value(tmp_path, name, kind, capsys):
    text, line, part = BAD[name][kind]
    path = tmp_path / name
    path.write_text(text)
    assert main(["show", str(path)]) == 2
    message = capsys.readouterr().err
    assert message.startswith(f"hassle: {path}: " if line is None else f"hassle: {path}:{line}: "), message
    assert part in message
    assert message.count("\n") == 1
    assert len(message) < len(str(path)) + 250


def flipped(line):
    return line.replace("+", "#").replace("-", "+").replace("#", "-")


@pytest.mark.parametrize(("write", "read"), [(opb_text, read_opb), (wbo_text, read_wbo)])
def test_a_tampered_encoding_is_refused(write, read):
    lines = write(MODEL).splitlines()
    encoded = [k for k in range(1, len(lines)) if lines[k].endswith(";") and lines[k - 1].startswith("* ")]
    encoded = [k for k in encoded if lines[k] != "soft: ;"]
    assert len(encoded) >= 4
    for k in encoded:
        with pytest.raises(InputError):
            read("\n".join([*lines[:k], flipped(lines[k]), *lines[k + 1 :]]))


@pytest.mark.parametrize("name", ["m.opb", "m.wbo"])
def test_files_are_known_by_name_and_by_content(tmp_path, name):
    write_model(MODEL, tmp_path / name)
    assert read_model(tmp_path / name) == MODEL
    (tmp_path / "plain").write_bytes((tmp_path / name).read_bytes())
    assert read_model(tmp_path / "plain") == MODEL


def test_convert_knows_all_formats(tmp_path, capsys):
    write_model(MODEL, tmp_path / "m.json")
    chain = ["m.json", "m.opb", "m.wbo", "m.wcnf", "n.json"]
    for source, target in pairwise(chain):
        assert main(["convert", str(tmp_path / source), str(tmp_path / target)]) == 0
    assert read_model(tmp_path / "n.json") == MODEL
    capsys.readouterr()
    assert main(["convert", str(tmp_path / "m.json"), "-", "--to", "opb"]) == 0
    assert read_opb(capsys.readouterr().out) == MODEL
    assert main(["convert", str(tmp_path / "m.json"), str(tmp_path / "m.cnf")]) == 2
    assert "CNF cannot hold" in capsys.readouterr().err


@settings(max_examples=300)
@given(st.data())
def test_damaged_files_are_read_or_refused(data):
    """Whatever happens to a file, the answer is a model or one line."""
    write, read = data.draw(st.sampled_from([(opb_text, read_opb), (wbo_text, read_wbo)]))
    text = write(data.draw(st.just(MODEL) | small))
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 8)))
        noise = data.draw(st.text('*+-~x0123456789 [];:=<>minsofthard\n{}"é', max_size=4))
        text = text[:start] + noise + text[end:]
    try:
        model = read(text)
    except InputError:
        return
    assert read(write(model)) == model
