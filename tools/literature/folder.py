"""Search a local folder of papers, which is the default literature; nothing leaves the machine."""

from __future__ import annotations

import asyncio
import os
import stat
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

from state.documents import Document, Passage
from state.errors import InputError
from tools.documents.reading import FORMATS, MAX_BYTES
from tools.literature.records import Hit, SearchResult
from tools.literature.url_guard import FetchError

# Reads a paper from its bytes, its file name (whose suffix gives the format) and its source; raises InputError if they
# are not a paper. Blocks, so it is called in a thread.
PaperReader = Callable[[bytes, str, str], Document]
# Returns the best passages of documents for a question, at most as many as asked for. Blocks, so it is called in a
# thread; ids begin with 12 digits of the document's hash.
PassageRanker = Callable[[Sequence[Document], str, int], list[Passage]]
SUFFIXES = frozenset({*FORMATS, ".txt"})
_PASSAGES_PER_HIT = 8  # so that a long paper with many similar passages does not push out all others
_read_lock = threading.Lock()  # so that parallel branches of a run read a paper once


@dataclass(frozen=True)
class FolderProvider:
    """A `Provider` that ranks the papers of a folder and its subfolders by their best passage."""

    path: Path
    read: PaperReader
    rank: PassageRanker
    name: ClassVar[str] = "folder"

    async def search(self, query: str, limit: int) -> SearchResult:
        """Return the best hits among the papers, as `Provider.search`; notes list the files that cannot be read."""
        return await asyncio.to_thread(self._search_papers, query, limit)

    async def load_hit(self, hit: Hit) -> Document:
        """Return the paper of a hit, from its file or from the cache.

        Raises:
            FetchError: The paper is gone.
        """
        document = await asyncio.to_thread(self._read_paper_file, Path(hit.address))
        if isinstance(document, str):
            raise FetchError(hit.address, "is no longer a paper of the folder that can be read")
        return document

    def _search_papers(self, query: str, limit: int) -> SearchResult:
        """Return the best papers for a query, and notes on files that cannot be read; blocks while it reads."""
        if not self.path.is_dir():
            raise FetchError(str(self.path), "is not a folder; set `folder` to one with papers")
        # 1. Read the papers; a copy of a paper is skipped.
        papers, notes = dict[str, tuple[Path, Document]](), list[str]()
        for path in self._list_paper_files():
            document = self._read_paper_file(path)
            if isinstance(document, str):
                notes.append(f"{path} was left out: {document}")
            elif document["paragraphs"]:
                papers.setdefault(document["sha256"][:12], (path, document))
        # 2. Order them by their best passages.
        documents = [document for _, document in papers.values()]
        passages = self.rank(documents, query, limit * _PASSAGES_PER_HIT) if documents else []
        order = dict.fromkeys(passage["id"].partition(":")[0] for passage in passages)
        hits = [
            Hit(self.name, document["title"] or path.stem, abstract=document["abstract"], address=str(path))
            for path, document in (papers[key] for key in order if key in papers)
        ]
        return SearchResult(hits[:limit], notes)

    def _list_paper_files(self) -> list[Path]:
        """List all files with a paper's suffix in the order of their paths, without hidden files and folders."""
        found = list[Path]()
        for place, folders, names in os.walk(self.path):
            folders[:] = [name for name in folders if not name.startswith(".")]
            paths = (Path(place, name) for name in names if not name.startswith("."))
            found.extend(path for path in paths if path.suffix.lower() in SUFFIXES)
        return sorted(found)

    def _read_paper_file(self, path: Path) -> Document | str:
        """Return the paper in a file, or a text why it cannot be read; cached until the file changes."""
        try:
            status = path.stat()
            if not stat.S_ISREG(status.st_mode):
                return "it is not a regular file"
            if status.st_size > MAX_BYTES:
                return f"it is larger than {MAX_BYTES // 1_000_000} MB"
            with _read_lock:
                return _read_paper_cached(self.read, path, status.st_mtime_ns, status.st_size)
        except OSError as error:
            return f"it cannot be opened ({error.strerror})"


@lru_cache(maxsize=1000)
def _read_paper_cached(read: PaperReader, path: Path, _mtime_ns: int, _size: int) -> Document | str:
    """Return the paper in a file without places of words, or why it cannot be read; time and size are a cache key."""
    try:
        document = read(path.read_bytes(), path.name, str(path))
    except InputError as error:
        return str(error)
    # The positions of words fill most of a paper's memory, and only rendering needs them.
    paragraphs = [{**paragraph, "words": []} for paragraph in document["paragraphs"]]
    return Document(**{**document, "paragraphs": paragraphs})  # type: ignore[typeddict-item]
