"""What a format of a corpus is: how it is recognised, and how its records become samples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from evals.datasets.entries import Entry
from evals.datasets.schema import Sample
from evals.datasets.splits import Split
from tools.jobs import Record


class RecordFormat(NamedTuple):
    """A file with a record for each sample."""

    layout: str
    """What it looks like, for messages."""
    fits: Callable[[Record], bool]
    """Whether a record is one of this format."""
    samples: Callable[[Sequence[Entry], Path], Sequence[Sample]]
    """The samples of the records of a file; records that are none are left out."""


class FolderFormat(NamedTuple):
    """A folder of files that only together make samples."""

    layout: str
    fits: Callable[[Path], bool]
    samples: Callable[[Path, Split], Sequence[Sample]]
