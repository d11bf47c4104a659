"""Papers with reviews become paragraph-review pairs, and every stage is counted."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from state.errors import BadInput
from tests.training.toy_reviews import LIGHT, SHARED, TEA, paper, write
from training.review_filters.classifier import ReviewClassifier
from training.review_filters.compile_pairs import CompileRules, compile_pairs, main
from training.review_filters.linking import LinkRules
from training.review_filters.pairs import SplitRules

CORPUS = [
    paper(
        ["They write “24 seedlings of cress under white light”. Why not 25? Thank you.", "Good."],
        "They write “24 seedlings of cress under white light”. Why not 25? Thank you.",
        "“raised 24 seedlings of cress” and “Growing of the seedlings in light”.",
        paragraphs=[LIGHT, TEA, SHARED],
        split="dev",
        license="CC BY 4.0",
        journal="unknown fields do no harm",
    ),
    paper("Recap: “cold tea slows growth”.", paper_id="tea"),
]

RULES = CompileRules(links=LinkRules(quoted_words=4, following=2))


class Label(NamedTuple):
    label: str
    probability: float


def purposes(texts: Sequence[str]) -> list[Label]:
    return [Label("Todo" if text.endswith("?") else "Recap", 0.9) for text in texts]


def aspects(texts: Sequence[str]) -> list[Label]:
    return [Label("Substance" if "25" in text else "Clarity", 0.8) for text in texts]


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_every_stage_is_counted(tmp_path: Path) -> None:
    papers, out = write(tmp_path / "papers.jsonl", CORPUS), tmp_path / "pairs.jsonl"
    compiled = compile_pairs(papers, out, RULES, purpose=purposes, aspect=aspects)
    counts = compiled.counts
    assert (counts.papers, counts.reviews, counts.sentences) == (2, 4, 9)
    assert (counts.quoting, counts.ambiguous, counts.headings) == (3, 1, 1)
    assert (counts.linked, counts.with_purpose, counts.with_aspect, counts.pairs) == (3, 2, 2, 1)
    assert [tuple(split) for split in counts.splits] == [("train", 0, 0), ("dev", 1, 1), ("test", 0, 0)]
    assert len(compiled.linked) == 3
    assert read(out) == compiled.pairs


def test_a_pair_says_where_it_comes_from_and_what_it_rests_on(tmp_path: Path) -> None:
    papers, out = write(tmp_path / "papers.jsonl", CORPUS), tmp_path / "pairs.jsonl"
    compile_pairs(papers, out, RULES, purpose=purposes, aspect=aspects)
    (pair,) = read(out)
    quoting = "They write “24 seedlings of cress under white light”."
    sentences = pair.pop("review_sentences")
    assert pair == {
        "id": "cress/p1/r1_1@0",
        "paper_id": "cress",
        "paper_title": "Growing cress with nothing but tea and light",
        "paragraph_id": "p1",
        "section": "Methods > Growing of the seedlings in light",
        "paragraph": LIGHT,
        "review": f"{quoting} Why not 25? Thank you.",
        "feedback": "Why not 25?",
        "aspect": "Substance",
        "aspect_probability": 0.8,
        "review_context": [f"{quoting} Why not 25? Thank you."],
        "quotes": [{"verbatim_words": 7, "verbatim_span": "24 seedlings of cress under white light"}],
        "review_id": "r1",
        "link_types": ["verbatim_quoted"],
        "source_dataset": None,
        "domain": None,
        "split": "dev",
        "license": "CC BY 4.0",
    }
    assert [(each["id"], each["text"], each["label"], each["aspect"], each["link_types"]) for each in sentences] == [
        ("r1_1@0", quoting, "Recap", None, ["verbatim_quoted"]),
        ("r1_1@1", "Why not 25?", "Todo", "Substance", []),
        ("r1_1@2", "Thank you.", "Recap", None, []),
    ]


def test_without_filters_every_link_is_kept_and_nothing_is_called_feedback(tmp_path: Path) -> None:
    papers, out = write(tmp_path / "papers.jsonl", CORPUS), tmp_path / "pairs.jsonl"
    counts = compile_pairs(papers, out, RULES, progress=True).counts
    assert (counts.linked, counts.with_purpose, counts.with_aspect, counts.pairs) == (3, None, None, 2)
    assert {(pair["feedback"], pair["aspect"]) for pair in read(out)} == {(None, None)}


def test_rules_are_followed(tmp_path: Path) -> None:
    papers, out = write(tmp_path / "papers.jsonl", CORPUS), tmp_path / "pairs.jsonl"
    rules = CompileRules(links=LinkRules(quoted_words=5, following=0), splits=SplitRules(redraw=True, dev=0, test=1))
    compile_pairs(papers, out, rules)
    (pair,) = read(out)
    assert (pair["split"], len(pair["review_sentences"])) == ("test", 1)


def test_the_same_corpus_gives_the_same_file(tmp_path: Path) -> None:
    papers, first, second = write(tmp_path / "papers.jsonl", CORPUS), tmp_path / "1.jsonl", tmp_path / "2.jsonl"
    compile_pairs(papers, first)
    second.write_text("what stood there is replaced")
    compile_pairs(papers, second)
    assert first.read_bytes() == second.read_bytes() != b""
    assert sorted(path.name for path in tmp_path.iterdir()) == ["1.jsonl", "2.jsonl", "papers.jsonl"]


def never(texts: Sequence[str]) -> list[Label]:
    raise AssertionError("no work is done on bad input")


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([], "is empty"),
        (["", "  "], "is empty"),
        ([paper(), "{"], "Line 2"),
        ([paper(), "", "[]"], "Line 3"),
        ([paper(), {"paper_id": "x", "sections": []}], "Line 2.*reviews"),
        ([paper(paper_id=" ")], "Line 1.*paper_id"),
        ([paper(split="validation")], "Line 1.*split"),
        (['{"paper_id": "\\ud800", "sections": [], "reviews": []}'], "Line 1"),
        ([paper(), paper(paper_id="x"), paper()], "Lines 1 and 3 .*'cress'"),
        ([{**paper(), "sections": paper()["sections"] * 2}], "Line 1.*paragraphs.*'p1'"),
        ([{**paper("Good."), "reviews": paper("Good.")["reviews"] * 2}], "Line 1.*reviews.*'r1'"),
    ],
)
def test_a_bad_corpus_is_refused_with_its_line_before_any_work(
    tmp_path: Path, lines: list[dict[str, Any] | str], message: str
) -> None:
    papers, out = write(tmp_path / "papers.jsonl", lines), tmp_path / "pairs.jsonl"
    with pytest.raises(BadInput, match=message):
        compile_pairs(papers, out, purpose=never)
    assert not out.exists()


def test_files_that_cannot_be_used_are_refused(tmp_path: Path) -> None:
    papers = write(tmp_path / "papers.jsonl", CORPUS)
    latin = tmp_path / "latin.jsonl"
    latin.write_bytes(json.dumps(CORPUS[1], ensure_ascii=False).encode("cp1252"))
    with pytest.raises(BadInput, match=r"nothing\.jsonl cannot be read"):
        compile_pairs(tmp_path / "nothing.jsonl", tmp_path / "pairs.jsonl")
    with pytest.raises(BadInput, match="Line 1"):
        compile_pairs(latin, tmp_path / "pairs.jsonl")
    for out in (tmp_path, tmp_path / "no folder" / "pairs.jsonl", tmp_path / ("long" * 100)):
        with pytest.raises(BadInput, match="cannot be written"):
            compile_pairs(papers, out, purpose=never)
    with pytest.raises(BadInput, match="the corpus itself"):
        compile_pairs(papers, tmp_path / "." / "papers.jsonl", purpose=never)


def test_a_file_that_cannot_be_written_in_the_end_is_told_in_a_sentence(tmp_path: Path) -> None:
    papers, folder = write(tmp_path / "papers.jsonl", CORPUS), tmp_path / "out"
    folder.mkdir()

    def meanwhile(texts: Sequence[str]) -> list[Label]:
        folder.rmdir()
        return purposes(texts)

    with pytest.raises(BadInput, match="cannot be written"):
        compile_pairs(papers, folder / "pairs.jsonl", purpose=meanwhile)


def test_trained_classifiers_are_loaded_from_their_folders(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    papers, out = write(tmp_path / "papers.jsonl", CORPUS), tmp_path / "pairs.jsonl"
    ReviewClassifier("purpose", ["Todo"]).save(tmp_path / "purpose")
    ReviewClassifier("aspect", ["Substance"]).save(tmp_path / "aspect")
    folders = ["--purpose", str(tmp_path / "purpose"), "--aspect", str(tmp_path / "aspect")]
    annotated = write(tmp_path / "annotated.jsonl", ANNOTATED)
    main([str(papers), "--out", str(out), *folders, "--compare", str(annotated)])
    found = rows(capsys.readouterr().out)
    assert ["after the purpose filter", "3"] in found
    assert ["after the aspect filter", "3"] in found
    assert len([row for row in found if row[0] == "recall: any"]) == 3
    assert {(pair["feedback"] == pair["review"], pair["aspect"]) for pair in read(out)} == {(True, "Substance")}


def test_a_classifier_of_another_task_is_refused(tmp_path: Path) -> None:
    papers, out = write(tmp_path / "papers.jsonl", CORPUS), tmp_path / "pairs.jsonl"
    ReviewClassifier("purpose", ["Todo"]).save(tmp_path / "purpose")
    with pytest.raises(SystemExit, match="one of purposes"):
        main([str(papers), "--out", str(out), "--aspect", str(tmp_path / "purpose")])


LINKED = "They write “24 seedlings of cress under white light”."
ANNOTATED: list[dict[str, Any]] = [
    {
        "paper_id": "cress",
        "paragraph_id": "p1",
        "link_types": ["gold_explicit_quote", "gold_implicit"],
        "review_sentences": [
            {"text": f"{LINKED[:10]}  {LINKED[10:]}", "link_types": ["gold_explicit_quote"]},
            {"text": "A sentence that the corpus lacks.", "link_types": ["gold_implicit"]},
        ],
    },
    {
        "paper_id": "cress",
        "paragraph_id": "p3",
        "link_types": ["gold_implicit"],
        "review_sentences": [{"text": "Another one.", "link_types": ["gold_implicit"]}],
    },
    {"paper_id": "cress", "paragraph_id": "p2", "link_types": ["gold_implicit"]},
    {"paper_id": "cress", "paragraph_id": "p1", "link_types": ["gold_explicit_quote"], "review": "another"},
]


def rows(printed: str) -> list[list[str]]:
    """The cells of all tables."""
    return [[cell.strip() for cell in line.strip("│ ").split("│")] for line in printed.splitlines() if "│" in line]


def test_the_command_tells_what_agrees_with_annotated_links(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    papers, out = write(tmp_path / "papers.jsonl", CORPUS), tmp_path / "pairs.jsonl"
    annotated = write(tmp_path / "annotated.jsonl", ANNOTATED)
    main([str(papers), "--out", str(out), "--compare", str(annotated), "--seed", "3"])
    found = rows(capsys.readouterr().out)
    assert ["papers", "2"] in found
    assert ["after the purpose filter", "-"] in found
    assert ["dev, of 1 papers", "1"] in found
    precise = [["precision: any", "1", "1", "100.0%"], ["precision: verbatim_quoted", "1", "1", "100.0%"]]
    assert [row for row in found if row[0].startswith(("recall", "precision"))] == [
        ["recall: any", "1", "3", "33.3%"],
        ["recall: gold_explicit_quote", "1", "1", "100.0%"],
        ["recall: gold_implicit", "1", "3", "33.3%"],
        *precise,
        ["recall: any", "1", "2", "50.0%"],  # of those whose sentences the corpus has
        ["recall: gold_explicit_quote", "1", "1", "100.0%"],
        ["recall: gold_implicit", "0", "1", "0.0%"],
        *precise,
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--dev", "0.7", "--test", "0.7"], "more than all"),
        (["--minimum-words", "0"], "minimum_words"),
        (["--seed", "many"], "seed"),
        (["--compare", "no such file"], "cannot be read"),
        (["--purpose", "no such folder"], "no such folder"),
    ],
)
def test_the_command_refuses_what_it_cannot_do_in_a_sentence(
    tmp_path: Path, arguments: list[str], message: str
) -> None:
    papers, out = write(tmp_path / "papers.jsonl", CORPUS), tmp_path / "pairs.jsonl"
    with pytest.raises(SystemExit, match=message):
        main([str(papers), "--out", str(out), *arguments])
    assert not out.exists()


def test_pairs_that_no_annotated_paper_has_are_not_called_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    papers, out = write(tmp_path / "papers.jsonl", CORPUS), tmp_path / "pairs.jsonl"
    annotated = write(tmp_path / "annotated.jsonl", [{**ANNOTATED[0], "paper_id": "unknown"}])
    main([str(papers), "--out", str(out), "--compare", str(annotated)])
    assert ["precision: any", "0", "0", "-"] in rows(capsys.readouterr().out)
