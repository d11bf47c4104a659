"""Talks to the page's part of the server as a browser does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
from langgraph_sdk import get_sync_client

if TYPE_CHECKING:
    from playwright.sync_api import Page

EXAMPLES = Path(__file__).parents[2] / "examples"
MOSSES = EXAMPLES / "mosses.md"
SEEDLINGS = EXAMPLES / "seedlings.pdf"
ABSTRACT = (
    "Background: Inhaled steroids may cause pneumonia. Methods: We treated 24 adults with budesonide 400 mcg twice "
    "daily for three months. Results: Two adults had pneumonia. Conclusion: The risk was not raised."
)


def begin(page: httpx.Client, verb: str, paper: Path = MOSSES, section: str = "", **settings: Any) -> dict[str, str]:
    """Drop a paper and begin a run; its id, thread and attempt."""
    form = {"verb": verb, "settings": json.dumps(settings), "section": section}
    answer = page.post("/runs", data=form, files={"file": (paper.name, paper.read_bytes())})
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


def begin_simplification(page: httpx.Client, abstract: str = ABSTRACT) -> dict[str, str]:
    """Paste an abstract and begin a run with one entry into one loop."""
    form = {"verb": "simplify", "settings": json.dumps({"loops": ["layperson"], "entries": 1}), "text": abstract}
    answer = page.post("/runs", data=form)
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


def to_its_end(page: httpx.Client, begun: dict[str, str]) -> dict[str, Any]:
    """Follow an attempt as the page does, until it is over; the run as it is then."""
    with get_sync_client(url=str(page.base_url).removesuffix("/page/api/"), api_key=None) as client:
        for _ in client.runs.join_stream(begun["thread"], begun["run"], stream_mode=["custom", "updates"]):
            pass
    return settled(page, begun["id"])


def settled(page: httpx.Client, run_id: str) -> dict[str, Any]:
    """A run once its record is written, which the server does right after the stream has ended."""
    while (run := look(page, run_id))["run"]:
        pass
    return run


def look(page: httpx.Client, run_id: str) -> dict[str, Any]:
    """A run as the page is told of it."""
    answer = page.get(f"/runs/{run_id}")
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def problem(answer: httpx.Response) -> str:
    """The sentence of an answer that refuses."""
    assert answer.status_code >= 400, answer.text
    return str(answer.json()["error"]["message"])


def go(shown: Page, run: str) -> None:
    """Open a run in the browser."""
    shown.goto(f"{shown.url.partition('#')[0]}#/run/{run}")
