"""Take a picture of the newest result of each system, as its HTML page shows it, for README.md and the tutorials.

python -m docs.take_pictures [RUN ...]
"""

from __future__ import annotations

import shutil
import sys
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from draftroom.systems import find_system
from runs.driver import read_state
from runs.record import RunRecord, all_records, find_record

PICTURES = Path(__file__).parent / "pictures"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
SIZE = {"width": 860, "height": 1040}
SIZES = {"focused_feedback": {"width": 1200, "height": 640}}
"""Comments stand beside their paragraphs where there is room."""
TO_THE_FIRST_NOTE = """() => {
  const comment = document.querySelector("#comment-1, .paragraph .computed");
  if (comment) scrollTo(0, comment.closest(".paragraph").offsetTop - 80);
}"""
COLOURS = 48
"""Of the palette; it keeps a picture well under 150 KB."""


def chosen(names: list[str]) -> dict[str, RunRecord]:
    """The runs called so, or else the newest finished ones, one a system."""
    records = [find_record(name) for name in names] or all_records().readable
    finished = [record for record in records if record["status"] == "done"]
    return {record["system"]: record for record in reversed(finished)}


def page_of(record: RunRecord) -> str:
    """The result of a run as HTML."""
    system = find_system(record["system"])
    page = system.rendering.formats[".html"](record, read_state(record, system.graph))
    return page if isinstance(page, str) else page.decode()


def smaller(png: bytes) -> Image.Image:
    """The picture with few colours."""
    return Image.open(BytesIO(png)).convert("RGB").quantize(COLOURS)


def main(names: list[str]) -> None:
    """Write docs/pictures/SYSTEM.png for each chosen run."""
    browser_path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if not browser_path:
        raise SystemExit(f"Install Chromium: none of {', '.join(BROWSERS)} is on the path.")
    pages = {system: page_of(record) for system, record in chosen(names).items()}
    if not pages:
        raise SystemExit("There is no finished run to take a picture of; `make demo` makes three.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
        page = browser.new_page()
        for system, html in pages.items():
            page.set_viewport_size(SIZES.get(system, SIZE))
            page.set_content(html)
            page.evaluate(TO_THE_FIRST_NOTE)
            smaller(page.screenshot()).save(PICTURES / f"{system}.png", optimize=True)
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
