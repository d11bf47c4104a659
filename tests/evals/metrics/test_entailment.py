"""Whether a source supports a text, with a model whose answers are known."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from transformers import BertConfig, BertModel

from evals.metrics.entailment import EntailmentModel, Support, SupportCheck
from state.errors import SettingsError
from tests.support.tiny_nli import write_nli_model

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_nli_model(tmp_path_factory.mktemp("nli"))


def test_the_share_of_sentences_that_the_source_entails(model: Path) -> None:
    check = SupportCheck(str(model))
    found = check("The bean grew.", "The bean grew tall. The bean proved green. The bean proved tall.")
    assert found == Support(pytest.approx(100 * 2 / 3), ["The bean grew tall."])


def test_one_segment_of_the_source_is_enough(model: Path) -> None:
    check = SupportCheck(str(model))
    filler = "The bean grew tall. " * 20
    text = "The bean grew. The bean grew green."
    assert check(f"{filler}The bean proved tall. {filler}", text) == Support(100.0, [])
    assert check(filler, text) == Support(0.0, ["The bean grew.", "The bean grew green."])


def test_headings_are_no_claims_but_may_support_one(model: Path) -> None:
    check = SupportCheck(str(model))
    assert check("# Bean proved\n\nIt grew.", "# The bean\n\nThe bean grew.") == Support(100.0, [])


@pytest.mark.parametrize("text", ["", " \n", "# The bean grew"])
def test_a_text_without_sentences_has_no_share(model: Path, text: str) -> None:
    assert SupportCheck(str(model))("The bean grew.", text) is None


def test_an_empty_source_supports_nothing(model: Path) -> None:
    assert SupportCheck(str(model))("", "The bean grew.") == Support(0.0, ["The bean grew."])


def test_segments_are_whole_sentences_that_fit(model: Path) -> None:
    # Of 24 places, three are special tokens and six the longest hypothesis: three sentences of five tokens fit.
    nli = EntailmentModel(str(model))
    sentences = [f"The bean {word} tall." for word in ("grew", "proved", "grew", "grew", "proved")]
    assert nli.segments(sentences, ["The bean grew.", "The bean grew green tall."]) == [
        " ".join(sentences[:3]),
        " ".join(sentences[3:]),
    ]


def test_a_sentence_that_is_too_long_is_a_segment_of_its_own(model: Path) -> None:
    nli = EntailmentModel(str(model))
    long = "The bean " + "grew " * 40 + "tall."
    assert nli.segments(["It grew.", long, "It proved."], ["The bean grew."]) == ["It grew.", long, "It proved."]
    assert nli.probabilities([(long, "The bean proved.")])[0] > 0.9, "the premise is cut, not the hypothesis"


def test_a_claim_longer_than_the_window_still_leaves_room(model: Path) -> None:
    nli = EntailmentModel(str(model))
    assert nli.segments(["The bean.", "It grew."], ["grew " * 100]) == ["The bean. It grew."]


def test_pairs_are_scored_in_their_order_whatever_their_length(model: Path) -> None:
    nli = EntailmentModel(str(model))
    pairs = [("the bean " * (number % 4 + 1), "proved" if number % 3 else "grew") for number in range(40)]
    likely = [each > 0.5 for each in nli.probabilities(pairs)]
    assert likely == [bool(number % 3) for number in range(40)]
    assert nli.probabilities([]) == []


@pytest.mark.parametrize("labels", [{0: "Entail", 1: "other"}, {0: "entailment", 1: "not_entailment"}])
def test_the_label_is_known_by_its_name(tmp_path: Path, labels: dict[int, str]) -> None:
    # "proved" makes the last label likely, which is not the one for entailment here.
    check = SupportCheck(str(write_nli_model(tmp_path / "nli", labels=labels)))
    assert check("It proved.", "The bean grew. It grew.") == Support(0.0, ["The bean grew.", "It grew."])


def test_a_model_without_a_label_for_entailment_is_refused(tmp_path: Path) -> None:
    folder = write_nli_model(tmp_path / "nli", labels={0: "LABEL_0", 1: "not_entailment"})
    with pytest.raises(SettingsError, match="has no label for entailment, only LABEL_0, not_entailment; name a model"):
        SupportCheck(str(folder))


def test_a_model_that_is_not_there_is_named(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(SettingsError, match=r"The entailment model .*empty cannot be loaded; name the folder"):
        SupportCheck(str(tmp_path / "empty"))


def test_a_model_without_a_classifier_is_refused(model: Path, tmp_path: Path) -> None:
    config = BertConfig.from_pretrained(model)
    BertModel(config).save_pretrained(tmp_path / "bare")
    for file in model.iterdir():
        if not (tmp_path / "bare" / file.name).exists():
            (tmp_path / "bare" / file.name).write_bytes(file.read_bytes())
    with pytest.raises(SettingsError, match="lacks weights of a classifier"):
        SupportCheck(str(tmp_path / "bare"))


def test_torch_is_imported_with_the_first_check_only() -> None:
    code = "import sys, evals.model_scores; print('torch' in sys.modules)"
    finished = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert finished.stdout.strip() == "False"
