"""The files of a report."""

from __future__ import annotations

from pathlib import Path

from evals.reports.html import GENERATOR
from evals.reports.names import page_name
from evals.reports.write import write_reports
from evals.run_folder import RunFolder
from tests.evals.reports.pages import Page
from tests.evals.reports.tea import SAMPLES, run, usual_texts


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_every_file_is_written_and_every_link_leads_to_one(tmp_path: Path) -> None:
    write_reports(run(tmp_path, usual_texts()), RunFolder(tmp_path))
    written = files(tmp_path)
    assert {"report.md", "report.html", "scores.json", "samples/index.html", "samples/best-first.html"} <= set(written)
    assert {f"samples/{page_name(sample['id'])}" for sample in SAMPLES} <= set(written)
    assert {name.rsplit(".")[-1] for name in written if name.startswith("figures/")} == {"svg", "png"}
    for path in (*tmp_path.glob("*.html"), *tmp_path.glob("samples/*.html")):
        for link in Page(path.read_text(encoding="utf-8")).links:
            assert link.startswith("#") or (path.parent / link).is_file(), link


def test_plots_of_the_markdown_report_are_there(tmp_path: Path) -> None:
    write_reports(run(tmp_path, usual_texts()), RunFolder(tmp_path))
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    linked = [line.rsplit("](")[-1].removesuffix(")") for line in text.splitlines() if line.startswith("![")]
    assert len(linked) == 2
    assert all((tmp_path / name).is_file() for name in linked)


def test_what_is_printed_is_the_report_without_plots(tmp_path: Path) -> None:
    printed = write_reports(run(tmp_path, usual_texts()), RunFolder(tmp_path))
    assert printed.startswith("TEA TIME\n")
    assert "clever: better in words" in printed
    assert "figures/" not in printed


def test_the_same_run_gives_the_same_bytes(tmp_path: Path) -> None:
    evaluation = run(tmp_path, usual_texts())
    write_reports(evaluation, RunFolder(tmp_path))
    before = files(tmp_path)
    write_reports(evaluation, RunFolder(tmp_path))
    assert files(tmp_path) == before


def test_pages_of_samples_that_are_gone_are_removed_if_they_are_ours(tmp_path: Path) -> None:
    samples = tmp_path / "samples"
    samples.mkdir()
    ours, theirs, notes = samples / page_name("old"), samples / page_name("mine"), samples / "notes.html"
    ours.write_text(f'<meta name="generator" content="{GENERATOR}">', encoding="utf-8")
    theirs.write_text("a page of my own", encoding="utf-8")
    notes.write_text(f'<meta name="generator" content="{GENERATOR}">', encoding="utf-8")
    folder = samples / page_name("folder")
    folder.mkdir()
    write_reports(run(tmp_path, usual_texts()), RunFolder(tmp_path))
    assert not ours.exists()
    assert theirs.exists()
    assert notes.exists()
    assert folder.is_dir()


def test_every_page_is_marked_as_ours(tmp_path: Path) -> None:
    write_reports(run(tmp_path, usual_texts()), RunFolder(tmp_path))
    pages = list((tmp_path / "samples").glob("*.html"))
    assert pages
    assert all(("content", GENERATOR) in Page(page.read_text(encoding="utf-8")).attributes for page in pages)
