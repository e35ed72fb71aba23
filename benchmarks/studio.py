"""How quick the studio is, in a real browser: the first rule after the drop, what-if, ten tabs, a long table, the page.

`large_what_if` is a question to a larger ward (10 nurses, 7 days, 3 shifts), without a browser around it.

    python benchmarks/studio.py

Prints one line of JSON. Warm: kernels are compiled and the learning process is loaded, as it is a few seconds after the
studio has opened. `worst_pause` is the longest time for which the page did not answer to a timer while it was busy.
"""

from __future__ import annotations

import json
import re
import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from playwright.sync_api import Page, expect, sync_playwright

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from studio_pages import QUIET, Studio, find_chromium, rooms_csv, ward_study

from hassle.generate.arranged import ward
from hassle.studio.layout import Items
from hassle.studio.planning import Situation, best_plan

WHAT_IFS, TABS, ROWS = 20, 10, 100_000
WATCH = """() => { window.worst = 0; let last = performance.now(); setInterval(() => { const now = performance.now();
    window.worst = Math.max(window.worst, now - last - 50); last = now; }, 50); }"""


def go(page: Page, name: str) -> None:
    page.get_by_role("navigation").get_by_role("link", name=re.compile(f"^{name}")).click()


def drop(page: Page, name: str, content: bytes) -> None:
    page.locator("input[type=file]").first.set_input_files({"name": name, "mimeType": "text/csv", "buffer": content})


def first_rule(page: Page) -> float:
    page.wait_for_timeout(8000)  # the learning process loads
    started = time.monotonic()
    page.get_by_role("button", name="Try the example ward").click()
    expect(page.locator("nav .count")).to_be_visible()
    return time.monotonic() - started


def ten_tabs(page: Page) -> tuple[float, float]:
    """While learning goes on: how long the slowest of ten tabs takes to load and show the rules, and to open a rule.

    Each is brought to the front first, as a person does: a browser does not draw tabs that nobody sees.
    """
    tabs = [page, *(page.context.new_page() for _ in range(TABS - 1))]
    loaded, opened = [], []
    for tab in tabs:
        started = time.monotonic()
        tab.bring_to_front()
        tab.goto(page.url)
        go(tab, "Rules")
        expect(tab.locator(".rule").first).to_be_visible()
        loaded.append(time.monotonic() - started)
    for tab in tabs:
        tab.bring_to_front()
        started = time.monotonic()
        tab.locator(".rule button.row").first.click()
        expect(tab.locator(".rule .details").first).to_be_visible()
        opened.append(time.monotonic() - started)
    if not page.locator("#learning").is_visible():
        raise SystemExit("learning had ended before all tabs had been tried")
    for tab in tabs[1:]:
        tab.close()
    page.bring_to_front()
    return max(loaded), max(opened)


def what_ifs(page: Page) -> list[float]:
    go(page, "Data")
    drop(page, "ward.hassle", ward_study())
    expect(page.locator(".status")).to_have_count(0)
    go(page, "Plan")
    expect(page.locator(".answer .value")).to_be_visible()
    taken = []
    for k in range(WHAT_IFS):
        mark = page.locator("button.mark").nth(3 * k)
        with page.expect_response(lambda response: response.url.endswith("do/plan")) as waiting:
            started = time.monotonic()
            mark.click()
        waiting.value.finished()
        taken.append(time.monotonic() - started)
    return taken


def large_what_ifs() -> list[float]:
    home = ward(10, 7, 3, np.random.default_rng(3))
    items = Items.of(home.truth.schema)
    rng = np.random.default_rng(1)
    taken = []
    for _ in range(WHAT_IFS):
        yes, no, also = items.of_context(home.situation(rng))
        started = time.monotonic()
        best_plan(home.truth, Situation(tuple(yes), tuple(no), also))
        taken.append(time.monotonic() - started)
    return taken


def long_table(page: Page) -> tuple[float, float]:
    go(page, "Data")
    page.evaluate(WATCH)
    started = time.monotonic()
    drop(page, "long.csv", rooms_csv(ROWS // 16).encode())
    expect(page.locator(".facts")).to_contain_text(f"{ROWS:,} rows")
    return time.monotonic() - started, page.evaluate("window.worst") / 1000


def main() -> None:
    expect.set_options(timeout=300_000)
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=list(QUIET))
        studio = Studio(Path(folder))
        context = browser.new_context()
        context.set_default_timeout(300_000)
        page = context.new_page()
        sizes: list[int] = []
        page.on("response", lambda response: sizes.append(int(response.headers.get("content-length", 0))))
        page.goto(studio.address)
        expect(page.get_by_role("heading", name="Drop a table")).to_be_visible()
        record = {"page_bytes": sum(sizes), "first_rule": first_rule(page)}
        record["slowest_tab_loaded"], record["slowest_rule_opened"] = ten_tabs(page)
        taken = what_ifs(page)
        record |= {"what_if_median": statistics.median(taken), "what_if_worst": max(taken)}
        taken = large_what_ifs()
        record |= {"large_what_if_median": statistics.median(taken), "large_what_if_worst": max(taken)}
        read, pause = long_table(page)
        record |= {"rows": ROWS, "read": read, "worst_pause": pause}
        studio.end()
        browser.close()
    print(json.dumps({key: round(value, 3) for key, value in record.items()}))


if __name__ == "__main__":
    main()
