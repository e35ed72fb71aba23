"""Learning a model from examples: `learn` is the one way in, whatever the learner.

It makes the budget, runs the learner, and scores the model it returns anew through the solver, along a path that
shares no code with the learner: what is reported is what the model does (:mod:`hassle.learners.confirming`).
"""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hassle.errors import InputError
from hassle.learners.budget import DEFAULT_SECONDS, Budget, Listener, Progress, silent
from hassle.learners.caveats import caveats
from hassle.learners.cluster import on_cluster
from hassle.learners.confirming import confirm, time_to_learn
from hassle.learners.knowing import Known
from hassle.learners.registry import LEARNERS, Learner, make_learner, takes_wishes
from hassle.learners.result import Agreement, HeldOut, Improvement, LearnResult
from hassle.learners.starting import WARM_SHARE, Start
from hassle.learners.weighing import counted_over, shown_to
from hassle.learners.wishes import without
from hassle.memory import within_memory
from hassle.version import __version__

if TYPE_CHECKING:
    from hassle.data import Dataset
    from hassle.model import Model, Rule

# What simplifying the learned model may take where time is limited: a share of the limit and some seconds.
TIDYING, TIDYING_SECONDS = 0.02, 0.2

__all__ = [
    "LEARNERS",
    "Agreement",
    "Budget",
    "HeldOut",
    "Improvement",
    "LearnResult",
    "Learner",
    "Listener",
    "Progress",
    "learn",
    "make_learner",
]


@within_memory
@on_cluster
def learn(
    data: Dataset,
    learner: str = "auto",
    *,
    time_limit: float | None = None,
    steps: int | None = None,
    target_score: float = 1.0,
    seed: int = 0,
    listener: Listener = silent,
    interrupt: threading.Event | None = None,
    hold_out: float | None = None,
    known: Model | None = None,
    start: Start | None = None,
    **options: Any,
) -> LearnResult:
    """Learn a model whose optima, in each context, are the positive examples.

    Parameters
    ----------
    data
        The examples and comparisons; at least one. Their weights are what counts for ``auto`` and ``statistical``;
        ``sls`` and ``milp`` take whole numbers, as repetitions.
    learner
        ``auto`` (the default: chooses, and says what it did), ``statistical``, ``structured``, ``cuts``, ``sls`` or
        ``milp``.
    time_limit
        Seconds for the whole run, the final scoring included; compiling kernels on a fresh machine does not count. A
        minute where neither this nor ``steps`` is given.
    steps
        A limit in steps of the learner instead; then the same seed gives the same model.
    target_score
        The share of the examples that is good enough to stop; 1 by default.
    seed
        Decides all that is random; 0 by default.
    listener
        Called with a :class:`Progress` a few times a second.
    interrupt
        A flag that asks the run to stop and to return the best so far, as Ctrl-C does.
    hold_out
        A share of the examples, such as 0.2: whole contexts that are judged by a model learned without them.
        ``result.hold_out`` then says what to expect in other contexts, where ``result.score`` is about the examples
        learned from. That takes half of the time; the model returned is learned from all examples in the other half.
    known
        Rules that are respected rather than learned, as a model. Positives that break a hard one are set aside and
        listed in the notes. Those with weights are in the result with exactly these weights, and what is learned
        around them is weighed in the same units (``auto``, ``statistical`` and ``structured`` can).
    start
        An earlier result, or a model, to go on from: where a few examples were added, that takes a fraction of the time
        and is not worse (a sixth of a minute, where nobody says how long it may take). The learners ``auto``,
        ``statistical``, ``sls`` and ``milp`` can.
    **options
        ``memory``: what the run may take, such as ``"2GB"``; half of what is free by default.

        ``cluster``: many machines, as the address of a Dask scheduler (``"tcp://host:8786"``), a
        ``distributed.Client``, or ``"local"`` for workers on this machine, started for this run (extra ``cluster``).
        Chains, searches and cuts then run on its workers; connecting comes before the time limit begins. The learners
        ``milp`` and ``cuts`` cannot.

        And the learner's own, named like its fields: :class:`~hassle.learners.auto.AutoLearner` (``constraints``,
        ``max_literals``, ``jobs``, ``committee``), :class:`~hassle.learners.statistical.StatisticalLearner`
        (``constraints``, ``max_literals``, ``jobs``), :class:`~hassle.learners.structured.StructuredLearner`,
        :class:`~hassle.learners.cuts.CutsLearner`, :class:`~hassle.learners.sls.LocalSearch` (``strategy``,
        ``constraints``, ``max_literals``, …), :class:`~hassle.learners.milp.MilpLearner`. An unknown one is an error.

    Returns
    -------
    LearnResult
        The model, said as simply as can be, whose ``about`` tells how it was learned; its score, confirmed by solving;
        why the run stopped; and notes that the user should read.
    """
    if hold_out is not None:
        from hassle.learners.holding_out import learn_holding_out

        if start is not None:
            raise InputError(
                "what was learned before has seen the examples to be held out", fix="leave out one of them"
            )
        options |= {"target_score": target_score, "listener": listener, "known": known}
        return learn_holding_out(data, learner, hold_out, time_limit, steps, seed, interrupt, options)
    if data.partial:
        from hassle.learners.completing import learn_completing

        options |= {"target_score": target_score, "listener": listener, "known": known, "start": start}
        return learn_completing(data, learner, time_limit, steps, seed, interrupt, options)
    if time_limit is None and steps is None:
        time_limit = DEFAULT_SECONDS if start is None else WARM_SHARE * DEFAULT_SECONDS
    if start is not None:
        options["start"] = start.model if learner in ("sls", "milp") and isinstance(start, LearnResult) else start
    told_all = learner == "structured"
    if known is not None and (known.soft or told_all):
        options["known"] = _for_learner(known, learner, data)
    chosen = make_learner(learner, options)
    if not len(data) and not len(data.comparisons):
        raise InputError("there are no examples to learn from", fix="add one row per example", file=data.source)
    stop = interrupt or threading.Event()
    whole = Budget(time_limit, steps, target_score, stop)
    shown, told = shown_to(learner, data)
    given = None if known is None else Known.of(known, shown, narrow=not told_all)
    seen = shown if given is None else given.left
    result = chosen.learn(seen, replace(whole, time_limit=time_to_learn(seen, time_limit)), seed, listener)
    # Learners speak of variables; what these mean is the schema's to say, unless a learner found how they are arranged.
    if data.schema.arrangements or not result.model.schema.arrangements:
        result = replace(result, model=replace(result.model, schema=data.schema))
    result = _tidied(result, whole, () if given is None else given.rules.rules, options.get("forbidden"))
    if given is not None:
        result = given.completed(result)
    try:
        notes = confirm(result, shown, whole, seed)
    except KeyboardInterrupt:  # the model is there already; only a second Ctrl-C gives it up
        notes = confirm(result, shown, whole, seed)
        result = replace(result, stopped="interrupted")
    if shown is not data:
        result = counted_over(data, result)
    if data.positive.any() and data.positive.all():
        from hassle.evaluation.fit import fit_of

        result = replace(result, fit=fit_of(result.model, data, seed))
    about = {
        "learner": result.learner,
        "score": result.score,
        "correct": result.correct,
        "examples": result.examples,
        "stopped": result.stopped,
        "seed": seed,
        "version": __version__,
    }
    return replace(
        result,
        model=replace(result.model, about={**result.model.about, **about}),
        notes=(*told, *result.notes, *notes, *caveats(data, result.model)),
    )


def _for_learner(known: Model, learner: str, data: Dataset) -> Model:
    """The known rules over the variables of the data for a learner that learns around them: those with weights, or all.

    A learner that does not is an InputError.
    """
    from hassle.solve import aligned

    if not takes_wishes(learner):
        able = [name for name in LEARNERS if takes_wishes(name)]
        raise InputError(
            f"the learner {learner!r} cannot learn around known rules that have a weight",
            fix=f"write 'must', or choose --learner {' or '.join(able)}",
        )
    rules = tuple(rule for rule in known.rules if rule.weight is not None or learner == "structured")
    return aligned(replace(known, rules=rules, peers=None), data.variables)


def _tidied(result: LearnResult, budget: Budget, known: tuple[Rule, ...], forbidden: Model | None) -> LearnResult:
    """The result with its model said as simply as can be; as it is where that is interrupted or takes too long.

    Wishes that are known stay as they are, and nothing may be simplified to what they say, or to what is forbidden.
    """
    from hassle.solve.tidying import tidied

    deadline = budget.seconds + TIDYING_SECONDS + (0.0 if budget.time_limit is None else TIDYING * budget.time_limit)

    def checkpoint() -> None:
        if budget.time_limit is not None and budget.seconds > deadline:
            raise TimeoutError

    try:
        model = result.model
        wishes = tuple(rule for rule in model.rules if rule in known)
        rest = tidied(without(model, wishes) if wishes else model, checkpoint)
        others = (*wishes, *(() if forbidden is None else forbidden.rules))
        if not {rule.what for rule in rest.rules} & {rule.what for rule in others}:
            model = replace(rest, rules=(*wishes, *rest.rules))
    except TimeoutError:
        return replace(result, notes=(*result.notes, "the model was not simplified, for want of time"))
    except KeyboardInterrupt:
        return replace(result, stopped="interrupted")
    if result.committee is not None:
        model = result.committee.announced_by(model)
    return replace(result, model=model, constraints=len(model.constraints))
