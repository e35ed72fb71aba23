"""Scores on examples that were not learned from: contexts are never divided, and nothing of them is seen before."""

from __future__ import annotations

import inspect
import json
import signal
import statistics
import threading
from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hassle
from hassle import learners
from hassle.cli import crossval as command
from hassle.cli import learn as learn_command
from hassle.cli.main import main
from hassle.data import Dataset
from hassle.errors import InputError, NoModelError
from hassle.generate import generate
from hassle.learners import crossval, holding_out
from hassle.logic import Context
from hassle.model import Model
from hassle.solve import verdict

QUICK = {"learner": "sls", "steps": 100, "constraints": 6, "jobs": 1, "searches": 1}


@pytest.fixture(scope="module")
def data():
    return generate(5, 3, 3, 14, seed=4).data


@pytest.fixture
def folder(data, tmp_path, monkeypatch):
    data.write(tmp_path / "examples.csv")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def count_correct(model, examples):
    """By the definition: positive means optimal."""
    return sum(
        (verdict(model, example.assignment, example.context) == "optimal") == (example.label == "positive")
        for example in examples
    )


def dataset_of(sizes):
    """So many examples in each context; the context's number in binary is fixed by it."""
    width = max(1, (len(sizes) - 1).bit_length())
    names = (*(f"c{i}" for i in range(width)), "free")
    contexts, rows = [], []
    for c, size in enumerate(sizes):
        bits = [c >> i & 1 for i in range(width)]
        contexts += [Context(tuple(i + 1 if bit else -i - 1 for i, bit in enumerate(bits)))] * size
        rows += [[*bits, k % 2] for k in range(size)]
    order = np.random.default_rng(0).permutation(len(rows))
    return Dataset.from_arrays(
        names, [contexts[k] for k in order], np.array(rows, dtype=np.uint8)[order], [k % 2 for k in range(len(rows))]
    )


sizes_of_contexts = st.lists(st.integers(1, 9), min_size=2, max_size=20)


@given(sizes_of_contexts, st.integers(0, 5), st.data())
def test_folds_never_divide_a_context_and_are_about_equal(sizes, seed, draw):
    data = dataset_of(sizes)
    folds = draw.draw(st.integers(2, len(sizes)))
    fold_of = data.fold_of(folds, seed)
    assert set(fold_of.tolist()) == set(range(folds))
    for rows in data.rows_by_context:
        assert len(set(fold_of[rows].tolist())) == 1
    filled = np.bincount(fold_of)
    assert filled.max() - filled.min() <= max(sizes)
    assert (fold_of == data.fold_of(folds, seed)).all()


@given(sizes_of_contexts, st.integers(0, 5), st.floats(0.001, 0.999))
def test_what_is_held_out_are_whole_contexts_of_about_that_share(sizes, seed, share):
    data = dataset_of(sizes)
    out = data.held_out(share, seed)
    assert out.any()
    assert not out.all()
    for rows in data.rows_by_context:
        assert len(set(out[rows].tolist())) == 1
    assert abs(out.sum() - share * len(data)) <= max(sizes)
    assert (out == data.held_out(share, seed)).all()


def test_the_seed_decides_how_contexts_are_divided():
    data = dataset_of([3] * 12)
    assert len({tuple(data.fold_of(3, seed)) for seed in range(5)}) > 1
    assert len({tuple(data.held_out(0.3, seed)) for seed in range(5)}) > 1


@pytest.mark.parametrize(
    ("divide", "message"),
    [
        (lambda data: data.fold_of(1), "at least 2"),
        (lambda data: data.fold_of(4), "4 folds of 3 contexts"),
        (lambda data: data.held_out(0), "between 0 and 1"),
        (lambda data: data.held_out(1.0), "between 0 and 1"),
        (lambda data: data.held_out(float("nan")), "between 0 and 1"),
        (lambda data: data.without_contexts().fold_of(2), "the same context"),
        (lambda data: data.without_contexts().held_out(0.5), "the same context"),
    ],
)
def test_what_cannot_be_divided_is_told(divide, message):
    with pytest.raises(InputError, match=message):
        divide(dataset_of([2, 2, 2]))


def test_no_fold_has_seen_what_it_is_judged_by(data, monkeypatch):
    seen = []

    def remember(part, *arguments, **options):
        seen.append(part)
        return learners.learn(part, *arguments, **options)

    monkeypatch.setattr(crossval, "learn", remember)
    result = hassle.cross_validate(data, folds=4, seed=3, **QUICK)
    assert [fold.number for fold in result.folds] == [1, 2, 3, 4]
    assert (result.wanted, result.stopped, result.learner) == (4, "done", "sls")
    every = list(data)
    for fold, learned_from in zip(result.folds, seen, strict=True):
        held = [example for example in every if example.context not in learned_from.contexts]
        assert (len(held), len({example.context for example in held})) == (fold.examples, fold.contexts)
        assert len(held) + len(learned_from) == len(data)
        assert fold.held_out.correct == count_correct(fold.result.model, held)
        assert fold.held_out.learned_from == fold.result.examples == len(learned_from)
    assert (result.examples, result.contexts) == (len(data), len(data.contexts))
    scores = [fold.score for fold in result.folds]
    assert result.score == pytest.approx(statistics.mean(scores))
    assert result.spread == pytest.approx(statistics.stdev(scores))
    assert result.correct == sum(fold.held_out.correct for fold in result.folds)
    positives = int(data.positive.sum())
    assert result.baseline == max(positives, len(data) - positives) / len(data)


def test_the_same_seed_gives_the_same_scores(data):
    first, second, other = (hassle.cross_validate(data, folds=3, seed=seed, **QUICK) for seed in (1, 1, 2))
    assert [fold.held_out for fold in first.folds] == [fold.held_out for fold in second.folds]
    assert [fold.held_out for fold in first.folds] != [fold.held_out for fold in other.folds]


def test_fewer_contexts_than_folds_are_as_many_folds():
    result = hassle.cross_validate(dataset_of([2, 3]), **QUICK)
    assert [fold.contexts for fold in result.folds] == [1, 1]
    assert any("2 contexts, so 2 folds" in note for note in result.notes)


def fake_learning(monkeypatch, module, behave):
    """Let each run do as `behave` says of its number and limit, and report the seconds it returns."""
    limits, really_learn = [], learners.learn

    def learn(part, learner, *, time_limit, **options):
        limits.append(time_limit)
        seconds = behave(len(limits), time_limit)
        return replace(really_learn(part, **{**QUICK, "steps": 1}), seconds=seconds)

    monkeypatch.setattr(module, "learn", learn)
    return limits


def test_the_time_limit_is_shared_and_each_fold_has_its_share_of_what_is_left(data, monkeypatch):
    """The first fold overruns its share, the others take next to no time."""
    limits = fake_learning(monkeypatch, crossval, lambda number, limit: 6000.0 if number == 1 else 0.0)
    hassle.cross_validate(data, folds=5, time_limit=10_000.0)
    assert limits == pytest.approx([2000, 4000 / 4, 4000 / 3, 4000 / 2, 4000], rel=0.02)
    limits = fake_learning(monkeypatch, crossval, lambda number, limit: 20_000.0)
    hassle.cross_validate(data, folds=3, time_limit=10_000.0)
    assert limits[1:] == [0.0, 0.0]


def test_without_a_limit_all_folds_together_have_a_minute(data, monkeypatch):
    limits = fake_learning(monkeypatch, crossval, lambda number, limit: limit)
    hassle.cross_validate(data, folds=3)
    assert limits[0] == 20.0
    limits = fake_learning(monkeypatch, crossval, lambda number, limit: 0.0)
    hassle.cross_validate(data, folds=3, steps=5)
    assert limits == [None] * 3


def interrupt_at(which):
    def behave(number, limit):
        if number == which:
            raise KeyboardInterrupt
        return 0.0

    return behave


@pytest.mark.parametrize("which", [1, 2, 3])
def test_ctrl_c_keeps_the_folds_that_are_done(data, monkeypatch, which):
    fake_learning(monkeypatch, crossval, interrupt_at(which))
    result = hassle.cross_validate(data, folds=4, steps=1)
    assert (len(result.folds), result.wanted, result.stopped) == (which - 1, 4, "interrupted")
    assert (result.score is None) == (which == 1)
    assert (result.spread is None) == (which < 3)


def test_a_fold_that_was_cut_short_is_not_counted(data):
    stop = threading.Event()
    watched = []

    def watch(fold):
        watched.append(fold)
        if len(watched) == 2:
            stop.set()

    result = hassle.cross_validate(data, folds=4, interrupt=stop, watch=watch, **QUICK)
    assert result.folds == tuple(watched)
    assert (len(watched), result.stopped) == (2, "interrupted")


def test_a_fold_without_a_model_is_left_out_and_told(data, monkeypatch):
    def behave(number, limit):
        if number == 2:
            raise NoModelError("none", proved=False)
        return 0.0

    fake_learning(monkeypatch, crossval, behave)
    result = hassle.cross_validate(data, folds=3, steps=1)
    assert [fold.score is None for fold in result.folds] == [False, True, False]
    assert result.examples == result.folds[0].examples + result.folds[2].examples
    assert result.score == pytest.approx((result.folds[0].score + result.folds[2].score) / 2)
    assert any("no model was found for fold 2" in note for note in result.notes)
    assert result.folds[1].record()["score"] is None


def test_no_model_in_any_fold_is_no_score(data, monkeypatch):
    def behave(number, limit):
        raise NoModelError("none", proved=False)

    fake_learning(monkeypatch, crossval, behave)
    with pytest.raises(NoModelError, match="any of the 3 folds"):
        hassle.cross_validate(data, folds=3, steps=1)


def test_an_empty_model_in_a_fold_is_told(data, monkeypatch):
    def learn(part, learner, **options):
        result = learners.learn(part, **{**QUICK, "steps": 1})
        empty = Model.build(part.variables)
        return replace(result, model=empty, correct=count_correct(empty, part))

    monkeypatch.setattr(crossval, "learn", learn)
    result = hassle.cross_validate(data, folds=2, steps=1)
    assert any("fold 1, 2 is empty" in note for note in result.notes)


# The command.


def test_the_command_has_the_options_of_learn():
    own, others = (set(inspect.signature(each).parameters) for each in (command.crossval, learn_command.learn))
    assert others - own == set(command.NOT_HERE)
    assert own - others == {"folds"}


SLS = ["--learner", "sls", "--steps", "60", "--constraints", "6"]


def test_the_command_says_what_to_expect(folder, data, capsys):
    assert main(["crossval", "examples.csv", "--folds", "3", *SLS, "--json"]) == 0
    printed = capsys.readouterr()
    record = json.loads(printed.out)
    expected = hassle.cross_validate(data, "sls", folds=3, steps=60, constraints=6)
    assert (record["score"], record["spread"]) == (expected.score, expected.spread)
    assert [fold["correct"] for fold in record["folds"]] == [fold.held_out.correct for fold in expected.folds]
    assert [line.split(":")[1].strip() for line in printed.err.splitlines()] == [f"fold {i} of 3" for i in (1, 2, 3)]
    assert main(["crossval", "examples.csv", "--folds", "3", *SLS]) == 0
    text = capsys.readouterr().out
    assert text.startswith(f"Expect a score of {expected.score:.4f} ± {expected.spread:.4f} in contexts ")
    assert f"of 3 folds: {expected.correct} of {len(data)} examples in {len(data.contexts)} contexts" in text


def test_options_of_learn_reach_the_learner(folder, capsys):
    assert main(["crossval", "examples.csv", *SLS, "--strategy", "tabu"]) == 2
    assert "'tabu'" in capsys.readouterr().err
    assert main(["crossval", "examples.csv", "--strategy", "novelty", "--steps", "5", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["learner"] == "sls"
    assert main(["crossval", "examples.csv", "--learner", "milp", "--smallest", "--minimum-error"]) == 2


def test_ctrl_c_prints_the_folds_done_and_exits_130(folder, capsys, monkeypatch):
    done = []
    original = command._fold_text
    monkeypatch.setattr(command, "_fold_text", lambda fold: (done.append(fold), original(fold))[1])

    def press(progress):
        if len(done) == 2:
            signal.raise_signal(signal.SIGINT)

    # Contradictory, so that no fold is over before the interrupt.
    rows = [f"{a},{b},{'!' * (1 - c)}c,{c},{label}" for a in (0, 1) for b in (0, 1) for c in (0, 1) for label in (0, 1)]
    contexts = [f"0,1,!a & {'!' * (1 - c)}c,{c},{label}" for c in (0, 1) for label in (0, 1)]
    (folder / "examples.csv").write_text("\n".join(["a,b,context,c,label", *rows, *contexts]) + "\n")
    monkeypatch.setattr(command, "shown_progress", lambda: nullcontext(press))
    assert main(["crossval", "examples.csv", "--learner", "sls", "--time-limit", "4", "--folds", "4", "--json"]) == 130
    record = json.loads(capsys.readouterr().out)
    assert (record["stopped"], len(record["folds"])) == ("interrupted", 2)
    assert record["examples"] == sum(fold["examples"] for fold in record["folds"])


def test_ctrl_c_before_the_first_fold_is_done_prints_no_score(folder, capsys, monkeypatch):
    fake_learning(monkeypatch, crossval, interrupt_at(1))
    assert main(["crossval", "examples.csv", "--json"]) == 130
    record = json.loads(capsys.readouterr().out)
    assert (record["score"], record["folds"], record["stopped"]) == (None, [], "interrupted")
    fake_learning(monkeypatch, crossval, interrupt_at(1))
    assert main(["crossval", "examples.csv"]) == 130
    assert "there is no score" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["crossval", "one.csv"], ["learn", "one.csv", "--hold-out", "0.2"]])
def test_one_context_is_told_in_one_line(folder, capsys, arguments):
    (folder / "one.csv").write_text("a,b,label\n1,0,1\n0,0,0\n")
    assert main(arguments) == 2
    err = capsys.readouterr().err
    assert err.startswith("hassle: one.csv: the examples cannot be ")
    assert err.count("\n") == 1


@pytest.mark.parametrize("share", ["0", "1", "-0.5", "2", "nan"])
def test_a_share_that_is_none_is_told_in_one_line(folder, capsys, share):
    assert main(["learn", "examples.csv", "--hold-out", share]) == 2
    err = capsys.readouterr().err
    assert "between 0 and 1" in err
    assert err.count("\n") == 1


# Holding out once.


def test_the_held_out_score_is_of_a_model_that_has_not_seen_them(data):
    result = hassle.learn(data, hold_out=0.3, seed=2, **QUICK)
    out = data.held_out(0.3, seed=2)
    kept, held = data.subset(np.flatnonzero(~out)), data.subset(np.flatnonzero(out))
    blind = hassle.learn(kept, seed=2, **QUICK)
    assert vars(result.hold_out) == {
        "examples": len(held),
        "contexts": len(held.contexts),
        "correct": count_correct(blind.model, held),
        "learned_from": len(kept),
    }
    whole = hassle.learn(data, seed=2, **QUICK)
    assert (result.model.hard, result.model.soft) == (whole.model.hard, whole.model.soft)
    assert (result.correct, result.examples) == (whole.correct, len(data))
    assert result.model.about["hold_out"] == result.hold_out.record()


def test_half_of_the_time_is_for_the_score_and_the_rest_for_the_model(data, monkeypatch):
    limits = fake_learning(monkeypatch, learners, lambda number, limit: 700.0)
    found = holding_out.learn_holding_out(data, "sls", 0.3, 2000.0, None, 0, None, {})
    assert limits == pytest.approx([1000, 1300], rel=0.02)
    assert found.seconds == pytest.approx(1400, rel=0.02)


def test_interrupted_in_the_first_half_the_model_of_the_others_is_kept(folder, data, capsys, monkeypatch):
    def press(progress):
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(learn_command, "shown_progress", lambda: nullcontext(press))
    options = ["--learner", "sls", "--constraints", "1", "--time-limit", "100", "--hold-out", "0.3", "-o", "model.json"]
    assert main(["learn", "examples.csv", *options, "--json"]) == 130
    record = json.loads(capsys.readouterr().out)
    model = Model.read(folder / "model.json")
    assert record["stopped"] == model.about["stopped"] == "interrupted"
    assert (record["examples"], record["correct"]) == (len(data), count_correct(model, data))
    assert (model.about["examples"], model.about["correct"]) == (len(data), record["correct"])
    held = data.subset(np.flatnonzero(data.held_out(0.3)))
    assert record["hold_out"]["correct"] == count_correct(model, held)
    assert any("interrupted, so the model is the one learned from" in note for note in record["notes"])


@pytest.mark.parametrize("correct", [0, 10**6])
def test_interrupted_in_the_second_half_the_better_model_is_kept(data, monkeypatch, correct):
    """Whatever the second run has found so far, next to nothing or more than the first one."""
    really_learn, found = learners.learn, []

    def learn(part, learner, **options):
        result = really_learn(part, **QUICK)
        if found:
            result = replace(result, stopped="interrupted", correct=correct)
        found.append(result)
        return result

    monkeypatch.setattr(learners, "learn", learn)
    result = holding_out.learn_holding_out(data, "sls", 0.3, None, 1, 0, None, {})
    kept = found[0] if correct == 0 else found[1]
    assert (result.model.hard, result.model.soft) == (kept.model.hard, kept.model.soft)
    assert result.stopped == "interrupted"
    assert result.correct == (count_correct(found[0].model, data) if correct == 0 else correct)
    assert result.hold_out.learned_from == found[0].examples


def test_no_model_without_the_held_out_ones_is_told_and_learning_goes_on(data, monkeypatch):
    def behave(number, limit):
        if number == 1:
            raise NoModelError("none in time", proved=False)
        return 1.0

    fake_learning(monkeypatch, learners, behave)
    result = holding_out.learn_holding_out(data, "milp", 0.3, 20.0, None, 0, None, {})
    assert result.hold_out is None
    assert any("no score on held-out examples" in note and "none in time" in note for note in result.notes)


def test_the_text_says_which_score_is_which(folder, capsys):
    assert main(["learn", "examples.csv", *SLS, "--hold-out", "0.3", "-o", "model.wcnf"]) == 0
    first, second, _ = capsys.readouterr().out.splitlines()
    assert "examples learned from" in first
    assert "contexts held out, by a model learned from the other" in second


# What learn warns of.


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a,b,label\n1,0,1\n", "one example only"),
        ("a,b,label\n1,0,1\n0,1,1\n", "none of the 2 examples is negative"),
        ("a,b,label\n1,0,0\n0,1,0\n", "none of the 2 examples is positive"),
        ("a,b,label\n1,0,infeasible\n0,1,suboptimal\n", "none of the 2 examples is positive"),
        ("a,b,label\n1,0,1\n0,1,1\n", "the model is empty"),
    ],
)
def test_learning_from_next_to_nothing_is_told(text, expected, folder, capsys):
    (folder / "few.csv").write_text(text)
    assert main(["learn", "few.csv", "--steps", "50", "--json"]) == 0
    printed = capsys.readouterr()
    assert any(expected in note for note in json.loads(printed.out)["notes"])
    told = "warning" if expected == "the model is empty" else "note"
    assert f"hassle: {told}: {expected}" in printed.err.replace("there is one", "one")


def test_enough_data_and_a_model_are_no_reason_to_warn(data):
    notes = hassle.learn(data, **QUICK).notes
    assert not any("example is" in note or "empty" in note or "one example" in note for note in notes)
