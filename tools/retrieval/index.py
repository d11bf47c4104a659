"""The dense index: segments and their vectors in Chroma, so that a paper is embedded once.

There is one collection for each text, segment length and embedding model. All of them are in one Chroma database in
the state folder, which several processes may use. The folder can be deleted; it is built again when it is needed.
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

from state.errors import StateError
from state.files import make_storage_error, resolve_state_folder
from tools.retrieval.embedders import Embedder
from tools.retrieval.search import HASH_DIGITS, Segment

COLLECTION_VERSION = 2  # increased when the contents of collections change
BATCH_SIZE = 64  # segments embedded and written at a time
# Key in a collection's metadata of the paper's hash, with which the ids of its segments begin.
_PAPER_KEY = "paper"
BUSY_TIMEOUT_S = 30.0  # wait for another process that writes to the database
_MIN_VECTOR_LENGTH = 1e-12  # so that a vector of zeros has the cosine 0
_opening_lock = threading.Lock()


def rank_by_embedding(
    papers: Sequence[Sequence[Segment]], question: str, embedder: Embedder, limit: int
) -> list[tuple[Segment, float]]:
    """Return the `limit` segments closest to a question by embedding, with cosines, best first; index new papers first.

    Raises:
        RetrievalUnavailableError: If the embedding model cannot be used.
        StateError: If the index cannot be read or written.
    """
    papers = [segments for segments in papers if segments]
    if not papers:
        return []
    places = {segment.id: place for place, segment in enumerate(chain.from_iterable(papers))}
    found = list[tuple[Segment, float]]()
    with _open_database() as client:
        collections = [_ensure_collection(client, segments, embedder) for segments in papers]
        vector = np.asarray(embedder.embed([question])[0], dtype=np.float32)
        for collection, segments in zip(collections, papers, strict=True):
            # Chroma's own query is approximate: among many similar segments it omits some, at times the best, and its
            # results differ from one build of the index to the next. A paper has few enough to compare them all.
            stored = collection.get(include=["embeddings"])
            vectors = np.asarray(stored["embeddings"], dtype=np.float32)
            lengths = np.linalg.norm(vectors, axis=1) * np.linalg.norm(vector)
            cosines = vectors @ vector / np.maximum(lengths, _MIN_VECTOR_LENGTH)
            scored = zip(stored["ids"], cosines, strict=True)
            found += [(segments[int(place)], float(cosine)) for place, cosine in scored]
    # Equal cosines in reading order, because Chroma returns segments in any order.
    return sorted(found, key=lambda scored: (-scored[1], places[scored[0].id]))[:limit]


def delete_vectors(sha256: str) -> None:
    """Remove the vectors of a paper, in all segmentations and of all models.

    Raises:
        StateError: If the index cannot be written.
    """
    index_folder = _resolve_index_folder()
    if not index_folder.exists():
        return
    with _open_database() as client:
        for collection in client.list_collections():
            if (collection.metadata or {}).get(_PAPER_KEY) == sha256[:HASH_DIGITS]:
                client.delete_collection(collection.name)
                (index_folder / f"{collection.name}.lock").unlink(missing_ok=True)
    # Chroma keeps the folders of deleted collections, and deleted rows in free pages of its database.
    try:
        # List the folders before the database is read, so that a new collection's folder is in the database by then.
        folders = [path for path in index_folder.iterdir() if path.is_dir()]
        with closing(sqlite3.connect(index_folder / "chroma.sqlite3", timeout=BUSY_TIMEOUT_S)) as database:
            in_use = {name for (name,) in database.execute("SELECT id FROM segments")}
            database.execute("VACUUM")
        for path in folders:
            if path.name not in in_use:
                shutil.rmtree(path)
    except (OSError, sqlite3.Error) as error:
        raise make_storage_error(error, index_folder) from error


@contextmanager
def _open_database() -> Iterator[Client]:
    """Open the database within a `with` block; that takes milliseconds, and leaves nothing to be closed at exit."""
    folder = _resolve_index_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # Chroma creates its tables twice if two processes or threads open a new database at once.
        with _opening_lock, FileLock(folder / "opening.lock"):
            try:
                settings = Settings(  # without `.env` of the working folder, which anyone may have written
                    _env_file=None, is_persistent=True, persist_directory=str(folder), anonymized_telemetry=False
                )
                client = Client(settings=settings)
            except Exception:  # Chroma would cache the system that failed to start, and return it next time
                Client.clear_system_cache()
                raise
        try:
            yield client
        finally:
            with _opening_lock:
                client.close()
    except (ChromaError, OSError) as error:
        raise StateError(
            f"The index of papers in {folder} cannot be used ({error}); free disk space and make the folder writable, "
            "or delete it: it is built again."
        ) from error


def _resolve_index_folder() -> Path:
    return resolve_state_folder() / "indexes"


def _ensure_collection(client: Client, segments: Sequence[Segment], embedder: Embedder) -> Collection:
    """Return the collection of the segments of a paper; embed them and build it if it is missing."""
    content = json.dumps([COLLECTION_VERSION, embedder.name, [segment.text for segment in segments]])
    name = hashlib.sha256(content.encode()).hexdigest()
    with suppress(NotFoundError):
        return client.get_collection(name, embedding_function=None)
    # The operating system releases the lock if its holder is killed.
    with FileLock(_resolve_index_folder() / f"{name}.lock"):
        with suppress(NotFoundError):  # the last holder of the lock may have built it
            return client.get_collection(name, embedding_function=None)
        # Build it under another name, and rename it when it is complete: a process that opened an incomplete
        # collection would never see the segments that are added later.
        unfinished = f"unfinished-{name}"
        with suppress(NotFoundError):
            client.delete_collection(unfinished)  # left by a process that was killed
        paper = segments[0].id.partition(":")[0]
        collection = client.create_collection(unfinished, metadata={_PAPER_KEY: paper}, embedding_function=None)
        for start in range(0, len(segments), BATCH_SIZE):
            texts = [segment.text for segment in segments[start : start + BATCH_SIZE]]
            ids = [str(start + offset) for offset in range(len(texts))]
            collection.add(ids=ids, embeddings=np.array(embedder.embed(texts), dtype=np.float32))
        collection.modify(name=name)
    return collection
