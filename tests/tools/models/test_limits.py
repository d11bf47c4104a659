"""Limits: an answer that is too long loses its end, on record, and is no failure."""

from __future__ import annotations

import json
from typing import Annotated, Any

from pydantic import BaseModel, Field

from state.model_settings import LengthLimit, Limits
from tools.models.ask import parse_answer
from tools.models.client import build_server_schema

LIMITS = Limits(terms=2, note_words=5)


class Term(BaseModel):
    term: Annotated[str, LengthLimit("note_words")]


class Notes(BaseModel):
    terms: Annotated[list[Term], LengthLimit("terms")] = Field(description="the terms")
    remarks: list[Annotated[str, LengthLimit("note_words")]] = []


def read(**answer: Any) -> tuple[Any, list[str]]:
    completion: Any = {"text": json.dumps(answer), "finish_reason": "stop", "output_tokens": 9}
    value, notes = parse_answer(completion, Notes, LIMITS)
    return value.model_dump(), notes


def test_what_keeps_to_the_limits_stays_as_it_is() -> None:
    answer = {"terms": [{"term": "one two three four five. " * 3}], "remarks": ["short"]}
    assert read(**answer) == (answer, [])


def test_items_beyond_the_limit_are_left_out_with_a_note() -> None:
    kept, notes = read(terms=[{"term": str(n)} for n in range(5)])
    assert [item["term"] for item in kept["terms"]] == ["0", "1"]
    assert notes == ["5 terms, of which the first 2 were kept"]


def test_a_text_that_is_much_longer_is_cut_at_a_sentence() -> None:
    kept, notes = read(terms=[{"term": "One two three. " * 6}])
    assert kept["terms"][0]["term"] == " ".join(["One two three."] * 5)
    assert notes == ["term of 18 words, cut to 15"]


def test_an_abbreviation_does_not_end_a_sentence() -> None:
    text = (
        "Mosses grow well in shade. They did so, as Green et al. have shown in Fig. 2 and Dr. Moss, e.g. in bogs, saw."
    )
    kept, _ = read(terms=[{"term": text}])
    assert kept["terms"][0]["term"] == "Mosses grow well in shade."


def test_without_a_sentence_it_is_cut_at_a_word() -> None:
    kept, _ = read(terms=[], remarks=["word " * 40])
    assert kept["remarks"] == [" ".join(["word"] * 15)]


def test_a_schema_bounds_nothing_unless_it_is_to() -> None:
    text = str(build_server_schema(Notes, LIMITS, bounded=False))
    assert "maxItems" not in text
    assert "maxLength" not in text
    assert "at-most" not in text
