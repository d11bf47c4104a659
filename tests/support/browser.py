"""Chromium, for tests that look at a page; `pytest -m browser` runs them, and Chromium must be installed."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

WIDE, PHONE = (1300, 900), (390, 800)
NewPage = Callable[..., "Page"]

_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
_ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """Chromium for a module's tests.

    Playwright's event loop runs until they end, and in an event loop nothing of ours may read or write a file: fixtures
    that write pages are of a module too, and are named before this one.
    """
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - needed by these tests only

    found = next(filter(None, map(shutil.which, _NAMES)), None)
    assert found, f"Chromium is not installed: none of {', '.join(_NAMES)} is on the path"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=_ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def new_page(chromium: Browser) -> Iterator[NewPage]:
    """Opens an empty page in a window of some size, in the light or in the dark."""
    contexts = []

    def open_page(size: tuple[int, int] = WIDE, scheme: str = "light") -> Page:
        width, height = size
        contexts.append(chromium.new_context(viewport={"width": width, "height": height}, color_scheme=scheme))
        return contexts[-1].new_page()

    yield open_page
    for context in contexts:
        context.close()


def scrolls_sideways(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth > innerWidth"))


def unfold_all(page: Page) -> None:
    for summary in page.locator("summary").all():
        if summary.is_visible():
            summary.click()


def box(element: Locator) -> dict[str, float]:
    """Edges of an element that is shown."""
    found = element.bounding_box()
    assert found, "it is not shown"
    return {
        "top": found["y"],
        "bottom": found["y"] + found["height"],
        "left": found["x"],
        "right": found["x"] + found["width"],
    }


def contrast(one: Sequence[int], other: Sequence[int]) -> float:
    """Contrast of two colours, from 1 to 21 (WCAG 2.2, 1.4.3)."""
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: Sequence[int]) -> float:
    """Relative luminance of red, green and blue from 0 to 255 (WCAG 2.2)."""
    parts = [part / 255 for part in colour]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
