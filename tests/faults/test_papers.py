"""Odd papers: read, or refused with one sentence; never a traceback, at most 2 s a page, in bounded memory.

The PDFs are our examples, forms made here, and the open papers beside the repository where they are, each damaged in
many ways; so are texts, web pages, LaTeX and Word files.
"""

from __future__ import annotations

import io
import os
import random
import resource
import zipfile
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from statistics import median

import pytest
from docx import Document
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from state.errors import InputError
from tests.faults.conftest import SHORT, Count
from tools.documents.reading import read_document_bytes

pytestmark = pytest.mark.faults
ROOT = Path(__file__).parents[2]
SHARED = Path(os.environ.get("SHARED_DATA", ROOT.parent / "shared" / "data")) / "pdfs"
PDFS, TEXTS = (30, 40) if SHORT else (400, 200)
SECONDS_A_PAGE = 2.0
"""Of processor time, so that a busy machine is not taken for a slow reader; what is refused may take as much as a page.
"""
MOST_MEMORY = 1024**3
"""Of a parser's process, which limits itself to 768 MiB, and of what it is started from."""

Mutation = Callable[[bytes, random.Random], bytes]


def flip(data: bytes, chance: random.Random) -> bytes:
    """Some bytes are others."""
    changed = bytearray(data)
    for _ in range(chance.choice([1, 20, 400])):
        changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed)


def cut(data: bytes, chance: random.Random) -> bytes:
    """The end is missing."""
    return data[: chance.randrange(1, len(data))]


def hole(data: bytes, chance: random.Random) -> bytes:
    """A part in the middle is missing."""
    begin = chance.randrange(len(data))
    return data[:begin] + data[begin + chance.randrange(1, 1 + len(data) // 4) :]


def twice(data: bytes, chance: random.Random) -> bytes:
    """A part stands there twice."""
    begin = chance.randrange(len(data))
    part = data[begin : begin + chance.randrange(1, 1 + len(data) // 4)]
    return data[:begin] + part + data[begin:]


def numbers(data: bytes, chance: random.Random) -> bytes:
    """Numbers are far too large, or negative: sizes, counts, places of objects."""
    changed = bytearray(data)
    digits = [place for place, byte in enumerate(changed) if 48 <= byte <= 57]
    for place in chance.sample(digits, min(len(digits), 30)):
        changed[place] = ord(chance.choice("9-0"))
    return bytes(changed)


def zeros(data: bytes, chance: random.Random) -> bytes:
    """A block of the disk was lost."""
    begin = chance.randrange(len(data))
    return data[:begin] + b"\0" * min(4096, len(data) - begin) + data[begin + 4096 :]


def names(data: bytes, chance: random.Random) -> bytes:
    """The words of the format stand for each other: pages in place of fonts, streams without an end."""
    words = [b"/Pages", b"/Font", b"/Kids", b"/Parent", b"endstream", b"endobj", b"/Length", b"/Filter", b"xref"]
    first, second = chance.sample(words, 2)
    return data.replace(first, second)


MUTATIONS: list[Mutation] = [flip, cut, hole, twice, numbers, zeros, names]


def form(chance: random.Random) -> bytes:
    """A form with fields, odd sizes of pages and text in every direction."""
    stream = io.BytesIO()
    canvas = Canvas(stream, pagesize=chance.choice([A4, (20, 20), (14_000, 14_000)]))
    for page in range(chance.choice([1, 3, 12])):
        for field in range(chance.choice([1, 40])):
            place = {"x": chance.uniform(-50, 600), "y": chance.uniform(-50, 800)}
            if chance.random() < 0.5:
                canvas.acroForm.textfield(name=f"f{page}-{field}", value="moss " * chance.choice([0, 1, 80]), **place)
            else:
                canvas.acroForm.checkbox(name=f"c{page}-{field}", **place)
        canvas.rotate(chance.choice([0, 90, 37]))
        canvas.setFontSize(chance.choice([0.1, 10, 900]))
        canvas.drawString(40, 700, "Moss grows where it is wet, and not where it is dry. " * chance.choice([0, 1, 20]))
        canvas.showPage()
    canvas.save()
    return stream.getvalue()


def hostile() -> Iterator[bytes]:
    """PDFs that grow when they are opened, go round in circles, nest without an end, or hold more than a page can."""
    bomb = zlib.compress(b"BT /F1 9 Tf (moss) Tj ET " * 4_000_000, 9)
    shapes = b"0 0 600 800 re f " * 3_000
    crowded = (
        b"BT /F1 9 Tf " + b"(moss ) Tj " * 300_000,
        b"BT /F1 9 Tf " + b"3 0 Td (moss ) Tj " * 40_000,
        b"BT /F1 9 Tf " + b"2 0.1 Td (1) Tj " * 40_000,
        shapes + b"BT /F1 9 Tf " + b"30 0 Td (moss) Tj " * 20_000,
        b"0 0 m 9 9 l S " * 1_000_000,
    )
    packer = zlib.compressobj(1)
    larger = b"".join([packer.compress(b"\0" * 10_000_000) for _ in range(200)]) + packer.flush()
    for content in (bomb, larger, b"q " * 3_000_000, b"[" * 500_000, b"BT " + b"(a) Tj " * 2_000_000, *crowded):
        filtered = b"/Filter /FlateDecode " if content in (bomb, larger) else b""
        yield (
            b"%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Count 1/Kids[3 0 R]>>endobj\n"
            b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R"
            b"/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>endobj\n"
            b"4 0 obj<<" + filtered + b"/Length " + str(len(content)).encode() + b">>stream\n" + content
            + b"\nendstream endobj\ntrailer<</Root 1 0 R>>\n%%EOF"
        )  # fmt: skip
    yield (
        b"%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
        b"2 0 obj<</Type/Pages/Count 9/Kids[2 0 R 2 0 R]>>endobj\ntrailer<</Root 1 0 R>>\n"
    )


def odd_pdfs() -> Iterator[tuple[str, bytes]]:
    """Hostile ones, forms as they are, then damaged forms, examples and open papers in turn; each with a name."""
    chance = random.Random(23)
    wild = list(hostile())
    forms = [form(chance) for _ in range(PDFS // 5)]
    yield from (("odd.pdf", data) for data in [*wild, *forms])
    examples = [path.read_bytes() for path in sorted((ROOT / "examples").glob("*.pdf"))]
    papers = [path.read_bytes() for path in sorted(SHARED.glob("*.pdf"))] if SHARED.is_dir() else []
    sources = [source for source in (papers, examples, forms) if source]
    for turn in range(PDFS - len(wild) - len(forms)):
        data = chance.choice(sources[turn % len(sources)])
        yield "odd.pdf", chance.choice(MUTATIONS)(data, chance)


def word_file(chance: random.Random) -> bytes:
    """A Word file with a table, or one whose parts are damaged before they are packed again."""
    stream = io.BytesIO()
    document = Document()
    document.add_heading("Moss", 0)
    document.add_paragraph("Moss grows where it is wet. " * chance.choice([1, 500]))
    document.add_table(rows=chance.choice([1, 30]), cols=3).cell(0, 0).text = "Growth in 12 gardens"
    document.save(stream)
    if chance.random() < 0.4:
        return chance.choice(MUTATIONS)(stream.getvalue(), chance)
    packed = io.BytesIO()
    with zipfile.ZipFile(stream) as source, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            content = source.read(name)
            damaged = chance.random() < 0.2 and content
            target.writestr(name, chance.choice(MUTATIONS)(content, chance) if damaged else content)
        target.writestr("word/media/bomb.xml", b"\0" * chance.choice([0, 30_000_000]))
    return packed.getvalue()


LATEX = (ROOT / "tests" / "faults" / "odd.tex").read_bytes()
NESTED = {
    "tex": (b"{", b"\\textbf{", b"\\begin{itemize}\\item ", b"$", b"\\def\\a{\\a\\a}\\a ", b"%"),
    "html": (b"<div>", b"<table><tr><td>", b"<!--", b"<p hidden>", b"&#x1F9A0;", b"<svg>"),
    "md": (b"> ", b"- ", b"[", b"`", b"#", b"|a|b|\n|-|-|\n", b"<b>"),
    "txt": (b"\xe2\x80\xae", b"\xf0\x9f\xa6\xa0", b"\r", b"\x0c", b"a\xcc\x81" * 30, b"A" * 50 + b" "),
}


def odd_texts() -> Iterator[tuple[str, bytes]]:
    """Each with a name."""
    chance = random.Random(23)
    yield from (odd_text(chance) for _ in range(TEXTS))


def odd_text(chance: random.Random) -> tuple[str, bytes]:
    """A name and what is in it."""
    kind = chance.choice(["docx", "docx", *NESTED])
    if kind == "docx":
        return "odd.docx", word_file(chance)
    prose = b"Moss grows where it is wet, and in 12 gardens it grew by 20%. " * chance.choice([1, 40])
    data = {"tex": LATEX, "html": b"<html><body><h1>Moss</h1><p>" + prose}.get(kind, b"# Moss\n\n" + prose)
    if chance.random() < 0.5:
        return f"odd.{kind}", chance.choice(MUTATIONS)(data, chance)
    return f"odd.{kind}", data + (chance.choice(NESTED[kind]) * chance.choice([3, 2_000, 60_000]))[:3_000_000] + prose


class Reading:
    """Reads papers, and counts what came of them."""

    def __init__(self) -> None:
        self.a_page, self.refused, self.slow = list[float](), list[float](), list[str]()
        """Seconds of a processor: a page of each that was read, each that was refused; and who took too long."""
        self.most_bytes, self.own_bytes = 0, 0
        """That a parser's process held, and the one that it was started from."""

    def read(self, data: bytes, name: str) -> None:
        begun, pages, refusal = processor_time(), 0, ""
        try:
            pages = max(1, read_document_bytes(data, name=name)["pages"])
        except InputError as error:
            refusal = str(error)
        assert pages or refusal.count("\n") == 0 < refusal.count(name)
        seconds = (processor_time() - begun) / max(1, pages)
        (self.a_page if pages else self.refused).append(seconds)
        if seconds > SECONDS_A_PAGE:
            self.slow.append(f"{name}, the {len(self.a_page) + len(self.refused)}th, took {seconds:.1f} s a page")

    def figures(self) -> str:
        return (
            f"{len(self.a_page) + len(self.refused)} files: {len(self.a_page)} read, {len(self.refused)} refused with "
            f"a sentence, no traceback; a page that was read took {max(self.a_page):.1f} s of a processor at most, "
            f"{median(self.a_page):.2f} s in the middle, a file that was refused {max(self.refused):.1f} s; a parser's "
            f"process held {self.most_bytes / 2**20:.0f} MiB at most, its parent {self.own_bytes / 2**20:.0f} MiB"
        )


def read(papers: Callable[[], Iterator[tuple[str, bytes]]]) -> Reading:
    """Read them in a process of its own, so that no other test's processes count."""
    with ProcessPoolExecutor(1, get_context("spawn")) as apart:
        reading = apart.submit(_read, papers).result()
    assert reading.a_page
    assert reading.refused
    assert reading.most_bytes < MOST_MEMORY
    return reading


def _read(papers: Callable[[], Iterator[tuple[str, bytes]]]) -> Reading:
    reading = Reading()
    for name, data in papers():
        reading.read(data, name)
    reading.most_bytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    reading.own_bytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return reading


def processor_time() -> float:
    """Of this process and of those that it waited for."""
    return sum(os.times()[:4])


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DRAFTROOM_HOME", str(tmp_path))


@pytest.mark.timeout(3600)
def test_odd_pdfs(count: Count) -> None:
    reading = read(odd_pdfs)
    without = "" if SHARED.is_dir() else " (without the open papers, which are not beside this folder)"
    count("Odd PDFs", "", reading.figures() + without)
    assert not reading.slow


@pytest.mark.timeout(3600)
def test_odd_texts_word_and_latex_files(count: Count) -> None:
    reading = read(odd_texts)
    count("Odd texts, Word and LaTeX files", "", reading.figures())
    assert not reading.slow
