"""The studio's page in a real browser: every step that a planner takes, and what goes wrong on the way."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright
from studio_pages import QUIET, Studio, find_chromium, rooms_csv, rooms_study, ward_study

# Machines are busy and kernels may have to be compiled; no test measures time.
PATIENCE = 120_000
expect.set_options(timeout=PATIENCE)

HOSTILE = '<script>document.title="broken"</script>'
EXAMPLES = Path(__file__).parent.parent / "examples"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    path = find_chromium()
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=list(QUIET))
        yield running
        running.close()


@pytest.fixture(scope="module")
def shared(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    """One studio for the tests that only need some study: each opens its own in it."""
    studio = Studio(tmp_path_factory.mktemp("studio"), "--time-limit", "2")
    yield studio
    studio.end()


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Opens pages, and sees to it that nothing on them fails and no request leaves the studio."""
    contexts, problems, foreign = [], list[str](), list[str]()

    def opened(studio: Studio, page: Page | None = None, **options: object) -> Page:
        if page is None:
            settings: dict[str, object] = {"viewport": {"width": 1200, "height": 820}, "accept_downloads": True}
            contexts.append(browser.new_context(**{**settings, **options}))  # type: ignore[arg-type]
            contexts[-1].set_default_timeout(PATIENCE)
            made = contexts[-1].new_page()
        else:
            made = page.context.new_page()
        made.on("pageerror", lambda error: problems.append(str(error)))
        made.on("request", lambda each: foreign.append(each.url) if not each.url.startswith(own) else None)
        own = (studio.address, "blob:")
        made.goto(studio.address)
        return made

    yield opened
    for context in contexts:
        context.close()
    assert not problems
    assert not foreign, "a request left the studio"


@pytest.fixture
def page(open_page: Callable[..., Page], shared: Studio) -> Page:
    return open_page(shared)


def drop(page: Page, name: str, content: str | bytes) -> None:
    body = content.encode() if isinstance(content, str) else content
    page.locator("input[type=file]").first.set_input_files({"name": name, "mimeType": "text/plain", "buffer": body})


def open_ward(page: Page, more: str = "") -> None:
    """A ward whose rules are known already, so that nothing need be learned first."""
    drop(page, "ward.hassle", ward_study(more))
    expect(page.locator("header .file")).to_contain_text("ward")
    expect(page.locator("nav .count")).to_be_visible()


def open_rooms(page: Page) -> None:
    drop(page, "rooms.csv", rooms_csv())
    expect(page.locator("header .file")).to_contain_text("rooms.csv")


def go(page: Page, name: str) -> None:
    page.get_by_role("navigation").get_by_role("link", name=re.compile(f"^{name}")).click()


def open_rule(page: Page, words: str) -> None:
    go(page, "Rules")
    page.get_by_role("button", name=re.compile(re.escape(words))).click()


def plan(page: Page) -> None:
    go(page, "Plan")
    expect(page.locator(".answer .value")).to_be_visible()


# Drop.


def test_a_dropped_table_is_recognised_at_once(page: Page):
    open_rooms(page)
    expect(page.get_by_role("row", name=re.compile("^standup"))).to_contain_text("small, large")
    expect(page.locator(".facts")).to_contain_text("48 rows")
    expect(page.get_by_label("What chairs is")).to_have_value("number")
    expect(page.get_by_label("The part of label")).to_have_value("label")


def test_the_bundled_ward_shows_its_dimensions(page: Page, shared: Studio, open_page: Callable[..., Page]):
    open_ward(page)
    expect(page.get_by_role("list", name="Dimensions")).to_contain_text("6 nurses ana, ben")
    page.get_by_role("button", name="Show all 60 columns").click()
    expect(page.locator("table.columns tbody tr")).to_have_count(60)


def test_a_click_changes_what_a_column_is(page: Page):
    open_rooms(page)
    page.get_by_label("What chairs is").select_option("choice")
    expect(page.get_by_role("row", name=re.compile("^chairs"))).to_contain_text("2, 3")
    page.get_by_label("The part of party").select_option("ignored")
    expect(page.get_by_role("row", name=re.compile("^party"))).to_have_class(re.compile("ignored"))
    go(page, "Plan")
    expect(page.get_by_role("table", name="Decisions")).to_contain_text("standup")
    expect(page.get_by_role("table", name="Decisions")).not_to_contain_text("party")
    go(page, "History")
    expect(page.locator(".history")).to_contain_text("party: left out")


def test_a_column_that_is_given_becomes_the_situation(page: Page):
    open_rooms(page)
    page.get_by_label("The part of day").select_option("given")
    expect(page.locator(".facts")).to_contain_text("2 situations")
    go(page, "Plan")
    expect(page.get_by_role("row", name=re.compile("^day given"))).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("^day busy: in the plan, fixed"))).to_be_visible()


def test_a_label_of_another_name_is_chosen_by_a_click(page: Page):
    drop(page, "rooms.csv", rooms_csv().replace("label", "quality"))
    expect(page.get_by_role("alert").first).to_contain_text("no column says which plans were good")
    page.get_by_label("The part of quality").select_option("label")
    expect(page.locator(".facts")).to_contain_text("18 good, 30 bad")


def test_a_table_of_good_plans_alone_is_enough(page: Page):
    good = [line.rpartition(",")[0] for line in rooms_csv().splitlines() if not line.endswith("bad")]
    drop(page, "good.csv", "\n".join(good))
    page.get_by_role("button", name="Every row is a good plan").click()
    expect(page.locator(".facts")).to_contain_text("18 good, 0 bad")


def test_what_is_wrong_is_said_beside_the_cell(page: Page):
    lines = rooms_csv().splitlines()
    lines[3] = lines[3].replace(",yes,", ",maybe,")
    drop(page, "rooms.csv", "\n".join(lines))
    row = page.get_by_role("row", name=re.compile("^party"))
    expect(row).to_contain_text("line 4")
    expect(row.locator(".cell.wrong")).to_have_text("maybe")
    expect(page.get_by_role("row", name=re.compile("^standup"))).to_contain_text("small, large")
    page.get_by_role("button", name="Leave out party").click()
    expect(page.locator(".problem")).to_have_count(0)


def test_files_that_are_no_tables_are_refused_in_one_line(page: Page):
    open_ward(page)
    for name, content, said in (
        ("nothing.csv", b"", "is empty"),
        ("picture.csv", b"\x89PNG\r\n\x00\x00", "UTF-8"),
        ("old.hassle", b'{"format": "hassle-study", "version": 99}', "version 99"),
        ("broken.xlsx", b"PK\x03\x04 no workbook", "Excel"),
    ):
        drop(page, name, content)
        expect(page.locator("#toast")).to_contain_text(said)
        expect(page.locator("header .file")).to_contain_text("ward")
    open_rooms(page)
    expect(page.locator("#toast")).to_be_hidden()


def test_an_excel_file_is_read(page: Page):
    drop(page, "machines.xlsx", (EXAMPLES / "machines.xlsx").read_bytes())
    expect(page.locator("header .file")).to_contain_text("machines.xlsx")
    expect(page.get_by_label("The sheet")).to_have_value("Shifts")
    expect(page.get_by_role("row", name=re.compile("^orders"))).to_be_visible()
    page.get_by_label("The sheet").select_option("Notes")
    expect(page.get_by_role("row", name=re.compile("^orders"))).to_have_count(0)


def test_hostile_names_are_only_ever_text(page: Page, tmp_path: Path):
    table = (
        rooms_csv().replace("standup", f'"{HOSTILE.replace(chr(34), chr(34) * 2)}"').replace("review", "=1+1\x1b[31m")
    )
    drop(page, f"{HOSTILE}.csv", table.replace("small", "<img src=x onerror=alert(1)>"))
    expect(page.get_by_role("row").filter(has_text=HOSTILE)).to_be_visible()
    expect(page.locator("header .file")).to_contain_text("script>.csv")
    for view in ("Rules", "Plan", "History", "Take away", "Data"):
        go(page, view)
    assert page.locator("script, img").count() == 1
    assert page.title() != "broken"


# Learn.


def test_rules_appear_while_the_search_goes_on_and_can_be_stopped_and_continued(page: Page):
    open_rooms(page)
    go(page, "Rules")
    expect(page.locator(".rule").first).to_be_visible()
    page.get_by_role("button", name="Continue learning").click()
    page.get_by_role("main").get_by_role("button", name="Stop").click()
    expect(page.get_by_role("button", name="Continue learning")).to_be_visible()


def test_a_rule_opens_with_what_speaks_for_it_and_against_it(page: Page):
    open_ward(page)
    open_rule(page, "at most 1 shift")
    expect(page.locator(".details")).to_contain_text("What it forbids")
    expect(page.locator(".details")).to_contain_text("153 of 153")


def test_rules_are_pinned_and_forbidden_and_allowed_again(page: Page):
    open_ward(page)
    open_rule(page, "at most 1 shift")
    page.get_by_role("button", name="Pin", exact=True).click()
    expect(page.locator(".rule.pinned")).to_have_count(1)
    page.get_by_role("button", name="Let go").click()
    expect(page.locator(".rule.pinned")).to_have_count(0)
    page.get_by_role("button", name="Forbid").click()
    expect(page.get_by_role("region", name="Forbidden rules")).to_contain_text("at most 1 shift")
    page.get_by_role("button", name="Allow again").click()
    expect(page.get_by_role("region", name="Forbidden rules")).to_have_count(0)


def test_a_rule_is_made_a_wish_and_a_must_again(page: Page):
    open_ward(page)
    wishes = page.get_by_role("region", name="Wishes")
    open_rule(page, "at most 1 shift")
    page.get_by_role("button", name="Make it a wish").click()
    expect(wishes).to_contain_text("at most 1 shift")
    page.get_by_role("button", name="Make it a must").click()
    expect(page.get_by_role("region", name="Must hold")).to_contain_text("at most 1 shift")


def test_a_rule_is_edited_in_the_rule_language(page: Page):
    open_ward(page)
    open_rule(page, "for every day: at least 2 nurses on early")
    page.get_by_role("button", name="Edit").click()
    field = page.get_by_label("The rule, in words that hassle reads")
    field.fill("must for every day: at least 2 of workz[*, day, early]")
    field.press("Enter")
    expect(page.locator(".panel .problem")).to_contain_text("workz")
    field.fill("must for every day: at least 1 of works[*, day, early]")
    field.press("Enter")
    expect(page.locator(".rule.pinned")).to_contain_text("at least 1 nurse on early")
    expect(page.get_by_role("region", name="Forbidden rules")).to_contain_text("at least 2 nurses on early")


def test_a_rule_of_ones_own_is_written(page: Page):
    open_ward(page)
    go(page, "Rules")
    field = page.get_by_label(re.compile("^Write"))
    field.fill("never on sundays")
    field.press("Enter")
    expect(page.locator("#write-problem")).to_contain_text("begin with 'must' or with a weight")
    field.fill("must !ana_mon_early | ben_mon_early")
    field.press("Enter")
    expect(page.locator(".rule.pinned")).to_contain_text("if ana_mon_early then ben_mon_early")
    expect(field).to_have_value("")


def test_a_reload_in_the_middle_of_learning_loses_nothing(page: Page):
    open_rooms(page)
    go(page, "Rules")
    page.reload()
    expect(page.locator(".rule").first).to_be_visible()
    expect(page.get_by_role("button", name="Continue learning")).to_be_visible()
    expect(page.locator("header .file")).to_contain_text("rooms.csv")


# Plan.


def test_the_best_plan_appears_for_a_situation_set_by_clicks(page: Page):
    open_ward(page)
    plan(page)
    page.get_by_role("button", name="ben", exact=True).click()
    expect(page.get_by_role("button", name=re.compile("^ben, .*: not in the plan, ruled out"))).to_have_count(10)
    page.get_by_role("button", name=re.compile("^dan, mon, early")).click()
    page.get_by_role("button", name=re.compile("^dan, mon, early")).click()
    expect(page.get_by_role("button", name="dan, mon, early: in the plan, fixed")).to_be_visible()


def test_what_had_to_give_is_said_and_other_plans_are_as_good(page: Page):
    open_ward(page)
    plan(page)
    page.get_by_role("button", name="dan", exact=True).click()
    expect(page.locator(".gave li").first).to_be_visible()
    page.get_by_role("button", name="Another as good").click()
    expect(page.get_by_role("heading", name="Best plan 2 of 2")).to_be_visible()
    page.get_by_role("button", name="Previous").click()
    expect(page.get_by_role("heading", name="Best plan 1 of 2")).to_be_visible()


def test_where_no_plan_is_possible_the_rule_in_the_way_is_named(page: Page):
    open_ward(page)
    plan(page)
    for nurse in ("ana", "ben", "carla", "dan", "eva"):
        page.get_by_role("button", name=nurse, exact=True).click()
    expect(page.get_by_role("heading", name="No plan keeps all rules here")).to_be_visible()


def test_why_not_this_says_which_rule_breaks(page: Page):
    open_ward(page)
    plan(page)
    page.get_by_text("Change the plan").click()
    for mark in ("ana, mon, early", "ana, mon, night"):
        button = page.get_by_role("button", name=re.compile(f"^{mark}"))
        if button.get_attribute("aria-pressed") == "false":
            button.click()
    expect(page.locator(".broken")).to_contain_text("at most 1 shift")
    page.get_by_role("button", name="Back to the best plan").click()
    expect(page.get_by_role("heading", name="The best plan")).to_be_visible()


def test_a_situation_can_be_written_and_a_wrong_one_is_told(page: Page):
    open_ward(page)
    plan(page)
    field = page.get_by_label("What else holds, as a formula")
    field.fill("at least 2 of anna_mon_early, ben_mon_early, dan_mon_early")
    field.press("Enter")
    expect(page.locator(".answer .problem")).to_contain_text("anna_mon_early")
    field.fill("ana_mon_early & !ana_tue_early")
    field.press("Enter")
    expect(page.get_by_role("button", name="ana, mon, early: in the plan")).to_be_visible()


# Judge.


def test_a_plan_is_judged_and_learning_goes_on(page: Page):
    open_ward(page)
    plan(page)
    page.get_by_role("button", name="Bad").click()
    expect(page.locator(".answer")).to_contain_text("learning goes on")
    go(page, "History")
    expect(page.locator(".history .now, .history")).to_contain_text(["Judged bad"])


def test_from_a_file_to_a_corrected_plan_in_hand_takes_at_most_ten_clicks(page: Page, tmp_path: Path):
    clicks = 0

    def click(locator) -> None:
        nonlocal clicks
        clicks += 1
        locator.click()

    open_rooms(page)  # dropped: one
    clicks += 1
    expect(page.locator("nav .count")).to_be_visible()
    click(page.get_by_role("link", name=re.compile("^Plan")))
    expect(page.locator(".answer .value")).to_be_visible()
    click(page.get_by_role("button", name=re.compile("^day quiet")))  # ruled out
    expect(page.get_by_role("button", name=re.compile("^day busy: in the plan"))).to_be_visible()
    click(page.get_by_text("Change the plan"))
    click(page.get_by_role("button", name=re.compile("^chairs 2")))
    click(page.get_by_role("button", name=re.compile("^standup small")))
    expect(page.get_by_role("button", name="This one")).to_be_enabled()
    click(page.get_by_role("button", name="This one"))
    expect(page.locator(".answer")).to_contain_text("learning goes on")
    click(page.get_by_role("link", name="Take away"))
    with page.expect_download() as waiting:
        click(page.get_by_role("button", name="CSV"))
    waiting.value.save_as(tmp_path / "plan.csv")
    assert clicks <= 10
    cells = dict(line.split(",") for line in (tmp_path / "plan.csv").read_text("utf-8-sig").splitlines())
    assert (cells["day"], cells["chairs"], cells["standup"]) == ("busy", "2", "small")


def test_questions_are_answered_by_a_key(page: Page):
    drop(page, "rooms.hassle", rooms_study())
    expect(page.locator("nav .count")).to_be_visible()
    go(page, "Questions")
    page.get_by_role("button", name="Ask me").click()
    expect(page.get_by_role("region", name="Question 1")).to_be_visible()
    unknown = page.get_by_role("button", name=re.compile("I don't know"))
    page.keyboard.press(unknown.locator("kbd").inner_text())
    expect(page.get_by_role("region", name="Question 2")).to_be_visible()
    page.keyboard.press("1")
    expect(page.get_by_role("region", name="Question 3").or_(page.get_by_text("No more questions"))).to_be_visible()
    go(page, "History")
    expect(page.locator(".history li")).to_have_count(4)
    expect(page.locator(".history .now")).to_contain_text("Answered")


# History.


def test_every_step_can_be_undone_and_redone_and_has_a_note(page: Page):
    open_ward(page)
    open_rule(page, "at most 1 shift")
    page.get_by_role("button", name="Forbid").click()
    expect(page.get_by_role("region", name="Forbidden rules")).to_be_visible()
    go(page, "History")
    now = page.locator(".history .now")
    page.locator(".history li").nth(1).get_by_role("button", name="Back to here").click()
    expect(now).to_contain_text("Learned")
    page.get_by_role("button", name="Redo").click()
    expect(now).to_contain_text("Forbidden")
    page.get_by_role("button", name="Undo").click()
    expect(now).to_contain_text("Learned")
    note = page.get_by_label("Note on step 1")
    note.fill("from the ward's own records")
    with page.expect_response(lambda response: response.url.endswith("do/note")):
        note.press("Tab")
    page.reload()
    expect(page.get_by_label("Note on step 1")).to_have_value("from the ward's own records")
    go(page, "Rules")
    expect(page.get_by_role("region", name="Forbidden rules")).to_have_count(0)


def test_the_back_button_goes_through_the_steps(page: Page):
    open_ward(page)
    go(page, "Rules")
    go(page, "Plan")
    page.go_back()
    expect(page.get_by_role("heading", name="What good plans have in common")).to_be_visible()
    page.go_forward()
    expect(page.get_by_role("heading", name="What if")).to_be_visible()


# Take away.


def test_plans_leave_as_csv_and_excel(page: Page, tmp_path: Path):
    import openpyxl

    open_ward(page)
    plan(page)
    go(page, "Take away")
    for label, ending in (("CSV", "csv"), ("Excel", "xlsx")):
        with page.expect_download() as waiting:
            page.get_by_role("button", name=label).click()
        assert waiting.value.suggested_filename == f"ward-plan.{ending}"
        waiting.value.save_as(tmp_path / f"plan.{ending}")
    lines = (tmp_path / "plan.csv").read_text("utf-8-sig").splitlines()
    assert lines[0] == "nurse,mon,tue,wed,thu,fri"
    sheet = openpyxl.load_workbook(tmp_path / "plan.xlsx").active
    assert [[cell or "" for cell in row] for row in sheet.values] == [line.split(",") for line in lines]


def test_models_leave_in_every_format_and_the_study_opens_again(page: Page, tmp_path: Path):
    from hassle.files import EXAMPLE_WRITERS, MODEL_EXPORTS, MODEL_WRITERS
    from hassle.studio import Study

    open_ward(page)
    go(page, "Take away")
    expect(page.locator(".files a").first).to_be_visible()  # the page is drawn by now
    offered = [link.get_attribute("href") for link in page.locator(".files a").all()]
    assert {f"take/model{ending}" for ending in MODEL_WRITERS | MODEL_EXPORTS} <= set(offered)
    assert {f"take/examples{ending}" for ending in EXAMPLE_WRITERS} <= set(offered)
    for file in ("model.json", "report.html", "rules.txt", "study.hassle"):
        with page.expect_download() as waiting:
            page.locator(f'a[href="take/{file}"]').click()
        waiting.value.save_as(tmp_path / file)
    assert len(Study.open(tmp_path / "study.hassle").rules) == 15
    assert "at most 1 shift" in (tmp_path / "report.html").read_text()
    go(page, "Data")
    drop(page, "again.hassle", (tmp_path / "study.hassle").read_bytes())
    expect(page.locator("nav .count")).to_have_text("15")


# Everywhere.


def test_two_tabs_show_the_same_study(page: Page, shared: Studio, open_page: Callable[..., Page]):
    open_ward(page)
    other = open_page(shared, page)
    go(other, "Rules")
    open_rule(page, "at most 1 shift")
    page.get_by_role("button", name="Forbid").click()
    expect(other.get_by_role("region", name="Forbidden rules")).to_contain_text("at most 1 shift")


def news(page: Page) -> None:
    """Something changes elsewhere, as in another tab, and the page has heard of it."""
    page.evaluate("""() => fetch("do/note", { method: "POST", body: '{"place": 1, "text": "news"}' })""")
    page.wait_for_timeout(500)


def test_news_disturb_nobody_who_is_about_to_click(page: Page):
    open_ward(page)
    go(page, "Rules")
    page.get_by_role("button", name=re.compile("at most 1 shift")).hover()
    page.mouse.down()
    news(page)
    page.mouse.up()
    expect(page.locator(".details")).to_be_visible()


def test_news_leave_lists_open_and_tables_where_they_were_scrolled(page: Page):
    open_ward(page)
    page.set_viewport_size({"width": 380, "height": 720})
    go(page, "Plan")
    expect(page.locator(".answer .value")).to_be_visible()
    page.evaluate(
        """() => { document.querySelector(".scroll").scrollLeft = 40; list = document.querySelector("select"); }"""
    )
    news(page)
    assert page.evaluate("list.isConnected && document.querySelector('.scroll').scrollLeft") == 40


def test_a_rule_that_goes_away_while_it_is_edited_takes_no_words_along(page: Page):
    open_ward(page)
    open_rule(page, "at most 1 shift")
    page.get_by_role("button", name="Edit").click()
    field = page.get_by_label("The rule, in words that hassle reads")
    field.fill("must for every day: at least 1 of works[*, day, night]")
    page.evaluate("""() => fetch("do/rule", { method: "POST", body: JSON.stringify(
        { rule: document.querySelector(".rule.open").dataset.rule, action: "forbid" }) })""")
    expect(page.get_by_role("region", name="The rule you are changing")).to_be_visible()
    expect(field).to_have_value("must for every day: at least 1 of works[*, day, night]")
    field.press("Enter")
    expect(page.locator(".rule.pinned")).to_contain_text("at least 1 nurse on night")
    expect(page.get_by_role("region", name="The rule you are changing")).to_have_count(0)


def test_what_was_set_for_some_columns_is_not_taken_for_others(page: Page):
    rows = [f"{a},{b},{c},{'good' if a != b else 'bad'}" for a in (0, 1) for b in (0, 1) for c in (0, 1)]
    drop(page, "t.csv", "\n".join(["first,second,third,label", *rows, *rows]))
    page.get_by_label("The part of first").select_option("ignored")
    expect(page.get_by_role("row", name=re.compile("^first"))).to_have_class(re.compile("ignored"))
    go(page, "Plan")
    page.get_by_role("button", name=re.compile("^second yes")).click()
    expect(page.get_by_role("button", name="second yes: not in the plan, ruled out")).to_be_visible()
    go(page, "Data")
    page.get_by_label("The part of second").select_option("ignored")
    expect(page.get_by_role("row", name=re.compile("^second"))).to_have_class(re.compile("ignored"))
    page.get_by_label("The part of first").select_option("decided")
    expect(page.get_by_role("row", name=re.compile("^first"))).to_have_class(re.compile("decided"))
    go(page, "Plan")
    expect(page.get_by_role("button", name=re.compile("^first yes"))).to_be_visible()
    expect(page.locator("table .mark.out")).to_have_count(0)


def test_a_corrected_file_can_be_chosen_again(page: Page, tmp_path: Path):
    file = tmp_path / "rooms.csv"
    file.write_text(rooms_csv().replace("label", "quality"))
    page.locator("input[type=file]").first.set_input_files(file)
    expect(page.get_by_role("alert").first).to_contain_text("no column says which plans were good")
    file.write_text(rooms_csv())
    page.locator("input[type=file]").first.set_input_files(file)
    expect(page.locator(".facts")).to_contain_text("18 good, 30 bad")


@pytest.mark.slow
def test_ten_tabs_on_one_study_answer_while_it_learns(open_page: Callable[..., Page], tmp_path: Path):
    studio = Studio(tmp_path, "--time-limit", "600")
    page = open_page(studio)
    page.get_by_role("button", name="Try the example ward").click()
    expect(page.locator("nav .count")).to_be_visible(timeout=60_000)  # the learning process loads first
    tabs = [page, *(open_page(studio, page) for _ in range(9))]
    for tab in tabs:
        tab.bring_to_front()  # a browser does not draw tabs that nobody sees
        go(tab, "Rules")
        expect(tab.locator(".rule").first).to_be_visible(timeout=5000)
        tab.locator(".rule .row").first.click()
        expect(tab.locator(".details")).to_be_visible(timeout=5000)
    expect(tabs[-1].locator("#learning")).to_be_visible()
    studio.end()


def test_everything_can_be_done_with_the_keyboard(page: Page):
    open_ward(page)
    page.get_by_role("navigation").get_by_role("link", name="Data").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="What good plans have in common")).to_be_visible()
    page.locator(".rule .row").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".details")).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(page.locator(".rule.pinned")).to_have_count(1)
    go(page, "Plan")
    expect(page.locator(".answer .value")).to_be_visible()
    page.locator('[data-place="0:0:0"]').focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="ben, mon, night: not in the plan, ruled out")).to_be_focused()
    page.keyboard.press("Delete")
    expect(page.get_by_role("button", name="ben, mon, early: not in the plan, ruled out")).to_be_visible()


def test_everything_has_a_name_for_screen_readers(page: Page):
    open_ward(page)
    nameless = """() => [...document.querySelectorAll("button, a, input, select, [role=img]")]
        .filter((each) => !(each.getAttribute("aria-label") || each.textContent.trim() || each.labels?.length))
        .map((each) => each.outerHTML)"""
    for view in ("Data", "Rules", "Plan", "History", "Take away"):
        go(page, view)
        expect(page.locator("h1")).to_have_count(1)
        assert page.evaluate(nameless) == []
    assert page.get_by_role("banner").count() == page.get_by_role("main").count() == 1


def test_a_narrow_window_needs_no_sideways_scrolling(page: Page):
    open_ward(page, "0.1 " + " | ".join(f"{nurse}_mon_early" for nurse in ("ana", "ben", "carla", "dan", "eva")) + "\n")
    page.set_viewport_size({"width": 380, "height": 720})
    for view in ("Data", "Rules", "Plan", "History", "Take away"):
        go(page, view)
        expect(page.locator("main h1")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), view


def test_dark_and_light_are_both_readable(shared: Studio, open_page: Callable[..., Page]):
    """The contrast of text to its background, by the formula of WCAG, is at least 4.5 for what is read."""
    for scheme in ("light", "dark"):
        page = open_page(shared, color_scheme=scheme)
        open_ward(page)
        open_rule(page, "at most 1 shift")
        page.get_by_role("button", name="Pin", exact=True).click()
        expect(page.locator(".rule.pinned")).to_have_count(1)
        page.get_by_role("button", name="Undo").click()
        for view in ("Rules", "Plan", "History", "Data"):
            go(page, view)
            page.mouse.move(0, 0)
            expect(page.locator("main h1")).to_be_visible()
            ratios = page.evaluate(CONTRAST)
            assert len(ratios) > 15
            assert min(ratios) >= 4.5, (scheme, view)


CONTRAST = """() => {
  const rgb = (text) => (text.match(/[\\d.]+/g) || []).map(Number);
  const linear = (v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  const light = (color) => [0.2126, 0.7152, 0.0722].reduce((sum, share, i) => sum + share * linear(color[i] / 255), 0);
  const under = (node) => {
    for (; node; node = node.parentElement) {
      const color = rgb(getComputedStyle(node).backgroundColor);
      if (color.length === 3 || color[3] === 1) return color;
    }
    return [255, 255, 255];
  };
  const seen = (node) => (node ? Number(getComputedStyle(node).opacity) * seen(node.parentElement) : 1);
  const reads = (node) => [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim());
  return [...document.querySelectorAll("main *, header *")]
    .filter((node) => node.offsetParent && !node.closest(":disabled") && reads(node))
    .map((node) => {
      const [back, share] = [under(node), seen(node)];
      const front = rgb(getComputedStyle(node).color).map((each, i) => share * each + (1 - share) * back[i]);
      const [a, b] = [light(front), light(back)];
      return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    });
}"""


def test_the_page_is_small_and_allows_no_script_but_its_own(page: Page, shared: Studio):
    sizes = []
    page.on("response", lambda response: sizes.append(int(response.headers.get("content-length", 0))))
    with page.expect_response(lambda response: response.url == shared.address) as waiting:
        page.reload()
    expect(page.locator("main")).not_to_contain_text("Opening")
    assert "script-src 'self'" in waiting.value.headers["content-security-policy"]
    assert len(sizes) > 5
    assert sum(sizes) <= 150_000
    page.evaluate("""() => { const bad = document.createElement("script");
        bad.textContent = "document.title = 'broken'"; document.body.append(bad); }""")
    assert page.title() != "broken"


def test_a_killed_studio_loses_nothing_that_is_a_second_old(open_page: Callable[..., Page], tmp_path: Path):
    studio = Studio(tmp_path, "--time-limit", "600")
    page = open_page(studio)
    open_ward(page)
    open_rule(page, "at most 1 shift")
    page.get_by_role("button", name="Pin", exact=True).click()
    expect(page.locator(".rule.pinned")).to_have_count(1)
    page.wait_for_timeout(1000)
    studio.kill()
    expect(page.get_by_role("alert").filter(has_text="has ended")).to_be_visible()
    page.goto("about:blank")
    (kept,) = tmp_path.glob("*.hassle")
    again = Studio(tmp_path, str(kept))
    other = open_page(again)
    go(other, "Rules")
    expect(other.locator(".rule.pinned")).to_have_count(1)
    assert Path(again.said["study"]) == kept
    again.end()


def test_a_closed_page_does_not_end_learning_and_a_closed_studio_does(open_page: Callable[..., Page], tmp_path: Path):
    import psutil

    studio = Studio(tmp_path, "--time-limit", "600")
    page = open_page(studio)
    open_rooms(page)
    go(page, "Rules")
    expect(page.locator(".rule").first).to_be_visible()
    page.close()
    learners = psutil.Process(studio.process.pid).children()
    assert len(learners) == 1
    again = open_page(studio)
    go(again, "Rules")
    expect(again.locator("#learning")).to_contain_text("rules so far")
    again.goto("about:blank")
    studio.kill()
    psutil.wait_procs(learners, 60)
    assert not any(process.is_running() for process in learners)


def test_two_studios_do_not_disturb_each_other(
    page: Page, open_page: Callable[..., Page], tmp_path: Path, shared: Studio
):
    (tmp_path / "rooms.csv").write_text(rooms_csv())
    other = Studio(tmp_path, "rooms.csv", "--port", str(shared.said["port"]), "--time-limit", "2")
    assert other.said["port"] != shared.said["port"]
    open_ward(page)
    there = open_page(other)
    expect(there.locator("header .file")).to_contain_text("rooms.csv")
    expect(page.locator("header .file")).to_contain_text("ward")
    same = Studio(tmp_path, other.said["study"])  # the same study once more: a copy
    assert same.said["study"] != other.said["study"]
    there.goto("about:blank")
    other.end()
    same.end()


def test_a_long_table_is_read_while_the_page_stays_alive(page: Page):
    drop(page, "long.csv", rooms_csv(600))
    expect(page.locator(".facts")).to_contain_text("9,600 rows")


def test_many_variables_with_long_names_fit(page: Page):
    """Two hundred variables with long names are shown, without sideways scrolling of the page."""
    names = [f"a_rather_long_name_of_a_person_{p}_day{d:02d}" for p in "abcdefghij" for d in range(20)]
    rows = [[str((i * 7 + k * 3) % 11 % 2) for k in range(len(names))] + [["good", "bad"][i % 2]] for i in range(12)]
    drop(page, "large.csv", "\n".join(",".join(row) for row in [[*names, "label"], *rows]))
    expect(page.locator("header .file")).to_contain_text("large.csv")
    go(page, "Rules")
    go(page, "Plan")
    expect(page.locator("table.plan tbody tr")).to_have_count(10)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.slow
def test_the_pictures_of_the_docs_can_be_made_again(browser: Browser, tmp_path: Path):
    from PIL import Image

    root = Path(__file__).parent.parent
    made = subprocess.run([sys.executable, root / "scripts" / "make_studio_images.py", tmp_path], capture_output=True)
    assert made.returncode == 0, made.stderr.decode()
    shown = set(re.findall(r"images/(studio-[a-z-]+\.png)", (root / "docs" / "studio.md").read_text()))
    assert len(shown) >= 5
    for name in shown:
        with Image.open(tmp_path / name) as new, Image.open(root / "docs" / "images" / name) as old:
            assert new.size == old.size
