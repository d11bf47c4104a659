"""A document on a terminal: the result on standard output, what a reader should know of it on standard error."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import typer
from rich.console import Console
from rich.markdown import Markdown
from rich.panel import Panel
from rich.table import Table as RichTable
from rich.text import Text

from draftroom.rendering import blocks as b
from draftroom.rendering.console import ERR, OUT, make_table, print_line, print_table, print_to_stderr
from tools.text import DiffSegment, strip_control_characters

STYLES: dict[b.Tone, str] = {
    "plain": "",
    "soft": "dim",
    "strong": "bold",
    "good": "green",
    "warning": "yellow",
    "alarm": "red",
    "question": "cyan",
    "answer": "magenta",
    "thought": "blue",
}
_DIFF_STYLES = {"same": ("", "", ""), "removed": ("red strike", "[-", "-]"), "added": ("green", "{+", "+}")}


def print_result(document: b.ResultDocument) -> None:
    """Print what was asked for."""
    for block in document.result:
        print_block(block, OUT)


def print_remarks(document: b.ResultDocument) -> None:
    """Print what a reader of the result should know to standard error, without what can be looked up."""
    for block in document.remarks:
        if isinstance(block, b.FoldedBlocks):
            print_to_stderr(f"{block.title}: `draftroom show` lists them.", "dim")
        else:
            print_block(block, ERR)
    print_to_stderr(document.conclusion, "dim")


def print_story(document: b.ResultDocument, only: int | None) -> None:
    """Print a whole result and how it came about, or only the part of one round, entry or paragraph."""
    whole = [b.Items(document.provenance), *document.result, *document.story, *document.remarks, *document.costs]
    for block in whole if only is None else [part for part in document.story if part.number == only]:
        print_block(block, OUT)


def print_block(block: b.Block, console: Console, indent: str = "") -> None:
    """Print a block."""
    say = partial(print_line, console=console)
    match block:
        case b.Heading(text, level):
            say(text if level == 1 else f"\n{text}", "bold underline")
        case b.Prose(markdown) if console.is_terminal:
            console.print(Markdown(strip_control_characters(markdown).strip(), hyperlinks=False))
        case b.Prose(markdown):
            typer.echo(strip_control_characters(markdown).strip(), err=console.stderr)
        case b.TextLine():
            say(f"{indent}{block.to_text()}", STYLES[block.tone])
        case b.Quotation(text):
            say(f'{indent}"{text}"', "italic")
        case b.Items(lines):
            for line in lines:
                print_block(line, console, indent)
        case _:
            _print_figure(block, console, indent)


def _print_figure(block: b.Block, console: Console, indent: str) -> None:
    """Print a block that is more than text."""
    match block:
        case b.DataTable():
            print_table(console, _build_rich_table(block))
        case b.Diff(changes):
            _print_diff(changes, console, indent)
        case b.Callout(title, lines):
            print_line(f"{indent}{title}", "bold red", console=console)
            print_block(b.Items(lines), console, f"{indent}  ")
        case b.FoldedBlocks(title, inner):
            print_line(f"\n{indent}{title}", "bold underline", console=console)
            for each in inner:
                print_block(each, console, f"{indent}  ")
        case b.NotedPaper(notes):
            for note in notes:
                _print_note(note, console)


def _print_diff(changes: Sequence[DiffSegment], console: Console, indent: str) -> None:
    """Print changes in colour, or between marks where there is none."""
    text = Text(indent)
    for change in changes:
        style, *marks = _DIFF_STYLES[change.kind]
        before, after = ("", "") if console.is_terminal else marks
        text.append(f"{before}{strip_control_characters(change.text)}{after}", style=style)
    console.print(text, soft_wrap=not console.is_terminal)


def _print_note(note: b.Note, console: Console) -> None:
    lines = [b.TextLine(note.about, tone="soft"), *note.lines, *note.evidence, *note.checks]
    if console.is_terminal:
        text = Text("\n").join(
            Text(strip_control_characters(line.to_text()), style=STYLES[line.tone]) for line in lines
        )
        title = Text(strip_control_characters(note.heading), style="bold")
        console.print(Panel(text, title=title, title_align="left", border_style=f"#{note.colour}"))
    else:
        typer.echo(
            "\n".join(
                [
                    strip_control_characters(note.heading),
                    *(f"  {strip_control_characters(line.to_text())}" for line in lines),
                    "",
                ]
            )
        )


def _build_rich_table(block: b.DataTable) -> RichTable:
    table = make_table(*block.columns, words=block.words)
    for number, row in enumerate(block.rows):
        chosen = number == block.selected
        first, *rest = (Text(strip_control_characters(cell)) for cell in row)
        table.add_row(first.append(" *") if chosen else first, *rest, style="bold" if chosen else None)
    return table
