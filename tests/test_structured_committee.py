"""Committees of families: members that explain the examples, shares that are counted, a file that holds them all."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest

from hassle.cli.main import main
from hassle.generate.arranged import arranged_examples, ward
from hassle.learners import learn
from hassle.learners.budget import Budget
from hassle.learners.places import Here
from hassle.learners.structured.candidates import Candidates
from hassle.learners.structured.run import Run, _SpentError
from hassle.model import Model, model_words
from hassle.solve import agrees, verdicts
from hassle.solve.committee import committee_of
from hassle.solve.implication import feasible


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(3)
    home = ward(4, 3, 2, rng)
    return arranged_examples(home.truth, home.situation, 12, rng)


@pytest.fixture(scope="module")
def result(data):
    return learn(data, "auto", steps=14, committee=6)


def test_members_explain_the_examples_about_as_well(data, result):
    assert result.committee is not None
    assert 2 <= len(result.committee) <= 6
    assert any("form the committee" in note for note in result.notes)
    shares = [agrees(verdicts(member, data), data).mean() for member in result.committee.members]
    assert min(shares) >= result.score - 0.15


def test_a_rule_is_as_sure_as_members_imply_it(result):
    members, hard = result.committee.members, result.model.peers.hard
    rules = [rule for rule in result.model.rules if rule.weight is None]
    assert rules
    for rule, share in zip(rules, hard, strict=True):
        votes = 0
        for member in members:
            with feasible(member.hard, len(member.variables)) as known:
                votes += all(known.implies(each) for each in rule.instances(member.schema))
        assert share == float(Fraction(votes, len(members)))


def test_a_committee_of_families_travels_with_its_model(result, tmp_path, capsys):
    path = tmp_path / "model.json"
    result.model.write(path)
    read = Model.read(path)
    assert read == result.model
    assert read.peers == result.model.peers
    assert committee_of(read) == result.committee
    assert model_words(read).count("% sure)") >= len(read.rules) / 2
    assert main(["solve", str(path), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["committee"]["members"] == len(result.committee)


def test_where_time_runs_out_amid_cuts_there_is_a_committee_all_the_same(data, monkeypatch):
    counted = Candidates.broken

    def broken(self, assignments, checkpoint=lambda: None):
        if run.seen is not None:
            raise _SpentError
        return counted(self, assignments, checkpoint)

    run = Run(data, Budget(steps=14), lambda progress: None, Here(1), None, None, np.random.default_rng(0), members=4)
    monkeypatch.setattr(Candidates, "broken", broken)
    run.work()
    assert len(run.pool) == len(run.broken)
    assert run.committee is not None
    assert len(run.committee) > 1


def test_without_time_for_walks_there_is_no_committee_and_that_is_said(data):
    short = learn(data, "structured", steps=1, committee=5)
    assert short.committee is None
    assert any("there is no committee" in note for note in short.notes)
