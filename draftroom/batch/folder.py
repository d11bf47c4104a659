"""Folder of a batch.

batch.json          command, settings and formats
papers.jsonl        papers with their ids, which name the result files
results.jsonl       a row for each paper that has ended, appended at once
checkpoints.sqlite  checkpoints of the papers under way
ID.md  ID.json      results of each paper in the requested formats
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from filelock import FileLock, Timeout

from draftroom.batch.papers import NamedPaper
from runs.jobs import Record, iterate_results
from state.errors import InputError, SettingsError, StateError

_MAX_NAME_CHARS = 80
_MAX_LISTED_SETTINGS = 5  # differing settings that an error names
_IGNORED_DIFFERENCES = ("batch", "version")  # a newer version of Draftroom may continue a batch
# A paper with one of these ids would overwrite the files above.
_RESERVED_NAMES = ("batch", "papers", "results", "checkpoints")


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
