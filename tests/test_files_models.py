"""Models in files: what is written reads back whole, and means the same to every MaxSAT solver."""

import json
from decimal import Decimal
from pathlib import Path

import naive
import pytest
from hypothesis import given, settings
from pysat.examples.rc2 import RC2
from pysat.formula import CNF, WCNF
from strategies import models

from hassle.errors import InputError
from hassle.files import model_from_json, model_to_json, read_model, write_model
from hassle.files.cnf import cnf_text, read_cnf
from hassle.files.model_json import model_json_text, read_model_json
from hassle.files.wcnf import read_wcnf, wcnf_text
from hassle.logic import EMPTY, Constraint
from hassle.logic.names import index_of, quoted
from hassle.model import Model
from hassle.model.weights import LARGEST_SUM

SATLIB = Path(__file__).parents[2] / "shared" / "data" / "uf20-91"

heavy = models(min_weight=-(LARGEST_SUM // 8), max_weight=LARGEST_SUM // 8)
MODEL = Model.build(
    ("ana", "ben c", "!eve"),
    ["ana | !'ben c'", []],
    [("ana", 0.5), ("ana | '!eve'", -1), ("'!eve'", -0.25), ("ana | 'ben c'", 0), ([], 2), ([], -2)],
)


@given(models() | heavy)
def test_wcnf_reads_back(model):
    assert read_wcnf(wcnf_text(model)) == model


@given(models() | heavy)
def test_json_reads_back(model):
    assert read_model_json(model_json_text(model)) == model
    assert model_from_json(json.loads(json.dumps(model_to_json(model)))) == model


@given(models(max_soft=0))
def test_cnf_reads_back(model):
    assert read_cnf(cnf_text(model)) == model


def optima_for_solvers(formula, variables):
    """The cheapest solutions of what a solver reads, over the given variables, with their multiplicity."""
    total = max(formula.nv, variables)
    costs = {
        bits: sum(w for c, w in zip(formula.soft, formula.wght, strict=True) if not naive.clause_holds(c, bits))
        for bits in naive.all_assignments(total)
        if all(naive.clause_holds(c, bits) for c in formula.hard)
    }
    return sorted(bits[:variables] for bits, cost in costs.items() if cost == min(costs.values()))


@settings(max_examples=60)
@given(models(max_variables=4, max_soft=3, max_hard=3))
def test_solvers_find_the_same_optima_each_once(model):
    formula = WCNF(from_string=wcnf_text(model))
    optima, _ = naive.optima(model, EMPTY)
    assert optima_for_solvers(formula, len(model.variables)) == sorted(optima)


@settings(max_examples=60)
@given(models(max_hard=3, max_soft=6))
def test_rc2_finds_one_of_our_optima(model):
    optima, _ = naive.optima(model, EMPTY)
    with RC2(WCNF(from_string=wcnf_text(model))) as solver:
        found = solver.compute()
    if found is None:
        assert not optima
    else:
        true = {lit for lit in found if lit > 0}
        assert tuple(int(v + 1 in true) for v in range(len(model.variables))) in optima


def test_the_written_wcnf_is_the_documented_one():
    assert wcnf_text(MODEL).splitlines() == [
        *("c unit 1000", "c var 1 ana", "c var 2 ben c", "c var 3 !eve"),
        *("h 1 -2 0", "h 0"),
        "500 1 0",
        *("c soft -1000 1 3 0", "1000 4 0", "h 1 3 4 0", "h -1 -4 0", "h -3 -4 0"),
        *("c soft -250 3 0", "250 -3 0"),
        "c soft 0 1 2 0",
        "c soft 2000 0",
        "c soft -2000 0",
    ]


def test_the_written_json_is_the_documented_one():
    value = json.loads(model_json_text(MODEL))
    assert value == model_to_json(MODEL)
    assert list(value) == ["format", "version", "variables", "unit", "hard", "soft", "about"]
    assert (value["format"], value["version"], value["unit"]) == ("hassle-model", 2, 1000)
    assert value["hard"] == [["ana", "!ben c"], []]
    assert value["soft"][:3] == [
        {"clause": ["ana"], "weight": 0.5},
        {"clause": ["ana", "'!eve'"], "weight": -1},
        {"clause": ["'!eve'"], "weight": -0.25},
    ]


@pytest.mark.parametrize("name", ["m.wcnf", "m.json", "M.WCNF"])
def test_files_read_back(tmp_path, name):
    MODEL.write(tmp_path / name)
    assert Model.read(tmp_path / name) == MODEL
    (tmp_path / "plain").write_bytes((tmp_path / name).read_bytes())
    assert read_model(tmp_path / "plain") == MODEL


def test_how_a_model_was_learned_travels_with_json(tmp_path):
    about = {"learner": "sls", "score": 0.975, "options": {"steps": 10, "seed": None}, "times": [0.1, 2]}
    write_model(Model.build(("a",), about=about), tmp_path / "m.json")
    assert read_model(tmp_path / "m.json").about == about
    with pytest.raises(InputError, match="'about' cannot be written"):
        write_model(Model.build(("a",), about={"x": {1, 2}}), tmp_path / "m.json")
    assert read_model(tmp_path / "m.json").about == about


def test_json_weights_are_exact_whatever_their_length():
    text = '{"format": "hassle-model", "version": 1, "variables": ["a"], "soft": [{"clause": ["a"], "weight": %s}]}'
    assert read_model_json(text % "0.1").soft[0].weight == Decimal("0.1")
    assert read_model_json(text % "1234567890123.000001").soft[0].weight == Decimal("1234567890123.000001")
    assert read_model_json(text % "1e-6").unit == 10**6
    long = Model.build(["a"], soft=[("a", "1234567890123.000001")])
    assert model_to_json(long)["soft"][0]["weight"] == "1234567890123.000001"
    with pytest.raises(InputError, match="finer than"):
        read_model_json(text % "0.1000000000000000000000000000000001")


def test_both_forms_of_wcnf():
    new = read_wcnf("c a comment\nh 1 -2 0\n3 2 0\n  7   1 3 0\n\nh 3 0\n")
    assert new == Model.from_units(("x1", "x2", "x3"), [(1, -2), (3,)], [((2,), 3), ((1, 3), 7)], 1)
    old = read_wcnf("c\np wcnf 4 4 10\n10 1 -2 0\n3 2 0\n7 3 1 0\n12 3 0\n")
    assert old == Model.from_units(("x1", "x2", "x3", "x4"), [(1, -2), (3,)], [((2,), 3), ((1, 3), 7)], 1)
    assert read_wcnf("p wcnf 2 2\n3 2 0\n1 1 0\n").hard == ()
    assert read_wcnf("p wcnf 1 1 18446744073709551615\n18446744073709551615 1 0\n").hard == (Constraint((1,)),)
    assert read_wcnf("0 1 0\n").soft[0].weight == 0
    assert read_wcnf("c only comments\n") == Model.build((), unit=1)


def test_names_and_unit_in_comments():
    model = read_wcnf("c unit 100\nc var 3 the third one\nc var one is a comment\nc units\n50 1 0\n")
    assert model == Model.build(("x1", "x2", "the third one"), soft=[("x1", 0.5)], unit=100)


def test_without_the_comment_an_encoding_reads_as_it_stands():
    lines = [line for line in wcnf_text(MODEL).splitlines() if not line.startswith("c")]
    plain = read_wcnf("\n".join(lines))
    assert plain.variables == ("x1", "x2", "x3", "x4")
    assert len(plain.hard) == 5


def test_satlib_quirks():
    text = "c hi\np cnf 4  3 \n 1 -2\n3 0 2\nc inside\n -3 0\n0\n%\n0\n\n"
    assert read_cnf(text) == Model.from_units(("x1", "x2", "x3", "x4"), [(1, -2, 3), (2, -3), ()])


@pytest.mark.skipif(not SATLIB.is_dir(), reason="the SATLIB files are not here")
def test_real_satlib_files():
    for path in sorted(SATLIB.glob("*.cnf"))[:20]:
        model = read_model(path)
        # PySAT does not read past SATLIB's percent sign.
        judge = CNF(from_string=path.read_text().partition("%")[0])
        assert [set(clause.literals) for clause in model.hard] == [set(clause) for clause in judge.clauses]
        assert (len(model.variables), len(model.hard), len(model.soft)) == (20, 91, 0)


def test_cnf_cannot_hold_soft_clauses(tmp_path):
    with pytest.raises(InputError, match=r"6 soft clauses; write \.wcnf or \.json"):
        write_model(MODEL, tmp_path / "m.cnf")
    assert list(tmp_path.iterdir()) == []


BAD = {
    "m.wcnf": {
        "no number": ("h 1 2 0\nh 1 x 0\n", 2, "'x' is not a whole number"),
        "Python's own numbers": ("h 1_0 0\n", 1, "'1_0' is not a whole number"),
        "other scripts' digits": ("h ٣ 0\n", 1, "'٣' is not a whole number"),
        "no weight": ("1 2 0\nhello 1 0\n", 2, "'hello'"),
        "no end": ("3 1 2\n", 1, "does not end with 0"),
        "a zero inside": ("3 1 0 2 0\n", 1, "0 is not a literal"),
        "only a weight": ("3\n", 1, "does not end with 0"),
        "a decimal weight": ("0.5 1 0\n", 1, "'0.5' is not a whole number"),
        "a negative weight": ("-5 1 0\n", 1, "weight -5 is negative"),
        "a weight beyond 64 bits": ("h 1 0\n99999999999999999999 1 0\n", 2, "99999999999999999999 is too large"),
        "weights that sum beyond": (f"{LARGEST_SUM - 1} 1 0\n1 2 0\n", None, "sum to more"),
        "a tautology": ("h 1 2 -1 0\n", 1, "1 and -1"),
        "a huge variable": ("h 123456789 0\n", None, "123456789 variables but has 1 literals"),
        "a number beyond all bounds": (f"h {'9' * 5000} 0\n", 1, "is not a whole number"),
        "beyond the header": ("p wcnf 2 1 9\n3 1 -3 0\n", 2, "variable 3 is beyond the header's 2"),
        "fewer clauses": ("p wcnf 2 2 9\n3 1 0\n", None, "counts 2 clauses but there are 1"),
        "more clauses": ("p wcnf 2 1 9\n3 1 0\n3 2 0\n", None, "counts 1 clauses but there are 2"),
        "a bad header": ("p wcnf 2\n", 1, "header cannot be read"),
        "two headers": ("p wcnf 1 1\np wcnf 1 1\n3 1 0\n", 2, "once"),
        "a late header": ("3 1 0\np wcnf 1 1\n", 2, "before all clauses"),
        "a header below zero": ("p wcnf 1 -1 3\n", 1, "below zero"),
        "h in the old form": ("p wcnf 1 1 5\nh 1 0\n", 2, "new form"),
        "a CNF": ("p cnf 1 1\n1 0\n", 1, "this is a CNF file"),
        "a bad unit": ("c unit 12\n3 1 0\n", 1, "unit 12"),
        "two names": ("c var 1 a\nc var 1 b\n3 1 0\n", 2, "named 'a' and 'b'"),
        "one name twice": ("c var 1 a\nc var 2 a\n3 1 0\n", None, "'a' is named twice"),
        "a name for 0": ("c var 0 a\n3 1 0\n", 1, "variable 0"),
        "an edited encoding": ("c soft -5 1 2 0\n6 3 0\nh 1 2 3 0\nh -1 -3 0\nh -2 -3 0\n", 1, "'c soft -5 1 2 0'"),
        "half an encoding": ("c soft -5 1 2 0\n5 3 0\nh 1 2 3 0\n", 1, "do not encode it"),
        "a stale encoding": ("h 3 0\nc soft -5 1 2 0\n5 3 0\nh 1 2 3 0\nh -1 -3 0\nh -2 -3 0\n", 2, "not fresh"),
    },
    "m.cnf": {
        "no header": ("1 2 0\n", 1, "'1' stands before the header"),
        "only comments": ("c hi\n", None, "there is no header"),
        "a bad header": ("p cnf 2\n1 0\n", 1, "is not the one header"),
        "two headers": ("p cnf 1 1\np cnf 1 1\n1 0\n", 2, "is not the one header"),
        "a header of words": ("p cnf two 1\n", 1, "'two' is not a whole number"),
        "a WCNF": ("p wcnf 1 1 5\n1 1 0\n", 1, "this is a WCNF file"),
        "no number": ("p cnf 2 1\n1 b 0\n", 2, "'b' is not a whole number"),
        "no end": ("p cnf 2 1\n1\n2\n", 2, "does not end with 0"),
        "beyond the header": ("p cnf 2 1\n1 -3 0\n", 2, "variable 3 is beyond"),
        "fewer clauses": ("p cnf 2 2\n1 0\n", None, "counts 2 clauses but there are 1"),
        "a huge header": ("p cnf 999999999 1\n1 0\n", None, "999999999 variables"),
        "a tautology": ("p cnf 2 1\n1\n-1 0\n", 3, "always holds"),
    },
    "m.json": {
        "no JSON": ('{"format":\n "hassle-model",,}', 2, "is not JSON"),
        "a list": ("[]", None, "is not a model file"),
        "another format": ('{"format": "x"}', None, "is not a model file"),
        "another version": ('{"format": "hassle-model", "version": 3}', None, "version 3 is unknown"),
        **{
            kind: ('{"format": "hassle-model", "version": 1, ' + rest + "}", None, part)
            for kind, rest, part in [
                ("no variables", '"hard": []', "'variables' is missing"),
                ("an unknown key", '"variables": [], "wieght": 1', "unknown key 'wieght'"),
                ("variables of a wrong type", '"variables": "a"', "'variables' is 'a'; write a list"),
                ("a name of a wrong type", '"variables": [1]', "no name (1)"),
                ("clauses of a wrong type", '"variables": ["a"], "hard": {}', "'hard' is {}; write a list"),
                (
                    "a clause of a wrong type",
                    '"variables": ["a"], "hard": [["a"], "a"]',
                    "hard constraint 2: 'a' is not",
                ),
                ("a literal of a wrong type", '"variables": ["a"], "hard": [[1]]', "1 is not a literal"),
                ("an unknown name", '"variables": ["ana"], "hard": [["!anna"]]', "did you mean 'ana'?"),
                ("a formula", '"variables": ["a"], "hard": [["\'a\' -> a"]]', "is not a literal"),
                ("a tautology", '"variables": ["a"], "hard": [["a", "!a"]]', "hard constraint 1: "),
                ("no weight", '"variables": ["a"], "soft": [{"clause": ["a"]}]', "soft constraint 1: "),
                (
                    "a weight of no number",
                    '"variables": [], "soft": [{"clause": [], "weight": "x"}]',
                    "'x' is not a weight",
                ),
                ("a truth value", '"variables": [], "soft": [{"clause": [], "weight": true}]', "True is not a weight"),
                ("an infinite weight", '"variables": [], "soft": [{"clause": [], "weight": Infinity}]', "Infinity"),
                ("a bad unit", '"variables": [], "unit": 3', "unit 3"),
                ("a unit of a wrong type", '"variables": [], "unit": true', "'unit' is True"),
                ("too coarse a unit", '"variables": [], "unit": 1, "soft": [{"clause": [], "weight": 0.5}]', "1/1"),
                ("about of a wrong type", '"variables": [], "about": 3', "'about' is 3"),
                ("a key twice", '"variables": [], "variables": []', "'variables' stands twice"),
            ]
        },
    },
}


@pytest.mark.parametrize(("name", "kind"), [(name, kind) for name, kinds in BAD.items() for kind in kinds])
def test_bad_models_are_told_with_line_and_value(tmp_path, name, kind):
    text, line, part = BAD[name][kind]
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_model(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: " if line is None else f"{path}:{line}: "), message
    assert part in message
    assert "\n" not in message
    assert len(message) < len(str(path)) + 250


class CountedName(str):
    """A name that counts how often it is hashed."""

    __slots__ = ()
    hashed = 0

    def __hash__(self):
        CountedName.hashed += 1
        return super().__hash__()


@pytest.mark.parametrize("first", ["", "!"], ids=["plain", "quoted"])
def test_reading_a_model_looks_at_each_name_a_few_times_however_many_there_are(first):
    """Not once for each literal: that took hours for 200,000 variables."""
    count = 500
    names = [CountedName(f"{first}x{i}") for i in range(count)]
    words = [quoted(name) if first else str(name) for name in names]
    document = {"format": "hassle-model", "version": 1, "variables": names, "hard": [[word] for word in words]}
    CountedName.hashed = 0
    model = model_from_json(document)
    assert model.hard == tuple(Constraint((v,)) for v in range(1, count + 1))
    assert CountedName.hashed <= 10 * count


def test_equal_names_in_another_tuple_are_found_too():
    for _ in range(200):
        names = tuple(["a", "b", "c"])  # noqa: C409 - a new tuple each time
        assert index_of(names) == {"a": 0, "b": 1, "c": 2}
    assert index_of(("c", "a")) == {"c": 0, "a": 1}
