"""How much `draftroom check` finds of what was planted, and how much of what it finds in open papers is true.

    python -m benchmarks.computed_checks [--papers PAPERS.jsonl]

`planted_reports.jsonl` holds 202 passages with one planted contradiction each and their clean twins; their writer had
not seen the checks. A plant counts as found if a finding that the twin does not have names a number or a word
of the planted place. With `--papers` (records with `paper_id`, `title`, `abstract` and `sections` of paragraphs) every
finding is listed with its hash, and `computed_check_labels.json` says which of them were true when they were read.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import re
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from state.computed_findings import ComputedFinding
from state.documents import Document, Paragraph
from tools.consistency import check_paper
from tools.documents.latex import latex_parts
from tools.documents.structure import outline
from tools.documents.web_pages import html_parts, markdown_parts

HERE = Path(__file__).parent
LABELS = HERE / "computed_check_labels.json"
READERS = {"markdown": markdown_parts, "html": html_parts, "latex": latex_parts}
KINDS = {
    1: "reported tests",
    2: "means and deviations of whole numbers",
    3: "percentages",
    4: "sums of parts",
    5: "intervals",
    6: "one number, two values",
    7: "many tests",
    8: "the paper with itself",
}


def findings(text: str, document_format: Any) -> list[ComputedFinding]:
    return check_paper(outline(READERS[document_format](text), sha256="", document_format=document_format))


def planted() -> None:
    plants = [json.loads(line) for line in (HERE / "planted_reports.jsonl").read_text(encoding="utf-8").splitlines()]
    planted, found, alarms = Counter[Any](), Counter[Any](), Counter[Any]()
    for plant in plants:
        place = (plant["kind"], plant["where"])
        clean = findings(plant["clean"], plant["format"])
        known = {(each["kind"], each["computation"]) for each in clean}
        new = [
            each
            for each in findings(plant["flawed"], plant["format"])
            if (each["kind"], each["computation"]) not in known
        ]
        wrong = set(re.findall(r"\w+", plant["wrong"]))
        planted[place] += 1
        found[place] += any(wrong & set(re.findall(r"\w+", f"{each['quote']} {each['computation']}")) for each in new)
        alarms[place] += bool(clean)
    print("| planted | in text | in tables | findings on clean twins |\n|---|---|---|---|")
    for kind, name in KINDS.items():
        cells = [f"{found[kind, where]} of {planted[kind, where]}" for where in ("text", "table")]
        print(f"| {name} | {' | '.join(cells)} | {sum(alarms[kind, where] for where in ('text', 'table'))} |")
    print(f"| all | {share(found, planted, 'text')} | {share(found, planted, 'table')} | {alarms.total()} |")


def share(found: Counter[Any], planted: Counter[Any], where: str) -> str:
    part, whole = (sum(count for place, count in counts.items() if place[1] == where) for counts in (found, planted))
    return f"{part} of {whole} ({part / whole:.0%})"


def in_papers(path: Path) -> None:
    labels = json.loads(LABELS.read_text(encoding="utf-8")) if LABELS.exists() else {}
    true, read = Counter[str](), Counter[str]()
    begin = time.process_time()
    for line in path.read_text(encoding="utf-8").splitlines():
        paper = json.loads(line)
        for found in check_paper(document(paper)):
            digest = hashlib.sha256(f"{found['kind']}\n{found['quote']}\n{found['computation']}".encode()).hexdigest()[
                :12
            ]
            label = labels.get(paper["paper_id"], {}).get(digest)
            row = f"{found['kind']} ({found['severity']})"
            if label is None:
                print(f"not read: {paper['paper_id']} {digest} {row}: {found['quote']} | {found['computation']}")
            else:
                read[row] += 1
                true[row] += label
    print(f"{time.process_time() - begin:.1f} s of processor time")
    print("| kind | findings | true | precision, lower 95 % bound |\n|---|---|---|---|")
    for row, number in sorted(read.items()):
        print(f"| {row} | {number} | {true[row]} | {true[row] / number:.0%}, {wilson(true[row], number):.0%} |")


def document(paper: dict[str, Any]) -> Document:
    return Document(
        sha256="",
        format="text",
        title=paper["title"],
        abstract=paper["abstract"] or "",
        text="",
        paragraphs=list(paragraphs(paper)),
        references=[],
        hidden=[],
        pages=0,
        warnings=[],
    )


def paragraphs(paper: dict[str, Any]) -> Iterator[Paragraph]:
    if paper["abstract"]:
        yield Paragraph(id="abstract", section="Abstract", text=paper["abstract"], page=0, words=[])
    for section in paper["sections"]:
        for part in section["paragraphs"]:
            yield Paragraph(id=part["id"], section=section["heading"], text=part["text"], page=0, words=[])


def wilson(true: int, number: int, z: float = 1.96) -> float:
    """Lower end of the 95 % interval of a share."""
    middle = true / number + z**2 / (2 * number)
    spread = z * math.sqrt(true / number * (1 - true / number) / number + z**2 / (4 * number**2))
    return (middle - spread) / (1 + z**2 / number)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--papers", type=Path, help="also read these papers")
    arguments = parser.parse_args()
    planted()
    if arguments.papers:
        in_papers(arguments.papers)
