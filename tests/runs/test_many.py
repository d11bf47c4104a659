"""Rows go on where they stopped: what failed is run again, what succeeded is not."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from langgraph.runtime import RunControl

from runs.jobs import RowWork, Workers, read_json_lines, run_rows
from state.errors import InputError, ModelUnavailableError


class Ward(RowWork):
    """Work that counts its rows; those named in `failing` raise."""

    def __init__(self, *names: str, failing: dict[str, Exception] | None = None) -> None:
        self.names, self.failing = names, failing or {}
        self.runs: list[str] = []
        self.told: list[str] = []

    async def run_row(self, row: dict[str, Any]) -> dict[str, Any]:
        self.runs.append(row["name"])
        if error := self.failing.get(row["name"]):
            raise error
        return {"text": f"of {row['name']}"}

    async def run(self, out: Path, at_once: int = 2) -> list[dict[str, Any]]:
        """The newest result of each row, by id."""
        rows = {(name,): {"name": name} for name in self.names}
        await run_rows(
            rows.items(),
            self,
            out,
            Workers(at_once),
            keys=rows,
            fields=["id"],
            on_end=lambda ended: self.told.append(str(ended)),
            control=RunControl(),
        )
        newest = {result["id"]: result for result in await asyncio.to_thread(read_json_lines, out)}
        return [newest[name] for name in self.names]


async def test_each_job_that_ends_is_told(tmp_path: Path) -> None:
    ward = Ward("a", "b", failing={"b": ModelUnavailableError("It is down.")})
    await ward.run(tmp_path / "results.jsonl")
    said = [line.split(" (")[0] for line in ward.told]
    assert sorted(line.split(" ", 1)[1] for line in said) == ["a ok", "b endpoint_down: It is down."]
    assert [line.split(" ")[0] for line in said] == ["1/2", "2/2"]


async def test_half_a_line_of_a_killed_run_is_dropped_and_its_job_run_again(tmp_path: Path) -> None:
    out = tmp_path / "results.jsonl"
    out.write_text('{"id": "a", "text": "of a"}\n{"id": "b", "te', encoding="utf-8")
    ward = Ward("a", "b")
    assert await ward.run(out) == [{"id": "a", "text": "of a"}, {"id": "b", "text": "of b"}]
    assert ward.runs == ["b"]
    assert len(await asyncio.to_thread(read_json_lines, out)) == 2


async def test_a_bug_is_no_result(tmp_path: Path) -> None:
    with pytest.raises(KeyError):
        await Ward("a", failing={"a": KeyError("x")}).run(tmp_path / "results.jsonl")


@pytest.mark.parametrize("damaged", ["{", "1" * 5000, "[" * 100_000])
async def test_a_damaged_line_is_named(tmp_path: Path, damaged: str) -> None:
    out = tmp_path / "results.jsonl"
    await Ward("a").run(out)
    with out.open("a", encoding="utf-8") as file:
        file.write(f"{damaged}\n")
    with pytest.raises(InputError, match=r"Line 2 of .*results.jsonl is no JSON"):
        await Ward("a", "b").run(out)
