"""Names of files, whatever the samples are called."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.reports.names import is_page_name, page_name, slug

IDS = st.text(st.characters(codec="utf-8"))


@given(IDS)
def test_a_name_is_safe_everywhere(sample: str) -> None:
    name = page_name(sample)
    assert is_page_name(name)
    assert name.isascii()
    assert len(name) <= 64
    assert name == name.lower()


@given(st.lists(IDS, unique=True))
def test_no_two_samples_share_a_name(samples: list[str]) -> None:
    assert len({page_name(sample) for sample in samples}) == len(samples)


@pytest.mark.parametrize(
    ("one", "other"),
    [("CD1", "cd1"), ("a/b", "a.b"), ("../etc/passwd", "etc passwd"), ("x" * 300, "x" * 301), ("\u00e9", "e\u0301")],
)
def test_ids_that_look_alike_have_names_of_their_own(one: str, other: str) -> None:
    assert page_name(one).casefold() != page_name(other).casefold()


@pytest.mark.parametrize(
    ("text", "shown"),
    [("10.1002/14651858.CD000370", "10-1002-14651858-cd000370"), ("../..", ""), ("Crème brûlée", "creme-brulee")],
)
def test_a_name_can_be_recognised(text: str, shown: str) -> None:
    assert slug(text) == shown


@pytest.mark.parametrize("name", ["index.html", "best-first.html", "notes-of-mine.html", "a-0123456789abcdef.txt"])
def test_other_files_are_no_pages(name: str) -> None:
    assert not is_page_name(name)
