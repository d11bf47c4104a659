"""One table of limits: how many items an agent may give, and how long its texts may be.

The prompts say these numbers, and the answers are checked against them: items beyond a number are left out, and a text
that is much longer than asked for is cut at the end of a sentence. Both are noted in the record of the call; neither is
a failure. The schema that is sent to the server bounds nothing, unless a model's settings say so (`schema_limits`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

KEY = "x-at-most"
"""Where the JSON schema of an answer names the limit of a field."""


class Limits(BaseModel):
    """Most items of a list, and most words of a text."""

    model_config = ConfigDict(extra="forbid")

    # Items.
    paragraphs: int = Field(40, ge=1, le=100, description="Paragraphs of an article or a simplified text.")
    terms: int = Field(40, ge=1, le=100, description="Technical terms that the reader notes.")
    advice: int = Field(15, ge=1, le=40, description="Pieces of advice of the editor.")
    improvements: int = Field(15, ge=1, le=40, description="Pieces of advice that the journalist says it follows.")
    rewrites: int = Field(20, ge=1, le=60, description="Copied sentences that are rewritten one by one (an aid).")
    questions: int = Field(10, ge=4, le=40, description="Questions of the layperson, and the expert's answers.")
    wordings: int = Field(20, ge=1, le=60, description="Simpler wordings that the language clarifier proposes.")
    redundancies: int = Field(12, ge=1, le=40, description="Parts that the redundancy checker quotes.")
    comments: int = Field(10, ge=1, le=40, description="Comments of the medical expert on a rewritten text.")
    weaknesses: int = Field(5, ge=1, le=20, description="Weaknesses that the detector lists.")
    # Words.
    title_words: int = Field(20, ge=5, le=60, description="Of a headline.")
    paragraph_words: int = Field(200, ge=20, le=600, description="Of a paragraph of an article or a simplified text.")
    quote_words: int = Field(40, ge=5, le=200, description="Of words that are quoted from a text.")
    note_words: int = Field(60, ge=5, le=300, description="Of a term, a question, a reason, or a short note.")
    advice_words: int = Field(120, ge=10, le=400, description="Of a piece of advice or of an explanation.")
    answer_words: int = Field(150, ge=20, le=600, description="Of an answer to a question.")
    review_words: int = Field(250, ge=20, le=800, description="Of a comment on a paragraph, and of an assessment.")


@dataclass(frozen=True)
class AtMost:
    """Marks a field of an answer with its limit: `Annotated[list[Term], AtMost("terms")]`."""

    limit: str
    """A field of `Limits`: of items for a list, of words for a text."""

    def __post_init__(self) -> None:
        if self.limit not in Limits.model_fields:
            raise ValueError(f"there is no limit {self.limit!r}")

    def __get_pydantic_json_schema__(self, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {**handler(core), KEY: self.limit}

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> CoreSchema:
        return handler(source)  # type: ignore[no-any-return]
