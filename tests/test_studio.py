"""The studio without its page: studies and their files, columns, evidence, plans, what is taken away, and the guard."""

from __future__ import annotations

import http.client
import itertools
import json
import random
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pytest
from studio_pages import Studio, rooms_csv, ward_study

from hassle.cli.main import main
from hassle.data import Dataset
from hassle.errors import InputError
from hassle.learners import learn
from hassle.logic import Assignment
from hassle.model import Model
from hassle.studio import Judgement, Learned, Study
from hassle.studio.columns import Roles, recognition
from hassle.studio.desk import Desk
from hassle.studio.evidence import details, evidence
from hassle.studio.keeping import Keeper, new_file
from hassle.studio.layout import Items, layout
from hassle.studio.learning import Learning
from hassle.studio.learning_process import what_to_learn
from hassle.studio.planning import Situation, best_plan, why_not
from hassle.studio.report import report
from hassle.studio.running import LOOPBACK, find_place
from hassle.studio.server import _object
from hassle.studio.showing import columns_part
from hassle.studio.source import Source
from hassle.studio.study import study_from_text, study_text, with_judgements
from hassle.studio.taking import plan_file, take
from hassle.studio.workbook import workbook

RULES = "must day = quiet | !party\n0.5 standup = large\n0.25 review = large\n"


def rooms(**changes: object) -> Study:
    study = Study.of(Source("rooms.csv", rooms_csv().encode()))
    return study.stepped("Learned", **{"learned": Learned(RULES, 16, 16, "perfect", 1.0), **changes})


# Studies.


def test_a_study_read_is_the_study_written(tmp_path: Path):
    values = {"day": "busy", "standup": "small", "review": "large", "party": 0, "chairs": 2}
    judged = (Judgement("day = busy", values, "positive"), Judgement("", values, "better", {**values, "party": 1}))
    roles = Roles(ignored=("x",), given=("day",), kinds=(("chairs", "choice"),), sheet="one")
    study = rooms(judgements=judged, roles=roles, pinned=("must day = quiet",)).noted(1, "a note")
    study.save(tmp_path / "s.hassle")
    assert Study.open(tmp_path / "s.hassle") == study


def test_undo_and_redo_go_through_the_steps():
    study = rooms().stepped("Pinned", pinned=("must party",))
    assert study.gone_to(2).state == rooms().state
    assert study.gone_to(2).gone_to(3) == study
    again = study.gone_to(2).stepped("Other", pinned=("must !party",))
    assert [step.said for step in again.steps] == ["Opened rooms.csv", "Learned", "Other"]
    with pytest.raises(InputError, match="no step 9"):
        study.gone_to(9)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"format": "hassle-study", "version": 1}', '{"format": "hassle-study", "version": 2}']
)
def test_damaged_studies_are_told_in_one_line(text: str):
    with pytest.raises(InputError):
        study_from_text(text)


def test_pinned_rules_come_first_and_forbidden_ones_do_not_come_back():
    study = rooms(pinned=("0.75 standup = large",), forbidden=("review = large",))
    assert [str(rule.weight) for rule in study.rules] == ["0.75", "None"]
    assert len(study.model.soft) == 1
    known, never = study.known(), study.never()
    assert known is not None
    assert never is not None
    assert known.rules == study.pinned
    assert never.rules == study.forbidden
    assert rooms(pinned=("must party",)).known() == Model.build(study.schema, ["party"])


def test_the_learner_is_told_what_the_person_said():
    study = rooms(pinned=("0.75 standup = large", "must day = quiet | !party"), forbidden=("review = large",))
    options = what_to_learn(study)
    assert options["known"].rules == tuple(sorted(study.pinned, key=lambda rule: rule.weight is not None))
    found = learn(study.data, steps=500, **options).model
    assert set(study.pinned) <= set(found.rules)
    assert not {rule.what for rule in found.rules} & {rule.what for rule in study.forbidden}
    assert "forbidden" not in what_to_learn(rooms())


def test_judgements_are_examples_and_comparisons_of_the_data():
    values = {"day": "busy", "standup": "small", "review": "large", "party": 0, "chairs": 2}
    said = (
        Judgement("day = busy", values, "positive"),
        Judgement("day = quiet", values, "positive"),  # does not fit its situation
        Judgement("", {"day": "busy"}, "negative"),  # says nothing of the other columns
        Judgement("", values, "better", {**values, "party": 1}),
    )
    data = rooms(judgements=said).data
    assert len(data) == 49
    assert len(data.comparisons) == 1
    assert data.line(48) == 0


# Columns.


def test_every_column_is_recognised_by_itself():
    text = rooms_csv().replace("day,", "day,row,", 1)
    header, *rows = text.splitlines()
    rows = [row.replace(",", f",{k},", 1) for k, row in enumerate(rows, 1)]
    found = recognition(Source("t.csv", "\n".join([header, *rows]).encode()), Roles())
    kinds = {view.name: (view.role, view.kind) for view in found.columns}
    assert kinds["row"] == ("ignored", None)
    assert kinds["party"] == ("decided", "yes-or-no")
    assert kinds["chairs"] == ("decided", "number")
    assert kinds["label"] == ("label", None)
    assert found.data is not None
    assert len(found.data.schema.columns) == 5


def test_roles_change_one_column_at_a_time():
    roles = Roles().changed("day", "given").changed("chairs", "choice").changed("day", "decided")
    assert roles.given == ()
    assert dict(roles.kinds) == {"chairs": "choice"}
    assert Roles.from_data(json.loads(json.dumps(roles.to_data()))) == roles
    with pytest.raises(InputError, match="no role"):
        roles.changed("day", "nonsense")


# Evidence and plans, against brute force.


def naive_votes(broken: list[int], data: Dataset) -> tuple[int, int]:
    won = lost = 0
    for c in range(len(data.contexts)):
        rows = [k for k in range(len(data)) if data.context_of[k] == c]
        good = [broken[k] for k in rows if data.positive[k]]
        bad = [broken[k] for k in rows if not data.positive[k]]
        if good and bad:
            difference = sum(bad) / len(bad) - sum(good) / len(good)
            won += difference > 1e-9
            lost += difference < -1e-9
    return won, lost


def test_evidence_counts_votes_of_situations():
    study = study_from_text(ward_study().decode())
    data = study.data
    for rule in study.rules:
        instances = rule.instances(study.schema)
        broken = [sum(not each.holds(row) for each in instances) for row in data.assignments]
        told = evidence(rule, data)
        assert (told.votes_for, told.votes_against) == naive_votes(broken, data)
        assert told.good_keep == sum(b == 0 and g for b, g in zip(broken, data.positive, strict=True))
        assert told.bad_break == sum(b > 0 and not g for b, g in zip(broken, data.positive, strict=True))
    assert evidence(study.rules[0], data).confidence > 0.99


def test_details_say_where_a_rule_is_broken():
    study = study_from_text(ward_study().decode())
    rule = next(rule for rule in study.rules if len(rule.instances(study.schema)) == 5 and rule.weight is None)
    found = details(rule, study.data)
    assert found["forbids"][0] == "mon: fewer than 2"
    assert found["instances"] == 5
    assert found["againsts"] == 0


def all_plans(study: Study) -> Iterator[np.ndarray]:
    for values in itertools.product(*(column.values for column in study.schema.columns)):
        yield study.schema.encode(values)


def test_the_best_plan_is_the_best_of_all():
    study, items = rooms(), Items.of(rooms().schema)
    busy = items.places.index((0, "busy"))
    for situation in (Situation(), Situation(yes=(busy,)), Situation(no=(busy,)), Situation(also="standup = small")):
        context = situation.context(study.schema)
        allowed = [row for row in all_plans(study) if study.model.feasible(row[None])[0]]
        fitting = [row for row in allowed if context.holds(row[None])[0]]
        best = max(int(study.model.values(row[None])[0]) for row in fitting)
        found = best_plan(study.model, situation)
        assert found["units"] == best
        bits = items.bits(found["on"])
        assert any((bits == row).all() for row in fitting)
        seen = [found]
        while (more := best_plan(study.model, situation, [each["on"] for each in seen]))["status"] == "optimal":
            if more["units"] < best:
                break
            seen.append(more)
        assert len(seen) == sum(int(study.model.values(row[None])[0]) == best for row in fitting)


def test_why_not_says_what_breaks_and_what_it_costs():
    study, items = rooms(), Items.of(rooms().schema)
    values = {"day": "busy", "standup": "small", "review": "large", "party": 1, "chairs": 2}
    on = items.on(Assignment.of(study.schema, study.schema.encode(list(values.values()))))
    said = why_not(study.model, Situation(), on)
    assert [each["words"] for each in said["broken"]] == ["if party then day = quiet"]
    assert said["loss"] == 0.5
    assert [each["words"] for each in said["new"]] == ["standup = large"]
    assert why_not(study.model, Situation(no=(on[0],)), on)["fits"] is False


def test_where_nothing_fits_the_rule_in_the_way_is_named():
    said = best_plan(rooms().model, Situation(also="day = busy & party"))
    assert said["status"] == "infeasible"
    assert said["blame"] == ["if party then day = quiet"]


def test_items_and_assignments_say_the_same():
    study = rooms()
    items = Items.of(study.schema)
    for row in all_plans(study):
        assert (items.bits(items.on(Assignment.of(study.schema, row))) == row).all()
    for item in (-1, len(items.places), True, "0"):
        with pytest.raises(InputError):
            items.bits([item])  # type: ignore[list-item]
    with pytest.raises(InputError, match="has no value"):
        items.bits([])


def test_situations_of_the_examples_are_taken_apart_and_put_together():
    study = study_from_text(ward_study().decode())
    items = Items.of(study.schema)
    for context in study.base.contexts:
        assert items.context(*items.of_context(context)) == context


def test_a_ward_is_laid_out_as_a_table():
    table = layout(study_from_text(ward_study().decode()).schema)["table"]
    assert table["rows"][:2] == ["ana", "ben"]
    assert [mark[1] for mark in table["cells"][0][0]] == ["early", "night"]


# Taking away.


def test_spreadsheets_never_see_a_formula(tmp_path: Path):
    openpyxl = pytest.importorskip("openpyxl")
    text = "=cmd,b,label\n1,0,good\n0,1,bad\n1,1,good\n0,0,bad\n"
    study = Study.of(Source("t.csv", text.encode()))
    assert plan_file(study, [0], ".csv")[2].decode("utf-8-sig").startswith("'=cmd,yes")
    (tmp_path / "plan.xlsx").write_bytes(plan_file(study, [0], ".xlsx")[2])
    cell = openpyxl.load_workbook(tmp_path / "plan.xlsx").active["A1"]
    assert (cell.value, cell.data_type) == ("=cmd", "s")


def test_a_workbook_holds_any_text(tmp_path: Path):
    openpyxl = pytest.importorskip("openpyxl")
    rows = [["<a>&\"'", "é✓", ""], ["", "\x1b[31m", " blank "], *([str(k)] * 30 for k in range(2))]
    (tmp_path / "t.xlsx").write_bytes(workbook(rows))
    values = openpyxl.load_workbook(tmp_path / "t.xlsx").active.values
    read = [[cell or "" for cell in row][: len(rows[r])] for r, row in enumerate(values)]
    assert read == [[cell.replace("\x1b", "�") for cell in row] for row in rows]


def test_the_report_is_one_page_without_scripts():
    hostile = "<script>alert(1)</script>"
    source = Source(f"{hostile}.csv", rooms_csv().replace("party", hostile).replace("standup", "b").encode())
    study = Study.of(source).stepped(hostile, pinned=("0.5 b = large",)).noted(2, hostile)
    text = report(study)
    assert "<script" not in text
    assert "&lt;script&gt;" in text
    assert "b = large" in text


def test_what_cannot_be_taken_is_told():
    for what in ("model.exe", "../secret", "plan.pdf"):
        with pytest.raises(InputError):
            take(rooms(), what)


# The desk, its file, its learning.


def wait(until, seconds: float = 240) -> None:
    end = time.monotonic() + seconds
    while not until():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)


def test_a_desk_learns_in_a_process_of_its_own_and_keeps_the_study(tmp_path: Path):
    desk = Desk(tmp_path, seconds=1.0)
    desk.open_content("rooms.csv", rooms_csv().encode())
    wait(lambda: desk.study.state.learned is not None)
    assert desk.study.rules
    wait(lambda: json.loads(desk.parts["run"])["running"] is False)
    desk.stop()
    path = desk.path
    desk.close()
    assert path is not None
    assert Study.open(path) == desk.study


def test_no_study_is_written_over_another(tmp_path: Path):
    first = new_file(tmp_path, "ward.csv", rooms())
    second = new_file(tmp_path, "../../ward.csv", rooms())
    assert {first.name, second.name} == {"ward.hassle", ".._.._ward.hassle"} or second.parent == tmp_path
    keeper = Keeper(first, lambda trouble: None)
    assert Keeper.is_open_elsewhere(first)
    keeper.close()
    assert not Keeper.is_open_elsewhere(first)


def test_a_new_study_is_whole_from_its_first_moment(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(Keeper, "_write", lambda keeper: None)  # as if the studio were killed at once
    desk = Desk(tmp_path)
    monkeypatch.setattr(desk, "learn", lambda: None)
    for number in (1, 2):
        desk.open_content("rooms.csv", rooms_csv().encode())
        assert desk.path is not None
        assert Study.open(desk.path).state == Study().state
        assert len(list(tmp_path.iterdir())) == number
    desk.close()


def test_a_study_that_could_not_be_saved_is_saved_when_it_can(tmp_path: Path, monkeypatch):
    monkeypatch.setattr("hassle.studio.keeping.RETRYING", 0.1)
    heard: list[str] = []
    (tmp_path / "full").mkdir()
    keeper = Keeper(tmp_path / "full" / "a.hassle", heard.append)
    (tmp_path / "full").rmdir()
    study = rooms()
    keeper.keep(study)
    wait(lambda: any("no directory" in each for each in heard))
    (tmp_path / "full").mkdir()
    wait(lambda: heard[-1] == "")
    assert Study.open(keeper.path) == study
    saving = Study.save

    def fail(study: Study, path: Path) -> None:
        monkeypatch.setattr(Study, "save", saving)
        raise ValueError("not thought of")

    monkeypatch.setattr(Study, "save", fail)
    keeper.keep(study.noted(1, "later"))
    wait(lambda: any("not thought of" in each for each in heard))
    wait(lambda: heard[-1] == "")
    assert Study.open(keeper.path) == study.noted(1, "later")
    keeper.close()


def test_halves_of_characters_are_neither_saved_nor_shown(tmp_path: Path):
    text = study_text(rooms().noted(1, "HALF")).replace("HALF", "a\\ud800b \\ud83d\\ude00")
    study = study_from_text(text)
    assert study.steps[0].note == "a?b 😀"
    study.save(tmp_path / "s.hassle")
    assert _object(b'{"text": "a\\udfffb"}') == {"text": "a?b"}


def still_desk(tmp_path: Path, monkeypatch, study: Study) -> Desk:
    """A desk at which nothing is learned."""
    desk = Desk(tmp_path)
    monkeypatch.setattr(desk._learning, "start", lambda *told: 0)
    desk.open_content("s.hassle", study_text(study).encode())
    return desk


def test_a_run_that_is_stopped_before_it_found_anything_takes_no_rules_away(tmp_path: Path, monkeypatch):
    desk = still_desk(tmp_path, monkeypatch, rooms())
    desk.write_rule("must !party")
    ended = {"event": "done", "run": 0, "rules": "", "examples": 48, "seconds": 0.1, "notes": []}
    desk._heard({**ended, "correct": 20, "stopped": "interrupted"})
    assert len(desk.study.rules) == 4
    desk._heard({**ended, "correct": 48, "stopped": "interrupted"})
    assert len(desk.study.rules) == 1
    desk.close()


def test_rules_found_so_far_stay_when_one_of_them_is_pinned(tmp_path: Path, monkeypatch):
    desk = still_desk(tmp_path, monkeypatch, Study.of(Source("rooms.csv", rooms_csv().encode())))
    desk._heard({"event": "rules", "run": 0, "rules": RULES, "seconds": 1.0, "left": 2.0, "note": ""})
    desk.change_rule(json.loads(desk.parts["rules"])["rules"][0]["id"], "pin")
    assert len(desk.study.pinned) == 1
    assert len(desk.study.rules) == 3
    desk.close()


def test_a_question_is_answered_only_as_long_as_it_is_open(tmp_path: Path, monkeypatch):
    desk = still_desk(tmp_path, monkeypatch, rooms())
    first = desk.question()
    on = desk.plan(Situation(), [])["on"]
    desk.judge(Situation(), on, True)
    with pytest.raises(InputError, match="no longer open"):
        desk.answer(first["id"], "unknown", None)
    second = desk.question()
    third = desk.answer(second["id"], "unknown", None)
    assert third["id"] != second["id"]
    with pytest.raises(InputError, match="no longer open"):
        desk.answer(second["id"], "unknown", None)
    desk.close()


def test_an_answer_takes_nothing_away_that_was_judged_meanwhile(tmp_path: Path, monkeypatch):
    desk = still_desk(tmp_path, monkeypatch, rooms())
    on = desk.plan(Situation(), [])["on"]

    def answer(study: Study, *said: object) -> tuple[str, object]:
        desk.judge(Situation(), on, True)  # in another tab
        return "Answered", ((Judgement("", study.state.judgements or {}, "negative"),), (), ())

    monkeypatch.setattr(desk._asking, "answer", answer)
    monkeypatch.setattr(desk._asking, "question", lambda study: {})
    desk.answer("1.1", "bad", None)
    assert [each.label for each in desk.study.state.judgements] == ["positive", "negative"]
    desk.close()


def test_a_learner_that_is_ended_in_the_middle_of_a_word_is_noticed():
    heard: list[dict[str, object]] = []
    learning = Learning(heard.append)
    words = 'import sys; sys.stdout.write(\'{"event": "rules", "ru\')'
    process = subprocess.Popen([sys.executable, "-c", words], stdout=subprocess.PIPE, text=True)
    learning._process, learning.running = process, True
    learning._listen(process)
    process.wait()
    assert [each["event"] for each in heard] == ["failed"]
    assert not learning.running


def test_rows_that_are_left_out_are_neither_good_nor_bad():
    text = "a,b,label\n1,0,good\n0,1,bad\n1,,bad\n0,0,bad\n"
    study = Study.of(Source("t.csv", text.encode())).stepped("", roles=Roles(skip_gaps=True))
    shown = columns_part(study)
    assert shown is not None
    assert shown["rows"] == 4
    assert shown["good"] + shown["bad"] == len(study.base)


# The guard.


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    studio = Studio(tmp_path_factory.mktemp("guard"))
    yield studio.address
    studio.end()


def request(address: str, method: str, path: str, body: bytes = b"{}", **headers: str) -> tuple[int, str]:
    parts = urlsplit(address)
    host = headers.pop("Host", parts.netloc)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=60)
    connection.putrequest(method, path, skip_host=True)
    sent = {"Host": host, "Content-Length": str(len(body)), **headers}
    for name, value in sent.items():
        connection.putheader(name.replace("_", "-"), value)
    connection.endheaders(body if method == "POST" else None)
    answer = connection.getresponse()
    return answer.status, answer.read().decode()


def test_only_the_studios_own_page_gets_in(address: str):
    parts = urlsplit(address)
    own, origin = parts.path, f"http://{parts.netloc}"
    assert request(address, "GET", own)[0] == 200
    assert request(address, "GET", "/")[0] == 404
    assert request(address, "GET", f"/{'x' * 32}/")[0] == 404
    assert request(address, "GET", own, Host="evil.example")[0] == 421
    assert request(address, "POST", f"{own}do/stop")[0] == 403
    assert request(address, "POST", f"{own}do/stop", Origin="http://evil.example")[0] == 403
    assert request(address, "POST", f"{own}do/stop", Origin=origin, Sec_Fetch_Site="cross-site")[0] == 403
    assert request(address, "POST", f"{own}do/stop", Origin=origin)[0] == 200
    assert request(address, "OPTIONS", "*")[0] == 404
    assert request(address, "GET", f"{own}page/../server.py")[0] == 404
    assert request(address, "GET", f"{own}page/%2e%2e%2fserver.py")[0] == 404


def test_strange_requests_are_answered_in_one_line(address: str):
    parts = urlsplit(address)
    own, origin = parts.path, f"http://{parts.netloc}"
    for action, body in (
        ("nothing", b"{}"),
        ("plan", b"[]"),
        ("plan", b"not json"),
        ("plan", b'{"situation": {"yes": [], "no": [], "also": ""}}'),
        ("plan", b'{"situation": {"yes": [], "no": [], "also": ""}, "without": null}'),
        ("plan", b'{"situation": {"yes": [], "no": [], "also": ""}, "without": 5}'),
        ("rule", b'{"rule": 3}'),
        ("go", b'{"at": "x"}'),
        ("note", b'{"place": 99, "text": "a"}'),
        ("column", b'{"name": "x", "role": "given"}'),
    ):
        status, said = request(address, "POST", f"{own}do/{action}", body, Origin=origin)
        assert status == 400, said
        assert "\n" not in json.loads(said)["said"]
    assert request(address, "POST", f"{own}do/plan", b"x" * 3_000_000, Origin=origin)[0] == 413


# Killed.


class Planner:
    """Does something at random in a studio, again and again, and remembers what the studio said was done, and when."""

    def __init__(self, studio: Studio, seed: int) -> None:
        self.studio, self.random = studio, random.Random(seed)
        self.files = 0
        # For each study: when which note was taken, and the steps that counted then.
        self.told: dict[int, list[tuple[float, int, list[str]]]] = {}

    def work(self) -> None:
        """Until the studio is gone."""
        try:
            self.open()
            for number in itertools.count():
                self.act()
                self.note(number)
        except (OSError, http.client.HTTPException):
            pass

    def open(self) -> None:
        self.ask("open?name=rooms.csv", rooms_csv().encode())
        self.files += 1
        self.told[self.files] = []

    def act(self) -> None:
        situation = {"yes": [], "no": [], "also": ""}
        match self.random.randrange(9):
            case 0 if self.random.random() < 0.3:
                self.open()
            case 1:
                self.do("write", text=f"0.{self.random.randrange(1, 1000):03d} standup = large")
            case 2:
                self.do("go", at=self.random.randrange(1, 6))
            case 3:
                self.do("column", name="chairs", role=self.random.choice(["choice", "number", "ignored", "given"]))
            case 4:
                self.do("stop")
            case 5:
                self.do("learn", more=True)
            case _:
                plan = self.do("plan", situation=situation)
                if isinstance(plan, dict) and "on" in plan:
                    self.do("judge", situation=situation, on=plan["on"], good=self.random.random() < 0.5)

    def note(self, number: int) -> None:
        steps = json.loads(self.ask("take/study.hassle"))
        before = [step["said"] for step in steps["steps"][: steps["at"]]]
        self.do("note", place=1, text=str(number))
        self.told[self.files].append((time.monotonic(), number, before))

    def do(self, action: str, **said: object) -> object:
        return json.loads(self.ask(f"do/{action}", json.dumps(said).encode()))

    def ask(self, path: str, body: bytes | None = None) -> str:
        parts = urlsplit(self.studio.address)
        method = "GET" if body is None else "POST"
        return request(self.studio.address, method, parts.path + path, body or b"", Origin=f"http://{parts.netloc}")[1]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_a_studio_killed_at_any_moment_has_saved_what_is_a_second_old(tmp_path: Path, seed: int):
    """Studies are whole, hold every note that was taken a second before, and what was done before that note."""
    studio = Studio(tmp_path, "--time-limit", "2")
    planner = Planner(studio, seed)
    working = threading.Thread(target=planner.work)
    working.start()
    time.sleep(random.Random(seed).uniform(0.0, 8.0))
    studio.process.kill()
    killed = time.monotonic()
    working.join()
    studio.kill()
    kept = {path.name: Study.open(path) for path in tmp_path.glob("*.hassle")}  # each of them is whole
    assert planner.files <= len(kept) <= planner.files + 1
    for number, told in planner.told.items():
        study = kept[f"rooms{'' if number == 1 else f'-{number}'}.hassle"]
        old = [note for when, note, _ in told if when < killed - 1]
        noted = int(study.steps[0].note or -1)
        assert noted >= max(old, default=-1)
        steps = next((steps for _, note, steps in told if note == noted), [])
        assert [step.said for step in study.steps][: len(steps)] == steps
    if kept:
        again = Studio(tmp_path, str(tmp_path / max(kept)))
        assert again.said["study"] == str(tmp_path / max(kept))
        again.end()


# The command.


def test_the_network_must_be_allowed(capsys):
    assert main(["studio", "--host", "0.0.0.0"]) == 2
    assert "--allow-network" in capsys.readouterr().err


def test_a_missing_file_is_told(capsys):
    assert main(["studio", "nothing.csv", "--no-browser"]) == 2
    assert "no such file" in capsys.readouterr().err


def test_a_busy_port_is_not_an_error(tmp_path: Path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    place = find_place(LOOPBACK, 0)
    assert main(["studio", "--no-browser", "--json", "--port", str(place.port), "--end-after", "0.1"]) == 0
    assert json.loads(capsys.readouterr().out)["port"] != place.port
    place.socket.close()


def test_a_study_text_is_small_beside_its_source():
    assert len(study_text(rooms())) < len(rooms_csv()) + 3000
    assert with_judgements(rooms().base, ()) is rooms().base


def test_a_rule_that_asks_for_all_of_some_is_read_as_it_is_printed():
    """How a statistical learner may say it: a count of all its literals, which is printed as a conjunction."""
    from hassle.logic import Constraint
    from hassle.model.rules import parse_what, rule_text

    schema = rooms().schema
    for constraint in (Constraint((1, -3, 5), 3), Constraint((1, -3, 5), 2), Constraint((1, -3, 5)), Constraint((-2,))):
        assert parse_what(rule_text(constraint, schema), schema) == [constraint]
