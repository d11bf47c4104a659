"""What raters see: blinded, complete, in random order, and named again by the key."""

from __future__ import annotations

from collections import Counter
from html import unescape
from itertools import combinations, pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from evals.human.blinding import build_comparison_tasks, build_rating_tasks
from evals.human.label_studio import build_comparison_config, build_rating_config
from evals.task import Item
from tests.support.raters import LINK, SAMPLES, SYSTEMS, WRITTEN, candidates, paper_of

SEEDS = st.integers()


@given(SEEDS)
@settings(deadline=None)
def test_the_key_names_the_writer_of_every_text(seed: int) -> None:
    texts, key = build_rating_tasks(candidates(), seed=seed)
    revealed = [key.find_hidden_item(text["data"]["item"], system_count=1) for text in texts]
    assert [(each.sample, *each.systems) for each in revealed] == [WRITTEN[text["data"]["text"]] for text in texts]
    assert sorted(WRITTEN) == sorted(text["data"]["text"] for text in texts)


@given(SEEDS)
@settings(deadline=None)
def test_the_key_names_the_writers_of_every_comparison(seed: int) -> None:
    sheets, key = build_comparison_tasks(candidates(), seed=seed)
    pairs = []
    for sheet in sheets:
        hidden = key.find_hidden_item(sheet["data"]["item"], system_count=2)
        first, second = hidden.systems
        assert WRITTEN[sheet["data"]["first"]] == (hidden.sample, first)
        assert WRITTEN[sheet["data"]["second"]] == (hidden.sample, second)
        pairs.append((hidden.sample, frozenset(hidden.systems)))
    assert Counter(pairs) == Counter(
        (sample, frozenset(pair)) for sample in SAMPLES for pair in combinations(SYSTEMS, 2)
    )


@given(SEEDS)
@settings(deadline=None)
def test_nothing_that_a_rater_gets_names_a_system_or_a_sample(seed: int) -> None:
    texts, _ = build_rating_tasks(candidates(), seed=seed)
    pairs, _ = build_comparison_tasks(candidates(), seed=seed)
    seen = "".join(map(str, [texts, pairs, build_rating_config(), build_comparison_config()]))
    assert [name for name in (*SYSTEMS, *SAMPLES) if name in seen] == []


def test_the_comparisons_of_a_sample_stand_together() -> None:
    sheets, _ = build_comparison_tasks(candidates(), seed=4)
    paragraphs = [sheet["data"]["paragraph"] for sheet in sheets]
    changes = sum(before != after for before, after in pairwise(paragraphs))
    assert changes == len(SAMPLES) - 1


def test_the_seed_makes_order_sides_and_names() -> None:
    sheets, _ = build_comparison_tasks(candidates(), seed=4)
    assert build_comparison_tasks(candidates(SAMPLES[::-1]), seed=4)[0] == sheets, (
        "it does not hang on the order of the file"
    )
    others = [build_comparison_tasks(candidates(), seed=seed)[0] for seed in range(20)]
    assert len({tuple(sheet["data"]["paragraph"] for sheet in other) for other in others}) > 1
    assert len({tuple(sheet["data"]["item"] for sheet in other) for other in others}) == 20
    sides = Counter(WRITTEN[sheet["data"]["first"]][1] for other in others for sheet in other)
    assert set(sides) == set(SYSTEMS)
    expected = 20 * len(SAMPLES) * (len(SYSTEMS) - 1) / 2
    assert all(abs(count - expected) < 30 for count in sides.values()), "each stands first about half the time"


def test_another_sample_changes_nothing_about_the_others() -> None:
    fewer, _ = build_comparison_tasks(candidates(SAMPLES[:2]), seed=4)
    more, _ = build_comparison_tasks(candidates(), seed=4)
    assert [sheet for sheet in more if sheet in fewer] == fewer


def test_a_text_is_shown_without_markdown() -> None:
    text = "# Thirsty moss\n\nMoss *drinks* **rain**.\n\n- It has no roots."
    (shown,), _ = build_rating_tasks(
        {"moss": {"Umber": Item({"title": "", "abstract": "Moss.", "link": ""}, text, {})}}, seed=0
    )
    assert shown["data"]["text"] == "Thirsty moss\n\nMoss drinks rain.\n\nIt has no roots."


def test_the_paper_itself_is_shown_where_no_link_leads_to_it() -> None:
    linked, _ = build_comparison_tasks(candidates(), seed=0)
    assert {(LINK in unescape(sheet["data"]["anchor"]), sheet["data"]["paper"]) for sheet in linked} == {(True, "")}
    shown, _ = build_comparison_tasks(candidates(link=""), seed=0)
    assert {(sheet["data"]["anchor"], sheet["data"]["paper"]) for sheet in shown} == {
        ("", paper_of(sample)) for sample in SAMPLES
    }


def test_a_link_can_be_clicked_and_cannot_break_out_of_its_attribute() -> None:
    escaped = LINK.replace("&", "&amp;")
    tasks, _ = build_comparison_tasks(candidates(), seed=3)
    anchor = f'<a href="{escaped}" target="_blank" rel="noopener noreferrer">{escaped}</a>'
    assert {task["data"]["anchor"] for task in tasks} == {anchor}
    hostile = candidates(link='https://x/"><script>alert(1)</script>')
    assert "<script>" not in build_comparison_tasks(hostile, seed=3)[0][0]["data"]["anchor"]
