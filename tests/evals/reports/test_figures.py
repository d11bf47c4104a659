"""Figures: what is drawn, that the same data gives the same bytes, and that any name of a corpus can be drawn."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from evals.reports.document import Picture
from evals.reports.report import draw_figures
from tests.support.tea_task import run, sample, usual_texts


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> list[Picture]:
    """What is drawn of the usual texts."""
    return draw_figures(run(tmp_path_factory.mktemp("run"), usual_texts()))


def test_the_papers_figure_is_drawn(usual: list[Picture]) -> None:
    assert [(each.name, each.title) for each in usual] == [("figure-1", "Figure 1, Tea")]
    for picture in usual:
        assert ET.fromstring(picture.svg).tag == "{http://www.w3.org/2000/svg}svg"


def test_what_was_not_run_is_not_drawn(tmp_path: Path) -> None:
    assert draw_figures(run(tmp_path / "none", {})) == []


def test_one_sample_and_corpora_with_strange_names_can_be_drawn(tmp_path: Path) -> None:
    samples = [sample("s", corpus="a $ <b> --> é"), sample("t", corpus="茶")]
    pictures = draw_figures(run(tmp_path, usual_texts(2), samples=samples))
    assert len({picture.name for picture in pictures}) == len(pictures) == 2
    assert b"<b>" not in b"".join(picture.svg for picture in pictures)
