"""Print a result document on a terminal: the result to standard output, remarks to standard error."""

from __future__ import annotations

import typer
from rich.console import Console
from rich.markdown import Markdown
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Column, Table
from rich.text import Text

from draftroom.rendering import blocks as b
from draftroom.rendering.console import ERR, OUT, print_line, print_table, print_to_stderr
from state.errors import InputError
from tools.text import strip_control_characters

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
    """Print the result itself, without remarks, to standard output."""
    for block in document.result:
        print_block(block, OUT)


def print_remarks(document: b.ResultDocument) -> None:
    """Print the remarks and the conclusion to standard error; folded blocks only by their title."""
    for block in document.remarks:
        if isinstance(block, b.FoldedBlocks):
            print_to_stderr(f"{block.title}: `draftroom show` lists them.", "dim")
        else:
            print_block(block, ERR)
    print_to_stderr(document.conclusion, "dim")


def print_story(document: b.ResultDocument, only: int | None) -> None:
    """Print a whole result with its history, or only one round, entry or paragraph, to standard output."""
    blocks = [b.Items(document.provenance), *document.result, *document.story, *document.remarks, *document.costs]
    if only is not None:
        blocks = [part for part in document.story if part.number == only]
        if not blocks:
            known = ", ".join(str(part.number) for part in document.story if part.number is not None)
            raise InputError(f"This run has no round, entry or paragraph {only}, but {known or 'none at all'}.")
    for block in blocks:
        print_block(block, OUT)


def print_block(block: b.Block, console: Console, indent: str = "") -> None:
    """Print a block to a console, with `indent` before each line of text."""
    match block:
        case b.Heading(text, level):
            print_line(text if level == 1 else f"\n{text}", "bold underline", console=console)
        case b.Prose(markdown) if console.is_terminal:
            console.print(Markdown(strip_control_characters(markdown).strip(), hyperlinks=False))
        case b.Prose(markdown):  # into a file or pipe: the Markdown as it is
            typer.echo(strip_control_characters(markdown).strip(), err=console.stderr)
        case b.TextLine() if console.is_terminal:  # folds below its beginning
            folded = Text(strip_control_characters(block.to_text()), style=STYLES[block.tone])
            console.print(Padding(folded, (0, 0, 0, len(indent))))
        case b.TextLine():
            print_line(f"{indent}{block.to_text()}", STYLES[block.tone], console=console)
        case b.Items(lines):
            for line in lines:
                print_block(line, console, indent)
        case _:
            _print_figure(block, console, indent)


def _print_figure(block: b.Block, console: Console, indent: str) -> None:
    """Print a table, diff, callout, folded blocks or a paper with notes."""
    match block:
        case b.DataTable():
            words = {block.columns[0], *block.words}  # the other columns hold numbers
            columns = (Column(name, justify="left" if name in words else "right") for name in block.columns)
            table = Table(*columns)
            for number, row in enumerate(block.rows):
                selected = number == block.selected
                first, *rest = (Text(strip_control_characters(cell)) for cell in row)
                table.add_row(first.append(" *") if selected else first, *rest, style="bold" if selected else None)
            print_table(console, table)
        case b.Diff(changes):
            # In colour on a terminal, otherwise between marks.
            text = Text(indent)
            for change in changes:
                style, *marks = _DIFF_STYLES[change.kind]
                before, after = ("", "") if console.is_terminal else marks
                text.append(f"{before}{strip_control_characters(change.text)}{after}", style=style)
            console.print(text, soft_wrap=not console.is_terminal)
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


def _print_note(note: b.Note, console: Console) -> None:
    """Print a note as a panel on a terminal, elsewhere as indented lines to standard output."""
    lines = [b.TextLine(b.format_subject(note.quote), tone="soft"), *note.lines, *note.evidence, *note.checks]
    heading = strip_control_characters(note.heading)
    if not console.is_terminal:
        indented = [f"  {strip_control_characters(line.to_text())}" for line in lines]
        typer.echo("\n".join([heading, *indented, ""]))
        return
    styled = (Text(strip_control_characters(line.to_text()), style=STYLES[line.tone]) for line in lines)
    title = Text(heading, style="bold")
    console.print(Panel(Text("\n").join(styled), title=title, title_align="left", border_style=f"#{note.colour}"))
