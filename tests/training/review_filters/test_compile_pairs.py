"""Comments of reviews become pairs with the paragraphs that they quote, filtered and split by paper."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from transformers import AutoModelForSequenceClassification

from tests.support.corpus_files import write_f1000rd
from tests.tools.tiny_bert import write_encoder, write_tokenizer
from training.review_filters.classifier import MODEL_FOLDER
from training.review_filters.compile_pairs import compile_pairs, list_review_pairs, main, split_review_sentences
from training.review_filters.labelled_sentences import LABELS, Task
from training.review_filters.papers import Paper, read_reviewed_papers

LIGHT = "We raised 24 seedlings of cress under white light for ten days and watered them every morning."
TEA = "Cold tea slows growth, as earlier work has shown; its “caffeine” is thought to be the self-evident cause."


def paper(*reviews: str, paper_id: str = "cress", paragraphs: Sequence[str] = (LIGHT, TEA), **fields: Any) -> Paper:
    """Its paragraphs are p1, p2, ..., its reviews r1, r2, ..."""
    return Paper.model_validate(
        {
            "paper_id": paper_id,
            "sections": [
                {
                    "heading": "Methods",
                    "paragraphs": [{"id": f"p{n}", "text": text} for n, text in enumerate(paragraphs, start=1)],
                }
            ],
            "reviews": [{"review_id": f"r{n}", "paragraphs": [text]} for n, text in enumerate(reviews, start=1)],
            **fields,
        }
    )


def links_of(found: Paper) -> list[tuple[str, list[str]]]:
    pairs = list_review_pairs(found)
    return [(each["paragraph_id"], [part["text"] for part in each["review_sentences"]]) for each in pairs]


def linked(*reviews: str, **fields: Any) -> list[tuple[str, list[str]]]:
    return links_of(paper(*reviews, **fields))


@pytest.mark.parametrize(
    "sentence",
    [
        'How long is "watered them every morning"?',
        "“24 seedlings” are few.",
        "They write Under  WHITE light, for (ten) days and stop.",
        "Why seedlings of cress under white light and no others?",
        "``under white light'' is no light for cress.",
        "“We raised 24 seedlings [...] under white light” is unclear.",
    ],
)
def test_a_quotation_is_found_however_it_was_typed(sentence: str) -> None:
    assert linked(sentence) == [("p1", [sentence])]


@pytest.mark.parametrize(
    "sentence",
    [
        "Seedlings of cress under light are few.",
        'The "method" is bad.',
        'Say "slow tea" instead.',
        "",
        "It's 5\" long.",
    ],
)
def test_what_is_no_quotation_of_a_paragraph(sentence: str) -> None:
    assert linked(sentence) == []


def test_the_longest_run_decides_and_two_of_one_length_do_not() -> None:
    shared = "We raised 24 seedlings of cress, and most of them died."
    sentence = "We raised 24 seedlings of cress under what?"
    assert linked(sentence, paragraphs=[LIGHT, shared]) == [("p1", [sentence])]
    assert linked("We raised 24 seedlings of cress where?", paragraphs=[LIGHT, shared]) == []


def test_one_sentence_that_follows_belongs_to_the_quotation() -> None:
    first, second, third = '"Under white light" is vague.', "Which lamp was it?", "The rest is fine."
    assert linked(f"{first} {second} {third}") == [("p1", [first, second])]
    other = '"Cold tea" is vague as well.'
    assert linked(f"{first} {other} {second}") == [("p1", [first]), ("p2", [other, second])]
    assert linked(f"{first} {second} {first}") == [("p1", [first, second, first])]


def test_a_quotation_of_two_sentences_is_in_one() -> None:
    assert split_review_sentences('They write "It grew. It died." and stop. Why?') == [
        'They write "It grew. It died." and stop.',
        "Why?",
    ]


PURPOSES = {"vague": "Weakness", "lamp": "Todo", "fine": "Strength"}
ASPECTS = {"vague": "Clarity", "lamp": "Replicability"}


def labelling(labels: Mapping[str, str]) -> Any:
    """A classifier that knows words."""
    return lambda texts: [next((label for word, label in labels.items() if word in text), "Other") for text in texts]


def test_pairs_keep_criticism_of_the_five_aspects_only() -> None:
    corpus = [
        paper('"White light" is fine. Which lamp was it?', '"Cold tea" is vague.', '"Ten days" are fine.'),
        paper('"Cold tea" is of which lamp?', paper_id="other", split="dev", license="CC BY"),
    ]

    pairs, counts = compile_pairs(corpus, purpose=labelling(PURPOSES), aspect=labelling(ASPECTS))

    assert [(pair["paper_id"], pair["paragraph_id"], pair["feedback"], pair["aspect"]) for pair in pairs] == [
        ("cress", "p1", "Which lamp was it?", "Replicability"),
        ("other", "p2", '"Cold tea" is of which lamp?', "Replicability"),
    ]
    assert pairs[0]["review"] == '"White light" is fine. Which lamp was it?'
    assert (pairs[0]["review_id"], pairs[1]["split"], pairs[1]["license"]) == ("r1", "dev", "CC BY")
    assert list(counts.values())[:5] == [2, 4, 3, 2, 2]


def test_without_filters_every_comment_is_kept_once_and_nothing_is_called_feedback() -> None:
    pairs, _ = compile_pairs([paper('"White light" is fine.', '"White light" is fine.', '"Cold tea" is fine.')])
    assert [(pair["review"], pair["feedback"], pair["aspect"]) for pair in pairs] == [
        ('"White light" is fine.', None, None),
        ('"Cold tea" is fine.', None, None),
    ]


def test_no_paper_is_in_two_splits_and_the_seed_draws_them() -> None:
    corpus = [paper('"White light" is fine.', '"Cold tea" is fine.', paper_id=str(number)) for number in range(30)]
    drawn = []
    for seed in (0, 0, 1):
        pairs, _ = compile_pairs(corpus, seed=seed)
        splits = {(pair["paper_id"], pair["split"]) for pair in pairs}
        assert len(splits) == 30
        assert sorted(split for _, split in splits if split != "train") == ["dev"] * 3 + ["test"] * 3
        drawn.append(splits)
    assert drawn[0] == drawn[1] != drawn[2]


# Annotated links


def test_links_that_people_have_annotated_count_and_not_what_is_quoted(tmp_path: Path) -> None:
    (found,) = read_reviewed_papers(write_f1000rd(tmp_path, splits={"7-1": "dev"}))
    assert found.split == "dev"
    assert links_of(found) == [
        ("7-1_v1_4", ["A nice paper.", "How much tea?", "Daily is too often."]),
        ("7-1_v1_6", ["They poured tea."]),
    ]


def test_comments_of_aries_are_linked_to_the_paragraphs_that_their_edits_have_changed(tmp_path: Path) -> None:
    body = [{"text": LIGHT, "section": "Methods"}, {"text": "Nothing.", "section": "Methods"}]
    parsed = {"pdf_parse": {"body_text": body, "back_matter": [{"text": TEA, "section": "Appendix"}]}}
    edits = [
        {"edit_id": 0, "source_idxs": [0], "target_idxs": [0]},
        {"edit_id": 1, "source_idxs": [], "target_idxs": [1]},
        {"edit_id": 2, "source_idxs": [2], "target_idxs": [2]},
    ]
    said = ["Which lamp was it?", "Add a discussion.", "Cite it."]
    files: dict[str, list[dict[str, Any]]] = {
        "paper_edits": [{"doc_id": "cress", "source_pdf_id": "a1", "target_pdf_id": "a2", "edits": edits}],
        "review_comments": [
            {"doc_id": "cress", "comment_id": number, "comment": text, "comment_context": ""}
            for number, text in enumerate(said)
        ],
        "edit_labels_test": [
            {"doc_id": "cress", "comment_id": 0, "positive_edits": [0, 2], "negative_edits": [1]},
            {"doc_id": "cress", "comment_id": 1, "positive_edits": [1], "negative_edits": [0, 2]},
            {"doc_id": "cress", "comment_id": 2, "positive_edits": [2], "negative_edits": []},
        ],
    }
    (tmp_path / "s2orc").mkdir()
    (tmp_path / "s2orc" / "a1.json").write_text(json.dumps(parsed), encoding="utf-8")
    for name, records in files.items():
        (tmp_path / f"{name}.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in records), encoding="utf-8")
    pairs, _ = compile_pairs(read_reviewed_papers(tmp_path))
    assert [(pair["review"], pair["paragraph"], pair["section"], pair["split"]) for pair in pairs] == [
        (said[0], LIGHT, "Methods", "test"),
        (said[0], TEA, "Appendix", "test"),
        (said[2], TEA, "Appendix", "test"),
    ]


# The command


def write(path: Path, *papers: Paper) -> Path:
    path.write_text("".join(f"{each.model_dump_json()}\n" for each in papers), encoding="utf-8")
    return path


def write_classifier(folder: Path, task: Task, label: str) -> str:
    """One that has the same label for every sentence."""
    labels = {name: number for number, name in enumerate(LABELS[task])}
    encoder, names = write_encoder(folder.with_suffix(".encoder"), []), dict(enumerate(labels))
    model = AutoModelForSequenceClassification.from_pretrained(encoder, label2id=labels, id2label=names)
    model.classifier.weight.data.zero_()
    model.classifier.bias.data[labels[label]] = 1
    model.save_pretrained(folder / MODEL_FOLDER)
    write_tokenizer(folder / MODEL_FOLDER, [])
    return str(folder)


def test_the_command_writes_pairs_with_the_classifiers_of_its_folders(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    purpose = write_classifier(tmp_path / "purpose", "purpose", "Todo")
    aspect = write_classifier(tmp_path / "aspect", "aspect", "Replicability")
    corpus = write(tmp_path / "papers.jsonl", paper('"White light" is of which lamp?'))
    out = tmp_path / "pairs.jsonl"

    main([str(corpus), "--out", str(out), "--purpose", purpose, "--aspect", aspect])

    (pair,) = map(json.loads, out.read_text(encoding="utf-8").splitlines())
    assert (pair["id"], pair["review_sentences"][0]["label"], pair["aspect"]) == ("cress/1", "Todo", "Replicability")
    assert "after the aspect filter" in capsys.readouterr().out


def test_the_command_refuses_what_it_cannot_do_in_a_sentence(tmp_path: Path) -> None:
    twice = write(tmp_path / "papers.jsonl", paper(), paper())
    with pytest.raises(SystemExit, match=r"Line 2 of .* has the paper 'cress' a second time"):
        main([str(twice), "--out", str(tmp_path / "out.jsonl")])
    with pytest.raises(SystemExit, match="cannot be written"):
        main([str(write(tmp_path / "papers.jsonl", paper())), "--out", str(tmp_path / "no" / "out.jsonl")])
    with pytest.raises(SystemExit, match="folder of a classifier of purposes"):
        main([str(tmp_path / "papers.jsonl"), "--out", str(tmp_path / "out.jsonl"), "--purpose", str(tmp_path)])
