"""What samples hold, and the files that they are read from.

A sample has the fields that a task reads, whatever corpus it comes from. Each format turns its records into samples, so
that what is wrong with a file is said when it is read; from there on samples travel as plain dictionaries
(`runs.jobs.Record`) with the same keys, all of them set. Records are JSON Lines, a JSON list or CSV. The releases name
the parts of a corpus differently; here they are train, dev and test.

Draftroom's own format is JSON Lines with the fields of the schema, one sample a line; `corpus` may be left out.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, StringConstraints, ValidationError

from runs.jobs import Record
from state.errors import InputError
from state.feedback import Weakness
from state.files import list_filled_lines, read_text
from state.settings import describe_validation_error

_Model = TypeVar("_Model", bound=BaseModel)

SampleKind = Literal["journalism", "simplification", "feedback"]
"""What a task works on."""


def convert_blank_to_none(value: Any) -> Any:
    """Files say in several ways that there is nothing: null, an empty string, a cell of blanks."""
    return None if isinstance(value, str) and not value.strip() else value


def _convert_none_to_empty(value: Any) -> Any:
    return "" if value is None else value


NonEmptyText = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
OptionalLink = Annotated[str, StringConstraints(pattern=r"^(https?://\S+)?$")]
"""An address of the web, or nothing: a page that is served must not hold others, such as scripts."""


class Sample(BaseModel):
    """What every sample has. Corpora have further fields, which are passed over."""

    model_config = ConfigDict(frozen=True, extra="ignore", coerce_numbers_to_str=True)

    id: NonEmptyText
    """Unique in its corpus."""
    corpus: NonEmptyText
    """Name of the corpus, as the papers print it where they use it: eLife, PLOS, SCITech, Cochrane, ..."""


class JournalismSample(Sample):
    """A paper that an article is to be written about (LLM-CLBR)."""

    abstract: NonEmptyText
    summary: Annotated[NonEmptyText | None, BeforeValidator(convert_blank_to_none)] = None
    """A plain summary by a person; null if the corpus has none."""
    title: Annotated[str, BeforeValidator(_convert_none_to_empty)] = ""
    link: Annotated[OptionalLink, BeforeValidator(_convert_none_to_empty)] = ""
    """To the paper, for people who judge the articles."""


class SimplificationSample(Sample):
    """A medical abstract that is to be rewritten in plain language (SoMS)."""

    source: NonEmptyText
    """The technical abstract."""
    target: NonEmptyText
    """The plain-language reference."""


class FeedbackSample(Sample):
    """A paragraph of a paper, and what a human reviewer criticised in it (SWIF2T)."""

    paper_id: NonEmptyText
    paper: NonEmptyText
    """The whole paper as Markdown."""
    paragraph: NonEmptyText
    feedback: NonEmptyText
    """The reviewer's words."""
    aspect: Annotated[Weakness | None, BeforeValidator(convert_blank_to_none)] = None
    """Type of the weakness that the feedback is about; null if nobody labelled it."""
    link: Annotated[OptionalLink, BeforeValidator(_convert_none_to_empty)] = ""
    """To the paper, for people who judge the comments; not to a page that shows its reviews."""


Part = Literal["train", "dev", "test"]
Split = Literal["train", "dev", "test", "all"]

PART_NAMES: Final[dict[Part, tuple[str, ...]]] = {
    "train": ("train",),
    "dev": ("dev", "val", "valid", "validation"),
    "test": ("test",),
}
"""Names of each part in the releases."""

_ALL_PART_NAMES: Final = {name for names in PART_NAMES.values() for name in names}


_PUBLISHED_CORPORA: Final = ("SCITech", "eLife", "PLOS", "Cochrane", "SWIF2T")
"""Published corpora, which are known by the names of their files."""


class LocatedRecord(NamedTuple):
    """A record of a file, and where it stands there."""

    where: str
    """For messages: "Line 3 of corpus.jsonl"."""
    record: Record


class RecordFormat(NamedTuple):
    """A file with a record for each sample."""

    layout: str
    """What it looks like, for messages."""
    fits: Callable[[Record], bool]
    """Whether a record is one of this format."""
    samples: Callable[[Sequence[LocatedRecord], Path], Sequence[Sample]]
    """The samples of the records of a file; records that are none are left out."""


class FolderFormat(NamedTuple):
    """A folder of files that only together make samples."""

    layout: str
    fits: Callable[[Path], bool]
    samples: Callable[[Path, Split], Sequence[Sample]]


def read_entries(path: Path) -> list[LocatedRecord]:
    """Read all records of a file.

    Args:
        path: A table with a header if its name ends in .csv; else a JSON list of objects, or one object a line. Empty
            lines are passed over.

    Raises:
        BadInput: The file cannot be read, holds no record, or something else than records.
    """
    text = read_text(path, "file of the corpus")
    if path.suffix.lower() == ".csv":
        entries = _parse_csv_rows(text, path)
    elif text.lstrip().startswith("["):
        entries = _parse_json_list(text, path)
    else:
        entries = [
            _parse_json_line(line, f"Line {number} of {path}") for number, line in list_filled_lines(text.split("\n"))
        ]
    if not entries:
        raise InputError(f"{path} is empty; give a file with a record for each sample.", kind="empty_input")
    return entries


def validate_record(schema: type[_Model], where: str, values: Mapping[str, Any]) -> _Model:
    """Values as a `schema`.

    Args:
        schema: What they must be.
        where: They stand, for the message.
        values: Read from a file.

    Raises:
        BadInput: They do not fit; says which of them.
    """
    try:
        return schema.model_validate(values)
    except ValidationError as error:
        raise InputError(f"{where} cannot be used: {describe_validation_error(error)}.") from error


def join_sentences(text: object) -> object:
    """Sentences as one text with single spaces; what is no text is left as it is, for the schema to refuse."""
    if isinstance(text, list) and all(isinstance(part, str) for part in text):
        text = " ".join(text)
    return " ".join(text.split()) if isinstance(text, str) else text


def has_fields(fields: set[str], record: Record) -> bool:
    """Whether a record has all of some fields."""
    return fields <= record.keys()


def convert_own_records(schema: type[Sample], entries: Sequence[LocatedRecord], path: Path) -> list[Sample]:
    """Samples of Draftroom's own format; those that name no corpus are of one with the name of the file."""
    default = {"corpus": derive_corpus_name(path)}
    return [validate_record(schema, where, {**default, **record}) for where, record in entries]


def derive_corpus_name(path: Path) -> str:
    """The corpus that a file belongs to, by its name, or by that of its folder if the file is named for a part of it.

    `elife.jsonl` and `eLife/val.json` are of eLife; a file with a name that says nothing is a corpus of that name.
    """
    name = path.resolve().parent.name if path.stem in _ALL_PART_NAMES else path.stem
    return next((corpus for corpus in _PUBLISHED_CORPORA if corpus.lower() in name.lower()), name)


def _parse_json_line(line: str, where: str) -> LocatedRecord:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where} is no JSON ({error}); mend the line.") from error
    return _require_json_object(value, where)


def _parse_json_list(text: str, path: Path) -> list[LocatedRecord]:
    try:
        values = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is no JSON ({error}); mend the file.") from error
    return [_require_json_object(value, f"Record {number} of {path}") for number, value in enumerate(values, start=1)]


def _require_json_object(value: object, where: str) -> LocatedRecord:
    if not isinstance(value, dict):
        raise InputError(f"{where} is no JSON object; give an object for each sample.")
    return LocatedRecord(where, value)


def _parse_csv_rows(text: str, path: Path) -> list[LocatedRecord]:
    reader = csv.DictReader(io.StringIO(text, newline=""))
    try:
        rows = list(reader)
    except csv.Error as error:
        raise InputError(f"{path} is no table that can be read ({error}); save it as CSV with a header.") from error
    return [
        LocatedRecord(f"Row {number} of {path}", {name: value for name, value in row.items() if name is not None})
        for number, row in enumerate(rows, start=1)
    ]


def normalize_split(name: str | None) -> Split:
    """A split by any of its names; dev if none is named.

    Raises:
        BadInput: There is no such split.
    """
    if name == "all":
        return "all"
    for part, names in PART_NAMES.items():
        if (name or "dev") in names:
            return part
    raise InputError(f"There is no split {name!r}; choose one of {', '.join(PART_NAMES)}, all.")


def list_parts(split: Split) -> list[tuple[str, ...]]:
    """The parts that are read, each by all its names."""
    return list(PART_NAMES.values()) if split == "all" else [PART_NAMES[split]]


def list_part_names(split: Split) -> list[str]:
    """All names of the parts that are read."""
    return [name for names in list_parts(split) for name in names]


def list_split_files(folder: Path, split: Split, suffixes: Sequence[str]) -> list[Path]:
    """Files of a folder that are named for the parts of a split, such as `val.json`, in the order of the parts."""
    found = []
    for names in list_parts(split):
        candidates = (folder / f"{name}{suffix}" for name in names for suffix in suffixes)
        found += [file for file in candidates if file.is_file()][:1]
    return found


def select_split(entries: Sequence[LocatedRecord], split: Split, path: Path) -> list[LocatedRecord]:
    """The records whose `split` is the one asked for.

    All of them if the file is not divided, that is, if no `split` in it is the name of a part. In a file that is
    divided, records that belong to no part are left out.

    Raises:
        BadInput: The file is divided and lacks this part.
    """
    parts = sorted(_ALL_PART_NAMES & {str(entry.record.get("split")) for entry in entries})
    if split == "all" or not parts:
        return list(entries)
    found = [entry for entry in entries if entry.record.get("split") in list_part_names(split)]
    if not found:
        raise InputError(
            f"{path} has no records of the split {split!r}, only of {', '.join(parts)}; choose one of them."
        )
    return found
