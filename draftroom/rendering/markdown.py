"""A document as Markdown, with all that models wrote as plain text but for the text that was asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from draftroom.rendering import blocks as b
from tools.text import strip_control_characters

_DIFF_MARKS = {"same": ("", ""), "removed": ("[-", "-]"), "added": ("{+", "+}")}


def render_markdown(document: b.ResultDocument) -> str:
    """Write a whole document: the result, a rule, and all else below it."""
    return f"{render_blocks(document.result)}\n---\n\n{render_blocks([*document.remarks, *document.appendix])}"


def render_blocks(blocks: Iterable[b.Block]) -> str:
    """Write blocks with a blank line between them."""
    return "\n\n".join(part for block in blocks for part in render_block(block) if part) + "\n"


def render_block(block: b.Block) -> Iterator[str]:
    """Write a block in one part or several."""
    match block:
        case b.Heading(text, level):
            yield f"{'#' * level} {escape_markdown_line(text)}"
        case b.Prose(markdown):
            yield strip_control_characters(markdown).strip()
        case b.TextLine():
            yield format_line(block)
        case b.Quotation(text):
            yield f"> {escape_markdown_line(text)}"
        case b.Items(lines):
            yield "\n".join(f"- {format_line(line)}" for line in lines)
        case _:
            yield from _render_figure(block)


def _render_figure(block: b.Block) -> Iterator[str]:
    """Write a block that is more than text."""
    match block:
        case b.DataTable():
            rows = [list(row) for row in block.rows]
            if block.selected is not None:
                rows[block.selected][0] = f"**{rows[block.selected][0]}**"
            yield render_table(block.columns, rows)
        case b.Diff(changes):
            marked = (f"{_DIFF_MARKS[change.kind][0]}{change.text}{_DIFF_MARKS[change.kind][1]}" for change in changes)
            yield "\n>\n".join(f"> {escape_markdown_line(part)}" for part in "".join(marked).split("\n\n"))
        case b.Callout(title, lines):
            yield f"**{escape_markdown_line(title)}**"
            yield from render_block(b.Items(lines))
        case b.FoldedBlocks(title, inner):
            yield f"### {escape_markdown_line(title)}"
            for each in inner:
                yield from render_block(each)
        case b.NotedPaper(notes, paper):
            yield from _render_notes(notes, [paragraph.id for paragraph in paper])


def _render_notes(notes: Sequence[b.Note], order: Sequence[str]) -> Iterator[str]:
    """Write computed notes, and then the others by section as the paper has them."""
    ranked = [note for note in notes if note.rank]
    if len(ranked) < len(notes):
        yield "## Computed, without a model"
    for note in notes:
        if not note.rank:
            yield from _render_note(note)
    places = {paragraph: place for place, paragraph in enumerate(order)}
    section = None
    for note in sorted(ranked, key=lambda note: places.get(note.paragraph, len(places))):
        if note.section != section:
            section = note.section
            yield f"## {escape_markdown_line(section) or 'Before the first heading'}"
        yield from _render_note(note)


def _render_note(note: b.Note) -> Iterator[str]:
    yield f"### {escape_markdown_line(note.heading)}"
    yield f"> {escape_markdown_line(note.quote)}" if note.quote else f"About {note.about}."
    first, *rest = note.lines
    yield format_line(first)
    yield from render_block(b.Items([*rest, *note.evidence, *note.checks]))


def format_line(line: b.TextLine) -> str:
    """Write a line of plain text, its label in bold."""
    label = f"**{escape_markdown_line(line.label)}:** " if line.label else ""
    return f"{label}{escape_markdown_line(b.TextLine(line.text, quote=line.quote, source=line.source).to_text())}"


def render_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a table."""
    lines = [list(columns), ["---"] * len(columns), *([escape_markdown_line(text) for text in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def escape_markdown_line(text: str) -> str:
    """Write text so that it neither ends a table cell or a list item nor opens an HTML tag."""
    return " ".join(strip_control_characters(text).split()).replace("|", "\\|").replace("<", "&lt;")
