"""Schemas of samples, and reading the files that samples come from.

Samples have the same fields whichever corpus they come from. Each format converts its records into samples and so
validates them when the file is read; after that, samples are plain dictionaries (`runs.jobs.Record`) with all fields of
the schema. Records are JSON Lines, a JSON list or CSV. The parts of a corpus, which releases name differently, are
called train, dev and test here.

Draftroom's own format is JSON Lines with the fields of the schema, one sample a line; `corpus` may be left out.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Generic, Literal, NamedTuple, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, StringConstraints, ValidationError

from runs.jobs import Record
from state.errors import InputError
from state.feedback import Weakness
from state.files import list_filled_lines, read_text
from state.settings import describe_validation_error

_Item = TypeVar("_Item")
_Model = TypeVar("_Model", bound=BaseModel)

SampleKind = Literal["journalism", "simplification", "feedback", "whole_paper"]


def convert_blank_to_none(value: Any) -> Any:
    """Return None for a blank string (files mark a missing value by null or a blank), else the value unchanged."""
    return None if isinstance(value, str) and not value.strip() else value


_BLANK_AS_NONE = BeforeValidator(convert_blank_to_none)
_NONE_AS_EMPTY = BeforeValidator(lambda value: "" if value is None else value)
NonEmptyText = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
# Only web addresses: Label Studio serves the links as HTML, and `javascript:` links would run there.
OptionalLink = Annotated[str, StringConstraints(pattern=r"^(https?://\S+)?$")]


class Sample(BaseModel):
    """Base of all samples, with their id and the name of their corpus; unknown fields of a record are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore", coerce_numbers_to_str=True)

    id: NonEmptyText
    """Unique in its corpus."""
    corpus: NonEmptyText
    """Name of the corpus as in the papers: eLife, PLOS, SCITech, Cochrane, ..."""


class JournalismSample(Sample):
    """A paper's abstract to write an article from, with a person's plain summary as reference, if any (LLM-CLBR)."""

    abstract: NonEmptyText
    summary: Annotated[NonEmptyText | None, _BLANK_AS_NONE] = None
    """Plain summary by a person; null if the corpus has none."""
    title: Annotated[str, _NONE_AS_EMPTY] = ""
    link: Annotated[OptionalLink, _NONE_AS_EMPTY] = ""
    """Link to the paper, for people who judge the articles."""


class SimplificationSample(Sample):
    """A medical abstract to rewrite in plain language, with a reference (SoMS)."""

    source: NonEmptyText
    """The technical abstract."""
    target: NonEmptyText
    """The plain-language reference."""


class FeedbackSample(Sample):
    """A paragraph of a paper, the paper, and a human reviewer's criticism as the reference (SWIF2T)."""

    paper_id: NonEmptyText
    paper: NonEmptyText
    """The whole paper as Markdown."""
    paragraph: NonEmptyText
    feedback: NonEmptyText
    """The reviewer's words."""
    aspect: Annotated[Weakness | None, _BLANK_AS_NONE] = None
    """Type of the weakness that the feedback is about; null if it is not labelled."""
    link: Annotated[OptionalLink, _NONE_AS_EMPTY] = ""
    """Link to the paper, for people who judge the comments; not to a page with its reviews."""


class ExpectedComment(BaseModel):
    """A comment of a corpus on a paper: the number of its paragraph, the words that it is about, and what it says."""

    model_config = ConfigDict(frozen=True)

    place: int
    quote: str
    comment: str


class WholePaperSample(Sample):
    """A paper with the comments that others made on it, and the places of its paragraphs."""

    paper_id: NonEmptyText
    title: str
    paper: NonEmptyText
    """The whole paper as Markdown."""
    places: dict[str, int]
    """Number of the corpus's paragraph by the id of each paragraph that Draftroom reads."""
    candidates: list[tuple[str, int]]
    """Ids and numbers of words of the paragraphs that a review without a screening would be about."""
    expected: list[ExpectedComment]
    reviews: str
    """The expected comments as one text."""


Part = Literal["train", "dev", "test"]
Split = Literal["train", "dev", "test", "all"]

# Names of the parts in the releases.
PART_NAMES: Final[dict[Part, tuple[str, ...]]] = {
    "train": ("train",),
    "dev": ("dev", "val", "valid", "validation"),
    "test": ("test",),
}
_ALL_PART_NAMES: Final = {name for names in PART_NAMES.values() for name in names}
# Papers of OpenAIReview's benchmark, which names no parts, by their `slug`. The other two are kept for a last
# measurement, so nothing may be developed on them.
_RELEASED_PARTS: Final = {
    "chaotic-balanced-state": "dev",
    "targeting-interventions-networks": "dev",
    "coset-codes": "test",
    "inference-molecular": "test",
}
_PUBLISHED_CORPORA: Final = ("SCITech", "eLife", "PLOS", "Cochrane", "SWIF2T")  # recognised in the names of files


class TrainDevSplit(NamedTuple, Generic[_Item]):
    """A corpus in two parts: items for training, and dev items about other papers."""

    train: list[_Item]
    dev: list[_Item]


class LocatedRecord(NamedTuple):
    """A record as it was read, with its place in the file."""

    where: str
    """Place for messages: "Line 3 of corpus.jsonl"."""
    record: Record


class RecordFormat(NamedTuple):
    """A format of files with a record for each sample: how to recognise and how to convert the records."""

    layout: str
    """Description of the format for messages."""
    fits: Callable[[Record], bool]
    """Returns whether a record has this format."""
    samples: Callable[[Sequence[LocatedRecord], Path], Sequence[Sample]]
    """Converts the records of a file into samples, leaving out unusable records."""


class FolderFormat(NamedTuple):
    """A format of folders whose files make samples only together: how to recognise and how to read a folder."""

    layout: str
    fits: Callable[[Path], bool]
    samples: Callable[[Path, Split], Sequence[Sample]]


def read_entries(path: Path) -> list[LocatedRecord]:
    """Read all records with their places: a CSV table with a header (.csv), a JSON list, or an object a line.

    Raises:
        InputError: The file cannot be read, is empty, or has other content.
    """
    text = read_text(path, "file of the corpus")
    parse = _parse_csv_rows if path.suffix.lower() == ".csv" else _parse_json_objects
    entries = parse(text, path)
    if not entries:
        raise InputError(f"{path} is empty; give a file with a record for each sample.", kind="empty_input")
    return entries


def validate_record(schema: type[_Model], where: str, values: Mapping[str, Any]) -> _Model:
    """Build the schema's model from a record, or raise an InputError that names the place and the invalid fields."""
    try:
        return schema.model_validate(values)
    except ValidationError as error:
        raise InputError(f"{where} cannot be used: {describe_validation_error(error)}.") from error


def join_sentences(text: object) -> object:
    """Join a list of sentences to a text, or normalise the spaces of a text; return other values as they are."""
    # Other values are left for the schema to reject.
    if isinstance(text, list) and all(isinstance(part, str) for part in text):
        text = " ".join(text)
    return " ".join(text.split()) if isinstance(text, str) else text


def convert_own_records(schema: type[Sample], entries: Sequence[LocatedRecord], path: Path) -> list[Sample]:
    """Convert records of Draftroom's own format into samples; `corpus` is by default derived from the file."""
    default = {"corpus": derive_corpus_name(path)}
    return [validate_record(schema, where, {**default, **record}) for where, record in entries]


def derive_corpus_name(path: Path) -> str:
    """Derive a corpus's name from its file or folder: `elife.jsonl` and `eLife/val.json` belong to eLife."""
    name = path.resolve().parent.name if path.stem in _ALL_PART_NAMES else path.stem
    return next((corpus for corpus in _PUBLISHED_CORPORA if corpus.lower() in name.lower()), name)


def _parse_json_objects(text: str, path: Path) -> list[LocatedRecord]:
    """Parse a JSON list of objects, or an object a line, into records with their places in `path`."""
    # A file named .json may hold JSON Lines or a JSON list; the first character distinguishes them.
    is_list = text.lstrip().startswith("[")
    unit, parts = ("file", [(0, text)]) if is_list else ("line", list_filled_lines(text.split("\n")))
    entries = []
    for line, part in parts:
        where = str(path) if is_list else f"Line {line} of {path}"
        try:
            parsed = json.loads(part)
        except (ValueError, RecursionError) as error:  # RecursionError: deeply nested lists
            raise InputError(f"{where} is no JSON ({error}); mend the {unit}.") from error
        for number, value in enumerate(parsed if is_list else [parsed], start=1):
            place = f"Record {number} of {path}" if is_list else where
            if not isinstance(value, dict):
                raise InputError(f"{place} is no JSON object; give an object for each sample.")
            entries.append(LocatedRecord(place, value))
    return entries


def _parse_csv_rows(text: str, path: Path) -> list[LocatedRecord]:
    """Parse a CSV table with a header into records with their places in `path`."""
    # The cells beyond the header need a name, or csv would put them under None.
    reader = csv.DictReader(io.StringIO(text, newline=""), restkey="")
    try:
        rows = list(reader)
    except csv.Error as error:
        raise InputError(f"{path} is no table that can be read ({error}); save it as CSV with a header.") from error
    return [LocatedRecord(f"Row {number} of {path}", row) for number, row in enumerate(rows, start=1)]


def normalize_split(name: str | None) -> Split:
    """Return the split (train, dev, test, all) that a name such as valid means, or dev for None; reject unknown names.

    Raises:
        InputError: The name is unknown.
    """
    if name == "all":
        return "all"
    for part, names in PART_NAMES.items():
        if (name or "dev") in names:
            return part
    raise InputError(f"There is no split {name!r}; choose one of {', '.join(PART_NAMES)}, all.")


def list_part_names(split: Split) -> list[str]:
    """List the names that releases give to the parts of a split, such as dev, val and valid."""
    return [name for part, names in PART_NAMES.items() if split in {part, "all"} for name in names]


def list_split_files(folder: Path, split: Split, suffixes: Sequence[str]) -> list[Path]:
    """List the files of a folder named after the parts of a split, such as `val.json`: at most one for each part."""
    found = []
    for part, names in PART_NAMES.items():
        if split in {part, "all"}:
            candidates = (folder / f"{name}{suffix}" for name in names for suffix in suffixes)
            found += [file for file in candidates if file.is_file()][:1]
    return found


def select_split(entries: Sequence[LocatedRecord], split: Split, path: Path) -> list[LocatedRecord]:
    """Return the records of a split by their field `split`, or all if no record names a known part.

    Raises:
        InputError: The file is divided and lacks this split.
    """
    named = [str(entry.record.get("split") or _RELEASED_PARTS.get(entry.record.get("slug", ""))) for entry in entries]
    parts = sorted(_ALL_PART_NAMES & set(named))
    if split == "all" or not parts:
        return list(entries)
    found = [entry for entry, part in zip(entries, named, strict=True) if part in list_part_names(split)]
    if not found:
        raise InputError(
            f"{path} has no records of the split {split!r}, only of {', '.join(parts)}; choose one of them."
        )
    return found
