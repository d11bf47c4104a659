"""Where Draftroom keeps its files: runs and checkpoints (state), downloads and servers (cache)."""

from __future__ import annotations

import os
from pathlib import Path

from platformdirs import user_cache_path, user_state_path


def state_folder() -> Path:
    """Folder of runs, checkpoints and stored papers: `$DRAFTROOM_HOME/state`, or the platform's state folder."""
    home = os.environ.get("DRAFTROOM_HOME")
    return Path(home).expanduser() / "state" if home else user_state_path("draftroom", appauthor=False)


def cache_folder() -> Path:
    """Folder of model weights and server environments: `$DRAFTROOM_HOME/cache`, or the platform's cache folder."""
    home = os.environ.get("DRAFTROOM_HOME")
    return Path(home).expanduser() / "cache" if home else user_cache_path("draftroom", appauthor=False)
