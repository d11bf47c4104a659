"""Readable little sentences, different for every seed and the same for the same one."""

from __future__ import annotations

import random

_ADJECTIVES = "bright calm careful common early gentle hidden little patient quiet rare simple small steady warm young"
_NOUNS = (
    "cell child cloud doctor drug field forest garden heart lesson machine nerve ocean paper patient planet river "
    "school signal sleep star storm teacher tissue tree village virus wave wing worker"
)
_VERBS = (
    "answers carries changes feeds finds follows guards helps joins leads measures moves needs protects slows wakes"
)
_ENDINGS = (
    "after a long winter; before anyone notices; during the night; for many years; in the early morning; most of the "
    "time; near the coast; on a quiet day; once in a while; when the weather turns; while others rest; without a sound"
)


def sentence(rng: random.Random) -> str:
    """One sentence without names, digits or quotation marks."""
    subject, thing = rng.sample(_NOUNS.split(), 2)
    first, second = rng.sample(_ADJECTIVES.split(), 2)
    verb, ending = rng.choice(_VERBS.split()), rng.choice(_ENDINGS.split("; "))
    return f"The {first} {subject} {verb} the {second} {thing} {ending}."


def prose(rng: random.Random, sentences: int) -> str:
    """A paragraph of that many sentences."""
    return " ".join(sentence(rng) for _ in range(sentences))
