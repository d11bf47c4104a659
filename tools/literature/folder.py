"""A local folder of papers: the default literature. Nothing leaves the machine.

An index says which of its papers were read, so that a file is read again only after its content has changed.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import stat
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from filelock import FileLock

from state.documents import Document, DocumentRef, Passage
from state.errors import BadInput
from state.files import write_atomically
from tools.documents.reading import FORMATS, unwritable
from tools.literature.full_text import Reader
from tools.literature.records import Hit, Notice, SearchResult
from tools.literature.url_guard import FetchError

Rank = Callable[[Sequence[Document], str, int], list[Passage]]
"""The best passages of these documents for a question, and how many are wanted: `tools.retrieval.search.search` with
its settings bound. Blocks, so it is called in a thread; ids begin with 12 digits of the document's hash."""

_NAME = "folder"
_PASSAGES_PER_HIT = 8  # so that a long paper with many alike passages does not push out all others


class _Paper(NamedTuple):
    path: Path
    document: Document


class Folder:
    """Ranks the papers of a folder by their best passage.

    Args:
        index: The papers, read as they change.
        rank: Finds passages.
    """

    name = _NAME

    def __init__(self, index: FolderIndex, rank: Rank) -> None:
        self._index = index
        self._rank = rank

    async def search(self, query: str, limit: int) -> SearchResult:
        """As `Provider` says; files that cannot be read are told in the notices."""
        return await asyncio.to_thread(self._search, query, limit)

    async def load(self, hit: Hit) -> Document:
        """The paper of a hit of this folder.

        Raises:
            FetchError: It is gone, or was never there.
        """
        path = Path(hit["address"])
        document = await asyncio.to_thread(self._index.document, path)
        if document is None:
            raise FetchError(str(path), "is no longer a paper of the folder that can be read")
        return document

    def _search(self, query: str, limit: int) -> SearchResult:
        if not self._index.folder.is_dir():
            raise FetchError(str(self._index.folder), "is no folder; set `folder` to one with papers")
        papers, notices = dict[str, _Paper](), list[Notice]()
        for path in self._index.files():
            entry = self._index.entry(path)
            document = self._index.load(entry)
            if document is None:
                notices.append(Notice(provider=_NAME, message=f"{path} was left out: {entry.problem}"))
            elif document["paragraphs"]:
                papers.setdefault(document["sha256"][:12], _Paper(path, document))
        documents = [paper.document for paper in papers.values()]
        passages = self._rank(documents, query, limit * _PASSAGES_PER_HIT) if documents else []
        order = dict.fromkeys(passage["id"].partition(":")[0] for passage in passages)
        return SearchResult([_hit(papers[key]) for key in order if key in papers][:limit], notices)


def _hit(paper: _Paper) -> Hit:
    path, document = paper
    return Hit(
        provider=_NAME,
        title=document["title"] or path.stem,
        authors=[],
        year=0,
        abstract=document["abstract"],
        address=str(path),
        pdf_address="",
        identifiers=[],
    )


SUFFIXES = frozenset({*FORMATS, ".txt"})
_LARGEST = 50_000_000  # bytes, as for the paper under review


class IndexedFile(NamedTuple):
    """What is known of a file."""

    mtime_ns: int
    size: int
    sha256: str
    ref: DocumentRef | None
    """None if it cannot be read."""
    problem: str
    """Why it cannot; empty if it can."""
    version: int = 0
    """Of the reader."""


class FolderIndex:
    """The papers of a folder and its subfolders; blocks, so it is used in a thread.

    Args:
        folder: Where the papers are.
        reader: Reads them.
        store: Folder for what is known of each file, one small file each.
    """

    def __init__(self, folder: Path, reader: Reader, store: Path) -> None:
        self.folder = folder.expanduser().absolute()
        self._reader = reader
        self._store = store

    def files(self) -> list[Path]:
        """All papers by their suffix, in the order of their paths; hidden files and folders are passed over."""
        found = list[Path]()
        for place, folders, names in os.walk(self.folder):
            folders[:] = [name for name in folders if not name.startswith(".")]
            paths = (Path(place, name) for name in names if not name.startswith("."))
            found.extend(path for path in paths if path.suffix.lower() in SUFFIXES)
        return sorted(found)

    def entry(self, path: Path) -> IndexedFile:
        """What is known of a file; it is read if it is new or has changed.

        Raises:
            StateError: The state folder cannot be written.
        """
        record = self._store / f"{hashlib.sha256(str(path).encode()).hexdigest()}.json"
        known = self._known(record)
        try:
            status = path.stat()
            if problem := _problem(status):
                return IndexedFile(status.st_mtime_ns, status.st_size, "", None, problem)
            if known and (known.mtime_ns, known.size) == (status.st_mtime_ns, status.st_size):
                return known
            data = path.read_bytes()
        except OSError as error:
            return IndexedFile(0, 0, "", None, f"it cannot be opened ({error.strerror})")
        return self._update(path, data, status, record)

    def document(self, path: Path) -> Document | None:
        """The paper in a file of this folder; None if it is not one that can be read."""
        return self.load(self.entry(path)) if path in self.files() else None

    def load(self, entry: IndexedFile) -> Document | None:
        """The paper of an entry, without the places of its words."""
        return _load(self._reader, json.dumps(entry.ref)) if entry.ref else None

    def _update(self, path: Path, data: bytes, status: os.stat_result, record: Path) -> IndexedFile:
        try:
            self._store.mkdir(parents=True, exist_ok=True)
            with FileLock(self._store / "index.lock"):  # branches of a run that ask together read a paper once
                entry = self._fresh(path, data, status, self._known(record))
                write_atomically(record, json.dumps(entry._asdict()).encode())
                return entry
        except OSError as error:
            raise unwritable(self._store, error) from error

    def _known(self, record: Path) -> IndexedFile | None:
        """The stored entry, unless it is damaged, of another reader, or of a paper gone from the state folder."""
        try:
            entry = IndexedFile(**json.loads(record.read_bytes()))
            there = entry.ref is None or Path(entry.ref["path"]).exists()
        except (OSError, ValueError, TypeError, KeyError):
            return None
        return entry if there and entry.version == self._reader.version else None

    def _fresh(self, path: Path, data: bytes, status: os.stat_result, known: IndexedFile | None) -> IndexedFile:
        sha256 = hashlib.sha256(data).hexdigest()
        entry = IndexedFile(status.st_mtime_ns, status.st_size, sha256, None, "", self._reader.version)
        if known and known.sha256 == sha256:
            return entry._replace(ref=known.ref, problem=known.problem)
        try:
            return entry._replace(ref=self._reader.read(data, name=path.name, source=str(path)))
        except BadInput as error:
            return entry._replace(problem=str(error))


def _problem(status: os.stat_result) -> str:
    if not stat.S_ISREG(status.st_mode):
        return "it is no regular file"
    return f"it is larger than {_LARGEST // 1_000_000} MB" if status.st_size > _LARGEST else ""


@lru_cache(maxsize=1000)
def _load(reader: Reader, ref: str) -> Document:
    """Kept in memory, for every question asks for all papers; the places of words, most of it, are for rendering."""
    document = reader.load(json.loads(ref))
    paragraphs = [{**paragraph, "words": []} for paragraph in document["paragraphs"]]
    return Document(**{**document, "paragraphs": paragraphs})  # type: ignore[typeddict-item]
