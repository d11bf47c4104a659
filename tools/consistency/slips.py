"""Slips of the hand: numbers that differ as a mistyped one differs from the one that was meant."""

from __future__ import annotations

from tools.consistency.printed import Printed


def one_slip(number: Printed, meant: float) -> bool:
    """Whether one wrong, missing or doubled digit, or two exchanged ones, make a printed number of the one meant."""
    if meant <= 0:
        return False
    scale = 1 / (2 * number.half)
    return digits_differ_by_slip(str(round(number.value * scale)), str(round(meant * scale)))


def digits_differ_by_slip(one: str, other: str) -> bool:
    """Whether two rows of digits differ in one place, or by one digit more, or by two in the other order."""
    if one == other:
        return False
    if len(one) == len(other):
        places = [at for at, pair in enumerate(zip(one, other, strict=True)) if pair[0] != pair[1]]
        return len(places) == 1 or are_exchanged(one, other)
    longer, shorter = (one, other) if len(one) > len(other) else (other, one)
    return len(longer) == len(shorter) + 1 and any(
        longer[:at] + longer[at + 1 :] == shorter for at in range(len(longer))
    )


def are_exchanged(one: str, other: str) -> bool:
    """Whether two rows of digits are alike but for two that have changed places."""
    if len(one) != len(other):
        return False
    places = [at for at, pair in enumerate(zip(one, other, strict=True)) if pair[0] != pair[1]]
    return len(places) == 2 and one[places[0]] == other[places[1]] and one[places[1]] == other[places[0]]
