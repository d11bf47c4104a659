"""The dense index: a paper is embedded once, by whoever comes first, and a half-built index is never used."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from state.errors import StateError
from tests.fake_endpoint import FakeEndpoint
from tests.support.processes import ROOT, run_code, run_module
from tests.tools.retrieval.papers import CountingEmbeddings, numbered_paper, paper
from tools.retrieval.index import BATCH_SIZE, rank_by_embedding
from tools.retrieval.search import Segment, delete_vectors, split_document

MANY = split_document(numbered_paper(BATCH_SIZE + 6), 60, 0)
QUESTION = "Was number0067 weighed?"


def best(
    segments: Sequence[Segment], embedder: CountingEmbeddings, question: str = QUESTION, space: str = "words"
) -> str:
    return rank_by_embedding([segments], question, embedder, space)[0].text.strip()


def texts_of(segments: Sequence[Segment]) -> list[str]:
    return [segment.text for segment in segments]


def test_a_paper_is_embedded_once_however_many_questions_and_embedders_there_are() -> None:
    first, second = CountingEmbeddings(), CountingEmbeddings()
    assert best(MANY, first) == best(MANY, second) == MANY[67].text.strip()
    best(MANY, second, "Which were kept cool?")
    assert first.texts == [QUESTION, *texts_of(MANY)]
    assert second.texts == [QUESTION, "Which were kept cool?"]


def test_other_models_and_other_segments_have_indexes_of_their_own() -> None:
    shorter = split_document(numbered_paper(3), 30, 0)
    best(MANY, CountingEmbeddings())
    for segments, space in ((MANY, "other words"), (shorter, "words")):
        embedder = CountingEmbeddings()
        best(segments, embedder, space=space)
        assert embedder.texts[1:] == texts_of(segments)


def test_a_new_reading_of_the_same_file_has_an_index_of_its_own() -> None:
    before, after = paper("Mosses dry."), paper("Mosses dry out.")
    after["sha256"] = before["sha256"]
    best(split_document(before), CountingEmbeddings())
    assert best(split_document(after), CountingEmbeddings()) == "Mosses dry out."


class GivenVectors(CountingEmbeddings):
    """The vector of a text is the row of its number, the question's the last one."""

    def __init__(self, rows: NDArray[np.float32]) -> None:
        super().__init__()
        self.rows = rows

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.rows[int(text[13:17])].tolist() for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return [float(value) for value in self.rows[-1]]


@pytest.mark.parametrize("kinds", [400, 8, 1])
def test_the_ranking_is_that_of_all_cosines_with_equals_in_reading_order(kinds: int) -> None:
    """Among many vectors that are alike, an approximate search would miss some, at times the best."""
    different = np.random.default_rng(kinds).normal(size=(kinds + 1, 64)).astype(np.float32)
    rows = np.concatenate([different[np.arange(400) % kinds], different[-1:]])
    cosines = (rows @ rows[-1] / np.linalg.norm(rows, axis=1))[:-1]
    numbers = sorted(range(400), key=lambda number: -cosines[number % kinds])
    segments = split_document(numbered_paper(400), 60, 0)
    for _ in range(2):  # from memory, and from the disk
        found = rank_by_embedding([segments], QUESTION, GivenVectors(rows), f"{kinds} kinds")
        assert found == [segments[number] for number in numbers]


def test_sixteen_questions_at_once_embed_a_paper_once() -> None:
    embedder = CountingEmbeddings()
    questions = [f"Was number{number:04} weighed?" for number in range(16)]
    with ThreadPoolExecutor(16) as threads:
        answers = list(threads.map(lambda question: best(MANY, embedder, question), questions))
    assert answers == [MANY[number].text.strip() for number in range(16)]
    assert sorted(embedder.texts) == sorted([*texts_of(MANY), *questions])


def test_two_processes_at_once_embed_a_paper_once(tmp_path: Path, fake_endpoint: FakeEndpoint) -> None:
    document = numbered_paper(BATCH_SIZE * 4)
    file = tmp_path / "paper.json"
    file.write_text(json.dumps(document), encoding="utf-8")
    question = f"Was number{BATCH_SIZE * 4 - 1:04} weighed?"  # in the last batch
    arguments = ("tests.tools.retrieval.asking", file, question, fake_endpoint.base_url)
    with ThreadPoolExecutor(2) as threads:
        answers = [run.stdout for run in threads.map(lambda _: run_module(*arguments), range(2))]
    segments = texts_of(split_document(document, 60, 0))
    assert answers == [segments[-1].strip()] * 2
    embedded = [text for request in fake_endpoint.requests for text in request.body["input"]]
    assert sorted(embedded) == sorted([*segments, question, question])


class DyingEmbeddings(CountingEmbeddings):
    """Its process dies when the second batch is to be embedded."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        if len(self.texts) > 1:
            os._exit(7)
        return super().embed_documents(texts)


def test_an_index_whose_building_was_killed_is_completed() -> None:
    code = f"from {__name__} import *; best(MANY, DyingEmbeddings())"
    assert run_code(code).returncode == 7
    embedder = CountingEmbeddings()
    assert best(MANY, embedder) == MANY[67].text.strip()
    assert embedder.texts == [QUESTION, *texts_of(MANY)[BATCH_SIZE:]]


def test_nothing_is_left_of_a_deleted_paper_and_others_stay(home: Path) -> None:
    other, embedder = split_document(paper("Mosses dry.")), CountingEmbeddings()

    def find_files_with(text: str) -> list[Path]:
        return [path for path in home.rglob("*") if path.is_file() and text.encode() in path.read_bytes()]

    best(MANY, embedder)
    best(other, embedder)
    assert find_files_with(MANY[0].text)
    delete_vectors(MANY[0].id)
    assert not find_files_with(MANY[0].text)
    embedder.texts.clear()
    best(other, embedder)
    best(MANY, embedder)
    assert embedder.texts == [QUESTION, QUESTION, *texts_of(MANY)]


def test_a_broken_database_is_reported_with_what_to_do(home: Path) -> None:
    best(MANY, CountingEmbeddings())
    (database,) = home.rglob("chroma.sqlite3")
    database.write_bytes(b"no database " * 500)
    for _ in range(2):
        with pytest.raises(StateError, match="delete it: it is built again"):
            best(MANY, CountingEmbeddings())
    shutil.rmtree(database.parent)
    assert best(MANY, CountingEmbeddings()) == MANY[67].text.strip()


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc marks memory that nobody has cleared")
@pytest.mark.parametrize("number", [1, 70, 250])
def test_no_memory_of_the_process_is_written_to_an_index(number: int, home: Path) -> None:
    """It may be a part of another paper, which would stay there when that paper is deleted."""
    segments = f"split_document(numbered_paper({number}), 60, 0)"
    code = f"from {__name__} import *; rank_by_embedding([{segments}], QUESTION, CountingEmbeddings(), 'words')"
    marked = {**os.environ, "MALLOC_PERTURB_": "90"}  # new memory has the complement of 90 in each byte
    subprocess.run([sys.executable, "-c", code], env=marked, cwd=ROOT, check=True)
    files = list(home.rglob("*.bin"))
    assert files
    assert not [file for file in files if bytes([255 - 90] * 16) in file.read_bytes()]


def test_a_state_folder_that_cannot_be_made_is_reported(home: Path) -> None:
    (home / "state").write_text("in the way", encoding="utf-8")
    with pytest.raises(StateError, match="folder writable"):
        best(MANY, CountingEmbeddings())
