"""The desk: one study at work. Whatever the page asks for is done here, and whatever changes is told to every page.

The page is shown *parts* (the file's columns, the rules, the run, …), each as JSON; who listens is sent those that have
changed. Actions come from several threads, one at a time.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from hassle.errors import InputError
from hassle.studio.columns import ALL_GOOD, Roles
from hassle.studio.evidence import details
from hassle.studio.keeping import EXTENSION, Keeper, new_file
from hassle.studio.layout import Items
from hassle.studio.learning import Event, Learning
from hassle.studio.planning import Situation, best_plan, why_not
from hassle.studio.questions import Asking
from hassle.studio.ruling import allowed_rule, changed_rule, rule_of, rules_that_fit, written_rule
from hassle.studio.showing import Part, Weighed, columns_part, history_part, layout_part, rules_part
from hassle.studio.source import Source
from hassle.studio.study import Judgement, Learned, Study, study_from_text
from hassle.studio.taking import choices

# Seconds of the first run; each time a person asks for more, it is twice as long as before.
FIRST_SECONDS = 60.0
# Points of the curve that are kept, and the longest note.
POINTS, LONGEST_NOTE = 400, 4000


class Desk:
    """The study, its file and its learning; ``changed`` callbacks hear that parts are new."""

    def __init__(self, folder: Path, seconds: float = FIRST_SECONDS) -> None:
        self.folder, self.seconds = folder, seconds
        self.study = Study()
        self.parts: dict[str, str] = {}
        self.changed: set[Callable[[], None]] = set()
        self._lock = threading.RLock()
        self._keeper: Keeper | None = None
        self._trouble = ""
        self._learning = Learning(self._heard)
        self._run: dict[str, Any] = {"running": False}
        self._curve: list[list[float]] = []
        self._more = 1
        self._continued = False
        self._weighed = Weighed()
        self._asking, self._asking_lock = Asking(), threading.Lock()
        self._show()

    # Opening and closing.

    def prepare(self) -> None:
        self._learning.prepare()

    def open_file(self, path: Path) -> None:
        """A study to go on with, or a table to begin one with, kept beside it."""
        from hassle.files.decode import read_bytes

        content = read_bytes(path)
        if path.suffix.lower() == EXTENSION:
            self._open(study_from_text(content.decode("utf-8", "replace")), path, path.parent)
        else:
            self._begin(Source.named(path.name, content), path.parent)

    def open_content(self, name: str, content: bytes) -> None:
        """What somebody dropped on the page; its name is shown, and never opened."""
        source = Source.named(name, content)
        if source.extension == EXTENSION:
            self._open(study_from_text(content.decode("utf-8", "replace")), None, self.folder, source.name)
        else:
            self._begin(source, self.folder)

    def open_ward(self) -> None:
        from hassle.bundled import WARD_EXAMPLES

        self._begin(Source("ward.jsonl", WARD_EXAMPLES.read_bytes()), self.folder)

    def close(self) -> None:
        self._learning.close()
        with self._lock:
            keeper, self._keeper = self._keeper, None
        if keeper is not None:
            keeper.close()

    def _begin(self, source: Source, folder: Path) -> None:
        study = Study.of(source)
        found = study.recognition  # may take a while, and others may look on meanwhile
        if not found.columns:
            raise InputError(found.problem, file=source.name, line=found.line)
        self._open(study, None, folder, source.name)
        if found.data is not None:
            self.learn()

    def _open(self, study: Study, path: Path | None, folder: Path, name: str = "") -> None:
        if study.source is not None and study.recognition.data is not None:
            assert study.rules is not None  # a study whose rules cannot be read is refused here
        if path is None or Keeper.is_open_elsewhere(path):
            path = new_file(folder, name or (path.name if path else "study"), study)
        with self._lock:
            self._learning.drop()
            old, self._keeper = self._keeper, Keeper(path, self._kept)
            self._run, self._curve, self._more = {"running": False}, [], 1
            self._take(study)
        if old is not None:
            old.close()

    def _kept(self, trouble: str) -> None:
        if trouble != self._trouble:
            self._trouble = trouble
            self._show()

    # Steps.

    def _step(self, said: str, learn: bool = False, **changes: Any) -> None:
        with self._lock:
            stepped = replace(self.study.stepped(said, **changes), draft=self.study.draft)
            self._take(self._checked(stepped))  # rules that were found so far stay until there are others
            if learn:
                self.learn()

    def _checked(self, study: Study) -> Study:
        if study.recognition.data is not None:
            assert study.model is not None  # refused before it is taken
        return study

    def _take(self, study: Study) -> None:
        self.study = study
        if self._keeper is not None:
            self._keeper.keep(study)
        self._show()

    def set_column(self, name: str, role: str) -> None:
        """A column in another role, or of another kind; what was learned of the old ones is set aside."""
        with self._lock:
            if name not in {view.name for view in self.study.recognition.columns} | {ALL_GOOD}:
                raise InputError(f"there is no column {name!r}", fix="load the page again")
            roles = self.study.state.roles.changed(name, role)
            words = {"decided": "decided", "given": "given", "ignored": "left out", "label": "the label"}
            said = f"{name}: {words.get(role, role)}" if name != ALL_GOOD else "Every row is a good plan"
            self._roles_changed(said, roles)

    def skip_gaps(self, skip: bool) -> None:
        with self._lock:
            said = "Rows with empty cells are left out" if skip else "Rows with empty cells are kept"
            self._roles_changed(said, replace(self.study.state.roles, skip_gaps=skip))

    def choose_sheet(self, name: str) -> None:
        """Another sheet of a workbook: other columns, of which nothing was said yet."""
        with self._lock:
            if name not in self.study.recognition.sheets:
                raise InputError(f"there is no sheet {name!r}", fix="load the page again")
            self._roles_changed(f"Sheet {name}", Roles(sheet=name))

    def _roles_changed(self, said: str, roles: Any) -> None:
        self._learning.drop()
        self._run, self._curve = {"running": False}, []
        study = self.study.stepped(said, roles=roles, learned=None)
        found = study.recognition
        if found.data is None:
            study = self.study.stepped(said, roles=roles, learned=None, pinned=(), forbidden=())
        else:
            study = self.study.stepped(said, roles=roles, learned=None, **rules_that_fit(study))
        self._take(study)
        if found.data is not None:
            self.learn()

    # Rules.

    def change_rule(self, rule: str, action: str, text: str = "") -> None:
        """Pin a rule, let go of it, forbid it, make it hard or soft, or put another in its place."""
        with self._lock:
            said, changes = changed_rule(self.study, rule, action, text)
            self._step(said, True, **changes)

    def write_rule(self, text: str) -> None:
        """A new rule in the rule language."""
        with self._lock:
            said, changes = written_rule(self.study, text)
            self._step(said, True, **changes)

    def allow_rule(self, place: int) -> None:
        """A forbidden rule is allowed again."""
        with self._lock:
            said, changes = allowed_rule(self.study, place)
            self._step(said, True, **changes)

    def rule_details(self, rule: str) -> dict[str, Any]:
        study = self.study
        return details(rule_of(study, rule), self._weighed.seen(study))

    # Learning.

    def learn(self, more: bool = False) -> None:
        """Learn from here; ``more`` goes on for longer, and keeps the rules at hand unless better ones are found."""
        with self._lock:
            if self.study.recognition.data is None:
                raise InputError(self.study.recognition.problem, fix="correct that first")
            self._more = 2 * self._more if more and self.study.state.learned else 1
            self._continued = more and self.study.state.learned is not None
            self._curve = []
            seconds = self._more * self.seconds
            self._run = {"running": True, "seconds": 0.0, "left": seconds, "note": "reading the examples"}
            self._learning.start(self.study, seconds, self._more - 1)
            self._show()

    def stop(self) -> None:
        with self._lock:
            self._learning.stop()
            self._run = {**self._run, "stopping": self._learning.running}
            self._show()

    def _heard(self, event: Event) -> None:
        with self._lock:
            kind = event["event"]
            if kind == "ready" or event.get("run") != self._learning.run:
                return
            if kind == "rules":
                self._run |= {"seconds": event["seconds"], "left": event["left"], "note": event["note"]}
                if "rules" in event and self.study.state.learned is None:
                    self._take(replace(self.study, draft=Learned(event["rules"])))
                    return
            elif kind == "share":
                self._curve = [*self._curve, [event["seconds"], event["correct"] / event["examples"]]][-POINTS:]
            elif kind == "failed" and self._run.get("stopping"):  # too late, and ended with its process
                self._run = {"running": False, "note": "it did not stop in time; the rules found so far stay"}
            elif kind == "failed":
                self._run = {"running": False, "error": event["error"]}
            elif kind == "done":
                self._done(event)
                return
            self._show()

    def _done(self, event: Event) -> None:
        old = self.study.state.learned
        keys = ("rules", "correct", "examples", "stopped", "seconds")
        new = Learned(**{key: event[key] for key in keys}, notes=tuple(event["notes"]))
        self._run = {"running": False, "stopped": new.stopped, "seconds": new.seconds, "notes": list(new.notes)}
        if new.share is not None:
            self._curve = [*self._curve, [new.seconds, new.share]][-POINTS:]
        gain = (new.share or 0) - (old.share or 0) if old else 1.0
        halted = new.stopped == "interrupted"
        if (gain < 0 and halted) or (gain <= 0 and self._continued):
            self._run["note"] = "stopped before it found better rules" if halted else "nothing better was found"
            self._show()
            return
        study = self.study.stepped("", learned=new)
        share = "" if new.share is None else f", {new.share:.0%} of the examples explained"
        said = f"Learned {len(study.rules) - len(study.pinned)} rules{share}"
        self._take(self.study.stepped(said, learned=new))

    # Plans.

    def plan(self, situation: Situation, without: list[list[int]]) -> dict[str, Any]:
        return best_plan(self.study.model, situation, without)

    def why_not(self, situation: Situation, on: list[int]) -> dict[str, Any]:
        return why_not(self.study.model, situation, on)

    def judge(self, situation: Situation, on: list[int], good: bool, instead_of: list[int] | None = None) -> None:
        """A person's word on a plan; with ``instead_of``, this one is good and that one is not."""
        with self._lock:
            schema = self.study.schema
            context = situation.context(schema)
            items = Items.of(schema)

            def said(which: list[int], label: str) -> Judgement:
                bits = items.bits(which)
                if not context.holds(bits[None, :])[0]:
                    raise InputError("the plan does not fit the situation", fix="change one of them")
                values = dict(zip(schema.column_names, schema.decode(bits), strict=True))
                return Judgement(context.text(schema), values, label)

            new = [said(on, "positive" if good else "negative")]
            if instead_of is not None and sorted(instead_of) != sorted(on):
                new.append(said(instead_of, "negative"))
            words = "This one, corrected by hand" if len(new) > 1 else f"Judged {'good' if good else 'bad'}"
            where = f" where {new[0].context}" if new[0].context else ""
            self._step(f"{words}{where}", True, judgements=(*self.study.state.judgements, *new))

    # Questions.

    def question(self) -> dict[str, Any]:
        """The question that teaches most now."""
        with self._asking_lock:
            return self._asking.question(self.study)

    def answer(self, question: str, value: str, on: list[int] | None) -> dict[str, Any]:
        """Take the answer to the open question, and put the next one. Learning waits until it is asked for."""
        with self._asking_lock:
            words, (judged, pinned, forbidden) = self._asking.answer(self.study, question, value, on)
            with self._lock:
                state = self.study.state  # as it is now: in another tab, something may have been judged meanwhile
                self._step(
                    words,
                    judgements=(*state.judgements, *judged),
                    pinned=(*state.pinned, *pinned),
                    forbidden=(*state.forbidden, *(each for each in forbidden if each not in state.forbidden)),
                )
            return self._asking.question(self.study)

    # History.

    def go_to(self, at: int) -> None:
        with self._lock:
            study = self._checked(self.study.gone_to(at))
            self._learning.drop()
            self._run, self._curve = {"running": False}, []
            self._take(study)

    def note(self, place: int, text: str) -> None:
        with self._lock:
            self._take(self.study.noted(place, text[:LONGEST_NOTE]))

    # What is shown.

    def _show(self) -> None:
        with self._lock:
            shown = {
                "about": self._about(),
                "columns": columns_part(self.study),
                "layout": layout_part(self.study, self._weighed),
                "rules": rules_part(self.study, self._weighed),
                "run": {**self._run, "curve": self._curve},
                "history": history_part(self.study),
            }
            self.parts = {name: json.dumps(part, ensure_ascii=False) for name, part in shown.items()}
            for tell in tuple(self.changed):
                tell()

    @property
    def path(self) -> str | None:
        """Where the study is kept."""
        return None if self._keeper is None else str(self._keeper.path)

    def _about(self) -> Part:
        study = self.study
        name = study.source.name if study.source else None
        return {"name": name, "path": self.path, "trouble": self._trouble, "take": choices(study)}
