"""The dense index: segments and their vectors in Chroma, so that a paper is embedded once.

Each paper has a folder in the state folder, with a Chroma database for each segmentation and embedding model, which
several processes may use. It can be deleted; it is built again when it is needed.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from chromadb.api.client import Client
from chromadb.api.collection_configuration import CreateHNSWConfiguration
from chromadb.config import Settings
from chromadb.errors import ChromaError
from filelock import FileLock
from langchain_chroma import Chroma
from langchain_core.embeddings import Embeddings

from state.errors import StateError
from tools.retrieval.search import Segment, locate_index

BATCH_SIZE = 64  # segments embedded and written at a time
_client_lock = threading.Lock()  # else one thread could close a database that another one is just opening


def rank_by_embedding(
    papers: Sequence[Sequence[Segment]], question: str, embeddings: Embeddings, space: str
) -> list[Segment]:
    """Return the segments of papers in the order of their cosines to a question; index papers that are new.

    `space` names the space of the vectors: those of equal names can be compared.

    Raises:
        RetrievalUnavailableError: If the embedding model cannot be used.
        StateError: If the index cannot be read or written.
    """
    vector = embeddings.embed_query(question)
    scored = list[tuple[float, int, Segment]]()  # with the place among all segments, so that equals stay in their order
    for segments in filter(None, papers):
        first = len(scored)
        with _open_store(segments, embeddings, space) as store:
            for found, distance in store.similarity_search_by_vector_with_relevance_scores(vector, k=len(segments)):
                place = int(found.id or 0)
                scored.append((distance, first + place, segments[place]))
    return [segment for _, _, segment in sorted(scored)]


@contextmanager
def _open_store(segments: Sequence[Segment], embeddings: Embeddings, space: str) -> Iterator[Chroma]:
    """Open the vector store of the segments of a paper within a `with` block; embed and add those that are missing."""
    identity = json.dumps([space, [segment.text for segment in segments]])
    folder = locate_index(segments[0].id) / hashlib.sha256(identity.encode()).hexdigest()
    # Without the settings in `.env` of the working folder, which anyone may have written.
    settings = Settings(_env_file=None, is_persistent=True, persist_directory=str(folder), anonymized_telemetry=False)
    # In a graph that joins every segment to all others, the search is exact. By default it omits some of many that are
    # alike, at times the best. The graph is written to disk once it is complete, so that no search has to build it.
    size = max(2, len(segments))
    graph = CreateHNSWConfiguration(
        space="cosine", max_neighbors=size, ef_construction=size, ef_search=size, sync_threshold=size, batch_size=size
    )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # One opens it at a time, because Chroma creates its tables twice if two open a new database at once.
        with _client_lock, FileLock(folder / "opening.lock"):
            client = Client(settings=settings)
        try:
            # The operating system releases the lock if its holder is killed.
            with FileLock(folder / "building.lock"):
                store = Chroma(client=client, embedding_function=embeddings, collection_configuration={"hnsw": graph})
                present = len(store.get(include=[])["ids"])
                # A batch is written whole or not at all, so its segments are all there or all missing.
                for start in range(present, len(segments), BATCH_SIZE):
                    texts = [segment.text for segment in segments[start : start + BATCH_SIZE]]
                    store.add_texts(texts, ids=[str(start + offset) for offset in range(len(texts))])
                if present < len(segments):
                    _erase_unused_memory(folder)
            yield store
        finally:
            with _client_lock:
                client.close()
    except (ChromaError, OSError) as error:
        Client.clear_system_cache()  # else Chroma would return a system that failed to start, next time
        raise StateError(
            f"The index of a paper in {folder} cannot be used ({error}); free disk space and make the folder writable, "
            "or delete it: it is built again."
        ) from error


def _erase_unused_memory(folder: Path) -> None:
    """Write zeros over what Chroma's files of a graph hold behind its segments: uncleared memory (its issue 7688)."""
    for header in folder.glob("*/header.bin"):
        _, number, width = struct.unpack_from("<3Q", header.read_bytes(), 12)  # its capacity, segments, bytes of one
        for file, used in (("length.bin", 4 * number), ("data_level0.bin", width * number)):
            capacity = header.with_name(file).stat().st_size
            os.truncate(header.with_name(file), used)
            os.truncate(header.with_name(file), capacity)
