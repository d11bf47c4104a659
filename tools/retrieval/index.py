"""The dense index: segments and their vectors, kept in Chroma, so that a paper is embedded once.

There is one collection for each text, segment length and embedding model. All of them lie in one Chroma database in
the state folder, which any number of processes may use; the folder can be deleted, and is built anew as needed.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from itertools import chain
from pathlib import Path

import numpy as np
from chromadb import Collection
from chromadb.api.client import Client
from chromadb.config import Settings
from chromadb.errors import ChromaError, NotFoundError
from filelock import FileLock
from numpy.typing import NDArray

from state.errors import StateError
from state.files import make_storage_error, resolve_state_folder
from tools.retrieval.embedders import Embedder
from tools.retrieval.search import HASH_DIGITS, Segment

COLLECTION_VERSION = 2
"""Of the collections; a change of what they hold needs another one."""
BATCH_SIZE = 64
"""Segments embedded and written at a time."""

_PAPER_KEY = "paper"
"""Key of the hash that a collection's segments begin with."""
BUSY_TIMEOUT_S = 30.0
"""How long the database is waited for while another process writes to it."""
_MIN_VECTOR_LENGTH = 1e-12
"""Of vectors, so that one of zeros is like nothing."""

_opening_lock = threading.Lock()


def rank_by_embedding(
    papers: Sequence[Sequence[Segment]], question: str, embedder: Embedder, limit: int
) -> list[tuple[Segment, float]]:
    """Rank the segments of papers by their likeness to a question; papers without an index get one first.

    Returns:
        At most `limit` segments with the cosine of their angle to the question, best first.

    Raises:
        RetrievalUnavailable: If the embedding model cannot be used.
        StateError: If the index cannot be read or written.
    """
    worded = [segments for segments in papers if segments]
    places = {segment.id: place for place, segment in enumerate(chain.from_iterable(worded))}
    if not worded:
        return []
    with _open_database() as client:
        collections = [_ensure_collection(client, segments, embedder) for segments in worded]
        vector = np.asarray(embedder.embed([question])[0], dtype=np.float32)
        found = [
            likeness
            for collection, segments in zip(collections, worded, strict=True)
            for likeness in _compute_similarities(collection, segments, vector)
        ]
    # Equal ones in reading order: Chroma returns them in any.
    return sorted(found, key=lambda scored: (-scored[1], places[scored[0].id]))[:limit]


def delete_vectors(sha256: str) -> None:
    """Remove the vectors of a paper.

    Raises:
        StateError: If the index cannot be written.
    """
    if not _resolve_index_folder().exists():
        return
    with _open_database() as client:
        for collection in client.list_collections():
            if (collection.metadata or {}).get(_PAPER_KEY) == sha256[:HASH_DIGITS]:
                client.delete_collection(collection.name)
                (_resolve_index_folder() / f"{collection.name}.lock").unlink(missing_ok=True)
    try:
        # Chroma leaves the folder of a collection that is gone, and what was deleted in free pages of its database.
        folders = [
            path for path in _resolve_index_folder().iterdir() if path.is_dir()
        ]  # first: a new one is in the database by now
        with closing(sqlite3.connect(_resolve_index_folder() / "chroma.sqlite3", timeout=BUSY_TIMEOUT_S)) as database:
            in_use = {name for (name,) in database.execute("SELECT id FROM segments")}
            database.execute("VACUUM")
        for path in folders:
            if path.name not in in_use:
                shutil.rmtree(path)
    except (OSError, sqlite3.Error) as error:
        raise make_storage_error(error, _resolve_index_folder()) from error


@contextmanager
def _open_database() -> Iterator[Client]:
    """The database, opened for one search: that takes milliseconds, and leaves nothing to be closed at the end."""
    folder = _resolve_index_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with (
            _opening_lock,
            FileLock(folder / "opening.lock"),
        ):  # it creates its tables twice if two open a new one at once
            try:
                settings = Settings(  # `.env` in the working folder is not read, it may be anyone's
                    _env_file=None, is_persistent=True, persist_directory=str(folder), anonymized_telemetry=False
                )
                client = Client(settings=settings)
            except Exception:  # it would keep what it could not start, and give that to whoever asks next
                Client.clear_system_cache()
                raise
        try:
            yield client
        finally:
            with _opening_lock:
                client.close()
    except (ChromaError, OSError) as error:
        raise StateError(
            f"The index of papers in {folder} cannot be used ({error}); make room and the folder writable, or delete "
            "it: it is built anew."
        ) from error


def _resolve_index_folder() -> Path:
    return resolve_state_folder() / "indexes"


def _ensure_collection(client: Client, segments: Sequence[Segment], embedder: Embedder) -> Collection:
    """The collection of some segments, which is built unless it is there."""
    content = json.dumps([COLLECTION_VERSION, embedder.name, [segment.text for segment in segments]])
    name = hashlib.sha256(content.encode()).hexdigest()
    with suppress(NotFoundError):
        return client.get_collection(name, embedding_function=None)
    # The system unlocks the file if the holder is killed.
    with FileLock(_resolve_index_folder() / f"{name}.lock"):
        with suppress(NotFoundError):  # whoever held the lock before has built it
            return client.get_collection(name, embedding_function=None)
        return _build_collection(client, name, segments, embedder)


def _build_collection(client: Client, name: str, segments: Sequence[Segment], embedder: Embedder) -> Collection:
    """Fill a collection under another name and rename it when it is whole, in one step.

    So nobody looks at one that is not: a process that did so would for ever find only what was there when it looked.
    """
    unfinished = f"unfinished-{name}"
    with suppress(NotFoundError):
        client.delete_collection(unfinished)  # of a process that was killed
    paper = segments[0].id.partition(":")[0]
    collection = client.create_collection(unfinished, metadata={_PAPER_KEY: paper}, embedding_function=None)
    for start in range(0, len(segments), BATCH_SIZE):
        texts = [segment.text for segment in segments[start : start + BATCH_SIZE]]
        ids = [str(start + offset) for offset in range(len(texts))]
        collection.add(ids=ids, embeddings=np.array(embedder.embed(texts), dtype=np.float32))
    collection.modify(name=name)
    return collection


def _compute_similarities(
    collection: Collection, segments: Sequence[Segment], vector: NDArray[np.float32]
) -> Iterator[tuple[Segment, float]]:
    """The cosine of every segment's angle to a question.

    Not by Chroma's own query: its approximate search leaves out segments, the best one at times, where many are nearly
    alike, and differs from one building to the next. A paper has few enough segments to compare them all.
    """
    stored = collection.get(include=["embeddings"])
    vectors = np.asarray(stored["embeddings"], dtype=np.float32)
    lengths = np.linalg.norm(vectors, axis=1) * np.linalg.norm(vector)
    cosines = vectors @ vector / np.maximum(lengths, _MIN_VECTOR_LENGTH)
    for place, cosine in zip(stored["ids"], cosines, strict=True):
        yield segments[int(place)], float(cosine)
