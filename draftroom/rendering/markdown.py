"""Render a result document as Markdown.

Only the requested text keeps its Markdown; all other text of models is escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from draftroom.rendering import blocks as b
from tools.text import strip_control_characters

_DIFF_MARKS = {"same": ("", ""), "removed": ("[-", "-]"), "added": ("{+", "+}")}


def render_markdown(document: b.ResultDocument) -> str:
    """Return a document as Markdown text: the result, a rule, then remarks and appendix."""
    return f"{render_blocks(document.result)}\n---\n\n{render_blocks([*document.remarks, *document.appendix])}"


def render_blocks(blocks: Iterable[b.Block]) -> str:
    """Return blocks as Markdown text, with a blank line between them."""
    return "\n\n".join(part for block in blocks for part in render_block(block) if part) + "\n"


def render_block(block: b.Block) -> Iterator[str]:
    """Yield a block as one or more Markdown parts, which a blank line separates."""
    match block:
        case b.Heading(text, level):
            yield f"{'#' * level} {escape_markdown_line(text)}"
        case b.Prose(markdown):
            yield strip_control_characters(markdown).strip()
        case b.TextLine():
            yield format_line(block)
        case b.Items(lines):
            yield "\n".join(f"- {format_line(line)}" for line in lines)
        case _:
            yield from _render_compound_block(block)


def _render_compound_block(block: b.Block) -> Iterator[str]:
    """Yield the Markdown parts of a table, diff, callout, folded blocks, or of a paper's notes without its text."""
    match block:
        case b.DataTable():
            rows = [list(row) for row in block.rows]
            if block.selected is not None:
                rows[block.selected][0] = f"**{rows[block.selected][0]}**"
            cells = [[escape_markdown_line(text) for text in row] for row in rows]
            lines = [block.columns, ["---"] * len(block.columns), *cells]
            yield "\n".join(f"| {' | '.join(line)} |" for line in lines)
        case b.Diff(changes):
            marked = ""
            for change in changes:
                before, after = _DIFF_MARKS[change.kind]
                marked += f"{before}{change.text}{after}"
            yield "\n>\n".join(f"> {escape_markdown_line(part)}" for part in marked.split("\n\n"))
        case b.Callout(title, items):
            yield f"**{escape_markdown_line(title)}**"
            yield from render_block(b.Items(items))
        case b.FoldedBlocks(title, inner):
            yield f"### {escape_markdown_line(title)}"
            for each in inner:
                yield from render_block(each)
        case b.NotedPaper(notes, paper):
            yield from _render_notes(notes, [paragraph.id for paragraph in paper])


def _render_notes(notes: Sequence[b.Note], order: Sequence[str]) -> Iterator[str]:
    """Yield computed notes first, then the comments in the paper's order of paragraphs, ids in `order`."""
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
    """Yield the Markdown parts of a note: its heading, quote, text and list of evidence."""
    yield f"### {escape_markdown_line(note.heading)}"
    yield f"> {escape_markdown_line(note.quote)}" if note.quote else f"About {b.format_subject(note.quote)}."
    first, *rest = note.lines
    yield format_line(first)
    yield from render_block(b.Items([*rest, *note.evidence, *note.checks]))


def format_line(line: b.TextLine) -> str:
    """Format a line of plain text as Markdown on one line, with its label in bold."""
    label = f"**{escape_markdown_line(line.label)}:** " if line.label else ""
    return f"{label}{escape_markdown_line(b.TextLine(line.text, quote=line.quote, source=line.source).to_text())}"


def escape_markdown_line(text: str) -> str:
    """Return text on one line, escaped so that it can neither end a table cell nor open an HTML tag."""
    return " ".join(strip_control_characters(text).split()).replace("|", "\\|").replace("<", "&lt;")
