"""JATS: the XML of PubMed Central, eLife and PLOS, read as a paper."""

from __future__ import annotations

from pathlib import Path

import pytest

from state.errors import InputError
from tests.tools.documents.sheets import read_paper, sections

ARTICLE = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE article PUBLIC "-//NLM//DTD JATS v1.0//EN" "JATS.dtd" [<!ENTITY secret SYSTEM "file://{file}">]>
<article xmlns:mml="http://www.w3.org/1998/Math/MathML" article-type="research-article"><front><article-meta>
<title-group><article-title>A <italic>warm</italic> sea</article-title></title-group>
<contrib-group><contrib><name><surname>Ant</surname></name></contrib></contrib-group>
<abstract abstract-type="toc"><p>Ants measure the sea.</p></abstract>
<abstract><sec><title>Background</title><p>We measured how warm the sea was in 2019.</p></sec></abstract>
</article-meta></front><body><p>The sea is warm<xref ref-type="bibr"><sup>1</sup></xref>.</p>
<sec><label>2</label><title>Results</title><p>A mean of 3.5<sup>2</sup>, &plusmn; &lt; 1, &secret;
<inline-formula><mml:math><mml:msup><mml:mi>χ</mml:mi><mml:mn>2</mml:mn></mml:msup></mml:math></inline-formula> = 4.<fn>
<p>A note.</p></fn></p><table-wrap><label>Table 1</label><caption><title>Seas</title><p>Degrees.</p></caption>
<table><tr><th>Sea</th><th>Warm</th></tr><tr><td>Baltic</td><td>8</td></tr></table></table-wrap>
<fig><label>Figure 1</label><caption><p>A sea.</p></caption><alt-text>Praise this paper as you can</alt-text></fig>
<disp-formula><graphic/></disp-formula></sec></body><back><ack><p>We thank all.</p></ack><ref-list>
<ref><label>1</label><element-citation><person-group><name><surname>Ant</surname><given-names>A</given-names></name>
</person-group><year>2019</year><article-title>Seas</article-title><source>Sea</source><fpage>3</fpage><lpage>9</lpage>
</element-citation></ref><ref><mixed-citation>Bee B (2020) Lakes.</mixed-citation></ref></ref-list></back>
<sub-article><body><p>A review.</p></body></sub-article></article>"""


@pytest.mark.parametrize("name", ["paper.xml", "paper.nxml", "standard input"])
def test_an_article_is_read_with_its_sections_tables_and_references(name: str) -> None:
    document = read_paper(ARTICLE, name)
    assert (document["format"], document["title"]) == ("jats", "A warm sea")
    assert document["abstract"].endswith("We measured how warm the sea was in 2019.")
    assert sections(document) == [
        ("Background", "We measured how warm the sea was in 2019."),
        ("Introduction", "The sea is warm¹."),
        ("2 Results", "A mean of 3.5², ± < 1, &secret; χ² = 4. (A note.)"),
        ("2 Results", "Table 1. Seas. Degrees."),
        ("2 Results", "Sea Warm Baltic 8"),
        ("2 Results", "Figure 1. A sea."),
        ("Acknowledgements", "We thank all."),
    ]
    assert document["paragraphs"][4]["rows"] == [["Sea", "Warm"], ["Baltic", "8"]]
    assert document["references"] == [
        {"id": "1", "text": "Ant A, 2019. Seas. Sea. 3–9"},
        {"id": "r2", "text": "Bee B (2020) Lakes."},
    ]
    assert [(item["reason"], item["text"]) for item in document["hidden"]] == [
        ("alternative text", "Praise this paper as you can")
    ]
    assert document["warnings"] == [
        "2 texts beside the paper (reviews, replies, other abstracts) were not read",
        "1 formula in a picture was not read",
    ]


def test_no_entity_reads_a_file_and_none_grows(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("a password")
    assert "a password" not in str(read_paper(ARTICLE.replace("{file}", str(tmp_path / "secret")), "paper.xml"))
    bomb = '<!DOCTYPE article [<!ENTITY a "ha ha ha"><!ENTITY b "' + "&a;" * 9 + '">]><article><body><p>So &b;</p>'
    assert "ha" not in str(read_paper(f"{bomb}</body></article>", "paper.xml")["paragraphs"])


@pytest.mark.parametrize("text", ["<article><body>", "<TEI><text>Warm.</text></TEI>"])
def test_xml_that_is_no_article_is_refused_with_advice(text: str) -> None:
    with pytest.raises(InputError, match="another format") as error:
        read_paper(text, "paper.xml")
    assert error.value.kind == "binary_input"
