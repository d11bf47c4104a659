"""What samples hold: the fields that a task reads, whatever corpus they come from.

Every loader turns the records of its format into these, so that what is wrong with a file is said when it is read.
From there on samples travel as plain dictionaries (`runs.many.Record`) with the same keys, all of them set.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, StringConstraints

from state.feedback import Weakness

Kind = Literal["journalism", "simplification", "feedback"]
"""What a task works on."""


def none_if_blank(value: Any) -> Any:
    """Files say in several ways that there is nothing: null, an empty string, a cell of blanks."""
    return None if isinstance(value, str) and not value.strip() else value


def _empty_if_none(value: Any) -> Any:
    return "" if value is None else value


Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Link = Annotated[str, StringConstraints(pattern=r"^(https?://\S+)?$")]
"""An address of the web, or nothing: a page that is served must not hold others, such as scripts."""


class Sample(BaseModel):
    """What every sample has. Corpora have further fields, which are passed over."""

    model_config = ConfigDict(frozen=True, extra="ignore", coerce_numbers_to_str=True)

    id: Text
    """Unique in its corpus."""
    corpus: Text
    """Name of the corpus, as the papers print it where they use it: eLife, PLOS, SCITech, Cochrane, ..."""


class JournalismSample(Sample):
    """A paper that an article is to be written about (LLM-CLBR)."""

    abstract: Text
    summary: Annotated[Text | None, BeforeValidator(none_if_blank)] = None
    """A plain summary by a person; null if the corpus has none."""
    title: Annotated[str, BeforeValidator(_empty_if_none)] = ""
    link: Annotated[Link, BeforeValidator(_empty_if_none)] = ""
    """To the paper, for people who judge the articles."""


class SimplificationSample(Sample):
    """A medical abstract that is to be rewritten in plain language (SoMS)."""

    source: Text
    """The technical abstract."""
    target: Text
    """The plain-language reference."""


class FeedbackSample(Sample):
    """A paragraph of a paper, and what a human reviewer criticised in it (SWIF2T)."""

    paper_id: Text
    paper: Text
    """The whole paper as Markdown."""
    paragraph: Text
    feedback: Text
    """The reviewer's words."""
    aspect: Annotated[Weakness | None, BeforeValidator(none_if_blank)] = None
    """Type of the weakness that the feedback is about; null if nobody labelled it."""
    link: Annotated[Link, BeforeValidator(_empty_if_none)] = ""
    """To the paper, for people who judge the comments; not to a page that shows its reviews."""
