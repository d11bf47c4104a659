"""What samples hold, and the files that they are read from.

A sample has the fields that a task reads, whatever corpus it comes from. Each format turns its records into samples, so
that what is wrong with a file is said when it is read; from there on samples travel as plain dictionaries
(`runs.many.Record`) with the same keys, all of them set. Records are JSON Lines, a JSON list or CSV. The releases name
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

from runs.many import Record
from state.errors import BadInput
from state.feedback import Weakness
from state.files import filled_lines, read_text
from state.settings import describe

_Model = TypeVar("_Model", bound=BaseModel)

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


Part = Literal["train", "dev", "test"]
Split = Literal["train", "dev", "test", "all"]

PARTS: Final[dict[Part, tuple[str, ...]]] = {
    "train": ("train",),
    "dev": ("dev", "val", "valid", "validation"),
    "test": ("test",),
}
"""Names of each part in the releases."""

_PART_NAMES: Final = {name for names in PARTS.values() for name in names}


_CORPORA: Final = ("SCITech", "eLife", "PLOS", "Cochrane", "SWIF2T")
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
        entries = _rows(text, path)
    elif text.lstrip().startswith("["):
        entries = _listed(text, path)
    else:
        entries = [_object(line, f"Line {number} of {path}") for number, line in filled_lines(text.split("\n"))]
    if not entries:
        raise BadInput(f"{path} is empty; give a file with a record for each sample.", kind="empty_input")
    return entries


def checked(schema: type[_Model], where: str, values: Mapping[str, Any]) -> _Model:
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
        raise BadInput(f"{where} cannot be used: {describe(error)}.") from error


def in_one(text: object) -> object:
    """Sentences as one text with single spaces; what is no text is left as it is, for the schema to refuse."""
    if isinstance(text, list) and all(isinstance(part, str) for part in text):
        text = " ".join(text)
    return " ".join(text.split()) if isinstance(text, str) else text


def has_fields(fields: set[str], record: Record) -> bool:
    """Whether a record has all of some fields."""
    return fields <= record.keys()


def own_samples(schema: type[Sample], entries: Sequence[LocatedRecord], path: Path) -> list[Sample]:
    """Samples of Draftroom's own format; those that name no corpus are of one with the name of the file."""
    default = {"corpus": corpus_name(path)}
    return [checked(schema, where, {**default, **record}) for where, record in entries]


def corpus_name(path: Path) -> str:
    """The corpus that a file belongs to, by its name, or by that of its folder if the file is named for a part of it.

    `elife.jsonl` and `eLife/val.json` are of eLife; a file with a name that says nothing is a corpus of that name.
    """
    name = path.resolve().parent.name if path.stem in _PART_NAMES else path.stem
    return next((corpus for corpus in _CORPORA if corpus.lower() in name.lower()), name)


def _object(line: str, where: str) -> LocatedRecord:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{where} is no JSON ({error}); mend the line.") from error
    return _entry(value, where)


def _listed(text: str, path: Path) -> list[LocatedRecord]:
    try:
        values = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path} is no JSON ({error}); mend the file.") from error
    return [_entry(value, f"Record {number} of {path}") for number, value in enumerate(values, start=1)]


def _entry(value: object, where: str) -> LocatedRecord:
    if not isinstance(value, dict):
        raise BadInput(f"{where} is no JSON object; give an object for each sample.")
    return LocatedRecord(where, value)


def _rows(text: str, path: Path) -> list[LocatedRecord]:
    reader = csv.DictReader(io.StringIO(text, newline=""))
    try:
        rows = list(reader)
    except csv.Error as error:
        raise BadInput(f"{path} is no table that can be read ({error}); save it as CSV with a header.") from error
    return [
        LocatedRecord(f"Row {number} of {path}", {name: value for name, value in row.items() if name is not None})
        for number, row in enumerate(rows, start=1)
    ]


def split_named(name: str | None) -> Split:
    """A split by any of its names; dev if none is named.

    Raises:
        BadInput: There is no such split.
    """
    if name == "all":
        return "all"
    for part, names in PARTS.items():
        if (name or "dev") in names:
            return part
    raise BadInput(f"There is no split {name!r}; choose one of {', '.join(PARTS)}, all.")


def parts_of(split: Split) -> list[tuple[str, ...]]:
    """The parts that are read, each by all its names."""
    return list(PARTS.values()) if split == "all" else [PARTS[split]]


def names_of(split: Split) -> list[str]:
    """All names of the parts that are read."""
    return [name for names in parts_of(split) for name in names]


def files_of(folder: Path, split: Split, suffixes: Sequence[str]) -> list[Path]:
    """Files of a folder that are named for the parts of a split, such as `val.json`, in the order of the parts."""
    found = []
    for names in parts_of(split):
        candidates = (folder / f"{name}{suffix}" for name in names for suffix in suffixes)
        found += [file for file in candidates if file.is_file()][:1]
    return found


def of_split(entries: Sequence[LocatedRecord], split: Split, path: Path) -> list[LocatedRecord]:
    """The records whose `split` is the one asked for.

    All of them if the file is not divided, that is, if no `split` in it is the name of a part. In a file that is
    divided, records that belong to no part are left out.

    Raises:
        BadInput: The file is divided and lacks this part.
    """
    parts = sorted(_PART_NAMES & {str(entry.record.get("split")) for entry in entries})
    if split == "all" or not parts:
        return list(entries)
    found = [entry for entry in entries if entry.record.get("split") in names_of(split)]
    if not found:
        raise BadInput(f"{path} has no records of the split {split!r}, only of {', '.join(parts)}; choose one of them.")
    return found
