"""The readers of real instances against what others say of them; skipped where the data is not beside the project."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "benchmarks"))

from instances import curtois, feature_models, inrc2, nsplib  # noqa: E402

from hassle.model.rules import rule_text  # noqa: E402

DATA = ROOT.parent / "shared" / "data"
SCENARIOS = ("n005w4", "n012w8")


def there(path: str) -> Path:
    if not (DATA / path).exists():
        pytest.skip(f"{path} is not there")
    return DATA / path


def penalties(truth, row: np.ndarray, words: str) -> float:
    """What the wishes whose text has these words cost."""
    return sum(
        float(rule.weight) * sum(not each.holds(row) for each in rule.instances(truth.schema))
        for rule in truth.rules
        if rule.weight is not None and words in rule_text(rule.what, truth.schema)
    )


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_validator_of_the_competition_agrees(name):
    folder = there(f"inrc2/{name}")
    truth = inrc2.read(folder).truth
    scenario = inrc2.read_scenario(next(folder.glob("Sc-*")).read_text())
    for solution in sorted(folder.glob("Solution_*")):
        found = dict.fromkeys(("Optimal coverage constraints", "Preferences", "Complete weekends"), 0.0)
        for file in solution.glob("Sol-*.txt"):
            number = re.fullmatch(r"Sol-\w+-(\d+)-\d+", file.stem)[1]
            week = inrc2.read_week((folder / f"WD-{name}-{number}.txt").read_text(), scenario)
            row = week_as_row(truth.schema, scenario, week, file.read_text())
            assert truth.feasible(row[None, :])[0], file
            found["Optimal coverage constraints"] += penalties(truth, row, "wanted")
            found["Preferences"] += penalties(truth, row, "off[")
            found["Complete weekends"] += penalties(truth, row, "nurse, Sat")
        said = (solution / "validator.txt").read_text() if (solution / "validator.txt").exists() else ""
        for what, cost in found.items() if said else ():
            assert cost == float(re.search(rf"{what}: (\d+)", said)[1]), (solution, what)


def week_as_row(schema, scenario, week, text: str) -> np.ndarray:
    values = dict.fromkeys(schema.column_names, 0)
    for (day, shift, skill), (least, wanted) in week.demand.items():
        values[f"least_{day}_{shift}_{skill}"], values[f"wanted_{day}_{shift}_{skill}"] = least, wanted
    for nurse, day, which in week.requests:
        for shift in scenario.shifts if which == "Any" else [which]:
            values[f"off_{nurse}_{day}_{shift}"] = 1
    for line in text.splitlines():
        if len(words := line.split()) == 4 and words[0] in scenario.nurses:
            values["_".join(words)] = 1
    return schema.encode(list(values.values()))


@pytest.mark.parametrize(
    ("path", "read"),
    [
        ("inrc2/n005w4", inrc2.read),
        ("nrp/Instance1.txt", curtois.read),
        ("nsplib", nsplib.read),
        ("feature-models/berkeleydb.dimacs", feature_models.read),
        ("feature-models/routefinding.dimacs", feature_models.read),
    ],
)
def test_situations_can_be_planned(path, read):
    from hassle.generate.arranged import feasible_situations

    instance = read(there(path))
    hard = type(instance.truth)(instance.truth.schema, tuple(r for r in instance.truth.rules if r.weight is None))
    ((context, bits),) = feasible_situations(hard, instance.situation, 1, np.random.default_rng(0))
    assert context.holds(bits[None, :])[0]
    assert instance.truth.feasible(bits[None, :])[0]


@pytest.mark.parametrize(("path", "read"), [("inrc2/n005w4", inrc2.read), ("nrp/Instance1.txt", curtois.read)])
def test_every_rule_and_wish_is_among_the_candidates(path, read):
    from hassle.learners.structured.candidates import Candidates

    instance, rng = read(there(path)), np.random.default_rng(0)
    schema = instance.truth.schema
    cells = schema.cells(schema.arrangements[0])
    given = set(range(len(schema.variables))) - set(cells[cells >= 0].tolist())
    rows = np.zeros((60, len(schema.variables)), dtype=np.uint8)
    for i, row in enumerate(rows):  # plans with one cell at most for each person and day, from few to nearly all
        for lit in instance.situation(rng).within(schema).literals:
            row[abs(lit) - 1] = lit > 0
        for place in np.ndindex(cells.shape[:2]):
            own = np.ravel(cells[place])
            row[own[own >= 0]] = 0
            if rng.random() < i / len(rows):
                row[rng.choice(own[own >= 0])] = 1
    candidates = Candidates.of(schema, rows, None, given)
    few = [kind for kind in candidates.kinds if kind.siblings <= 100]
    said = {k.family(i, o) for k in few for i in range(k.columns) for o in (False, True)[: 1 + k.two_sided]}
    missing = [rule_text(rule.what, schema) for rule in instance.truth.rules if rule.what not in said]
    assert not missing
