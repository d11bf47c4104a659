"""Which part of a corpus is read. The releases name their parts differently; here they are train, dev and test."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal

from evals.datasets.entries import Entry
from state.errors import BadInput

Part = Literal["train", "dev", "test"]
Split = Literal["train", "dev", "test", "all"]

PARTS: Final[dict[Part, tuple[str, ...]]] = {
    "train": ("train",),
    "dev": ("dev", "val", "valid", "validation"),
    "test": ("test",),
}
"""Names of each part in the releases."""

NAMES: Final = {name for names in PARTS.values() for name in names}


def split_named(name: str | None) -> Split:
    """A split by any of its names; dev if none is named.

    Raises:
        BadInput: There is no such split.
    """
    if name == "all":
        return "all"
    for part, names in PARTS.items():
        if (name or "dev") in names:
            return part
    raise BadInput(f"There is no split {name!r}; choose one of {', '.join(PARTS)}, all.")


def parts_of(split: Split) -> list[tuple[str, ...]]:
    """The parts that are read, each by all its names."""
    return list(PARTS.values()) if split == "all" else [PARTS[split]]


def names_of(split: Split) -> list[str]:
    """All names of the parts that are read."""
    return [name for names in parts_of(split) for name in names]


def files_of(folder: Path, split: Split, suffixes: Sequence[str]) -> list[Path]:
    """Files of a folder that are named for the parts of a split, such as `val.json`, in the order of the parts."""
    found = []
    for names in parts_of(split):
        candidates = (folder / f"{name}{suffix}" for name in names for suffix in suffixes)
        found += [file for file in candidates if file.is_file()][:1]
    return found


def of_split(entries: Sequence[Entry], split: Split, path: Path) -> list[Entry]:
    """The records whose `split` is the one asked for.

    All of them if the file is not divided, that is, if no `split` in it is the name of a part. In a file that is
    divided, records that belong to no part are left out.

    Raises:
        BadInput: The file is divided and lacks this part.
    """
    parts = sorted(NAMES & {str(entry.record.get("split")) for entry in entries})
    if split == "all" or not parts:
        return list(entries)
    found = [entry for entry in entries if entry.record.get("split") in names_of(split)]
    if not found:
        raise BadInput(f"{path} has no records of the split {split!r}, only of {', '.join(parts)}; choose one of them.")
    return found
