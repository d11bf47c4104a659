"""The local folder of papers: what is found, what is read again, and what cannot be read."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from state.documents import Document, Passage
from tests.tools.literature.conftest import Library
from tools.literature.folder import FolderProvider
from tools.literature.url_guard import FetchError


@dataclass
class WordRank:
    """Ranks paragraphs by how often they hold the first word of the question."""

    asked: list[tuple[int, str, int]] = field(default_factory=list)

    def __call__(self, documents: Sequence[Document], question: str, k: int) -> list[Passage]:
        self.asked.append((len(documents), question, k))
        word = question.split(maxsplit=1)[0]
        passages = [
            Passage(
                id=f"{paper['sha256'][:12]}:{number}", title=paper["title"], section="", page=0, text=paragraph["text"]
            )
            for paper in documents
            for number, paragraph in enumerate(paper["paragraphs"])
            if word in paragraph["text"]
        ]
        return sorted(passages, key=lambda passage: -passage["text"].count(word))[:k]


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    (folder / "sub" / ".hidden").mkdir(parents=True)
    (folder / "moss.md").write_text("Of moss\n\nmoss moss\n\nmoss moss moss", encoding="utf-8")
    (folder / "sub" / "fern.TXT").write_text("Of ferns\n\nmoss among ferns", encoding="utf-8")
    (folder / "sub" / "stone.tex").write_text("Of stones", encoding="utf-8")
    (folder / "notes.odt").write_text("moss", encoding="utf-8")
    (folder / ".draft.md").write_text("moss", encoding="utf-8")
    (folder / "sub" / ".hidden" / "a.md").write_text("moss", encoding="utf-8")
    return folder


@pytest.fixture
def rank() -> WordRank:
    return WordRank()


@pytest.fixture
def folder(papers: Path, library: Library, rank: WordRank) -> FolderProvider:
    return FolderProvider(papers, library.read, rank)


async def titles(folder: FolderProvider, limit: int = 3) -> list[str]:
    return [hit.title for hit in (await folder.search("moss", limit)).hits]


async def test_papers_are_ranked_by_their_best_passage(folder: FolderProvider, papers: Path, rank: WordRank) -> None:
    result = await folder.search("moss grows", 3)
    assert [hit.title for hit in result.hits] == ["Of moss", "Of ferns"]
    assert [hit.address for hit in result.hits] == [str(papers / "moss.md"), str(papers / "sub" / "fern.TXT")]
    assert result.notes == []
    assert rank.asked == [(3, "moss grows", 24)]


async def test_no_more_papers_than_wanted(folder: FolderProvider) -> None:
    assert await titles(folder, 1) == ["Of moss"]


async def test_a_paper_without_a_title_bears_the_name_of_its_file(folder: FolderProvider, papers: Path) -> None:
    (papers / "moss.md").write_text("\nmoss", encoding="utf-8")
    assert "moss" in await titles(folder)


async def test_an_unchanged_file_is_read_once(folder: FolderProvider, library: Library) -> None:
    await titles(folder)
    await titles(folder)
    assert sorted(library.read_names) == ["fern.TXT", "moss.md", "stone.tex"]


async def test_a_changed_file_is_read_again(folder: FolderProvider, papers: Path, library: Library) -> None:
    await titles(folder)
    (papers / "moss.md").write_text("Of mosses\n\nmoss moss", encoding="utf-8")
    assert await titles(folder) == ["Of mosses", "Of ferns"]
    assert library.read_names.count("moss.md") == 2
    assert library.read_names.count("fern.TXT") == 1


async def test_the_same_paper_twice_is_one_hit(folder: FolderProvider, papers: Path) -> None:
    (papers / "copy.md").write_bytes((papers / "moss.md").read_bytes())
    assert await titles(folder) == ["Of moss", "Of ferns"]


async def test_files_that_cannot_be_read_are_told(folder: FolderProvider, papers: Path, library: Library) -> None:
    (papers / "bad.pdf").write_text("broken", encoding="utf-8")
    (papers / "empty.txt").touch()
    (papers / "dangling.pdf").symlink_to(papers / "nowhere")
    os.mkfifo(papers / "pipe.pdf")
    with (papers / "huge.pdf").open("wb") as huge:
        huge.truncate(50_000_001)
    for _ in range(2):
        result = await folder.search("moss", 3)
        assert [hit.title for hit in result.hits] == ["Of moss", "Of ferns"]
        assert result.notes == [
            f"{papers / 'bad.pdf'} was left out: bad.pdf is broken; save it again.",
            f"{papers / 'dangling.pdf'} was left out: it cannot be opened (No such file or directory)",
            f"{papers / 'huge.pdf'} was left out: it is larger than 50 MB",
            f"{papers / 'pipe.pdf'} was left out: it is not a regular file",
        ]
    assert library.read_names.count("bad.pdf") == 1


async def test_a_folder_that_is_not_there_is_told(library: Library, rank: WordRank, tmp_path: Path) -> None:
    folder = FolderProvider(tmp_path / "nowhere", library.read, rank)
    with pytest.raises(FetchError, match="is not a folder; set `folder`"):
        await folder.search("moss", 3)


async def test_a_paper_that_is_gone_is_told(folder: FolderProvider, papers: Path) -> None:
    (hit, _) = (await folder.search("moss", 3)).hits
    (papers / "moss.md").unlink()
    with pytest.raises(FetchError, match="no longer a paper of the folder"):
        await folder.load_hit(hit)
