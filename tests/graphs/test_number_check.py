"""A model reads numbers, code computes: what is found, what is left out, and what happens to nonsense."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from graphs.number_check import graph
from tests.fake_endpoint import FakeEndpoint, Json, Script, Status, Text, When

TWICE = "Of the 48 people who began, all were followed up. The 46 people who began were older than the others."
PARTS = "We asked 60 growers: 24 grew on peat, 21 on sand and 18 on loam, each on one soil only."
QUIET = "Growers like to talk about their soils, and few of them keep a diary."
PAPER = f"# Soils\n\n## Results\n\n{TWICE}\n\n{QUIET}\n\n{PARTS}\n"


def entry(kind: str, quote: str, numbers: Sequence[tuple[str, str]], *remarks: str, name: str = "people") -> Any:
    """An entry as the model types it."""
    roles = [{"role": role, "number": number} for role, number in numbers]
    return {"quote": quote, "kind": kind, "name": name, "numbers": roles, "remarks": list(remarks)}


BEGAN = entry(
    "number told twice", "the 48 people who began … The 46 people who began", [("told", "48"), ("told", "46")]
)
SOILS = entry(
    "parts of a whole",
    "60 growers: 24 grew on peat, 21 on sand and 18 on loam",
    [("total", "60"), ("part", "24"), ("part", "21"), ("part", "18")],
    "no overlap",
    name="growers",
)


def answers(readings: Mapping[str, Sequence[Any]]) -> Script:
    """Answers with these entries to the passages that hold these words."""
    return Script([When(Json({"entries": entries}), prompt=words) for words, entries in readings.items()])


async def check(endpoint: FakeEndpoint, paper: str = PAPER, **choices: Any) -> dict[str, Any]:
    default = {"base_url": endpoint.base_url, "model": "large", "retries": 0, "timeout_s": 20}
    result: dict[str, Any] = await graph.ainvoke({"paper": paper}, context={"models": {"default": default}, **choices})
    return result


async def read(endpoint: FakeEndpoint, passage: str, *entries: Any) -> dict[str, Any]:
    """Check a paper of one passage of which the model reads these entries."""
    endpoint.answer = answers({passage: entries})
    return await check(endpoint, f"# A\n\n## Results\n\n{passage}\n")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"quote": "the 48 people who began … The 47 people who began"}, "the quote does not stand in the passage"),
        ({"numbers": [{"role": "told", "number": "48"}, {"role": "told", "number": "4"}]}, "4 does not stand in"),
        ({"numbers": [{"role": "told", "number": "48"}, {"role": "told", "number": "46.0"}]}, "46.0 does not stand"),
        ({"numbers": [{"role": "told", "number": "48"}]}, "its numbers are not two"),
        ({"kind": "t"}, "it has 0 degrees of freedom"),
        ({"quote": TWICE}, "its quote is of one place"),
    ],
)
async def test_what_the_passage_does_not_print_is_dropped_and_told(
    fake_endpoint: FakeEndpoint, change: dict[str, Any], told: str
) -> None:
    result = await read(fake_endpoint, TWICE, {**BEGAN, **change}, BEGAN)
    assert len(result["findings"]) == 1, "that of the other entry"
    (line,) = result["unread"]
    assert line.startswith("p1, entries of the model, 1: ")
    assert told in line


@pytest.mark.parametrize("reply", [Text("I would rather not."), Json({"entries": [{"kind": "rumour"}]}), Status(400)])
async def test_a_passage_that_the_model_does_not_read_is_listed(fake_endpoint: FakeEndpoint, reply: Any) -> None:
    fake_endpoint.answer = Script([When(reply, prompt=TWICE), When(Json({"entries": [SOILS]}))])
    result = await check(fake_endpoint)
    assert [found["kind"] for found in result["findings"]] == ["parts of a whole"], "the other passage is read"
    (line,) = result["unread"]
    assert line.startswith("p1, by the model: ")
    assert [bool(reading["problem"]) for reading in sorted(result["readings"], key=lambda each: each["paragraph"])] == [
        True,
        False,
    ]


async def test_what_code_finds_alone_is_found_and_kinds_are_left_out(fake_endpoint: FakeEndpoint) -> None:
    share = "It held in 20% (8 of 32) of the plants."
    fake_endpoint.answer = answers({TWICE: [BEGAN], "20%": []})
    paper = f"# A\n\n## Results\n\n{TWICE}\n\n{share}\n"
    assert len((await check(fake_endpoint, paper))["findings"]) == 2
    (found,) = (await check(fake_endpoint, paper, without=["number told twice"]))["findings"]
    assert found["kind"] == "percentage"
    assert (await check(fake_endpoint, paper, severity="high"))["findings"] == []


async def test_the_model_says_what_numbers_mean_that_code_has_read(fake_endpoint: FakeEndpoint) -> None:
    text = "As we had predicted more growth, and tested for that alone, we kept it, t(38) = 1.80, p = .040."
    roles = [("statistic", "1.80"), ("df", "38"), ("p", ".040")]
    (found,) = (await read(fake_endpoint, text))["findings"]
    assert found["kind"] == "test and p-value"
    result = await read(fake_endpoint, text, entry("t", "t(38) = 1.80, p = .040", roles, "one-sided"))
    assert result["findings"] == []
    assert result["read"]["test"] == 1


async def test_a_paper_without_numbers_asks_nothing(fake_endpoint: FakeEndpoint) -> None:
    result = await check(fake_endpoint, f"# A\n\n{QUIET}\n")
    assert fake_endpoint.requests == []
    assert result["finished"]


@pytest.mark.parametrize(
    ("text", "kind", "roles", "remark", "computed"),
    [
        ("An F of 4.27 at 1 and 143 had p < .001.", "F", "statistic 4.27,df 1,df 143,p .001", "", "F(1, 143) = 4.27"),
        ("Nineteen gave marks: 3.45.", "mean", "mean 3.45,n nineteen", "whole numbers", "no 19 whole numbers"),
        ("Twelve grew, 5% of 1,240 seeds.", "proportion", "count twelve,total 1240,percentage 5%", "", "12 of 1240"),
        ("It was 0.7, from 0.1 to 0.5.", "estimate", "value 0.7,low 0.1,high 0.5", "difference", "0.7 lies outside"),
    ],
)
async def test_each_kind_is_computed(
    fake_endpoint: FakeEndpoint, text: str, kind: str, roles: str, remark: str, computed: str
) -> None:
    numbers = [(each.split()[0], each.split()[1]) for each in roles.split(",")]
    assert (await read(fake_endpoint, text))["findings"] == []
    (found,) = (await read(fake_endpoint, text, entry(kind, text, numbers, *filter(None, [remark]))))["findings"]
    assert computed in found["computation"]


@pytest.mark.parametrize("text", ["t(38) ≥ 2.05, p = .047", "t(0) = 2.05, p = .047", "t(38) = 2.05, p = 4.7"])
async def test_a_test_that_cannot_be_is_dropped(fake_endpoint: FakeEndpoint, text: str) -> None:
    statistic, degrees = "2.05", text[2:].partition(")")[0]
    roles = [("statistic", statistic), ("df", degrees), ("p", text.rpartition(" ")[2])]
    result = await read(fake_endpoint, text, entry("t", text, roles))
    assert "cannot be" in result["unread"][0]


async def test_a_table_is_read_as_rows(fake_endpoint: FakeEndpoint) -> None:
    paper = "# A\n\n| Soil | Growers |\n|---|---|\n| Peat | 24 |\n| Sand | 21 |\n| All | 60 |\n"
    roles = [("total", "60"), ("part", "24"), ("part", "21")]
    soils = entry("parts of a whole", "Peat | 24 … Sand | 21 … All | 60", roles, "no overlap", "all parts")
    fake_endpoint.answer = Script([When(Json({"entries": [soils]}), prompt="Peat | 24\nSand | 21")])
    (found,) = (await check(fake_endpoint, paper))["findings"]
    assert found["computation"] == "people: 24 + 21 = 45, printed is 60"


@pytest.mark.parametrize(
    ("total", "parts", "remarks", "is_found"),
    [
        ("60", ("24", "21", "15"), ("no overlap", "all parts"), False),
        ("60", ("24", "21", "14"), ("no overlap", "all parts"), True),
        ("60", ("24", "21", "14"), ("no overlap",), False),
        ("60", ("24", "21", "18"), ("all parts",), False),
        ("100%", ("33%", "33%", "33%"), ("no overlap", "all parts"), False),
        ("100%", ("33.0%", "33.0%", "33.0%"), ("no overlap", "all parts"), True),
    ],
)
async def test_parts_are_added_up_where_they_do_not_overlap(
    fake_endpoint: FakeEndpoint, total: str, parts: tuple[str, ...], remarks: tuple[str, ...], is_found: bool
) -> None:
    text = f"Of the whole ({total}), the growers had {', '.join(parts)} in three years."
    roles = [("total", total), *(("part", part) for part in parts)]
    result = await read(fake_endpoint, text, entry("parts of a whole", text, roles, *remarks))
    assert result["unread"] == []
    assert bool(result["findings"]) is is_found
