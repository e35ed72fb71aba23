"""An interview with one who knows the truth finds it; with one who errs, contradicts, or knows nothing, it goes on."""

from __future__ import annotations

import contextlib
import json

import numpy as np
import pytest
from hostile import mutated
from hypothesis import HealthCheck, given, settings

from hassle import Dataset, InputError, Interview, Model
from hassle.generate import generate, random_model
from hassle.interview import Answer, AOrB, ChangeIt, GoodOrBad, Oracle, RuleRight
from hassle.interview.opinions import Opinions
from hassle.interview.questions import MOST_DIFFERENCES, question_from_json
from hassle.interview.situations import Situations, all_completions, new_context
from hassle.logic import EMPTY, Assignment, Context

NAMES = ("ana", "ben", "carl", "dora")
TRUTH = Model.build(
    NAMES, hard=["ana | ben", "!carl | !dora"], soft=[("carl", "0.6"), ("!ana", "0.4"), ("dora", "0.3")]
)


def new(data=NAMES, **options) -> Interview:
    return Interview(data, background=False, **{"seed": 1, **options})


def interviewed(interview: Interview, oracle: Oracle, most: int) -> int:
    """So many questions were answered before the interview was done."""
    for count in range(most):
        if interview.done:
            return count
        interview.answer(oracle.answer(interview.next()))
    return most


def contexts() -> list[Context]:
    return [EMPTY, *(Context((lit,)) for v in range(1, 5) for lit in (v, -v))]


def row(text: str) -> Assignment:
    return Assignment.of(NAMES, [int(bit) for bit in text])


def test_from_nothing_but_names_the_truth_is_found():
    interview = new(contexts=contexts())
    interviewed(interview, Oracle(TRUTH), 40)
    assert interview.done == "sure"
    for context in contexts():
        best = interview.model.solve(context)
        assert best is not None
        assert TRUTH.verdict(best, context) == "optimal", context


def test_no_question_is_put_twice_and_all_are_in_their_situation():
    interview = new(contexts=contexts())
    seen = set()
    oracle = Oracle(TRUTH)
    for _ in range(12):
        question = interview.next()
        assert question is interview.next(), "the same until it is answered"
        assert question.key not in seen
        seen.add(question.key)
        for decision in question.decisions.values():
            assert question.context.holds(np.array([decision.bits], dtype=np.uint8))[0]
        if isinstance(question, AOrB):
            assert 0 < len(question.differences) <= MOST_DIFFERENCES
        assert question.words
        assert question.seconds > 0
        interview.answer(oracle.answer(question))


def test_the_same_seed_and_answers_give_the_same_questions():
    runs = []
    for _ in range(2):
        interview, oracle = new(), Oracle(TRUTH)
        for _ in range(4):
            interview.answer(oracle.answer(interview.next()))
        runs.append([answer.question for answer in interview.answers])
    assert runs[0] == runs[1]


def test_questions_survive_json():
    shown = row("1000")
    for question in (
        GoodOrBad(Context((1,)), shown),
        AOrB(Context((1,)), shown, row("1100")),
        RuleRight(EMPTY, shown, "ana | ben", "at least one of ana or ben", 3, 1),
        ChangeIt(Context((1,)), shown, 2),
    ):
        written = json.loads(json.dumps(question.to_json()))
        assert question_from_json(written, TRUTH.schema) == question
        assert written["words"] == question.words
        assert "unknown" in written["answers"]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"kind": "riddle"}, "no kind of question"),
        ({"kind": "good-or-bad"}, "no 'assignment'"),
        ({"kind": "good-or-bad", "assignment": "11"}, "2 values for 4"),
        ({"kind": "good-or-bad", "context": "!ana", "assignment": "1000"}, "breaks the question's own context"),
    ],
)
def test_what_is_no_question_is_told(value, message):
    with pytest.raises(InputError, match=message):
        question_from_json(value, TRUTH.schema)


def test_answers_become_examples_and_comparisons():
    shown, better = row("1000"), row("0110")
    assert Answer.of(GoodOrBad(EMPTY, shown), "Good").examples == ((shown, "positive"),)
    assert Answer.of(GoodOrBad(EMPTY, shown), "?").examples == ()
    changed = Answer.of(ChangeIt(EMPTY, shown), "0110")
    assert changed.examples == ((better, "positive"), (shown, "negative"))
    assert Answer.of(ChangeIt(EMPTY, shown), dict(shown)).examples == ((shown, "positive"),)
    assert Answer.of(AOrB(EMPTY, shown, better), "b").comparison == (better, shown)
    assert Answer.of(AOrB(EMPTY, shown, better), "same").comparison is None
    with pytest.raises(InputError, match="no answer to this question"):
        Answer.of(GoodOrBad(EMPTY, shown), "perhaps")
    with pytest.raises(InputError, match="breaks the situation"):
        Answer.of(ChangeIt(Context((1,)), shown), "0110")


def test_the_oracle_says_what_the_truth_says():
    oracle = Oracle(TRUTH)
    assert oracle.answer(GoodOrBad(EMPTY, row("0110"))).value == "good"
    assert oracle.answer(GoodOrBad(EMPTY, row("0000"))).value == "infeasible"
    assert oracle.answer(GoodOrBad(EMPTY, row("0100"))).value == "suboptimal"
    assert oracle.answer(AOrB(EMPTY, row("0100"), row("0110"))).value == "b"
    assert oracle.answer(AOrB(EMPTY, row("0000"), row("0011"))).value == "same"
    assert oracle.answer(ChangeIt(EMPTY, row("0100"))).changed == row("0110")
    rules = {"ana | ben": "always", "ana | ben | carl": "always", "carl": "usually", "dora | ana": "no"}
    for rule, said in rules.items():
        assert oracle.answer(RuleRight(EMPTY, row("0000"), rule, rule)).value == said


def test_a_wrong_oracle_is_wrong_as_often_as_asked():
    oracle = Oracle(TRUTH, wrong=0.3, seed=2)
    questions = [GoodOrBad(EMPTY, row(f"{k % 16:04b}")) for k in range(400)]
    wrong = sum(oracle.answer(each).value != Oracle(TRUTH).answer(each).value for each in questions)
    assert 80 < wrong < 160


def test_an_expert_who_knows_nothing_is_let_go():
    interview = new()
    assert interviewed(interview, _Shrugging(TRUTH), 30) == 10
    assert interview.done == "silent"
    assert interview.model.variables == NAMES


class _Shrugging(Oracle):
    def answer(self, question):
        return Answer.of(question, "unknown")


def test_contradictory_answers_are_shown_with_both_rows():
    interview = new()
    question = GoodOrBad(EMPTY, row("0110"))
    assert interview.answer(question, "infeasible") == ()
    found = interview.answer(GoodOrBad(Context((2,)), row("0110")), "good")
    assert len(found) == 1
    assert "answer 1" in found[0].words
    assert "answer 2" in found[0].words
    assert interview.contradictions == found
    interview.next()  # goes on


def test_no_model_contradicts_itself():
    """Whatever a model answers, in whatever situations, there is no contradiction to be found."""
    rng = np.random.default_rng(0)
    for seed in range(5):
        truth = random_model(4, 2, 3, np.random.default_rng(seed))
        interview = Interview(truth.variables, background=False)
        oracle = Oracle(truth)
        for _ in range(40):
            bits = rng.integers(0, 2, (2, 4)).astype(np.uint8)
            shared = [int(v) + 1 if bits[0, v] else -int(v) - 1 for v in np.flatnonzero(bits[0] == bits[1])]
            context = Context(tuple(sorted(rng.permutation(shared)[:2].tolist(), key=abs)))
            first, second = (Assignment.of(truth.variables, each) for each in bits)
            for question in (GoodOrBad(context, first), AOrB(context, first, second)):
                interview.answers.append(oracle.answer(question))
        assert interview.contradictions == ()


def test_an_answer_is_taken_back():
    interview = new()
    question = interview.next()
    interview.answer("unknown")
    assert interview.undo() == question
    assert interview.answers == []
    assert interview.next() == question
    with pytest.raises(InputError, match="no answer to take back"):
        interview.undo()


def test_killed_after_any_answer_it_goes_on_where_it_was(tmp_path):
    path = tmp_path / "record.jsonl"
    data = Dataset.build(NAMES, [("", "0110", 1), ("ana", "1110", 1), ("", "0000", 0)])
    oracle = Oracle(TRUTH, wrong=0.2, seed=3)
    whole, resumed = new(data, path=tmp_path / "whole.jsonl"), new(data, path=path)
    del resumed
    for _ in range(5):
        answer = oracle.answer(whole.next())
        whole.answer(answer)
        resumed = Interview.resume(path, background=False)  # all that is left of a process that was killed
        assert resumed.answers == whole.answers[:-1]
        resumed.answer(whole.answers[-1])
        again = Dataset.read(path)
        assert again == resumed.data
    assert path.read_text() == (tmp_path / "whole.jsonl").read_text()


def test_a_record_keeps_known_rules_and_settings(tmp_path):
    path = tmp_path / "record.jsonl"
    known = Model.build(NAMES, hard=["ana | ben"])
    new(known=known, kinds=["good-or-bad"], contexts=["ana", "!ben"], target=(0.1, 0.2), path=path)
    again = Interview.resume(path, background=False)
    assert again.known is not None
    assert again.known.hard == known.hard
    assert again.kinds == ("good-or-bad",)
    assert again.target.regret == 0.2
    assert again.contexts_given == ["ana", "!ben"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ("ana,ben\n1,0\n", "not JSON"),
        ('{"variables": ["a"]}\n{"assignment": "1", "label": 1}\n', "no record of an interview"),
        ('{"variables": ["a"]}\n{"asked": {"interview": 1}}\n{"asked": {"kind": "riddle"}}\n', ":3: there is no kind"),
        ('{"variables": ["a"]}\n{"asked": {"interview": 1}}\n{"asked": 3}\n', ":3: "),
        ('{"variables": ["a"]}\n{"asked": {"interview": 1}}\n{"asked": {"kin', ":3: "),
        ('{"variables": ["a"]}\n{"asked": {"interview": 1, "examples": 2}}\n', "2 were there"),
    ],
)
def test_bad_files_are_told_in_a_line(tmp_path, text, message):
    path = tmp_path / "record.jsonl"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        Interview.resume(path)


def test_nonsense_is_refused():
    with pytest.raises(InputError, match="no kind of question"):
        new(kinds=["riddle"])
    with pytest.raises(InputError, match="no question to answer"):
        new().answer("good")


def test_known_rules_hold_in_every_member():
    known = Model.build(NAMES, hard=["ana | ben"])
    interview = new(Dataset.build(NAMES, [("", "0110", 1), ("", "1100", 0)]), known=known)
    assert all(not member.feasible(np.zeros((1, 4), dtype=np.uint8))[0] for member in interview.committee.members)


def test_thinking_in_the_background_keeps_nobody_waiting():
    interview, oracle = Interview(NAMES, contexts=contexts(), seed=1), Oracle(TRUTH)
    for _ in range(6):
        interview.answer(oracle.answer(interview.next()))
    assert len(interview.data) == sum(len(answer.examples) for answer in interview.answers)
    assert interview.model.variables == NAMES


def test_an_answer_may_contradict_an_example():
    interview = new(Dataset.build(NAMES, [("", "0110", 1), ("ana", "1110", 1)]))
    (found,) = interview.answer(GoodOrBad(Context((2,)), row("0110")), "suboptimal")
    assert "example 1" in found.words
    assert interview.answer(AOrB(EMPTY, row("0111"), row("0110")), "a")
    assert not interview.answer(GoodOrBad(EMPTY, row("1110")), "infeasible")[1:]


def test_wrong_answers_are_noticed_and_cost_little():
    interview, oracle = new(contexts=contexts(), kinds=["good-or-bad"]), Oracle(TRUTH, wrong=0.3, seed=5)
    for _ in range(20):
        interview.answer(oracle.answer(interview.next()))
    assert interview.thought.wrong > 0.02
    assert TRUTH.verdict(interview.model.solve(), EMPTY) != "infeasible"


def test_a_change_against_a_known_rule_is_survived():
    """Where every example breaks what is known, there is nothing left to learn from, and the interview goes on."""
    interview = new(known=Model.build(NAMES, hard=["ana"]))
    interview.answer(ChangeIt(EMPTY, row("1000")), "0110")
    assert interview.next().words


RECORD = (
    b'{"variables": ["a", "b"]}\n'
    b'{"asked": {"interview": 1, "examples": 1, "seed": 0, "kinds": ["rule"], "target": [0.1, 0.1], '
    b'"known": ["must a"], "contexts": ["a", "!b"]}}\n{"context": "", "assignment": "11", "label": "positive"}\n'
    b'{"asked": {"number": 1, "kind": "good-or-bad", "context": "a", "assignment": {"a": 1, "b": 0}, '
    b'"answer": "unknown"}}\n'
    b'{"context": "", "better": "10", "worse": "01", "asked": {"number": 2, "kind": "a-or-b", "context": "", '
    b'"a": {"a": 1, "b": 0}, "b": {"a": 0, "b": 1}, "answer": "a", "seconds": 2.5}}\n'
    b'{"context": "", "assignment": "11", "label": "positive", "asked": {"number": 3, "kind": "change", "context": "", '
    b'"assignment": {"a": 1, "b": 0}, "answer": "changed", "changed": {"a": 1, "b": 1}, "expected": 2}}\n'
    b'{"context": "", "assignment": "10", "label": "negative", "asked": {"with": 3}}\n'
)


def test_the_record_of_the_next_test_is_one(tmp_path):
    path = tmp_path / "record.jsonl"
    path.write_bytes(RECORD)
    assert [answer.value for answer in Interview.resume(path).answers] == ["unknown", "a", "changed"]
    assert Dataset.read(path).comparisons[0].better["a"] == 1


@given(mutated((RECORD,)))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_damaged_record_is_refused_in_a_line_or_read(tmp_path, data):
    path = tmp_path / "record.jsonl"
    path.write_bytes(data)
    with contextlib.suppress(InputError):
        Interview.resume(path)


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        (b'"target": [0.1, 0.1]', b'"target": "soon"'),
        (b'"target": [0.1, 0.1]', b'"target": [1, 2, 3]'),
        (b'"kinds": ["rule"]', b'"kinds": 3'),
        (b'"seed": 0', b'"seed": "x"'),
        (b'"known": ["must a"]', b'"known": [4]'),
        (b'"contexts": ["a", "!b"]', b'"contexts": 7'),
        (b'"expected": 2', b'"expected": "many"'),
        (b'"seconds": 2.5', b'"seconds": []'),
        (b'"context": "a"', b'"context": {}'),
        (b'"changed": {"a": 1, "b": 1}', b'"changed": 5'),
    ],
)
def test_damaged_settings_are_told_in_a_line(tmp_path, good, bad):
    path = tmp_path / "record.jsonl"
    assert good in RECORD
    path.write_bytes(RECORD.replace(good, bad))
    with pytest.raises(InputError) as found:
        Interview.resume(path)
    assert "\n" not in str(found.value)


def test_the_model_is_worth_no_less_than_any_members_choice():
    """By votes of other members, the model that is returned puts no more at risk than the member whose turn it is."""
    made = generate(6, 4, 4, 12, seed=5)
    interview = Interview(made.data.subset(np.arange(12)), seed=1, background=False, target=(0, 0))
    oracle = Oracle(made.truth)
    for _ in range(6):
        interview.answer(oracle.answer(interview.next()))
    thought = interview.thought
    model = interview.model
    assert interview.model is model
    rng = np.random.default_rng(9)
    drawn = [new_context(interview.given.contexts, made.data.schema, rng) for _ in range(100)]
    where = list(dict.fromkeys(drawn))
    rows = [all_completions(context, made.data.schema) for context in where]
    opinions = Opinions.of([model, thought.model, *thought.members], Situations.of(where, rows))
    risk = opinions.risk[:, 2:] @ thought.weights
    assert risk[0] <= risk[1] + 0.05
    assert interview.undo()
    assert interview.model is not model
