"""Answers of services and fetched files on disk, so that nobody is asked the same thing twice."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from state.files import storage_error, write_atomically
from state.paths import state_folder
from tools.documents.store import unwritable
from tools.literature.fetching import Download


def searches_folder() -> Path:
    """Where the answers of services lie: their addresses hold the queries, and these may quote the draft."""
    return state_folder() / "literature" / "searches"


def delete_searches() -> None:
    """Forget all answers of services.

    Raises:
        StateError: The state folder cannot be written.
    """
    try:
        for path in searches_folder().glob("*"):
            path.unlink(missing_ok=True)
    except OSError as error:
        raise storage_error(error, searches_folder()) from error


@dataclass(frozen=True)
class Cache:
    """Downloads by key, one file each: a line of JSON about it, then its bytes. Blocks, so it is called in a thread.

    Args:
        folder: Where; made when it is first needed.
        max_age_s: Age from which an entry counts no more; None keeps it for good.
        clock: Seconds since 1970.
    """

    folder: Path
    max_age_s: float | None = None
    clock: Callable[[], float] = time.time

    def load(self, key: str) -> Download | None:
        """What was stored under a key, unless it is gone, damaged or too old."""
        try:
            head, _, data = self._path(key).read_bytes().partition(b"\n")
            about = json.loads(head)
            stored = float(about["stored_at"])
            download = Download(str(about["address"]), str(about["content_type"]), str(about["charset"]), data)
        except (OSError, ValueError, KeyError, TypeError):
            return None
        fresh = self.max_age_s is None or 0 <= self.clock() - stored < self.max_age_s
        whole = about.get("bytes") == len(data)
        return download if fresh and whole else None

    def store(self, key: str, download: Download) -> None:
        """Keep a download, written whole or not at all.

        Raises:
            StateError: The state folder cannot be written, or the disk is full.
        """
        address, content_type, charset, data = download
        about = {"address": address, "content_type": content_type, "charset": charset}
        head = json.dumps({**about, "bytes": len(data), "stored_at": self.clock()})
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            write_atomically(self._path(key), head.encode() + b"\n" + data)
        except OSError as error:
            raise unwritable(self.folder, error) from error

    def _path(self, key: str) -> Path:
        return self.folder / hashlib.sha256(key.encode()).hexdigest()
