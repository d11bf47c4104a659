"""What calls of models cost: by role and round in the record of a run, by system and role in an evaluation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, NotRequired, TypeVar

from typing_extensions import TypedDict

from state.records import CallRecord

Group = TypeVar("Group", bound=Hashable)


class Sums(TypedDict):
    """What some answered calls cost."""

    calls: int
    input_tokens: int
    output_tokens: int
    tokens_estimated: bool
    """Of one of them at least."""
    seconds: float
    """Sum of the calls, which exceeds the time that passed where some are made at once."""
    http_retries: int
    reasks: int
    trims: int
    endpoints: NotRequired[dict[str, int]]
    """Calls by the address that answered, of models that have several."""


class Usage(Sums):
    """What one role cost in one round."""

    role: str
    round: int


class Cost(Sums):
    """What one role of one system cost, over all samples of an evaluation that ended."""

    system: str
    role: str
    model: str
    samples: int
    """Of the system that ended, whether the role was called for them or not."""


def usage(calls: Iterable[CallRecord]) -> list[Usage]:
    """Sum up calls by round and role, in the order of their first call."""
    groups = _grouped(calls, lambda call: (call["round"], call["role"]))
    return [Usage(role=role, round=number, **added_up(group)) for (number, role), group in groups.items()]


def costs(outputs: Mapping[tuple[str, str], Mapping[str, Any]]) -> list[Cost]:
    """Sum up the calls of each system by role, in the order in which they first occur.

    Args:
        outputs: With `calls`, by the sample's id and the system's name.
    """
    found = []
    for system in dict.fromkeys(system for _, system in outputs):
        of_system = [output["calls"] for (_, name), output in outputs.items() if name == system]
        calls = (call for each in of_system for call in each)
        for (role, model), group in _grouped(calls, lambda call: (call["role"], call["model"])).items():
            found.append(Cost(system=system, role=role, model=model, samples=len(of_system), **added_up(group)))
    return found


def added_up(parts: Sequence[Sums]) -> Sums:
    """What several sums come to."""
    sums = Sums(
        calls=sum(part["calls"] for part in parts),
        input_tokens=sum(part["input_tokens"] for part in parts),
        output_tokens=sum(part["output_tokens"] for part in parts),
        tokens_estimated=any(part["tokens_estimated"] for part in parts),
        seconds=round(sum(part["seconds"] for part in parts), 3),
        http_retries=sum(part["http_retries"] for part in parts),
        reasks=sum(part["reasks"] for part in parts),
        trims=sum(part["trims"] for part in parts),
    )
    endpoints = Counter[str]()
    for part in parts:
        endpoints.update(part.get("endpoints", {}))
    if endpoints:
        sums["endpoints"] = dict(endpoints)
    return sums


def _grouped(calls: Iterable[CallRecord], group_of: Callable[[CallRecord], Group]) -> dict[Group, list[Sums]]:
    groups: dict[Group, list[Sums]] = {}
    for call in calls:
        groups.setdefault(group_of(call), []).append(_one(call))
    return groups


def _one(call: CallRecord) -> Sums:
    sums = Sums(
        calls=1,
        input_tokens=call["input_tokens"],
        output_tokens=call["output_tokens"],
        tokens_estimated=call["tokens_estimated"],
        seconds=call["seconds"],
        http_retries=call["http_retries"],
        reasks=int(call["reask"]),
        trims=len(call["trims"]),
    )
    if "endpoint" in call:
        sums["endpoints"] = {call["endpoint"]: 1}
    return sums
