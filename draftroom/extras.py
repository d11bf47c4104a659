"""Packages that only some commands need, and that are installed only where they are asked for."""

from __future__ import annotations

import importlib.util
from typing import NamedTuple

from state.errors import SettingsError


class Extra(NamedTuple):
    """An optional part of the installation."""

    name: str
    """As `pip install 'draftroom[name]'` knows it."""
    purpose: str
    """What it is for, at the beginning of a sentence."""
    packages: tuple[str, ...]
    """What it must bring, by the names under which it is imported."""


REVIEW = Extra(
    "review",
    "What reviews papers",
    (
        "chromadb",
        "langchain_text_splitters",
        "numpy",
        "rank_bm25",
        "safetensors",
        "snowballstemmer",
        "threadpoolctl",
        "tokenizers",
    ),
)
EVALS = Extra(
    "evals",
    "What evaluates",
    (*REVIEW.packages, "matplotlib", "nltk", "rouge_score", "sacrebleu", "scipy", "sklearn", "torch", "transformers"),
)
TRAINING = Extra("training", "What trains models", (*EVALS.packages, "accelerate", "peft", "trl"))
STUDIO = Extra("studio", "The server of the page and of Studio", ("langgraph_cli", "langgraph_api", "starlette"))


def require_extra(extra: Extra) -> None:
    """Check that an extra is installed, without importing it.

    Raises:
        SettingsError: If a package of it is not.
    """
    if missing := list_missing_packages(extra):
        command = f"pip install 'draftroom[{extra.name}]'"
        raise SettingsError(
            f"{extra.purpose} is not installed ({', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing): "
            f"{command}; in the folder of the project also: {'make page' if extra is STUDIO else 'make develop'}."
        )


def format_page_hint() -> str:
    """What to type for the page with all runs, as the end of a list; nothing where it is not installed."""
    return "" if list_missing_packages(STUDIO) else ", draftroom open (all runs on a page)"


def list_missing_packages(extra: Extra) -> list[str]:
    """Those packages of an extra that are not installed."""
    return [name for name in extra.packages if importlib.util.find_spec(name) is None]
