"""What a system cost: calls, tokens and seconds, role by role."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from runs.many import Record
from state.records import CallRecord


class Cost(NamedTuple):
    """Of one role in one system, over all samples that ended."""

    system: str
    role: str
    model: str
    samples: int
    """Of the system that ended, whether the role was called for them or not."""
    calls: int
    input_tokens: int
    output_tokens: int
    seconds: float
    """Sum of its calls: those of many samples run at once, so it exceeds the time that passed."""
    reasks: int
    trims: int


def costs(outputs: Mapping[tuple[str, str], Record]) -> list[Cost]:
    """Sums up the calls of each system by role, in the order in which they first occur.

    Args:
        outputs: With `calls`, by the sample's id and the system's name.
    """
    ended: dict[str, int] = {}
    groups: dict[tuple[str, str, str], list[CallRecord]] = {}
    for (_, system), output in outputs.items():
        ended[system] = ended.get(system, 0) + 1
        for call in output["calls"]:
            groups.setdefault((system, call["role"], call["model"]), []).append(call)
    return [_summed(*key, ended[key[0]], calls) for key, calls in groups.items()]


def _summed(system: str, role: str, model: str, samples: int, calls: Sequence[CallRecord]) -> Cost:
    return Cost(
        system=system,
        role=role,
        model=model,
        samples=samples,
        calls=len(calls),
        input_tokens=sum(call["input_tokens"] for call in calls),
        output_tokens=sum(call["output_tokens"] for call in calls),
        seconds=sum(call["seconds"] for call in calls),
        reasks=sum(call["reask"] for call in calls),
        trims=sum(len(call["trims"]) for call in calls),
    )
