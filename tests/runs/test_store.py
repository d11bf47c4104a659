from __future__ import annotations

from pathlib import Path

import pytest

from tests.draftroom.conftest import Command


@pytest.fixture
def two_runs(draftroom: Command, paper: Path) -> list[str]:
    for _ in range(2):
        assert draftroom("explain", paper, "--variant", "single", "--quiet").exit_code == 0
    return [record["id"] for record in draftroom.records()]


def shown(draftroom: Command, name: str) -> str:
    result = draftroom("show", name)
    assert result.exit_code == 0, result.output
    return result.stdout.split()[1].rstrip(":")


def test_a_run_is_found_by_its_id_its_unique_beginning_or_as_the_last(draftroom: Command, two_runs: list[str]):
    older, newer = two_runs
    assert shown(draftroom, older) == older
    assert shown(draftroom, "last") == newer
    same = next(place for place in range(len(older)) if older[place] != newer[place])
    assert shown(draftroom, older[: same + 1]) == older


def test_an_ambiguous_beginning_lists_the_candidates(draftroom: Command, two_runs: list[str]):
    result = draftroom("show", two_runs[0][:4])
    assert result.exit_code == 52
    assert all(name in result.stderr for name in two_runs)


def test_an_unknown_run_lists_those_that_exist(draftroom: Command, two_runs: list[str]):
    result = draftroom("resume", "nothing")
    assert result.exit_code == 52
    assert all(name in result.stderr for name in two_runs)


def test_a_corrupt_record_is_reported_and_the_others_are_listed(draftroom: Command, two_runs: list[str]):
    older, newer = two_runs
    (draftroom.home / "state" / "runs" / f"{older}.json").write_text('{"id": 1', encoding="utf-8")
    listed = draftroom("runs")
    assert listed.exit_code == 0
    assert newer in listed.stdout
    assert older not in listed.stdout
    assert older in listed.stderr
    assert draftroom("show", older).exit_code == 54
