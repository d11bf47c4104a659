"""The dense index: a paper is embedded once, by whoever comes first, and a half-built index is never used."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from state.errors import StateError
from tests.fake_endpoint import FakeEndpoint
from tests.tools.retrieval.papers import CountingEmbedder, numbered_paper, paper
from tools.retrieval.index import BATCH_SIZE, delete_vectors, rank_by_embedding
from tools.retrieval.search import Segment, split_document

MANY = split_document(numbered_paper(BATCH_SIZE + 6), 60, 0)
QUESTION = "Was number0067 weighed?"


def best(segments: Sequence[Segment], embedder: CountingEmbedder, question: str = QUESTION) -> str:
    return rank_by_embedding([segments], question, embedder, 5)[0][0].text.strip()


def texts_of(segments: Sequence[Segment]) -> list[str]:
    return [segment.text for segment in segments]


def test_a_paper_is_embedded_once_however_many_questions_and_embedders_there_are() -> None:
    first, second = CountingEmbedder(), CountingEmbedder()
    assert best(MANY, first) == best(MANY, second) == MANY[67].text.strip()
    best(MANY, second, "Which were kept cool?")
    assert first.texts == [*texts_of(MANY), QUESTION]
    assert second.texts == [QUESTION, "Which were kept cool?"]


def test_other_models_and_other_segments_have_indexes_of_their_own() -> None:
    shorter = split_document(numbered_paper(3), 30, 0)
    best(MANY, CountingEmbedder())
    for segments, name in ((MANY, "other words"), (shorter, "words")):
        embedder = CountingEmbedder(name)
        best(segments, embedder)
        assert embedder.texts[:-1] == texts_of(segments)


def test_a_new_reading_of_the_same_file_has_an_index_of_its_own() -> None:
    before, after = paper("Mosses dry."), paper("Mosses dry out.")
    after["sha256"] = before["sha256"]
    best(split_document(before), CountingEmbedder())
    assert best(split_document(after), CountingEmbedder()) == "Mosses dry out."


def test_every_segment_has_its_exact_cosine_even_if_all_are_nearly_alike() -> None:
    embedder = CountingEmbedder()
    question, *vectors = embedder.embed([QUESTION, *texts_of(MANY)])
    found = dict(rank_by_embedding([MANY], QUESTION, embedder, len(MANY)))
    assert found == {
        segment: pytest.approx(np.dot(question, vector), abs=1e-5)
        for segment, vector in zip(MANY, vectors, strict=True)
    }


def test_sixteen_questions_at_once_embed_a_paper_once() -> None:
    embedder = CountingEmbedder()
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
    command = [sys.executable, "-m", "tests.tools.retrieval.asking", str(file), question, fake_endpoint.base_url]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    answers = [process.communicate()[0] for process in processes]
    segments = texts_of(split_document(document, 60, 0))
    assert answers == [segments[-1].strip()] * 2
    embedded = [text for request in fake_endpoint.requests for text in request.body["input"]]
    assert sorted(embedded) == sorted([*segments, question, question])


class DyingEmbedder(CountingEmbedder):
    """Its process dies when the second batch is to be embedded."""

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        if self.texts:
            os._exit(7)
        return super().embed(texts)


def test_an_index_whose_building_was_killed_is_built_anew() -> None:
    code = f"from {__name__} import *; best(MANY, DyingEmbedder())"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 7
    embedder = CountingEmbedder()
    assert best(MANY, embedder) == MANY[67].text.strip()
    assert embedder.texts == [*texts_of(MANY), QUESTION]


class ShortVectors(CountingEmbedder):
    """Vectors that lie on one page of a database, another one for each text."""

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.texts.extend(texts)
        return [[byte / 255 for byte in hashlib.sha256(text.encode()).digest()] for text in texts]


def test_the_vectors_of_a_deleted_paper_are_gone_from_the_disk_and_those_of_others_stay(home: Path) -> None:
    document = numbered_paper(1100)  # so many that Chroma keeps a folder of the collection
    segments, other, embedder = split_document(document, 60, 0), split_document(paper("Mosses dry.")), ShortVectors()
    best(segments, embedder)
    best(other, embedder)
    first_and_last = embedder.embed([segments[0].text, segments[-1].text])  # one is in the folder, one in the database
    vectors = [np.array(vector, dtype=np.float32).tobytes() for vector in first_and_last]

    def folders_with_vectors() -> set[Path]:
        files = [path for path in home.rglob("*") if path.is_file()]
        return {path.parent for path in files if any(vector in path.read_bytes() for vector in vectors)}

    assert len(folders_with_vectors()) == 2
    delete_vectors(document["sha256"])
    assert folders_with_vectors() == set()
    embedder.texts.clear()
    best(other, embedder)
    assert embedder.texts == [QUESTION]
    best(segments, embedder)
    assert embedder.texts == [QUESTION, *texts_of(segments), QUESTION]


def test_a_broken_database_is_reported_with_what_to_do(home: Path) -> None:
    folder = home / "state" / "indexes"
    folder.mkdir(parents=True)
    (folder / "chroma.sqlite3").write_bytes(b"no database " * 500)
    with pytest.raises(StateError, match="delete it: it is built again"):
        best(MANY, CountingEmbedder())


def test_a_state_folder_that_cannot_be_made_is_reported(home: Path) -> None:
    (home / "state").write_text("in the way", encoding="utf-8")
    with pytest.raises(StateError, match="folder writable"):
        best(MANY, CountingEmbedder())
