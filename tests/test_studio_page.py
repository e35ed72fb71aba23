"""The studio's page in a real browser: every step that a planner takes, and what goes wrong on the way."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright
from studio_pages import QUIET, Studio, find_chromium, rooms_csv, ward_study

# Machines are busy and kernels may have to be compiled; no test measures time.
expect.set_options(timeout=120_000)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = find_chromium()
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=list(QUIET))
        yield running
        running.close()


@pytest.fixture(scope="session")
def shared(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    """One studio for the tests that only need some study: each opens its own in it."""
    studio = Studio(tmp_path_factory.mktemp("studio"), "--time-limit", "3")
    yield studio
    studio.end()


@pytest.fixture
def page(browser: Browser, shared: Studio) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1200, "height": 820}, accept_downloads=True)
    context.set_default_timeout(120_000)
    made = context.new_page()
    problems: list[str] = []
    foreign: list[str] = []
    made.on("pageerror", lambda error: problems.append(str(error)))
    made.on(
        "request",
        lambda request: None if request.url.startswith((shared.address, "blob:")) else foreign.append(request.url),
    )
    made.goto(shared.address)
    yield made
    context.close()
    assert not problems
    assert not foreign, "a request left the studio"


def drop(page: Page, name: str, content: str | bytes) -> None:
    body = content.encode() if isinstance(content, str) else content
    page.locator("input[type=file]").first.set_input_files({"name": name, "mimeType": "text/plain", "buffer": body})


def open_ward(page: Page) -> None:
    """A ward whose rules are known already, so that nothing need be learned first."""
    drop(page, "ward.hassle", ward_study())
    expect(page.locator("header .file")).to_contain_text("ward")
    page.get_by_role("link", name=re.compile("^Rules")).wait_for()


def go(page: Page, name: str) -> None:
    page.get_by_role("navigation").get_by_role("link", name=re.compile(f"^{name}")).click()


def test_a_dropped_table_is_recognised_at_once(page: Page):
    drop(page, "rooms.csv", rooms_csv())
    row = page.get_by_role("row", name=re.compile("^standup"))
    expect(row).to_contain_text("small, large")
    expect(page.locator(".facts")).to_contain_text("16 rows")
    expect(page.get_by_label("What chairs is")).to_have_value("number")
    expect(page.get_by_label("The part of label")).to_have_value("label")


def test_rules_appear_while_the_search_goes_on_and_can_be_stopped_and_continued(page: Page):
    page.get_by_role("button", name="Try the example ward").or_(page.locator("nav")).first.wait_for()
    drop(page, "rooms.csv", rooms_csv())
    page.get_by_role("link", name="See the rules").or_(
        page.get_by_role("link", name=re.compile("^Rules"))
    ).first.click()
    expect(page.locator(".rule").first).to_be_visible()
    expect(page.get_by_role("button", name="Continue learning")).to_be_visible()
    page.get_by_role("button", name="Continue learning").click()
    page.get_by_role("main").get_by_role("button", name="Stop").click()
    expect(page.get_by_role("button", name="Continue learning")).to_be_visible()


def test_a_rule_opens_with_what_speaks_for_it_and_against_it(page: Page):
    open_ward(page)
    go(page, "Rules")
    page.get_by_role("button", name=re.compile("at most 1 shift")).click()
    expect(page.locator(".details")).to_contain_text("What it forbids")
    expect(page.locator(".details")).to_contain_text("153 of 153")


def test_the_best_plan_appears_for_a_situation_set_by_clicks(page: Page):
    open_ward(page)
    go(page, "Plan")
    expect(page.locator(".answer")).to_contain_text("worth")
    on = page.get_by_role("button", name=re.compile("^ana, mon, .*in the plan$"))
    page.get_by_role("button", name="ana", exact=True).click()
    expect(page.get_by_role("button", name=re.compile("^ana, .*not in the plan, ruled out"))).to_have_count(10)
    expect(on.and_(page.get_by_role("button", pressed=True))).to_have_count(0)


def test_a_plan_can_be_taken_away(page: Page, tmp_path: Path):
    open_ward(page)
    go(page, "Plan")
    expect(page.locator(".answer")).to_contain_text("worth")
    go(page, "Take away")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="CSV").click()
    waiting.value.save_as(tmp_path / "plan.csv")
    lines = (tmp_path / "plan.csv").read_text("utf-8-sig").splitlines()
    assert lines[0] == "nurse,mon,tue,wed,thu,fri"
    assert len(lines) == 7
