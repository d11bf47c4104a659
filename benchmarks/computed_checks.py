"""How much `draftroom check` finds of what was planted, and how much of what it finds in open papers is true.

    python -m benchmarks.computed_checks [--papers PAPERS.jsonl --papers ABSTRACTS.jsonl --papers PAPER.pdf]

`planted_reports.jsonl` holds 202 passages with one planted contradiction each and their clean twins,
`planted_reports_second.jsonl` 206, `planted_reports_third.jsonl` 200, `planted_reports_sundry.jsonl` 100 by each of
three writers, `planted_reports_fourth.jsonl` 200, and `planted_reports_fifth.jsonl` and `planted_reports_sixth.jsonl`
50 by each of four and six writers; none of them had seen the checks. The misses of the fifth have not been read.

A plant counts as found if a finding that the twin does not have names a number or a word of the planted place. With
`--papers` (PDFs, or records with `paper_id`, `title`, `abstract` and `sections` of paragraphs, or with `id` and an
`abstract` or `source` alone) every finding is listed with its hash, and `computed_check_labels.json` says which were
true when they were read. Abbreviations count in whole papers only: an abstract alone may lack the sentence that defines
them.
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
from tools.consistency.abbreviations import definitions
from tools.consistency.intervals import reported_intervals
from tools.consistency.parts import said_parts
from tools.consistency.percentages import counted_shares
from tools.consistency.repeated_values import is_summary, quantities
from tools.consistency.reported_tests import P_VALUE, reported_tests
from tools.consistency.statements import statements
from tools.consistency.whole_numbers import whole_number_means
from tools.documents.latex import latex_parts
from tools.documents.reading import load_document, read_document
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


def planted(file: str, half: str = "") -> None:
    """How many of a set are found; `half` is one of `read` and `held` where a set has them."""
    plants = [json.loads(line) for line in (HERE / file).read_text(encoding="utf-8").splitlines()]
    plants = [plant for plant in plants if not half or plant["half"] == half]
    print(f"\n{file} {half}\n")
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


def in_papers(paths: list[Path]) -> None:
    labels = json.loads(LABELS.read_text(encoding="utf-8")) if LABELS.exists() else {}
    true, read, seen = Counter[str](), Counter[str](), Counter[str]()
    begin, number = time.process_time(), 0
    for name, read_paper in (each for path in paths for each in documents(path)):
        number += 1
        seen += candidates(read_paper)
        for found in check_paper(read_paper):
            if found["kind"] == "abbreviation" and len(read_paper["paragraphs"]) == 1:
                continue
            text = f"{found['kind']}\n{found['quote']}\n{found['computation']}"
            digest = hashlib.sha256(text.encode()).hexdigest()[:12]
            label = labels.get(name, {}).get(digest)
            if label is None:
                print(f"not read: {name} {digest} {found['kind']} ({found['severity']}): {text}")
            else:
                read[found["kind"]] += 1
                true[found["kind"]] += label
    print(f"{number} texts, {time.process_time() - begin:.1f} s of processor time")
    print("| kind | candidates | findings | true | precision, lower 95 % bound |\n|---|---|---|---|---|")
    for kind in sorted(seen.keys() | read.keys()):
        bound = f"{wilson(true[kind], read[kind]):.0%}" if read[kind] else ""
        print(f"| {kind} | {seen[kind] or ''} | {read[kind]} | {true[kind] if read[kind] else ''} | {bound} |")


def documents(path: Path) -> Iterator[tuple[str, Document]]:
    if path.suffix == ".pdf":
        yield path.stem, load_document(read_document(str(path)))
        return
    for paper in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        yield paper.get("paper_id") or paper["id"], document(paper)


def candidates(paper: Document) -> Counter[str]:
    """How many places of some kinds there are that a check computes."""
    parts, _ = statements(paper)
    seen = Counter[str](abbreviation=len(definitions(parts)) if len(paper["paragraphs"]) > 1 else 0)
    seen["reference"] = len(paper["references"])
    p_values = Counter(part.paragraph["section"] for part in parts for _ in re.finditer(P_VALUE, part.text))
    seen["many tests"] = sum(number >= 5 for number in p_values.values())
    seen["one number, two values"] = sum(len(list(quantities(part))) for part in parts if is_summary(part))
    for at, part in enumerate(parts):
        near = " ".join(each.text for each in parts[max(0, at - 3) : at + 1])
        seen["mean of whole numbers"] += len(list(whole_number_means(part, near)))
        intervals = list(reported_intervals(part.text))
        seen["test and p-value"] += len(list(reported_tests(part.text)))
        seen["percentage"] += len(list(counted_shares(part.text)))
        seen["sum of parts"] += len(said_parts(part))
        seen["estimate and interval"] += len(intervals)
        seen["ratio interval"] += sum(interval.scale == "ratio" for interval in intervals)
        seen["interval and p-value"] += sum(interval.p is not None for interval in intervals)
    return seen


def document(paper: dict[str, Any]) -> Document:
    return Document(
        sha256="",
        format="text",
        title=paper.get("title", ""),
        abstract="",
        text="",
        paragraphs=list(paragraphs(paper)),
        references=[],
        hidden=[],
        pages=0,
        warnings=[],
    )


def paragraphs(paper: dict[str, Any]) -> Iterator[Paragraph]:
    if abstract := paper.get("abstract") or paper.get("source"):
        yield Paragraph(id="abstract", section="Abstract", text=abstract, page=0, words=[])
    for section in paper.get("sections", []):
        for part in section["paragraphs"]:
            yield Paragraph(id=part["id"], section=section["heading"], text=part["text"], page=0, words=[])


def wilson(true: int, number: int, z: float = 1.96) -> float:
    """Lower end of the 95 % interval of a share."""
    middle = true / number + z**2 / (2 * number)
    spread = z * math.sqrt(true / number * (1 - true / number) / number + z**2 / (4 * number**2))
    return (middle - spread) / (1 + z**2 / number)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--papers", type=Path, action="append", help="also read these papers; repeatable")
    arguments = parser.parse_args()
    planted("planted_reports.jsonl")
    for file in ("planted_reports_second.jsonl", "planted_reports_third.jsonl"):
        for half in ("read", "held", ""):
            planted(file, half)
    for name in ("sundry", "fourth", "fifth", "sixth"):
        planted(f"planted_reports_{name}.jsonl")
    if arguments.papers:
        in_papers(arguments.papers)
