"""HASSLE-SLS to the letter: what a search does with and without ``paper``, and every default that it rests on."""

from __future__ import annotations

import dataclasses
import inspect

import numpy as np
import pytest

from hassle.cli.learn import learn as learn_command
from hassle.cli.main import main
from hassle.errors import InputError
from hassle.generate import generate
from hassle.kernels.codes import ANYTHING, POSITIVE_SUBOPTIMAL, SUBOPTIMAL_AS_PRINTED
from hassle.kernels.moves import write_moves
from hassle.learners import learn
from hassle.learners.sls import LocalSearch
from hassle.learners.sls import learner as learner_module
from hassle.learners.sls.parallel import Pursuit
from hassle.learners.sls.search import Search
from hassle.learners.sls.strategies import WalkSat
from hassle.learners.sls.tables import TableScorer, make_problem

DATA = generate(6, 4, 4, 20, seed=4).data


def new_search(clauses=8, seed=1, strategy=None, **options):
    scorer = TableScorer(make_problem(DATA, clauses), clauses, np.zeros(1, dtype=np.bool_))
    search = Search(
        scorer,
        strategy or WalkSat(0),
        examples=len(DATA),
        longest=6,
        seed=(seed,),
        **{"naive": False, "share": 1.0, **options},
    )
    search.restart()
    return search


def all_moves(search, mistake, error):
    """Every move of the rules for an error, over all clauses."""
    scorer, found = search.scorer, np.zeros_like(search.moves)
    everything = np.ones(len(scorer.costs), dtype=np.bool_)
    count = write_moves(
        scorer.signs, scorer.costs, scorer.hard, search.longest, everything, error, mistake.x, mistake.best, found
    )
    return set(map(tuple, found[:count].tolist()))


# What a run is made of, with nothing but its strategy given.


@pytest.fixture
def made(monkeypatch):
    """What the searches of a run were made with, and their patience and number."""
    seen = {}

    class Spy(Search):
        def __init__(self, scorer, strategy, **options):
            seen.update(options, strategy=strategy)
            super().__init__(scorer, strategy, **options)

    class SpyPursuit(Pursuit):
        def __init__(self, index, make_search, budget, examples, patience):
            seen.update(patience=patience, searches=index + 1)
            super().__init__(index, make_search, budget, examples, patience)

    monkeypatch.setattr("hassle.learners.sls.legs.Search", Spy)
    monkeypatch.setattr("hassle.learners.sls.legs.Pursuit", SpyPursuit)

    def run(**options):
        seen.clear()
        learn(DATA, "sls", steps=0, **options)
        return dict(seen)

    return run


def test_the_defaults_of_walksat(made):
    ours, papers = made(), made(paper=True)
    assert (ours["share"], ours["focus"], ours["paper"], ours["naive"]) == (0.5, True, False, False)
    assert (papers["share"], papers["focus"], papers["paper"], papers["naive"]) == (1.0, False, True, False)
    assert (ours["patience"], papers["patience"]) == (0.25, 0.25)
    assert (ours["searches"], papers["searches"]) == (4, 1)
    assert ours["strategy"].restart_probability == 0
    assert papers["strategy"].restart_probability == 0.01


@pytest.mark.parametrize("paper", [False, True])
@pytest.mark.parametrize("strategy", ["novelty", "novelty+", "adaptive-novelty+"])
def test_the_defaults_of_the_others(made, strategy, paper):
    found = made(strategy=strategy, paper=paper)
    assert (found["share"], found["focus"]) == (1.0, not paper)
    chosen = found["strategy"]
    assert (chosen.restart_probability, chosen.noise) == (0, 0.5)
    if strategy != "novelty":
        assert chosen.walk == 0.1
    if strategy == "adaptive-novelty+":
        assert chosen.patience == pytest.approx(len(DATA) / 6)


def test_the_naive_neighbourhood_of_the_paper_is_whole(made):
    assert made(neighbourhood="naive", paper=True)["share"] == 1.0
    assert made(neighbourhood="naive", paper=True)["naive"]


# The neighbourhood.


@pytest.mark.parametrize("share", [0.5, 1.0])
def test_pruned_neighbours_are_those_of_appendix_e_and_no_others(share):
    listed = 0
    for seed in range(4):
        search = new_search(seed=seed, share=share)
        for _ in range(40):
            if search.scorer.correct == len(DATA):
                break
            mistake, count = search.pick_mistake()
            allowed = all_moves(search, mistake, mistake.error)
            tried = set(map(tuple, search.moves[:count].tolist()))
            assert tried <= allowed
            assert tried or not allowed
            if share == 1:
                assert tried == allowed
            # All moves of a clause or none.
            assert tried == {move for move in allowed if move[0] in {clause for clause, _, _ in tried}}
            listed += count
            search.step()
    assert listed


def test_the_share_is_of_the_clauses_that_have_a_move():
    search = new_search(clauses=60, share=0.25)
    shares = []
    for _ in range(200):
        mistake, count = search.pick_mistake()
        able = {clause for clause, _, _ in all_moves(search, mistake, mistake.error)}
        shares.append((len(set(search.moves[:count, 0].tolist())), len(able)))
    tried, able = map(sum, zip(*shares, strict=True))
    assert min(considered for considered, _ in shares) >= 1
    assert 0.2 < tried / able < 0.45  # above a quarter, since one at least is considered


def test_a_mistake_without_a_move_is_replaced_by_another(monkeypatch):
    search = new_search()
    listed = Search.list_neighbours
    refused = iter([True, True, False])
    monkeypatch.setattr(Search, "list_neighbours", lambda self, m: 0 if next(refused) else listed(self, m))
    assert search.pick_mistake()[1] > 0
    assert next(refused, None) is None


@pytest.mark.parametrize("paper", [False, True])
def test_without_any_move_a_search_starts_anew_but_as_printed_it_stays(monkeypatch, paper):
    search = new_search(paper=paper, focus=not paper)
    monkeypatch.setattr(Search, "list_neighbours", lambda self, mistake: 0)
    before = search.scorer.signs.copy()
    search.step()
    assert (search.steps, search.neighbours) == (1, 0)
    assert (search.scorer.signs == before).all() == paper


# Algorithm 1 as printed.


def test_as_printed_only_a_better_candidate_is_kept():
    kept = dropped = 0
    for seed in range(4):
        search = new_search(seed=seed, paper=True, focus=False)
        for _ in range(60):
            if search.scorer.correct == len(DATA):
                break
            before, signs, costs = search.scorer.correct, search.scorer.signs.copy(), search.scorer.costs.copy()
            search.step()
            same = (search.scorer.signs == signs).all() and (search.scorer.costs == costs).all()
            assert same == (search.scorer.correct == before)
            assert search.scorer.correct >= before
            kept, dropped = kept + (not same), dropped + same
    assert kept
    assert dropped


def test_otherwise_a_search_walks_on():
    search = new_search(focus=True)
    worse = 0
    for _ in range(200):
        before = search.scorer.correct
        if before == len(DATA):
            search.restart()
            continue
        search.step()
        worse += search.scorer.correct < before
    assert worse


def test_as_printed_a_random_candidate_replaces_the_best_only_if_better():
    search = new_search(strategy=WalkSat(1.0), paper=True, focus=False)
    best, changes = search.scorer.correct, 0
    for _ in range(60):
        signs = search.scorer.signs.copy()
        search.step()
        changed = (search.scorer.signs != signs).any()
        assert changed == (search.scorer.correct > best)
        best, changes = search.scorer.correct, changes + changed
    assert changes


def test_as_printed_rule_five_adds_the_literal():
    seen = set()
    for seed in range(6):
        search = new_search(seed=seed, paper=True, focus=False)
        for _ in range(30):
            if search.scorer.correct == len(DATA):
                break
            mistake, count = search.pick_mistake()
            error = SUBOPTIMAL_AS_PRINTED if mistake.error == POSITIVE_SUBOPTIMAL else mistake.error
            assert set(map(tuple, search.moves[:count].tolist())) == all_moves(search, mistake, error)
            seen.add(error)
            search.step()
    assert SUBOPTIMAL_AS_PRINTED in seen


def test_as_printed_the_naive_neighbourhood_is_whole():
    search = new_search(paper=True, focus=False, naive=True)
    mistake, count = search.pick_mistake()
    assert set(map(tuple, search.moves[:count].tolist())) == all_moves(search, mistake, ANYTHING)


@pytest.mark.parametrize("neighbourhood", ["pruned", "naive"])
@pytest.mark.parametrize("strategy", learner_module.STRATEGIES)
def test_the_strict_form_learns(strategy, neighbourhood):
    result = learn(DATA, "sls", steps=800, constraints=10, paper=True, strategy=strategy, neighbourhood=neighbourhood)
    assert result.score > 0.85
    assert result.model.about["paper"] is True


def test_patience_says_when_a_search_restarts(monkeypatch):
    counts = {}
    restart = Search.restart
    for patience in (0.05, 0.25, 1.0):
        seen = []
        monkeypatch.setattr(Search, "restart", lambda self, seen=seen: (seen.append(self.steps), restart(self))[1])
        learn(DATA, "sls", steps=400, searches=1, constraints=2, patience=patience)
        counts[patience] = len(seen) - 1
    assert counts[1.0] == 0
    assert 1 <= counts[0.25] <= 3
    assert counts[0.05] > counts[0.25]


# Options.


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"noise": 0.5}, "the strategy walksat has no noise"),
        ({"random_walk": 0.1}, "the strategy walksat has no random walk"),
        ({"strategy": "novelty", "random_walk": 0.1}, r"choose novelty\+ or adaptive-novelty\+"),
        ({"strategy": "novelty+", "restart_probability": 0.1}, "has no restart probability"),
        ({"paper": True, "share": 0.5}, "Algorithm 1 as printed has no share"),
        ({"paper": True, "focus": True}, "has no focus"),
        ({"share": 0.0}, "above 0, up to 1"),
        ({"patience": 0.0}, "above 0, up to 1"),
        ({"restart_probability": -1}, "between 0 and 1"),
    ],
)
def test_what_would_be_ignored_is_refused(options, message):
    with pytest.raises(InputError, match=message):
        LocalSearch(**options)


@pytest.mark.parametrize(
    ("learner", "option", "owners"), [("auto", "paper", "sls or milp"), ("statistical", "strategy", "sls")]
)
def test_an_option_of_another_learner_is_told_with_its_owners(learner, option, owners):
    message = f"the learner '{learner}' has no option '{option}'; leave it out, or choose {owners}"
    with pytest.raises(InputError, match=message):
        learn(DATA, learner, steps=0, **{option: "x"})


def test_every_option_can_be_given_on_the_command_line():
    commands = inspect.signature(learn_command).parameters
    for option in dataclasses.fields(LocalSearch):
        said = "cluster" if option.name == "place" else option.name
        assert said in commands, option.name


def test_the_command_line_reaches_the_learner(tmp_path, monkeypatch, capsys):
    heard = []
    original = LocalSearch.learn
    monkeypatch.setattr(LocalSearch, "learn", lambda self, *rest: (heard.append(self), original(self, *rest))[1])
    DATA.write(tmp_path / "examples.csv")
    start = learn(DATA, "sls", steps=3, constraints=5).model
    start.write(tmp_path / "start.json")
    heard.clear()

    def run(*options):
        assert main(["learn", str(tmp_path / "examples.csv"), "--steps", "2", "--json", *options]) == 0
        return heard.pop()

    assert run("--paper").paper
    assert run("--paper", "--restart-probability", "0.2", "--searches", "2") == LocalSearch(
        paper=True, restart_probability=0.2, searches=2
    )
    assert run("--share", "0.3", "--no-focus", "--patience", "0.5") == LocalSearch(share=0.3, focus=False, patience=0.5)
    assert run("--strategy", "novelty+", "--noise", "0.4", "--random-walk", "0.2") == LocalSearch(
        strategy="novelty+", noise=0.4, random_walk=0.2
    )
    assert run("--start", str(tmp_path / "start.json")).start is not None
    capsys.readouterr()
    assert main(["learn", str(tmp_path / "examples.csv"), "--paper", "--share", "0.5"]) == 2
    assert "Algorithm 1 as printed has no share" in capsys.readouterr().err


def test_cross_validation_takes_them_too(tmp_path, monkeypatch, capsys):
    heard = []
    original = LocalSearch.learn
    monkeypatch.setattr(LocalSearch, "learn", lambda self, *rest: (heard.append(self), original(self, *rest))[1])
    DATA.write(tmp_path / "examples.csv")
    assert main(["crossval", str(tmp_path / "examples.csv"), "--folds", "2", "--steps", "2", "--no-focus"]) == 0
    assert all(one == LocalSearch(focus=False) for one in heard)
    assert len(heard) == 2
