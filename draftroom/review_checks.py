"""What only `draftroom review` needs: its packages, a model of passages, and other studies to look into."""

from __future__ import annotations

import time
from pathlib import Path

from draftroom.checks import Check, failed
from draftroom.extras import REVIEW, missing_packages
from state.errors import BadInput, DraftroomError
from state.settings import EmbeddingSettings, FeedbackSettings, LiteratureSettings
from tools.retrieval import Embedding
from tools.retrieval.embedders import embedder_for

SAMPLE = "The seedlings were watered with cold tea."


def review_works(settings: FeedbackSettings) -> list[Check]:
    """All checks; without its packages only that they are missing, for the other commands do without."""
    if missing := missing_packages(REVIEW):
        found = f"{', '.join(missing)} is not installed, so papers cannot be reviewed."
        return [Check("review", "warning", found, "For `draftroom review`: pip install 'draftroom[review]'")]
    embedded = [] if settings.retrieval == "bm25" else [passages_are_embedded(settings.embedding)]
    return [Check("review", "ok", "Its packages are installed."), *embedded, literature_is_there(settings.literature)]


def passages_are_embedded(settings: EmbeddingSettings) -> Check:
    """Whether the embedding model can be loaded, or its endpoint answers, and how long it takes."""
    begin = time.perf_counter()
    try:
        (vector,) = embedder_for(Embedding(**settings.model_dump())).embed([SAMPLE])
    except DraftroomError as error:
        return failed("embedding model", error)
    place = f"at {settings.base_url}" if settings.base_url else "on this machine"
    seconds = time.perf_counter() - begin
    found = f"{settings.model} {place} gives {len(vector)} numbers a text; the first took {seconds:.1f} s."
    return Check("embedding model", "ok", found)


def literature_is_there(settings: LiteratureSettings) -> Check:
    """Whether there is a folder of other studies, and which services are asked besides."""
    services = [name.replace("_", " ") for name in settings.providers if name != "folder"]
    asked = f"Questions go to {', '.join(services)}." if services else "Nothing is looked up on the web."
    if settings.folder is None or "folder" not in settings.providers:
        return Check("literature", "ok", f"No folder of other studies is set. {asked}")
    folder = Path(settings.folder).expanduser()
    if not folder.is_dir():
        missing = BadInput(
            f"There is no folder {settings.folder}; make it, or set `literature.folder` to another one.",
            kind="missing_file",
        )
        return failed("literature", missing)
    files = sum(path.is_file() for path in folder.rglob("*"))
    return Check("literature", "ok", f"{folder} holds {files} files. {asked}")
