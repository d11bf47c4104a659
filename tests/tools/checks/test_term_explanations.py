"""Entries of a glossary against the abstract that their terms are from."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.checks.term_explanations import agrees

INHALERS = (Path(__file__).parents[3] / "examples" / "inhalers.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("term", "explanation"),
    [
        ("tesorterol", "Tesorterol is a medicine that opens the airways."),
        ("tesorterol", "A medicine that people breathe in to open their airways."),
        ("tesorterol", "Tesorterol causes less pneumonia than budesonide."),
        ("corticosteroids", "Corticosteroids are medicines that calm swelling. They can cause pneumonia."),
        ("pneumonia", "Pneumonia is an infection of the lungs."),
        ("trough forced expiratory volume", "The air that somebody can blow out in one second."),
        ("spirometry", "A test of how well the lungs work."),
    ],
)
def test_an_explanation_of_its_term_is_kept(term: str, explanation: str) -> None:
    assert agrees(term, explanation, INHALERS)


@pytest.mark.parametrize(
    ("term", "explanation"),
    [
        ("tesorterol", "Tesorterol is a corticosteroid that calms swelling."),
        ("tesorterol", "Tesorterol is a medicine that can cause pneumonia."),
        ("tesorterol", "Pneumonia is an infection of the lungs."),
        ("tesorterol", ""),
    ],
)
def test_what_the_source_says_otherwise_or_is_about_another_term_is_left_out(term: str, explanation: str) -> None:
    assert not agrees(term, explanation, INHALERS)
