"""A text that is not English is told from one that is, and whoever reads a paper is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.documents.reading import NOT_ENGLISH, is_english, read_document

OTHERS = {
    "German": (
        "Bei Erwachsenen mit chronischen Rückenschmerzen wurde untersucht, ob betreutes Yoga die Schmerzen im"
        " Vergleich zur üblichen Behandlung lindert. Schwere unerwünschte Ereignisse traten in keiner der "
        "Gruppen auf."
    ),
    "Spanish": (
        "El dolor lumbar crónico se trata con frecuencia con analgésicos orales. Asignamos al azar a 240 "
        "adultos con dolor persistente a yoga supervisado o a la atención habitual durante doce semanas."
    ),
    "French": (
        "La lombalgie chronique est souvent traitée par des antalgiques oraux. Nous avons réparti au hasard "
        "240 adultes entre un yoga encadré et les soins habituels, et la douleur a été évaluée après douze "
        "semaines."
    ),
    "Dutch": (
        "Chronische lage rugpijn wordt vaak behandeld met pijnstillers. Wij wezen 240 volwassenen willekeurig"
        " toe aan begeleide yoga of aan de gebruikelijke zorg, en de pijn werd na twaalf weken gemeten."
    ),
    "Chinese": (
        "慢性腰痛常用口服止痛药治疗。我们将成年人随机分配接受瑜伽或常规护理。十二周后评估疼痛强度。没有观察到严重不良事件。"
    ),
    "Greek": (
        "Χρόνιος πόνος στη μέση αντιμετωπίζεται συχνά με αναλγητικά. Κατανείμαμε τυχαία διακόσιους σαράντα ενήλικες."
    ),
}
ENGLISH = {
    "full of names": (
        "Endocytic clathrin-coated vesicles with OCRL, SNX9, Rab5, Rab35, APPL1 and IPIP27A accumulate; "
        "U-shaped clathrin-coated pits of Lowe fibroblasts and Dent HK-2 cells are sequestered on uncoated "
        "vesicles by N-WASP and Arp2/3."
    ),
    "short": ("Endocytic clathrin-coated vesicles."),
    "formulas": (
        "We solve min ||Ax - b||^2 + lambda ||x||_1 for x in R^n, where A is m x n and lambda > 0; the "
        "gradient step x_{k+1} = S(x_k - t A^T (A x_k - b)) converges for t < 2 / L, as the norm of A^T A is "
        "at most L."
    ),
}


@pytest.mark.parametrize("language", OTHERS)
def test_other_languages_are_not_taken_for_english(language: str) -> None:
    assert not is_english(OTHERS[language])


@pytest.mark.parametrize("kind", ENGLISH)
def test_english_passes(kind: str) -> None:
    assert is_english(ENGLISH[kind])


def test_the_examples_pass_and_a_foreign_paper_carries_the_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DRAFTROOM_HOME", str(tmp_path / "home"))
    for example in ("mosses.md", "inhalers.md", "seedlings.pdf"):
        assert NOT_ENGLISH not in read_document(f"examples/{example}")["warnings"]
    paper = tmp_path / "aufsatz.md"
    paper.write_text(f"# Rückenschmerzen\n\n{OTHERS['German']}\n", encoding="utf-8")
    assert NOT_ENGLISH in read_document(str(paper))["warnings"]
