"""Hard rules alone, learned by questions: how many answers an interview needs, beside the learners of PyConA.

    python benchmarks/ask_rules.py [nurses exams] [--answers 200] [--seed 0] [--pycona] [--seconds 600]

Two benchmarks of PyConA at its own sizes: a nurse roster (5 days, 3 shifts, 2 places in each, 8 nurses: nobody twice on
a day, nor in the last shift of a day and the first of the next) and an exam timetable (6 terms of 3 courses, 10 days of
3 slots: no two exams at a time, no two of a term on a day). The interview begins with nothing but the columns; the true
rules answer. What counts is the number of answers after which its rules allow just what the true ones allow (each
implies the other), looked at after every answer to begin with a new model. ``--pycona`` (``pip install pycona``) runs
each of its active learners with the oracle that comes with the benchmark; its queries are partial assignments that are
answered by yes or no, so an answer of ours (a decision that is changed, a rule that is confirmed) says more than one of
its own: compare with that in mind.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from itertools import combinations

from hassle.interview import Interview, Oracle
from hassle.logic import EMPTY, Choice, Schema
from hassle.model import Model
from hassle.solve.implication import feasible

DAYS, SHIFTS, PLACES, NURSES = 5, 3, 2, 8
TERMS, COURSES, EXAM_DAYS, SLOTS = 6, 3, 10, 3


def nurses() -> Model:
    names = [f"nurse{i + 1}" for i in range(NURSES)]
    columns = {
        (d, s, p): f"day{d + 1}_{shift}_{'first' if p == 0 else 'second'}"
        for d in range(DAYS)
        for s, shift in enumerate(("early", "late", "night"))
        for p in range(PLACES)
    }
    schema = Schema(tuple(Choice(column, tuple(names)) for column in columns.values()))
    pairs = [pair for d in range(DAYS) for pair in combinations([key for key in columns if key[0] == d], 2)]
    for d in range(DAYS - 1):
        # The places of the first shift may not have the same nurse either, which the rules of the day say already.
        both = [key for key in columns if key[:2] in ((d, SHIFTS - 1), (d + 1, 0))]
        pairs += [pair for pair in combinations(both, 2) if pair[0][0] != pair[1][0]]
    return _different(schema, [(columns[one], columns[other]) for one, other in pairs], [[name] for name in names])


def exams() -> Model:
    slots = [[f"day{d + 1}_slot{s + 1}" for s in range(SLOTS)] for d in range(EXAM_DAYS)]
    columns = {(t, c): f"term{t + 1}_course{c + 1}" for t in range(TERMS) for c in range(COURSES)}
    every = [slot for day in slots for slot in day]
    schema = Schema(tuple(Choice(column, tuple(every)) for column in columns.values()))
    own = [(columns[one], columns[other]) for one, other in combinations(columns, 2) if one[0] == other[0]]
    others = [(columns[one], columns[other]) for one, other in combinations(columns, 2) if one[0] != other[0]]
    same_day, same_slot = _different(schema, own, slots), _different(schema, others, [[slot] for slot in every])
    return Model(schema, (*same_day.rules, *same_slot.rules))


def _different(schema: Schema, pairs: list[tuple[str, str]], groups: list[list[str]]) -> Model:
    """No two columns of a pair have values of one group."""
    clauses = [
        f"{one} != {value} | {other} != {its}"
        for one, other in pairs
        for group in groups
        for value in group
        for its in group
    ]
    return Model.build(schema, hard=clauses)


def the_same(one: Model, other: Model) -> bool:
    """Whether they allow the same."""
    return _implies(one, other) and _implies(other, one)


def _implies(one: Model, other: Model) -> bool:
    with feasible(one.hard, len(one.variables), EMPTY.within(one.schema)) as known:
        return all(known.implies(constraint) for constraint in other.hard)


def asked(truth: Model, most: int, seed: int) -> int | None:
    """The answers after which the rules are the true ones."""
    interview, oracle = Interview(truth.schema, seed=seed, background=False), Oracle(truth, seed=seed)
    began, kinds = time.monotonic(), dict[str, int]()
    for count in range(1, most + 1):
        question = interview.next()
        interview.answer(oracle.answer(question))
        kinds[question.kind] = kinds.get(question.kind, 0) + 1
        model = interview.thought.model
        sound, whole = _implies(truth, model), _implies(model, truth)
        told = ", ".join(f"{number} {kind}" for kind, number in kinds.items())
        print(
            f"  {count} answers ({told}), {time.monotonic() - began:.0f} s: {len(model.rules)} rules, "
            f"{'nothing' if sound else 'something'} untrue, {'nothing' if whole else 'something'} missing",
            flush=True,
        )
        if sound and whole:
            return count
    return None


PROBLEMS: dict[str, Callable[[], Model]] = {"nurses": nurses, "exams": exams}


def pycona(name: str, seconds: float) -> None:
    """The queries that each of PyConA's active learners needs."""
    import multiprocessing

    for learner in ("QuAcq", "MQuAcq", "MQuAcq2", "GrowAcq"):
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            found = pool.apply_async(_queries, (name, learner))
            try:
                print(f"  {learner}: {found.get(seconds)} queries", flush=True)
            except multiprocessing.TimeoutError:
                print(f"  {learner}: not done after {seconds:.0f} s", flush=True)


def _queries(name: str, learner: str) -> int:
    from pycona import active_algorithms  # type: ignore[import-not-found]
    from pycona.benchmarks import construct_examtt_simple, construct_nurse_rostering  # type: ignore[import-not-found]

    instance, oracle = (construct_nurse_rostering if name == "nurses" else construct_examtt_simple)()
    made = getattr(active_algorithms, learner)()
    made.learn(instance=instance, oracle=oracle, verbose=0)
    return int(made.env.metrics.total_queries)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problems", nargs="*", default=list(PROBLEMS), choices=[*PROBLEMS, []])
    parser.add_argument("--answers", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--pycona", action="store_true")
    parser.add_argument("--seconds", type=float, default=600.0, help="for each learner of PyConA")
    given = parser.parse_args()
    for name in given.problems:
        print(name, flush=True)
        if given.pycona:
            pycona(name, given.seconds)
        else:
            found = asked(PROBLEMS[name](), given.answers, given.seed)
            print(f"  {'not found' if found is None else f'found after {found} answers'}", flush=True)


if __name__ == "__main__":
    main()
