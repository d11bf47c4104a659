"""A local folder of papers: the default literature. Nothing leaves the machine."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from state.documents import Document, Passage
from tools.literature.faults import FetchError
from tools.literature.folder_index import FolderIndex
from tools.literature.records import Hit, Notice, SearchResult

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
