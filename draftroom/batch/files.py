"""Files of a batch: the papers that it reads, and the folder that it writes.

Papers are found in files, folders, glob patterns and tables. They are yielded one by one and can be iterated again, so
a table of any length takes no memory. The folder holds:

batch.json          command, settings and formats
papers.jsonl        papers with their ids, which name the result files
results.jsonl       a row for each paper that has ended, appended at once
checkpoints.sqlite  checkpoints of the papers under way
ID.md  ID.json      results of each paper in the requested formats
"""

from __future__ import annotations

import csv
import glob
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID, uuid4

from filelock import FileLock, Timeout

from draftroom.files import read_run_input, read_run_input_bytes
from runs.jobs import Record, iterate_results, parse_json_line
from runs.record import RunInput
from state.errors import InputError, SettingsError, StateError
from state.settings import Scope
from tools.documents.reading import FORMATS, MAX_BYTES

PAPER_SUFFIXES = {*FORMATS, ".txt", ".text"}  # of the files that are taken from a folder
_TABLE_FIELDS = ("id", "doi", "path", "text")
_MAX_NAME_CHARS = 80
_MAX_LISTED_SETTINGS = 5  # differing settings that an error names
_IGNORED_DIFFERENCES = ("batch", "version")  # a newer version of Draftroom may continue a batch
# A paper with one of these ids would overwrite the files above.
_RESERVED_NAMES = ("batch", "papers", "results", "checkpoints")


class NamedPaper(NamedTuple):
    """Tuple that names a paper of a batch, which is not read yet: its file, or its text in a table."""

    origin: str
    """Path of its file; for a text in a table, the table's path and the paper's id there."""
    name: str
    """Its id, or the name of its file without the suffix."""
    path: str
    """Path of its file; empty for a text in a table."""
    text: str = ""

    def read_input(self, *, scope: Scope, max_pages: int) -> RunInput:
        """Read the paper's file or text, store it, and return a run's input with its part `scope`; this blocks."""
        if self.path:
            return read_run_input(self.path, scope=scope, max_pages=max_pages)
        data = self.text.encode(errors="surrogatepass")  # a lone surrogate is then refused as invalid UTF-8
        return {**read_run_input_bytes(data, f"{self.name}.txt", scope=scope, max_pages=max_pages), "name": self.name}


def iterate_papers(named: Sequence[str], apart: Path) -> Iterator[NamedPaper]:
    """Yield each paper once, not read yet, in the order of the arguments; the files of a folder by name.

    Args:
        named: Files, folders, patterns such as `papers/**/*.pdf`, and tables (.jsonl, .csv).
        apart: Folder of results, whose files are left out.

    Raises:
        InputError: A file does not exist, an argument holds no paper, or a row of a table names none.
    """
    seen = set[str]()
    for name in named:
        found = 0
        for paper in _expand_name(name, apart.resolve()):
            found += 1
            if paper.origin not in seen:
                seen.add(paper.origin)
                yield paper
        if not found:
            kinds = ", ".join(sorted(PAPER_SUFFIXES))
            raise InputError(
                f"There is no paper in {name!r}; name files, or a folder with {kinds}.", kind="empty_input"
            )


def _expand_name(name: str, apart: Path) -> Iterator[NamedPaper]:
    """Yield the papers of one argument: a folder, table, file or pattern; files of the folder `apart` are left out."""
    path = Path(name).expanduser()
    if path.is_dir():
        named = (file for file in path.rglob("*") if file.suffix.lower() in PAPER_SUFFIXES and not _is_side_file(file))
        files = (file for file in named if file.is_file())
        shown = (file for file in files if not any(part.startswith(".") for part in file.relative_to(path).parts))
        yield from map(_make_file_paper, sorted(file for file in shown if not file.resolve().is_relative_to(apart)))
    elif path.suffix.lower() in _TABLE_READERS and path.is_file():
        yield from _read_table_papers(path)
    elif path.exists():
        yield _make_file_paper(path)
    elif glob.has_magic(name):
        matches = sorted(Path(match) for match in glob.glob(str(path), recursive=True))  # noqa: PTH207 - takes a whole path
        yield from map(_make_file_paper, (match for match in matches if match.is_file() and not _is_side_file(match)))
    else:
        raise InputError(f"There is no file {name!r}; check its name.", kind="missing_file")


def _is_side_file(path: Path) -> bool:
    """Return whether a program keeps this file beside papers for itself, as Word keeps `~$draft.docx`."""
    return path.name.startswith((".", "~")) or path.name.endswith("~") or path.name in ("Thumbs.db", "desktop.ini")


def _make_file_paper(path: Path) -> NamedPaper:
    """Name the paper of a file, by its absolute path and its name without the suffix."""
    return NamedPaper(str(path.resolve()), path.stem, str(path.resolve()))


def _read_table_papers(path: Path) -> Iterator[NamedPaper]:
    """Yield the papers of a table with `text` or `path` (relative to the table), and optionally `id` or `doi`."""
    ids = set[str]()
    for number, row in enumerate(_TABLE_READERS[path.suffix.lower()](path), start=1):
        where = f"Row {number} of {path}"
        fields = {name: str(row.get(name) or "").strip() for name in _TABLE_FIELDS}
        if not fields["path"] and not fields["text"]:
            raise InputError(f"{where} names no paper; give it `text`, or `path` with the name of a file.")
        file = str((path.parent / Path(fields["path"]).expanduser()).resolve()) if fields["path"] else ""
        identity = fields["id"] or fields["doi"] or (Path(file).stem if file else f"{path.stem}-{number}")
        if identity in ids and (fields["id"] or fields["doi"]):
            raise InputError(f"{where} has the id {identity!r}, as a row before; give each paper its own.")
        ids.add(identity)
        yield NamedPaper(file or f"{path.resolve()}#{identity}", identity, file, "" if file else fields["text"])


def _read_json_rows(path: Path) -> Iterator[Mapping[str, Any]]:
    """Yield the objects of a JSON Lines file; InputError names a line that holds no object."""
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                row: Any = parse_json_line(line, f"Line {number} of {path}")
                if not isinstance(row, dict):
                    raise InputError(f"Line {number} of {path} is no JSON object; give it `text` or `path`.")
                yield row


def _read_csv_rows(path: Path) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of a CSV table as dictionaries by column; InputError if it is no CSV in UTF-8."""
    # A field may hold a paper's text. The limit holds for the whole process, so it is reset afterwards.
    before = csv.field_size_limit(MAX_BYTES)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            yield from csv.DictReader(file)
    except (csv.Error, UnicodeDecodeError) as error:
        raise InputError(f"{path} is no CSV table in UTF-8 ({error}); save it as one.") from error
    finally:
        csv.field_size_limit(before)


_TABLE_READERS = {".jsonl": _read_json_rows, ".csv": _read_csv_rows}


class BatchFolder:
    """Paths and files of a batch; `hold_lock` creates the folder, and nothing is written before."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.table = path / "results.jsonl"
        self.checkpoints = f"sqlite:///{path.absolute() / 'checkpoints.sqlite'}"
        self._asked = path / "batch.json"
        self._papers = path / "papers.jsonl"

    @contextmanager
    def hold_lock(self) -> Iterator[None]:
        """Context manager that creates and locks the folder; StateError if it is locked or cannot be written."""
        lock = FileLock(self.path / ".lock")
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            lock.acquire(blocking=False)
        except Timeout as error:
            raise StateError(
                f"Another process works in {self.path}; wait for it, or choose another folder with --out.",
                kind="run_busy",
            ) from error
        except OSError as error:
            raise StateError(
                f"The results cannot be kept in {self.path} ({error.strerror}); choose another folder with --out.",
                kind="output_unwritable",
            ) from error
        try:
            yield
        finally:
            lock.release()

    def open_batch(self, asked: Mapping[str, Any]) -> UUID:
        """Return the id of the folder's batch, or begin one in an empty folder; SettingsError if `asked` differs.

        Args:
            asked: Command, settings and formats as plain values; only `version` may change.

        Raises:
            InputError: `batch.json` is damaged.
            SettingsError: The folder holds a batch with other settings, or other files.
        """
        if self._asked.exists():
            try:
                on_record = json.loads(self._asked.read_bytes())
            except ValueError as error:
                raise InputError(f"{self._asked} is damaged ({error}); choose another folder with --out.") from error
            identity = UUID(on_record["batch"])
            # Through JSON, which turns tuples into lists as on record.
            there, now = _flatten_values(on_record), _flatten_values(json.loads(json.dumps(asked)))
            different = [name for name in {**there, **now} if there.get(name) != now.get(name)]
            if names := [name for name in different if name not in _IGNORED_DIFFERENCES]:
                listed = " and ".join(name.removeprefix("settings.") for name in names[:_MAX_LISTED_SETTINGS])
                listed += f" and {len(names) - _MAX_LISTED_SETTINGS} more" if len(names) > _MAX_LISTED_SETTINGS else ""
                raise SettingsError(
                    f"{self.path} holds a batch with another {listed}: choose another folder with --out, "
                    "or ask for the same as then."
                )
        elif any(path.name != ".lock" for path in self.path.iterdir()):
            raise SettingsError(
                f"{self.path} holds other files and no batch; choose an empty or a new folder with --out."
            )
        else:
            identity = uuid4()
            described = json.dumps({"batch": str(identity), **asked}, ensure_ascii=False, indent=2)
            self.write_file(self._asked.name, f"{described}\n")
        return identity

    def assign_ids(self, papers: Iterable[NamedPaper]) -> dict[str, str]:
        """Return the id of each paper by its origin, and save new ids; an id is the name, numbered if it is taken."""
        known = {paper["from"]: paper["id"] for paper in iterate_results(self._papers)}
        before, taken = len(known), {*_RESERVED_NAMES, *(identity.casefold() for identity in known.values())}
        times, wanted = dict[str, int](), dict[str, str]()
        for paper in papers:
            if paper.origin not in known:
                # Letters, digits and few signs, which are valid in file names on every system.
                name = re.sub(r"[^\w.-]+", "_", paper.name).strip("._-")[:_MAX_NAME_CHARS] or "paper"
                identity = name
                # Some file systems do not tell capitals from small letters.
                while identity.casefold() in taken:
                    times[name] = times.get(name, 1) + 1
                    identity = f"{name}-{times[name]}"
                taken.add(identity.casefold())
                known[paper.origin] = identity
            wanted[paper.origin] = known[paper.origin]
        if len(known) > before:
            lines = (json.dumps({"id": identity, "from": origin}) + "\n" for origin, identity in known.items())
            self.write_file(self._papers.name, "".join(lines))
        return wanted

    def write_file(self, name: str, result: str | bytes) -> None:
        """Write a file of this name into the folder, atomically."""
        # Not `state.files.write_atomically`, whose files only the user may read.
        unfinished = self.path / f".{name}.tmp"
        unfinished.write_bytes(result.encode() if isinstance(result, str) else result)
        unfinished.replace(self.path / name)

    def compact_results(self) -> list[Record]:
        """Keep only each paper's newest row in the table, in the order of the papers; return these rows."""
        newest = {row["id"]: row for row in iterate_results(self.table)}
        rows = [newest[paper["id"]] for paper in iterate_results(self._papers) if paper["id"] in newest]
        self.write_file(self.table.name, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
        return rows


def _flatten_values(values: Mapping[str, Any], above: str = "") -> dict[str, Any]:
    """Return nested values as one dictionary with dotted names, each after `above`, which ends with a dot."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        found |= _flatten_values(value, f"{above}{name}.") if isinstance(value, dict) else {f"{above}{name}": value}
    return found
