"""The same optimum everywhere: each exit is solved by its own solver, which finds our value; and names survive.

Twenty models of each kind run by default; ``make test-all`` takes a thousand.
"""

import contextlib
import io
import json
import re
import runpy
import shutil
import subprocess

import cpmpy
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import all_assignments
from ortools.sat.python import cp_model
from pysat.examples.rc2 import RC2
from pysat.formula import WCNF, WCNFPlus
from random_models import random_model
from strategies import contexts, models, schemas
from test_files_opb import Judge

from hassle.cli.main import main
from hassle.errors import InputError
from hassle.exits.identifiers import identifiers
from hassle.files import MODEL_EXPORTS, MODEL_WRITERS, write_model
from hassle.logic import Choice, Context, Number, Schema, YesNo
from hassle.model import Model, model_rules
from hassle.model.given import required
from hassle.model.weights import in_units

FEW, MANY = range(20), range(1000)
# Starting these takes a while for each model.
PROCESSES = 4


def best(model):
    """Our own value in units; None where nothing is feasible."""
    found = model.solve(solver="table")
    return None if found is None else in_units(model.value(found), model.unit)


def insist(model, assignment, claimed):
    """The claimed value is ours, and the assignment, by names of columns, has it; None stands for infeasible."""
    assert claimed == best(model)
    if claimed is not None:
        bits = model.bits(assignment)
        assert model.feasible(bits[None, :])[0]
        assert model.schema.admits(bits[None, :])[0]
        assert model.values(bits[None, :])[0] == claimed


def by_cpmpy(model, tmp_path):
    said = model.to_cpmpy()
    if not said.solve(solver="ortools"):
        return None, None
    values = {}
    for column in model.schema.columns:
        found = said.columns[column.name].value()
        # What no rule speaks of is in no constraint, so CPMpy gives it no value.
        place = 0 if found is None else int(found)
        values[column.name] = column.values[place] if isinstance(column, Choice) else place
        if isinstance(column, Number) and found is None:
            values[column.name] = column.low
        assert said.columns[column.name].name.removesuffix("_") == column.name
    return values, 0 if said.objective_ is None else said.objective_value()


def by_cp_sat(model, tmp_path):
    said = model.to_cp_sat()
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    if solver.solve(said.model) == cp_model.INFEASIBLE:
        return None, None
    assert {variable.name for variable in said.model.proto.variables} >= set(model.schema.column_names)
    return said.assignment(solver), round(solver.objective_value) if model.soft else 0


def by_pysat(model, tmp_path):
    formula, names = model.to_pysat()
    total, unit = map(int, re.fullmatch(r"c value = \((-?\d+) - cost\) / (\d+)", formula.comments[0]).groups())
    assert unit == model.unit
    with RC2(formula, solver="gluecard4" if isinstance(formula, WCNFPlus) else "g3") as solver:
        found = solver.compute()
        if found is None:
            return None, None
        true = {names.obj(lit) for lit in found if lit > 0}
        return "".join(str(int(name in true)) for name in model.variables), total - solver.cost


def named_values(printed):
    values = dict(line.rsplit(" = ", 1) for line in printed.splitlines() if " = " in line)
    return values, int(values.pop("value in units", 0))


def by_minizinc(model, tmp_path):
    path = tmp_path / "model.mzn"
    write_model(model, path)
    run = subprocess.run(["minizinc", path], capture_output=True, text=True, check=True)
    return (None, None) if "UNSATISFIABLE" in run.stdout else named_values(run.stdout)


def by_script(model, tmp_path):
    path = tmp_path / "model.py"
    write_model(model, path)
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            runpy.run_path(str(path), run_name="__main__")
    except SystemExit:
        return None, None
    return named_values(printed.getvalue())


def by_glpk(extension):
    def solve(model, tmp_path):
        path, answer = tmp_path / f"model{extension}", tmp_path / "answer"
        write_model(model, path)
        # What an identifier is called in the model stands in the comments at the head.
        renamed = dict(re.findall(r"^[\\*] (\w+) is (.+)$", path.read_text(), re.MULTILINE))
        how = "--lp" if extension == ".lp" else "--freemps"
        run = subprocess.run(["glpsol", how, path, "-o", answer], capture_output=True, text=True, check=True)
        assert "processing error" not in run.stdout
        text = answer.read_text()
        if "INTEGER OPTIMAL" not in text:
            return None, None
        value = round(float(re.search(r"Objective:.* = (\S+)", text)[1]))
        rows = re.findall(r"^ +\d+ (\S+)\s+\*\s+(\S+)", text, re.MULTILINE)
        found = {renamed.get(name, name): round(float(number)) for name, number in rows}
        for column in model.schema.columns:
            if isinstance(column, Number) and column.atoms[0] in found:
                assert found[column.name] == column.low + sum(found[atom] for atom in column.atoms)
        bits = "".join(str(found.get(name, 0)) for name in model.variables)
        return bits, value if extension == ".lp" else -value

    return solve


def by_sums(extension):
    """OPB and WBO as they are defined, solved by CP-SAT: CPMpy's reader takes no constraint of a single literal."""

    def solve(model, tmp_path):
        path = tmp_path / f"model{extension}"
        write_model(model, path)
        said = Judge(path.read_text())
        programme = cp_model.CpModel()
        x = [programme.new_bool_var("") for _ in range(int(re.search("#variable= ([0-9]+)", said.header)[1]))]
        cost = [weight * x[v - 1] for weight, v in said.objective]
        for weight, terms, least in said.constraints:
            row = programme.add(sum(each * x[v - 1] for each, v in terms) >= least)
            if weight is not None:
                broken = programme.new_bool_var("")
                row.only_enforce_if(~broken)
                cost.append(weight * broken)
        programme.minimize(sum(cost))
        solver = cp_model.CpSolver()
        if solver.solve(programme) == cp_model.INFEASIBLE:
            return None, None
        bits = "".join(str(solver.value(each)) for each in x[: len(model.variables)])
        return bits, int(model.values(model.bits(bits)[None, :])[0])

    return solve


def by_wcnf(model, tmp_path):
    path = tmp_path / "model.wcnf"
    write_model(model, path)
    with RC2(WCNF(from_file=str(path))) as solver:
        found = solver.compute()
    if found is None:
        return None, None
    bits = "".join(str(int(v in set(found))) for v in range(1, len(model.variables) + 1))
    return bits, int(model.values(model.bits(bits)[None, :])[0])


EXITS = {
    "cpmpy": (by_cpmpy, None, 1),
    "cp-sat": (by_cp_sat, None, 1),
    "pysat": (by_pysat, None, 1),
    "script": (by_script, None, 1),
    "wcnf": (by_wcnf, None, 1),
    "opb": (by_sums(".opb"), None, 1),
    "wbo": (by_sums(".wbo"), None, 1),
    "minizinc": (by_minizinc, "minizinc", PROCESSES),
    "lp": (by_glpk(".lp"), "glpsol", PROCESSES),
    "mps": (by_glpk(".mps"), "glpsol", PROCESSES),
}


def all_agree(exit_name, seeds, tmp_path):
    solve, programme, _ = EXITS[exit_name]
    if programme and not shutil.which(programme):
        pytest.skip(f"{programme} is not on this machine (Debian: apt-get install minizinc flatzinc glpk-utils)")
    feasible = 0
    for seed in seeds:
        model = random_model(seed)
        assignment, value = solve(model, tmp_path)
        insist(model, assignment, value)
        feasible += value is not None
    assert feasible > len(seeds) / 2


@pytest.mark.parametrize("exit_name", EXITS)
def test_the_same_optimum(exit_name, tmp_path):
    all_agree(exit_name, FEW[:: EXITS[exit_name][2]], tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("exit_name", EXITS)
def test_the_same_optimum_of_a_thousand(exit_name, tmp_path):
    all_agree(exit_name, MANY, tmp_path)


def test_the_random_models_are_of_every_kind():
    drawn = [random_model(seed) for seed in FEW]
    rules = [rule for model in drawn for rule in model.rules]
    assert any(rule.weight is not None and rule.weight < 0 for rule in rules)
    assert any("for every" in model_rules(model) for model in drawn)
    assert any(constraint.need > 1 for model in drawn for constraint in model.constraints)
    columns = {type(column) for model in drawn for column in model.schema.columns}
    assert columns == {YesNo, Choice, Number}
    assert any(best(model) is None for model in map(random_model, range(100)))


@settings(max_examples=60)
@given(st.data())
def test_a_context_becomes_rules_that_say_the_same(data):
    count = data.draw(st.integers(1, 4))
    context = data.draw(contexts(count, counts=True))
    rules = required(context.formula)
    rows = np.array(list(all_assignments(count)), dtype=np.uint8)
    holds = np.ones(len(rows), dtype=bool)
    for rule in rules:
        holds &= rule.held_by(rows)
    assert holds.tolist() == context.holds(rows).tolist()


@settings(max_examples=30, deadline=None)
@given(models(counts=True, over=schemas(max_columns=2), max_soft=2, max_hard=2), st.data())
def test_a_model_in_a_context_has_the_best_value_there(model, data):
    context = data.draw(contexts(len(model.variables)))
    here = model.solve(context)
    there = model.given(context).solve()
    assert (here is None) == (there is None)
    if here is not None:
        assert model.value(here) == model.value(there)


def test_too_much_of_a_context_is_refused():
    names = [f"v{i}" for i in range(40)]
    parts = [f"(v{i} & v{i + 1})" for i in range(0, 40, 2)]
    with pytest.raises(InputError, match="more than 2000 clauses"):
        Model.build(names).given(" | ".join(parts))


WARD = Model.build(
    Schema((YesNo("rain"), Choice("shift", ("early", "night")), Number("staff", 1, 3))),
    hard=["rain | staff >= 2"],
    soft=[("shift = night", "0.5"), ("at least 2 of rain, shift = night, staff >= 3", "-0.25")],
)


def test_a_context_is_fixed_in_every_object():
    assert WARD.to_cpmpy("!rain & shift = early").solve()
    _, columns, _ = exit_ = WARD.to_cp_sat("staff = 1")
    solver = cp_model.CpSolver()
    solver.solve(exit_.model)
    assert solver.value(columns["staff"]) == 1
    assert exit_.assignment(solver)["rain"] == 1
    assert "(shift != night);" in WARD.to_minizinc("shift != night")
    formula, names = WARD.to_pysat("rain")
    assert [names.id("rain")] in formula.hard


def test_rules_keep_their_words():
    assert "at least one of rain or staff >= 2" in str(WARD.to_cpmpy())
    assert "at least one of rain or staff >= 2" in str(WARD.to_cp_sat().model)
    assert 'constraint :: "at least one of rain or staff >= 2"' in WARD.to_minizinc()


def test_hard_counts_alone_stay_counts_in_pysat():
    plain = Model.build("abc", hard=["at least 2 of a, b, c"], soft=[("!a", 1)])
    formula, _ = plain.to_pysat()
    assert isinstance(formula, WCNFPlus)
    assert formula.atms == [[[-1, -2, -3], 1]]
    assert not isinstance(WARD.to_pysat().formula, WCNFPlus)


def test_the_pool_gives_new_names_new_numbers():
    formula, names = WARD.to_pysat()
    assert names.id("something new") > formula.nv


@pytest.mark.parametrize("backend", ["pandas", "polars"])
def test_a_frame_has_a_row_per_rule(backend):
    frame = WARD.to_frame(backend)
    assert list(frame.columns) == ["kind", "weight", "words", "instances", "confidence"]
    assert list(frame["kind"]) == ["hard", "soft", "soft"]
    assert list(frame["weight"])[1:] == [0.5, -0.25]
    assert next(iter(frame["words"])) == "at least one of rain or staff >= 2"


@pytest.mark.parametrize("extension", MODEL_EXPORTS)
def test_convert_writes_with_a_context(extension, tmp_path, capsys):
    source, target = tmp_path / "model.json", tmp_path / f"model{extension}"
    write_model(WARD, source)
    assert main(["convert", str(source), str(target), "--context", "!rain", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["hard"] == 2
    assert target.read_text()
    assert main(["convert", str(source), "-", "--to", extension, "--context", "!rain"]) == 0
    assert capsys.readouterr().out == target.read_text()


def test_a_context_is_fixed_in_files_we_read(tmp_path):
    source, target = tmp_path / "model.json", tmp_path / "there.json"
    write_model(WARD, source)
    assert main(["convert", str(source), str(target), "--context", "shift = early | rain"]) == 0
    assert Model.read(target) == WARD.given("shift = early | rain")


def test_bad_contexts_and_examples_are_told(tmp_path, capsys):
    source = tmp_path / "model.json"
    write_model(WARD, source)
    assert main(["convert", str(source), str(tmp_path / "m.mzn"), "--context", "wind"]) == 2
    assert "unknown variable 'wind'" in capsys.readouterr().err
    examples = tmp_path / "examples.csv"
    examples.write_text("a,label\n1,1\n0,0\n")
    assert main(["convert", str(examples), str(tmp_path / "e.jsonl"), "--context", "a"]) == 2
    assert "--context is for models" in capsys.readouterr().err


def test_exports_are_not_read_back():
    assert not set(MODEL_EXPORTS) & set(MODEL_WRITERS)


def test_identifiers_are_distinct_and_plain():
    names = ("ana mon", "ana_mon", "Ana-mon", "9 to 5", "日本", "", "x>=3", "end")
    made = identifiers(names, taken=["end"])
    assert len({each.lower() for each in made.values()}) == len(names)
    assert all(re.fullmatch("[A-Za-z][A-Za-z0-9_]*", each) for each in made.values())
    assert made["end"] != "end"


def test_families_become_loops_where_a_loop_says_the_same():
    from hassle.bundled import ward_truth
    from hassle.exits.script import script_text

    text = script_text(ward_truth())
    assert "    model.add(sum(works[nurse, day, 'early'] for nurse in NURSE) >= 2)" in text
    assert "    for day_at in range(len(DAY) - 1):" in text
    # "no lone working day" binds at the edges of the week with fewer cells, so it is listed
    assert "[~x['ana_mon_early'], x['ana_tue_early'], x['ana_tue_night']]," in text


# The way back.


@pytest.mark.parametrize("seed", FEW)
def test_what_cpmpy_was_told_comes_back(seed):
    model = random_model(seed)
    if any(not constraint.literals for constraint in model.constraints):
        pytest.skip("says that nothing is feasible, without variables")
    back = Model.from_cpmpy(model.to_cpmpy(), unit=model.unit)
    assert {name.removesuffix("_") for name in back.schema.column_names} <= set(model.schema.column_names)
    ours, theirs = model.solve(), back.solve()
    assert (ours is None) == (theirs is None)
    if ours is not None:
        assert model.value(ours) == back.value(theirs)


def test_foreign_models_of_cpmpy_are_taken():
    x, n = cpmpy.boolvar(shape=3, name="x"), cpmpy.intvar(1, 5, name="n")
    cost = 3 * x[0] - 2 * (x[1] & x[2]) + n
    said = cpmpy.Model(
        [x[0] | ~x[1], cpmpy.sum(x) == 2, (n >= 3).implies(x[2]), x[0] + n <= 4, 2 * x[0] + 2 * x[1] >= 2, n != 2],
        minimize=cost,
    )
    taken = Model.from_cpmpy(said)
    assert taken.schema.column("n")[0] == Number("n", 1, 5)
    assert said.solve()
    found = taken.solve()
    # The objective's constant (n is at least 1) is left out.
    assert -taken.value(found) == said.objective_value() - 1
    assert found["n"] != 2


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (lambda n, x: cpmpy.AllDifferent([n, cpmpy.intvar(0, 3, name="k")]), "alldifferent"),
        (lambda n, x: n * n >= 2, "product of variables"),
        (lambda n, x: 2 * x[0] + 3 * x[1] >= 3, "weights of different sizes"),
        (lambda n, x: (x[0] & x[1]) + x[0] >= 1, "no variable"),
    ],
)
def test_what_cannot_be_taken_is_named(said, told):
    n, x = cpmpy.intvar(1, 5, name="n"), cpmpy.boolvar(shape=2, name="x")
    with pytest.raises(InputError, match=told):
        Model.from_cpmpy(cpmpy.Model(said(n, x)))


def test_only_models_of_cpmpy_are_taken():
    with pytest.raises(InputError, match="no CPMpy model"):
        Model.from_cpmpy("a | b")


FOREIGN = {
    ".wcnf": "p wcnf 3 4 10\nc written elsewhere\n10 1 2 0\n10 -1 -3 0\n4 -1 0\n3 3 0\n",
    ".opb": "* #variable= 3 #constraint= 2\nmin: 4 x1 -3 x3 ;\n1 x1 1 x2 >= 1 ;\n1 ~x1 1 ~x3 >= 1 ;\n",
    ".wbo": "* #variable= 3 #constraint= 4\nsoft: ;\n1 x1 1 x2 >= 1 ;\n"
    "-1 x1 -1 x3 >= -1 ;\n[4] -1 x1 >= 0 ;\n[3] 1 x3 >= 1 ;\n",
}


@pytest.mark.parametrize("extension", FOREIGN)
def test_files_from_elsewhere_are_taken(extension, tmp_path):
    path = tmp_path / f"foreign{extension}"
    path.write_text(FOREIGN[extension])
    model = Model.read(path)
    assert model.solve().bits == (0, 1, 1)
    assert best(model.given(Context((1,)))) == best(model) - 7
