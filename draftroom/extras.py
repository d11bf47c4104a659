"""Optional dependencies that only some commands need."""

from __future__ import annotations

import importlib.util
from typing import NamedTuple

from state.errors import SettingsError


class Extra(NamedTuple):
    """Tuple that describes an optional part of the installation."""

    name: str
    """Name of the extra, as in `pip install 'draftroom[name]'`."""
    purpose: str
    """Subject of the sentence that says it is missing."""
    packages: tuple[str, ...]
    """Import names of its packages, by which it is found to be missing."""
    target: str = "develop"
    """What `make` installs it in the folder of the project."""


# The packages are listed by hand: the installed metadata names distributions, which are imported by other names.
REVIEW = Extra("review", "The review of papers", ("chromadb", "langchain_chroma", "rank_bm25", "snowballstemmer"))
EVALS = Extra("evals", "The evaluation", (*REVIEW.packages, "matplotlib", "nltk", "sacrebleu", "sklearn", "torch"))
TRAINING = Extra("training", "The training of models", (*EVALS.packages, "accelerate", "peft", "trl"))
STUDIO = Extra(
    "studio", "The server of the page and of Studio", ("langgraph_cli", "langgraph_api", "starlette"), "page"
)


def require_extra(extra: Extra) -> None:
    """Raise SettingsError unless all packages of an extra are installed; imports none of them."""
    if missing := list_missing_packages(extra):
        raise SettingsError(
            f"{extra.purpose} is not installed ({', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing): "
            f"pip install 'draftroom[{extra.name}]'; in the folder of the project also: make {extra.target}."
        )


def format_page_hint() -> str:
    """Return the hint at `draftroom open` that ends a list of commands, or "" where it is not installed."""
    return "" if list_missing_packages(STUDIO) else ", draftroom open (all runs on a page)"


def list_missing_packages(extra: Extra) -> list[str]:
    """List the import names of an extra's packages that are not installed."""
    return [name for name in extra.packages if importlib.util.find_spec(name) is None]
