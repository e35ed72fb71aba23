"""Models with counts and schemas in files: they read back whole, and mean the same to every MaxSAT solver."""

import json
from pathlib import Path

import naive
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pysat.examples.rc2 import RC2
from pysat.formula import WCNF
from strategies import constraints, models, names, schemas

from hassle.errors import InputError
from hassle.files import model_from_json, model_to_json, read_model, write_model
from hassle.files.cnf import cnf_text
from hassle.files.model_json import model_json_text, read_model_json
from hassle.files.wcnf import read_wcnf, wcnf_text
from hassle.logic import EMPTY, Arrangement, Choice, Constraint, Dimension, Number, Schema, YesNo
from hassle.logic.cnf import constraint_clauses
from hassle.model import Model
from hassle.model.weights import LARGEST_SUM


@st.composite
def arranged_schemas(draw):
    """Any columns, with dimensions, attributes and arrangements."""
    columns = draw(schemas()).columns
    dimensions = []
    for name in draw(st.lists(names(), max_size=2, unique=True)):
        members = tuple(draw(st.lists(names(), min_size=1, max_size=3, unique=True)))
        values = st.tuples(*[names()] * len(members))
        attributes = draw(st.dictionaries(names(), values, max_size=2))
        dimensions.append(Dimension(name, members, draw(st.booleans()), attributes))
    arrangements = []
    for name in draw(st.lists(names(), max_size=2, unique=True)):
        over = draw(st.lists(st.sampled_from(dimensions), unique_by=lambda d: d.name)) if dimensions else []
        pattern = draw(names()) + "_".join("{" + dimension.name + "}" for dimension in over)
        arrangements.append(Arrangement(name, tuple(d.name for d in over), pattern))
    return Schema(columns, tuple(dimensions), tuple(arrangements))


counting = models(counts=True) | models(counts=True, over=schemas()) | models(counts=True, over=arranged_schemas())
heavy = models(counts=True, min_weight=-(LARGEST_SUM // 8), max_weight=LARGEST_SUM // 8)

SCHEMA = Schema((YesNo("ana"), Choice("shift", ("early", "night", "off")), Number("staff", 0, 2)))
MODEL = Model.build(
    SCHEMA,
    ["at least 2 of ana, shift = night, staff >= 2", "ana | staff < 2"],
    [("at least 2 of ana, shift = off, staff >= 1", 0.5), ("at least 2 of ana, shift = off, staff >= 1", -1)],
)


@given(counting | heavy)
def test_json_reads_back(model):
    assert read_model_json(model_json_text(model)) == model
    assert model_from_json(json.loads(json.dumps(model_to_json(model)))) == model


@given(counting | heavy)
def test_wcnf_reads_back(model):
    assert read_wcnf(wcnf_text(model)) == model


@pytest.mark.parametrize("suffix", ["json", "wcnf", "opb", "wbo"])
def test_a_model_with_further_rules_reads_back(tmp_path, suffix):
    model = MODEL.with_hard(Constraint((1, -2)))
    model.write(tmp_path / f"m.{suffix}")
    assert Model.read(tmp_path / f"m.{suffix}") == model


def solver_optima(formula, variables):
    """The cheapest solutions of what a solver reads, over the first variables, and how often each occurs."""
    best, found = None, []
    with RC2(formula) as solver:
        for solution in solver.enumerate():
            if best is not None and solver.cost > best:
                break
            best = solver.cost
            true = {lit for lit in solution if lit > 0}
            found.append(tuple(int(v in true) for v in range(1, variables + 1)))
    return sorted(found)


def mentioning_all(formula, variables):
    """The same formula, with a clause that says nothing of each variable, so that a solver lists all of them."""
    for v in range(1, variables + 1):
        formula.append([v, -v])
    return formula


@settings(max_examples=100)
@given(
    models(counts=True, max_variables=4, max_soft=3, max_hard=3)
    | models(counts=True, over=schemas(max_columns=2), max_soft=3, max_hard=2)
)
def test_solvers_find_the_same_optima_each_once(model):
    formula = mentioning_all(WCNF(from_string=wcnf_text(model)), len(model.variables))
    assert solver_optima(formula, len(model.variables)) == sorted(naive.optima(model, EMPTY)[0])


@pytest.mark.parametrize("need", [2, 5, 6, 9, 10])
def test_wide_counts_mean_the_same(need):
    """Wide enough for counters, whose fresh variables must not add solutions."""
    over = tuple(f"v{i}" for i in range(10))
    literals = tuple(v if v % 3 else -v for v in range(1, 11))
    model = Model.from_units(over, [Constraint(literals, need)], [(Constraint(literals, need - 1), -5)])
    text = wcnf_text(model)
    assert ("aux 11 hard 1" in text) == (need in (5, 6))
    assert read_wcnf(text) == model
    formula = mentioning_all(WCNF(from_string=text), len(over))
    assert solver_optima(formula, len(over)) == sorted(naive.optima(model, EMPTY)[0])


@given(constraints(6, min_literals=1))
def test_small_counts_are_clauses_without_fresh_variables(constraint):
    clauses, fresh = constraint_clauses(constraint, 7)
    assert fresh == 7
    for bits in naive.all_assignments(6):
        held = all(naive.clause_holds(clause, bits) for clause in clauses)
        assert held == naive.constraint_holds(constraint, bits)


def test_fresh_variables_are_named():
    wide = Constraint(tuple(range(1, 13)), 6)
    model = Model.from_units([f"v{i}" for i in range(12)], [wide], [(wide, 5), (wide, -5)])
    lines = wcnf_text(model).splitlines()
    used = {abs(int(token)) for line in lines if line[0] != "c" for token in line.split()[1:]} - {0}
    named = {int(line.split()[2]) for line in lines if line.startswith("c aux ")}
    assert used - set(range(1, 13)) == named
    assert any(line.endswith("hard 1 part 1") for line in lines)
    assert any(line.endswith("soft 2 part 1") for line in lines)


def test_the_written_wcnf_is_the_documented_one():
    assert wcnf_text(MODEL).splitlines()[6:] == [
        *("c var 6 staff>=2", wcnf_text(MODEL).splitlines()[7]),
        *("c domain 2 3 4 0", "h 2 3 4 0"),
        *("c domain 2 of -2 -3 -4 0", "h -2 -3 0", "h -2 -4 0", "h -3 -4 0"),
        *("c domain 5 -6 0", "h 5 -6 0"),
        *("c hard 2 of 1 3 6 0", "h 1 3 0", "h 1 6 0", "h 3 6 0"),
        "h 1 -6 0",
        *("c soft 500 2 of 1 4 5 0", *(f"c aux {v} soft 1 part {v - 6}" for v in range(7, 12))),
        *wcnf_text(MODEL).splitlines()[27:43],
        *("c soft -1000 2 of 1 4 5 0", *(f"c aux {v} soft 2 part {v - 11}" for v in range(12, 17))),
        *wcnf_text(MODEL).splitlines()[49:],
    ]
    assert wcnf_text(MODEL).splitlines()[7].startswith('c schema {"columns": {"ana": {"kind": "yes-or-no"}')


def test_the_written_json_is_the_documented_one():
    value = model_to_json(MODEL)
    assert list(value) == ["format", "version", "schema", "unit", "hard", "soft", "about"]
    assert value["version"] == 2
    assert value["schema"]["columns"]["shift"] == {"kind": "choice", "values": ["early", "night", "off"]}
    assert value["hard"] == [{"at least": 2, "of": ["ana", "shift=night", "staff>=2"]}, ["ana", "!staff>=2"]]
    assert value["soft"][1] == {"at least": 2, "of": ["ana", "shift=off", "staff>=1"], "weight": -1}
    plain = model_to_json(Model.build(("a", "b"), ["a | b"], [("a", 1)]))
    assert plain["variables"] == ["a", "b"]
    assert plain["soft"] == [{"clause": ["a"], "weight": 1}]


def test_version_1_is_read():
    text = '{"format": "hassle-model", "version": 1, "variables": ["a"], "soft": [{"clause": ["a"], "weight": 0.5}]}'
    assert read_model_json(text) == Model.build(["a"], soft=[("a", 0.5)])
    bundled = Path(__file__).parents[1] / "src" / "hassle" / "bundled" / "roster_truth.json"
    old = json.loads(bundled.read_text()) | {"version": 1}
    assert read_model_json(json.dumps(old)) == read_model(bundled)


def test_a_plain_schema_with_dimensions_is_kept(tmp_path):
    days = Dimension("day", ("mon", "tue"), ordered=True)
    schema = Schema((YesNo("x_mon"), YesNo("x_tue")), (days,), (Arrangement("x", ("day",), "x_{day}"),))
    model = Model.build(schema, ["x_mon | x_tue"])
    for name in ("m.json", "m.wcnf", "m.cnf", "m.opb", "m.wbo"):
        write_model(model, tmp_path / name)
        assert read_model(tmp_path / name).schema == schema


def test_cnf_refuses_counts_and_choices():
    with pytest.raises(InputError, match=r"CNF cannot hold the model's counts; write \.wcnf"):
        cnf_text(Model.build(("a", "b", "c"), ["at least 2 of a, b, c"]))
    with pytest.raises(InputError, match=r"CNF cannot hold the model's choices and numbers; write \.wcnf"):
        cnf_text(Model.build(SCHEMA, ["ana"]))


def flipped(line):
    """The line with another sign before its last literal."""
    *before, last, end = line.split()
    return " ".join([*before, str(-int(last)), end])


def test_a_tampered_encoding_is_refused():
    """Whether a line of it is changed or gone, or the comment says something else."""
    lines = wcnf_text(MODEL).splitlines()
    kept = [k for k, line in enumerate(lines) if line.startswith(("c soft", "c hard", "c domain"))]
    stated = [k for k, line in enumerate(lines) if line[0] != "c" and line != "h 1 -6 0"]
    assert len(kept) == 6
    assert len(stated) > 30
    broken = [[*lines[:k], flipped(lines[k]), *lines[k + 1 :]] for k in kept + stated]
    broken += [[*lines[:k], *lines[k + 1 :]] for k in stated]
    for changed in broken:
        with pytest.raises(InputError, match=r"^line [0-9]+: (the lines after|the domain|variable)"):
            read_wcnf("\n".join(changed))


def test_without_its_comment_an_encoding_reads_as_it_stands():
    text = wcnf_text(Model.build(("a", "b", "c"), ["at least 2 of a, b, c"]))
    alone = "\n".join(line for line in text.splitlines() if not line.startswith("c hard"))
    assert read_wcnf(alone) == Model.build(("a", "b", "c"), ["a | b", "a | c", "b | c"])


@settings(max_examples=300)
@given(st.data())
def test_damaged_files_are_read_or_refused(data):
    """Whatever happens to a file, the answer is a model or one line."""
    write, read = data.draw(st.sampled_from([(wcnf_text, read_wcnf), (model_json_text, read_model_json)]))
    text = write(data.draw(st.just(MODEL) | counting))
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        noise = data.draw(st.text('chsoft domain 0123456789-!{}[]:",\né', max_size=4))
        text = text[:start] + noise + text[start + data.draw(st.integers(0, 8)) :]
    try:
        model = read(text)
    except InputError:
        return
    assert read(write(model)) == model


HEAD = '{"format": "hassle-model", "version": 2, '
BAD = {
    "a rule": ('"variables": ["a"], "hard": [{"rule": "for every day: a"}]', "hard constraint 1: {'rule'"),
    "a soft rule": ('"variables": ["a"], "soft": [{"rule": "a", "weight": 1}]', "soft constraint 1: {'rule'"),
    "a text": ('"variables": ["a"], "hard": ["a"]', "hard constraint 1: 'a' is not a constraint"),
    "more than there are": ('"variables": ["a", "b"], "hard": [{"at least": 3, "of": ["a", "b"]}]', "3 of 2 can never"),
    "none": ('"variables": ["a", "b"], "hard": [{"at least": 0, "of": ["a", "b"]}]', "0 of 2 always holds"),
    "below zero": ('"variables": ["a", "b"], "hard": [{"at least": -1, "of": ["a", "b"]}]', "-1 of 2 always"),
    "of nothing": ('"variables": ["a"], "hard": [{"at least": 2, "of": []}]', "2 of 0 can never hold"),
    "a name twice": ('"variables": ["a", "b"], "hard": [{"at least": 2, "of": ["a", "a", "b"]}]', "twice"),
    "no number": ('"variables": ["a", "b"], "hard": [{"at least": "2", "of": ["a", "b"]}]', "'at least' is '2'"),
    "a truth value": ('"variables": ["a", "b"], "hard": [{"at least": true, "of": ["a", "b"]}]', "is True"),
    "no list": ('"variables": ["a", "b"], "hard": [{"at least": 2, "of": "ab"}]', "'ab' is not a list of literals"),
    "one key too many": ('"variables": ["a"], "soft": [{"clause": ["a"], "of": [], "weight": 1}]', "is not a constr"),
    "both": ('"variables": ["a"], "schema": {"columns": {}}', "both 'variables' and a 'schema'"),
    "neither": ('"hard": []', "'variables' is missing"),
    "a bad schema": ('"schema": {"columns": {"a": {"kind": "colour"}}}', "'schema': columns 'a': there is no kind"),
    "a wrong atom": (
        '"schema": {"columns": {"a": {"kind": "choice", "values": ["x", "y"]}}}, "hard": [["a=z"]]',
        "unknown variable 'a=z'; did you mean",
    ),
}


@pytest.mark.parametrize("kind", BAD)
def test_bad_json_is_told(tmp_path, kind):
    rest, part = BAD[kind]
    path = tmp_path / "m.json"
    path.write_text(HEAD + rest + "}")
    with pytest.raises(InputError) as caught:
        read_model(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert part in str(caught.value)
    assert "\n" not in str(caught.value)


CHOICE = 'c schema {"columns": {"s": {"kind": "choice", "values": ["x", "y"]}}}\n'
DOMAIN = "c domain 1 2 0\nh 1 2 0\nc domain -1 -2 0\nh -1 -2 0\n"
BAD_WCNF = {
    "an edited count": ("c hard 2 of 1 2 3 0\nh 1 2 0\nh 1 3 0\nh 2 -3 0\n", 1, "'c hard 2 of 1 2 3 0' do not encode"),
    "half a count": ("h 1 0\nc hard 2 of 1 2 3 0\nh 1 2 0\nh 1 3 0\n", 2, "do not encode"),
    "a count that cannot be": ("c hard 4 of 1 2 3 0\n", 1, "4 of 3 can never hold"),
    "a count that always holds": ("c soft 5 0 of 1 2 3 0\n", 1, "0 of 3 always holds"),
    "a variable twice": ("c hard 2 of 1 1 3 0\n", 1, "variable 1 twice"),
    "a schema that is no JSON": ('c schema {"columns": \n', 1, "is not JSON"),
    "a schema without columns": ("c schema {}\n", 1, "is not a schema"),
    "two schemas": (CHOICE + CHOICE, 2, "two schemas"),
    "no domain": (CHOICE + "h 1 0\n", None, "the domain in the file is not that of its schema"),
    "half a domain": (CHOICE + "c domain 1 2 0\nh 1 2 0\n", 2, "the domain in the file is not"),
    "a domain without a schema": (DOMAIN, 1, "the domain in the file is not"),
    "other names": ("c var 1 t=x\n" + CHOICE + DOMAIN, 2, "other variables"),
    "more variables": (CHOICE + DOMAIN + "h 3 0\n", 1, "other variables"),
}


@pytest.mark.parametrize("kind", BAD_WCNF)
def test_bad_wcnf_is_told_with_its_line(tmp_path, kind):
    text, line, part = BAD_WCNF[kind]
    path = tmp_path / "m.wcnf"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read_model(path)
    assert str(caught.value).startswith(f"{path}: " if line is None else f"{path}:{line}: "), str(caught.value)
    assert part in str(caught.value)


def test_a_good_schema_in_wcnf_is_read():
    assert read_wcnf(CHOICE + DOMAIN).schema == Schema((Choice("s", ("x", "y")),))
