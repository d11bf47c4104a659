"""How far raters agree beyond what chance would bring about."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, permutations
from typing import NamedTuple, TypeVar

_Thing = TypeVar("_Thing")


class Kappa(NamedTuple):
    """Cohen's kappa, averaged over pairs of raters."""

    kappa: float | None
    """None if no two raters have answered the same, or chance alone would have them agree always."""
    shared: int
    """Answers that two raters have in common, summed over the pairs of raters that enter."""


def cohen_kappa(pairs: Sequence[tuple[str, str]]) -> float | None:
    """Cohen's kappa of two raters (Cohen 1960, "A coefficient of agreement for nominal scales").

    Args:
        pairs: What the one and the other said of each thing that both have judged.

    Returns:
        1 for perfect agreement, 0 for what chance brings about; None if there is nothing to compare, or both always
        said the same one thing, where chance would have them agree as well.
    """
    agreed = sum(one == other for one, other in pairs)
    ones, others = Counter(one for one, _ in pairs), Counter(other for _, other in pairs)
    chance = sum(count * others[category] for category, count in ones.items())
    possible = len(pairs) ** 2 - chance
    return (len(pairs) * agreed - chance) / possible if possible else None


def mean_kappa(answers: Mapping[str, Mapping[_Thing, str]]) -> Kappa:
    """Cohen's kappa of every two raters over what both have judged, averaged with the number of shared answers.

    Weighted, because a pair of raters with a handful of answers in common would otherwise count as much as one with
    hundreds; for two raters it is their kappa. Pairs whose kappa is undefined are left out.

    Args:
        answers: By rater, then by what was judged.
    """
    found = []
    for one, other in combinations(answers, 2):
        shared = answers[one].keys() & answers[other].keys()
        kappa = cohen_kappa([(answers[one][thing], answers[other][thing]) for thing in shared])
        if kappa is not None:
            found.append((kappa, len(shared)))
    total = sum(shared for _, shared in found)
    return Kappa(sum(kappa * shared for kappa, shared in found) / total if total else None, total)


def krippendorff_alpha(units: Iterable[Sequence[int]]) -> float | None:
    """Krippendorff's alpha for ordinal data (Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability").

    Args:
        units: What raters said of each thing; any number of them, and a unit with one value or none is passed over.

    Returns:
        1 for perfect agreement, 0 for what chance brings about; None if all values are the same, or no unit has two.
    """
    coincidences: defaultdict[tuple[int, int], float] = defaultdict(float)
    for values in units:
        for pair in permutations(values, 2):
            coincidences[pair] += 1 / (len(values) - 1)
    totals: defaultdict[int, float] = defaultdict(float)
    for (value, _), count in coincidences.items():
        totals[value] += count
    number = sum(totals.values())
    distances = {(one, other): _ordinal(totals, one, other) for one in totals for other in totals}
    expected = sum(totals[one] * totals[other] * distance for (one, other), distance in distances.items())
    observed = sum(count * distances[pair] for pair, count in coincidences.items())
    return 1 - (number - 1) * observed / expected if expected else None


def _ordinal(totals: Mapping[int, float], one: int, other: int) -> float:
    """Squared difference of two ranks: how many values lie from one to the other, with half of these two."""
    low, high = sorted((one, other))
    between = sum(count for value, count in totals.items() if low <= value <= high)
    return (between - (totals[low] + totals[high]) / 2) ** 2
