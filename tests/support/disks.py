"""File systems of their own, small enough to fill up."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def small_disk(folder: Path, kilobytes: int) -> Iterator[Path]:
    """Mount one at an empty folder, or at one that is made; where only root could, the test is skipped."""
    folder.mkdir(exist_ok=True)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(folder)]
    if os.geteuid() or subprocess.call(mount):
        pytest.skip("a file system of its own can be mounted only by root")
    try:
        yield folder
    finally:
        subprocess.check_call(["umount", folder])
