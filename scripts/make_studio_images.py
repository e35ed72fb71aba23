"""Makes the pictures of docs/studio.md from a studio with the bundled ward, in the Chromium that is installed.

python scripts/make_studio_images.py [FOLDER]
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, expect, sync_playwright

ROOT = Path(__file__).parent.parent
IMAGES = ROOT / "docs" / "images"
sys.path.insert(0, str(ROOT / "tests"))

from studio_pages import QUIET, Studio, find_chromium, ward_study  # noqa: E402

SMALL_COLOURS = 128


def go(page: Page, name: str) -> None:
    page.get_by_role("navigation").get_by_role("link", name=re.compile(f"^{name}")).click()


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    expect.set_options(timeout=120_000)
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as kept:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=list(QUIET))
        studio = Studio(Path(kept))
        try:
            page = browser.new_page(viewport={"width": 1120, "height": 760})
            page.goto(studio.address)
            expect(page.get_by_role("heading", name="Drop a table")).to_be_visible()
            take(page, folder, "start")
            for scheme, name in (("light", ""), ("dark", "-dark")):
                page.emulate_media(color_scheme=scheme)
                pictures(page, folder, name)
            page.emulate_media(color_scheme="light")
            page.set_viewport_size({"width": 390, "height": 780})
            pictures(page, folder, "-narrow")
        finally:
            studio.end()
            browser.close()


# What the documents show; the others are for whoever changes the page to look at.
SHOWN = ("start", "data", "rules", "plan", "plan-dark", "plan-narrow", "take")


def pictures(page: Page, folder: Path, name: str) -> None:
    if page.get_by_role("navigation").count():
        go(page, "Data")
    study = {"name": "ward.hassle", "mimeType": "application/json", "buffer": ward_study()}
    page.locator("input[type=file]").first.set_input_files(study)
    expect(page.locator("nav .count")).to_be_visible()
    expect(page.locator("table.columns")).to_be_visible()
    take(page, folder, f"data{name}")
    go(page, "Rules")
    page.get_by_role("button", name=re.compile("at least 2 nurses on early")).click()
    expect(page.locator(".details")).to_be_visible()
    take(page, folder, f"rules{name}")
    page.get_by_role("button", name=re.compile("at least 2 nurses on early")).click()
    go(page, "Plan")
    expect(page.locator(".answer .value")).to_be_visible()
    page.get_by_text("Set the situation").click()
    page.get_by_role("button", name="ben", exact=True).click()
    expect(page.locator("button.mark.out")).to_have_count(10)
    expect(page.get_by_role("button", name="Another as good")).to_be_enabled()
    page.get_by_text("Change the plan").click()
    page.locator("button.mark.on").nth(3).click()
    expect(page.get_by_role("heading", name="Why not this?")).to_be_visible()
    take(page, folder, f"plan{name}")
    for view in ("History", "Take away"):
        go(page, view)
        take(page, folder, f"{view.split()[0].lower()}{name}")


def take(page: Page, folder: Path, name: str) -> None:
    """A picture, with few colours so that the file is small."""
    from PIL import Image

    if folder == IMAGES and name not in SHOWN:
        return
    page.mouse.move(0, 0)
    page.wait_for_timeout(300)
    path = folder / f"studio-{name}.png"
    page.screenshot(path=path)
    Image.open(path).convert("RGB").quantize(SMALL_COLOURS).save(path, optimize=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else IMAGES)
